"""Index arithmetic: seeded shuffles, folds and draws of items, even by class, whole by group."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import DesignError, counted

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
Size = int | Fraction
Sides = tuple[IntArray | None, IntArray]
Block = list[tuple[int, int]]
Cut = Callable[["Units", Block, int, int], Iterator[Sides]]

SMALL = 2**14
"""Items up to which several shuffles are cut at once."""

# What random numbers are for: the first word of every spawn key, so never to be renumbered.
SPLIT, HALVING, FIRST_HALF, SECOND_HALF, LEARNER, ROWS = range(6)


class Split(NamedTuple):
    """One address with the items to train on, shuffled, and to test on, in ascending order.

    Attributes
    ----------
    partition : int
        Number of the partition.
    repeat : int
        Number of the repeat.
    fold : int
        Number of the fold.
    train : ndarray of int
        Training items.
    test : ndarray of int
        Test items.

    Examples
    --------
    >>> import outperform as op
    >>> split = next(op.KFold(5).split(10))
    >>> split.fold, split.test.size, split.train.size
    (0, 2, 8)
    """

    partition: int
    repeat: int
    fold: int
    train: IntArray
    test: IntArray


class Sizes(NamedTuple):
    """The number of training and of test items of each split, in the order of the splits."""

    n_train: IntArray
    n_test: IntArray


def whole(value: Any, name: str, least: int) -> int:
    """Return an integer of at least a minimum; a float or a bool is not one.

    Parameters
    ----------
    value : int
        The number.
    name : str
        Name of the parameter, for the message.
    least : int
        The minimum.

    Returns
    -------
    int
        The number.

    Raises
    ------
    DesignError
        If it is not such an integer.

    Examples
    --------
    >>> from outperform.extend import whole
    >>> whole(5, "folds", 2)
    5
    """
    if isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least:
        return int(value)
    raise DesignError(f"{name} must be an integer of at least {least}, got {value!r}")


def permutation(n: int, random_state: int, *address: int) -> IntArray:
    """Return the shuffle of `range(n)` that belongs to a seed and an address."""
    sequence = np.random.SeedSequence(random_state, spawn_key=address)
    # NumPy promises the stream of a bit generator for ever, but not Generator.permutation: sorting
    # raw 64-bit keys, stably, gives the same shuffle on every platform and with every version.
    keys = np.random.PCG64(sequence).random_raw(n)
    return keys.argsort(kind="stable").astype(np.int64, copy=False)


def address_seed(random_state: int, partition: int, repeat: int, fold: int) -> int:
    """Return the 32-bit seed for the learners of one address; it is stable across versions.

    >>> address_seed(0, partition=0, repeat=0, fold=0)
    486674914
    """
    seed = whole(random_state, "random_state", 0)
    sequence = np.random.SeedSequence(seed, spawn_key=(LEARNER, partition, repeat, fold))
    return int(sequence.generate_state(1)[0])


@lru_cache(maxsize=8)
def row_order(n: int, random_state: int, partition: int, repeat: int) -> IntArray:
    """Return the order in which the splits of one repeat train on their rows."""
    order = permutation(n, random_state, ROWS, partition, repeat)
    order.setflags(write=False)
    return order


def training_rows(
    n: int, train: IntArray | None, test: IntArray, random_state: int, partition: int, repeat: int
) -> IntArray:
    """Return the rows to train on, shuffled: learners that break ties by position would else read
    the order of the file (B&F shuffle before every run). None is all but the test rows."""
    if train is None:
        chosen = np.ones(n, dtype=np.bool_)
        chosen[test] = False
    else:
        chosen = np.zeros(n, dtype=np.bool_)
        chosen[train] = True
    order = row_order(n, random_state, partition, repeat)
    return order[chosen[order]]


def item_count(size: Size, n: int, what: str = "test") -> int:
    """Return how many of `n` items a size means: a fraction rounds half up, within 1 and n - 1."""
    if isinstance(size, Fraction):
        return min(max(math.floor(size * n + Fraction(1, 2)), 1), n - 1)
    if size >= n:
        raise DesignError(
            f"a {what} set of {counted(size, 'item')} leaves none of the {n}; use fewer, or a "
            "fraction such as 1/3"
        )
    return size


def side_sizes(n: int, test: Size, train: Size | None = None) -> tuple[int, int]:
    """Return the numbers of training and test items.

    Parameters
    ----------
    n : int
        Number of items.
    test : int or Fraction
        Size of the test set.
    train : int or Fraction, optional
        Size of the training set; by default all others.

    Returns
    -------
    tuple of two int
        Training and test items.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from outperform.extend import side_sizes
    >>> side_sizes(30, Fraction(1, 3))
    (20, 10)
    """
    n_test = item_count(test, n)
    if train is None:
        return n - n_test, n_test
    n_train = item_count(train, n, "training")
    if n_train + n_test > n:
        raise DesignError(
            f"{n_train} training and {n_test} test items exceed the {n} available items; make one "
            "of the two smaller"
        )
    return n_train, n_test


def fold_sizes(n: int, folds: int) -> Block:
    """Return the training and test sizes of each fold.

    The first n % folds folds test one item more.

    Parameters
    ----------
    n : int
        Number of items.
    folds : int
        Number of folds.

    Returns
    -------
    list of tuple
        (n_train, n_test) of each fold.

    Examples
    --------
    >>> from outperform.extend import fold_sizes
    >>> fold_sizes(7, 3)
    [(4, 3), (5, 2), (5, 2)]
    """
    if n < folds:
        raise DesignError(
            f"{counted(n, 'item is', 'items are')} not enough for {folds} folds; use at most "
            f"'{n}cv', or 'loo'"
        )
    n_test = (n // folds + (fold < n % folds) for fold in range(folds))
    return [(n - size, size) for size in n_test]


def half_sizes(n: int, test: Size) -> Block:
    """Return training and test sizes of a split of all items and of one of half of them (N-19)."""
    n_test, half = item_count(test, n), n // 2
    if n_test >= half:
        raise DesignError(
            f"half of {n} items ({half}) is too small for {counted(n_test, 'test item')} and a "
            "training set; use a smaller test set, such as 1/10, or more items"
        )
    return [(n - n_test, n_test), (half - n_test, n_test)]


def disjoint_sizes(n: int, sets: int, size: int, test: Size | None) -> tuple[int, int]:
    """Return the sizes of each disjoint training set and of the test set they share (D-06)."""
    n_test = max(n - sets * size, 1) if test is None else item_count(test, n)
    if sets * size + n_test > n:
        raise DesignError(
            f"{sets} disjoint training sets of {counted(size, 'item')} and "
            f"{counted(n_test, 'test item')} need {sets * size + n_test} items, got {n}; use "
            "fewer or smaller sets"
        )
    return size, n_test


def encode(values: npt.ArrayLike, n: int, name: str) -> IntArray:
    """Number labels by first appearance, so that neither their names nor their type matter."""
    array = np.asarray(values)
    if array.shape != (n,):
        raise DesignError(
            f"{name} must contain one label for each of {n} items, got shape {array.shape}"
        )
    if array.dtype.kind in "biuf":
        kept = array[~np.isnan(array)] if array.dtype.kind == "f" else array
        distinct, first, codes = np.unique(kept, return_index=True, return_inverse=True)
        rank = np.empty(len(distinct), dtype=np.int64)
        rank[np.argsort(first)] = np.arange(len(distinct))
        coded = rank[codes]
    else:
        seen: dict[object, int] = {}
        try:
            kept = [label for label in array.tolist() if label is not None and label == label]
            coded = np.array([seen.setdefault(x, len(seen)) for x in kept], dtype=np.int64)
        except TypeError as error:  # lists cannot be labels, pandas.NA is not even equal to itself
            raise DesignError(
                f"{name} must contain numbers or strings, without missing values"
            ) from error
    if len(coded) < n:
        raise DesignError(f"{name} has {n - len(coded)} missing labels; drop or fill these items")
    return coded


def class_codes(y: npt.ArrayLike, n: int) -> IntArray:
    """Number the classes of `y`, refusing measurements, which have no classes to keep even."""
    codes, array = encode(y, n, "y"), np.asarray(y)
    n_distinct = int(codes.max()) + 1
    if array.dtype.kind == "f" and 2 * n_distinct > n and (array != np.floor(array)).any():
        raise DesignError(
            f"stratification needs classes, but y has {n_distinct} distinct numbers in {n} items; "
            "remove '/stratified', or pass classes such as y > np.median(y)"
        )
    return codes


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """What is split: single items or, with groups, whole groups of items.

    Attributes
    ----------
    n : int
        Number of items.
    random_state : int
        Seed.
    classes : ndarray of int or None
        Class of each item, for a stratified design.
    groups : ndarray of int or None
        Group of each item, for a grouped design.
    tests_alone : bool
        Whether training sets that are all other items are left out.

    Examples
    --------
    >>> import numpy as np
    >>> from outperform.extend import Units
    >>> units = Units(4, 0, np.array([0, 0, 1, 1]), np.array([0, 0, 1, 2]))
    >>> units.count, units.shuffled(0, 0).size, units.items(np.array([0])), units.counts().tolist()
    (3, 3, array([0, 1]), [[2, 0], [0, 1], [0, 1]])
    >>> units.others(np.array([0, 1]))
    array([2, 3])
    """

    n: int
    random_state: int
    classes: IntArray | None = None
    groups: IntArray | None = None
    tests_alone: bool = False

    @property
    def count(self) -> int:
        """Number of units: items, or groups."""
        return self.n if self.groups is None else int(self.groups.max()) + 1

    def shuffled(self, *address: int) -> IntArray:
        """Return the units in the random order of an address.

        Parameters
        ----------
        *address : int
            Partition and repeat.

        Returns
        -------
        ndarray of int
            The units.
        """
        return permutation(self.count, self.random_state, *address)

    def items(self, units: IntArray) -> IntArray:
        """Return the items of some units, in ascending order.

        Parameters
        ----------
        units : ndarray of int
            Units.

        Returns
        -------
        ndarray of int
            Items.
        """
        chosen = np.zeros(self.count, dtype=np.bool_)
        chosen[units] = True
        return _where(chosen if self.groups is None else chosen[self.groups])

    def others(self, items: IntArray) -> IntArray | None:
        """Return all other items in ascending order, unless they are left out.

        Parameters
        ----------
        items : ndarray of int
            Items.

        Returns
        -------
        ndarray of int or None
            The other items; None if `tests_alone`.
        """
        return None if self.tests_alone else others(self.n, items)

    def counts(self) -> IntArray:
        """Return how many items of each class each group has.

        Returns
        -------
        ndarray of shape (groups, classes)
            Counts.
        """
        assert self.groups is not None
        classes = np.zeros_like(self.groups) if self.classes is None else self.classes
        width = int(classes.max()) + 1
        return _tally(self.groups * width + classes, self.count * width).reshape(-1, width)


def others(n: int, items: IntArray) -> IntArray:
    """Return which of `n` items are not among these, in ascending order."""
    left = np.empty(n, dtype=np.bool_)
    left.fill(True)
    left[items] = False
    return _where(left)


def cross(units: Units, block: Block, partition: int, repeat: int) -> Iterator[Sides]:
    """Return an iterator over the folds of one cross-validation.

    Parameters
    ----------
    units : Units
        What is split.
    block : list of tuple
        (n_train, n_test) of each fold.
    partition : int
        Number of the partition.
    repeat : int
        Number of the repeat.

    Returns
    -------
    iterator of tuple
        Training and test items of each fold.

    Examples
    --------
    >>> from outperform.extend import Units, cross, fold_sizes
    >>> units = Units(6, 0, None, None)
    >>> sum(test.size for train, test in cross(units, fold_sizes(6, 3), 0, 0))
    6
    """
    folds = len(block)
    fold_of = deal(units, units.shuffled(SPLIT, partition, repeat), folds)
    narrow = fold_of.astype(np.min_scalar_type(folds))  # sorted in one pass
    by_fold = np.argsort(narrow, kind="stable").astype(np.int64, copy=False)
    low = 0
    for size in _tally(fold_of, folds).tolist():
        tested = by_fold[low : low + size]
        yield units.others(tested), tested
        low += size


def cross_many(units: Units, folds: int, blocks: list[tuple[int, int]]) -> Iterator[list[Sides]]:
    """Yield the folds of many cross-validations of single items, without their training sets.

    What `cross` yields, in few steps: dealt in turn, every `folds`-th item goes to the same fold.
    """
    each = max(SMALL // units.n, 1)
    for first in range(0, len(blocks), each):
        orders = np.stack([units.shuffled(SPLIT, *at) for at in blocks[first : first + each]])
        tests = [np.sort(orders[:, fold::folds], axis=1) for fold in range(folds)]
        for at in range(len(orders)):
            yield [(None, test[at]) for test in tests]


def leave_one_out(units: Units, block: Block, partition: int, repeat: int) -> Iterator[Sides]:
    """Yield one split for each item, in the order of the items."""
    every = np.arange(units.n, dtype=np.int64)
    for item in range(units.n):
        tested = every[item : item + 1]
        yield units.others(tested), tested


def resample(units: Units, block: Block, partition: int, repeat: int) -> Iterator[Sides]:
    """Return an iterator over one random split; items beyond the sizes are left out.

    The test set and the order of training items do not depend on how many of them are taken.

    Parameters
    ----------
    units : Units
        What is split.
    block : list of tuple
        (n_train, n_test) of the split.
    partition : int
        Number of the partition.
    repeat : int
        Number of the repeat.

    Returns
    -------
    iterator of tuple
        Training and test items.

    Examples
    --------
    >>> from outperform.extend import Units, resample
    >>> units = Units(6, 0, None, None)
    >>> [(train.size, test.size) for train, test in resample(units, [(4, 2)], 0, 0)]
    [(4, 2)]
    """
    ((n_train, n_test),) = block
    tested, rest = draw(units, units.shuffled(SPLIT, partition, repeat), n_test, leave=1)
    items = units.items(tested)
    if n_train + n_test == units.n:
        yield units.others(items), items
    else:
        yield units.items(draw(units, rest, n_train)[0]), items


def halve(units: Units, block: Block, partition: int, repeat: int) -> Iterator[Sides]:
    """Yield one random split of each half of one halving (N-19)."""
    half, rest = draw(units, units.shuffled(HALVING, partition), units.n // 2)
    halves = half, draw(units, rest, units.n // 2)[0]
    for half, purpose, (_, n_test) in zip(halves, (FIRST_HALF, SECOND_HALF), block, strict=True):
        shuffle = permutation(len(half), units.random_state, purpose, partition, repeat)
        tested, trained = draw(units, np.sort(half)[shuffle], n_test)
        yield np.sort(trained), np.sort(tested)


def disjoin(units: Units, block: Block, partition: int, repeat: int) -> Iterator[Sides]:
    """Yield one of several disjoint training sets with the test set they share (D-06)."""
    ((n_train, n_test),) = block
    tested, rest = draw(units, units.shuffled(SPLIT, partition, 0), n_test)
    for _ in range(repeat + 1):
        trained, rest = draw(units, rest, n_train)
    yield np.sort(trained), np.sort(tested)


def deal(units: Units, order: IntArray, folds: int) -> IntArray:
    """Return the fold of each item when units are dealt in a shuffled order."""
    if units.groups is not None:
        if units.count == 1 < folds:
            raise DesignError(_one_group())
        if units.count < folds:
            raise DesignError(
                f"{units.count} groups are not enough for {folds} folds; use at most "
                f"'{units.count}cv/grouped'"
            )
        counts = units.counts()[order]
        fold_of_group = np.empty(units.count, dtype=np.int64)
        by_size = units.classes is None
        fold_of_group[order] = (_deal_by_size if by_size else _deal_by_class)(counts, folds)
        return fold_of_group[units.groups]
    if units.classes is not None:
        # Class after class, each dealt on from where the one before it stopped.
        codes = units.classes[order]
        order = order[np.argsort(_first_seen(codes)[codes], kind="stable")]
    fold_of = np.empty(units.n, dtype=np.int64)
    fold_of[order] = np.arange(units.n) % folds
    return fold_of


def _deal_by_size(counts: IntArray, folds: int) -> IntArray:
    """Give each group, the largest first, to the fold that is then the smallest."""
    sizes = counts[:, 0]
    heap = [(0, fold) for fold in range(folds)]
    fold_of = np.empty(len(sizes), dtype=np.int64)
    for group in np.argsort(-sizes, kind="stable").tolist():
        filled, fold = heap[0]
        fold_of[group] = fold
        heapq.heapreplace(heap, (filled + int(sizes[group]), fold))
    return fold_of


def _deal_by_class(counts: IntArray, folds: int) -> IntArray:
    """Give each group to the fold where it adds least to the variance of class shares.

    Adding shares g to a fold that holds x adds 2 x·g to the sum of squares, besides what is the
    same for every fold. Shares are integers (of 2²⁴) so that no platform rounds differently.
    """
    shares = counts * 2**24 // counts.sum(axis=0)
    held = np.zeros((folds, counts.shape[1]), dtype=np.int64)
    n_items = np.zeros(folds, dtype=np.int64)
    fold_of = np.empty(len(counts), dtype=np.int64)
    heaviest_first = np.argsort(-(shares**2).sum(axis=1), kind="stable")
    for group in heaviest_first:
        fold = np.lexsort((n_items, held @ shares[group]))[0]  # an empty fold comes first
        fold_of[group] = fold
        held[fold] += shares[group]
        n_items[fold] += counts[group].sum()
    return fold_of


def draw(units: Units, order: IntArray, size: int, *, leave: int = 0) -> tuple[IntArray, IntArray]:
    """Take units with `size` items (groups: as nearly as they allow); return them and the rest.

    At least `leave` groups are left over.
    """
    if units.groups is not None:
        taken = _nearest_groups(units.counts()[order], size, leave)
    elif units.classes is not None:
        taken = _first_of_each_class(units.classes[order], size)
    else:
        return order[:size], order[size:]
    return order[taken], order[~taken]


def _first_of_each_class(codes: IntArray, size: int) -> BoolArray:
    totals = _tally(codes)
    wanted = _largest_remainder(size, totals, _first_seen(codes))
    by_class = np.argsort(codes, kind="stable")
    rank = np.empty(len(codes), dtype=np.int64)
    rank[by_class] = np.arange(len(codes)) - (np.cumsum(totals) - totals)[codes[by_class]]
    taken: BoolArray = rank < wanted[codes]
    return taken


def _nearest_groups(counts: IntArray, size: int, leave: int) -> BoolArray:
    """Take each group in turn that brings the class counts nearer to their target."""
    if len(counts) <= leave:
        raise DesignError(_one_group())
    target = _largest_remainder(size, counts.sum(axis=0), (counts > 0).argmax(axis=0))
    # As long as no class is overfull every group brings them nearer, so the loop starts after that.
    fitting = (np.cumsum(counts, axis=0) <= target).all(axis=1)
    n_taken = int(np.count_nonzero(fitting))
    taken = np.arange(len(counts)) < n_taken
    gap = target - counts[:n_taken].sum(axis=0)
    for group in range(n_taken, len(counts)):
        if n_taken == len(counts) - leave or not gap.any():
            break
        after = gap - counts[group]
        if np.abs(after).sum() < np.abs(gap).sum():
            gap, n_taken, taken[group] = after, n_taken + 1, True
    if n_taken == 0:
        taken[counts.sum(axis=1).argmin()] = True
    return taken


def _one_group() -> str:
    return (
        "a grouped split needs at least 2 groups, got 1; to split items, remove '/grouped' and "
        "pass no groups"
    )


def _largest_remainder(size: int, totals: IntArray, tie: IntArray) -> IntArray:
    """Share `size` among classes in proportion; equal remainders go by the lower `tie`."""
    share, remainder = np.divmod(size * totals, totals.sum())
    ranked = np.lexsort((tie, -remainder))
    share[ranked[: size - share.sum()]] += 1
    return share


def _tally(codes: IntArray, length: int = 0) -> IntArray:
    """Count codes in 64 bits, which `bincount` does not do on 32-bit platforms."""
    return np.bincount(codes.astype(np.intp, copy=False), minlength=length).astype(np.int64)


def _first_seen(codes: IntArray) -> IntArray:
    """Return where each class is first met: a random order of classes when items are shuffled."""
    first = np.zeros(int(codes.max()) + 1, dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # of several values the last one stays
    return first


def _where(chosen: BoolArray) -> IntArray:
    return chosen.nonzero()[0].astype(np.int64, copy=False)
