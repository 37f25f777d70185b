"""PDFs and archives as they come in."""

import hashlib
import os
import re
import stat
import uuid
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Callable, Iterator, Optional

from .answers import NDJSON, ROWS, Answer, Lines, cut_off, parse_row
from .arguments import Path, path_of, sha256_of
from .errors import BadAnswerError, DigestError, FileError, NoDocumentError


@dataclass(frozen=True)
class _Kind:
    """How a file says what it is: its media type, its first bytes, and bytes near its end."""

    name: str
    type: str
    first: bytes
    last: bytes
    # What begins with `last` and ends with the file.
    end: "re.Pattern[bytes]"
    # None: a file of this kind may have any length.
    bytes_max: Optional[int]


_ANY = re.compile(rb"[\s\S]*")
# ISO 32000-2, 7.5.5: nothing but white space follows the last line.
_PDF_END = re.compile(rb"%%EOF[\x00\t\n\f\r ]*")
# The service's documents have at most 64 MB; its print files any length.
PDF = _Kind("PDF", "application/pdf", b"%PDF-", b"%%EOF", _PDF_END, 128 * 1024**2)
PRINT = replace(PDF, bytes_max=None)
# The record that ends the directory of a ZIP archive, without a comment (APPNOTE 4.3.16).
_ZIP_END = re.compile(rb"PK\x05\x06[\s\S]{16}\x00\x00")
ZIP = _Kind("ZIP archive", "application/zip", b"PK", b"PK\x05\x06", _ZIP_END, None)
# Each of its lines is checked.
MANIFEST = _Kind("manifest", NDJSON, b"", b"", _ANY, None)
# It has no marks: HTTP alone tells whether it is whole.
CSV = _Kind("CSV", "text/csv", b"", b"", _ANY, None)
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
    # Whether it was compared with a SHA-256: the one of the caller, or of a stored document.
    verified: bool

    def __repr__(self) -> str:
        """A line for logs and consoles, without the bytes, which hold the data of the document."""
        size = len(self.content)
        return f"<Pdf of {size} bytes, sha256 {self.sha256[:12]}…, request {self.request_id}>"


@dataclass(frozen=True)
class WrittenFile:
    """A file that was written whole."""

    path: str
    bytes: int
    # SHA-256 in hexadecimal, computed while the file came in.
    sha256: str
    # Request id of the call that gave it.
    request_id: str
    # Whether it was compared with a SHA-256: the one of the caller, or of a stored document.
    verified: bool


def reading(sha256: object = None, require_digest: bool = False) -> Callable[[Answer], Pdf]:
    """Reads a PDF into memory. Raises NoDocumentError when the answer is no whole PDF, and
    DigestError when it is another than `sha256` or the answer says."""
    given = sha256_of(sha256)

    def read(answer: Answer) -> Pdf:
        expected = _expected(answer, given, require_digest)
        pieces = [*_whole_file(answer, PDF)]
        content = b"".join(pieces)
        actual = hashlib.sha256(content).hexdigest()
        _compare(expected, actual)
        return Pdf(content, actual, answer.request_id, expected is not None)

    return read


def writing(
    path: Path, kind: _Kind = PDF, sha256: object = None, require_digest: bool = False
) -> Callable[[Answer], WrittenFile]:
    """Writes a body beside `path`, readable by its owner alone, and renames it when it is whole and
    has its digest, so that a reader of `path` never finds a part. A failure leaves nothing behind."""
    target = path_of(path)
    given = sha256_of(sha256)
    _refuse_special(target)

    def write(answer: Answer) -> WrittenFile:
        expected = _expected(answer, given, require_digest)
        folder, name = os.path.split(target)
        # Shortened: with its ending, a long name would be longer than a file system allows.
        partial = os.path.join(folder, f"{name[:40]}.{uuid.uuid4()}.part")
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
            actual = digest.hexdigest()
            _compare(expected, actual)
            # Another program may have made something there meanwhile.
            _refuse_special(target)
            with _faults_of(target):
                os.replace(partial, target)
        except BaseException:
            if os.path.exists(partial):
                os.unlink(partial)
            raise
        return WrittenFile(target, count, actual, answer.request_id, expected is not None)

    return write


def _refuse_special(path: str) -> None:
    """Raises FileError for what is there and is no regular file, also behind a symbolic link: to be
    renamed to its name would put a file in the place of a device, such as /dev/null."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return
    except OSError as fault:
        raise FileError(path, f"cannot be written: {fault.strerror}") from fault
    if stat.S_ISDIR(mode):
        raise FileError(path, "cannot be written: it is a folder; name a file in it")
    if not stat.S_ISREG(mode):
        raise FileError(path, "cannot be written: it is a device, a pipe or a socket, not a file")


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


@contextmanager
def _faults_of(path: str) -> Iterator[None]:
    """A fault of the disk is an OSError, as a lost connection is: only the latter is tried again."""
    try:
        yield
    except OSError as fault:
        raise FileError(path, f"cannot be written: {fault.strerror}") from fault


def digest_of(path: Path) -> str:
    """SHA-256 of a file in hexadecimal, read in pieces. Raises FileError."""
    name = path_of(path)
    digest = hashlib.sha256()
    try:
        with open(name, "rb") as file:
            while chunk := file.read(1_048_576):
                digest.update(chunk)
    except OSError as fault:
        raise FileError(name, f"cannot be read: {fault.strerror}") from fault
    return digest.hexdigest()


def _whole_file(answer: Answer, kind: _Kind) -> Iterator[bytes]:
    """The chunks of a file. Raises NoDocumentError as soon as it is none of its kind: a proxy may
    answer 200 with a page for people, and a body without a length may break off unseen."""
    if not answer.has_whole_status:
        raise NoDocumentError(f"the answer is no whole {kind.name}: status {answer.status}")
    is_kind = answer.content_type == kind.type
    rows = _Rows() if kind is MANIFEST else None
    begin = end = b""
    count = 0
    if is_kind:
        for chunk in answer.chunks():
            begin += chunk[: len(kind.first) - len(begin)]
            if not kind.first.startswith(begin):
                break
            count += len(chunk)
            if kind.bytes_max is not None and count > kind.bytes_max:
                raise NoDocumentError(f"the {kind.name} is longer than any of the service")
            end = (end + chunk[-END_BYTES:])[-END_BYTES:]
            if rows is not None:
                rows.check(chunk)
            yield chunk
    if rows is not None:
        rows.check_end()
    if not is_kind or begin != kind.first:
        raise NoDocumentError(f"the answer is no {kind.name}; does a proxy answer?")
    if kind.last not in end:
        raise NoDocumentError(f"the {kind.name} was cut off")
    if kind.end.fullmatch(end, end.rindex(kind.last)) is None:
        raise NoDocumentError(f"something else follows the {kind.name}; does a proxy answer?")


class _Rows:
    """Checks the rows of a manifest while it is written. Raises NoDocumentError."""

    def __init__(self) -> None:
        self._lines = Lines()

    def check(self, chunk: bytes) -> None:
        try:
            for line in self._lines.of(chunk):
                parse_row(line, ROWS["getRunManifest"])
        except BadAnswerError as fault:
            # Without a context: it might hold the line.
            raise NoDocumentError(str(fault)) from None

    def check_end(self) -> None:
        if not self._lines.ended:
            raise NoDocumentError(str(cut_off()))


def _expected(answer: Answer, given: Optional[str], require_digest: bool) -> Optional[str]:
    """The SHA-256 that the file has to have: that of the caller, or the ETag of a stored document.
    A proxy that compresses makes a weak tag of it (RFC 9110, 8.8.1), or adds the name of the coding:
    the bytes are the same once they are unpacked. None: other answers have none."""
    tag = re.fullmatch(r'(?:W/)?"?([0-9A-Fa-f]{64})(?:[-;:]{1,2}[a-z]{2,8})?"?', answer.etag)
    expected = given or (tag[1].lower() if tag is not None else None)
    if expected is None and require_digest and answer.has_whole_status:
        raise DigestError(None, "")
    return expected


def _compare(expected: Optional[str], actual: str) -> None:
    if expected is not None and expected != actual:
        raise DigestError(expected, actual)
