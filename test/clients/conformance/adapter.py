"""The calls of the table, made by the client for Python: tasks come in and results go out as JSON."""

import json
import os
import ssl
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from intaglio_client import (
    Cancel,
    Cancelled,
    DigestError,
    Intaglio,
    IntaglioError,
    NoAnswerError,
    ServiceError,
)

KEY = "ik_of-a-test"
PDF_SHA256 = "81eba1b1345f67aaafce0c48927a97cf0aff603af56370b05dad154ff3d9f816"
DATA = {"customer": "a secret"}
TASKS_AT_A_TIME = 8


def run(task):
    options, calls, folder = task["options"], task["calls"], task["folder"]
    given = {
        "tries_max": options.get("triesMax"),
        "silence_max": seconds(options.get("silenceMs")),
        "retry_max": seconds(options.get("retryMs")),
        "connections_max": options.get("requestsMax"),
    }
    given = {name: value for name, value in given.items() if value is not None}
    if task["proxy"] is not None:
        given["proxy"], given["no_proxy"] = task["proxy"]["url"], task["proxy"]["direct"]
    if task["certificates"] is not None:
        given["context"] = context(task["certificates"], options["certificate"] == "own")
    start = time.monotonic()
    with Intaglio(task["url"], KEY, **given) as client:
        make = lambda call: told(client, call, task)  # noqa: E731
        if task["isParallel"]:
            with ThreadPoolExecutor(len(calls)) as threads:
                results = list(threads.map(make, calls))
        else:
            results = [make(call) for call in calls]
    took = (time.monotonic() - start) * 1000
    left = sorted(os.listdir(folder))
    mode = f"{os.stat(os.path.join(folder, left[-1])).st_mode & 0o777:o}" if left else None
    return {
        "name": task["name"],
        "results": results,
        "tookMs": took,
        "left": left,
        "mode": mode,
    }


def context(keys, owned):
    made = ssl.create_default_context(cafile=os.path.join(keys, "ca.pem"))
    if owned:
        made.load_cert_chain(os.path.join(keys, "client.pem"), os.path.join(keys, "client.key"))
    return made


def seconds(ms):
    return None if ms is None else ms / 1000


def told(client, call, task):
    """The result of a call, or what its error tells; one that is not of the package keeps its name."""
    options = task["options"]
    cancel = Cancel(seconds(options.get("limitMs")))
    timer = threading.Timer(options.get("cancelMs", 0) / 1000, cancel.cancel)
    timer.daemon = True
    if "cancelMs" in options:
        timer.start()
    try:
        return {"error": None, **perform(client, call, task, cancel)}
    except Exception as error:  # Every error is a result.
        text = f"{error}\n{error!r}\n{error.__context__!r}"
        told = {"text": text, "message": str(error)}
        if not isinstance(error, IntaglioError):
            return {"error": type(error).__name__, **told}
        name = type(error).__name__
        kind = name[: -len("Error")] if name.endswith("Error") else name
        return {"error": kind, **told, **members(error)}
    finally:
        timer.cancel()


def members(error):
    if isinstance(error, NoAnswerError):
        return {"tries": error.tries}
    if isinstance(error, DigestError):
        return {"sha256": error.actual}
    if not isinstance(error, ServiceError):
        return {}
    made = {
        "status": error.status,
        "code": error.code,
        "requestId": error.request_id,
        "fields": error.fields,
    }
    if error.retry_after is not None:
        made["retryAfterMs"] = int(error.retry_after * 1000)
    return made


def written(file):
    return {"sha256": file.sha256, "verified": getattr(file, "verified", None)}


AROUND = []
AROUND.append(AROUND)
# Mistakes of a program: each is to be named before anything is sent.
MISTAKES = {
    "loneSurrogate": lambda client, path: client.generate("receipt", {"customer": "\ud800"}),
    "circular": lambda client, path: client.generate("receipt", {"a": AROUND}),
    "nulPath": lambda client, path: client.download_to_file("d", path + "\0"),
    "nulId": lambda client, path: client.document("d\0"),
    "noId": lambda client, path: client.document(""),
    "dotId": lambda client, path: client.document(".."),
    "nullKey": lambda client, path: Intaglio("http://127.0.0.1:9", None).document("d"),
    "noReference": lambda client, path: client.verify_reference(""),
    "oddDigest": lambda client, path: client.download_to_file("d", path, sha256="xyz"),
}


def perform(client, call, task, cancel):
    folder = task["folder"]
    path = os.path.join(folder, "a.pdf")
    if call == "generate":
        return {"sha256": client.generate("receipt", DATA, cancel=cancel).sha256}
    if call == "byReference":
        return {"count": len(client.verify_reference("RC-0005", cancel=cancel)["documents"])}
    if call == "toFile":
        return written(client.download_to_file("d", path, cancel=cancel))
    if call == "toGivenFile":
        return written(client.download_to_file("d", path, sha256=PDF_SHA256, cancel=cancel))
    if call == "toSureFile":
        return written(client.download_to_file("d", path, require_digest=True, cancel=cancel))
    if call in MISTAKES:
        MISTAKES[call](client, path)
        return {}
    if call == "manifestToFile":
        path = os.path.join(folder, "manifest.ndjson")
        return {"sha256": client.runs.manifest_to_file("r", path, cancel=cancel).sha256}
    if call == "exceptions":
        return {"count": sum("fields" in row for row in client.runs.exceptions("r", cancel=cancel))}
    if call == "upload":
        made = client.runs.upload("r", task["rowFile"], row_format="csv", cancel=cancel)
        return {
            "sent": made.sent,
            "skipped": made.skipped,
            "others": getattr(made, "others", None),
        }
    if call == "watch":
        *_, run = client.runs.watch("r", cancel=cancel)
        return {"state": run["state"]}
    if call == "store":
        client.store("receipt", DATA, cancel=cancel)
    elif call == "named":
        client.store("receipt", DATA, idempotency_key="mine", cancel=cancel)
    elif call == "document":
        client.document("d", cancel=cancel)
    elif call == "missing":
        client.download_to_file("d", os.path.join(folder, "none", "a.pdf"), cancel=cancel)
    elif call in ("manifest", "rows"):
        for _ in client.runs.manifest("r", cancel=cancel):
            pass
    else:
        raise NotImplementedError(call)
    return {}


if __name__ == "__main__":
    with ThreadPoolExecutor(TASKS_AT_A_TIME) as pool:
        for done in pool.map(run, json.load(sys.stdin)):
            print(json.dumps(done))
