"""Likelihoods of naive Bayes: how probable values are within each class, for many training sets.

Arrays lead with S training sets, given by how often each holds each of the n items (S, n), and C
classes. Scores are log likelihoods (S, C, t) of t items for each training set. Of binary attributes
and two classes many datasets are judged in one call: Bouckaert and Frank's study of power (R-23)
fits millions of models to a few hundred items of ten binary attributes each. The answers are those
of `NaiveBayes` on such columns, both values declared.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from ..errors import DataError
from .attributes import Matrix

Codes = npt.NDArray[np.intp]

TIE = 1e-9
"""Log probabilities nearer than this are equal: products of the same counts, summed by chance in
another order, must not decide."""
LEAST = 1e-75
"""Weka's least density of a number."""
SMOOTHING = 1e-9
"""The share of the largest variance that scikit-learn's GaussianNB adds to all."""
DEFAULT_PRECISION = 0.01
"""Weka's precision of a column with fewer than two distinct values."""
Bits = npt.NDArray[np.bool_]


def by_class(often: Matrix, codes: Codes, n_classes: int, what: Matrix) -> Matrix:
    """Return the sums (S, C, m) of some columns (n, m) over the items of each class."""
    order = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[order], np.arange(n_classes + 1))
    often, what = often[:, order], what[order]
    sums = np.empty((len(often), n_classes, what.shape[1]))
    for c, (start, end) in enumerate(pairwise(ends)):
        np.matmul(often[:, start:end], what[start:end], out=sums[:, c])
    return sums


def shown(codes: Matrix, n_values: npt.NDArray[np.int64]) -> Matrix:
    """Return nominal codes as indicators (n, Σ n_values), all 0 for a missing value."""
    indicators = np.zeros((len(codes), int(n_values.sum())))
    rows, columns = np.nonzero(~np.isnan(codes))
    starts = np.cumsum(n_values) - n_values
    indicators[rows, starts[columns] + codes[rows, columns].astype(np.intp)] = 1
    return indicators


@dataclass(frozen=True, eq=False, slots=True)
class Tables:
    """Nominal columns: the log probability of each value."""

    logs: Matrix
    """(S, C, Σ n_values)"""

    @classmethod
    def count(
        cls, counts: Matrix, n_values: npt.NDArray[np.int64], declared: npt.NDArray[np.bool_]
    ) -> Tables:
        """Turn counts into log (n + 1) / (N + k); a domain that is not declared is what occurs."""
        starts = np.cumsum(n_values) - n_values
        totals = np.add.reduceat(counts, starts, axis=2)
        if declared.all():
            return cls(np.log(counts + 1) - np.log(totals + n_values).repeat(n_values, axis=2))
        occurs = counts.any(axis=1, keepdims=True) | declared.repeat(n_values)
        sizes = np.add.reduceat(occurs, starts, axis=2, dtype=np.float64)
        logs = np.log(counts + 1) - np.log(totals + sizes).repeat(n_values, axis=2)
        return cls(np.where(occurs, logs, 0.0))

    def scores(self, indicators: Matrix) -> Matrix:
        """Return the scores of items shown as indicators (S, t, Σ n_values)."""
        answer: Matrix = self.logs @ indicators.swapaxes(-1, -2)
        return answer


@dataclass(frozen=True, eq=False, slots=True)
class Gaussians:
    """Numeric columns: a normal density within each class."""

    mean: Matrix
    variance: Matrix
    """Both (S, C, m)."""
    rounding: Matrix
    """How much of a variance may be rounding, the worst of each training set (S,)."""

    @classmethod
    def estimate(cls, often: Matrix, codes: Codes, n_classes: int, items: Matrix) -> Gaussians:
        """Estimate means and variances from the sums of squares about the class means of all items.

        A class without a value of a column takes that of all classes.
        """
        known = ~np.isnan(items)
        filled = np.where(known, items, 0.0)
        one = np.ones((1, len(items)))
        n_all = by_class(one, codes, n_classes, known.astype(np.float64))[0]
        centre = by_class(one, codes, n_classes, filled)[0] / np.maximum(n_all, 1)
        moved = np.where(known, items - centre[codes], 0.0)
        m = items.shape[1]
        holes = not known.all()
        columns = [moved, moved * moved, known.astype(np.float64)]
        sums = by_class(often, codes, n_classes, np.hstack(columns if holes else columns[:2]))
        if holes:
            n = sums[..., 2 * m :]
        else:
            n = by_class(often, codes, n_classes, np.ones((len(items), 1)))
        some = np.maximum(n, 1)
        shift, square = sums[..., :m] / some, sums[..., m : 2 * m] / some
        variance = np.where(n > 1, np.maximum(square - shift * shift, 0.0), 0.0)
        mean = centre + shift
        n_column = np.maximum(n.sum(axis=1, keepdims=True), 1)
        middle = (n * mean).sum(axis=1, keepdims=True) / n_column
        spread = (n * (variance + (mean - middle) ** 2)).sum(axis=1, keepdims=True) / n_column
        grown = SMOOTHING * spread.max(axis=2, keepdims=True)
        grown = np.where(grown > 0, grown, SMOOTHING)
        rounding = 8 * np.finfo(np.float64).eps * square / (variance + grown)
        if (n == 0).any():
            mean, variance = np.where(n > 0, mean, middle), np.where(n > 0, variance, spread)
        return cls(mean, variance + grown, rounding.max(axis=(1, 2)))

    def scores(self, items: Matrix) -> Matrix:
        """Return the scores of items (S, t, m)."""
        off = items[:, None] - self.mean[:, :, None]
        off *= off
        weight = -0.5 / self.variance
        start = -0.5 * np.log(2 * np.pi * self.variance)
        known = ~np.isnan(items)
        if known.all():
            constant: Matrix = start.sum(axis=2)[..., None]
        else:
            off[np.broadcast_to(~known[:, None], off.shape)] = 0
            constant = start @ known.swapaxes(1, 2).astype(np.float64)
        exponent: Matrix = (off @ weight[..., None])[..., 0]
        return exponent + constant


@dataclass(frozen=True, eq=False, slots=True)
class Rounded:
    """Numeric columns as Weka's NormalEstimator has them, for one training set."""

    precision: Matrix
    mean: Matrix
    std: Matrix
    """(m,), (C, m), (C, m)"""

    @classmethod
    def estimate(cls, codes: Codes, n_classes: int, items: Matrix) -> Rounded:
        """Estimate precisions, means and standard deviations of values rounded to the precision."""
        precision = np.array([_precision(column) for column in items.T])
        rounded = np.rint(items / precision) * precision
        mean = np.zeros((n_classes, len(precision)))
        std = np.broadcast_to(precision / 6, mean.shape).copy()
        for c in range(n_classes):
            part = rounded[codes == c]
            known = ~np.isnan(part)
            n = known.sum(axis=0)
            mean[c] = np.where(known, part, 0).sum(axis=0) / np.maximum(n, 1)
            off = np.where(known, part - mean[c], 0)
            std[c] = np.maximum(std[c], np.sqrt((off * off).sum(axis=0) / np.maximum(n, 1)))
        return cls(precision, mean, std)

    def scores(self, items: Matrix) -> Matrix:
        """Return the scores (1, C, t) of items (1, t, m)."""
        at = np.rint(items[0] / self.precision) * self.precision
        off, half = at - self.mean[:, None], self.precision / 2
        std = self.std[:, None]
        # Weka subtracts two probabilities, which leaves nothing far above the mean.
        density = ndtr((off + half) / std) - ndtr((off - half) / std)
        logs = np.log(np.maximum(density, LEAST))
        logs[np.broadcast_to(np.isnan(at), logs.shape)] = 0
        answer: Matrix = logs.sum(axis=2)[None]
        return answer


def _precision(column: Matrix) -> float:
    """Return the mean gap between neighbouring distinct values."""
    distinct = np.unique(column[~np.isnan(column)])
    if distinct.size < 2:
        return DEFAULT_PRECISION
    return float((distinct[-1] - distinct[0]) / (distinct.size - 1))


def predict_binary(X: Any, y: Any, train: Any) -> Bits:
    """Return the class (B, S, n) of every item by models trained on S sets of items.

    X is (B, n, d), y (B, n), both of 0 and 1; train is (S, n), or (B, S, n) where each dataset has
    splits of its own. Every training set must hold both classes.
    """
    items, labels, masks = _bits(X, "X"), _bits(y, "y"), _bits(train, "train")
    n_datasets, n, _ = items.shape
    predicted = np.empty((n_datasets, masks.shape[-2], n), dtype=np.bool_)
    for number, (table, classes) in enumerate(zip(items, labels, strict=True)):
        part = masks[number] if masks.ndim == 3 else masks
        predicted[number] = _margins(table, classes, part) > TIE
    return predicted


def count_errors(X: Any, y: Any, train: Any, test: Any) -> npt.NDArray[np.int64]:
    """Return how many test items (B, S) the models get wrong; `test` is shaped as `train`."""
    wrong = predict_binary(X, y, train)
    wrong ^= _bits(y, "y")[:, None, :]
    wrong &= _bits(test, "test")
    errors: npt.NDArray[np.int64] = np.count_nonzero(wrong, axis=2).astype(np.int64)
    return errors


def _margins(items: Bits, labels: Bits, train: Bits) -> Matrix:
    """Return log P(1, x) - log P(0, x), (S, n).

    It is linear in x: each attribute adds one term if it is 0, another if it is 1.
    """
    # float32 counts exactly up to 2^24 items.
    numbers = items.astype(np.float32)
    columns = np.column_stack([np.ones(len(items), dtype=np.float32), numbers])
    masks = train.astype(np.float32)
    of_class = labels.astype(np.float32)[:, None]
    ones = np.rint(masks @ (columns * of_class)).astype(np.intp)
    zeros = np.rint(masks @ (columns * (1 - of_class))).astype(np.intp)
    if not (ones[:, 0].all() and zeros[:, 0].all()):
        raise DataError(
            "a training set holds only one class; every training set needs both. Draw it anew"
        )
    log = np.log(np.arange(1, len(items) + 3))  # log[n] = log(n + 1)
    n_one, n_zero = ones[:, :1], zeros[:, :1]
    spread = log[n_zero + 1] - log[n_one + 1]  # log(N + 2) of each class, for each attribute
    if_one = log[ones[:, 1:]] - log[zeros[:, 1:]] + spread
    if_zero = log[n_one - ones[:, 1:]] - log[n_zero - zeros[:, 1:]] + spread
    prior = (log[n_one] - log[n_zero])[:, 0]
    start = prior + if_zero.sum(axis=1)
    margins: Matrix = (if_one - if_zero) @ items.T.astype(np.float64)
    margins += start[:, None]
    return margins


def _bits(values: Any, name: str) -> Bits:
    array = np.asarray(values)
    if array.dtype == np.bool_:
        return array
    bits = array.astype(np.bool_)
    if array.dtype.kind not in "iuf" or (bits != array).any():
        raise DataError(f"{name} must hold 0 and 1 only; {name}.astype(bool) if that is meant")
    return bits
