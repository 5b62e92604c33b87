"""The plan: every address of a design with the items it trains and tests on, and what is odd."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from ..designs import Design
from ..errors import DesignError
from ..notes import Note
from ..splitting import IntArray, encode
from ..store.values import Address
from .splits import Splits

__all__ = ["Plan", "check_size", "make_plan"]

LARGE = 10**7
"""Fits above which a run wants to be confirmed: hours at a millisecond each."""
FEW = 10


@dataclass(frozen=True, eq=False, slots=True)
class Plan:
    """The splits of a run, in address order."""

    addresses: tuple[Address, ...]
    n_train: IntArray
    n_test: IntArray
    tests: tuple[IntArray, ...]
    """The test items of each split."""
    trains: dict[int, IntArray]
    """The training items of splits, by position, where they are not all the others."""

    @property
    def grid(self) -> IntArray:
        """The addresses as an array, shape (splits, 3)."""
        flat = chain.from_iterable(self.addresses)
        return np.fromiter(flat, np.int64, 3 * len(self.addresses)).reshape(-1, 3)

    @property
    def entries(self) -> IntArray:
        """The split of each tested item, one after the other."""
        return np.repeat(np.arange(len(self.addresses), dtype=np.int64), self.n_test)


def check_size(design: Design, n: int, n_learners: int, confirmed: bool) -> None:
    """Refuse a plan so large that it may be a slip, unless it is confirmed."""
    n_fits = design.n_splits(n) * n_learners
    if n_fits > LARGE and not confirmed:
        hours = n_fits / 3.6e6
        raise DesignError(
            f"{design} with {n_learners} learners makes {n_fits:,} fits, {hours:,.0f} hours "
            "if each takes a millisecond. Use fewer repeats, or pass confirm_large=True"
        )


def make_plan(splits: Splits) -> Plan:
    """Make every split once, for its sizes and test items."""
    made = list(splits.every())
    tests = tuple([test for _, (_, test) in made])
    n_test = np.array(list(map(len, tests)), dtype=np.int64)
    n_train = splits.n - n_test
    trains = {at: train for at, (_, (train, _)) in enumerate(made) if train is not None}
    for at, train in trains.items():
        n_train[at] = train.size
    if splits.given is not None:
        n_train = splits.given.n_train
    return Plan(tuple([address for address, _ in made]), n_train, n_test, tests, trains)


def oddities(plan: Plan, y: npt.NDArray[Any], *, classes: bool) -> list[Note]:
    """Say which training sets are too small, or lack classes."""
    found = []
    small = int((plan.n_train < FEW).sum())
    n_splits = len(plan.addresses)
    if small:
        detail = f"{small} of {n_splits} training sets hold fewer than {FEW} items."
        found.append(Note("OP508", detail))
    if not classes or y.ndim != 1:
        return found
    codes = encode(y, len(y), "y")
    every = np.bincount(codes)
    if not plan.trains and every.min() > plan.n_test.max():
        return found  # no test set can hold all items of a class
    both = plan.entries * every.size + codes[np.concatenate(plan.tests)]
    tested = np.bincount(both, minlength=n_splits * every.size).reshape(n_splits, -1)
    trained = every - tested
    for at, train in plan.trains.items():
        trained[at] = np.bincount(codes[train], minlength=every.size)
    lacking = int(((trained == 0) & (tested > 0)).any(axis=1).sum())
    single = int((np.count_nonzero(trained, axis=1) == 1).sum())
    if lacking:
        detail = f"{lacking} of {n_splits} training sets lack a class that is tested."
        found.append(Note("OP501", detail))
    if single and every.size > 1:
        found.append(Note("OP502", f"{single} of {n_splits} training sets hold one class only."))
    return found
