"""Files: CSV and Parquet, bounded before they are read, become a table that knows its lines."""

from __future__ import annotations

import csv
import os
import re
import stat
import zlib
from collections.abc import Callable, Mapping
from gzip import GzipFile
from io import BytesIO, StringIO
from typing import TYPE_CHECKING, Any

from ..errors import DataError, did_you_mean
from . import own_files
from .column_names import shown
from .score_table import ScoreTable

if TYPE_CHECKING:
    import polars as pl


LIMITS = {
    "bytes": 2**30,  # of the file, and of what it holds once unpacked
    "rows": 20_000_000,
    "columns": 10_000,
    "cells": 120_000_000,  # rows × columns: ten million items, ten models and the true labels
    "field": 10_000,  # bytes in one cell
    "ratio": 100,  # unpacked to packed bytes of a gzip file; counts only beyond `HARMLESS`
    "scores": 5_000_000,  # of splits: each takes some 200 bytes until all are in order
}
HARMLESS = 2**24
DEFLATED = 1032
"""Gzip packs no more bytes than this into one."""
GZIPPED = b"\x1f\x8b"
PIECE = 2**20
Found = dict[str, tuple[int, str]]


def limits_with(asked: Mapping[str, int] | None) -> dict[str, int]:
    """Return `LIMITS` with those that were raised."""
    asked = asked or {}
    for key in asked:
        if key not in LIMITS:
            raise DataError(f"there is no limit {key!r}; {did_you_mean(key, LIMITS)}")
        if not isinstance(asked[key], int) or asked[key] < 1:
            raise DataError(
                f"limits={{{key!r}: {asked[key]!r}}} was given; a whole number is needed"
            )
    return {**LIMITS, **asked}


def check(limit: Mapping[str, int], name: str, found: Found) -> None:
    """Refuse a file by the first limit it is beyond, and say all that have to be raised."""
    beyond = {key: value for key, (value, _) in found.items() if value > limit[key]}
    if beyond:
        first = next(iter(beyond))
        raise too_large(name, found[first][1], limit[first], beyond)


def too_large(name: str, what: str, most: int, raised: Mapping[str, int]) -> DataError:
    """Return the refusal of a file, with the limits that let it pass."""
    return DataError(
        f"{name} {what}, beyond the limit of {most:,}; a smaller file is needed. If you trust it, "
        f"raise the limit: limits={dict(raised)}"
    )


def shape(rows: int, width: int) -> Found:
    """Return rows, columns and cells, by the limits that they may be beyond."""
    cells = rows * width
    return {
        "rows": (rows, f"holds {rows:,} rows"),
        "columns": (width, f"holds {width:,} columns"),
        "cells": (cells, f"holds {cells:,} cells"),
    }


def parquet_size(source: Any) -> Found:
    """Return what a Parquet file says of itself; none of its cells is read."""
    import polars as pl

    frame = pl.scan_parquet(source)
    rows, width = frame.select(pl.len()).collect().item(), len(frame.collect_schema())
    # Dictionaries and runs become whole columns: 8 bytes a cell, whatever the pages take.
    held = 8 * rows * width
    return {**shape(rows, width), "bytes": (held, f"unpacks to {held:,} bytes")}


def enough(path: Any, size: int, limit: Mapping[str, int]) -> dict[str, int]:
    """Return the limits to raise for a file of so many bytes; a packed one takes more inside."""
    import polars as pl

    with open(path, "rb") as file:
        start = file.read(4)
    needed = {"bytes": size}
    if start.startswith(GZIPPED):
        needed = {"bytes": DEFLATED * size, "ratio": DEFLATED}
    elif start == b"PAR1":
        try:
            found = {key: n for key, (n, _) in parquet_size(path).items()}
            needed = found | {"bytes": max(size, found["bytes"])}
        except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
            pass  # it is damaged, which is said when it is read
    return {key: n for key, n in needed.items() if n > limit[key]}


def unpacked(data: bytes, name: str, limit: Mapping[str, int]) -> bytes:
    """Return what a gzip file holds, or refuse it as soon as it is too much."""
    key = "bytes"
    allowed = min(limit["bytes"], max(HARMLESS, limit["ratio"] * len(data)))
    what = f"unpacks to more than {allowed:,} bytes"
    if allowed < limit["bytes"]:
        key, what = "ratio", f"unpacks to more than {allowed // len(data):,} times its size"
    # Whatever it unpacks to, these are enough.
    sure = {"bytes": DEFLATED * len(data), "ratio": DEFLATED}
    out = BytesIO()
    try:
        with GzipFile(fileobj=BytesIO(data)) as stream:
            while piece := stream.read(PIECE):
                out.write(piece)
                if out.tell() > allowed:
                    raised = {word: n for word, n in sure.items() if n > limit[word]}
                    raise too_large(name, what, limit[key], raised)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(
            f"{name} is a damaged gzip file ({error}); a whole one is needed. Fetch or write it "
            "again"
        ) from None
    return out.getvalue()


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
    b"@relation": ("ARFF", "Save it as CSV"),
    b"@RELATION": ("ARFF", "Save it as CSV"),
}
# A CSV may begin with {'C': 1} or [3], as tables of searched settings do.
JSON = re.compile(rb'[\s]*(\{\s*["}]|\[(?![^\[\]\n]*\],))')
CONTROL = bytes({*range(32)} - set(b"\t\n\v\f\r"))


def load(
    path: Any, *, separator: str | None = None, limits: Mapping[str, int] | None = None
) -> ScoreTable:
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
    if data.startswith(GZIPPED):
        data = unpacked(data, name, limit)
    data = data.removeprefix(b"\xef\xbb\xbf")
    start = data[:1024].lstrip()
    for signature, (what, remedy) in SIGNATURES.items():
        if start.startswith(signature):
            raise DataError(f"{name} holds {what}; {WANTED}. {remedy}")
    if JSON.match(start):
        raise DataError(f"{name} holds JSON; {WANTED}. {TABLE}")
    ours = data.startswith(own_files.HEADER)  # whose names may hold anything
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
            if size > limit["bytes"]:
                what = f"holds {size:,} bytes"
                raise too_large(name, what, limit["bytes"], enough(path, size, limit))
            with open(path, "rb") as file:
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
    return _table(frame, name, limit, lambda row: f"{name}, row {row} (counted from 0)")


def _table(
    frame: pl.DataFrame, name: str, limit: Mapping[str, int], place: Callable[[int], str]
) -> ScoreTable:
    """Return the rows that hold anything; refuse cells that are too long."""
    import polars as pl

    columns = {column.name: column for column in frame.get_columns()}
    lengths = frame.select(pl.col(pl.String).str.len_bytes().max())
    longest = max((int(size or 0) for size in lengths.row(0)), default=0) if lengths.width else 0
    check(limit, name, {"field": (longest, f"holds a cell of {longest:,} bytes")})
    table = ScoreTable(columns, place, limit["scores"]).without_blank_rows()
    if not len(table):
        raise DataError(f"{name} has a header but no rows; {WANTED}. Check how it was written")
    return table


def _csv(data: bytes, name: str, separator: str | None, limit: Mapping[str, int]) -> ScoreTable:
    import polars as pl

    _check_text(data, name)
    above = data.count(b"\n", 0, len(data) - len(data.lstrip(b"\r\n")))
    data = data.strip(b"\r\n") + b"\n"
    mark = _separator(data, name) if separator is None else separator
    if len(mark) != 1 or not mark.isascii() or mark in '"\r\n':
        raise DataError(f"separator={mark!r} was asked; one character is needed, such as ','")
    end = data.find(b"\n") + 1
    while data.count(b'"', 0, end) % 2:  # a name in quotes may hold a line break
        end = data.find(b"\n", end) + 1
    check(limit, name, shape(1, data.count(mark.encode(), 0, end) + 1))
    names = _header(data[:end].decode(), mark, name)
    options: dict[str, Any] = {"separator": mark, "infer_schema_length": 0}
    problem = ""
    try:
        rows = pl.scan_csv(data, **options).select(pl.len()).collect().item()
        check(limit, name, shape(rows, len(names)))
        # Cells stay text: names are kept verbatim, numbers are read where they are needed.
        frame = pl.read_csv(data, new_columns=names, **options)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        problem = f" ({shown(error)})"
    if problem or _may_lack_cells(frame, data, mark):
        _refuse_bad_line(data, mark, len(names), name, above)
    if problem:
        raise DataError(f"{name} cannot be read as CSV{problem}; {WANTED}. Check its quotes")
    above += data.count(b"\n", 0, end)

    def place(row: int) -> str:
        within = frame.head(row).select(pl.all().str.count_matches("\n").sum()).row(0)
        return f"{name}, line {above + row + 1 + sum(map(int, within))}"

    return _table(own_files.unquoted(frame), name, limit, place)


def _check_text(data: bytes, name: str) -> None:
    """Refuse what is no text of whole lines, naming the line."""

    def refused(at: int, what: str) -> DataError:
        return DataError(f"{name}, line {data.count(10, 0, at) + 1} holds {what}")

    try:
        data.decode()
    except UnicodeDecodeError as error:
        what = f"byte 0x{data[error.start]:02x}, which is not UTF-8; UTF-8 text is needed. Convert "
        raise refused(error.start, f"{what}it: iconv -f latin1 -t utf-8") from None
    if data.count(b'"') % 2:
        what = "a quote without its partner; quotes come in pairs. Double the quotes inside a cell"
        raise refused(data.rfind(b'"'), what)
    text, quotes, last = data.rstrip(b"\r\n"), 0, 0
    for lone in re.finditer(rb"\r(?!\n)", text) if b"\r" in text else ():
        quotes, last = quotes + text.count(b'"', last, lone.start()), lone.start()
        if quotes % 2 == 0:
            what = "a CR without LF; lines end with LF or CRLF, and cells with CR stand in quotes. "
            raise refused(lone.start(), f"{what}Save it again")


def _may_lack_cells(frame: pl.DataFrame, data: bytes, mark: str) -> bool:
    """Tell whether some line may have too few cells, which were then read as empty ones."""
    import polars as pl

    if not frame.height or not frame[:, -1].null_count():
        return False
    within = frame.select(pl.all().str.count_matches(mark, literal=True).sum()).row(0)
    marks = sum(map(int, within)) + sum(name.count(mark) for name in frame.columns)
    return data.count(mark.encode()) - marks != (frame.width - 1) * (frame.height + 1)


def _refuse_bad_line(data: bytes, mark: str, width: int, name: str, above: int) -> None:
    """Refuse the first line that has not as many cells as the header."""
    records = csv.reader(StringIO(data.decode(), newline=""), delimiter=mark)
    line = above + 1
    try:
        for cells in records:
            if cells and len(cells) != width:
                raise DataError(
                    f"{name}, line {line} has {len(cells)} cells but the header has {width}; every "
                    f"line needs as many. Quote cells that contain {mark!r}; write decimals with a "
                    "point"
                )
            line = above + records.line_num + 1
    except csv.Error:
        return  # a cell beyond the limits of that reader


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


def _header(line: str, mark: str, name: str) -> list[str]:
    text = line.rstrip("\r\n")
    try:
        names = next(csv.reader(StringIO(text, newline=""), delimiter=mark, strict=True))
    except csv.Error:
        raise DataError(
            f"{name} has stray quotes in its header; {WANTED}. Check its quotes"
        ) from None
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
