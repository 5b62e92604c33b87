"""Items: the loss of every learner on every test item, as floats, bytes, bits, or still to read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ..errors import DataError

Loss = Literal["zero-one", "squared", "absolute", "log", "given"]
Bits = npt.NDArray[np.uint8]

METRIC_OF_LOSS: dict[Loss, str] = {
    "zero-one": "accuracy",
    "squared": "neg_mean_squared_error",
    "absolute": "neg_mean_absolute_error",
    "log": "neg_log_loss",
}
"""What a mean of item losses is called, its sign turned so that greater is better.

Losses that were given are those of the scores' own metric, on its scale.
"""
RATES = ("win rate",)
"""Other names of a share of items: who was preferred is kept as who was right."""
OF_ITEMS = (
    "score acc accuracy correct percentcorrect winrate err error errorrate percentincorrect r2 mse "
    "meansquarederror rmse rootmeansquarederror mae meanabsoluteerror logloss nll"
)
"""Metrics with a loss for each item, as `has_item_losses` compares names; "score" names none."""
WORD = 8  # bytes: bits are counted 64 at a time


def has_item_losses(metric: str) -> bool:
    """Return whether items have losses by this metric, which a file of scores leaves out."""
    plain = "".join(letter for letter in metric.casefold() if letter.isalnum())
    return plain.removeprefix("test").removeprefix("neg") in OF_ITEMS.split()


def metric_of(loss: Loss, metric: str) -> str:
    """Return what a mean of item losses is called, given the metric of whole test sets."""
    if loss == "zero-one" and metric in RATES:
        return metric
    return METRIC_OF_LOSS.get(loss, metric)


@dataclass(frozen=True, eq=False, slots=True)
class SplitLosses:
    """Per-item losses (lower is better) of every learner, in the order of the splits."""

    loss: Loss
    values: npt.NDArray[Any]
    """Shape (learners, entries): one entry for each test item of each split. Floats, or bytes 0
    and 1 where ten million items are to be held."""
    split: npt.NDArray[np.int64]
    """Which split an entry belongs to."""
    item: npt.NDArray[np.int64]
    """Which item of the data an entry is."""

    @property
    def shape(self) -> tuple[int, int]:
        return self.values.shape[0], self.values.shape[1]

    def of(self, learners: Sequence[int]) -> SplitLosses:
        """Return the losses of some learners, in the order they are asked for."""
        return SplitLosses(self.loss, self.values[list(learners)], self.split, self.item)

    def first(self, most: int) -> SplitLosses:
        """Return the losses of the first items, in whatever order the entries come."""
        kept: Any = slice(most)
        if not rises(self.item):
            kept = self.item < np.partition(self.item, most)[most]
        return SplitLosses(self.loss, self.values[:, kept], self.split[kept], self.item[kept])


@dataclass(frozen=True, eq=False)
class ItemsToRead:
    """`SplitLosses` that are read, and checked, when one of their arrays is first asked for."""

    loss: Loss
    read: Callable[[], SplitLosses]

    @cached_property
    def _read(self) -> SplitLosses:
        return self.read()

    @property
    def values(self) -> npt.NDArray[Any]:
        return self._read.values

    @property
    def split(self) -> npt.NDArray[np.int64]:
        return self._read.split

    @property
    def item(self) -> npt.NDArray[np.int64]:
        return self._read.item

    @property
    def shape(self) -> tuple[int, int]:
        return self._read.shape

    def of(self, learners: Sequence[int]) -> SplitLosses:
        return self._read.of(learners)

    def first(self, most: int) -> SplitLosses:
        return self._read.first(most)


@dataclass(frozen=True, eq=False)
class BitItems:
    """Right and wrong on one test set, a bit for each item; unpacked when arrays are asked for.

    Pairs are counted from the bits, so ten million items of ten models take 12 MB and not 180.
    """

    right: Bits
    """Shape (learners, bytes), as `bits_for` makes it: 1 for right, the first item in the lowest
    bit, zeros beyond the last."""
    n: int
    loss: Loss = "zero-one"

    @cached_property
    def values(self) -> npt.NDArray[np.uint8]:
        return self._wrong(self.n)

    @cached_property
    def split(self) -> npt.NDArray[np.int64]:
        return np.broadcast_to(np.int64(0), (self.n,))

    @cached_property
    def item(self) -> npt.NDArray[np.int64]:
        return np.arange(self.n, dtype=np.int64)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.right), self.n

    def of(self, learners: Sequence[int]) -> BitItems:
        return BitItems(self.right[list(learners)], self.n)

    def first(self, most: int) -> SplitLosses:
        n = min(most, self.n)
        return SplitLosses(self.loss, self._wrong(n), self.split[:n], np.arange(n, dtype=np.int64))

    def _wrong(self, n: int) -> npt.NDArray[np.uint8]:
        wrong = np.unpackbits(self.right, axis=1, count=n, bitorder="little")
        return np.bitwise_xor(wrong, 1, out=wrong)


AnyItems = SplitLosses | ItemsToRead | BitItems


def bits_for(learners: int, n: int) -> Bits:
    """Return zeroed bits of n items for each learner, in whole words."""
    return np.zeros((learners, WORD * -(-n // (8 * WORD))), dtype=np.uint8)


def check_right_wrong(items: AnyItems) -> None:
    """Refuse items with other losses than right or wrong."""
    if items.loss != "zero-one":
        raise DataError(
            f"the items carry {items.loss} losses; right and wrong need zero-one losses. Use "
            "simultaneous() or paired_t on the item losses instead"
        )


def rises(item: npt.NDArray[np.int64]) -> bool:
    """Tell quickly whether items come in order, each once."""
    return bool((item[1:] > item[:-1]).all())
