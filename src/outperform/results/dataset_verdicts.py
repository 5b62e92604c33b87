"""Three levels apart: within each dataset, over these datasets, and what one dataset decides."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .. import registry
from ..errors import OutperformError
from ..scores.benchmark import Benchmark, columns_of
from .adjustments import adjust, family_log_pvalues
from .verdict import decide

if TYPE_CHECKING:
    from .comparison import Comparison


MOST = 20_000
"""Verdicts that are given again without each dataset; beyond, none are."""


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


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A verdict on two learners that one dataset carries: without it, another one is given."""

    dataset: str
    names: tuple[str, str]
    verdict: str
    """With all datasets."""
    without: str
    adjusted: float
    """The adjusted p-value without the dataset."""


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


def without_each(shown: Comparison, alpha: float = 0.05) -> list[LeftOut]:
    """Judge every pair again without each dataset in turn, and return the verdicts that change.

    None are looked for where pairs have datasets of their own, or there are too many.
    """
    scores, stacked = shown.scores, shown.method.view.pairs
    if scores is None or stacked is None or shown.benchmark is None or shown.law is not None:
        return []
    n = len(set(scores.datasets or ()))
    if n < 3 or n * shown.n_pairs > MOST or np.isnan(scores.values).any():
        return []
    labels, (i, j) = np.array(scores.datasets), shown.pairs
    whole, found = shown.outcomes(alpha), []
    for name in dict.fromkeys(scores.datasets or ()):
        rest = columns_of(scores, labels != name)
        evidence = shown.method.on(stacked(shown.method.layout, rest, i, j)[0])
        logs = family_log_pvalues(np.asarray(evidence.log_pvalue(shown.alternative)), shown.adjust)
        outcomes = decide(evidence, shown.alternative, alpha, logs).tolist()
        for pair, before, after, log_p in zip(
            shown.pair_names, whole, outcomes, logs.tolist(), strict=True
        ):
            if before != after:
                found.append(LeftOut(name, pair, before, str(after), math.exp(log_p)))
    return found


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
