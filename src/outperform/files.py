"""Files: CSV and Parquet bytes, sniffed and bounded, become a table whose rows know their line."""

from __future__ import annotations

import csv
import os
import stat
import zlib
from collections.abc import Mapping
from gzip import GzipFile
from io import BytesIO
from typing import Any

import numpy as np
import numpy.typing as npt

from . import parquet
from .columns import shown
from .errors import DataError, did_you_mean
from .tables import Table

__all__ = ["LIMITS", "load"]

Offsets = npt.NDArray[np.int64]

LIMITS = {
    "bytes": 2**30,  # of the file, and of what it holds once unpacked
    "rows": 20_000_000,
    "columns": 10_000,
    "field": 10_000,  # bytes in one cell
    "ratio": 100,  # unpacked to packed bytes; counts only beyond HARMLESS
}
HARMLESS = 2**24
SEPARATORS = ",;\t|"
WANTED = "a CSV or Parquet file of scores is needed"
SIGNATURES = {
    b"PK\x03\x04": ("a zip archive or Excel workbook", "Save the sheet as CSV"),
    b"\xd0\xcf\x11\xe0": ("an old Excel workbook", "Save the sheet as CSV"),
    b"\x80": ("a Python pickle, which could run code", "Save the frame with to_csv or to_parquet"),
    b"\xff\xfe": ("UTF-16 text", "Save it as UTF-8"),
    b"\xfe\xff": ("UTF-16 text", "Save it as UTF-8"),
    b"ARROW1": ("an Arrow file", "Save the frame with to_parquet"),
    b"PARE": ("an encrypted Parquet file", "Save it without encryption"),
    b"<": ("HTML or XML", "Download the file itself, not the page about it"),
    b"{": ("JSON", "Save the frame with to_csv"),
    b"[": ("JSON", "Save the frame with to_csv"),
}
CONTROL = bytes({*range(32)} - set(b"\t\n\v\f\r"))


def load(
    path: Any, *, separator: str | None = None, limits: Mapping[str, int] | None = None
) -> Table:
    """Read a file, by what it holds and not by its ending, within `LIMITS`."""
    limit = _limits(limits)
    name = shown(os.fspath(path)) if isinstance(path, str | os.PathLike) else ""
    if not name:
        raise DataError(
            f"a {type(path).__name__} came, not a path; {WANTED}. For a data frame use "
            "Scores.from_frame(frame)"
        )
    data = _contents(path, name, limit)
    if data.startswith(b"PAR1"):
        return parquet.load(data, name, limit)
    if data.startswith(b"\x1f\x8b"):
        data = _unpacked(data, name, limit)
    data = data.removeprefix(b"\xef\xbb\xbf")
    start = data[:1024].lstrip()
    for signature, (what, remedy) in SIGNATURES.items():
        if start.startswith(signature):
            raise DataError(f"{name} holds {what}; {WANTED}. {remedy}")
    if b"\0" in data or start.translate(None, CONTROL) != start:
        raise DataError(f"{name} holds binary data; {WANTED}. Check that it is the file you mean")
    if not start:
        raise DataError(f"{name} is empty; {WANTED}. Check that writing it was finished")
    return _csv(data, name, separator, limit)


def _limits(asked: Mapping[str, int] | None) -> dict[str, int]:
    for key in asked or {}:
        if key not in LIMITS:
            raise DataError(f"there is no limit {key!r}; {did_you_mean(key, LIMITS)}")
    return {**LIMITS, **(asked or {})}


def _within(limit: Mapping[str, int], key: str, value: int, name: str, what: str) -> None:
    if value > limit[key]:
        raise DataError(
            f"{name} {what}, beyond the limit of {limit[key]:,}; a smaller file is needed. If you "
            f"trust it, raise the limit: limits={{{key!r}: {value}}}"
        )


def _contents(path: Any, name: str, limit: Mapping[str, int]) -> bytes:
    try:
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            raise DataError(f"{name} is a directory; {WANTED}. Pass the path of a file in it")
        if not stat.S_ISREG(mode):
            raise DataError(f"{name} is not a regular file; {WANTED}. Save its contents first")
        with open(path, "rb") as file:
            data = file.read(limit["bytes"] + 1)
    except FileNotFoundError:
        raise DataError(
            f"{name} is not there; {WANTED}. Check the path, seen from {shown(os.getcwd())}"
        ) from None
    except PermissionError:
        raise DataError(
            f"{name} may not be read by this user; {WANTED}. Grant access: chmod u+r {name}"
        ) from None
    except (OSError, ValueError) as error:
        raise DataError(f"{name} cannot be read ({error}); {WANTED}. Check the path") from None
    _within(limit, "bytes", len(data), name, "holds more bytes than may be read")
    return data


def _unpacked(data: bytes, name: str, limit: Mapping[str, int]) -> bytes:
    allowed = min(limit["bytes"], max(HARMLESS, limit["ratio"] * len(data)))
    try:
        with GzipFile(fileobj=BytesIO(data)) as stream:
            text = stream.read(allowed + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(
            f"{name} is a damaged gzip file ({error}); {WANTED}. Fetch or write it again"
        ) from None
    key = "bytes" if allowed == limit["bytes"] else "ratio"
    used = len(text) if key == "bytes" or len(text) <= allowed else limit["ratio"] + 1
    _within(limit, key, used, name, f"unpacks to more than {allowed:,} bytes")
    return text


def _csv(data: bytes, name: str, separator: str | None, limit: Mapping[str, int]) -> Table:
    import polars as pl

    try:
        data.decode()
    except UnicodeDecodeError as error:
        raise DataError(
            f"{name}, line {data.count(10, 0, error.start) + 1} holds byte "
            f"0x{data[error.start]:02x}, which is not UTF-8; UTF-8 text is needed. Convert it: "
            "iconv -f latin1 -t utf-8"
        ) from None
    data = data.rstrip(b"\r\n") + b"\n"
    mark = _separator(data, name) if separator is None else separator
    if len(mark) != 1 or not mark.isascii():
        raise DataError(f"separator={mark!r} was asked; one character is needed, such as ','")
    starts, fields, longest = _records(data, ord(mark), name)
    # A line without a cell is no row, unless rows have but one cell.
    kept = np.array([*starts[1:], len(data)]) - starts > 2 if fields.max() > 1 else starts >= 0
    head = int(kept.argmax())
    rows, kept = starts[head + 1 :], kept[head + 1 :]
    _within(limit, "field", longest, name, f"holds a cell of {longest:,} bytes")
    _within(limit, "rows", int(kept.sum()), name, f"holds {kept.sum():,} rows")
    _within(limit, "columns", int(fields[head]), name, f"holds {fields[head]:,} columns")
    body = data[starts[head] :]
    names = _header(body[: (rows[0] if rows.size else len(data)) - starts[head]], mark, name)
    if not kept.any():
        raise DataError(f"{name} has a header but no rows; {WANTED}. Check how it was written")

    def place(row: int) -> str:
        return f"{name}, line {data.count(10, 0, int(rows[kept][row])) + 1}"

    ragged = np.flatnonzero(fields[head + 1 :][kept] != fields[head])
    if ragged.size:
        came = fields[head + 1 :][kept][ragged[0]]
        raise DataError(
            f"{place(int(ragged[0]))} has {came} cells but the header has {fields[head]}; every "
            f"line needs as many. Quote cells that contain {mark!r}, and write decimals with a point"
        )
    try:
        # Cells stay text: names are kept verbatim, numbers are read where they are needed.
        frame = pl.read_csv(body, separator=mark, infer_schema_length=0, new_columns=names)
        frame = frame.filter(pl.Series(kept))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise DataError(
            f"{name} cannot be read as CSV ({shown(error)}); {WANTED}. Check its quotes"
        ) from None
    return Table({column.name: column for column in frame.get_columns()}, place)


def _records(data: bytes, mark: int, name: str) -> tuple[Offsets, Offsets, int]:
    """Return where each record starts, its number of cells, and the length of the longest cell."""
    raw = np.frombuffer(data, dtype=np.uint8)
    quotes = np.flatnonzero(raw == ord('"'))
    if quotes.size % 2:
        raise DataError(
            f"{name}, line {data.count(10, 0, int(quotes[-1])) + 1} holds a quote without its "
            "partner; quotes come in pairs. Double the quotes inside a cell"
        )
    ends = np.flatnonzero((raw == mark) | (raw == ord("\n")))
    ends = ends[np.searchsorted(quotes, ends) % 2 == 0]  # what stands between quotes is text
    last = np.flatnonzero(raw[ends] == ord("\n"))
    starts = np.concatenate([[0], ends[last[:-1]] + 1])
    return starts, np.diff(last, prepend=-1), int(np.diff(ends, prepend=-1).max()) - 1


def _separator(data: bytes, name: str) -> str:
    """Return the separator that cuts the first lines into the most, equally many cells."""
    lines = data[: 2**16].decode(errors="ignore").splitlines()[:20]
    found = []
    for mark in SEPARATORS:
        counts = [len(cells) for cells in csv.reader(lines, delimiter=mark) if cells]
        if counts and counts[0] > 1:
            found.append((len(set(counts)) == 1, counts[0], mark))
    best = max(found, default=(True, 1, ","))
    rivals = [mark for equal, count, mark in found if (equal, count) == best[:2]]
    if len(rivals) > 1:
        raise DataError(
            f"{name} could be cut into cells at {' or '.join(map(repr, rivals))}; one separator is "
            f"needed. Say which: separator={rivals[0]!r}"
        )
    return best[2]


def _header(line: bytes, mark: str, name: str) -> list[str]:
    text = line.decode().rstrip("\r\n")
    if "\r" in text:
        raise DataError(f"{name} has line ends of CR alone; LF or CRLF is needed. Save it again")
    names = next(csv.reader([text], delimiter=mark))
    numbers = [word for word in names if _is_number(word)]
    if len(numbers) == len(names) or any("." in word for word in numbers):
        raise DataError(
            f"{name} starts with {shown(text)}, not with names of columns; a header line is needed. "
            "Add one, such as learner,repeat,fold,score"
        )
    if len(set(names)) < len(names):
        twice = next(word for word in names if names.count(word) > 1)
        raise DataError(
            f"{name} has two columns named {shown(twice)}; every column needs a name of its own. "
            "Rename one"
        )
    return names


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
