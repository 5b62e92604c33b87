"""Inputs for the conformance suite: ordinary, degenerate, extreme and bad calls of every view."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from .sums import Array

__all__ = ["KINDS", "Case", "Kind", "Refusal", "casts", "refusals", "stacked"]

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
    """Ordinary inputs of a layout; those with the label of the first can be stacked."""
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
        for what, bad in _spoilt(size):
            yield f"{name} {what}", case.but(what, **{name: bad}), words
        shape = (name, "scores", "losses", "n_items", "table")
        deep = size[None, None, None, None]
        yield f"{name} with four axes too many", case.but("too deep", **{name: deep}), shape
        if len(case.arrays) == 2 and size.ndim and "mean_or_scores" not in case.arrays:
            short = case.but("unequal lengths", **{name: size[..., :-1]})
            yield f"{name} one shorter than its partner", short, shape


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


def _dyadic(values: Any) -> Array:
    """Round to multiples of 2⁻²⁰, so that sums and shifts of such scores are exact."""
    return np.asarray(np.round(np.asarray(values) * 2**20) / 2**20)


def _a_hundredth_more(scores: Array) -> Array:
    """Return scores + 0.01 as a reader of two-decimal scores would type them."""
    return np.round(scores + 0.01, 2)


# Scores of two sides, or of one, on splits, items or datasets.

SHAPES: dict[str, tuple[tuple[int, ...], ...]] = {
    "folds": ((10,),),
    "splits": ((30,), (3, 10)),
    "twofold": ((5, 2),),
    "partitions": ((6, 10), (4, 5, 2)),
    "items": ((40,),),
    "datasets": ((12,), (60,)),
}
_SIZES = {"n_train": 90, "n_test": 10}
_AXES_LEFT = {"folds": (60,), "splits": (60,), "twofold": (60, 2), "partitions": (3, 60)}


def _differences(layout: str, rng: Generator) -> list[Case]:
    cases = []
    for shape in SHAPES[layout]:
        sizes = _SIZES if layout == "splits" and len(shape) == 1 else {}
        for _ in range(3 if not cases else 1):
            a, b = (_dyadic(rng.normal(mean, 0.03, shape)) for mean in (0.8, 0.78))
            cases.append(Case(f"two sides of scores {shape}", {"a": a, "b": b}, sizes))
    a, b = cases[0].arrays["a"], cases[0].arrays["b"]
    one = Case(f"one side of scores {a.shape}", {"a": a}, {**cases[0].keywords, "mu0": 0.78125})
    tied = cases[0].but("rounded to 0.01", a=np.round(a, 2), b=np.round(b, 2))
    return [*cases, one, cases[0].but("against a null of 1/128", mu0=0.0078125), tied]


def _far_apart(layout: str, rng: Generator, beyond: bool) -> Case:
    over_datasets = (5000,) if beyond else (200,)
    shape = over_datasets if layout == "datasets" else _AXES_LEFT.get(layout, (60,))
    noise = rng.normal(0, 1e-9 if beyond else 0.02, shape)
    b = _dyadic(rng.normal(0.8, 0.03, shape))
    arrays = {"a": b + 1 + noise, "b": b}
    return Case(f"scores {shape} far apart", arrays, _SIZES if layout == "splits" else {})


def _whole_scores(layout: str, rng: Generator) -> Case:
    shape = SHAPES[layout][0]
    a, b = (rng.integers(low, low + 50, shape).astype(float) for low in (40, 50))
    return Case(f"whole scores {shape}", {"a": a, "b": b}, _SIZES if layout == "splits" else {})


def _two_scores(layout: str) -> Case:
    shape = {"twofold": (1, 2), "partitions": (1, 2)}.get(layout, (2,))
    a = np.reshape([0.81, 0.79], shape)
    b = np.reshape([0.80, 0.75], shape)
    return Case("two scores a side", {"a": a, "b": b}, _SIZES if layout == "splits" else {})


def _reordered(case: Case, layout: str, rng: Generator, first_counts: bool) -> Case:
    shape = np.shape(case.arrays["a"])
    places = np.arange(int(np.prod(shape))).reshape(shape)
    if len(shape) == 1 or layout == "splits":
        kept = places.ravel()[: int(first_counts)]
        rest = rng.permutation(places.ravel()[int(first_counts) :])
        places = np.concatenate([kept, rest]).reshape(shape)
    elif len(shape) == 3:
        places = rng.permutation(places)
    else:
        start = int(first_counts)
        inner = rng.permuted(places[start:], axis=1)
        places = np.concatenate([places[:start], rng.permutation(inner)])
    return case.each("in another order", lambda array: np.ravel(array)[places])


def _exchanged(case: Case, layout: str) -> Case:
    null = -case.null if "mu0" in case.keywords else None
    if len(case.arrays) == 1:
        return case.each("negated", np.negative, null)
    first, second = case.arrays
    sides = {first: case.arrays[second], second: case.arrays[first]}
    return case.but("sides exchanged", null, **sides)


def _same(case: Case) -> Case:
    first, *second = case.arrays
    if not second:
        return case.each("all at the null", lambda array: np.full_like(array, case.null))
    known = np.asarray(case.arrays[second[0]])
    return case.but("the same on both sides", 0.0 if case.null else None, **{first: known})


def _always_a_hundredth(case: Case) -> Case:
    first, *second = case.arrays
    if not second:
        return case.each("all above the null", lambda x: np.full_like(x, case.null + 0.01))
    known = np.round(np.asarray(case.arrays[second[0]]), 2)
    return case.but("always 0.01 apart", **{first: _a_hundredth_more(known), second[0]: known})


_DIFFERENCES = Kind(
    _differences, _far_apart, _whole_scores, _two_scores, _reordered, _exchanged, _same,
    _always_a_hundredth, scales=True, shifts=True, has_null=True, orients=True,
)  # fmt: skip


KINDS: dict[str, Kind] = {"Differences": _DIFFERENCES}
"""By the name of the view a method reads."""
