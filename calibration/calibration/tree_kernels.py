"""Trees, forests and boosted trees over many splits of one dataset, compiled.

Features are sorted once for all splits; a node keeps that order by filtering its parent's. Gini
impurity of two classes and squared error choose the same cuts, so that one kernel serves both.
"""

from __future__ import annotations

import numpy as np
from numba import njit

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

jit = njit(cache=True, nogil=True, error_model="numpy")

GAP = 1e-7
"""Values that are closer count as equal, as in scikit-learn's trees."""
SAFE = 1 - 1e-12
"""Products with inverses differ from quotients by less."""
PURE = 1e-12
"""Share of the sum of squares below which a node's loss is rounding."""


@jit
def following(state):
    """Return the next random number of Lehmer's generator: 1 to 2³¹ − 2."""
    return state * 48271 % 2147483647


@jit
def sorted_rows(order, taken, n_rows):
    """Return the rows with a weight, by feature in order of their values: (p, n_rows)."""
    p, n = order.shape
    kept = np.empty((p, n_rows), np.uint32)
    for f in range(p):
        at = 0
        for place in range(n):
            i = order[f, place]
            if at < n_rows:  # the next row that is taken replaces one that is not
                kept[f, at] = i
            at += taken[i] > 0
    return kept


@jit
def best_cut(X, f, amount, weight, rows, lo, hi, total, mass, inverse):
    """Return how much a cut of one feature explains, and the last row to its left (−1: none).

    Divisions are slow: only cuts that products with inverse weights cannot rule out are divided.
    """
    most, place, left, held = -1.0, -1, 0.0, 0
    here = X[f, rows[f, lo]]
    for at in range(lo, hi - 1):
        i = rows[f, at]
        left += amount[i]
        held += weight[i]
        after = X[f, rows[f, at + 1]]
        if after > here + GAP:
            right = total - left
            about = left * left * inverse[held] + right * right * inverse[mass - held]
            if about > most * SAFE:
                explained = left * left / held + right * right / (mass - held)
                if explained > most:
                    most, place = explained, at
        here = after
    return most, place


@jit
def split_rows(rows, f, goes_left, lo, middle, hi, split):
    """Copy the rows that go left from `lo` on, the others from `middle` on; both stay in order.

    A place is chosen by a product: there is no branch that a processor must guess.
    """
    left, right = lo, middle
    for place in range(lo, hi):
        i = rows[f, place]
        stays = goes_left[i]
        split[f, right + stays * (left - right)] = i
        left += stays
        right += 1 - stays


@jit
def grow(X, target, weight, rows, n_try, depth, state):
    """Grow a tree, level by level; return its nodes, how many there are, and the random state.

    X is (features, items). Nodes of every other level keep their rows in another array. A node's
    columns are feature (−1: leaf), left and right child; cut, mean and sum of squares.
    """
    p, n_rows = rows.shape
    n_items = X.shape[1]
    amount, inverse = np.empty(n_items), np.empty(n_items + 1)
    for i in range(n_items):
        amount[i], inverse[i + 1] = weight[i] * target[i], 1 / (i + 1)
    links = np.full((2 * n_rows, 3), -1, np.int64)
    numbers = np.zeros((2 * n_rows, 3))
    begin, end, level = np.zeros((3, 2 * n_rows), np.int64)
    goes_left = np.zeros(n_items, np.int64)
    tried, both = np.arange(p), (rows, np.empty_like(rows))
    end[0], at, n_nodes = n_rows, 0, 1
    while at < n_nodes:
        lo, hi, rows, split = begin[at], end[at], both[level[at] % 2], both[1 - level[at] % 2]
        total, mass, squares = 0.0, 0, 0.0
        for place in range(lo, hi):
            i = rows[0, place]
            total += amount[i]
            mass += weight[i]
            squares += amount[i] * target[i]
        numbers[at, 1] = total / mass
        numbers[at, 2] = squares - total * total / mass
        most, chosen, cut = -1.0, -1, -1
        if hi - lo > 1 and level[at] < depth and numbers[at, 2] > PURE * squares:
            for turn in range(p):
                if turn >= n_try and chosen >= 0:
                    break
                state = following(state)
                other = turn + np.uint32(state) % np.uint32(p - turn)
                tried[turn], tried[other] = tried[other], tried[turn]
                f = tried[turn]
                explained, place = best_cut(
                    X, f, amount, weight, rows, lo, hi, total, mass, inverse
                )
                if explained > most:
                    most, chosen, cut = explained, f, place
        if chosen >= 0:
            low, high = X[chosen, rows[chosen, cut]], X[chosen, rows[chosen, cut + 1]]
            links[at, 0], links[at, 1], links[at, 2] = chosen, n_nodes, n_nodes + 1
            numbers[at, 0] = low / 2 + high / 2
            for place in range(lo, hi):
                goes_left[rows[chosen, place]] = place <= cut
            leaves = level[at] + 1 == depth or hi - lo == 2
            for f in range(1 if leaves else p):  # a leaf reads the first feature's rows alone
                split_rows(rows, f, goes_left, lo, cut + 1, hi, split)
            begin[n_nodes], end[n_nodes] = lo, cut + 1
            begin[n_nodes + 1], end[n_nodes + 1] = cut + 1, hi
            level[n_nodes] = level[n_nodes + 1] = level[at] + 1
            n_nodes += 2
        at += 1
    return links, numbers, n_nodes, state


@jit
def prune(links, numbers, n_nodes, penalty):
    """Make leaves of nodes whose subtrees save less than a penalty for each leaf."""
    cost = np.empty(n_nodes)
    for at in range(n_nodes - 1, -1, -1):
        cost[at] = numbers[at, 2] + penalty
        if links[at, 0] >= 0:
            below = cost[links[at, 1]] + cost[links[at, 2]]
            if cost[at] <= below + PURE:
                links[at, 0] = -1
            else:
                cost[at] = below


@jit
def leaf_of(X, i, links, numbers):
    """Return the leaf that an item falls into."""
    at = 0
    while links[at, 0] >= 0:
        at = links[at, 1] if X[links[at, 0], i] <= numbers[at, 0] else links[at, 2]
    return at


@jit
def bootstrapped(taken, n_rows, state):
    """Return how often each training item is drawn, with replacement, and the random state."""
    items, drawn = np.flatnonzero(taken), np.zeros(len(taken), np.int64)
    for _ in range(n_rows):
        state = following(state)
        drawn[items[np.uint32(state) % np.uint32(n_rows)]] += 1
    return drawn, state


@jit
def averaged(X, y, order, taken, tested, settings, penalty, state):
    """Return the mean prediction of trees for the items tested: one tree, or a forest."""
    n_trees, n_try, depth = settings
    n_rows, found = int(taken.sum()), np.zeros(len(tested))
    for _ in range(max(n_trees, 1)):
        weight = taken
        if n_trees:
            weight, state = bootstrapped(taken, n_rows, state)
        rows = sorted_rows(order, weight, np.count_nonzero(weight))
        links, numbers, n_nodes, state = grow(X, y, weight, rows, n_try, depth, state)
        if penalty > 0:
            prune(links, numbers, n_nodes, penalty * n_rows)
        for at in range(len(tested)):
            found[at] += numbers[leaf_of(X, tested[at], links, numbers), 1]
    return found / max(n_trees, 1)


@jit
def boosted(X, y, order, taken, tested, settings, rate, state):
    """Return the log odds of boosted trees for the items tested: log loss, a Newton step a leaf."""
    n_trees, n_try, depth = settings
    items = np.flatnonzero(taken)
    share = (taken * y).sum() / len(items)
    odds = np.full(len(y), np.log(max(share, 1e-12) / max(1 - share, 1e-12)))
    residual, chance = np.zeros(len(y)), np.zeros(len(y))
    for _ in range(n_trees):
        for i in items:
            chance[i] = 1 / (1 + np.exp(-odds[i]))
            residual[i] = y[i] - chance[i]
        rows = sorted_rows(order, taken, len(items))
        links, numbers, n_nodes, state = grow(X, residual, taken, rows, n_try, depth, state)
        slope, curve = np.zeros((2, n_nodes))
        for i in items:
            leaf = leaf_of(X, i, links, numbers)
            slope[leaf] += residual[i]
            curve[leaf] += chance[i] * (1 - chance[i])
        for i in items:
            leaf = leaf_of(X, i, links, numbers)
            odds[i] += rate * slope[leaf] / max(curve[leaf], 1e-150)
        for i in tested:
            leaf = leaf_of(X, i, links, numbers)
            odds[i] += rate * slope[leaf] / max(curve[leaf], 1e-150)
    return odds[tested]


@jit
def over_splits(X, y, order, labels, n_folds, seeds, settings, penalty, rate):
    """Return what each item is predicted by the model not trained on it: (B, n).

    `rate` is that of boosting, 0 for means of trees.
    """
    found = np.zeros(labels.shape)
    for row in range(len(labels)):
        for fold in range(n_folds):
            taken = ((labels[row] >= 0) & (labels[row] != fold)).astype(np.int64)
            tested, state = np.flatnonzero(labels[row] == fold), seeds[row * n_folds + fold]
            if rate > 0:
                told = boosted(X, y, order, taken, tested, settings, rate, state)
            else:
                told = averaged(X, y, order, taken, tested, settings, penalty, state)
            for at in range(len(tested)):
                found[row, tested[at]] = told[at]
    return found
