"""Preferences: judgements of pairs of models, item by item, with ties."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
import numpy.typing as npt

from ..numerics.exact_sums import Array


@dataclass(frozen=True, eq=False, slots=True)
class Preferences:
    """One row for each judgement: which item, which two models, and who won."""

    item: npt.NDArray[np.int64]
    first: npt.NDArray[np.int64]
    """Position of the model that was shown first."""
    second: npt.NDArray[np.int64]
    outcome: Array
    """1 where the first won, 0 where the second did, 1/2 for a tie."""

    def at(self, items: npt.NDArray[np.int64]) -> Preferences:
        """Return the judgements on some items, renumbered in the order they are asked for."""
        last = int(max(self.item.max(initial=0), items.max(initial=0)))
        place = np.full(last + 1, -1, dtype=np.int64)
        place[items] = np.arange(len(items))
        return self._kept(place[self.item] >= 0, item=place)

    def of(self, models: Sequence[int]) -> Preferences:
        """Return the judgements between some models, renumbered as they are asked for."""
        size = int(max(self.first.max(initial=0), self.second.max(initial=0), *models)) + 1
        place = np.full(size, -1, dtype=np.int64)
        place[list(models)] = np.arange(len(models))
        kept = (place[self.first] >= 0) & (place[self.second] >= 0)
        return self._kept(kept, first=place, second=place)

    def _kept(self, rows: npt.NDArray[np.bool_], **renumbered: Any) -> Preferences:
        made = {name: getattr(self, name)[rows] for name in ("item", "first", "second", "outcome")}
        return Preferences(**made | {name: by[made[name]] for name, by in renumbered.items()})

    def shares(self, n_models: int, n_items: int) -> Array:
        """Return the share of an item's judgements that each model won, ties half; NaN if none."""
        won, seen = np.zeros((2, n_models, n_items))
        np.add.at(won, (self.first, self.item), self.outcome)
        np.add.at(won, (self.second, self.item), 1 - self.outcome)
        np.add.at(seen, (self.first, self.item), 1.0)
        np.add.at(seen, (self.second, self.item), 1.0)
        return np.divide(won, seen, out=np.full_like(won, np.nan), where=seen > 0)

    def digest(self) -> str:
        """Return a sha256 (hex) of the judgements."""
        mixer = sha256()
        for part in (self.item, self.first, self.second, self.outcome):
            mixer.update(part.tobytes())
        return mixer.hexdigest()
