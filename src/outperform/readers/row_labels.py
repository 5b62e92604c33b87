"""Labels of rows: names of datasets without a heading, and rows that are no items."""

from __future__ import annotations

from dataclasses import replace

from ..errors import DataError, argument
from .column_names import ADDRESS, is_unnamed, normal, role_of, shown
from .parsing import GLANCE, as_numbers, holds_words
from .recognition import FileLayout
from .score_table import ScoreTable

FEWEST = 3
NUMBERED = r"(?i)fold|split|run|seed|rep|trial|iter|sample|boot|cv|batch|day|week|[0-9]{4}-[0-9]{2}"
"""Labels of splits, items or times: no names of datasets."""

SHORT = {"y", "label", "labels", "target", "targets", "truth", "actual", "actuals", "gt", "gold"}
"""Names of true values that a learner may have as well."""


def refuse_doubtful_truth(table: ScoreTable, reading: FileLayout) -> None:
    """Refuse fractions called y where every row is a dataset or a split: y may be a learner."""
    truth = reading.roles.get("y_true", "")
    if reading.layout != "predictions" or "y_true" in reading.given or normal(truth) not in SHORT:
        return
    rows = [n for n in table.columns if role_of(n) in (*ADDRESS, "dataset", "seed")]
    cells = as_numbers(table.columns[truth])
    if not rows or cells is None or len(table) < 2 or table.has_doubles(rows):
        return
    known = cells.cast(float).drop_nulls().drop_nans()
    if bool((known != known.floor()).any()):
        split = role_of(rows[0]) in ADDRESS
        other = f"remove column {shown(rows[0])}" if split else f"pass {argument(y_true=truth)}"
        raise DataError(
            f"column {shown(truth)} may contain the scores of a learner or the true values of "
            f"items, since each row has its own {shown(rows[0])}. If it is a learner, pass "
            f"{argument(layout='wide')}; otherwise {other}"
        )


def as_datasets(table: ScoreTable, reading: FileLayout, said: list[str]) -> FileLayout:
    """Read words that differ in every row of a wide table, without a name, as datasets.

    Fewer rows than columns may be learners: that is asked about.
    """
    taken = {*ADDRESS, "dataset", "family", "seed", "metric"}
    if reading.layout != "wide" or taken & reading.roles.keys() or len(reading.learners) < 2:
        return reading
    if len(table) < len(reading.learners):
        return reading
    for name in filter(is_unnamed, reading.unread):
        cells = table.columns[name]
        if not FEWEST <= len(table) <= GLANCE or not holds_words(cells):
            continue
        if cells.n_unique() < len(cells) or cells.cast(str).str.contains(NUMBERED).any():
            continue
        splits = argument(design=f"{len(table)}xresampled@1/3")
        said.append(
            f"Column {shown(name)} names the rows and was read as dataset; if every row is a "
            f"split, pass the design: {splits}."
        )
        unread = tuple(n for n in reading.unread if n != name)
        roles = {"dataset": name, **reading.roles}
        return replace(reading, roles=roles, unread=unread, given=(*reading.given, "dataset"))
    return reading
