"""Random splits of all data, and of both halves of random halvings.

Implements N-19.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ..errors import DesignError
from . import splitting
from .base import Switched
from .notation import as_size
from .splitting import Block, Size, whole


@dataclass(frozen=True, slots=True, repr=False)
class PairedHalves(Switched):
    """Random splits of all data, and of both halves of random halvings.

    Its notation is "10x15halves@1/10". Partition 0 holds the splits of all data, partition m the
    m-th halving, its halves as folds 0 and 1. Test sets have one size throughout; of an odd number
    of items one is left out.

    Parameters
    ----------
    halvings : int
        Number of random halvings.
    repeats : int
        Number of random splits of all data.
    test : int or Fraction
        Number of test items, or their share.
    stratified : bool, default=False
        Whether each split keeps the shares of the classes.
    grouped : bool, default=False
        Must be False.

    Notes
    -----
    The design of the conservative Z of Nadeau and Bengio (2003).

    Examples
    --------
    >>> import outperform as op
    >>> from fractions import Fraction
    >>> op.PairedHalves(10, 15, Fraction(1, 10)).n_fits()
    315
    """

    halvings: int
    repeats: int
    test: Size
    kind: ClassVar[str] = "halves"
    form: ClassVar[str] = "{halvings}x{repeats}halves@{test}"
    grows: ClassVar[tuple[str, ...]] = ("halvings", "repeats")
    sentence: ClassVar[str] = (
        "{repeats:random split} with {test:item} for testing, and as many test items in both "
        "halves of {halvings:random halving}"
    )
    refuses: ClassVar[tuple[str, ...]] = ("grouped",)
    repeatable: ClassVar[bool] = False
    giveable: ClassVar[bool] = False

    def __post_init__(self) -> None:
        test = as_size(self.test, "test")
        if isinstance(test, Fraction) and test >= Fraction(1, 2):
            raise DesignError(f"test must be less than half of the items, got {test}; try 1/10")
        halvings, repeats = whole(self.halvings, "halvings", 1), whole(self.repeats, "repeats", 1)
        self._settle(halvings=halvings, repeats=repeats, test=test)

    @property
    def shape(self) -> tuple[int, int, int]:
        return 1 + self.halvings, self.repeats, 2

    def extent(self, partition: int, n: int | None = None) -> tuple[int, int]:
        return self.repeats, 2 if partition else 1

    def n_splits(self, n: int | None = None) -> int:
        return self.repeats + 2 * self.halvings * self.repeats  # E-N7

    def block(self, n: int, partition: int) -> tuple[Block, splitting.Cut]:
        on_all, in_half = splitting.half_sizes(n, self.test)
        return ([in_half] * 2, splitting.halve) if partition else ([on_all], splitting.resample)
