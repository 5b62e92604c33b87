"""Learners in order of their mean rank over datasets, and which of them no test tells apart."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import DataError
from ..numerics.mean_ranks import iman_davenport_f, iman_davenport_log_pvalue, rank_sums
from .dataset_verdicts import without_each

if TYPE_CHECKING:
    from ..scores.benchmark import Benchmark
    from .comparison import Comparison


@dataclass(frozen=True, slots=True)
class RankOrder:
    """Learners by mean rank, best first, with the runs that a critical-difference diagram joins."""

    names: tuple[str, ...]
    ranks: tuple[float, ...]
    runs: tuple[tuple[int, int], ...]
    """First and last position of each longest run without a significant pair inside."""
    n: int
    """Datasets that were ranked: those on which every learner was measured."""
    hidden: tuple[tuple[str, str], ...] = ()
    """Pairs that are not significant though a pair between them is: no bar can show them."""

    @property
    def is_interval(self) -> bool:
        """Whether bars over the rank order say exactly which pairs are significant."""
        return not self.hidden

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The runs of two or more learners, by name."""
        return tuple(self.names[first : last + 1] for first, last in self.runs if last > first)


def benchmark_of(shown: Comparison) -> Benchmark:
    """Return the table behind a comparison over datasets, or refuse."""
    if shown.benchmark is None:
        raise DataError(
            "Mean ranks, and figures and tables of them, need scores on several datasets, but this "
            "comparison is of one. Compare a table with a dataset column: op.compare('table.csv')"
        )
    return shown.benchmark


def rank_order(shown: Comparison, alpha: float = 0.05) -> RankOrder:
    """Order the learners of a comparison over datasets by mean rank, and find the runs."""
    benchmark = benchmark_of(shown)
    table = benchmark.ranks()
    means = table.mean(axis=0) if len(table) else np.full(len(shown.names), np.nan)
    order = np.argsort(means, kind="stable")
    apart = shown.told_apart(alpha)[np.ix_(order, order)]
    runs = () if shown.control is not None else longest_runs(apart)
    names = tuple(shown.names[at] for at in order)
    lost = () if shown.control is not None else _hidden(apart, runs)
    return RankOrder(
        names,
        tuple(float(means[at]) for at in order),
        runs,
        len(table),
        tuple((names[i], names[j]) for i, j in lost),
    )


def omnibus(benchmark: Benchmark) -> tuple[float, float] | None:
    """Return Iman and Davenport's F and its log p-value, over complete datasets.

    None of two learners, or of fewer than 2 complete datasets.
    """
    values = benchmark.values
    whole = values[:, ~np.isnan(values).any(axis=0)].T
    if len(benchmark.names) < 3 or len(whole) < 2:
        return None
    found = rank_sums(whole if benchmark.greater_is_better else -whole)
    return float(iman_davenport_f(found)), float(iman_davenport_log_pvalue(found))


def as_dict(shown: Comparison, alpha: float) -> dict[str, Any] | None:
    """Return what is known of the datasets in the vocabulary of `--json`; None of one dataset."""
    benchmark = shown.benchmark
    if benchmark is None:
        return None
    found, order = omnibus(benchmark), rank_order(shown, alpha)
    f = None if found is None or math.isinf(found[0]) else found[0]
    ranks = zip(order.names, order.ranks, strict=True)
    return {
        "names": list(benchmark.datasets),
        "families": None if benchmark.families is None else list(benchmark.families),
        "missing": [list(cell) for cell in benchmark.missing],
        "means": benchmark.mean(),
        "mean_ranks": {name: None if math.isnan(rank) else rank for name, rank in ranks},
        "omnibus": None if found is None else {"F": f, "pvalue": math.exp(found[1])},
        "rank_groups": [list(group) for group in order.groups],
        "rank_groups_show_all": order.is_interval,
        "wins": [list(benchmark.wins(*pair)) for pair in shown.pair_names],
        "without": [
            {
                "dataset": one.dataset,
                "names": list(one.names),
                "verdict": one.without,
                "adjusted": one.adjusted,
            }
            for one in without_each(shown, alpha)
        ],
    }


def longest_runs(apart: npt.NDArray[np.bool_]) -> tuple[tuple[int, int], ...]:
    """Return runs of positions without a pair that is told apart, none inside another."""
    k, found = len(apart), list[tuple[int, int]]()
    for first in range(k):
        last = first
        while last + 1 < k and not apart[first : last + 1, last + 1].any():
            last += 1
        if not found or last > found[-1][1]:
            found.append((first, last))
    return tuple(found)


def _hidden(
    apart: npt.NDArray[np.bool_], runs: tuple[tuple[int, int], ...]
) -> list[tuple[int, int]]:
    """Return the pairs that are not told apart and share no run."""
    together = np.zeros_like(apart)
    for first, last in runs:
        together[first : last + 1, first : last + 1] = True
    i, j = np.nonzero(np.triu(~apart & ~together, 1))
    return list(zip(i.tolist(), j.tolist(), strict=True))
