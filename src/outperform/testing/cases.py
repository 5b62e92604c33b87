"""Calls for the conformance suite: what one is, in which types, how it is spoilt and stacked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from ..sums import Array

__all__ = ["Case", "Generator", "Kind", "Refusal", "casts", "refusals", "stacked"]

Generator: TypeAlias = np.random.Generator


@dataclass(frozen=True, slots=True)
class Case:
    """One call of a method: arrays by argument name, other keywords, a name for messages."""

    label: str
    arrays: Mapping[str, Any]
    keywords: Mapping[str, Any] = field(default_factory=dict)

    @property
    def null(self) -> float:
        return float(self.keywords.get("mu0") or 0.0)

    def fits(self, other: Case) -> bool:
        """Tell whether the arrays of two cases can be stacked."""
        shapes = [{name: np.shape(a) for name, a in case.arrays.items()} for case in (self, other)]
        return shapes[0] == shapes[1] and self.keywords == other.keywords

    def but(self, how: str, mu0: float | None = None, **arrays: Any) -> Case:
        """Return the case with other arrays, or another null value."""
        keywords = self.keywords if mu0 is None else {**self.keywords, "mu0": mu0}
        return Case(f"{self.label}, {how}", {**self.arrays, **arrays}, keywords)

    def each(self, how: str, change: Callable[[Array], Any], mu0: float | None = None) -> Case:
        """Return the case with the same change made to every array."""
        return self.but(how, mu0, **{name: change(array) for name, array in self.arrays.items()})

    def __str__(self) -> str:
        keywords = "".join(f", {name}={value!r}" for name, value in self.keywords.items())
        return self.label + keywords


@dataclass(frozen=True, slots=True)
class Kind:
    """The inputs of one view, and what may be done to them."""

    draw: Callable[[str, Generator], list[Case]]
    """Ordinary inputs of a layout; those that fit the first can be stacked."""
    extreme: Callable[[str, Generator, bool], Case]
    """The first side is far better: p near 1e-50, or too small for a float."""
    whole: Callable[[str, Generator], Case]
    """Small whole numbers, which every type of array can hold."""
    smallest: Callable[[str], Case]
    reorder: Callable[[Case, str, Generator, bool], Case]
    """The same input in another order; the flag keeps the first entry where it is."""
    swap: Callable[[Case, str], Case | None]
    identical: Callable[[Case], Case] | None = None
    constant: Callable[[Case], Case] | None = None
    balanced: Callable[[Case], Case] | None = None
    """Sides that differ item by item, yet are equally good."""
    scales: bool = False
    shifts: bool = False
    has_null: bool = False
    orients: bool = False
    """Takes lower_is_better."""
    centre: float = 0.0
    """Where estimates mirror when the sides change places."""
    turns: bool = True
    """Whether the estimate changes sign when the sides change places."""


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
