"""Grow a C4.5 tree the way Weka's J48 does: the plain reference that the compiled kernels equal.

An item whose value is missing goes down every branch, its weight shared out (D-41, R-15).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

__all__ = ["GAP", "SMALL", "Items", "Node", "Training", "distribute", "grow", "leaf", "majority"]

SMALL = 1e-6  # J48 takes numbers that differ by less than this as equal
GAP = 1e-5  # no cut between two values nearer than this
MOST_VALUES = 0.3  # a nominal attribute with more values than this share of the items is odd
NEARLY = 1e-3  # a gain this little below the average still takes part

Items = tuple[Any, Any]
"""Some training items: their row numbers and their weights."""


@dataclass(frozen=True, slots=True, eq=False)
class Training:
    """What a tree is grown from: coded attributes, coded classes, and the least branch."""

    X: Any
    """(n, d) float64: numbers, or the codes of nominal values; NaN is missing."""
    y: Any
    """(n,) class codes, 0 … n_classes - 1."""
    nominal: Any
    """(d,) which attributes are nominal."""
    n_values: Any
    """(d,) how many values a nominal attribute has."""
    n_classes: int
    min_items: float = 2.0

    def take(self, rows: Any) -> Training:
        return replace(self, X=self.X[rows], y=self.y[rows])

    def class_weights(self, items: Items) -> Any:
        rows, weights = items
        return np.bincount(self.y[rows], weights, self.n_classes)


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A leaf, or a split with one child for each branch; it keeps the items that reached it."""

    items: Items
    counts: Any
    """(n_classes,) weight of each class."""
    attribute: int = -1
    cut: float = math.nan
    """The largest value that goes left; NaN where the split is nominal."""
    children: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """A split that could be made, and what it is worth."""

    attribute: int
    gain: float
    ratio: float
    cut: float = math.nan


def leaf(training: Training, items: Items) -> Node:
    """Return a node that asks nothing more."""
    return Node(items, training.class_weights(items))


def majority(counts: Any) -> int:
    """Return the heaviest class; of equals, the first."""
    best, most = 0, 0.0
    for code, weight in enumerate(counts):
        if weight > most + SMALL:
            best, most = code, weight
    return best


def grow(training: Training, items: Items) -> Node:
    """Split until no split is worth it: every child a tree of its own."""
    node = leaf(training, items)
    split = best_split(training, node)
    if split is None:
        return node
    parts = distribute(training, split.attribute, split.cut, items)
    children = tuple(grow(training, part) for part in parts)
    return Node(items, node.counts, split.attribute, split.cut, children)


def distribute(training: Training, attribute: int, cut: float, items: Items) -> list[Items]:
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


def best_split(training: Training, node: Node) -> Split | None:
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


def _split_on(training: Training, attribute: int, node: Node) -> Split | None:
    rows, weights = node.items
    values = training.X[rows, attribute]
    known = ~np.isnan(values)
    values, classes, weights = values[known], training.y[rows[known]], weights[known]
    weigh = _numeric if not training.nominal[attribute] else _nominal
    return weigh(training, attribute, node.counts.sum(), values, classes, weights)


def _nominal(
    training: Training, attribute: int, total: float, values: Any, classes: Any, weights: Any
) -> Split | None:
    """Weigh one branch for each value; at least two of them must hold enough items."""
    table = np.zeros((int(training.n_values[attribute]), training.n_classes))
    np.add.at(table, (values.astype(int), classes), weights)
    if (table.sum(axis=1) >= training.min_items - SMALL).sum() < 2:
        return None
    gain = float(_gain(table, total))
    return Split(attribute, gain, _ratio(gain, table.sum(axis=1), total))


def _numeric(
    training: Training, attribute: int, total: float, values: Any, classes: Any, weights: Any
) -> Split | None:
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
    gain -= math.log2(len(last)) / total
    if gain < SMALL:
        return None
    cut = _cut(training, attribute, values[last[best]], values[last[best] + 1])
    return Split(attribute, gain, _ratio(gain, tables[best].sum(axis=1), total), cut)


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
