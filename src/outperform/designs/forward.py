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
    """Test blocks one after the other at the end of the rows, for time series.

    Its notation is "5forward", "5forward/gap10", "5forward/sliding200" or "5forward@50". Each block
    is tested after training on the rows before it, as `TimeSeriesSplit` of scikit-learn does.

    Parameters
    ----------
    folds : int
        Number of test blocks.
    test : int or Fraction, optional
        Rows of a block; by default n // (folds + 1).
    gap : int, default=0
        Rows left out between training and test.
    window : int or "first", optional
        Largest number of training rows, or as many as the first split has; by default all rows
        before.

    Examples
    --------
    >>> import outperform as op
    >>> [split.test.tolist() for split in op.Forward(2, test=2).split(6)]
    [[2, 3], [4, 5]]
    """

    folds: int
    test: Size | None = None
    gap: int = 0
    window: Window = None
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
        """Return a sentence that says what is tested, and what is trained on before it.

        Returns
        -------
        str
            The sentence.

        Examples
        --------
        >>> import outperform as op
        >>> op.Forward(5).describe()
        '5 test blocks in the order of the rows, trained on all rows before'
        """
        size = "" if self.test is None else f" of {Amount(self.test):row}"
        trained = f"at most {self.window} rows before" if self.window != 1 else "the row before"
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
