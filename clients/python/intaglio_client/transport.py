"""Requests, their repetitions, and the connections they go over."""

import http.client
import json
import math
import random
import re
import socket
import ssl
import threading
import time
from contextlib import closing
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Set, TypeVar
from typing import Union
from urllib.parse import urlencode, urlsplit

from .errors import (
    BadAnswerError,
    Cancelled,
    IntaglioError,
    NoAnswerError,
    NotFiniteError,
    ServiceError,
    service_error,
)
from .operations import address_of
from .pacing import RateLimit
from .proxies import Connector
from .types import FINAL_CODES

T = TypeVar("T")
Body = Union[str, bytes, Mapping[str, Any], None]

CHUNK_BYTES = 65_536
# Longest JSON body: no answer of the service is as long.
JSON_BYTES_MAX = 64 * 1024**2
# Longest body of a refusal; the service's own have a few KB.
REFUSAL_BYTES_MAX = 1024**2
# Longest line of a text: a row of 1 MB has some 6 MB when all of it is escaped.
LINE_BYTES_MAX = 16 * 1024**2
BACK_OFF = 0.25
BACK_OFF_MAX = 30.0
# Statuses that a repetition may change. 502 and 504 are a balancer's: no answer came.
REPEATED = (429, 502, 503, 504)
# Errors of http.client and the sockets below it when no whole answer came.
LOST = (OSError, http.client.HTTPException)


class Cancel:
    """Ends the calls it is given to, from any thread or after `timeout` seconds."""

    def __init__(self, timeout: Optional[float] = None) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._connections: List[http.client.HTTPConnection] = []
        self._end = None if timeout is None else time.monotonic() + timeout

    def cancel(self) -> None:
        """Ends waits and requests under way with `Cancelled`."""
        self._event.set()
        with self._lock:
            for connection in self._connections:
                _shut(connection)

    @property
    def cancelled(self) -> bool:
        return self._event.is_set() or self.left() <= 0

    def left(self) -> float:
        """Seconds until the time limit."""
        return float("inf") if self._end is None else self._end - time.monotonic()

    def check(self) -> None:
        if self.cancelled:
            raise Cancelled("the call was cancelled")

    def wait(self, seconds: float) -> None:
        self._event.wait(min(seconds, max(0.0, self.left())))
        self.check()

    def watch(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            self._connections.append(connection)

    def forget(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            self._connections.remove(connection)


def _shut(connection: http.client.HTTPConnection) -> None:
    # Unlike close(), this wakes a thread that reads from the socket.
    try:
        if connection.sock is not None:
            connection.sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # It was cut already, which is what was wanted.


@dataclass(frozen=True)
class Sending:
    """A request, before it has an address."""

    operation: str
    places: Sequence[Union[str, int]] = ()
    query: Mapping[str, Union[str, int, None]] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    # Sent as JSON unless it is text or bytes.
    body: Body = None
    # An address that needs no key takes the place of the operation's path.
    link: Optional[str] = None
    cancel: Optional[Cancel] = None
    # The request is sent once.
    once: bool = False


class Answer:
    """A successful answer whose body is still to be read."""

    def __init__(self, response: http.client.HTTPResponse, cancel: Cancel) -> None:
        self._response = response
        self._cancel = cancel
        self.request_id = response.getheader("X-Request-Id", "")
        self.etag = response.getheader("ETag", "")
        self.content_type = response.getheader("Content-Type", "")

    def chunks(self) -> Iterator[bytes]:
        response = self._response
        length = response.length
        count = 0
        # read1() gives what has come: read() would wait for a whole chunk, and see no cancellation. Before
        # Python 3.12 it reads beyond the end of a body with a length, unless it is told how much is left.
        while length is None or count < length:
            chunk = response.read1(CHUNK_BYTES if length is None else min(CHUNK_BYTES, length - count))
            if not chunk:
                break
            self._cancel.check()
            count += len(chunk)
            yield chunk
        if length is not None and count < length:
            raise http.client.IncompleteRead(b"", length - count)
        # Whole: the connection may be used again.
        response.close()

    def read(self) -> bytes:
        pieces: List[bytes] = []
        count = 0
        for chunk in self.chunks():
            count += len(chunk)
            if count > JSON_BYTES_MAX:
                raise BadAnswerError("the answer is longer than any of the service")
            pieces.append(chunk)
        return b"".join(pieces)


class Transport:
    """Sends requests and repeats them where that is safe, which it is for every operation: what is
    not idempotent by itself carries an Idempotency-Key. For any number of threads."""

    def __init__(
        self,
        url: str,
        api_key: str,
        connections_max: int,
        silence_max: float,
        tries_max: int,
        retry_max: float,
        connector: Connector,
    ) -> None:
        if not re.fullmatch(r"https?://[^/?#]+[^?#]*", url):
            raise ValueError("url must begin with http:// or https://")
        if not re.fullmatch(r"[\x21-\x7e]+", api_key):
            raise ValueError("api_key is not an API key")
        self._url = url.rstrip("/")
        self._api_key = api_key
        self._silence_max = silence_max
        self._tries_max = tries_max
        self._retry_max = retry_max
        self._connector = connector
        self._slots = threading.BoundedSemaphore(connections_max)
        self._lock = threading.Lock()
        self._idle: Dict[str, List[http.client.HTTPConnection]] = {}
        # The limit is the key's, so all counted calls share it.
        self._limit = RateLimit(retry_max)

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, {}
        for connections in idle.values():
            for connection in connections:
                connection.close()

    def json(self, sending: Sending) -> Any:
        return parse_json(self.send(sending, Answer.read))

    def lines(self, sending: Sending) -> Iterator[str]:
        """The lines of a text as they come. A body that breaks off is not asked for again."""
        opened = self._send(sending, None)
        line = _Line()
        with closing(opened):
            for chunk in opened:
                *parts, rest = chunk.split(b"\n")
                for part in parts:
                    yield line.end_with(part)
                line.add(rest)
        last = line.end_with(b"")
        if last:
            yield last

    def pause(self, seconds: float, cancel: Optional[Cancel]) -> None:
        (cancel or Cancel()).wait(seconds)

    def send(self, sending: Sending, read: Callable[[Answer], T]) -> T:
        """What `read` makes of the answer. When the body breaks off, the request is sent again and
        `read` begins anew."""
        value: T = self._send(sending, read)
        return value

    def _send(self, sending: Sending, read: Optional[Callable[[Answer], T]]) -> Any:
        """Without `read`: the chunks of the body."""
        cancel = sending.cancel or Cancel()
        end = time.monotonic() + self._retry_max
        counted = sending.operation == "generateDocument"
        tries_max = 1 if sending.once else self._tries_max
        paced = counted and tries_max > 1 and self._retry_max > 0
        tries = 1
        while True:
            cancel.check()
            if paced:
                end += self._wait_for_window(cancel)
            asked = 0.0
            error: IntaglioError
            try:
                return self._try(sending, cancel, counted, paced, read)
            except _Held:
                continue
            except ServiceError as refusal:
                if refusal.status not in REPEATED or refusal.code in FINAL_CODES:
                    raise
                if paced and _is_own_limit(refusal, self._retry_max):
                    # Its own window: the loop waits for its end, and cannot be too late for it.
                    continue
                error, asked = refusal, refusal.retry_after or 0.0
            except LOST as lost:
                cancel.check()
                error = NoAnswerError(_origin(sending.link or self._url), _reason(lost), tries)
                if isinstance(lost, ssl.SSLCertVerificationError) or _refused_by_proxy(lost):
                    # Another try would be refused in the same way.
                    raise error from lost
            back_off = min(BACK_OFF_MAX, BACK_OFF * 2 ** (tries - 1)) * random.uniform(0.5, 1)
            until = time.monotonic() + max(asked, back_off)
            if tries >= tries_max or until > end:
                raise _given(error, tries)
            cancel.wait(until - time.monotonic())
            tries += 1

    def _wait_for_window(self, cancel: Cancel) -> float:
        """The seconds that it took."""
        start = time.monotonic()
        while (seconds := self._limit.seconds()) > 0:
            cancel.wait(seconds)
        return time.monotonic() - start

    def _try(
        self,
        sending: Sending,
        cancel: Cancel,
        counted: bool,
        paced: bool,
        read: Optional[Callable[[Answer], T]],
    ) -> Any:
        method, path, headers, body = self._request(sending)
        origin = _origin(sending.link or self._url)
        while not self._slots.acquire(timeout=min(1.0, max(0.0, cancel.left()))):
            cancel.check()
        # The window may have been used up while the call waited for a slot.
        if paced and not self._limit.begin():
            self._slots.release()
            raise _Held
        connection = self._connection(origin, cancel)
        cancel.watch(connection)
        streamed = False
        reusable = False
        try:
            target = self._connector.target(origin, path)
            headers.update(self._connector.headers(origin))
            connection.request(method, target, body, headers)
            # A cancellation while it connected found no socket to shut.
            cancel.check()
            response = connection.getresponse()
            if counted:
                policy = response.getheader("RateLimit-Policy", "")
                self._limit.learn(response.getheader("RateLimit", ""), policy)
            if response.status >= 300:
                text = response.read(REFUSAL_BYTES_MAX + 1)
                whole = len(text) <= REFUSAL_BYTES_MAX
                reusable = whole and response.isclosed() and not response.will_close
                raise self._refusal(response, text if whole else b"", counted)
            if read is None:
                streamed = True
                return self._stream(origin, connection, response, cancel)
            value = read(Answer(response, cancel))
            reusable = response.isclosed() and not response.will_close
            return value
        finally:
            # A body that is read later holds no slot: its reader may make other calls meanwhile.
            self._slots.release()
            if not streamed:
                self._give_back(origin, connection, cancel, reusable)

    def _stream(
        self,
        origin: str,
        connection: http.client.HTTPConnection,
        response: http.client.HTTPResponse,
        cancel: Cancel,
    ) -> Iterator[bytes]:
        try:
            yield from Answer(response, cancel).chunks()
        except LOST as lost:
            cancel.check()
            raise NoAnswerError(origin, _reason(lost), 1) from lost
        finally:
            reusable = response.isclosed() and not response.will_close
            self._give_back(origin, connection, cancel, reusable)

    def _refusal(
        self, response: http.client.HTTPResponse, text: bytes, counted: bool
    ) -> ServiceError:
        said = response.getheader("Retry-After", "")
        asked = float(said) if re.fullmatch(r"\d{1,6}", said) else None
        if counted and response.status == 429:
            self._limit.hold(asked or 0.0)
        return service_error(response.status, text, asked)

    def _connection(self, origin: str, cancel: Cancel) -> http.client.HTTPConnection:
        timeout = min(self._silence_max, max(0.001, cancel.left()))
        with self._lock:
            idle = self._idle.get(origin)
            connection = idle.pop() if idle else None
        if connection is not None and _is_open(connection):
            if connection.sock is not None:
                connection.sock.settimeout(timeout)
            return connection
        return self._connector.connection(origin, timeout)

    def _give_back(
        self,
        origin: str,
        connection: http.client.HTTPConnection,
        cancel: Cancel,
        reusable: bool,
    ) -> None:
        cancel.forget(connection)
        if reusable and not cancel.cancelled:
            with self._lock:
                self._idle.setdefault(origin, []).append(connection)
        else:
            connection.close()

    def _request(self, sending: Sending) -> Any:
        method, path = address_of(sending.operation, sending.places)
        headers = dict(sending.headers)
        body = sending.body
        if body is not None and not isinstance(body, (str, bytes)):
            headers["Content-Type"] = "application/json"
            body = _to_json(body)
        if isinstance(body, str):
            body = body.encode()
        if sending.link is not None:
            parts = urlsplit(sending.link)
            return method, parts.path + (f"?{parts.query}" if parts.query else ""), headers, body
        headers["X-Api-Key"] = self._api_key
        query = urlencode({k: v for k, v in sending.query.items() if v is not None})
        path = urlsplit(self._url).path + path + (f"?{query}" if query else "")
        return method, path, headers, body


class _Held(Exception):
    """The key's window was used up before the request was sent."""


def _is_own_limit(error: ServiceError, wait_max: float) -> bool:
    """Whether the key has used up its calls of a window that ends soon enough."""
    if error.code != "rate_limited" or error.retry_after is None:
        return False
    return error.retry_after <= wait_max


def _given(error: IntaglioError, tries: int) -> IntaglioError:
    if isinstance(error, ServiceError):
        more = f"; given up after {tries} tries: tries_max and retry_max allow more"
        error.args = (f"{error.args[0]}{more}",)
    return error


def _to_json(body: Mapping[str, Any]) -> str:
    """Raises NotFiniteError for NaN and Infinity, which Python would write although JSON lacks them."""
    try:
        return json.dumps(
            body, ensure_ascii=False, separators=(",", ":"), default=_plain, allow_nan=False
        )
    except ValueError:
        where = _not_finite(body, "", set())
        if where is None:
            raise  # For example data that contains itself.
    raise NotFiniteError(where)


def _not_finite(value: object, where: str, above: Set[int]) -> Optional[str]:
    """Where the first number that is not finite stands; None: nowhere."""
    if isinstance(value, (float, Decimal)):
        return None if math.isfinite(value) else where
    if not isinstance(value, (dict, list, tuple)) or id(value) in above:
        return None
    inner = above | {id(value)}
    members = value.items() if isinstance(value, dict) else enumerate(value)
    for key, member in members:
        at = f"{where}.{key}".lstrip(".") if isinstance(value, dict) else f"{where}[{key}]"
        found = _not_finite(member, at, inner)
        if found is not None:
            return found
    return None


def parse_json(text: Union[str, bytes]) -> Any:
    """A record of the service. Raises BadAnswerError, whose message repeats nothing of the text."""
    value: Any = None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        pass  # Outside of the handler, the error below has no context that would hold the text.
    # All bodies of the service are objects.
    if isinstance(value, (dict, list)):
        return value
    raise BadAnswerError("the answer is no JSON of the service; does a proxy answer?")


class _Line:
    """A line that comes in pieces."""

    def __init__(self) -> None:
        self._pieces: List[bytes] = []
        self._count = 0

    def add(self, piece: bytes) -> None:
        self._count += len(piece)
        if self._count > LINE_BYTES_MAX:
            raise BadAnswerError("a line of the answer is longer than any of the service")
        self._pieces.append(piece)

    def end_with(self, piece: bytes) -> str:
        """The whole line; the next one is empty."""
        self.add(piece)
        line = b"".join(self._pieces)
        self._pieces = []
        self._count = 0
        try:
            return line.decode()
        except UnicodeDecodeError:
            pass  # As in parse_json.
        raise BadAnswerError("a line of the answer is no text in UTF-8; does a proxy answer?")


def _plain(value: object) -> str:
    """Amounts keep their digits, dates are written as the service takes them."""
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ValueError  # `_to_json` finds where.
        return format(value, "f")
    if isinstance(value, date) and not isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"a {type(value).__name__} cannot be sent as JSON")


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _is_open(connection: http.client.HTTPConnection) -> bool:
    """Whether the service has not closed it meanwhile: a closed socket can be read at once."""
    sock = connection.sock
    if sock is None:
        return False
    try:
        sock.settimeout(0)
        sock.recv(1) if isinstance(sock, ssl.SSLSocket) else sock.recv(1, socket.MSG_PEEK)
    except (BlockingIOError, ssl.SSLWantReadError):
        return True
    except OSError:
        pass
    connection.close()
    return False


def _refused_by_proxy(error: BaseException) -> bool:
    # http.client has no class for it; the message has the status and the proxy's own words.
    return isinstance(error, OSError) and str(error).startswith("Tunnel connection failed")


def _reason(error: BaseException) -> str:
    """Names the fault without any text of the answer."""
    if isinstance(error, socket.timeout):
        return "the service was silent for too long"
    if isinstance(error, ConnectionRefusedError):
        return "the connection was refused"
    if isinstance(error, ssl.SSLCertVerificationError):
        return _certificate_fault(error)
    if _refused_by_proxy(error):
        status = re.search(r"\b[1-5]\d\d\b", str(error))
        return f"the proxy answered with status {status[0] if status else 'unknown'}"
    return f"the connection was cut ({type(error).__name__})"


def _certificate_fault(error: ssl.SSLCertVerificationError) -> str:
    """What is wrong with the certificate of the service, and what helps."""
    said = f"(X509 {error.verify_code}: {error.verify_message})"
    set_file = "in SSL_CERT_FILE, or give a `context` made with cafile"
    if error.verify_code == 9:
        return f"the certificate of the service is not valid yet: set the clock or replace it {said}"
    if error.verify_code == 10:
        return f"the certificate of the service has expired: renew it {said}"
    if error.verify_code == 18:
        return (
            "the certificate of the service is self-signed: name its file (PEM) "
            f"{set_file} {said}"
        )
    if error.verify_code in (2, 19, 20, 21):
        return (
            "no authority that Python knows signed the certificate of the service: name the file "
            f"of the authority's certificate (PEM) {set_file} {said}"
        )
    if error.verify_code in (62, 64):
        return f"the certificate of the service is for another name: use one that it has {said}"
    return f"the certificate of the service was refused {said}"
