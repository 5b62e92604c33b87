"""Differences of cross-validations of all data, and of both halves of every halving."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from .. import validation
from ..designs import CalibratedKFold
from ..errors import DataError, argument
from ..numerics import exact_sums
from ..numerics.exact_sums import ROUNDING, Array
from ..scores.item_losses import has_item_losses
from ..scores.performance import of_differences
from .contract import (
    Case,
    Context,
    Generator,
    Inputs,
    View,
    asked_of,
    dyadic,
    only,
    pair,
    register_view,
    stacked,
)

if TYPE_CHECKING:
    from ..scores.split_scores import Scores


@dataclass(frozen=True, eq=False)
class Calibration:
    """Differences on the folds of all data and of both halves, and how far items differ."""

    whole: Array
    """Shape (..., R, K): differences on the folds of R cross-validations of all data."""
    halves: Array
    """Shape (..., M, 2, K): those of one cross-validation of each half of M halvings."""
    n: float
    """Items, or groups where whole groups are drawn."""
    scale: Array
    """The largest magnitude among the scores: rounding is judged by it."""
    squares: Array | None = None
    """Shape (..., 2): mean squared difference of item losses, on all data and in the halves."""
    null: float = 0.0
    whole_weights: Array | None = None
    """Items of each fold, where folds of groups differ in size."""
    halves_weights: Array | None = None
    n_test: float | None = None
    design: str = ""
    left_out: bool = False
    """Whether items have losses by the metric, but the scores came without them."""

    @classmethod
    def of(
        cls, scores: Scores, first: str, second: str, *, null: float = 0.0, n: float | None = None
    ) -> Self:
        """Return the differences of two learners, oriented."""
        plan = scores.design
        if not isinstance(plan, CalibratedKFold):
            raise DataError(
                "These scores contain no cross-validations of halves of the data. Run the learners "
                f"with {argument(design='5x5cv+20halves')}"
            )
        a, b = (scores.values[scores.index(name)] for name in (first, second))
        d = a - b if scores.greater_is_better else b - a
        on_all = scores.addresses[:, 0] == 0
        shapes = (plan.repeats, plan.folds), (plan.halvings, 2, plan.folds)
        sizes = scores.n_test if plan.grouped else None
        weights = [None if sizes is None else sizes[at] for at in (on_all, ~on_all)]
        return cls(
            d[on_all].reshape(shapes[0]),
            d[~on_all].reshape(shapes[1]),
            _units(scores, plan) if n is None else validation.one_number(n, "n"),
            np.asarray(np.max(np.abs([a, b]))),
            _squares(scores, first, second, on_all, weights),
            null,
            None if weights[0] is None else weights[0].reshape(shapes[0]),
            None if weights[1] is None else weights[1].reshape(shapes[1]),
            n_test=None if scores.n_test is None else float(scores.n_test.min()),
            design=str(plan),
            left_out=scores.items is None and has_item_losses(scores.metric),
        )

    @property
    def n_halvings(self) -> int:
        return int(self.halves.shape[-3])

    @cached_property
    def estimate(self) -> Array:
        """The mean over all folds of all repeats."""
        flat = self.whole.reshape(*self.whole.shape[:-2], -1)
        if self.whole_weights is None:
            return exact_sums.mean(flat)
        return np.asarray(np.mean(self.repeat_means, axis=-1))

    @cached_property
    def repeat_means(self) -> Array:
        """The mean of each cross-validation of all data, shape (..., R)."""
        return self._means(self.whole, self.whole_weights, single=self.whole.ndim == 2)

    @cached_property
    def half_means(self) -> Array:
        """The cross-validation mean of each half, shape (..., M, 2)."""
        return self._means(self.halves, self.halves_weights, single=self.halves.ndim == 3)

    @cached_property
    def gaps(self) -> Array:
        """First half minus second of each halving, shape (..., M); exact 0 where it is rounding."""
        gaps = self.half_means[..., 0] - self.half_means[..., 1]
        constant = exact_sums.largest(gaps) <= ROUNDING * self.scale
        return np.where(constant[..., None], 0.0, gaps)

    @cached_property
    def growth(self) -> Array:
        """How much further items differ on all data than in the halves; 1 if that is unknown.

        It is infinite where they differ on all data alone.
        """
        if self.squares is None:
            return np.ones(self.whole.shape[:-2])
        with np.errstate(divide="ignore", invalid="ignore"):
            found = self.squares[..., 0] / self.squares[..., 1]
        return np.where(np.isnan(found), 1.0, found)

    @property
    def identical(self) -> Any:
        """True where every difference is the hypothesised one, on items where they are known."""
        lead = self.whole.shape[:-2]
        parts = [each.reshape(*lead, -1) for each in (self.whole, self.halves)]
        seen = np.concatenate(parts, axis=-1) - self.null
        same = exact_sums.largest(seen) <= ROUNDING * np.maximum(self.scale, abs(self.null))
        if self.squares is not None and self.null == 0:
            same = same & (self.squares == 0).all(axis=-1)
        return same

    def _means(self, folds: Array, weights: Array | None, *, single: bool) -> Array:
        if weights is not None:
            return np.asarray((folds * weights).sum(axis=-1) / weights.sum(axis=-1))
        if not single:
            return np.asarray(np.mean(folds, axis=-1))
        rows = folds.reshape(-1, folds.shape[-1])
        return exact_sums.row_means(rows, single=True).reshape(folds.shape[:-1])


def _units(scores: Scores, plan: CalibratedKFold) -> float:
    """Return how many items there are, or groups where whole groups are drawn."""
    if plan.grouped:
        if scores.n_groups is None:
            raise DataError(
                "The number of groups is not known, and the degrees of freedom depend on it. Read "
                "the store of the run, or pass n, the number of groups, to the method"
            )
        return float(scores.n_groups)
    if scores.n_train is not None and scores.n_test is not None:
        return float(scores.n_train[0] + scores.n_test[0])
    raise DataError(
        "The number of items is not known, and the degrees of freedom depend on it. Give columns "
        "n_train and n_test, or pass n, the number of items, to the method"
    )


def _squares(
    scores: Scores, first: str, second: str, on_all: Any, weights: list[Any]
) -> Array | None:
    """Return D_n and D_h: squared differences of item losses, averaged within and over folds."""
    if scores.items is None:
        return None
    losses = (scores.items.values[scores.index(name)] for name in (first, second))
    one, other = (np.asarray(each, dtype=np.float64) for each in losses)
    with np.errstate(over="ignore"):
        total = np.bincount(scores.items.split, np.square(one - other), scores.n_splits)
    means = total / np.bincount(scores.items.split, minlength=scores.n_splits)
    parts = zip((on_all, ~on_all), weights, strict=True)
    return np.array([np.average(means[at], weights=weight) for at, weight in parts])


def from_arrays(
    layout: str,
    whole: Any,
    halves: Any,
    *,
    n: float,
    squares: Any = None,
    mu0: float = 0.0,
    lower_is_better: bool = False,
    names: tuple[str, str] | None = None,
    batch: bool = False,
) -> tuple[Calibration, Context]:
    """Read differences on the folds of all data, (R, K), and of the halves, (M, 2, K).

    Parameters
    ----------
    whole : array-like of shape (R, K)
        Differences on the K folds of each of R repeats on all data.
    halves : array-like of shape (M, 2, K)
        Differences on the K folds of both halves of M halvings.
    n : float
        Number of items.
    squares : tuple of two float, optional
        Mean squared difference of item losses on all data and in the halves, if the metric is a
        mean of item losses.
    """
    on_all, in_half = validation.numbers(whole, "whole"), validation.numbers(halves, "halves")
    if on_all.ndim < 2 or (on_all.ndim > 2 and not batch) or 0 in on_all.shape:
        raise DataError(
            f"whole has shape {on_all.shape}; the differences on each fold of each repeat are "
            "needed, shape (R, K)"
        )
    lead = on_all.shape[:-2]
    fits = in_half.ndim == on_all.ndim + 1 and in_half.shape[: len(lead)] == lead
    if not fits or in_half.shape[-2:] != (2, on_all.shape[-1]) or in_half.shape[-3] < 2:
        raise DataError(
            f"halves has shape {in_half.shape}; the differences on each fold of both halves of at "
            f"least 2 halvings are needed, with as many folds as in whole: shape (M, 2, "
            f"{on_all.shape[-1]})"
        )
    items = validation.one_number(n, "n")
    if items < 4:
        raise DataError(f"The 'n' parameter must be a number of items of at least 4, got {n}")
    turn = -1.0 if lower_is_better else 1.0
    axes = tuple(range(-2, 0)), tuple(range(-3, 0))
    scale = np.maximum(np.max(np.abs(on_all), axis=axes[0]), np.max(np.abs(in_half), axis=axes[1]))
    view = Calibration(
        turn * on_all,
        turn * in_half,
        items,
        np.asarray(scale),
        _checked_squares(squares, lead),
        turn * validation.one_number(mu0, "mu0"),
    )
    count = on_all.shape[-2] * on_all.shape[-1]
    who = pair(names)
    known = () if batch else of_differences(who, on_all)
    return view, Context(who, count, lower_is_better=lower_is_better, performances=known)


def _checked_squares(squares: Any, lead: tuple[int, ...]) -> Array | None:
    if squares is None:
        return None
    found = validation.numbers(squares, "squares").copy()
    if found.shape not in ((2,), (*lead, 2)) or (found < 0).any():
        raise DataError(
            "The 'squares' parameter must contain two mean squares, on all data and in the halves, "
            f"none negative, got shape {found.shape}"
        )
    return found


def from_scores(
    layout: str,
    scores: Scores,
    first: str | None = None,
    second: str | None = None,
    *,
    mu0: float = 0.0,
    n: float | None = None,
) -> tuple[Calibration, Context]:
    first, second = scores.pair(first, second)
    view = Calibration.of(scores, first, second, null=validation.one_number(mu0, "mu0"), n=n)
    return view, asked_of(scores, (first, second), view.whole.size)


def of_pairs(layout: str, scores: Scores, i: Any, j: Any) -> tuple[Calibration, int]:
    """Stack the differences of pairs."""
    names = scores.names
    each = [Calibration.of(scores, names[a], names[b]) for a, b in zip(i, j, strict=True)]
    return stacked(each), each[0].whole.size


def _cases(layout: str, rng: Generator) -> list[Case]:
    def one() -> Case:
        whole, halves = (dyadic(rng.normal(0.02, 0.02, size)) for size in ((5, 4), (8, 2, 4)))
        arrays = {"whole": whole, "halves": halves, "squares": np.array([0.1875, 0.25])}
        return Case("5 repeats, 8 halvings", arrays, {"n": 120})

    cases = [one() for _ in range(3)]
    return [*cases, cases[0].but("against 1/128", mu0=0.0078125)]


def _far_apart(layout: str, rng: Generator, beyond: bool) -> Case:
    # Many halvings of many items: with few degrees of freedom no p is that small.
    halves = 1 + rng.normal(0, 1e-4 if beyond else 0.3, (300, 2, 2))
    arrays = {"whole": np.ones((2, 2)), "halves": halves, "squares": np.ones(2)}
    return Case("a mean far from 0", arrays, {"n": 10_000})


def _whole_numbers(layout: str, rng: Generator) -> Case:
    halves = [[[9, 2], [4, 5]], [[1, 8], [0, 3]], [[2, 2], [5, 1]]]
    arrays = {"whole": [[3.0, 1], [9, 2]], "halves": halves, "squares": [8.0, 9]}
    return Case(
        "whole differences", {k: np.array(v, dtype=float) for k, v in arrays.items()}, {"n": 60}
    )


def _reordered(case: Case, layout: str, rng: Generator, first_counts: bool) -> Case:
    whole, halves, _ = case.arrays.values()
    sides = np.stack([half[rng.permutation(2)] for half in np.asarray(halves)])
    turned = sides[rng.permutation(len(sides))][..., rng.permutation(sides.shape[-1])]
    on_all = np.asarray(whole)[rng.permutation(len(whole))]
    return case.but("in another order", whole=rng.permuted(on_all, axis=1), halves=turned)


def _without_difference(case: Case) -> Case:
    at_null = case.each("all at the null", lambda x: np.full_like(x, case.null))
    return at_null.but("on every item", squares=np.zeros(2))


def _negated(case: Case, layout: str) -> Case:
    turned = {name: np.negative(case.arrays[name]) for name in ("whole", "halves")}
    return case.but("negated", -case.null, **turned)


def _equal_halves(case: Case) -> Case:
    halves = np.asarray(case.arrays["halves"])
    return case.but("both halves always equal", halves=np.repeat(halves[:, :1], 2, axis=1))


register_view(
    View(
        Calibration,
        from_arrays,
        from_scores,
        Inputs(
            _cases,
            _far_apart,
            _whole_numbers,
            only(
                Case(
                    "two halvings",
                    {
                        "whole": np.array([[0.02, 0.01], [0.03, 0.0]]),
                        "halves": np.array(
                            [[[0.01, 0.04], [0.0, 0.02]], [[0.02, 0.0], [0.1, 0.0]]]
                        ),
                    },
                    {"n": 60},
                )
            ),
            _reordered,
            _negated,
            _without_difference,
            _equal_halves,
            scales=True,
            has_null=True,
            orients=True,
        ),
        of_pairs,
    )
)
