"""Splits that move forward in time: trained on earlier rows, tested on the next ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np

from ..errors import DesignError, argument
from . import splitting
from .base import Design
from .notation import Amount, as_size
from .splitting import Block, Sides, Size, Units, whole

Window = int | Literal["first"] | None


@dataclass(frozen=True, slots=True, repr=False)
class Forward(Design):
    """Test blocks one after the other at the end of the rows: `5forward`, as `TimeSeriesSplit`.

    Each is tested after training on all rows before it or, with a sliding window, on as many as the
    first (`5forward/sliding`) or on 200 at most (`5forward/sliding200`). A gap leaves rows between
    training and test out (`5forward/gap10`). A block holds n // (folds + 1) rows unless `test` says
    otherwise: `5forward@50`.
    """

    folds: int
    test: Size | None = None
    gap: int = 0
    window: Window = None
    """None for all rows before; how many at most; or "first" for as many as the first split."""
    kind: ClassVar[str] = "forward"
    form: ClassVar[str] = "{folds}forward[@{test}][/gap{gap}][/sliding{window}]"
    sentence: ClassVar[str] = "{folds:forward split}"
    shuffled: ClassVar[bool] = False
    repeatable: ClassVar[bool] = False

    def __post_init__(self) -> None:
        test = None if self.test is None else as_size(self.test, "test")
        window: Any = self.window
        window = "first" if window == "" else window  # "/sliding" without a number
        if window not in (None, "first"):
            window = whole(window, "window", 1)
        folds, gap = whole(self.folds, "folds", 2), whole(self.gap, "gap", 0)
        self._settle(folds=folds, test=test, gap=gap, window=window)

    @property
    def shape(self) -> tuple[int, int, int]:
        return 1, 1, self.folds

    def __str__(self) -> str:
        size = "" if self.test is None else f"@{self.test}"
        window = "" if self.window is None else f"/sliding{self.window}".removesuffix("first")
        return f"{self.folds}forward{size}{f'/gap{self.gap}' * (self.gap > 0)}{window}"

    def describe(self) -> str:
        """Say what is tested, and what is trained on before it."""
        size = "" if self.test is None else f" of {Amount(self.test):row}"
        trained = f"at most {self.window} rows before"
        if self.window is None:
            trained = "all rows before"
        elif self.window == "first":
            trained = "a sliding window of the rows before"
        gap = f", leaving a gap of {Amount(self.gap):row}" * (self.gap > 0)
        blocks = f"{Amount(self.folds):test block}{size} in the order of the rows"
        return f"{blocks}, trained on {trained}{gap}"

    def block(self, n: int, partition: int) -> tuple[Block, splitting.Cut]:
        tested = n // (self.folds + 1) if self.test is None else splitting.item_count(self.test, n)
        starts = [n - tested * left for left in range(self.folds, 0, -1)]
        first = starts[0] - self.gap
        if tested < 1 or first < 1:
            after = f", after a gap of {self.gap}" * (self.gap > 0)
            raise DesignError(
                f"{n} rows are too few for {self.folds} test blocks of {max(tested, 1)} rows and a "
                f"training set before the first{after}; use fewer or smaller blocks, such as "
                f"{argument(design='2forward')}"
            )
        most = first if self.window == "first" else self.window or n
        sizes = [(min(most, start - self.gap), tested) for start in starts]
        return sizes, partial(_blocks, self.gap)


def _blocks(gap: int, units: Units, block: Block, partition: int, repeat: int) -> Iterator[Sides]:
    rows = np.arange(units.n, dtype=np.int64)
    start = units.n - sum(n_test for _, n_test in block)
    for n_train, n_test in block:
        yield rows[start - gap - n_train : start - gap], rows[start : start + n_test]
        start += n_test
