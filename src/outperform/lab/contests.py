"""Contests of two learners on a source (D-48, D-51), and learners damaged until they are equal.

Implements D-42, D-43, D-47 and D-49.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Any, ClassVar, Literal

import numpy as np

from .. import validation
from ..designs import Design
from ..designs.splitting import whole
from ..engine.meaning import same_text
from ..errors import DataError, MethodError
from ..numerics.exact_sums import Array
from ..scores.split_scores import Scores, SplitLosses
from ..views import Differences, Halves, ItemDifferences, ItemLosses, stacked
from .scenarios import SAMPLE, Dataset, Reading, ScenarioView, Source, stream
from .truth import Keep, Mean, learner_errors, mean_of

Learner = Any
"""A scikit-learn estimator, or a function of (effect, n_train) that returns one."""


@dataclass(frozen=True, eq=False, slots=True)
class Contest:
    """Datasets of a source on which two learners are run and compared.

    Attributes
    ----------
    source : Source or callable
        Where items come from, or a function of the effect that returns a source.
    first : learner or callable
        The first learner, or a function of the effect and the training size that returns one.
    second : learner or callable
        The second learner, or such a function.
    n : int
        Number of items of a dataset.
    scoring : str, callable or None
        Metric as for `run`.
    block : int
        Number of experiments that are drawn with one seed.

    Examples
    --------
    >>> import numpy as np
    >>> import outperform as op
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> contest = op.lab.Contest(op.lab.SixClasses(), GaussianNB(), DummyClassifier(), 30)
    >>> read, seed = op.lab.reading("corrected_t", "3cv"), np.random.SeedSequence(0)
    >>> contest.draw([read], 2, seed)[read].values.shape
    (2, 1, 1, 3)
    >>> data = contest.dataset(np.random.default_rng(0))
    >>> contest.scores(data, op.parse("3cv"), 0).names
    ('first', 'second')
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
        """Whether an effect of 0 is a true null, by exchangeable features."""
        alike = same_text(self.first) == same_text(self.second)
        return alike and getattr(self.source, "delta", None) == 0

    @property
    def name(self) -> str:
        """A few words for tables and figures."""
        source = self.source
        return source.name if isinstance(source, Source) else "contest"

    def draw(
        self,
        readings: Sequence[Reading],
        n_reps: int,
        seed: np.random.SeedSequence,
        effect: float = 0.0,
    ) -> dict[Reading, ScenarioView]:
        """Draw datasets and run both learners on each, design by design.

        Parameters
        ----------
        readings : sequence of Reading
            What methods read, as `reading` returns it.
        n_reps : int
            Number of experiments.
        seed : numpy.random.SeedSequence
            Seed of the block.
        effect : float, default=0.0
            Passed to the source and learners that are functions of it; 0 is the null.

        Returns
        -------
        dict
            The view of each reading.
        """
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
        """Draw datasets, and show a part of the scores of both learners.

        Parameters
        ----------
        readings : sequence of Reading
            What methods read, as `reading` returns it.
        n_reps : int
            Number of experiments.
        seed : numpy.random.SeedSequence
            Seed of the block.
        effect : float
            Passed to the source and learners that are functions of it; 0 is the null.
        show : callable
            Returns what a reading shows of scores.

        Returns
        -------
        dict
            What each reading shows.

        Examples
        --------
        >>> import numpy as np
        >>> import outperform as op
        >>> from sklearn.dummy import DummyClassifier
        >>> contest = op.lab.Contest(op.lab.SixClasses(), DummyClassifier(), DummyClassifier(), 30)
        >>> side, read = op.lab.OneSide(contest, "first"), op.lab.reading("corrected_t", "3cv")
        >>> side.draw([read], 2, np.random.SeedSequence(0))[read].values.shape
        (2, 1, 1, 3)
        """
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
        """Draw one dataset.

        Parameters
        ----------
        rng : numpy.random.Generator
            Source of random numbers.
        effect : float, default=0.0
            Passed to the source and learners that are functions of it; 0 is the null.

        Returns
        -------
        Dataset
            The items.
        """
        source = self.source if isinstance(self.source, Source) else self.source(effect)
        return source.draw(self.n, rng)

    def scores(
        self, data: Dataset, design: Design, random_state: int, effect: float = 0.0
    ) -> Scores:
        """Run both learners on a dataset over the same splits.

        Parameters
        ----------
        data : Dataset
            The items.
        design : Design
            The design.
        random_state : int
            Seed of the splits.
        effect : float, default=0.0
            Passed to the source and learners that are functions of it; 0 is the null.

        Returns
        -------
        Scores
            Scores of both learners.
        """
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
    """The experiments of a contest, of which tests read one learner's scores alone.

    Attributes
    ----------
    contest : Contest
        The contest.
    side : {"first", "second"}
        Whose scores are read.

    Examples
    --------
    >>> import numpy as np
    >>> import outperform as op
    >>> from sklearn.dummy import DummyClassifier
    >>> contest = op.lab.Contest(op.lab.SixClasses(), DummyClassifier(), DummyClassifier(), 30)
    >>> side, read = op.lab.OneSide(contest, "first"), op.lab.reading("corrected_t", "3cv")
    >>> side.draw([read], 2, np.random.SeedSequence(0))[read].values.shape
    (2, 1, 1, 3)
    """

    contest: Contest
    side: Literal["first", "second"] = "first"

    def __post_init__(self) -> None:
        validation.choice(self.side, "side", ("first", "second"))

    @property
    def name(self) -> str:
        """A few words for tables and figures."""
        return f"{self.contest.name}, the {self.side} learner"

    @property
    def block(self) -> int:
        """Number of experiments that are drawn with one seed."""
        return self.contest.block

    def draw(
        self,
        readings: Sequence[Reading],
        n_reps: int,
        seed: np.random.SeedSequence,
        effect: float = 0.0,
    ) -> dict[Reading, ScenarioView]:
        """Draw datasets, run both learners and show the scores of one.

        Parameters
        ----------
        readings : sequence of Reading
            What methods read, as `reading` returns it.
        n_reps : int
            Number of experiments.
        seed : numpy.random.SeedSequence
            Seed of the block.
        effect : float, default=0.0
            Passed to the source and learners that are functions of it; 0 is the null.

        Returns
        -------
        dict
            The view of each reading.
        """
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
    >>> found = op.lab.calibrate(
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
    >>> found = op.lab.calibrate(
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
