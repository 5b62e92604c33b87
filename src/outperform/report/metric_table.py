"""Several metrics of one run side by side: each learner's mean by every metric."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..numerics import exact_sums
from .formatting import decimals_for, fixed, terminal

if TYPE_CHECKING:
    from ..results.comparison import Comparison

LEARNERS = 12
"""Learners up to which the table is printed as text."""


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
