"""Files: CSV and Parquet bytes, sniffed and bounded, become a table whose rows know their line."""

from __future__ import annotations

import csv
import os
import re
import stat
from collections.abc import Mapping
from io import BytesIO
from typing import Any

import numpy as np
import numpy.typing as npt

from ..columns import shown
from ..errors import DataError
from . import exported, packed
from .limits import check, limits_with, too_large
from .tables import Table

__all__ = ["contents", "load"]

Offsets = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

SEPARATORS = ",;\t|"
WANTED = "a CSV or Parquet file of scores is needed"
TABLE = "Save a table with a column for each learner: pandas.DataFrame(scores).to_csv('scores.csv')"
SIGNATURES = {
    b"PK\x03\x04": ("a zip archive or Excel workbook", "Save the sheet as CSV"),
    b"\xd0\xcf\x11\xe0": ("an old Excel workbook", "Save the sheet as CSV"),
    b"\x80": ("a Python pickle, which could run code", "Save the frame with to_csv or to_parquet"),
    b"\xff\xfe": ("UTF-16 text", "Save it as UTF-8"),
    b"\xfe\xff": ("UTF-16 text", "Save it as UTF-8"),
    b"ARROW1": ("an Arrow file", "Save the frame with to_parquet"),
    b"PARE": ("an encrypted Parquet file", "Save it without encryption"),
    b"<": (
        "HTML or XML",
        "Download the file itself, not the page about it; if it is a CSV, put the name of its "
        "first column in double quotes",
    ),
    b"{": ("JSON", TABLE),
    b"[": ("JSON", TABLE),
    b"@relation": ("ARFF", "Save it as CSV"),
    b"@RELATION": ("ARFF", "Save it as CSV"),
}
CONTROL = bytes({*range(32)} - set(b"\t\n\v\f\r"))


def load(
    path: Any, *, separator: str | None = None, limits: Mapping[str, int] | None = None
) -> Table:
    """Read a file, by what it holds and not by its ending, within `LIMITS`."""
    limit = limits_with(limits)
    name = repr(str(path))
    if not isinstance(path, str | os.PathLike):
        raise DataError(
            f"a {type(path).__name__} came, not a path; {WANTED}. For a data frame use "
            "Scores.from_frame(frame)"
        )
    data = _contents(path, name, limit)
    if data.startswith(b"PAR1"):
        return _parquet(data, name, limit)
    if data.startswith(packed.GZIPPED):
        data = packed.unpacked(data, name, limit)
    data = data.removeprefix(b"\xef\xbb\xbf")
    start = data[:1024].lstrip()
    for signature, (what, remedy) in SIGNATURES.items():
        if start.startswith(signature):
            raise DataError(f"{name} holds {what}; {WANTED}. {remedy}")
    ours = data.startswith(exported.HEADER)  # whose names may hold anything
    if not ours and (b"\0" in data or start.translate(None, CONTROL) != start):
        raise DataError(f"{name} holds binary data; {WANTED}. Convert it, as UTF-8 text")
    if not start:
        raise DataError(f"{name} is empty; {WANTED}. Check that writing it was finished")
    return _csv(data, name, separator, limit)


def contents(path: Any, *, limits: Mapping[str, int] | None = None) -> bytes:
    """Return the bytes of a regular file, within `LIMITS`."""
    return _contents(path, repr(str(path)), limits_with(limits))


def _contents(path: Any, name: str, limit: Mapping[str, int]) -> bytes:
    try:
        about = os.stat(path)
        data, size = None, about.st_size
        if stat.S_ISREG(about.st_mode):
            with open(path, "rb") as file:
                if size > limit["bytes"]:
                    raise too_large(
                        name,
                        f"holds {size:,} bytes",
                        limit["bytes"],
                        packed.enough(file, size, limit),
                    )
                # No more is asked for than is there: what is asked for is set aside at once.
                data = file.read(size + 1)
    except FileNotFoundError:
        problem, remedy = "is not there", f"Check the path, seen from {shown(os.getcwd())}"
    except PermissionError:
        problem, remedy = "may not be read by this user", f"Grant access: chmod u+r {name}"
    except DataError:
        raise
    except (OSError, ValueError) as error:
        problem, remedy = f"cannot be read ({error})", "Check the path"
    else:
        if data is not None:
            return data
        what = "a directory" if stat.S_ISDIR(about.st_mode) else "not a regular file"
        problem, remedy = f"is {what}", "Pass the path of a file"
    raise DataError(f"{name} {problem}; {WANTED}. {remedy}")


def _parquet(data: bytes, name: str, limit: Mapping[str, int]) -> Table:
    import polars as pl

    try:
        check(limit, name, packed.claims(data, len(data)))
        frame = pl.read_parquet(BytesIO(data))
    except DataError:
        raise
    except (ValueError, OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise DataError(
            f"{name} is a damaged Parquet file ({shown(error)}); {WANTED}. Write it again"
        ) from None
    if not frame.height:
        raise DataError(f"{name} has columns but no rows; {WANTED}. Check how it was written")
    for column in frame.get_columns():
        if column.dtype == pl.String:
            longest = int(column.str.len_bytes().max() or 0)  # type: ignore[arg-type]  # a number here
            check(limit, name, {"field": (longest, f"holds a cell of {longest:,} bytes")})
    columns = {column.name: column for column in frame.get_columns()}
    place = lambda row: f"{name}, row {row} (counted from 0)"  # noqa: E731
    return Table(columns, place, limit["scores"])


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
    if len(mark) != 1 or not mark.isascii() or mark in '"\r\n':
        raise DataError(f"separator={mark!r} was asked; one character is needed, such as ','")
    lines, marks = data.count(b"\n"), data.count(mark.encode())
    if lines + marks > limit["cells"]:  # before anything is set aside for each of them
        found = {"cells": (lines + marks, f"holds {lines + marks:,} cells")}
        check(limit, name, {**found, "rows": (lines, "")})
    starts, fields, blank, longest = _records(data, ord(mark), name)
    # A line without a cell is no row, unless rows have but one cell.
    kept = ~blank if fields.max() > 1 else np.ones_like(blank)
    head = int(kept.argmax())
    rows, kept = starts[head + 1 :], kept[head + 1 :]
    n_rows, width = int(kept.sum()), int(fields[head])
    found = {
        "field": (longest, f"holds a cell of {longest:,} bytes"),
        "rows": (n_rows, f"holds {n_rows:,} rows"),
        "columns": (width, f"holds {width:,} columns"),
    }
    check(limit, name, found)
    body = data[starts[head] :]
    end = (rows[0] if rows.size else len(data)) - starts[head]
    names = _header(body[:end], mark, int(fields[head]), name)
    if not kept.any():
        raise DataError(f"{name} has a header but no rows; {WANTED}. Check how it was written")

    def place(row: int) -> str:
        return f"{name}, line {data.count(10, 0, int(rows[kept][row])) + 1}"

    ragged = np.flatnonzero(fields[head + 1 :][kept] != fields[head])
    if ragged.size:
        came = fields[head + 1 :][kept][ragged[0]]
        raise DataError(
            f"{place(int(ragged[0]))} has {came} cells but the header has {fields[head]}; every "
            f"line needs as many. Quote cells that contain {mark!r}; write decimals with a point"
        )
    try:
        # Cells stay text: names are kept verbatim, numbers are read where they are needed.
        frame = pl.read_csv(body, separator=mark, infer_schema_length=0, new_columns=names)
        frame = exported.unquoted(frame.filter(pl.Series(kept)))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise DataError(
            f"{name} cannot be read as CSV ({shown(error)}); {WANTED}. Check its quotes"
        ) from None
    return Table({column.name: column for column in frame.get_columns()}, place, limit["scores"])


def _records(data: bytes, mark: int, name: str) -> tuple[Offsets, Offsets, Flags, int]:
    """Return where each record starts, its number of cells, if blank, and the longest cell."""
    raw = np.frombuffer(data, dtype=np.uint8)
    quotes = np.flatnonzero(raw == ord('"'))
    if quotes.size % 2:
        raise DataError(
            f"{name}, line {data.count(10, 0, int(quotes[-1])) + 1} holds a quote without its "
            "partner; quotes come in pairs. Double the quotes inside a cell"
        )
    returns = np.flatnonzero((raw[:-1] == ord("\r")) & (raw[1:] != ord("\n")))
    returns = returns[np.searchsorted(quotes, returns) % 2 == 0]
    if returns.size:
        raise DataError(
            f"{name}, line {data.count(10, 0, int(returns[0])) + 1} holds a CR without LF; lines "
            "end with LF or CRLF, and cells with CR stand in quotes. Save it again"
        )
    ends = np.flatnonzero((raw == mark) | (raw == ord("\n")))
    ends = ends[np.searchsorted(quotes, ends) % 2 == 0]  # what stands between quotes is text
    last = np.flatnonzero(raw[ends] == ord("\n"))
    starts = np.concatenate([[0], ends[last[:-1]] + 1])
    blank = (raw[starts] == ord("\n")) | ((raw[starts] == ord("\r")) & (ends[last] == starts + 1))
    return starts, np.diff(last, prepend=-1), blank, int(np.diff(ends, prepend=-1).max()) - 1


def _separator(data: bytes, name: str) -> str:
    """Return the separator that cuts the first lines into the most, equally many cells."""
    text = re.sub('"[^"]*"', "", data[: 2**16].decode(errors="ignore"))
    lines = [line for line in text.split("\n") if line.strip("\r")][:20]
    found = []
    for mark in SEPARATORS:
        counts = [line.count(mark) + 1 for line in lines]
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


def _header(line: bytes, mark: str, width: int, name: str) -> list[str]:
    text = line.decode().rstrip("\r\n")
    try:
        names = next(csv.reader([text], delimiter=mark))
    except csv.Error:
        names = []
    if len(names) != width:
        raise DataError(f"{name} has stray quotes in its header; {WANTED}. Check its quotes")
    numbers = [word for word in names if _is_number(word)]
    if len(numbers) == len(names) or any("." in word for word in numbers):
        raise DataError(
            f"{name} starts with {shown(text)}, not with names of columns; a header is needed. "
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
