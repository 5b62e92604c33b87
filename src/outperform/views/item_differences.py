"""Differences on single test items of one split, or on the seeds of one split."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from .. import validation
from ..numerics.exact_sums import Array
from .contract import Context, View, asked_of, over_seeds, register_view
from .differences import CASES, Differences, from_arrays
from .differences import of_pairs as pairs_of_splits
from .item_order import in_scores
from .losses import ItemLosses

if TYPE_CHECKING:
    from ..scores.split_scores import Scores


@dataclass(frozen=True, eq=False)
class ItemDifferences(Differences):
    """Differences of scores item by item, shape (..., 1, 1, items).

    Attributes
    ----------
    values : ndarray
        Differences.
    first : ndarray
        Scores of the first side.
    second : ndarray or None
        Scores of the second side, if there are two.
    null : float
        Difference under the null hypothesis.
    residual : ndarray or None
        What rounding took from the differences.
    test_train_ratio : float or None
        n_test / n_train.
    n_test : float or None
        Number of test items of a split.

    Examples
    --------
    >>> import outperform as op
    >>> scores = op.Scores.from_correct(["a", "b"], [[1, 1, 0, 1], [1, 0, 0, 0]])
    >>> op.extend.ItemDifferences.of(scores, "a", "b").flat
    array([0., 1., 0., 1.])
    """

    independent: ClassVar[bool] = True

    @classmethod
    def of(
        cls, scores: Scores, first: str, second: str | None = None, *, null: float = 0.0
    ) -> Self:
        """Return how much better the first learner is on each item.

        Parameters
        ----------
        scores : Scores
            Scores of the learners.
        first : str
            Name of the first learner.
        second : str, optional
            Name of the second learner; by default the scores of the first are taken.
        null : float, default=0.0
            Difference under the null hypothesis.

        Returns
        -------
        ItemDifferences
            Positive where the first learner is better.
        """
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
    asked = asked_of(scores, (first, second), view.n_splits, of_items=True)
    return view, replace(asked, notes=(*asked.notes, *in_scores(scores, (first, second))))


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
