"""Independent random splits.

Implements D-22, N-04 and N-28.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

from ..errors import DesignError
from . import splitting
from .base import Design, Switched
from .notation import as_size
from .splitting import Block, Size, whole


@dataclass(frozen=True, slots=True, repr=False)
class Resampled(Switched):
    """Independent random splits into training and test sets.

    Its notation is "30xresampled@1/3". With `train`, as in "30xresampled@1/10/train1/2", items on
    neither side are left out of a split, others of the next: the test sets are those of the whole
    design, and splits share less than the correction by n_test / n_train assumes.

    Parameters
    ----------
    repeats : int
        Number of splits.
    test : int or Fraction
        Number of test items, or their share.
    train : int or Fraction, optional
        Number of training items, or their share; by default all others.
    stratified : bool, default=False
        Whether each split keeps the shares of the classes.
    grouped : bool, default=False
        Whether the items of a group stay together.

    Notes
    -----
    The design of the corrected resampled t-test of Nadeau and Bengio (2003).

    Examples
    --------
    >>> import outperform as op
    >>> op.Resampled(30, 20).sizes(100).n_train[0]
    np.int64(80)
    """

    repeats: int
    test: Size
    train: Size | None = None
    kind: ClassVar[str] = "resampled"
    form: ClassVar[str] = "{repeats}xresampled@{test}[/train{train}]"
    grows: ClassVar[tuple[str, ...]] = ("repeats",)
    sentence: ClassVar[str] = (
        "{repeats:random split} with {test:item} for testing[ and {train:item} for training]"
    )

    def __post_init__(self) -> None:
        test = as_size(self.test, "test")
        train = None if self.train is None else as_size(self.train, "train")
        if isinstance(test, Fraction) and isinstance(train, Fraction):
            if test + train > 1:
                raise DesignError(f"test {test} and train {train} add up to more than all items")
            train = None if test + train == 1 else train
        self._settle(repeats=whole(self.repeats, "repeats", 1), test=test, train=train)

    @property
    def shape(self) -> tuple[int, int, int]:
        return 1, self.repeats, 1

    @property
    def test_train_ratio(self) -> Fraction | None:
        if isinstance(self.test, Fraction):
            if self.train is None:
                return self.test / (1 - self.test)
            return self.test / self.train if isinstance(self.train, Fraction) else None
        return Fraction(self.test, self.train) if isinstance(self.train, int) else None

    def block(self, n: int, partition: int) -> tuple[Block, splitting.Cut]:
        return [splitting.side_sizes(n, self.test, self.train)], splitting.resample

    def keeping_groups(self, n_groups: int) -> Design:
        return replace(self, grouped=True)
