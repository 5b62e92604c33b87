"""Assumptions that the scores of a comparison strain: a note for each, saying where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..notes import Note
from ..numerics.distributions import Normal
from ..numerics.exact_sums import Array
from ..procedures.five_by_two_t import FEWEST, small_note, wild_note
from ..procedures.mcnemar import FEW, is_few
from ..scores.item_losses import AnyItems
from ..scores.split_scores import Scores
from ..views import Contingency, over_seeds

if TYPE_CHECKING:
    from .comparison import Comparison
from .robustness import is_small

ALPHA = 0.05
"""Where notes are made at; `notes_at` makes those of AT_ALPHA at another."""
AT_ALPHA = ("OP307", "OP308")
CHANCE = 0.001
"""The chance, over the family, that independent items are called autocorrelated."""
MOST = 500_000
"""Losses looked at for autocorrelation; beyond, only where the method reads items anyway."""
FIRST = 500_000
"""Of more than MOST losses, those of the first items that are looked at: enough to see r = .01."""
NAMED = 3


def strains(comparison: Comparison, y: Any = None) -> tuple[Note, ...]:
    """Return a note for each assumption that these scores strain, saying where.

    `y`, where it is known, keeps items that are merely sorted by class from looking correlated.
    """
    scores = comparison.scores
    if scores is None or len(set(scores.datasets or ())) > 1:
        return ()  # splits of several datasets share no assumption
    found = [*_small_tests(comparison, scores), *_wild_rates(comparison, scores)]
    found += [*_few_discordant(comparison), *_neighbours(comparison, scores, y)]
    return (*found, *_partition_decides(comparison, ALPHA))


def notes_at(comparison: Comparison, notes: Iterable[Note], alpha: float) -> tuple[Note, ...]:
    """Return notes of a comparison, or of one of its pairs, with those of single runs made at α."""
    if alpha == ALPHA or comparison.scores is None:
        return tuple(notes)
    kept = [note for note in notes if note.code not in AT_ALPHA]
    return (*kept, *_partition_decides(comparison, alpha))


def _small_tests(comparison: Comparison, scores: Scores) -> Iterator[Note]:
    """Flag test sets of fewer than 30 items (D-24); leave-one-out is judged by all its items."""
    if scores.n_test is None or len(set(scores.datasets or ())) > 1:
        return
    alone = comparison.design is not None and comparison.design.kind == "leave-one-out"
    yield from small_note(float(scores.n_test.sum() if alone else scores.n_test.min()))


def _wild_rates(comparison: Comparison, scores: Scores) -> Iterator[Note]:
    """Flag learners whose rates differ by more than .3 between replications of 2-fold (D-53)."""
    if comparison.design is None or comparison.design.kind != "repeated-2fold" or scores.n_missing:
        return
    for name, row in zip(scores.names, scores.values, strict=True):
        yield from wild_note(row, name)


def _few_discordant(comparison: Comparison) -> Iterator[Note]:
    """Point to the exact test where few items decide (F-17)."""
    if not isinstance(comparison.view, Contingency):
        return
    few = is_few(comparison.view)
    if few.any():
        yield Note(
            "OP104",
            f"At most {FEW} discordant items decide on {named(comparison, few)}; all_pairs(scores,"
            ' variant="exact") is safer.',
        )


def _neighbours(comparison: Comparison, scores: Scores, y: Any) -> Iterator[Note]:
    """Flag loss differences that are autocorrelated in the order of the items (F-13)."""
    allowed_for = over_seeds(scores) or comparison.method.view.in_order
    items = None if allowed_for else scores.items
    reads = comparison.method.view.of_items
    if items is None or not (reads or _moderate(scores)):
        return
    table = _by_item(_first_items(items), y)
    n = table.shape[1]
    if n < FEWEST:
        return
    i, j = comparison.pairs
    if comparison.control is None:
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
    if far.any():
        order = "if their order is time or place, trust p-values less"
        if y is None:
            order += "; if they are sorted by class, that may be why"
        yield Note(
            "OP309",
            f"Loss differences of neighbouring items are correlated (lag 1: {r.max():.2f}) for "
            f"{named(comparison, far)}; {order}.",
        )


def _moderate(scores: Scores) -> bool:
    return scores.n_test is not None and len(scores.names) * scores.n_test.sum() <= MOST


def _first_items(items: AnyItems) -> AnyItems:
    """Return the losses of the first items, as many as are looked at: neighbours stay together."""
    learners, entries = items.shape
    return items if entries <= MOST // learners else items.first(FIRST // learners)


def _by_item(items: AnyItems, y: Any) -> Array:
    """Return centred mean losses (learners, items) in the order of the items."""
    _, place = np.unique(items.item, return_inverse=True)
    times = np.bincount(place)
    table = np.stack([np.bincount(place, weights=row) for row in items.values]) / times
    classes = np.zeros(times.size, dtype=np.int64)
    labels = None if y is None else np.asarray(y)
    if labels is not None and labels.ndim == 1 and items.item.max() < labels.size:
        _, codes = np.unique(labels[np.unique(items.item)].astype(str), return_inverse=True)
        # A target with as many values as items is no class: its means would take all variance.
        classes = codes if codes.max() + 1 <= times.size // 2 else classes
    each = np.bincount(classes)
    means = np.stack([np.bincount(classes, weights=row) for row in table]) / each
    return np.asarray(table - means[:, classes])


def _partition_decides(comparison: Comparison, alpha: float) -> Iterator[Note]:
    """Flag pairs on which single repeats or partitions disagree (B-12, B-13), or too few (B-17)."""
    found = comparison.robustness(alpha) if is_small(comparison) else ()
    if not found:
        return
    split = np.array([one.depends_on_partition for one in found])
    unit = found[0].unit
    if split.any():
        yield Note(
            "OP308",
            f"Single {unit}s do not agree on {named(comparison, split)} (α = {alpha:g}).",
        )
    if unit != "partition":
        return
    enough = [one.sufficiency for one in found]
    needed = np.array([0 if one is None else one.still_needed or 0 for one in enough])
    open_ = np.array([one is not None and not one.sufficient for one in enough]) & (needed > 0)
    if open_.any():
        most = needed[open_].max()
        yield Note(
            "OP307",
            f"{most} more partitions are needed before the verdict on "
            f"{named(comparison, open_)} is secure (α = {alpha:g}).",
        )


def named(comparison: Comparison, where: Any) -> str:
    """Return the first few pairs that are meant, and how many more there are."""
    chosen = [pair for pair, meant in zip(comparison.pair_names, where, strict=True) if meant]
    words = [" vs. ".join(pair) for pair in chosen[:NAMED]]
    more = f" and {len(chosen) - NAMED} more pairs" if len(chosen) > NAMED else ""
    return ", ".join(words) + more
