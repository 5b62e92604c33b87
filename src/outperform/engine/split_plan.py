"""The splits of a run, all of them in few arrays, and what is odd about them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt

from ..designs import (
    Design,
    held_out,
)
from ..designs.splitting import IntArray, Sides, encode, others, training_rows
from ..errors import DesignError, argument, counted
from ..notes import Note
from ..storage import Address
from ..storage.contents import pack, pack_one, unpack, unpack_one

LARGE = 10**7
"""Fits above which a run wants to be confirmed: hours at a millisecond each."""
FEW = 10


@dataclass(frozen=True, eq=False, slots=True)
class SplitPlan:
    """The splits of a run in address order, in few arrays, which joblib maps for its workers."""

    design: Design
    n: int
    seed: int
    keys: IntArray
    """The addresses as single numbers, ascending."""
    tests: IntArray
    """The test rows of all splits, one after the other."""
    test_ends: IntArray
    trains: IntArray
    """The training rows likewise, without those that are all other rows in ascending order."""
    train_ends: IntArray
    n_train: IntArray
    """How many different rows each split trains on: a row that comes twice is no second one."""
    shuffled: bool = True
    """Whether training rows are shuffled by the seed, as in designs of ours."""
    ascending: bool = True
    """Whether the rows of every split were given, or drawn, in ascending order."""
    fingerprint: str = ""
    """Of splits that were given."""
    notes: tuple[Note, ...] = ()

    def __len__(self) -> int:
        return len(self.keys)

    def at(self, address: Address) -> tuple[IntArray, IntArray]:
        """Return the training and the test rows of an address."""
        return self.split(int(np.searchsorted(self.keys, pack_one(address))))

    def split(self, at: int) -> tuple[IntArray, IntArray]:
        """Return the training and the test rows of the split at a position."""
        train, test = (
            np.asarray(rows)[int(ends[at - 1]) if at else 0 : int(ends[at])]
            for rows, ends in ((self.trains, self.train_ends), (self.tests, self.test_ends))
        )
        own = train if train.size else None
        if self.shuffled:
            order = self.design.order_of(*unpack_one(int(self.keys[at]))[:2])
            return training_rows(self.n, own, test, self.seed, *order), test
        return (others(self.n, test) if own is None else own), test

    @property
    def grid(self) -> IntArray:
        """The addresses, shape (splits, 3)."""
        return unpack(self.keys)

    @property
    def addresses(self) -> list[Address]:
        return [Address(*row) for row in self.grid.tolist()]

    @property
    def n_test(self) -> IntArray:
        return np.diff(self.test_ends, prepend=0)

    @property
    def entries(self) -> IntArray:
        """The split of each tested item, one after the other."""
        return np.repeat(np.arange(len(self), dtype=np.int64), self.n_test)


def is_given(design: object) -> bool:
    """Tell whether a design comes with splits of its own."""
    if isinstance(design, str | Integral | Design):
        return False
    return hasattr(design, "split") or isinstance(design, Iterable)


def check_size(design: Design, n: int, n_learners: int, confirmed: bool) -> None:
    """Refuse a plan so large that it may be a slip, unless it is confirmed."""
    n_fits = design.n_splits(n) * n_learners
    if n_fits > LARGE and not confirmed:
        hours = n_fits / 3.6e6
        raise DesignError(
            f"{design} with {counted(n_learners, 'learner')} needs {n_fits:,} fits, {hours:,.0f} "
            "hours if each takes a millisecond. Use fewer repeats, or pass "
            f"{argument(confirm_large=True)}"
        )


def draw_plan(
    design: Design, n: int, seed: int, classes: IntArray | None, groups: IntArray | None
) -> SplitPlan:
    """Draw every split of a design of ours, once."""
    grid: list[tuple[int, int, int]] = []
    sides: list[Sides] = []
    for key, block in held_out(design, n, classes, groups, seed):
        grid += [(*key, fold) for fold in range(len(block))]
        sides += block
    n_train = [n - test.size if train is None else train.size for train, test in sides]
    return make_plan(design, n, seed, grid, sides, n_train, shuffled=design.shuffled)


def make_plan(
    design: Design, n: int, seed: int, grid: Any, sides: Sequence[Sides], n_train: Any, **about: Any
) -> SplitPlan:
    """Put splits, in address order, into few arrays."""
    none = np.empty(0, dtype=np.int64)
    trains = [none if train is None else train for train, _ in sides]
    tests = [test for _, test in sides]
    flat = [np.concatenate([none, *rows]).astype(np.int64, copy=False) for rows in (tests, trains)]
    ends = [np.cumsum([part.size for part in rows], dtype=np.int64) for rows in (tests, trains)]
    counts = np.array(n_train, dtype=np.int64)
    return SplitPlan(
        design, n, seed, pack(grid), flat[0], ends[0], flat[1], ends[1], counts, **about
    )


def oddities(plan: SplitPlan, y: npt.NDArray[Any], *, classes: bool) -> list[Note]:
    """Say which training sets are too small, or lack classes."""
    found = []
    small = int((plan.n_train < FEW).sum())
    n_splits = len(plan)
    if small:
        has = "has" if small == 1 else "have"
        detail = f"{small} of {n_splits} training sets {has} fewer than {FEW} items."
        found.append(Note("OP508", detail))
    if not classes or y.ndim != 1:
        return found
    codes = encode(y, len(y), "y")
    every = np.bincount(codes)
    own = np.flatnonzero(np.diff(plan.train_ends, prepend=0))  # not trained on all the others
    if not own.size and every.min() > plan.n_test.max():
        return found  # no test set can hold all items of a class
    both = plan.entries * every.size + codes[plan.tests]
    tested = np.bincount(both, minlength=n_splits * every.size).reshape(n_splits, -1)
    trained = every - tested
    for at in own.tolist():
        trained[at] = np.bincount(codes[plan.split(at)[0]], minlength=every.size)
    lacking = int(((trained == 0) & (tested > 0)).any(axis=1).sum())
    single = int((np.count_nonzero(trained, axis=1) == 1).sum())
    if lacking:
        detail = f"{lacking} of {n_splits} training sets lack a class that is tested."
        found.append(Note("OP501", detail))
    if single and every.size > 1:
        found.append(Note("OP502", f"{single} of {n_splits} training sets contain only one class."))
    return found
