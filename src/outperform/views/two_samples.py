"""Scores of two sides that share no seeds: their means, standard errors and numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import validation
from ..errors import DataError
from ..numerics.exact_sums import ROUNDING, Array, mean_difference, standard_deviation
from ..scores.performance import of_arrays
from .contract import Context, View, asked_of, pair, register_view, stacked
from .samples import TRIED

if TYPE_CHECKING:
    from ..scores.split_scores import Scores


@dataclass(frozen=True, eq=False)
class TwoSamples:
    """What Welch's t reads of two samples, which may differ in length."""

    difference: Array
    """Mean of the first less that of the second, oriented."""
    errors: Array
    """The standard errors of both means, shape (..., 2)."""
    n: Array
    """The lengths of both samples, shape (..., 2)."""
    flat: Any
    """True where all scores of both sides are the same."""
    null: float = 0.0

    @classmethod
    def of(cls, first: Array, second: Array, *, turn: float = 1.0, null: float = 0.0) -> TwoSamples:
        """Sum up two samples; leading axes are experiments."""
        lead = first.shape[:-1]
        errors = np.stack([_error(first), _error(second)], axis=-1)
        n = np.broadcast_to(np.array([first.shape[-1], second.shape[-1]], float), (*lead, 2))
        both = np.concatenate([first, second], axis=-1)
        return cls(turn * mean_difference(first, second), errors, n, _constant(both), null)

    @property
    def identical(self) -> Any:
        return self.flat & (self.null == 0)


def _constant(values: Array) -> Any:
    return np.ptp(values, axis=-1) <= ROUNDING * np.max(np.abs(values), axis=-1)


def _error(values: Array) -> Array:
    error = standard_deviation(values) / np.sqrt(values.shape[-1])
    return np.where(_constant(values), 0.0, error)


def from_arrays(
    layout: str,
    a: Any,
    b: Any,
    *,
    mu0: float = 0.0,
    lower_is_better: bool = False,
    names: tuple[str, str] | None = None,
    batch: bool = False,
) -> tuple[TwoSamples, Context]:
    """Read the scores of two sides, of any two lengths.

    Parameters
    ----------
    a : array-like
        Scores of the first side with each of its seeds.
    b : array-like
        Scores of the second side with each of its seeds; the length may differ.
    """
    sides = validation.numbers(a, "a"), validation.numbers(b, "b")
    for name, side in zip("ab", sides, strict=True):
        _check_length(name, side, batch=batch)
    turn = -1.0 if lower_is_better else 1.0
    view = TwoSamples.of(*sides, turn=turn, null=validation.one_number(mu0, "mu0"))
    n = min(side.shape[-1] for side in sides)
    who = pair(names)
    scored = () if batch else of_arrays(who, sides, "seed", lower_is_better=lower_is_better)
    return view, Context(who, n, lower_is_better=lower_is_better, performances=scored)


def _check_length(name: str, side: Array, *, batch: bool = False) -> None:
    if (side.ndim != 1 and not batch) or side.shape[-1] < 2:
        raise DataError(
            f"{name} has shape {side.shape}; a variance needs at least 2 scores, shape (n,)"
        )


def from_scores(
    layout: str,
    scores: Scores,
    first: str | None = None,
    second: str | None = None,
    *,
    mu0: float = 0.0,
) -> tuple[TwoSamples, Context]:
    """Read the scores of two learners."""
    first, second = scores.pair(first, second)
    sides = [scores.own(name) for name in (first, second)]
    view = _of_learners(scores, first, second, validation.one_number(mu0, "mu0"))
    return view, asked_of(scores, (first, second), min(side.size for side in sides))


def _of_learners(scores: Scores, first: str, second: str, null: float = 0.0) -> TwoSamples:
    scores.grid()  # refuses several datasets
    sides = [scores.own(name) for name in (first, second)]
    for name, side in zip((first, second), sides, strict=True):
        _check_length(repr(name), side)
    turn = 1.0 if scores.greater_is_better else -1.0
    return TwoSamples.of(*sides, turn=turn, null=null)


def of_pairs(layout: str, scores: Scores, i: Any, j: Any) -> tuple[TwoSamples, int]:
    """Stack pairs, each summed up by itself: their lengths may differ."""
    names = scores.names
    pairs = [_of_learners(scores, names[a], names[b]) for a, b in zip(i, j, strict=True)]
    return stacked(pairs), min(scores.own(name).size for name in names)


register_view(
    View(TwoSamples, from_arrays, from_scores, TRIED, of_pairs, lambda scores: scores.n_splits)
)
