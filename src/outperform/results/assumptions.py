"""Assumptions that the scores of a comparison strain: a note for each, saying where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..notes import Note
from ..procedures.five_by_two_t import small_note, wild_note
from ..procedures.mcnemar import FEW, is_few
from ..scores.split_scores import Scores
from ..views import Contingency, item_order, over_seeds

if TYPE_CHECKING:
    from .comparison import Comparison
from .robustness import is_small
from .stress import ALPHA, LUCK, luck

AT_ALPHA = ("OP307", "OP308", LUCK)


def strains(comparison: Comparison, y: Any = None) -> tuple[Note, ...]:
    """Return a note for each assumption that these scores strain, saying where.

    `y`, where it is known, keeps items that are merely sorted by class from looking correlated.
    """
    scores = comparison.scores
    if scores is None or len(set(scores.datasets or ())) > 1:
        return ()  # splits of several datasets share no assumption
    found = [*_small_tests(comparison, scores), *_wild_rates(comparison, scores)]
    found += [*_few_discordant(comparison), *_neighbours(comparison, scores, y)]
    return (*found, *_partition_decides(comparison, ALPHA), *luck(comparison))


def notes_at(comparison: Comparison, notes: Iterable[Note], alpha: float) -> tuple[Note, ...]:
    """Return notes of a comparison, or of one of its pairs, with those of single runs made at α."""
    if alpha == ALPHA or comparison.scores is None:
        return tuple(notes)
    kept = [note for note in notes if note.code not in AT_ALPHA]
    return (*kept, *_partition_decides(comparison, alpha), *luck(comparison, alpha))


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
    yield from item_order.neighbours(
        item_order.by_item(items, y),
        *comparison.pairs,
        lambda far: named(comparison, far),
        classes_known=y is not None,
        all_pairs=comparison.control is None,
    )


def _moderate(scores: Scores) -> bool:
    """Tell whether there are few losses; of more, only methods of items read the first ones."""
    most = item_order.MOST
    return scores.n_test is not None and len(scores.names) * scores.n_test.sum() <= most


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
    return item_order.listed(comparison.pair_names, where)
