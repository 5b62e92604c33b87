"""The plan: splits made where they are needed, all their addresses, and what is odd about them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any
from uuid import uuid4

import numpy as np
import numpy.typing as npt

from ..designs import Design, held_out
from ..designs.splitting import IntArray, Sides, encode, others
from ..errors import DesignError
from ..notes import Note
from ..storage import Address
from .given_splits import GivenSplits

__all__ = ["Plan", "Splits", "check_size", "make_plan"]

LARGE = 10**7
"""Fits above which a run wants to be confirmed: hours at a millisecond each."""
FEW = 10
Key = tuple[int, int]
KEPT_BYTES = 2**26
"""How much of the splits is kept for the next task."""


class Splits:
    """Makes the splits of a design where they are needed: only addresses travel."""

    def __init__(
        self,
        design: Design,
        n: int,
        seed: int,
        classes: IntArray | None,
        groups: IntArray | None,
        given: GivenSplits | None = None,
    ) -> None:
        self.design, self.n, self.seed, self.given = design, n, seed, given
        self._classes, self._groups = classes, groups
        self._kept: dict[Key, list[Sides]] = {}
        self._n_bytes = 0
        self._token = uuid4().hex

    @property
    def ascending(self) -> bool:
        """Whether all rows come in ascending order, as in designs of ours."""
        return self.given is None or self.given.ascending

    def at(self, address: Address) -> tuple[IntArray, IntArray]:
        """Return the training and the test items of an address."""
        train, test = self.sides(address)
        return (others(self.n, test) if train is None else train), test

    def sides(self, address: Address) -> Sides:
        """Return the same, but None for training items that are all the others."""
        block = self._kept.get(address[:2])
        if block is None:
            if self._n_bytes > KEPT_BYTES:
                self._kept.clear()
                self._n_bytes = 0
            [(_, block)] = self._make(address[:2])
            self._keep(address[:2], block)
        return block[address[2]]

    def every(self) -> Iterator[tuple[Address, Sides]]:
        """Yield all splits in order, keeping the first for later.

        Training sets that are all the other items (None) take less time to find than memory.
        """
        for key, block in self._make():
            if self._n_bytes <= KEPT_BYTES:
                self._keep(key, block)
            partition, repeat = key
            for fold, sides in enumerate(block):
                yield Address(partition, repeat, fold), sides

    def _keep(self, key: Key, block: list[Sides]) -> None:
        self._kept[key] = block
        for train, test in block:
            self._n_bytes += test.nbytes + (0 if train is None else train.nbytes)

    def _make(self, at: Key | None = None) -> Iterator[tuple[Key, list[Sides]]]:
        """Make the splits of one repeat, or all; those that were given are there."""
        if self.given is not None:
            given, (_, repeats, _) = self.given, self.design.shape or (1, 1, 1)
            keys = [(0, repeat) for repeat in range(repeats)] if at is None else [at]
            return ((key, given.block(key[1])) for key in keys)
        return held_out(self.design, self.n, self._classes, self._groups, self.seed, at)

    def __reduce__(self) -> tuple[Any, ...]:
        made_from = self.design, self.n, self.seed, self._classes, self._groups, self.given
        return _received_splits, (self._token, *made_from)


_received: dict[str, Splits] = {}


def _received_splits(token: str, *made_from: Any) -> Splits:
    """Return the splits that were sent, with those that this worker has made before."""
    if token not in _received:
        _received.clear()
        _received[token] = Splits(*made_from)
    return _received[token]


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
