"""The plan: every address of a design with the items it trains and tests on, and what is odd."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..designs import Design
from ..errors import DesignError
from ..notes import Note
from ..splitting import IntArray, encode
from ..store.values import Address
from .cells import Splits

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

    @property
    def grid(self) -> IntArray:
        """The addresses as an array, shape (splits, 3)."""
        return np.array(self.addresses, dtype=np.int64).reshape(-1, 3)


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
    addresses = _addresses(splits.design, splits.n)
    sides = [splits.sides(address) for address in addresses]
    n_test = np.array([test.size for _, test in sides], dtype=np.int64)
    n_train = np.array(
        [splits.n - test.size if train is None else train.size for train, test in sides],
        dtype=np.int64,
    )
    return Plan(addresses, n_train, n_test, tuple(test for _, test in sides))


def _addresses(design: Design, n: int) -> tuple[Address, ...]:
    partitions, repeats, folds = design.shape or (1, 1, n)
    grid = (
        Address(partition, repeat, fold)
        for partition in range(partitions)
        for repeat in range(repeats)
        for fold in range(folds)
    )
    if design.kind == "halves":  # partition 0 splits all data, and so has one fold
        return tuple(at for at in grid if at.partition or not at.fold)
    return tuple(grid)


def oddities(plan: Plan, splits: Splits, y: npt.NDArray[Any], *, classes: bool) -> list[Note]:
    """Say which training sets are too small, or lack classes."""
    found = []
    small = int((plan.n_train < FEW).sum())
    n_splits = len(plan.addresses)
    if small:
        detail = f"{small} of {n_splits} training sets hold fewer than {FEW} items."
        found.append(Note("OP508", detail))
    if not classes or y.ndim != 1:
        return found
    codes = encode(y, splits.n, "y")
    every = np.bincount(codes)
    lacking = single = 0
    for address in plan.addresses:
        train, test = splits.sides(address)
        tested = np.bincount(codes[test], minlength=every.size)
        trained = every - tested
        if train is not None:
            trained = np.bincount(codes[train], minlength=every.size)
        lacking += bool(((trained == 0) & (tested > 0)).any())
        single += np.count_nonzero(trained) == 1
    if lacking:
        detail = f"{lacking} of {n_splits} training sets lack a class that is tested."
        found.append(Note("OP501", detail))
    if single and every.size > 1:
        found.append(Note("OP502", f"{single} of {n_splits} training sets hold one class only."))
    return found
