"""Judging claims: estimates with errors over datasets, and one rule for every statement.

A claim is *shown* where its contrary is rejected at 0.001, two-sided, and *contradicted* where the
claim itself is; between the two the datasets are too few to tell. As with values, a
true claim is called different once in two thousand times; the page counts apart the claims that
are neither.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

from ...sums import Array
from ..exhibits import DEVIATE, Statement, share_error

__all__ = ["Estimate", "bootstrap", "claim", "follows", "jackknife", "mean", "share"]

GROUPS = 50
"""Datasets are left out in at most so many groups."""
DRAWS = 400
OTHERS = "the paper's tree (S-Plus) and metric are lost: ours are C4.5 unpruned and other weights"


class Estimate(NamedTuple):
    """A number and its standard error."""

    value: float
    error: float

    def __str__(self) -> str:
        return f"{self.value:.3g} ± {self.error:.2g}"


def claim(
    text: str,
    found: Estimate,
    side: Literal["above", "below"],
    bound: float,
    *,
    what: str,
    reason: str = OTHERS,
) -> Statement:
    """Judge that a number is above or below a bound; `what` names the number.

    The `reason` is told where the claim is contradicted.
    """
    turn = 1.0 if side == "above" else -1.0
    # An estimate without any spread is settled by its value.
    z = turn * (found.value - bound) / max(found.error, 1e-12)
    verdict = "shown" if z > DEVIATE else "contradicted" if z < -DEVIATE else "not contradicted"
    return Statement(
        text,
        z >= -DEVIATE,
        f"{what} {found}, {side} {bound:.4g}: {verdict} at 0.001",
        reason if z < -DEVIATE else "",
        shown=z > DEVIATE,
    )


def follows(text: str, found: Estimate, formula: float, *, what: str) -> Statement:
    """Judge that a measured number is what the paper's formula gives; two-sided, at 0.001."""
    z = (found.value - formula) / max(found.error, 1e-12)
    return Statement(
        text, abs(z) <= DEVIATE, f"{what} {found}, the formula {formula:.4g}: z = {z:.2f} at 0.001"
    )


def mean(values: Array) -> Estimate:
    """Return a mean over datasets."""
    return Estimate(float(values.mean()), float(values.std(ddof=1) / np.sqrt(values.size)))


def share(hits: Array) -> Estimate:
    """Return a share of datasets; its error is never 0."""
    rate = float(np.mean(hits))
    return Estimate(rate, share_error(rate, hits.size))


def jackknife(statistic: Callable[..., float], *arrays: Array) -> Estimate:
    """Return a statistic of arrays whose first axis is datasets, left out group by group."""
    n = len(arrays[0])
    groups = np.arange(n) % min(n, GROUPS)
    left: Any = [
        statistic(*(array[groups != group] for array in arrays))
        for group in range(groups.max() + 1)
    ]
    spread = np.asarray(left) - np.mean(left)
    count = len(left)
    return Estimate(
        float(statistic(*arrays)), float(np.sqrt((count - 1) / count * np.sum(spread**2)))
    )


def bootstrap(statistic: Callable[..., float], *arrays: Array, seed: int) -> Estimate:
    """Return a statistic with quantiles in it, for which leaving out does not do."""
    rng, n = np.random.default_rng(seed), len(arrays[0])
    drawn = rng.integers(0, n, (DRAWS, n))
    again = [statistic(*(array[rows] for array in arrays)) for rows in drawn]
    return Estimate(float(statistic(*arrays)), float(np.std(again, ddof=1)))
