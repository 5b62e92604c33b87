"""Rows become Scores: by learner, dataset and address, or by item where answers were logged."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import validation
from ..designs import Design, parse
from ..errors import DataError, alike, argument, counted, either
from ..notes import Note
from ..numerics.exact_sums import Array
from ..scores.benchmark import Benchmark
from ..scores.split_scores import SPARED, Scores, fewer, has_holes
from . import split_grid
from .aggregates import derived
from .column_names import (
    ADDRESS,
    item_columns,
    listed,
    may_be_truth,
    may_number_splits,
    names_items,
    names_split,
    normal,
    role_of,
    shown,
)
from .numbering import by_row, other_scale, telling_apart
from .parsing import all_truths, as_truths, holds_words, is_missing
from .recognition import FileLayout
from .score_table import Codes, ScoreTable
from .split_grid import AXES, MOST_COUNTED

SIDES = {"train", "test", "val", "valid", "validation", "dev"}
NAMED = 5
FEWEST_NAMED = 10
"""Rows from which on words that all differ name items: no model predicts as many classes once."""


def _remedy() -> str:
    given = argument(drop_incomplete=True)
    return f"Run that split again, or drop it for every learner: {given}"


def measured(
    table: ScoreTable,
    reading: FileLayout,
    plan: Design | None,
    numbers: Mapping[str, Any],
    said: list[str],
    *,
    drop: bool,
    missing: str | None = None,
) -> Scores:
    """Put the cells in order: by learner, dataset, partition, repeat and fold.

    What was inferred is added to what was `said`. With `drop`, splits that lack a score of some
    learner are left out for all. Of several datasets each may have splits of its own, and
    `missing` says what becomes of those on which some learner has no score.
    """
    table.check_scores(reading.learners)
    roles = reading.roles
    many = "dataset" in roles and table.columns[roles["dataset"]].n_unique() > 1
    names, values, learner, rows = _cells(table, reading, said, gaps=drop or many)
    labels, codes = [names], [learner]
    for role in AXES[1:]:
        found = [""], np.zeros(len(table), dtype=np.int64)
        if role in roles:
            found = table.codes(roles[role], sort=role != "dataset")
            _check_labels(found[0], role, roles[role])
        labels.append(found[0])
        codes.append(found[1][rows])
    if not {*ADDRESS} & roles.keys():
        codes[4] = by_row(table, reading, codes, names, said)
        labels[4] = [str(i) for i in range(int(codes[4].max()) + 1)]
    place = np.stack(codes)
    order = split_grid.in_order(
        place,
        tuple(labels),
        lambda cell: table.place(int(rows[cell])),
        lambda: telling_apart(table, reading, roles),
    )
    notes: tuple[Note, ...] = ()
    halved = None if plan or many or drop else split_grid.halved(place, tuple(labels))
    if drop:
        whole, lacking = split_grid.whole_splits(place[:, ~np.isnan(values)], tuple(labels))
        order = order[whole[split_grid.split_of(place, tuple(labels))[order]]]
        notes = _dropped(lacking, whole, plan)
    elif not many:
        split_grid.refuse_gaps(place, tuple(labels), plan or halved)
    cells = order.reshape(len(names), -1) if drop or not many else None
    if cells is None:  # each dataset may have splits of its own
        cells = split_grid.with_gaps(place[:, order], tuple(labels), order)
    there = cells >= 0
    # One row of splits for each learner; a missing cell is known by another learner's.
    filled = np.where(there, cells, cells.max(axis=0))
    split = filled[0]
    n_train, n_test = (
        _size(table, role, roles.get(role), numbers[role], rows[filled])
        for role in ("n_train", "n_test")
    )
    if halved is not None:
        if not split_grid.sized_as_halves(place[2, split], n_train, n_test):
            split_grid.refuse_gaps(place, tuple(labels), None)
        plan = halved
        said.append(f"Design read as {plan}: partition 0 is all data, the others have two sides.")
    addresses = place[2:, split].T
    grid = len(labels[2]), len(labels[3]), len(labels[4])
    several = len(np.unique(place[1, split])) > 1
    if plan is not None:
        planned = split_grid.planned_addresses(plan, grid)
        at = None if has_holes(plan) else np.ravel_multi_index(tuple(place[2:, split]), grid)
        addresses = np.tile(planned, (len(labels[1]), 1)) if at is None else planned[at]
    elif several:
        text, sentence = split_grid.design_of_each(place[:, split], n_train, n_test)
        plan = None if text is None else parse(text)
        said.append(sentence)
    else:
        named = "fold" in reading.given or "fold" in normal(roles.get("fold", ""))
        counted = reading.counted == "fold"
        text, sentence = split_grid.inferred_design(
            grid, n_train, n_test, folds_named=named, counted=counted
        )
        plan = None if text is None else parse(text)
        said += [sentence] if sentence else []
    full_grid = grid if notes and not several and plan is None else None
    if notes and not several and plan is not None:
        plan, addresses = fewer(plan, addresses)
    if "dataset" in roles and not several:
        said.append(f"All scores are for dataset {shown(labels[1][int(place[1, split[0]])])}.")
    scores = Scores(
        learner_names(names, said),
        np.where(there, values[filled], np.nan),
        addresses,
        n_train,
        n_test,
        design=plan,
        datasets=tuple(labels[1][code] for code in place[1, split]) if several else None,
        seed=_seed(table, roles.get("seed"), numbers["seed"], said),
        notes=notes,
        full_grid=full_grid,
        families=_families(table, roles.get("family"), place[1], rows, split) if several else None,
    )
    scores = _judged_alike(scores, reading, said)
    if several and missing != "keep":
        scores = Benchmark.of(scores).to_scores(missing)
    return scores


def _families(
    table: ScoreTable, column: str | None, dataset: Codes, rows: Codes, split: Codes
) -> tuple[str, ...] | None:
    """Return the family of the dataset of each split; a dataset belongs to one."""
    if column is None:
        return None
    labels, codes = table.codes(column, sort=False)
    pairs = np.unique(np.stack([dataset, codes[rows]]), axis=1)
    twice = pairs[0][1:][np.diff(pairs[0]) == 0]
    if twice.size:
        row = int(np.flatnonzero(dataset == twice[0])[0])
        raise DataError(
            f"{table.place(int(rows[row]))} is of a dataset that column {shown(column)} puts into "
            "several families; a dataset belongs to one. Correct the column"
        )
    return tuple(labels[code] for code in codes[rows][split])


def own_seeds(
    table: ScoreTable, reading: FileLayout, plan: Design | None, said: list[str]
) -> Scores:
    """Return the scores of learners that have seeds of their own, as many as each has."""
    names, values, learner, _ = _cells(table, reading, said, gaps=False)
    named = learner_names(names, said)
    return Scores.from_arrays(
        {name: values[learner == code] for code, name in enumerate(named)},
        design=plan,
        lower_is_better=False,  # the direction is said where the metric is known
    )


def learner_names(names: list[str], said: list[str]) -> tuple[str, ...]:
    """Return the learners, none of them blank; those that look the same are spelt out."""
    twins = alike(names)
    if twins is not None:
        first, second = map(ascii, twins)
        said.append(f"Learners {first} and {second} look the same but are different names.")
    return validation.learner_names(names, len(names))


def _cells(
    table: ScoreTable, reading: FileLayout, said: list[str], *, gaps: bool
) -> tuple[list[str], Array, Codes, Codes]:
    """Return the learners, and of each cell its score, its learner and its row."""
    roles, n = reading.roles, len(table)
    if reading.layout != "long":
        others = argument(learner=[..., ...])
        hint = f"{_remedy()}; if this column is not a learner, list those that are: {others}"
        names = list(reading.learners)
        values = np.concatenate([table.numbers(name, hint, gaps=gaps) for name in names])
        return names, values, np.repeat(np.arange(len(names)), n), np.tile(np.arange(n), len(names))
    values = table.numbers(roles["score"], _remedy(), gaps=gaps)
    if "learner" not in roles:
        said.append("No column names learners: all scores were assigned to one, 'learner'.")
        return ["learner"], values, np.zeros(n, dtype=np.int64), np.arange(n)
    names, learner = table.codes(roles["learner"], sort=False)
    return names, values, learner, np.arange(n)


def _dropped(
    lacking: list[str], whole: npt.NDArray[np.bool_], plan: Design | None
) -> tuple[Note, ...]:
    """Say which splits were left out, if any; refuse where what is left is no design."""
    if not lacking:
        return ()
    left = int(whole.sum())
    lack, were = ("lacks", "was") if len(lacking) == 1 else ("lack", "were")
    what = f"{len(lacking)} of {whole.size} splits {lack} a score for some learner"
    if left < 2:
        raise DataError(
            f"{what}, which leaves {left}; at least 2 are required. Run the missing splits"
        )
    if plan is not None and plan.kind not in SPARED:
        raise DataError(f"{what}, and {plan} needs every split. Run the missing splits")
    more = ", …" if len(lacking) > NAMED else ""
    return (
        Note("OP006", f"{what} and {were} left out for all: {', '.join(lacking[:NAMED])}{more}."),
    )


def _judged_alike(scores: Scores, reading: FileLayout, said: list[str]) -> Scores:
    """Leave out learners that only summarise the others; say where two scales are compared."""
    out = derived(scores.names, scores.values) if reading.layout == "long" else []
    if out:
        said.append(f"Columns left out because they summarise the learners: {listed(out)}.")
        kept = [i for i, name in enumerate(scores.names) if name not in out]
        names = tuple(scores.names[i] for i in kept)
        scores = replace(scores, names=names, values=scores.values[kept])
    odd = other_scale(list(scores.values))
    if odd is None:
        return scores
    note = Note(
        "OP007", f"Scores of {shown(scores.names[odd])} are on a different scale from the rest."
    )
    return replace(scores, notes=(*scores.notes, note))


def _check_labels(labels: list[str], role: str, column: str) -> None:
    if role in ADDRESS and {label.casefold() for label in labels} <= SIDES:
        raise DataError(
            f"column {shown(column)} contains {listed(labels)}, the two parts of a split; it must "
            "identify each split. Keep the test scores, and pass the column that identifies the "
            f"split: {argument(fold=...)}"
        )
    words = [label for label in labels if not label.removeprefix("-").isdecimal()]
    if role in ADDRESS and words and len(labels) - len(words) > 1:
        raise DataError(
            f"column {shown(column)} numbers the {role}s, but also contains {listed(words)}; every "
            f"row needs the number of its {role}. Remove those rows, or number them"
        )


def _size(
    table: ScoreTable, role: str, column: str | None, number: Any, rows: Codes
) -> Array | None:
    """Return the sizes of each split, from a column or one number for all; learners must agree."""
    if column is None:
        given = None if number is None else validation.counts(number, role)
        return None if given is None else np.full(rows.shape[1], float(given))
    sizes = table.numbers(column, "Write the number of items", whole=True)[rows]
    differ = (sizes != sizes[0]).any(axis=0)
    if differ.any():
        split = int(differ.argmax())
        other = int((sizes[:, split] != sizes[0, split]).argmax())
        raise DataError(
            f"{table.place(int(rows[0, split]))} and {table.place(int(rows[other, split]))} are "
            f"the same split, but column {shown(column)} contains {sizes[0, split]:g} and "
            f"{sizes[other, split]:g}; learners must be compared on the same splits. Check the file"
        )
    return np.asarray(sizes[0])


def _seed(table: ScoreTable, column: str | None, number: Any, said: list[str]) -> int | None:
    if column is None:
        return None if number is None else int(number)
    labels, _ = table.codes(column, sort=True)
    if len(labels) == 1 and labels[0].isdecimal():
        return int(labels[0])
    said.append(f"Column {shown(column)} contains {len(labels)} different seeds; none was kept.")
    return None


LOOKED_AT = 1_000_000
"""Predictions looked at: of larger files, those of the first items."""
ITEMS_NAMED = 3
MOST_CLASSES = 20


def item_column(table: ScoreTable, reading: FileLayout) -> str | None:
    """Return the column of a long frame that names the items of a test set, if no split is told."""
    roles, counted = reading.roles, reading.roles.get("fold") if reading.counted else None
    if reading.layout != "long" or "learner" not in roles:
        return None
    if {*ADDRESS, "seed"} & roles.keys() - ({"fold"} if counted else set()):
        return None
    known = [roles[role] for role in ("learner", "dataset", "metric") if role in roles]
    for name in item_columns((counted or "", *reading.unread)):
        few = table.columns[name].n_unique() <= MOST_COUNTED and name == counted
        if few and not all_truths(table.columns[roles["score"]]):
            continue  # so few may well be the folds
        if names_split(table.columns[name][0]):
            continue
        if table.has_doubles(known) and table.has_doubles([name]):
            return name
    return None


def as_items(table: ScoreTable, reading: FileLayout, said: list[str]) -> FileLayout:
    """Read a wide frame whose rows are named as items, but not as splits, as one of items."""
    if reading.layout != "wide" or {*ADDRESS} & reading.roles.keys() or len(reading.learners) < 2:
        return reading
    for name in filter(names_items, reading.unread):
        if not may_number_splits(name, long=True) and not table.has_doubles([name]):
            truth = next(filter(may_be_truth, reading.learners), None)
            if truth is not None:
                raise DataError(
                    f"column {shown(name)} names items, and column {shown(truth)} may contain "
                    f"their true labels. If so, pass {argument(y_true=truth)}; if not, rename the "
                    "column"
                )
            splits = argument(design=f"{len(table)}xresampled@1/3")
            said.append(
                f"Column {shown(name)} names items; if every row is a split, pass the design: "
                f"{splits}."
            )
            return replace(reading, layout="items")
    return reading


def without_words(table: ScoreTable, reading: FileLayout) -> FileLayout:
    """Leave out columns that hold words or name the items: no learner's numbers."""
    kept = tuple(
        n for n in reading.learners if not names_items(n) and not holds_words(table.columns[n])
    )
    left_out = (*reading.unread, *(n for n in reading.learners if n not in kept))
    return replace(reading, learners=kept, unread=left_out) if kept else reading


def without_ids(table: ScoreTable, reading: FileLayout) -> FileLayout:
    """Leave out words that name items, for no row has a true label, and numbers beside words."""
    truth = table.columns[reading.roles["y_true"]]
    n = len(table)

    def is_id(name: str) -> bool:
        cells = table.columns[name]
        if n < FEWEST_NAMED or not holds_words(cells) or cells.n_unique() < n:
            return False
        return cells.dtype != truth.dtype or not cells.is_in(truth.unique().implode()).any()

    words = [name for name in reading.learners if holds_words(table.columns[name])]
    if not holds_words(truth) or len([n for n in words if not is_id(n)]) < 2:
        _refuse_kinds(reading)
        words = list(reading.learners)  # of labels that are words, numbers are no predictions
    ids = tuple(name for name in reading.learners if is_id(name) or name not in words)
    kept = tuple(name for name in reading.learners if name not in ids)
    return replace(reading, learners=kept, unread=(*reading.unread, *ids)) if kept else reading


def _refuse_kinds(reading: FileLayout) -> None:
    """Refuse the label and the probability of one model side by side: they are no two learners."""
    kinds: dict[bool, dict[str, str]] = {True: {}, False: {}}
    for name in reading.learners:
        who, _, kind = name.replace(" ", "_").rpartition("_")
        if who and kind.casefold() in ("pred", "prediction", "label", "prob", "proba"):
            kinds[kind.casefold().startswith("prob")][who] = name
    both = [who for who in kinds[True] if who in kinds[False]]
    if both:
        first = both[0]
        raise DataError(
            f"columns {listed([kinds[False][first], kinds[True][first]])} are the label and the "
            f"probability predicted by one model. List one kind of column: "
            f"{argument(learner=[*kinds[True].values()])} or "
            f"{argument(learner=[*kinds[False].values()])}"
        )


def answers_apart(
    table: ScoreTable,
    reading: FileLayout,
    item: str,
    said: list[str],
    *,
    drop: bool,
    wrong: bool,
) -> tuple[ScoreTable, FileLayout, str]:
    """Give each learner a column of right and wrong answers, a row for each item.

    With `wrong`, 1 says that an answer was wrong. What was dropped is returned too.
    """
    learner, score = reading.roles["learner"], reading.roles["score"]
    dataset = reading.roles.get("dataset")
    if dataset is not None and table.columns[dataset].n_unique() > 1:
        raise DataError(
            f"column {shown(item)} names items of several datasets; pass the items of one dataset, "
            f"or the mean score on each dataset. For the means: frame.groupby([{learner!r}, "
            f"{dataset!r}], as_index=False)[{score!r}].mean().to_csv('scores.csv', index=False)"
        )
    truths = all_truths(table.columns[score])
    table = table.keep(np.flatnonzero(~is_missing(table.columns[score]).to_numpy()))
    (names, who), (labels, what) = (table.codes(n, sort=False) for n in (learner, item))
    rows = np.full((len(names), len(labels)), -1)
    rows[who, what] = np.arange(len(table))
    again = np.flatnonzero(rows[who, what] != np.arange(len(table)))
    if again.size:
        first = int(again[0])
        raise DataError(
            f"{table.place(first)} and {table.place(int(rows[who[first], what[first]]))} are both "
            f"{shown(names[who[first]])} on item {shown(labels[what[first]])}; each learner needs "
            f"one answer per item. {_several_answers(table, reading, learner, score, item)}"
        )
    dropped = ""
    lacking = (rows < 0).any(axis=0)
    if lacking.any():
        at = int(lacking.argmax())
        whose = names[int(rows[:, at].argmin())]
        lack, were = ("lacks", "was") if lacking.sum() == 1 else ("lack", "were")
        what_lacks = (
            f"{int(lacking.sum())} of {len(labels)} items {lack} an answer from some learner"
        )
        rest = argument(drop_incomplete=True)
        if not drop or lacking.all():
            raise DataError(
                f"incomplete: {what_lacks}, such as {shown(whose)} on {shown(labels[at])}. Every "
                "learner needs every item"
                + ("" if lacking.all() else f": leave the others out with {rest}")
            )
        dropped = f"{what_lacks} and {were} left out for all."
    kept = np.flatnonzero(~lacking)
    what_of = f"whether it was {'wrong' if wrong else 'right'}" if truths else "score"
    said.append(
        f"Columns {shown(learner)}, {shown(item)} and {shown(score)} read as learner, item and "
        f"{what_of}."
    )
    turned = wrong and truths
    answers = 1 - as_truths(table.columns[score]) if turned else table.columns[score]
    columns = {n: answers.gather(rows[i, kept]) for i, n in enumerate(names)}
    unread = tuple(n for n in table.columns if n not in (learner, item, score, dataset))
    layout = replace(
        reading,
        layout="correct" if truths else "items",
        roles={},
        learners=tuple(names),
        unread=unread,
    )
    return ScoreTable(columns, lambda row: f"item {shown(labels[kept[row]])}"), layout, dropped


def _several_answers(
    table: ScoreTable, reading: FileLayout, learner: str, score: str, item: str
) -> str:
    """Say what becomes of several answers to an item: samples, if a column tells them apart."""
    for name in reading.unread:
        if name != item and not table.has_doubles([learner, item, name]):
            more = either(
                python=f", sample={name!r}", typed=f" --column {shlex.quote(f'sample={name}')}"
            )
            how = argument(learner=learner, item=item, score=score) + more
            return f"If column {shown(name)} tells several answers to an item apart, pass {how}"
    return "Keep one row per learner and item"


def one_test_set(
    table: ScoreTable, reading: FileLayout, plan: Design | None, said: list[str]
) -> Scores:
    """Read who was right on each item, told as such or by predicted and true labels."""
    refuse_splits(table, reading, plan)
    size = counted(len(table), "item")
    said.append(f"Design read as a holdout of {size}." if plan is None else "")
    names = list(reading.learners)
    odd = ""
    if reading.layout == "correct":
        right = table.right_wrong(names)
    else:
        right = table.agreement(reading.roles["y_true"], names)
        odd = _unseen_labels(table, reading.roles["y_true"], names)
        if _many_numbers(table, reading.roles["y_true"]):
            number = argument(metric="mean_squared_error")
            said.append(f"True values were read as classes; if they are numbers, pass {number}.")
    scores = Scores._from_bits(learner_names(names, said), right, plan)
    notes = [Note("OP001", sentence) for sentence in said if sentence]
    return replace(scores, notes=(*notes, *([Note("OP005", odd)] if odd else [])))


def refuse_splits(table: ScoreTable, reading: FileLayout, plan: Design | None) -> None:
    """Refuse predictions for the items of several test sets: each has models of its own."""
    several = [name for name in reading.unread if role_of(name) in ADDRESS]
    if several or (plan is not None and plan.kind not in ("holdout", "leave-one-out")):
        cause = f"column {listed(several)}" if several else f"design {plan}"
        alone = not several or table.columns[several[0]].n_unique() == len(table)
        loo = f", or remove the column and pass {argument(design='loo')}" if alone else ""
        raise DataError(
            f"{cause} implies several splits, but predictions are read as one test set. Provide "
            f"one score per split{loo}"
        )


def _many_numbers(table: ScoreTable, truth: str) -> bool:
    """Tell whether true labels are numbers of so many values that they may be no classes."""
    labels = table._labels(truth)
    return labels.dtype.is_numeric() and labels.n_unique() > MOST_CLASSES


def _unseen_labels(table: ScoreTable, truth: str, names: list[str]) -> str:
    """Say which predicted labels never occur among the true ones, and by whom; "" if none."""
    import polars as pl

    true = table._labels(truth)
    known = true.unique()  # of all items: one beyond those looked at may have the label
    rows = max(LOOKED_AT // len(names), 1)
    found: dict[str, list[str]] = {}
    for name in names:
        predicted = table._labels(name, like=true).head(rows).unique(maintain_order=True)
        if predicted.dtype.is_float() or known.dtype.is_float():  # 1.0 beside 1
            predicted, known = predicted.cast(pl.Float64), known.cast(pl.Float64)
        for label in predicted.filter(~predicted.is_in(known.implode())).to_list():
            found.setdefault(str(label), []).append(name)
    if not found:
        return ""
    said = [f"{shown(label)} (by {listed(by)})" for label, by in list(found.items())[:ITEMS_NAMED]]
    more = f" and {len(found) - ITEMS_NAMED} more" if len(found) > ITEMS_NAMED else ""
    return (
        f"Predicted labels that never occur in {shown(truth)}: {', '.join(said)}{more}. They count "
        "as wrong. Check the spelling."
    )
