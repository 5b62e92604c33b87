"""Labels of rows in a column without a name, as an index that was written to a file."""

from __future__ import annotations

from dataclasses import replace

from ..errors import argument
from .column_names import ADDRESS, is_unnamed, shown
from .parsing import GLANCE, holds_words
from .recognition import FileLayout
from .score_table import ScoreTable

FEWEST = 3
NUMBERED = r"(?i)fold|split|run|seed|rep|trial|iter|sample|boot|cv|batch|day|week|[0-9]{4}-[0-9]{2}"
"""Labels of splits, items or times: no names of datasets."""


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
