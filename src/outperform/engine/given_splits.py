"""Splits that are given by a splitter or a list: read, checked and recognised."""

from __future__ import annotations

import inspect
import math
import random
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise, product
from typing import Any

import numpy as np

from ..designs import (
    Custom,
    Design,
    Forward,
    Given,
    Holdout,
    KFold,
    LeaveOneOut,
    RepeatedKFold,
    Resampled,
)
from ..designs.splitting import SPLIT, IntArray, encode
from ..errors import DesignError, argument
from ..notes import Note
from .environment import same_filters, same_random_state
from .split_plan import SplitPlan, make_plan

SHOWN = 120
"""Characters of a splitter's own text that are shown."""
MOST = 10**6
"""Splits above which an iterator is taken to have no end."""
NEVER = 7.0
"""Shared items that random test sets should have, e⁻⁷ being the chance that there are none."""
ABOUT = 0.1
"""By how much of the largest the sizes of random splits may differ."""


@dataclass(frozen=True, eq=False, slots=True)
class GivenSplit:
    """One split and what is seen of it at once."""

    train: IntArray | None
    """None where it is all other rows in ascending order."""
    test: IntArray
    n_train: int
    """Different rows trained on."""
    n_rows: int
    others: bool
    """Trained on each of the other rows, once."""
    last_train: int
    ascending: bool

    @property
    def repeats_rows(self) -> bool:
        return self.n_train + self.test.size < self.n_rows


def read_given(
    design: Any, X: Any, y: Any, groups: Any, codes: IntArray | None, n: int, seed: int
) -> SplitPlan:
    """Draw the splits of a splitter, or read those of a list, and find out what they are.

    `codes` number the groups. A splitter that has no random state of its own draws from the global
    one, which is seeded for it by the seed of the run, and afterwards is as it was.
    """
    by = _shown(design)
    name, mixer = by or "the given splits", sha256()
    seen: list[GivenSplit] = []
    with same_filters(), same_random_state(), warnings.catch_warnings():
        # KFold says that it ignores groups, which may be an error; here it is seen by its splits.
        warnings.filterwarnings("ignore", message="The groups parameter is ignored")
        word = int(np.random.SeedSequence(seed, spawn_key=(SPLIT,)).generate_state(1)[0])
        np.random.seed(word)  # noqa: NPY002  # where scikit-learn's splitters draw from
        random.seed(word)
        before = _random_state()
        for at, pair in enumerate(_pairs(design, X, y, groups, name)):
            if at == MOST:
                raise DesignError(f"{name}: more than {MOST:,} splits; does the iterator end?")
            train, test = _two_sides(pair, f"split {at} of {name}", n)
            one = _split(train, test, n, f"split {at} of {name}")
            if codes is not None:
                _check_groups(train, test, codes, f"split {at} of {name}")
            for rows in (one.train, test):
                body = b"" if rows is None else rows.astype("<i8", copy=False).tobytes()
                mixer.update(len(body).to_bytes(8, "little") + body)
            seen.append(one)
        drew = _random_state() != before
    if not seen:
        raise DesignError(
            f"{name}: no splits were found. An iterator can be read only once; pass a list, "
            "design=list(splits), or the splitter itself"
        )
    of, reason = _recognise(seen, n, codes, name)
    notes = [Note("OP001", f"Splits{f' of {by}' * bool(by)} recognised as {of}: {reason}.")]
    if drew:
        detail = f"{by or 'The iterator'} has no random_state of its own: its splits were drawn "
        notes.append(Note("OP509", f"{detail}with the run's seed {seed}."))
    if isinstance(getattr(design, "random_state", None), np.random.RandomState):
        detail = f"{by} draws different splits on every call, so a store cannot be resumed"
        notes.append(Note("OP509", f"{detail}; give it an integer random_state to run it again."))
    _, repeats, folds = of.shape or (1, 1, n)
    return make_plan(
        Given(of, by),
        n,
        seed,
        [(0, *key) for key in product(range(repeats), range(folds))],
        [(one.train, one.test) for one in seen],
        [one.n_train for one in seen],
        shuffled=False,
        ascending=all(one.ascending for one in seen),
        fingerprint=mixer.hexdigest()[:16],
        notes=tuple(notes),
    )


def _shown(design: Any) -> str:
    """Return what gave the splits, in few words; "" for a list."""
    if not hasattr(design, "split"):
        return ""
    if isinstance(design, type):
        name = design.__name__
        raise DesignError(f"{name} is a class; pass an object of it, such as design={name}()")
    text = repr(design)
    plain = text.isprintable() and len(text) <= SHOWN and not re.search(r"<|\.\.\.| at 0x", text)
    return text if plain else type(design).__name__


def _random_state() -> tuple[object, ...]:
    numpys = np.random.get_state(legacy=False)["state"]  # noqa: NPY002
    return random.getstate(), numpys["key"].tobytes(), numpys["pos"]


def _pairs(design: Any, X: Any, y: Any, groups: Any, name: str) -> Iterator[Any]:
    """Yield what a splitter or an iterable yields; what it raises is refused in its own words."""
    try:
        split = getattr(design, "split", None)
        yield from design if split is None else split(*_arguments(split, X, y, groups))
    except Exception as error:
        raise DesignError(
            f"{name} cannot split these data: {type(error).__name__}: {error}"
        ) from error


def _arguments(split: Any, X: Any, y: Any, groups: Any) -> tuple[Any, ...]:
    """Return as many of X, y and groups as `split` takes."""
    try:
        signature = inspect.signature(split)
    except (TypeError, ValueError):
        return X, y, groups
    for given in ((X, y, groups), (X, y), (X,)):
        try:
            signature.bind(*given)
        except TypeError:
            continue
        return given
    return X, y, groups


def _two_sides(pair: Any, name: str, n: int) -> tuple[IntArray, IntArray]:
    try:
        train, test = pair
    except (TypeError, ValueError):
        raise DesignError(
            f"{name} must be a pair (train, test) of row numbers, got {type(pair).__name__}; pass "
            "a list of splits, even for a single one: design=[(train, test)]"
        ) from None
    trained = _rows(train, f"the training rows of {name}", n)
    return trained, _rows(test, f"the test rows of {name}", n)


def _rows(rows: Any, name: str, n: int) -> IntArray:
    """Return row numbers, or the rows that a mask of all rows marks."""
    try:
        array = np.asarray(rows)
    except ValueError:
        array = np.empty((0, 0))
    if array.ndim != 1:
        raise DesignError(
            f"{name} must be a one-dimensional array of row numbers; for one split pass "
            "design=[(train, test)]"
        )
    if array.dtype == np.bool_:
        if array.size != n:
            raise DesignError(f"{name} are a mask of {array.size} entries, but there are {n} rows")
        array = array.nonzero()[0]
    if not array.size:
        raise DesignError(f"{name} are empty; every split needs rows on both sides")
    if array.dtype.kind not in "iu":
        raise DesignError(
            f"{name} must be row numbers from 0 to {n - 1} (integers), got {array.dtype}; labels "
            "of a pandas index become row numbers by index.get_indexer(labels)"
        )
    low, high = int(array.min()), int(array.max())
    if low < 0 or high >= n:
        raise DesignError(
            f"{name} must be from 0 to {n - 1}, got {low if low < 0 else high}; negative numbers "
            "do not count from the end here"
        )
    return array.astype(np.int64)


def _split(train: IntArray, test: IntArray, n: int, name: str) -> GivenSplit:
    """Check the two sides against each other, and look at them."""
    side = np.zeros(n, dtype=np.int8)
    side[train] = 1
    n_train = int(np.count_nonzero(side))
    shared = test[side[test] == 1]
    if shared.size:
        raise DesignError(
            f"{name} has row {int(shared[0])} in both its training and its test rows; remove it "
            "from one of them"
        )
    side[test] = 2
    if np.count_nonzero(side) != n_train + test.size:
        twice = np.bincount(test, minlength=n).argmax()
        raise DesignError(f"{name} has row {int(twice)} twice in its test rows; test each row once")
    ascending = [bool((np.diff(rows) > 0).all()) for rows in (train, test)]
    others = n_train == train.size == n - test.size
    return GivenSplit(
        train=None if others and ascending[0] else train,
        test=test,
        n_train=n_train,
        n_rows=train.size + test.size,
        others=others,
        last_train=int(train.max()),
        ascending=all(ascending),
    )


def _check_groups(train: IntArray, test: IntArray, codes: IntArray, name: str) -> None:
    both = np.intersect1d(codes[train], codes[test])
    if both.size:
        count = int(codes.max()) + 1
        instead = f"Use GroupKFold(n_splits={min(count, 5)}), or pass" if count > 1 else "Pass"
        raise DesignError(
            f"{name} splits groups: the group of row {int(test[codes[test] == both[0]][0])} is in "
            f"its training and its test rows. {instead} no groups"
        )


def _recognise(
    splits: Sequence[GivenSplit], n: int, groups: IntArray | None, name: str
) -> tuple[Design, str]:
    """Return the design that these splits of n rows are, and why."""
    if len(splits) == 1:
        return Holdout(splits[0].test.size), "one split"
    forward = _moving_forward(splits, n, name)
    if forward is not None:
        return forward, "all training rows of a split come before its test rows"
    crossed = _crossed(splits, n) if all(one.others for one in splits) else None
    if crossed is not None:
        return crossed, "test sets are disjoint and cover all rows, training sets are all others"
    if _is_drawn(splits, n, groups):
        sizes = ((one.test.size, one.n_train) for one in splits)
        test, train = (round(sum(side) / len(splits)) for side in zip(*sizes, strict=True))
        return Resampled(len(splits), test, train), "test sets of one size follow no pattern"
    return Custom(len(splits)), "they are neither cross-validation nor random splits of one size"


def _moving_forward(splits: Sequence[GivenSplit], n: int, name: str) -> Design | None:
    """Return the design of splits whose training rows all come before test rows that move on."""
    starts = [int(one.test.min()) for one in splits]
    moves = len(set(starts)) == len(starts)
    ends = [one.last_train for one in splits]
    if not moves or any(end >= start for end, start in zip(ends, starts, strict=True)):
        return None
    tested = np.concatenate([one.test for one in splits])
    if np.unique(tested).size < tested.size:
        raise DesignError(
            f"{name} moves forward through the rows, but tests some of them more than once, and no "
            "method here is valid for that. Use test blocks that do not overlap, as in "
            f"{argument(design='5forward')} or scikit-learn's TimeSeriesSplit(n_splits=5)"
        )
    sizes = {one.test.size for one in splits}
    gap = min(start - end for start, end in zip(starts, ends, strict=True)) - 1
    used = [one.n_train for one in splits]
    slides = any(many <= end for many, end in zip(used, ends, strict=True))
    size = sizes.pop() if len(sizes) == 1 and min(sizes) != n // (len(splits) + 1) else None
    return Forward(len(splits), size, gap, max(used) if slides else None)


def _crossed(splits: Sequence[GivenSplit], n: int) -> Design | None:
    """Return the cross-validation, perhaps repeated, that these test sets make in their order."""
    fold_of = np.full(n, -1, dtype=np.int64)
    passes: list[int] = []
    partitions: set[bytes] = set()
    folds = filled = 0
    for one in splits:
        if (fold_of[one.test] >= 0).any():
            return None
        fold_of[one.test] = folds
        folds, filled = folds + 1, filled + one.test.size
        if filled == n:
            passes.append(folds)
            partitions.add(encode(fold_of, n, "folds").tobytes())
            fold_of[:] = -1
            folds = filled = 0
    # The same partition again is no new repeat.
    if filled or len(set(passes)) != 1 or len(partitions) != len(passes):
        return None
    if len(passes) > 1:
        return RepeatedKFold(len(passes), passes[0])
    return LeaveOneOut() if passes[0] == n else KFold(passes[0])


def _is_drawn(splits: Sequence[GivenSplit], n: int, groups: IntArray | None) -> bool:
    """Tell whether splits are about as large and their test sets as random ones would be.

    What is drawn are rows or, where there are any, groups. Test sets are not random if most come
    again, if they slide along the rows, if all rows are tested as often, or if none is tested twice
    where that is most unlikely.
    """
    if any(one.repeats_rows for one in splits):
        return False
    units = np.arange(n) if groups is None else groups
    tests = [np.unique(units[one.test]) for one in splits]
    count = int(units.max()) + 1
    sizes = [test.size for test in tests]
    if not _alike(sizes) or (groups is None and not _alike([one.n_train for one in splits])):
        return False
    different = len({test.tobytes() for test in tests})
    if 2 * different <= min(len(tests), math.comb(count, min(sizes))):
        return False
    starts = [int(test[0]) for test in tests]
    solid = all(test[-1] - test[0] == test.size - 1 for test in tests) and max(sizes) > 1
    if solid and len({a < b for a, b in pairwise(starts)}) == 1:
        return False
    tested = np.bincount(np.concatenate(tests), minlength=count)
    if tested.min() == tested.max():
        return False
    if tested.max() == 1:
        pairs = sum(sizes) ** 2 - sum(size**2 for size in sizes)
        return pairs / 2 / count < NEVER
    return True


def _alike(sizes: Sequence[int]) -> bool:
    return max(sizes) - min(sizes) <= max(1.0, ABOUT * max(sizes))
