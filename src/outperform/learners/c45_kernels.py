"""C4.5 compiled: one tree as arrays, or the predictions of many splits of one dataset."""
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .c45_growing import MOST_VALUES, SMALL, Training
from .c45_growing_kernels import grow_nodes
from .c45_pruning import normal_quantile
from .c45_pruning_kernels import choose_classes, collapse_nodes, prune_nodes
from .c45_tree import Tree, keep_reachable
from .c45_weighing_kernels import jit

__all__ = ["compiled_tree", "predict_splits"]


def compiled_tree(
    training: Training, *, pruned: bool = True, confidence: float = 0.25, raising: bool = True
) -> Tree:
    """Grow, collapse and prune a tree: `reference_tree`, compiled."""
    data, order = _prepared(training)
    rows = np.arange(len(training.y), dtype=np.uint32)
    settings = training.min_items, pruned, *_limit(confidence), raising
    nodes = _tree(data, order, rows, training.n_classes, settings, rows[:0], False)
    return keep_reachable(Tree(*nodes), nodes[0])


def predict_splits(
    training: Training,
    splits: Sequence[tuple[Any, Any]],
    *,
    pruned: bool = True,
    confidence: float = 0.25,
    raising: bool = True,
) -> list[Any]:
    """Return the class codes of the test rows of each split, its training rows in order.

    The attributes are sorted once. A class that is not trained on does not exist for that split.
    """
    data, order = _prepared(training)
    trains, train_ends = _joined([train for train, _ in splits])
    tests, test_ends = _joined([test for _, test in splits])
    settings = training.min_items, pruned, *_limit(confidence), raising
    said = _splits(data, order, trains, train_ends, tests, test_ends, training.n_classes, settings)
    return np.split(said, test_ends[1:-1])


def _prepared(training: Training) -> tuple[Any, Any]:
    columns = np.ascontiguousarray(training.X.T)
    order = np.argsort(columns, axis=1, kind="stable").astype(np.uint32)
    n_values = training.n_values.astype(np.int64)
    return (columns, training.y.astype(np.uint32), training.nominal, n_values), order


def _joined(parts: list[Any]) -> tuple[Any, Any]:
    ends = np.cumsum([0, *map(len, parts)])
    return np.concatenate(parts).astype(np.uint32), ends


def _limit(confidence: float) -> tuple[float, float]:
    return float(np.log(confidence)), normal_quantile(1 - confidence)


@jit
def _tree(data, order, rows, n_classes, settings, asked_about, sparing):
    columns, _, nominal, n_values = data
    min_items, pruned, log_confidence, z, raising = settings
    few = np.empty(len(nominal), np.bool_)
    for a in range(len(nominal)):
        few[a] = not nominal[a] or n_values[a] < MOST_VALUES * len(rows) - SMALL
    if not few.any():
        few[:] = True
    nodes, rows_of, weights_of = grow_nodes(
        data, order, rows, n_classes, min_items, few, asked_about, sparing
    )
    collapse_nodes(nodes)
    if pruned:
        whole = True
        for a in range(len(columns)):
            for row in rows:
                whole &= not np.isnan(columns[a, row])
        prune_nodes(nodes, rows_of, weights_of, data, (log_confidence, z), raising, whole)
    return nodes


@jit
def _splits(data, order, trains, train_ends, tests, test_ends, n_classes, settings):
    columns, y, nominal, n_values = data
    sparing = not settings[1] and not nominal.any() and not np.isnan(columns).any()
    said = np.empty(len(tests), np.int64)
    own = np.zeros(len(y), np.uint32)
    for split in range(len(train_ends) - 1):
        rows = trains[train_ends[split] : train_ends[split + 1]]
        code = np.full(n_classes, -1)
        for row in rows:
            code[y[row]] = 0
        present = np.flatnonzero(code == 0)
        code[present] = np.arange(len(present))
        for row in rows:
            own[row] = code[y[row]]
        test = tests[test_ends[split] : test_ends[split + 1]]
        coded = columns, own, nominal, n_values
        nodes = _tree(coded, order, rows, len(present), settings, test, sparing)
        chosen = choose_classes(nodes, columns, nominal, test)
        for i in range(len(test)):
            said[test_ends[split] + i] = present[chosen[i]]
    return said
