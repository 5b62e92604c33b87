"""Contests of any learners, fitted on the rows of each split without the engine's records."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from ..designs.splitting import whole
from ..engine.environment import silent
from ..engine.scoring import QUICK, Metric, bind, kind_of
from ..errors import DataError, argument, did_you_mean
from ..numerics.exact_sums import Array
from .fold_labels import FoldLabels
from .fold_views import FoldOutcomes, Loss, Losses, area, refuse_one_class
from .scenarios import SAMPLE, Dataset, Pool, Source, stream, take_rows

if TYPE_CHECKING:
    from ..engine.estimators import Estimator

Rows: TypeAlias = npt.NDArray[np.intp]
Make: TypeAlias = Callable[[int, int], Any]
"""Returns an unfitted learner, of a seed and of the number of items that it will be trained on."""
LEARNER = 1
"""The stream of the seeds of learners."""
LOSSES: dict[str, Loss] = {
    "accuracy": "0/1",
    "neg_log_loss": "log",
    "roc_auc": "AUC",
    "neg_mean_squared_error": "squared",
}
BY_ITEM = {loss: Metric(name, *QUICK[name]) for name, loss in LOSSES.items() if name in QUICK}
"""What a run measures for each item."""
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
    after_fit: Callable[[float], object] | None = None
    """Called with the seconds that a fit took: it may count, or raise to stop."""
    block: ClassVar[int] = 4

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
        pool: Any = self.source
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
        tested = y[test]
        if self.loss == "AUC":
            refuse_one_class((tested == tested[0])[None])
        began = time.monotonic()
        try:
            with silent():
                model = make(seed, len(train)).fit(take_rows(X, train), y[train])
                took = time.monotonic() - began
                lost = losses(self.loss, model, take_rows(X, test), tested)
        except Exception as error:
            if len({*y[train].tolist()}) == 1 and self.loss != "squared":
                who = "a learner" if self.names is None else repr(self.names[side])
                raise DataError(
                    f"A training set has items of one class only, on which {who} failed ({error}). "
                    "Use larger datasets (a larger n)"
                ) from error
            if self.names is not None:
                error.add_note(f"Learner: {self.names[side]}")
            raise
        if self.after_fit is not None:
            self.after_fit(took)
        return lost


def _both(data: Dataset) -> tuple[Any, Any]:
    """Return what each learner sees of the items."""
    return data.X, data.X if data.X_second is None else data.X_second


def losses(loss: Loss, model: Any, X: Any, y: Any) -> Losses:
    """Return the loss of each item, or one for all of them where the metric is AUC."""
    y = np.asarray(y)
    if loss in BY_ITEM:
        metric = replace(BY_ITEM[loss], classes=np.unique(y))
        return np.asarray(metric.measure(model, X, y, metric.truth(y))[1])
    of_two = len(model.classes_) == 2  # trained on one class: every item ranks the same
    ranked = _ranks(model, X, len(y)) if of_two else np.zeros(len(y))
    return np.asarray(1 - area(ranked[None], (y == model.classes_[-1])[None])[0])


def _ranks(model: Any, X: Any, n: int) -> Array:
    """Return what a model of two classes ranks items by, refusing what is no finite number."""
    of_items = hasattr(model, "decision_function")
    asked = "decision_function" if of_items else "predict_proba"  # the order of scikit-learn
    given = np.asarray(getattr(model, asked)(X))
    is_number = given.dtype.kind in "biuf" and np.isfinite(given).all()
    if not is_number or given.shape != ((n,) if of_items else (n, 2)):
        wanted = "one finite number" if of_items else "two finite numbers"
        raise DataError(
            f"{asked} returned an array of {given.dtype} with shape {given.shape}; roc_auc needs "
            f"{wanted} for each of {n} test items"
        )
    return given if of_items else given[:, 1]


def _rows(folds: FoldLabels) -> Iterator[tuple[int, int, Rows, Rows]]:
    """Yield each split: cross-validation, fold, and the rows to train and to test on."""
    for row, labels in enumerate(folds.labels[0]):
        for fold in range(folds.n_folds):
            test = labels == fold
            yield row, fold, np.flatnonzero((labels >= 0) & ~test), np.flatnonzero(test)


def own_contest(
    learners: Mapping[str, Any], X: Any, y: Any, scoring: str | None, n: int | None
) -> tuple[FittedContest, tuple[str, str]]:
    """Return the contest of two learners on datasets of n of these items, and their names."""
    from ..engine.estimators import read_learners
    from ..engine.learning_data import named_columns, read_data

    read = read_learners(learners)
    if len(read) != 2:
        raise DataError(
            f"A certificate needs exactly two learners, got {len(read)}. Pass two by name, as in "
            '{"tree": tree, "bayes": bayes}'
        )
    first, second = read
    X, y, *_ = named_columns(X, y, None)
    data = read_data(X, y, None)
    if data.y.ndim > 1:
        raise DataError(
            f"y has {data.y.shape[1]} columns, but a certificate needs one target for each item. "
            "Pass one column at a time"
        )
    pool = Pool(data.table, data.y, name=f"{first.name} vs. {second.name}")
    loss = _loss({one.name: one.prototype for one in read}, data.y, scoring)
    if pool.n < 20:
        raise DataError(f"At least 20 items are needed for a certificate, got {pool.n}")
    usual = max(10, min(300, pool.n // 3))
    size = usual if n is None else whole(n, "n", 10)
    if not 10 <= size <= pool.n // 2:
        raise DataError(
            f"The dataset size must be between 10 and half of the {pool.n} items, so that items "
            f"remain for testing, got {size}. Pass {argument(n=usual)}"
        )
    names = (first.name, second.name)
    made = partial(_fresh, first), partial(_fresh, second)
    return FittedContest(pool, *made, n=size, loss=loss, names=names), names


def _loss(learners: Mapping[str, Any], y: Any, scoring: Any) -> Loss:
    """Return what learners are compared by: as a run would, of what can be certified."""
    if not (scoring is None or isinstance(scoring, str)):
        raise DataError(
            f"The 'scoring' parameter must be one of {', '.join(map(repr, LOSSES))} here, got "
            f"{type(scoring).__name__}."
        )
    if scoring is not None and scoring not in LOSSES:
        raise DataError(f"Unknown scoring {scoring!r} here; {did_you_mean(scoring, tuple(LOSSES))}")
    for name, learner in learners.items():
        if scoring and LOSSES[scoring] != "squared" and kind_of(learner) == "regressor":
            raise DataError(
                f"{name!r} is a regressor, but {scoring!r} needs classifiers; use "
                f"{argument(scoring='neg_mean_squared_error')}"
            )
    # Of single items: where a run would take r2, squared errors are taken.
    loss = LOSSES[bind(scoring, learners, y, 1)[0].name]
    if loss == "squared":
        return loss
    k = np.unique(y).size
    if k < 2:
        raise DataError(f"y must have at least two classes, got {k}.")
    if loss == "AUC" and k != 2:
        raise DataError(
            f"roc_auc needs exactly two classes in y, got {k}. Use "
            f"{argument(scoring='neg_log_loss')}"
        )
    return loss


def _fresh(learner: Estimator, seed: int, n: int) -> Any:
    """Return a clone with a seed, to which draws from the global generators belong, too."""
    np.random.seed(seed)  # noqa: NPY002
    random.seed(seed)
    return learner.fresh(seed)
