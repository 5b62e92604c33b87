"""One split and many seeds of the learners; many splits, each with several seeds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import ClassVar

from ..errors import DesignError, argument
from . import splitting
from .base import Design, Switched, parse
from .notation import as_size
from .splitting import Block, Sides, Size, Units, whole


@dataclass(frozen=True, slots=True, repr=False)
class Seeds(Switched):
    """One random split on which every learner is trained with many seeds.

    Its notation is "20seeds@1/3". A repeat is a seed, the same for all learners. "20seeds"
    describes scores whose split is unknown.

    Parameters
    ----------
    seeds : int
        Number of seeds.
    test : int or Fraction, optional
        Number of test items, or their share; None if unknown.
    stratified : bool, default=False
        Whether each split keeps the shares of the classes.
    grouped : bool, default=False
        Whether the items of a group stay together.

    Examples
    --------
    >>> import outperform as op
    >>> op.Seeds(20, 50).describe()
    '20 seeds of each learner on one random split with 50 items for testing'
    """

    seeds: int
    test: Size | None = None
    kind: ClassVar[str] = "seeds"
    form: ClassVar[str] = "{seeds}seeds[@{test}]"
    grows: ClassVar[tuple[str, ...]] = ("seeds",)
    sentence: ClassVar[str] = (
        "{seeds:seed} of each learner on one random split[ with {test:item} for testing]"
    )
    repeatable: ClassVar[bool] = False
    giveable: ClassVar[bool] = False

    def __post_init__(self) -> None:
        test = None if self.test is None else as_size(self.test, "test")
        self._settle(seeds=whole(self.seeds, "seeds", 1), test=test)

    @property
    def shape(self) -> tuple[int, int, int]:
        return 1, self.seeds, 1

    @property
    def test_train_ratio(self) -> Fraction | None:
        return self.test / (1 - self.test) if isinstance(self.test, Fraction) else None

    def block(self, n: int, partition: int) -> tuple[Block, splitting.Cut]:
        if self.test is None:
            raise DesignError(
                f"{self} does not say how large the test set is, so no split can be drawn; use "
                f"{argument(design=f'{self.seeds}seeds@1/3')}"
            )
        return [splitting.side_sizes(n, self.test)], partial(_same_split, splitting.resample)

    def order_of(self, partition: int, repeat: int) -> tuple[int, int]:
        """Return the first repeat: all seeds train on the same rows in the same order.

        Parameters
        ----------
        partition : int
            Number of the partition.
        repeat : int
            Number of the repeat.

        Returns
        -------
        tuple of two int
            Partition and repeat.

        Examples
        --------
        >>> import outperform as op
        >>> op.Seeds(20, 50).order_of(0, 3)
        (0, 0)
        """
        return partition, 0

    def keeping_groups(self, n_groups: int) -> Design:
        return replace(self, grouped=True)


@dataclass(frozen=True, slots=True, repr=False)
class UnpairedSeeds(Design):
    """Scores of one split and many seeds, other seeds for each learner: `20seeds/unpaired`."""

    seeds: int
    kind: ClassVar[str] = "unpaired-seeds"
    form: ClassVar[str] = "{seeds}seeds/unpaired"
    sentence: ClassVar[str] = "up to {seeds:seed} of each learner, its own, on one split"
    drawn: ClassVar[bool] = False
    repeatable: ClassVar[bool] = False
    giveable: ClassVar[bool] = False

    def __post_init__(self) -> None:
        self._settle(seeds=whole(self.seeds, "seeds", 2))

    @property
    def shape(self) -> tuple[int, int, int]:
        return 1, self.seeds, 1

    def block(self, n: int, partition: int) -> tuple[Block, splitting.Cut]:
        raise DesignError(
            f"{self} describes scores of different seeds for each learner; learners that are run "
            f"share their seeds: use {argument(design=f'{self.seeds}seeds@1/3')}"
        )


def _same_split(
    cut: splitting.Cut, units: Units, block: Block, partition: int, repeat: int
) -> Iterator[Sides]:
    return cut(units, block, partition, 0)


@dataclass(frozen=True, slots=True, repr=False)
class SeedsPerSplit(Design):
    """A design each of whose splits is run with several seeds.

    Its notation is "5seeds*10cv".

    Parameters
    ----------
    seeds : int
        Number of seeds of each split.
    of : Design or str
        The design of the splits.

    Examples
    --------
    >>> import outperform as op
    >>> op.SeedsPerSplit(5, "10cv").n_fits()
    50
    """

    seeds: int
    of: Design
    kind: ClassVar[str] = "splits-and-seeds"
    form: ClassVar[str] = "{seeds}seeds*{of}"
    sentence: ClassVar[str] = "{seeds:seed} of each learner on every split of {of}"
    repeatable: ClassVar[bool] = False
    giveable: ClassVar[bool] = False

    def __post_init__(self) -> None:
        of = parse(self.of)
        if of.kind not in ("kfold", "repeated-kfold", "resampled"):
            raise DesignError(
                f"each split of {of} cannot be run with several seeds; use cross-validation or "
                f"random splits: {argument(design='5seeds*10cv')} or "
                f"{argument(design='5seeds*30xresampled@1/3')}"
            )
        self._settle(seeds=whole(self.seeds, "seeds", 2), of=of)

    @property
    def stratified(self) -> bool:
        return self.of.stratified

    @property
    def grouped(self) -> bool:
        return self.of.grouped

    @property
    def shape(self) -> tuple[int, int, int]:
        _, repeats, folds = self.of.shape or (1, 1, 1)
        return self.seeds, repeats, folds

    @property
    def test_train_ratio(self) -> Fraction | None:
        return self.of.test_train_ratio

    def block(self, n: int, partition: int) -> tuple[Block, splitting.Cut]:
        block, cut = self.of.block(n, 0)
        return block, partial(_first_partition, cut)

    def keeping_groups(self, n_groups: int) -> Design:
        return replace(self, of=self.of.keeping_groups(n_groups))


def _first_partition(
    cut: splitting.Cut, units: Units, block: Block, partition: int, repeat: int
) -> Iterator[Sides]:
    return cut(units, block, 0, repeat)
