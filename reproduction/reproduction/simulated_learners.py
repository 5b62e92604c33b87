"""Learners simulated item by item, and the profile of errors that a real one has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from outperform import validation
from outperform.designs import (
    CalibratedKFold,
    Design,
    DisjointTrainSets,
    Holdout,
    LeaveOneOut,
    PairedHalves,
    Partitions,
)
from outperform.designs.splitting import whole
from outperform.errors import DataError, MethodError
from outperform.lab.populations import Generator
from outperform.lab.scenarios import SAMPLE, Reading, ScenarioView, stream, take_rows
from outperform.numerics.exact_sums import Array
from outperform.views import Contingency, Crossed, Differences, ItemDifferences


@dataclass(frozen=True, eq=False, slots=True)
class SimulatedLearners:
    """Two learners that err on each point of a population with given probabilities.

    Attributes
    ----------
    first : array-like
        Probability ε_A(x) that the first learner errs on each point.
    second : array-like
        Probability ε_B(x) that the second learner errs.
    n : int
        Number of points of a sample, which are drawn with replacement.
    beta : float
        Largest random change of the error rates: in designs of `beta_in` a number uniform on
        [−beta, beta] is added to those of both learners for each training set.
    beta_in : tuple of str
        Kinds of designs in which training sets change the error rates, such as "kfold".
    name : str
        A few words for tables.
    block : int
        Number of experiments that are drawn with one seed.

    Examples
    --------
    >>> import numpy as np
    >>> import outperform as op
    >>> from reproduction.simulated_learners import SimulatedLearners
    >>> scenario = SimulatedLearners([0.1, 0.3, 0.2], [0.2, 0.2, 0.2], n=30)
    >>> read = op.lab.reading("corrected_t", "5cv")
    >>> scenario.draw([read], 2, np.random.SeedSequence(0))[read].values.shape
    (2, 1, 1, 5)
    """

    first: Array
    second: Array
    n: int = 300
    beta: float = 0.0
    beta_in: tuple[str, ...] = ("kfold",)
    name: str = "simulated learners"
    block: ClassVar[int] = 512

    def __post_init__(self) -> None:
        whole(self.n, "n", 2)
        for side in ("first", "second"):
            rates = validation.numbers(getattr(self, side), side)
            if rates.ndim != 1 or not ((self.beta <= rates) & (rates <= 1 - self.beta)).all():
                raise DataError(
                    f"{side} must contain one error probability for each point, within [0, 1] "
                    f"even if β of up to {self.beta:g} is added"
                )
            object.__setattr__(self, side, rates)
        if len(self.first) != len(self.second):
            raise DataError(
                f"Both learners must have the same population, got {len(self.first)} points for "
                f"the first and {len(self.second)} for the second."
            )

    @property
    def delta(self) -> float:
        """The true difference of accuracies at effect 0."""
        return float(self.second.mean() - self.first.mean())

    @property
    def null_at_zero(self) -> bool:
        """Whether an effect of 0 is a true null hypothesis."""
        return self.delta == 0

    def draw(
        self,
        readings: Sequence[Reading],
        n_reps: int,
        seed: np.random.SeedSequence,
        effect: float = 0.0,
    ) -> dict[Reading, ScenarioView]:
        """Draw samples, split them and classify each test point at random.

        Parameters
        ----------
        readings : sequence of Reading
            What methods read, as `reading` returns it.
        n_reps : int
            Number of experiments.
        seed : numpy.random.SeedSequence
            Seed of the block.
        effect : float, default=0.0
            Added to the true difference of accuracies, which is `delta` at effect 0.

        Returns
        -------
        dict
            The view of each reading.
        """
        points = stream(seed, SAMPLE).integers(0, len(self.first), (n_reps, self.n))
        rates = np.stack([self.first[points] - effect / 2, self.second[points] + effect / 2])
        return {asked: self._view(asked, rates, stream(seed, asked.key)) for asked in readings}

    def _view(self, asked: Reading, rates: Array, rng: Generator) -> ScenarioView:
        design = asked.design
        kind = design.of.kind if isinstance(design, Partitions) else design.kind
        if isinstance(design, PairedHalves | CalibratedKFold) or (
            asked.view is ItemDifferences and design.kind == "kfold"
        ):
            raise MethodError(
                f"{asked} is not available for simulated learners, which draw splits, test items "
                "and disjoint training sets; use for example reading('corrected_t')"
            )
        tests = _tests(design, rates.shape[1], self.n, rng)
        if isinstance(design, DisjointTrainSets):
            test = next(tests)
            wrong = [self._wrong(rates, test, kind, rng) for _ in range(design.sets)]
            values = np.stack([b.astype(np.float64) - a for a, b in wrong], axis=1)
            return Crossed(values, np.ones(len(values)))
        if isinstance(design, Holdout | LeaveOneOut) and asked.view is not Differences:
            a, b = self._wrong(rates, next(tests), kind, rng)
            if asked.view is ItemDifferences:
                values = (b.astype(np.float64) - a)[:, None, None, :]
                return ItemDifferences(values, values, n_test=float(a.shape[1]))
            cells = (a & b, a & ~b, ~a & b, ~a & ~b)
            return Contingency(*(cell.sum(axis=1).astype(np.float64) for cell in cells))
        accuracies = [
            [1 - side.mean(axis=1) for side in self._wrong(rates, test, kind, rng)]
            for test in tests
        ]
        first, second = (
            np.stack([pair[side] for pair in accuracies], axis=1).reshape(-1, *(design.shape or ()))
            for side in (0, 1)
        )
        sizes = design.sizes(self.n)
        return Differences(
            first - second,
            first,
            second,
            test_train_ratio=float(sizes.n_test.sum() / sizes.n_train.sum()),
            n_test=float(sizes.n_test.min()),
        )

    def _wrong(
        self, rates: Array, test: npt.NDArray[np.intp], kind: str, rng: Generator
    ) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Classify the test points of each experiment by chance."""
        shift: Any = 0.0
        if self.beta and kind in self.beta_in:
            shift = rng.uniform(-self.beta, self.beta, (len(test), 1))
        first, second = (
            rng.random(test.shape) < np.take_along_axis(side, test, axis=1) + shift
            for side in rates
        )
        return first, second


def error_profile(
    learner: Any, X: Any, y: Any, *, n_train: int, n_sets: int, random_state: int
) -> Array:
    """Estimate how often a learner errs on each point, over random training sets.

    A point is judged by the training sets that do not contain it.

    Parameters
    ----------
    learner : learner
        The classifier.
    X : array-like, sparse matrix or data frame
        Features, one row for each item.
    y : array-like
        Classes.
    n_train : int
        Number of training items.
    n_sets : int
        Number of training sets.
    random_state : int
        Seed.

    Returns
    -------
    ndarray
        Error rate ε(x) of each point.

    Notes
    -----
    Sorted, it is Figure 3 of Dietterich (1998).

    Examples
    --------
    >>> import numpy as np
    >>> import outperform as op
    >>> from sklearn.dummy import DummyClassifier
    >>> y = np.array([0] * 15 + [1] * 5)
    >>> from reproduction.simulated_learners import error_profile
    >>> found = error_profile(
    ...     DummyClassifier(), y[:, None], y, n_train=10, n_sets=20, random_state=0
    ... )
    >>> found[[0, -1]]
    array([0., 1.])
    """
    from sklearn.base import clone

    labels = np.asarray(y)
    if not 1 <= whole(n_train, "n_train", 1) < len(labels):
        raise DataError(
            f"n_train={n_train} of {len(labels)} points leaves none for testing; use fewer."
        )
    wrong, judged = np.zeros(len(labels)), np.zeros(len(labels))
    for number in range(whole(n_sets, "n_sets", 1)):
        seed = np.random.SeedSequence(random_state, spawn_key=(number,))
        rows = stream(seed, SAMPLE).permutation(len(labels))
        train, rest = np.sort(rows[:n_train]), np.sort(rows[n_train:])
        model = clone(learner)
        if "random_state" in model.get_params():
            model.set_params(random_state=int(seed.generate_state(1)[0]))
        model.fit(take_rows(X, train), labels[train])
        wrong[rest] += np.asarray(model.predict(take_rows(X, rest))) != labels[rest]
        judged[rest] += 1
    if (judged == 0).any():
        raise DataError(
            f"{int((judged == 0).sum())} points were in every training set; draw more sets, such "
            f"as n_sets={2 * n_sets}"
        )
    return np.asarray(wrong / judged)


def _tests(design: Design, n_reps: int, n: int, rng: Generator) -> Iterator[npt.NDArray[np.intp]]:
    """Yield the test positions of each split, one row per experiment, in order of addresses."""
    if isinstance(design, LeaveOneOut):
        yield np.tile(np.arange(n), (n_reps, 1))
        return
    partitions, repeats, folds = design.shape or (1, 1, 1)
    n_test = design.sizes(n).n_test.reshape(partitions, repeats, folds)
    for run in n_test.reshape(-1, folds):
        order = rng.random((n_reps, n)).argsort(axis=1)
        for start, size in zip(np.cumsum(run) - run, run, strict=True):
            yield order[:, start : start + size]
