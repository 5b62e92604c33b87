"""Learners damaged until they are equal, or a fraction apart: Dietterich.

Implements D-42, D-43, D-47 and D-49.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from outperform import validation
from outperform.errors import DataError
from outperform.lab.scenarios import Dataset, Source
from outperform.lab.tested import Mean, mean_of
from outperform.numerics.exact_sums import Array

from .learner_errors import Keep, learner_errors

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
    """Damage by fraction λ and training size, as `calibrate` returns it.

    Attributes
    ----------
    points : tuple of Point
        What was found for each λ and training size.
    damaged : callable
        Returns the learner damaged by a weight.
    tolerance : float
        Largest mean gap that counts as reached.
    n_datasets : int
        Number of datasets behind the error rates.
    weights : tuple of float
        Weights of the grid that was measured first.
    grid : ndarray of shape (sizes, weights)
        Mean error rates of the damaged learner on this grid.
    reference : tuple of float
        Mean error rate of the reference at each training size.

    Examples
    --------
    >>> import outperform as op
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from reproduction.damage import calibrate
    >>> found = calibrate(
    ...     GaussianNB(), lambda k: KNeighborsClassifier(int(k)), op.lab.SixClasses(),
    ...     weights=(1, 29), sizes=(30,), n_datasets=5, test=200, tolerance=0.1,
    ... )
    >>> found.reached, found.largest_gap < 0.1, found.at(0.0, 30).n_train
    (True, True, 30)
    >>> type(found.learner(0.0, 30)).__name__
    'KNeighborsClassifier'
    """

    points: tuple[Point, ...]
    damaged: ByDamage = field(repr=False)
    tolerance: float
    n_datasets: int
    weights: tuple[float, ...]
    grid: Array
    reference: tuple[float, ...]

    @property
    def largest_gap(self) -> float:
        """The largest gap between error and target."""
        return max(abs(point.gap.mean) for point in self.points)

    @property
    def reached(self) -> bool:
        """Whether every gap is within the tolerance."""
        return self.largest_gap <= self.tolerance

    def at(self, fraction: float, n_train: int) -> Point:
        """Return what was found for λ and a training size.

        Parameters
        ----------
        fraction : float
            The fraction λ.
        n_train : int
            Number of training items.

        Returns
        -------
        Point
            Weight, target, error and gap.
        """
        for point in self.points:
            if point.n_train == n_train and np.isclose(point.fraction, fraction, atol=1e-12):
                return point
        known = sorted({(point.fraction, point.n_train) for point in self.points})
        raise DataError(
            f"λ={fraction:g} at {n_train} training items was not calibrated; available: {known}. "
            f"Calibrate with sizes=[{n_train}] and fractions=[{fraction:g}]"
        )

    def learner(self, effect: float, n_train: int) -> Any:
        """Return the learner damaged for λ at a training size.

        Parameters
        ----------
        effect : float
            The fraction λ.
        n_train : int
            Number of training items.

        Returns
        -------
        learner
            The damaged learner.
        """
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
    """Find the damage that makes two learners equal, or a fraction λ apart.

    For each training size the target is ε_ref − λ(ε_ref − ε₀), ε₀ being the error without damage:
    equal learners at λ = 0, the undamaged one at λ = 1. Errors at all weights, sizes and datasets
    are measured once; every λ is interpolated from them, then refined until the mean gap is within
    half the tolerance, in at most 16 steps. `reached` of the result says whether every gap is
    within the tolerance.

    Parameters
    ----------
    reference : learner
        The learner that is not damaged.
    damaged : callable
        Returns the learner damaged by a weight, such as a rate of random errors.
    source : Source
        Where items come from.
    weights : sequence of float
        Weights in increasing order, from no damage.
    sizes : sequence of int, default=(270, 200, 150)
        Training sizes.
    fractions : sequence of float, default=(0.0,)
        Fractions λ.
    n_datasets : int, default=1000
        Number of datasets to measure errors on.
    test : int or Dataset, default=1000
        Test items, or their number.
    tolerance : float, default=0.001
        Largest mean gap between error and target that counts as reached.
    random_state : int, default=0
        Seed.
    n_jobs : int, optional
        Number of workers; -1 uses all cores. It does not change the result.
    keep : callable, optional
        Called with a name and a function for each part that is measured; it can keep the part on
        disk.

    Returns
    -------
    DamageByError
        Weights by λ and training size.

    Notes
    -----
    Dietterich (1998) damages learners until they are equal.

    Examples
    --------
    >>> import outperform as op
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from reproduction.damage import calibrate
    >>> found = calibrate(
    ...     GaussianNB(), lambda k: KNeighborsClassifier(int(k)), op.lab.SixClasses(),
    ...     weights=(1, 29), sizes=(30,), n_datasets=5, test=200, tolerance=0.1,
    ... )
    >>> found.reached
    True
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
