"""Results as Markdown tables; names may hold anything."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from . import tables
from .clean import terminal

if TYPE_CHECKING:
    from ..results.comparison import Comparison
    from ..results.result import Result

__all__ = ["comparison", "escape", "result"]


def escape(text: str) -> str:
    """Return text that Markdown shows as itself: pipes, backticks, tags, links and emphasis."""
    safe = terminal(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`|*_\[\]~#!])", r"\\\1", safe)


def comparison(shown: Comparison, **options: Any) -> str:
    """Return a table with a row for each pair."""
    return _dress(tables.comparison(shown, **options))


def result(shown: Result, **options: Any) -> str:
    """Return a table of one row."""
    return _dress(tables.result(shown, **options))


def _dress(table: tables.Table) -> str:
    paired = bool(table.rows) and table.rows[0].second is not None
    heads = (
        "pair" if paired else "learner",
        escape(table.metric),
        f"{100 * table.level:.4g}% interval",
        "adjusted p" if table.adjusted else "p",
        "verdict",
    )
    lines = [f"| {' | '.join(heads)} |", "| --- | ---: | ---: | ---: | --- |"]
    lines += [_line(row) for row in table.rows]
    return "\n".join(lines)


def _line(row: tables.Row) -> str:
    pair = (
        escape(row.first) if row.second is None else f"{escape(row.first)} − {escape(row.second)}"
    )
    interval = row.interval  # our own numbers; brackets without a target make no link
    return f"| {pair} | {row.estimate} | {interval} | {escape(row.pvalue)} | {row.verdict} |"
