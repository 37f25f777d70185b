"""Exceptions that calls raise. No message holds data, keys or passwords."""

import json
import re
from typing import Any, Dict, List, Optional, Sequence, Tuple, Type, Union, cast
from urllib.parse import quote

from .types import ErrorBody, ErrorCode, FieldError

# Longest text of a stranger in a message.
WORDS_MAX = 2_000
_REQUEST_ID_MAX = 100
# The one shape of all codes of the service, which may have more than this package knows.
_CODE = re.compile(r"[a-z][0-9A-Za-z_]{0,63}")
# Control characters, line ends, marks that turn the direction of what follows in a log, and halves of
# surrogate pairs, which no log can write.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]+")
_REDIRECTS = (300, 301, 302, 303, 305, 307, 308)


class IntaglioError(Exception):
    """Base class of all errors of this package."""

    def __reduce__(self) -> Tuple[Any, ...]:
        # Exceptions are unpickled by their arguments, which are not those of the classes below: a pool
        # of processes would wait for ever.
        return _unpickled, (type(self), self.args, self.__dict__)


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


class InvalidArgumentError(IntaglioError, ValueError):
    """An argument cannot be sent. Nothing was sent, and the message repeats nothing of the value."""

    def __init__(self, argument: str, why: str) -> None:
        """`argument`: its name, or the place of a value in it, such as `data.lines[2].amount`."""
        self.argument = printable(argument)
        super().__init__(f"{self.argument} {why}")


class NotFiniteError(InvalidArgumentError):
    """A number to be sent is NaN or infinite, which JSON does not have. Nothing was sent."""

    def __init__(self, where: str) -> None:
        super().__init__(
            where,
            "is NaN or infinite, which JSON does not have: give a number, or None for a field"
            " without a value",
        )
        self.where = self.argument


class NoAnswerError(IntaglioError):
    """No complete answer came, however often the request was sent."""

    def __init__(self, origin: str, why: str, tries: int) -> None:
        super().__init__(f"no answer from {origin} after {counted(tries)}: {why}")
        self.tries = tries


class DigestError(IntaglioError):
    """Another file than the stored one arrived, or nothing says which one is right although
    `require_digest` was given. Nothing was kept of it."""

    def __init__(self, expected: Optional[str], actual: str) -> None:
        """`expected` is None, and `actual` empty: there is no digest to compare with."""
        super().__init__(
            "the answer does not tell the SHA-256 of the document (ETag): give `sha256`"
            if expected is None
            else f"the file has the SHA-256 {actual}, and the document {expected}"
        )
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
    denied. Or it was changed while it was uploaded."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{printable(path)} {why}")


class Cancelled(IntaglioError):
    """The call was ended by its `Cancel`, or ran into the time limit of that."""


def _unpickled(
    kind: Type[IntaglioError], args: Tuple[Any, ...], members: Dict[str, Any]
) -> IntaglioError:
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(members)
    return error


def counted(tries: int) -> str:
    """Such as `1 try` and `3 tries`."""
    return "1 try" if tries == 1 else f"{tries} tries"


def printable(text: str, most: int = WORDS_MAX) -> str:
    """A text of bounded length that a log can show in one line."""
    line = _UNPRINTABLE.sub(" ", text[: 2 * most])
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _hint(status: int) -> str:
    """What is added for an answer that is not the service's own."""
    if status in _REDIRECTS:
        return ": a redirect, which would hand the key on; url has to be where it leads"
    if status == 401:
        return ": the API key is missing or not known there; check url and api_key"
    if status == 407:
        return f": {PROXY_WANTS}"
    return ": no error of the service; does a proxy answer?"


# What helps after status 407.
PROXY_WANTS = (
    "the proxy wants a name and a password that it knows:"
    " give them as proxy='http://user:password@host:port'"
)


def service_error(
    status: int, text: bytes, retry_after: Optional[float], secrets: Sequence[str]
) -> ServiceError:
    """The error that an answer tells. `secrets` are replaced by `…`: a stranger may echo them."""
    body = _read_body(text, secrets)
    invalid = body is not None and body["code"] == "invalid_data"
    return (InvalidDataError if invalid else ServiceError)(status, body, retry_after)


def _read_body(text: bytes, secrets: Sequence[str]) -> Optional[ErrorBody]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    error, code, request_id = (value.get(name) for name in ("error", "code", "requestId"))
    hidden = [form for secret in secrets for form in _forms_of(secret)]
    if not isinstance(error, str) or not isinstance(code, str) or _told(code, hidden) != code:
        return None
    if _CODE.fullmatch(code) is None:
        return None
    body: Dict[str, Any] = {
        "error": _told(error, hidden),
        "code": _told(code, hidden),
        "requestId": _told(request_id, hidden, _REQUEST_ID_MAX) if isinstance(request_id, str) else "",
        "fields": _fields_of(value.get("fields"), hidden),
    }
    # It has the members of ErrorBody, whose code may be newer than this package.
    return cast(ErrorBody, body)


def _fields_of(value: object, hidden: Sequence[str]) -> List[FieldError]:
    fields: List[FieldError] = []
    for one in value if isinstance(value, list) else []:
        field = one.get("field") if isinstance(one, dict) else None
        reason = one.get("reason") if isinstance(one, dict) else None
        if isinstance(field, str) and isinstance(reason, str):
            fields.append({"field": _told(field, hidden), "reason": _told(reason, hidden)})
    return fields


def _forms_of(secret: str) -> List[str]:
    """How an echo may write a secret: the longest first, which may hold the others."""
    forms = {secret, json.dumps(secret)[1:-1], quote(secret, safe="")}
    return sorted(filter(None, forms), key=len, reverse=True)


def _told(text: str, hidden: Sequence[str], most: int = WORDS_MAX) -> str:
    for secret in hidden:
        text = re.sub(re.escape(secret), "…", text, flags=re.IGNORECASE)
    return printable(text, most)
