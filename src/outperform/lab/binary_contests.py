"""Naive Bayes against C4.5 on binary data, millions of fits: Bouckaert & Frank's simulation (R-24).

The answers are those of `NaiveBayes` and `C45`; kernels that count bits fit all splits of a dataset
in one call. C4.5 needs the extra `lab` (numba) here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ..designs import Design, KFold, RepeatedKFold, Resampled
from ..errors import DataError, MethodError
from ..splitting import whole
from ..sums import Array
from ..views import Differences
from .networks import BayesianNetwork
from .scenarios import SAMPLE, Reading, View, stream

__all__ = ["BinaryContest"]

Masks = npt.NDArray[np.bool_]
Orders = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class BinaryContest:
    """Datasets of a Bayesian network on which naive Bayes (first) meets C4.5 (second).

    With `repeated`, so many consecutive experiments are the same dataset with new random
    partitions: repetitions of a test (R-03).
    """

    network: BayesianNetwork
    n: int = 300
    repeated: int = 1
    block: ClassVar[int] = 100

    def __post_init__(self) -> None:
        whole(self.n, "n", 10)
        if self.block % whole(self.repeated, "repeated", 1):
            raise DataError(
                f"repeated={self.repeated} was given; a divisor of {self.block} is needed, such "
                "as 10"
            )

    @property
    def name(self) -> str:
        return f"naive Bayes v C4.5, {self.network.name}"

    def draw(
        self,
        readings: Sequence[Reading],
        n_reps: int,
        seed: np.random.SeedSequence,
        effect: float = 0.0,
    ) -> dict[Reading, View]:
        """Draw datasets and fit both learners on every split of every design."""
        if effect:
            raise DataError("the network settles the difference; effect=0 is needed")
        parts: dict[Reading, list[tuple[Array, Array]]] = {asked: [] for asked in readings}
        for number in range(-(-n_reps // self.repeated)):
            data = self.network.draw(self.n, stream(seed, SAMPLE, number))
            X, y = np.asarray(data.X, dtype=bool), np.asarray(data.y, dtype=bool)
            for asked in readings:
                rng = stream(seed, asked.key, number)
                test, shape = _tests(asked, y, self.repeated, rng)
                scores = _scores(X, y, test)
                parts[asked].append((scores[0].reshape(shape), scores[1].reshape(shape)))
        return {asked: self._view(asked, found, n_reps) for asked, found in parts.items()}

    def _view(self, asked: Reading, found: list[tuple[Array, Array]], n_reps: int) -> Differences:
        first, second = (np.concatenate(side)[:n_reps] for side in zip(*found, strict=True))
        sizes = asked.design.sizes(self.n)
        ratio = float(sizes.n_test.sum() / sizes.n_train.sum())
        return Differences(
            first - second, first, second, test_train_ratio=ratio, n_test=float(sizes.n_test.min())
        )


def _scores(X: Masks, y: Masks, test: Masks) -> tuple[Array, Array]:
    """Return the accuracies of both learners on each split."""
    from ..learners.binary_bayes import count_errors
    from ..learners.c45_bits import binary_tree_errors, packed

    train = ~test
    bayes = count_errors(X[None], y[None], train, test)[0]
    trees = binary_tree_errors(
        packed(X.T)[None], packed(y)[None], packed(train)[None], packed(test)[None]
    )[0]
    n_test = np.count_nonzero(test, axis=1)
    return 1 - bayes / n_test, 1 - trees / n_test


def _tests(
    asked: Reading, y: Masks, repeated: int, rng: np.random.Generator
) -> tuple[Masks, tuple[int, ...]]:
    """Return the test items of every split, and the shape (repeated, 1, repeats, folds)."""
    design, n = asked.design, y.size
    if asked.view is not Differences:
        raise MethodError(
            f"{asked} was asked; this contest draws differences of splits; "
            "use for example ('corrected_t', '10x10cv')"
        )
    if design.grouped or (isinstance(design, Resampled) and design.stratified):
        raise MethodError(f"{design} was asked; groups and stratified resamples are not drawn here")
    if isinstance(design, Resampled) and design.train is None:
        order = _orders(y, repeated * design.repeats, rng, stratified=False)
        n_test = int(design.sizes(n).n_test[0])
        test = np.zeros(order.shape, dtype=bool)
        np.put_along_axis(test, order[:, :n_test], True, axis=1)
        return test, (repeated, 1, design.repeats, 1)
    repeats, folds = _cross_validated(design)
    order = _orders(y, repeated * repeats, rng, stratified=design.stratified)
    fold = np.empty(order.shape, dtype=np.int64)
    places = np.arange(n) % folds  # with stratification neighbours are of one class
    np.put_along_axis(fold, order, np.broadcast_to(places, order.shape), axis=1)
    test = fold[:, None, :] == np.arange(folds)[None, :, None]
    return test.reshape(-1, n), (repeated, 1, repeats, folds)


def _cross_validated(design: Design) -> tuple[int, int]:
    if isinstance(design, RepeatedKFold):
        return design.repeats, design.folds
    if isinstance(design, KFold):
        return 1, design.folds
    raise MethodError(
        f"{design} was asked of a binary contest; use cross-validation or '100xresampled@1/10'"
    )


def _orders(y: Masks, count: int, rng: np.random.Generator, *, stratified: bool) -> Orders:
    """Return so many random orders of the items; with stratification class after class."""
    keys = rng.random((count, y.size))
    if stratified:
        keys += y
    return np.argsort(keys, axis=1).astype(np.int64, copy=False)
