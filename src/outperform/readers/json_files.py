"""JSON files: one value, or a value on each line, become a table."""

from __future__ import annotations

import json
import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..errors import DataError
from . import openml_evaluations, split_indices
from .column_names import are_numbered, shown
from .limits import LIMITS, WANTED, bounded_table, check, shape
from .score_table import ScoreTable

if TYPE_CHECKING:
    import polars as pl

AT_ONCE = 1_000_000
"""Cells that are Python objects at a time; columns take a tenth of that."""
MOST_ABOUT = 20
"""Entries of an object that holds records, or scores by learner, and words about them."""
DEEPEST = 3
"""Levels of objects in objects that become columns, as metrics.accuracy."""
NESTED = "[…]"
"""What stands for a list in a cell, which is not read."""
SHAPES = (
    "expected a list of records, a list of scores for each learner, or the result of "
    "cross_validate for each learner"
)


def read(data: bytes, name: str, limit: Mapping[str, int]) -> ScoreTable:
    """Return JSON, or JSON Lines, as a table."""
    if _has_lines(data):
        numbers = array("q")
        frame = frame_of(_records(data, name, limit, numbers), name, limit)
        return bounded_table(frame, name, limit, lambda row: f"{name}, line {numbers[row]}")
    check(limit, name, {"json": (len(data), f"contains a JSON value of {len(data):,} bytes")})
    value = _value(data, name, "")
    frame = frame_of(records_of(value, name, limit), name, limit)
    return bounded_table(frame, name, limit, lambda row: f"{name}, record {row} (counted from 0)")


def records_of(
    value: Any, name: str, limit: Mapping[str, int] = LIMITS
) -> Iterable[Mapping[str, Any]]:
    """Return the rows of a JSON value or a mapping of lists, in whatever layout it has."""
    evaluations = openml_evaluations.records(value)
    if evaluations is not None:
        return evaluations
    if isinstance(value, Mapping):
        if isinstance(value.get("data"), list) and isinstance(value.get("columns"), list):
            heads = list(map(str, value["columns"]))
            rows = [dict(zip(heads, row, strict=False)) for row in value["data"]]
            labels = [*map(str, value.get("index") or ())]
            if len(labels) != len(rows) or len({*labels}) < len(labels):
                return rows
            return _labelled(dict(zip(labels, rows, strict=True)))
        if isinstance(value.get("data"), list) and "schema" in value:
            value = value["data"]  # pandas' orient="table"
    if _are_records(value):
        return list(value)
    if not isinstance(value, Mapping) or not value:
        raise DataError(f"{name} contains {_kind(value)}; {SHAPES}")
    value = _inside(value)
    if _are_records(value):
        return list(value)
    cells = list(value.values())
    records = all(map(_are_records, cells))
    if records and not any("learner" in row for part in cells for row in part):
        return [{"learner": str(key), **row} for key, part in value.items() for row in part]
    if all(_is_list(column) for column in cells):
        return _columns({str(key): list(column) for key, column in value.items()}, name)
    if all(isinstance(column, Mapping) and column for column in cells):
        return _nested(value, name, limit)
    if any(_is_list(column) for column in cells):
        return _columns(_lists(value), name)
    raise DataError(f"{name} contains an object without lists; {SHAPES}")


def _inside(value: Mapping[str, Any]) -> Any:
    """Return the only records, or lists by learner, of an object with words about them."""
    nested = [part for part in value.values() if isinstance(part, Mapping) or _is_list(part)]
    if len(nested) != 1 or len(value) > MOST_ABOUT:
        return value
    part = nested[0]
    if not isinstance(part, Mapping):
        return part if _are_records(part) else value
    lists = all(
        _is_list(cells) or (isinstance(cells, Mapping) and any(map(_is_list, cells.values())))
        for cells in part.values()
    )
    measures = any(str(key).startswith(("test_", "fit_time")) for key in part)
    return part if lists and len(part) > 1 and not measures else value


def _are_records(rows: Any) -> bool:
    return isinstance(rows, list) and bool(rows) and all(isinstance(row, Mapping) for row in rows)


def _nested(value: Mapping[str, Any], name: str, limit: Mapping[str, int]) -> list[dict[str, Any]]:
    """Return rows of {learner: {measure: scores}}, or of columns {name: {row: cell}}."""
    inner = [list(map(_is_list, part.values())) for part in value.values()]
    if not any(map(any, inner)):  # pandas' default: a cell for each label of the index
        keys = list(dict.fromkeys(str(key) for part in value.values() for key in part))
        if are_numbered([*map(str, value)]) and not are_numbered(keys):  # orient="index"
            return _labelled({str(n): part for n, part in value.items()})
        check(limit, name, shape(len(keys), len(value)))
        columns = {
            str(n): {str(key): cell for key, cell in part.items()} for n, part in value.items()
        }
        return _labelled({k: {n: part.get(k) for n, part in columns.items()} for k in keys})
    rows = []
    for learner, part in value.items():
        lists = _lists(part)
        if not lists:
            raise DataError(f"{name} has no list of scores for {shown(learner)}; {SHAPES}")
        about = {"learner": str(learner)}
        for at, row in enumerate(_columns(lists, f"{name}, {shown(learner)}")):
            rows.append({**about, "split": at, **row})
    return rows


def _labelled(rows: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return rows with their labels, as the index of a frame stands in a file."""
    labels = [*rows]
    seeds = [re.fullmatch(r"seed\W?_?(\d+)", label.casefold()) for label in labels]
    name = "seed" if all(seeds) else ""
    if name in next(iter(rows.values())):
        return [dict(cells) for cells in rows.values()]
    marks = [seed[1] if seed else label for seed, label in zip(seeds, labels, strict=True)]
    return [{name: mark, **cells} for mark, cells in zip(marks, rows.values(), strict=True)]


def _lists(part: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return the lists of an object; of the indices of cross_validate their sizes."""
    found = {str(key): list(cells) for key, cells in part.items() if _is_list(cells)}
    return found | split_indices.sizes(part)


def _columns(columns: Mapping[str, list[Any]], name: str) -> list[dict[str, Any]]:
    sizes = {key: len(cells) for key, cells in columns.items()}
    if len(set(sizes.values())) > 1:
        few, many = min(sizes, key=sizes.__getitem__), max(sizes, key=sizes.__getitem__)
        raise DataError(
            f"{name} has {sizes[few]} values for {shown(few)} but {sizes[many]} for {shown(many)}; "
            "all lists must have the same length, one value per split"
        )
    # What is not a number may be an object of Python: settings, estimators.
    return [
        {key: _plain(cells[row], key) for key, cells in columns.items()}
        for row in range(next(iter(sizes.values())))
    ]


def _plain(cell: Any, key: str) -> Any:
    if key == "params" or not isinstance(cell, Mapping | list | str | int | float | None):
        return cell.item() if hasattr(cell, "item") and getattr(cell, "ndim", 1) == 0 else str(cell)
    return cell


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple) or getattr(value, "ndim", 0) == 1


def _kind(value: Any) -> str:
    if isinstance(value, list):
        return "a list whose elements are not records"
    return "an empty object" if isinstance(value, Mapping) else f"a {type(value).__name__}"


def _has_lines(data: bytes) -> bool:
    """Tell whether each line is an object: the first is whole, and there is a second."""
    lines = _numbered(data)
    first, second = next(lines, (0, b""))[1], next(lines, (0, b""))[1]
    return first[:1] == b"{" and first[-1:] == b"}" and second[:1] == b"{"


def _numbered(data: bytes) -> Iterator[tuple[int, bytes]]:
    start = number = 0
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        number += 1
        line = data[start:end].strip()
        if line:
            yield number, line
        start = end + 1


def _records(
    data: bytes, name: str, limit: Mapping[str, int], numbers: array[int]
) -> Iterator[Mapping[str, Any]]:
    """Yield the object on each line, and note the line's number."""
    for number, line in _numbered(data):
        what = f"has {len(line):,} bytes on line {number}"
        check(limit, name, {"json": (len(line), what)})
        record = _value(line, name, f", line {number}")
        if not isinstance(record, Mapping):
            raise DataError(
                f"{name}, line {number} contains {_kind(record)}; each line must be a JSON object"
            )
        numbers.append(number)
        yield record


def _value(data: bytes, name: str, where: str) -> Any:
    try:
        return json.loads(data, object_pairs_hook=_once)
    except RecursionError:
        reason = "it is nested too deeply"
    except (ValueError, UnicodeDecodeError) as error:
        reason = shown(error)
    raise DataError(
        f"{name}{where} is not valid JSON ({reason}); {WANTED}. Check that the file is complete"
    )


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise ValueError(f"duplicate key {twice!r} in an object")
    return found


def frame_of(
    records: Iterable[Mapping[str, Any]], name: str, limit: Mapping[str, int] = LIMITS
) -> pl.DataFrame:
    """Return records as columns; few of them are Python objects at a time."""
    import polars as pl

    parts: list[dict[str, pl.Series]] = []
    columns: dict[str, list[Any]] = {}
    names: dict[str, None] = {}
    rows = held = 0
    records = iter(records)

    def kept() -> None:
        _filled(columns, held)
        names.update(dict.fromkeys(columns))
        n = rows
        if any(found > limit[key] for key, (found, _) in shape(rows, len(names)).items()):
            for record in records:  # what it takes to read all
                n += 1
                names.update((key, None) for key, _ in _flat(record) if len(names) < AT_ONCE)
        check(limit, name, shape(n, len(names)))
        parts.append({key: _series(key, cells) for key, cells in columns.items()})
        columns.clear()

    for record in records:
        for key, cell in _flat(record):
            cells = columns.setdefault(key, [])
            cells.extend([None] * (held - len(cells)))
            cells.append(cell)
        held += 1
        rows += 1
        if held * len(columns) >= AT_ONCE:  # each line may name columns of its own
            kept()
            held = 0
    kept()
    if not names:
        raise DataError(f"{name} contains records without values; {SHAPES}")
    sizes = [max(map(len, part.values()), default=0) for part in parts]
    return pl.DataFrame({key: _joined(key, parts, sizes) for key in names})


def _filled(columns: dict[str, list[Any]], held: int) -> None:
    for cells in columns.values():
        cells.extend([None] * (held - len(cells)))


def _flat(record: Mapping[str, Any], above: str = "", depth: int = 1) -> Iterator[tuple[str, Any]]:
    """Yield cells; those of objects inside are named after both, as metrics.accuracy."""
    for key, cell in record.items():
        name = f"{above}{key}"
        if isinstance(cell, Mapping) and depth < DEEPEST:
            yield from _flat(cell, f"{name}.", depth + 1)
        else:
            yield name, NESTED if isinstance(cell, list | Mapping) else cell


def _series(name: str, cells: list[Any]) -> pl.Series:
    """Return cells of one kind as they are, numbers of two as floats, others as text."""
    import polars as pl

    kinds = {type(cell) for cell in cells} - {type(None)}
    if not kinds:
        return pl.Series(name, cells, dtype=pl.Null)
    if kinds <= {int} and all(cell is None or abs(cell) < 2**63 for cell in cells):
        return pl.Series(name, cells, dtype=pl.Int64)
    if kinds <= {int, float} and float in kinds:
        with suppress(OverflowError):  # a whole number beyond all floats stays text
            return pl.Series(name, [c if c is None else float(c) for c in cells], dtype=pl.Float64)
    if kinds == {bool}:
        return pl.Series(name, cells, dtype=pl.Boolean)
    return pl.Series(name, [c if c is None else str(c) for c in cells], dtype=pl.String)


def _joined(name: str, parts: Sequence[Mapping[str, pl.Series]], sizes: Sequence[int]) -> pl.Series:
    import polars as pl

    found = [
        part.get(name, pl.Series(name, [None] * n, dtype=pl.Null))
        for part, n in zip(parts, sizes, strict=True)
    ]
    kinds = {part.dtype for part in found} - {pl.Null()}
    common = next(iter(kinds), pl.Null()) if len(kinds) < 2 else pl.String()
    if len(kinds) > 1 and all(kind.is_numeric() for kind in kinds):
        common = pl.Float64()
    return pl.concat([part.cast(common) for part in found])
