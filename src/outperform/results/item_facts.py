"""What is known of a comparison on items beside its verdict: clusters, samples, printed errors."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..numerics import exact_sums
from ..numerics.distributions import T
from ..numerics.exact_sums import Array
from ..scores.item_codes import Codes
from ..scores.items import Items


@dataclass(frozen=True, slots=True)
class ClusterFacts:
    """How items cluster, and what a paired t-test that ignores it would have claimed."""

    name: str
    n_clusters: int
    smallest: int
    largest: int
    stderr: float
    pvalue: float | None


@dataclass(frozen=True, slots=True)
class SampleFacts:
    """What several answers to an item add: variance of a difference by its source."""

    fewest: int
    most: int
    share: float | None
    """Of the squared standard error: what more answers to the same items would take away. None
    where items have one answer only, so that it cannot be estimated."""
    stderr: float
    """On new items, with the answers there are."""
    least: float | None
    """On new items, with ever more answers to each."""


@dataclass(frozen=True, slots=True)
class PrintedErrors:
    """What a tool printed of two models: a mean and a standard error of each alone."""

    tool: str
    means: tuple[float, float]
    stderrs: tuple[float, float]

    @property
    def unpaired(self) -> float:
        """The standard error of the difference, had the models answered other items."""
        return math.hypot(*self.stderrs)


def differences(items: Items, first: str, second: str) -> Array:
    """Return how much better the first model is on each item, averaged over its samples."""
    one, other = (items.means[items.names.index(name)] for name in (first, second))
    found: Array = one - other if items.greater_is_better else other - one
    return found


def clusters(items: Items, first: str, second: str) -> ClusterFacts | None:
    """Return how items cluster; None where they are not said to."""
    if items.clusters is None or items.n < 2:
        return None
    sizes = items.clusters.sizes
    d = differences(items, first, second)
    stderr = float(exact_sums.standard_deviation(d)) / math.sqrt(items.n)
    pvalue = None
    if stderr > 0:
        t = abs(float(exact_sums.mean(d))) / stderr
        pvalue = float(2 * np.exp(T(items.n - 1).logsf(t)))
    return ClusterFacts(
        items.cluster_name, len(sizes), int(sizes.min()), int(sizes.max()), stderr, pvalue
    )


def samples(items: Items, first: str, second: str) -> SampleFacts | None:
    """Return what several answers add; None where each item has one."""
    if not items.is_sampled or items.n < 2:
        return None
    rows = [items.names.index(name) for name in (first, second)]
    n = items.n_samples[rows]
    within = sum(_within(items, row) for row in rows)
    total = float(exact_sums.standard_deviation(differences(items, first, second))) ** 2
    stderr = math.sqrt(total / items.n)
    if math.isnan(within) or total == 0:
        return SampleFacts(int(n.min()), int(n.max()), None, stderr, None)
    share = min(within / total, 1.0)
    return SampleFacts(
        int(n.min()), int(n.max()), share, stderr, math.sqrt((1 - share) * total / items.n)
    )


def _within(items: Items, row: int) -> float:
    """Return σ² / K, the mean over items of the variance of a mean of answers; NaN if unknown."""
    n = items.n_samples[row]
    several = n > 1
    if not several.any():
        return math.nan
    off = items.values[row] - items.means[row][:, None]
    squares = np.nansum(off * off, axis=1)[several] / (n[several] - 1)
    sigma2 = float(exact_sums.mean(squares))
    return sigma2 * float(exact_sums.mean(1.0 / n))


def printed(items: Items, first: str, second: str) -> PrintedErrors | None:
    """Return what a tool printed of two models, where it did of both on the one dataset."""
    found = []
    for name in (first, second):
        held = [one for one in items.headers if one.model == name]
        if len(held) != 1 or len(held[0].printed) != 1:
            return None
        (mean,) = held[0].printed.values()
        if mean.stderr is None:
            return None
        found.append((held[0].tool, mean.value, mean.stderr))
    (tool, a, sa), (other, b, sb) = found
    return PrintedErrors(tool, (a, b), (sa, sb)) if tool == other else None


@dataclass(frozen=True, slots=True)
class ClusterRow:
    """Two models on the items of one cluster: means, and a paired t-test on these items alone."""

    label: str
    n: int
    first: float
    second: float
    difference: float
    """Positive where the first is better."""
    stderr: float | None
    """None of a single item, and where all differ by the same."""
    pvalue: float | None


def within(items: Items, groups: Codes, first: str, second: str) -> list[ClusterRow]:
    """Return how two models did in each cluster, all clusters in one pass."""
    d = differences(items, first, second)
    n = groups.sizes
    one, other, mean = (
        np.bincount(groups.codes, weights=row, minlength=len(n)) / n
        for row in (*(items.means[items.names.index(name)] for name in (first, second)), d)
    )
    off = d - mean[groups.codes]
    squares = np.bincount(groups.codes, weights=off * off, minlength=len(n))
    errors = np.sqrt(squares / np.maximum(n - 1, 1) / n)
    tiny = exact_sums.ROUNDING * np.abs(mean)
    known = (n > 1) & (errors > tiny)
    rows = []
    for at, label in enumerate(groups.labels):
        pvalue = None
        if known[at]:
            t = abs(mean[at]) / errors[at]
            pvalue = float(2 * np.exp(T(int(n[at]) - 1).logsf(t)))
        found = float(one[at]), float(other[at]), float(mean[at])
        error = float(errors[at]) if known[at] else None
        rows.append(ClusterRow(label, int(n[at]), *found, error, pvalue))
    return rows
