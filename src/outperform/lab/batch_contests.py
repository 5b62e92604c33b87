"""Contests of learners in batches: the sizes of tests, from thousands of datasets in seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, ClassVar, TypeAlias

import numpy as np

from .. import validation
from ..designs import CalibratedKFold, Design
from ..designs.splitting import whole
from ..errors import MethodError
from ..numerics.exact_sums import Array
from ..views import Calibration, Differences
from .batch_learners import BatchLearner, FoldLabels, Predictions
from .scenarios import SAMPLE, Mirror, Reading, ScenarioView, Source, stream

POPULATIONS = {
    "A": Mirror(),
    "B": Mirror(20, (0.3, 0.15), 0.1),
    "C": Mirror(20, (0.8, 0.4), 0.05, positive=0.2),
}
"""Mirror populations: few strong features, many weak ones, and many with a rare class."""


def mirror_population(name: str) -> Mirror:
    """Return the mirror population "A", "B" or "C": an exact null for every learner.

    A has 5 features of which two tell the classes apart, B 20 of which two tell little, C 20 of
    which two tell much, with a fifth of the items in class 1.
    """
    return POPULATIONS[validation.choice(name, "name", tuple(POPULATIONS))]


@dataclass(frozen=True, eq=False)
class BatchContest:
    """Datasets of `n` items of a source with two classes, on which two batch learners compete.

    The same as a `Contest`, by the same splits and judged by the same procedures, for learners that
    are trained on all splits at once. Experiments of a block share their splits, which changes no
    rate, since items are drawn independently. Smaller designs of a family are parts of larger ones.
    """

    source: Source
    first: BatchLearner
    second: BatchLearner
    n: int = 200
    block: ClassVar[int] = 20

    def __post_init__(self) -> None:
        whole(self.n, "n", 4)

    @property
    def null_at_zero(self) -> bool:
        """One learner that sees exchangeable features twice; else it is not known here."""
        return getattr(self.source, "delta", None) == 0 and self.first == self.second

    @property
    def name(self) -> str:
        names = dict.fromkeys((self.first.name, self.second.name))
        return f"{self.source.name}, {' vs. '.join(names)}, n = {self.n}"

    def draw(
        self,
        readings: Sequence[Reading],
        n_reps: int,
        seed: np.random.SeedSequence,
        effect: float = 0.0,
    ) -> dict[Reading, ScenarioView]:
        """Draw datasets, train both learners on every split of the largest design of a family."""
        if effect:
            raise MethodError("Contests in batches have no effects; leave effects out")
        data = self.datasets(n_reps, seed)
        largest: dict[str, Design] = {}
        for asked in readings:
            most = largest.setdefault(asked.design.family, asked.design)
            largest[asked.design.family] = union(most, asked.design)
        shown: dict[str, tuple[FoldLabels, Any, Any]] = {}
        for family, design in largest.items():
            folds = FoldLabels.of(design, self.n, split_seed(seed, family))
            shown[family] = (folds, *self.errors(data, folds))
        return {
            asked: view_of(asked, largest[asked.design.family], *shown[asked.design.family])
            for asked in readings
        }

    def datasets(self, n_reps: int, seed: np.random.SeedSequence) -> tuple[Array, Array, Array]:
        """Draw the features of both learners, shape (experiments, n, features), and y."""
        data = [self.source.draw(self.n, stream(seed, SAMPLE, at)) for at in range(n_reps)]
        y = np.stack([each.y for each in data]).astype(np.float64)
        first = np.stack([each.X for each in data])
        if data[0].X_second is None:
            return first, first, y
        return first, np.stack([each.X_second for each in data]), y

    def errors(
        self, data: tuple[Array, Array, Array], folds: FoldLabels
    ) -> tuple[Predictions, Predictions]:
        """Return on which items each learner errs, shape (experiments, cross-validations, n)."""
        *sides, y = data
        first, second = (
            np.asarray(learner.predict(X, y, folds) != (y > 0)[:, None])
            for learner, X in zip((self.first, self.second), sides, strict=True)
        )
        return first, second


def split_seed(seed: np.random.SeedSequence, family: str) -> int:
    """Return the seed of the splits of a family of designs in a block."""
    key = int.from_bytes(sha256(family.encode()).digest()[:4], "big")
    return int(stream(seed, key).integers(1 << 31))


def union(one: Design, other: Design) -> Design:
    """Return the smallest design of a family that holds two of it."""
    grown: Any = {name: max(getattr(one, name), getattr(other, name)) for name in one.grows}
    return replace(one, **grown)


def view_of(
    asked: Reading, drawn: Design, folds: FoldLabels, wrong: Any, wrong_second: Any
) -> ScenarioView:
    """Show errors, shape (E, cross-validations, n), as what a reading reads."""
    design, n = asked.design, folds.labels.shape[-1]
    if isinstance(design, CalibratedKFold) and isinstance(drawn, CalibratedKFold):
        on_all = slice(0, design.repeats)
        halves = slice(drawn.repeats, drawn.repeats + 2 * design.halvings)
        return calibration(
            (folds.first(on_all), wrong[:, on_all], wrong_second[:, on_all]),
            (folds.first(halves), wrong[:, halves], wrong_second[:, halves]),
            str(design),
        )
    some = slice(0, design.n_splits(n) // folds.n_folds)
    here = folds.first(some)
    grid = (len(wrong), *(design.shape or ()))
    right = [1 - here.fold_means(each[:, some]).reshape(grid) for each in (wrong, wrong_second)]
    return Differences.subtract(*right, ratio=float(design.test_train_ratio or 0))


Errors: TypeAlias = tuple[FoldLabels, Predictions, Predictions]
"""Cross-validations, and on which items the first and the second learner err in them."""


def calibration(on_all: Errors, in_halves: Errors, design: str = "") -> Calibration:
    """Return what `calibrated_t` reads of many experiments.

    Both halves of a halving follow each other among the cross-validations of halves.
    """
    means, squares = [], []
    for folds, wrong, wrong_second in (on_all, in_halves):
        gaps = wrong_second.astype(np.int8) - wrong
        means.append(folds.fold_means(gaps))
        squares.append(folds.fold_means(np.abs(gaps)).mean(axis=(1, 2)))
    n_reps, crossed, n_folds = means[1].shape
    return Calibration(
        means[0],
        means[1].reshape(n_reps, crossed // 2, 2, n_folds),
        float(on_all[0].labels.shape[-1]),
        np.ones(n_reps),  # scores are between 0 and 1
        np.stack(squares, axis=-1),
        design=design,
    )
