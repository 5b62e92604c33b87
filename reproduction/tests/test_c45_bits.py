"""C4.5 on packed bits predicts what C45 does on binary nominal attributes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from outperform import DataError
from reproduction.learners.c45_reference import reference_tree
from reproduction.learners.c45_tree import Training, choose


def unpacked(words: Any, n: int) -> Any:
    return np.unpackbits(words.view(np.uint8), axis=-1, bitorder="little")[..., :n]


def drawn(rng: np.random.Generator, n: int, d: int) -> tuple[Any, Any]:
    X = (rng.random((n, d)) < rng.random(d)).astype(int)
    rule = (X[:, 0] & X[:, 1 % d]) | X[:, 2 % d]
    return X, rule ^ (rng.random(n) < rng.choice([0.05, 0.2, 0.4]))


@pytest.mark.slow
@pytest.mark.requirement("R-15")
@pytest.mark.parametrize(
    "settings",
    [{}, {"raising": False}, {"pruned": False}, {"confidence": 0.1}, {"min_items": 4}],
    ids=str,
)
def test_masks_predict_what_trees_do(settings: dict[str, Any]) -> None:
    from reproduction.learners.c45_bits import binary_tree_predictions, packed
    from reproduction.learners.c45_kernels import predict_splits

    rng = np.random.default_rng(4)
    kept = {name: value for name, value in settings.items() if name != "min_items"}
    least = float(settings.get("min_items", 2))
    said_something = 0
    for _ in range(25):
        n, d = int(rng.integers(12, 330)), int(rng.integers(1, 12))
        X, y = drawn(rng, n, d)
        tested = np.stack([rng.permutation(n) < max(n // 5, 1) for _ in range(4)])
        splits = [(np.flatnonzero(~test), np.flatnonzero(test)) for test in tested]
        training = Training(X.astype(float), y, np.ones(d, bool), np.full(d, 2), 2, least)
        ours = binary_tree_predictions(
            packed(X.T)[None],
            packed(y)[None],
            packed(~tested)[None],
            packed(tested)[None],
            **settings,
        )
        said = unpacked(ours[0], n)
        for answer, (_, test), theirs in zip(
            said, splits, predict_splits(training, splits, **kept), strict=True
        ):
            np.testing.assert_array_equal(answer[test], theirs)
            said_something += len(np.unique(theirs)) > 1
    assert said_something > 20


def test_masks_predict_what_the_plain_reference_does() -> None:
    from reproduction.learners.c45_bits import binary_tree_predictions, packed

    rng = np.random.default_rng(9)
    for _ in range(6):
        X, y = drawn(rng, 130, 7)
        test = rng.random(130) < 0.3
        known = X[~test].astype(float), y[~test]
        part = Training(*known, np.ones(7, bool), np.full(7, 2), int(known[1].max()) + 1)
        ours = binary_tree_predictions(
            packed(X.T)[None], packed(y)[None], packed(~test)[None, None], packed(test)[None, None]
        )
        theirs = choose(reference_tree(part).scores(X[test].astype(float), part.nominal))
        np.testing.assert_array_equal(unpacked(ours[0, 0], 130)[test], theirs)


def test_errors_are_counted_for_every_dataset_and_split() -> None:
    from reproduction.learners.c45_bits import binary_tree_errors, binary_tree_predictions, packed

    rng = np.random.default_rng(2)
    pairs = [drawn(rng, 90, 6) for _ in range(5)]
    X_bits = packed(np.stack([X.T for X, _ in pairs]))
    y = np.stack([y for _, y in pairs])
    tested = np.stack([rng.permutation(90) < 30 for _ in range(3)])
    shared = packed(~tested)[None], packed(tested)[None]
    errors = binary_tree_errors(X_bits, packed(y), *shared)
    said = unpacked(binary_tree_predictions(X_bits, packed(y), *shared), 90)
    by_hand = ((said != y[:, None]) & tested).sum(axis=-1)
    np.testing.assert_array_equal(errors, by_hand)
    repeated = [np.repeat(masks, 5, axis=0) for masks in shared]
    np.testing.assert_array_equal(binary_tree_errors(X_bits, packed(y), *repeated), errors)


def test_too_many_items_for_the_tables_are_refused() -> None:
    from reproduction.learners.c45_bits import binary_tree_errors, packed

    every = packed(np.ones((1, 1, 1200), bool))
    with pytest.raises(DataError, match=r"1200 training items .* C45"):
        binary_tree_errors(every, every[0], every, every)
