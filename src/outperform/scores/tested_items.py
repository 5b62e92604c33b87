"""Test items of scores, as views read them: their losses, who is right, how learners rank them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..errors import DataError, argument
from ..numerics import pair_counts
from ..numerics.exact_sums import Array
from .item_losses import BitItems, rises

if TYPE_CHECKING:
    from .split_scores import Scores


def ranked_items(scores: Scores) -> tuple[npt.NDArray[np.bool_], Array]:
    """Return which tested items are of the second class, and how learners rank them."""
    assert scores.probabilities is not None
    tested = ~np.isnan(scores.probabilities).any(axis=0)
    target = np.asarray(scores.target)
    return (target == np.unique(target)[-1])[tested], scores.probabilities[:, tested]


def losses_of_items(scores: Scores, names: Sequence[str] | None = None) -> tuple[Array, bool]:
    """Return losses (learners, items), each item tested once, and whether they are 0/1."""
    items = scores._items()
    chosen = [scores.index(name) for name in (names or scores.names)]
    scores._tested_once(items)
    losses = items.values[chosen].astype(np.float64, copy=False)
    if not rises(items.item):
        losses = losses[:, np.argsort(items.item, kind="stable")]
    return losses, items.loss == "zero-one"


def right_together(
    scores: Scores, names: Sequence[str] | None = None, beside: int | None = None
) -> tuple[pair_counts.PairCounts, int]:
    """Count the items that both learners of each pair have right, or of each pair with one."""
    if isinstance(scores.items, BitItems):
        kept = scores.items.of([scores.index(name) for name in (names or scores.names)])
        return pair_counts.counted(pair_counts.blocks_of(kept.right), beside), kept.n
    wrong = scores.wrong(names)  # losses: what was wrong is counted, without a copy
    counts = pair_counts.counted(pair_counts.words_of(wrong), beside)
    return counts.inverted(len(wrong)), len(wrong)


def train_sets_by_items(scores: Scores, name: str) -> Array:
    """Return the losses of one learner, training sets × common test items."""
    items = scores._items()
    sets = scores.n_splits
    per_set = items.item.size // sets
    common = items.item.reshape(sets, per_set) if per_set * sets == items.item.size else None
    if common is None or not (common == common[0]).all():
        raise DataError(
            "The training sets were not tested on the same items; they need a common test "
            f"set, as in {argument(design='8disjoint@200')}"
        )
    losses: Array = items.values[scores.index(name)].reshape(sets, per_set)
    return losses
