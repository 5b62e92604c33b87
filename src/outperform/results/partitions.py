"""How much a conclusion owes to the partition of the data: Bradford & Brodley.

A *signed significance* is a one-tailed p-value, positive where the first side is better (B-05).
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal, TypeAlias

import numpy as np

from .. import validation
from ..errors import DataError
from ..numerics import exact_sums
from ..numerics.distributions import Normal, T
from ..numerics.exact_sums import ROUNDING, Array
from .evidence import ALTERNATIVES, Pivot
from .replication import CONCLUSIONS, Conclusion, Conclusions, Tally, against_reference
from .result import Result

__all__ = [
    "CONCLUSIONS",
    "Conclusion",
    "Conclusions",
    "Group",
    "NormalFit",
    "Sufficiency",
    "Tally",
    "against_reference",
    "averaged_from_t",
    "conclusion",
    "conclusions",
    "normal_fit",
    "one_sided",
    "partition_group",
    "signed_significance",
    "significant",
    "sufficiency",
]


Group: TypeAlias = Literal["1", "2", "3", "4", "always"]
MANY = 10**9
"""More partitions than anyone runs: from here on a t quantile is the normal one to nine digits."""
BLOCK = 64


@dataclass(frozen=True, slots=True)
class Sufficiency:
    """Whether enough partitions were averaged for their conclusion to be secure (B-17)."""

    conclusion: Conclusion
    sufficient: bool
    statistic: float | None
    """Distance of the mean t from the threshold in its standard errors; None without spread."""
    critical: float
    mean_t: float
    threshold: float
    pvalue: float
    n_partitions: int
    needed: int | None
    """Partitions in all that would do at this mean and spread; None if no number would."""
    alternative: str = "two-sided"

    @property
    def still_needed(self) -> int | None:
        return None if self.needed is None else max(self.needed - self.n_partitions, 0)

    @property
    def bounds(self) -> str:
        """The threshold in words: two-sided tests have one on either side."""
        from ..report import formatting

        both = "±" if self.alternative == "two-sided" else ""
        return f"{both}{formatting.short(self.threshold)}"

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"still_needed": self.still_needed}

    def __str__(self) -> str:
        from ..report import formatting

        if self.needed is None:
            outlook = "The mean lies on the threshold: no number of partitions would suffice."
        else:
            many = self.needed if self.needed < MANY else "more than a billion"
            outlook = f"More partitions are needed: {many} in all, if mean and spread stay."
        return (
            f"{self.conclusion.capitalize()}: the mean of {self.n_partitions} t values is "
            f"{formatting.short(self.mean_t)}, the threshold {self.bounds} "
            f"({formatting.pvalue(self.pvalue)}). "
            + ("These partitions suffice." if self.sufficient else outlook)
        )


@dataclass(frozen=True, slots=True)
class NormalFit:
    """How well a normal curve fits the values of partitions (B-18).

    `distance` is Kolmogorov's, the largest gap between the distribution functions; `correlation`
    that of a QQ plot at (i − ½)/n. Neither exists where the values do not vary.
    """

    n: int
    mean: float
    sd: float
    distance: float | None
    correlation: float | None

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        curve = f"Normal curve through {self.n} values: mean {self.mean:.4g}, sd {self.sd:.4g}"
        if self.distance is None:
            return f"{curve}; the values do not vary."
        return f"{curve}, largest gap {self.distance:.3f}, QQ correlation {self.correlation:.4f}."


def signed_significance(t: Any, df: float) -> Any:
    """Return the one-tailed p of each t with the sign of the winner (B-05); t = 0 gives +.5.

    Where all folds of a partition are equal t is 0/0: pass 0 for it (B-06). A p too small for a
    float keeps its sign, as −0.0.
    """
    values = validation.numbers(t, "t") + 0.0  # −0 becomes 0
    return np.copysign(_student(df, "df").sf(np.abs(values)), values)[()]


def significant(signed_p: Any, alpha: float = 0.05) -> Any:
    """Tell where |p| < α/2: one-tailed p-values judged as a two-tailed test does (B-05)."""
    return (_sides(signed_p, alpha) != 0)[()]


def one_sided(signed_p: Any) -> Any:
    """Return signed p-values on one scale through .5, small where the first is better (B-11)."""
    p = _signed(signed_p)
    return np.where(np.signbit(p), 1 + p, p)[()]


def conclusion(signed_p: float, alpha: float = 0.05) -> Conclusion:
    """Return what one signed p-value says: "second better", "no decision" or "first better"."""
    return CONCLUSIONS[1 + int(_sides(validation.one_number(signed_p, "signed_p"), alpha))]


def conclusions(signed_p: Any, alpha: float = 0.05) -> Conclusions:
    """Count the conclusions of the partitions (B-19)."""
    sides = _sides(signed_p, alpha)
    return Conclusions(*(int(np.count_nonzero(sides == side)) for side in (-1, 0, 1)))


def partition_group(signed_p: Any, *, alpha: float = 0.05) -> Group:
    """Return the group of a dataset: what the choice of partition does to the conclusion.

    "1": either side may be found better (B-12). "2": significance comes and goes (B-13). "3": p
    varies but is never significant; "4": p does not even vary (B-14). "always": significant for
    the same side on every partition.
    """
    p = _partitions(signed_p, "signed_p", 2)
    second, none, first = conclusions(p, alpha)
    if second and first:
        return "1"
    if second or first:
        return "2" if none else "always"
    return "3" if np.ptp(one_sided(p)) > ROUNDING else "4"


def averaged_from_t(t_values: Any, *, df: float, alternative: str = "two-sided") -> Result:
    """Judge the mean of given t values, itself the estimate, as one t with df 9 or 5 (B-15)."""
    from ..procedures.averaged_t import averaged_t

    values = _partitions(t_values, "t_values", 1)
    evidence = Pivot(float(exact_sums.mean(values)), 1.0, _student(df, "df"))
    side: Any = validation.choice(alternative, "alternative", ALTERNATIVES)
    return Result(averaged_t, ("A", "B"), "mean t", None, values.size, evidence, side)


def sufficiency(
    t_values: Any,
    *,
    df: float,
    alpha: float = 0.05,
    alpha2: float = 0.05,
    threshold_df: float | None = None,
    alternative: str = "two-sided",
) -> Sufficiency:
    """Ask whether the mean t is far enough from the threshold for its spread over partitions.

    (P̄ − t_{α₁}) / √(Σ(Pᵢ − P̄)² / (n(n − 1))) > t_{α₂,n−1}, where Pᵢ are t values and t_{α₁} is
    the upper α/2 point of the single test (B-17, E-B6); mirrored for a negative mean, and from
    below the threshold where nothing is significant (E-B7). The paper prints n − 1 degrees of
    freedom for the threshold too: `threshold_df=n - 1` gives that. A one-sided test has one
    threshold, the upper α point, negative where the second is to be better.
    """
    values = _partitions(t_values, "t_values", 2)
    mean, n, spread = float(exact_sums.mean(values)), values.size, _spread(values)
    single, alpha2 = _student(df, "df"), validation.fraction(alpha2, "alpha2")
    law = single if threshold_df is None else _student(threshold_df, "threshold_df")
    tails = 2 if validation.choice(alternative, "alternative", ALTERNATIVES) == "two-sided" else 1
    threshold = float(law.isf(validation.fraction(alpha, "alpha") / tails))
    # The side that may win, and how far the mean t lies on it.
    winner = math.copysign(1, mean) if tails == 2 else 1 if alternative == "greater" else -1
    along = winner * mean
    side = int(winner) if along > threshold else 0
    distance = abs(along - threshold) / spread if spread else math.inf
    statistic, critical = distance * math.sqrt(n), float(T(n - 1).isf(alpha2))
    return Sufficiency(
        CONCLUSIONS[1 + side], statistic > max(critical, 0),
        statistic if statistic < math.inf else None, critical, mean,
        threshold if tails == 2 else winner * threshold,
        tails * float(single.sf(along)), n, _needed(distance, alpha2), alternative,
    )  # fmt: skip


def normal_fit(values: Any) -> NormalFit:
    """Fit a normal curve to t values, or to p-values, which it fits poorly (B-18)."""
    ordered = np.sort(_partitions(values, "values", 3))
    n, mean, sd = ordered.size, float(exact_sums.mean(ordered)), _spread(ordered)
    if sd == 0:
        return NormalFit(n, mean, 0.0, None, None)
    z, rank = (ordered - mean) / sd, np.arange(1, n + 1)
    below = Normal().cdf(z)
    gap = max(np.max(rank / n - below), np.max(below - (rank - 1) / n))
    quantiles = np.negative(Normal().isf((rank - 0.5) / n))
    return NormalFit(n, mean, sd, float(gap), float(np.corrcoef(z, quantiles)[0, 1]))


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


def _sides(signed_p: Any, alpha: float) -> Array:
    """Return −1, 0 or 1 for each p-value; a p of −0.0 is the second side's."""
    p, half = _signed(signed_p), validation.fraction(alpha, "alpha") / 2
    return np.where(np.abs(p) < half, np.where(np.signbit(p), -1.0, 1.0), 0.0)


def _signed(signed_p: Any) -> Array:
    p = validation.numbers(signed_p, "signed_p")
    if (far := np.max(np.abs(p))) > 0.5:
        raise DataError(
            f"signed_p holds ±{far:g}; one-tailed p-values with the sign of the winner lie between "
            "−.5 and .5. Use signed_significance(t, df)"
        )
    return p


def _partitions(values: Any, name: str, least: int) -> Array:
    array = validation.numbers(values, name)
    if array.ndim != 1 or array.size < least:
        raise DataError(
            f"{name} has shape {array.shape}; one number for each of at least {least} partitions "
            "is needed. Score on more partitions, as in design='55*10cv'"
        )
    return array


def _spread(values: Array) -> float:
    """Return the standard deviation, 0 where the values differ by rounding only."""
    rounding = np.ptp(values) <= ROUNDING * np.max(np.abs(values))
    return 0.0 if rounding else float(exact_sums.standard_deviation(values))


def _student(df: Any, name: str) -> T:
    number = validation.one_number(df, name)
    if number <= 0:
        raise DataError(f"{name} is {number:g}; it must be positive: 9 for ten folds, 5 for 5x2cv")
    return T(number)
