"""What single partitions of the data conclude: Bradford & Brodley.

A *signed significance* is a one-tailed p-value, positive where the first side is better (B-05).
Implements B-12, B-13, B-14, B-18, B-19, B-20 and E-B4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from outperform import validation
from outperform.errors import DataError
from outperform.numerics import exact_sums
from outperform.numerics.distributions import Normal
from outperform.numerics.exact_sums import Array
from outperform.procedures.averaged_t import averaged_t
from outperform.procedures.sufficiency import (
    CONCLUSIONS,
    Conclusion,
    one_per_partition,
    spread_of,
    student,
)
from outperform.results.evidence import ALTERNATIVES, Pivot
from outperform.results.partitions import Conclusions, Group, group_of
from outperform.results.result import Result


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
    >>> from reproduction.partitions import against_reference
    >>> tally = against_reference([0, 5, 50], "first better")
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
    >>> from reproduction.partitions import normal_fit
    >>> fit = normal_fit([2.1, 3.4, 2.7, 1.9, 2.5])
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
    >>> from reproduction.partitions import significant
    >>> significant([0.01, -0.3])
    array([ True, False])
    """
    return (_sides(signed_p, alpha) != 0)[()]


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
    >>> from reproduction.partitions import conclusion
    >>> conclusion(-0.01)
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
    >>> from reproduction.partitions import conclusions
    >>> conclusions([0.01, 0.3, -0.2])
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
    >>> from reproduction.partitions import partition_group
    >>> partition_group([0.01, 0.02, 0.3])
    '2'
    """
    p = one_per_partition(signed_p, "signed_p", 2)
    return group_of(conclusions(p, alpha), p)


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
    >>> from reproduction.partitions import against_reference
    >>> against_reference([0, 5, 50], "first better")
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
    >>> from reproduction.partitions import normal_fit
    >>> round(normal_fit([2.1, 3.4, 2.7, 1.9, 2.5]).mean, 2)
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


def averaged_from_t(t_values: Any, *, df: float, alternative: str = "two-sided") -> Result:
    """Judge the mean of given t values as one t value.

    Parameters
    ----------
    t_values : array-like
        One t value for each partition.
    df : float
        Degrees of freedom of the single test, 9 for 1×10CV and 5 for 5×2CV.
    alternative : {"two-sided", "less", "greater"}, default='two-sided'
        Alternative hypothesis.

    Returns
    -------
    Result
        The estimate is the mean t.

    Notes
    -----
    Bradford and Brodley (2001).

    Examples
    --------
    >>> from reproduction.partitions import averaged_from_t
    >>> round(averaged_from_t([2.1, 3.4, 2.7, 1.9, 2.5], df=9).pvalue, 4)
    0.0328
    """
    values = one_per_partition(t_values, "t_values", 1)
    evidence = Pivot(float(exact_sums.mean(values)), 1.0, student(df, "df"))
    side: Any = validation.choice(alternative, "alternative", ALTERNATIVES)
    return Result(averaged_t, ("A", "B"), "mean t", None, values.size, evidence, side)


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
