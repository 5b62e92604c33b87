"""A table over the metrics of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..formatting import terminal
from ..learner_scores import metric_rows, metric_words

if TYPE_CHECKING:
    from ...results.comparison import Comparison

LEARNERS = 50
"""Learners in the table: beyond, it is too wide to read."""


def metric_section(shown: Comparison) -> dict[str, Any] | None:
    """Return each learner's mean by every metric; None where there is but one."""
    rows = metric_rows(shown)
    if not rows:
        return None
    return {
        "names": [terminal(name) for name in shown.names[:LEARNERS]],
        "rows": [{"metric": name, "means": means[:LEARNERS]} for name, means in rows],
        "words": metric_words(shown),
    }
