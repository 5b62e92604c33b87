"""Numbering of rows: which column, or the order of rows, tells the splits of a learner apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations

from ..columns import ADDRESS, is_progress, listed, shown
from ..designs import Design
from ..errors import DataError
from . import cells
from .cells import AXES
from .counting import is_whole
from .recognition import Reading
from .tables import Codes, Table

__all__ = ["by_row", "telling_apart", "with_seeds"]


def with_seeds(table: Table, reading: Reading, plan: Design | None) -> tuple[Reading, str]:
    """Read seeds that tell rows apart as repeats, and say so; refuse them on a single split."""
    roles = dict(reading.roles)
    seed = roles.get("seed")
    known = [*label_columns(roles), *filter(None, [roles.get("metric")])]
    if seed is None or "repeat" in roles or not table.has_doubles(known):
        return reading, ""
    addressed = bool({*ADDRESS} & roles.keys())
    if not addressed and plan is None and "dataset" not in roles:
        n = table.columns[seed].n_unique()
        raise DataError(
            f"column {shown(seed)} alone tells the scores of a learner apart: {n} seeds on one "
            "split, as far as this file says. They show how training varies, not what another "
            "split would show, so that no verdict on the learners follows. For this split alone, "
            "compare the scores of the seeds: outperform.paired_t(a, b). If every seed split the "
            f"data anew, say how: repeat={seed!r}, design='…'"
        )
    roles["repeat"] = roles.pop("seed")
    said = f"Every {shown(seed)} is taken to have split the data anew."
    return replace(reading, roles=roles), said


def label_columns(roles: Mapping[str, str]) -> list[str]:
    return [roles[axis] for axis in AXES if axis in roles]


def telling_apart(table: Table, reading: Reading, roles: Mapping[str, str]) -> str:
    """Say which column would tell rows apart that are the same cell, and as what."""
    axis = next((axis for axis in ("repeat", "fold", "partition") if axis not in roles), None)
    for name in reading.unread if axis is not None else ():
        if not table.has_doubles([*label_columns(roles), name]):
            if is_progress(name):
                return f"Keep one row for each learner and split, such as the last {shown(name)}"
            return f"If column {shown(name)} tells them apart, name it: {axis}={name!r}"
    return "Keep one"


def by_row(
    table: Table, reading: Reading, codes: list[Codes], names: list[str], said: list[str]
) -> Codes:
    """Number the splits by row where no column says which split a row is."""
    learner, dataset = codes[:2]
    numbers = cells.numbered(learner * (int(dataset.max()) + 1) + dataset)
    if not numbers.any():
        if reading.layout == "long" and len(names) > 1 and int(dataset.max()) == 0:
            raise DataError(
                f"one score came for each of {listed(names)}; the score of every split is needed, "
                "for one does not tell how much they vary. Write a row for each learner and split, "
                "such as learner,fold,score"
            )
        return numbers
    progress = [name for name in reading.unread if is_progress(name)]
    if progress and not table.has_doubles([*label_columns(reading.roles), progress[0]]):
        raise DataError(
            f"column {shown(progress[0])} alone tells the scores of a learner apart, and by its "
            "name it counts no splits; the score of every split is needed. Keep one row for each "
            f"split, and number them; if it does number the folds, say fold={progress[0]!r}"
        )
    pair = _numbering_pair(table, reading)
    if pair:
        raise DataError(
            f"columns {listed(pair)} tell the rows apart, and no other column says which split "
            f"each is. If they number the splits: repeat={pair[0]!r}, fold={pair[1]!r}"
        )
    if reading.layout == "long" and len(names) > 1:
        raise DataError(
            f"{shown(names[0])} has {int((learner == 0).sum())} rows, and no column says which "
            "split each is; scores are compared split by split, not in the order of rows. "
            + _numbering(table, reading)
        )
    said.append("No column numbers the splits: they were taken in the order of rows.")
    return numbers


def _numbering_pair(table: Table, reading: Reading) -> tuple[str, ...]:
    """Return two columns of whole numbers that tell the rows apart together, but not alone."""
    known = label_columns(reading.roles)
    whole = [n for n in reading.unread if is_whole(table.columns[n])]
    whole = [n for n in whole if table.has_doubles([*known, n]) and table.n_groups([n]) > 1]
    pairs = (pair for pair in combinations(whole, 2) if not table.has_doubles([*known, *pair]))
    return next(pairs, ())


def _numbering(table: Table, reading: Reading) -> str:
    """Say which column could be the fold, as it is the same for every learner."""
    known = label_columns(reading.roles)
    for name in reading.unread:
        n = table.columns[name].n_unique()
        groups = len(table) / n
        if n > 1 and table.n_groups(known) == groups and not table.has_doubles([*known, name]):
            return (
                f"If column {shown(name)} numbers the folds of a cross-validation, say so: "
                f"fold={name!r}, design='{n}cv'"
            )
    return "Add a fold column"
