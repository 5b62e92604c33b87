"""ARFF files, and CSV as the Weka Experimenter quotes it: both are rewritten as plain CSV."""

from __future__ import annotations

import csv
import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO, TextIOWrapper

from ..errors import DataError
from .column_names import shown
from .limits import check, shape

EXPERIMENTER = b"Key_Dataset,"
"""How the CSV of the Weka Experimenter begins."""
QUOTED = r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\""
CELL = re.compile(rf"\s*(?:{QUOTED}|([^,'\"\s][^,]*|))\s*(,|$)")
ATTRIBUTE = re.compile(rf"@attribute\s+(?:{QUOTED}|(\S+))\s+(.+)", re.IGNORECASE)
ESCAPED = re.compile(r"\\(.)")
PLAIN = {"n": "\n", "t": "\t", "r": "\r"}
WANTED = "an ARFF file has @relation, @attribute lines, @data and rows"


def is_arff(start: bytes) -> bool:
    """Tell whether a file begins as ARFF does, after comments."""
    lines = (line.strip() for line in start.splitlines())
    first = next((line for line in lines if line and not line.startswith(b"%")), b"")
    return first.lower().startswith(b"@relation")


def as_csv(data: bytes, name: str, limit: Mapping[str, int]) -> tuple[bytes, array[int]]:
    """Return the rows of an ARFF file as CSV, and the line that each stands on."""
    lines = _lines(data, name)
    header: list[str] = []
    for number, line in lines:
        word = line.split(None, 1)[0].lower()
        if word == "@data":
            break
        found = ATTRIBUTE.match(line)
        if found is not None:
            header.append(_text(found))
        elif word != "@relation":
            raise DataError(f"{name}, line {number} contains {shown(line)}; {WANTED}")
    if not header:
        raise DataError(f"{name} declares no attributes; {WANTED}. Check that the file is complete")
    check(limit, name, shape(1, len(header)))
    return _written(header, lines, name)


def requoted(data: bytes, name: str, limit: Mapping[str, int]) -> tuple[bytes, array[int]]:
    """Return CSV whose cells stand in single quotes as plain CSV, and the line of each row."""
    lines = _lines(data, name)
    _, first = next(lines)
    width = first.count(",") + 1
    check(limit, name, shape(1, width))
    return _written(_cells(first, f"{name}, line 1", width), lines, name)


def _lines(data: bytes, name: str) -> Iterator[tuple[int, str]]:
    """Yield lines that are neither empty nor comments, with their numbers."""
    start = 0
    number = 0
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        number += 1
        try:
            line = data[start:end].decode().strip()
        except UnicodeDecodeError:
            raise DataError(
                f"{name}, line {number} is not valid UTF-8. Convert the file: iconv -f "
                "latin1 -t utf-8"
            ) from None
        if line and not line.startswith("%"):
            yield number, line
        start = end + 1


def _written(
    header: Sequence[str], lines: Iterator[tuple[int, str]], name: str
) -> tuple[bytes, array[int]]:
    out = BytesIO()
    text = TextIOWrapper(out, encoding="utf-8", newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    numbers = array("q")
    for number, line in lines:
        if line.startswith("{"):
            raise DataError(
                f"{name}, line {number} is a row of a sparse ARFF file; only dense rows, with a "
                "value for every attribute, can be read. Convert it: "
                "weka.filters.unsupervised.instance.SparseToNonSparse"
            )
        cells = _cells(line, f"{name}, line {number}", len(header))
        if len(cells) != len(header):
            n = len(cells) if len(cells) < len(header) else f"more than {len(header)}"
            raise DataError(
                f"{name}, line {number} has {n} cells but the header has {len(header)}; "
                "every line must have the same number of cells. Quote cells that contain ','"
            )
        writer.writerow(cells)
        numbers.append(number)
    text.flush()
    return out.getvalue(), numbers


def _cells(line: str, place: str, most: int) -> list[str]:
    """Cut a line into cells, and no more than one beyond the most that it may have."""
    if "'" not in line and '"' not in line and "\\" not in line:
        return [cell.strip() for cell in line.split(",", most)]
    cells: list[str] = []
    at = 0
    while len(cells) <= most:
        found = CELL.match(line, at)
        if found is None:
            raise DataError(f"{place} has an unbalanced quote")
        cells.append(_text(found))
        if not found[4]:
            return cells
        at = found.end()
    return cells


def _text(found: re.Match[str]) -> str:
    quoted = found[1] if found[1] is not None else found[2]
    text = found[3].strip() if quoted is None else quoted
    return ESCAPED.sub(lambda one: PLAIN.get(one[1], one[1]), text) if "\\" in text else text
