"""The scores of every learner, by one metric or several: what is read before any test."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..errors import counted
from ..numerics import exact_sums
from ..scores.performance import Performance
from . import scope
from .formatting import decimals_for, fixed, terminal

if TYPE_CHECKING:
    from ..results.comparison import Comparison
    from ..results.result import Result


LEARNERS = 12
"""Learners up to which means by several metrics are printed as text."""
MEAN = 3
"""Decimals of scores that do not vary."""
MOST, TINY = 6, 1e-4
"""Decimals of scores, unless all are so small that these would be zeros."""


def measured(shown: Result | Comparison) -> str:
    """Say the metric, and how the data were split."""
    return f"{terminal(shown.metric)}{scope.split_by(shown, on=', ', by=', ')}"


def digits(found: Sequence[Performance]) -> int:
    """Return the decimals of all means: two figures of the smallest standard error."""
    known = [one.stderr for one in found if one.stderr and math.isfinite(one.stderr)]
    if not known:
        return max([MEAN, *(decimals_for(None, one.mean) for one in found)])
    most = MOST if max(abs(one.mean) for one in found) >= TINY else math.inf
    return int(min(max(decimals_for(size) for size in known), most))


def mean_sd(one: Performance, decimals: int) -> str:
    """Return "0.807 ± 0.035", or the mean alone."""
    spread = "" if one.sd is None else f" ± {fixed(one.sd, decimals)}"
    return f"{fixed(one.mean, decimals)}{spread}"


def label(found: Sequence[Performance]) -> str:
    """Return what the numbers are."""
    return "mean ± sd" if any(one.sd is not None for one in found) else "mean"


def lines(
    found: Sequence[Performance],
    most: int,
    ranks: Mapping[str, float] | None = None,
    *,
    families: bool = False,
) -> list[str]:
    """Return aligned lines: learner, mean ± sd, and over how many splits, datasets or items.

    Over datasets, or families of them, the mean rank of each learner stands beside its mean.
    """
    decimals, shown = digits(found), found[:most]
    names = [terminal(one.name) for one in shown]
    wide = max(map(len, names), default=0)
    said = [
        f"{name:<{wide}}  {mean_sd(one, decimals)}{_rank(one.name, ranks)} "
        f"({counted(one.n, 'family', 'families') if families else counted(one.n, one.unit)})"
        for name, one in zip(names, shown, strict=True)
    ]
    if len(found) > most:
        said.append(f"… and {counted(len(found) - most, 'more learner')}")
    return said


def metric_rows(shown: Comparison) -> list[tuple[str, list[str]]]:
    """Return each metric with the mean score of every learner; nothing where there is but one."""
    scores = shown.scores
    if scores is None or not scores.more:
        return []
    rows = []
    for name in scores.metrics:
        values = scores.for_metric(name).values
        means = [float(exact_sums.mean(row)) for row in values]
        spread = max(float(row.std()) for row in values) / max(values.shape[1], 1) ** 0.5
        digits = max(3, *(decimals_for(spread, mean) for mean in means))
        rows.append((terminal(name), [fixed(mean, digits) for mean in means]))
    return rows


def metric_words(shown: Comparison) -> str:
    """Say by which metric learners were judged, and which was the primary one."""
    scores = shown.scores
    assert scores is not None
    primary, judged = terminal(scores.primary or scores.metric), terminal(scores.metric)
    if primary == judged:
        return f"The verdict is by {judged}, the primary metric; the others are descriptive."
    return f"The verdict is by {judged}; the primary metric of the run was {primary}."


def metric_line(shown: Comparison) -> str:
    """Return the means by every metric in one line; nothing where there is but one."""
    rows = metric_rows(shown)
    if not rows or len(shown.names) > LEARNERS:
        return ""
    names = [terminal(name) for name in shown.names]
    said = (
        f"{metric}: {', '.join(f'{name} {mean}' for name, mean in zip(names, means, strict=True))}"
        for metric, means in rows
    )
    return f"{'; '.join(said)}. {metric_words(shown)}"


def _rank(name: str, ranks: Mapping[str, float] | None) -> str:
    return "" if ranks is None else f", mean rank {ranks[name]:.2f}"
