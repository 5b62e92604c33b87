"""Sources of data: distributions and pools of items from which datasets are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ..errors import DataError
from ..splitting import whole
from .scenarios import Dataset, Source

__all__ = ["LabelNoise", "Mirror", "Pool", "SixClasses", "SmallCluster", "take_rows"]

Generator = np.random.Generator


@dataclass(frozen=True, slots=True)
class Mirror:
    """A null that is exact for every learner, size and metric: two sets of features, exchangeable.

    The class is a fair coin; U and V are standard normals, with ± `shifts` added to the first of
    each by class; then a share `flip` of the labels is exchanged. The first learner sees U, the
    second V. With `weaken` V's shifts are that share smaller, and the null is left.
    """

    n_features: int = 5
    shifts: tuple[float, ...] = (0.8, 0.4)
    flip: float = 0.1
    weaken: float = 0.0
    name: ClassVar[str] = "mirror"

    def __post_init__(self) -> None:
        if len(self.shifts) > whole(self.n_features, "n_features", 1):
            raise DataError(
                f"{len(self.shifts)} shifts were given for {self.n_features} features; give at "
                "most one for each"
            )
        _share(self.flip, "flip", 0.5)
        _share(self.weaken, "weaken", 1.0)

    @property
    def delta(self) -> float | None:
        return 0.0 if self.weaken == 0 else None

    def draw(self, n: int, rng: Generator) -> Dataset:
        y = rng.integers(0, 2, n)
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
                f"n={n} leaves nothing beside a small cluster of {self.n_small}; raise n"
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
                f"X has {len(self.X)} items and y has {len(self.y)}; the same number, at least 2, "
                "is needed"
            )

    @property
    def n(self) -> int:
        return len(self.y)

    def draw(self, n: int, rng: Generator) -> Dataset:
        if n > self.n and not self.replace:
            raise DataError(
                f"{n} items were asked of a pool of {self.n}; ask for fewer, or pass replace=True"
            )
        rows = rng.integers(0, self.n, n) if self.replace else rng.permutation(self.n)[:n]
        return Dataset(take_rows(self.X, rows), take_rows(self.y, rows))

    def split(self, n_first: int, *, random_state: int) -> tuple[Pool, Pool]:
        """Return two pools without an item in common, as for calibration and experiment (D-45)."""
        if not 2 <= whole(n_first, "n_first", 2) <= self.n - 2:
            raise DataError(
                f"n_first={n_first} of {self.n} items; from 2 to {self.n - 2} are needed"
            )
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
        raise DataError(f"{name} must be a number from 0 to {highest:g}, got {value!r}")
