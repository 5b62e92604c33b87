"""The t values of one comparison on many partitions, and what the choice of one does to it.

Implements B-05, B-06, B-07, B-12, B-14, B-15, B-16, B-17, B-18, B-19 and B-20.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from outperform.designs import Partitions
from outperform.errors import DataError
from outperform.numerics.distributions import T
from outperform.numerics.exact_sums import Array
from outperform.procedures.averaged_t import single_test
from outperform.procedures.paired_t import paired_t
from outperform.procedures.sufficiency import Sufficiency, sufficiency
from outperform.results.evidence import Pivot
from outperform.results.partitions import Conclusions, Group, signed_significance
from outperform.results.result import Result
from outperform.scores.split_scores import Scores
from outperform.views import Differences

from .partitions import (
    NormalFit,
    Tally,
    against_reference,
    averaged_from_t,
    conclusion,
    conclusions,
    normal_fit,
    partition_group,
)


@dataclass(frozen=True, eq=False, slots=True)
class PartitionStudy:
    """The t values of one comparison on many partitions, as `partition_study` returns them.

    Attributes
    ----------
    names : tuple[str, str]
        The two learners.
    design : Partitions
        The design.
    df : float
        Degrees of freedom of the single test.
    t_values : ndarray
        t value of each partition; 0 if no fold shows a difference, and if t is infinite.
    endless : ndarray
        1 or −1 where all folds show the same difference, for the first side or the second: t is
        infinite, and the partition rejects. 0 elsewhere.
    mean_first : float
        Mean score of the first learner.
    mean_second : float
        Mean score of the second learner.

    Examples
    --------
    >>> import numpy as np
    >>> import outperform as op
    >>> from reproduction.partition_studies import partition_study
    >>> noise = np.random.default_rng(0).normal(0, 0.02, (2, 15))
    >>> scores = op.Scores.from_arrays({"a": 0.83 + noise[0], "b": 0.80 + noise[1]}, design="3*5cv")
    >>> found = partition_study(scores, "a", "b")
    >>> found.conclusions(), found.conclusion(), found.group()
    (Conclusions(second_better=0, no_decision=2, first_better=1), 'no decision', '2')
    >>> round(found.averaged().estimate, 3), round(found.averaged_p(), 4)
    (2.504, 0.0332)
    >>> found.sufficiency().n_partitions, found.normal_fit().n
    (3, 3)
    """

    names: tuple[str, str]
    design: Partitions
    df: float
    t_values: Array
    endless: Array
    mean_first: float
    mean_second: float

    @property
    def infinite(self) -> int:
        """Number of partitions whose t is infinite."""
        return int(np.count_nonzero(self.endless))

    @property
    def finite_t(self) -> Array:
        """The t values that have a mean and a spread."""
        return np.asarray(self.t_values[self.endless == 0])

    @property
    def signed_p(self) -> Array:
        """Signed one-tailed p-value of each partition; ±0 if t is infinite."""
        p = signed_significance(self.t_values, self.df)
        return np.where(self.endless == 0, p, np.copysign(0.0, self.endless))

    @property
    def sorted_p(self) -> Array:
        """The signed p-values as in sorted-significance plots, best for the first side first."""
        t = np.where(self.endless == 0, self.t_values, np.copysign(np.inf, self.endless))
        return self.signed_p[np.argsort(-t, kind="stable")]

    def conclusions(self, alpha: float = 0.05) -> Conclusions:
        """Count what single partitions conclude.

        Parameters
        ----------
        alpha : float, default=0.05
            Significance level.

        Returns
        -------
        Conclusions
            Number of partitions by conclusion.
        """
        return conclusions(self.signed_p, alpha)

    def group(self, alpha: float = 0.05) -> Group:
        """Return what the choice of partition does to the conclusion; see `partition_group`.

        Parameters
        ----------
        alpha : float, default=0.05
            Significance level.

        Returns
        -------
        str
            The group.
        """
        return partition_group(self.signed_p, alpha=alpha)

    def averaged(self) -> Result:
        """Judge the mean of the finite t values.

        Returns
        -------
        Result
            The estimate is the mean t.
        """
        return averaged_from_t(self.finite_t, df=self.df)

    def averaged_p(self) -> float:
        """Return the signed one-tailed p-value of the mean t.

        Returns
        -------
        float
            The p-value, as in Table 2 of Bradford and Brodley (2001).
        """
        return float(signed_significance(self.averaged().estimate, self.df))

    def conclusion(self, alpha: float = 0.05) -> str:
        """Return what the mean t concludes.

        Parameters
        ----------
        alpha : float, default=0.05
            Significance level.

        Returns
        -------
        str
            "second better", "no decision" or "first better".
        """
        return conclusion(self.averaged_p(), alpha)

    def sufficiency(self, alpha: float = 0.05) -> Sufficiency:
        """Return whether these partitions suffice, and how many would.

        Parameters
        ----------
        alpha : float, default=0.05
            Significance level.

        Returns
        -------
        Sufficiency
            The finding.
        """
        return sufficiency(self.finite_t, df=self.df, alpha=alpha)

    def normal_fit(self) -> NormalFit:
        """Fit a normal curve to the t values.

        Returns
        -------
        NormalFit
            The fit.
        """
        return normal_fit(self.finite_t)

    def _endless(self) -> tuple[str, ...]:
        if not self.infinite:
            return ()
        return (
            f"  On {self.infinite} partitions the difference is the same in all folds: t is "
            "infinite there, which counts as a rejection; the mean t is that of the other "
            "partitions.",
        )

    def __str__(self) -> str:
        first, second = self.names
        return "\n".join(
            (
                f"{first} vs. {second} on {self.t_values.size} partitions of {self.design.of}",
                f"  {self.conclusions()} Group {self.group()}.",
                *self._endless(),
                f"  {self.sufficiency()}",
            )
        )


def partition_study(
    scores: Scores, first: str, second: str, *, ordinary: bool = False
) -> PartitionStudy:
    """Read the partitions of scores, each by the test of its design.

    Parameters
    ----------
    scores : Scores
        Scores of a design with partitions, such as "55*10cv".
    first : str
        Name of the first learner.
    second : str
        Name of the second learner.
    ordinary : bool, default=False
        Whether to judge each partition by the ordinary paired t over all its differences, such as
        the ten of 5x2cv, instead of by the test of its design.

    Returns
    -------
    PartitionStudy
        The t values of all partitions.

    Notes
    -----
    Bradford and Brodley (2001).

    Examples
    --------
    >>> import numpy as np
    >>> import outperform as op
    >>> from reproduction.partition_studies import partition_study
    >>> noise = np.random.default_rng(0).normal(0, 0.02, (2, 15))
    >>> scores = op.Scores.from_arrays({"a": 0.83 + noise[0], "b": 0.80 + noise[1]}, design="3*5cv")
    >>> partition_study(scores, "a", "b").t_values.size
    3
    """
    design = scores.design
    if not isinstance(design, Partitions) or design.count < 2:
        raise DataError(f"the design must consist of partitions, as in '55*10cv', got {design}")
    d = Differences.of(scores, first, second)
    if ordinary:
        flat = d.values.reshape(design.count, 1, 1, -1)
        evidence = paired_t.on(d.partition(flat))
    else:
        evidence = single_test(d)
    assert isinstance(evidence, Pivot)
    gone = np.asarray(evidence.undefined)
    t = np.where(gone, 0.0, np.asarray(evidence.statistic, dtype=np.float64))
    endless = np.where(gone, np.sign(np.asarray(evidence.estimate, dtype=np.float64)), 0.0)
    df = float(evidence.dist.df) if isinstance(evidence.dist, T) else math.inf
    means = [float(scores.values[scores.index(name)].mean()) for name in (first, second)]
    return PartitionStudy((first, second), design, df, t, endless, *means)


def tally(studies: Mapping[Any, PartitionStudy], alpha: float = 0.05) -> Tally:
    """Count right and wrong conclusions of single partitions against the averaged one.

    Parameters
    ----------
    studies : mapping
        Names mapped to partition studies.
    alpha : float, default=0.05
        Significance level.

    Returns
    -------
    Tally
        Correct and incorrect conclusions.

    Examples
    --------
    >>> import numpy as np
    >>> import outperform as op
    >>> from reproduction.partition_studies import partition_study, tally
    >>> noise = np.random.default_rng(0).normal(0, 0.02, (2, 15))
    >>> scores = op.Scores.from_arrays({"a": 0.83 + noise[0], "b": 0.80 + noise[1]}, design="3*5cv")
    >>> sum(tally({"data": partition_study(scores, "a", "b")}))
    3
    """
    counts = [study.conclusions(alpha) for study in studies.values()]
    reference = [study.conclusion(alpha) for study in studies.values()]
    return against_reference(counts, reference)
