"""Blocks: evidence of many experiments, judged block by block so that memory stays small."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

__all__ = ["joined"]


def joined(parts: Sequence[Any]) -> Any | None:
    """Return evidence on blocks of experiments as that on all of them.

    Arrays are put one after the other; what is no array must be the same in every block. None where
    that cannot be done: an interval that is found by search knows only its own block.
    """
    first = parts[0]
    if all(isinstance(part, np.ndarray) and part.ndim for part in parts):
        return np.concatenate(parts)
    if isinstance(first, Mapping):
        return _all({key: joined([part[key] for part in parts]) for key in first})
    if isinstance(first, tuple):
        columns = [joined(column) for column in zip(*parts, strict=True)]
        return None if any(column is None for column in columns) else tuple(columns)
    if is_dataclass(first) and not isinstance(first, type):
        names = [field.name for field in fields(first) if getattr(first, field.name) is not None]
        made = _all({name: joined([getattr(part, name) for part in parts]) for name in names})
        return None if made is None else replace(first, **made)
    return first if all(np.ndim(part) == 0 and part == first for part in parts) else None


def _all(made: dict[str, Any]) -> dict[str, Any] | None:
    return None if any(value is None for value in made.values()) else made
