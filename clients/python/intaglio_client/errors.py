"""Exceptions that calls raise. No message holds data, keys or passwords."""

import json
from typing import List, Optional, Union

from .types import ErrorBody, ErrorCode, FieldError


class IntaglioError(Exception):
    """Base class of all errors of this package."""


class ServiceError(IntaglioError):
    """The service refused the call; a repetition is refused again, or was refused too often."""

    def __init__(
        self, status: int, body: Optional[ErrorBody], retry_after: Optional[float]
    ) -> None:
        said = "" if body is None else f"{body['error']} ({body['code']}, "
        super().__init__(f"{said}status {status}" + (_hint(status) if body is None else ")"))
        self.status = status
        # "unknown": the answer is not the service's own, but for example that of a proxy.
        self.code: Union[ErrorCode, str] = "unknown" if body is None else body["code"]
        # For the operator: the service's log and audit records have it. Empty where unknown.
        self.request_id = "" if body is None else body.get("requestId", "")
        # Every defective field of `data`; empty unless the code is "invalid_data".
        self.fields: List[FieldError] = [] if body is None else body.get("fields", [])
        # Seconds that the service asked to wait; None: it did not say.
        self.retry_after = retry_after


class InvalidDataError(ServiceError):
    """`data` does not match the field contract: `fields` lists every defect."""


class NotFiniteError(IntaglioError, ValueError):
    """A number to be sent is NaN or infinite, which JSON does not have. Nothing was sent."""

    def __init__(self, where: str) -> None:
        super().__init__(
            f"{where} is NaN or infinite, which JSON does not have: give a number, or None"
            " for a field without a value"
        )
        self.where = where


class NoAnswerError(IntaglioError):
    """No complete answer came, however often the request was sent."""

    def __init__(self, origin: str, why: str, tries: int) -> None:
        super().__init__(f"no answer from {origin} after {tries} tries: {why}")
        self.tries = tries


class DigestError(IntaglioError):
    """A file that arrived has another SHA-256 than the stored document. Nothing was kept of it."""

    def __init__(self, expected: str, actual: str) -> None:
        super().__init__(f"the file has the SHA-256 {actual}, and the document {expected}")
        self.expected = expected
        self.actual = actual


class NoDocumentError(IntaglioError):
    """An answer with a status of success holds no whole PDF or archive: a proxy may have answered,
    or the body broke off. Nothing was kept of it."""


class BadAnswerError(IntaglioError):
    """An answer with a status of success is no JSON of the service, or longer than any of it: a proxy
    may have answered. The message repeats nothing of it."""


class FileError(IntaglioError):
    """A file of this machine cannot be written or read: it is missing, the disk full, or access
    denied."""

    def __init__(self, path: str, cause: OSError, what: str = "written") -> None:
        super().__init__(f"{path} cannot be {what}: {cause.strerror}")


class Cancelled(IntaglioError):
    """The call was ended by its `Cancel`, or ran into the time limit of that."""


def _hint(status: int) -> str:
    """What is added for an answer that is not the service's own."""
    if 300 <= status < 400:
        return ": a redirect, which would hand the key on; url has to be where it leads"
    return ""


def service_error(status: int, text: bytes, retry_after: Optional[float]) -> ServiceError:
    """The error that an answer tells."""
    body = _read_body(text)
    invalid = body is not None and body["code"] == "invalid_data"
    return (InvalidDataError if invalid else ServiceError)(status, body, retry_after)


def _read_body(text: bytes) -> Optional[ErrorBody]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    own = isinstance(value, dict) and "code" in value and "error" in value
    return value if own else None
