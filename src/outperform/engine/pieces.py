"""Pieces: the rows of a split, cut for one learner, in memory that is used again in batches."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..splitting import IntArray
from ..store.values import Address
from .learning_data import Table
from .splits import Splits

__all__ = ["Piece", "Pieces"]

LARGEST, FEW = 64, 8
"""How many cells a batch may hold, and how many if nobody knows how large their rows are."""
SCRATCH = 2**23
"""Bytes for the rows of a batch: memory that is used for the first time costs more than all else
that is done for a cell."""
ALIGNED = 64
"""Rows begin at multiples of so many bytes, wherever they stand in a batch."""


class Piece(NamedTuple):
    """What one split hands to a learner, and what its predictions are compared with."""

    rows: tuple[Any, ...]
    """Training items and targets, test items and targets."""
    truth: npt.NDArray[Any]


class Pieces:
    """Cuts the rows of splits, locked, for one cell or for all cells of a batch."""

    def __init__(
        self, table: Table, splits: Splits, y: npt.NDArray[Any], truth: npt.NDArray[Any]
    ) -> None:
        self.table, self.splits = table, splits
        self.y = np.asarray(y)
        self.truth = self.y if truth is y else np.asarray(truth)
        self.take = table.taker()
        each = table.n_bytes
        self.most = FEW if each is None else min(SCRATCH // max(each, 1), LARGEST)
        """How many cells a batch may hold so that their rows fit."""
        self.scratch: Scratch | None = None

    def at(self, address: Address, *, own: bool = False) -> Piece:
        """Cut the rows of an address; `own` ones may be written to."""
        train, test = self.splits.at(address)
        piece = self._cut(train, test, self.take)
        if own:
            return Piece(piece.rows, piece.truth.copy())
        return Piece(tuple(map(_locked, piece.rows)), piece.truth)

    def together(self, addresses: Iterable[Address]) -> list[Piece]:
        """Cut the rows of several addresses; they last until the next are asked for.

        Their lock can be undone: they are for learners that are known not to.
        """
        if self.table.n_bytes is None:
            return [self.at(address) for address in addresses]
        if self.scratch is None:
            self.scratch = Scratch(np.asarray(self.table.rows), self.most)
        self.scratch.used = 0
        at, take = self.splits.at, self.scratch.take
        cut = [self._cut(*at(address), take) for address in addresses]
        for rows, _ in cut:
            for part in rows:
                part.setflags(write=False)
        return cut

    def _cut(self, train: IntArray, test: IntArray, take: Callable[[IntArray], Any]) -> Piece:
        y = self.y
        rows = take(train), y.take(train, axis=0), take(test), y.take(test, axis=0)
        return Piece(rows, rows[3] if self.truth is y else self.truth.take(test, axis=0))


class Scratch:
    """Memory for some `times` the rows of an array, copied to again and again."""

    def __init__(self, rows: npt.NDArray[Any], times: int) -> None:
        self.rows, self.used = rows, 0
        self.width, self.shape = math.prod(rows.shape[1:]), rows.shape[1:]
        self.step = max(ALIGNED // rows.itemsize, 1)
        size = min(times * (rows.nbytes + 2 * ALIGNED), SCRATCH)
        size -= size % rows.itemsize
        space = np.empty(size + ALIGNED, dtype=np.uint8)
        first = -space.ctypes.data % ALIGNED
        self.space = space[first : first + size].view(rows.dtype)

    def take(self, items: IntArray) -> npt.NDArray[Any]:
        """Return some rows, copied to where nothing was since `used` was set to 0."""
        start = self.used
        end = start + items.size * self.width
        if end > self.space.size:
            return self.rows.take(items, axis=0)
        self.used = end + -end % self.step
        place = self.space[start:end].reshape(items.size, *self.shape)
        # Items are known to exist; to look for those that do not would take a copy.
        return self.rows.take(items, axis=0, out=place, mode="clip")


def _locked(part: Any) -> Any:
    """Return rows that nobody can make writable again; frames are never shared."""
    if type(part) is not np.ndarray:
        return part
    part.setflags(write=False)
    return part.view()
