"""Draws HTML from standard input: a line with the byte count, then the bytes; answers likewise."""

import logging
import sys

import weasyprint
from weasyprint.text.fonts import FontConfiguration

logging.getLogger("weasyprint").setLevel(logging.CRITICAL)
out = sys.stdout.buffer


def answer(body: bytes) -> None:
    out.write(b"%d\n" % len(body))
    out.write(body)
    out.flush()


def read() -> str:
    size = sys.stdin.buffer.readline()
    return sys.stdin.buffer.read(int(size)).decode() if size else ""


answer(weasyprint.__version__.encode())
fonts = FontConfiguration()
style = weasyprint.CSS(string=read(), font_config=fonts)
while html := read():
    document = weasyprint.HTML(string=html)
    answer(document.write_pdf(stylesheets=[style], font_config=fonts))
