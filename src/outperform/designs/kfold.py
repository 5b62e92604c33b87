"""Cross-validation, each item tested once.

Implements D-07 and D-23.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

from . import splitting
from .base import Design, Switched
from .splitting import Block, whole


@dataclass(frozen=True, slots=True, repr=False)
class KFold(Switched):
    """Cross-validation: each item is tested once.

    Its notation is "10cv".

    Parameters
    ----------
    folds : int, default=10
        Number of folds.
    stratified : bool, default=False
        Whether each split keeps the shares of the classes.
    grouped : bool, default=False
        Whether the items of a group stay together.

    Examples
    --------
    >>> import outperform as op
    >>> str(op.KFold(5, stratified=True))
    '5cv/stratified'
    """

    folds: int = 10
    kind: ClassVar[str] = "kfold"
    form: ClassVar[str] = "{folds}cv"
    sentence: ClassVar[str] = "{folds}-fold cross-validation"

    def __post_init__(self) -> None:
        self._settle(folds=whole(self.folds, "folds", 2))

    @property
    def shape(self) -> tuple[int, int, int]:
        return 1, 1, self.folds

    @property
    def test_train_ratio(self) -> Fraction:
        return Fraction(1, self.folds - 1)

    def block(self, n: int, partition: int) -> tuple[Block, splitting.Cut]:
        return splitting.fold_sizes(n, self.folds), splitting.cross

    @property
    def family(self) -> str:
        """One repeat of a repeated cross-validation, which it may become."""
        return f"Nx{self}"

    def keeping_groups(self, n_groups: int) -> Design:
        return replace(self, folds=min(self.folds, n_groups), grouped=True)
