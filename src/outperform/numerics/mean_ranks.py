"""Mean ranks over datasets: Friedman, Iman and Davenport, Nemenyi, Bonferroni and Dunn."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .distributions import Chi2, F, Normal
from .exact_sums import Array
from .studentized import StudentizedRange


@dataclass(frozen=True, slots=True)
class RankSums:
    """What tests on mean ranks read of a table of N datasets × k learners."""

    n: int
    means: Array
    """The mean rank of each learner; 1 is best, ties share their rank."""
    tied: float
    """Σ(t³ − t) over all groups of t tied scores."""

    @property
    def k(self) -> int:
        return int(self.means.size)


def rank_sums(scores: Array) -> RankSums:
    """Rank the learners of each dataset (row), the greatest score first."""
    table = np.asarray(scores, dtype=np.float64)
    better = (table[:, None, :] > table[:, :, None]).sum(axis=-1)
    same = (table[:, None, :] == table[:, :, None]).sum(axis=-1)
    ranks = better + (same + 1) / 2
    tied = float((same**2 - 1).sum())  # each of t tied scores stands for t² − 1 of t³ − t
    return RankSums(len(ranks), ranks.mean(axis=0), tied)


def friedman_chi2(r: RankSums, *, ties: bool = True) -> float:
    """Return Friedman's χ²_F on k − 1 degrees of freedom; 0 where all scores are tied.

    12N/(k(k + 1)) [ΣR² − k(k + 1)²/4], divided by 1 − Σ(t³ − t)/(Nk(k² − 1)) for ties.
    """
    n, k = r.n, r.k
    spread = math.fsum(((r.means - (k + 1) / 2) ** 2).tolist())
    left = 1 - r.tied / (n * k * (k * k - 1)) if ties else 1.0
    return 12 * n / (k * (k + 1)) * spread / left if left > 0 else 0.0


def iman_davenport_f(r: RankSums, *, ties: bool = True) -> float:
    """Return (N − 1)χ²_F / (N(k − 1) − χ²_F), infinite where all datasets rank alike."""
    chi2, most = friedman_chi2(r, ties=ties), r.n * (r.k - 1)
    return (r.n - 1) * chi2 / (most - chi2) if chi2 < most * (1 - 1e-12) else math.inf


def friedman_log_pvalue(r: RankSums, *, ties: bool = True) -> float:
    """Return the log p-value of Friedman's χ²_F."""
    return float(Chi2(r.k - 1).logsf(friedman_chi2(r, ties=ties)))


def iman_davenport_log_pvalue(r: RankSums, *, ties: bool = True) -> float:
    """Return the log p-value of Iman and Davenport's F on k − 1 and (k − 1)(N − 1).

    Where all datasets rank alike F is infinite, and the chance of that is (1/k!)^(N − 1).
    """
    f = iman_davenport_f(r, ties=ties)
    if math.isinf(f):
        return -(r.n - 1) * math.lgamma(r.k + 1)
    return float(F(r.k - 1, (r.k - 1) * (r.n - 1)).logsf(f))


def rank_error(r: RankSums) -> float:
    """Return the standard error of a difference of two mean ranks, √(k(k + 1)/6N)."""
    return math.sqrt(r.k * (r.k + 1) / (6 * r.n))


def nemenyi_log_pvalue(r: RankSums, i: int, j: int) -> float:
    """Return the log p-value of two learners among all pairs, by the studentized range."""
    z = abs(float(r.means[i] - r.means[j])) / rank_error(r)
    return float(StudentizedRange(r.k, math.inf).logsf(z * math.sqrt(2)))


def nemenyi_difference(r: RankSums, alpha: float) -> float:
    """Return Nemenyi's critical difference of mean ranks: q of k learners, not of k + 1."""
    q = float(StudentizedRange(r.k, math.inf).isf(alpha))
    return q / math.sqrt(2) * rank_error(r)


def bonferroni_dunn_difference(r: RankSums, alpha: float) -> float:
    """Return the critical difference from a control, for k − 1 comparisons."""
    return float(Normal().isf(alpha / (2 * (r.k - 1)))) * rank_error(r)
