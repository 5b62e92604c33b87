"""Learners that are trained on every split of many datasets at once, to measure tests by.

Each is a frozen value with `predict(X, y, folds)`: X has shape (experiments, n, features), y (0 or
1) shape (experiments, n), and the answer says for every experiment, cross-validation and item what
the item is taken for by the model that was not trained on it. What a split's training items have
in common with those of others is computed once: sums of a fold are taken off those of all.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from outperform.numerics.exact_sums import Array

from .fold_labels import FoldLabels

Predictions = npt.NDArray[np.bool_]
MOST_KEPT = 1 << 24
"""Places in orders of neighbours (64 MB) up to which they are kept for other splits of the data."""
SMOOTHING = 1e-9
"""Share of the largest variance that is added to all of them, as scikit-learn's GaussianNB does."""


def at_each_item(constant: Array, weights: Array, X: Array, folds: FoldLabels) -> Array:
    """Return constant + x·weights of the model that is not trained on each item: (E, B, n).

    Models are those of the folds, shape (E, B·K) and (E, B·K, features).
    """
    e, b, k = len(X), folds.labels.shape[1], folds.n_folds
    columns = np.concatenate([np.ones((*X.shape[:2], 1)), X], axis=-1).transpose(0, 2, 1)
    models = np.concatenate([constant[..., None], weights], axis=-1).reshape(e, b, k, -1)
    found = np.matmul(models[:, :, 0], columns)
    for fold in range(1, k):
        np.copyto(found, np.matmul(models[:, :, fold], columns), where=folds.labels == fold)
    return np.asarray(found)


@runtime_checkable
class BatchLearner(Protocol):
    """A learner that is trained on all splits of many datasets in one call."""

    @property
    def name(self) -> str:
        """A few words for tables."""

    def predict(self, X: Array, y: Array, folds: FoldLabels) -> Predictions:
        """Return which items are assigned to class 1, each by the model not trained on it."""


@dataclass(frozen=True, slots=True)
class BatchBayes:
    """Gaussian naive Bayes for many datasets at once.

    Attributes
    ----------
    lean : float
        Constant that is added to the log odds of class 1.
    best : int
        Number of features to use, those whose variance is explained best by the classes (the
        largest F statistics) in each training set; 0 uses all.
    """

    lean: float = 0.0
    best: int = 0

    @property
    def name(self) -> str:
        """A few words for tables."""
        return f"best {self.best} features, then naive Bayes" if self.best else "naive Bayes"

    def log_odds(self, X: Array, y: Array, folds: FoldLabels) -> Array:
        """Return the log odds of class 1."""
        fitted = self._fitted(X, y, folds)
        powers = np.concatenate([X, X * X], axis=-1)
        return at_each_item(fitted[..., 0], fitted[..., 1:], powers, folds) + self.lean

    def predict(self, X: Array, y: Array, folds: FoldLabels) -> Predictions:
        """Return which items are assigned to class 1, each by the model not trained on it."""
        return np.asarray(self.log_odds(X, y, folds) > 0)

    def _fitted(self, X: Array, y: Array, folds: FoldLabels) -> Array:
        """Return the log odds as a sum over 1, x and x²: coefficients, shape (E, B·K, 1 + 2p)."""
        p = X.shape[-1]
        columns = np.concatenate([np.ones((*X.shape[:2], 1)), X, X * X], axis=-1)
        parts = []
        everything = folds.training_sums(columns)
        spread = everything[..., 1 + p :] / everything[..., :1]
        spread -= (everything[..., 1 : 1 + p] / everything[..., :1]) ** 2
        least = SMOOTHING * spread.max(axis=-1, keepdims=True)
        of_one = folds.training_sums(columns * y[..., None])
        used = self._used(everything, of_one, p)
        for sums, sign in ((of_one, 1.0), (everything - of_one, -1.0)):
            count = np.maximum(sums[..., :1], 1e-12)
            centre = sums[..., 1 : 1 + p] / count
            variance = np.maximum(sums[..., 1 + p :] / count - centre**2, 0) + least
            logs = np.log(count[..., 0]) - 0.5 * (used * np.log(variance)).sum(axis=-1)
            constant = logs - 0.5 * (used * centre**2 / variance).sum(axis=-1)
            slopes = used * centre / variance, -0.5 * used / variance
            parts.append(sign * np.concatenate([constant[..., None], *slopes], axis=-1))
        return np.asarray(parts[0] + parts[1])

    def _used(self, everything: Array, of_one: Array, p: int) -> Array:
        """Return 1 for features that are used and 0 for others: shape (E, B·K, p), or (1,)."""
        if not self.best:
            return np.ones(1)
        between, total = np.zeros(1), np.zeros(1)
        for sums in (of_one, everything - of_one):
            count = np.maximum(sums[..., :1], 1e-12)
            between = between + sums[..., 1 : 1 + p] ** 2 / count
            total = total + sums[..., 1 + p :]
        between = between - everything[..., 1 : 1 + p] ** 2 / everything[..., :1]
        total = total - everything[..., 1 : 1 + p] ** 2 / everything[..., :1]
        place = np.argsort(np.argsort(-between / total, axis=-1), axis=-1)
        return np.asarray(place < self.best, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class BatchNeighbor:
    """The k nearest neighbours for many datasets at once.

    Attributes
    ----------
    k : int
        Number of neighbours.
    """

    k: int = 1

    @property
    def name(self) -> str:
        """A few words for tables."""
        return f"{self.k}-NN"

    def predict(self, X: Array, y: Array, folds: FoldLabels) -> Predictions:
        """Return which items are assigned to class 1, each by the model not trained on it."""
        return np.asarray(2 * self.values(X, np.asarray(y > 0, dtype=np.float64), folds) > 1)

    def values(self, X: Array, y: Array, folds: FoldLabels) -> Array:
        """Return the mean of the neighbours' values."""
        from .fold_kernels import nearest_means

        features = _Features(sha256(X.tobytes()).digest(), X.shape, X.dtype.str, X)
        few = len(X) * X.shape[1] ** 2 <= MOST_KEPT
        order = (_by_distance if few else _by_distance.__wrapped__)(features)
        e, (b, n) = len(X), folds.labels.shape[1:]
        out = np.zeros((e, b, n))
        shared = len(folds.labels) == 1
        for at in range(e):
            labels = np.ascontiguousarray(folds.labels[0 if shared else at])
            out[at] = nearest_means(order[at], np.asarray(y[at], dtype=np.float64), labels, self.k)
        return out


@dataclass(frozen=True, slots=True)
class _Features:
    """Features of datasets that are known again by what they are."""

    digest: bytes
    shape: tuple[int, ...]
    dtype: str
    values: Array = field(compare=False)


@lru_cache(maxsize=2)
def _by_distance(features: _Features) -> npt.NDArray[np.int32]:
    """Return all items in order of their distance from each; kept for other splits of the data."""
    X = features.values
    squares = (X * X).sum(axis=-1)
    distances = squares[:, None, :] - 2 * np.matmul(X, X.transpose(0, 2, 1))
    # Equal distances keep the order of items: another sort would settle them by the processor.
    return np.argsort(distances, axis=-1, kind="stable").astype(np.int32)


@dataclass(frozen=True, slots=True)
class BatchSelector:
    """One feature, that with the largest gap between class means, for many datasets at once.

    The feature is cut at the midpoint of the class means.

    Attributes
    ----------
    name : str
        A few words for tables.
    """

    name: ClassVar[str] = "selector"

    def predict(self, X: Array, y: Array, folds: FoldLabels) -> Predictions:
        """Return which items are assigned to class 1, each by the model not trained on it."""
        columns = np.concatenate([np.ones((*X.shape[:2], 1)), X], axis=-1)
        both = folds.training_sums(columns)
        one = folds.training_sums(columns * y[..., None])
        other = both - one
        first, second = (s[..., 1:] / np.maximum(s[..., :1], 1) for s in (one, other))
        gap = first - second
        chosen = np.abs(gap).argmax(axis=-1)
        here = (*np.indices(chosen.shape), chosen)
        return _cut(X, folds, chosen, (first + second)[here] / 2, gap[here])


@dataclass(frozen=True, slots=True)
class BatchStump:
    """One cut of one feature by Gini impurity, for many datasets at once.

    Attributes
    ----------
    name : str
        A few words for tables.
    """

    name: ClassVar[str] = "stump"

    def predict(self, X: Array, y: Array, folds: FoldLabels) -> Predictions:
        """Return which items are assigned to class 1, each by the model not trained on it."""
        from .fold_kernels import best_cuts

        e, k, b = len(X), folds.n_folds, folds.labels.shape[1]
        feature = np.zeros((e, b * k), dtype=np.intp)
        cut, sign = np.zeros((2, e, b * k))
        sizes = (folds.labels >= 0).sum(axis=-1)
        for at in range(e):
            labels = folds.labels[0 if len(folds.labels) == 1 else at]
            values = np.ascontiguousarray(X[at].T)
            order = np.argsort(values, axis=1, kind="stable")
            for size in np.unique(sizes[0 if len(sizes) == 1 else at]):
                rows = np.flatnonzero((labels >= 0).sum(axis=-1) == size)
                places = (rows[:, None] * k + np.arange(k)).ravel()
                best = best_cuts(
                    values, y[at] > 0, order, labels[rows], k, _squares(size), size + 1
                )
                feature[at, places], cut[at, places], sign[at, places] = best
        return _cut(X, folds, feature, cut, sign)


@lru_cache(maxsize=16)
def _squares(size: int) -> npt.NDArray[np.float32]:
    """Return a²/L at L·(size + 1) + a: two numbers looked up cost less than two divisions."""
    count, ones = np.divmod(np.arange((size + 1) ** 2), size + 1)
    return np.asarray(ones * ones / np.maximum(count, 0.5), dtype=np.float32)


def _cut(
    X: Array, folds: FoldLabels, feature: npt.NDArray[np.intp], cut: Array, sign: Array
) -> Predictions:
    """Say which items lie on class 1's side of the cut of the fold that tests them."""
    e, n = X.shape[:2]
    chosen = folds.at_items(feature)
    values = X[np.arange(e)[:, None, None], np.arange(n), chosen]
    return np.asarray((values > folds.at_items(cut)) == (folds.at_items(sign) > 0))
