"""Parquet metadata: how much a file holds, known before any of it is unpacked."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["Size", "size"]

STRUCT = 12


class Size(NamedTuple):
    """What a Parquet file says of itself."""

    rows: int
    columns: int
    unpacked: int
    """Bytes of all pages once unpacked, before dictionaries and runs are written out."""
    values: int
    """Cells of all columns; a list counts as many."""


def size(data: bytes, total: int | None = None) -> Size:
    """Read the footer of a Parquet file; ValueError if it is damaged.

    The end of a file is enough, with the `total` of its bytes.
    """
    total = len(data) if total is None else total
    length = int.from_bytes(data[-8:-4], "little")
    try:
        facts, _ = _thrift(data[-8 - length : -8], 0, STRUCT)
        # Fields of FileMetaData: 2 schema (a leaf has no field 5), 3 num_rows, 4 row_groups.
        leaves = sum(5 not in element for element in facts[2])
        # Of ColumnMetaData, field 3 of each column: 5 num_values, 6 and 7 its bytes un- and packed.
        chunks = [column[3] for group in facts[4] for column in group[1]]
        rows = sum(group[3] for group in facts[4])
        values, unpacked, packed = (sum(max(chunk[i], 0) for chunk in chunks) for i in (5, 6, 7))
        found = Size(facts[3], leaves, unpacked, values)
    except (LookupError, TypeError, RecursionError):
        raise ValueError("its metadata cannot be read") from None
    if data[-4:] != b"PAR1" or length + 12 > total:
        raise ValueError("its end is missing")
    if rows != found.rows or rows < 0 or packed > total:
        raise ValueError("its metadata contradict themselves")
    return found


def _thrift(buffer: bytes, at: int, kind: int) -> tuple[Any, int]:
    """Read one value of Thrift's compact protocol, in which Parquet writes its metadata.

    Returns the value (a struct as a dict by field number, text and floats as None) and where it
    ends.
    """
    if kind in (1, 2):
        return kind == 1, at
    if kind == 3:
        return buffer[at], at + 1
    if kind == 7:
        return None, at + 8
    if kind in (4, 5, 6):
        number, at = _varint(buffer, at)
        return number >> 1 ^ -(number & 1), at
    if kind == 8:
        length, at = _varint(buffer, at)
        return None, at + length
    if kind == 9:
        length, inner = buffer[at] >> 4, buffer[at] & 15
        length, at = _varint(buffer, at + 1) if length == 15 else (length, at + 1)
        values = []
        for _ in range(length):
            value, at = _thrift(buffer, at, inner)
            values.append(value)
        return values, at
    if kind == STRUCT:
        fields, field = {}, 0
        while head := buffer[at]:
            step, at = _thrift(buffer, at + 1, 4) if head < 16 else (head >> 4, at + 1)
            field = step if head < 16 else field + step
            fields[field], at = _thrift(buffer, at, head & 15)
        return fields, at + 1
    raise ValueError(f"its metadata hold a value of kind {kind}")


def _varint(buffer: bytes, at: int) -> tuple[int, int]:
    number = 0
    for i in range(10):
        number |= (buffer[at + i] & 127) << 7 * i
        if buffer[at + i] < 128:
            return number, at + i + 1
    raise ValueError("its metadata hold a number without end")
