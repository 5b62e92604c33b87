"""The first nearest neighbour rule (D-41, R-15), with the damaged metric of D-42 and N-26."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from outperform.errors import DataError

from .attributes import Attributes, Classifier, Matrix, encode, read_classes, read_training

Indices = npt.NDArray[np.intp]

FEW_PAIRS = 20_000
"""Below this many pairs, all distances take less time than candidates."""
BLOCK = 2**20
"""How many distances are held at once."""
SMALL = 2**18
"""Up to this many pairs, partial sorting beats the search of scikit-learn, which checks more."""
CACHED = 2**14
"""How many approximate distances are sorted at once: fewer than the allocator maps again."""
CANDIDATES = 8


def ranges(encoded: Matrix) -> tuple[Matrix, Matrix]:
    """Return the least and the largest value of each column; 0 and 0 for one without values."""
    known = ~np.isnan(encoded)
    low = np.where(known, encoded, np.inf).min(axis=0)
    high = np.where(known, encoded, -np.inf).max(axis=0)
    return np.where(low > high, 0.0, low), np.where(low > high, 0.0, high)


class Points(NamedTuple):
    """Items in the units of a space, (d, n)."""

    at: Matrix
    far: Matrix | None
    """How far from each number a missing one may be; None where no number is missing."""

    def take(self, items: Indices) -> Points:
        return Points(self.at[:, items], None if self.far is None else self.far[:, items])


@dataclass(frozen=True, eq=False, slots=True)
class Space:
    """The units items are compared in."""

    nominal: npt.NDArray[np.bool_]
    weights: Matrix
    low: Matrix
    high: Matrix
    normalize: bool

    def place(self, encoded: Matrix, *, holes: bool) -> Points:
        """Scale numbers so that squared differences add up; `holes` if any may be missing."""
        root, width = np.sqrt(self.weights), self.high - self.low
        if self.normalize:
            scaled = np.where(
                width == 0, encoded * 0, (encoded - self.low) / np.where(width == 0, 1, width)
            )
        else:
            scaled = encoded
        at = np.ascontiguousarray(np.where(self.nominal, encoded, scaled * root).T)
        if not holes:
            return Points(at, None)
        above = 1 - scaled if self.normalize else self.high - encoded
        below = scaled if self.normalize else encoded - self.low
        return Points(at, np.ascontiguousarray((np.maximum(above, below) * root).T))

    def between(self, a: Points, b: Points) -> Matrix:
        """Return squared distances from each of `a` to each of `b`."""
        total = np.zeros((a.at.shape[1], b.at.shape[1]))
        for j in range(len(self.nominal)):
            if a.far is None or b.far is None:
                self._add(total, j, a.at[j][:, None], b.at[j])
            else:
                self._add(total, j, a.at[j][:, None], b.at[j], a.far[j][:, None], b.far[j])
        return total

    def listed(self, a: Points, b: Points, found: Indices) -> Matrix:
        """Return squared distances from each of `a` to its own list of `b`; no number missing."""
        total = np.zeros(found.shape)
        for j in range(len(self.nominal)):
            self._add(total, j, a.at[j][:, None], b.at[j].take(found))
        return total

    def _add(self, total: Matrix, j: int, a: Matrix, b: Matrix, *far: Matrix) -> None:
        """Add what one column contributes: the same to the last bit, whatever the shape."""
        if self.nominal[j]:
            total += self.weights[j] * (a != b)  # NaN differs from everything
            return
        difference = a - b
        if far:
            no_a, no_b = np.isnan(a), np.isnan(b)
            width = 1.0 if self.normalize else self.high[j] - self.low[j]
            difference = np.where(no_a, far[1], np.where(no_b, far[0], difference))
            difference[no_a & no_b] = np.sqrt(self.weights[j]) * width
        difference *= difference
        total += difference

    def flat(self, points: Points) -> Matrix:
        """Return points without missing values whose plain distances are those of the space."""
        parts = [points.at[~self.nominal].T]
        for j in np.flatnonzero(self.nominal):
            codes = points.at[j].astype(np.intp)
            shown = np.zeros((codes.size, int(self.high[j]) + 2))
            shown[np.arange(codes.size), codes] = np.sqrt(self.weights[j] / 2)
            parts.append(shown)
        return np.hstack(parts)


def has_holes(space_nominal: npt.NDArray[np.bool_], *encoded: Matrix) -> bool:
    """Tell whether a number is missing."""
    return any(bool(np.isnan(part[:, ~space_nominal]).any()) for part in encoded)


class Ranked(NamedTuple):
    """The nearest of some points to each of others, by distance, then by position."""

    order: Indices
    squared: Matrix
    bound: Matrix
    """Whatever is not listed is farther (squared), or as far and comes later."""


def rank(space: Space, queries: Points, base: Points, k: int) -> Ranked:
    """Rank the k nearest points of `base` to each query."""
    n = base.at.shape[1]
    missing = np.isnan(queries.at).any() or np.isnan(base.at).any()
    # Nominal values alone leave so many as far as the last that candidates say nothing.
    if k < n and not missing and not space.nominal.all():
        return _from_candidates(space, queries, base, k)
    return _from_all(space, queries, base, min(k, n))


def _from_all(space: Space, queries: Points, base: Points, k: int) -> Ranked:
    q, n = queries.at.shape[1], base.at.shape[1]
    order, squared = np.empty((q, k), dtype=np.intp), np.empty((q, k))
    bound = np.full(q, np.inf)
    step = max(1, BLOCK // n)
    for start in range(0, q, step):
        part = np.arange(start, min(q, start + step))
        distance = space.between(queries.take(part), base)
        found = np.argsort(distance, axis=1, kind="stable")[:, :k]
        order[part], squared[part] = found, np.take_along_axis(distance, found, axis=1)
        if k < n:
            bound[part] = squared[part, -1]
    return Ranked(order, squared, bound)


def _from_candidates(space: Space, queries: Points, base: Points, k: int) -> Ranked:
    """Find candidates by a product of matrices, then measure these exactly."""
    near, far = space.flat(queries), space.flat(base)
    centre = far.mean(axis=0)
    near, far = near - centre, far - centre
    if len(near) * len(far) <= SMALL:
        found, last = _partly_sorted(near, far, k)
    else:
        from sklearn.neighbors import NearestNeighbors

        search = NearestNeighbors(n_neighbors=k, algorithm="brute", metric="sqeuclidean").fit(far)
        about, found = search.kneighbors(near)
        last = about.max(axis=1)
    squared = space.listed(queries, base, found)
    order = np.lexsort((found, squared), axis=1)
    longest = max(np.square(near).sum(axis=1).max(), np.square(far).sum(axis=1).max())
    # |x|² - 2xy + |y|² in floating point: each term and product within d roundings of its size.
    slack = 20 * (far.shape[1] + 4) * np.finfo(np.float64).eps * longest
    return Ranked(
        np.take_along_axis(found, order, axis=1),
        np.take_along_axis(squared, order, axis=1),
        last - slack,
    )


def _partly_sorted(near: Matrix, far: Matrix, k: int) -> tuple[Indices, Matrix]:
    """Return k candidates for each, and how far the last is, by blocks that stay in the cache."""
    found, last = np.empty((len(near), k), dtype=np.intp), np.empty(len(near))
    doubled, norms = (-2 * far).T, np.square(far).sum(axis=1)
    step = max(1, CACHED // len(far))
    for start in range(0, len(near), step):
        part = slice(start, start + step)
        about = near[part] @ doubled
        about += norms  # but for |near|², which changes no order
        last[part] = np.partition(about, k - 1, axis=1)[:, k - 1]
        listed = np.flatnonzero(about <= last[part, None])
        if listed.size == len(about) * k:
            found[part] = (listed % len(far)).reshape(-1, k)
        else:  # some are as far as the last
            found[part] = np.argpartition(about, k - 1, axis=1)[:, :k]
    return found, last + np.square(near).sum(axis=1)


def nearest(space: Space, queries: Points, base: Points) -> Indices:
    """Return the position of the nearest point of `base` to each query; of several, the first."""
    q, n = queries.at.shape[1], base.at.shape[1]
    if q * n > FEW_PAIRS and not space.nominal.all():
        ranked = rank(space, queries, base, CANDIDATES)
        answer = ranked.order[:, 0].copy()
        open_ = np.flatnonzero(ranked.squared[:, 0] > ranked.bound)
    else:
        answer, open_ = np.empty(q, dtype=np.intp), np.arange(q)
    step = max(1, BLOCK // n)
    for start in range(0, open_.size, step):
        part = open_[start : start + step]
        answer[part] = space.between(queries.take(part), base).argmin(axis=1)
    return answer


KEPT = 17
"""Neighbours kept for each item when splits share them: itself and sixteen others at most."""
RARE = 1e-6
"""How seldom all that are kept may be missing from the training items, if they were by chance."""
CHUNK = 2**18
"""Splits × items looked at together: what stays in the cache."""

Rows = npt.NDArray[Any]
Split = tuple[Rows, Rows]


class NearestNeighbor(Classifier):
    """Nearest-neighbour classifier; of several neighbours the first counts.

    Distances are Euclidean, √Σ w_j (x_j − z_j)². Nominal values differ by 0 or 1. A missing value
    differs as much as it could: by 1 if nominal, otherwise by the distance to the farther end of
    the column's range in the training rows, or its width if both are missing.

    Parameters
    ----------
    weights : array-like, optional
        Weight w of each column; by default 1.
    normalize : bool or "widening", default=False
        Whether to divide each numeric column by its range in the training rows, as Weka does;
        "widening" also widens the ranges by every test row, as Weka's IB1 does.
    nominal : "all", mask, indices or names, optional
        Columns that are nominal whatever their type.

    Examples
    --------
    >>> from reproduction.learners import NearestNeighbor
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> knn = NearestNeighbor().fit(X, y)
    >>> knn.predict(X[:2]), knn.predict_proba(X[:1]), knn.kneighbors(X[:2])
    (array([0, 0]), array([[1., 0., 0.]]), array([0, 1]))
    >>> rows = list(range(150))
    >>> next(iter(knn.fit_predict_splits(X, y, [(rows[1:], rows[:1])])))
    array([0])
    """

    def __init__(
        self, *, weights: Any = None, normalize: bool | str = False, nominal: Any = None
    ) -> None:
        self.weights = weights
        self.normalize = normalize
        self.nominal = nominal

    def fit(self, X: Any, y: Any) -> NearestNeighbor:
        """Keep the training items.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame
            Features, one row for each item.
        y : array-like
            Classes.

        Returns
        -------
        NearestNeighbor
            The fitted learner.
        """
        self._attributes, self._items = read_training(self, X, self.nominal)
        self.classes_, self._codes = read_classes(self, y, len(self._items))
        self._weights = self._checked()
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class of the nearest training item for each item.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame
            Features, one row for each item.

        Returns
        -------
        ndarray
            The classes.
        """
        neighbours = self.kneighbors(X)
        answer: npt.NDArray[Any] = self.classes_.take(self._codes.take(neighbours))
        return answer

    def predict_proba(self, X: Any) -> Matrix:
        """Return 1 for the class of the nearest training item, 0 for others.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame
            Features, one row for each item.

        Returns
        -------
        ndarray of shape (items, classes)
            The probabilities.
        """
        neighbours = self.kneighbors(X)
        return np.eye(len(self.classes_))[self._codes.take(neighbours)]

    def kneighbors(self, X: Any) -> Indices:
        """Return the position of the nearest training item for each item.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame
            Features, one row for each item.

        Returns
        -------
        ndarray of int
            Positions.
        """
        check_is_fitted(self)
        return self._nearest(self._items, encode(self, self._attributes, X))

    def fit_predict_splits(self, X: Any, y: Any, splits: Iterable[Split]) -> list[Any]:
        """Return the predictions for each split, sharing work between splits.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame
            Features, one row for each item.
        y : array-like
            Classes.
        splits : iterable of (train, test)
            Row numbers of each split.

        Returns
        -------
        iterable of ndarray
            Predictions for the test items of each split.
        """
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
                "The 'normalize' parameter must be True, False or 'widening', got "
                f"{self.normalize!r}; use for example normalize='widening'"
            )
        d = self.n_features_in_
        if self.weights is None:
            return np.ones(d)
        weights = np.asarray(self.weights, dtype=np.float64)
        if weights.shape != (d,) or not np.isfinite(weights).all() or (weights < 0).any():
            raise DataError(
                f"weights must be {d} finite non-negative numbers, one for each column, got "
                f"{np.array2string(weights, threshold=8)}. For equal weights use weights=None"
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
