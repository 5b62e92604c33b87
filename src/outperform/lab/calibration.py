"""Calibration: damage a learner until two are equal, or λ apart (D-42, D-43, D-47, D-49)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone

from .. import inputs
from ..errors import DataError
from ..sums import Array
from .scenarios import Dataset, Source
from .truth import Keep, Mean, learner_errors, mean_of

__all__ = ["Calibration", "Damaged", "Point", "calibrate"]

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
class Calibration:
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
            f"λ={fraction:g} at {n_train} training items was not calibrated; there are {known}. "
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
) -> Calibration:
    """Find the damage that brings a learner a fraction λ of the way from the reference to itself.

    `damaged(w)` is the learner damaged by w: a distorted metric (D-42) or a rate of random errors
    (D-43); `weights` rise from no damage. For each training size the target is
    ε_ref − λ(ε_ref − ε₀), ε₀ being the error without damage: equal learners at λ = 0 (D-47), the
    undamaged one at λ = 1 (D-49). Errors at all weights, sizes and datasets are measured once;
    every λ is interpolated from them, then refined until the mean gap is within the tolerance.
    `keep(name, compute)` is asked for each part of what is measured, and can keep it on disk, by
    its name and by what that leaves out: source, test and seed.
    """
    steps = [float(w) for w in inputs.numbers(list(weights), "weights").ravel()]
    lambdas = [float(x) for x in inputs.numbers(list(fractions), "fractions").ravel()]
    if len(steps) < 2 or any(b <= a for a, b in pairwise(steps)):
        raise DataError(f"weights must rise, at least two of them, got {list(weights)!r}")

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
    return Calibration(
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
                f"an error of {float(target.mean()):.4f} was aimed at, but damage from "
                f"{weights[0]:g} to {weights[-1]:g} gives {errors.min():.4f} to "
                f"{errors.max():.4f}; pass weights that reach further, or exchange reference and "
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
