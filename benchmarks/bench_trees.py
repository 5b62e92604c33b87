"""C4.5 over many splits against refits of scikit-learn's DecisionTreeClassifier, on one core."""

from __future__ import annotations

from typing import Any

import numpy as np
from timing import Row, ratio_of

N, FOLDS = 300, 10


def measure() -> list[Row]:
    return [*_numeric(), *_binary()]


def _numeric() -> list[Row]:
    """Letter-like items: 16 attributes of 16 levels, 26 classes."""
    from reproduction.learners import C45

    rng = np.random.default_rng(1)
    centres = rng.normal(7.5, 3.0, (26, 16))
    y = rng.integers(0, 26, N)
    X = np.clip(np.rint(rng.normal(centres[y], 2.0)), 0, 15)
    splits = _folds(rng, 3)

    def ours(pruning: str | None) -> list[Any]:
        return list(C45(pruning=pruning).fit_predict_splits(X, y, splits))

    rows = []
    for pruning, mark in ((None, 4), ("pessimistic", 3)):
        ours(pruning)  # compiled, or read from the disk cache, once
        ratio = ratio_of(lambda p=pruning: ours(p), lambda: _refits(X, y, splits), rounds=31)
        name = f"C4.5, 16 numeric attributes, 26 classes, pruning={pruning} vs. refits"
        rows.append(Row(name, ratio, mark, note=f"n = {N}, {len(splits)} splits"))
    return rows


def _binary() -> list[Row]:
    """Ten binary attributes drawn from random networks, as Bouckaert & Frank's second study."""
    from reproduction.bayesian_networks import BayesianNetwork
    from reproduction.learners.c45_bits import binary_tree_errors, packed

    rng = np.random.default_rng(2)
    drawn = [BayesianNetwork.ban(seed, n_variables=11).draw(N, rng) for seed in range(20)]
    splits = _folds(rng, 10)
    train, test = np.zeros((2, len(splits), N), bool)
    for number, (inside, outside) in enumerate(splits):
        train[number, inside] = test[number, outside] = True
    X_bits = packed(np.stack([data.X.T for data in drawn]))
    y_bits = packed(np.stack([data.y for data in drawn]))
    masks = packed(train)[None], packed(test)[None]

    def ours() -> Any:
        return binary_tree_errors(X_bits, y_bits, *masks)

    def refits() -> None:
        for data in drawn:
            _refits(data.X, data.y, splits[:3])

    ours()
    share = 3 / len(splits)
    ratio = ratio_of(ours, refits, rounds=9, our_runs=3, their_share=share)
    note = f"n = {N}, {len(drawn)} datasets × {len(splits)} splits, subtree raising"
    return [Row("C4.5, 10 binary attributes vs. refits", ratio, 80, note=note)]


def _folds(rng: np.random.Generator, repeats: int) -> list[tuple[Any, Any]]:
    splits = []
    for _ in range(repeats):
        fold = rng.permutation(N) % FOLDS
        splits += [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(FOLDS)]
    return splits


def _refits(X: Any, y: Any, splits: list[tuple[Any, Any]]) -> None:
    from sklearn.tree import DecisionTreeClassifier

    for train, test in splits:
        DecisionTreeClassifier(random_state=0).fit(X[train], y[train]).predict(X[test])
