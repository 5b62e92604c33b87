"""Contests of two learners on a source (D-48, D-51), and learners damaged until they are equal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone

from .. import validation
from ..designs import Design
from ..designs.splitting import whole
from ..engine.estimators import same_text
from ..errors import DataError, MethodError
from ..numerics.exact_sums import Array
from ..scores.split_scores import Scores, SplitLosses
from ..views import Differences, Halves, ItemDifferences, ItemLosses, stacked
from .bayesian_networks import BayesianNetwork
from .scenarios import SAMPLE, Dataset, Reading, ScenarioView, Source, stream
from .truth import Keep, Mean, learner_errors, mean_of

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
    def null_at_zero(self) -> bool:
        """The source settles it whatever learns there, or one learner has exchangeable features."""
        if getattr(self.source, "delta", None) != 0:
            return False
        alike = same_text(self.first) == same_text(self.second)
        return alike or isinstance(self.source, BayesianNetwork)

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
        items = SplitLosses(kept.loss, losses, kept.split, kept.item)
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
        validation.choice(self.side, "side", ("first", "second"))

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
                    f"{asked} compares two learners. For a single learner, use a method that "
                    "takes its scores, as in ['corrected_t', 'conservative_z']"
                )
        return self.contest.drawn(readings, n_reps, seed, effect, show=self._view)

    def _view(self, asked: Reading, scores: Scores) -> ScenarioView:
        if asked.view is ItemDifferences:
            items = ItemLosses.of(scores, (self.side,))
            right = items.right if items.binary else items.values
            return ItemDifferences.subtract(right[:, 0].reshape(1, 1, -1), None)
        view: ScenarioView = asked.view.of(scores, self.side)
        return view


ByDamage = Callable[[float], Any]
"""Returns a learner as a function of its damage."""
ROUNDS = 16
"""Steps after the shared grid, at most: chords, and a halving every other time."""


@dataclass(frozen=True, slots=True)
class Point:
    """The damage found for one λ and one training size, and how near to its target it came."""

    fraction: float
    n_train: int
    weight: float
    target: float
    """The error rate aimed at: ε_ref − λ(ε_ref − ε₀)."""
    error: float
    gap: Mean
    """Error minus target over the same datasets, with the standard error of their pairs."""


@dataclass(frozen=True, eq=False, slots=True)
class DamageByError:
    """Damage by λ and training size; `learner` is what a `Contest` takes."""

    points: tuple[Point, ...]
    damaged: ByDamage = field(repr=False)
    tolerance: float
    n_datasets: int
    weights: tuple[float, ...]
    grid: Array
    """Mean errors: training sizes × weights."""
    reference: tuple[float, ...]
    """Mean errors of the reference by training size."""

    @property
    def largest_gap(self) -> float:
        return max(abs(point.gap.mean) for point in self.points)

    @property
    def reached(self) -> bool:
        """Whether every gap is within the tolerance."""
        return self.largest_gap <= self.tolerance

    def at(self, fraction: float, n_train: int) -> Point:
        """Return what was found for λ and a training size."""
        for point in self.points:
            if point.n_train == n_train and np.isclose(point.fraction, fraction, atol=1e-12):
                return point
        known = sorted({(point.fraction, point.n_train) for point in self.points})
        raise DataError(
            f"λ={fraction:g} at {n_train} training items was not calibrated; available: {known}. "
            f"Calibrate with sizes=[{n_train}] and fractions=[{fraction:g}]"
        )

    def learner(self, effect: float, n_train: int) -> Any:
        """Return the learner damaged for λ = effect at a training size."""
        return self.damaged(self.at(effect, n_train).weight)

    def __str__(self) -> str:
        lines = [
            f"{'λ':>6} {'n':>6} {'weight':>10} {'target':>8} {'error':>8} {'gap':>9} {'se':>8}"
        ]
        lines += [
            f"{p.fraction:6.3g} {p.n_train:6d} {p.weight:10.5g} {p.target:8.4f} {p.error:8.4f} "
            f"{p.gap.mean:+9.5f} {p.gap.stderr:8.5f}"
            for p in self.points
        ]
        verdict = "within" if self.reached else "NOT within"
        lines.append(
            f"{verdict} {self.tolerance:.2%} of the target over {self.n_datasets} datasets"
        )
        return "\n".join(lines)


def calibrate(
    reference: Any,
    damaged: ByDamage,
    source: Source,
    *,
    weights: Sequence[float],
    sizes: Sequence[int] = (270, 200, 150),
    fractions: Sequence[float] = (0.0,),
    n_datasets: int = 1000,
    test: int | Dataset = 1000,
    tolerance: float = 0.001,
    random_state: int = 0,
    n_jobs: int | None = None,
    keep: Keep | None = None,
) -> DamageByError:
    """Find the damage that brings a learner a fraction λ of the way from the reference to itself.

    `damaged(w)` is the learner damaged by w: a distorted metric (D-42) or a rate of random errors
    (D-43); `weights` rise from no damage. For each training size the target is
    ε_ref − λ(ε_ref − ε₀), ε₀ being the error without damage: equal learners at λ = 0 (D-47), the
    undamaged one at λ = 1 (D-49). Errors at all weights, sizes and datasets are measured once;
    every λ is interpolated from them, then refined until the mean gap is within the tolerance.
    `keep(name, compute)` is asked for each part of what is measured, and can keep it on disk, by
    its name and by what that leaves out: source, test and seed.
    """
    steps = [float(w) for w in validation.numbers(list(weights), "weights").ravel()]
    lambdas = [float(x) for x in validation.numbers(list(fractions), "fractions").ravel()]
    if len(steps) < 2 or any(b <= a for a, b in pairwise(steps)):
        raise DataError(f"weights must be increasing and at least two, got {list(weights)!r}")

    def measured(learners: Sequence[Any], at: Sequence[int]) -> Array:
        return learner_errors(
            source,
            learners,
            sizes=at,
            test=test,
            n_datasets=n_datasets,
            random_state=random_state,
            n_jobs=n_jobs,
            largest=max(sizes),
            keep=keep,
        )

    def alone(size: int, weight: float) -> Array:
        return measured([damaged(weight)], [size])[:, 0, 0]

    errors = measured([reference, *(damaged(w) for w in steps)], sizes)
    points = []
    for row, size in enumerate(sizes):
        known = dict(zip(steps, errors[:, row, 1:].T, strict=True))
        ours, undamaged = errors[:, row, 0], errors[:, row, 1]
        for fraction in lambdas:
            target = ours - fraction * (ours - undamaged)
            weight = _refined(known, target, tolerance, partial(alone, size))
            gap = mean_of(known[weight] - target)
            points.append(
                Point(
                    fraction, size, weight, float(target.mean()), float(known[weight].mean()), gap
                )
            )
    order = {
        (fraction, size): at
        for at, (fraction, size) in enumerate(
            (fraction, size) for fraction in lambdas for size in sizes
        )
    }
    points.sort(key=lambda point: order[point.fraction, point.n_train])
    means = errors.mean(axis=0)
    return DamageByError(
        tuple(points),
        damaged,
        tolerance,
        n_datasets,
        tuple(steps),
        means[:, 1:],
        tuple(float(x) for x in means[:, 0]),
    )


def _refined(
    known: dict[float, Array], target: Array, tolerance: float, measure: Callable[[float], Array]
) -> float:
    """Return the known weight nearest to the target, measuring more between the two around it.

    What is measured is added to `known`, so that later λ begin with it.
    """
    for step in range(ROUNDS):
        weights = sorted(known)
        gaps = np.array([float((known[w] - target).mean()) for w in weights])
        best = int(np.abs(gaps).argmin())
        if abs(gaps[best]) <= tolerance / 2:
            return weights[best]
        crossings = np.flatnonzero(np.diff(np.sign(gaps)))
        if crossings.size == 0:
            errors = gaps + float(target.mean())
            raise DataError(
                f"the target error {float(target.mean()):.4f} is out of range: damage from "
                f"{weights[0]:g} to {weights[-1]:g} gives errors from {errors.min():.4f} to "
                f"{errors.max():.4f}; pass a wider range of weights, or exchange reference and "
                "damaged learner"
            )
        k = int(crossings[np.abs(gaps[crossings]).argmin()])
        low, high = weights[k], weights[k + 1]
        share = gaps[k] / (gaps[k] - gaps[k + 1])
        # Steps in the error make a chord creep; halving every other time does not.
        new = low + (high - low) * float(share if step % 2 == 0 else 0.5)
        if not low < new < high:
            break
        known[new] = measure(new)
    weights = sorted(known)
    return min(weights, key=lambda w: abs(float((known[w] - target).mean())))


class Damaged(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """A classifier of which each prediction is, with probability `rate`, any other class."""

    def __init__(self, learner: Any, rate: float = 0.0, random_state: int | None = None) -> None:
        self.learner = learner
        self.rate = rate
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Damaged:
        """Fit the learner that is to be damaged."""
        self.learner_ = clone(self.learner).fit(X, y)
        self.classes_ = np.unique(np.asarray(y))
        return self

    def predict(self, X: Any) -> Any:
        """Predict, then damage; the same draws serve every rate, so that more of it is worse."""
        found = np.asarray(self.learner_.predict(X))
        k = self.classes_.size
        if k < 2 or self.rate == 0:
            return found
        rng = np.random.default_rng(self.random_state)
        hit = rng.random(found.size) < self.rate
        other = rng.integers(1, k, found.size)
        at = np.searchsorted(self.classes_, found)
        return np.where(hit, self.classes_[(at + other) % k], found)
