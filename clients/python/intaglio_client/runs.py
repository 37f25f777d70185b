"""Large jobs inside the service, one document for each row."""

import base64
import hashlib
import uuid
from typing import Any, Dict, Iterator, List, Literal, Optional, Sequence, TypedDict, Union

from .files import ZIP, Path, WrittenFile, writing
from .transport import Cancel, Sending, Transport, parse_json
from .types import (
    CreateRunRequest,
    FieldError,
    Run,
    RunPart,
    RunPrint,
    RunWithParts,
    StartRunRequest,
)

RowOutcome = Literal[
    "pending", "stored", "invalid", "failed", "identical", "withdrawn", "refused"
]
ExceptionOutcome = Literal["invalid", "failed", "identical", "refused", "withdrawn"]
RowFormat = Literal["ndjson", "csv"]

# Runs fetched by one request.
_PAGE_RUNS = 100
_TYPES = {"ndjson": "application/x-ndjson", "csv": "text/csv"}


class _ManifestRow(TypedDict):
    # Id of the row.
    row: str
    outcome: RowOutcome


class ManifestRow(_ManifestRow, total=False):
    """Outcome of a row of a run, as its manifest has it."""

    # For stored rows, like the next three.
    documentId: str
    sha256: str
    pages: int
    bytes: int
    # For rows that are invalid or failed, like the next two.
    code: str
    message: str
    fields: List[FieldError]
    # Where the row stands: its part, and its line in the file. Older runs have no line.
    part: int
    line: int


class RunRowAddress(TypedDict):
    """A row by its part and line, both from 1."""

    part: int
    line: int


class _RunException(RunRowAddress):
    outcome: ExceptionOutcome
    # Empty where the row has none.
    rowId: str
    # None: the row cannot be read, or its part is not stored any more.
    data: Optional[Dict[str, Any]]
    # Cells beyond the header.
    extra: List[str]
    # The row as uploaded, if it does not fit the columns; otherwise empty.
    text: str


class RunException(_RunException, total=False):
    """A row that is invalid, failed, identical to another, refused or withdrawn, with its data."""

    code: str
    message: str
    fields: List[FieldError]


class PrintIndexRow(TypedDict):
    """Pages of one document in a merged print file, counted from 1."""

    # Id of the row.
    row: str
    documentId: str
    fromPage: int
    toPage: int


class Runs:
    """Large jobs inside the service, one document for each row."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        body: CreateRunRequest,
        *,
        idempotency_key: Optional[str] = None,
        cancel: Optional[Cancel] = None,
    ) -> Run:
        """Makes a run that accepts rows, once however often the call is repeated."""
        headers = {"Idempotency-Key": idempotency_key or str(uuid.uuid4())}
        sending = Sending("createRun", headers=headers, body=body, cancel=cancel)
        return self._transport.json(sending)

    def list(self, *, cancel: Optional[Cancel] = None) -> List[Run]:
        """The last 100 runs of the team, newest first."""
        return self._transport.json(Sending("listRuns", cancel=cancel))["runs"]

    def list_all(self, *, cancel: Optional[Cancel] = None) -> Iterator[Run]:
        """All runs of the team, newest first."""
        after: Optional[str] = None
        while True:
            query = {"limit": _PAGE_RUNS, "after": after}
            page = self._transport.json(Sending("listRuns", query=query, cancel=cancel))
            yield from page["runs"]
            after = page.get("next")
            if after is None:
                return

    def get(self, run_id: str, *, cancel: Optional[Cancel] = None) -> RunWithParts:
        """A run with its progress, totals and parts."""
        return self._transport.json(Sending("getRun", (run_id,), cancel=cancel))

    def put_part(
        self,
        run_id: str,
        part: int,
        rows: Union[str, bytes],
        *,
        row_format: RowFormat = "ndjson",
        first_line: Optional[int] = None,
        cancel: Optional[Cancel] = None,
    ) -> RunPart:
        """Uploads part `part`, from 1, of at most 16 MB. The same part again changes nothing.
        `first_line`: of a piece of a larger file, the line on which its rows begin."""
        body = rows.encode() if isinstance(rows, str) else rows
        digest = base64.b64encode(hashlib.sha256(body).digest()).decode()
        headers = {
            "Content-Type": _TYPES[row_format],
            "Content-Digest": f"sha-256=:{digest}:",
        }
        places = (run_id, part)
        query = {"firstLine": first_line}
        sending = Sending(
            "putRunPart", places, query=query, headers=headers, body=body, cancel=cancel
        )
        return self._transport.json(sending)

    def start(
        self, run_id: str, *, dry_run: bool = False, cancel: Optional[Cancel] = None
    ) -> Run:
        """Checks all rows, then makes the documents; with `dry_run` it checks them alone."""
        body: StartRunRequest = {"dryRun": dry_run}
        return self._move("startRun", run_id, body, cancel)

    def pause(self, run_id: str, *, cancel: Optional[Cancel] = None) -> Run:
        """Pauses after the chunks in progress."""
        return self._move("pauseRun", run_id, {}, cancel)

    def resume(self, run_id: str, *, cancel: Optional[Cancel] = None) -> Run:
        """Goes on with a run that was paused."""
        return self._move("resumeRun", run_id, {}, cancel)

    def cancel(self, run_id: str, *, cancel: Optional[Cancel] = None) -> Run:
        """Nothing more is stored; stored documents stay."""
        return self._move("cancelRun", run_id, {}, cancel)

    def follow(self, run_id: str, *, cancel: Optional[Cancel] = None) -> Iterator[Run]:
        """The run whenever it changes, and last when it is neither checked nor run nor paused. The
        service ends this after an hour: ask again until the state is an end."""
        for line in self._transport.lines(Sending("followRun", (run_id,), cancel=cancel)):
            if line.startswith("data: "):
                yield parse_json(line[len("data: ") :])

    def manifest(
        self,
        run_id: str,
        *,
        outcome: Optional[RowOutcome] = None,
        cancel: Optional[Cancel] = None,
    ) -> Iterator[ManifestRow]:
        """Outcome of each row, in the order of parts and rows."""
        query = {"outcome": outcome}
        return self._rows(Sending("getRunManifest", (run_id,), query=query, cancel=cancel))

    def exceptions(
        self,
        run_id: str,
        *,
        outcome: Optional[ExceptionOutcome] = None,
        cancel: Optional[Cancel] = None,
    ) -> Iterator[RunException]:
        """Rows that are invalid or failed, or have another outcome that needs an eye, with their
        data. A row that is uploaded with the members `#part` and `#line` takes the place of such a
        row."""
        after: Optional[str] = None
        while True:
            query = {"outcome": outcome, "after": after, "limit": _PAGE_RUNS}
            sending = Sending("listRunExceptions", (run_id,), query=query, cancel=cancel)
            page = self._transport.json(sending)
            yield from page["rows"]
            after = page.get("next")
            if after is None:
                return

    def withdraw(
        self,
        run_id: str,
        rows: Sequence[RunRowAddress],
        *,
        cancel: Optional[Cancel] = None,
    ) -> Run:
        """Takes invalid and failed rows out of the run."""
        body = {"rows": [dict(row) for row in rows]}
        return self._move("withdrawRunRows", run_id, body, cancel)

    def zip_to_file(
        self, run_id: str, path: Path, *, cancel: Optional[Cancel] = None
    ) -> WrittenFile:
        """All stored documents as one ZIP archive."""
        sending = Sending("getRunZip", (run_id,), cancel=cancel)
        return self._transport.send(sending, writing(path, ZIP))

    def prints(self, run_id: str, *, cancel: Optional[Cancel] = None) -> List[RunPrint]:
        """The merged print files that are finished."""
        return self._transport.json(Sending("listRunPrints", (run_id,), cancel=cancel))["prints"]

    def print_to_file(
        self, run_id: str, number: int, path: Path, *, cancel: Optional[Cancel] = None
    ) -> WrittenFile:
        """Writes merged print file `number`, from 1."""
        sending = Sending("getRunPrint", (run_id, number), cancel=cancel)
        return self._transport.send(sending, writing(path))

    def print_index(
        self, run_id: str, number: int, *, cancel: Optional[Cancel] = None
    ) -> Iterator[PrintIndexRow]:
        """Which pages of a print file belong to which document, in the order of the pages."""
        return self._rows(Sending("getRunPrintIndex", (run_id, number), cancel=cancel))

    def _move(self, operation: str, run_id: str, body: Any, cancel: Optional[Cancel]) -> Run:
        return self._transport.json(Sending(operation, (run_id,), body=body, cancel=cancel))

    def _rows(self, sending: Sending) -> Iterator[Any]:
        for line in self._transport.lines(sending):
            if line:
                yield parse_json(line)
