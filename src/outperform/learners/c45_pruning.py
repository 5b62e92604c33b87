"""Prune a C4.5 tree by pessimistic estimates of its errors, raising subtrees, as J48 does."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from .c45_growing import SMALL, Items, Node, Training, distribute, grow, leaf, majority
from .c45_tree import Tree, flatten

__all__ = ["collapse", "more_errors", "normal_quantile", "prune", "reference_tree"]

WORTH = 0.1  # a simpler tree may be expected to make this many errors more
KEPT = 1e-3  # training errors a split must save to be kept at all


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


def _refill(training: Training, node: Node, items: Items) -> Node:
    """Return the same questions asked of other items."""
    filled = leaf(training, items)
    if not node.children:
        return filled
    parts = distribute(training, node.attribute, node.cut, items)
    children = tuple(
        _refill(training, child, part) for child, part in zip(node.children, parts, strict=True)
    )
    return replace(filled, attribute=node.attribute, cut=node.cut, children=children)
