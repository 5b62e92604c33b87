"""What a study draws from: readings, scenarios that answer them, sources of data, and seeds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, ClassVar, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

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

    Methods with equal readings are judged on the same numbers.
    """

    view: type[Any]
    design: Design

    @property
    def key(self) -> int:
        """A word for the spawn key of the splits this reading is of: views of one design agree."""
        digest = sha256(str(self.design).encode()).digest()
        return int.from_bytes(digest[:4], "big")

    def __str__(self) -> str:
        words = re.sub("(?<=[a-z])(?=[A-Z])", " ", self.view.__name__).lower()
        return f"{words} of {self.design}"


@runtime_checkable
class Scenario(Protocol):
    """A population of experiments, of which many are drawn at once.

    One with `null_at_zero` true says that both sides are known to be equal at effect 0.
    """

    @property
    def name(self) -> str:
        """A few words for tables and figures."""

    @property
    def block(self) -> int:
        """How many experiments are drawn with one seed: part of the answer, not of the chunking."""

    def draw(
        self,
        readings: Sequence[Reading],
        n_reps: int,
        seed: np.random.SeedSequence,
        effect: float = 0.0,
    ) -> dict[Reading, ScenarioView]:
        """Draw `n_reps` experiments; each view has them as its leading axis.

        A reading's numbers depend on the seed and on itself, never on what else is read.
        """


@dataclass(frozen=True, eq=False, slots=True)
class Dataset:
    """Items with their classes; `X_second` where the second learner sees other features."""

    X: Any
    y: Any
    X_second: Any = None

    @property
    def n(self) -> int:
        return len(self.y)


@runtime_checkable
class Source(Protocol):
    """A distribution of items, or a pool of them, from which datasets are drawn."""

    @property
    def name(self) -> str:
        """A few words for tables and figures."""

    @property
    def delta(self) -> float | None:
        """The true difference of two learners where the source alone settles it, else None."""

    def draw(self, n: int, rng: np.random.Generator) -> Dataset:
        """Draw a dataset of `n` items."""


def reading(method: Method | str, design: object = None) -> Reading:
    """Return what a method reads under a design, by default the one it was published with."""
    asked = get(method) if isinstance(method, str) else method
    if asked.view.type is OverDatasets:
        raise MethodError(
            f"{asked.name} takes one difference for each of several datasets, but an experiment "
            "of a scenario has one dataset. Use for example 'corrected_t'"
        )
    planned = asked.published_design if design is None else design
    if planned is None:
        raise MethodError(
            f"{asked.name} has no published design. Use one explicitly, as in "
            f"reading({asked.name!r}, 'holdout@1/3')"
        )
    plan = parse_drawn(planned, "a study")
    asked.check_design(plan)
    if asked.view.type not in DRAWN:
        raise MethodError(
            f"{asked.name} takes {asked.view.name}, which no scenario draws: it does not compare "
            "two learners on the same splits or items. Use for example 'corrected_t'"
        )
    return Reading(asked.view.type, plan)


def blocks(n_reps: int, block: int) -> Iterator[tuple[int, int]]:
    """Yield the number of each block and how many experiments it holds."""
    for number, start in enumerate(range(0, n_reps, block)):
        yield number, min(block, n_reps - start)


def block_seed(random_state: int, effect_index: int, block: int) -> np.random.SeedSequence:
    """Return the seed of one block: it belongs to its address, not to an order of execution."""
    return np.random.SeedSequence(random_state, spawn_key=(effect_index, block))


def stream(seed: np.random.SeedSequence, *words: int) -> np.random.Generator:
    """Return the generator of one purpose under a seed; asking twice gives the same numbers."""
    child = np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, *words))
    return np.random.Generator(np.random.PCG64(child))


Generator = np.random.Generator


@dataclass(frozen=True, slots=True)
class Mirror:
    """A null that is exact for every learner, size and metric: two sets of features, exchangeable.

    The class is 1 with probability `positive`; U and V are standard normals, with ± `shifts` added
    to the first of each by class; then a share `flip` of the labels is exchanged. The first learner
    sees U, the second V. With `weaken` V's shifts are that share smaller, and the null is left.
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
        return 0.0 if self.weaken == 0 else None

    def draw(self, n: int, rng: Generator) -> Dataset:
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
    """Points of the square [0, 15]², in six classes: a stand-in for EXP6, which is lost (E-D11).

    The paper keeps of EXP6 only a grid of step 0.1 with 151² points (D-44). Here the class is that
    of the nearest of six sites, with straight borders that are not parallel to the axes.
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
        return self._classified(rng.uniform(0.0, self.side, (n, 2)))

    def grid(self, step: float = 0.1) -> Dataset:
        """Return a grid over the square: 22,801 points at step 0.1, for calibration (D-44)."""
        axis = np.linspace(0.0, self.side, round(self.side / step) + 1)
        return self._classified(np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2))

    def _classified(self, X: npt.NDArray[np.float64]) -> Dataset:
        distance = ((X[:, None, :] - np.array(self.sites)) ** 2).sum(axis=-1)
        return Dataset(X, distance.argmin(axis=1))


@dataclass(frozen=True, slots=True)
class SmallCluster:
    """A large cluster of one class and, beside it, a small one of another (D-30).

    How a small cluster falls into two halves moves the errors of nearest neighbour in both.
    """

    n_small: int = 6
    distance: float = 3.0
    radius: float = 0.3
    name: ClassVar[str] = "small cluster"
    delta: ClassVar[float | None] = None

    def draw(self, n: int, rng: Generator) -> Dataset:
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
    """Real data as a population: datasets are drawn from its items (D-45, D-46, N-26).

    Without replacement, as both papers draw them, unless `replace`.
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
        return len(self.y)

    def draw(self, n: int, rng: Generator) -> Dataset:
        if n > self.n and not self.replace:
            raise DataError(
                f"A pool of {self.n} items cannot provide {n} without replacement; use fewer, or "
                "pass replace=True"
            )
        rows = rng.integers(0, self.n, n) if self.replace else rng.permutation(self.n)[:n]
        return Dataset(take_rows(self.X, rows), take_rows(self.y, rows))

    def split(self, n_first: int, *, random_state: int) -> tuple[Pool, Pool]:
        """Return two pools without an item in common, as for calibration and experiment (D-45)."""
        if not 2 <= whole(n_first, "n_first", 2) <= self.n - 2:
            raise DataError(f"n_first must be between 2 and {self.n - 2}, got {n_first}.")
        rows = np.random.default_rng(random_state).permutation(self.n)
        first, second = (
            Pool(take_rows(self.X, part), take_rows(self.y, part), self.name, self.replace)
            for part in (rows[:n_first], rows[n_first:])
        )
        return first, second


@dataclass(frozen=True, eq=False, slots=True)
class LabelNoise:
    """A source whose labels are wrong with probability η, so that no error is below η (D-14)."""

    source: Source
    rate: float

    def __post_init__(self) -> None:
        _share(self.rate, "rate", 1.0)

    @property
    def name(self) -> str:
        return f"{self.source.name}, {self.rate:.0%} label noise"

    @property
    def delta(self) -> float | None:
        """0 stays 0; any other difference shrinks by an amount that depends on the classes."""
        return 0.0 if self.source.delta == 0 else None

    def draw(self, n: int, rng: Generator) -> Dataset:
        """Draw from the source, then exchange labels for others that were drawn."""
        drawn = self.source.draw(n, rng)
        classes, codes = np.unique(np.asarray(drawn.y), return_inverse=True)
        if classes.size < 2:
            return drawn
        other = (codes + rng.integers(1, classes.size, n)) % classes.size
        wrong = rng.random(n) < self.rate
        return Dataset(drawn.X, classes[np.where(wrong, other, codes)], drawn.X_second)


def take_rows(table: Any, rows: npt.NDArray[Any]) -> Any:
    """Return rows of an array, a list or a data frame of any kind, as the same kind of thing."""
    if isinstance(table, np.ndarray):
        return table[rows]
    if isinstance(table, list | tuple):
        return np.asarray(table)[rows]
    import narwhals as nw

    return nw.from_native(table, eager_only=True, allow_series=True)[rows.tolist()].to_native()


def _share(value: float, name: str, highest: float) -> None:
    if not 0 <= value <= highest:
        raise DataError(f"{name} must be between 0 and {highest:g}, got {value!r}")
