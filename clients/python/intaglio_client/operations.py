"""Every operation that an API key reaches, by its operationId in the service's /openapi.json."""

from typing import Dict, Sequence, Tuple, Union
from urllib.parse import quote

from .arguments import place_of

OPERATIONS: Dict[str, str] = {
    "generateDocument": "POST /v1/generate",
    "getFieldContract": "GET /v1/templates/{id}/fields",
    "getDataSchema": "GET /v1/templates/{id}/schema",
    "getDocument": "GET /v1/documents/{id}",
    "getFile": "GET /v1/files/{token}",
    "verifyFile": "POST /v1/verify",
    "createRun": "POST /v1/runs",
    "listRuns": "GET /v1/runs",
    "getRun": "GET /v1/runs/{id}",
    "startRun": "POST /v1/runs/{id}/start",
    "resumeRun": "POST /v1/runs/{id}/resume",
    "pauseRun": "POST /v1/runs/{id}/pause",
    "cancelRun": "POST /v1/runs/{id}/cancel",
    "putRunPart": "PUT /v1/runs/{id}/parts/{n}",
    "getRunManifest": "GET /v1/runs/{id}/manifest",
    "getRunZip": "GET /v1/runs/{id}/zip",
    "listRunExceptions": "GET /v1/runs/{id}/exceptions",
    "withdrawRunRows": "POST /v1/runs/{id}/withdraw",
    "listRunPrints": "GET /v1/runs/{id}/prints",
    "getRunPrint": "GET /v1/runs/{id}/prints/{n}",
    "getRunPrintIndex": "GET /v1/runs/{id}/prints/{n}/index",
    "followRun": "GET /v1/runs/{id}/events",
    "listIdentities": "GET /v1/sync/identities",
    "syncIdentities": "POST /v1/sync/identities",
}


# Those that count against the rate limit of the key.
COUNTED = ("generateDocument", "createRun", "startRun")
# What fills a path, as the methods call it, by what stands before it.
_ARGUMENTS = {
    "documents": "document_id",
    "templates": "template_id",
    "runs": "run_id",
    "parts": "part",
    "prints": "number",
}


def path_to(operation: str, places: Sequence[Union[str, int]]) -> Tuple[str, str]:
    """Method and path of an operation, `places` filled into the path in their order."""
    method, path = OPERATIONS[operation].split(" ")
    for place in places:
        start, end = path.index("{"), path.index("}")
        argument = _ARGUMENTS[path[:start].split("/")[-2]]
        path = path[:start] + quote(place_of(argument, place), safe="") + path[end + 1 :]
    return method, path
