"""Repeated cross-validation of all data, and one of both halves of random halvings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from ..errors import DesignError
from . import splitting
from .base import Design, Labels, Switched, parse
from .splitting import Block, Sides, Units, whole

GROUPS_PER_FOLD = 4
"""Of each half, a fold then has two groups, and what is left of a half's folds is more than one."""


@dataclass(frozen=True, slots=True, repr=False)
class CalibratedKFold(Switched):
    """Repeated cross-validation, also within both halves of random halvings.

    Its notation is "5x5cv+20halves"; the default design of `run`. Partition 0 holds the repeats on
    all data, partition m the m-th halving, its two halves as repeats 0 and 1. Halves are simple
    random samples of ⌊n/2⌋ items, or of ⌊G/2⌋ of G groups: never stratified, or they would vary
    less than samples do.

    Parameters
    ----------
    repeats : int, default=5
        Repeats of the cross-validation of all data.
    folds : int, default=5
        Number of folds, of all data and of halves.
    halvings : int, default=20
        Number of random halvings.
    stratified : bool, default=False
        Whether each split keeps the shares of the classes.
    grouped : bool, default=False
        Whether the items of a group stay together.

    Examples
    --------
    >>> import outperform as op
    >>> op.CalibratedKFold(repeats=10, halvings=40).n_fits()
    450
    """

    repeats: int = 5
    folds: int = 5
    halvings: int = 20
    kind: ClassVar[str] = "calibrated-kfold"
    form: ClassVar[str] = "{repeats}x{folds}cv+{halvings}halves"
    grows: ClassVar[tuple[str, ...]] = ("repeats", "halvings")
    sentence: ClassVar[str] = (
        "{folds}-fold cross-validation repeated {repeats:time}, "
        "and once in both halves of {halvings:random halving}"
    )
    repeatable: ClassVar[bool] = False
    giveable: ClassVar[bool] = False

    def __post_init__(self) -> None:
        self._settle(
            repeats=whole(self.repeats, "repeats", 2),
            folds=whole(self.folds, "folds", 2),
            halvings=whole(self.halvings, "halvings", 2),
        )

    @property
    def shape(self) -> tuple[int, int, int]:
        return 1 + self.halvings, self.repeats, self.folds

    def extent(self, partition: int, n: int | None = None) -> tuple[int, int]:
        return 2 if partition else self.repeats, self.folds

    def n_splits(self, n: int | None = None) -> int:
        return (self.repeats + 2 * self.halvings) * self.folds

    @property
    def test_train_ratio(self) -> Fraction:
        return Fraction(1, self.folds - 1)

    def block(self, n: int, partition: int) -> tuple[Block, splitting.Cut]:
        if n // 2 < self.folds:
            few = f"{n} items cannot fill {self.folds} folds in each half"
            most = f"{self.repeats}x{n // 2}cv+{self.halvings}halves"
            raise DesignError(f"{few}; use at most {most!r}" if n >= 4 else f"{few}; use 'loo'")
        if partition:
            return splitting.fold_sizes(n // 2, self.folds), cross_half
        return splitting.fold_sizes(n, self.folds), splitting.cross

    def keeping_groups(self, n_groups: int) -> Design:
        folds = min(self.folds, n_groups // GROUPS_PER_FOLD)
        if folds >= 2:
            switches = "/stratified" * self.stratified + "/grouped"
            return parse(f"{self.repeats}x{folds}cv+{self.halvings}halves{switches}")
        return Switched.keeping_groups(self, n_groups)

    def _units(self, n: int, y: Labels, groups: Labels, random_state: object) -> Units:
        units = Design._units(self, n, y, groups, random_state)
        if units.groups is not None and units.count < GROUPS_PER_FOLD * self.folds:
            instead = "all items are in one group, so leave '/grouped' out and pass no groups"
            if units.count > 1:
                instead = f"use {str(self.keeping_groups(units.count))!r}"
            raise DesignError(
                f"{self} needs at least {GROUPS_PER_FOLD * self.folds} groups, "
                f"{GROUPS_PER_FOLD} for each fold, got {units.count}; {instead}"
            )
        return units


def cross_half(units: Units, block: Block, partition: int, repeat: int) -> Iterator[Sides]:
    """Yield the folds of a cross-validation of one half (0 or 1) of one halving."""
    half = units.count // 2
    order = units.shuffled(splitting.HALVING, partition)
    items = units.items(order[repeat * half : (repeat + 1) * half])
    groups = None if units.groups is None else _renumbered(units.groups[items])
    classes = None if units.classes is None else _renumbered(units.classes[items])
    own = Units(items.size, units.random_state, classes, groups)
    purpose = (splitting.FIRST_HALF, splitting.SECOND_HALF)[repeat]
    fold_of = splitting.deal(own, own.shuffled(purpose, partition, 0), len(block))
    for fold in range(len(block)):
        yield items[fold_of != fold], items[fold_of == fold]


def _renumbered(codes: splitting.IntArray) -> splitting.IntArray:
    return np.unique(codes, return_inverse=True)[1].astype(np.int64, copy=False)
