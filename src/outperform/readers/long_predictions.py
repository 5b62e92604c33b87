"""Rows of item, model, prediction and truth: predictions of several models on one test set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import DataError, argument
from ..notes import Note
from .column_names import ADDRESS, item_columns, listed, normal, role_of, shown
from .parsing import as_text, is_missing
from .rewriting import Rewritten
from .score_table import Codes, ScoreTable

NAMES = {
    *(
        "prediction",
        "predictions",
        "pred",
        "preds",
        "predicted",
        "predictedlabel",
        "predictedclass",
    ),
    *("predictedvalue", "ypred", "yhat", "yprob", "yproba", "prob", "proba", "probability"),
    *("predlabel", "predprob", "forecast", "p", "probs", "estimate"),
}
"""What a column of predictions is called."""


def rewritten(table: ScoreTable, asked: Mapping[str, Any]) -> Rewritten | None:
    """Return a column of predictions for each model beside the true values, a row per item."""
    who = _column(table, asked, "learner")
    truth = _column(table, asked, "y_true")
    predictions = [n for n in table.columns if normal(n) in NAMES and n not in (who, truth)]
    if who is None or truth is None or not predictions or asked.get("score") is not None:
        return None
    if any(role_of(n) == "score" for n in table.columns):
        return None
    what = f"columns {listed([who, truth, predictions[0]])} contain models, true values and "
    if len(predictions) > 1:
        raise DataError(
            f"{what}predictions, but {listed(predictions)} may all be the latter. Keep one column "
            "of predictions"
        )
    several = [n for n in table.columns if role_of(n) in (*ADDRESS, "seed")]
    several = [n for n in several if table.columns[n].n_unique() > 1]
    if several:
        raise DataError(
            f"{what}predictions, but {listed(several)} implies several splits. Write the score of "
            "every split instead, in the columns learner, fold and score"
        )
    items = [n for n in item_columns(table.columns) if n not in (who, truth)]
    item = next((n for n in items if not table.has_doubles([who, n])), None)
    if item is None or not table.has_doubles([item]):
        raise DataError(
            f"{what}predictions, but no column identifies the items; models are compared item by "
            "item, not by row order. Add a column 'id', with the same value for the same item"
        )
    gone = is_missing(table.columns[predictions[0]]).to_numpy()
    table = table.keep(np.flatnonzero(~gone))
    (names, model), (labels, at) = (table.codes(n, sort=False) for n in (who, item))
    rows = np.full((len(names), len(labels)), -1)
    rows[model, at] = np.arange(len(table))
    rows, notes = _complete(rows, names, labels, bool(asked.get("drop_incomplete")))
    known = as_text(table.columns[truth], truth)
    for row in rows[1:]:
        _check_truths(table, known, rows[0], row, truth)
    columns = {_apart(truth, names): table.columns[truth].gather(rows[0])}
    columns |= {
        name: table.columns[predictions[0]].gather(row)
        for name, row in zip(names, rows, strict=True)
    }
    said = (
        f"Columns {shown(who)}, {shown(item)}, {shown(predictions[0])} and {shown(truth)} read as "
        "model, item, prediction and truth."
    )
    place = table.place
    wide = ScoreTable(columns, lambda i: place(int(rows[0][i])), table.most_scores, table.said)
    options = {"y_true": _apart(truth, names), "learner": list(names)}
    return Rewritten(wide, options, (Note("OP001", said), *notes))


def _column(table: ScoreTable, asked: Mapping[str, Any], role: str) -> str | None:
    """Return the column that was asked for as a role, or the only one named after it."""
    given = asked.get(role)
    if given is not None:
        return given if isinstance(given, str) and given in table.columns else None
    found = [name for name in table.columns if role_of(name) == role]
    return found[0] if len(found) == 1 else None


def _apart(truth: str, names: Sequence[str]) -> str:
    return truth if truth not in names else _apart(f"{truth} (true)", names)


def _complete(
    rows: Codes, names: Sequence[str], labels: Sequence[str], drop: bool
) -> tuple[Codes, list[Note]]:
    """Return the items that every model has; refuse others unless they may be dropped."""
    lacking = (rows < 0).any(axis=0)
    if not lacking.any():
        return rows, []
    at = int(lacking.argmax())
    whose = names[int(rows[:, at].argmin())]
    what = f"{int(lacking.sum())} of {len(labels)} items lack a prediction of some model"
    if not drop or lacking.all():
        rest = "" if lacking.all() else f": leave them out with {argument(drop_incomplete=True)}"
        raise DataError(
            f"incomplete: {what}, such as {shown(whose)} on {shown(labels[at])}. Every model needs "
            f"every item{rest}"
        )
    return rows[:, ~lacking], [Note("OP006", f"{what} and were left out for all.")]


def _check_truths(table: ScoreTable, known: Any, first: Codes, other: Codes, truth: str) -> None:
    """Refuse items whose true values differ between models."""
    same = known.gather(first).eq_missing(known.gather(other)).to_numpy()
    if not same.all():
        at = int(same.argmin())
        raise DataError(
            f"{table.place(int(first[at]))} and {table.place(int(other[at]))} are the same item, "
            f"but column {shown(truth)} differs; an item has one true value. Correct the file"
        )
