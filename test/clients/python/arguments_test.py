"""What programs get wrong: it is named before anything is sent."""

import datetime
import decimal
import os
import tempfile
import types
import unittest

from intaglio_client import Cancel, FileError, Intaglio
from stranger import DATA, KEY, OK, PDF, Stranger, Strangers, says, sized


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


if __name__ == "__main__":
    unittest.main()
