"""The table of pairs on the page: cells, what they are sorted by, and intervals drawn small."""

from __future__ import annotations

import math
from typing import Any

from .clean import terminal
from .numbers import apart, decimals_for, ends, fixed, pvalue

__all__ = ["better_first", "cells", "digits_of", "estimate", "scale"]

Row = dict[str, Any]
TONES = {"outperforms": "win", "outperformed": "loss", "equivalent": "same", "no decision": "idle"}
TURNED = {"outperforms": "outperformed", "outperformed": "outperforms"}


def better_first(row: Row) -> Row:
    """Return the pair turned so that its estimate is not negative."""
    if row["estimate"] is None or row["estimate"] >= 0:
        return row
    low, high = (None if row[end] is None else -row[end] for end in ("high", "low"))
    verdict = TURNED.get(row["verdict"], row["verdict"])
    turned = {"names": row["names"][::-1], "estimate": -row["estimate"], "low": low, "high": high}
    return {**row, **turned, "verdict": verdict}


def scale(rows: list[Row]) -> tuple[float, float]:
    """Return the ends of the drawings, the same for every row."""
    values = [row[key] for row in rows for key in ("estimate", "low", "high")]
    ends = [0.0, *(value for value in values if value is not None and math.isfinite(value))]
    return (min(ends), max(ends)) if max(ends) > min(ends) else (-1.0, 1.0)


def digits_of(rows: list[Row]) -> int:
    """Return the decimals of the whole table: those of its middle standard error."""
    known = sorted(row["stderr"] for row in rows if row["stderr"])
    middle = known[len(known) // 2] if known else None
    return decimals_for(middle, *(row["estimate"] for row in rows))


def cells(row: Row, low: float, high: float, digits: int, *limits: float) -> dict[str, Any]:
    """Return the words of one row and the values its columns are sorted by."""
    has = row["low"] is not None and row["high"] is not None
    interval, width = "–", ""
    if has:
        interval = ", ".join(ends(row["low"], row["high"], digits, *limits, sign=True))
        interval, width = f"[{interval}]", _value(row["high"] - row["low"])
    tone = TONES[row["verdict"]]
    p = "–" if row["adjusted"] is None else pvalue(row["adjusted"], None)
    return {
        "first": terminal(row["names"][0]),
        "second": terminal(row["names"][1]),
        "estimate": estimate(row, digits),
        "estimate_value": _value(row["estimate"]),
        "interval": interval,
        "width": width,
        "glyph": _glyph(row, low, high, tone),
        "p": p.removeprefix("p = ").removeprefix("p "),
        "p_value": _value(row["log_adjusted"]),
        "verdict": row["verdict"],
        "tone": tone,
    }


def estimate(row: Row, digits: int) -> str:
    """Return the estimate, by its own standard error where the table's would show it as 0."""
    if round(row["estimate"], digits) == 0:
        digits = max(digits, decimals_for(row["stderr"], row["estimate"]))
    shown = fixed if row["verdict"] == "no decision" else apart
    return shown(row["estimate"], digits, sign=True)


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
