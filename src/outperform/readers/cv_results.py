"""`cv_results_` of scikit-learn's searches: candidates are learners, split columns are splits."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import DataError
from ..notes import Note
from .column_names import lower_is_better
from .parsing import as_text, holds_words
from .rewriting import Rewritten, assumed_folds, distinct, one_metric, stacked
from .score_table import ScoreTable

SPLIT = re.compile(r"split(\d+)_test_(.+)", re.DOTALL)
LONGEST = 200
"""Characters of a candidate's name."""


def rewritten(table: ScoreTable, asked: Mapping[str, Any]) -> Rewritten | None:
    """Return the candidates of a search as learners, a row for each and split."""
    import polars as pl

    found = [match for name in table.columns if (match := SPLIT.fullmatch(name))]
    if len({match[1] for match in found}) < 2:
        return None
    _refuse_halving(table)
    metric = one_metric(
        list(dict.fromkeys(m[2] for m in found)), asked.get("metric"), "cv_results_"
    )
    splits = sorted((int(m[1]), m[0]) for m in found if m[2] == metric)
    names, n = _candidates(table), len(table)
    columns = {
        "learner": pl.Series(names * len(splits)),
        "split": pl.Series(np.repeat([number for number, _ in splits], n)),
        "score": stacked([table.columns[name] for _, name in splits]),
    }
    options: dict[str, Any] = {"layout": "long", "metric": metric}
    long = ScoreTable(
        columns,
        lambda row: f"{table.place(row % n)}, split {splits[row // n][0]}",
        table.most_scores,
    )
    if asked.get("lower_is_better") is None:
        # What scikit-learn calls a scorer turns losses; what is named as one and is positive, is.
        values = long.floats("score")[0]
        if not lower_is_better(metric) or not (values > 0).any():
            options["lower_is_better"] = False
    design, said = assumed_folds(len(splits), asked, "cv_results_")
    read = f"Read as cv_results_ of a search: {n} candidates as learners, {len(splits)} splits."
    return Rewritten(long, options | design, (Note("OP001", read), *said, selected(n)))


def selected(n: int) -> Note:
    """Say that the best of n candidates was chosen by the scores that are judged."""
    return Note(
        "OP008",
        f"The best of these {n} candidates was selected with these same scores, so its mean is "
        "optimistic for new data. Comparisons among all candidates are adjusted for their number; "
        "to compare only the best one with another model, use data that were not used to select "
        "it.",
    )


def _refuse_halving(table: ScoreTable) -> None:
    """Refuse a halving search: its rounds trained on different numbers of items."""
    if "n_resources" in table.columns and table.columns["n_resources"].n_unique() > 1:
        raise DataError(
            "cv_results_ of a halving search has candidates with different n_resources, so their "
            "training sets differ in size; all scores must have the same training size. Keep the "
            "last round: frame[frame['iter'] == frame['iter'].max()]"
        )


def _candidates(table: ScoreTable) -> list[str]:
    """Name each candidate by the settings that vary, else by `params` or whatever names the row."""
    settings = [name for name in table.columns if name.startswith("param_")]
    vary = [name for name in settings if table.columns[name].n_unique() > 1]
    if not vary:
        named = [n for n in table.columns if n == "params" or holds_words(table.columns[n])]
        vary = named[:1]
    cells = {name: as_text(table.columns[name], name).to_list() for name in vary}
    params = [""] * len(table)
    if "params" in table.columns:
        params = [str(one) for one in table.columns["params"].to_list()]
    names = []
    for row in range(len(table)):
        words = []
        for name in vary:
            key, cell = name.removeprefix("param_"), cells[name][row] or ""
            if name in settings and not cell and f"'{key}'" in params[row]:
                cell = "None"  # a setting of this candidate, which a CSV leaves empty
            if cell:
                words.append(f"{key}={cell}" if name in settings else cell)
        text = " ".join(", ".join(words).split())
        names.append((text if len(text) <= LONGEST else text[: LONGEST - 1] + "…") or "candidate")
    return distinct(names)
