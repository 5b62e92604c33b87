"""What methods read: differences, contingency tables, item losses, crossed losses, counts.

A view holds validated float64 numbers, oriented so that positive means the first side is better.
Leading axes, where there are any, are experiments.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from . import sums
from .errors import DataError
from .sums import ROUNDING, Array

__all__ = [
    "Contingency",
    "Counts",
    "Crossed",
    "Differences",
    "Halves",
    "ItemLosses",
    "Samples",
    "Values",
    "contingency_of",
    "crossed_view",
    "difference_view",
]


@dataclass(frozen=True, eq=False)
class Differences:
    """Score differences on a (partition, repeat, fold) grid, or the scores of one side."""

    values: Array
    """Shape (..., partitions, repeats, folds)."""
    first: Array
    """The scores of the first side, as given."""
    second: Array | None = None
    null: float = 0.0
    residual: Array | None = None
    """What the subtraction rounded away (single experiments only)."""
    test_train_ratio: float | None = None
    n_test: float | None = None

    @cached_property
    def scale(self) -> Array:
        """The largest magnitude among an experiment's scores: rounding is judged by it."""
        sides = [self.first] if self.second is None else [self.first, self.second]
        each = [sums.largest(side.reshape(*self.values.shape[:-3], -1)) for side in sides]
        return np.asarray(np.maximum(each[0], each[-1]))

    @property
    def n_splits(self) -> int:
        return math.prod(self.values.shape[-3:])

    @cached_property
    def flat(self) -> Array:
        """The differences in order, shape (..., n_splits)."""
        return self.values.reshape(*self.values.shape[:-3], self.n_splits)

    @property
    def runs(self) -> Array:
        """The differences of each repeat, shape (..., repeats, folds)."""
        return self.values.reshape(*self.values.shape[:-3], -1, self.values.shape[-1])

    @cached_property
    def gaps(self) -> Array:
        """First minus second difference of each replication of 2-fold, shape (..., repeats)."""
        gaps = self.runs[..., 0] - self.runs[..., 1]
        if self.residual is None:
            return gaps
        rest = self.residual.reshape(self.runs.shape)
        return gaps + (rest[..., 0] - rest[..., 1])

    @cached_property
    def centred(self) -> tuple[Array, Array]:
        """The mean of all splits and the deviations from it."""
        return sums.centre(self.flat, self._flat_residual)

    @property
    def mean(self) -> Array:
        return self.centred[0]

    @cached_property
    def sd(self) -> Array:
        """The sample standard deviation over all splits; exactly 0 where only rounding varies."""
        if self.n_splits < 2:
            raise DataError(
                f"{self.n_splits} score was given, but a variance needs at least 2. "
                "Use a design with more splits, such as design='10x10cv'"
            )
        deviations = self.centred[1]
        with np.errstate(over="ignore"):
            spread = sums.root_sum_squares(deviations) / math.sqrt(self.n_splits - 1)
        if not np.isfinite(spread).all():
            raise DataError(
                "the scores are so large that their spread overflows; divide all scores by the "
                "same number before comparing"
            )
        return np.where(self.is_rounding(deviations), 0.0, spread)

    @property
    def identical(self) -> Any:
        """True where every difference is the hypothesised one, up to rounding."""
        return self.is_rounding(self.flat if self.null == 0 else self.flat - self.null)

    def is_rounding(self, values: Array) -> Any:
        """Tell whether all of `values` (last axis) are within rounding of zero at our scale."""
        # The largest is at least 1/√n of the root sum of squares, which is quicker to have: in
        # most batches no experiment comes near, whatever its own scale.
        bound = ROUNDING * max(abs(self.null), *map(_overall, (self.first, self.second)))
        with np.errstate(over="ignore", under="ignore"):
            total = np.einsum("...i,...i->...", values, values)
        near = total <= 2 * values.shape[-1] * bound * bound
        if bound * bound > sums.SMALL and not near.any():
            return np.zeros(near.shape, dtype=bool)
        return sums.largest(values) <= ROUNDING * np.maximum(self.scale, abs(self.null))

    @property
    def _flat_residual(self) -> Array | None:
        return None if self.residual is None else self.residual.reshape(self.flat.shape)

    def only(self, index: int) -> Differences:
        """Return the view of one partition of a single experiment."""
        at = slice(index, index + 1)
        rest = None if self.residual is None else self.residual[at]
        return replace(self, values=self.values[at], residual=rest)

    def partition(self, axis_values: Array) -> Differences:
        """Return the view of each partition on its own: partitions become a leading axis."""
        shape = axis_values.shape
        second = None if self.second is None else self.second.reshape(shape)
        first = self.first.reshape(shape)
        return replace(self, values=axis_values, first=first, second=second, residual=None)


@dataclass(frozen=True, eq=False)
class Contingency:
    """Counts of items: 00 both wrong, 01 only the second right, 10 only the first, 11 both."""

    n00: Any
    n01: Any
    n10: Any
    n11: Any
    null: float = 0.0

    @property
    def n(self) -> Any:
        return self.n00 + self.n01 + self.n10 + self.n11

    @property
    def discordant(self) -> Any:
        return self.n01 + self.n10

    @property
    def estimate(self) -> Any:
        """Accuracy of the first minus accuracy of the second."""
        return (self.n10 - self.n01) / self.n

    @property
    def identical(self) -> Any:
        return np.asarray(self.discordant) == 0


@dataclass(frozen=True, eq=False)
class ItemLosses:
    """Scores of k sides on the same items, shape (..., n_items, k), greater is better."""

    values: Array
    binary: bool = False

    @property
    def n(self) -> int:
        return int(self.values.shape[-2])

    @property
    def k(self) -> int:
        return int(self.values.shape[-1])

    @property
    def identical(self) -> Any:
        spread = np.max(self.values, axis=-1) - np.min(self.values, axis=-1)
        return np.max(spread, axis=-1) <= ROUNDING * np.max(np.abs(self.values), axis=(-2, -1))


@dataclass(frozen=True, eq=False)
class Crossed:
    """Differences of losses on training sets × test items, shape (..., train sets, items)."""

    values: Array
    scale: Array
    null: float = 0.0
    residual: Array | None = None
    """What the subtraction rounded away (single experiments only)."""

    @property
    def identical(self) -> Any:
        return np.max(np.abs(self.values), axis=(-2, -1)) <= ROUNDING * self.scale


@dataclass(frozen=True, eq=False)
class Halves:
    """Differences on all data, and the means of both halves of every halving (conservative Z)."""

    whole: Array
    """Shape (..., J): differences of the J resamples of all data."""
    halves: Array
    """Shape (..., M, 2): mean difference in each half."""
    scale: Array
    null: float = 0.0
    n_test: float | None = None

    @property
    def mean(self) -> Array:
        return sums.mean(self.whole)

    @property
    def identical(self) -> Any:
        flat = self.halves.reshape(*self.halves.shape[:-2], -1)
        seen = np.concatenate([self.whole, flat], axis=-1) - self.null
        return np.max(np.abs(seen), axis=-1) <= ROUNDING * np.maximum(self.scale, abs(self.null))


@dataclass(frozen=True, eq=False)
class Samples:
    """Item scores of two sides whose items were not the same, or are treated as if not."""

    first: Array
    second: Array
    null: float = 0.0
    turn: float = 1.0
    """−1 where lower is better."""

    @property
    def identical(self) -> Any:
        both = np.concatenate([self.first, self.second], axis=-1)
        top, bottom = np.max(both, axis=-1), np.min(both, axis=-1)
        return (self.null == 0) & (top - bottom <= ROUNDING * np.maximum(abs(top), abs(bottom)))


@dataclass(frozen=True, eq=False)
class Counts:
    """`count` items right of `n`."""

    count: Any
    n: Any
    null: float | None = None

    @property
    def identical(self) -> Any:
        return np.zeros(np.shape(self.count), dtype=bool)


@dataclass(frozen=True, eq=False)
class Values:
    """Plain numbers that are neither scores nor losses: p-values or t-values of partitions."""

    values: Array
    null: float = 0.0

    @property
    def identical(self) -> Any:
        return np.zeros(self.values.shape[:-1], dtype=bool)


def contingency_of(a: Any, b: Any, *, null: float = 0.0) -> Contingency:
    """Count the four cells from two arrays of right (True) and wrong, over the last axis."""
    a, b = np.asarray(a, dtype=bool), np.asarray(b, dtype=bool)
    n = a.shape[-1]
    n11 = np.count_nonzero(a & b, axis=-1)
    n10 = np.count_nonzero(a, axis=-1) - n11
    n01 = np.count_nonzero(b, axis=-1) - n11
    n00 = n - n11 - n10 - n01
    n00, n01, n10, n11 = (np.asarray(cell, dtype=np.float64)[()] for cell in (n00, n01, n10, n11))
    return Contingency(n00, n01, n10, n11, null)


def difference_view(
    a: Array,
    b: Array | None,
    *,
    null: float = 0.0,
    lower_is_better: bool = False,
    ratio: float | None = None,
    n_test: float | None = None,
) -> Differences:
    """Subtract b from a (grids of the same shape), oriented; keep what the rounding took."""
    single = a.ndim == 3
    if b is None:
        # A result must not change when the caller's array does; a batch may be too large to copy.
        values, residual = a.copy() if single else a, None
    else:
        better, worse = (b, a) if lower_is_better else (a, b)
        values, residual = (
            sums.split_difference(better, worse) if single else (better - worse, None)
        )
    return Differences(values, a, b, null, residual, ratio, n_test)


def crossed_view(a: Array, b: Array, *, lower_is_better: bool, null: float = 0.0) -> Crossed:
    """Subtract losses on (train sets, items) grids, oriented."""
    better, worse = (b, a) if lower_is_better else (a, b)
    single = a.ndim == 2
    values, residual = sums.split_difference(better, worse) if single else (better - worse, None)
    axes = (-2, -1)
    scale = np.maximum(np.max(np.abs(a), axis=axes), np.max(np.abs(b), axis=axes))
    return Crossed(values, np.asarray(scale), null, residual)


def _overall(scores: Array | None) -> float:
    return 0.0 if scores is None else max(float(np.max(scores)), -float(np.min(scores)))
