"""Differences on splits that were each run with several seeds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import validation
from ..designs import parse
from ..errors import DataError
from ..numerics import exact_sums
from ..numerics.exact_sums import ROUNDING, Array
from ..scores.performance import of_arrays
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
    ratio_of,
    register_view,
    same_sides,
)
from .differences import two_sides

if TYPE_CHECKING:
    from ..scores.split_scores import Scores


@dataclass(frozen=True, eq=False)
class SplitsBySeeds:
    """Oriented differences, splits × seeds (last two axes)."""

    values: Array
    scale: Array
    """The largest magnitude among an experiment's scores: rounding is judged by it."""
    test_train_ratio: float | None = None
    null: float = 0.0

    @classmethod
    def subtract(
        cls,
        a: Array,
        b: Array,
        *,
        ratio: float | None,
        null: float = 0.0,
        lower_is_better: bool = False,
    ) -> SplitsBySeeds:
        """Subtract b from a, oriented."""
        better, worse = (b, a) if lower_is_better else (a, b)
        flat = (*a.shape[:-2], -1)
        scale = np.maximum(*(exact_sums.largest(side.reshape(flat)) for side in (a, b)))
        return cls(better - worse, np.asarray(scale), ratio, null)

    @property
    def identical(self) -> Any:
        apart = np.abs(self.values - self.null).max(axis=(-2, -1))
        return apart <= ROUNDING * np.maximum(self.scale, abs(self.null))


def from_arrays(
    layout: str,
    a: Any,
    b: Any = None,
    *,
    mu0: float = 0.0,
    lower_is_better: bool = False,
    design: Any = None,
    n_train: Any = None,
    n_test: Any = None,
    names: tuple[str, str] | None = None,
    batch: bool = False,
) -> tuple[SplitsBySeeds, Context]:
    """Read the scores of two sides, shape (splits, seeds).

    Parameters
    ----------
    a : array-like of shape (splits, seeds)
        Scores of the first side; differences if `b` is left out.
    b : array-like of shape (splits, seeds), optional
        Scores of the second side.
    """
    if b is None and isinstance(a, Mapping):
        names, a, b = two_sides(a, names)
    sides = [validation.numbers(side, name) for side, name in ((a, "a"), (b, "b"))]
    shape = sides[0].shape
    if (len(shape) != 2 and not batch) or shape != sides[1].shape or min(shape[-2:]) < 2:
        raise DataError(
            f"a and b must contain scores of at least 2 splits × 2 seeds, got shapes {shape} and "
            f"{sides[1].shape}"
        )
    plan = None if design is None else parse(design)
    if plan is not None and plan.shape is not None:
        seeds, repeats, folds = plan.shape
        if shape[-2:] != (repeats * folds, seeds):
            raise DataError(
                f"design {plan} makes scores of {repeats * folds} splits × {seeds} seeds, but "
                f"{shape[-2]} × {shape[-1]} were given. Pass the design that made them"
            )
    ratio = ratio_of(plan, n_train, n_test, shape[-2])
    null = validation.one_number(mu0, "mu0")
    view = SplitsBySeeds.subtract(*sides, ratio=ratio, null=null, lower_is_better=lower_is_better)
    who = pair(names)
    scored = (
        ()
        if batch
        else of_arrays(
            who, [side.mean(axis=-1) for side in sides], "split", lower_is_better=lower_is_better
        )
    )
    context = Context(
        who, shape[-2], design=plan, lower_is_better=lower_is_better, performances=scored
    )
    return view, context


def from_scores(
    layout: str,
    scores: Scores,
    first: str | None = None,
    second: str | None = None,
    *,
    mu0: float = 0.0,
) -> tuple[SplitsBySeeds, Context]:
    """Read the differences of two learners."""
    names = scores.pair(first, second)
    a, b = (_table(scores, [scores.index(name)])[0] for name in names)
    view = SplitsBySeeds.subtract(
        a,
        b,
        ratio=scores.test_train_ratio,
        null=validation.one_number(mu0, "mu0"),
        lower_is_better=not scores.greater_is_better,
    )
    return view, asked_of(scores, names, a.shape[-2])


def _table(scores: Scores, rows: Any) -> Array:
    """Return scores as (learners, splits, seeds): a partition of the design is a seed."""
    seeds, repeats, folds = scores.grid()
    by_seed = scores.values[rows].reshape(len(rows), seeds, repeats * folds)
    return np.ascontiguousarray(by_seed.swapaxes(-2, -1))


def of_pairs(layout: str, scores: Scores, i: Any, j: Any) -> tuple[SplitsBySeeds, int]:
    """Stack the differences of pairs."""
    a, b = (_table(scores, side) for side in (i, j))
    lower = not scores.greater_is_better
    view = SplitsBySeeds.subtract(a, b, ratio=scores.test_train_ratio, lower_is_better=lower)
    return view, a.shape[-2]


SIZES = {"n_train": 90, "n_test": 10}


def _cases(layout: str, rng: Generator) -> list[Case]:
    def one() -> Case:
        sides = (dyadic(rng.normal(mean, 0.03, (10, 3))) for mean in (0.8, 0.78))
        return Case("scores of 10 splits × 3 seeds", dict(zip("ab", sides, strict=True)), SIZES)

    cases = [one() for _ in range(3)]
    return [*cases, cases[0].but("against 1/128", mu0=0.0078125)]


def _far_apart(layout: str, rng: Generator, beyond: bool) -> Case:
    b = dyadic(rng.normal(0.8, 0.03, (60, 2)))
    a = b + 1 + rng.normal(0, 1e-9 if beyond else 0.02, b.shape)
    return Case("scores far apart", {"a": a, "b": b}, SIZES)


def _whole(layout: str, rng: Generator) -> Case:
    a, b = (rng.integers(low, low + 50, (5, 2)).astype(float) for low in (40, 50))
    return Case("whole scores", {"a": a, "b": b}, SIZES)


def _reordered(case: Case, layout: str, rng: Generator, first_counts: bool) -> Case:
    splits, seeds = (rng.permutation(n) for n in np.shape(case.arrays["a"]))
    return case.each("in another order", lambda array: np.asarray(array)[splits][:, seeds])


register_view(
    View(
        SplitsBySeeds,
        from_arrays,
        from_scores,
        Inputs(
            _cases,
            _far_apart,
            _whole,
            only(
                Case(
                    "two splits × two seeds",
                    {
                        "a": np.array([[0.81, 0.79], [0.84, 0.83]]),
                        "b": np.array([[0.80, 0.75], [0.78, 0.80]]),
                    },
                    SIZES,
                )
            ),
            _reordered,
            exchanged,
            same_sides,
            a_hundredth_apart,
            scales=True,
            shifts=True,
            has_null=True,
            orients=True,
        ),
        of_pairs,
        lambda scores: scores.n_splits,
    )
)
