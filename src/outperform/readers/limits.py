"""Limits on files: one table, and refusals that say which limits to raise."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import DataError, did_you_mean

__all__ = ["LIMITS", "check", "limits_with", "too_large"]

LIMITS = {
    "bytes": 2**30,  # of the file, and of what it holds once unpacked
    "rows": 20_000_000,
    "columns": 10_000,
    "cells": 120_000_000,  # rows × columns: ten million items, ten models and the true labels
    "field": 10_000,  # bytes in one cell
    "ratio": 100,  # unpacked to packed bytes; counts only beyond `packed.HARMLESS`
    "scores": 5_000_000,  # of splits: each takes some 200 bytes until all are in order
}


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


def check(limit: Mapping[str, int], name: str, found: Mapping[str, tuple[int, str]]) -> None:
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
