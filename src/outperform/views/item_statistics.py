"""Numbers of items whose sums make a metric, such as true positives: what the bootstrap reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import validation
from ..errors import DataError
from ..numerics.exact_sums import ROUNDING, Array
from ..numerics.paired_resampling import SUM_METRICS
from ..scores.item_codes import Codes, coded
from ..scores.performance import of_shares
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
    same_sides,
)
from .losses import ItemLosses

if TYPE_CHECKING:
    from ..scores.split_scores import Scores

Metric = str | Callable[[Array], float]


@dataclass(frozen=True, eq=False)
class ItemStatistics:
    """What each item adds to a metric of two sides, (..., items, numbers)."""

    first: Array
    second: Array
    metric: Metric = "mean"
    clusters: Codes | None = None
    turn: float = 1.0
    """−1 where lower is better."""
    null: float = 0.0

    @property
    def identical(self) -> Any:
        apart = np.max(np.abs(self.first - self.second), axis=(-2, -1))
        both = (np.max(np.abs(side), axis=(-2, -1)) for side in (self.first, self.second))
        return apart <= ROUNDING * np.maximum(*both)


def from_arrays(
    layout: str,
    a: Any,
    b: Any,
    *,
    metric: Any = "mean",
    clusters: Any = None,
    lower_is_better: bool = False,
    names: tuple[str, str] | None = None,
    batch: bool = False,
) -> tuple[ItemStatistics, Context]:
    """Read the numbers of each item, (items, numbers), or (items,) where it has one.

    Parameters
    ----------
    a : array-like of shape (items,) or (items, numbers)
        Numbers of each item for the first side, such as true positives, false positives and false
        negatives.
    b : array-like of shape (items,) or (items, numbers)
        Numbers of each item for the second side.
    metric : str or callable, default='mean'
        Metric computed from the sums over items: "mean", "f1" or a function of them, whose name
        may say which way is better, as "rmse" does.
    clusters : array-like, optional
        Cluster of each item; whole clusters are resampled.
    """
    sides = [validation.numbers(side, name) for side, name in ((a, "a"), (b, "b"))]
    if sides[0].shape != sides[1].shape:
        raise DataError(
            "a and b must have the same shape because items are paired, got "
            f"{sides[0].shape} and {sides[1].shape}."
        )
    if sides[0].ndim == 1 or (batch and metric == "mean"):
        sides = [side[..., None] for side in sides]
    if (sides[0].ndim != 2 and not batch) or sides[0].shape[-2] < 2:
        raise DataError(
            "a and b must have shape (items, numbers) with at least 2 items, got shape "
            f"{sides[0].shape}."
        )
    name = _checked(metric, sides[0].shape[-1])
    n = int(sides[0].shape[-2])
    labels = None if clusters is None else coded(clusters, n, "clusters")
    if labels is not None and len(labels.labels) < 2:
        raise DataError("The 'clusters' parameter must have at least 2 clusters, got 1.")
    view = ItemStatistics(sides[0], sides[1], metric, labels, -1.0 if lower_is_better else 1.0)
    who = pair(names)
    scored = () if batch else of_shares(who, [_on_all(side, metric) for side in sides], n)
    return view, Context(
        who,
        n,
        metric=name,
        lower_is_better=lower_is_better,
        performances=scored[::-1] if lower_is_better else scored,
    )


def _on_all(side: Array, metric: Metric) -> float:
    """Return the metric of all items of one side."""
    if callable(metric):
        return float(metric(side))
    return float(SUM_METRICS[metric][1](side.sum(axis=0), len(side)))


def _checked(metric: Any, q: int) -> str:
    """Return the name of a metric that q numbers of an item can make."""
    if callable(metric):
        return str(getattr(metric, "__name__", "metric")).strip("<>")
    validation.choice(metric, "metric", SUM_METRICS)
    needed = SUM_METRICS[metric][0]
    if q != needed:
        raise DataError(
            f"The 'metric' parameter {metric!r} needs {needed} numbers for each item, got {q}. "
            "Pass arrays of shape (items, numbers), or a function of such rows as metric."
        )
    return "score" if metric == "mean" else str(metric)


def from_scores(
    layout: str, scores: Scores, first: str | None = None, second: str | None = None
) -> tuple[ItemStatistics, Context]:
    """Read the item scores of two models; their mean is the metric."""
    names = scores.pair(first, second)
    values = ItemLosses.of(scores, names).values
    view = ItemStatistics(values[:, :1], values[:, 1:], clusters=_clusters(scores))
    return view, asked_of(scores, names, len(values), of_items=True)


def of_pairs(layout: str, scores: Scores, i: Any, j: Any) -> tuple[ItemStatistics, int]:
    """Stack the item scores of pairs."""
    table = ItemLosses.of(scores).values.T[..., None]
    view = ItemStatistics(table[i], table[j], clusters=_clusters(scores))
    return view, int(table.shape[1])


def _clusters(scores: Scores) -> Codes | None:
    return None if scores.measured is None else scores.measured.clusters


def _cases(layout: str, rng: Generator) -> list[Case]:
    def one() -> Case:
        a, b = (dyadic(rng.normal(m, 0.1, 40)) for m in (0.8, 0.77))
        return Case("40 items", {"a": a, "b": b})

    return [one() for _ in range(3)]


def _far_apart(layout: str, rng: Generator, beyond: bool) -> Case:
    a, b = (rng.normal(m, 0.1, 200) for m in (2, 1))
    return Case("items far apart", {"a": a, "b": b})


def _whole(layout: str, rng: Generator) -> Case:
    a, b = (rng.integers(low, low + 50, 12).astype(float) for low in (40, 50))
    return Case("whole scores", {"a": a, "b": b})


def _reordered(case: Case, layout: str, rng: Generator, first_counts: bool) -> Case:
    order = rng.permutation(np.size(case.arrays["a"]))
    return case.each("in another order", lambda array: np.asarray(array)[order])


register_view(
    View(
        ItemStatistics,
        from_arrays,
        from_scores,
        Inputs(
            _cases,
            _far_apart,
            _whole,
            only(Case("two items", {"a": np.array([0.9, 0.8]), "b": np.array([0.7, 0.75])})),
            _reordered,
            exchanged,
            same_sides,
            scales=True,
            orients=True,
        ),
        of_pairs,
        lambda scores: 1 if scores.items is None else scores.items.shape[1],
        of_items=True,
    )
)
