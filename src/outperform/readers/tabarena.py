"""Result frames of TabArena: methods on splits of datasets, with `metric_error`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import DataError, argument
from ..notes import Note
from .column_names import listed, shown
from .parsing import as_text, as_truths
from .rewriting import Rewritten, one_metric
from .score_table import ScoreTable

FOLDS = 3
"""Folds of TabArena's cross-validation, on every dataset; `fold` is folds · repeat + fold."""
NAMED = 3
NEEDED = {"metric_error", "fold"}


def rewritten(table: ScoreTable, asked: Mapping[str, Any]) -> Rewritten | None:
    """Return TabArena's rows as learners, datasets and splits; lower is better."""
    import polars as pl

    who = next((name for name in ("method", "framework") if name in table.columns), None)
    on = next((name for name in ("dataset", "task", "tid") if name in table.columns), None)
    if who is None or on is None:
        return None
    notes = [f"Read as results of TabArena: {shown(who)} is the learner, lower is better."]
    table = _measured(table, asked)
    table, metric = _with_metric(table, on, asked.get("metric"), notes)
    names = {"learner": who, "dataset": on, "fold": "fold", "score": "metric_error"}
    columns = {role: table.columns[name] for role, name in names.items()}
    options: dict[str, Any] = {"layout": "long", "metric": metric, "lower_is_better": True}
    long = ScoreTable(columns, table.place, table.most_scores)
    datasets, n = columns["dataset"].n_unique(), columns["fold"].n_unique()
    if datasets > 1 and asked.get("design") is None and _are_repeats(table, on):
        numbers = table.columns["fold"].cast(pl.Int64)
        long.columns["repeat"], long.columns["fold"] = numbers // FOLDS, numbers % FOLDS
        notes.append(
            f"{FOLDS}-fold cross-validation was assumed, repeated where a dataset has more splits: "
            "TabArena's column 'fold' is numbered across repeats."
        )
    if datasets == 1 and asked.get("design") is None and n % FOLDS == 0:
        design = f"{n // FOLDS}x{FOLDS}cv" if n > FOLDS else f"{FOLDS}cv"
        options["design"] = design
        notes.append(
            f"Design assumed to be {design}: TabArena repeats {FOLDS}-fold cross-validation, and "
            "its column 'fold' is numbered across repeats."
        )
    return Rewritten(long, options, tuple(Note("OP001", text) for text in notes))


def _are_repeats(table: ScoreTable, on: str) -> bool:
    """Tell whether every dataset has whole repeats, numbered from 0."""
    import polars as pl

    try:
        folds = table.columns["fold"].cast(pl.Int64)
    except pl.exceptions.PolarsError:
        return False
    frame = pl.DataFrame({"on": as_text(table.columns[on], on), "fold": folds}).unique()
    each = frame.group_by("on").agg(n=pl.len(), low=pl.col("fold").min(), high=pl.col("fold").max())
    whole = (each["n"] % FOLDS == 0) & (each["low"] == 0) & (each["high"] == each["n"] - 1)
    return bool(whole.all())


def _measured(table: ScoreTable, asked: Mapping[str, Any]) -> ScoreTable:
    """Refuse scores that were imputed, or leave them out where incomplete splits are dropped."""
    if "imputed" not in table.columns:
        return table
    imputed = as_truths(table.columns["imputed"]).fill_null(0).to_numpy() > 0
    if not imputed.any():
        return table
    if not asked.get("drop_incomplete") and asked.get("missing") is None:
        where = ", ".join(table.place(int(row)) for row in np.flatnonzero(imputed)[:NAMED])
        more = ", …" if imputed.sum() > NAMED else ""
        raise DataError(
            f"{int(imputed.sum())} of {len(table)} scores are imputed ({where}{more}); a measured "
            "score is required for every split. Drop these splits for every learner: "
            f"{argument(drop_incomplete=True)}; or drop their datasets: "
            f"{argument(missing='complete')}"
        )
    return table.keep(np.flatnonzero(~imputed))


def _with_metric(
    table: ScoreTable, on: str, metric: str | None, notes: list[str]
) -> tuple[ScoreTable, str]:
    """Return the rows of one metric, or of the one of each dataset."""
    import polars as pl

    if "metric" not in table.columns:
        return table, metric or "metric_error"
    labels, codes = table.codes("metric", sort=False)
    frame = pl.DataFrame({"on": as_text(table.columns[on], on), "metric": codes})
    several = frame.unique()["on"].is_duplicated().any()
    if metric is None and not several and len(labels) > 1:
        notes.append(
            f"Each dataset has one metric ({listed(labels)}); errors of different metrics are on "
            f"different scales, which only {argument(method='sign_test')} ignores."
        )
        return table, "metric_error"
    name = one_metric(labels, metric, "the table")
    return table.keep(np.flatnonzero(codes == labels.index(name))), f"{name} error"
