"""A method under test, and how its public numbers are read and compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ..errors import OutperformError
from ..registry import Method
from ..result import Result
from ..views.cases import Case, Generator, Kind

__all__ = ["Law", "Subject", "answer", "near", "numbers", "scaled", "unequal"]

SEED = 19980701


@dataclass(frozen=True, slots=True)
class Subject:
    """A method, with the options and the kind of inputs it is tested with."""

    method: Method
    options: Mapping[str, Any]
    kind: Kind
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
        return self.method(**{**case.arrays, **case.keywords, **self.options, **more})


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
