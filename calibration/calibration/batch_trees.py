"""Trees, forests and boosted trees that are trained on every split of many datasets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar
from zlib import crc32

import numpy as np

from outperform.numerics.exact_sums import Array

from .batch_learners import Predictions
from .fold_labels import FoldLabels

DEEP = 1 << 30


@dataclass(frozen=True, slots=True)
class BatchTrees:
    """A tree, a forest or boosted trees, with the settings and the algorithms of scikit-learn.

    Where cuts are equally good, and for bootstrap samples, random numbers belong to the data.
    """

    name: str
    n_trees: int = 0
    """Trees of a forest, each of a bootstrap sample, or of boosting; 0 for one tree of all."""
    depth: int = DEEP
    penalty: float = 0.0
    """Cost-complexity pruning: scikit-learn's `ccp_alpha`."""
    rate: float = 0.0
    """The learning rate of boosting; 0 for a mean of trees."""
    few: bool = False
    """Whether a node tries the square root of the number of features, or all."""

    def predict(self, X: Array, y: Array, folds: FoldLabels) -> Predictions:
        """Return which items are assigned to class 1, each by the model not trained on it."""
        # Gini impurity is twice the variance, so that its penalty weighs half as much here.
        return np.asarray(self._told(X, y, folds, self.penalty / 2) > (0.0 if self.rate else 0.5))

    def values(self, X: Array, y: Array, folds: FoldLabels) -> Array:
        """Return the predicted value of each item."""
        return self._told(X, y, folds, self.penalty)

    def _told(self, X: Array, y: Array, folds: FoldLabels, penalty: float) -> Array:
        from .tree_kernels import over_splits

        p, one = X.shape[-1], len(folds.labels) == 1
        settings = self.n_trees, max(int(p**0.5), 1) if self.few else p, self.depth
        found = []
        for at in range(len(X)):
            labels = np.ascontiguousarray(folds.labels[0 if one else at])
            own = np.random.default_rng(crc32(labels.tobytes(), crc32(X[at].tobytes())))
            seeds = own.integers(1, 2**31 - 1, size=len(labels) * folds.n_folds)
            order = np.ascontiguousarray(np.argsort(X[at], axis=0, kind="stable").T)
            items = np.ascontiguousarray(X[at].T), np.asarray(y[at], dtype=np.float64), order
            found.append(
                over_splits(*items, labels, folds.n_folds, seeds, settings, penalty, self.rate)
            )
        return np.stack(found)


@dataclass(frozen=True, slots=True)
class BatchC45:
    """The C4.5 of this package, pruned, which shares work between the splits of a dataset."""

    name: ClassVar[str] = "C4.5, pruned"

    def predict(self, X: Array, y: Array, folds: FoldLabels) -> Predictions:
        """Return which items are assigned to class 1, each by the model not trained on it."""
        from reproduction.learners import C45

        found = np.zeros((len(X), *folds.labels.shape[1:]), dtype=np.bool_)
        for at in range(len(X)):
            labels = folds.labels[0 if len(folds.labels) == 1 else at]
            splits, rows = [], []
            for row, own in enumerate(labels):
                for fold in range(folds.n_folds):
                    train = np.flatnonzero((own >= 0) & (own != fold))
                    splits.append((train, np.flatnonzero(own == fold)))
                    rows.append(row)
            told = C45().fit_predict_splits(X[at], y[at] > 0, splits)
            for row, (_, test), one in zip(rows, splits, told, strict=True):
                found[at, row, test] = one
        return found
