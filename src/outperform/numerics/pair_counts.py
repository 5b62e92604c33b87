"""Counts for every pair of k models on the same n items, and Tango's test of two proportions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import validation
from ..errors import DataError, argument
from ..validation import not_zero_one
from .exact_sums import Array

Joint = NDArray[np.int64]
MOST = 50_000
"""Pairs compared at once, unless more are asked for: those of 316 learners."""

# Words of 64 items counted at a time: 1,000 hold at most 64,000 ones, so uint16 sums are exact.
_WORDS = 1000
# Words ANDed at a time (1 MB): enough to hide the cost of a NumPy call, few enough for a cache.
_STRIP = 1 << 17


def check_number(k: int, most: int = MOST, remedy: str = "") -> None:
    """Refuse all pairs of so many learners, before anything is made for each pair."""
    if k * (k - 1) // 2 > most:
        raise DataError(
            f"{k:,} learners have {k * (k - 1) // 2:,} pairs; the limit is {most:,}. "
            f"{remedy or 'Pass fewer learners.'}"
        )


def with_control(names: Sequence[str]) -> str:
    """Return what to do where learners are too many for all pairs: something that can be pasted."""
    plain = (name for name in names if name.isprintable() and not {*"'\"\\"} & {*name})
    return f"Compare each with one of them: {argument(control=next(plain, ...))}"


def joint_correct(correct: ArrayLike) -> Joint:
    """Return G = YᵀY: in how many items models i and j are both right (diagonal: i is right).

    `correct` has one row per item and one column per model, of 0 and 1 in any bool, integer or
    float dtype, in C or Fortran order. Items are packed 64 to a word and counted by popcount,
    a block at a time: no BLAS threads, no rounding, and besides G no more memory than a quarter
    of a uint8 `correct` (or 2 MB if that is more).

    >>> joint_correct([[1, 1], [1, 0], [0, 1], [1, 1]])
    array([[3, 2],
           [2, 3]])
    """
    return joint_of(words_of(correct))


def words_of(correct: ArrayLike) -> Iterator[NDArray[np.uint64]]:
    """Return a table (items, models) of 0 and 1 as bits (models, words), a block at a time."""
    table = table_of(correct)
    n_items, k = table.shape
    most = 64 * min(_WORDS, max(n_items // 100, _STRIP // 4 // k, 1))
    n_blocks = -(-n_items // most)
    block = 64 * -(-n_items // (64 * n_blocks))
    for start in range(0, n_items, block):
        yield _pack(table[start : start + block], start)


class PairCounts(NamedTuple):
    """What is counted of models and of pairs: all of them, or those beside one model."""

    right: NDArray[np.int64]
    """Items that each model has right."""
    both: NDArray[np.int64]
    """Items that both models of each pair have right."""
    beside: int | None
    """The model that is the second of each pair; None where all pairs are counted."""
    sum_squares: int
    """ΣᵢLᵢ², Lᵢ the models that have item i right: what Cochran's Q needs beside the counts."""

    @property
    def pairs(self) -> tuple[Joint, Joint]:
        """The positions of the two models of each pair."""
        k = len(self.right)
        if self.beside is None:
            return upper(k)
        return np.delete(np.arange(k), self.beside), np.full(k - 1, self.beside)

    def inverted(self, n: int) -> PairCounts:
        """Return the counts of right from those of wrong."""
        (first, second), k, total = self.pairs, len(self.right), sum(self.right.tolist())
        both = n - self.right[first] - self.right[second] + self.both
        squares = n * k * k - 2 * k * total + self.sum_squares
        return PairCounts(n - self.right, both, self.beside, squares)


def counted(packed: Iterator[NDArray[np.uint64]], beside: int | None = None) -> PairCounts:
    """Count all pairs of models, or those beside one."""
    return counts_of_all(joint_of(packed)) if beside is None else counts_beside(packed, beside)


def counts_of_all(joint: Joint) -> PairCounts:
    """Return the counts of all pairs, in the order of `upper`."""
    return PairCounts(
        np.diagonal(joint), joint[upper(len(joint))], None, sum(joint.sum(axis=1).tolist())
    )


def counts_beside(packed: Iterator[NDArray[np.uint64]], one: int) -> PairCounts:
    """Count every other model beside one: no table of all pairs, which grows as the square.

    >>> counts_beside(words_of([[1, 1], [1, 0], [0, 1], [1, 1]]), 0).both
    array([2])
    """
    right: Any = 0
    both: Any = 0
    squares = 0
    for block in packed:
        right = right + np.bitwise_count(block).sum(axis=1, dtype=np.int64)
        both = both + np.bitwise_count(block & block[one]).sum(axis=1, dtype=np.int64)
        step = max(1, _STRIP // len(block))
        for at in range(0, block.shape[1], step):
            part = np.ascontiguousarray(block[:, at : at + step]).view(np.uint8)
            each = np.unpackbits(part, axis=1).sum(axis=0, dtype=np.int64)
            squares += int((each * each).sum())
    return PairCounts(right, np.delete(both, one), one, squares)


def blocks_of(bits: NDArray[np.uint8]) -> Iterator[NDArray[np.uint64]]:
    """Return (models, bytes) of bits, in whole words of 8 bytes, as `words_of` does.

    >>> joint_of(blocks_of(np.packbits([[1, 1, 0, 1] * 16, [1, 0, 1, 1] * 16], axis=1)))
    array([[48, 32],
           [32, 48]])
    """
    words = bits.view(np.uint64)
    return (words[:, at : at + _WORDS] for at in range(0, words.shape[1], _WORDS))


def joint_of(packed: Iterator[NDArray[np.uint64]]) -> Joint:
    """Return G from blocks of bits (models, words), 1 where a model is right."""
    joint = np.zeros((0, 0), dtype=np.int64)
    for block in packed:
        joint = joint if joint.size else np.zeros((len(block),) * 2, dtype=np.int64)
        _add_block(joint, block)
        del block  # before the next is made
    return _mirrored(joint)


def _mirrored(joint: Joint) -> Joint:
    """Copy the upper triangle to the lower."""
    for i in range(len(joint)):
        joint[i:, i] = joint[i, i:]
    return joint


def _add_block(joint: Joint, packed: NDArray[np.uint64]) -> None:
    """Add the counts of a block to the upper triangle, a strip of rows at a time."""
    k, words = packed.shape
    i = 0
    while i < k:
        end = i + max(1, _STRIP // (words * (k - i)))
        ones = np.bitwise_count(packed[i:end, None] & packed[None, i:])
        joint[i:end, i:] += ones.sum(axis=-1, dtype=np.uint16)
        i = end


def _pack(block: NDArray[Any], start: int) -> NDArray[np.uint64]:
    """Return the block as (models, words) of bits.

    Bytes of one model that lie side by side are packed as they are. Otherwise bit b of a byte comes
    from the b-th eighth of the block: the order of items does not matter for a count, and so every
    step runs along contiguous memory whatever the number of models.
    """
    n_items, k = block.shape
    eighth = 8 * -(-n_items // 64)
    by_model = block.strides[0] < block.strides[1]
    if by_model and block.dtype.itemsize == 1:
        bits = np.packbits(_zero_one(block, start).T, axis=1)
        whole = np.zeros((k, eighth), dtype=np.uint8)
        whole[:, : bits.shape[1]] = bits
        return whole.view(np.uint64)
    packed = np.zeros((eighth, k), dtype=np.uint8, order="F" if by_model else "C")
    for first in range(0, n_items, eighth):
        part = block[first : first + eighth]
        packed += packed
        packed[: len(part)] |= _zero_one(part, start + first)
    return np.ascontiguousarray(packed.T).view(np.uint64)


def _zero_one(part: NDArray[Any], row: int) -> NDArray[np.uint8]:
    """Return `part`, which starts at `row` of the whole, as bytes 0 and 1."""
    if part.dtype == np.bool_:
        return part.view(np.uint8)
    if part.dtype.itemsize == 1:
        narrow = part.view(np.uint8)
        wrong = narrow > 1 if narrow.max() > 1 else None
    else:
        right = part.astype(np.bool_)
        narrow, differs = right.view(np.uint8), right != part
        wrong = differs if differs.any() else None
    if wrong is not None:
        i, j = np.argwhere(wrong)[0].tolist()
        raise not_zero_one("correct", (row + i, j), part[i, j])
    return narrow


def table_of(correct: ArrayLike) -> NDArray[Any]:
    """Return items × models as an array, or say what is wrong with its shape."""
    if isinstance(correct, np.ma.MaskedArray) and np.ma.is_masked(correct):
        raise DataError("correct has masked entries; drop those items or fill them with 0 or 1")
    try:
        table = np.asarray(correct)
    except ValueError:
        raise DataError("correct must have rows of equal length; check the rows") from None
    if table.ndim != 2:
        raise DataError(
            f"correct must be a table (n_items, n_models), got shape {table.shape}; "
            "for one model use correct[:, None]"
        )
    if table.dtype.kind not in "biuf":
        raise DataError(
            f"correct must contain 0 and 1 (bool, integer or float), got dtype {table.dtype}; "
            "for labels and predictions use all_pairs(y_true, predictions)"
        )
    if 0 in table.shape:
        raise DataError(
            f"correct must have at least one item and one model, got shape {table.shape}; "
            "check that the rows were not all filtered out"
        )
    return table


def upper(k: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the indices (i, j) of the k(k−1)/2 pairs in the order (0,1), (0,2), …, (1,2), …"""
    if k < 1:
        raise DataError(f"k must be at least 1, got {k}; give the number of models")
    behind = np.arange(k - 1, 0, -1)
    first = np.repeat(np.arange(k - 1), behind)
    # Pairs are numbered through; what the earlier rows hold is taken off to leave the column.
    start = np.cumsum(behind) - behind - np.arange(1, k)
    return first, np.arange(first.size) - start[first]


# Elements solved at a time, so that the dozen arrays of a step stay in the cache.
_CHUNK = 1 << 14
# Six steps were the most ever needed; 64 bisections alone would reach the last bit.
_STEPS = 64


def tango_z(n10: Any, n01: Any, n: Any, delta: Any) -> Array:
    """Return z(δ) = (n10 − n01 − nδ)/√(n(p̃10 + p̃01 − δ²)), p̃ most likely given p10 − p01 = δ.

    `n10` items only the first has right, `n01` only the second, of `n`; all broadcast.
    z(0) = (n10 − n01)/√(n10 + n01), McNemar's without correction; 0 where nothing differs.

    >>> round(float(tango_z(6, 16, 161, 0.0)), 3)
    -2.132
    """
    n10, n01, n, delta = _table(n10, n01, n, validation.numbers(delta, "delta"))
    if (np.abs(delta) > 1).any():
        raise DataError(
            f"delta must lie between -1 and 1, got {delta[np.abs(delta) > 1].flat[0]:g}; "
            "give a difference of proportions"
        )
    variance, _ = _variance(n10, n01, n, delta)
    distance = (n10 - n01) - n * delta
    with np.errstate(divide="ignore", invalid="ignore"):
        z = distance / np.sqrt(n * variance)
    return np.asarray(np.where(distance == 0, 0.0, z))


def tango_interval(n10: Any, n01: Any, n: Any, level: float = 0.95) -> tuple[Array, Array]:
    """Return the limits (low, high) of p10 − p01 at which |z(δ)| reaches the level's quantile.

    >>> low, high = tango_interval(6, 16, 161)
    >>> round(float(low), 4), round(float(high), 4)
    (-0.124, -0.0054)
    """
    from statistics import NormalDist

    z = -NormalDist().inv_cdf((1 - validation.fraction(level, "level")) / 2)
    table = _table(n10, n01, n)
    n10, n01, n = (part.ravel() for part in table)
    low, high = np.empty(n.size), np.empty(n.size)
    for start in range(0, n.size, _CHUNK):
        at = slice(start, start + _CHUNK)
        high[at] = _upper_limit(n10[at], n01[at], n[at], z)
        low[at] = -_upper_limit(n01[at], n10[at], n[at], z)
    return low.reshape(table[0].shape), high.reshape(table[0].shape)


def _upper_limit(n10: Array, n01: Array, n: Array, z: float) -> Array:
    """Solve (δ − δ̂)² = (z²/n)·V(δ) for δ ≥ δ̂.

    V is 2p̃ + |δ|(1 − |δ|) with p̃ a branch of a hyperbola, all but straight: each step puts its
    tangent for p̃ and solves the quadratic that is left. A bracket guards the steps.
    """
    estimate = (n10 - n01) / n
    k = z * z / n
    u, low, high = np.zeros(n.size), np.zeros(n.size), 1 - estimate
    for _ in range(_STEPS):
        delta = estimate + u
        variance, slope = _variance(n10, n01, n, delta)
        beyond = u * u > k * variance
        high, low = np.where(beyond, u, high), np.where(beyond, low, u)
        # V ≈ at_zero + along·u − u², the tangent of p̃ beside the exact square.
        along = slope + 2 * u
        at_zero = variance - along * u + u * u
        half = 0.5 * k * along
        root = np.sqrt(np.maximum(half * half + (1 + k) * k * at_zero, 0.0))
        other = np.divide(k * at_zero, root - half, out=np.zeros_like(u), where=root > half)
        step = np.where(half > 0, (half + root) / (1 + k), other)
        still = np.abs(step - u) <= 1e-14 * u + 4e-16 * np.abs(delta)
        outside = ~still & ~((step >= low) & (step <= high))
        u = np.where(outside, 0.5 * (low + high), step)
        if still.all():
            break
    return np.clip(estimate + u, estimate, 1.0)


def _variance(n10: Array, n01: Array, n: Array, delta: Array) -> tuple[Array, Array]:
    """Return V(δ) = p̃10 + p̃01 − δ² and its slope.

    With a = |δ| and p the rarer proportion, V = 2p + a(1 − a), and the likelihood is greatest at
    the root of 2np² + Bp − C = 0, B = (2n − major + minor)a − (n10 + n01), C = minor·a(1 − a).
    Both are free of cancellation, which is why δ < 0 swaps the models.
    """
    a = np.abs(delta)
    minor = np.where(delta < 0, n10, n01)
    major = np.where(delta < 0, n01, n10)
    spread = a * (1 - a)
    towards = 2 * n - major + minor
    b = towards * a - (n10 + n01)
    root = np.sqrt(b * b + 8 * n * minor * spread)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = np.where(b > 0, 2 * minor * spread / (b + root), (root - b) / (4 * n))
        p_slope = np.where(root > 0, (minor * (1 - 2 * a) - towards * p) / root, 0.0)
    slope = 2 * p_slope + 1 - 2 * a
    return 2 * p + spread, np.where(delta < 0, -slope, slope)


def _table(n10: Any, n01: Any, n: Any, *more: Array) -> tuple[Array, ...]:
    named = (n10, "n10"), (n01, "n01"), (n, "n")
    parts = [validation.counts(values, name) for values, name in named]
    try:
        first, second, total, *rest = np.broadcast_arrays(*parts, *more)
    except ValueError:
        shapes = ", ".join(str(part.shape) for part in (*parts, *more))
        raise DataError(
            f"n10, n01, n (and delta) must have shapes that broadcast, got {shapes}; give one "
            "entry per pair in each, or a single number for all"
        ) from None
    wrong = (total < 1) | (first + second > total)
    if wrong.any():
        b, c, n = (part[wrong].flat[0] for part in (first, second, total))
        raise DataError(
            f"n must be at least 1 and at least n10 + n01, got n={n:.0f} with n10={b:.0f} and "
            f"n01={c:.0f}; count also the items both have right or both have wrong"
        )
    return first, second, total, *rest
