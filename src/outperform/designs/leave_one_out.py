"""Each item tested alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from . import splitting
from .base import Switched
from .splitting import Block


@dataclass(frozen=True, slots=True, repr=False)
class LeaveOneOut(Switched):
    """Leave-one-out cross-validation: each item is tested alone.

    Its notation is "loo".

    Parameters
    ----------
    stratified : bool, default=False
        Must be False.
    grouped : bool, default=False
        Must be False.

    Examples
    --------
    >>> import outperform as op
    >>> op.LeaveOneOut().n_splits(150)
    150
    """

    kind: ClassVar[str] = "leave-one-out"
    form: ClassVar[str] = "loo"
    sentence: ClassVar[str] = "leave-one-out cross-validation"
    refuses: ClassVar[tuple[str, ...]] = ("stratified", "grouped")
    repeatable: ClassVar[bool] = False

    def __post_init__(self) -> None:
        self._settle()

    @property
    def shape(self) -> None:
        return None

    def block(self, n: int, partition: int) -> tuple[Block, splitting.Cut]:
        return [(n - 1, 1)] * n, splitting.leave_one_out
