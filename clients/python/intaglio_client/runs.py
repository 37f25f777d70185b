"""Large jobs inside the service, one document for each row."""

import base64
import gzip
import hashlib
import uuid
from dataclasses import dataclass, replace
from typing import Any, Dict, Iterator, List, Literal, Optional, Sequence, Set, Tuple, TypedDict, Union

from .answers import ROWS, SHA256, TEXT, parse_json, parse_row, record_with
from .arguments import Path, entries_of, idempotency_key_of, mapping_of, path_of, rows_of
from .cancel import Cancel
from .errors import BadAnswerError, FileError, InvalidArgumentError, NoAnswerError, ServiceError
from .files import CSV, MANIFEST, PRINT, ZIP, WrittenFile, writing
from .rows import parts_of
from .transport import Sending, Transport
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

# Entries fetched by one request.
_PAGE = 100
# Seconds between two looks at a run whose events do not come.
_POLL = 1.0
_UNDER_WAY = ("checking", "running", "paused")
_TYPES = {"ndjson": "application/x-ndjson", "csv": "text/csv"}


@dataclass(frozen=True)
class Uploaded:
    """What an upload sent."""

    # Parts that were sent.
    sent: int
    # Parts of the file that the run had before.
    skipped: int
    # Parts that the run had before and that are none of this file.
    others: int


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
        key = str(uuid.uuid4()) if idempotency_key is None else idempotency_key_of(idempotency_key)
        headers = {"Idempotency-Key": key}
        sending = Sending(
            "createRun", headers=headers, body=mapping_of("body", body), cancel=cancel
        )
        run: Run = _run(self._transport.json(sending))
        return run

    def list(self, *, cancel: Optional[Cancel] = None) -> List[Run]:
        """The last 100 runs of the team, newest first."""
        return _list_of(self._transport.json(Sending("listRuns", cancel=cancel)), "runs")

    def list_all(self, *, cancel: Optional[Cancel] = None) -> Iterator[Run]:
        """All runs of the team, newest first."""
        return self._pages(Sending("listRuns", query={"limit": _PAGE}, cancel=cancel), "runs")

    def get(self, run_id: str, *, cancel: Optional[Cancel] = None) -> RunWithParts:
        """A run with its progress, totals and parts."""
        run: RunWithParts = _run(self._transport.json(Sending("getRun", (run_id,), cancel=cancel)))
        return run

    def parts(self, run_id: str, *, cancel: Optional[Cancel] = None) -> Iterator[RunPart]:
        """All parts of a run, in the order of their numbers."""
        return self._pages(Sending("getRun", (run_id,), cancel=cancel), "parts", "nextPart")

    def upload(
        self,
        run_id: str,
        path: Path,
        *,
        row_format: RowFormat = "ndjson",
        cancel: Optional[Cancel] = None,
    ) -> Uploaded:
        """Uploads a file of rows in UTF-8, in parts. After an interruption, call it again: parts that
        the run has are skipped. Raises FileError when the file cannot be read, and, before it sends
        anything, when the parts of the run show that the file was changed since its upload began."""
        name = path_of(path)
        is_csv = _type_of(row_format) == _TYPES["csv"]
        known, lengths = self._digests(run_id, cancel)
        own = _digests_of(name, is_csv, known, lengths) if known else []
        _refuse_changed(name, own, known)
        number = max(known.values(), default=0)
        sent = skipped = 0
        for rows, line in parts_of(name, is_csv):
            if hashlib.sha256(rows).hexdigest() in known:
                skipped += 1
                continue
            number += 1
            self.put_part(
                run_id,
                number,
                rows,
                row_format=row_format,
                first_line=line,
                gzip_rows=True,
                cancel=cancel,
            )
            sent += 1
        return Uploaded(sent, skipped, len(known.keys() - set(own)))

    def put_part(
        self,
        run_id: str,
        part: int,
        rows: Union[str, bytes],
        *,
        row_format: RowFormat = "ndjson",
        first_line: Optional[int] = None,
        gzip_rows: bool = False,
        cancel: Optional[Cancel] = None,
    ) -> RunPart:
        """Uploads part `part`, from 1, of at most 16 MB. The same part again changes nothing.
        `first_line`: of a piece of a larger file, the line on which its rows begin. `gzip_rows`: they
        are packed on their way."""
        body = rows_of(rows)
        if gzip_rows:
            body = gzip.compress(body, 1)
        digest = base64.b64encode(hashlib.sha256(body).digest()).decode()
        headers = {
            "Content-Type": _type_of(row_format),
            "Content-Digest": f"sha-256=:{digest}:",
            **({"Content-Encoding": "gzip"} if gzip_rows else {}),
        }
        places = (run_id, part)
        query = {"firstLine": first_line}
        sending = Sending(
            "putRunPart", places, query=query, headers=headers, body=body, cancel=cancel
        )
        made: RunPart = record_with(self._transport.json(sending), sha256=SHA256)
        return made

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
        return self._events(Sending("followRun", (run_id,), cancel=cancel))

    def watch(
        self, run_id: str, *, cancel: Optional[Cancel] = None
    ) -> Iterator[Union[Run, RunWithParts]]:
        """The run now and whenever it changes, until it ends; a run that has not been started is
        waited for. A connection that breaks, and a service that restarts, are survived."""
        self._transport.check(Sending("getRun", (run_id,), cancel=cancel))
        return self._watched(run_id, cancel)

    def _watched(
        self, run_id: str, cancel: Optional[Cancel]
    ) -> Iterator[Union[Run, RunWithParts]]:
        events = True
        while True:
            run = self.get(run_id, cancel=cancel)
            yield run
            if run["state"] not in _UNDER_WAY and not _is_unstarted(run):
                return
            if events and run["state"] in _UNDER_WAY:
                try:
                    opened = Sending("followRun", (run_id,), cancel=cancel, once=True)
                    for changed in self._events(opened):
                        yield changed
                        if changed["state"] not in _UNDER_WAY:
                            return
                except ServiceError:
                    # A proxy may let no events through: then the run is asked for.
                    events = False
                except NoAnswerError:
                    pass  # It was cut: the run is asked for, and its events again.
            self._transport.pause(_POLL, cancel)

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

    def manifest_to_file(
        self,
        run_id: str,
        path: Path,
        *,
        outcome: Optional[RowOutcome] = None,
        cancel: Optional[Cancel] = None,
    ) -> WrittenFile:
        """As `manifest`, written to a file as lines of JSON."""
        query = {"outcome": outcome}
        sending = Sending("getRunManifest", (run_id,), query=query, cancel=cancel)
        return self._transport.send(sending, writing(path, MANIFEST))

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
        query = {"outcome": outcome, "limit": _PAGE}
        sending = Sending("listRunExceptions", (run_id,), query=query, cancel=cancel)
        return self._pages(sending, "rows")

    def exceptions_to_file(
        self, run_id: str, path: Path, *, cancel: Optional[Cancel] = None
    ) -> WrittenFile:
        """Invalid and failed rows as CSV for a spreadsheet; rows corrected there can be uploaded."""
        query = {"format": "csv"}
        sending = Sending("listRunExceptions", (run_id,), query=query, cancel=cancel)
        return self._transport.send(sending, writing(path, CSV))

    def withdraw(
        self,
        run_id: str,
        rows: Sequence[RunRowAddress],
        *,
        cancel: Optional[Cancel] = None,
    ) -> Run:
        """Takes invalid and failed rows out of the run."""
        body = {"rows": [dict(row) for row in entries_of("rows", rows)]}
        return self._move("withdrawRunRows", run_id, body, cancel)

    def zip_to_file(
        self, run_id: str, path: Path, *, cancel: Optional[Cancel] = None
    ) -> WrittenFile:
        """All stored documents as one ZIP archive."""
        sending = Sending("getRunZip", (run_id,), cancel=cancel)
        return self._transport.send(sending, writing(path, ZIP))

    def prints(self, run_id: str, *, cancel: Optional[Cancel] = None) -> List[RunPrint]:
        """The merged print files that are finished."""
        query = {"limit": _PAGE}
        sending = Sending("listRunPrints", (run_id,), query=query, cancel=cancel)
        return [*self._pages(sending, "prints")]

    def print_to_file(
        self, run_id: str, number: int, path: Path, *, cancel: Optional[Cancel] = None
    ) -> WrittenFile:
        """Writes merged print file `number`, from 1."""
        sending = Sending("getRunPrint", (run_id, number), cancel=cancel)
        return self._transport.send(sending, writing(path, PRINT))

    def print_index(
        self, run_id: str, number: int, *, cancel: Optional[Cancel] = None
    ) -> Iterator[PrintIndexRow]:
        """Which pages of a print file belong to which document, in the order of the pages."""
        return self._rows(Sending("getRunPrintIndex", (run_id, number), cancel=cancel))

    def _move(self, operation: str, run_id: str, body: Any, cancel: Optional[Cancel]) -> Run:
        sending = Sending(operation, (run_id,), body=body, cancel=cancel)
        run: Run = _run(self._transport.json(sending))
        return run

    def _digests(
        self, run_id: str, cancel: Optional[Cancel]
    ) -> Tuple[Dict[str, int], Set[int]]:
        """The numbers of the parts that the run has, by their digests, and their lengths."""
        known: Dict[str, int] = {}
        lengths: Set[int] = set()
        for part in self.parts(run_id, cancel=cancel):
            number = record_with(part, sha256=SHA256).get("part")
            if not isinstance(number, int):
                raise BadAnswerError("the answer is no part of a run; does a proxy answer?")
            known[part["sha256"]] = number
            length = part.get("bytes")
            if isinstance(length, int) and length > 0:
                lengths.add(length)
        return known, lengths

    def _events(self, sending: Sending) -> Iterator[Run]:
        # What cannot be sent is refused at the call, not when the first run is asked for.
        self._transport.check(sending)
        return self._followed(sending)

    def _followed(self, sending: Sending) -> Iterator[Run]:
        """Server-sent events, each with a run in one line (HTML Living Standard, 9.2.6)."""
        for line in self._transport.lines(sending):
            if line.startswith("data: "):
                yield _run(parse_json(line[len("data: ") :]))

    def _pages(self, sending: Sending, member: str, following: str = "next") -> Iterator[Any]:
        self._transport.check(sending)
        return self._paged(sending, member, following)

    def _paged(self, sending: Sending, member: str, following: str) -> Iterator[Any]:
        """The entries of a list that comes in pages."""
        after: Union[str, int, None] = None
        while True:
            query = {**sending.query, "after": after}
            page = self._transport.json(replace(sending, query=query))
            yield from _list_of(page, member)
            last, after = after, page.get(following)
            if after is None:
                return
            if after == last or not isinstance(after, (str, int)):
                raise BadAnswerError("the answer is no page of the service; does a proxy answer?")

    def _rows(self, sending: Sending) -> Iterator[Any]:
        self._transport.check(sending)
        return self._read(sending)

    def _read(self, sending: Sending) -> Iterator[Any]:
        for line in self._transport.lines(sending):
            yield parse_row(line, ROWS[sending.operation])


def _list_of(page: Any, member: str) -> List[Any]:
    """The entries of a list. Raises BadAnswerError for what is none, such as a proxy's JSON."""
    value = page.get(member) if isinstance(page, dict) else None
    if isinstance(value, list):
        return value
    raise BadAnswerError("the answer is no list of the service; does a proxy answer?")


def _run(record: Any) -> Any:
    """A run. Raises BadAnswerError for what is none, such as a proxy's JSON."""
    counts = record_with(record, runId=TEXT, state=TEXT).get("counts")
    numbers = counts if isinstance(counts, dict) else {}
    if not all(isinstance(numbers.get(name), int) for name in ("bytesChecked", "bytesReceived")):
        raise BadAnswerError("the answer is no run of the service; does a proxy answer?")
    if not isinstance(record.get("dryRun"), bool):
        raise BadAnswerError("the answer is no run of the service; does a proxy answer?")
    return record


def _type_of(row_format: str) -> str:
    media_type = _TYPES.get(row_format) if isinstance(row_format, str) else None
    if media_type is None:
        raise InvalidArgumentError("row_format", "must be ndjson or csv")
    return media_type


def _digests_of(
    path: str, is_csv: bool, known: Dict[str, int], lengths: Set[int]
) -> List[str]:
    """The SHA-256 of each part of a file. Raises FileError when a part begins with a whole part of the
    run: rows were added behind it since."""
    digests: List[str] = []
    for rows, _ in parts_of(path, is_csv):
        digest = hashlib.sha256(rows).hexdigest()
        digests.append(digest)
        if digest not in known:
            header = rows.find(b"\n") + 1 if is_csv else 0
            _refuse_longer(path, rows, known, {length for length in lengths if length > header})
    return digests


def _refuse_longer(path: str, rows: bytes, known: Dict[str, int], lengths: Set[int]) -> None:
    # Each byte is read once, however many parts the run has.
    begun, at = hashlib.sha256(), 0
    for length in sorted(length for length in lengths if length < len(rows)):
        begun.update(memoryview(rows)[at:length])
        at = length
        number = known.get(begun.hexdigest())
        if number is not None:
            raise _changed(path, f"it goes on behind the rows of part {number} of the run")


def _changed(path: str, why: str) -> FileError:
    advice = "Cancel the run and upload the file to a new one"
    return FileError(path, f"was changed since its upload began: {why}. {advice}")


def _refuse_changed(path: str, own: List[str], known: Dict[str, int]) -> None:
    """An upload numbers the parts of a file one after the other. A part that the run lacks, although it
    has parts of the file, may therefore not have its number taken: other rows were there."""
    numbers = set(known.values())
    begins = [known[digest] - index for index, digest in enumerate(own) if digest in known]
    for index, digest in enumerate(own):
        if digest not in known and begins and begins[0] + index in numbers:
            raise _changed(path, f"part {begins[0] + index} of the run has other rows")


def _is_unstarted(run: RunWithParts) -> bool:
    """Whether the run waits for a start. A dry run that has ended is in the same state, with every
    byte checked; rows that were uploaded since are not."""
    counts = run["counts"]
    checked = run["dryRun"] and counts["bytesChecked"] == counts["bytesReceived"]
    return run["state"] == "receiving" and not checked
