"""The learners over many splits against scikit-learn fitted split by split, answers equal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from timing import Row, ratio_of

from reproduction.learners import NaiveBayes, NearestNeighbor
from reproduction.learners.naive_bayes import count_errors

Split = tuple[Any, Any]

SAMPLE = 20
"""How many splits the peer is timed on; its time is scaled up."""


def measure() -> list[Row]:
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        neighbours = [_neighbours(300, 10, 40.0), _neighbours(300, 230, 400.0)]
        neighbours.append(_neighbours(2000, 10, 8.0))
        gaussian = [_gaussian(26, 20.0), _gaussian(2, 35.0)]
        return [*neighbours, *gaussian, _nominal(26, 12.0), _nominal(2, 60.0), _binary()]


def _splits(n: int, repeats: int, rng: np.random.Generator) -> list[Split]:
    """Return repeated 10-fold splits."""
    made = []
    for _ in range(repeats):
        for test in np.array_split(rng.permutation(n), 10):
            made.append((np.setdiff1d(np.arange(n), test), np.sort(test)))
    return made


def _row(
    name: str,
    mark: float,
    ours: Callable[[], list[Any]],
    peer: Callable[[], Any],
    X: Any,
    y: Any,
    splits: list[Split],
) -> Row:
    chosen = splits[:: len(splits) // SAMPLE]

    def theirs() -> list[Any]:
        return [peer().fit(X[train], y[train]).predict(X[test]) for train, test in chosen]

    for found, wanted in zip(ours()[:: len(splits) // SAMPLE], theirs(), strict=True):
        np.testing.assert_array_equal(found, wanted)
    share = len(chosen) / len(splits)
    ratio = ratio_of(ours, theirs, rounds=21, our_runs=3, their_share=share)
    note = f"answers equal; the peer timed on {len(chosen)} of {len(splits)} splits"
    return Row(name, ratio, mark, note=note)


def _neighbours(n: int, repeats: int, mark: float) -> Row:
    rng = np.random.default_rng(n + repeats)
    X, y = rng.normal(size=(n, 16)), rng.integers(0, 26, n)
    splits = _splits(n, repeats, rng)
    return _row(
        f"1-NN, n = {n}, {len(splits)} splits, vs. KNeighborsClassifier(1)",
        mark,
        lambda: NearestNeighbor().fit_predict_splits(X, y, splits),
        lambda: KNeighborsClassifier(1),
        X,
        y,
        splits,
    )


def _gaussian(n_classes: int, mark: float) -> Row:
    rng = np.random.default_rng(n_classes)
    y = rng.permutation(np.arange(300) % n_classes)
    X = rng.normal(size=(300, 16)) + 0.1 * y[:, None]
    splits = _splits(300, 10, rng)
    return _row(
        f"Gaussian naive Bayes, n = 300, 100 splits, {n_classes} classes, vs. GaussianNB",
        mark,
        lambda: NaiveBayes(variant="gaussian").fit_predict_splits(X, y, splits),
        GaussianNB,
        X,
        y,
        splits,
    )


def _nominal(n_classes: int, mark: float) -> Row:
    rng = np.random.default_rng(n_classes)
    y = rng.permutation(np.arange(300) % n_classes)
    X = (rng.integers(0, 3, (300, 16)) + (rng.random((300, 16)) < 0.3) * y[:, None]) % 3
    splits = _splits(300, 10, rng)
    learner = NaiveBayes(variant="gaussian", nominal="all")
    return _row(
        f"nominal naive Bayes, n = 300, 100 splits, {n_classes} classes, vs. CategoricalNB",
        mark,
        lambda: learner.fit_predict_splits(X, y, splits),
        lambda: CategoricalNB(alpha=1, min_categories=3),
        X,
        y,
        splits,
    )


def _binary() -> Row:
    """Time the batch: 20 datasets × 100 splits of 300 items, 10 binary attributes."""
    rng = np.random.default_rng(0)
    y = rng.random((20, 300)) < 0.5
    X = rng.random((20, 300, 10)) < np.where(y[..., None], 0.6, 0.4)
    splits = _splits(300, 10, rng)
    test = np.zeros((100, 300), dtype=np.bool_)
    for row, (_, items) in zip(test, splits, strict=True):
        row[items] = True

    def theirs() -> None:
        for train, items in splits[::5]:
            CategoricalNB(min_categories=2).fit(X[0][train], y[0][train]).predict(X[0][items])

    ratio = ratio_of(lambda: count_errors(X, y, ~test, test), theirs, rounds=9, their_share=0.01)
    name = "naive Bayes on binary attributes, batches of splits, vs. CategoricalNB"
    return Row(name, ratio, 150.0, note="20 datasets × 100 splits; the peer timed on 20 splits")
