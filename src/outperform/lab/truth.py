"""What learners really do: their errors after training on many datasets, on fresh test items."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np

from ..designs.splitting import whole
from ..engine.identity import same_text
from ..errors import DataError
from ..numerics.exact_sums import Array
from .scenarios import SAMPLE, Dataset, Source, stream, take_rows

__all__ = ["Keep", "Mean", "learner_errors", "mean_of", "true_difference"]

Keep = Callable[[str, Callable[[], Array]], Array]
"""Asked for part of the work by its name: returns what it kept, or computes and keeps it."""
PART = 1000
"""Fits in a part: what is lost, at most, when work that is kept is killed."""


class Mean(NamedTuple):
    """A mean over datasets and its standard error."""

    mean: float
    stderr: float


def true_difference(
    source: Source,
    first: Any,
    second: Any,
    *,
    n_train: int,
    n_test: int | Dataset = 10_000,
    n_datasets: int = 100,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Mean:
    """Estimate accuracy of the first minus that of the second at a training size (R-01, R-24)."""
    errors = learner_errors(
        source,
        [first, second],
        sizes=(n_train,),
        test=n_test,
        n_datasets=n_datasets,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    return mean_of(errors[:, 0, 1] - errors[:, 0, 0])


def mean_of(values: Array) -> Mean:
    """Return the mean over datasets with its standard error."""
    return Mean(float(values.mean()), float(values.std(ddof=1) / np.sqrt(values.size)))


def learner_errors(
    source: Source,
    learners: Sequence[Any],
    *,
    sizes: Sequence[int],
    test: int | Dataset,
    n_datasets: int,
    random_state: int,
    largest: int | None = None,
    n_jobs: int | None = None,
    keep: Keep | None = None,
) -> Array:
    """Return the error rate of each learner: datasets × sizes × learners (D-47).

    A dataset's training sets of several sizes are nested random subsets of it, and of the `largest`
    that will be asked of it. Items to test on
    are drawn with it (from a pool: items that are not in it), or given. Datasets, and the seeds of
    learners that draw, belong to their number. With `keep` the work is done in parts, each named
    by its learners, sizes and datasets; source, test and seed are the caller's to know.
    """
    whole(n_datasets, "n_datasets", 2)
    if len(sizes) == 0 or len(learners) == 0:
        raise DataError(
            "no training size, or no learner, was given; at least one of each is needed"
        )
    chosen = [whole(size, "a training size", 1) for size in sizes]
    work = _ErrorRuns(
        source, tuple(learners), tuple(chosen), largest or max(chosen), test, random_state
    )
    if keep is None:
        return work.over(range(n_datasets), n_jobs)
    each = max(PART // (len(learners) * len(chosen)), 1)
    parts = [range(at, min(at + each, n_datasets)) for at in range(0, n_datasets, each)]
    return np.concatenate([keep(work.name(p), partial(work.over, p, n_jobs)) for p in parts])


class _ErrorRuns(NamedTuple):
    source: Source
    learners: tuple[Any, ...]
    sizes: tuple[int, ...]
    largest: int
    test: int | Dataset
    random_state: int

    def name(self, numbers: range) -> str:
        """Return a short name of the learners, sizes and datasets of a part."""
        about = [list(map(same_text, self.learners)), self.sizes, self.largest, numbers]
        return sha256(repr(about).encode()).hexdigest()[:16]

    def over(self, numbers: range, n_jobs: int | None) -> Array:
        """Return datasets × sizes × learners."""
        if n_jobs in (None, 1):
            return np.array([self(number) for number in numbers])
        from joblib import Parallel, delayed

        return np.array(Parallel(n_jobs=n_jobs)(delayed(self)(number) for number in numbers))

    def __call__(self, number: int) -> Array:
        """Return sizes × learners for one dataset."""
        seed = np.random.SeedSequence(self.random_state, spawn_key=(number,))
        extra = 0 if isinstance(self.test, Dataset) else self.test
        data = self.source.draw(self.largest + extra, stream(seed, SAMPLE))
        fresh = np.arange(self.largest, self.largest + extra)
        test = self.test if isinstance(self.test, Dataset) else _rows(data, fresh)
        own = int(seed.generate_state(1)[0])
        found = np.empty((len(self.sizes), len(self.learners)))
        for row, size in enumerate(self.sizes):
            train = _rows(data, np.arange(size))
            for column, learner in enumerate(self.learners):
                model = _seeded(learner, own).fit(train.X, train.y)
                found[row, column] = np.mean(np.asarray(model.predict(test.X)) != test.y)
        return found


def _rows(data: Dataset, rows: Any) -> Dataset:
    return Dataset(take_rows(data.X, rows), np.asarray(take_rows(data.y, rows)))


def _seeded(learner: Any, seed: int) -> Any:
    """Return a fresh copy whose unset random states are set."""
    from sklearn.base import clone

    model = clone(learner)
    unset: dict[str, Any] = {
        name: seed
        for name, value in model.get_params().items()
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    }
    return model.set_params(**unset) if unset else model
