"""Learners in order of their mean rank over datasets, and which of them no test tells apart."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import DataError, counted, either
from ..numerics.mean_ranks import iman_davenport_f, iman_davenport_log_pvalue, rank_sums
from .influence import carried

if TYPE_CHECKING:
    from ..scores.benchmark import Benchmark
    from .comparison import Comparison
    from .rank_sets import RankSets

MOST_RANKED = 40
"""Learners up to which rank sets are given unasked."""
FEWEST_RANKED = 6
"""Datasets from which on they are: with fewer no signed-rank test decides, and they rest on the
normal law alone."""
FEWEST_TESTED = 5
"""Datasets from which on an omnibus test is given: with fewer, the law of F is too far from that of
ranks (2 datasets, 5 learners: p = 0.028 where all permutations give 0.067)."""

OMNIBUS_PAPERS = ("iman-davenport", "demsar")
"""What the omnibus test rests on: the test, and its use over datasets."""


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
        how = either(python="op.compare('table.csv')", typed="outperform compare table.csv")
        raise DataError(
            "Mean ranks, and figures and tables of them, need scores on several datasets, but this "
            f"comparison is of one. Compare a table with a dataset column: {how}"
        )
    return shown.benchmark


def counting(benchmark: Benchmark) -> Benchmark:
    """Return the table whose columns count as one each: families of datasets, where known."""
    return benchmark if benchmark.families is None else type(benchmark)(benchmark.by_family())


def units(benchmark: Benchmark, n: int) -> str:
    """Return "10 families", or "30 datasets"."""
    one = ("dataset", "datasets") if benchmark.families is None else ("family", "families")
    return counted(n, *one)


def rank_order(shown: Comparison, alpha: float = 0.05, rope: float | None = None) -> RankOrder:
    """Order the learners of a comparison over datasets by mean rank, and find the runs."""
    table = counting(benchmark_of(shown)).ranks()
    means = table.mean(axis=0) if len(table) else np.full(len(shown.names), np.nan)
    order = np.argsort(means, kind="stable")
    apart = shown.told_apart(alpha, rope)[np.ix_(order, order)]
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


def rank_sets_of(shown: Comparison, alpha: float) -> RankSets | None:
    """Return the ranks that each learner may have, where that is quick to tell and not trivial."""
    if shown.benchmark is None or shown.control is not None or len(shown.names) < 3:
        return None
    few = len(counting(shown.benchmark).datasets) < FEWEST_RANKED
    if shown.ranking is None or len(shown.names) > MOST_RANKED or few:
        return None
    return shown.rank_sets(1 - alpha)


def omnibus(benchmark: Benchmark) -> tuple[float, float] | None:
    """Return Iman and Davenport's F and its log p-value, over complete datasets or families.

    None of two learners, or of fewer than 5 complete datasets.
    """
    values = counting(benchmark).values
    whole = values[:, ~np.isnan(values).any(axis=0)].T
    if len(benchmark.names) < 3 or len(whole) < FEWEST_TESTED:
        return None
    found = rank_sums(whole if benchmark.greater_is_better else -whole)
    return float(iman_davenport_f(found)), float(iman_davenport_log_pvalue(found))


def as_dict(shown: Comparison, alpha: float, rope: float | None = None) -> dict[str, Any] | None:
    """Return what is known of the datasets in the vocabulary of `--json`; None of one dataset."""
    benchmark = shown.benchmark
    if benchmark is None:
        return None
    found, order = omnibus(benchmark), rank_order(shown, alpha, rope)
    sets, whole = rank_sets_of(shown, alpha), counting(benchmark)
    f = None if found is None or math.isinf(found[0]) else found[0]
    ranks = zip(order.names, order.ranks, strict=True)
    return {
        "names": list(benchmark.datasets),
        "families": None if benchmark.families is None else list(benchmark.families),
        "missing": [list(cell) for cell in benchmark.missing],
        "means": whole.mean(),
        "mean_ranks": {name: None if math.isnan(rank) else rank for name, rank in ranks},
        "omnibus": None if found is None else {"F": f, "pvalue": math.exp(found[1])},
        "rank_sets": None if sets is None else {name: list(sets[name]) for name in sets.names},
        "tied_for_first": None if sets is None else list(sets.tied_for_first),
        "rank_groups": [list(group) for group in order.groups],
        "rank_groups_show_all": order.is_interval,
        "wins": [list(whole.wins(*pair)) for pair in shown.pair_names],
        "without": [
            {"dataset": dataset, "names": list(one.names), "verdict": verdict}
            for one in carried(shown, alpha)
            for dataset, verdict in one.without.items()
        ],
    }


def longest_runs(apart: npt.NDArray[np.bool_]) -> tuple[tuple[int, int], ...]:
    """Return runs of positions without a significantly different pair, none inside another."""
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
    """Return the pairs that are not significantly different and share no run."""
    together = np.zeros_like(apart)
    for first, last in runs:
        together[first : last + 1, first : last + 1] = True
    i, j = np.nonzero(np.triu(~apart & ~together, 1))
    return list(zip(i.tolist(), j.tolist(), strict=True))
