"""Differences on single test items of one split, or on the seeds of one split."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from .. import validation
from ..numerics.exact_sums import Array
from .contract import Context, View, asked_of, over_seeds, register_view
from .differences import CASES, Differences, from_arrays
from .differences import of_pairs as pairs_of_splits
from .losses import ItemLosses

if TYPE_CHECKING:
    from ..scores.split_scores import Scores


@dataclass(frozen=True, eq=False)
class ItemDifferences(Differences):
    """Differences of scores item by item, shape (..., 1, 1, items)."""

    @classmethod
    def of(
        cls, scores: Scores, first: str, second: str | None = None, *, null: float = 0.0
    ) -> Self:
        """Return how much better the first learner is on each item, or its scores alone."""
        sides = ItemLosses.of(scores, [name for name in (first, second) if name is not None])
        grids = [side.reshape(1, 1, -1) for side in sides.values.T]
        return cls.subtract(grids[0], None if second is None else grids[1], null=null)


def from_scores(
    layout: str,
    scores: Scores,
    first: str | None = None,
    second: str | None = None,
    *,
    mu0: float = 0.0,
) -> tuple[Differences, Context]:
    """Read the differences of two learners on items; on splits where no items are kept."""
    first, second = scores.pair(first, second)
    by_split = scores.items is None or over_seeds(scores)
    reads: type[Differences] = Differences if by_split else ItemDifferences
    view = reads.of(scores, first, second, null=validation.one_number(mu0, "mu0"))
    return view, asked_of(scores, (first, second), view.n_splits, of_items=True)


def of_pairs(layout: str, scores: Scores, i: Any, j: Any) -> tuple[Differences, int]:
    """Stack the differences of pairs."""
    if over_seeds(scores):
        return pairs_of_splits(layout, scores, i, j)
    view = ItemDifferences.subtract(*sides_of(scores, i, j))
    return view, view.n_splits


def sides_of(scores: Scores, i: Any, j: Any) -> tuple[Array, Array]:
    """Return the scores of both sides of pairs on items; only of learners that are in them."""
    used, places = np.unique([i, j], return_inverse=True)
    table = ItemLosses.of(scores, [scores.names[at] for at in used]).values.T
    first, second = (table[side].reshape(len(side), 1, 1, -1) for side in places.reshape(2, -1))
    return first, second


register_view(
    View(
        ItemDifferences,
        partial(from_arrays, ItemDifferences),
        from_scores,
        CASES,
        of_pairs,
        lambda scores: 1 if scores.items is None else scores.items.shape[1],
        layouts=("items",),
        of_items=True,
    )
)
