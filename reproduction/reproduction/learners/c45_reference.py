"""Grow and prune a C4.5 tree as Weka's J48 does: the plain reference that compiled kernels equal.

An item whose value is missing goes down every branch, its weight shared out (D-41, R-15).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .c45_tree import GAP, MOST_VALUES, NEARLY, SMALL, Training, Tree

WORTH = 0.1  # a simpler tree may be expected to make this many errors more
KEPT = 1e-3  # training errors a split must save to be kept at all
WeightedRows = tuple[Any, Any]
"""Some training items: their row numbers and their weights."""


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A leaf, or a split with one child for each branch; it keeps the items that reached it."""

    items: WeightedRows
    counts: Any
    """(n_classes,) weight of each class."""
    attribute: int = -1
    cut: float = math.nan
    """The largest value that goes left; NaN where the split is nominal."""
    children: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class TreeSplit:
    """A split that could be made, and what it is worth."""

    attribute: int
    gain: float
    ratio: float
    cut: float = math.nan


def leaf(training: Training, items: WeightedRows) -> Node:
    """Return a node that asks nothing more."""
    return Node(items, training.class_weights(items))


def majority(counts: Any) -> int:
    """Return the heaviest class; of equals, the first."""
    best, most = 0, 0.0
    for code, weight in enumerate(counts):
        if weight > most + SMALL:
            best, most = code, weight
    return best


def grow(training: Training, items: WeightedRows) -> Node:
    """TreeSplit until no split is worth it: every child a tree of its own."""
    node = leaf(training, items)
    split = best_split(training, node)
    if split is None:
        return node
    parts = distribute(training, split.attribute, split.cut, items)
    children = tuple(grow(training, part) for part in parts)
    return Node(items, node.counts, split.attribute, split.cut, children)


def distribute(
    training: Training, attribute: int, cut: float, items: WeightedRows
) -> list[WeightedRows]:
    """Send items down the branches of a split; missing values go down all, in proportion."""
    rows, weights = items
    values = training.X[rows, attribute]
    known = ~np.isnan(values)
    nominal = training.nominal[attribute]
    n_branches = int(training.n_values[attribute]) if nominal else 2
    branch = np.where(known, values if nominal else values >= cut + SMALL, -1).astype(int)
    shares = np.bincount(branch[known], weights[known], n_branches)
    heard = shares.sum()
    shares = shares / heard if heard > SMALL else np.full(n_branches, 1 / n_branches)
    parts = []
    for number, share in enumerate(shares):
        here = (branch == number) | (~known & (share > SMALL))
        parts.append((rows[here], np.where(known, weights, weights * share)[here]))
    return parts


def best_split(training: Training, node: Node) -> TreeSplit | None:
    """Return the split of best gain ratio among those of at least average gain, if any."""
    total = node.counts.sum()
    if total < 2 * training.min_items - SMALL or total - node.counts.max() < SMALL:
        return None
    splits = [
        split
        for attribute in range(training.X.shape[1])
        if (split := _split_on(training, attribute, node)) is not None
    ]
    gains = [split.gain for split in splits if _has_few_values(training, split.attribute)]
    if not gains:
        return None
    average = sum(gains) / len(gains)
    best, ratio = None, 0.0
    for split in splits:
        if split.gain >= average - NEARLY and split.ratio > ratio + SMALL:
            best, ratio = split, split.ratio
    return best


def _has_few_values(training: Training, attribute: int) -> bool:
    """Leave attributes with nearly a value an item out of the average, unless all are so."""
    few = ~training.nominal | (training.n_values < MOST_VALUES * len(training.X) - SMALL)
    return bool(few[attribute] or not few.any())


def _split_on(training: Training, attribute: int, node: Node) -> TreeSplit | None:
    rows, weights = node.items
    values = training.X[rows, attribute]
    known = ~np.isnan(values)
    values, classes, weights = values[known], training.y[rows[known]], weights[known]
    weigh = _numeric if not training.nominal[attribute] else _nominal
    return weigh(training, attribute, node.counts.sum(), values, classes, weights)


def _nominal(
    training: Training, attribute: int, total: float, values: Any, classes: Any, weights: Any
) -> TreeSplit | None:
    """Weigh one branch for each value; at least two of them must hold enough items."""
    table = np.zeros((int(training.n_values[attribute]), training.n_classes))
    np.add.at(table, (values.astype(int), classes), weights)
    if (table.sum(axis=1) >= training.min_items - SMALL).sum() < 2:
        return None
    gain = float(_gain(table, total))
    return TreeSplit(attribute, gain, _ratio(gain, table.sum(axis=1), total))


def _numeric(
    training: Training, attribute: int, total: float, values: Any, classes: Any, weights: Any
) -> TreeSplit | None:
    """Weigh every cut between neighbouring values; the best pays for having been chosen."""
    least = 0.1 * weights.sum() / training.n_classes
    least = training.min_items if least < training.min_items + SMALL else min(least, 25.0)
    if len(values) < 2 * least - SMALL:
        return None
    order = np.argsort(values, kind="stable")
    values, classes, weights = values[order], classes[order], weights[order]
    below = np.zeros((len(values), training.n_classes))
    below[np.arange(len(values)), classes] = weights
    below = below.cumsum(axis=0)
    last = np.flatnonzero(values[:-1] + GAP < values[1:])  # last item below each possible cut
    tables = np.stack([below[last], below[-1] - below[last]], axis=1)
    enough = (tables.sum(axis=2) >= least - SMALL).all(axis=1)
    last, tables = last[enough], tables[enough]
    best, gain = -1, 0.0
    for number, one in enumerate(_gain(tables, total)):
        if one > gain + SMALL:
            best, gain = number, float(one)
    if best < 0:
        return None
    gain -= training.charge * math.log2(len(last)) / total
    if gain < SMALL:
        return None
    cut = _cut(training, attribute, values[last[best]], values[last[best] + 1])
    return TreeSplit(attribute, gain, _ratio(gain, tables[best].sum(axis=1), total), cut)


def _cut(training: Training, attribute: int, low: float, high: float) -> float:
    """Return the largest value of all training items up to the middle of two neighbours."""
    middle = (low + high) / 2
    if middle == high:
        middle = low
    column = training.X[:, attribute]
    return float(column[column < middle + SMALL].max())


def _gain(tables: Any, total: float) -> Any:
    """Return the bits an item saves by a split, for (…, branches, classes) of known items."""
    by_class, by_branch = tables.sum(axis=-2), tables.sum(axis=-1)
    known = by_class.sum(axis=-1)
    before = _bits(known) - _bits(by_class).sum(axis=-1)
    after = _bits(by_branch).sum(axis=-1) - _bits(tables).sum(axis=(-2, -1))
    saved = (before - after) * (known / total)
    return np.where(np.abs(saved) < SMALL, 0.0, saved / known)


def _ratio(gain: float, by_branch: Any, total: float) -> float:
    """Return gain over the bits needed to say the branch; unknown counts as a branch."""
    missing = total - by_branch.sum()
    info = _bits(total) - _bits(by_branch).sum() - _bits(missing)
    return 0.0 if abs(info) < SMALL else float(gain / (info / total))


def _bits(weight: Any) -> Any:
    weight = np.asarray(weight, float)
    some = weight >= SMALL
    return np.where(some, weight * np.log2(np.where(some, weight, 1.0)), 0.0)


def flatten(root: Node) -> Tree:
    """Number the nodes of a grown tree, breadth first."""
    nodes, first_child = [root], []
    for node in nodes:  # grows while it is read
        first_child.append(len(nodes) if node.children else -1)
        nodes.extend(node.children)
    return Tree(
        np.array([node.attribute for node in nodes], np.int32),
        np.array([node.cut for node in nodes]),
        np.array(first_child, np.int32),
        np.array([len(node.children) for node in nodes], np.int32),
        np.array([node.counts for node in nodes]),
    )


def reference_tree(
    training: Training, *, pruned: bool = True, confidence: float = 0.25, raising: bool = True
) -> Tree:
    """Grow, collapse and prune a tree in plain Python: what `compiled_tree` does quickly."""
    n = len(training.y)
    node = collapse(grow(training, (np.arange(n), np.ones(n))))
    return flatten(prune(training, node, confidence, raising=raising) if pruned else node)


def collapse(node: Node) -> Node:
    """Turn splits that save no training error into leaves."""
    if not node.children:
        return node
    if _training_errors(node) >= _leaf_errors(node) - KEPT:
        return Node(node.items, node.counts)
    return replace(node, children=tuple(collapse(child) for child in node.children))


def prune(training: Training, node: Node, confidence: float, *, raising: bool) -> Node:
    """Replace a split by a leaf, or by its largest branch, where no more errors are expected."""
    if not node.children:
        return node
    pruned = (prune(training, child, confidence, raising=raising) for child in node.children)
    node = replace(node, children=tuple(pruned))
    largest = node.children[_largest_branch(node)]
    raised = _refill(training, largest, node.items) if raising else None
    as_leaf = _expected(node.counts.sum(), _leaf_errors(node), confidence)
    as_tree = _expected_errors(node, confidence)
    as_branch = _expected_errors(raised, confidence) if raised else math.inf
    if as_leaf < min(as_tree, as_branch) + WORTH + SMALL:
        return Node(node.items, node.counts)
    if raised and as_branch < as_tree + WORTH + SMALL:
        return prune(training, raised, confidence, raising=raising)
    return node


def more_errors(total: float, errors: float, confidence: float) -> float:
    """Return how many errors to add so that more are made only with probability `confidence`.

    The upper limit of the binomial: exact for no error, by the normal law with a continuity
    correction from one error on, on a straight line between.
    """
    if errors < 1:
        base = total * -math.expm1(math.log(confidence) / total)
        if errors == 0:
            return base
        return base + errors * (more_errors(total, 1.0, confidence) - base)
    if errors + 0.5 >= total:
        return max(total - errors, 0.0)
    z = normal_quantile(1 - confidence)
    f = (errors + 0.5) / total
    spread = z * math.sqrt(f / total - f * f / total + z * z / (4 * total * total))
    return (f + z * z / (2 * total) + spread) / (1 + z * z / total) * total - errors


def normal_quantile(probability: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(probability))


def _expected(total: float, errors: float, confidence: float) -> float:
    return 0.0 if total < SMALL else errors + more_errors(total, errors, confidence)


def _expected_errors(node: Node, confidence: float) -> float:
    if node.children:
        return sum(_expected_errors(child, confidence) for child in node.children)
    return _expected(node.counts.sum(), _leaf_errors(node), confidence)


def _leaf_errors(node: Node) -> float:
    return float(node.counts.sum() - node.counts[majority(node.counts)])


def _training_errors(node: Node) -> float:
    if node.children:
        return sum(_training_errors(child) for child in node.children)
    return _leaf_errors(node)


def _largest_branch(node: Node) -> int:
    """Return the branch that holds most; of equals, the last."""
    best, most = 0, 0.0
    for number, child in enumerate(node.children):
        weight = child.counts.sum()
        if weight > most - SMALL:
            best, most = number, weight
    return best


def _refill(training: Training, node: Node, items: WeightedRows) -> Node:
    """Return the same questions asked of other items."""
    filled = leaf(training, items)
    if not node.children:
        return filled
    parts = distribute(training, node.attribute, node.cut, items)
    children = tuple(
        _refill(training, child, part) for child, part in zip(node.children, parts, strict=True)
    )
    return replace(filled, attribute=node.attribute, cut=node.cut, children=children)
