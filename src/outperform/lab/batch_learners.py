"""Learners that are trained on every split of many datasets at once, to measure tests by.

Each is a frozen value with `predict(X, y, folds)`: X has shape (experiments, n, features), y (0 or
1) shape (experiments, n), and the answer says for every experiment, cross-validation and item what
the item is taken for by the model that was not trained on it. What a split's training items have
in common with those of others is computed once: sums of a fold are taken off those of all.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from ..designs import CalibratedKFold, Design, KFold, RepeatedKFold, Resampled, held_out
from ..errors import MethodError
from ..numerics.exact_sums import Array

Labels = npt.NDArray[np.int8]
Predictions = npt.NDArray[np.bool_]
SUPPORTED = (KFold, RepeatedKFold, Resampled, CalibratedKFold)
SMOOTHING = 1e-9
"""Share of the largest variance that is added to all of them, as scikit-learn's GaussianNB does."""


@dataclass(frozen=True, eq=False)
class FoldLabels:
    """Cross-validations as numbers: the fold of every item in each, −1 for items left out.

    A model that is tested on fold k is trained on all other items that have a fold. Folds from
    `n_folds` on are never tested: a random split has one tested fold, 0, and its training items 1.
    """

    labels: Labels
    """Shape (1 or experiments, cross-validations, n)."""
    n_folds: int

    @classmethod
    def of(cls, design: Design, n: int, seed: int) -> FoldLabels:
        """Draw the splits of a design, the very ones that a run with this seed would have."""
        if not isinstance(design, SUPPORTED) or design.stratified or design.grouped:
            raise MethodError(
                f"{design} is not available for learners in batches. Use a design such as "
                "'5x5cv+20halves', '10x10cv' or '30xresampled@1/3'"
            )
        rows = []
        for _, sides in held_out(design, n, None, None, seed):
            if isinstance(design, Resampled):
                for train, test in sides:
                    row = np.full(n, -1, dtype=np.int8)
                    row[np.setdiff1d(np.arange(n), test) if train is None else train] = 1
                    row[test] = 0
                    rows.append(row)
                continue
            row = np.full(n, -1, dtype=np.int8)
            for fold, (_, test) in enumerate(sides):
                row[test] = fold
            rows.append(row)
        folds = 1 if isinstance(design, Resampled) else design.folds
        return cls(np.stack(rows)[None], folds)

    def first(self, count: slice) -> FoldLabels:
        """Return some of the cross-validations."""
        return FoldLabels(self.labels[:, count], self.n_folds)

    @cached_property
    def members(self) -> Array:
        """Which items each cross-validation has, shape (1 or E, B, n)."""
        return np.asarray((self.labels >= 0).astype(np.float64))

    @cached_property
    def tested(self) -> Array:
        """Which items each fold tests, shape (1 or E, B·K, n)."""
        each = self.labels[:, :, None] == np.arange(self.n_folds, dtype=np.int8)[:, None]
        rows: Array = each.astype(np.float64).reshape(each.shape[0], -1, each.shape[-1])
        return rows

    @cached_property
    def places(self) -> npt.NDArray[np.intp]:
        """The row of `tested` that tests each item, shape (1 or E, B, n); any if none does."""
        b, k = self.labels.shape[1], self.n_folds
        return np.arange(b)[:, None] * k + np.clip(self.labels, 0, k - 1).astype(np.intp)

    def training_sums(self, columns: Array) -> Array:
        """Return sums of columns (E, n, q) over the training items of each fold: (E, B·K, q)."""
        of_folds = np.matmul(self.tested, columns)
        of_all = np.matmul(self.members, columns)
        return np.asarray(np.repeat(of_all, self.n_folds, axis=1) - of_folds)

    def fold_means(self, values: npt.NDArray[np.generic]) -> Array:
        """Return the mean over the test items of each fold, of values (E, B, n): (E, B, K)."""
        shape = (*self.labels.shape[:2], self.n_folds, -1)
        sums = np.stack(
            [(values * (self.labels == k)).sum(axis=-1) for k in range(self.n_folds)], axis=-1
        )
        return np.asarray(sums / self.tested.reshape(shape).sum(axis=-1))

    def at_items(self, of_folds: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return for each item what belongs to the fold that tests it: (E, B·K) to (E, B, n)."""
        e, (b, n) = len(of_folds), self.labels.shape[1:]
        flat = np.broadcast_to(self.places, (e, b, n)).reshape(e, -1)
        found: npt.NDArray[Any] = np.take_along_axis(of_folds, flat, axis=1).reshape(e, b, n)
        return found


@runtime_checkable
class BatchLearner(Protocol):
    """A learner that is trained on all splits of many datasets in one call."""

    @property
    def name(self) -> str:
        """A few words for tables."""

    def predict(self, X: Array, y: Array, folds: FoldLabels) -> Predictions:
        """Say which items are taken for class 1, each by the model not trained on it."""


@dataclass(frozen=True, slots=True)
class BatchBayes:
    """Gaussian naive Bayes, from sums of features and of their squares by class.

    `lean` is added to the log odds of class 1: two that lean to opposite classes are equally
    accurate where classes are exchangeable, but differ with the share of a class in the data.
    """

    lean: float = 0.0
    name: ClassVar[str] = "naive Bayes"

    def log_odds(self, X: Array, y: Array, folds: FoldLabels) -> Array:
        """Return the log odds of class 1, shape (E, B, n)."""
        coefficients = self._fitted(X, y, folds)
        one = np.ones((*X.shape[:2], 1))
        powers = np.concatenate([one, X, X * X], axis=-1).transpose(0, 2, 1)
        e, b, k = len(X), folds.labels.shape[1], folds.n_folds
        by_fold = coefficients.reshape(e, b, k, -1)
        odds = np.matmul(by_fold[:, :, 0], powers)
        for fold in range(1, k):
            np.copyto(odds, np.matmul(by_fold[:, :, fold], powers), where=folds.labels == fold)
        return np.asarray(odds + self.lean)

    def predict(self, X: Array, y: Array, folds: FoldLabels) -> Predictions:
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
        for sums, sign in ((of_one, 1.0), (everything - of_one, -1.0)):
            count = np.maximum(sums[..., :1], 1e-12)
            centre = sums[..., 1 : 1 + p] / count
            variance = np.maximum(sums[..., 1 + p :] / count - centre**2, 0) + least
            logs = np.log(count[..., 0]) - 0.5 * np.log(variance).sum(axis=-1)
            constant = logs - 0.5 * (centre**2 / variance).sum(axis=-1)
            parts.append(
                sign
                * np.concatenate([constant[..., None], centre / variance, -0.5 / variance], axis=-1)
            )
        return np.asarray(parts[0] + parts[1])


@dataclass(frozen=True, slots=True)
class BatchNeighbor:
    """The nearest neighbour: neighbours are sorted once, and each split takes its first."""

    name: ClassVar[str] = "1-NN"

    def predict(self, X: Array, y: Array, folds: FoldLabels) -> Predictions:
        squares = (X * X).sum(axis=-1)
        distances = squares[:, None, :] - 2 * np.matmul(X, X.transpose(0, 2, 1))
        order = np.argsort(distances, axis=-1)
        e, (b, n) = len(X), folds.labels.shape[1:]
        out = np.zeros((e, b, n), dtype=bool)
        shared = len(folds.labels) == 1
        for at in range(e):
            labels = folds.labels[0 if shared else at]
            out[at] = _nearest(order[at], y[at] > 0, labels)
        return out


def _nearest(
    order: npt.NDArray[np.intp], positive: Predictions, labels: Labels
) -> npt.NDArray[np.bool_]:
    """Return the class of the first neighbour that has another fold, shape (B, n)."""
    b, n = labels.shape
    found = np.zeros(b * n, dtype=bool)
    flat = labels.ravel()
    waiting = np.arange(b * n)
    start = waiting // n * n
    item = waiting - start
    for rank in range(n):
        near = order[item, rank]
        label = flat[start + near]
        good = (label >= 0) & (label != flat[waiting])
        found[waiting[good]] = positive[near[good]]
        left = ~good
        waiting, start, item = waiting[left], start[left], item[left]
        if not waiting.size:
            break
    return found.reshape(b, n)


@dataclass(frozen=True, slots=True)
class BatchSelector:
    """The feature with the largest gap between class means, cut at their midpoint."""

    name: ClassVar[str] = "selector"

    def predict(self, X: Array, y: Array, folds: FoldLabels) -> Predictions:
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
    """One cut of one feature by Gini impurity, between the training values next to it."""

    name: ClassVar[str] = "stump"

    def predict(self, X: Array, y: Array, folds: FoldLabels) -> Predictions:
        e, k, b = len(X), folds.n_folds, folds.labels.shape[1]
        feature = np.zeros((e, b * k), dtype=np.intp)
        cut, sign = np.zeros((2, e, b * k))
        sizes = (folds.labels >= 0).sum(axis=-1)
        for at in range(e):
            labels = folds.labels[0 if len(folds.labels) == 1 else at]
            order = np.argsort(X[at], axis=0, kind="stable").T
            for size in np.unique(sizes[0 if len(sizes) == 1 else at]):
                rows = np.flatnonzero((labels >= 0).sum(axis=-1) == size)
                places = (rows[:, None] * k + np.arange(k)).ravel()
                best = _best_cuts(X[at], y[at], order, labels[rows], k)
                feature[at, places], cut[at, places], sign[at, places] = best
        return _cut(X, folds, feature, cut, sign)


def _best_cuts(
    X: Array, y: Array, order: npt.NDArray[np.intp], labels: Labels, n_folds: int
) -> tuple[npt.NDArray[np.intp], Array, Array]:
    """Return feature, threshold and side of each fold of cross-validations of equally many items.

    Gini impurity is least where a²/L + c²/R is largest: a of the L items on the left, c of the R on
    the right are of class 1. An item that is not trained on repeats the cut before it.
    """
    b, p = len(labels), len(order)
    sorted_labels = labels[:, order]
    kept = sorted_labels >= 0
    size = int(np.count_nonzero(kept[0, 0]))
    items = np.broadcast_to(order, sorted_labels.shape)[kept].reshape(b * p, size)
    # Positions come first: sums run down columns, all of them at once.
    fold = np.ascontiguousarray(sorted_labels[kept].reshape(b * p, size).T)
    ones = np.ascontiguousarray((y[items] > 0).T)
    row, found = np.arange(b), []
    for k in range(n_folds):
        trained = fold != k
        left, a = _running(trained), _running(trained & ones)
        right, c = left[-1] - left, a[-1] - a
        purity = a * a / np.maximum(left, 0.5) + c * c / np.maximum(right, 0.5)
        of_column = purity.argmax(axis=0)
        most = np.take_along_axis(purity, of_column[None], axis=0).reshape(b, p)
        feature = most.argmax(axis=-1)
        column = row * p + feature
        place = of_column[column]
        after = trained[:, column] & (np.arange(size)[:, None] > place)
        low, high = (X[items[column, at], feature] for at in (place, after.argmax(axis=0)))
        sign = c[place, column] * left[place, column] - a[place, column] * right[place, column]
        found.append((feature, (low + high) / 2, sign))
    feature, cut, sign = (np.stack(parts, axis=1).ravel() for parts in zip(*found, strict=True))
    return feature, cut, sign


def _running(marks: npt.NDArray[np.bool_]) -> npt.NDArray[np.float32]:
    """Return sums down the columns, row by row: `cumsum` would go column by column."""
    sums = marks.astype(np.float32)
    for at in range(1, len(sums)):
        sums[at] += sums[at - 1]
    return sums


def _cut(
    X: Array, folds: FoldLabels, feature: npt.NDArray[np.intp], cut: Array, sign: Array
) -> Predictions:
    """Say which items lie on class 1's side of the cut of the fold that tests them."""
    e, n = X.shape[:2]
    chosen = folds.at_items(feature)
    values = X[np.arange(e)[:, None, None], np.arange(n), chosen]
    return np.asarray((values > folds.at_items(cut)) == (folds.at_items(sign) > 0))
