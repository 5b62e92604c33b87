"""Learners by letters that those share who do not differ significantly; or beside a control."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ...scores.performance import on_whole_data
from ..formatting import decimals_for, fixed, terminal
from ..group_sentences import letter
from .headline import held_at

if TYPE_CHECKING:
    from ...results.comparison import Comparison


LETTERS = 60
"""Groups that get a letter."""
LEARNERS = 500
"""Learners in the table: beyond, a page is too large to read."""


def group_section(
    shown: Comparison, alpha: float, rope: float | None = None
) -> dict[str, Any] | None:
    """Return a row for each learner, best first; None of two, whom the verdict settles."""
    if len(shown.names) == 2:
        return None
    groups, order = shown.groups(alpha, rope), shown.order()
    some = ""
    if len(groups) > LETTERS:
        some = f" {LETTERS} of {len(groups):,} groups are shown; comparison.groups() has them all."
        groups = groups[:LETTERS]
    if len(order) > LEARNERS:
        some += f" The first {LEARNERS} of {len(order):,} learners are shown."
    against = {}
    if shown.control is not None:
        found = shown.against_control(alpha, rope)
        against = {name: word for word, names in found.items() for name in names}
        against[shown.control] = "control"
    learners = [
        {
            "name": terminal(name),
            "mean": _mean(shown, name),
            "letters": [letter(i) if name in group else "" for i, group in enumerate(groups)],
            "words": against.get(name, ""),
        }
        for name in (shown.names[position] for position in order[:LEARNERS])
    ]
    section = {
        "learners": learners,
        "means": shown.scores is not None and shown.scores.n_splits > 0,
    }
    if shown.control is not None:
        return section | {
            "title": "Compared with the control",
            "words": "Learners were compared with the control only, not with each other.",
            "caption": f"Learners by estimate; their order is not a verdict.{some}",
            "column": "Verdict",
        }
    return section | {
        "title": "Groups",
        "words": "Learners that share a letter are not significantly different. Groups may "
        "overlap: if neither a and b nor b and c differ significantly, a and c still may.",
        "caption": f"Learners by estimate; groups at {held_at(shown, alpha)}.{some}",
        "column": "Group",
    }


def _mean(shown: Comparison, name: str) -> str:
    if shown.scores is None:
        return ""
    values = on_whole_data(shown.scores, name)
    spread = float(values.std(ddof=1)) if values.size > 1 else 0.0
    return fixed(float(values.mean()), min(decimals_for(spread / math.sqrt(values.size)), 6))
