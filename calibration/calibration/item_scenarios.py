"""Items with a known truth: right or wrong, in clusters, with samples, or one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from outperform.numerics.exact_sums import Array
from outperform.scores.item_codes import Codes
from outperform.views import ClusteredDifferences, Contingency, ItemSamples

Generator = np.random.Generator


@dataclass(frozen=True, slots=True)
class RightWrongItems:
    """n items of which the first model alone is right on a share p10, the second alone on p01."""

    n: int
    p10: float
    p01: float
    both: float = 0.6
    """The share that both have right."""

    @property
    def truth(self) -> float:
        return self.p10 - self.p01

    def draw(self, n_reps: int, rng: Generator) -> Contingency:
        both = min(self.both, 1 - self.p10 - self.p01)
        rest = 1 - both - self.p10 - self.p01
        cells = rng.multinomial(self.n, [rest, self.p01, self.p10, both], n_reps).astype(np.float64)
        return Contingency(*cells.T)


@dataclass(frozen=True, slots=True)
class ItemsInClusters:
    """Differences in G clusters of unequal size; items of a cluster correlate by `icc`."""

    n_clusters: int
    mean_size: int = 10
    icc: float = 0.0
    truth: float = 0.0

    @property
    def sizes(self) -> Any:
        """From half to one and a half times the mean size, in steps."""
        spread = np.linspace(0.5, 1.5, self.n_clusters) * self.mean_size
        return np.maximum(np.round(spread).astype(np.int64), 1)

    def draw(self, n_reps: int, rng: Generator) -> ClusteredDifferences:
        codes = np.repeat(np.arange(self.n_clusters), self.sizes)
        shared = rng.normal(0, np.sqrt(self.icc), (n_reps, self.n_clusters))[:, codes]
        own = rng.normal(0, np.sqrt(1 - self.icc), (n_reps, codes.size))
        values = (self.truth + shared + own)[:, None, None, :]
        labels = tuple(map(str, range(self.n_clusters)))
        return ClusteredDifferences(values, values, clusters=Codes(codes, labels))


@dataclass(frozen=True, slots=True)
class RightWrongClusters:
    """0/1 answers of two equally good models in G clusters, each with its own chances to be right.

    The chance of a model to be right on the items of a cluster follows a beta law of mean `p`, so
    that the answers within a cluster correlate by `icc`.
    """

    n_clusters: int
    p: float = 0.95
    icc: float = 0.3
    mean_size: int = 10

    def draw(self, n_reps: int, rng: Generator) -> ClusteredDifferences:
        sizes = ItemsInClusters(self.n_clusters, self.mean_size).sizes
        codes = np.repeat(np.arange(self.n_clusters), sizes)
        shape = (1 - self.icc) / self.icc
        sides = []
        for _ in range(2):
            own = rng.beta(self.p * shape, (1 - self.p) * shape, (n_reps, self.n_clusters))
            right = rng.random((n_reps, codes.size)) < own[:, codes]
            sides.append(right.astype(np.float64))
        values = (sides[0] - sides[1])[:, None, None, :]
        labels = tuple(map(str, range(self.n_clusters)))
        return ClusteredDifferences(values, values, clusters=Codes(codes, labels))


@dataclass(frozen=True, slots=True)
class ItemsWithSamples:
    """0/1 answers, K of each item by both models; items differ in how hard they are."""

    n: int
    n_samples: int
    spread: float = 0.3
    """How far an item's chance to be right strays from its centre, as a standard deviation."""
    centre: float = 0.5

    def draw(self, n_reps: int, rng: Generator) -> ItemSamples:
        """Both models are as likely to be right on new items, but not on each single item."""
        chances = [
            np.clip(self.centre + rng.normal(0, self.spread, (n_reps, self.n, 1)), 0, 1)
            for _ in range(2)
        ]
        shape = (n_reps, self.n, self.n_samples)
        a, b = (np.asarray(rng.random(shape) < chance, dtype=np.float64) for chance in chances)
        return ItemSamples.of(a, b)


@dataclass(frozen=True, slots=True)
class ItemsInARow:
    """Differences −1, 0, 1 of 0/1 items one after the other: a share ψ differs, by δ on average."""

    n: int
    discordant: float = 0.2
    truth: float = 0.0

    def draw(self, n_reps: int, rng: Generator) -> Array:
        up, down = (self.discordant + self.truth) / 2, (self.discordant - self.truth) / 2
        u = rng.random((n_reps, self.n))
        return (u < up).astype(np.float64) - (u > 1 - down)
