"""Supervised discretisation: Fayyad and Irani's cuts, kept while they shorten the description."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .attributes import Matrix

__all__ = ["bins", "cuts"]


def cuts(values: Matrix, classes: npt.NDArray[np.intp], n_classes: int) -> Matrix:
    """Return the cut points of one numeric column, sorted; missing values (NaN) are left out.

    Each part of the column is cut where the classes on both sides are purest, if the gain pays for
    telling the cut: gain > (log2(N - 1) + Δ) / N with
    Δ = log2(3^k - 2) - [k Ent(S) - k1 Ent(S1) - k2 Ent(S2)].
    """
    known = ~np.isnan(values)
    order = np.argsort(values[known], kind="stable")
    column, labels = values[known][order], classes[known][order]
    before = np.zeros((column.size + 1, n_classes))
    before[np.arange(1, column.size + 1), labels] = 1
    before = before.cumsum(axis=0)
    found: list[float] = []
    todo = [(0, column.size)]
    while todo:
        first, last = todo.pop()
        at = _best_cut(column, before, first, last)
        if at is not None:
            found.append((column[at - 1] + column[at]) / 2)
            todo += [(first, at), (at, last)]
    return np.sort(np.array(found))


def bins(values: Matrix, at: Matrix) -> Matrix:
    """Return the number of the interval of each value, the upper end included; NaN stays."""
    return np.where(np.isnan(values), np.nan, np.searchsorted(at, values, side="left"))


def _best_cut(column: Matrix, before: Matrix, first: int, last: int) -> int | None:
    """Return where to cut the rows first…last, as the first row of the upper part."""
    n = last - first
    if n < 2:
        return None
    places = first + 1 + np.flatnonzero(column[first : last - 1] < column[first + 1 : last])
    if not places.size:
        return None
    whole = before[last] - before[first]
    lower, upper = before[places] - before[first], before[last] - before[places]
    n_lower = places - first
    impurity = (n_lower * _entropy(lower) + (n - n_lower) * _entropy(upper)) / n
    best = int(impurity.argmin())
    gain = _entropy(whole) - impurity[best]
    if gain <= 1e-12:  # what rounding leaves of no gain
        return None
    parts = (whole, lower[best], upper[best])
    spread, spread_lower, spread_upper = (np.count_nonzero(part) * _entropy(part) for part in parts)
    k = np.count_nonzero(whole)
    delta = np.log2(3.0**k - 2) - (spread - spread_lower - spread_upper)
    return int(places[best]) if gain > (np.log2(n - 1) + delta) / n else None


def _entropy(counts: Matrix) -> Matrix:
    """Return the entropy in bits of counts along the last axis."""
    from scipy.special import entr

    total = counts.sum(axis=-1, keepdims=True)
    answer: Matrix = entr(counts / np.maximum(total, 1)).sum(axis=-1) / np.log(2)
    return answer
