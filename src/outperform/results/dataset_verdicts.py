"""What single datasets decide by their own splits, and what a new one is expected to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import registry
from ..errors import OutperformError
from ..scores.benchmark import Benchmark
from .adjustments import adjust

MOST_NEXT = 60
"""Datasets up to which the hierarchical model is fitted unasked."""


@dataclass(frozen=True, slots=True)
class Within:
    """What one dataset says of two learners: a difference, and a verdict where it has splits."""

    dataset: str
    estimate: float
    """First minus second, positive where the first is better."""
    low: float | None = None
    high: float | None = None
    pvalue: float | None = None
    verdict: str | None = None
    """None where the dataset has one score, or splits of unknown design."""
    method: str | None = None


def within_datasets(
    benchmark: Benchmark, first: str, second: str, *, alpha: float = 0.05
) -> list[Within]:
    """Judge two learners on each dataset alone, by the method for the design of its splits."""
    found = []
    values, turn = benchmark.values, 1.0 if benchmark.greater_is_better else -1.0
    i, j = benchmark.scores.index(first), benchmark.scores.index(second)
    for at, dataset in enumerate(benchmark.datasets):
        shift = turn * float(values[i, at] - values[j, at])
        if shift != shift:
            continue
        found.append(_judged(benchmark, dataset, first, second, shift, alpha))
    return found


def _judged(
    benchmark: Benchmark, dataset: str, first: str, second: str, shift: float, alpha: float
) -> Within:
    plain = Within(dataset, shift)
    scores = benchmark.on(dataset)
    if scores.design is None or (scores.n_splits < 2 and scores.items is None):
        return plain
    try:
        method = registry.get(registry.default_method(scores.design))
        result = method(scores.of([first, second]))
    except OutperformError:
        return plain  # such as a design that no default method is for: no verdict of its own
    interval = result.interval(1 - alpha)
    low, high = (None, None) if interval is None else (interval.low, interval.high)
    outcome = result.verdict(alpha).outcome
    return Within(dataset, shift, low, high, result.pvalue, outcome, method.name)


def next_dataset(
    benchmark: Benchmark, first: str, second: str, *, rope: float = 0.0
) -> float | None:
    """Return how probable it is that the first is better on a new dataset; None without splits.

    By the hierarchical model, which takes datasets for independent: those of families are not.
    With many datasets it takes long, and is left to be asked for.
    """
    n, labels = len(benchmark.datasets), benchmark.scores.datasets or ()
    if benchmark.families is not None or not 3 <= n <= MOST_NEXT:
        return None
    if min(map(labels.count, benchmark.datasets)) < 3:
        return None
    try:
        found = registry.get("hierarchical")(benchmark.scores, first, second, nodes=61)
    except OutperformError:
        return None  # such as a learner that lacks so many datasets
    evidence: Any = found.evidence
    return float(evidence.regions(rope).better)


def tied_for_best(
    benchmark: Benchmark, dataset: str, alpha: float = 0.05
) -> tuple[set[str], set[str]]:
    """Return who is not significantly different from the best on one dataset, and who is worse.

    By the method for the design of its splits and Holm's method over the learners; of one score
    for each learner, only those with the best one are tied.
    """
    column = benchmark.values[:, benchmark.datasets.index(dataset)]
    known = {name: v for name, v in zip(benchmark.names, column, strict=True) if v == v}
    turn = 1.0 if benchmark.greater_is_better else -1.0
    best = max(known, key=lambda name: turn * known[name])
    same = {name for name, value in known.items() if value == known[best]}
    others = [name for name in known if name != best]
    judged = {name: _judged(benchmark, dataset, best, name, 0.0, alpha) for name in others}
    if not others or any(one.verdict is None for one in judged.values()):
        return same, set()
    p = [one.pvalue for one in judged.values()]
    adjusted = adjust(p, "holm")
    worse = {
        name
        for (name, one), value in zip(judged.items(), adjusted, strict=True)
        if value is not None and value < alpha and one.verdict != "outperformed"
    }
    return {best, *(name for name in others if name not in worse)}, worse
