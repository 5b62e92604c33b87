"""Weka's own folds: java.util.Random, the shuffle and the stratification of its Instances (R-29).

The Experimenter shuffles a copy of the data by `new Random(run)`, stratifies it, and takes folds
one after the other; training rows keep that order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from outperform.designs.splitting import IntArray, fold_sizes

MULTIPLIER, ADDEND, MASK = 0x5DEECE66D, 0xB, (1 << 48) - 1
"""Of the linear congruential generator that the documentation of java.util.Random prescribes."""


class JavaRandom:
    """The integers of java.util.Random."""

    def __init__(self, seed: int) -> None:
        self.state = (seed ^ MULTIPLIER) & MASK

    def bits(self, n: int) -> int:
        """Return the next n bits, not negative."""
        self.state = (self.state * MULTIPLIER + ADDEND) & MASK
        return self.state >> (48 - n)

    def below(self, bound: int) -> int:
        """Return the next integer from 0 up to a bound: `nextInt(bound)`."""
        if bound & (bound - 1) == 0:
            return (bound * self.bits(31)) >> 31
        while True:
            drawn = self.bits(31)
            found = drawn % bound
            if drawn - found + bound - 1 < 1 << 31:  # else it overflows in Java, and draws again
                return found


def shuffled(rows: Sequence[int], random: JavaRandom) -> list[int]:
    """Return the rows as `Instances.randomize(random)` leaves them."""
    found = list(rows)
    for at in range(len(found) - 1, 0, -1):
        other = random.below(at + 1)
        found[at], found[other] = found[other], found[at]
    return found


def stratified(rows: Sequence[int], classes: Sequence[Any], folds: int) -> list[int]:
    """Return the rows as `Instances.stratify(folds)` leaves them.

    Rows are sorted by class, by swaps that move others about, then dealt to the folds in turn.
    """
    found, at = list(rows), 1
    while at < len(found):
        kind = classes[found[at - 1]]
        for other in range(at, len(found)):
            if classes[found[other]] == kind:
                found[at], found[other] = found[other], found[at]
                at += 1
        at += 1
    return [row for start in range(folds) for row in found[start::folds]]


def weka_folds(
    y: Sequence[Any], folds: int, seed: int, *, again: bool = False
) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield training and test rows of each fold of one stratified run, in Weka's order.

    `again` shuffles each training set once more with the same generator, as releases after 3.4 do.
    """
    random = JavaRandom(seed)
    order = stratified(shuffled(range(len(y)), random), y, folds)
    first = 0
    for _, size in fold_sizes(len(y), folds):
        test, train = order[first : first + size], order[:first] + order[first + size :]
        if again:
            train = shuffled(train, random)
        yield np.array(train, dtype=np.int64), np.array(test, dtype=np.int64)
        first += size
