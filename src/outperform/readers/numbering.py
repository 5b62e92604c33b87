"""What columns are for: which number the rows, which are learners, and which are neither."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from ..designs import Design, parse
from ..errors import DataError, argument
from ..numerics.exact_sums import Array
from . import split_grid
from .aggregates import (
    SURE,
    deviation_of,
    level,
    refuse_mean_split,
    several_each,
    summarises,
    without_asides,
)
from .column_names import (
    ADDRESS,
    SPLIT_LABEL,
    are_numbered,
    is_number_of_row,
    is_progress,
    is_summary,
    listed,
    lower_is_better,
    may_number_splits,
    names_items,
    role_of,
    shown,
    tokens,
)
from .parsing import (
    GLANCE,
    all_truths,
    as_numbers,
    counts_up,
    has_percent_signs,
    holds_numbers,
    holds_words,
    is_missing,
    mostly_numbers,
)
from .recognition import FileLayout, NumericColumns, turned
from .score_table import Codes, ScoreTable
from .split_grid import AXES, OF_SEEDS, numbered

if TYPE_CHECKING:
    import polars as pl


def with_seeds(
    table: ScoreTable, reading: FileLayout, plan: Design | None
) -> tuple[FileLayout, Design | None, str]:
    """Read seeds that tell rows apart as repeats, and say so; alone they are those of one split.

    A design that speaks of seeds says itself what they are, so nothing is assumed.
    """
    roles = dict(reading.roles)
    seed = roles.get("seed")
    known = [*label_columns(roles), *filter(None, [roles.get("metric")])]
    beside = plan is not None and plan.kind in OF_SEEDS and bool({*ADDRESS} & roles.keys())
    axis = "partition" if beside else "repeat"
    if seed is None or axis in roles or not table.has_doubles(known):
        return reading, plan, ""
    said = f"Assumed that every {shown(seed)} gives a new split of the data."
    if plan is not None and plan.kind in (*OF_SEEDS, "unpaired-seeds"):
        said = ""
    if not {*ADDRESS} & roles.keys() and plan is None and "dataset" not in roles:
        plan, said = _seeds_of_one_split(table, seed, roles.get("learner"))
    roles[axis] = roles.pop("seed")
    return replace(reading, roles=roles), plan, said


def _seeds_of_one_split(
    table: ScoreTable, seed: str, learner: str | None
) -> tuple[Design | None, str]:
    """Return the design of seeds alone: shared by the learners, or each with its own."""
    n = table.columns[seed].n_unique()
    other = argument(design=f"{n}xresampled@1/3")
    if n < 2:
        return None, ""
    said = (
        f"Design read as {n}seeds: column {shown(seed)} is all that distinguishes the scores of a "
        "learner, so all are assumed to come from one split. If every seed gave a new split, pass "
        f"{other}."
    )
    if learner is None or table.n_groups([learner]) < 2:
        return parse(f"{n}seeds"), said
    apart = table.n_groups([learner, seed])
    if apart > n or apart < len(table):
        return parse(f"{n}seeds"), said
    _, who = table.codes(learner, sort=False)
    most = int(np.bincount(who).max())
    said = (
        f"Design read as {most}seeds/unpaired: every learner has its own seeds (column "
        f"{shown(seed)}), assumed to share one split."
    )
    return parse(f"{most}seeds/unpaired"), said


def label_columns(roles: Mapping[str, str]) -> list[str]:
    return [roles[axis] for axis in AXES if axis in roles]


def telling_apart(table: ScoreTable, reading: FileLayout, roles: Mapping[str, str]) -> str:
    """Say which column would tell rows apart that are the same cell, and as what."""
    axes = ("repeat", "fold", "partition")
    axis = next((axis for axis in axes if axis not in roles), None)
    if reading.layout == "long" and "learner" not in roles:
        axis = "learner"
    for name in reading.unread if axis is not None else ():
        if not table.has_doubles([*label_columns(roles), name]):
            if names_items(name):
                labels = label_columns(roles)
                return (
                    f"Column {shown(name)} names items; compute the mean score of each split: "
                    f"frame.groupby({labels}, as_index=False)[{roles.get('score', 'score')!r}]"
                    ".mean().to_csv('scores.csv', index=False)"
                )
            if "inner" in tokens(name):
                return (
                    f"Column {shown(name)} numbers inner folds, which choose settings; keep the "
                    "score on the test set of every outer fold"
                )
            if is_progress(name):
                return f"Keep one row per learner and split, such as the last {shown(name)}"
            if as_numbers(table.columns[name]) is not None and not is_whole(table.columns[name]):
                return (
                    f"If column {shown(name)} is a setting of the learners, keep one value of it, "
                    "or write it into their names"
                )
            given = argument(**{str(axis): name})
            return f"If column {shown(name)} distinguishes them, pass {given}"
    return "Keep one"


def by_row(
    table: ScoreTable, reading: FileLayout, codes: list[Codes], names: list[str], said: list[str]
) -> Codes:
    """Number the splits by row where no column says which split a row is."""
    learner, dataset = codes[:2]
    numbers = split_grid.numbered(learner * (int(dataset.max()) + 1) + dataset)
    if not numbers.any():
        if reading.layout == "long" and len(names) > 1 and int(dataset.max()) == 0:
            raise DataError(
                f"there is only one score for each of {listed(names)}; the score of every split is "
                "required, because a single score does not show how much the scores vary. Write "
                "one row per learner and split, such as learner,fold,score"
            )
        return numbers
    progress = [name for name in reading.unread if is_progress(name)] + _sizes(table, reading)
    if progress and not table.has_doubles([*label_columns(reading.roles), progress[0]]):
        raise DataError(
            f"column {shown(progress[0])} is all that distinguishes the scores of a learner, and "
            "its name does not suggest splits; the score of every split is required. Keep one row "
            "per split and number the splits; if this column numbers the folds, pass "
            f"{argument(fold=progress[0])}"
        )
    pair = _numbering_pair(table, reading)
    if pair:
        raise DataError(
            f"columns {listed(pair)} distinguish the rows, and no other column identifies the "
            f"splits. If these two number the splits, pass {argument(repeat=pair[0], fold=pair[1])}"
        )
    if reading.layout == "long" and len(names) > 1:
        raise DataError(
            f"{shown(names[0])} has {int((learner == 0).sum())} rows, and no column identifies the "
            "splits; scores are compared split by split, not by row order. "
            + _numbering(table, reading)
        )
    said.append("No column numbers the splits: row order was used.")
    return numbers


def _sizes(table: ScoreTable, reading: FileLayout) -> list[str]:
    """Return the column of training sizes where they grow, as in a learning curve."""
    size = reading.roles.get("n_train")
    cells = None if size is None else as_numbers(table.columns[size])
    if size is None or cells is None or cells.null_count() == len(cells):
        return []
    low, high = (float(end) for end in (cells.min(), cells.max()))  # type: ignore[arg-type]
    return [size] if high > GROWS * low else []


def _numbering_pair(table: ScoreTable, reading: FileLayout) -> tuple[str, ...]:
    """Return two columns of whole numbers that tell the rows apart together, but not alone."""
    known = label_columns(reading.roles)
    whole = [n for n in reading.unread if is_whole(table.columns[n])]
    whole = [n for n in whole if table.has_doubles([*known, n]) and table.n_groups([n]) > 1]
    pairs = (pair for pair in combinations(whole, 2) if not table.has_doubles([*known, *pair]))
    return next(pairs, ())


def _numbering(table: ScoreTable, reading: FileLayout) -> str:
    """Say which column could be the fold, as it is the same for every learner."""
    known = label_columns(reading.roles)
    for name in (n for n in reading.unread if not names_items(n)):
        n = table.columns[name].n_unique()
        groups = len(table) / n
        if n > 1 and table.n_groups(known) == groups and not table.has_doubles([*known, name]):
            return (
                f"If column {shown(name)} numbers the folds of a cross-validation, pass "
                f"{argument(fold=name, design=f'{n}cv')}"
            )
    return "Add a fold column"


GROWS = 1.5
"""Training sets of one design differ by less."""
LABELS = ("learner", "metric", "dataset", "partition", "repeat", "fold", "seed")
MOST = 100_000
FEWEST = {"named": 2, "beside fractions": 3, "beside whole numbers": 5}
"""Rows from which on 1, 2, 3 … is no accident: whole numbers may well be scores."""


def look(table: ScoreTable, asked: Mapping[str, Any]) -> NumericColumns:
    """Find the columns that hold numbers, and of those without a known name the counting ones."""
    # A column named after a metric holds scores, though a cell of it may need to be rewritten.
    numeric = [
        name
        for name, column in table.columns.items()
        if holds_numbers(column) or (lower_is_better(name) is not None and mostly_numbers(column))
    ]
    chosen: list[str] = []
    for column in asked.values():
        chosen += [column] if isinstance(column, str) else list(column or ())
    free = [name for name in numeric if role_of(name) is None and name not in chosen]
    whole = [name for name in free if is_whole(table.columns[name])]
    named = {role: name for role, name in asked.items() if isinstance(name, str)}
    labels = [n for n in table.columns if role_of(n) in LABELS and n not in chosen]
    labels += [name for role, name in named.items() if role in LABELS and name in table.columns]
    truth = [n for n in table.columns if role_of(n) == "y_true" or n == named.get("y_true")]
    distinct = bool(truth) and bool(table.columns[truth[0]].head(GLANCE).is_unique().all())
    long = any(role_of(n) == "learner" or n == named.get("learner") for n in labels)
    counters, within = [], []
    for name in whole:
        kind = "beside fractions" if len(whole) < len(free) else "beside whole numbers"
        if truth:  # labels of many classes may number the rows by chance; few never do
            kind = "beside whole numbers" if distinct else "beside fractions"
        fewest = FEWEST["named" if is_number_of_row(name) else kind]
        if len(table) < fewest or (distinct and fewest > FEWEST["named"]):
            continue
        if len(table) > MOST and fewest == FEWEST["named"]:
            continue  # its name tells that it is no score, and so many rows are items
        apart = bool(labels) and _counts_within(table, name, labels)
        if apart or _counts(table.columns[name]):
            counters.append(name)
            splits = (apart or not labels) and may_number_splits(name, long=long)
            within += [name] if splits else []
    words = [n for n in table.columns if role_of(n) is None and n not in (*chosen, *numeric)]
    within += [n for n in words if _names_folds(table, n, labels)]
    return NumericColumns(numeric, whole, [*counters, *within], within)


def _names_folds(table: ScoreTable, name: str, labels: list[str]) -> bool:
    """Tell whether a column of text says fold 1, fold 2 … in every group of the same labels."""
    import polars as pl

    text = table.columns[name]
    if text.dtype != pl.String or not text.head(GLANCE).str.contains(SPLIT_LABEL).all():
        return False
    several = table.n_groups([*labels, name]) == len(table) > table.n_groups(labels)
    return several and table.n_groups(labels) * text.n_unique() == len(table)


def is_whole(column: pl.Series) -> bool:
    """Tell whether the first cells are whole numbers, or empty."""
    cells = as_numbers(column.head(GLANCE))
    if cells is None or not cells.dtype.is_float():
        return cells is not None
    known = cells.drop_nulls().drop_nans()
    return bool((known == known.floor()).all()) and bool(len(known))


def _counts(column: pl.Series) -> bool:
    """Tell whether a column holds 0 … n − 1 or 1 … n in any order, or counts up from row to row."""
    if not column.head(GLANCE).is_unique().all():
        return False
    cells = _integers(column)
    if cells is None:
        return False
    return _starts_at(cells.sort().to_numpy(), np.arange(len(cells))) or counts_up(cells)


def _counts_within(table: ScoreTable, name: str, labels: Collection[str]) -> bool:
    """Tell whether a column holds 0 … m − 1 or 1 … m within every group of the same labels."""
    import polars as pl

    cells = _integers(table.columns[name])
    if cells is None:
        return False
    frame = pl.DataFrame({f"{i}": table.columns[label] for i, label in enumerate(labels)})
    first = pl.col("row").min().over(frame.columns)
    group: Codes = frame.with_row_index("row").select(first.cast(pl.Int64)).to_series().to_numpy()
    if np.unique(group).size == len(table):
        return False
    order = np.lexsort((cells.to_numpy(), group))
    return _starts_at(cells.to_numpy()[order], numbered(group[order]))


def _integers(column: pl.Series) -> pl.Series | None:
    import polars as pl

    cells = as_numbers(column)
    if cells is None or cells.null_count():
        return None
    whole = cells.cast(pl.Int64, strict=False)
    return None if whole.null_count() or (whole != cells).any() else whole


def _starts_at(cells: Codes, places: Codes) -> bool:
    """Tell whether cells are the places, counted from 0 or from 1."""
    return bool(((cells - places) == (cells - places)[0]).all()) and int(cells[0]) in (0, 1)


SCALE = 30.0
"""Typical scores of learners that differ by more are on two scales, as 98.2 and 0.95 are."""
MOST_TRIED, ROUNDED = 20, 0.01
"""Columns of which each is tried as the difference of two others, and how near it is."""
IDENTIFIERS = 20
"""Rows that all have a number of their own, which is then a name of the row."""


def sorted_out(
    table: ScoreTable, reading: FileLayout, said: list[str], *, items: bool, complete: bool
) -> FileLayout:
    """Keep the columns of a wide frame that are learners; refuse what may be one, or may not.

    With `items` the frame may as well hold right and wrong answers, a row for each item. If it is
    `complete`, as summaries were left out or the design has as many splits, all rows are splits.
    """
    names = [n for n in reading.learners if not holds_words(table.columns[n])]
    words = [n for n in table.columns if n not in names and holds_words(table.columns[n])]
    words = [n for n in words if role_of(n) not in (*ADDRESS, "dataset")]
    if words and are_numbered(names):
        raise turned(words[0], names)
    if not names:
        raise _no_learners(reading.learners)
    names = without_asides(names)
    several, one_each = several_each([n for n in names if deviation_of(n) is None])
    if several:
        what = f"columns {listed(several)} may contain several metrics of the same learners; one "
        chosen = [n for n in one_each if not is_summary(n)]
        raise _refused(
            f"{what}column per learner is required",
            names,
            chosen,
            none="Choose one for each learner",
        )
    if items or reading.layout == "correct":
        right = [name for name in names if all_truths(table.columns[name].head(GLANCE))]
        rest = [n for n in names if n not in right and not _identifies(table, n)]
        if (right and not rest) or reading.layout == "correct":
            return _kept(reading, [n for n in names if n in (*right, *rest)], "correct", roles={})
        answers = [n for n in right if _is_integer(table, n)]
        if len(answers) > 1:
            what = f"columns {listed(answers)} contain 0 and 1, like correct and wrong answers"
            what += f", but {listed(rest)} {_verb(rest)} not"
            raise _refused(what, names, answers, "correct")
    values = {name: table.floats(name)[0] for name in names}
    names = _no_summaries(table, names, values)
    refuse_mixed_signs(table, names)
    _refuse_whole_numbers(table, names, values, reading)
    apart = _difference(names, values)
    if apart is not None:
        rest = [n for n in names if n != apart[0]]
        what = f"column {shown(apart[0])} is the difference of {listed(apart[1:])} in every row"
        raise _refused(what, names, rest)
    odd = other_scale([values[name] for name in names])
    if odd is not None:
        what = (
            f"column {shown(names[odd])} is on a different scale from the rest: its typical value "
            "is "
        )
        other = names[1 if odd == 0 else 0]
        what += f"{level(values[names[odd]]):.3g}, and {shown(other)} {level(values[other]):.3g}"
        what += "; all scores must be on the same scale"
        rest = [n for n in names if n != names[odd]]
        while (further := other_scale([values[n] for n in rest])) is not None:
            del rest[further]
        raise _refused(what, names, rest)
    if not {*ADDRESS} & reading.roles.keys():
        _refuse_short_count(table, names)
    # A fold that happens to be the mean of the others is labelled as a fold.
    if len(names) > 1 and not complete and not _labelled(table, reading):
        rows = np.stack([values[name] for name in names])
        keep = f"list the learners: {argument(learner=_list(names))}"
        said.append(refuse_mean_split(rows, table.place, keep))
    return _kept(reading, names, "wide", reading.roles)


def _labelled(table: ScoreTable, reading: FileLayout) -> bool:
    """Tell whether columns named for splits or datasets name every row, each differently."""
    roles = [role for role in reading.roles if role in LABELS and role != reading.counted]
    labels = [reading.roles[role] for role in roles]
    whole = not any(is_missing(table.columns[name]).any() for name in labels)
    return bool(labels) and whole and not table.has_doubles(labels)


def _difference(names: Sequence[str], values: Mapping[str, Array]) -> tuple[str, ...] | None:
    """Return a column that is the difference of two others, as far as written, and these."""
    if not 3 <= len(names) <= MOST_TRIED or len(values[names[0]]) < FEWEST["beside fractions"]:
        return None
    whole = all(bool((row == np.round(row)).all()) for row in values.values())
    for first, second in () if whole else combinations(names, 2):
        gap = np.abs(values[first] - values[second])
        for name in names:
            off = np.abs(np.abs(values[name]) - gap)
            if name not in (first, second) and gap.any() and (off <= ROUNDED * gap.max()).all():
                return name, first, second
    return None


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


def _no_learners(names: Sequence[str]) -> DataError:
    return DataError(
        f"columns {listed(names)} contain text; each learner needs a column with its scores or, "
        "for every item, 1 (correct) or 0 (wrong). If these are predicted labels, add the true "
        "labels as a column y_true"
    )


def _refused(
    what: str,
    names: Sequence[str],
    others: Sequence[str],
    layout: str = "",
    none: str = "If this column is not a learner, list the others",
) -> DataError:
    """Return the refusal of a column that may be no learner, and both ways out."""
    said = {"layout": layout} if layout else {}
    rest = f"{none}: {argument(learner=_list(others), **said)}; if" if len(others) > 1 else "If"
    both = f"every column is a learner, list them all: {argument(learner=_list(names))}"
    return DataError(f"{what}. {rest} {both}")


def _list(names: Sequence[str]) -> list[Any]:
    return list(names) if len(names) <= 20 else [..., ...]


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
                raise _refused(f"column {shown(name)} has the name of a summary", names, plain)
        elif deviation.word == "rank" and is_whole(table.columns[name]):
            continue
        elif deviation.stem and not level(values[name]) < low / 2:
            told_of = deviation.of_one_of(plain)
            sure = deviation.word != "rank" and (deviation.last or deviation.word in SURE)
            if told_of and sure:
                continue
            if told_of or (sure and deviation.last):
                what = (
                    f"column {shown(name)} has the name of a deviation or a rank, but contains "
                    "numbers "
                )
                raise _refused(f"{what}as large as scores", names, plain)
            kept.append(name)
    return kept


def refuse_mixed_signs(table: ScoreTable, names: Sequence[str]) -> None:
    """Refuse percent signs in some columns of scores but not in others."""
    percents = [name for name in names if has_percent_signs(table.columns[name])]
    other = next((name for name in names if name not in percents), None)
    if percents and other is not None:
        raise DataError(
            f"column {shown(percents[0])} contains percent signs, but {shown(other)} does not; all "
            "scores must be on the same scale. Write all scores with a percent sign, or none"
        )


def _refuse_whole_numbers(
    table: ScoreTable, names: Sequence[str], values: Mapping[str, Array], reading: FileLayout
) -> None:
    """Refuse whole numbers beside fractions, such as sizes; a perfect score of 1.0 may be one."""
    fractions = [name for name in names if not is_whole(table.columns[name])]
    shares = all(_within_one(values[name]) for name in fractions)
    for name in names if fractions else ():
        beyond = shares and not _within_one(values[name])
        if name not in fractions and (beyond or _is_integer(table, name)):
            what = f"column {shown(name)} contains whole numbers, but {listed(fractions)} "
            others = [n for n in names if n != name]
            who = _who(table, name, reading)
            if who is not None and len(fractions) == 1:
                long = argument(learner=who, fold=name, score=fractions[0])
                raise DataError(
                    f"{what}{_verb(fractions)} not. If {shown(who)} names the learners and "
                    f"{shown(name)} numbers the folds, pass {long}"
                )
            both = () if "dataset" in reading.roles else (*reading.unread, *others)
            for pair in ((o, name) for o in both if o not in fractions):
                if table.has_doubles([name]) and not table.has_doubles(pair):
                    repeat, fold = sorted(pair, key=list(table.columns).index)
                    raise DataError(
                        f"{what}{_verb(fractions)} not. If {shown(repeat)} and {shown(fold)} "
                        f"number the splits, pass {argument(repeat=repeat, fold=fold)}"
                    )
            sure = fractions if len(fractions) > 1 else others
            raise _refused(f"{what}{_verb(fractions)} not", names, sure)


def _who(table: ScoreTable, fold: str, reading: FileLayout) -> str | None:
    """Return the column of words that may name the learners: each has every number once."""
    words = [
        n
        for n, cells in table.columns.items()
        if n not in reading.roles.values() and holds_words(cells)
    ]
    words = [n for n in words if table.has_doubles([n]) and not table.has_doubles([n, fold])]
    return words[0] if len(words) == 1 else None


def _refuse_short_count(table: ScoreTable, names: Sequence[str]) -> None:
    """Refuse whole numbers of a few rows, of which one may be a score or number the rows."""
    if len(table) < 3 or not all(_is_integer(table, name) for name in names):
        return
    for name in names:
        cells = as_numbers(table.columns[name])
        if cells is not None and counts_up(cells) and cells[0] in (0, 1):
            raise DataError(
                f"column {shown(name)} may number the rows or contain scores. If it numbers the "
                f"folds, pass {argument(fold=name)}; if every column is a learner, list them: "
                f"{argument(learner=_list(names))}"
            )
