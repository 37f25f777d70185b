"""PDFs and archives as they come in."""

import hashlib
import os
import re
import uuid
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Callable, Iterator, Union

from .errors import DigestError, FileError, NoDocumentError
from .transport import Answer

Path = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class _Kind:
    """How a file says what it is: its media type, its first bytes, and bytes near its end."""

    name: str
    type: str
    first: bytes
    last: bytes


# ISO 32000-2, 7.5.2 and 7.5.5.
PDF = _Kind("PDF", "application/pdf", b"%PDF-", b"%%EOF")
# The record that ends the directory of a ZIP archive (APPNOTE 4.3.16).
ZIP = _Kind("ZIP archive", "application/zip", b"PK", b"PK\x05\x06")
# Lines have no marks: HTTP alone tells whether they are whole.
NDJSON = _Kind("NDJSON", "application/x-ndjson", b"", b"")
CSV = _Kind("CSV", "text/csv", b"", b"")
# Longest PDF in memory; the service's have at most 64 MB.
PDF_BYTES_MAX = 128 * 1024**2
# `last` stands within this many bytes of the end.
END_BYTES = 1024


@dataclass(frozen=True)
class Pdf:
    """A PDF in memory."""

    content: bytes
    # SHA-256 in hexadecimal, computed while the file came in.
    sha256: str
    # Request id of the call that gave it.
    request_id: str


@dataclass(frozen=True)
class WrittenFile:
    """A file that was written whole."""

    path: str
    bytes: int
    # SHA-256 in hexadecimal, computed while the file came in.
    sha256: str
    # Request id of the call that gave it.
    request_id: str


def read_pdf(answer: Answer) -> Pdf:
    """Reads a PDF into memory. Raises NoDocumentError when the answer is no whole PDF, and
    DigestError when it names another digest."""
    pieces = []
    count = 0
    for chunk in _whole_file(answer, PDF):
        count += len(chunk)
        if count > PDF_BYTES_MAX:
            raise NoDocumentError("the PDF is longer than any of the service")
        pieces.append(chunk)
    content = b"".join(pieces)
    sha256 = hashlib.sha256(content).hexdigest()
    _check(answer, sha256)
    return Pdf(content, sha256, answer.request_id)


def writing(path: Path, kind: _Kind = PDF) -> Callable[[Answer], WrittenFile]:
    """Writes a body beside `path`, readable by its owner alone, and renames it when it is whole and
    has its digest, so that a reader of `path` never finds a part. A failure leaves nothing behind."""
    target = os.fspath(path)

    def write(answer: Answer) -> WrittenFile:
        partial = f"{target}.{uuid.uuid4()}.part"
        digest = hashlib.sha256()
        count = 0
        try:
            with _faults_of(target):
                file = open(partial, "xb", opener=_private)
            with file:
                for chunk in _whole_file(answer, kind):
                    digest.update(chunk)
                    count += len(chunk)
                    with _faults_of(target):
                        file.write(chunk)
                with _faults_of(target):
                    file.flush()
            sha256 = digest.hexdigest()
            _check(answer, sha256)
            with _faults_of(target):
                os.replace(partial, target)
        except BaseException:
            if os.path.exists(partial):
                os.unlink(partial)
            raise
        return WrittenFile(target, count, sha256, answer.request_id)

    return write


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


@contextmanager
def _faults_of(path: str) -> Iterator[None]:
    """A fault of the disk is an OSError, as a lost connection is: only the latter is tried again."""
    try:
        yield
    except OSError as fault:
        raise FileError(path, fault) from fault


def digest_of(path: Path) -> str:
    """SHA-256 of a file in hexadecimal, read in pieces."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while chunk := file.read(1_048_576):
            digest.update(chunk)
    return digest.hexdigest()


def _whole_file(answer: Answer, kind: _Kind) -> Iterator[bytes]:
    """The chunks of a file. Raises NoDocumentError as soon as it is none of its kind: a proxy may
    answer 200 with a page for people, and a body without a length may break off unseen."""
    is_kind = answer.content_type.split(";")[0].strip().lower() == kind.type
    begin = end = b""
    if is_kind:
        for chunk in answer.chunks():
            begin += chunk[: len(kind.first) - len(begin)]
            if not kind.first.startswith(begin):
                break
            end = (end + chunk[-END_BYTES:])[-END_BYTES:]
            yield chunk
    if not is_kind or begin != kind.first:
        raise NoDocumentError(f"the answer is no {kind.name}; does a proxy answer?")
    if kind.last not in end:
        raise NoDocumentError(f"the {kind.name} was cut off")


def _check(answer: Answer, sha256: str) -> None:
    """A stored document's ETag is its SHA-256; other answers have none. A proxy that compresses makes
    a weak tag of it (RFC 9110, 8.8.1): the bytes are the same once they are unpacked."""
    expected = re.fullmatch(r'(?:W/)?"([0-9a-f]{64})"', answer.etag)
    if expected is not None and expected[1] != sha256:
        raise DigestError(expected[1], sha256)
