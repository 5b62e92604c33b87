"""Judging claims: estimates with errors, and one rule for every statement that chance touches.

A claim is *shown* where its contrary is rejected at 0.001, two-sided, and *contradicted* where the
claim itself is; between the two the data are too few to tell. As with values, a true claim is
called different once in two thousand times; the page counts apart the claims that are neither.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from ..dists import Binomial, T
from ..lab.truth import mean_of
from ..sums import Array
from .exhibits import Statement

Side: TypeAlias = Literal["above", "below"]
LEVEL = 0.001
"""Two-sided: each side has half of it."""
GROUPS = 50
"""Datasets are left out in at most so many groups."""
DRAWS = 400
FEW = 10


class Measurement(NamedTuple):
    """A number, its standard error, and the degrees of freedom of that error."""

    value: float
    error: float
    df: float = math.inf

    def __str__(self) -> str:
        return f"{self.value:.3g} ± {self.error:.2g}"


class Tails(NamedTuple):
    """The one-sided p-values of a claim's contrary and of the claim."""

    contrary: float
    claim: float


def tails(found: Measurement, side: Side, bound: float) -> Tails:
    """Test that a number is above or below a bound, and the contrary, by Student's t."""
    turn = 1.0 if side == "above" else -1.0
    if found.error == 0 and found.df < FEW:
        return Tails(0.5, 0.5)  # that a few values are equal settles nothing
    # Many without any spread are settled by their value.
    t, law = turn * (found.value - bound) / max(found.error, 1e-12), T(found.df)
    return Tails(float(law.sf(t)), float(law.sf(-t)))


def binomial(hits: int, n: int, side: Side, bound: float) -> Tails:
    """Test that a chance is above or below a bound by the exact law of the hits."""
    law = Binomial(n, bound)
    many, few = float(law.at_least(hits)), float(law.at_most(hits))
    return Tails(many, few) if side == "above" else Tails(few, many)


def all_of(parts: Sequence[Tails]) -> Tails:
    """Test that several claims hold together.

    The contrary is that any of them fails, rejected where each of those is; the claim is rejected
    where one part is, after Bonferroni.
    """
    least = min(part.claim for part in parts)
    return Tails(max(part.contrary for part in parts), min(1.0, len(parts) * least))


def within(found: Measurement, low: float, high: float) -> Tails:
    """Test that a number lies between two bounds."""
    return all_of([tails(found, "above", low), tails(found, "below", high)])


def settled(text: str, found: Tails, told: str, reason: str = "") -> Statement:
    """Judge a claim by its p-values; the `reason` is told where it is contradicted."""
    shown, contradicted = (p < LEVEL / 2 for p in found)
    verdict = "shown" if shown else "contradicted" if contradicted else "not contradicted"
    return Statement(
        text,
        not contradicted,
        f"{told}: {verdict} at {LEVEL}",
        reason if contradicted else "",
        shown=shown,
    )


def claim(
    text: str, found: Measurement, side: Side, bound: float, *, what: str, reason: str = ""
) -> Statement:
    """Judge that a number is above or below a bound; `what` names the number."""
    told = f"{what} {found}, {side} {bound:.4g}"
    return settled(text, tails(found, side, bound), told, reason)


def follows(
    text: str, found: Measurement, formula: float, *, what: str, reason: str = ""
) -> Statement:
    """Judge that a measured number is what a formula of the paper gives; two-sided."""
    t = (found.value - formula) / max(found.error, 1e-12)
    holds = 2 * float(T(found.df).sf(abs(t))) >= LEVEL
    told = f"{what} {found}, the formula {formula:.4g}: t = {t:.2f} at {LEVEL}"
    return Statement(text, holds, told, "" if holds else reason)


def mean(values: Array) -> Measurement:
    """Return a mean over datasets: with `claim` this is the paired t-test of differences."""
    found = mean_of(values)
    return Measurement(found.mean, found.stderr, values.size - 1)


def share(hits: Array) -> Measurement:
    """Return a share of datasets; its error is never 0."""
    rate = float(np.mean(hits))
    return Measurement(rate, share_error(rate, hits.size))


def share_error(rate: float, n: int) -> float:
    """Return the standard error of a share of n, at least that of one in n + 2 (never zero)."""
    inner = min(max(rate, 1 / (n + 2)), (n + 1) / (n + 2))
    return math.sqrt(inner * (1 - inner) / n)


def jackknife(statistic: Callable[..., float], *arrays: Array) -> Measurement:
    """Return a statistic of arrays whose first axis is datasets, left out group by group."""
    n = len(arrays[0])
    groups = np.arange(n) % min(n, GROUPS)
    left: Any = [
        statistic(*(array[groups != group] for array in arrays))
        for group in range(groups.max() + 1)
    ]
    spread = np.asarray(left) - np.mean(left)
    count = len(left)
    error = float(np.sqrt((count - 1) / count * np.sum(spread**2)))
    return Measurement(float(statistic(*arrays)), error, count - 1)


def bootstrap(statistic: Callable[..., float], *arrays: Array, seed: int) -> Measurement:
    """Return a statistic with quantiles or extremes in it, for which leaving out does not do."""
    rng, n = np.random.default_rng(seed), len(arrays[0])
    drawn = rng.integers(0, n, (DRAWS, n))
    again = [statistic(*(array[rows] for array in arrays)) for rows in drawn]
    return Measurement(float(statistic(*arrays)), float(np.std(again, ddof=1)), n - 1)
