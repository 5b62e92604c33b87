"""What learners really do: their errors on fresh items.

Implements D-47, N-05 and R-24.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np

from outperform.designs.splitting import whole
from outperform.engine.meaning import same_text
from outperform.errors import DataError
from outperform.lab.scenarios import SAMPLE, Dataset, Source, stream, take_rows
from outperform.lab.tested import Mean, mean_of
from outperform.numerics.exact_sums import Array

Keep = Callable[[str, Callable[[], Array]], Array]
"""Asked for part of the work by its name: returns what it kept, or computes and keeps it."""
PART = 1000
"""Fits in a part: what is lost, at most, when work that is kept is killed."""


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
    """Estimate the accuracy of the first learner minus that of the second at a training size.

    Parameters
    ----------
    source : Source
        Where items come from.
    first : learner
        The first learner.
    second : learner
        The second learner.
    n_train : int
        Number of training items.
    n_test : int or Dataset, default=10000
        Test items, or their number.
    n_datasets : int, default=100
        Number of datasets.
    random_state : int, default=0
        Seed.
    n_jobs : int, optional
        Number of workers; -1 uses all cores. It does not change the result.

    Returns
    -------
    Mean
        Mean over datasets and its standard error.

    Examples
    --------
    >>> import outperform as op
    >>> from reproduction.learner_errors import true_difference
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> source, learners = op.lab.SixClasses(), (GaussianNB(), DummyClassifier())
    >>> true_difference(source, *learners, n_train=50, n_test=200, n_datasets=3).mean > 0
    True
    """
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
    """Return the error rate of each learner on datasets of several sizes.

    Parameters
    ----------
    source : Source
        Where items come from.
    learners : sequence of learner
        The learners.
    sizes : sequence of int
        Training sizes.
    test : int or Dataset
        Test items, or their number.
    n_datasets : int
        Number of datasets.
    random_state : int
        Seed.
    largest : int, optional
        Training items to draw; by default the largest of `sizes`.
    n_jobs : int, optional
        Number of workers; -1 uses all cores. It does not change the result.
    keep : callable, optional
        Called with a name and a function for each part that is measured; it can keep the part on
        disk.

    Returns
    -------
    ndarray of shape (datasets, sizes, learners)
        The error rates.

    Examples
    --------
    >>> import outperform as op
    >>> from reproduction.learner_errors import learner_errors
    >>> from sklearn.dummy import DummyClassifier
    >>> learner_errors(
    ...     op.lab.SixClasses(), [DummyClassifier()], sizes=(20, 40), test=100, n_datasets=2,
    ...     random_state=0,
    ... ).shape
    (2, 2, 1)
    """
    whole(n_datasets, "n_datasets", 2)
    if len(sizes) == 0 or len(learners) == 0:
        raise DataError("At least one training size and one learner must be passed.")
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
