"""The compiled C4.5 builds the very trees of its plain reference."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reproduction.learners.c45_reference import more_errors, reference_tree
from reproduction.learners.c45_tree import Training, Tree, choose

SETTINGS = (
    {"pruned": True, "raising": True},
    {"pruned": True, "raising": False},
    {"pruned": True, "raising": True, "confidence": 0.05},
    {"pruned": False},
)


def mixed_items(seed: int, *, n: int = 80, missing: float = 0.15, n_classes: int = 3) -> Training:
    """Draw numeric and nominal attributes, some of them telling, some values missing."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    X = np.column_stack(
        [
            rng.normal(y, 1.0),
            rng.integers(0, 6, n) + y,
            (y + rng.integers(0, 2, n)) % 4,
            rng.integers(0, 5, n),
            rng.normal(size=n),
        ]
    ).astype(float)
    X[rng.random(X.shape) < missing] = np.nan
    nominal = np.array([False, False, True, True, False])
    return Training(X, y, nominal, np.array([0, 0, 4, 6, 0]), n_classes)


def assert_same_tree(one: Tree, other: Tree) -> None:
    np.testing.assert_array_equal(one.attribute, other.attribute)
    np.testing.assert_array_equal(one.first_child, other.first_child)
    np.testing.assert_array_equal(one.cut, other.cut)
    np.testing.assert_allclose(one.counts, other.counts, atol=1e-9)


@pytest.mark.parametrize("options", SETTINGS)
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_compiled_trees_equal_the_reference(options: dict[str, Any], missing: float) -> None:
    from reproduction.learners.c45_kernels import compiled_tree

    grown = 0
    for seed in range(8):
        training = mixed_items(seed, missing=missing)
        tree = reference_tree(training, **options)
        assert_same_tree(compiled_tree(training, **options), tree)
        grown += tree.n_leaves > 2
    assert grown > 4, "the comparison should meet trees, not stumps"


@pytest.mark.slow
@given(st.integers(0, 10**6), st.integers(4, 40), st.floats(0, 0.5), st.integers(1, 4))
@settings(max_examples=40)
def test_small_odd_datasets_give_equal_trees(
    seed: int, n: int, missing: float, n_classes: int
) -> None:
    from reproduction.learners.c45_kernels import compiled_tree

    training = mixed_items(seed, n=n, missing=missing, n_classes=n_classes)
    assert_same_tree(compiled_tree(training), reference_tree(training))


def test_splits_trained_together_answer_as_the_reference_alone() -> None:
    from reproduction.learners.c45_kernels import predict_splits

    training = mixed_items(3, n=120, n_classes=4)
    rng = np.random.default_rng(0)
    orders = [rng.permutation(120) for _ in range(6)]
    splits = [(np.sort(order[40:]), order[:40]) for order in orders]
    together = predict_splits(training, splits)
    for (train, test), said in zip(splits, together, strict=True):
        tree = reference_tree(training.take(train))
        alone = choose(tree.scores(training.X[test], training.nominal))
        np.testing.assert_array_equal(said, alone)


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_release_1_charges_nothing_for_a_cut(missing: float) -> None:
    from reproduction.learners.c45_kernels import compiled_tree

    larger = 0
    for seed in range(8):
        charged = mixed_items(seed, missing=missing)
        free = replace(charged, charge=0.0)
        tree = reference_tree(free, pruned=False)
        assert_same_tree(compiled_tree(free, pruned=False), tree)
        larger += tree.n_leaves > reference_tree(charged, pruned=False).n_leaves
    assert larger > 1, "cuts that pay nothing should be made more often"


def test_many_values_are_left_out_of_the_average_gain() -> None:
    from reproduction.learners.c45_kernels import compiled_tree

    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 40)
    X = np.column_stack([np.arange(40) % 20, y ^ (rng.random(40) < 0.2), rng.integers(0, 3, 40)])
    training = Training(X.astype(float), y, np.ones(3, bool), np.array([20, 2, 3]), 2)
    assert_same_tree(compiled_tree(training), reference_tree(training))


@pytest.mark.parametrize(
    ("total", "errors", "expected"),
    [
        # Quinlan's book, C4.5 (1993) p. 41: U25%(0,6) = .206, U25%(0,9) = .143, U25%(0,1) = .750;
        # here they are multiplied by the number of items.
        (6, 0, 6 * 0.206),
        (9, 0, 9 * 0.143),
        (1, 0, 0.750),
    ],
)
@pytest.mark.requirement("D-41")
def test_added_errors_are_those_of_quinlans_book(
    total: float, errors: float, expected: float
) -> None:
    assert more_errors(total, errors, 0.25) == pytest.approx(expected, abs=5e-3)


def test_added_errors_never_exceed_the_items() -> None:
    for total in (1.0, 2.5, 7.0, 40.0):
        for errors in np.linspace(0, total, 23):
            added = more_errors(total, float(errors), 0.25)
            assert 0 <= added <= total - errors + 1e-12
