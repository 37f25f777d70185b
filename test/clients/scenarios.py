"""What test/clients/python.test.ts has the Python client do: scenarios.py NAME URL FOLDER [PATH]."""

import json
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from decimal import Decimal

from intaglio_client import (
    OPERATIONS,
    Cancel,
    Cancelled,
    DigestError,
    Intaglio,
    IntaglioError,
    ServiceError,
)

KEY = "ik_of-a-test"
RUN = "01a1f4a2-7b00-7000-8a9d-0123456789ab"
DATA = {"customer": "a secret"}
# The length of ODD_JSON in odd-json.ts.
ODD_JSON_COUNT = 10


def everything(url, folder):
    client = Intaglio(url + "/", KEY, connections_max=1)
    runs, identities = client.runs, client.identities
    path = os.path.join(folder, "a.pdf")
    data = {"customer": "ไทย", "total": Decimal("1250.50"), "issued": date(2026, 11, 22)}
    pdf = client.generate("receipt", data, version=3, options={"watermark": {"text": "COPY"}})
    assert client.generate_to_file("receipt", data, path).sha256 == pdf.sha256
    with open(path, "rb") as file:
        assert file.read() == pdf.content
    document_id = client.store("receipt", data)["documentId"]
    assert client.field_contract("receipt", version=3)["fields"][0]["name"] == "customer"
    assert client.document(document_id)["documentId"] == document_id
    assert client.download(document_id).content == pdf.content
    assert client.download_to_file(document_id, path).bytes == len(pdf.content)
    link = url + "/v1/files/a.link"
    assert client.fetch_link(link).request_id == "a-request"
    assert client.fetch_link_to_file(link, path).path == path
    assert client.verify_file(path)["issued"]
    assert runs.create({"templateId": "receipt", "idField": "refNo"})["runId"] == RUN
    assert runs.list()[0]["runId"] == RUN
    assert [run["runId"] for run in runs.list_all()] == [RUN]
    assert runs.get(RUN)["parts"][0]["checked"]
    assert runs.put_part(RUN, 1, '{"refNo":"R-1","customer":"สมชาย"}\n')["part"] == 1
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
    assert [run["state"] for run in runs.follow(RUN)] == ["done"]
    teams = identities.list()["teams"]
    assert identities.sync({"teams": teams, "full": False})["teams"]["created"] == 1
    client.close()
    return OPERATIONS


def make(url, folder):
    """One document; what an error tells, where there is one."""
    silence = float(os.environ.get("SILENCE", "60"))
    try:
        with Intaglio(url, KEY, tries_max=4, silence_max=silence) as client:
            return {"sha256": client.generate("receipt", DATA).sha256}
    except ServiceError as error:
        told = {"code": error.code, "requestId": error.request_id, "fields": error.fields}
        return {**told, "kind": type(error).__name__, "text": str(error) + repr(error)}
    except IntaglioError as error:
        return {"kind": type(error).__name__, "text": str(error) + repr(error)}


def store(url, folder):
    with Intaglio(url, KEY) as client:
        return client.store("receipt", DATA)


def download(url, folder):
    """Twice; the names of what is left."""
    with Intaglio(url, KEY) as client:
        client.download_to_file("d", os.path.join(folder, "a.pdf"))
        try:
            client.download_to_file("d", os.path.join(folder, "b.pdf"))
        except DigestError:
            return sorted(os.listdir(folder))
    raise AssertionError("a wrong file was taken")


def odd(url, folder):
    """Until an answer is a document; the errors, and the names of what is left."""
    kinds = []
    with Intaglio(url, KEY) as client:
        while True:
            try:
                client.download_to_file("d", os.path.join(folder, "a.pdf"))
                return {"kinds": kinds, "left": sorted(os.listdir(folder))}
            except IntaglioError as error:
                assert os.listdir(folder) == []
                kinds.append(type(error).__name__)


def cancelled(url, folder):
    """While it waits for the answer, while it waits to repeat, and by its time limit."""
    count = 0
    with Intaglio(url, KEY) as client:
        for cancel in (Cancel(), Cancel(), Cancel(timeout=0.3)):
            timer = threading.Timer(0.3, cancel.cancel)
            timer.start()
            try:
                client.generate("receipt", DATA, cancel=cancel)
            except Cancelled:
                count += 1
            timer.cancel()
    return count


def many(url, folder):
    with Intaglio(url, KEY, connections_max=3) as client, ThreadPoolExecutor(8) as threads:
        made = threads.map(lambda _: client.generate("receipt", DATA).sha256, range(24))
        return len(list(made))


def odd_json(url, folder):
    """The error of each answer, and its status."""
    kinds = []
    with Intaglio(url, KEY) as client:
        for _ in range(ODD_JSON_COUNT):
            try:
                client.document("d")
                kinds.append(["no error", 0])
            except IntaglioError as error:
                status = error.status if isinstance(error, ServiceError) else 0
                kinds.append([type(error).__name__, status])
    return kinds


def endless_line(url, folder):
    with Intaglio(url, KEY) as client:
        try:
            return next(client.runs.manifest(RUN))
        except IntaglioError as error:
            return type(error).__name__


SCENARIOS = {
    one.__name__: one
    for one in (
        everything,
        make,
        store,
        download,
        odd,
        odd_json,
        endless_line,
        cancelled,
        many,
    )
}

if __name__ == "__main__":
    name, address, place = sys.argv[1:4]
    print(json.dumps(SCENARIOS[name](address, place)))
