"""Frames: rows of scores or predictions, in any layout, become `Scores`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import validation
from ..designs import parse
from ..errors import DataError, argument, did_you_mean
from ..notes import Note
from ..scores.benchmark import MISSING
from ..scores.split_scores import Scores
from . import column_names, split_indices
from .aggregates import without_summaries, without_unfinished
from .bootstrap_rows import refuse_bootstrap
from .column_names import listed, shown
from .count_tables import refuse_counts
from .cross_validate import from_dicts
from .dataset_tables import refuse_named_rows, refuse_repeated, upright
from .item_numbers import REMEDY as ITEM_REMEDY
from .item_numbers import kind_of_predictions, of_errors, of_items, predicted
from .numbering import look, refuse_mixed_signs, sorted_out, with_seeds
from .parsing import has_decimal_commas, has_percent_signs, stripped, without_thousands
from .recognition import FileLayout, recognise
from .row_labels import as_datasets, refuse_doubtful_truth
from .score_ranges import direction, refuse_impossible, refuse_negated, refuse_ranks
from .score_table import ScoreTable
from .skore_reports import from_report, is_report
from .sources import of_tool
from .split_rows import (
    answers_apart,
    as_items,
    item_column,
    measured,
    one_test_set,
    own_seeds,
    refuse_splits,
    without_ids,
    without_words,
)

if TYPE_CHECKING:
    import polars as pl


SAID = {
    "long": "Read as a long table: one row per learner and split.",
    "wide": "Read as a wide table: rows are {rows}, columns are the learners {names}.",
    "predictions": "Read as the labels predicted on one test set by {names}.",
    "correct": "Read as correct (1) and wrong (0) answers on one test set by {names}.",
    "probabilities": "Read as the probabilities of class 1 predicted on one test set by {names}.",
    "numbers": "Read as the numbers predicted on one test set by {names}.",
    "items": "Read as one score per item of a single test set for {names}.",
}
LEAST_VARYING = 4
"""Datasets on which the scores of a learner are expected to differ."""
WORDS = ("string", "mixed", "mixed-integer")
"""What pandas calls an index of words, with numbers among them or not."""


def from_frame(
    frame: Any,
    *,
    layout: str | None = None,
    learner: str | Sequence[str] | None = None,
    score: str | None = None,
    metric: str | None = None,
    dataset: str | None = None,
    family: str | None = None,
    partition: str | None = None,
    repeat: str | None = None,
    fold: str | None = None,
    y_true: str | None = None,
    n_train: str | int | None = None,
    n_test: str | int | None = None,
    seed: str | int | None = None,
    design: Any = None,
    lower_is_better: bool | None = None,
    drop_incomplete: bool = False,
    missing: str | None = None,
) -> Scores:
    """Build `Scores` from any data frame.

    A *long* frame has a row for each learner and split, with columns learner and score; a *wide*
    one has a row for each split and a column for each learner; one of *predictions* has the true
    labels (y_true) and a column of predicted labels for each learner; one that is *correct* has a
    row for each item, and tells of each learner whether it was right; one of *items* has a loss or
    score of each learner there. Columns that say which split
    a row is (dataset, partition, repeat, fold) and how large it was (n_train, n_test) are known by
    their usual names, or by counting 0, 1, 2 …; summary rows, times, deviations and identifiers
    are left out. Whatever was inferred or left out is in `notes`.

    Each keyword names the column to use; `learner` may also list the learners' own columns, and
    `n_train`, `n_test`, `seed` may be numbers. `metric` picks one of several metrics, or names the
    only one. `drop_incomplete` leaves out, for every learner, the splits that lack a score of some
    learner; without it they are refused. Of a table of several datasets, `missing` says what
    becomes of those on which a learner has no score: "complete" leaves them out, "pairwise" judges
    each pair on the datasets that both have, "keep" leaves the cells empty for later. `family` is a
    column that says which datasets belong together. Learners and datasets keep the order in which
    they first come; nothing else depends on the order of rows or columns.
    """
    validation.one_metric(metric)
    options = {name: value for name, value in locals().items() if name != "frame"}
    if is_report(frame):
        return from_report(frame, metric=metric)
    table = frame if isinstance(frame, ScoreTable) else from_native(frame)
    rows: tuple[Note, ...] = ()
    if isinstance(frame, Mapping) and design is None:
        design = options["design"] = split_indices.design_of(frame)
        rows = () if design is None else (Note("OP001", f"Design {design} read from indices."),)
    if layout is None and learner is None and score is None:
        refuse_counts(table)
    tool = of_tool(table, options)
    if tool is not None:
        scores = from_frame(tool.table, **options | tool.options)
        notes = (*tool.notes, *rows, *(scores.notes if tool.measure is None else ()))
        return replace(scores, metric=tool.measure or scores.metric, notes=notes)
    if layout is not None:
        validation.choice(layout, "layout", column_names.LAYOUTS)
    if missing is not None:
        validation.choice(missing, "missing", ("keep", *MISSING))
    plan = None if design is None else parse(design)
    asked: dict[str, Any] = {"learner": learner, "score": score, "dataset": dataset}
    asked |= {"family": family}
    asked |= {"partition": partition, "repeat": repeat, "fold": fold, "y_true": y_true}
    numbers = {"n_train": n_train, "n_test": n_test, "seed": seed}
    asked |= {role: value for role, value in numbers.items() if isinstance(value, str)}
    numbers = {role: None if role in asked else value for role, value in numbers.items()}
    seeds, pivoted, dropped = "", list[str](), ""
    one_set = plan is None or plan.kind in ("holdout", "leave-one-out")
    table, turned = (table, "") if layout is not None else upright(table, asked | {"m": metric})
    table, summaries = without_summaries(table, asked)
    columns = [learner] if isinstance(learner, str) else list(learner or ())
    used = {*columns, *(name for role, name in asked.items() if role != "learner")}
    table, unfinished = without_unfinished(table, options, used)
    if plan is None and layout is None and not {repeat, fold} - {None}:
        refuse_bootstrap(table, learner)
    cells = look(table, asked)
    reading = recognise(list(table.columns), cells, asked, layout=layout, metric=metric)
    if reading.layout == "long" or (
        reading.layout == "wide" and not table.may_be_right_wrong(reading.learners)
    ):
        table.check_scores(reading.learners)  # before cells are looked at one by one
    if reading.layout in ("wide", "correct") and learner is None:
        items = layout is None and one_set and metric is None and not lower_is_better
        items = items and {*reading.roles.values()} <= {*cells.counters}
        sure = plan is not None and plan.shape is not None and plan.n_splits() == len(table)
        complete = bool(summaries) or sure
        reading = sorted_out(table, reading, pivoted, items=items, complete=complete)
        if plan is None:
            reading = as_items(table, reading, pivoted)
            reading = as_datasets(table, reading, pivoted)
    if reading.layout == "items" and learner is None:
        reading = without_words(table, reading)
    if reading.layout == "predictions" and learner is None:
        refuse_doubtful_truth(table, reading)
        reading = without_ids(table, reading)
    if plan is None:
        refuse_named_rows(table, reading)
        refuse_repeated(table, reading)
    item = item_column(table, reading) if one_set else None
    if item is not None:
        named = metric or reading.roles["score"]
        if "metric" in reading.roles:
            table, named = _one_metric(table, reading, metric)
        by_name = column_names.lower_is_better(named)
        wrong = bool(by_name if lower_is_better is None else lower_is_better)
        table, reading, dropped = answers_apart(
            table, reading, item, pivoted, drop=drop_incomplete, wrong=wrong
        )
        if reading.layout == "items":
            metric = column_names.metric_named(named)
        else:
            metric = lower_is_better = None
    if reading.layout in ("long", "wide"):
        reading, plan, seeds = with_seeds(table, reading, plan)
    kind = kind_of_predictions(table, reading, metric)
    by_dataset = "dataset" in reading.roles and not {*column_names.ADDRESS} & reading.roles.keys()
    noun = "datasets" if by_dataset else "splits"
    how = SAID[kind or reading.layout].format(names=listed(reading.learners), rows=noun)
    said = [turned, how] if layout is None or kind else []
    said += [*table.said, summaries, unfinished, *pivoted, *reading.notes, seeds]
    if kind is not None and not lower_is_better:
        refuse_splits(table, reading, plan)
        return predicted(table, reading, kind, metric, plan, said)
    if reading.layout == "items":
        name = metric or column_names.shared_metric(reading.learners) or "score"
        lower, judged = direction(name, lower_is_better)
        said.append(judged)
        values = np.stack([table.numbers(one, ITEM_REMEDY) for one in reading.learners])
        if lower and lower_is_better is None:
            refuse_negated(name, values)
        if lower and np.isin(values, (0.0, 1.0)).all() and one_set:
            scores = of_errors(reading.learners, values, name, plan, said)
        else:
            scores = of_items(reading.learners, values, name, plan, said, lower=lower)
        return replace(
            scores, notes=(*scores.notes, *([Note("OP006", dropped)] if dropped else []))
        )
    if reading.layout in ("predictions", "correct"):
        given: dict[str, Any] = {"metric": metric} if metric not in (None, "accuracy") else {}
        if given or lower_is_better:
            given |= {"lower_is_better": True} if lower_is_better else {}
            raise DataError(
                f"{argument(**given)} was passed, but predicted labels are scored by accuracy. "
                "Remove the option, or provide one score per split"
            )
        if layout is None and item is None:
            _refuse_errors(reading)
        scores = one_test_set(table, reading, plan, said)
        return replace(
            scores, notes=(*scores.notes, *([Note("OP006", dropped)] if dropped else []))
        )
    said += _written(table, reading.learners or (reading.roles["score"],))
    table, name = _one_metric(table, reading, metric)
    if metric is None and len(reading.learners) > 1:
        name = column_names.shared_metric(reading.learners) or name
    score = reading.roles.get("score")
    if lower_is_better is None and score is not None and "metric" in reading.roles:
        _refuse_contradiction(name, column_names.lower_is_better(name), score)
    lower, judged = direction(name, lower_is_better)
    said.append(judged)
    own = plan is not None and plan.kind == "unpaired-seeds" and reading.layout == "long"
    scores = (
        own_seeds(table, reading, plan, said)
        if own
        else measured(
            *(table, reading, plan, numbers, said),
            drop=drop_incomplete,
            missing=missing,
        )
    )
    if lower and lower_is_better is None:
        refuse_negated(name, scores.values)
    refuse_impossible(name, scores.names, scores.values)
    if lower_is_better is None and reading.layout == "wide":
        refuse_ranks(scores.values)
    if reading.layout == "wide" and learner is None and scores.datasets is not None:
        _refuse_constant(scores)
    notes = (*(Note("OP001", sentence) for sentence in said if sentence), *scores.notes)
    return replace(scores, metric=name, greater_is_better=not lower, notes=notes)


def _refuse_constant(scores: Scores) -> None:
    """Refuse a column that holds one number on all datasets: it may be no learner's.

    Beside one other column it can only be meant: without it nothing could be compared.
    """
    means = scores.dataset_means()
    same = np.nanmax(means, axis=1) == np.nanmin(means, axis=1)
    if means.shape[1] < LEAST_VARYING or not same.any() or (~same).sum() < 2:
        return
    at = int(same.argmax())
    rest = [name for name, constant in zip(scores.names, same, strict=True) if not constant]
    raise DataError(
        f"column {shown(scores.names[at])} holds {np.nanmax(means[at]):g} on all {means.shape[1]} "
        f"datasets, so it may not be a learner. List the learners: {argument(learner=rest)}; if it "
        f"is one, list them all: {argument(learner=list(scores.names))}"
    )


def _refuse_errors(reading: FileLayout) -> None:
    """Refuse 0 and 1 in columns that are named after an error, or as true labels may be."""
    if reading.layout != "correct":
        return
    truth = [name for name in reading.learners if column_names.may_be_truth(name)]
    if truth and len(reading.learners) > 2:
        raise DataError(
            f"column {shown(truth[0])} may contain the true labels, or which answers of a learner "
            f"are correct. Pass the right one: {argument(y_true=truth[0])}, or "
            f"{argument(layout='correct')}"
        )
    error = column_names.shared_metric(reading.learners)
    if error is not None and column_names.lower_is_better(error):
        raise DataError(
            f"columns {listed(reading.learners)} have names that contain {shown(error)}, but 1 is "
            "read as correct. Write 1 for correct and 0 for wrong, and rename the columns; if 1 "
            f"means correct, pass {argument(layout='correct')}"
        )


def _refuse_contradiction(metric: str, lower: bool | None, score: str) -> None:
    """Refuse scores whose column says that lower is better where their metric says otherwise."""
    if not lower and column_names.lower_is_better(score):
        raise DataError(
            f"column {shown(score)} has the name of an error, but the metric column says "
            f"{shown(metric)}. Pass {argument(lower_is_better=True)} if lower scores are better; "
            "otherwise rename the column"
        )


def _written(table: ScoreTable, names: Sequence[str]) -> list[str]:
    """Say where decimal commas and percent signs were read; refuse signs in some columns only."""
    refuse_mixed_signs(table, names)
    commas = [name for name in names if has_decimal_commas(table.columns[name])]
    percents = [name for name in names if has_percent_signs(table.columns[name])]
    said = [f"Decimal commas were converted in column {shown(name)}." for name in commas]
    grouped = [
        name for name in names if without_thousands(stripped(table.columns[name])) is not None
    ]
    if grouped:
        said.append(f"Marks of thousands were left out in {listed(grouped)}.")
    for name in names:
        _refuse_points(table, name)
    if percents:
        said.append(f"Percentages were converted in {listed(percents)}: 98.2% is read as 0.982.")
    return said


def _refuse_points(table: ScoreTable, name: str) -> None:
    """Refuse 999 beside 1.234: the point may separate thousands as well as decimals."""
    import polars as pl

    if table.columns[name].dtype != pl.String:
        return
    text = stripped(table.columns[name]).drop_nulls()
    points = text.filter(text.str.contains(r"^[+-]?[1-9][0-9]{0,2}\.[0-9]{3}$"))
    whole = text.filter(text.str.contains(r"^[+-]?[0-9]{1,3}$"))
    if len(points) and len(whole) and len(points) + len(whole) == len(text):
        raise DataError(
            f"column {shown(name)} contains {shown(whole[0])} and {shown(points[0])}: the point "
            "may separate decimals or thousands. Write as many decimals in every cell "
            f"({whole[0]}.000), or no point ({points[0].replace('.', '')})"
        )


def _one_metric(
    table: ScoreTable, reading: FileLayout, metric: str | None
) -> tuple[ScoreTable, str]:
    """Return the rows of one metric, and its name."""
    column = reading.roles.get("metric")
    if column is None:
        score = reading.roles.get("score", "score")
        own = "score" if column_names.role_of(score) == "score" else score
        return table, metric or column_names.metric_named(own)
    labels, codes = table.codes(column, sort=False)
    if metric is None and len(labels) > 1:
        raise DataError(
            f"column {shown(column)} contains {len(labels)} metrics ({listed(labels)}). Choose "
            f"one: {argument(metric=labels[0])}"
        )
    name = labels[0] if metric is None else metric
    if name not in labels:
        raise DataError(f"unknown metric {shown(name)}; {did_you_mean(name, labels)}")
    return table.keep(np.flatnonzero(codes == labels.index(name))), name


def from_native(frame: Any) -> ScoreTable:
    """Take over a data frame of any kind, with the named levels of its index."""
    import narwhals as nw
    import polars as pl

    if isinstance(frame, Mapping):
        return from_dicts(frame)
    index: Any = getattr(frame, "index", None)
    levels = getattr(index, "names", None) or ()
    named = [n for n in levels if n is not None and n not in getattr(frame, "columns", levels)]
    try:
        kind = getattr(index, "inferred_type", "")
        if kind in WORDS and [*levels] == [None] and hasattr(frame, "columns"):
            # As it would stand in a file.
            frame = frame.set_axis(index.map(str)).rename_axis("").reset_index()
        data = nw.from_native(frame.reset_index(level=named) if named else frame)
        data = data.collect() if isinstance(data, nw.LazyFrame) else data
        names, native = [str(name) for name in data.columns], data.to_native()
        ours = isinstance(native, pl.DataFrame)
        columns = (
            native.get_columns()
            if ours
            else map(_series, names, map(data.get_column, data.columns))
        )
        table = ScoreTable(_named(names, columns), lambda row: f"row {row} (counted from 0)")
        table = table.without_blank_rows()
    except TypeError:
        raise DataError(
            f"Expected a data frame (pandas, polars, pyarrow …), got {type(frame).__name__}. For "
            "arrays use Scores.from_arrays, for a file Scores.read"
        ) from None
    except ValueError as error:
        raise DataError(
            f"The data frame has ambiguous columns ({shown(error)}); column names must be unique. "
            "Rename them"
        ) from None
    if not len(table):
        raise DataError("The data frame has no rows; at least one score is required")
    return table


def _named(names: list[str], columns: Iterable[pl.Series]) -> dict[str, pl.Series]:
    if len(set(names)) < len(names):
        raise ValueError("columns 1 and '1' have the same name as text")
    return dict(zip(names, columns, strict=True))


def _series(name: str, column: Any) -> pl.Series:
    import polars as pl

    if column.dtype.is_numeric() and not column.is_null().any():
        return pl.Series(name, column.to_numpy())
    try:
        return pl.Series(name, column.to_arrow())  # quick, where pyarrow is there
    except (ImportError, TypeError, ValueError):
        gone = column.is_null().to_list()
        cells = [None if g else cell for cell, g in zip(column.to_list(), gone, strict=True)]
        return pl.Series(name, cells, strict=False)
