"""What a study draws from: readings, scenarios that answer them, sources of data, and seeds.

Implements D-14, D-30, D-44, D-45, D-46 and N-26.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, ClassVar, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

from .. import validation
from ..designs import Design, parse_drawn
from ..designs.splitting import whole
from ..errors import DataError, MethodError
from ..registry import Method, get
from ..views import (
    Calibration,
    Contingency,
    Crossed,
    Differences,
    Halves,
    ItemDifferences,
    OverDatasets,
)

ScenarioView: TypeAlias = Differences | Contingency | Halves | Crossed | Calibration
DRAWN = (Differences, ItemDifferences, Contingency, Halves, Crossed, Calibration)
SAMPLE = 0
"""The stream of what all readings of an experiment share: its data."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What one kind of method reads of an experiment: a view, under a design.

    Attributes
    ----------
    view : type
        Class of the view, such as `Differences`.
    design : Design
        The design.

    Examples
    --------
    >>> import outperform as op
    >>> op.lab.reading("corrected_t", "10x10cv").view
    <class 'outperform.views.differences.Differences'>
    """

    view: type[Any]
    design: Design

    @property
    def key(self) -> int:
        """A word for the seed of the splits, the same for all views of one design."""
        digest = sha256(str(self.design).encode()).digest()
        return int.from_bytes(digest[:4], "big")

    def __str__(self) -> str:
        words = re.sub("(?<=[a-z])(?=[A-Z])", " ", self.view.__name__).lower()
        return f"{words} of {self.design}"


@runtime_checkable
class Scenario(Protocol):
    """A population of experiments, of which many are drawn at once.

    Examples
    --------
    >>> import numpy as np
    >>> import outperform as op
    >>> scenario, read = op.lab.CorrelatedNormal(rho=0.1), op.lab.reading("corrected_t", "10cv")
    >>> views = scenario.draw([read], 3, np.random.SeedSequence(0))
    >>> views[read].values.shape
    (3, 1, 1, 10)
    """

    @property
    def name(self) -> str:
        """A few words for tables and figures."""

    @property
    def block(self) -> int:
        """Number of experiments that are drawn with one seed."""

    def draw(
        self,
        readings: Sequence[Reading],
        n_reps: int,
        seed: np.random.SeedSequence,
        effect: float = 0.0,
    ) -> dict[Reading, ScenarioView]:
        """Draw experiments; each view has them as its leading axis.

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


@dataclass(frozen=True, eq=False, slots=True)
class Dataset:
    """Items with their features and targets.

    Attributes
    ----------
    X : array-like
        Features.
    y : array-like
        Classes, or values for regression.
    X_second : array-like or None
        Features of the second learner; None if both learners see X.

    Examples
    --------
    >>> import numpy as np
    >>> import outperform as op
    >>> op.lab.Dataset(np.zeros((5, 2)), np.array([0, 1, 0, 1, 0])).n
    5
    """

    X: Any
    y: Any
    X_second: Any = None

    @property
    def n(self) -> int:
        """Number of items."""
        return len(self.y)


@runtime_checkable
class Source(Protocol):
    """A distribution of items, or a pool of them, from which datasets are drawn.

    Examples
    --------
    >>> import numpy as np
    >>> import outperform as op
    >>> source = op.lab.SixClasses()
    >>> source.draw(10, np.random.default_rng(0)).n
    10
    """

    @property
    def name(self) -> str:
        """A few words for tables and figures."""

    @property
    def delta(self) -> float | None:
        """The true difference of two learners if the source alone settles it, otherwise None."""

    def draw(self, n: int, rng: np.random.Generator) -> Dataset:
        """Draw a dataset.

        Parameters
        ----------
        n : int
            Number of items.
        rng : numpy.random.Generator
            Source of random numbers.

        Returns
        -------
        Dataset
            The items.
        """


def reading(method: Method | str, design: object = None) -> Reading:
    """Return what a method reads under a design.

    Parameters
    ----------
    method : str
        Name of the method.
    design : str or Design, optional
        The design, by default the one it was published with.

    Returns
    -------
    Reading
        View and design.

    Examples
    --------
    >>> import outperform as op
    >>> str(op.lab.reading("mcnemar").design)
    'holdout@1/3'
    """
    asked = get(method) if isinstance(method, str) else method
    if asked.view.type is OverDatasets:
        raise MethodError(
            f"{asked.name} takes one difference for each of several datasets, but an experiment "
            "of a scenario has one dataset. Use for example 'corrected_t'"
        )
    if asked.view.type not in DRAWN:
        raise MethodError(
            f"{asked.name} takes {asked.view.name}, which no scenario draws: it does not compare "
            "two learners on the same splits or items. Use for example 'corrected_t'"
        )
    planned = asked.published_design if design is None else design
    if planned is None:
        raise MethodError(
            f"{asked.name} has no published design. Use one explicitly, as in "
            f"reading({asked.name!r}, 'holdout@1/3')"
        )
    plan = parse_drawn(planned, "a study")
    asked.check_design(plan)
    return Reading(asked.view.type, plan)


def blocks(n_reps: int, block: int) -> Iterator[tuple[int, int]]:
    """Return an iterator over the number and the size of each block of experiments.

    Parameters
    ----------
    n_reps : int
        Number of experiments.
    block : int
        Number of experiments of a block.

    Returns
    -------
    iterator of tuple
        Number of the block and its experiments.

    Examples
    --------
    >>> import outperform as op
    >>> list(op.lab.blocks(250, 100))
    [(0, 100), (1, 100), (2, 50)]
    """
    for number, start in enumerate(range(0, n_reps, block)):
        yield number, min(block, n_reps - start)


def block_seed(random_state: int, effect_index: int, block: int) -> np.random.SeedSequence:
    """Return the seed of one block, which belongs to its address.

    Parameters
    ----------
    random_state : int
        Seed of the study.
    effect_index : int
        Number of the effect.
    block : int
        Number of the block.

    Returns
    -------
    numpy.random.SeedSequence
        The seed.

    Examples
    --------
    >>> import outperform as op
    >>> op.lab.block_seed(0, 0, 1).spawn_key
    (0, 1)
    """
    return np.random.SeedSequence(random_state, spawn_key=(effect_index, block))


def stream(seed: np.random.SeedSequence, *words: int) -> np.random.Generator:
    """Return the random generator of one purpose under a seed.

    Parameters
    ----------
    seed : numpy.random.SeedSequence
        The seed.
    *words : int
        The purpose; the same words give the same numbers.

    Returns
    -------
    numpy.random.Generator
        The generator.

    Examples
    --------
    >>> import numpy as np
    >>> import outperform as op
    >>> first, again = (op.lab.stream(np.random.SeedSequence(0), 1).random() for _ in range(2))
    >>> first == again
    True
    """
    child = np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, *words))
    return np.random.Generator(np.random.PCG64(child))


Generator = np.random.Generator


@dataclass(frozen=True, slots=True)
class Mirror:
    """A null hypothesis that is exact for every learner, size and metric.

    Two sets of features are exchangeable; one learner sees the first, the other the second. Given
    the class, features are independent normal variables with variance 1. With `weaken` above 0 the
    second set is less useful, and the null hypothesis is false.

    Attributes
    ----------
    n_features : int
        Number of features of each set.
    shifts : tuple of float
        Means of the first features, positive in class 1 and negative in class 0; all other
        features have mean 0.
    flip : float
        Probability that a label is flipped after the features were drawn, at most ½.
    weaken : float
        Share by which the shifts of the second set are reduced; 0 for the null hypothesis.
    positive : float
        Probability of class 1, before labels are flipped.
    name : str
        A few words for tables.

    Examples
    --------
    >>> import numpy as np
    >>> import outperform as op
    >>> op.lab.mirror_population("A").draw(10, np.random.default_rng(0)).X_second.shape[0]
    10
    """

    n_features: int = 5
    shifts: tuple[float, ...] = (0.8, 0.4)
    flip: float = 0.1
    weaken: float = 0.0
    positive: float = 0.5
    name: ClassVar[str] = "mirror"

    def __post_init__(self) -> None:
        if len(self.shifts) > whole(self.n_features, "n_features", 1):
            raise DataError(
                f"shifts must have at most one entry per feature ({self.n_features}), got "
                f"{len(self.shifts)}; give at most one for each"
            )
        _share(self.flip, "flip", 0.5)
        _share(self.weaken, "weaken", 1.0)
        _share(self.positive, "positive", 1.0)

    @property
    def delta(self) -> float | None:
        """0 if the two sets of features are exchangeable, otherwise None."""
        return 0.0 if self.weaken == 0 else None

    def draw(self, n: int, rng: Generator) -> Dataset:
        """Draw a dataset.

        Parameters
        ----------
        n : int
            Number of items.
        rng : numpy.random.Generator
            Source of random numbers.

        Returns
        -------
        Dataset
            The items.
        """
        fair = self.positive == 0.5
        y = rng.integers(0, 2, n) if fair else (rng.random(n) < self.positive).astype(np.int64)
        sides = rng.standard_normal((2, n, self.n_features))
        shift = np.zeros(self.n_features)
        shift[: len(self.shifts)] = self.shifts
        sides += (2 * y - 1)[:, None] * shift * np.array([1.0, 1 - self.weaken])[:, None, None]
        seen = np.where(rng.random(n) < self.flip, 1 - y, y)
        return Dataset(sides[0], seen, sides[1])


@dataclass(frozen=True, slots=True)
class SixClasses:
    """Points of the square [0, 15]² in six classes.

    It replaces the EXP6 task of Dietterich (1998), which is lost.

    Attributes
    ----------
    sites : tuple[tuple[float, float], ...]
        One point for each class; every point of the square belongs to the class of the nearest.
    side : float
        Side of the square.
    name : str
        A few words for tables.
    delta : None
        Always None: the true difference depends on the learners.

    Examples
    --------
    >>> import numpy as np
    >>> import outperform as op
    >>> source = op.lab.SixClasses()
    >>> source.draw(10, np.random.default_rng(0)).X.shape, source.grid(1.0).n
    ((10, 2), 256)
    """

    sites: tuple[tuple[float, float], ...] = (
        (2.5, 3.0),
        (8.0, 2.0),
        (12.5, 4.5),
        (3.5, 10.5),
        (8.5, 8.0),
        (11.5, 12.5),
    )
    side: ClassVar[float] = 15.0
    name: ClassVar[str] = "six classes (a stand-in for EXP6)"
    delta: ClassVar[float | None] = None

    def draw(self, n: int, rng: Generator) -> Dataset:
        """Draw a dataset.

        Parameters
        ----------
        n : int
            Number of items.
        rng : numpy.random.Generator
            Source of random numbers.

        Returns
        -------
        Dataset
            The items.
        """
        return self._classified(rng.uniform(0.0, self.side, (n, 2)))

    def grid(self, step: float = 0.1) -> Dataset:
        """Return a grid over the square, for calibration.

        Parameters
        ----------
        step : float, default=0.1
            Distance of neighbouring points; 0.1 gives 22,801 of them.

        Returns
        -------
        Dataset
            The points with their classes.
        """
        axis = np.linspace(0.0, self.side, round(self.side / step) + 1)
        return self._classified(np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2))

    def _classified(self, X: npt.NDArray[np.float64]) -> Dataset:
        distance = ((X[:, None, :] - np.array(self.sites)) ** 2).sum(axis=-1)
        return Dataset(X, distance.argmin(axis=1))


@dataclass(frozen=True, slots=True)
class SmallCluster:
    """A large cluster of one class and, beside it, a small one of another.

    Attributes
    ----------
    n_small : int
        Number of items of the small cluster.
    distance : float
        Distance between the centres of the clusters.
    radius : float
        Standard deviation of each coordinate in the small cluster; in the large one it is 1.
    name : str
        A few words for tables.
    delta : None
        Always None: the true difference depends on the learners.

    Notes
    -----
    Dietterich (1998) explains by such clusters why the errors of the two folds of a 2-fold
    cross-validation are correlated.

    Examples
    --------
    >>> import numpy as np
    >>> import outperform as op
    >>> op.lab.SmallCluster().draw(20, np.random.default_rng(0)).n
    20
    """

    n_small: int = 6
    distance: float = 3.0
    radius: float = 0.3
    name: ClassVar[str] = "small cluster"
    delta: ClassVar[float | None] = None

    def draw(self, n: int, rng: Generator) -> Dataset:
        """Draw a dataset.

        Parameters
        ----------
        n : int
            Number of items.
        rng : numpy.random.Generator
            Source of random numbers.

        Returns
        -------
        Dataset
            The items.
        """
        if n <= self.n_small:
            raise DataError(
                f"n={n} is too small for a small cluster of {self.n_small} and anything else; "
                "raise n"
            )
        y = np.zeros(n, dtype=np.int64)
        y[rng.permutation(n)[: self.n_small]] = 1
        X = rng.standard_normal((n, 2))
        X[y == 1] *= self.radius
        X[y == 1] += (self.distance, 0.0)
        return Dataset(X, y)


@dataclass(frozen=True, eq=False, slots=True)
class Pool:
    """Real data as a population, from whose items datasets are drawn.

    Attributes
    ----------
    X : array-like
        Features.
    y : array-like
        Classes, or values for regression.
    name : str
        A few words for tables.
    replace : bool
        Whether items are drawn with replacement.
    delta : None
        Always None: the true difference depends on the learners.

    Examples
    --------
    >>> import numpy as np
    >>> import outperform as op
    >>> pool = op.lab.Pool(np.zeros((50, 2)), np.arange(50) % 2)
    >>> pool.n, pool.draw(10, np.random.default_rng(0)).n
    (50, 10)
    >>> [part.n for part in pool.split(20, random_state=0)]
    [20, 30]
    """

    X: Any
    y: Any
    name: str = "pool"
    replace: bool = False
    delta: ClassVar[float | None] = None

    def __post_init__(self) -> None:
        if len(self.X) != len(self.y) or len(self.y) < 2:
            raise DataError(
                f"X and y must have the same number of items, at least 2, got {len(self.X)} and "
                f"{len(self.y)}."
            )

    @property
    def n(self) -> int:
        """Number of items."""
        return len(self.y)

    def draw(self, n: int, rng: Generator) -> Dataset:
        """Draw a dataset.

        Parameters
        ----------
        n : int
            Number of items.
        rng : numpy.random.Generator
            Source of random numbers.

        Returns
        -------
        Dataset
            The items.
        """
        if n > self.n and not self.replace:
            raise DataError(
                f"A pool of {self.n} items cannot provide {n} without replacement; use fewer, or "
                "pass replace=True"
            )
        rows = rng.integers(0, self.n, n) if self.replace else rng.permutation(self.n)[:n]
        return Dataset(take_rows(self.X, rows), take_rows(self.y, rows))

    def split(self, n_first: int, *, random_state: int) -> tuple[Pool, Pool]:
        """Return two pools without an item in common, as for calibration and experiment.

        Parameters
        ----------
        n_first : int
            Number of items of the first pool.
        random_state : int
            Seed.

        Returns
        -------
        tuple of two Pool
            The pools.
        """
        if not 2 <= whole(n_first, "n_first", 2) <= self.n - 2:
            raise DataError(f"n_first must be between 2 and {self.n - 2}, got {n_first}.")
        rows = np.random.default_rng(random_state).permutation(self.n)
        first, second = (
            Pool(take_rows(self.X, part), take_rows(self.y, part), self.name, self.replace)
            for part in (rows[:n_first], rows[n_first:])
        )
        return first, second


def least_size(share: float, size: Any = 0.05) -> Any:
    """Return the smallest size that a test of this size on new data can have on draws of a pool.

    The mean of items drawn without replacement has 1 − share of the variance of new items' mean.
    """
    from scipy.special import ndtr, ndtri

    return 2 * ndtr(ndtri(np.asarray(size) / 2) / np.sqrt(1 - share))


@dataclass(frozen=True, eq=False, slots=True)
class LabelNoise:
    """A source whose labels are wrong with a given probability.

    Attributes
    ----------
    source : Source
        Where items come from.
    rate : float
        Probability η that a label is replaced by another class, each equally likely. Up to η = ½
        no learner can have an expected error below η.

    Examples
    --------
    >>> import numpy as np
    >>> import outperform as op
    >>> noisy = op.lab.LabelNoise(op.lab.SixClasses(), 0.1)
    >>> noisy.draw(10, np.random.default_rng(0)).n
    10
    """

    source: Source
    rate: float

    def __post_init__(self) -> None:
        _share(self.rate, "rate", 1.0)

    @property
    def name(self) -> str:
        """A few words for tables and figures."""
        return f"{self.source.name}, {self.rate:.0%} label noise"

    @property
    def delta(self) -> float | None:
        """0 if that of the source is 0, otherwise None."""
        return 0.0 if self.source.delta == 0 else None

    def draw(self, n: int, rng: Generator) -> Dataset:
        """Draw from the source, then replace labels by others that were drawn.

        Parameters
        ----------
        n : int
            Number of items.
        rng : numpy.random.Generator
            Source of random numbers.

        Returns
        -------
        Dataset
            The items.
        """
        drawn = self.source.draw(n, rng)
        classes, codes = np.unique(np.asarray(drawn.y), return_inverse=True)
        if classes.size < 2:
            return drawn
        other = (codes + rng.integers(1, classes.size, n)) % classes.size
        wrong = rng.random(n) < self.rate
        return Dataset(drawn.X, classes[np.where(wrong, other, codes)], drawn.X_second)


def take_rows(table: Any, rows: npt.NDArray[Any]) -> Any:
    """Return rows of an array, a list, a sparse matrix or a data frame, as the same kind."""
    if isinstance(table, np.ndarray):
        return table[rows]
    if isinstance(table, list | tuple):
        return np.asarray(table)[rows]
    from ..engine.learning_data import Rows

    if isinstance(table, Rows):
        return table.take(rows)
    from scipy.sparse import issparse

    if issparse(table):
        return table[rows]
    import narwhals as nw

    return nw.from_native(table, eager_only=True, allow_series=True)[rows.tolist()].to_native()


def _share(value: float, name: str, highest: float) -> None:
    if not 0 <= value <= highest:
        raise DataError(f"{name} must be between 0 and {highest:g}, got {value!r}")


POPULATIONS = {
    "A": Mirror(),
    "B": Mirror(20, (0.3, 0.15), 0.1),
    "C": Mirror(20, (0.8, 0.4), 0.05, positive=0.2),
}
"""Mirror populations: few strong features, many weak ones, and many with a rare class."""


def mirror_population(name: str) -> Mirror:
    """Return one of three populations whose null hypothesis is exact for every learner.

    Parameters
    ----------
    name : {"A", "B", "C"}
        Which population.

    Returns
    -------
    Mirror
        The population.

    Examples
    --------
    >>> import outperform as op
    >>> op.lab.mirror_population("B").delta
    0.0
    """
    return POPULATIONS[validation.choice(name, "name", tuple(POPULATIONS))]
