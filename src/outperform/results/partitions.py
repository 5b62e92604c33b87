"""What single partitions of the data conclude: Bradford & Brodley.

A *signed significance* is a one-tailed p-value, positive where the first side is better (B-05).
"""

# Implements B-06, B-11, B-12, B-13, B-14, B-18, B-19, B-20 and E-B4.

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from .. import validation
from ..errors import DataError
from ..numerics import exact_sums
from ..numerics.distributions import Normal
from ..numerics.exact_sums import ROUNDING, Array
from ..procedures.averaged_t import averaged_from_t
from ..procedures.sufficiency import (
    CONCLUSIONS,
    Conclusion,
    Sufficiency,
    one_per_partition,
    spread_of,
    student,
    sufficiency,
)

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


class Conclusions(NamedTuple):
    """How many partitions lead to each conclusion.

    Attributes
    ----------
    second_better : int
        Partitions on which the second side is significantly better.
    no_decision : int
        Partitions without a significant difference.
    first_better : int
        Partitions on which the first side is significantly better.

    Notes
    -----
    The order is that of Table 3 of Bradford and Brodley (2001), as it should read.

    Examples
    --------
    >>> import outperform as op
    >>> op.partitions.conclusions([0.01, 0.3, -0.2]).to_dict()
    {'second_better': 0, 'no_decision': 2, 'first_better': 1}
    """

    second_better: int
    no_decision: int
    first_better: int

    def to_dict(self) -> dict[str, int]:
        """Return the counts as data for JSON.

        Returns
        -------
        dict
            Conclusions and counts.
        """
        return self._asdict()

    def __str__(self) -> str:
        return f"First better {self[2]} times, second better {self[0]}, no decision {self[1]}."


class Tally(NamedTuple):
    """Single partitions judged against the averaged conclusion.

    Attributes
    ----------
    correct_accept : int
        Partitions that rightly find no difference.
    correct_reject : int
        Partitions that rightly find the better side.
    type_1 : int
        Partitions that wrongly find a difference, or the wrong side.
    type_2 : int
        Partitions that wrongly find no difference.

    Notes
    -----
    A row of Table 4 of Bradford and Brodley (2001).

    Examples
    --------
    >>> import outperform as op
    >>> tally = op.partitions.against_reference([0, 5, 50], "first better")
    >>> tally.incorrect, tally.to_dict()["type_2"]
    (5, 5)
    """

    correct_accept: int
    correct_reject: int
    type_1: int
    type_2: int

    @property
    def incorrect(self) -> int:
        """Number of partitions that conclude otherwise than the average."""
        return self.type_1 + self.type_2

    def to_dict(self) -> dict[str, int]:
        """Return the counts as data for JSON.

        Returns
        -------
        dict
            The four counts.
        """
        return self._asdict()

    def __str__(self) -> str:
        return (
            f"{self.incorrect} of {sum(self)} single partitions lead to a different conclusion "
            f"than the average: {self.type_1} Type I and {self.type_2} Type II errors."
        )


@dataclass(frozen=True, slots=True)
class NormalFit:
    """How well a normal curve fits the values of partitions.

    Attributes
    ----------
    n : int
        Number of values.
    mean : float
        Mean of the values.
    sd : float
        Standard deviation of the values.
    distance : float or None
        Kolmogorov's distance, the largest gap between the distribution functions; None if the
        values do not vary.
    correlation : float or None
        Correlation of a QQ plot at (i − ½)/n; None if the values do not vary.

    Examples
    --------
    >>> import outperform as op
    >>> fit = op.partitions.normal_fit([2.1, 3.4, 2.7, 1.9, 2.5])
    >>> fit.n, round(fit.to_dict()["correlation"], 3)
    (5, 0.977)
    """

    n: int
    mean: float
    sd: float
    distance: float | None
    correlation: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return the fit as data for JSON.

        Returns
        -------
        dict
            The attributes.
        """
        return asdict(self)

    def __str__(self) -> str:
        curve = f"Normal curve through {self.n} values: mean {self.mean:.4g}, sd {self.sd:.4g}"
        if self.distance is None:
            return f"{curve}; the values do not vary."
        return f"{curve}, largest gap {self.distance:.3f}, QQ correlation {self.correlation:.4f}."


def signed_significance(t: Any, df: float) -> Any:
    """Return the one-tailed p-value of each t with the sign of the better side.

    t = 0 gives +0.5. If all folds of a partition are equal, t is 0/0: pass 0 for it. A p-value too
    small for a float keeps its sign, as −0.0.

    Parameters
    ----------
    t : array-like
        t values, positive if the first side is better.
    df : float
        Degrees of freedom.

    Returns
    -------
    float or ndarray
        Signed one-tailed p-values.

    Notes
    -----
    Bradford and Brodley (2001) present results in this way.

    Examples
    --------
    >>> import outperform as op
    >>> op.partitions.signed_significance([2.3, -1.1], df=9).round(3)
    array([ 0.023, -0.15 ])
    """
    values = validation.numbers(t, "t") + 0.0  # −0 becomes 0
    return np.copysign(student(df, "df").sf(np.abs(values)), values)[()]


def significant(signed_p: Any, alpha: float = 0.05) -> Any:
    """Return where |p| < α/2: one-tailed p-values judged as a two-tailed test does.

    Parameters
    ----------
    signed_p : array-like
        Signed one-tailed p-values.
    alpha : float, default=0.05
        Significance level.

    Returns
    -------
    bool or ndarray of bool
        Whether each is significant.

    Examples
    --------
    >>> import outperform as op
    >>> op.partitions.significant([0.01, -0.3])
    array([ True, False])
    """
    return (_sides(signed_p, alpha) != 0)[()]


def one_sided(signed_p: Any) -> Any:
    """Return signed p-values on one scale through 0.5, small if the first is better.

    Parameters
    ----------
    signed_p : array-like
        Signed one-tailed p-values.

    Returns
    -------
    float or ndarray
        One-sided p-values.

    Examples
    --------
    >>> import outperform as op
    >>> op.partitions.one_sided([0.01, -0.3])
    array([0.01, 0.7 ])
    """
    p = _signed(signed_p)
    return np.where(np.signbit(p), 1 + p, p)[()]


def conclusion(signed_p: float, alpha: float = 0.05) -> Conclusion:
    """Return what one signed p-value says.

    Parameters
    ----------
    signed_p : float
        Signed one-tailed p-value.
    alpha : float, default=0.05
        Significance level.

    Returns
    -------
    str
        "second better", "no decision" or "first better".

    Examples
    --------
    >>> import outperform as op
    >>> op.partitions.conclusion(-0.01)
    'second better'
    """
    return CONCLUSIONS[1 + int(_sides(validation.one_number(signed_p, "signed_p"), alpha))]


def conclusions(signed_p: Any, alpha: float = 0.05) -> Conclusions:
    """Count the conclusions of the partitions.

    Parameters
    ----------
    signed_p : array-like
        Signed one-tailed p-values, one for each partition.
    alpha : float, default=0.05
        Significance level.

    Returns
    -------
    Conclusions
        Number of partitions by conclusion.

    Examples
    --------
    >>> import outperform as op
    >>> op.partitions.conclusions([0.01, 0.3, -0.2])
    Conclusions(second_better=0, no_decision=2, first_better=1)
    """
    sides = _sides(signed_p, alpha)
    return Conclusions(*(int(np.count_nonzero(sides == side)) for side in (-1, 0, 1)))


def partition_group(signed_p: Any, *, alpha: float = 0.05) -> Group:
    """Return what the choice of partition does to the conclusion on a dataset.

    Parameters
    ----------
    signed_p : array-like
        Signed one-tailed p-values, one for each partition.
    alpha : float, default=0.05
        Significance level.

    Returns
    -------
    str
        "1": either side may be found better. "2": significance comes and goes. "3": p varies but is
        never significant. "4": p does not vary. "always": significant for the same side on every
        partition.

    Notes
    -----
    The groups are those of Bradford and Brodley (2001).

    Examples
    --------
    >>> import outperform as op
    >>> op.partition_group([0.01, 0.02, 0.3])
    '2'
    """
    p = one_per_partition(signed_p, "signed_p", 2)
    return group_of(conclusions(p, alpha), p)


def group_of(counts: Conclusions, signed_p: Array) -> Group:
    """Return the group by how many partitions, or other runs, lead to each conclusion."""
    second, none, first = counts
    if second and first:
        return "1"
    if second or first:
        return "2" if none else "always"
    return "3" if np.ptp(one_sided(signed_p)) > ROUNDING else "4"


def against_reference(counts: Any, reference: str | Sequence[str]) -> Tally:
    """Judge counts of conclusions against the averaged conclusion, of one or many datasets.

    Parameters
    ----------
    counts : array-like
        [second better, no decision, first better], or one such triple for each dataset.
    reference : str or sequence of str
        The averaged conclusion, for each dataset.

    Returns
    -------
    Tally
        Correct and incorrect conclusions. A claim for the wrong side counts as Type I.

    Notes
    -----
    Table 4 of Bradford and Brodley (2001).

    Examples
    --------
    >>> import outperform as op
    >>> op.partitions.against_reference([0, 5, 50], "first better")
    Tally(correct_accept=0, correct_reject=50, type_1=0, type_2=5)
    """
    triples = np.atleast_2d(validation.counts(counts, "counts"))
    words = [reference] if isinstance(reference, str) else list(reference)
    if triples.shape != (len(words), 3):
        raise DataError(
            f"counts has shape {np.shape(counts)} and reference {len(words)} entries; expected "
            "[second better, no decision, first better] and one word for each dataset"
        )
    accept = reject = type_1 = type_2 = 0
    for (second, none, first), word in zip(triples.astype(np.int64).tolist(), words, strict=True):
        validation.choice(word, "reference", CONCLUSIONS)
        if word == "no decision":
            accept, type_1 = accept + none, type_1 + second + first
        else:
            right, wrong = (first, second) if word == "first better" else (second, first)
            reject, type_1, type_2 = reject + right, type_1 + wrong, type_2 + none
    return Tally(accept, reject, type_1, type_2)


def normal_fit(values: Any) -> NormalFit:
    """Fit a normal curve to the values of partitions.

    Parameters
    ----------
    values : array-like
        t values; p-values are fitted poorly.

    Returns
    -------
    NormalFit
        Mean, standard deviation and two measures of fit.

    Notes
    -----
    Bradford and Brodley (2001) use it to choose between t and p-values.

    Examples
    --------
    >>> import outperform as op
    >>> round(op.partitions.normal_fit([2.1, 3.4, 2.7, 1.9, 2.5]).mean, 2)
    2.52
    """
    ordered = np.sort(one_per_partition(values, "values", 3))
    n, mean, sd = ordered.size, float(exact_sums.mean(ordered)), spread_of(ordered)
    if sd == 0:
        return NormalFit(n, mean, 0.0, None, None)
    z, rank = (ordered - mean) / sd, np.arange(1, n + 1)
    below = Normal().cdf(z)
    gap = max(np.max(rank / n - below), np.max(below - (rank - 1) / n))
    quantiles = np.negative(Normal().isf((rank - 0.5) / n))
    return NormalFit(n, mean, sd, float(gap), float(np.corrcoef(z, quantiles)[0, 1]))


def _sides(signed_p: Any, alpha: float) -> Array:
    """Return −1, 0 or 1 for each p-value; a p of −0.0 is the second side's."""
    p, half = _signed(signed_p), validation.fraction(alpha, "alpha") / 2
    return np.where(np.abs(p) < half, np.where(np.signbit(p), -1.0, 1.0), 0.0)


def _signed(signed_p: Any) -> Array:
    p = validation.numbers(signed_p, "signed_p")
    if (far := np.max(np.abs(p))) > 0.5:
        raise DataError(
            f"signed_p contains ±{far:g}; one-tailed p-values with the sign of the winner lie "
            "between −.5 and .5. Use signed_significance(t, df)"
        )
    return p
