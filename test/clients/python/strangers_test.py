"""What strangers between client and service may send."""

import contextlib
import json
import os
import pickle
import socket
import tempfile
import threading
import time
import unittest
import urllib.parse
from unittest import mock

from intaglio_client import (
    BadAnswerError,
    Cancel,
    Cancelled,
    NoAnswerError,
    NoDocumentError,
    ServiceError,
)
from stranger import (
    DATA,
    JSON,
    KEY,
    OK,
    PDF,
    SOON,
    Stranger,
    Strangers,
    make,
    says,
    says_and_leaves,
    sized,
    trickles,
)


class Time(Strangers):
    """Nothing that trickles outlasts a time limit, a cancellation or the silence that is allowed."""

    def phases(self):
        junk = b"X-A: b\r\n"
        return {
            "head": trickles(b"HTTP/1.1 200 OK\r\n", junk),
            "status": trickles(b"", b"H"),
            "interim": trickles(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
            "body": trickles(OK + b"Content-Length: 9999\r\n\r\n%PDF-", b" "),
            "body to the end": trickles(OK + b"Connection: close\r\n\r\n%PDF-", b" "),
            "chunk": trickles(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"5\r\n%PDF-\r\n"),
            "chunk size": trickles(OK + b"Transfer-Encoding: chunked\r\n\r\n5", b";"),
            "trailer": trickles(OK + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"a: b\r\n"),
            "refusal": trickles(b"HTTP/1.1 400 No\r\nContent-Length: 9999\r\n\r\n{", b" "),
        }

    def test_a_time_limit_ends_each_phase(self):
        for name, answer in self.phases().items():
            if name == "interim":
                continue  # Their number is bounded: the call may end before its limit.
            with self.subTest(name), Stranger(answer) as stranger:
                client = self.client(stranger.url)
                cancel = Cancel(timeout=0.6)
                self.ends(Cancelled, lambda: client.generate("letter", DATA, cancel=cancel))

    def test_a_cancellation_ends_each_phase(self):
        for name, answer in self.phases().items():
            if name == "interim":
                continue
            with self.subTest(name), Stranger(answer) as stranger:
                client = self.client(stranger.url)
                cancel = Cancel()
                timer = threading.Timer(0.6, cancel.cancel)
                timer.start()
                self.ends(Cancelled, lambda: client.generate("letter", DATA, cancel=cancel))
                timer.join()

    def test_what_is_short_has_to_come_within_the_silence(self):
        for name in ("head", "status", "interim"):
            with self.subTest(name):
                self.refuses(self.phases()[name], NoAnswerError, silence_max=0.6)
        error = self.refuses(self.phases()["refusal"], ServiceError, silence_max=0.6)
        self.assertEqual(error.status, 400)

    def test_a_tunnel_that_trickles(self):
        with Stranger(trickles(b"HTTP/1.1 200 OK\r\n", b"X-A: b\r\n")) as proxy:
            client = self.client("https://127.0.0.1:9", proxy=proxy.url)
            cancel = Cancel(timeout=0.6)
            self.ends(Cancelled, lambda: client.document("d", cancel=cancel))

    def test_a_handshake_that_trickles(self):
        # A record of TLS that is announced with 16 KB, and comes byte by byte.
        server = socket.create_server(("127.0.0.1", 0))

        def serve():
            sock, _ = server.accept()
            with sock, contextlib.suppress(OSError):
                sock.recv(65_536)
                trickles(b"\x16\x03\x03\x3f\xff\x02\x00\x3f\xfb", b"\x00")(sock)

        threading.Thread(target=serve, daemon=True).start()
        client = self.client("https://127.0.0.1:%d" % server.getsockname()[1])
        cancel = Cancel(timeout=0.6)
        self.ends(Cancelled, lambda: client.document("d", cancel=cancel))
        server.close()

    def test_a_name_that_is_searched_for_ever(self):
        def search(host, *rest, flags=0, **more):
            if flags == socket.AI_NUMERICHOST:
                raise socket.gaierror(8, "not a number")
            time.sleep(SOON + 1)
            raise socket.gaierror(8, "not known")

        with mock.patch("socket.getaddrinfo", search):
            client = self.client("http://documents.bank.example")
            cancel = Cancel(timeout=0.4)
            self.ends(Cancelled, lambda: client.document("d", cancel=cancel))

    def test_a_call_that_waits_for_its_turn(self):
        with Stranger(trickles(OK + b"Content-Length: 9999\r\n\r\n%PDF-", b" ")) as stranger:
            client = self.client(stranger.url, connections_max=1)
            other = Cancel()
            args = ("letter", DATA)
            thread = threading.Thread(
                target=lambda: self.ends(Cancelled, lambda: client.generate(*args, cancel=other))
            )
            thread.start()
            time.sleep(0.2)
            cancel = Cancel(timeout=0.4)
            self.ends(Cancelled, lambda: client.generate(*args, cancel=cancel))
            other.cancel()
            thread.join()


    def test_windows_that_others_use_up_do_not_count(self):
        body = b'{"error":"No.","code":"rate_limited","requestId":"r"}'
        limited = sized(b"HTTP/1.1 429 No\r\nRetry-After: 1\r\n", body)
        answers = iter([limited, limited, sized(OK, PDF)])
        with Stranger(lambda sock: sock.sendall(next(answers))) as stranger:
            client = self.client(stranger.url, tries_max=3, retry_max=1.5)
            self.assertEqual(make(client).content, PDF)
        error = self.refuses(says(limited), ServiceError, tries_max=2, retry_max=1.5)
        self.assertIn("given up after 2 tries: tries_max allows no more", str(error))


class Framing(Strangers):
    """What HTTP does not allow is taken for no answer."""

    def test_lengths_that_are_none(self):
        for length in (b"-5", b"abc", b"5, 7", b"5\r\nContent-Length: 7", b"", b"0x1c", b"1_0"):
            with self.subTest(length):
                head = OK + b"Content-Length: " + length + b"\r\n\r\n"
                self.refuses(says_and_leaves(head + PDF), NoAnswerError)

    def test_chunks_that_are_none(self):
        head = OK + b"Transfer-Encoding: chunked\r\n\r\n"
        for size in (b"-5", b"+5", b"0x5", b"5_0", b"", b"zz", b"f" * 17):
            with self.subTest(size):
                body = size + b"\r\n" + PDF + b"\r\n0\r\n\r\n"
                self.refuses(says_and_leaves(head + body), NoAnswerError)
        for body in (b"5\r\n%PDF-1.7", b"19\r\n" + PDF, b"19\r\n" + PDF + b"\r\n0\r\n"):
            with self.subTest(body):
                self.refuses(says_and_leaves(head + body), NoAnswerError)

    def test_heads_that_are_none(self):
        rest = b"Content-Type: application/pdf\r\n\r\n" + PDF
        for head in (
            b"HTTP/2 200 OK\r\n",
            b"HTTP/1.1 20 OK\r\n",
            b"HTTP/1.1 101 Switching\r\n",
            b"SSH-2.0-OpenSSH\r\n",
            b"HTTP/1.1 200 OK\r\nno header\r\n",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n",
            b"HTTP/1.1 200 OK\r\n" + b"X-A: b\r\n" * 9_000,
            b"HTTP/1.1 200 OK\r\nX-A: " + b"b" * 70_000 + b"\r\n",
            b"HTTP/1.1 103 Early\r\n\r\n" * 20 + b"HTTP/1.1 200 OK\r\n",
        ):
            with self.subTest(head[:40]):
                self.refuses(says_and_leaves(head + rest), NoAnswerError)

    def test_interim_answers_are_passed_over(self):
        early = b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
        with Stranger(says(early + sized(OK, PDF))) as stranger:
            self.assertEqual(make(self.client(stranger.url)).content, PDF)

    def test_chunks_with_extensions_and_trailers(self):
        body = b"5;a=b\r\n%PDF-\r\n14\r\n1.7 of a test\n%%EOF\n\r\n0\r\nX-A: b\r\n\r\n"
        with Stranger(says(OK + b"Transfer-Encoding: Chunked\r\n\r\n" + body)) as stranger:
            client = self.client(stranger.url)
            for _ in range(2):
                self.assertEqual(make(client).content, PDF)
            self.assertEqual(stranger.requests, 2)

    def test_what_follows_an_answer_is_not_the_next_answer(self):
        swapped = sized(OK, b"%PDF-1.7 of a stranger\n%%EOF\n")
        with Stranger(says(sized(OK, PDF) + swapped)) as stranger:
            client = self.client(stranger.url)
            for _ in range(3):
                self.assertEqual(make(client).content, PDF)

    def test_a_part_that_nobody_asked_for(self):
        part = OK.replace(b"200 OK", b"206 Partial")
        self.refuses(says(sized(part, PDF)), NoDocumentError)
        self.refuses(says(sized(part, PDF)), NoDocumentError, lambda client: client.download("d"))
        record = sized(JSON.replace(b"200 OK", b"206 Partial"), b'{"documentId":"d"}')
        self.refuses(says(record), BadAnswerError, lambda client: client.document("d"))
        self.refuses(says(record), BadAnswerError, lambda client: [*client.runs.manifest("r")])

    def test_what_follows_a_document(self):
        page = PDF + b"<html>Sign in</html>"
        self.refuses(says(sized(OK, page)), NoDocumentError)
        archive = OK.replace(b"pdf", b"zip")
        for tail in (b"<html>", b"\x00" * 40):
            body = b"PK\x05\x06" + b"\x00" * 18 + tail
            with self.subTest(tail), tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "a.zip")
                call = lambda client, path=path: client.runs.zip_to_file("r", path)  # noqa: E731
                self.refuses(says(sized(archive, body)), NoDocumentError, call)
                self.assertEqual(os.listdir(folder), [])


class Words(Strangers):
    def test_a_proxy_that_wants_a_password(self):
        answer = says(b"HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n")
        error = self.refuses(answer, ServiceError)
        self.assertRegex(str(error), r"^status 407: the proxy wants a name and a password .*proxy=")
        with Stranger(answer) as proxy:
            client = self.client("https://127.0.0.1:9", proxy=proxy.url, tries_max=3)
            error = self.ends(NoAnswerError, lambda: client.document("d"))
            self.assertEqual(proxy.requests, 1)
        said = r"after 1 try: the proxy answered with status 407: the proxy wants"
        self.assertRegex(str(error), said)

    def test_a_handshake_that_the_service_refuses(self):
        alert = lambda code: b"\x15\x03\x03\x00\x02\x02" + bytes([code])  # noqa: E731
        for name, said, words, tries in (
            ("no certificate", alert(116), "certificate of the client.*load_cert_chain", 1),
            ("bad certificate", alert(42), "certificate of the client.*load_cert_chain", 1),
            ("unknown authority", alert(48), "certificate of the client.*load_cert_chain", 1),
            ("handshake failure", alert(40), "certificate of the client.*load_cert_chain", 2),
            ("http", b"HTTP/1.1 400 Bad Request\r\n\r\n", "no TLS.*http://", 1),
        ):
            server = socket.create_server(("127.0.0.1", 0))
            self.addCleanup(server.close)

            def serve(server=server, said=said):
                with contextlib.suppress(OSError):
                    while True:
                        sock, _ = server.accept()
                        with sock:
                            sock.recv(65_536)
                            sock.sendall(said)

            threading.Thread(target=serve, daemon=True).start()
            with self.subTest(name):
                client = self.client("https://127.0.0.1:%d" % server.getsockname()[1], tries_max=2)
                error = self.ends(NoAnswerError, lambda: make(client))
                self.assertRegex(str(error), words)
                self.assertEqual(error.tries, tries)

    def test_echoes_of_the_key_and_of_the_password(self):
        secrets = (KEY, "p:ss")
        for form in (str, json.dumps, lambda text: urllib.parse.quote(text, safe="")):
            said = " ".join(form(secret) for secret in secrets)
            body = json.dumps({"error": said, "code": "odd", "requestId": said}).encode()
            answer = says(sized(b"HTTP/1.1 400 No\r\n", body))
            with Stranger(answer) as stranger:
                proxy = stranger.url.replace("//", "//a%20user:p%3Ass@")
                client = self.client("http://documents.bank.example", proxy=proxy)
                error = self.ends(ServiceError, lambda: make(client))
                self.assertIn("…", str(error))
                self.assertIn("…", error.request_id)

    def test_refusals_of_odd_shapes(self):
        for body in (
            json.dumps({"error": "x", "code": KEY}).encode(),
            b'{"error":"x","code":"No code."}',
            b"[1]",
            b"null",
            b'{"error":{"a":1},"code":"x"}',
            b'{"error":"x","code":[]}',
        ):
            with self.subTest(body):
                answer = says(sized(b"HTTP/1.1 418 No\r\n", body))
                self.assertEqual(self.refuses(answer, ServiceError).code, "unknown")

    def test_refusals_that_break_off_keep_their_status(self):
        head = b"HTTP/1.1 400 No\r\nContent-Length: 99\r\n\r\n{"
        error = self.refuses(says_and_leaves(head), ServiceError, tries_max=3)
        self.assertEqual(error.status, 400)

    def test_no_error_is_a_riddle(self):
        answer = says(sized(b"HTTP/1.1 503 No\r\nRetry-After: 1000\r\n", b""))
        error = self.refuses(answer, ServiceError, tries_max=5, retry_max=7.5)
        self.assertIn("the service asks to wait 1000 s; retry_max allows 7.5 s", str(error))
        busy = says(sized(b"HTTP/1.1 503 No\r\n", b""))
        error = self.refuses(busy, ServiceError, tries_max=2)
        self.assertIn("given up after 2 tries: tries_max allows no more", str(error))
        error = self.refuses(busy, ServiceError, tries_max=99, retry_max=0.5)
        allowed = "retry_max allows no try later than 0.5 s after the call"
        self.assertRegex(str(error), rf"given up after \d tries: {allowed}$")


    def test_errors_reach_another_process(self):
        body = json.dumps({"error": "No.", "code": "bad_request", "requestId": "r"}).encode()
        error = self.refuses(says(sized(b"HTTP/1.1 400 No\r\n", body)), ServiceError)
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((type(again), str(again)), (ServiceError, str(error)))
        self.assertEqual((again.status, again.code, again.request_id), (400, "bad_request", "r"))


class Records(Strangers):
    """A proxy's JSON is no record, and no page without an end."""

    def test_records_of_strangers(self):
        calls = {
            "get": lambda client: client.runs.get("r"),
            "create": lambda client: client.runs.create({"templateId": "t", "idField": "i"}),
            "start": lambda client: client.runs.start("r"),
            "watch": lambda client: [*client.runs.watch("r")],
            "follow": lambda client: [*client.runs.follow("r")],
            "upload": lambda client: client.runs.upload("r", __file__),
            "put": lambda client: client.runs.put_part("r", 1, "{}"),
        }
        bodies = (
            b'{"status":"ok"}',
            b'{"runId":"r","state":"running","counts":[],"dryRun":1}',
            b'{"parts":[1],"rows":[]}',
            b"[]",
        )
        other = says(sized(JSON, b'{"documentId":"another"}'))
        self.refuses(other, BadAnswerError, lambda client: client.document("d"))
        for name, call in calls.items():
            for body in bodies:
                said = b"data: " + body + b"\n" if name == "follow" else body
                with self.subTest(f"{name} {body!r}"):
                    self.refuses(says(sized(JSON, said)), BadAnswerError, call)

    def test_pages_without_an_end(self):
        body = b'{"rows":[{"part":1}],"runs":[{}],"next":"1:2","parts":[]}'
        for call in (
            lambda client: [*client.runs.exceptions("r")],
            lambda client: [*client.runs.list_all()],
        ):
            self.refuses(says(sized(JSON, body)), BadAnswerError, call)


if __name__ == "__main__":
    unittest.main()
