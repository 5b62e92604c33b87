"""C4.5 compiled: one tree as arrays, or the predictions of many splits of one dataset.

Trees are pruned and asked for classes over flat arrays; stacks stand in for recursion, which numba
cannot reliably keep in its cache on disk.
"""
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .c45_growing_kernels import branch_of, grow_nodes, jit, wrong
from .c45_reference import KEPT, WORTH, normal_quantile
from .c45_tree import MOST_VALUES, SMALL, Training, Tree, keep_reachable


def compiled_tree(
    training: Training, *, pruned: bool = True, confidence: float = 0.25, raising: bool = True
) -> Tree:
    """Grow, collapse and prune a tree: `reference_tree`, compiled."""
    data, order = _prepared(training)
    rows = np.arange(len(training.y), dtype=np.uint32)
    settings = training.min_items, training.charge, pruned, *_limit(confidence), raising
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
    settings = training.min_items, training.charge, pruned, *_limit(confidence), raising
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
    min_items, charge, pruned, log_confidence, z, raising = settings
    few = np.empty(len(nominal), np.bool_)
    for a in range(len(nominal)):
        few[a] = not nominal[a] or n_values[a] < MOST_VALUES * len(rows) - SMALL
    if not few.any():
        few[:] = True
    nodes, rows_of, weights_of = grow_nodes(
        data, order, rows, n_classes, min_items, charge, few, asked_about, sparing
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
    sparing = not settings[2] and not nominal.any() and not np.isnan(columns).any()
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


@jit
def collapse_nodes(nodes):
    """Turn splits that save no training error into leaves."""
    attribute, _, first_child, n_children, counts = nodes
    below = np.zeros(len(attribute))
    for node in range(len(attribute) - 1, -1, -1):  # children come after their parents
        if attribute[node] < 0:
            below[node] = wrong(counts[node])
        for child in range(first_child[node], first_child[node] + n_children[node]):
            below[node] += below[child]
    for node in range(len(attribute)):
        if attribute[node] >= 0 and below[node] >= wrong(counts[node]) - KEPT:
            attribute[node] = -1


@jit
def prune_nodes(nodes, rows_of, weights_of, data, limit, raising, whole):
    """Replace splits by leaves, or by their largest branch, where no more errors are expected.

    `limit` is the logarithm and the normal quantile of the confidence; `whole` says that no
    value is missing.
    """
    attribute, cut, first_child, n_children, counts = nodes
    expected = np.zeros(len(attribute))  # errors expected below each split that is decided
    held = np.zeros(counts.shape if whole else (0, 0))
    waiting, ready = [0], [False]
    while len(waiting) > 0:
        node, decide = waiting.pop(), ready.pop()
        if attribute[node] < 0:
            continue
        first, branches = first_child[node], n_children[node]
        if not decide:
            waiting.append(node)
            ready.append(True)
            for child in range(first, first + branches):
                waiting.append(child)
                ready.append(False)
            continue
        as_leaf = _expected(counts[node], limit)
        as_tree, as_branch = 0.0, np.inf
        largest, most = -1, 0.0
        for child in range(first, first + branches):
            weight = counts[child].sum()
            if weight > most - SMALL:
                largest, most = child, weight
            leaf = attribute[child] < 0
            as_tree += _expected(counts[child], limit) if leaf else expected[child]
        if raising and attribute[largest] < 0:
            as_branch = as_leaf
        elif raising and whole:
            as_branch = _errors_whole(nodes, largest, rows_of[node], data, limit, held)
        elif raising:
            as_branch = _errors(nodes, largest, rows_of[node], weights_of[node], data, limit)
        if as_leaf < min(as_tree, as_branch) + WORTH + SMALL:
            attribute[node] = -1
        elif as_branch < as_tree + WORTH + SMALL:
            attribute[node], cut[node] = attribute[largest], cut[largest]
            first_child[node], n_children[node] = first_child[largest], n_children[largest]
            _refill(nodes, node, rows_of, weights_of, data)
            waiting.append(node)
            ready.append(False)
        else:
            expected[node] = as_tree


@jit
def choose_classes(nodes, columns, nominal, rows):
    """Return the most probable class of each row; of equals, the first."""
    attribute, cut, first_child, n_children, counts = nodes
    totals = np.empty(len(attribute))
    for node in range(len(attribute)):
        totals[node] = counts[node].sum()
    chosen = np.empty(len(rows), np.int64)
    scores = np.empty(counts.shape[1])
    waiting, weights = [0], [1.0]
    for i in range(len(rows)):
        scores[:] = 0
        waiting.append(0)
        weights.append(1.0)
        while len(waiting) > 1:
            node, weight = waiting.pop(), weights.pop()
            while attribute[node] >= 0:
                asked, first, branches = attribute[node], first_child[node], n_children[node]
                number = branch_of(columns[asked, rows[i]], nominal[asked], cut[node])
                if number < 0 or number >= branches:
                    together = totals[first : first + branches].sum()
                    for child in range(first, first + branches):
                        if attribute[child] >= 0 or totals[child] >= SMALL:
                            waiting.append(child)
                            weights.append(weight * (totals[child] / together))
                    weight = 0.0
                    break
                if attribute[first + number] < 0 and totals[first + number] < SMALL:
                    break
                node = first + number
            if weight > 0 and totals[node] > SMALL:
                for c in range(len(scores)):
                    scores[c] += weight * (counts[node, c] / totals[node])
        best, most = 0, -1.0
        for c in range(len(scores)):
            if scores[c] > most + SMALL:
                best, most = c, scores[c]
        chosen[i] = best
    return chosen


@jit
def _errors(nodes, top, rows, weights, data, limit):
    """Return the errors expected of a subtree if it were asked about these items."""
    attribute, cut, first_child, n_children, counts = nodes
    errors = 0.0
    waiting, all_rows, all_weights = [top], [rows], [weights]
    while len(waiting) > 0:
        node, own, passed = waiting.pop(), all_rows.pop(), all_weights.pop()
        if attribute[node] < 0:
            errors += _expected(_counted(own, passed, data, counts.shape[1]), limit)
            continue
        parts, shared = _deal(data, attribute[node], cut[node], n_children[node], own, passed)
        for number in range(n_children[node]):
            waiting.append(first_child[node] + number)
            all_rows.append(parts[number])
            all_weights.append(shared[number])
    return errors


@jit
def _errors_whole(nodes, top, rows, data, limit, held):
    """Return what `_errors` does where no value is missing: let every item descend."""
    attribute, cut, first_child, n_children, _ = nodes
    columns, y, nominal, _ = data
    for row in rows:
        node = top
        while attribute[node] >= 0:
            asked = attribute[node]
            node = first_child[node] + branch_of(columns[asked, row], nominal[asked], cut[node])
        held[node, y[row]] += 1
    errors = 0.0
    waiting = [top]
    while len(waiting) > 0:
        node = waiting.pop()
        if attribute[node] >= 0:
            for child in range(first_child[node], first_child[node] + n_children[node]):
                waiting.append(child)
        else:
            errors += _expected(held[node], limit)
            held[node] = 0
    return errors


@jit
def _refill(nodes, top, rows_of, weights_of, data):
    """Send the items of a node down the questions now asked below it, and recount them."""
    attribute, cut, first_child, n_children, counts = nodes
    waiting = [top]
    while len(waiting) > 0:
        node = waiting.pop()
        own, passed = rows_of[node], weights_of[node]
        counts[node] = _counted(own, passed, data, counts.shape[1])
        if attribute[node] >= 0:
            parts, shared = _deal(data, attribute[node], cut[node], n_children[node], own, passed)
            for number in range(n_children[node]):
                child = first_child[node] + number
                rows_of[child], weights_of[child] = parts[number], shared[number]
                waiting.append(child)


@jit
def _counted(rows, weights, data, n_classes):
    counts = np.zeros(n_classes)
    for i in range(len(rows)):
        counts[data[1][rows[i]]] += weights[i] if len(weights) > 0 else 1.0
    return counts


@jit
def _deal(data, asked, cut, branches, rows, weights):
    """Return the rows and the weights (none while all are 1) that go down each branch."""
    columns, _, nominal, _ = data
    column = columns[asked]
    sizes = np.zeros(branches, np.int64)
    shares = np.zeros(branches)
    known, n_missing = 0.0, 0
    unit = len(weights) == 0
    for i in range(len(rows)):
        number = branch_of(column[rows[i]], nominal[asked], cut)
        if number < 0:
            n_missing += 1
        else:
            sizes[number] += 1
            weight = 1.0 if unit else weights[i]
            shares[number] += weight
            known += weight
    unit = unit and n_missing == 0
    parts = [rows[:0] for _ in range(branches)]
    shared = [weights[:0] for _ in range(branches)]
    for number in range(branches):
        shares[number] = shares[number] / known if known > SMALL else 1 / branches
        sizes[number] += n_missing if shares[number] > SMALL else 0
        parts[number] = np.empty(sizes[number], np.uint32)
        shared[number] = np.empty(0 if unit else sizes[number])
    at = np.zeros(branches, np.int64)
    for i in range(len(rows)):
        weight = weights[i] if len(weights) > 0 else 1.0
        branch = branch_of(column[rows[i]], nominal[asked], cut)
        first, last = (branch, branch + 1) if branch >= 0 else (0, branches)
        for number in range(first, last):
            if branch >= 0 or shares[number] > SMALL:
                parts[number][at[number]] = rows[i]
                if not unit:
                    share = 1.0 if branch >= 0 else shares[number]
                    shared[number][at[number]] = weight * share
                at[number] += 1
    return parts, shared


@jit
def _expected(counts, limit):
    """Return the errors expected of a leaf: those made and `more_errors`."""
    log_confidence, z = limit
    total = counts.sum()
    if total < SMALL:
        return 0.0
    errors = wrong(counts)
    if errors >= 1:
        return errors + _normal_limit(total, errors, z)
    base = total * -np.expm1(log_confidence / total)
    if errors == 0:
        return base
    return errors + base + errors * (_normal_limit(total, 1.0, z) - base)


@jit
def _normal_limit(total, errors, z):
    if errors + 0.5 >= total:
        return max(total - errors, 0.0)
    f = (errors + 0.5) / total
    spread = z * np.sqrt(f / total - f * f / total + z * z / (4 * total * total))
    return (f + z * z / (2 * total) + spread) / (1 + z * z / total) * total - errors
