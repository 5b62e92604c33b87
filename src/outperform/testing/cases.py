"""Calls for the conformance suite: what one is, in which types, how it is spoilt and stacked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np

from ..sums import Array
from ..views.cases import Case

__all__ = ["Refusal", "casts", "refusals", "stacked"]

Refusal: TypeAlias = tuple[str, Case, tuple[str, ...]]
"""What is wrong, the call, and words of which the error must hold one."""


def casts(array: Any) -> Iterator[tuple[str, Any]]:
    """Yield the same values in every other type of array that can hold them."""
    exact = np.asarray(array, dtype=np.float64)
    types = (np.int8, np.uint8, np.int64, np.float16, np.float32, np.longdouble, np.bool_)
    for kind in types:
        with np.errstate(invalid="ignore"):
            cast = exact.astype(kind)
        if np.array_equal(cast.astype(np.float64), exact):
            yield np.dtype(kind).name, cast
    yield "list", exact.tolist()
    yield "object", exact.astype(object)
    if exact.ndim:
        yield "tuple", tuple(exact.tolist())
        yield "generator", (row for row in exact.tolist())


def refusals(case: Case) -> Iterator[Refusal]:
    """Yield calls that must be refused, one for each way an array can be unusable."""
    for name, array in case.arrays.items():
        size, words = np.asarray(array, dtype=np.float64), (name,)
        other: dict[str, Any]
        for what, bad in _spoilt(size):
            yield f"{name} {what}", case.but(what, **{name: bad}), words
        shape = (name, "scores", "losses", "n_items", "table")
        other = {name: size[None, None, None, None]}
        yield f"{name} with four axes too many", case.but("too deep", **other), shape
        if len(case.arrays) == 2 and size.ndim and len({*map(np.shape, case.arrays.values())}) == 1:
            other = {name: size[..., :-1]}
            yield f"{name} one shorter than its partner", case.but("unequal", **other), shape


def _spoilt(array: Array) -> Iterator[tuple[str, Any]]:
    for what, value in (("nan", np.nan), ("infinity", np.inf), ("minus infinity", -np.inf)):
        spoilt = array.copy()
        spoilt[(-1,) * array.ndim] = value
        yield f"holding {what}", spoilt
    for what, thing in (("None", None), ("text", "0.8"), ("a complex number", 1j)):
        objects = array.astype(object)
        objects[(-1,) * array.ndim] = thing
        yield f"holding {what}", objects if array.ndim else objects.item()
    yield "of text", array.astype(str)
    yield "of complex numbers", array + 0j
    yield "masked", np.ma.masked_array(array, mask=np.ones(array.shape, dtype=bool))
    if array.ndim:
        yield "empty", array[:0]
        rows = array.tolist()
        yield "ragged", [*rows[:-1], [rows[-1], rows[-1]]]


def stacked(cases: list[Case]) -> dict[str, Any]:
    """Return the arrays of many cases as one batch, with two leading axes."""
    names = cases[0].arrays
    both = (cases, cases[::-1])
    return {
        name: np.stack([np.stack([np.asarray(c.arrays[name]) for c in row]) for row in both])
        for name in names
    }
