"""Differences of losses on training sets × test items."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from .. import validation
from ..errors import DataError
from ..notes import Note
from ..numerics import exact_sums
from ..numerics.exact_sums import ROUNDING, Array
from ..scores.performance import of_arrays
from ..scores.tested_items import train_sets_by_items
from .contract import (
    Case,
    Context,
    Generator,
    Inputs,
    View,
    a_hundredth_apart,
    asked_of,
    dyadic,
    exchanged,
    only,
    pair,
    register_view,
    same_sides,
    stacked,
    whole_numbers,
)

if TYPE_CHECKING:
    from ..scores.split_scores import Scores


@dataclass(frozen=True, eq=False)
class Crossed:
    """Differences of losses on training sets × test items.

    Attributes
    ----------
    values : ndarray
        Differences, shape (..., training sets, items).
    scale : ndarray
        Largest magnitude among the scores, by which rounding is judged.
    null : float
        Difference under the null hypothesis.
    residual : ndarray or None
        What the subtraction rounded away (single experiments only).

    Examples
    --------
    >>> import numpy as np
    >>> import outperform as op
    >>> a, b = np.array([[0.0, 1.0], [1.0, 1.0]]), np.array([[0.0, 0.0], [1.0, 0.0]])
    >>> op.extend.Crossed.subtract(a, b, lower_is_better=True).values
    array([[ 0., -1.],
           [ 0., -1.]])
    >>> scores = op.Scores.from_correct(["a", "b"], [[1, 1, 0, 1], [1, 0, 0, 0]])
    >>> op.extend.Crossed.of(scores, "a", "b").values.shape
    (1, 4)
    """

    values: Array
    scale: Array
    null: float = 0.0
    residual: Array | None = None

    @classmethod
    def subtract(cls, a: Array, b: Array, *, lower_is_better: bool, null: float = 0.0) -> Self:
        """Subtract losses on (training sets, items) grids.

        Parameters
        ----------
        a : ndarray
            Losses of the first learner.
        b : ndarray
            Losses of the second learner.
        lower_is_better : bool
            Whether smaller scores are better, as with errors and losses.
        null : float, default=0.0
            Difference under the null hypothesis.

        Returns
        -------
        Crossed
            Differences, positive where the first is better.
        """
        better, worse = (b, a) if lower_is_better else (a, b)
        single = a.ndim == 2
        values, residual = (
            exact_sums.split_difference(better, worse) if single else (better - worse, None)
        )
        axes = (-2, -1)
        scale = np.maximum(np.max(np.abs(a), axis=axes), np.max(np.abs(b), axis=axes))
        return cls(values, np.asarray(scale), null, residual)

    @classmethod
    def of(cls, scores: Scores, first: str, second: str) -> Self:
        """Return differences on training sets × common test items.

        Parameters
        ----------
        scores : Scores
            Scores of the learners.
        first : str
            Name of the first learner.
        second : str
            Name of the second learner.

        Returns
        -------
        Crossed
            Differences, positive where the first is better.
        """
        a, b = (train_sets_by_items(scores, name) for name in (first, second))
        return cls.subtract(a, b, lower_is_better=True)

    @property
    def identical(self) -> Any:
        """Whether both learners have the same losses everywhere."""
        return np.max(np.abs(self.values), axis=(-2, -1)) <= ROUNDING * self.scale


def from_arrays(
    layout: str,
    losses_a: Any,
    losses_b: Any,
    *,
    lower_is_better: bool = False,
    names: tuple[str, str] | None = None,
    batch: bool = False,
) -> tuple[Crossed, Context]:
    """Read losses of two learners on training sets × common test items.

    Parameters
    ----------
    losses_a : array-like of shape (training sets, items)
        Losses of the first learner.
    losses_b : array-like of shape (training sets, items)
        Losses of the second learner.
    """
    given = ("losses_a", "losses_b")
    parts, moved = validation.aligned([losses_a, losses_b], given)
    a, b = (validation.numbers(part, name) for part, name in zip(parts, given, strict=True))
    if a.shape != b.shape or a.ndim < 2 or (a.ndim > 2 and not batch) or min(a.shape[-2:]) < 2:
        raise DataError(
            "losses must have shape (training sets, items) with at least 2 of each, the same for "
            f"both sides, got {a.shape} and {b.shape}."
        )
    view = Crossed.subtract(a, b, lower_is_better=lower_is_better)
    who = pair(names)
    return view, Context(
        who,
        math.prod(a.shape[-2:]),
        notes=(Note("OP002"),) if moved else (),
        lower_is_better=lower_is_better,
        performances=()
        if batch
        else of_arrays(
            who, (a.mean(axis=0), b.mean(axis=0)), "item", lower_is_better=lower_is_better
        ),
    )


def from_scores(
    layout: str, scores: Scores, first: str | None = None, second: str | None = None
) -> tuple[Crossed, Context]:
    first, second = scores.pair(first, second)
    view = Crossed.of(scores, first, second)
    return view, asked_of(scores, (first, second), view.values.size, of_items=True)


def of_pairs(layout: str, scores: Scores, i: Any, j: Any) -> tuple[Crossed, int]:
    """Stack the differences of pairs."""
    each = [Crossed.of(scores, scores.names[a], scores.names[b]) for a, b in zip(i, j, strict=True)]
    return stacked(each), each[0].values.size


def _cases(layout: str, rng: Generator) -> list[Case]:
    def one() -> Case:
        a, b = (dyadic(rng.normal(m, 0.2, (6, 9)) + rng.normal(0, 0.1, (6, 1))) for m in (1, 0.9))
        return Case("losses (6, 9)", {"losses_a": a, "losses_b": b}, {"lower_is_better": False})

    return [one() for _ in range(3)]


def _crossed_apart(layout: str, rng: Generator, beyond: bool) -> Case:
    b = dyadic(rng.normal(0, 1, (60, 80)))
    a = b + 1 + rng.normal(0, 1e-12 if beyond else 0.5, b.shape)
    arrays = {"losses_a": a, "losses_b": b}
    return Case("losses far apart", arrays, {"lower_is_better": False})


def _crossed_reordered(case: Case, layout: str, rng: Generator, first_counts: bool) -> Case:
    rows, columns = (rng.permutation(n) for n in case.arrays["losses_a"].shape)
    return case.each("in another order", lambda array: array[rows][:, columns])


register_view(
    View(
        Crossed,
        from_arrays,
        from_scores,
        Inputs(
            _cases,
            _crossed_apart,
            whole_numbers(
                "whole losses", losses_a=[[3, 9, 2], [8, 1, 7]], losses_b=[[9, 1, 0], [4, 6, 2]]
            ),
            only(
                Case(
                    "losses (2, 2)",
                    {
                        "losses_a": np.array([[0.9, 0.4], [0.7, 0.1]]),
                        "losses_b": np.array([[0.5, 0.3], [0.7, 0.6]]),
                    },
                )
            ),
            _crossed_reordered,
            exchanged,
            same_sides,
            a_hundredth_apart,
            scales=True,
            shifts=True,
            orients=True,
        ),
        of_pairs,
        of_items=True,
    )
)
