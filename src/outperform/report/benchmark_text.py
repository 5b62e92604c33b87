"""What is said of a comparison over datasets: ranks, the omnibus test, wins, single datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..numerics.mean_ranks import nemenyi_difference
from ..numerics.studentized import StudentizedRange
from ..procedures.iman_davenport import iman_davenport
from ..results.rank_order import RankOrder, benchmark_of, rank_order
from ..views import DatasetTable
from . import scope
from .formatting import pvalue, short, terminal
from .sentences import counted, listed

if TYPE_CHECKING:
    from ..results.comparison import Comparison


NAMED = 3


def omnibus(shown: Comparison) -> str:
    """Say whether the learners differ at all: Iman and Davenport's F on mean ranks."""
    benchmark = benchmark_of(shown)
    found = iman_davenport_of(shown)
    if found is None:
        return ""
    statistic, p, log_p = found
    n, k = len(benchmark.ranks()), len(benchmark.names)
    size = "is infinite" if statistic == float("inf") else f"= {short(statistic)}"
    return (
        f"Iman and Davenport's F({k - 1}, {(k - 1) * (n - 1)}) {size}, {pvalue(p, log_p)}, on mean "
        f"ranks over {counted(n, 'dataset')}"
    )


def iman_davenport_of(shown: Comparison) -> tuple[float, float, float] | None:
    """Return F, p and log p; None of two learners, or where no dataset is complete."""
    benchmark = benchmark_of(shown)
    values = benchmark.values
    whole = values[:, ~(values != values).any(axis=0)].T
    if len(benchmark.names) < 3 or len(whole) < 2:
        return None
    evidence = iman_davenport.on(DatasetTable(whole if benchmark.greater_is_better else -whole))
    log_p = float(evidence.log_pvalue())
    return float(evidence.statistic), float(evidence.pvalue()), log_p


def critical_difference(shown: Comparison, alpha: float) -> float | None:
    """Return Nemenyi's critical difference where that is how pairs were judged; else None."""
    if not isinstance(shown.law, StudentizedRange) or shown.benchmark is None:
        return None
    if "critical_difference" not in shown.details:
        return None
    return float(nemenyi_difference(len(shown.benchmark.ranks()), len(shown.names), alpha))


def diagram_caption(shown: Comparison, alpha: float) -> str:
    """Say what the diagram shows, and how: α, test, adjustment, N and k."""
    found = rank_order(shown, alpha)
    n, k = counted(found.n, "dataset"), counted(len(found.names), "learner")
    if shown.control is not None:
        bars = (
            f"Colours: better than {terminal(shown.control)}, worse, or not significantly different"
        )
    else:
        bars = "Bars join learners that are not significantly different"
    how = f"{shown.method.title}, {scope.adjustment(shown)}, α = {alpha:g}"
    return f"Mean ranks of {k} over {n}; 1 is best. {bars} ({how})."


def no_interval(found: RankOrder) -> str:
    """Say why bars over the rank order would mislead."""
    first, second = map(terminal, found.hidden[0])
    more = len(found.hidden) - 1
    others = f", and {counted(more, 'more pair')}," if more else ""
    are = "are" if more else "do"
    return (
        f"Not drawn as bars over mean ranks: {first} and {second}{others} "
        f"{'are not significantly different' if are == 'are' else 'do not differ significantly'}, "
        "although learners between them are."
    )


def tally_of(shown: Comparison, first: str, second: str) -> str:
    """Return "18–0–12": datasets that the first won, tied and lost."""
    return "–".join(map(str, benchmark_of(shown).wins(first, second)))


def ranks_line(shown: Comparison) -> dict[str, float]:
    """Return the mean rank of each learner."""
    return benchmark_of(shown).mean_ranks()


def dropped_bars(shown: Comparison, alpha: float) -> str:
    """Say which pairs a critical-difference diagram cannot show, if any."""
    found = rank_order(shown, alpha)
    if found.is_interval:
        return ""
    pairs = [" and ".join(map(terminal, pair)) for pair in found.hidden]
    return (
        f"{listed(pairs, NAMED)} are not significantly different although learners ranked between "
        "them are: a critical-difference diagram cannot show that."
    )


def as_dict(shown: Comparison, alpha: float) -> dict[str, Any]:
    """Return what is known of the datasets in the vocabulary of `--json`."""
    benchmark = benchmark_of(shown)
    found = iman_davenport_of(shown)
    order = rank_order(shown, alpha)
    return {
        "datasets": list(benchmark.datasets),
        "families": None if benchmark.families is None else list(benchmark.families),
        "missing": [list(cell) for cell in benchmark.missing],
        "means": benchmark.mean(),
        "mean_ranks": dict(zip(order.names, order.ranks, strict=True)),
        "omnibus": None if found is None else {"F": _number(found[0]), "pvalue": found[1]},
        "rank_groups": [list(group) for group in order.groups],
        "rank_groups_complete": order.is_interval,
        "wins": [list(benchmark.wins(*pair)) for pair in shown.pair_names],
    }


def _number(value: float) -> float | None:
    return None if value == float("inf") else value
