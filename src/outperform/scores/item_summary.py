"""The summary of items as the scores of one test set, which all that reads `Scores` can read."""

from __future__ import annotations

import numpy as np

from ..designs import parse
from ..numerics import exact_sums
from .item_losses import AnyItems, SplitLosses
from .items import Items
from .split_scores import Scores


def scores_of(items: Items) -> Scores:
    """Return the mean of each model, and its loss on each item: the mean over samples."""
    means = items.means
    n = items.n
    one_split = np.broadcast_to(np.int64(0), (n,))
    at = np.arange(n, dtype=np.int64)
    kept: AnyItems
    if items.is_right_wrong:
        wrong = (1 - means).astype(np.uint8)
        kept = SplitLosses("zero-one", wrong, one_split, at)
        values = (n - wrong.sum(axis=1, dtype=np.int64)) / n
    else:
        losses = -means if items.greater_is_better else means
        kept = SplitLosses("given", losses, one_split, at)
        values = np.array([exact_sums.mean(row) for row in means], dtype=np.float64)
    return Scores(
        items.names,
        values[:, None],
        np.zeros((1, 3), dtype=np.int64),
        n_test=np.array([float(n)]),
        metric=items.metric,
        greater_is_better=items.greater_is_better,
        design=parse(f"holdout@{n}"),
        items=kept,
        notes=items.notes,
        frame_kind=items.frame_kind,
        target=items.target,
        measured=items,
    )
