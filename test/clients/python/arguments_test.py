"""What programs get wrong: it is named before anything is sent."""

import datetime
import decimal
import hashlib
import json
import os
import socket
import stat
import tempfile
import types
import unittest

from intaglio_client import Cancel, FileError, Intaglio
from stranger import DATA, JSON, KEY, OK, PDF, Stranger, Strangers, says, sized


class Arguments(Strangers):
    def refused(self, call, argument):
        with Stranger(says(sized(OK, PDF))) as stranger:
            client = self.client(stranger.url)
            error = self.ends(ValueError, lambda: call(client))
            self.assertEqual(error.argument, argument)
            self.assertTrue(str(error).startswith(argument))
            self.assertEqual(stranger.requests, 0)
            str(error).encode()

    def test_data(self):
        around = {}
        around["list"] = [around]
        deep = []
        for _ in range(100_000):
            deep = [deep]
        wrong = {
            "data.x": [
                float("nan"),
                decimal.Decimal("Infinity"),
                10**5000,
                decimal.Decimal("1e999999999"),
                decimal.Decimal("1e-999999999"),
                "\ud800",
                object(),
                {1},
                b"a",
                datetime.datetime(2026, 11, 28),
                1j,
                {(1, 2): 1},
                {float("nan"): 1},
                {"\ud800": 1},
            ],
            "data.x[1]": [[0, float("inf")], (0, "a\udfff")],
            "data.x.list[0]": [around],
            "data": [deep],
        }
        for place, values in wrong.items():
            for number, value in enumerate(values):
                with self.subTest(f"{place} {number}"):
                    self.refused(lambda client: client.generate("letter", {"x": value}), place)

    def test_data_that_can_be_sent(self):
        data = {
            "amount": decimal.Decimal("1250.50"),
            "day": datetime.date(2026, 11, 28),
            "map": types.MappingProxyType({"a": (1, None, True)}),
            "thai": "สมชาย \x00 \U0001f600",
            "huge": 10**300,
        }
        with Stranger(says(sized(OK, PDF))) as stranger:
            self.assertEqual(self.client(stranger.url).generate("letter", data).content, PDF)

    def test_ids(self):
        for value in ("", ".", "..", "a\0", "a\nb", "\ud800", None, 1.5, -1, b"a", True):
            with self.subTest(repr(value)):
                self.refused(lambda client: client.document(value), "document_id")
                self.refused(lambda client: client.download(value), "document_id")
                self.refused(lambda client: client.field_contract(value), "template_id")
                self.refused(lambda client: client.runs.get(value), "run_id")
                # At the call, not when the first row is asked for.
                for name in ("manifest", "exceptions", "parts", "watch", "follow"):
                    self.refused(lambda client: getattr(client.runs, name)(value), "run_id")
                self.refused(lambda client: client.runs.print_index("r", value), "number")
                self.refused(lambda client: client.runs.put_part("r", value, "{}"), "part")

    def test_paths(self):
        for value in ("", "a\0.pdf", "\ud800.pdf", None, 5):
            with self.subTest(repr(value)):
                self.refused(lambda client: client.generate_to_file("letter", DATA, value), "path")
                self.refused(lambda client: client.download_to_file("d", value), "path")
                self.refused(lambda client: client.runs.upload("r", value), "path")
                self.refused(lambda client: client.verify_file(value), "path")
        with Stranger(says(sized(OK, PDF))) as stranger:
            self.ends(FileError, lambda: self.client(stranger.url).verify_file("/none/a.pdf"))

    def test_a_long_name_of_a_file(self):
        with Stranger(says(sized(OK, PDF))) as stranger, tempfile.TemporaryDirectory() as folder:
            name = "a" * 251 + ".pdf"
            self.client(stranger.url).download_to_file("d", os.path.join(folder, name))
            self.assertEqual(os.listdir(folder), [name])

    def test_other_arguments(self):
        put = lambda **given: lambda client: client.runs.put_part("r", 1, **given)  # noqa: E731
        key = {"idempotency_key": "a\r\nb"}
        for call, argument in (
            (lambda client: client.store("letter", DATA, **key), "idempotency_key"),
            (lambda client: client.store("letter", DATA, idempotency_key=""), "idempotency_key"),
            (lambda client: client.store("letter", DATA, idempotency_key="ä"), "idempotency_key"),
            (lambda client: client.runs.create({}, **key), "idempotency_key"),
            (lambda client: client.verify("xyz"), "sha256"),
            (lambda client: client.verify_reference(None), "reference"),
            (lambda client: client.download("d", sha256="xyz"), "sha256"),
            (lambda client: client.fetch_link("http://a/", sha256="xyz"), "sha256"),
            (put(rows="\ud800"), "rows"),
            (put(rows=None), "rows"),
            (put(rows="{}", row_format="xml"), "row_format"),
            (lambda client: client.runs.manifest("r", outcome="\ud800"), "outcome"),
            (lambda client: client.generate("\ud800", DATA), "template_id"),
            (lambda client: client.generate(None, DATA), "template_id"),
            (lambda client: client.store("letter", None), "data"),
            (lambda client: client.store("letter", [1]), "data"),
            (lambda client: client.generate("t", DATA, options={"a": {1}}), "options.a"),
        ):
            with self.subTest(argument):
                self.refused(call, argument)

    def test_what_is_no_cancel(self):
        for value in ("x", "", True, False, 5, 0, 0.5, {}, Cancel):
            with self.subTest(repr(value)):
                end = {"cancel": value}
                self.refused(lambda client: client.generate("letter", DATA, **end), "cancel")
                self.refused(lambda client: client.store("letter", DATA, **end), "cancel")
                self.refused(lambda client: client.identities.list(**end), "cancel")
                self.refused(lambda client: client.runs.upload("r", __file__, **end), "cancel")
                # At the call, not when the first row is asked for.
                for name in ("manifest", "exceptions", "parts", "watch", "follow"):
                    call = lambda client: getattr(client.runs, name)("r", **end)  # noqa: E731
                    self.refused(call, "cancel")
                self.refused(lambda client: client.runs.list_all(**end), "cancel")

    def test_rows_to_withdraw(self):
        for value in (None, 0, "..", b"..", {"part": 1, "line": 2}):
            with self.subTest(repr(value)):
                self.refused(lambda client: client.runs.withdraw("r", value), "rows")
        for value in (None, 0, "..", [1, 2]):
            with self.subTest(repr(value)):
                rows = [{"part": 1, "line": 2}, value]
                self.refused(lambda client: client.runs.withdraw("r", rows), "rows[1]")

    def test_bodies(self):
        for value in (None, 0, "..", [], lambda: 1):
            with self.subTest(repr(value)):
                self.refused(lambda client: client.runs.create(value), "body")
                self.refused(lambda client: client.identities.sync(value), "body")

    def test_links(self):
        for link in (
            "",
            "/v1/files/x",
            "file:///etc/passwd",
            "http://",
            "http://.a/",
            "http://a b/",
            "http://a:x/",
            "http://a:99999/",
            "http://a/\n",
            "http://a/ä",
            "http://u:p@a/",
            None,
        ):
            with self.subTest(repr(link)):
                self.refused(lambda client: client.fetch_link(link), "link")

    def test_options_of_a_client(self):
        odd = ("", "ftp://a", "http://", "http://a b", "http://a:b", "http://u:p@a", "http://a\n")
        for argument, values in {
            "url": (*odd, None, "http://a/#b", "http://a?b"),
            "api_key": ("", None, "a b", "a\n", "ä", 5),
            "connections_max": (0, -1, 1.5, None, True),
            "tries_max": (0, -1, 1.5, None),
            "silence_max": (0, -1, float("nan"), None, "5"),
            "retry_max": (-1, float("nan"), None),
            "proxy": ("socks://a:p:ss@b", "http://", "http://a:b", "http://a:99999", "\ud800", 5),
            "no_proxy": (None, 5),
            "context": ("x",),
        }.items():
            for value in values:
                with self.subTest(f"{argument} {value!r}"):
                    options = {"url": "http://127.0.0.1:9", "api_key": KEY, argument: value}
                    error = self.ends(ValueError, lambda: Intaglio(**options))
                    self.assertEqual(error.argument, argument)
        error = self.ends(ValueError, lambda: Cancel(timeout=float("nan")))
        self.assertEqual(error.argument, "timeout")

    def test_limits_without_an_end(self):
        with Stranger(says(sized(OK, PDF))) as stranger:
            far = {"silence_max": float("inf"), "retry_max": float("inf")}
            client = self.client(stranger.url, **far)
            cancel = Cancel(timeout=1e12)
            self.assertEqual(client.generate("letter", DATA, cancel=cancel).content, PDF)


class Targets(Strangers):
    """Files that are there already, under the name that a download gets."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def test_what_is_no_regular_file_stays(self):
        os.mkfifo(self.path("fifo"))
        os.mkdir(self.path("folder"))
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(self.path("socket"))
        with open(self.path("file"), "wb"):
            pass
        for name in ("fifo", "folder", "socket"):
            os.symlink(self.path(name), self.path(f"link to {name}"))
        os.symlink("round", self.path("round"))
        before = {name: os.lstat(self.path(name)).st_mode for name in os.listdir(self.folder)}
        names = [*(name for name in before if name != "file"), "folder/.", "folder/..", "file/a.pdf"]
        for name in names:
            with self.subTest(name), Stranger(says(sized(OK, PDF))) as stranger:
                client, path = self.client(stranger.url), self.path(name)
                for call in (
                    lambda: client.generate_to_file("letter", DATA, path),
                    lambda: client.download_to_file("d", path),
                    lambda: client.fetch_link_to_file(stranger.url, path),
                    lambda: client.runs.manifest_to_file("r", path),
                ):
                    error = self.ends(FileError, call)
                    self.assertIn("cannot be written: ", str(error))
                self.assertEqual(stranger.requests, 0)
        after = {name: os.lstat(self.path(name)).st_mode for name in os.listdir(self.folder)}
        self.assertEqual(after, before)

    def test_what_came_while_the_file_was_written_stays(self):
        path = self.path("a.pdf")

        def answer(sock):
            os.mkfifo(path)
            sock.sendall(sized(OK, PDF))

        with Stranger(answer) as stranger:
            client = self.client(stranger.url)
            self.ends(FileError, lambda: client.generate_to_file("letter", DATA, path))
        self.assertTrue(stat.S_ISFIFO(os.lstat(path).st_mode))
        self.assertEqual(os.listdir(self.folder), ["a.pdf"])

    def test_a_file_and_a_link_to_one_are_replaced(self):
        for name in ("old", "read only"):
            with open(self.path(name), "wb") as file:
                file.write(b"old")
        os.chmod(self.path("read only"), 0o400)
        os.symlink("old", self.path("link"))
        os.symlink("none", self.path("link to nothing"))
        with Stranger(says(sized(OK, PDF))) as stranger:
            for name in ("read only", "link", "link to nothing"):
                self.client(stranger.url).generate_to_file("letter", DATA, self.path(name))
                state = os.lstat(self.path(name))
                self.assertEqual(state.st_mode, stat.S_IFREG | 0o600)
                self.assertEqual(state.st_size, len(PDF))
        with open(self.path("old"), "rb") as file:
            self.assertEqual(file.read(), b"old")


class Uploads(Strangers):
    def upload(self, rows, parts):
        """An upload of `rows` to a run that has these parts; the requests that it took."""
        told = [
            {"part": number, "sha256": hashlib.sha256(part).hexdigest(), "bytes": len(part)}
            for number, part in enumerate(parts, 1)
        ]
        list_of_parts = json.dumps({"parts": told}).encode()
        made = json.dumps({"sha256": "f" * 64}).encode()
        answers = iter([sized(JSON, list_of_parts), sized(JSON, made)])
        with tempfile.NamedTemporaryFile() as file:
            file.write(rows)
            file.flush()
            with Stranger(lambda sock: sock.sendall(next(answers))) as stranger:
                client = self.client(stranger.url)
                call = lambda: client.runs.upload("r", file.name, row_format="csv")  # noqa: E731
                try:
                    return call(), stranger.requests
                except FileError as error:
                    return error, stranger.requests

    def test_rows_that_were_added_to_a_file_of_one_part(self):
        for old in (b"id,total\n1,5\n", b"id,total\n1,5"):
            for more in (b"\n2,6\n", b"2,6\n3,7\n"):
                with self.subTest(f"{old} {more}"):
                    others = [b"id,total\n8,5\n", b"id,total\n9,5555555555555555555\n"]
                    error, requests = self.upload(old + more, [others[0], old, others[1]])
                    self.assertIsInstance(error, FileError)
                    self.assertIn("part 2 of the run", str(error))
                    self.assertEqual(requests, 1)

    def test_rows_of_another_file(self):
        parts = [b"id,total\n1,5\n", b"id,total\n"]
        made, requests = self.upload(b"id,total\n3,5\n4,5\n", parts)
        self.assertEqual((made.sent, made.skipped, made.others, requests), (1, 0, 2, 2))


if __name__ == "__main__":
    unittest.main()
