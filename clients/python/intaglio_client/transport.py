"""Requests and their repetitions."""

import threading
import time
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, TypeVar, Union
from urllib.parse import urlencode

from .answers import NDJSON, ROWS, Answer, Lines, cut_off, parse_json
from .arguments import address_of, amount_of, api_key_of, count_of, query_of, to_json
from .cancel import Cancel, cancel_of
from .errors import (
    BadAnswerError,
    IntaglioError,
    InvalidArgumentError,
    NoAnswerError,
    ServiceError,
    service_error,
)
from .faults import LOST, is_final, reason_of
from .operations import COUNTED, path_to
from .pacing import Patience, RateLimit, retry_after
from .proxies import Connector
from .types import FINAL_CODES
from .wire import Wire, read_head

T = TypeVar("T")
Body = Union[bytes, Mapping[str, Any], None]

# Statuses that a repetition may change. 502 and 504 are a balancer's: no answer came.
REPEATED = (429, 502, 503, 504)
# Seconds between two looks at whether a call that waits for its turn was cancelled.
_STEP = 0.2
# Longest body that is sent in one piece with its head.
_SENT_WITH_HEAD_MAX = 65_536


@dataclass(frozen=True)
class Sending:
    """A request, before it has an address."""

    operation: str
    places: Sequence[Union[str, int]] = ()
    query: Mapping[str, Union[str, int, None]] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    # Sent as JSON unless it is bytes.
    body: Body = None
    # An address that needs no key takes the place of the operation's path.
    link: Optional[str] = None
    cancel: Optional[Cancel] = None
    # The request is sent once.
    once: bool = False


@dataclass(frozen=True)
class _Written:
    """A request as it is sent."""

    origin: str
    method: str
    path: str
    headers: Dict[str, str]
    body: Optional[bytes]
    # It counts against the rate limit of the key.
    counted: bool
    # It waits for a window of the rate limit.
    paced: bool
    cancel: Cancel
    # The caller may cancel it.
    can_end: bool
    # Its answer is a list whose rows are lines of JSON.
    is_list: bool


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
        self._origin, path = address_of("url", url)
        if "?" in path or "#" in url:
            raise InvalidArgumentError("url", "must end with a path: `?` and `#` begin what follows one")
        self._path = path.rstrip("/")
        self._api_key = api_key_of(api_key)
        self._silence_max = amount_of("silence_max", silence_max, 0.001, "seconds")
        self._tries_max = count_of("tries_max", tries_max)
        self._retry_max = amount_of("retry_max", retry_max, 0, "seconds")
        self._connector = connector
        self._slots = threading.BoundedSemaphore(count_of("connections_max", connections_max))
        self._lock = threading.Lock()
        self._idle: Dict[str, List[Wire]] = {}
        # The limit is the key's, so all counted calls share it.
        self._limit = RateLimit(retry_max)

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, {}
        for wires in idle.values():
            for wire in wires:
                wire.close()

    def check(self, sending: Sending) -> None:
        """Raises InvalidArgumentError for what cannot be sent."""
        self._written(sending, self._tries_max)

    def json(self, sending: Sending) -> Any:
        return parse_json(self.send(sending, Answer.read))

    def lines(self, sending: Sending) -> Iterator[str]:
        """The lines of a text as they come. A body that breaks off is not asked for again. The last line
        of a list has an end; events that have none are left out."""
        opened = self._send(sending, None)
        lines = Lines()
        with closing(opened):
            for chunk in opened:
                yield from lines.of(chunk)
        if sending.operation in ROWS and not lines.ended:
            raise cut_off()

    def pause(self, seconds: float, cancel: Optional[Cancel]) -> None:
        (cancel or Cancel()).wait(seconds)

    def send(self, sending: Sending, read: Callable[[Answer], T]) -> T:
        """What `read` makes of the answer. When the body breaks off, the request is sent again and
        `read` begins anew."""
        value: T = self._send(sending, read)
        return value

    def _send(self, sending: Sending, read: Optional[Callable[[Answer], T]]) -> Any:
        """Without `read`: the chunks of the body."""
        tries_max = 1 if sending.once else self._tries_max
        request = self._written(sending, tries_max)
        cancel = request.cancel
        patience = Patience(tries_max, self._retry_max)
        while True:
            cancel.check()
            if request.paced:
                patience.extend(self._wait_for_window(cancel))
            asked, is_limited = 0.0, False
            error: IntaglioError
            try:
                return self._try(request, read)
            except _Held:
                continue
            except ServiceError as refusal:
                if refusal.status not in REPEATED or refusal.code in FINAL_CODES:
                    raise
                error, asked = refusal, refusal.retry_after or 0.0
                is_limited = request.paced and refusal.code == "rate_limited"
            except LOST as lost:
                cancel.check()
                error = NoAnswerError(request.origin, reason_of(lost), patience.tries)
                if is_final(lost):
                    raise error from lost
            cancel.wait(patience.next(error, asked, is_limited))

    def _wait_for_window(self, cancel: Cancel) -> float:
        """The seconds that it took."""
        start = time.monotonic()
        while (seconds := self._limit.seconds()) > 0:
            cancel.wait(seconds)
        return time.monotonic() - start

    def _try(self, request: _Written, read: Optional[Callable[[Answer], T]]) -> Any:
        cancel = request.cancel
        while not self._slots.acquire(timeout=_STEP if request.can_end else None):
            cancel.check()
        wire: Optional[Wire] = None
        answer: Optional[Answer] = None
        streamed = False
        try:
            # The window may have been used up while the call waited for a slot.
            if request.paced and not self._limit.begin():
                raise _Held
            wire = self._wire(request.origin, cancel)
            answer = self._exchange(wire, request)
            if answer.status >= 300:
                raise self._refusal(answer, request)
            if read is None:
                streamed = True
                return self._stream(request, wire, answer)
            return read(answer)
        finally:
            # A body that is read later holds no slot: its reader may make other calls meanwhile.
            self._slots.release()
            if wire is not None and not streamed:
                self._give_back(request, wire, answer)

    def _exchange(self, wire: Wire, request: _Written) -> Answer:
        head, body = self._head(request), request.body or b""
        if len(body) <= _SENT_WITH_HEAD_MAX:
            wire.send(head + body)
        else:
            wire.send(head)
            wire.send(body)
        wire.hurry()
        answer = Answer(wire, read_head(wire))
        if request.counted:
            self._limit.learn(answer.header("RateLimit"), answer.header("RateLimit-Policy"))
        if answer.status < 300:
            wire.calm()
        return answer

    def _refusal(self, answer: Answer, request: _Written) -> ServiceError:
        asked = retry_after(answer.header("Retry-After"))
        if request.counted and answer.status == 429:
            self._limit.hold(asked or 0.0)
        try:
            text = answer.refusal()
        except LOST:
            request.cancel.check()
            text = b""  # The status is known, which is what counts.
        secrets = [self._api_key, *self._connector.secrets()]
        return service_error(answer.status, text, asked, secrets)

    def _stream(self, request: _Written, wire: Wire, answer: Answer) -> Iterator[bytes]:
        try:
            if not answer.has_whole_status:
                raise BadAnswerError(f"the answer is no list: status {answer.status}")
            if request.is_list and answer.content_type != NDJSON:
                raise BadAnswerError("the answer is no list; does a proxy answer?")
            yield from answer.chunks()
        except LOST as lost:
            request.cancel.check()
            raise NoAnswerError(request.origin, reason_of(lost), 1) from lost
        finally:
            self._give_back(request, wire, answer)

    def _wire(self, origin: str, cancel: Cancel) -> Wire:
        while True:
            with self._lock:
                idle = self._idle.get(origin)
                wire = idle.pop() if idle else None
            if wire is None:
                return self._connector.connection(origin, cancel, self._silence_max)
            if wire.is_open():
                wire.begin(cancel, self._silence_max)
                return wire
            wire.close()

    def _give_back(self, request: _Written, wire: Wire, answer: Optional[Answer]) -> None:
        wire.end()
        if answer is not None and answer.reusable and not request.cancel.cancelled:
            with self._lock:
                self._idle.setdefault(request.origin, []).append(wire)
        else:
            wire.close()

    def _written(self, sending: Sending, tries_max: int) -> _Written:
        """Raises InvalidArgumentError for what cannot be sent."""
        method, path = path_to(sending.operation, sending.places)
        cancel = cancel_of(sending.cancel)
        headers = dict(sending.headers)
        body = sending.body
        if body is not None and not isinstance(body, bytes):
            headers["Content-Type"] = "application/json"
            body = to_json(body)
        if sending.link is not None:
            origin, path = address_of("link", sending.link)
        else:
            origin = self._origin
            headers["X-Api-Key"] = self._api_key
            query = urlencode(query_of(sending.query))
            path = self._path + path + (f"?{query}" if query else "")
        counted = sending.operation in COUNTED
        paced = counted and tries_max > 1 and self._retry_max > 0
        return _Written(
            origin=origin,
            method=method,
            path=path or "/",
            headers=headers,
            body=body,
            counted=counted,
            paced=paced,
            cancel=cancel or Cancel(),
            can_end=cancel is not None,
            is_list=sending.operation in ROWS,
        )

    def _head(self, request: _Written) -> bytes:
        """RFC 9112, 3."""
        target = self._connector.target(request.origin, request.path)
        headers = {
            "Host": request.origin.split("://")[1],
            "Accept-Encoding": "identity",
            **self._connector.headers(request.origin),
            **request.headers,
        }
        if request.body is not None or request.method != "GET":
            headers["Content-Length"] = str(len(request.body or b""))
        lines = [f"{request.method} {target} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        return "\r\n".join([*lines, "", ""]).encode("ascii")


class _Held(Exception):
    """The key's window was used up before the request was sent."""
