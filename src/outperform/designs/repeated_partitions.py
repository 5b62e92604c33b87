"""A design repeated with independent random partitions."""

# Implements B-07.

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

from ..errors import DesignError
from . import splitting
from .base import Design, parse
from .splitting import Block, whole


@dataclass(frozen=True, slots=True, repr=False)
class Partitions(Design):
    """A design repeated with independent random partitions.

    Its notation is "55*10cv".

    Parameters
    ----------
    count : int
        Number of partitions.
    of : Design or str
        The design of each partition.

    Notes
    -----
    Bradford and Brodley (2001) average results over partitions.

    Examples
    --------
    >>> import outperform as op
    >>> str(op.Partitions(55, "10cv"))
    '55*10cv'
    """

    count: int
    of: Design
    kind: ClassVar[str] = "partitions"
    form: ClassVar[str] = "{count}*{of}"
    sentence: ClassVar[str] = "{count:random partition} of {of}"
    repeatable: ClassVar[bool] = False
    giveable: ClassVar[bool] = False

    def __post_init__(self) -> None:
        of = parse(self.of)
        if not of.repeatable:
            raise DesignError(f"{of} has no independent partitions; use for example '55*10cv'")
        self._settle(count=whole(self.count, "count", 1), of=of)

    @property
    def stratified(self) -> bool:
        return self.of.stratified

    @property
    def grouped(self) -> bool:
        return self.of.grouped

    @property
    def shape(self) -> tuple[int, int, int]:
        return self.count, *(self.of.shape or (1, 1, 1))[1:]

    @property
    def family(self) -> str:
        return f"N*{self.of.family}"

    @property
    def test_train_ratio(self) -> Fraction | None:
        return self.of.test_train_ratio

    def block(self, n: int, partition: int) -> tuple[Block, splitting.Cut]:
        return self.of.block(n, partition)

    def keeping_groups(self, n_groups: int) -> Design:
        return replace(self, of=self.of.keeping_groups(n_groups))
