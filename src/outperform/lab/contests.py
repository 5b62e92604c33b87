"""Contests: two learners run on datasets of a source, as scenarios for studies (D-48, D-51)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from .. import inputs
from ..designs import Design
from ..errors import MethodError
from ..scores import Items, Scores
from ..splitting import whole
from ..views import Differences, Halves, ItemDifferences, ItemLosses, stacked
from .scenarios import SAMPLE, Dataset, Reading, ScenarioView, Source, stream

__all__ = ["Contest", "OneSide"]

Learner = Any
"""A scikit-learn estimator, or a function of (effect, n_train) that returns one."""


@dataclass(frozen=True, eq=False, slots=True)
class Contest:
    """Datasets of `n` items from a source, on which two learners are run and compared.

    A learner may be a function of (effect, n_train), and the source one of the effect: that is how
    a power curve changes something (D-49), and how learners are calibrated for each training size
    (D-47). The engine fits every split of every design asked; all designs see the same dataset.
    """

    source: Source | Callable[[float], Source]
    first: Learner
    second: Learner
    n: int = 300
    scoring: Any = None
    block: ClassVar[int] = 4

    def __post_init__(self) -> None:
        whole(self.n, "n", 2)

    @property
    def name(self) -> str:
        source = self.source
        return source.name if isinstance(source, Source) else "contest"

    def draw(
        self,
        readings: Sequence[Reading],
        n_reps: int,
        seed: np.random.SeedSequence,
        effect: float = 0.0,
    ) -> dict[Reading, ScenarioView]:
        """Draw datasets and run both learners on each, design by design."""
        return self.drawn(readings, n_reps, seed, effect, show=_view)

    def drawn(
        self,
        readings: Sequence[Reading],
        n_reps: int,
        seed: np.random.SeedSequence,
        effect: float,
        *,
        show: Callable[[Reading, Scores], ScenarioView],
    ) -> dict[Reading, ScenarioView]:
        """Draw datasets; `show` says what a reading sees of the scores of both learners."""
        designs = list(dict.fromkeys(asked.design for asked in readings))
        found: dict[Reading, list[ScenarioView]] = {asked: [] for asked in readings}
        for experiment in range(n_reps):
            data = self.dataset(stream(seed, SAMPLE, experiment), effect)
            for design in designs:
                wanted = [asked for asked in readings if asked.design == design]
                at = stream(seed, wanted[0].key, experiment)
                scores = self.scores(data, design, int(at.integers(1 << 31)), effect)
                for asked in wanted:
                    found[asked].append(show(asked, scores))
        return {asked: stacked(each) for asked, each in found.items()}

    def dataset(self, rng: np.random.Generator, effect: float = 0.0) -> Dataset:
        """Draw one dataset."""
        source = self.source if isinstance(self.source, Source) else self.source(effect)
        return source.draw(self.n, rng)

    def scores(
        self, data: Dataset, design: Design, random_state: int, effect: float = 0.0
    ) -> Scores:
        """Run both learners on a dataset, or on a part of one, over the same splits."""
        from ..engine import run

        n_train = int(design.sizes(data.n).n_train[0])
        sides = [
            run(
                {name: _made(learner, effect, n_train)},
                X,
                data.y,
                design=design,
                scoring=self.scoring,
                random_state=random_state,
                n_jobs=1,
                progress=False,
                confirm_large=True,
            )
            for name, learner, X in (
                ("first", self.first, data.X),
                ("second", self.second, data.X if data.X_second is None else data.X_second),
            )
        ]
        return _together(*sides)


def _made(learner: Learner, effect: float, n_train: int) -> Any:
    return learner if hasattr(learner, "fit") else learner(effect, n_train)


def _together(first: Scores, second: Scores) -> Scores:
    """Put the scores of two runs over the same splits side by side."""
    items, kept = None, first.items
    if kept is not None and second.items is not None:
        losses = np.concatenate([kept.values, second.items.values])
        items = Items(kept.loss, losses, kept.split, kept.item)
    return replace(
        first,
        names=(*first.names, *second.names),
        values=np.concatenate([first.values, second.values]),
        items=items,
    )


def _view(asked: Reading, scores: Scores) -> ScenarioView:
    view: ScenarioView = asked.view.of(scores, "first", "second")
    return view


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
    ) -> dict[Reading, ScenarioView]:
        """Draw datasets, run both learners and show the scores of one."""
        for asked in readings:
            if asked.view not in (Differences, ItemDifferences, Halves):
                raise MethodError(
                    f"{asked} compares two learners; about one alone ask a method that reads its "
                    "scores, as in ['corrected_t', 'conservative_z']"
                )
        return self.contest.drawn(readings, n_reps, seed, effect, show=self._view)

    def _view(self, asked: Reading, scores: Scores) -> ScenarioView:
        if asked.view is ItemDifferences:
            items = ItemLosses.of(scores, (self.side,))
            right = items.right if items.binary else items.values
            return ItemDifferences.subtract(right[:, 0].reshape(1, 1, -1), None)
        view: ScenarioView = asked.view.of(scores, self.side)
        return view
