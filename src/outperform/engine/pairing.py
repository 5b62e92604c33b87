"""Pairing: items, targets and groups go together by position; labels that disagree are refused."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

from .. import inputs
from ..errors import DataError
from ..notes import Note

__all__ = ["check_pairing"]


def check_pairing(parts: Mapping[str, Any]) -> list[Note]:
    """Refuse parts of one length whose row labels (as in pandas) differ; nothing is ever moved.

    A default index 0…n−1 says nothing beside labels of another kind. Where both share labels,
    nobody can tell whether rows were moved or dropped, or the index was made anew.
    """
    labelled = {
        name: part.index
        for name, part in parts.items()
        if hasattr(part, "reindex") and hasattr(part, "index")
    }
    notes = []
    for (first, labels), (second, others) in combinations(labelled.items(), 2):
        if labels.equals(others):
            continue
        seen, known = set(labels), set(others)
        counted = inputs.counts_rows(labels) or inputs.counts_rows(others)
        if not counted or seen & known:
            can_look_up = others.is_unique and seen <= known
            raise DataError(_differ(first, labels, second, others, can_look_up=can_look_up))
        notes.append(
            Note("OP001", f"{first} and {second} are paired by position: of their row labels, one "
                 "set is the default 0, 1, 2, …")
        )  # fmt: skip
    return notes


def _differ(first: str, labels: Any, second: str, others: Any, *, can_look_up: bool) -> str:
    one, other = (list(map(repr, index)) for index in (labels, others))  # missing labels, too
    at = next((at for at, pair in enumerate(zip(one, other, strict=True)) if len(set(pair)) > 1), 0)
    moved = sorted(one) == sorted(other)
    what = "the same row labels in a different order" if moved else "different row labels"
    way = f", or {second}.loc[{first}.index] to pair them by label" if can_look_up else ""
    return (
        f"{first} and {second} carry {what}: at position {at} {first} has {one[at]} and {second} "
        f"has {other[at]}. Rows are paired by position, as in scikit-learn. Pass "
        f"{second}.to_numpy() if both are in the same order{way}"
    )
