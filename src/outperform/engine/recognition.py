"""Recognition: which kind of design given splits are, by their rows alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..designs import (
    Custom,
    Design,
    Holdout,
    KFold,
    LeaveOneOut,
    RepeatedKFold,
    Resampled,
)
from ..errors import DesignError
from ..splitting import IntArray, encode

__all__ = ["GivenSplit", "recognise"]

NEVER = 7.0
"""Shared items that random test sets should have, e⁻⁷ being the chance that there are none."""
ABOUT = 0.1
"""By how much of the largest the sizes of random splits may differ."""


@dataclass(frozen=True, eq=False, slots=True)
class GivenSplit:
    """One split and what is seen of it at once."""

    train: IntArray | None
    """None where it is all other rows in ascending order."""
    test: IntArray
    n_train: int
    """Different rows trained on."""
    n_rows: int
    others: bool
    """Trained on each of the other rows, once."""
    last_train: int
    ascending: bool

    @property
    def repeats_rows(self) -> bool:
        return self.n_train + self.test.size < self.n_rows


def recognise(
    splits: Sequence[GivenSplit], n: int, groups: IntArray | None, name: str
) -> tuple[Design, str]:
    """Return the design that these splits of n rows are, and why; refuse splits in time order."""
    if len(splits) == 1:
        return Holdout(splits[0].test.size), "one split"
    _check_not_forward(splits, n, name)
    crossed = _crossed(splits, n) if all(one.others for one in splits) else None
    if crossed is not None:
        return crossed, "test sets are disjoint and cover all rows, training sets are all others"
    if _is_drawn(splits, n, groups):
        sizes = ((one.test.size, one.n_train) for one in splits)
        test, train = (round(sum(side) / len(splits)) for side in zip(*sizes, strict=True))
        return Resampled(len(splits), test, train), "test sets of one size follow no pattern"
    return Custom(len(splits)), "they are neither cross-validation nor random splits of one size"


def _check_not_forward(splits: Sequence[GivenSplit], n: int, name: str) -> None:
    """Refuse splits whose training rows all come before test rows that move on."""
    starts = [int(one.test.min()) for one in splits]
    moves = len(set(starts)) == len(starts)
    if moves and all(one.last_train < start for one, start in zip(splits, starts, strict=True)):
        folds = min(n, 10)
        raise DesignError(
            f"{name} moves forward through the rows: all training rows of a split come before its "
            "test rows, as for time series. No method here is valid for such splits. If the order "
            f"of the rows means nothing, use design='{folds}cv' or scikit-learn's "
            f"KFold(n_splits={folds}, shuffle=True, random_state=0)"
        )


def _crossed(splits: Sequence[GivenSplit], n: int) -> Design | None:
    """Return the cross-validation, perhaps repeated, that these test sets make in their order."""
    fold_of = np.full(n, -1, dtype=np.int64)
    passes: list[int] = []
    partitions: set[bytes] = set()
    folds = filled = 0
    for one in splits:
        if (fold_of[one.test] >= 0).any():
            return None
        fold_of[one.test] = folds
        folds, filled = folds + 1, filled + one.test.size
        if filled == n:
            passes.append(folds)
            partitions.add(encode(fold_of, n, "folds").tobytes())
            fold_of[:] = -1
            folds = filled = 0
    # The same partition again is no new repeat.
    if filled or len(set(passes)) != 1 or len(partitions) != len(passes):
        return None
    if len(passes) > 1:
        return RepeatedKFold(len(passes), passes[0])
    return LeaveOneOut() if passes[0] == n else KFold(passes[0])


def _is_drawn(splits: Sequence[GivenSplit], n: int, groups: IntArray | None) -> bool:
    """Tell whether splits are about as large and their test sets as random ones would be.

    What is drawn are rows or, where there are any, groups. Test sets are not random if most come
    again, if they slide along the rows, if all rows are tested as often, or if none is tested twice
    where that is most unlikely.
    """
    if any(one.repeats_rows for one in splits):
        return False
    units = np.arange(n) if groups is None else groups
    tests = [np.unique(units[one.test]) for one in splits]
    count = int(units.max()) + 1
    sizes = [test.size for test in tests]
    if not _alike(sizes) or (groups is None and not _alike([one.n_train for one in splits])):
        return False
    different = len({test.tobytes() for test in tests})
    if 2 * different <= min(len(tests), math.comb(count, min(sizes))):
        return False
    starts = [int(test[0]) for test in tests]
    solid = all(test[-1] - test[0] == test.size - 1 for test in tests) and max(sizes) > 1
    if solid and len({a < b for a, b in pairwise(starts)}) == 1:
        return False
    tested = np.bincount(np.concatenate(tests), minlength=count)
    if tested.min() == tested.max():
        return False
    if tested.max() == 1:
        pairs = sum(sizes) ** 2 - sum(size**2 for size in sizes)
        return pairs / 2 / count < NEVER
    return True


def _alike(sizes: Sequence[int]) -> bool:
    return max(sizes) - min(sizes) <= max(1.0, ABOUT * max(sizes))
