"""Whether loss differences of neighbouring items are correlated: Feelders & Verkooijen (F-13)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ..notes import Note
from ..numerics import pair_counts
from ..numerics.distributions import Normal
from ..numerics.exact_sums import Array
from ..scores.item_losses import AnyItems
from ..scores.split_scores import Scores
from .contract import over_seeds

CHANCE = 0.001
"""The chance, over the family, that independent items are called autocorrelated."""
FEWEST = 30
"""Items from which on neighbours are looked at."""
MOST = 500_000
"""Losses that are looked at: those of the first items are enough to see r = .01."""
NAMED = 3


def neighbours(
    table: Array,
    i: Any,
    j: Any,
    named: Callable[[Any], str],
    *,
    classes_known: bool = False,
    all_pairs: bool = True,
) -> tuple[Note, ...]:
    """Flag pairs whose differences are autocorrelated, in centred losses (learners, items).

    `named` says which pairs of i and j are meant, given a mask.
    """
    n = table.shape[1]
    if n < FEWEST:
        return ()
    if all_pairs:
        spread, lagged = table @ table.T, table[:, :-1] @ table[:, 1:].T
        both = spread[i, i] + spread[j, j]
        variance = both - 2 * spread[i, j]
        covariance = lagged[i, i] + lagged[j, j] - lagged[i, j] - lagged[j, i]
    else:  # a table of all pairs would be the square of what is needed
        apart, each = table[i] - table[j], np.square(table).sum(axis=1)
        both, variance = each[i] + each[j], np.square(apart).sum(axis=1)
        covariance = (apart[:, :-1] * apart[:, 1:]).sum(axis=1)
    # What rounding leaves of equal losses is no variance.
    real = variance > 1e-12 * both
    r = np.where(real, covariance / np.where(real, variance, 1.0), 0.0)
    far = r * np.sqrt(n) > float(Normal().isf(CHANCE / r.size))
    if not far.any():
        return ()
    order = "if their order is time or place, trust p-values less"
    if not classes_known:
        order += "; if they are sorted by class, that may be why"
    return (
        Note(
            "OP309",
            f"Loss differences of neighbouring items are correlated (lag 1: {r.max():.2f}) for "
            f"{named(far)}; {order}.",
        ),
    )


def on_items(values: Array, given: Any, names: Sequence[str]) -> tuple[Note, ...]:
    """Flag pairs in scores (items, learners) that were read from what was given.

    `Scores` know the classes of their items.
    """
    return in_scores(given, names) if isinstance(given, Scores) else in_arrays([*values.T], names)


def in_arrays(sides: Sequence[Array], names: Sequence[str | None]) -> tuple[Note, ...]:
    """Flag pairs of learners whose scores on items, one array each, are given in order.

    One array is of differences.
    """
    first = max(MOST // len(sides), FEWEST)
    table = np.stack([np.ravel(side)[:first] for side in sides])
    if len(table) == 1:
        table = np.concatenate([table, np.zeros_like(table)])
    table = _centred(table, np.zeros(table.shape[1], dtype=np.int64))
    return neighbours(table, *pair_counts.upper(len(table)), _of_upper(names))


def in_scores(scores: Scores, names: Sequence[str]) -> tuple[Note, ...]:
    """Flag pairs of these learners whose kept losses are autocorrelated in the items' order."""
    items = None if over_seeds(scores) else scores.items
    if items is None or len(set(scores.datasets or ())) > 1:
        return ()
    table = by_item(items.of([scores.index(name) for name in names]), scores.target)
    known = scores.target is not None
    pairs = pair_counts.upper(len(names))
    return neighbours(table, *pairs, _of_upper(names), classes_known=known)


def by_item(items: AnyItems, y: Any) -> Array:
    """Return centred mean losses (learners, items) of the first items, in their order.

    `y`, where it is known, keeps items that are merely sorted by class from looking correlated.
    """
    learners, entries = items.shape
    items = items if entries <= MOST // learners else items.first(MOST // learners)
    _, place = np.unique(items.item, return_inverse=True)
    times = np.bincount(place)
    table = np.stack([np.bincount(place, weights=row) for row in items.values]) / times
    classes = np.zeros(times.size, dtype=np.int64)
    labels = None if y is None else np.asarray(y)
    if labels is not None and labels.ndim == 1 and items.item.max() < labels.size:
        _, codes = np.unique(labels[np.unique(items.item)].astype(str), return_inverse=True)
        # A target with as many values as items is no class: its means would take all variance.
        classes = codes if codes.max() + 1 <= times.size // 2 else classes
    return _centred(table, classes)


def _centred(table: Array, classes: Any) -> Array:
    """Subtract class means in a unit in which no square overflows; rounding becomes 0."""
    unit = np.abs(table).max()
    table = table / unit if unit > 0 else table
    each = np.bincount(classes)
    means = np.stack([np.bincount(classes, weights=row) for row in table]) / each
    centred = np.asarray(table - means[:, classes])
    largest = np.abs(table).max(axis=1, keepdims=True)
    return np.where(np.abs(centred).max(axis=1, keepdims=True) > 1e-12 * largest, centred, 0.0)


def _of_upper(names: Sequence[str | None]) -> Callable[[Any], str]:
    def named(far: Any) -> str:
        i, j = pair_counts.upper(max(len(names), 2))
        return listed(((names[a], names[b]) for a, b in zip(i, j, strict=True)), far)

    return named


def listed(pairs: Iterable[tuple[str | None, str | None]], where: Any) -> str:
    """Return the first few pairs that are meant, and how many more there are."""
    chosen = [pair for pair, meant in zip(pairs, where, strict=True) if meant]
    words = [" vs. ".join(name for name in pair if name) for pair in chosen[:NAMED]]
    more = f" and {len(chosen) - NAMED} more pairs" if len(chosen) > NAMED else ""
    return ", ".join(words) + more
