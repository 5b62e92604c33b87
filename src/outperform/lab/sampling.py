"""Draws of counts: how points of two kinds fall into samples and folds, and what is then seen.

Alias tables draw from any of many small laws for one random word and two look-ups.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..designs import LeaveOneOut
from ..designs.splitting import fold_sizes
from ..numerics.exact_sums import Array

Kinds: TypeAlias = tuple[tuple[float, float], tuple[float, float]]
"""For each kind of point the probabilities that the first and that the second learner errs."""
Nodes: TypeAlias = tuple[tuple[float, float, float], ...]
"""Values of β for the first and for the second learner, each pair with its weight."""

Complex: TypeAlias = npt.NDArray[np.complex128]

GAUSS = 16
"""Nodes of a Gauss–Legendre sum: laws are polynomials in β, and |β| is small (D-37)."""


@lru_cache(maxsize=64)
def nodes_of(beta: float, *, shared: bool) -> Nodes:
    """Return the values that stand for β uniform on [−beta, beta], exactly for polynomials."""
    if beta == 0:
        return ((0.0, 0.0, 1.0),)
    points, weights = np.polynomial.legendre.leggauss(GAUSS)
    one = [(beta * float(x), float(w) / 2) for x, w in zip(points, weights, strict=True)]
    if shared:
        return tuple((x, x, w) for x, w in one)
    return tuple((x, z, w * v) for x, w in one for z, v in one)


@lru_cache(maxsize=16)
def hypergeometric_law(n: int, drawn: int) -> Array:
    """Return P(h of the first kind among `drawn`) with m such points among n: row m, column h."""
    log = _log_factorials(n)
    m, h = np.arange(n + 1)[:, None], np.arange(drawn + 1)[None, :]
    possible = (h <= m) & (drawn - h <= n - m)
    other = np.where(possible, drawn - h, 0)
    inside, rest = np.where(possible, m - h, 0), np.where(possible, n - m - other, 0)
    weight = log[m] - log[np.where(possible, h, 0)] - log[inside]
    weight = weight + log[n - m] - log[other] - log[rest]
    weight -= log[n] - log[drawn] - log[n - drawn]
    law = np.exp(np.where(possible, weight, -np.inf))
    law /= law.sum(axis=1, keepdims=True)
    law.setflags(write=False)
    return law


def binomial_law(n: int, p: float) -> Array:
    """Return P(x of k) for each k = 0…n: row k, column x."""
    log = _log_factorials(n)
    k, x = np.arange(n + 1)[:, None], np.arange(n + 1)[None, :]
    rest = np.maximum(k - x, 0)
    # 0**0 is 1 here, which is what a law with p = 0 or 1 needs.
    ways = np.exp(np.where(x <= k, log[k] - log[x] - log[rest], -np.inf))
    law = ways * np.power(p, x) * np.power(1 - p, rest)
    return np.asarray(law / law.sum(axis=1, keepdims=True))


def difference_law(n_test: int, kinds: Kinds, nodes: Nodes) -> Array:
    """Return the law of the second learner's errors minus the first's, given the kinds tested.

    Row h holds h points of the first kind among `n_test`; column d + n_test is the difference d.
    The law of a sum is a product of generating functions, taken at roots of unity.
    """
    size = 2 * n_test + 1
    z = np.exp(-2j * np.pi * np.arange(size // 2 + 1) / size)
    total = np.zeros((n_test + 1, z.size), dtype=np.complex128)
    for beta_a, beta_b, weight in nodes:
        one, two = (_powers(a + beta_a, b + beta_b, z, n_test) for a, b in kinds)
        total += weight * one * two[::-1]
    law = np.fft.irfft(total, n=size, axis=1)
    law = np.maximum(law, 0.0)  # what is below 0 is rounding
    return np.asarray(law / law.sum(axis=1, keepdims=True))


def _powers(a: float, b: float, z: Complex, highest: int) -> Complex:
    """Return the generating function of one point's difference, shifted by 1, to each power."""
    down, up = a * (1 - b), (1 - a) * b
    factor = down + (1 - down - up) * z + up * z * z
    rows = np.ones((highest + 1, z.size), dtype=np.complex128)
    rows[1:] = factor
    return np.asarray(np.multiply.accumulate(rows, axis=0))


def _log_factorials(n: int) -> Array:
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])


Words = npt.NDArray[np.uint32]
Rows = npt.NDArray[np.intp]
FLOOR = 2.0**-44
"""Outcomes that are less likely than this, row included, are left out: no study meets one."""
KindCounts = npt.NDArray[np.intp]
FAR = 8.0
"""Standard deviations from n/2 beyond which no count of points of one kind is met (1e-15)."""


@dataclass(frozen=True, eq=False, slots=True)
class AliasTable:
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
) -> AliasTable:
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
    return AliasTable(bits, threshold.ravel(), outcome.astype(np.float32).ravel(), first_row)


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


def heads(rng: np.random.Generator, n_reps: int, sizes: Sequence[int]) -> KindCounts:
    """Count heads among as many fair coins as each size says, by the bits of random words."""
    total = np.zeros((n_reps, len(sizes)), dtype=np.intp)
    for start in range(0, max(sizes), 32):
        masks = [(1 << min(max(size - start, 0), 32)) - 1 for size in sizes]
        random = words(rng, n_reps, len(sizes))
        total += np.bitwise_count(random & np.array(masks, dtype=np.uint32))
    return total


def deal(rng: np.random.Generator, m: KindCounts, n: int, sizes: Sequence[int]) -> KindCounts:
    """Deal n points, m of the first kind, into folds; return the first kind in each fold."""
    folds = []
    left, remaining = m.copy(), n
    for size in sizes:
        if size == remaining:
            here = left
        elif remaining == n:
            table = count_table(n, size)
            here = table.draw(table.near(left), words(rng, *left.shape)).astype(np.intp)
        else:
            here = rng.hypergeometric(left, remaining - left, size)
        folds.append(here)
        left, remaining = left - here, remaining - size
    return np.stack(folds, axis=-1)


def fold_counts(n: int, folds: int) -> list[int]:
    """Return the number of test items of each fold."""
    return [size for _, size in fold_sizes(n, folds)]


def n_test_of(design: Any, n: int) -> int:
    """Return the size of the (first) test set."""
    return n if isinstance(design, LeaveOneOut) else int(design.sizes(n).n_test[0])


def near_rows(n: int) -> tuple[int, int]:
    """Return the first and last count of one kind among n points that can be met."""
    reach = FAR * np.sqrt(n) / 2
    return max(int(n / 2 - reach), 0), min(int(np.ceil(n / 2 + reach)), n)


@lru_cache(maxsize=64)
def resample_table(n: int, n_test: int, kinds: Kinds, nodes: Nodes) -> AliasTable:
    """Return the laws of a split's difference, by the points of the first kind among n."""
    first, last = near_rows(n)
    laws = hypergeometric_law(n, n_test)[first : last + 1] @ difference_law(n_test, kinds, nodes)
    return _likely(laws, n, -n_test)


@lru_cache(maxsize=64)
def fold_table(n_test: int, kinds: Kinds, nodes: Nodes) -> AliasTable:
    """Return the laws of a fold's difference, by the points of the first kind in it."""
    first, last = near_rows(n_test)
    return _likely(difference_law(n_test, kinds, nodes)[first : last + 1], n_test, -n_test)


@lru_cache(maxsize=64)
def count_table(n: int, drawn: int) -> AliasTable:
    """Return the laws of the points of the first kind drawn, by those among n."""
    first, last = near_rows(n)
    return _likely(hypergeometric_law(n, drawn)[first : last + 1], n, 0)


@lru_cache(maxsize=64)
def errors_table(n_test: int, rate: float) -> AliasTable:
    """Return the laws of the number of errors, by the number of points."""
    return alias_table(binomial_law(n_test, rate), 0)


def _likely(laws: Array, n: int, lowest: int) -> AliasTable:
    first, last = near_rows(n)
    weights = binomial_law(n, 0.5)[-1, first : last + 1]
    return alias_table(laws, lowest, first_row=first, weights=weights)
