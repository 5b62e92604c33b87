"""One side of a contest: a study of hypotheses about one learner's own score (N-27)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from .. import inputs
from ..errors import MethodError
from ..scores import Scores
from ..views import Differences, Halves, ItemDifferences, ItemLosses
from .contests import Contest
from .scenarios import Reading, View

__all__ = ["OneSide"]


@dataclass(frozen=True, eq=False, slots=True)
class OneSide:
    """The same experiments as a contest's, of which tests read one learner's scores alone.

    The hypothesis is μ = μ₀, asked when rates are read: `study(...).rates(0.1, mu0=0.4)`. Methods
    that can only compare two learners, such as McNemar's, are refused.
    """

    contest: Contest
    side: Literal["first", "second"] = "first"

    def __post_init__(self) -> None:
        inputs.choice(self.side, "side", ("first", "second"))

    @property
    def name(self) -> str:
        return f"{self.contest.name}, the {self.side} learner"

    @property
    def block(self) -> int:
        return self.contest.block

    def draw(
        self,
        readings: Sequence[Reading],
        n_reps: int,
        seed: np.random.SeedSequence,
        effect: float = 0.0,
    ) -> dict[Reading, View]:
        """Draw datasets, run both learners and show the scores of one."""
        for asked in readings:
            if asked.view not in (Differences, ItemDifferences, Halves):
                raise MethodError(
                    f"{asked} compares two learners; about one alone ask a method that reads its "
                    "scores, as in ['corrected_t', 'conservative_z']"
                )
        return self.contest.drawn(readings, n_reps, seed, effect, show=self._view)

    def _view(self, asked: Reading, scores: Scores) -> View:
        if asked.view is ItemDifferences:
            items = ItemLosses.of(scores, (self.side,))
            right = items.right if items.binary else items.values
            return ItemDifferences.subtract(right[:, 0].reshape(1, 1, -1), None)
        view: View = asked.view.of(scores, self.side)
        return view
