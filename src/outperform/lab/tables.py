"""Alias tables: a draw from any of many small laws for one random word and two look-ups."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..sums import Array

__all__ = ["Table", "alias_table", "words"]

Words = npt.NDArray[np.uint32]
Rows = npt.NDArray[np.intp]
FLOOR = 2.0**-44
"""Outcomes that are less likely than this, row included, are left out: no study meets one."""


@dataclass(frozen=True, eq=False, slots=True)
class Table:
    """Walker's alias tables of many laws (rows): exact to 2⁻³² divided by the number of columns."""

    bits: int
    """A row has 2**bits columns."""
    threshold: npt.NDArray[np.uint32]
    outcome: npt.NDArray[np.float32]
    """The column's own outcome and its alias, side by side."""
    first_row: int

    def near(self, rows: Rows) -> Rows:
        """Bring rows that are too unlikely to have a law of their own to the nearest that has."""
        last = self.first_row + (self.threshold.size >> self.bits) - 1
        return np.minimum(np.maximum(rows, self.first_row), last)

    def draw(self, rows: Rows, random: Words) -> npt.NDArray[np.float32]:
        """Draw one outcome for each word from the law of its row (broadcast)."""
        low = np.uint32(32 - self.bits)
        at = (random >> low).astype(np.intp)
        at += (rows - self.first_row) << self.bits
        beyond = (random & np.uint32((1 << int(low)) - 1)) >= self.threshold.take(at)
        at <<= 1
        at += beyond
        return self.outcome.take(at)


def alias_table(
    laws: Array, lowest: int, *, first_row: int = 0, weights: Array | None = None
) -> Table:
    """Build the tables of laws over the outcomes `lowest`, `lowest` + 1, …; one law per row.

    `weights` are the probabilities of the rows, where they are known.
    """
    joint = laws if weights is None else laws * np.maximum(weights, FLOOR)[:, None]
    kept = np.flatnonzero(joint.max(axis=0) > FLOOR)
    laws = laws[:, kept[0] : kept[-1] + 1]
    bits = max(int(np.ceil(np.log2(laws.shape[1]))), 1)
    size = 1 << bits
    mass = np.zeros((laws.shape[0], size))
    mass[:, : laws.shape[1]] = laws / laws.sum(axis=1, keepdims=True) * size
    share, alias = _shares(mass)
    whole = 1 << (32 - bits)
    own = np.broadcast_to(np.arange(size), mass.shape)
    outcome = np.stack([own, alias], axis=-1) + (lowest + int(kept[0]))
    threshold = np.rint(share * whole).astype(np.uint32)
    return Table(bits, threshold.ravel(), outcome.astype(np.float32).ravel(), first_row)


def words(rng: np.random.Generator, *shape: int) -> Words:
    """Return random 32-bit words, the same on every platform."""
    count = math.prod(shape)
    raw = rng.integers(0, 1 << 64, size=(count + 1) // 2, dtype=np.uint64)
    return raw.astype("<u8", copy=False).view("<u4")[:count].reshape(shape)


def _shares(mass: Array) -> tuple[Array, npt.NDArray[np.intp]]:
    """Return each column's own share and its alias, for all rows at once.

    In order of columns, those lighter than 1 are filled up by the heavy ones; a heavy one that has
    fallen to 1 or below is filled up by the next. With D the running sum of what light columns
    lack and S that of what heavy ones have to spare, a light column is filled by the first heavy
    one whose S exceeds the D before it, and a heavy one is done at the first D that reaches its S.
    """
    rows, size = mass.shape
    spare = mass - 1
    heavy = spare > 0
    above = 2.0 * size * np.arange(rows)[:, None]  # rows one above the other: one sorted sequence
    has = (np.cumsum(np.where(heavy, spare, 0.0), axis=1) + above)[heavy]
    lacks = (np.cumsum(np.where(heavy, 0.0, -spare), axis=1) + above)[~heavy]
    share, alias = np.ones_like(mass), np.tile(np.arange(size), (rows, 1))
    (heavy_row, heavy_column), light_row = np.nonzero(heavy), np.nonzero(~heavy)[0]
    if heavy_row.size == 0:
        return share, alias
    last = np.searchsorted(heavy_row, np.arange(rows), side="right") - 1
    giver = np.searchsorted(has, lacks + spare[~heavy], side="right")
    giver = np.minimum(giver, last[light_row])
    kept = heavy_row[giver] == light_row  # else all columns of the row weigh 1
    share[~heavy] = np.where(kept, mass[~heavy], 1.0)
    alias[~heavy] = np.where(kept, heavy_column[giver], alias[~heavy])
    end = np.minimum(np.searchsorted(lacks, has, side="left"), lacks.size - 1)
    following = np.minimum(np.arange(heavy_row.size) + 1, last[heavy_row])
    share[heavy] = np.where(light_row[end] == heavy_row, np.clip(1 + has - lacks[end], 0, 1), 1.0)
    alias[heavy] = heavy_column[following]
    return share, alias
