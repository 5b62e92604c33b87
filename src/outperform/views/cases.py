"""Inputs for the conformance suite: one call of a procedure, and what may be done to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from ..sums import Array

__all__ = [
    "Case",
    "Generator",
    "Kind",
    "a_hundredth_apart",
    "dyadic",
    "exchanged",
    "only",
    "reordered",
    "same_sides",
    "whole_numbers",
]

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


def dyadic(values: Any) -> Array:
    """Round to multiples of 2⁻²⁰, so that sums and shifts of such scores are exact."""
    return np.asarray(np.round(np.asarray(values) * 2**20) / 2**20)


def exchanged(case: Case, layout: str) -> Case:
    null = -case.null if "mu0" in case.keywords else None
    if len(case.arrays) == 1:
        return case.each("negated", np.negative, null)
    first, second = case.arrays
    sides = {first: case.arrays[second], second: case.arrays[first]}
    return case.but("sides exchanged", null, **sides)


def same_sides(case: Case) -> Case:
    first, *second = case.arrays
    if not second:
        return case.each("all at the null", lambda array: np.full_like(array, case.null))
    known = case.arrays[second[0]]
    return case.but("the same on both sides", 0.0 if case.null else None, **{first: known})


def a_hundredth_apart(case: Case) -> Case:
    """Return scores 0.01 apart as a reader would type them: 0.81 and 0.80, 0.79 and 0.78."""
    first, *second = case.arrays
    if not second:
        return case.each("all above the null", lambda x: np.full_like(x, case.null + 0.01))
    known = np.round(case.arrays[second[0]], 2)
    arrays = {first: np.round(known + 0.01, 2), second[0]: known}
    return case.but("always 0.01 apart", **arrays)


def reordered(case: Case, layout: str, rng: Generator, first_counts: bool) -> Case:
    return case.each("in another order", lambda array: rng.permutation(np.asarray(array)))


def whole_numbers(label: str, **arrays: Any) -> Any:
    def make(layout: str, rng: Generator) -> Case:
        return Case(label, {name: np.asarray(a, dtype=float) for name, a in arrays.items()})

    return make


def only(case: Case) -> Any:
    return lambda layout: case
