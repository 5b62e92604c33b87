"""Adjustments that use which hypotheses can be true together: Hommel, Shaffer, Bergmann–Hommel.

All work on log p-values of one family (last axis), so that tiny ones keep their digits.
"""

from __future__ import annotations

import math
from functools import cache, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import MethodError, argument
from ..numerics.exact_sums import Array

MOST = 13
"""Learners up to which Bergmann and Hommel's exhaustive sets are searched, in 3ᵏ steps."""


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
    return np.array(_bergmann_hommel(k, tuple(log_p.tolist())))


@lru_cache(maxsize=64)
def _bergmann_hommel(k: int, log_p: tuple[float, ...]) -> tuple[float, ...]:
    """Do it once for each family: a comparison is read many times."""
    p = np.array(log_p)
    i, j = np.triu_indices(k, 1)
    best = np.full(p.size, -math.inf)
    subsets = np.arange(1 << k)
    pairs_in = _pairs(np.bitwise_count(subsets).astype(np.int64))
    holds = [np.flatnonzero((subsets >> a) & (subsets >> b) & 1) for a, b in zip(i, j, strict=True)]
    for threshold in np.unique(p):
        kept = p >= threshold
        clique, most = _most_pairs(k, i[kept], j[kept])
        # With a clique as one block, and the best blocks of the others.
        whole = np.where(clique, pairs_in + most[::-1], 0)
        # Every p of such a set I is t or more, so that |I| t is at most |I| min_I p; over all t,
        # one of which is min_I p, the maximum is the one that is wanted.
        for at in np.flatnonzero(kept).tolist():
            best[at] = max(best[at], math.log(whole[holds[at]].max()) + threshold)
    return tuple(np.minimum(best, 0.0).tolist())


def _pairs(n: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return n * (n - 1) // 2


def _most_pairs(
    k: int, i: npt.NDArray[np.int64], j: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.int64]]:
    """Return which subsets are cliques, and f: the most pairs that their blocks can hold.

    From the last learner to the first: a subset whose first learner is v is v and some later ones,
    and the block of v is a clique of v and a part of those.
    """
    clique, f = np.ones(1 << k, dtype=np.bool_), np.zeros(1 << k, dtype=np.int64)
    for v in range(k - 1, -1, -1):
        beside = int((1 << j[i == v]).sum())
        later = np.arange(1 << (k - 1 - v)) << (v + 1)
        whole = clique[later] & ((later & ~beside) == 0)
        part, left, starts, block = _parts(k - 1 - v)
        worth = np.where(whole[part], block, -(1 << k)) + f[later][left]
        clique[later | 1 << v] = whole
        f[later | 1 << v] = np.maximum.reduceat(worth, starts)
    return clique, f


@cache
def _parts(bits: int) -> tuple[npt.NDArray[Any], ...]:
    """Return every part of every subset, by subset: the part, what is left, where each begins.

    The last is how many pairs the part makes together with one more.
    """
    subset = part = np.zeros(1, dtype=np.int32)
    for bit in (1 << b for b in range(bits)):
        subset, part = (
            np.concatenate([subset, subset | bit, subset | bit]),
            np.concatenate([part, part, part | bit]),
        )
    order = np.argsort(subset, kind="stable")
    subset, part = subset[order], part[order]
    starts = np.flatnonzero(np.concatenate([[True], np.diff(subset) > 0]))
    return part, subset ^ part, starts, _pairs(np.bitwise_count(part).astype(np.int64) + 1)


def learners(pairs: int) -> int:
    """Return of how many learners these are all pairs."""
    k = (1 + math.isqrt(1 + 8 * pairs)) // 2
    if math.comb(k, 2) != pairs or k < 2:
        raise MethodError(
            f"this adjustment is for all pairs of k learners, and {pairs} comparisons are not "
            f"k(k − 1)/2 of any k. Use {argument(adjust='holm')} or {argument(adjust='hommel')}"
        )
    return k
