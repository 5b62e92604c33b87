"""Pieces: the rows of a split, cut for one learner, in memory that is used again in batches."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..splitting import IntArray
from ..store.values import Address
from .learning_data import Table
from .splits import Splits

__all__ = ["Piece", "Pieces"]

LARGEST, FEW = 128, 8
"""How many cells a batch may hold, so that progress is seen, and how many if nobody knows how large
their rows are."""
SCRATCH = 2**23
"""Bytes for the rows and targets of a batch: memory that is used for the first time costs more than
all else that is done for a cell."""
ALIGNED = 64
"""Rows begin at multiples of so many bytes, wherever they stand in a batch, if there are enough of
them for that to take little room."""


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
        self.most = FEW
        if table.n_bytes is not None:
            each = table.n_bytes + self.y.nbytes + self.truth.nbytes + 8 * table.n
            self.most = min(SCRATCH * table.n // (each * splits.longest), LARGEST)
        """How many cells a batch may hold so that their rows fit."""
        self._lines: tuple[Line, Line, int] | None = None
        self._left = np.ones(table.n, dtype=np.bool_)

    def at(self, address: Address, *, own: bool = False) -> Piece:
        """Cut the rows of an address; `own` ones may be written to."""
        train, test = self.splits.at(address)
        y, truth = self.y, self.truth.take(test, axis=0)
        rows = self.take(train), y.take(train, axis=0), self.take(test), y.take(test, axis=0)
        return Piece(rows if own else tuple(map(_locked, rows)), truth)

    def together(self, addresses: list[Address]) -> list[Piece]:
        """Cut the rows of several addresses; they last until the next are asked for.

        Their lock can be undone: they are for learners that are known not to.
        """
        if self.table.n_bytes is None:
            return [self.at(address) for address in addresses]
        sides = [self._sides(address) for address in addresses]
        rows, targets, step = self._lines or self._make_lines()
        items, spans = _in_line([part for side in sides for part in side], step)
        X, y = rows.take(items), targets.take(items)
        truth = y if self.truth is self.y else self.truth.take(items, axis=0)
        return [
            Piece((X[train], y[train], X[test], y[test]), truth[test])
            for train, test in zip(spans[::2], spans[1::2], strict=True)
        ]

    def _make_lines(self) -> tuple[Line, Line, int]:
        """Return lines for items and targets, and after how many rows one begins ALIGNED again."""
        rows, n = np.asarray(self.table.rows), self.table.n
        step = max(ALIGNED // math.gcd(ALIGNED, part[:1].nbytes) for part in (rows, self.y))
        step = step if 4 * step <= n else 1
        length = self.most * (self.splits.longest + 2 * step)
        self._lines = Line(rows, length), Line(self.y, length), step
        return self._lines

    def _sides(self, address: Address) -> tuple[IntArray, IntArray]:
        train, test = self.splits.sides(address)
        if train is None:  # `others`, with a mask that is used again
            self._left[test] = False
            train = self._left.nonzero()[0]
            self._left[test] = True
        return train, test


class Line:
    """Memory for many rows of an array, one after the other, used again and again."""

    def __init__(self, rows: npt.NDArray[Any], length: int) -> None:
        self.rows, shape = rows, (length, *rows.shape[1:])
        if rows.dtype.hasobject:
            self._space = np.empty(shape, dtype=rows.dtype)
            return
        size = math.prod(shape) * rows.itemsize
        memory = np.empty(size + ALIGNED, dtype=np.uint8)
        first = -memory.ctypes.data % ALIGNED
        self._space = memory[first : first + size].view(rows.dtype).reshape(shape)

    def take(self, items: IntArray) -> npt.NDArray[Any]:
        """Return some rows, locked; they last until others are taken."""
        there = self._space[: items.size]
        # Items are known to exist; to look for those that do not would take a copy.
        self.rows.take(items, axis=0, out=there, mode="clip")
        there.setflags(write=False)
        return there


def _in_line(parts: list[IntArray], step: int) -> tuple[IntArray, list[slice]]:
    """Put items one after the other, so that each part begins at a multiple of a step."""
    filling = [np.zeros(size, dtype=np.int64) for size in range(step)]
    line, spans, start = [], [], 0
    for part in parts:
        end = start + part.size
        spans.append(slice(start, end))
        line += [part, filling[-end % step]]
        start = end + -end % step
    return np.concatenate(line), spans


def _locked(part: Any) -> Any:
    """Return rows that nobody can make writable again; frames are never shared."""
    if type(part) is not np.ndarray:
        return part
    part.setflags(write=False)
    return part.view()
