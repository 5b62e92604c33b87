"""Scores drawn from a model: learners that err by chance, and differences that are normal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from .. import validation
from ..designs import Design, DisjointTrainSets, Holdout, LeaveOneOut, PairedHalves, Partitions
from ..designs.splitting import whole
from ..errors import DataError, MethodError
from ..numerics.exact_sums import Array
from ..views import Contingency, Crossed, Differences, ItemDifferences
from .scenarios import SAMPLE, Reading, ScenarioView, stream

__all__ = ["CorrelatedNormal", "SimulatedLearners", "error_profile"]

Generator = np.random.Generator


@dataclass(frozen=True, eq=False, slots=True)
class SimulatedLearners:
    """Two learners that err on point x of a population with probability ε_A(x) and ε_B(x).

    A sample is n points drawn with replacement, and every split classifies its test points anew,
    item by item (D-34). β is as in `DesignedPopulation`, whose slow twin this is: any
    probabilities, measured ones too (`error_profile`), at the cost of its items.
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
                    f"{side} must hold one error probability for each point, within [0, 1] though "
                    f"β of up to {self.beta:g} be added"
                )
            object.__setattr__(self, side, rates)
        if len(self.first) != len(self.second):
            raise DataError(
                f"first has {len(self.first)} points and second {len(self.second)}; both learners "
                "need the same population"
            )

    @property
    def delta(self) -> float:
        """The true difference of accuracies, at effect 0."""
        return float(self.second.mean() - self.first.mean())

    @property
    def null_at_zero(self) -> bool:
        return self.delta == 0

    def draw(
        self,
        readings: Sequence[Reading],
        n_reps: int,
        seed: np.random.SeedSequence,
        effect: float = 0.0,
    ) -> dict[Reading, ScenarioView]:
        """Draw samples, split them and classify each test point by chance.

        `effect` is taken off ε_A and put on ε_B by halves, as far as [0, 1] allows.
        """
        points = stream(seed, SAMPLE).integers(0, len(self.first), (n_reps, self.n))
        rates = np.stack([self.first[points] - effect / 2, self.second[points] + effect / 2])
        return {asked: self._view(asked, rates, stream(seed, asked.key)) for asked in readings}

    def _view(self, asked: Reading, rates: Array, rng: Generator) -> ScenarioView:
        design = asked.design
        kind = design.of.kind if isinstance(design, Partitions) else design.kind
        if isinstance(design, PairedHalves) or (
            asked.view is ItemDifferences and design.kind == "kfold"
        ):
            raise MethodError(
                f"{asked} was asked of simulated learners, which draw splits, test items and "
                "disjoint training sets; use for example reading('corrected_t')"
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
    """Estimate ε(x): how often a learner errs on each point, over random training sets (D-32).

    A point is judged by the training sets that do not hold it. Sort the answer for Figure 3 (D-33).
    """
    from sklearn.base import clone

    from .scenarios import take_rows

    labels = np.asarray(y)
    if not 1 <= whole(n_train, "n_train", 1) < len(labels):
        raise DataError(
            f"n_train={n_train} of {len(labels)} points leaves none to judge; ask fewer"
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


@dataclass(frozen=True, slots=True)
class CorrelatedNormal:
    """Differences of splits that are normal with mean `effect`, variance σ² and correlation ρ.

    ρ holds between any two splits, or `rho_within` between the folds of one repeat. Lemma 1 and
    equations (5) to (7) of the paper need no more than this (N-08, N-16, N-17); with ρ = 0 it is
    the ideal of the 5x2cv test (E-D5).
    """

    rho: float = 0.0
    sigma: float = 0.05
    rho_within: float | None = None
    n: int = 300
    """Items, for the sizes of training and test sets."""
    block: ClassVar[int] = 8192

    def __post_init__(self) -> None:
        whole(self.n, "n", 2)
        within = self.rho if self.rho_within is None else self.rho_within
        if not (0 <= self.rho <= within <= 1 and self.sigma > 0):
            raise DataError(
                f"rho={self.rho:g}, rho_within={within:g} and sigma={self.sigma:g} were given; "
                "0 ≤ rho ≤ rho_within ≤ 1 and sigma > 0 are needed"
            )

    @property
    def null_at_zero(self) -> bool:
        return True

    @property
    def name(self) -> str:
        return f"normal differences, ρ = {self.rho:g}"

    def draw(
        self,
        readings: Sequence[Reading],
        n_reps: int,
        seed: np.random.SeedSequence,
        effect: float = 0.0,
    ) -> dict[Reading, ScenarioView]:
        """Draw experiments: what their splits share is the same for every design."""
        shared = stream(seed, SAMPLE).standard_normal((n_reps, 1, 1, 1))
        found: dict[Reading, ScenarioView] = {}
        for asked in readings:
            shape = asked.design.shape
            if asked.view is not Differences or shape is None:
                raise MethodError(
                    f"{asked} was asked of normal differences, which are those of splits; use for "
                    "example reading('corrected_t')"
                )
            rng = stream(seed, asked.key)
            within = self.rho if self.rho_within is None else self.rho_within
            values = np.sqrt(1 - within) * rng.standard_normal((n_reps, *shape))
            values += np.sqrt(within - self.rho) * rng.standard_normal((n_reps, *shape[:2], 1))
            values += np.sqrt(self.rho) * shared
            values *= self.sigma
            values += effect
            sizes = asked.design.sizes(self.n)
            ratio = float(sizes.n_test.sum() / sizes.n_train.sum())
            found[asked] = Differences(
                values, values, test_train_ratio=ratio, n_test=float(sizes.n_test.min())
            )
        return found
