"""C4.5 on binary attributes and two classes, 64 items a machine word (D-41, R-15).

A node is a mask of items, counts are numbers of set bits, entropies come from a table of n·log n,
and test items descend with the training items, so that testing is free. Trees, pruning and
predictions are those of `C45` on nominal attributes of two declared values, none missing.
"""
# mypy: disable-error-code="no-untyped-def,call-arg"

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from outperform.errors import DataError

from .c45_growing_kernels import jit
from .c45_reference import KEPT, WORTH, more_errors
from .c45_tree import NEARLY, SMALL

MOST_ITEMS = 1000


def packed(bits: Any) -> Any:
    """Pack the last axis of an array of zeros and ones into 64-bit words, first item lowest."""
    bits = np.asarray(bits, bool)
    n_words = -(-bits.shape[-1] // 64)
    padded = np.zeros((*bits.shape[:-1], n_words * 64), bool)
    padded[..., : bits.shape[-1]] = bits
    return np.packbits(padded, axis=-1, bitorder="little").view("<u8").astype(np.uint64)


def binary_tree_predictions(
    X_bits: Any,
    y_bits: Any,
    train_masks: Any,
    test_masks: Any,
    *,
    confidence: float = 0.25,
    min_items: int = 2,
    pruned: bool = True,
    raising: bool = True,
) -> Any:
    """Return, as masks, which test items are predicted to be of the second class.

    X_bits (datasets, attributes, words), y_bits (datasets, words), masks (datasets, splits,
    words) or, the same for all datasets, (1, splits, words); the answer (datasets, splits, words).
    """
    X_bits, y_bits, train_masks, test_masks = (
        np.ascontiguousarray(words, np.uint64)
        for words in (X_bits, y_bits, train_masks, test_masks)
    )
    most = int(np.bitwise_count(train_masks).sum(axis=-1, dtype=np.int64).max(initial=0))
    if most > MOST_ITEMS:
        raise DataError(
            f"{most} training items are too many for tables of all counts, which are limited to "
            f"{MOST_ITEMS}; train C45(nominal='all') instead"
        )
    bits, entropy, expected = _tables(most, confidence)
    settings = int(min_items), pruned, raising
    return _all_splits(X_bits, y_bits, train_masks, test_masks, (bits, entropy), expected, settings)


def binary_tree_errors(
    X_bits: Any, y_bits: Any, train_masks: Any, test_masks: Any, **settings: Any
) -> Any:
    """Return how many test items each tree gets wrong, (datasets, splits)."""
    said = binary_tree_predictions(X_bits, y_bits, train_masks, test_masks, **settings)
    wrong = (said ^ np.asarray(y_bits)[:, None, :]) & test_masks
    return np.bitwise_count(wrong).sum(axis=-1, dtype=np.int64)


@lru_cache(maxsize=4)
def _tables(most: int, confidence: float) -> tuple[Any, Any, Any]:
    """Return n·log n, the bits to tell n0 and n1 items apart, the errors expected of n and e."""
    n = np.arange(most + 2)
    bits = n * np.log2(np.maximum(n, 1))
    both = np.minimum(n[:, None] + n, most + 1)
    entropy = bits[both] - bits[:, None] - bits
    expected = np.zeros((most + 1, most // 2 + 1))
    for total in range(1, most + 1):
        for errors in range(total // 2 + 1):
            expected[total, errors] = errors + more_errors(total, errors, confidence)
    return bits, entropy, expected


@intrinsic
def _ones(typing, word):
    """Count the bits set in a word, by one instruction where the processor has it."""

    def generate(context, builder, signature, arguments):
        count = builder.module.declare_intrinsic("llvm.ctpop", [arguments[0].type])
        return builder.call(count, arguments)

    return types.uint64(types.uint64), generate


@jit
def _all_splits(X_bits, y_bits, train_masks, test_masks, tables, expected, settings):
    n_datasets, d, n_words = X_bits.shape
    n_splits = train_masks.shape[1]
    said = np.zeros((n_datasets, n_splits, n_words), np.uint64)
    # A path asks each attribute at most once, and no leaf is empty.
    size = min(2 ** (d + 1), 2 * len(tables[0])) + 1
    masks = np.empty((size, n_words), np.uint64)
    nodes = np.empty((size, 4), np.int64)
    stack = np.empty((size, 2), np.int64)
    passed = np.empty((d + 2, n_words), np.uint64)
    errors = np.empty(size)
    wide = (d + 7) // 8 * 8  # whole vectors of eight words; attributes of zeros split nothing
    counts = np.empty(wide, np.uint64), np.empty(wide, np.uint64)
    saved = np.empty(d)
    by_word = np.zeros((n_words, wide), np.uint64)
    own_stack = np.empty(d + 2, np.int64)
    work = masks, nodes, stack, passed, errors, counts, saved, by_word, own_stack
    for dataset in range(n_datasets):
        X, y = X_bits[dataset], y_bits[dataset]
        by_word[:, :d] = X.T
        own = dataset if len(train_masks) > 1 else 0
        for split in range(n_splits):
            used = _grow(X, y, train_masks[own, split], tables, settings[0], work)
            _collapse(nodes, errors, used)
            if settings[1]:
                _prune(X, y, expected, settings[2], work)
            _answer(X, test_masks[own, split], work, said[dataset, split])
    return said


@jit
def _grow(X, y, train, tables, min_items, work):
    """Split masks until no split is worth it; a node is attribute, first child, class counts."""
    masks, nodes, stack, _, _, counts, saved, by_word, _ = work
    masks[0] = train
    _count(masks[0], y, nodes[0])
    used, waiting = 1, 1
    stack[0, 0] = 0
    while waiting > 0:
        waiting -= 1
        node = stack[waiting, 0]
        best = _best_split(by_word, y, masks[node], nodes[node], tables, min_items, counts, saved)
        if best < 0:
            continue
        nodes[node, 0], nodes[node, 1] = best, used
        asked = X[best]
        for w in range(len(asked)):
            masks[used, w] = masks[node, w] & ~asked[w]
            masks[used + 1, w] = masks[node, w] & asked[w]
        some = np.int64(counts[1][best])
        none = np.int64(counts[0][best]) - some
        for child in range(used + 1, used - 1, -1):
            nodes[child, 0], nodes[child, 1] = -1, -1
            nodes[child, 2], nodes[child, 3] = none, some
            if none > 0 and some > 0 and none + some >= 2 * min_items:
                stack[waiting, 0] = child
                waiting += 1
            none, some = nodes[node, 2] - none, nodes[node, 3] - some
        used += 2
    return used


@jit
def _count(mask, y, node):
    """Count the items of both classes in a mask; the node is a leaf until it is split."""
    total, some = np.uint64(0), np.uint64(0)
    for w in range(len(mask)):
        total += _ones(mask[w])
        some += _ones(mask[w] & y[w])
    node[0], node[1], node[2], node[3] = -1, -1, total - some, some


@jit
def _best_split(by_word, y, mask, node, tables, min_items, counts, saved):
    """Return the attribute of best gain ratio among those of at least average gain, or -1.

    Counts are unsigned, since numba looks signed indices over twice; bits are of the whole node.
    """
    bits, entropy = tables
    none, some = np.uint64(node[2]), np.uint64(node[3])
    total = none + some
    high, high_some = counts
    for a in range(len(high)):
        high[a] = high_some[a] = 0
    for w in range(len(mask)):
        own = mask[w]
        if own != 0:
            words, second = by_word[w], own & y[w]
            for a in range(len(high)):
                high[a] += _ones(own & words[a])
                high_some[a] += _ones(second & words[a])
    before = entropy[none, some]
    least = np.uint64(min_items)
    together, n_valid = 0.0, 0
    for a in range(len(saved)):
        saved[a] = -1.0
        if high[a] >= least and total - high[a] >= least:
            second = high_some[a]
            first = high[a] - second
            gained = before - entropy[first, second] - entropy[none - first, some - second]
            saved[a] = gained if gained >= SMALL else 0.0
            together += saved[a]
            n_valid += 1
    if n_valid == 0:
        return -1
    average = together / n_valid - NEARLY * total
    best, ratio = -1, 0.0
    for a in range(len(saved)):
        if saved[a] > 0 and saved[a] >= average:
            one = saved[a] / (bits[total] - bits[total - high[a]] - bits[high[a]])
            if one > ratio + SMALL:
                best, ratio = a, one
    return best


@jit
def _collapse(nodes, errors, used):
    """Turn splits that save no training error into leaves."""
    for node in range(used - 1, -1, -1):  # children come after their parents
        if nodes[node, 0] < 0:
            errors[node] = min(nodes[node, 2], nodes[node, 3])
        else:
            errors[node] = errors[nodes[node, 1]] + errors[nodes[node, 1] + 1]
    for node in range(used):
        if nodes[node, 0] >= 0 and errors[node] >= min(nodes[node, 2], nodes[node, 3]) - KEPT:
            nodes[node, 0] = -1


@jit
def _prune(X, y, expected, raising, work):
    """Replace splits by leaves or by their larger branch where no more errors are expected."""
    _, nodes, stack, _, errors, _, _, _, _ = work
    waiting = 1
    stack[0, 0], stack[0, 1] = 0, 0
    while waiting > 0:
        waiting -= 1
        node, decide = stack[waiting, 0], stack[waiting, 1]
        none, some = nodes[node, 2], nodes[node, 3]
        as_leaf = expected[none + some, min(none, some)]
        if nodes[node, 0] < 0:
            errors[node] = as_leaf
            continue
        first = nodes[node, 1]
        if decide == 0:
            stack[waiting, 1] = 1
            stack[waiting + 1, 0], stack[waiting + 1, 1] = first, 0
            stack[waiting + 2, 0], stack[waiting + 2, 1] = first + 1, 0
            waiting += 3
            continue
        as_tree, as_branch = errors[first] + errors[first + 1], np.inf
        low, high = nodes[first, 2] + nodes[first, 3], nodes[first + 1, 2] + nodes[first + 1, 3]
        larger = first + 1 if high >= low else first
        if raising:
            as_branch = as_leaf
            if nodes[larger, 0] >= 0:
                as_branch = _branch_errors(X, y, larger, node, expected, work)
        errors[node] = as_tree
        if as_leaf < min(as_tree, as_branch) + WORTH + SMALL:
            nodes[node, 0] = -1
            errors[node] = as_leaf
        elif as_branch < as_tree + WORTH + SMALL:
            nodes[node, 0], nodes[node, 1] = nodes[larger, 0], nodes[larger, 1]
            _refill(X, y, node, waiting, work)
            stack[waiting, 0], stack[waiting, 1] = node, 0
            waiting += 1


@jit
def _branch_errors(X, y, top, node, expected, work):
    """Return the errors expected of a subtree if it were asked about the items of a node."""
    masks, nodes, _, passed, _, _, _, _, own = work
    passed[0] = masks[node]
    own[0] = top
    waiting, errors = 1, 0.0
    while waiting > 0:
        waiting -= 1
        one = own[waiting]
        if nodes[one, 0] < 0:
            total, some = np.uint64(0), np.uint64(0)
            for w in range(len(y)):
                total += _ones(passed[waiting, w])
                some += _ones(passed[waiting, w] & y[w])
            errors += expected[total, min(some, total - some)]
            continue
        asked = X[nodes[one, 0]]
        own[waiting], own[waiting + 1] = nodes[one, 1], nodes[one, 1] + 1
        for w in range(len(y)):
            mask = passed[waiting, w]
            passed[waiting, w] = mask & ~asked[w]
            passed[waiting + 1, w] = mask & asked[w]
        waiting += 2
    return errors


@jit
def _refill(X, y, top, base, work):
    """Send the items of a node down the questions now asked below it; `base` is the free stack."""
    masks, nodes, stack, _, _, _, _, _, _ = work
    stack[base, 0] = top
    waiting = base + 1
    while waiting > base:
        waiting -= 1
        node = stack[waiting, 0]
        if nodes[node, 0] < 0:
            continue
        asked, first = X[nodes[node, 0]], nodes[node, 1]
        for w in range(len(y)):
            masks[first, w] = masks[node, w] & ~asked[w]
            masks[first + 1, w] = masks[node, w] & asked[w]
        for child in range(first, first + 2):
            attribute, below = nodes[child, 0], nodes[child, 1]
            _count(masks[child], y, nodes[child])
            nodes[child, 0], nodes[child, 1] = attribute, below
            stack[waiting, 0] = child
            waiting += 1


@jit
def _answer(X, test, work, said):
    """Let test items descend; gather those that reach a leaf of the second class."""
    _, nodes, _, passed, _, _, _, _, own = work
    passed[0] = test
    own[0] = 0
    waiting = 1
    while waiting > 0:
        waiting -= 1
        node = own[waiting]
        if nodes[node, 0] < 0:
            if nodes[node, 3] > nodes[node, 2]:
                for w in range(len(test)):
                    said[w] |= passed[waiting, w]
            continue
        asked = X[nodes[node, 0]]
        own[waiting], own[waiting + 1] = nodes[node, 1], nodes[node, 1] + 1
        for w in range(len(test)):
            mask = passed[waiting, w]
            passed[waiting, w] = mask & ~asked[w]
            passed[waiting + 1, w] = mask & asked[w]
        waiting += 2
