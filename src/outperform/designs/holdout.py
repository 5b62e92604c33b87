"""One random split."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

from . import splitting
from .base import Design, Switched
from .notation import as_size
from .splitting import Block, Size


@dataclass(frozen=True, slots=True, repr=False)
class Holdout(Switched):
    """One random split into training and test set.

    Its notation is "holdout@1/3".

    Parameters
    ----------
    test : int or Fraction, default=Fraction(1, 3)
        Number of test items, or their share.
    stratified : bool, default=False
        Whether each split keeps the shares of the classes.
    grouped : bool, default=False
        Whether the items of a group stay together.

    Examples
    --------
    >>> import outperform as op
    >>> op.Holdout(20).describe()
    'one random split with 20 items for testing'
    """

    test: Size = Fraction(1, 3)
    kind: ClassVar[str] = "holdout"
    form: ClassVar[str] = "holdout[@{test}]"
    sentence: ClassVar[str] = "one random split with {test:item} for testing"

    def __post_init__(self) -> None:
        self._settle(test=as_size(self.test, "test"))

    @property
    def shape(self) -> tuple[int, int, int]:
        return 1, 1, 1

    @property
    def test_train_ratio(self) -> Fraction | None:
        return self.test / (1 - self.test) if isinstance(self.test, Fraction) else None

    def block(self, n: int, partition: int) -> tuple[Block, splitting.Cut]:
        return [splitting.side_sizes(n, self.test)], splitting.resample

    def keeping_groups(self, n_groups: int) -> Design:
        return replace(self, grouped=True)
