"""Populations of scores: Dietterich's, drawn by counts (D-32 to D-37, D-40), and normal ones.

Implements D-33, D-34, D-35, D-36, N-08, N-16, N-17, E-D5 and E-D9.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from ..designs import (
    Design,
    DisjointTrainSets,
    Holdout,
    LeaveOneOut,
    PairedHalves,
    Partitions,
    Resampled,
)
from ..designs.splitting import whole
from ..errors import DataError, MethodError
from ..numerics.exact_sums import Array
from ..views import Contingency, Crossed, Differences, Halves, ItemDifferences
from .sampling import (
    KindCounts,
    Kinds,
    Nodes,
    count_table,
    deal,
    errors_table,
    fold_counts,
    fold_table,
    heads,
    n_test_of,
    nodes_of,
    resample_table,
    words,
)
from .scenarios import SAMPLE, Reading, ScenarioView, stream

Generator = np.random.Generator
CANONICAL = 10
"""A sample is drawn as the kinds of points in ten folds: those of 10cv, the published design."""


class Sample(NamedTuple):
    """The points of the first kind in samples of n: in each of ten folds, and in all."""

    folds: KindCounts
    m: KindCounts


@dataclass(frozen=True, slots=True)
class DesignedPopulation:
    """Two kinds of points on which two learners err with exchanged probabilities.

    Half of all points have ε_A = (1 − spread)ε and ε_B = (1 + spread)ε, the others the reverse.

    Attributes
    ----------
    epsilon : float
        Mean error rate ε.
    n : int
        Number of points of a sample.
    spread : float
        Relative distance of the error rates of the two kinds from ε, between 0 and 1.
    beta : float
        Largest random change β of the error rates: in designs of `beta_in` a number uniform on
        [−beta, beta] is added to them for each training set.
    beta_in : tuple of str
        Kinds of designs in which training sets change the error rates, such as "kfold".
    beta_shared : bool
        Whether both learners get the same change; otherwise each draws its own.
    noise : float
        Probability that the label of a point is wrong, at most ½.
    block : int
        Number of experiments that are drawn with one seed.

    Notes
    -----
    The population of Dietterich (1998).

    Examples
    --------
    >>> import numpy as np
    >>> import outperform as op
    >>> population, read = op.lab.DesignedPopulation(), op.lab.reading("mcnemar")
    >>> seed = np.random.SeedSequence(0)
    >>> population.draw([read], 3, seed)[read].n10.shape, len(population.kinds())
    ((3,), 2)
    >>> nodes, sample = population.nodes("kfold"), population.sample(3, seed)
    >>> rng, design = np.random.default_rng(0), op.parse("10cv")
    >>> population.difference_counts(design, sample, population.kinds(), rng).shape
    (3, 1, 10)
    >>> len(population.cells(op.parse("holdout@1/3"), sample, population.kinds(), rng))
    4
    """

    epsilon: float = 0.10
    n: int = 300
    spread: float = 0.5
    beta: float = 0.02
    beta_in: tuple[str, ...] = ("kfold",)
    beta_shared: bool = True
    noise: float = 0.0
    block: ClassVar[int] = 8192

    def __post_init__(self) -> None:
        whole(self.n, "n", 2)
        for name, highest in (("epsilon", 1), ("spread", 1), ("beta", 0.5), ("noise", 0.5)):
            value = getattr(self, name)
            if not 0 <= value <= highest:
                raise DataError(f"{name} must be between 0 and {highest}, got {value!r}")
        self.kinds()

    @property
    def null_at_zero(self) -> bool:
        """Whether an effect of 0 is a true null hypothesis."""
        return True

    @property
    def name(self) -> str:
        """A few words for tables and figures."""
        return f"designed population, ε = {self.epsilon:g}"

    def kinds(self, effect: float = 0.0) -> Kinds:
        """Return for each kind of point the probabilities that each learner errs.

        Parameters
        ----------
        effect : float, default=0.0
            Distance from the null hypothesis, 0 being the null.

        Returns
        -------
        tuple
            Probabilities of the first and of the second learner, by kind.
        """
        low, high = ((1 - self.spread) * self.epsilon, (1 + self.spread) * self.epsilon)
        low, high = (rate + self.noise * (1 - 2 * rate) for rate in (low, high))
        half = effect / 2
        found = ((low - half, high + half), (high - half, low + half))
        least, most = (min(map(min, found)), max(map(max, found)))
        reach = self.beta if self.beta_in else 0.0
        if not (reach <= least and most <= 1 - reach):
            raise DataError(
                f"epsilon={self.epsilon:g} with spread={self.spread:g}, beta={self.beta:g} and "
                f"effect={effect:g} gives error probabilities from {least - reach:g} to "
                f"{most + reach:g}, which must be within [0, 1]. Reduce effect or beta, for "
                "example beta=0.0"
            )
        return found

    def nodes(self, kind: str) -> Nodes:
        """Return the values that stand for β in designs of a kind, with their weights.

        Parameters
        ----------
        kind : str
            Kind of design.

        Returns
        -------
        tuple
            Values and weights.
        """
        return nodes_of(self.beta if kind in self.beta_in else 0.0, shared=self.beta_shared)

    def sample(self, n_reps: int, seed: np.random.SeedSequence) -> Sample:
        """Draw samples of points, half of them of each kind on average.

        Parameters
        ----------
        n_reps : int
            Number of experiments.
        seed : numpy.random.SeedSequence
            Seed of the block.

        Returns
        -------
        Sample
            Points of the first kind.
        """
        sizes = fold_counts(self.n, min(CANONICAL, self.n))
        folds = heads(stream(seed, SAMPLE), n_reps, sizes)
        return Sample(folds, (folds @ np.ones(len(sizes))).astype(np.intp))

    def draw(
        self,
        readings: Sequence[Reading],
        n_reps: int,
        seed: np.random.SeedSequence,
        effect: float = 0.0,
    ) -> dict[Reading, ScenarioView]:
        """Draw experiments: one sample each, split again for each design.

        Parameters
        ----------
        readings : sequence of Reading
            What methods read, as `reading` returns it.
        n_reps : int
            Number of experiments.
        seed : numpy.random.SeedSequence
            Seed of the block.
        effect : float, default=0.0
            Distance from the null hypothesis, 0 being the null.

        Returns
        -------
        dict
            The view of each reading.
        """
        sample, kinds = self.sample(n_reps, seed), self.kinds(effect)
        return {asked: self._view(asked, sample, kinds, seed) for asked in readings}

    def _view(
        self, asked: Reading, sample: Sample, kinds: Kinds, seed: np.random.SeedSequence
    ) -> ScenarioView:
        design, rng = asked.design, stream(seed, asked.key)
        view, plain = asked.view, isinstance(design, Holdout | LeaveOneOut)
        if view is Contingency and plain:
            return Contingency(*self.cells(design, sample, kinds, rng))
        if view is ItemDifferences and plain:
            cells = self.cells(design, sample, kinds, rng)
            return item_differences(*cells[1:3], n_test=n_test_of(design, self.n))
        if view is Halves and isinstance(design, PairedHalves):
            return self._halves(design, sample.m, kinds, rng)
        if view is Crossed and isinstance(design, DisjointTrainSets):
            return self._crossed(design, sample.m, kinds, rng)
        if view is Differences and design.shape is not None:
            return self._differences(design, sample, kinds, rng)
        raise MethodError(
            f"{asked} is not available for the designed population, which draws splits of k-fold, "
            "resampled and hold-out designs, their partitions, halves and disjoint training sets; "
            "use for example reading('corrected_t')"
        )

    def _differences(
        self, design: Design, sample: Sample, kinds: Kinds, rng: Generator
    ) -> Differences:
        found = self.difference_counts(design, sample, kinds, rng)
        sizes = design.sizes(self.n)
        values = found.reshape(-1, *(design.shape or ())) / sizes.n_test.reshape(design.shape or ())
        ratio = float(sizes.n_test.sum() / sizes.n_train.sum())
        return Differences(values, values, test_train_ratio=ratio, n_test=float(sizes.n_test.min()))

    def difference_counts(
        self, design: Design, sample: Sample, kinds: Kinds, rng: Generator
    ) -> npt.NDArray[np.float32]:
        """Draw the errors of the second minus those of the first learner.

        Parameters
        ----------
        design : Design
            The design.
        sample : Sample
            What `sample` returned.
        kinds : tuple
            What `kinds` returned.
        rng : numpy.random.Generator
            Source of random numbers.

        Returns
        -------
        ndarray of shape (experiments, runs, folds)
            Differences of error counts.
        """
        partitions, repeats, n_folds = design.shape or (1, 1, 1)
        of = design.of if isinstance(design, Partitions) else design
        nodes, m, runs = self.nodes(of.kind), sample.m, partitions * repeats
        if isinstance(of, Resampled | Holdout):
            table = resample_table(self.n, n_test_of(of, self.n), kinds, nodes)
            return table.draw(table.near(m)[:, None], words(rng, len(m), runs))[..., None]
        sizes = fold_counts(self.n, n_folds)
        if runs == 1 and n_folds == sample.folds.shape[1]:
            counts = sample.folds[:, None, :]
        else:
            counts = deal(rng, np.repeat(m[:, None], runs, axis=1), self.n, sizes)
        if len(set(sizes)) == 1:
            table = fold_table(sizes[0], kinds, nodes)
            return table.draw(table.near(counts), words(rng, *counts.shape))
        found = np.empty(counts.shape, dtype=np.float32)
        for fold, size in enumerate(sizes):
            table = fold_table(size, kinds, nodes)
            rows = table.near(counts[..., fold])
            found[..., fold] = table.draw(rows, words(rng, *rows.shape))
        return found

    def cells(
        self, design: Design, sample: Sample, kinds: Kinds, rng: Generator
    ) -> tuple[Array, Array, Array, Array]:
        """Draw the counts n00, n01, n10 and n11 of a test set.

        Parameters
        ----------
        design : Design
            The design.
        sample : Sample
            What `sample` returned.
        kinds : tuple
            What `kinds` returned.
        rng : numpy.random.Generator
            Source of random numbers.

        Returns
        -------
        tuple of four ndarray
            How many points both learners get wrong, the first only, the second only, and neither.
        """
        m, n_test = sample.m, n_test_of(design, self.n)
        if n_test == self.n:
            first_kind: Any = m
        else:
            table = count_table(self.n, n_test)
            first_kind = table.draw(table.near(m), words(rng, len(m))).astype(np.intp)
        a_wrong, both = np.zeros(len(m)), np.zeros(len(m))
        b_only = np.zeros(len(m))
        shift = self._perturbations(design.kind, len(m), rng)
        for (a, b), count in zip(kinds, (first_kind, n_test - first_kind), strict=True):
            if shift is None:
                table_a, table_b = errors_table(n_test, a), errors_table(n_test, b)
                wrong = table_a.draw(count, words(rng, len(m))).astype(np.intp)
                both += table_b.draw(wrong, words(rng, len(m)))
                b_only += table_b.draw(count - wrong, words(rng, len(m)))
            else:
                wrong = rng.binomial(count, a + shift[0]).astype(np.intp)
                both += rng.binomial(wrong, b + shift[1])
                b_only += rng.binomial(count - wrong, b + shift[1])
            a_wrong += wrong
        return both, a_wrong - both, b_only, n_test - a_wrong - b_only

    def _perturbations(self, kind: str, n_reps: int, rng: Generator) -> tuple[Array, Array] | None:
        if self.beta == 0 or kind not in self.beta_in:
            return None
        first = rng.uniform(-self.beta, self.beta, n_reps)
        return first, first if self.beta_shared else rng.uniform(-self.beta, self.beta, n_reps)

    def _halves(self, design: PairedHalves, m: KindCounts, kinds: Kinds, rng: Generator) -> Halves:
        nodes, reps, half = self.nodes(design.kind), len(m), self.n // 2
        n_test = n_test_of(design, self.n)
        on_all = resample_table(self.n, n_test, kinds, nodes)
        whole_data = on_all.draw(on_all.near(m)[:, None], words(rng, reps, design.repeats)) / n_test
        dealt = np.repeat(m[:, None], design.halvings, axis=1)
        counts = deal(rng, dealt, self.n, [half, half])
        in_half = resample_table(half, n_test, kinds, nodes)
        drawn = words(rng, reps, design.halvings, 2, design.repeats)
        means = in_half.draw(in_half.near(counts)[..., None], drawn).mean(axis=-1, dtype=np.float64)
        values = np.asarray(whole_data, dtype=np.float64)
        pairs = means / n_test
        scale = np.maximum(np.abs(values).max(axis=-1), np.abs(pairs).max(axis=(-2, -1)))
        return Halves(values, pairs, scale, n_test=float(n_test))

    def _crossed(
        self, design: DisjointTrainSets, m: KindCounts, kinds: Kinds, rng: Generator
    ) -> Crossed:
        n_test = int(design.sizes(self.n).n_test[0])
        table = count_table(self.n, n_test)
        first_kind = table.draw(table.near(m), words(rng, len(m))).astype(np.intp)
        second = (np.arange(n_test) >= first_kind[:, None]).astype(np.intp)
        rates = np.array(kinds)[second]  # experiments × items × learners
        shape = (len(m), design.sets, n_test, 2)
        wrong = rng.random(shape) < rates[:, None]
        values = wrong[..., 1].astype(np.float64) - wrong[..., 0]
        return Crossed(values, np.ones(len(m)))


def item_differences(a_only: Array, b_only: Array, *, n_test: int) -> ItemDifferences:
    """Lay counts of items out as item differences: where only B errs A is better by 1."""
    place = np.arange(n_test)
    up, down = b_only[:, None], (a_only + b_only)[:, None]
    values = np.where(place < up, 1.0, np.where(place < down, -1.0, 0.0))
    values = values.reshape(len(values), 1, 1, n_test)
    return ItemDifferences(values, values, n_test=float(n_test))


@dataclass(frozen=True, slots=True)
class CorrelatedNormal:
    """Differences of splits that are normal with given variance and correlation.

    Their mean is the effect.

    Attributes
    ----------
    rho : float
        Correlation ρ of two splits.
    sigma : float
        Standard deviation σ of a split.
    rho_within : float or None
        Correlation of two folds of one cross-validation, at least ρ; by default ρ.
    n : int
        Number of items, from which the sizes of training and test sets are computed.
    block : int
        Number of experiments that are drawn with one seed.

    Examples
    --------
    >>> import numpy as np
    >>> import outperform as op
    >>> scenario, read = op.lab.CorrelatedNormal(rho=0.1), op.lab.reading("corrected_t", "10cv")
    >>> scenario.draw([read], 2, np.random.SeedSequence(0))[read].values.shape
    (2, 1, 1, 10)
    """

    rho: float = 0.0
    sigma: float = 0.05
    rho_within: float | None = None
    n: int = 300
    block: ClassVar[int] = 8192

    def __post_init__(self) -> None:
        whole(self.n, "n", 2)
        within = self.rho if self.rho_within is None else self.rho_within
        if not (0 <= self.rho <= within <= 1 and self.sigma > 0):
            raise DataError(
                f"0 ≤ rho ≤ rho_within ≤ 1 and sigma > 0 must hold, got rho={self.rho:g}, "
                f"rho_within={within:g} and sigma={self.sigma:g}."
            )

    @property
    def null_at_zero(self) -> bool:
        """Whether an effect of 0 is a true null hypothesis."""
        return True

    @property
    def name(self) -> str:
        """A few words for tables and figures."""
        return f"normal differences, ρ = {self.rho:g}"

    def draw(
        self,
        readings: Sequence[Reading],
        n_reps: int,
        seed: np.random.SeedSequence,
        effect: float = 0.0,
    ) -> dict[Reading, ScenarioView]:
        """Draw experiments; what their splits share is the same for every design.

        Parameters
        ----------
        readings : sequence of Reading
            What methods read, as `reading` returns it.
        n_reps : int
            Number of experiments.
        seed : numpy.random.SeedSequence
            Seed of the block.
        effect : float, default=0.0
            Distance from the null hypothesis, 0 being the null.

        Returns
        -------
        dict
            The view of each reading.
        """
        shared = stream(seed, SAMPLE).standard_normal((n_reps, 1, 1, 1))
        found: dict[Reading, ScenarioView] = {}
        for asked in readings:
            shape = asked.design.shape
            if asked.view is not Differences or shape is None:
                raise MethodError(
                    f"{asked} is not available for normal differences, which simulate splits; use "
                    "for example reading('corrected_t')"
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
