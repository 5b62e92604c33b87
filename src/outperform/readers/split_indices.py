"""The rows of splits that `cross_validate(…, return_indices=True)` returns: design and sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..designs import Design
from ..errors import DataError
from .column_names import shown

Pairs = list[tuple[Any, Any]]


def sizes(part: Mapping[str, Any]) -> dict[str, list[int]]:
    """Return the sizes of the splits of one learner, as columns; none where no rows are told."""
    pairs = _pairs(part)
    if pairs is None:
        return {}
    return {
        "n_train": [len(train) for train, _ in pairs],
        "n_test": [len(test) for _, test in pairs],
    }


def design_of(given: Mapping[str, Any]) -> Design | None:
    """Return what the splits of all learners are by their rows; refuse those that differ."""
    parts = {"": given} if "indices" in given else given
    found = {
        str(name): pairs
        for name, part in parts.items()
        if isinstance(part, Mapping) and (pairs := _pairs(part)) is not None
    }
    if not found or len(found) < len(parts):
        return None
    from ..engine.given_splits import read_given

    (first, splits), *others = found.items()
    for name, pairs in others:
        if not _same(splits, pairs):
            raise DataError(
                f"{shown(first)} and {shown(name)} have different splits, judging by their "
                "indices; learners must be compared on the same splits. Pass the same cv to "
                "cross_validate, with a random_state if it shuffles"
            )
    n = 1 + max(int(np.max(side)) for pair in splits for side in pair)
    plan = read_given(splits, None, None, None, None, n, 0)
    of: Design = getattr(plan.design, "of", plan.design)
    return of


def _pairs(part: Mapping[str, Any]) -> Pairs | None:
    """Return the (train, test) rows of each split."""
    told = part.get("indices")
    if not isinstance(told, Mapping) or not {"train", "test"} <= told.keys():
        return None
    sides = [_rows(told[side]) for side in ("train", "test")]
    if not sides[0] or len(sides[0]) != len(sides[1]):
        return None
    return list(zip(*sides, strict=True))


def _rows(side: Any) -> list[Any]:
    if not isinstance(side, Sequence | np.ndarray):
        return []
    rows = [np.asarray(each) for each in side]
    return rows if all(each.ndim == 1 and each.dtype.kind in "iu" for each in rows) else []


def _same(one: Pairs, other: Pairs) -> bool:
    return len(one) == len(other) and all(
        np.array_equal(a, b)
        for p, q in zip(one, other, strict=True)
        for a, b in zip(p, q, strict=True)
    )
