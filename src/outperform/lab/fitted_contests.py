"""Contests of any learners, fitted on the rows of each split without the engine's records."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from ..engine.scoring import QUICK, Metric
from ..errors import DataError
from ..numerics.exact_sums import Array
from .batch_learners import FoldLabels
from .fold_views import LEAST, FoldOutcomes, Loss, Losses, area, views_of
from .scenarios import SAMPLE, Dataset, Pool, Reading, ScenarioView, Source, stream, take_rows
from .truth import Mean, mean_of

Rows: TypeAlias = npt.NDArray[np.intp]
Make: TypeAlias = Callable[[int, int], Any]
"""Returns an unfitted learner, of a seed and of the number of items that it will be trained on."""
BY_ITEM = {
    "0/1": Metric("accuracy", *QUICK["accuracy"]),
    "squared": Metric("neg_mean_squared_error", *QUICK["neg_mean_squared_error"]),
}
LEARNER = 1
"""The stream of the seeds of learners."""
TESTED = 5000
"""Items on which a model is tested to learn the truth; more of a large pool buys little."""


@dataclass(frozen=True, eq=False)
class FittedContest:
    """Datasets of `n` items of a source, on which two learners are fitted split by split.

    The same as a `Contest`, by the same kinds of splits and judged by the same procedures.
    Experiments of a block share their splits, which changes no rate, since items are drawn
    independently. Both learners of a split have one seed, as in a run.
    """

    source: Source
    first: Make
    second: Make
    n: int = 200
    loss: Loss = "0/1"
    names: tuple[str, str] | None = None
    """What the learners are called where one of them fails."""
    fitted: Callable[[], object] | None = None
    """Called after each fit: it may count, or raise to stop."""
    block: ClassVar[int] = 4

    @property
    def name(self) -> str:
        return f"{self.source.name}, n = {self.n}"

    def draw(
        self,
        readings: Sequence[Reading],
        n_reps: int,
        seed: np.random.SeedSequence,
        effect: float = 0.0,
    ) -> dict[Reading, ScenarioView]:
        """Draw datasets, fit both learners on every split of the largest design of a family."""
        return views_of(self, readings, self.datasets(n_reps, seed), seed, effect)

    def datasets(self, n_reps: int, seed: np.random.SeedSequence) -> list[Dataset]:
        return [self.source.draw(self.n, stream(seed, SAMPLE, at)) for at in range(n_reps)]

    def outcomes(
        self, data: Sequence[Dataset], folds: FoldLabels, seed: np.random.SeedSequence
    ) -> FoldOutcomes:
        """Return the losses of both learners, of items or of folds."""
        rows = list(_rows(folds))
        b, n = folds.labels.shape[1:]
        of_items = self.loss != "AUC"
        shape = (2, len(data), b, n if of_items else folds.n_folds)
        kind: Any = np.bool_ if self.loss == "0/1" else np.float64
        found: Losses = np.zeros(shape, dtype=kind)
        for at, one in enumerate(data):
            seeds = stream(seed, LEARNER, at).integers(1 << 31, size=len(rows)).tolist()
            for side, X in enumerate(_both(one)):
                y, here = np.asarray(one.y), found[side, at]
                for drawn, (row, fold, train, test) in zip(seeds, rows, strict=True):
                    lost = self._lost(side, drawn, X, y, train, test)
                    here[row, test if of_items else fold] = lost
        return FoldOutcomes(folds, found[0], found[1], of_items)

    def truth(self, sizes: Sequence[int], n_datasets: int, random_state: int) -> dict[int, Mean]:
        """Return by training size how much better the first is in the pool that is drawn from."""
        found = self.pool_losses(sizes, n_datasets, random_state)
        return {size: mean_of(at[:, 1] - at[:, 0]) for size, at in zip(sizes, found, strict=True)}

    def pool_losses(
        self,
        sizes: Sequence[int],
        n_datasets: int,
        random_state: int,
        until: float | None = None,
    ) -> Array:
        """Return the mean loss of both learners: sizes × datasets × 2.

        Models trained on random items of the pool are tested on all others, or 5,000 of them.
        After `until` (`time.monotonic`) no dataset follows the second.
        """
        pool = self.source
        if not isinstance(pool, Pool):
            raise DataError("The truth is measured in a pool of items; pass a contest on a Pool")
        found, y = np.empty((len(sizes), n_datasets, 2)), np.asarray(pool.y)
        for at in range(n_datasets):
            if at >= 2 and until is not None and time.monotonic() > until:
                return found[:, :at]
            rng = np.random.default_rng(np.random.SeedSequence(random_state, spawn_key=(at,)))
            order, drawn = rng.permutation(pool.n), int(rng.integers(1 << 31))
            test = order[max(sizes) :][:TESTED]
            for row, size in enumerate(sizes):
                for side in (0, 1):
                    lost = self._lost(side, drawn, pool.X, y, order[:size], test)
                    found[row, at, side] = np.mean(lost)
        return found

    def _lost(self, side: int, seed: int, X: Any, y: Any, train: Rows, test: Rows) -> Losses:
        """Fit the first or the second learner and return what it lost; say which one failed."""
        make = (self.first, self.second)[side]
        try:
            model = make(seed, len(train)).fit(take_rows(X, train), y[train])
            lost = losses(self.loss, model, take_rows(X, test), y[test])
        except Exception as error:
            if self.names is not None:
                error.add_note(f"Learner: {self.names[side]}")
            raise
        if self.fitted is not None:
            self.fitted()
        return lost


def _both(data: Dataset) -> tuple[Any, Any]:
    """Return what each learner sees of the items."""
    return data.X, data.X if data.X_second is None else data.X_second


def losses(loss: Loss, model: Any, X: Any, y: Any) -> Losses:
    """Return the loss of each item, or one for all of them where the metric is AUC."""
    if loss in BY_ITEM:
        metric = BY_ITEM[loss]
        lost = metric.compare(model.predict(X), metric.truth(np.asarray(y)))[1]
        return np.asarray(lost)
    if loss == "log":
        # A class that was not in the training set has no column: its chance is 0, clipped.
        is_class = np.asarray(y)[:, None] == np.asarray(model.classes_)[None]
        chance = np.where(is_class, _chances(model, X), 0.0).sum(axis=1)
        return np.asarray(-np.log(np.clip(chance, LEAST, 1)), dtype=np.float64)
    if len(model.classes_) == 1:  # trained on one class: every item ranks the same
        return np.asarray(1 - area(np.zeros((1, len(y))), (y == model.classes_[0])[None])[0])
    ranked = model.predict_proba(X)[:, 1] if hasattr(model, "predict_proba") else None
    ranked = model.decision_function(X) if ranked is None else ranked
    return np.asarray(1 - area(ranked[None], (y == model.classes_[1])[None])[0])


def _chances(model: Any, X: Any) -> Array:
    """Return the probabilities of all classes, refusing what is none."""
    given = np.asarray(model.predict_proba(X))
    if given.shape != (len(X), len(model.classes_)) or not np.isfinite(given).all():
        raise DataError(
            "predict_proba must return a finite number for each test item and class, got shape "
            f"{given.shape} for {len(X)} items and {len(model.classes_)} classes"
        )
    return given


def _rows(folds: FoldLabels) -> Iterator[tuple[int, int, Rows, Rows]]:
    """Yield each split: cross-validation, fold, and the rows to train and to test on."""
    for row, labels in enumerate(folds.labels[0]):
        for fold in range(folds.n_folds):
            test = labels == fold
            yield row, fold, np.flatnonzero((labels >= 0) & ~test), np.flatnonzero(test)
