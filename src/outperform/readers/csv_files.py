"""CSV files: separators, quotes and lines, read as text so that names stay as they are."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from io import StringIO
from typing import TYPE_CHECKING, Any

from ..errors import DataError, argument
from . import own_files
from .column_names import listed, shown
from .count_tables import refuse_bare
from .limits import WANTED, bounded_table, check, shape
from .parsing import GLANCE
from .score_table import ScoreTable
from .text_lines import Plain, plain

if TYPE_CHECKING:
    import polars as pl


SEPARATORS = ",;\t|"
SMALL = 2**16
"""Bytes of a file that is looked at as a whole."""
THOUSANDS = r"^\s*[+-]?[1-9][0-9]{0,2}\.[0-9]{3}\s*$"


def read_csv(
    data: bytes,
    name: str,
    separator: str | None,
    limit: Mapping[str, int],
    lines: Sequence[int] | None = None,
) -> ScoreTable:
    """Read a table of text; `lines` tells where each row stood, if it was rewritten."""
    import polars as pl

    _check_text(data, name)
    above = data.count(b"\n", 0, len(data) - len(data.lstrip(b"\r\n")))
    data = data.strip(b"\r\n") + b"\n"
    ours = data.startswith(own_files.HEADER)  # whose names may hold anything
    text = Plain(data) if ours or lines is not None or separator is not None else plain(data)
    data, above = text.data, above + text.above
    mark = _separator(data, name) if separator is None else separator
    if len(mark) != 1 or not mark.isascii() or mark in '"\r\n':
        raise DataError(
            f"The 'separator' parameter must be one character, such as ',', got {mark!r}"
        )
    end = data.find(b"\n") + 1
    quotes = data.count(b'"', 0, end)
    while quotes % 2:  # a name in quotes may hold a line break
        start, end = end, data.find(b"\n", end) + 1
        quotes += data.count(b'"', start, end)
    check(limit, name, shape(1, data.count(mark.encode(), 0, end) + 1))
    if len(data) < SMALL:
        _refuse_counts(data, mark)
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
    above += data.count(b"\n", 0, end) + text.below
    said = text.said
    frame = own_files.unquoted(frame)
    if not ours:
        frame = _without_spaces(frame)
        said += _points(frame) if mark == ";" else ()

    def place(row: int) -> str:
        if lines is not None:
            return f"{name}, line {lines[row]}"
        within = frame.head(row).select(pl.all().str.count_matches("\n").sum()).row(0)
        return f"{name}, line {above + row + 1 + sum(map(int, within))}"

    return replace(bounded_table(frame, name, limit, place), said=said)


def _without_spaces(frame: pl.DataFrame) -> pl.DataFrame:
    """Strip cells where names of columns are padded too, unless only spaces distinguish two."""
    import polars as pl

    names = [name.strip(" ") for name in frame.columns]
    if names == frame.columns or len({*names}) < len(names):
        return frame
    frame.columns = names
    padded = [
        name for name in frame.columns if frame[name].head(GLANCE).str.contains(r"^ | $").any()
    ]
    bare = frame.select(pl.col(padded).str.strip_chars(" "))
    same = [name for name in padded if bare[name].n_unique() == frame[name].n_unique()]
    return frame.with_columns(bare[same].get_columns()) if same else frame


def _points(frame: pl.DataFrame) -> tuple[str, ...]:
    """Say which points were read as decimal ones where they may have separated thousands."""
    import polars as pl

    text = frame.select(pl.all().drop_nulls().str.contains(THOUSANDS).all())
    found = [name for name, all_of_it in text.row(0, named=True).items() if all_of_it]
    return (f"Points in {listed(found)} were read as decimal points.",) if found else ()


def _check_text(data: bytes, name: str) -> None:
    """Refuse what is no text of whole lines, naming the line."""

    def refused(at: int, what: str) -> DataError:
        return DataError(f"{name}, line {data.count(10, 0, at) + 1} contains {what}")

    try:
        data.decode()
    except UnicodeDecodeError as error:
        what = f"byte 0x{data[error.start]:02x}, which is not valid UTF-8. Convert the "
        raise refused(
            error.start, f"{what}file: iconv -f latin1 -t utf-8 old.csv > new.csv"
        ) from None
    if data.count(b'"') % 2:
        what = "an unbalanced quote. Double the quotes inside a cell"
        raise refused(data.rfind(b'"'), what)
    text, quotes, last = data.rstrip(b"\r\n"), 0, 0
    for lone in re.finditer(rb"\r(?!\n)", text) if b"\r" in text else ():
        quotes, last = quotes + text.count(b'"', last, lone.start()), lone.start()
        if quotes % 2 == 0:
            what = (
                "a CR without LF; lines must end with LF or CRLF, and cells that contain CR must "
                "be quoted. "
            )
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
                    f"line must have the same number of cells. Quote cells that contain {mark!r}; "
                    "write decimals with a point"
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
            f"{name} could be separated by {' or '.join(map(repr, rivals))}. Pass the right "
            f"separator: {argument(separator=rivals[0])}"
        )
    return best[2]


def _refuse_counts(data: bytes, mark: str) -> None:
    """Refuse numbers alone that are a table of counts, before a header is asked for."""
    text = [line.strip("\r") for line in data.decode().split("\n")]
    lines = [line.split(mark) if mark in line else line.split() for line in text if line]
    if all(_is_number(word) for line in lines for word in line):
        refuse_bare(lines)


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
            f"{name} starts with {shown(text)} instead of column names; a header is required. Add "
            "one, such as learner,repeat,fold,score"
        )
    if len(set(names)) < len(names):
        twice = next(word for word in names if names.count(word) > 1)
        raise DataError(
            f"{name} has two columns named {shown(twice)}; column names must be unique. Rename one"
        )
    return names


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
