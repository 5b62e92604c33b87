"""Whether enough partitions were averaged for a secure verdict: Bradford & Brodley (B-17).

Requirements and errata: E-B6, E-B7.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from .. import validation
from ..errors import DataError, argument
from ..numerics import exact_sums
from ..numerics.distributions import Normal, T
from ..numerics.exact_sums import ROUNDING, Array
from ..registry import procedure
from ..results.evidence import ALTERNATIVES

Conclusion: TypeAlias = Literal["second better", "no decision", "first better"]
CONCLUSIONS: tuple[Conclusion, ...] = get_args(Conclusion)
MANY = 10**9
"""More partitions than anyone runs: from here on a t quantile is the normal one to nine digits."""
BLOCK = 64


@dataclass(frozen=True, slots=True)
class Sufficiency:
    """Whether enough partitions were averaged for their conclusion to be secure.

    Attributes
    ----------
    conclusion : str
        "second better", "no decision" or "first better".
    sufficient : bool
        Whether the number of partitions is sufficient.
    statistic : float or None
        Distance of the mean t from the threshold in its standard errors; None without spread.
    critical : float
        Critical value of `statistic`.
    mean_t : float
        Mean of the t values.
    threshold : float
        Critical value of the single test.
    pvalue : float
        p-value of the mean t.
    n_partitions : int
        Number of partitions.
    needed : int or None
        Partitions in all that would do at this mean and spread; None if no number would.
    alternative : str
        The alternative hypothesis.

    Examples
    --------
    >>> import outperform as op
    >>> found = op.sufficiency([2.1, 3.4, 2.7, 1.9, 2.5], df=9)
    >>> found.conclusion, found.needed, found.to_dict()["still_needed"]
    ('first better', 16, 11)
    """

    conclusion: Conclusion
    sufficient: bool
    statistic: float | None
    critical: float
    mean_t: float
    threshold: float
    pvalue: float
    n_partitions: int
    needed: int | None
    alternative: str = "two-sided"

    @property
    def still_needed(self) -> int | None:
        """Number of further partitions that are needed; None if no number would do."""
        return None if self.needed is None else max(self.needed - self.n_partitions, 0)

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as data for JSON.

        Returns
        -------
        dict
            The attributes and `still_needed`.
        """
        return asdict(self) | {"still_needed": self.still_needed}

    def __str__(self) -> str:
        from ..report import formatting

        if self.needed is None:
            outlook = "The mean equals the critical value: no number of partitions is sufficient."
        else:
            many = self.needed if self.needed < MANY else "more than a billion"
            outlook = (
                f"More partitions are needed: {many} in total, if mean and spread stay the same."
            )
        return (
            f"{self.conclusion.capitalize()}: the mean of {self.n_partitions} t values is "
            f"{formatting.short(self.mean_t)}, the critical value is {formatting.threshold(self)} "
            f"({formatting.pvalue(self.pvalue)}). "
            + ("The number of partitions is sufficient." if self.sufficient else outlook)
        )


@procedure(
    title="Sufficiency of the number of partitions",
    paper="bradford-brodley",
    requirements=("B-17",),
    designs=("partitions",),
    published_design="55*10cv",
    standing="recommended",
    advice="Use with averaged_t, which reports in a note how many more partitions are needed.",
    reads="t values, one for each partition",
    example="sufficiency([2.1, 3.4, 2.7, 1.9, 2.5], df=9)",
)
def sufficiency(
    t_values: Any,
    *,
    df: float,
    alpha: float = 0.05,
    alpha2: float = 0.05,
    threshold_df: float | None = None,
    alternative: str = "two-sided",
) -> Sufficiency:
    """Decide whether the mean t is far enough from the critical value, given its variation.

    (P̄ − t_{α₁}) / √(Σ(Pᵢ − P̄)² / (n(n − 1))) > t_{α₂,n−1}, where Pᵢ are t values and t_{α₁} is
    the upper α/2 quantile of the single test (Bradford & Brodley, 2001); mirrored for a negative
    mean, and from below the critical value if the mean is not significant. The paper prints n − 1
    degrees of freedom for the critical value as well: `threshold_df=n - 1` gives that. A one-sided
    test has one critical value, the upper α quantile, negative if the alternative is that the
    second side is better.

    Parameters
    ----------
    t_values : array-like
        One t value for each partition.
    df : float
        Degrees of freedom of the test on one partition.
    alpha : float, default=0.05
        Level α₁ of the test on one partition.
    alpha2 : float, default=0.05
        Level α₂ of the test whether partitions suffice.
    threshold_df : float, optional
        Degrees of freedom of the critical value; by default `df`.
    alternative : {"two-sided", "less", "greater"}, default='two-sided'
        Alternative hypothesis.

    Returns
    -------
    Sufficiency
        The conclusion, and how many partitions it needs.

    Examples
    --------
    >>> import outperform as op
    >>> op.sufficiency([2.1, 3.4, 2.7, 1.9, 2.5], df=9).sufficient
    False
    """
    values = one_per_partition(t_values, "t_values", 2)
    mean, n, spread = float(exact_sums.mean(values)), values.size, spread_of(values)
    single, alpha2 = student(df, "df"), validation.fraction(alpha2, "alpha2")
    law = single if threshold_df is None else student(threshold_df, "threshold_df")
    tails = 2 if validation.choice(alternative, "alternative", ALTERNATIVES) == "two-sided" else 1
    threshold = float(law.isf(validation.fraction(alpha, "alpha") / tails))
    # The side that may win, and how far the mean t lies on it.
    winner = math.copysign(1, mean) if tails == 2 else 1 if alternative == "greater" else -1
    along = winner * mean
    side = int(winner) if along > threshold else 0
    distance = abs(along - threshold) / spread if spread else math.inf
    statistic, critical = distance * math.sqrt(n), float(T(n - 1).isf(alpha2))
    return Sufficiency(
        CONCLUSIONS[1 + side],
        statistic > max(critical, 0),
        statistic if statistic < math.inf else None,
        critical,
        mean,
        threshold if tails == 2 else winner * threshold,
        tails * float(single.sf(along)),
        n,
        _needed(distance, alpha2),
        alternative,
    )


def _needed(distance: float, alpha2: float) -> int | None:
    """Return the smallest n with distance·√n > t_{α₂,n−1}."""
    if distance in (0, math.inf):
        return 2 if distance else None
    # Every t quantile is above the normal one, which so gives a lower bound.
    quantile = max(float(Normal().isf(alpha2)), 0.0)
    n = max(math.ceil((Fraction(quantile) / Fraction(distance)) ** 2), 2)
    start = max(n // BLOCK * BLOCK, 2)
    while n < MANY:
        sizes = np.arange(start, start + BLOCK)
        enough = (distance * np.sqrt(sizes) > _quantiles(alpha2, start)) & (sizes >= n)
        if enough.any():
            return start + int(np.argmax(enough))
        n = start = start + BLOCK
    return n


@lru_cache(maxsize=64)
def _quantiles(alpha2: float, start: int) -> Array:
    """Return t_{α₂,n−1} for the n of a block; many pairs ask for the same ones."""
    return np.asarray(T(np.arange(start, start + BLOCK, dtype=np.float64) - 1).isf(alpha2))


def one_per_partition(values: Any, name: str, least: int) -> Array:
    """Return one number for each partition, checked."""
    array = validation.numbers(values, name)
    if array.ndim != 1 or array.size < least:
        raise DataError(
            f"{name} must contain one number for each of at least {least} partitions, got shape "
            f"{array.shape}. Score more partitions, as in {argument(design='55*10cv')}"
        )
    return array


def spread_of(values: Array) -> float:
    """Return the standard deviation, 0 where the values differ by rounding only."""
    rounding = np.ptp(values) <= ROUNDING * np.max(np.abs(values))
    return 0.0 if rounding else float(exact_sums.standard_deviation(values))


def student(df: Any, name: str) -> T:
    """Return the law of a single test's t, its degrees of freedom checked."""
    number = validation.one_number(df, name)
    if number <= 0:
        raise DataError(f"{name} must be positive (9 for ten folds, 5 for 5x2cv), got {number:g}.")
    return T(number)
