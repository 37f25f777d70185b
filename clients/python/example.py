"""Makes a letter in both modes, fetches the stored one and verifies it:
URL=http://127.0.0.1:8080 KEY=ik_... python3 example.py"""

import os

from intaglio_client import Cancel, Intaglio, InvalidDataError

with Intaglio(os.environ["URL"], os.environ["KEY"]) as intaglio:
    names = [field["name"] for field in intaglio.field_contract("letter")["fields"]]
    print("letter takes", ", ".join(names))

    data = {"customer": "Somchai Jaidee", "total": "1250.50", "issued": "2026-11-22"}
    made = intaglio.generate_to_file("letter", data, "letter.pdf")
    print("letter.pdf has", made.bytes, "bytes")

    stored = intaglio.store(
        "letter",
        data,
        version=1,
        options={"metadata": {"title": "Letter 42"}},
        idempotency_key="letter-2026-0046",
        cancel=Cancel(timeout=60),
    )
    file = intaglio.download_to_file(stored["documentId"], "stored.pdf")
    issued = intaglio.verify(file.sha256)["issued"]
    print("stored.pdf", "was" if issued else "was not", "issued by the service")

    try:
        intaglio.generate("letter", {"total": "1,250.50"})
    except InvalidDataError as error:
        for fault in error.fields:
            print(f"{fault['field']}: {fault['reason']}")
