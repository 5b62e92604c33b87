"""Packed files: how much gzip and Parquet files hold, before it is all in memory."""

from __future__ import annotations

import os
import zlib
from collections.abc import Mapping
from contextlib import suppress
from gzip import GzipFile
from io import BytesIO
from typing import IO

from ..errors import DataError
from . import parquet
from .limits import too_large

__all__ = ["GZIPPED", "HARMLESS", "claims", "enough", "unpacked"]

HARMLESS = 2**24
DEFLATED = 1032
"""Gzip packs no more bytes than this into one."""
GZIPPED = b"\x1f\x8b"
PIECE = 2**20
TAIL = 2**24
"""Bytes at the end of a Parquet file that hold its metadata, unless these are huge."""


def enough(file: IO[bytes], size: int, limit: Mapping[str, int]) -> dict[str, int]:
    """Return the limits to raise for a file of so many bytes; a packed one takes more inside."""
    start = file.read(4)
    needed = {"bytes": size}
    if start.startswith(GZIPPED):
        needed = {"bytes": DEFLATED * size, "ratio": DEFLATED}
    elif start == b"PAR1":
        with suppress(ValueError, OSError):
            file.seek(-TAIL if size > TAIL else 0, os.SEEK_END if size > TAIL else os.SEEK_SET)
            found = {key: n for key, (n, _) in claims(file.read(TAIL), size).items()}
            needed = found | {"bytes": max(size, found["bytes"])}
    return {key: n for key, n in needed.items() if n > limit[key]}


def claims(tail: bytes, total: int) -> dict[str, tuple[int, str]]:
    """Return what a Parquet file says of itself, by the limits that it may be beyond."""
    rows, width, pages, values = parquet.size(tail, total)
    # Dictionaries and runs become whole columns: 8 bytes a cell, whatever the pages take.
    held, cells = max(pages, 8 * values), max(values, rows * width)
    ratio = pages // total + 1
    return {
        "rows": (rows, f"holds {rows:,} rows"),
        "columns": (width, f"holds {width:,} columns"),
        "cells": (cells, f"holds {cells:,} cells"),
        "bytes": (held, f"unpacks to {held:,} bytes"),
        "ratio": (ratio if pages > HARMLESS else 0, f"unpacks to {ratio:,} times its size"),
    }


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
