"""Distances between items with nominal, numeric and missing values, and who is nearest to whom.

The squared distance of two items is Σ w_j δ_j², summed in the order of the columns. δ is 0 or 1 for
nominal values, and 1 if one is missing; for numbers it is their difference, and if one is missing
the largest there could be within the range of the training rows (Weka's rules).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .attributes import Matrix

__all__ = ["Indices", "Points", "Ranked", "Space", "has_holes", "nearest", "ranges", "rank"]

Indices = npt.NDArray[np.intp]

FEW_PAIRS = 20_000
"""Below this many pairs, all distances take less time than candidates."""
BLOCK = 2**20
"""How many distances are held at once."""
SMALL = 2**18
"""Up to this many pairs, partial sorting beats the search of scikit-learn, which checks more."""
CACHED = 2**14
"""How many approximate distances are sorted at once: fewer than the allocator maps anew."""
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
