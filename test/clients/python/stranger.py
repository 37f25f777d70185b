"""A server that says byte by byte what a test wants, and tests of what comes of that."""

import contextlib
import socket
import threading
import time
import unittest

from intaglio_client import Intaglio, IntaglioError

KEY = 'ik_of"a/test'
PDF = b"%PDF-1.7 of a test\n%%EOF\n"
OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n"
JSON = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
DATA = {"customer": "a secret"}
# Less than any wait that is not meant.
SOON = 8.0


class Stranger:
    """A server that gives each connection to `answer`, and counts the requests."""

    def __init__(self, answer):
        self._answer = answer
        self._server = socket.create_server(("127.0.0.1", 0))
        self._open = []
        self.requests = 0
        self.url = "http://127.0.0.1:%d" % self._server.getsockname()[1]

    def __enter__(self):
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_):
        for one in [self._server, *self._open]:
            # The thread that accepts or receives wakes.
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _serve(self):
        with contextlib.suppress(OSError):
            while True:
                sock, _ = self._server.accept()
                self._open.append(sock)
                threading.Thread(target=self._talk, args=(sock,), daemon=True).start()

    def _talk(self, sock):
        with contextlib.suppress(OSError):
            while read_request(sock):
                self.requests += 1
                self._answer(sock)


def read_request(sock):
    """Reads a request with its body; false: the client has left."""
    text = b""
    while b"\r\n\r\n" not in text:
        more = sock.recv(65_536)
        if not more:
            return False
        text += more
    head, _, body = text.partition(b"\r\n\r\n")
    lengths = [line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    while lengths and len(body) < int(lengths[0].split(b":")[1]):
        body += sock.recv(65_536)
    return True


def says(*pieces):
    return lambda sock: [sock.sendall(piece) for piece in pieces]


def says_and_leaves(*pieces):
    def answer(sock):
        says(*pieces)(sock)
        sock.shutdown(socket.SHUT_RDWR)

    return answer


def trickles(first, again):
    """Sends `again` until the client leaves."""

    def answer(sock):
        sock.sendall(first)
        while True:
            sock.sendall(again)
            time.sleep(0.05)

    return answer


def sized(head, body):
    return head + b"Content-Length: %d\r\n\r\n" % len(body) + body


class Strangers(unittest.TestCase):
    def client(self, url, **options):
        made = Intaglio(url, KEY, **{"tries_max": 1, **options})
        self.addCleanup(made.close)
        return made

    def ends(self, kind, call):
        """The error of a call that ends soon, in one of the types of the package."""
        start = time.monotonic()
        with self.assertRaises(IntaglioError) as caught:
            call()
        took = time.monotonic() - start
        self.assertLess(took, SOON)
        self.assertIsInstance(caught.exception, kind, str(caught.exception))
        text = f"{caught.exception!r} {vars(caught.exception)!r}"
        for secret in (KEY, "a secret", "p:ss"):
            self.assertNotIn(secret, text)
        return caught.exception

    def refuses(self, answer, kind, call=None, **options):
        with Stranger(answer) as stranger:
            client = self.client(stranger.url, **options)
            return self.ends(kind, lambda: (call or make)(client))


def make(client):
    return client.generate("letter", DATA)
