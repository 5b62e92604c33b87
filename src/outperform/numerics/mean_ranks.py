"""Mean ranks over datasets: Friedman, Iman and Davenport, Nemenyi, Bonferroni and Dunn."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from .distributions import Chi2, F, Normal
from .exact_sums import ROUNDING, Array
from .studentized import StudentizedRange


@dataclass(frozen=True, slots=True)
class RankSums:
    """What tests on mean ranks read of tables of N datasets × k learners."""

    n: int
    means: Array
    """The mean rank of each learner, (..., k); 1 is best, ties share their rank."""
    tied: Any
    """Σ(t³ − t) over all groups of t tied scores."""
    log_orders: Any
    """The log of how many orders the scores of a dataset could have had, mean over datasets."""

    @property
    def k(self) -> int:
        return int(self.means.shape[-1])


def row_ranks(scores: Array) -> tuple[Array, Array]:
    """Return average ranks along the last axis, the greatest first, and how many share each.

    Scores within rounding of each other, judged by the largest of the table, are tied.
    """
    table = np.asarray(scores, dtype=np.float64)
    width = ROUNDING * np.max(np.abs(table), axis=(-2, -1), keepdims=True)
    order = np.argsort(-table, axis=-1, kind="stable")
    falls = -np.diff(np.take_along_axis(table, order, axis=-1), axis=-1) > width
    k = table.shape[-1]
    at = np.arange(k)
    edge = np.ones((*table.shape[:-1], 1), dtype=bool)
    first = np.maximum.accumulate(np.where(np.concatenate([edge, falls], -1), at, 0), axis=-1)
    ends = np.where(np.concatenate([falls, edge], -1), at, k - 1)
    last = np.minimum.accumulate(ends[..., ::-1], axis=-1)[..., ::-1]
    ranks, shared = np.empty_like(table), np.empty_like(table)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=-1)
    np.put_along_axis(shared, order, last - first + 1.0, axis=-1)
    return ranks, shared


def rank_sums(scores: Array) -> RankSums:
    """Rank the learners of each dataset (row), the greatest score first."""
    from scipy.special import gammaln

    ranks, shared = row_ranks(scores)
    n, k = ranks.shape[-2:]
    tied = (shared**2 - 1).sum(axis=(-2, -1))  # each of t tied scores stands for t² − 1 of t³ − t
    lost = (gammaln(shared + 1) / shared).sum(axis=-1)
    log_orders = math.lgamma(k + 1) - np.mean(lost, axis=-1)
    return RankSums(n, ranks.mean(axis=-2), tied[()], log_orders[()])


def friedman_chi2(r: RankSums, *, ties: bool = True) -> Any:
    """Return Friedman's χ²_F on k − 1 degrees of freedom; 0 where all scores are tied.

    12N/(k(k + 1)) [ΣR² − k(k + 1)²/4], divided by 1 − Σ(t³ − t)/(Nk(k² − 1)) for ties.
    """
    n, k = r.n, r.k
    spread = ((np.sort(r.means, axis=-1) - (k + 1) / 2) ** 2).sum(axis=-1)
    left = 1 - np.asarray(r.tied) / (n * k * (k * k - 1)) if ties else np.ones_like(spread)
    none = left <= 0
    return np.where(none, 0.0, 12 * n / (k * (k + 1)) * spread / np.where(none, 1.0, left))[()]


def iman_davenport_f(r: RankSums, *, ties: bool = True) -> Any:
    """Return (N − 1)χ²_F / (N(k − 1) − χ²_F), infinite where all datasets rank alike."""
    chi2, most = np.asarray(friedman_chi2(r, ties=ties)), r.n * (r.k - 1)
    alike = chi2 >= most * (1 - 1e-12)
    return np.where(alike, np.inf, (r.n - 1) * chi2 / np.where(alike, 1.0, most - chi2))[()]


def log_alike(r: RankSums) -> Any:
    """Return log P(all datasets rank alike) if learners are equal: (1/k!)^(N − 1) without ties."""
    return -(r.n - 1) * r.log_orders


def friedman_log_pvalue(r: RankSums, *, ties: bool = True) -> Any:
    """Return the log p-value of Friedman's χ²_F."""
    return Chi2(r.k - 1).logsf(friedman_chi2(r, ties=ties))


def iman_davenport_log_pvalue(r: RankSums, *, ties: bool = True) -> Any:
    """Return the log p-value of Iman and Davenport's F on k − 1 and (k − 1)(N − 1).

    Where all datasets rank alike F is infinite, and the exact chance of that is given instead.
    """
    f = np.asarray(iman_davenport_f(r, ties=ties))
    law = F(r.k - 1, (r.k - 1) * (r.n - 1))
    return np.where(np.isinf(f), log_alike(r), law.logsf(np.where(np.isinf(f), 0.0, f)))[()]


def rank_error(n: int, k: int) -> float:
    """Return the standard error of a difference of two mean ranks, √(k(k + 1)/6N)."""
    return math.sqrt(k * (k + 1) / (6 * n))


def nemenyi_difference(n: int, k: int, alpha: float) -> float:
    """Return Nemenyi's critical difference of mean ranks: q of k learners, not of k + 1."""
    return _range_quantile(k, alpha) / math.sqrt(2) * rank_error(n, k)


@cache
def _range_quantile(k: int, alpha: float) -> float:
    return float(StudentizedRange(k, math.inf).isf(alpha))


def bonferroni_dunn_difference(n: int, k: int, alpha: float) -> float:
    """Return the critical difference from a control, for k − 1 comparisons."""
    return float(Normal().isf(alpha / (2 * (k - 1)))) * rank_error(n, k)
