"""Columns beside the scores: which columns of a wide frame are learners, and which cannot be."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..errors import DataError
from ..numerics.exact_sums import Array
from .aggregates import (
    SURE,
    deviation_of,
    level,
    refuse_mean_row,
    several_each,
    summarises,
    without_asides,
)
from .column_names import ADDRESS, are_numbered, is_summary, listed, role_of, shown
from .numbering import is_whole
from .parsing import GLANCE, all_truths, as_numbers, counts_up, has_percent_signs, holds_words
from .recognition import FileLayout, turned
from .score_table import ScoreTable

SCALE = 30.0
"""Typical scores of learners that differ by more are on two scales, as 98.2 and 0.95 are."""
SPLIT = re.compile(r"split\d+_test_")
"""Columns of scikit-learn's cv_results_."""
IDENTIFIERS = 20
"""Rows that all have a number of their own, which is then a name of the row."""


def sorted_out(table: ScoreTable, reading: FileLayout, *, items: bool) -> FileLayout:
    """Keep the columns of a wide frame that are learners; refuse what may be one, or may not.

    With `items` the frame may as well hold right and wrong answers, a row for each item.
    """
    names = [n for n in reading.learners if not holds_words(table.columns[n])]
    words = [n for n in table.columns if n not in names and holds_words(table.columns[n])]
    words = [n for n in words if role_of(n) not in (*ADDRESS, "dataset")]
    if words and are_numbered(names):
        raise turned(words[0], names)
    splits = [n for n in names if SPLIT.match(n)]
    if not names or len({n.partition("_")[0] for n in splits}) > 1:
        raise _no_learners(reading.learners, splits)
    names = without_asides(names)
    several, one_each = several_each([n for n in names if deviation_of(n) is None])
    if several:
        what = f"columns {listed(several)} may hold several measures of the same learners; one "
        chosen = [n for n in one_each if not is_summary(n)]
        raise _refused(f"{what}column for each is needed", names, chosen, none="Choose one each")
    if items or reading.layout == "correct":
        right = [name for name in names if all_truths(table.columns[name].head(GLANCE))]
        rest = [n for n in names if n not in right and not _identifies(table, n)]
        if (right and not rest) or reading.layout == "correct":
            return _kept(reading, [n for n in names if n in (*right, *rest)], "correct", roles={})
        answers = [n for n in right if _is_integer(table, n)]
        if len(answers) > 1:
            what = f"columns {listed(answers)} hold 0 and 1, as right and wrong answers do"
            what += f", but {listed(rest)} {_verb(rest)} not"
            raise _refused(what, names, answers, "correct")
    values = {name: table.floats(name)[0] for name in names}
    names = _no_summaries(table, names, values)
    refuse_mixed_signs(table, names)
    _refuse_whole_numbers(table, names, values, reading.unread)
    odd = other_scale([values[name] for name in names])
    if odd is not None:
        what = f"column {shown(names[odd])} is on another scale than the rest: it is typically "
        other = names[1 if odd == 0 else 0]
        what += f"{level(values[names[odd]]):.3g}, and {shown(other)} {level(values[other]):.3g}"
        what += "; scores on one scale are needed"
        rest = [n for n in names if n != names[odd]]
        while (further := other_scale([values[n] for n in rest])) is not None:
            del rest[further]
        raise _refused(what, names, rest)
    if not {*ADDRESS} & reading.roles.keys():
        _refuse_short_count(table, names)
    if len(names) > 1:
        rows = np.stack([values[name] for name in names])
        numbered = bool({*ADDRESS} & reading.roles.keys())
        refuse_mean_row(table, rows, f"learner={_list(names)}", numbered=numbered)
    return _kept(reading, names, "wide", reading.roles)


def other_scale(rows: Sequence[Array]) -> int | None:
    """Return the row whose typical score is on another scale than that of the others, if any."""
    if len(rows) < 2:
        return None
    levels = np.log([level(row) for row in rows])
    known = np.isfinite(levels)
    if known.sum() < 2 or np.ptp(levels[known]) <= np.log(SCALE):
        return None
    return int(np.where(known, np.abs(levels - np.median(levels[known])), -1).argmax())


def _kept(
    reading: FileLayout, names: Sequence[str], layout: str, roles: dict[str, str]
) -> FileLayout:
    dropped = [n for n in reading.learners if n not in names]
    freed = [n for n in reading.roles.values() if n not in roles.values()]
    unread = (*reading.unread, *freed, *dropped)
    return replace(reading, learners=tuple(names), layout=layout, roles=roles, unread=unread)


def _no_learners(names: Sequence[str], splits: Sequence[str]) -> DataError:
    if splits:
        metrics = list(dict.fromkeys(SPLIT.sub("", name) for name in splits))
        one = f"{re.escape(metrics[0])}$" if len(metrics) > 1 else ""
        return DataError(
            "the rows are candidates of a search and the columns its splits, as in cv_results_; a "
            "row for each split and a column for each candidate are needed. Turn the table: frame"
            f".set_index('params').filter(regex='^split[0-9]+_test_{one}').T"
            ".to_csv('scores.csv', index=False). The best candidate was chosen by these scores, so "
            "that they flatter it"
        )
    return DataError(
        f"columns {listed(names)} hold words; a column for each learner is needed, with its scores "
        "or, for every item, 1 (right) or 0 (wrong). If they are predicted labels, add the true "
        "ones as a column y_true"
    )


def _refused(
    what: str,
    names: Sequence[str],
    others: Sequence[str],
    layout: str = "",
    none: str = "If that is no learner, list the others",
) -> DataError:
    """Return the refusal of a column that may be no learner, and both ways out."""
    said = f", layout={layout!r}" if layout else ""
    rest = f"{none}: learner={_list(others)}{said}; if" if len(others) > 1 else "If"
    both = f"every one is a learner, list them all: learner={_list(names)}"
    return DataError(f"{what}. {rest} {both}")


def _list(names: Sequence[str]) -> str:
    return str(list(names)) if len(names) <= 20 else "['…', '…']"


def _verb(names: Sequence[str]) -> str:
    return "does" if len(names) == 1 else "do"


def _within_one(row: Array) -> bool:
    return bool((np.abs(row[np.isfinite(row)]) <= 1).all())


def _is_integer(table: ScoreTable, name: str) -> bool:
    cells = as_numbers(table.columns[name].head(GLANCE))
    return cells is not None and cells.dtype.is_integer()


def _identifies(table: ScoreTable, name: str) -> bool:
    cells = table.columns[name].head(GLANCE)
    return len(cells) >= IDENTIFIERS and is_whole(cells) and bool(cells.is_unique().all())


def _no_summaries(table: ScoreTable, names: list[str], values: dict[str, Array]) -> list[str]:
    """Leave out deviations, ranks and summaries of the other columns, told by name and value."""
    told = {name: deviation_of(name) for name in names}
    plain = [n for n in names if told[n] is None and not is_summary(n)]
    if not plain:
        return names
    low = min(filter(np.isfinite, (level(values[n]) for n in plain)), default=0.0)
    kept = []
    for name in names:
        deviation = told[name]
        if name in plain:
            kept.append(name)
        elif deviation is None:
            others = np.stack([values[n] for n in plain])
            if len(plain) < 2 or not summarises(name, values[name], others):
                raise _refused(f"column {shown(name)} is named as a summary", names, plain)
        elif deviation.word == "rank" and is_whole(table.columns[name]):
            continue
        elif deviation.stem and not level(values[name]) < low / 2:
            told_of = deviation.of_one_of(plain)
            sure = deviation.word != "rank" and (deviation.last or deviation.word in SURE)
            if told_of and sure:
                continue
            if told_of or (sure and deviation.last):
                what = f"column {shown(name)} is named as a deviation or a rank, but holds numbers "
                raise _refused(f"{what}as large as scores", names, plain)
            kept.append(name)
    return kept


def refuse_mixed_signs(table: ScoreTable, names: Sequence[str]) -> None:
    """Refuse percent signs in some columns of scores but not in others."""
    percents = [name for name in names if has_percent_signs(table.columns[name])]
    other = next((name for name in names if name not in percents), None)
    if percents and other is not None:
        raise DataError(
            f"column {shown(percents[0])} holds percent signs, but {shown(other)} does not; scores "
            "on one scale are needed. Write every score with a percent sign, or none"
        )


def _refuse_whole_numbers(
    table: ScoreTable, names: Sequence[str], values: Mapping[str, Array], unread: Sequence[str]
) -> None:
    """Refuse whole numbers beside fractions, such as sizes; a perfect score of 1.0 may be one."""
    fractions = [name for name in names if not is_whole(table.columns[name])]
    shares = all(_within_one(values[name]) for name in fractions)
    for name in names if fractions else ():
        beyond = shares and not _within_one(values[name])
        if name not in fractions and (beyond or _is_integer(table, name)):
            what = f"column {shown(name)} holds whole numbers, but {listed(fractions)} "
            others = [n for n in names if n != name]
            for pair in ((o, name) for o in (*unread, *others) if o not in fractions):
                if table.has_doubles([name]) and not table.has_doubles(pair):
                    repeat, fold = sorted(pair, key=list(table.columns).index)
                    raise DataError(
                        f"{what}{_verb(fractions)} not. If {shown(repeat)} and {shown(fold)} "
                        f"number the splits, say so: repeat={repeat!r}, fold={fold!r}"
                    )
            sure = fractions if len(fractions) > 1 else others
            raise _refused(f"{what}{_verb(fractions)} not", names, sure)


def _refuse_short_count(table: ScoreTable, names: Sequence[str]) -> None:
    """Refuse whole numbers of a few rows, of which one may be a score or number the rows."""
    if len(table) < 3 or not all(_is_integer(table, name) for name in names):
        return
    for name in names:
        cells = as_numbers(table.columns[name])
        if cells is not None and counts_up(cells) and cells[0] in (0, 1):
            raise DataError(
                f"column {shown(name)} may count the rows or hold scores. If it numbers the folds: "
                f"fold={name!r}; if every column is a learner, list them: learner={_list(names)}"
            )
