"""Frames: rows of scores or predictions, in any layout, become `Scores`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .. import columns, inputs
from ..characters import alike
from ..columns import ADDRESS, Reading, listed, nearest, shown
from ..designs import Design, parse
from ..errors import DataError
from ..notes import Note
from ..scores import Scores
from ..sums import Array
from . import cells
from .cells import AXES
from .kinds import has_decimal_commas, holds_numbers
from .tables import Codes, Table, from_native
from .unseen import unseen_labels

__all__ = ["from_frame"]

SIDES = {"train", "test", "val", "valid", "validation", "dev"}
REMEDY = "Run that split again, or leave it out for every learner"
SAID = {
    "long": "Read as long: one row for each learner and split.",
    "wide": "Read as wide: rows are splits, and the learners are {}.",
    "predictions": "Read as predicted labels of one test set, by {}.",
    "correct": "Read as right and wrong answers on one test set, by {}.",
}


def from_frame(
    frame: Any,
    *,
    layout: str | None = None,
    learner: str | Sequence[str] | None = None,
    score: str | None = None,
    metric: str | None = None,
    dataset: str | None = None,
    partition: str | None = None,
    repeat: str | None = None,
    fold: str | None = None,
    y_true: str | None = None,
    n_train: str | int | None = None,
    n_test: str | int | None = None,
    seed: str | int | None = None,
    design: Any = None,
    lower_is_better: bool | None = None,
) -> Scores:
    """Build `Scores` from any data frame.

    A *long* frame has a row for each learner and split, with columns learner and score; a *wide*
    one has a row for each split and a column for each learner; one of *predictions* has the true
    labels (y_true) and a column of predicted labels for each learner; one that is *correct* has a
    row for each item, and tells of each learner whether it was right. Columns that say which split
    a row is (dataset, partition, repeat, fold) and how large it was (n_train, n_test) are known by
    their usual names; whatever was inferred is in `notes`.

    Each keyword names the column to use; `learner` may also list the learners' own columns, and
    `n_train`, `n_test`, `seed` may be numbers. `metric` picks one of several metrics, or names the
    only one. Learners and datasets keep the order in which they first come; nothing else depends
    on the order of rows or columns.
    """
    table = frame if isinstance(frame, Table) else from_native(frame)
    if layout is not None:
        inputs.choice(layout, "layout", columns.LAYOUTS)
    plan = None if design is None else parse(design)
    asked: dict[str, Any] = {
        "learner": learner, "score": score, "dataset": dataset, "partition": partition,
        "repeat": repeat, "fold": fold, "y_true": y_true,
    }  # fmt: skip
    numbers = {"n_train": n_train, "n_test": n_test, "seed": seed}
    asked |= {role: value for role, value in numbers.items() if isinstance(value, str)}
    numeric = {name for name, column in table.columns.items() if holds_numbers(column)}
    reading = columns.recognise(list(table.columns), numeric, asked, layout=layout, metric=metric)
    if layout is None and table.is_boolean(reading.learners) and not reading.roles:
        reading = replace(reading, layout="correct")
    said = [SAID[reading.layout].format(listed(reading.learners))] if layout is None else []
    said += reading.notes
    if reading.layout in ("predictions", "correct"):
        if metric not in (None, "accuracy") or lower_is_better:
            raise DataError(
                f"metric={metric!r}, lower_is_better={lower_is_better!r} were given, but predicted "
                "labels give accuracy. Leave them out, or give scores for each split"
            )
        return _one_test_set(table, reading, plan, said)
    for column in reading.learners or [reading.roles["score"]]:
        if has_decimal_commas(table.columns[column]):
            said.append(f"Decimal commas read in column {shown(column)}.")
    table, name = _one_metric(table, reading, metric)
    lower = columns.lower_is_better(name) if lower_is_better is None else lower_is_better
    if lower_is_better is None and lower:
        said.append(f"Lower is better was read from the name of metric {shown(name)}.")
    elif lower is None:
        said.append(f"Greater is better was assumed for metric {shown(name)}.")
    scores = _measured(table, reading, plan, numbers, said)
    notes = tuple(Note("OP001", sentence) for sentence in said)
    return replace(scores, metric=name, greater_is_better=not lower, notes=notes)


def _one_metric(table: Table, reading: Reading, metric: str | None) -> tuple[Table, str]:
    """Return the rows of one metric, and its name."""
    column = reading.roles.get("metric")
    if column is None:
        score = reading.roles.get("score", "score")
        own = "score" if columns.role_of(score) == "score" else score
        return table, metric or re.sub("^test[ _-]", "", own, flags=re.IGNORECASE)
    labels, codes = table.codes(column, sort=False)
    if metric is None and len(labels) > 1:
        raise DataError(
            f"column {shown(column)} holds {len(labels)} metrics ({listed(labels)}); one is "
            f"needed. Pass the one you mean: metric={labels[0]!r}"
        )
    name = labels[0] if metric is None else metric
    if name not in labels:
        raise DataError(f"there is no metric {shown(name)}; {nearest(name, labels)}")
    return table.keep(np.flatnonzero(codes == labels.index(name))), name


def _measured(
    table: Table,
    reading: Reading,
    plan: Design | None,
    numbers: Mapping[str, Any],
    said: list[str],
) -> Scores:
    """Put the cells in order: by learner, dataset, partition, repeat and fold."""
    table.check_scores(reading.learners)
    roles, n = reading.roles, len(table)
    if reading.layout == "long":
        nobody = ["learner"], np.zeros(n, dtype=np.int64)
        names, learner = table.codes(roles["learner"], sort=False) if "learner" in roles else nobody
        values, rows = table.numbers(roles["score"], REMEDY), np.arange(n)
        if "learner" not in roles:
            said.append("No column names learners: all scores read as those of one, 'learner'.")
    else:
        hint = f"{REMEDY}; if the column is no learner, list those that are: learner=['…', '…']"
        names = list(reading.learners)
        values = np.concatenate([table.numbers(name, hint) for name in names])
        learner, rows = np.repeat(np.arange(len(names)), n), np.tile(np.arange(n), len(names))
    labels, codes = [names], [learner]
    for role in AXES[1:]:
        found = [""], np.zeros(n, dtype=np.int64)
        if role in roles:
            found = table.codes(roles[role], sort=role != "dataset")
            _check_labels(found[0], role, roles[role])
        labels.append(found[0])
        codes.append(found[1][rows])
    apart = next(iter([*filter(None, [roles.get("seed")]), *reading.unread]), None)
    if not {*ADDRESS} & roles.keys():
        codes[4] = _by_row(codes, names, reading.layout, apart, said)
        labels[4] = [str(i) for i in range(int(codes[4].max()) + 1)]
    order = cells.in_order(
        np.stack(codes),
        tuple(labels),
        lambda cell: table.place(int(rows[cell])),
        halves=plan is not None and plan.kind == "halves",
        apart=apart,
    )
    # Complete and sorted: one row of splits for each learner, the same for all.
    shape = len(names), order.size // len(names)
    split = order[: shape[1]]
    n_train, n_test = (
        _size(table, role, roles.get(role), numbers[role], rows[order].reshape(shape))
        for role in ("n_train", "n_test")
    )
    addresses = np.stack([code[split] for code in codes[2:]], axis=1)
    grid = len(labels[2]), len(labels[3]), len(labels[4])
    several = len(labels[1]) > 1
    if plan is not None:
        addresses = np.tile(cells.planned_addresses(plan, grid), (len(labels[1]), 1))
    elif several:
        said.append(f"No design was read: {len(labels[1])} datasets, each of which counts as one.")
    else:
        text, sentence = cells.inferred_design(grid, roles, n_train, n_test)
        plan = None if text is None else parse(text)
        said += [sentence] if sentence else []
    if "dataset" in roles and not several:
        said.append(f"All scores are of dataset {shown(labels[1][0])}.")
    return Scores(
        _names(names, said),
        values[order].reshape(shape),
        addresses,
        n_train,
        n_test,
        design=plan,
        datasets=tuple(labels[1][code] for code in codes[1][split]) if several else None,
        seed=_seed(table, roles.get("seed"), numbers["seed"], said),
    )


def _names(names: list[str], said: list[str]) -> tuple[str, ...]:
    """Return the learners, none of them blank; those that look the same are spelt out."""
    twins = alike(names)
    if twins is not None:
        first, second = map(ascii, twins)
        said.append(f"Learners {first} and {second} look the same, but are two.")
    return inputs.learner_names(names, len(names))


def _check_labels(labels: list[str], role: str, column: str) -> None:
    if role == "fold" and {label.casefold() for label in labels} <= SIDES:
        raise DataError(
            f"column {shown(column)} holds {listed(labels)}, the sides of a split; a label for "
            "each split is needed. Keep the test scores, and name the column that has it: fold='…'"
        )


def _by_row(
    codes: list[Codes], names: list[str], layout: str, apart: str | None, said: list[str]
) -> Codes:
    """Number the splits by row where no column says which split a row is."""
    learner, dataset = codes[:2]
    numbers = cells.numbered(learner * (int(dataset.max()) + 1) + dataset)
    if not numbers.any():
        return numbers
    if layout == "long" and len(names) > 1:
        raise DataError(
            f"{shown(names[0])} has {int((learner == 0).sum())} rows, and no column says which "
            "split each is; scores are compared split by split, not in the order of rows. Add a "
            f"fold column, or name the one that numbers splits: repeat={apart or '…'!r}"
        )
    said.append("No column numbers the splits: they were taken in the order of rows.")
    return numbers


def _size(table: Table, role: str, column: str | None, number: Any, rows: Codes) -> Array | None:
    """Return the sizes of each split, from a column or one number for all; learners must agree."""
    if column is None:
        given = None if number is None else inputs.counts(number, role)
        return None if given is None else np.full(rows.shape[1], float(given))
    sizes = table.numbers(column, "Write the number of items", whole=True)[rows]
    differ = (sizes != sizes[0]).any(axis=0)
    if differ.any():
        split = int(differ.argmax())
        other = int((sizes[:, split] != sizes[0, split]).argmax())
        raise DataError(
            f"{table.place(int(rows[0, split]))} and {table.place(int(rows[other, split]))} are "
            f"the same split, but column {shown(column)} holds {sizes[0, split]:g} and "
            f"{sizes[other, split]:g}; learners are compared on the same splits. Check the file"
        )
    return np.asarray(sizes[0])


def _seed(table: Table, column: str | None, number: Any, said: list[str]) -> int | None:
    if column is None:
        return None if number is None else int(number)
    labels, _ = table.codes(column, sort=True)
    if len(labels) == 1 and labels[0].isdecimal():
        return int(labels[0])
    said.append(f"Column {shown(column)} holds {len(labels)} seeds: none was kept.")
    return None


def _one_test_set(table: Table, reading: Reading, plan: Design | None, said: list[str]) -> Scores:
    """Read who was right on each item, told as such or by predicted and true labels."""
    several = [name for name in reading.unread if columns.role_of(name) in ADDRESS]
    if several or (plan is not None and plan.kind not in ("holdout", "leave-one-out")):
        cause = f"column {listed(several)}" if several else f"design {plan}"
        raise DataError(
            f"{cause} speaks of several splits, but predicted labels are read as those of one test "
            "set. Give the score of each split, or leave the column out and say design='loo'"
        )
    said.append(f"Design read as a holdout of {len(table):,} items." if plan is None else "")
    names = list(reading.learners)
    odd = ""
    if reading.layout == "correct":
        right = table.right_wrong(names)
    else:
        right = table.agreement(reading.roles["y_true"], names)
        odd = unseen_labels(table, reading.roles["y_true"], names)
    scores = Scores.from_bits(_names(names, said), right, design=plan)
    notes = [Note("OP001", sentence) for sentence in said if sentence]
    return replace(scores, notes=(*notes, *([Note("OP005", odd)] if odd else [])))
