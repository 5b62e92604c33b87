"""Contests of learners in batches: the sizes of tests, from thousands of datasets in seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from outperform.designs.splitting import whole
from outperform.lab.certificates import Loss
from outperform.lab.scenarios import SAMPLE, Reading, ScenarioView, Source, stream
from outperform.numerics.exact_sums import Array

from .batch_learners import BatchLearner
from .fold_labels import FoldLabels
from .fold_views import LEAST, FoldOutcomes, Losses, area, views_of


@dataclass(frozen=True, eq=False)
class BatchContest:
    """Datasets of a source on which two batch learners are trained and compared.

    The sizes of `calibrated_t` are measured by it.

    Attributes
    ----------
    source : Source
        Where items come from.
    first : BatchLearner
        The first learner.
    second : BatchLearner
        The second learner.
    n : int
        Number of items of a dataset.
    loss : {"0/1", "log", "squared", "AUC"}
        Loss of an item; with "AUC", 1 − AUC of each fold.
    block : int
        Number of experiments that are drawn with one seed.
    """

    source: Source
    first: BatchLearner
    second: BatchLearner
    n: int = 200
    loss: Loss = "0/1"
    block: ClassVar[int] = 20

    def __post_init__(self) -> None:
        whole(self.n, "n", 4)

    @property
    def null_at_zero(self) -> bool:
        """Whether an effect of 0 is a true null: one learner with exchangeable features."""
        return getattr(self.source, "delta", None) == 0 and self.first == self.second

    @property
    def name(self) -> str:
        """A few words for tables and figures."""
        names = dict.fromkeys((self.first.name, self.second.name))
        return f"{self.source.name}, {' vs. '.join(names)}, n = {self.n}"

    def draw(
        self,
        readings: Sequence[Reading],
        n_reps: int,
        seed: np.random.SeedSequence,
        effect: float = 0.0,
    ) -> dict[Reading, ScenarioView]:
        """Draw datasets, train both learners on every split, and return what methods read."""
        return views_of(self, readings, self.datasets(n_reps, seed), seed, effect)

    def datasets(self, n_reps: int, seed: np.random.SeedSequence) -> tuple[Array, Array, Array]:
        """Draw the features of both learners and the classes."""
        data = [self.source.draw(self.n, stream(seed, SAMPLE, at)) for at in range(n_reps)]
        y = np.stack([each.y for each in data]).astype(np.float64)
        first = np.stack([each.X for each in data])
        if data[0].X_second is None:
            return first, first, y
        return first, np.stack([each.X_second for each in data]), y

    def outcomes(
        self, data: tuple[Array, Array, Array], folds: FoldLabels, seed: Any = None
    ) -> FoldOutcomes:
        """Return the losses of both learners, of items or of folds."""
        *sides, y = data
        first, second = (
            batch_losses(self.loss, learner, X, y, folds)
            for learner, X in zip((self.first, self.second), sides, strict=True)
        )
        return FoldOutcomes(folds, first, second, self.loss != "AUC")


def batch_losses(loss: Loss, learner: Any, X: Array, y: Array, folds: FoldLabels) -> Losses:
    """Return the losses of one learner: of items, (E, B, n), or with AUC of folds, (E, B, K)."""
    if loss == "0/1":
        return np.asarray(learner.predict(X, y, folds) != (y > 0)[:, None])
    tested = (folds.labels >= 0) & (folds.labels < folds.n_folds)
    if loss == "squared":
        return np.asarray(tested * (learner.values(X, y, folds) - y[:, None]) ** 2)
    odds = learner.log_odds(X, y, folds)
    if loss == "log":
        lost = np.logaddexp(0, -odds * (2 * y[:, None] - 1))
        return np.asarray(tested * np.minimum(lost, -np.log(LEAST)))
    found = np.empty((len(X), *folds.labels.shape[1:2], folds.n_folds))
    for row, labels in enumerate(folds.labels[0]):
        for fold in range(folds.n_folds):
            items = labels == fold
            found[:, row, fold] = 1 - area(odds[:, row, items], y[:, items] > 0)
    return found
