"""How each learner scored: mean and standard deviation over splits, datasets or items."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..numerics import exact_sums
from ..numerics.exact_sums import Array
from .item_losses import metric_of

if TYPE_CHECKING:
    from .split_scores import Scores


Unit = Literal["split", "seed", "dataset", "item"]
HALVED = ("halves", "calibrated-kfold")
"""Designs whose partitions after the first hold halves of the data, and judge the variance only."""


SEEDS = ("seeds", "unpaired-seeds")


@dataclass(frozen=True, slots=True)
class Performance:
    """The mean score of one learner, its standard deviation, and over how many of what."""

    name: str
    mean: float
    sd: float | None
    """None of one number, and of right and wrong, whose deviation the mean tells."""
    n: int
    unit: Unit

    @property
    def stderr(self) -> float:
        """Roughly how far the mean is known: for the digits that are shown, not for a test."""
        spread = self.sd
        if spread is None:
            share = self.unit == "item" and 0 < self.mean < 1
            spread = math.sqrt(self.mean * (1 - self.mean)) if share else 0.0
        return spread / math.sqrt(self.n)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def performances(
    scores: Scores, names: Sequence[str | None] | None = None, *, of_items: bool = False
) -> tuple[Performance, ...]:
    """Return how some learners, or all, scored: best first.

    Over datasets where there are several, each its mean over splits; over items where a method
    reads them; else over the splits of all data.
    """
    at = [scores.index(name) for name in (names or scores.names) if name is not None]
    found = _over(scores, at, of_items)
    turned = found[0].unit == "item" and scores.measured is None and not _as_given(scores)
    sign = -1.0 if scores.greater_is_better or turned else 1.0
    return tuple(sorted(found, key=lambda one: sign * one.mean))


def _over(scores: Scores, at: list[int], of_items: bool) -> list[Performance]:
    if len(set(scores.datasets or ())) > 1:
        means = {i: scores.dataset_means([i])[0] for i in at}
        return [_mean(scores.names[i], means[i][~np.isnan(means[i])], "dataset") for i in at]
    seeds = getattr(scores.design, "kind", "") in SEEDS
    if of_items and scores.items is not None and not seeds:
        return _over_items(scores, at)
    values, unit = scores.values[:, whole_data(scores)], "seed" if seeds else "split"
    return [_mean(scores.names[i], values[i][~np.isnan(values[i])], unit) for i in at]


def _over_items(scores: Scores, at: list[int]) -> list[Performance]:
    """Return the mean score of single items; accuracies of one test set are known already."""
    items = scores.items
    assert items is not None
    right = items.loss == "zero-one"
    known = scores.measured is not None or scores.metric == metric_of(items.loss, scores.metric)
    if right and scores.n_splits == 1 and known:
        n = items.shape[1] if scores.n_test is None else int(scores.n_test[0])
        names, means = scores.names, scores.values[:, 0].tolist()
        return [Performance(names[i], means[i], None, n, "item") for i in at]
    found = []
    for i in at:
        losses = np.asarray(items.values[i], dtype=np.float64)
        losses = losses[~np.isnan(losses)]  # judgements of pairs leave out models on some items
        as_scored = losses if _as_given(scores) and not scores.greater_is_better else -losses
        each = _mean(scores.names[i], 1 - losses if right else as_scored, "item")
        found.append(Performance(each.name, each.mean, None if right else each.sd, each.n, "item"))
    return found


def _as_given(scores: Scores) -> bool:
    """Tell whether the items carry numbers of the scores' own metric, on its own scale."""
    return scores.items is not None and scores.items.loss == "given"


def of_arrays(
    names: Sequence[str | None], sides: Sequence[Array], unit: Unit, *, lower_is_better: bool
) -> tuple[Performance, ...]:
    """Return how learners scored that are given as plain arrays: best first."""
    found = [
        _mean(name, side.ravel(), unit)
        for name, side in zip(names, sides, strict=False)
        if name is not None
    ]
    return tuple(sorted(found, key=lambda one: one.mean if lower_is_better else -one.mean))


def of_differences(names: tuple[str, str], values: Array) -> tuple[Performance, ...]:
    """Return the mean of several differences, where the scores of each side are not known."""
    return (_mean(" − ".join(names), values.ravel(), "split"),) if values.size > 1 else ()


def of_moments(
    names: Sequence[str], means: Array, covariance: Array, n: int, lower_is_better: bool
) -> tuple[Performance, ...]:
    """Return learners of whom the mean and variance over n items are known: best first."""
    spread = np.sqrt(np.diagonal(covariance)).tolist()
    found = [
        Performance(name, mean, sd, n, "item")
        for name, mean, sd in zip(names, means.tolist(), spread, strict=True)
    ]
    return tuple(sorted(found, key=lambda one: one.mean if lower_is_better else -one.mean))


def of_shares(
    names: Sequence[str | None], shares: Sequence[float], n: int
) -> tuple[Performance, ...]:
    """Return learners of whom an accuracy, or an area, over n items is known: best first."""
    found = [
        Performance(name, float(share), None, n, "item")
        for name, share in zip(names, shares, strict=False)
        if name is not None
    ]
    return tuple(sorted(found, key=lambda one: -one.mean))


def whole_data(scores: Scores) -> Any:
    """Return which splits are of all data, not of one of its halves."""
    kind = getattr(scores.design, "kind", "")
    return scores.addresses[:, 0] == 0 if kind in HALVED else slice(None)


def on_whole_data(scores: Scores, name: str) -> Array:
    """Return the scores of one learner that its mean is taken of: halves of the data are apart."""
    row: Array = scores.values[scores.index(name), whole_data(scores)]
    return row[~np.isnan(row)]


def _mean(name: str, values: Array, unit: Any) -> Performance:
    sd = float(exact_sums.standard_deviation(values)) if values.size > 1 else None
    return Performance(name, float(exact_sums.mean(values)), sd, int(values.size), unit)
