"""The record of a race: the scores that were raced, what was asked, and how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import DataError
from ..numerics.exact_sums import Array
from ..results.records import SCHEMA, sealed
from ..scores.item_codes import Codes
from ..scores.items import Items
from ..scores.payload import encoded

if TYPE_CHECKING:
    from .race import Race

ASKED = ("method", "alpha", "rope", "population", "bounds", "seed")
ASKED_OF_RACES = (*ASKED, "called")
LEFT_OUT = ("schema", "versions")


@dataclass(frozen=True, eq=False)
class RacedScores:
    """The scores of two models on the items of a race, in the order in which they were given."""

    n: int
    given: tuple[Array, Array] | None = None
    """One score for each item and model; None of functions, which score what is drawn only."""
    known: Mapping[int, tuple[float, float]] = field(default_factory=dict)
    """By position of the item: the scores that functions gave."""
    items: Items | None = None
    """Where the scores come from, with ids and samples."""
    clusters: Codes | None = None
    metric: str = "score"
    lower_is_better: bool = False
    called: bool = False
    """Whether functions gave the scores, so that others might have been anything."""

    @classmethod
    def of(cls, pair: Items, *, called: bool = False) -> RacedScores:
        """Take the mean of the samples of each item."""
        lower = not pair.greater_is_better
        sides = pair.means[0], pair.means[1]
        return cls(pair.n, sides, {}, pair, pair.clusters, pair.metric, lower, called)

    @property
    def sides(self) -> tuple[Array, Array]:
        """The scores of both models, NaN on items that were never scored."""
        if self.given is not None:
            return self.given
        table = np.full((2, self.n), np.nan)
        for item, scores in self.known.items():
            table[:, item] = scores
        return table[0], table[1]

    def drawn(self, seed: int, n: int) -> tuple[Array, Array]:
        """Return the scores of the first n items in the order of a race."""
        first, second = self.sides
        rng = np.random.default_rng(seed)
        if self.clusters is None:
            order = rng.permutation(first.size)
        else:
            place = np.argsort(rng.permutation(len(self.clusters.labels)))
            order = np.argsort(place[self.clusters.codes], kind="stable")
        return first[order[:n]], second[order[:n]]

    def within(self, bounds: tuple[float, float]) -> bool:
        """Tell whether all scores are known to lie within bounds."""
        if self.called or self.given is None:
            return False
        return all(bool(((bounds[0] <= s) & (s <= bounds[1])).all()) for s in self.given)

    def as_items(self, names: tuple[str, str]) -> Items:
        """Return the scores as a record contains them."""
        if self.items is not None:
            return self.items
        values = np.stack(self.sides)[:, :, None]
        found = Items(names, values, self.metric, not self.lower_is_better)
        return found if self.clusters is None else _clustered(found, self.clusters)


def _clustered(items: Items, clusters: Codes) -> Items:
    from dataclasses import replace

    return replace(items, clusters=clusters, cluster_name="cluster")


def race_record(race: Race) -> dict[str, Any]:
    """Return the record of a race, sealed."""
    if race.measured is None:
        raise DataError("This race has no scores, which a record must contain.")
    whole = race.to_dict()
    return sealed(
        {
            "schema": SCHEMA,
            "kind": "race",
            "estimand": race.estimand(),
            "measured": encoded(race.measured.as_items(race.names)),
            "asked": {
                **{name: encoded(whole[name]) for name in ASKED},
                "called": race.measured.called,
            },
            "found": findings(race),
            "versions": whole["versions"],
        }
    )


def findings(race: Race) -> dict[str, Any]:
    """Return what is computed again: how the race ended, and the points of its sequence."""
    whole = {k: encoded(v) for k, v in race.to_dict().items() if k not in LEFT_OUT}
    points = [[n, *map(_finite, rest)] for n, *rest in race.path]
    return {**whole, "path": points}


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None
