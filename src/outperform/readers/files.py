"""Files: bounded before they are read, and known by what they hold, they become tables."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Mapping
from contextlib import suppress
from io import BytesIO
from typing import Any

from ..errors import DataError
from . import arff, json_files, own_files, workbooks
from .column_names import shown
from .csv_files import read_csv
from .limits import (
    GZIPPED,
    LIMITS,
    PIECE,
    WANTED,
    bounded_table,
    check,
    enough,
    limits_with,
    parquet_size,
    too_large,
    unpacked,
)
from .score_table import ScoreTable

__all__ = ["LIMITS", "contents", "load", "named_file", "table_in"]

STANDARD_INPUT = "-"
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
SIGNATURES = {
    b"\xd0\xcf\x11\xe0": ("an old Excel workbook", "Save it as .xlsx or CSV"),
    b"\x80": ("a Python pickle, which could run code", "Save the frame with to_csv or to_parquet"),
    **dict.fromkeys(UTF_16, ("damaged UTF-16 text", "Save it as UTF-8")),
    b"ARROW1": ("an Arrow file", "Save the frame with to_parquet"),
    b"PARE": ("an encrypted Parquet file", "Save it without encryption"),
    b"<": (
        "HTML or XML",
        "Download the file itself, not the page about it; if it is a CSV, put the name of its "
        "first column in double quotes",
    ),
}
# A CSV may begin with {'C': 1} or [3], as tables of searched settings do.
JSON = re.compile(rb'[\s]*(\{\s*["}]|\[(?![^\[\]\n]*\],))')
CONTROL = bytes({*range(32)} - set(b"\t\n\v\f\r"))


def load(
    path: Any, *, separator: str | None = None, limits: Mapping[str, int] | None = None
) -> ScoreTable:
    """Read a file, by what it holds and not by its ending, within `LIMITS`."""
    data = contents(path, limits=limits)
    return table_in(data, named_file(path), separator=separator, limits=limits)


def table_in(
    data: bytes,
    name: str,
    *,
    separator: str | None = None,
    sheet: str | None = None,
    limits: Mapping[str, int] | None = None,
) -> ScoreTable:
    """Return the table that the bytes of a file are, whatever its format."""
    limit = limits_with(limits)
    if data.startswith(b"PAR1"):
        return _parquet(data, name, limit)
    if data.startswith(workbooks.ZIPPED):
        return workbooks.read(data, name, sheet, limit)
    if sheet is not None:
        raise DataError(
            f"The 'sheet' parameter applies only to Excel workbooks, and {name} is not one. Remove "
            "it"
        )
    if data.startswith(GZIPPED):
        data = unpacked(data, name, limit)
    if data.startswith(UTF_16):
        with suppress(UnicodeDecodeError):  # as Excel saves Unicode text
            data = data.decode("utf-16").encode()
    data = data.removeprefix(b"\xef\xbb\xbf")
    start = data[:1024].lstrip()
    for signature, (what, remedy) in SIGNATURES.items():
        if start.startswith(signature):
            raise DataError(f"{name} contains {what}; {WANTED}. {remedy}")
    if JSON.match(start):
        return json_files.read(data, name, limit)
    ours = data.startswith(own_files.HEADER)  # whose names may hold anything
    if not ours and (b"\0" in data or start.translate(None, CONTROL) != start):
        raise DataError(f"{name} contains binary data; {WANTED}. Convert it to UTF-8 text")
    if not start:
        raise DataError(f"{name} is empty; {WANTED}. Check that the file is complete")
    lines = None
    if arff.is_arff(start):
        data, lines = arff.as_csv(data, name, limit)
        separator = ","
    elif start.startswith(arff.EXPERIMENTER):
        data, lines = arff.requoted(data, name, limit)
        separator = ","
    return read_csv(data, name, separator, limit, lines)


def named_file(path: Any) -> str:
    """Return what a file is called in messages."""
    return "standard input" if _is_standard_input(path) else repr(str(path))


def _is_standard_input(path: Any) -> bool:
    return isinstance(path, str) and path == STANDARD_INPUT


def contents(path: Any, *, limits: Mapping[str, int] | None = None) -> bytes:
    """Return the bytes of a regular file, or of standard input ("-"), within `LIMITS`."""
    limit = limits_with(limits)
    if _is_standard_input(path):
        return _standard_input(limit)
    if not isinstance(path, str | os.PathLike):
        raise DataError(
            f"Expected a path, got {type(path).__name__}; {WANTED}. For a data frame use "
            "Scores.from_frame(frame)"
        )
    return _contents(path, repr(str(path)), limit)


def _standard_input(limit: Mapping[str, int]) -> bytes:
    """Read standard input to its end, or refuse it as soon as it is too much."""
    out = bytearray()
    while piece := sys.stdin.buffer.read(PIECE):
        out += piece
        if len(out) > limit["bytes"]:
            what = f"has more than {limit['bytes']:,} bytes"
            raise too_large("standard input", what, limit["bytes"], {"bytes": 2 * len(out)})
    return bytes(out)


def _contents(path: Any, name: str, limit: Mapping[str, int]) -> bytes:
    try:
        about = os.stat(path)
        data, size = None, about.st_size
        if stat.S_ISREG(about.st_mode):
            if size > limit["bytes"]:
                what = f"has {size:,} bytes"
                raise too_large(name, what, limit["bytes"], enough(path, size, limit))
            with open(path, "rb") as file:
                # No more is asked for than is there: what is asked for is set aside at once.
                data = file.read(size + 1)
    except FileNotFoundError:
        problem, remedy = "was not found", f"Check the path (relative to {shown(os.getcwd())})"
    except PermissionError:
        problem, remedy = "is not readable by this user", f"Grant access: chmod u+r {name}"
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


def _parquet(data: bytes, name: str, limit: Mapping[str, int]) -> ScoreTable:
    import polars as pl

    try:
        check(limit, name, parquet_size(BytesIO(data)))
        frame = pl.read_parquet(BytesIO(data))
    except DataError:
        raise
    except (ValueError, OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise DataError(
            f"{name} is a damaged Parquet file ({shown(error)}); {WANTED}. Write it again"
        ) from None
    return bounded_table(frame, name, limit, lambda row: f"{name}, row {row} (counted from 0)")
