"""Parquet: what a file says it holds is checked against the limits before any of it is unpacked."""

from __future__ import annotations

def _parquet(data: bytes, name: str, limit: Mapping[str, int]) -> Table:
    import polars as pl

    try:
        size = int.from_bytes(data[-8:-4], "little")
        facts, _ = _thrift(data[-8 - size : -8], 0, STRUCT)
        rows, groups = facts[3], facts[4]
        width = sum(5 not in element for element in facts[2])  # a leaf has no number of children
        pages = sum(group[2] for group in groups)
        if data[-4:] != b"PAR1" or size + 12 > len(data) or min(rows, pages) < 0:
            raise ValueError
    except (ValueError, LookupError, TypeError, RecursionError):
        raise DataError(f"{name} is a damaged Parquet file; {WANTED}. Write it again") from None
    # Dictionaries and runs unpack to whole columns: 8 bytes a cell at least, whatever pages say.
    held = max(pages, 8 * rows * width)
    _within(limit, "rows", rows, name, f"holds {rows:,} rows")
    _within(limit, "columns", width, name, f"holds {width:,} columns")
    _within(limit, "bytes", held, name, f"unpacks to {held:,} bytes")
    if pages > HARMLESS:
        ratio = -(-pages // len(data))
        _within(limit, "ratio", ratio, name, f"unpacks to {ratio:,} times its size")
    try:
        frame = pl.read_parquet(BytesIO(data))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise DataError(
            f"{name} is a damaged Parquet file ({shown(error)}); {WANTED}. Write it again"
        ) from None
    if not frame.height:
        raise DataError(f"{name} has columns but no rows; {WANTED}. Check how it was written")
    for column in frame.get_columns():
        if column.dtype == pl.String:
            longest = int(column.str.len_bytes().max() or 0)  # type: ignore[arg-type]
            _within(limit, "field", longest, name, f"holds a cell of {longest:,} bytes")
    columns = {column.name: column for column in frame.get_columns()}
    return Table(columns, lambda row: f"{name}, row {row} (counted from 0)")


def _thrift(buffer: bytes, at: int, kind: int) -> tuple[Any, int]:
    """Read one value of Thrift's compact protocol, in which Parquet writes its metadata.

    Returns the value (a struct as a dict by field number, text as None) and where it ends.
    """
    if kind in (1, 2):
        return kind == 1, at
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
    raise ValueError(kind)


def _varint(buffer: bytes, at: int) -> tuple[int, int]:
    number = 0
    for i in range(10):
        number |= (buffer[at + i] & 127) << 7 * i
        if buffer[at + i] < 128:
            return number, at + i + 1
    raise ValueError(at)
