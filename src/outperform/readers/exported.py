"""Files that a store exported: names as they were, and the design that made the scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..columns import shown
from ..designs import parse
from ..errors import DataError
from .tables import Table

if TYPE_CHECKING:
    import polars as pl

__all__ = ["COLUMNS", "HEADER", "harmless", "known_of", "unquoted"]

COLUMNS = ("learner", "partition", "repeat", "fold", "score", "n_train", "n_test", "metric", "seed",
           "design", "greater_is_better")  # fmt: skip
"""A file with exactly these columns was exported."""
HEADER = ",".join(COLUMNS).encode()
TEXTS = ("learner", "metric")
FORMULA = tuple("=+-@\t\r\n＝＋－＠")  # full-width ones count too
"""A spreadsheet runs cells that begin so."""
NAMED = 5


def harmless(text: str) -> str:
    """Put a quote before text that a spreadsheet would run.

    Text that begins with quotes before such a character gets one more, so that `_plain` is exact.
    """
    return f"'{text}" if _runs(text) else text


def _plain(text: str) -> str:
    """Take away the quote that `harmless` put there."""
    return text[1:] if text.startswith("'") and _runs(text) else text


def _runs(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return text.lstrip("'").startswith(FORMULA)
    return False


def unquoted(frame: pl.DataFrame) -> pl.DataFrame:
    """Return an exported CSV with the names that the store held; any other file as it is."""
    if tuple(frame.columns) != COLUMNS:
        return frame
    columns = []
    for name in TEXTS:
        texts = frame[name].unique().drop_nulls().to_list()
        columns.append(frame[name].replace({text: _plain(text) for text in texts}))
    return frame.with_columns(columns)


def known_of(table: Table, name: str, asked: Mapping[str, Any]) -> tuple[Table, dict[str, Any]]:
    """Return an exported table as one of scores, and what it says of itself; {} of any other."""
    if tuple(table.columns) != COLUMNS:
        return table, {}
    known: dict[str, Any] = {}
    designs, greater = (
        table.columns[column].unique().drop_nulls().to_list()
        for column in ("design", "greater_is_better")
    )
    if len(designs) == 1 and designs[0]:
        known["design"] = designs[0]
        if asked.get("design") is not None and parse(asked["design"]) != parse(designs[0]):
            raise DataError(
                f"{name} was exported from a run of {designs[0]}, not of {asked['design']}. Leave "
                "the design out"
            )
    if len(greater) == 1:
        known["lower_is_better"] = str(greater[0]).lower() == "false"
    if not asked.get("drop_incomplete"):
        _check_whole(table, name)
    columns = {key: table.columns[key] for key in COLUMNS[:-2]}
    return Table(columns, table.place, table.most_scores), known


def _check_whole(table: Table, name: str) -> None:
    """Refuse scores that were exported while fits were missing, naming these."""
    import polars as pl

    empty = table.columns["score"].cast(pl.String).fill_null("").str.strip_chars() == ""
    gaps = empty.arg_true().to_list()
    if not gaps:
        return
    where = [
        f"{shown(table.columns['learner'][row])} at "
        f"({', '.join(str(table.columns[axis][row]) for axis in COLUMNS[1:4])})"
        for row in gaps[:NAMED]
    ]
    more = f" and {len(gaps) - NAMED:,} more" if len(gaps) > NAMED else ""
    raise DataError(
        f"incomplete: {name} lacks {len(gaps):,} of {len(table):,} scores: {', '.join(where)}"
        f"{more} (partition, repeat, fold). Run these fits and export again, or leave their splits "
        "out for every learner: drop_incomplete=True"
    )
