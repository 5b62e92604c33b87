"""Readers: files and data frames of scores or predictions become `Scores`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..scores import Scores
from .files import LIMITS, load
from .frames import from_frame

__all__ = ["LIMITS", "from_frame", "read"]


def read(
    path: Any,
    *,
    separator: str | None = None,
    limits: Mapping[str, int] | None = None,
    **options: Any,
) -> Scores:
    """Read a CSV (also gzipped) or Parquet file; the options are those of `from_frame`.

    `limits` raises entries of `LIMITS`, as in `limits={"rows": 10**9}`.
    """
    return from_frame(load(path, separator=separator, limits=limits), **options)
