"""How points of two kinds fall into samples and folds, and tables of what is then seen."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ..designs import LeaveOneOut
from ..splitting import fold_sizes
from ..sums import Array
from .laws import Kinds, Nodes, binomial_law, difference_law, hypergeometric_law
from .tables import Table, alias_table, words

__all__ = [
    "count_table",
    "deal",
    "errors_table",
    "fold_counts",
    "fold_table",
    "heads",
    "n_test_of",
    "near_rows",
    "resample_table",
]

Counts = npt.NDArray[np.intp]
FAR = 8.0
"""Standard deviations from n/2 beyond which no count of points of one kind is met (1e-15)."""


def heads(rng: np.random.Generator, n_reps: int, sizes: Sequence[int]) -> Counts:
    """Count heads among as many fair coins as each size says, by the bits of random words."""
    total = np.zeros((n_reps, len(sizes)), dtype=np.intp)
    for start in range(0, max(sizes), 32):
        masks = [(1 << min(max(size - start, 0), 32)) - 1 for size in sizes]
        random = words(rng, n_reps, len(sizes))
        total += np.bitwise_count(random & np.array(masks, dtype=np.uint32))
    return total


def deal(rng: np.random.Generator, m: Counts, n: int, sizes: Sequence[int]) -> Counts:
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
def resample_table(n: int, n_test: int, kinds: Kinds, nodes: Nodes) -> Table:
    """Return the laws of a split's difference, by the points of the first kind among n."""
    first, last = near_rows(n)
    laws = hypergeometric_law(n, n_test)[first : last + 1] @ difference_law(n_test, kinds, nodes)
    return _likely(laws, n, -n_test)


@lru_cache(maxsize=64)
def fold_table(n_test: int, kinds: Kinds, nodes: Nodes) -> Table:
    """Return the laws of a fold's difference, by the points of the first kind in it."""
    first, last = near_rows(n_test)
    return _likely(difference_law(n_test, kinds, nodes)[first : last + 1], n_test, -n_test)


@lru_cache(maxsize=64)
def count_table(n: int, drawn: int) -> Table:
    """Return the laws of the points of the first kind drawn, by those among n."""
    first, last = near_rows(n)
    return _likely(hypergeometric_law(n, drawn)[first : last + 1], n, 0)


@lru_cache(maxsize=64)
def errors_table(n_test: int, rate: float) -> Table:
    """Return the laws of the number of errors, by the number of points."""
    return alias_table(binomial_law(n_test, rate), 0)


def _likely(laws: Array, n: int, lowest: int) -> Table:
    first, last = near_rows(n)
    weights = binomial_law(n, 0.5)[-1, first : last + 1]
    return alias_table(laws, lowest, first_row=first, weights=weights)
