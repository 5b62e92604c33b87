"""Scores that have ends: an accuracy is at most 1, whatever a formula made for any mean says."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from ..columns import bare
from . import numbers
from .clean import terminal

if TYPE_CHECKING:
    from ..results.comparison import Comparison

__all__ = ["ends", "is_share", "largest"]

SHARES = frozenset((
    "accuracy", "balancedaccuracy", "topkaccuracy", "error", "errorrate", "zerooneloss", "f1",
    "precision", "recall", "sensitivity", "specificity", "jaccard", "auc", "rocauc", "aucroc",
    "averageprecision", "brier",
))  # fmt: skip
"""Metrics between 0 and 1, by their names without case, spaces and endings."""


def is_share(metric: str) -> bool:
    """Tell by its name whether a metric lies between 0 and 1."""
    name = bare(metric)
    return name in SHARES or re.sub("(micro|macro|weighted|score|ovr|ovo)+$", "", name) in SHARES


def ends(
    low: float, high: float, estimate: float, digits: int, metric: str, *limits: float
) -> tuple[str, str]:
    """Return the interval of one score in brackets, no wider than it can be, and what was cut.

    An accuracy of 95.3 is counted in percent, and is left as it is.
    """
    shown, cut = (low, high), ""
    if is_share(metric) and 0 <= estimate <= 1:
        shown = (max(low, 0.0), min(high, 1.0))
        over = [f"{numbers.apart(end, digits, limit)}, but {terminal(metric)} is {word} {limit}"
                for end, word, limit, beyond in ((low, "at least", 0, low < 0),
                                                 (high, "at most", 1, high > 1))
                if beyond and math.isfinite(end)]  # fmt: skip
        cut = f"the formula gives {' and '.join(over)}" if over else ""
    return f"[{', '.join(numbers.ends(*shown, digits, *limits))}]", cut


def largest(shown: Comparison) -> float:
    """Return the largest difference that scores of this metric can have, where they are shares."""
    scores = shown.scores
    if scores is None or not is_share(shown.metric):
        return math.inf
    return 1.0 if scores.values.min() >= 0 and scores.values.max() <= 1 else math.inf
