"""What callers pass: written as JSON, or refused by its name before anything is sent."""

import json
import math
import os
import re
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Dict, Iterable, List, Mapping, Optional, Set, Tuple, Union
from urllib.parse import urlsplit

from .errors import InvalidArgumentError, NotFiniteError

Path = Union[str, "os.PathLike[str]"]

# Digits of a number. Python writes longer whole numbers only when it is told to, and slowly.
_DIGITS_MAX = 1_000
_BEYOND_DIGITS = f"has more than {_DIGITS_MAX:,} digits"
_NO_TEXT = "has half of a surrogate pair, which is no text: UTF-8 cannot write it"
_DATA = (str, int, float, Decimal, date, dict, list, tuple, type(None))


def to_json(body: Mapping[str, Any]) -> bytes:
    """Raises InvalidArgumentError with the place of a value that JSON cannot hold, and NotFiniteError
    for NaN and Infinity, which Python would write although JSON lacks them."""
    try:
        text = json.dumps(
            body, ensure_ascii=False, separators=(",", ":"), default=_plain, allow_nan=False
        )
        return text.encode()
    except (ValueError, TypeError, RecursionError, OverflowError):
        pass  # Outside of the handler, the error below has no context that would hold the data.
    try:
        fault = _fault(body, "", set())
    except RecursionError:
        fault = None
    if fault is None:
        raise InvalidArgumentError("data", "is nested too deeply, or cannot be written as JSON")
    where, why = fault
    raise NotFiniteError(where) if why is None else InvalidArgumentError(where, why)


def _plain(value: object) -> Any:
    """Amounts keep their digits, dates are written as the service takes them."""
    if isinstance(value, Decimal):
        if _decimal_fault(value) is not None:
            raise ValueError  # `_fault` finds where.
        return format(value, "f")
    if isinstance(value, date) and not isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError


# The place of a value and what is wrong with it; None: it is not finite.
_Fault = Tuple[str, Optional[str]]


def _fault(value: object, where: str, above: Set[int]) -> Optional[_Fault]:
    """The first value that cannot be written; None: there is none."""
    if isinstance(value, (Mapping, list, tuple)):
        return _fault_within(value, where, above)
    if isinstance(value, str):
        return None if is_text(value) else (where, _NO_TEXT)
    if isinstance(value, float):
        return None if math.isfinite(value) else (where, None)
    if isinstance(value, Decimal):
        fault = _decimal_fault(value)
        return None if fault is None else (where, fault or None)
    if isinstance(value, int):
        # A digit has some 3.3 bits.
        return (where, _BEYOND_DIGITS) if value.bit_length() > 3.3 * _DIGITS_MAX else None
    if isinstance(value, datetime) or not isinstance(value, _DATA):
        return where, f"is a {type(value).__name__}, which cannot be sent as JSON"
    return None


def _fault_within(
    value: Union[Mapping[Any, Any], Iterable[Any]], where: str, above: Set[int]
) -> Optional[_Fault]:
    if id(value) in above:
        return where, "is a part of itself"
    inner = above | {id(value)}
    is_mapping = isinstance(value, Mapping)
    members = value.items() if isinstance(value, Mapping) else enumerate(value)
    for key, member in members:
        if is_mapping and not isinstance(key, (str, int)):
            return where or "data", f"has a {type(key).__name__} as a name, not a text"
        if isinstance(key, str) and not is_text(key):
            return where or "data", f"has a name that {_NO_TEXT}"
        at = f"{where}.{key}".lstrip(".") if is_mapping else f"{where}[{key}]"
        found = _fault(member, at, inner)
        if found is not None:
            return found
    return None


def _decimal_fault(value: Decimal) -> Optional[str]:
    """None: it can be written; empty: it is not finite."""
    if not value.is_finite():
        return ""
    _, digits, exponent = value.as_tuple()
    written = max(len(digits) + max(int(exponent), 0), -int(exponent))
    return _BEYOND_DIGITS if written > _DIGITS_MAX else None


def is_text(value: str) -> bool:
    """Whether UTF-8 can write it."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def text_of(name: str, value: object) -> str:
    if not isinstance(value, str) or value == "":
        raise InvalidArgumentError(name, "must be a text that is not empty")
    if not is_text(value):
        raise InvalidArgumentError(name, _NO_TEXT)
    return value


def mapping_of(name: str, value: object) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InvalidArgumentError(name, "must be a mapping, such as a dict")
    return value


def entries_of(name: str, value: object) -> List[Mapping[str, Any]]:
    if not isinstance(value, Iterable) or isinstance(value, (str, bytes, bytearray, Mapping)):
        raise InvalidArgumentError(name, "must be a list of mappings")
    return [mapping_of(f"{name}[{index}]", entry) for index, entry in enumerate(value)]


def place_of(name: str, value: object) -> str:
    """An id or a number that fills a path. `.`, `..` and nothing would lead elsewhere."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**15:
        return str(value)
    if not isinstance(value, str):
        raise InvalidArgumentError(name, "must be a text, or a number from 0")
    if value in ("", ".", ".."):
        raise InvalidArgumentError(name, "must not be empty, `.` or `..`")
    if re.search(r"[\x00-\x1f\x7f]", value) is not None:
        raise InvalidArgumentError(name, "has a control character, such as NUL or a line end")
    if not is_text(value):
        raise InvalidArgumentError(name, _NO_TEXT)
    return value


def query_of(query: Mapping[str, object]) -> Dict[str, str]:
    """The members that are given, as texts."""
    given = {name: str(value) for name, value in query.items() if value is not None}
    for name, value in given.items():
        if not is_text(value):
            raise InvalidArgumentError(name, _NO_TEXT)
    return given


def rows_of(rows: object) -> bytes:
    if isinstance(rows, (bytes, bytearray, memoryview)):
        return bytes(rows)
    if not isinstance(rows, str):
        raise InvalidArgumentError("rows", "must be text or bytes")
    if not is_text(rows):
        raise InvalidArgumentError("rows", _NO_TEXT)
    return rows.encode()


def path_of(path: object) -> str:
    """The name of a file."""
    try:
        name = os.fsdecode(path)  # type: ignore[arg-type]
        os.fsencode(name)
    except (TypeError, ValueError):
        name = ""
    if name == "":
        raise InvalidArgumentError("path", "must be the name of a file that this system can have")
    if "\0" in name:
        raise InvalidArgumentError("path", "has NUL in it, which no name of a file can have")
    return name


def sha256_of(value: object) -> Optional[str]:
    """A SHA-256 that a caller expects."""
    if value is None:
        return None
    if not isinstance(value, str) or re.fullmatch(r"[0-9A-Fa-f]{64}", value) is None:
        raise InvalidArgumentError("sha256", "must be a SHA-256 of 64 hexadecimal digits")
    return value.lower()


def idempotency_key_of(value: object) -> str:
    if not isinstance(value, str) or re.fullmatch(r"[\x20-\x7e]{1,255}", value) is None:
        raise InvalidArgumentError("idempotency_key", "must be 1 to 255 printable ASCII characters")
    return value


def api_key_of(value: object) -> str:
    if not isinstance(value, str) or re.fullmatch(r"[\x21-\x7e]+", value) is None:
        raise InvalidArgumentError("api_key", "is not an API key")
    return value


def address_of(name: str, value: object) -> Tuple[str, str]:
    """Origin and path, with its query, of an address. A message does not repeat it: it may hold a
    password, and a link is a secret itself."""
    is_whole = isinstance(value, str) and re.fullmatch(r"https?://[^/?#\s]+[!-~]*", value)
    if not is_whole or not isinstance(value, str):
        raise InvalidArgumentError(name, "must begin with http:// or https:// and be printable ASCII")
    try:
        parts = urlsplit(value)
        host, port = parts.hostname or "", parts.port
        # The resolver takes names so, and the header Host.
        host = host if ":" in host else host.encode("idna").decode()
    except ValueError:
        host, port = "", None
    if host == "" or "@" in parts.netloc:
        raise InvalidArgumentError(name, "has no host that can be called, or holds a name of a user")
    shown = f"[{host}]" if ":" in host else host
    origin = f"{parts.scheme}://{shown}" + (f":{port}" if port is not None else "")
    return origin, parts.path + (f"?{parts.query}" if parts.query else "")


def amount_of(name: str, value: object, least: float, unit: str) -> float:
    """A number that is not too small, such as a bound."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not isinstance(value, (int, float)) or not value >= least:
        raise InvalidArgumentError(name, f"must be a number of {unit} from {least:g}")
    return value


def count_of(name: str, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise InvalidArgumentError(name, "must be a whole number from 1")
    return value
