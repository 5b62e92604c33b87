"""Differences of losses in the order of the items: what tests of forecasts read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from .. import validation
from .contract import Case, Context, Generator, View, asked_of, register_view
from .differences import CASES, Differences, from_arrays
from .item_differences import ItemDifferences, of_pairs

if TYPE_CHECKING:
    from ..scores.split_scores import Scores


@dataclass(frozen=True, eq=False)
class LossSeries(ItemDifferences):
    """Differences item by item in the order of time, shape (..., 1, 1, items)."""

    independent: ClassVar[bool] = False


def from_scores(
    layout: str,
    scores: Scores,
    first: str | None = None,
    second: str | None = None,
    *,
    mu0: float = 0.0,
) -> tuple[Differences, Context]:
    """Read the differences of two learners on items; split scores are no series."""
    first, second = scores.pair(first, second)
    view = LossSeries.of(scores, first, second, null=validation.one_number(mu0, "mu0"))
    return view, asked_of(scores, (first, second), view.n_splits, of_items=True)


def _backwards(case: Case, layout: str, rng: Generator, first_counts: bool) -> Case:
    """Read a series backwards: it has the same autocovariances, which no other order has."""
    return case.each("backwards", lambda array: np.asarray(array)[::-1])


register_view(
    View(
        LossSeries,
        partial(from_arrays, LossSeries),
        from_scores,
        replace(CASES, reorder=_backwards),
        of_pairs,
        lambda scores: 1 if scores.items is None else scores.items.shape[1],
        layouts=("items",),
        of_items=True,
        in_order=True,
    )
)
