"""A method under test, and how its public numbers are read and compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ..errors import OutperformError
from ..numerics.exact_sums import Array
from ..registry import Method
from ..results.result import Result
from ..views.contract import Case, Generator, Inputs

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


SEED = 19980701


@dataclass(frozen=True, slots=True)
class Subject:
    """A method, with the options and the kind of inputs it is tested with."""

    method: Method
    options: Mapping[str, Any]
    kind: Inputs
    first_counts: bool

    def rng(self) -> Generator:
        return np.random.Generator(np.random.PCG64(SEED))

    def cases(self) -> list[Case]:
        return self.kind.draw(self.method.layout, self.rng())

    def extreme(self, *, beyond: bool) -> Case:
        return self.kind.extreme(self.method.layout, self.rng(), beyond)

    def degenerate(self, change: Callable[[Case], Case] | None) -> Iterator[Case]:
        """Yield degenerate cases, also of scores a billion times larger and smaller."""
        if change is None:
            return
        for case in self.cases():
            yield change(case)
            for factor in (1e9, 1e-9) if self.kind.scales else ():
                yield scaled(change(case), factor)

    def call(self, case: Case, **more: Any) -> Result:
        unit = {"unit": self.method.unit} if self.method.unit else {}
        return self.method(**{**case.arrays, **case.keywords, **unit, **self.options, **more})


Law: TypeAlias = Callable[[Subject], Iterator[str]]
"""Yields a sentence for every breach; its docstring is the law."""


def scaled(case: Case, factor: float) -> Case:
    null = case.null * factor if "mu0" in case.keywords else None
    return case.each(f"times {factor:g}", lambda array: np.asarray(array) * factor, null)


def numbers(result: Result) -> dict[str, Any]:
    """Return the public numbers of a result, its interval at 0.9."""
    names = ("estimate", "stderr", "statistic", "df", "pvalue", "log_pvalue")
    low, high = result.interval(0.9) or (None, None)
    return {name: getattr(result, name) for name in names} | {"low": low, "high": high}


def near(x: Any, y: Any, within: float, size: float = 0.0) -> bool:
    """Tell whether two numbers, or pairs, agree to a relative error (of at least `size`)."""
    if isinstance(x, tuple) and isinstance(y, tuple):
        return all(near(a, b, within, size) for a, b in zip(x, y, strict=True))
    if x is None or y is None or x == y:
        return bool(x == y)
    return bool(abs(x - y) <= within * max(abs(x), abs(y), size))


def unequal(got: dict[str, Any], want: dict[str, Any], within: float, size: float = 0.0) -> str:
    """Say which numbers differ by more than that, or nothing."""
    wrong = [name for name in want if not near(got[name], want[name], within, size)]
    return ", ".join(f"{name} is {got[name]!r}, not {want[name]!r}" for name in wrong)


def answer(call: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
    """Return what a call gives, or the error with which it refuses."""
    try:
        return call(*arguments, **keywords)
    except OutperformError as error:
        return error
