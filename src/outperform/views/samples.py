"""Item scores of two sides whose items were not the same, or are treated as if not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import validation
from ..errors import DataError
from ..numerics.exact_sums import ROUNDING, Array
from ..scores.performance import of_arrays
from .contract import (
    Case,
    Context,
    Generator,
    Inputs,
    View,
    asked_of,
    dyadic,
    exchanged,
    only,
    pair,
    register_view,
    reordered,
    whole_numbers,
)
from .losses import ItemLosses

if TYPE_CHECKING:
    from ..scores.split_scores import Scores


@dataclass(frozen=True, eq=False)
class Samples:
    """Item scores of two sides that do not share their items.

    Attributes
    ----------
    first : ndarray
        Scores of the first side.
    second : ndarray
        Scores of the second side.
    null : float
        Difference under the null hypothesis.
    turn : float
        -1 if smaller scores are better, otherwise 1.

    Examples
    --------
    >>> import numpy as np
    >>> from outperform.extend import Samples
    >>> Samples(np.array([0.8, 0.9]), np.array([0.7]), 0.0, 1.0).first.size
    2
    """

    first: Array
    second: Array
    null: float = 0.0
    turn: float = 1.0

    @property
    def identical(self) -> Any:
        """Whether no score varies and both sides have the same."""
        both = np.concatenate([self.first, self.second], axis=-1)
        top, bottom = np.max(both, axis=-1), np.min(both, axis=-1)
        return (self.null == 0) & (top - bottom <= ROUNDING * np.maximum(abs(top), abs(bottom)))


def from_arrays(
    layout: str,
    a: Any,
    b: Any,
    *,
    mu0: float = 0.0,
    lower_is_better: bool = False,
    names: tuple[str, str] | None = None,
    batch: bool = False,
) -> tuple[Samples, Context]:
    """Read item scores of two sides, of any two lengths.

    Parameters
    ----------
    a : array-like
        Item losses or scores of the first side.
    b : array-like
        Item losses or scores of the second side; the length may differ.
    """
    first, second = validation.numbers(a, "a"), validation.numbers(b, "b")
    for name, side in (("a", first), ("b", second)):
        if (side.ndim != 1 and not batch) or side.shape[-1] < 2:
            raise DataError(
                f"{name} must have shape (n,) with at least 2 item scores, got shape {side.shape}."
            )
    turn = -1.0 if lower_is_better else 1.0
    view = Samples(first, second, validation.one_number(mu0, "mu0"), turn)
    n = min(first.shape[-1], second.shape[-1])
    who = pair(names)
    scored = (
        () if batch else of_arrays(who, (first, second), "item", lower_is_better=lower_is_better)
    )
    return view, Context(who, n, lower_is_better=lower_is_better, performances=scored)


def from_scores(
    layout: str,
    scores: Scores,
    first: str | None = None,
    second: str | None = None,
    *,
    mu0: float = 0.0,
) -> tuple[Samples, Context]:
    first, second = scores.pair(first, second)
    items = ItemLosses.of(scores, (first, second)).values
    view = Samples(items[:, 0], items[:, 1], validation.one_number(mu0, "mu0"))
    return view, asked_of(scores, (first, second), items.shape[0], of_items=True)


def _cases(layout: str, rng: Generator) -> list[Case]:
    def one() -> Case:
        sides = (dyadic(rng.normal(m, 0.3, n)) for m, n in ((0.8, 30), (0.65, 24)))
        return Case("samples of 30 and 24", dict(zip("ab", sides, strict=True)))

    cases = [one() for _ in range(3)]
    return [*cases, cases[0].but("against 1/128", mu0=0.0078125)]


def _samples_apart(layout: str, rng: Generator, beyond: bool) -> Case:
    a, b = (rng.normal(m, 1e-9 if beyond else 0.1, 60) for m in (2, 1))
    return Case("samples far apart", {"a": a, "b": b})


TRIED = Inputs(
    _cases,
    _samples_apart,
    whole_numbers("whole scores", a=[30, 90, 20, 70], b=[90, 80, 10]),
    only(Case("two scores a side", {"a": np.array([0.9, 0.8]), "b": np.array([0.7, 0.75])})),
    reordered,
    exchanged,
    lambda case: case.each("all 0.7", lambda x: np.full_like(x, 0.7), 0.0),
    lambda case: case.but("0.8 against 0.7", a=np.full(30, 0.8), b=np.full(24, 0.7)),
    lambda case: case.but("the same scores", 0.0, a=case.arrays["b"]),
    scales=True,
    shifts=True,
    has_null=True,
    orients=True,
)
register_view(View(Samples, from_arrays, from_scores, TRIED, of_items=True))
