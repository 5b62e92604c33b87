"""Partition studies: one comparison on many random partitions of one dataset (B-07)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..designs import Partitions
from ..dists import T
from ..errors import DataError
from ..evidence import Pivot
from ..partitions import (
    Conclusions,
    Group,
    NormalFit,
    Sufficiency,
    Tally,
    against_reference,
    averaged_from_t,
    conclusion,
    conclusions,
    normal_fit,
    partition_group,
    signed_significance,
    sufficiency,
)
from ..procedures.averaged_t import single_test
from ..procedures.paired_t import paired_t
from ..result import Result
from ..scores import Scores
from ..sums import Array
from ..views import Differences

__all__ = ["PartitionStudy", "partition_study", "tally"]


@dataclass(frozen=True, eq=False, slots=True)
class PartitionStudy:
    """The t values of one comparison on many partitions, and what they say together."""

    names: tuple[str, str]
    design: Partitions
    df: float
    t_values: Array
    """0 where no fold shows a difference (B-06), and where t is infinite."""
    endless: Array
    """1 or −1 where all folds show the same difference, for the first side or the second: t is
    infinite, and the partition rejects. 0 elsewhere."""
    mean_first: float
    mean_second: float

    @property
    def infinite(self) -> int:
        """Partitions whose t is infinite."""
        return int(np.count_nonzero(self.endless))

    @property
    def finite_t(self) -> Array:
        """The t values that have a mean and a spread."""
        return np.asarray(self.t_values[self.endless == 0])

    @property
    def signed_p(self) -> Array:
        """One-tailed p of each partition with the winner's sign (B-05); ±0 of an infinite t."""
        p = signed_significance(self.t_values, self.df)
        return np.where(self.endless == 0, p, np.copysign(0.0, self.endless))

    @property
    def sorted_p(self) -> Array:
        """The signed p in the order of the sorted-significance plots: first side's best first."""
        t = np.where(self.endless == 0, self.t_values, np.copysign(np.inf, self.endless))
        return self.signed_p[np.argsort(-t, kind="stable")]

    def conclusions(self, alpha: float = 0.05) -> Conclusions:
        """Count what single partitions conclude (B-19)."""
        return conclusions(self.signed_p, alpha)

    def group(self, alpha: float = 0.05) -> Group:
        """Return the group of the dataset (B-12 to B-14)."""
        return partition_group(self.signed_p, alpha=alpha)

    def averaged(self) -> Result:
        """Judge the mean of the t values that are finite (B-15)."""
        return averaged_from_t(self.finite_t, df=self.df)

    def averaged_p(self) -> float:
        """Return the signed one-tailed p of that mean, as Table 2 prints it (B-16)."""
        return float(signed_significance(self.averaged().estimate, self.df))

    def conclusion(self, alpha: float = 0.05) -> str:
        """Return what the mean t concludes."""
        return conclusion(self.averaged_p(), alpha)

    def sufficiency(self, alpha: float = 0.05) -> Sufficiency:
        """Ask whether these partitions suffice, and how many would (B-17)."""
        return sufficiency(self.finite_t, df=self.df, alpha=alpha)

    def normal_fit(self) -> NormalFit:
        """Fit a normal curve to the t values (B-18)."""
        return normal_fit(self.finite_t)

    def _endless(self) -> tuple[str, ...]:
        if not self.infinite:
            return ()
        return (
            f"  On {self.infinite} partitions all folds differ by the same amount: their t is "
            "infinite, so they reject; the mean t is that of the others.",
        )

    def __str__(self) -> str:
        first, second = self.names
        return "\n".join(
            (
                f"{first} v {second} on {self.t_values.size} partitions of {self.design.of}",
                f"  {self.conclusions()} Group {self.group()}.",
                *self._endless(),
                f"  {self.sufficiency()}",
            )
        )


def partition_study(
    scores: Scores, first: str, second: str, *, ordinary: bool = False
) -> PartitionStudy:
    """Read the partitions of scores, each by the test of its design (B-07).

    `ordinary=True` judges 5x2cv by the ordinary paired t over its ten differences, which is what
    the printed columns look like (E-B12).
    """
    design = scores.design
    if not isinstance(design, Partitions) or design.count < 2:
        raise DataError(f"the design is {design}; partitions are needed, as in '55*10cv'")
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
    """Count right and wrong conclusions of single partitions against the averaged one (B-20)."""
    counts = [study.conclusions(alpha) for study in studies.values()]
    reference = [study.conclusion(alpha) for study in studies.values()]
    return against_reference(counts, reference)
