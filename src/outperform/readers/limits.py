"""Limits on files: what is too large is refused before it is read, with how to raise the limit."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from gzip import GzipFile
from io import BytesIO, RawIOBase
from typing import TYPE_CHECKING, Any, BinaryIO

from ..errors import DataError, argument, did_you_mean
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
    "json": 100_000_000,  # bytes of one JSON value, which takes ten times as much once parsed
    "sheet": 10_000_000,  # cells of a worksheet between the first and the last, also empty ones
}
HARMLESS = 2**24
DEFLATED = 1032
"""Gzip packs no more bytes than this into one."""
GZIPPED = b"\x1f\x8b"
PIECE = 2**20
Found = dict[str, tuple[int, str]]
WANTED = "expected a file of scores in CSV, Parquet, JSON, Excel or ARFF"


def limits_with(asked: Mapping[str, int] | None) -> dict[str, int]:
    """Return `LIMITS` with those that were raised."""
    asked = asked or {}
    for key in asked:
        if key not in LIMITS:
            raise DataError(f"unknown limit {key!r}; {did_you_mean(key, LIMITS)}")
        if not isinstance(asked[key], int) or asked[key] < 1:
            given = argument(limits={key: asked[key]})
            raise DataError(f"A limit must be a positive integer, got {given}")
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
        f"{name} {what}, which exceeds the limit of {most:,}. If you trust this file, raise the "
        f"limit: {argument(limits=dict(raised))}"
    )


def shape(rows: int, width: int) -> Found:
    """Return rows, columns and cells, by the limits that they may be beyond."""
    cells = rows * width
    return {
        "rows": (rows, f"has {rows:,} rows"),
        "columns": (width, f"has {width:,} columns"),
        "cells": (cells, f"has {cells:,} cells"),
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


class Unpacked(RawIOBase):
    """What a gzip file of so many bytes holds, refused as soon as it is too much."""

    def __init__(self, packed: BinaryIO, size: int, name: str, limit: Mapping[str, int]) -> None:
        self._packed, self._size, self._name, self._limit = packed, size, name, limit
        self._stream = GzipFile(fileobj=packed)
        self._allowed = min(limit["bytes"], max(HARMLESS, limit["ratio"] * size))
        self._seen = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            n = int(self._stream.readinto(buffer) or 0)
        except (OSError, EOFError, zlib.error) as error:
            raise DataError(
                f"{self._name} is a damaged gzip file ({error}). Download or write it again"
            ) from None
        self._seen += n
        if self._seen > self._allowed:
            raise self._too_large()
        return n

    def _too_large(self) -> DataError:
        key, limit = "bytes", self._limit
        what = f"unpacks to more than {self._allowed:,} bytes"
        if self._allowed < limit["bytes"]:
            times = self._allowed // self._size
            key, what = "ratio", f"unpacks to more than {times:,} times its size"
        # Whatever it unpacks to, these are enough.
        sure = {"bytes": DEFLATED * self._size, "ratio": DEFLATED}
        raised = {word: n for word, n in sure.items() if n > limit[word]}
        return too_large(self._name, what, limit[key], raised)

    def close(self) -> None:
        self._stream.close()
        self._packed.close()
        super().close()


def unpacked(data: bytes, name: str, limit: Mapping[str, int]) -> bytes:
    """Return what a gzip file holds, or refuse it as soon as it is too much."""
    out = BytesIO()
    with Unpacked(BytesIO(data), len(data), name, limit) as stream:
        while piece := stream.read(PIECE):
            out.write(piece)
    return out.getvalue()


def bounded_table(
    frame: pl.DataFrame, name: str, limit: Mapping[str, int], place: Callable[[int], str]
) -> ScoreTable:
    """Return the rows that hold anything; refuse cells that are too long."""
    import polars as pl

    columns = {column.name: column for column in frame.get_columns()}
    lengths = frame.select(pl.col(pl.String).str.len_bytes().max())
    longest = max((int(size or 0) for size in lengths.row(0)), default=0) if lengths.width else 0
    check(limit, name, {"field": (longest, f"contains a cell of {longest:,} bytes")})
    table = ScoreTable(columns, place, limit["scores"]).without_blank_rows()
    if not len(table):
        raise DataError(
            f"{name} has a header but no rows; {WANTED}. Check how the file was written"
        )
    return table
