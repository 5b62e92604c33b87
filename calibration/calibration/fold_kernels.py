"""Nearest neighbours and best cuts over the folds of one dataset, compiled with numba."""

from __future__ import annotations

import numpy as np
from numba import njit

# mypy: disable-error-code="no-untyped-def,untyped-decorator"

jit = njit(cache=True, nogil=True, error_model="numpy")


@jit
def nearest_means(order, y, labels, k):
    """Return the mean of the first k neighbours that have another fold, shape (B, n)."""
    b, n = labels.shape
    found = np.zeros((b, n))
    for row in range(b):
        for item in range(n):
            total, met = 0.0, 0
            for rank in range(n):
                near = order[item, rank]
                label = labels[row, near]
                if label >= 0 and label != labels[row, item]:
                    total += y[near]
                    met += 1
                    if met == k:
                        break
            found[row, item] = total / k
    return found


@jit
def best_cut(folds, ones, fold, squares, width):
    """Return how pure the best cut of a feature is, where it lies, and what is right of it.

    Folds and classes are those of the items in order of the feature. The cut lies between two of
    them; −1 if no item trained on follows.
    """
    here, positive = 0, 0
    for place in range(len(folds)):
        trained = folds[place] != fold
        here += trained
        positive += trained & ones[place]
    most, low = np.float32(-1.0), 0
    beyond, c, left, a = here, positive, 0, 0
    for place in range(len(folds)):
        trained = folds[place] != fold
        left += trained
        a += trained & ones[place]
        purity = squares[left * width + a] + squares[(here - left) * width + positive - a]
        if purity > most:
            most, low, beyond, c = purity, place, here - left, positive - a
    high = low + 1
    while high < len(folds) and folds[high] == fold:
        high += 1
    return most, low, high if high < len(folds) else -1, beyond, c, here, positive


@jit
def best_cuts(X, one, order, labels, n_folds, squares, width):
    """Return feature, threshold and side of each fold of cross-validations of equally many items.

    Gini impurity is least where a²/L + c²/R is largest: a of the L items on the left, c of the R on
    the right are of class 1. An item that is not trained on repeats the cut before it. X and order
    are (features, items); a²/L is looked up at L·width + a.
    """
    p, n = order.shape
    b, size = len(labels), width - 1
    feature, top = np.zeros(b * n_folds, np.int64), np.full(b * n_folds, np.float32(-1.0))
    cut, sign = np.zeros((2, b * n_folds))
    folds, ones, items = np.empty(size, np.int8), np.empty(size, np.int8), np.empty(size, np.int64)
    for row in range(b):
        for f in range(p):
            at = 0
            for place in range(n):
                i = order[f, place]
                if labels[row, i] >= 0:
                    folds[at], ones[at], items[at] = labels[row, i], one[i], i
                    at += 1
            for fold in range(n_folds):
                model = row * n_folds + fold
                found = best_cut(folds, ones, fold, squares, width)
                most, low, high, beyond, c, here, positive = found
                if most > top[model]:
                    # Where nothing follows, the first item stands for it.
                    after = X[f, items[high if high >= 0 else 0]]
                    top[model], feature[model] = most, f
                    cut[model] = (X[f, items[low]] + after) / 2
                    sign[model] = c * (here - beyond) - (positive - c) * beyond
    return feature, cut, sign
