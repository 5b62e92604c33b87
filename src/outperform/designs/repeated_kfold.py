"""Cross-validation with a new shuffle for each repeat.

Implements D-24, D-26 and R-14.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

from ..errors import DesignError
from . import splitting
from .base import Design, Switched
from .splitting import Block, whole


@dataclass(frozen=True, slots=True, repr=False)
class RepeatedKFold(Switched):
    """Cross-validation, shuffled again for each repeat.

    Its notation is "10x10cv". One repeat is `KFold`; only "1x2cv" is kept as a repeated design.

    Parameters
    ----------
    repeats : int, default=10
        Number of repeats.
    folds : int, default=10
        Number of folds.
    stratified : bool, default=False
        Whether each split keeps the shares of the classes.
    grouped : bool, default=False
        Whether the items of a group stay together.

    Notes
    -----
    "5x2cv" is the design of Dietterich (1998), "10x10cv" that of Bouckaert and Frank (2004).

    Examples
    --------
    >>> import outperform as op
    >>> op.RepeatedKFold(5, 2).describe()
    '2-fold cross-validation repeated 5 times'
    """

    repeats: int = 10
    folds: int = 10
    form: ClassVar[str] = "{repeats}x{folds}cv"
    grows: ClassVar[tuple[str, ...]] = ("repeats",)
    sentence: ClassVar[str] = "{folds}-fold cross-validation repeated {repeats:time}"

    def __post_init__(self) -> None:
        repeats, folds = whole(self.repeats, "repeats", 1), whole(self.folds, "folds", 2)
        if repeats == 1 and folds > 2:
            raise DesignError(f"repeats must be at least 2, got 1; one repeat is KFold({folds})")
        self._settle(repeats=repeats, folds=folds)

    @property
    def kind(self) -> str:  # type: ignore[override]
        """ "repeated-2fold" for two folds, otherwise "repeated-kfold"."""
        return "repeated-2fold" if self.folds == 2 else "repeated-kfold"

    @property
    def shape(self) -> tuple[int, int, int]:
        return 1, self.repeats, self.folds

    @property
    def test_train_ratio(self) -> Fraction:
        return Fraction(1, self.folds - 1)

    def block(self, n: int, partition: int) -> tuple[Block, splitting.Cut]:
        return splitting.fold_sizes(n, self.folds), splitting.cross

    def keeping_groups(self, n_groups: int) -> Design:
        if self.folds < n_groups:
            return replace(self, grouped=True)
        return Switched.keeping_groups(self, n_groups)
