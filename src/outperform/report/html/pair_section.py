"""The pairs: a table with what it is sorted by and intervals drawn small, and all as a matrix."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from .. import scope, sentences
from ..figures.svg import Sheet, figure_of
from ..formatting import (
    Row,
    bracketed,
    decimals_for,
    estimate_text,
    fixed,
    p_number,
    terminal,
    turned,
)
from ..text import wider
from . import PageOptions

if TYPE_CHECKING:
    from ...results.comparison import Comparison


TONES = {"outperforms": "win", "outperformed": "loss", "equivalent": "same", "no decision": "idle"}
ROWS = 500
"""Pairs in the table: beyond, a page is too large to read."""
MATRIX = 12
"""Up to so many learners the matrix of pairs can be read."""


def pair_section(
    shown: Comparison, rows: list[Row], better: list[Row], options: PageOptions, sheet: Sheet
) -> dict[str, Any]:
    """Return what the template needs of the pairs; `better` has them with the better one first."""
    low, high = _scale(better)
    digits, limits = digits_of(rows), sentences.limits_of(shown, options.rope)
    if len(better) > ROWS:  # those with the smallest p-values
        better = sorted(better, key=_log_p)[:ROWS]
    return {
        "matrix": _matrix(shown, options, sheet),
        "pairs_title": "The pair" if len(rows) == 1 else f"All {len(rows)} pairs",
        "pairs_caption": _caption(shown, rows, options),
        "interval_words": sentences.capital(sentences.interval_heading(shown, options.level)),
        "difference_words": ", ".join(filter(None, ("Difference", shown.method.centre))),
        "p_words": "Adjusted p" if _is_adjusted(shown) else "p",
        "scale": {end: fixed(at, digits, sign=True) for end, at in (("low", low), ("high", high))},
        "rows": [cells(row, low, high, digits, *limits) for row in better],
    }


def _is_adjusted(shown: Comparison) -> bool:
    return shown.n_pairs > 1 and shown.adjust != "none"


def _log_p(row: Row) -> float:
    return math.inf if row["log_adjusted"] is None else float(row["log_adjusted"])


def _caption(shown: Comparison, rows: list[Row], options: PageOptions) -> str:
    """Say what the numbers are, which side a positive one favours, and what holds of intervals."""
    way = sentences.direction(shown, "the first")
    said = ["First minus second; positive means the first is better."]
    if way:
        said = [f"First compared with second: {way}."]
    said.append(sentences.not_the_mean(shown))
    adjusted, has = _is_adjusted(shown), any(row["low"] is not None for row in rows)
    if adjusted:
        said.append(f"p-values are {scope.adjustment(shown)}.")
    if has and sentences.alone_of(shown):
        said.append("Each interval is for this pair alone, not adjusted.")
    if has and not shown.method.interval_inverts:
        said.append(sentences.DIFFERENT_FORMULAS)
    else:
        held = [None if row["low"] is None else (row["low"], row["high"]) for row in rows]
        said.append(wider(shown, rows, held))
    if not has:
        said.append(sentences.capital(f"{sentences.no_interval(shown, options.level)}."))
    if len(rows) > ROWS:
        said.append(
            f"The {ROWS} pairs with the smallest p-values are shown; comparison.to_frame() has "
            f"all {len(rows):,}."
        )
    if options.rope is not None:
        said.append(f"Equivalent means within ±{options.rope:g}.")
    return " ".join(filter(None, said))


def _matrix(shown: Comparison, options: PageOptions, sheet: Sheet) -> Any:
    if not 2 < len(shown.names) <= MATRIX or shown.control is not None:
        return None
    alt = f"Matrix of {len(shown.names)} learners; the table of pairs holds the same numbers."
    what = f", {shown.method.centre}" if shown.method.centre else ""
    deeper = "A deeper colour is a larger difference; ▲ and ▼ mark significant ones."
    caption = f"Row minus column{what}. {deeper}"
    return figure_of(shown, "matrix", alt, caption, sheet, level=options.level)


def better_first(row: Row) -> Row:
    """Return the pair turned so that its estimate is not negative."""
    return row if row["estimate"] is None or row["estimate"] >= 0 else turned(row)


def _scale(rows: list[Row]) -> tuple[float, float]:
    """Return the ends of the drawings, the same for every row."""
    values = [row[key] for row in rows for key in ("estimate", "low", "high")]
    limits = [0.0, *(value for value in values if value is not None and math.isfinite(value))]
    return (min(limits), max(limits)) if max(limits) > min(limits) else (-1.0, 1.0)


def digits_of(rows: list[Row]) -> int:
    """Return the decimals of the whole table: those of its middle standard error."""
    known = sorted(row["stderr"] for row in rows if row["stderr"])
    middle = known[len(known) // 2] if known else None
    return decimals_for(middle, *(row["estimate"] for row in rows))


def cells(row: Row, low: float, high: float, digits: int, *limits: float) -> dict[str, Any]:
    """Return the words of one row and the values its columns are sorted by."""
    interval, width = "–", ""
    if row["low"] is not None and row["high"] is not None:
        interval = bracketed((row["low"], row["high"]), digits, *limits, sign=True)
        width = _value(row["high"] - row["low"])
    tone = TONES[row["verdict"]]
    return {
        "first": terminal(row["names"][0]),
        "second": terminal(row["names"][1]),
        "estimate": estimate_text(row, digits),
        "estimate_value": _value(row["estimate"]),
        "interval": interval,
        "width": width,
        "glyph": _glyph(row, low, high, tone),
        "p": "–" if row["adjusted"] is None else p_number(row["adjusted"]),
        "p_value": _value(row["log_adjusted"]),
        "verdict": row["verdict"],
        "tone": tone,
    }


def _value(number: float | None) -> str:
    """Return what a column is sorted by, in as few digits as keep its order."""
    return "" if number is None or not math.isfinite(number) else f"{number:.4g}"


def _glyph(row: Row, low: float, high: float, tone: str) -> Any:
    """Return the interval as a tiny drawing; its numbers stand in the cell before."""
    from markupsafe import Markup

    def at(value: float) -> str:
        share = (min(max(value, low), high) - low) / (high - low)
        return f"{4 + 112 * share:.0f}"

    bar = ""
    if row["low"] is not None and row["high"] is not None:
        bar = f'<path d="M{at(row["low"])} 7H{at(row["high"])}"/>'
    return Markup(
        f'<svg class={tone} aria-hidden=true><path class=z d="M{at(0)} 0v14"/>{bar}'
        f"<circle cx={at(row['estimate'])} cy=7 r=3.4 /></svg>"
    )
