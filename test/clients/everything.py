"""Calls every operation of a server that compares requests with the description."""

import json
import os
import sys
from datetime import date
from decimal import Decimal

from intaglio_client import OPERATIONS, Intaglio

KEY = "ik_of-a-test"
RUN = "01a1f4a2-7b00-7000-8a9d-0123456789ab"


def everything(url, folder):
    client = Intaglio(url + "/", KEY, connections_max=1)
    runs, identities = client.runs, client.identities
    path = os.path.join(folder, "a.pdf")
    data = {"customer": "ไทย", "total": Decimal("1250.50"), "issued": date(2026, 11, 22)}
    pdf = client.generate("receipt", data, version=3, options={"watermark": {"text": "COPY"}})
    assert repr(pdf) == (
        f"<Pdf of {len(pdf.content)} bytes, sha256 {pdf.sha256[:12]}…, request {pdf.request_id}>"
    )
    assert client.generate_to_file("receipt", data, path).sha256 == pdf.sha256
    with open(path, "rb") as file:
        assert file.read() == pdf.content
    document_id = client.store("receipt", data)["documentId"]
    assert client.data_schema("receipt", version=3)["type"] == "object"
    assert client.field_contract("receipt", version=3)["fields"][0]["name"] == "customer"
    assert client.document(document_id)["documentId"] == document_id
    assert client.download(document_id).content == pdf.content
    assert client.download_to_file(document_id, path).bytes == len(pdf.content)
    link = url + "/v1/files/a.link"
    assert client.fetch_link(link).request_id == "a-request"
    assert client.fetch_link_to_file(link, path).path == path
    assert client.verify_file(path)["issued"]
    assert client.verify_reference("RC-0005")["issued"]
    assert runs.create({"templateId": "receipt", "idField": "refNo"})["runId"] == RUN
    assert runs.list()[0]["runId"] == RUN
    assert [run["runId"] for run in runs.list_all()] == [RUN]
    assert runs.get(RUN)["parts"][0]["checked"]
    assert runs.put_part(RUN, 1, '{"refNo":"R-1","customer":"สมชาย"}\n')["part"] == 1
    rows = os.path.join(folder, "rows.csv")
    with open(rows, "w", encoding="utf-8-sig") as file:
        file.write('refNo,customer\nR-1,"สมชาย\nใจดี"\n')
    assert len(list(runs.parts(RUN))) == 1
    assert runs.upload(RUN, rows, row_format="csv").sent == 1
    assert runs.start(RUN, dry_run=True)["state"] == "done"
    for move in (runs.pause, runs.resume, runs.cancel):
        assert move(RUN)["runId"] == RUN
    outcomes = []
    for row in runs.manifest(RUN, outcome="invalid"):
        outcomes.append(row["outcome"])
        # With a bound of one connection: a reader of rows may make other calls.
        client.verify(pdf.sha256)
    assert outcomes == ["stored", "invalid"]
    assert [row["line"] for row in runs.exceptions(RUN, outcome="invalid")] == [17]
    assert runs.withdraw(RUN, [{"part": 1, "line": 17}])["runId"] == RUN
    assert runs.zip_to_file(RUN, path).bytes == 22
    assert runs.prints(RUN)[0]["documents"] == 10_000
    assert runs.print_to_file(RUN, 1, path).bytes == len(pdf.content)
    assert [row["toPage"] for row in runs.print_index(RUN, 1)] == [3]
    assert runs.manifest_to_file(RUN, path).path == path
    assert [run["state"] for run in runs.follow(RUN)] == ["done"]
    assert [run["state"] for run in runs.watch(RUN)][-1] == "done"
    teams = identities.list()["teams"]
    assert identities.sync({"teams": teams, "full": False})["teams"]["created"] == 1
    client.close()
    return OPERATIONS


if __name__ == "__main__":
    print(json.dumps(everything(*sys.argv[1:])))
