"""What a study draws from: readings, scenarios that answer them, sources of data, and seeds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from ..designs import Design, parse_drawn
from ..errors import MethodError
from ..registry import Method, get
from ..views import Contingency, Crossed, Differences, Halves, ItemDifferences, OverDatasets

ScenarioView: TypeAlias = Differences | Contingency | Halves | Crossed
DRAWN = (Differences, ItemDifferences, Contingency, Halves, Crossed)
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
    """A population of experiments, of which many are drawn at once."""

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
            f"{asked.name} reads one difference for each of several datasets; an experiment of a "
            "scenario is about one dataset. Use for example 'corrected_t'"
        )
    planned = asked.published_design if design is None else design
    if planned is None:
        raise MethodError(
            f"{asked.name} was published with no design of its own; name one, as in "
            f"reading({asked.name!r}, 'holdout@1/3')"
        )
    plan = parse_drawn(planned, "a study")
    asked.check_design(plan)
    if asked.view.type not in DRAWN:
        raise MethodError(
            f"{asked.name} reads {asked.view.name}, which no scenario draws: it does not judge two "
            "learners on the same splits or items. Use for example 'corrected_t'"
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
