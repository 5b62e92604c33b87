"""A number of items right of n."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import validation
from ..errors import DataError
from ..scores.performance import of_shares
from .contract import (
    Case,
    Context,
    Generator,
    Inputs,
    View,
    asked_of,
    only,
    register_view,
    whole_numbers,
)
from .losses import ItemLosses

if TYPE_CHECKING:
    from ..scores.split_scores import Scores


@dataclass(frozen=True, eq=False)
class Counts:
    """Number of right items out of n.

    Attributes
    ----------
    count : float or ndarray
        Right items.
    n : float or ndarray
        Number of items.
    null : float or None
        Accuracy under the null hypothesis.

    Examples
    --------
    >>> from outperform.extend import Counts
    >>> Counts(85, 100).n
    100
    """

    count: Any
    n: Any
    null: float | None = None

    @property
    def identical(self) -> Any:
        """Always False: one model is not compared with another."""
        return np.zeros(np.shape(self.count), dtype=bool)


def from_arrays(
    layout: str,
    correct: Any,
    n: Any = None,
    *,
    mu0: float | None = None,
    names: tuple[str, str] | None = None,
    batch: bool = False,
) -> tuple[Counts, Context]:
    """Read a count of right items and their number, or one 0/1 entry for each item.

    Parameters
    ----------
    correct : int or array-like
        Number of correct items, or 1 and 0 for each item.
    n : int, optional
        Number of items; not needed with one entry for each item.
    mu0 : float, optional
        Accuracy under the null hypothesis; by default nothing is tested.
    """
    right = validation.counts(correct, "correct")
    if n is None:
        if right.ndim != 1 or not np.isin(right, (0.0, 1.0)).all():
            raise DataError(
                "n is missing. Pass the number of correct items and the number of items, as in "
                "accuracy_interval(83, 100), or one 0/1 entry for each item."
            )
        right, total = np.asarray(right.sum()), np.asarray(float(right.size))
    else:
        total = validation.counts(n, "n")
        if (right.ndim or total.ndim) and not batch:
            raise DataError(
                f"correct and n must be single numbers, got shapes {right.shape} and "
                f"{total.shape}. Use for example accuracy_interval(83, 100)"
            )
        if (total <= 0).any() or (right > total).any():
            raise DataError("correct must be between 0 and n, and n must be at least 1.")
    null = None if mu0 is None else validation.one_number(mu0, "mu0")
    if null is not None and not 0 < null < 1:
        raise DataError(
            f"The 'mu0' parameter must be between 0 and 1 for an accuracy, got {null:g}."
        )
    view = Counts(right[()], total[()], null)
    who, items = ((names or ("A",))[0], None), int(total) if total.ndim == 0 else 0
    scored = of_shares(who, [float(right) / items], items) if items else ()
    return view, Context(who, items, metric="accuracy", performances=scored)


def from_scores(
    layout: str, scores: Scores, name: str | None = None, *, mu0: float | None = None
) -> tuple[Counts, Context]:
    name = scores.names[0] if name is None and len(scores.names) == 1 else name
    if name is None:
        raise DataError(f"Pass the name of one learner: {', '.join(scores.names)}")
    right = ItemLosses.of(scores, (name,)).right
    null = None if mu0 is None else validation.fraction(mu0, "mu0")
    view = Counts(float(right.sum()), float(right.size), null)
    return view, asked_of(scores, (name, None), right.size)


def _cases(layout: str, rng: Generator) -> list[Case]:
    def one(correct: int, n: int) -> Case:
        arrays = {"correct": np.float64(correct), "n": np.float64(n)}
        return Case("a number right of n", arrays, {"mu0": 0.75})

    return [one(83, 100), one(31, 50), one(400, 500)]


def _many_right(layout: str, rng: Generator, beyond: bool) -> Case:
    n = 4000.0 if beyond else 200.0
    arrays = {"correct": np.float64(0.95 * n), "n": np.float64(n)}
    return Case(f"{0.95 * n:g} right of {n:g}", arrays, {"mu0": 0.5})


def _counts_as_items(case: Case, layout: str, rng: Generator, first_counts: bool) -> Case:
    correct, n = (int(value) for value in case.arrays.values())
    right = rng.permutation(np.arange(n) < correct)
    return Case(f"{case.label}, as items in any order", {"correct": right}, case.keywords)


def _wrong_instead(case: Case, layout: str) -> Case:
    wrong = case.arrays["n"] - case.arrays["correct"]
    return case.but("wrong for right", 1 - case.null, correct=wrong)


register_view(
    View(
        Counts,
        from_arrays,
        from_scores,
        Inputs(
            _cases,
            _many_right,
            whole_numbers("83 of 100", correct=83, n=100),
            only(Case("1 of 2", {"correct": np.float64(1), "n": np.float64(2)})),
            _counts_as_items,
            _wrong_instead,
            has_null=True,
            centre=0.5,
        ),
        of_items=True,
    )
)
