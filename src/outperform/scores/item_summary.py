"""The summary of items as the scores of one test set, which all that reads `Scores` can read."""

from __future__ import annotations

import numpy as np

from ..designs import parse
from ..errors import DataError
from ..numerics import exact_sums
from ..numerics.exact_sums import Array
from ..numerics.placements import areas_of
from .item_losses import AnyItems, SplitLosses
from .items import Items
from .split_scores import Scores


def scores_of(items: Items) -> Scores:
    """Return the mean of each model, and its loss on each item: the mean over samples."""
    if items.weights is not None:
        raise DataError(
            "These items have weights, which no method takes into account. Pass items without "
            "them; to let every cluster count the same, use cluster_t with weight='cluster'"
        )
    means = items.means
    n = items.n
    one_split = np.broadcast_to(np.int64(0), (n,))
    at = np.arange(n, dtype=np.int64)
    kept: AnyItems | None
    if items.kind == "ranked-items":
        kept, values = None, _areas(items)
    elif items.is_right_wrong:
        wrong = (1 - means if items.greater_is_better else means).astype(np.uint8)
        kept = SplitLosses("zero-one", wrong, one_split, at)
        values = means.sum(axis=1) / n  # counts, so the sum is exact
    else:
        losses = -means if items.greater_is_better else means
        kept = SplitLosses("given", losses, one_split, at)
        # A model of which some item has no judgement has no share there.
        known = [row[~np.isnan(row)] for row in means]
        values = np.array([exact_sums.mean(row) for row in known], dtype=np.float64)
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
        probabilities=items.probabilities,
        measured=items,
    )


def _areas(items: Items) -> Array:
    """Return the area under the ROC curve of each model: placements are whole numbers."""
    assert items.target is not None
    assert items.probabilities is not None
    positive = items.target == 1
    n1 = int(positive.sum())
    if not 0 < n1 < positive.size:
        raise DataError("roc_auc needs items of both classes; all have the same label.")
    return np.asarray(areas_of(positive, items.placements), dtype=np.float64)
