"""Splits: made where they are needed, so that only their addresses travel."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any, NamedTuple
from uuid import uuid4

from ..designs import Design, held_out
from ..splitting import IntArray, others
from ..store.values import Address
from .seeds import Seeds

__all__ = ["Splits"]

KEPT_BYTES = 2**26
"""How much of the splits is kept for the next task."""


class Sides(NamedTuple):
    """The items of one split."""

    train: IntArray | None
    """None if they are all that are not tested: they take less time to find than memory to keep."""
    test: IntArray
    n_train: int


class Splits:
    """Makes the splits of a design where they are needed: only addresses travel."""

    def __init__(
        self, design: Design, n: int, seed: int, classes: IntArray | None, groups: IntArray | None
    ) -> None:
        self.design, self.n, self.seed = design, n, seed
        self.seeds = Seeds(seed)
        self._classes, self._groups = classes, groups
        self._kept: dict[tuple[int, int], list[Sides]] = {}
        self._n_bytes = 0
        self._token = uuid4().hex

    def at(self, address: Address) -> tuple[IntArray, IntArray]:
        """Return the training and the test items of an address."""
        block = self._kept.get(address[:2])
        if block is None:
            if self._n_bytes > KEPT_BYTES:
                self._kept.clear()
                self._n_bytes = 0
            block = [sides for _, sides in self._make(address[:2])]
            self._keep(address[:2], block)
        train, test, _ = block[address[2]]
        return (others(self.n, test) if train is None else train), test

    def every(self) -> Iterator[tuple[Address, Sides]]:
        """Yield all splits in order, keeping the first for later."""
        for key, block in groupby(self._make(), key=lambda made: made[0][:2]):
            made = list(block)
            if self._n_bytes <= KEPT_BYTES:
                self._keep(key, [sides for _, sides in made])
            yield from made

    def _keep(self, key: tuple[int, int], block: list[Sides]) -> None:
        self._kept[key] = block
        for train, test, _ in block:
            self._n_bytes += test.nbytes + (0 if train is None else train.nbytes)

    def _make(self, at: tuple[int, int] | None = None) -> Iterator[tuple[Address, Sides]]:
        """Make the splits of one repeat, or all."""
        made = held_out(self.design, self.n, self._classes, self._groups, self.seed, at)
        for partition, repeat, fold, train, test in made:
            n_train = self.n - test.size if train is None else train.size
            yield Address(partition, repeat, fold), Sides(train, test, n_train)

    def __reduce__(self) -> tuple[Any, ...]:
        made_from = self.design, self.n, self.seed, self._classes, self._groups
        return _received_splits, (self._token, *made_from)


_received: dict[str, Splits] = {}


def _received_splits(token: str, *made_from: Any) -> Splits:
    """Return the splits that were sent, with those that this worker has made before."""
    if token not in _received:
        _received.clear()
        _received[token] = Splits(*made_from)
    return _received[token]
