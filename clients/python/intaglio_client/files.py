"""PDFs and archives as they come in."""

import hashlib
import os
import re
import uuid
from dataclasses import dataclass
from typing import Callable, Union

from .errors import DigestError
from .transport import Answer

Path = Union[str, "os.PathLike[str]"]


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
    """Reads a body into memory. Raises DigestError when the answer names another digest."""
    content = answer.read()
    sha256 = hashlib.sha256(content).hexdigest()
    _check(answer, sha256)
    return Pdf(content, sha256, answer.request_id)


def writing(path: Path) -> Callable[[Answer], WrittenFile]:
    """Writes a body beside `path` and renames it when it is whole and has its digest, so that a
    reader of `path` never finds a part. A failure leaves nothing behind."""
    target = os.fspath(path)

    def write(answer: Answer) -> WrittenFile:
        partial = f"{target}.{uuid.uuid4()}.part"
        digest = hashlib.sha256()
        count = 0
        try:
            with open(partial, "xb") as file:
                for chunk in answer.chunks():
                    digest.update(chunk)
                    count += len(chunk)
                    file.write(chunk)
            sha256 = digest.hexdigest()
            _check(answer, sha256)
            os.replace(partial, target)
        except BaseException:
            if os.path.exists(partial):
                os.unlink(partial)
            raise
        return WrittenFile(target, count, sha256, answer.request_id)

    return write


def digest_of(path: Path) -> str:
    """SHA-256 of a file in hexadecimal, read in pieces."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while chunk := file.read(1_048_576):
            digest.update(chunk)
    return digest.hexdigest()


def _check(answer: Answer, sha256: str) -> None:
    """A stored document's ETag is its SHA-256; other answers have none."""
    expected = re.fullmatch(r'"([0-9a-f]{64})"', answer.etag)
    if expected is not None and expected[1] != sha256:
        raise DigestError(expected[1], sha256)
