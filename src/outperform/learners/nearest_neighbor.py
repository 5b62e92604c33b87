"""The first nearest neighbour rule (D-41, R-15), with the damaged metric of D-42 and N-26."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from ..errors import DataError
from .attributes import Attributes, Classifier, Matrix, encode, read_classes, read_training
from .distances import Indices, Points, Ranked, Space, has_holes, nearest, ranges, rank

__all__ = ["NearestNeighbor"]

KEPT = 17
"""Neighbours kept for each item when splits share them: itself and sixteen others at most."""
RARE = 1e-6
"""How seldom all that are kept may be missing from the training items, if they were by chance."""
CHUNK = 2**18
"""Splits × items looked at together: what stays in the cache."""

Rows = npt.NDArray[Any]
Split = tuple[Rows, Rows]


class NearestNeighbor(Classifier):
    """Predicts the class of the nearest training item; of several, of the first.

    Distances are Euclidean: the root of Σ w_j (x_j - z_j)², with `weights` w (1 if None; bad ones
    damage the learner as in D-42). Nominal values differ by 0 or 1. A missing value differs as much
    as it could: by 1 if nominal, and otherwise by the distance to the farther end of the column's
    range in the training rows, or its width if both are missing.

    `normalize=True` divides each numeric column by its range in the training rows, as Weka does.
    Weka's IB1 moreover widens the ranges by every test row it has met; `normalize="widening"` does
    so too, so that answers depend on the order of the rows in one call to `predict`.

    `nominal` names nominal columns, besides those of a frame whose type says so.

    `fit_predict_splits` finds neighbours once for all splits and takes the nearest that a split
    trains on. Ranges depend on the training rows: where they matter (normalised, or a number
    missing), splits of equal ranges share and the others are fitted one by one.
    """

    def __init__(
        self, *, weights: Any = None, normalize: bool | str = False, nominal: Any = None
    ) -> None:
        self.weights = weights
        self.normalize = normalize
        self.nominal = nominal

    def fit(self, X: Any, y: Any) -> NearestNeighbor:
        """Keep the training items."""
        self._attributes, self._items = read_training(self, X, self.nominal)
        self.classes_, self._codes = read_classes(self, y, len(self._items))
        self._weights = self._checked()
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class of the nearest training item for each item of X."""
        neighbours = self.kneighbors(X)
        answer: npt.NDArray[Any] = self.classes_.take(self._codes.take(neighbours))
        return answer

    def predict_proba(self, X: Any) -> Matrix:
        """Return 1 for the class of the nearest training item, 0 for others."""
        neighbours = self.kneighbors(X)
        return np.eye(len(self.classes_))[self._codes.take(neighbours)]

    def kneighbors(self, X: Any) -> Indices:
        """Return the position of the nearest training item for each item of X."""
        check_is_fitted(self)
        return self._nearest(self._items, encode(self, self._attributes, X))

    def fit_predict_splits(self, X: Any, y: Any, splits: Iterable[Split]) -> list[Any]:
        """Return, for each split (train, test), what fit on the one predicts of the other."""
        self._attributes, items = read_training(self, X, self.nominal)
        classes, codes = read_classes(self, y, len(items))
        labels = classes.take(codes)
        self._weights = self._checked()
        trains, tests = _sides(splits)
        if not trains:
            return []
        answers: list[Any] = [None] * len(trains)
        for space, members in self._spaces(items, trains):
            some = len(members) < len(trains)
            train = [trains[m] for m in members] if some else trains
            test = [tests[m] for m in members] if some else tests
            sizes = np.fromiter(map(len, test), np.intp, len(test))
            if space is None or len(members) == 1:
                found = [
                    rows[self._nearest(items.take(rows, axis=0), items.take(asked, axis=0))]
                    for rows, asked in zip(train, test, strict=True)
                ]
            else:
                found = _shared(space, items, train, test, sizes)
            parts = _cut(labels.take(np.concatenate(found)), sizes)
            if not some:
                return parts
            for member, part in zip(members, parts, strict=True):
                answers[member] = part
        return answers

    def _spaces(
        self, items: Matrix, trains: Sequence[Rows]
    ) -> list[tuple[Space | None, list[int]]]:
        """Group splits that measure distances alike; None for those that cannot be shared."""
        everything = list(range(len(trains)))
        if self.normalize == "widening":
            return [(None, everything)]
        if not self.normalize and not has_holes(self._attributes.nominal, items):
            return [(self._space(items), everything)]
        groups: dict[bytes, tuple[Space | None, list[int]]] = {}
        for number, train in enumerate(trains):
            space = self._space(items.take(train, axis=0))
            key = space.low.tobytes() + space.high.tobytes()
            groups.setdefault(key, (space, []))[1].append(number)
        return list(groups.values())

    def _space(self, training: Matrix) -> Space:
        low, high = ranges(training)
        attributes: Attributes = self._attributes
        low = np.where(attributes.nominal, 0, low)
        high = np.where(attributes.nominal, attributes.n_values - 1, high)
        return Space(attributes.nominal, self._weights, low, high, bool(self.normalize))

    def _nearest(self, training: Matrix, items: Matrix) -> Indices:
        space = self._space(training)
        if self.normalize != "widening":
            return _nearest_in(space, training, items)
        # Each row widens the ranges for itself and for those that follow; few rows really do.
        low = np.fmin.accumulate(np.vstack([space.low, items]))[1:]
        high = np.fmax.accumulate(np.vstack([space.high, items]))[1:]
        wider = (np.diff(low, axis=0) != 0).any(axis=1) | (np.diff(high, axis=0) != 0).any(axis=1)
        ends = [*(np.flatnonzero(wider) + 1), len(items)]
        return np.concatenate(
            [
                _nearest_in(replace(space, low=low[a], high=high[a]), training, items[a:b])
                for a, b in pairwise([0, *ends])
            ]
        )

    def _checked(self) -> Matrix:
        """Return the weights of the columns, after a look at the parameters."""
        if self.normalize not in (True, False, "widening"):
            raise DataError(
                f"normalize is {self.normalize!r}; use True, False or normalize='widening'"
            )
        d = self.n_features_in_
        if self.weights is None:
            return np.ones(d)
        weights = np.asarray(self.weights, dtype=np.float64)
        if weights.shape != (d,) or not np.isfinite(weights).all() or (weights < 0).any():
            raise DataError(
                f"weights must be {d} finite numbers, none negative, one for each column; got "
                f"{np.array2string(weights, threshold=8)}. For equal weights: weights=None"
            )
        return weights


def _nearest_in(space: Space, training: Matrix, items: Matrix) -> Indices:
    holes = has_holes(space.nominal, training, items)
    return nearest(space, space.place(items, holes=holes), space.place(training, holes=holes))


def _sides(splits: Iterable[Split]) -> tuple[Sequence[Rows], Sequence[Rows]]:
    """Return the training and the test items of every split."""
    pairs = list(splits)
    if not pairs:
        return (), ()
    trains, tests = zip(*pairs, strict=True)
    if {*map(type, trains), *map(type, tests)} == {np.ndarray}:
        return trains, tests
    return tuple(map(np.asarray, trains)), tuple(map(np.asarray, tests))


def _cut(predicted: npt.NDArray[Any], sizes: Indices) -> list[npt.NDArray[Any]]:
    """Return what was predicted split by split."""
    if sizes[0] and (sizes == sizes[0]).all():
        return list(predicted.reshape(sizes.size, -1))
    ends = sizes.cumsum().tolist()
    return list(map(predicted.__getitem__, map(slice, [0, *ends[:-1]], ends)))


def _shared(
    space: Space, items: Matrix, trains: Sequence[Rows], tests: Sequence[Rows], sizes: Indices
) -> list[Indices]:
    """Return the nearest training item of each test item, by chunks of splits."""
    n = len(items)
    points = space.place(items, holes=has_holes(space.nominal, items))
    ranked = rank(space, points, points, _enough(float(sizes.mean()) / n))
    step = max(1, CHUNK // n)
    parts = [slice(start, start + step) for start in range(0, len(trains), step)]
    return [
        _first_in_training(space, points, ranked, trains[part], tests[part], sizes[part])
        for part in parts
    ]


def _enough(tested: float) -> int:
    """Return how many neighbours to keep where such a share of the items is tested."""
    if not 0 < tested < 1:
        return KEPT
    return min(KEPT, 2 + math.ceil(math.log(RARE) / math.log(tested)))


def _first_in_training(
    space: Space,
    points: Points,
    ranked: Ranked,
    trains: Sequence[Rows],
    tested: Sequence[Rows],
    sizes: Indices,
) -> Indices:
    """Go through the ranks of all test items at once until each meets a training item."""
    n, kept = ranked.order.shape
    outside = np.ones((len(trains), n), dtype=np.bool_)
    inside = np.zeros((), dtype=np.bool_)  # an array, so that no split turns False into one
    for row, train in zip(outside, trains, strict=True):
        row[train] = inside
    tests = np.concatenate(tested)
    rows, untrained = np.arange(0, outside.size, n).repeat(sizes), outside.reshape(-1)
    by_rank = np.ascontiguousarray(ranked.order.T)
    # As a rule everything is nearest to itself, and nothing is trained on that is tested.
    alone = untrained.take(rows + tests).all() and (by_rank[0] == np.arange(n)).all()
    used = int(alone and kept > 1)
    chosen: Indices = by_rank[used].take(tests)
    place = np.full(tests.size, used, dtype=np.int8)
    left = np.flatnonzero(untrained.take(rows + chosen))
    while left.size and used + 1 < kept:
        used += 1
        asked = tests.take(left)
        found = by_rank[used].take(asked)
        chosen[left] = found
        place[left] = used
        left = left[untrained.take(rows.take(left) + found)]
    used += 1
    unsure = np.zeros(tests.size, dtype=np.bool_)
    unsure[left] = True
    doubt = ranked.squared[:, :used] > ranked.bound[:, None]
    if doubt.any():
        unsure |= doubt[tests, place]
    tied = np.ones((n, kept), dtype=np.bool_)  # the last may have equals that are not listed
    tied[:, :-1] = ranked.squared[:, 1:] == ranked.squared[:, :-1]
    if tied[:, :used].any():  # the first of several is the first in the order of training rows
        shuffled = np.array([(np.diff(train) < 0).any() for train in trains])
        unsure |= tied[tests, place] & shuffled.repeat(sizes)
    asked = np.flatnonzero(unsure)
    owner = rows.take(asked) // n
    for number in np.unique(owner):
        queries, train = asked[owner == number], trains[number]
        chosen[queries] = train[nearest(space, points.take(tests[queries]), points.take(train))]
    return chosen
