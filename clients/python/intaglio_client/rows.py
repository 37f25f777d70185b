"""Files of rows, cut into parts."""

from typing import BinaryIO, Iterator, List, Tuple

from .arguments import Path, path_of
from .errors import FileError

# Size of a part; the service takes 16 MB.
PART_BYTES = 8 * 1024**2
_MARK = b"\xef\xbb\xbf"


def parts_of(path: Path, csv: bool) -> Iterator[Tuple[bytes, int]]:
    """Cuts a file in UTF-8 into parts at the ends of rows, each with the line on which its rows
    begin. The same file is always cut in the same way, so an upload that was interrupted goes on.
    Raises FileError."""
    name = path_of(path)
    try:
        with open(name, "rb") as file:
            yield from _cut(file, csv)
    except OSError as fault:
        raise FileError(name, f"cannot be read: {fault.strerror}") from fault


def _cut(file: BinaryIO, csv: bool) -> Iterator[Tuple[bytes, int]]:
    if file.read(len(_MARK)) != _MARK:
        file.seek(0)
    header = _row(file, csv) if csv else b""
    line = 1 + header.count(b"\n")
    rows: List[bytes] = []
    first, length = line, 0
    while row := _row(file, csv):
        rows.append(row)
        length += len(row)
        line += row.count(b"\n")
        if length >= PART_BYTES:
            yield header + b"".join(rows), first
            rows, first, length = [], line, 0
    if rows:
        yield header + b"".join(rows), first


def _row(file: BinaryIO, csv: bool) -> bytes:
    """A row with its end; a line feed inside quotes is not one. Empty: there is none."""
    row = file.readline()
    # A row that ends inside quotes goes on; quotes inside quotes are doubled.
    while csv and row.count(b'"') % 2 == 1:
        more = file.readline()
        if not more:
            break
        row += more
    return row
