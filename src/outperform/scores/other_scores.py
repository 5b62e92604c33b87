"""Scores by further metrics of the same run, beside those by its primary one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..numerics.exact_sums import Array
from .item_losses import AnyItems


@dataclass(frozen=True, eq=False, slots=True)
class OtherScores:
    """What one further metric says of the same learners on the same splits."""

    metric: str
    greater_is_better: bool
    values: Array
    """Shape (learners, splits)."""
    items: AnyItems | None = None

    def of(self, learners: Sequence[int]) -> OtherScores:
        """Return the scores of some learners, in the order they are asked for."""
        rows = list(learners)
        kept = None if self.items is None else self.items.of(rows)
        return OtherScores(self.metric, self.greater_is_better, self.values[rows], kept)
