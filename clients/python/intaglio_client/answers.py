"""Answers whose bodies are still to be read."""

import json
import re
from math import isfinite
from typing import Any, Iterator, List, Mapping, NoReturn, Union

from .errors import BadAnswerError
from .wire import CHUNK_BYTES, Broken, Head, Wire, body_length

# Longest JSON body: no answer of the service is as long.
JSON_BYTES_MAX = 64 * 1024**2
# Longest body of a refusal; the service's own have a few KB.
REFUSAL_BYTES_MAX = 1024**2
# Longest line of a text: a row of 1 MB has some 6 MB when all of it is escaped.
LINE_BYTES_MAX = 16 * 1024**2
# Longest line with the size of a chunk, and most bytes of headers behind the body.
_CHUNK_LINE_MAX = 4_096
_TRAILER_BYTES_MAX = 65_536
# What members of records look like.
TEXT = re.compile(r"[\s\S]*")
UUID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
SHA256 = re.compile(r"[0-9a-f]{64}")
LINK = re.compile(r"https?://[!-~]+")
# Statuses of records.
_RECORDED = (200, 201, 202)
# Media type of a list whose rows are lines of JSON.
NDJSON = "application/x-ndjson"
# Members that each row of such a list has, and their types.
_MANIFEST: Mapping[str, type] = {"row": str, "outcome": str, "part": int}
_PRINT_INDEX: Mapping[str, type] = {"row": str, "documentId": str, "fromPage": int, "toPage": int}
ROWS = {"getRunManifest": _MANIFEST, "getRunPrintIndex": _PRINT_INDEX}


class Answer:
    """A successful answer whose body is still to be read."""

    def __init__(self, wire: Wire, head: Head) -> None:
        self._wire = wire
        self._in_chunks, self._length = body_length(head)
        self._keeps = head.keeps
        self._is_read = False
        self.header = head.header
        self.status = head.status
        # 206, for example, is a part of a file, for which nobody asked.
        self.has_whole_status = head.status == 200
        self.request_id = head.header("X-Request-Id")
        self.etag = head.header("ETag")
        self.content_type = head.header("Content-Type").split(";")[0].strip().lower()

    @property
    def reusable(self) -> bool:
        """Whether the connection can take another request: the body was read to its end."""
        return self._is_read and self._keeps and self._wire.empty

    def chunks(self) -> Iterator[bytes]:
        """The body as it comes. Raises Broken when it breaks off."""
        if self._in_chunks:
            yield from self._chunked()
        elif self._length is None:
            while piece := self._wire.read(CHUNK_BYTES):
                yield piece
            # Such a body ends with its connection.
            self._keeps = False
        else:
            yield from self._pieces(self._length)
        self._is_read = True

    def _pieces(self, length: int) -> Iterator[bytes]:
        while length > 0:
            piece = self._wire.read(min(length, CHUNK_BYTES))
            if not piece:
                raise Broken("the connection was closed before the answer was whole")
            length -= len(piece)
            yield piece

    def _chunked(self) -> Iterator[bytes]:
        """RFC 9112, 7.1."""
        while True:
            line = self._wire.line(_CHUNK_LINE_MAX)
            size = re.fullmatch(rb"([0-9A-Fa-f]{1,16})[ \t]*(?:;.*)?", line)
            if size is None:
                raise Broken("the answer is no HTTP: a chunk has no size")
            length = int(size[1], 16)
            if length == 0:
                break
            yield from self._pieces(length)
            if self._wire.line(_CHUNK_LINE_MAX):
                raise Broken("the answer is no HTTP: a chunk is longer than its size")
        left = _TRAILER_BYTES_MAX
        while line := self._wire.line(_CHUNK_LINE_MAX):
            left -= len(line)
            if left < 0:
                raise Broken("the answer is no HTTP: too much follows its body")

    def read(self) -> bytes:
        """The whole body of a record."""
        if self.status not in _RECORDED:
            raise BadAnswerError(f"the answer is no record: status {self.status}")
        pieces: List[bytes] = []
        count = 0
        for chunk in self.chunks():
            count += len(chunk)
            if count > JSON_BYTES_MAX:
                raise BadAnswerError("the answer is longer than any of the service")
            pieces.append(chunk)
        return b"".join(pieces)

    def refusal(self) -> bytes:
        """The body of a refusal; empty when it is longer than any of the service."""
        pieces: List[bytes] = []
        count = 0
        for chunk in self.chunks():
            count += len(chunk)
            if count > REFUSAL_BYTES_MAX:
                self._keeps = False
                return b""
            pieces.append(chunk)
        return b"".join(pieces)


def parse_json(text: Union[str, bytes]) -> Any:
    """A record of the service. Raises BadAnswerError, whose message repeats nothing of the text."""
    value: Any = None
    try:
        # UTF-8 alone, which json.loads does not insist on.
        value = json.loads(
            text.decode() if isinstance(text, bytes) else text,
            parse_float=_float,
            parse_int=_int,
            parse_constant=_refuse,
        )
    except (ValueError, RecursionError):
        pass  # Outside of the handler, the error below has no context that would hold the text.
    # All bodies of the service are objects.
    if isinstance(value, dict):
        return value
    raise BadAnswerError("the answer is no JSON of the service; does a proxy answer?")


def _float(text: str) -> float:
    value = float(text)
    return value if isfinite(value) else _refuse(text)


def _int(text: str) -> int:
    if len(text) > 308:
        _float(text)
    return int(text)


def _refuse(text: str) -> NoReturn:
    """NaN and the infinite are no JSON."""
    raise ValueError


def parse_row(line: str, members: Mapping[str, type]) -> Any:
    """A row of a list. Raises BadAnswerError for what is none."""
    row = parse_json(line)
    for name, kind in members.items():
        value = row.get(name)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise BadAnswerError(f"a row of the answer has no member {name}; does a proxy answer?")
    return row


def record_with(record: Any, **shapes: "re.Pattern[str]") -> Any:
    """A record whose members are texts of these shapes. Raises BadAnswerError for another one, such as
    that of a proxy."""
    for name, shape in shapes.items():
        value = record.get(name) if isinstance(record, dict) else None
        if not isinstance(value, str) or shape.fullmatch(value) is None:
            raise BadAnswerError("the answer is no record of the service; does a proxy answer?")
    return record


class Lines:
    """Cuts a body that comes in pieces into lines."""

    def __init__(self) -> None:
        self._pieces: List[bytes] = []
        self._count = 0

    def of(self, chunk: bytes) -> Iterator[str]:
        """The lines that end in this piece of the body."""
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            self._keep(piece)
            yield self._take()
        self._keep(rest)

    @property
    def ended(self) -> bool:
        """Whether the last line has its end."""
        return self._count == 0

    def _keep(self, piece: bytes) -> None:
        self._count += len(piece)
        if self._count > LINE_BYTES_MAX:
            raise BadAnswerError("a line of the answer is longer than any of the service")
        if piece:
            self._pieces.append(piece)

    def _take(self) -> str:
        line = b"".join(self._pieces)
        self._pieces = []
        self._count = 0
        try:
            return line.decode()
        except UnicodeDecodeError:
            pass  # As in parse_json.
        raise BadAnswerError("a line of the answer is no text in UTF-8; does a proxy answer?")


def cut_off() -> BadAnswerError:
    """The error of a list whose last line has no end."""
    return BadAnswerError("the list was cut off within a line")
