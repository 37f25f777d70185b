"""Connections and the heads of answers (RFC 9112). Each wait ends with the call that waits."""

import errno
import os
import queue
import re
import selectors
import socket
import ssl
import threading
import time
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple, Union

from .cancel import Cancel

CHUNK_BYTES = 65_536
# Longest head of an answer; the service's own have less than 1 KB.
_HEAD_BYTES_MAX = 65_536
# Answers such as 102 and 103 that may come before the answer proper (RFC 9110, 15.2).
_INTERIM_MAX = 16
# Seconds between two looks at whether a call that has no connection yet was cancelled.
_STEP = 0.05
# A wait for the network ends a little after the time limit, so that this has then passed.
_LATE = 0.002
_WAIT_MAX = 86_400.0
_STATUS = re.compile(r"HTTP/1\.([01]) ([1-9]\d\d)(?: .*)?")
_CONNECTING = (errno.EINPROGRESS, errno.EWOULDBLOCK, errno.EAGAIN)


class Broken(Exception):
    """What came is no whole answer in HTTP."""


class Wire:
    """A connection. `begin` names the call that uses it: each wait ends when that is cancelled, is out
    of time, or nothing came for `silence_max` seconds."""

    def __init__(self, sock: socket.socket, cancel: Cancel, silence_max: float) -> None:
        self._sock = sock
        # What came and was not read yet begins at `_at`.
        self._buffer = b""
        self._at = 0
        self.begin(cancel, silence_max)

    def begin(self, cancel: Cancel, silence_max: float) -> None:
        self._cancel = cancel
        self._silence_max = silence_max
        self._end = float("inf")
        cancel.watch(self._stop)

    def end(self) -> None:
        """The call does not need the connection any more."""
        self._cancel.forget(self._stop)

    def close(self) -> None:
        self.end()
        self._sock.close()

    def hurry(self) -> None:
        """All that is sent and read from now on has to be done within the silence that is allowed: what
        comes is short, and a stranger may send it byte by byte."""
        self._end = time.monotonic() + self._silence_max

    def calm(self) -> None:
        """Takes `hurry` back: what comes may be long."""
        self._end = float("inf")

    def secure(self, context: ssl.SSLContext, name: str) -> None:
        self._arm()
        self._sock = context.wrap_socket(
            self._sock, server_hostname=name, do_handshake_on_connect=False
        )
        # A cancellation in between found a socket that was none any more.
        self._arm()
        self._sock.do_handshake()

    def send(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            self._arm()
            rest = rest[self._sock.send(rest[:CHUNK_BYTES]) :]

    def read(self, most: int) -> bytes:
        """What has come, at least a byte and at most `most`; empty: the connection ended."""
        if self._at == len(self._buffer):
            return self._receive(min(most, CHUNK_BYTES))
        piece = self._buffer[self._at : self._at + most]
        self._at += len(piece)
        return piece

    def line(self, most: int) -> bytes:
        """The next line without its end (CR LF, or LF). Raises Broken when it has more than `most`
        bytes or does not end."""
        while True:
            end = self._buffer.find(b"\n", self._at)
            if end >= 0 or len(self._buffer) - self._at > most:
                break
            more = self._receive(CHUNK_BYTES)
            if not more:
                raise Broken("the connection was closed before the answer was whole")
            self._buffer = self._buffer[self._at :] + more
            self._at = 0
        if end < 0 or end - self._at > most:
            raise Broken("the answer is no HTTP: its lines are too long")
        line = self._buffer[self._at : end]
        self._at = end + 1
        return line[:-1] if line.endswith(b"\r") else line

    @property
    def empty(self) -> bool:
        """Whether all that came was read."""
        return self._at == len(self._buffer)

    def is_open(self) -> bool:
        """Whether the service has not closed it meanwhile: a closed socket can be read at once."""
        sock = self._sock
        try:
            sock.settimeout(0)
            sock.recv(1) if isinstance(sock, ssl.SSLSocket) else sock.recv(1, socket.MSG_PEEK)
        except (BlockingIOError, ssl.SSLWantReadError):
            return True
        except OSError:
            pass
        return False

    def _receive(self, most: int) -> bytes:
        self._arm()
        more = self._sock.recv(most)
        # A connection that was shut looks like one that ended.
        self._cancel.check()
        return more

    def _arm(self) -> None:
        self._cancel.check()
        rest = min(self._silence_max, self._end - time.monotonic(), self._cancel.left(), _WAIT_MAX)
        if rest <= 0:
            raise socket.timeout
        self._sock.settimeout(rest + _LATE)

    def _stop(self) -> None:
        # Unlike close(), this wakes a thread that waits for the socket. The method of SSLSocket would
        # take the encryption away while that thread reads.
        try:
            socket.socket.shutdown(self._sock, socket.SHUT_RDWR)
        except OSError:
            return  # It was cut already, which is what was wanted.


def connect(host: str, port: int, cancel: Cancel, silence_max: float) -> Wire:
    """A connection to the first address of the host that takes it."""
    end = time.monotonic() + min(silence_max, _WAIT_MAX)
    addresses = _addresses(host, port, cancel, end)
    for number, (family, kind, protocol, _, place) in enumerate(addresses, 1):
        sock = socket.socket(family, kind, protocol)
        try:
            now = time.monotonic()
            # One address that never answers leaves time for the others.
            share = (end - now) / (len(addresses) - number + 1)
            _open(sock, place, cancel, now + share)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return Wire(sock, cancel, silence_max)
        except OSError:
            sock.close()
            if number == len(addresses):
                raise
        except BaseException:
            sock.close()
            raise
    raise OSError(f"{host} has no address")


def _addresses(host: str, port: int, cancel: Cancel, end: float) -> List[Any]:
    """The addresses of a host. The system's search for them cannot be ended: another thread waits."""
    try:
        return socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST
        )
    except OSError:
        pass  # It is a name.
    found: "queue.SimpleQueue[Union[List[Any], OSError]]" = queue.SimpleQueue()

    def search() -> None:
        try:
            found.put(list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)))
        except OSError as fault:
            found.put(fault)

    threading.Thread(target=search, daemon=True).start()
    while True:
        try:
            result = found.get(timeout=_STEP)
        except queue.Empty:
            _go_on(cancel, end)
            continue
        if isinstance(result, OSError):
            raise result
        return result


def _open(sock: socket.socket, place: Any, cancel: Cancel, end: float) -> None:
    sock.setblocking(False)
    code = sock.connect_ex(place)
    if code in _CONNECTING:
        with selectors.DefaultSelector() as selector:
            selector.register(sock, selectors.EVENT_WRITE)
            while not selector.select(_STEP):
                _go_on(cancel, end)
        code = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
    if code != 0:
        raise OSError(code, os.strerror(code))


def _go_on(cancel: Cancel, end: float) -> None:
    cancel.check()
    if time.monotonic() > end:
        raise socket.timeout


@dataclass(frozen=True)
class Head:
    """The head of an answer."""

    status: int
    # By their names in small letters.
    headers: Dict[str, str]
    # Whether the connection stays open after the body.
    keeps: bool

    def header(self, name: str) -> str:
        return self.headers.get(name.lower(), "")


def read_head(wire: Wire) -> Head:
    """The head of the answer proper. Raises Broken for what is no HTTP."""
    for _ in range(_INTERIM_MAX):
        head = _one_head(wire)
        if head.status >= 200:
            return head
        if head.status == 101:
            break
    raise Broken("the answer is no HTTP: none follows those of status 1xx")


def _one_head(wire: Wire) -> Head:
    left = _HEAD_BYTES_MAX
    first = wire.line(left).decode("latin-1")
    status = _STATUS.fullmatch(first)
    if status is None:
        raise Broken("the answer is no HTTP")
    if int(status[2]) > 599:
        raise Broken("the answer is no HTTP: its status is none")
    headers: Dict[str, str] = {}
    name = ""
    while line := wire.line(left).decode("latin-1"):
        left -= len(line) + 2
        if left < 0:
            raise Broken("the answer is no HTTP: its head is too long")
        before, colon, value = line.partition(":")
        value = value.strip(" \t")
        if line[0] in " \t" and name:
            # An old way to continue a value (RFC 9112, 5.2).
            headers[name] += f" {line.strip()}"
        elif colon and before.strip():
            name = before.strip().lower()
            headers[name] = f"{headers[name]}, {value}" if name in headers else value
        else:
            raise Broken("the answer is no HTTP: a line of its head is no header")
    said = {token.strip() for token in headers.get("connection", "").lower().split(",")}
    keeps = "close" not in said if status[1] == "1" else "keep-alive" in said
    return Head(int(status[2]), headers, keeps)


def body_length(head: Head) -> Tuple[bool, Optional[int]]:
    """Whether the body comes in chunks, and its length; None: it ends with the connection (RFC 9112,
    6.3). Raises Broken when the head does not say one thing."""
    if head.status in (204, 304):
        return False, 0
    coding = head.headers.get("transfer-encoding")
    if coding is not None:
        if coding.strip().lower() != "chunked":
            raise Broken("the answer is no HTTP: its Transfer-Encoding is unknown")
        return True, None
    said = head.headers.get("content-length")
    if said is None:
        return False, None
    lengths = {length.strip() for length in said.split(",")}
    length = lengths.pop()
    if lengths or re.fullmatch(r"[0-9]{1,20}", length) is None:
        raise Broken("the answer is no HTTP: its Content-Length is no length")
    return False, int(length)
