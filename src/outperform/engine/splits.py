"""Splits: made where they are needed, so that only their addresses travel."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any
from uuid import uuid4

from ..designs import Design, held_out
from ..splitting import IntArray, Sides, others
from ..store.values import Address
from .given_splits import GivenSplits
from .seeds import Seeds

__all__ = ["Splits"]

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

    @cached_property
    def seeds(self) -> Seeds:
        """The seeds of all addresses."""
        return Seeds(self.seed)

    @property
    def ascending(self) -> bool:
        """Whether all rows come in ascending order, as in designs of ours."""
        return self.given is None or self.given.ascending

    @property
    def longest(self) -> int:
        """The most rows of a split: a training set that was given may hold rows twice."""
        return self.n if self.given is None else max(self.n, self.given.longest)

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
