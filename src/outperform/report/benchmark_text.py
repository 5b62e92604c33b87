"""What is said of a comparison over datasets: ranks, the omnibus test, wins, single datasets."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..errors import counted
from ..numerics.mean_ranks import nemenyi_difference
from ..numerics.studentized import StudentizedRange
from ..results.dataset_verdicts import next_dataset, within_datasets
from ..results.influence import carried
from ..results.rank_order import (
    RankOrder,
    benchmark_of,
    counting,
    rank_order,
    rank_sets_of,
    units,
)
from ..results.rank_order import omnibus as tested
from ..views import FoldsByDataset
from . import scope
from .formatting import pvalue, short, terminal
from .sentences import listed, percent

if TYPE_CHECKING:
    from ..results.comparison import Comparison


NAMED = 3


def omnibus(shown: Comparison) -> str:
    """Say whether the learners differ at all: Iman and Davenport's F on mean ranks; "" if not."""
    benchmark = shown.benchmark
    found = None if benchmark is None else tested(benchmark)
    if benchmark is None or found is None:
        return ""
    f, log_p = found
    n, k = len(counting(benchmark).ranks()), len(benchmark.names)
    size = "is infinite" if math.isinf(f) else f"= {short(f)}"
    return (
        f"Iman and Davenport's F({k - 1}, {(k - 1) * (n - 1)}) {size}, "
        f"{pvalue(math.exp(log_p), log_p)}, on mean ranks over {units(benchmark, n)}"
    )


def critical_difference(shown: Comparison, alpha: float) -> float | None:
    """Return Nemenyi's critical difference where that is how pairs were judged; else None."""
    if not isinstance(shown.law, StudentizedRange) or shown.benchmark is None:
        return None
    if "critical_difference" not in shown.details:
        return None
    return float(
        nemenyi_difference(len(counting(shown.benchmark).ranks()), len(shown.names), alpha)
    )


def diagram_caption(shown: Comparison, alpha: float) -> str:
    """Say what the diagram shows, and how: α, test, adjustment, N and k."""
    found = rank_order(shown, alpha)
    n, k = units(benchmark_of(shown), found.n), counted(len(found.names), "learner")
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
    others = f" (and {counted(more, 'more pair')})" if more else ""
    return (
        f"Not drawn as bars over mean ranks: {first} and {second}{others} are not significantly "
        "different, although learners ranked between them are."
    )


def mean_ranks(shown: Any) -> dict[str, float] | None:
    """Return the mean rank of each learner; None where scores are of one dataset, or two learners.

    Of two learners, wins and losses say the same.
    """
    benchmark = getattr(shown, "benchmark", None)
    if benchmark is None or len(benchmark.names) < 3:
        return None
    benchmark = counting(benchmark)
    if not len(benchmark.ranks()):
        return None
    found: dict[str, float] = benchmark.mean_ranks()
    return found


def counts(shown: Comparison, row: dict[str, Any]) -> str:
    """Return ", won 12, tied 0, lost 18" of a pair over datasets; "" elsewhere."""
    if shown.benchmark is None:
        return ""
    first, second = row["names"]
    won, tied, lost = counting(shown.benchmark).wins(first, second)
    some = f" of {row['n']}" if any(shown.benchmark.missing) else ""
    return f", {won}/{tied}/{lost}{some}"


def lines(shown: Comparison, alpha: float, rope: float | None = None) -> list[tuple[str, str]]:
    """Return what single datasets say, and which of them a verdict depends on."""
    if shown.benchmark is None:
        return []
    legend = ""
    if shown.n_pairs > 1:
        what = "datasets" if shown.benchmark.families is None else "families"
        legend = f"Counts such as 12/0/18: {what} that the first of a pair won, tied and lost."
    return [
        ("counts", legend or wins_line(shown)),
        ("first", tied_line(shown, alpha)),
        ("bars", dropped_bars(shown, alpha, rope) if shown.control is None else ""),
        ("within", within_line(shown, alpha)),
        ("new", next_line(shown, rope)),
        ("without", carried_line(shown, alpha)),
    ]


def wins_line(shown: Comparison) -> str:
    """Say how many datasets the first of two learners won."""
    first, second = shown.pair_names[0]
    benchmark = benchmark_of(shown)
    won, tied, lost = counting(benchmark).wins(first, second)
    return (
        f"{terminal(first)} is better than {terminal(second)} on {won} of "
        f"{units(benchmark, won + tied + lost)}, the same on {tied} and worse on {lost}."
    )


def tied_line(shown: Comparison, alpha: float) -> str:
    """Say who may be first, by simultaneous intervals of mean differences."""
    found = rank_sets_of(shown, alpha)
    if found is None:
        return ""
    tied = [terminal(name) for name in found.tied_for_first]
    who = f"{tied[0]} is first" if len(tied) == 1 else f"Tied for first: {listed(tied, 12)}"
    how = f"by their means, simultaneous {percent(found.level)} intervals"
    return f"{who} ({how})."


def next_line(shown: Comparison, rope: float | None = None) -> str:
    """Say how the two best would do on a new dataset, by the hierarchical model of all splits.

    Nothing where pairs were judged by a model of splits: it says that itself.
    """
    if shown.method.view.type is FoldsByDataset:
        return ""
    first, second = best_two(shown)
    found = next_dataset(benchmark_of(shown), first, second, rope=rope or 0.0)
    if found is None:
        return ""
    shown_as = f"{found:.2f}" if 0.005 <= found < 0.995 else "> 0.99" if found > 0.5 else "< 0.01"
    by = f" by more than {rope:g}" if rope else ""
    return (
        f"On a new dataset, {terminal(first)} is better than {terminal(second)}{by} with "
        f"probability {shown_as} (hierarchical model of the splits of all datasets, not adjusted)."
    )


def within_line(shown: Comparison, alpha: float) -> str:
    """Say how often single datasets decide on the two best learners, by their own splits."""
    benchmark = benchmark_of(shown)
    if not benchmark.has_splits:
        return ""
    first, second = best_two(shown)
    found = within_datasets(benchmark, first, second, alpha=alpha)
    judged = [one for one in found if one.verdict is not None]
    if not judged:
        return ""
    words = [sum(one.verdict == word for one in judged) for word in ("outperforms", "outperformed")]
    left = len(judged) - sum(words)
    return (
        f"On single datasets, {terminal(first)} outperforms {terminal(second)} on {words[0]}, is "
        f"outperformed on {words[1]}, no decision on {left} (each dataset alone by its splits, "
        f"{judged[0].method}, α = {alpha:g}, not adjusted)."
    )


def best_two(shown: Comparison) -> tuple[str, str]:
    """Return the two best learners, or the best beside the control."""
    order = [shown.names[at] for at in shown.order()]
    if shown.control is not None:
        return next(name for name in order if name != shown.control), shown.control
    return order[0], order[1]


def carried_line(shown: Comparison, alpha: float) -> str:
    """Say which verdicts would change if one dataset were left out."""
    found = carried(shown, alpha)
    if not found:
        return ""
    said = []
    for one in found[:NAMED]:
        names = [terminal(name) for name in one.without]
        after = next(iter(one.without.values()))
        first, second = map(terminal, one.names)
        said.append(f"{first} vs. {second} would be {after!r} without {listed(names, NAMED, 'or')}")
    more = f", and {counted(len(found) - NAMED, 'more pair')} would change" * (len(found) > NAMED)
    return f"Verdicts that depend on one dataset: {'; '.join(said)}{more}."


def dropped_bars(shown: Comparison, alpha: float, rope: float | None = None) -> str:
    """Say which pairs a critical-difference diagram cannot show, if any."""
    found = rank_order(shown, alpha, rope)
    if found.is_interval:
        return ""
    pairs = [" and ".join(map(terminal, pair)) for pair in found.hidden]
    return (
        f"{listed(pairs, NAMED)} are not significantly different although learners ranked between "
        "them are: a critical-difference diagram cannot show that."
    )
