"""Adjustments that use which hypotheses can be true together: Hommel, Shaffer, Bergmann–Hommel.

All work on log p-values of one family (last axis), so that tiny ones keep their digits.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from ..errors import MethodError, argument
from ..numerics.exact_sums import Array

MOST = 13
"""Learners up to which Bergmann and Hommel's exhaustive sets are searched: 3ᵏ steps at most."""


def hommel(log_p: Array) -> Array:
    """Return Hommel's adjusted p-values (log): closed testing with the test of Simes.

    Hommel (1988), Biometrika 75, 383–386; the algorithm of Wright (1992), O(m²).
    """
    m = log_p.size
    order = np.argsort(log_p, kind="stable")
    p = log_p[order]
    found = np.full(m, np.min(math.log(m) - np.log(np.arange(1, m + 1)) + p))
    best = found.copy()
    for size in range(m - 1, 1, -1):
        first = m - size + 1
        rest = np.log(size) - np.log(np.arange(2, size + 1)) + p[first:]
        least = rest.min()
        found[:first] = np.minimum(math.log(size) + p[:first], least)
        found[first:] = found[first - 1]
        best = np.maximum(best, found)
    best = np.maximum(best, p)
    adjusted = np.empty(m)
    adjusted[order] = np.minimum(best, 0.0)
    return adjusted


@cache
def numbers_of_true(k: int) -> tuple[int, ...]:
    """Return how many of all pairs of k learners can be equal at once: Shaffer's S(k)."""
    if k < 2:
        return (0,)
    found = {math.comb(j, 2) + more for j in range(1, k + 1) for more in numbers_of_true(k - j)}
    return tuple(sorted(found))


def shaffer_factors(k: int) -> list[int]:
    """Return the factors t₁, …, tₘ of Shaffer's static procedure.

    >>> shaffer_factors(5)
    [10, 6, 6, 6, 6, 4, 4, 3, 2, 1]
    """
    m = math.comb(k, 2)
    possible = numbers_of_true(k)
    return [max(s for s in possible if s <= m - i) for i in range(m)]


def shaffer(log_p: Array) -> Array:
    """Return p-values (log) adjusted by Shaffer's static procedure for all pairs.

    Shaffer (1986), Journal of the American Statistical Association 81, 826–831.
    """
    factors = shaffer_factors(learners(log_p.size))
    order = np.argsort(log_p, kind="stable")
    adjusted = np.empty(log_p.size)
    adjusted[order] = np.maximum.accumulate(log_p[order] + np.log(factors))
    return np.asarray(np.minimum(adjusted, 0.0))


def bergmann_hommel(log_p: Array) -> Array:
    """Return p-values (log) adjusted by Bergmann and Hommel's procedure for all pairs.

    A pair's is max |I| min_I p over the exhaustive sets I that hold it: the pairs inside the blocks
    of a partition of the learners. No order is forced on them, for this maximum is the smallest α
    at which closed testing rejects. For each p-value t the sets without a smaller one are made of
    cliques of the graph of pairs with p ≥ t; f(S), the most pairs of a set of learners S, is found
    for every subset S. Bergmann & Hommel (1988), in Multiple Hypotheses Testing, 100–115.
    """
    k = learners(log_p.size)
    if k > MOST:
        raise MethodError(
            f"Bergmann and Hommel's procedure is offered for up to {MOST} learners, got {k}. Use "
            f"{argument(adjust='shaffer')}"
        )
    i, j = np.triu_indices(k, 1)
    masks = (1 << i) | (1 << j)
    best = np.full(log_p.size, -math.inf)
    for threshold in np.unique(log_p):
        kept = log_p >= threshold
        most = _most_pairs(k, masks[kept].tolist())
        whole = (1 << k) - 1
        # Every p of such a set I is t or more, so that |I| t is at most |I| min_I p; over all t,
        # one of which is min_I p, the maximum is the one that is wanted.
        for at in np.flatnonzero(kept).tolist():
            pairs = _with_pair(int(masks[at]), whole, most)
            best[at] = max(best[at], math.log(pairs) + threshold)
    return np.asarray(np.minimum(best, 0.0))


Most = tuple[list[int], list[int]]
"""For each subset of the learners: its pairs if it is a clique (−1 if not), and f."""


def _most_pairs(k: int, edges: list[int]) -> Most:
    """Return which subsets are cliques, and the most pairs that each subset's blocks can hold."""
    beside = [0] * k
    for mask in edges:
        low, high = (mask & -mask).bit_length() - 1, mask.bit_length() - 1
        beside[low] |= 1 << high
        beside[high] |= 1 << low
    clique, f = [0] * (1 << k), [0] * (1 << k)
    for subset in range(1, 1 << k):
        first = (subset & -subset).bit_length() - 1
        rest = subset & (subset - 1)
        whole = clique[rest] >= 0 and rest & ~beside[first] == 0
        clique[subset] = math.comb(subset.bit_count(), 2) if whole else -1
        if whole:
            f[subset] = clique[subset]
            continue
        others = rest & beside[first]
        most, part = f[rest], others
        while part:
            if clique[part] >= 0:  # a clique of neighbours of the first, and so with it
                block = part.bit_count()
                most = max(most, block * (block + 1) // 2 + f[rest ^ part])
            part = (part - 1) & others
        f[subset] = most
    return clique, f


def _with_pair(pair: int, whole: int, most: Most) -> int:
    """Return the most pairs of an exhaustive set in which the two learners share a block."""
    clique, f = most
    free = whole ^ pair
    best, part = 0, free
    while True:
        block = part | pair
        if clique[block] >= 0:
            best = max(best, clique[block] + f[whole ^ block])
        if part == 0:
            return best
        part = (part - 1) & free


def learners(pairs: int) -> int:
    """Return of how many learners these are all pairs."""
    k = (1 + math.isqrt(1 + 8 * pairs)) // 2
    if math.comb(k, 2) != pairs or k < 2:
        raise MethodError(
            f"this adjustment is for all pairs of k learners, and {pairs} comparisons are not "
            f"k(k − 1)/2 of any k. Use {argument(adjust='holm')} or {argument(adjust='hommel')}"
        )
    return k
