"""Naive Bayes on binary attributes and two classes, for many datasets and splits in one call.

Bouckaert and Frank's study of power (R-23) fits millions of models to a few hundred items of ten
binary attributes each. The answers are those of `NaiveBayes` on such columns, both values declared.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import DataError
from .attributes import Matrix
from .naive_bayes import TIE

__all__ = ["count_errors", "predict_binary"]

Bits = npt.NDArray[np.bool_]


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
