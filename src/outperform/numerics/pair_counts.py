"""Counts for every pair of k models on the same n items, all from the joint matrix G = YᵀY."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import DataError
from ..validation import not_zero_one

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
            f"{k:,} learners make {k * (k - 1) // 2:,} pairs; at most {most:,} are compared at "
            f"once. {remedy or 'Pass fewer learners'}"
        )


def with_control(names: Sequence[str]) -> str:
    """Return what to do where learners are too many for all pairs: something that can be pasted."""
    plain = (name for name in names if name.isprintable() and not {*"'\"\\"} & {*name})
    return f"Compare each with one of them: control='{next(plain, '…')}'"


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

    Bit b of a byte comes from the b-th eighth of the block: the order of items does not matter
    for a count, and so every step runs along contiguous memory whatever the number of models.
    """
    n_items, k = block.shape
    eighth = 8 * -(-n_items // 64)
    by_model = block.strides[0] < block.strides[1]
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
            f"correct must hold 0 and 1 (bool, integer or float), got dtype {table.dtype}; "
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
