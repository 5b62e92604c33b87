"""Disjoint training sets, and one test set for all.

Implements D-06.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from . import splitting
from .base import Switched
from .notation import as_size
from .splitting import Block, Size, whole


@dataclass(frozen=True, slots=True, repr=False)
class DisjointTrainSets(Switched):
    """Disjoint training sets and one test set for all, for large samples.

    Its notation is "8disjoint@200", or "8disjoint@200/test500".

    Parameters
    ----------
    sets : int
        Number of training sets.
    size : int
        Number of items of each.
    test : int or Fraction, optional
        Size of the test set; by default all other items.
    stratified : bool, default=False
        Whether each split keeps the shares of the classes.
    grouped : bool, default=False
        Whether the items of a group stay together.

    Notes
    -----
    Recommended by Dietterich (1998) for large samples.

    Examples
    --------
    >>> import outperform as op
    >>> op.DisjointTrainSets(8, 200).describe()
    '8 disjoint training sets of 200 items and one test set'
    """

    sets: int
    size: int
    test: Size | None = None
    kind: ClassVar[str] = "disjoint"
    form: ClassVar[str] = "{sets}disjoint@{size}[/test{test}]"
    sentence: ClassVar[str] = (
        "{sets:disjoint training set} of {size:item} and one test set[ of {test:item}]"
    )
    refuses: ClassVar[tuple[str, ...]] = ("grouped",)
    giveable: ClassVar[bool] = False

    def __post_init__(self) -> None:
        test = None if self.test is None else as_size(self.test, "test")
        sets, size = whole(self.sets, "sets", 1), whole(self.size, "size", 1)
        self._settle(sets=sets, size=size, test=test)

    @property
    def shape(self) -> tuple[int, int, int]:
        return 1, self.sets, 1

    @property
    def test_train_ratio(self) -> Fraction | None:
        return Fraction(self.test, self.size) if isinstance(self.test, int) else None

    def block(self, n: int, partition: int) -> tuple[Block, splitting.Cut]:
        sizes = splitting.disjoint_sizes(n, self.sets, self.size, self.test)
        return [sizes], splitting.disjoin
