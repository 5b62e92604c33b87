"""A result as text: one line for `repr`, a block for `str`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import prose
from .clean import terminal
from .numbers import decimals_for, fixed, pvalue

if TYPE_CHECKING:
    from ..families import Comparison
    from ..result import Result

__all__ = ["block", "comparison", "line"]

LONGEST = 45
"""Pairs shown; a larger comparison says how many it left out."""
LEVEL = 0.95
"""What `repr` and `str` show; ask the result for any other level."""


def line(result: Result) -> str:
    """Return one line: method, sides, estimate, interval, p."""
    first, second = prose.sides(result)
    paired = result.names[1] is not None
    digits = decimals_for(result.stderr, result.estimate)
    interval = result.interval(LEVEL)
    ends = ""
    if interval is not None:
        ends = " [" + ", ".join(fixed(end, digits, sign=paired) for end in interval) + "]"
    size = fixed(result.estimate, digits, sign=paired)
    found = pvalue(result.pvalue, result.log_pvalue)
    what = f"{first} − {second}" if paired else first
    return f"<{result.method.name}: {what} = {size}{ends}, {found}>"


def block(result: Result) -> str:
    """Return effect, interval, test, verdict, notes: always in this order."""
    design = "" if result.design is None else f", {result.design.describe()}"
    rows = [
        ("effect", prose.effect(result)),
        ("interval", prose.interval_line(result, LEVEL)),
        ("test", prose.test_line(result)),
        ("verdict", result.verdict(1 - LEVEL).sentence),
    ]
    rows += [("note" if i == 0 else "", terminal(str(n))) for i, n in enumerate(result.notes)]
    head = f"{prose.heading(result)} ({result.n} values{design})"
    return "\n".join([head, *(f"  {name:<9} {words}".rstrip() for name, words in rows)])


def comparison(shown: Comparison) -> str:
    """Return one line for each pair (estimate, interval, adjusted p, verdict), then the groups."""
    rows = shown.rows(level=LEVEL, alpha=1 - LEVEL)
    head = (
        f"{len(shown.names)} learners, {shown.n_pairs} pairs, {shown.n} values: "
        f"{shown.method.title}, family adjusted by {shown.adjust}, "
        f"intervals that hold together at {LEVEL:g}"
    )
    lines = [_pair_line(row) for row in rows[:LONGEST]]
    if len(rows) > LONGEST:
        lines.append(f"  … and {len(rows) - LONGEST} more pairs")
    groups = " ".join(
        "{" + ", ".join(terminal(name) for name in group) + "}" for group in shown.groups(1 - LEVEL)
    )
    notes = [f"  note: {terminal(str(note))}" for note in shown.notes]
    return "\n".join([head, *lines, f"  not told apart, best first: {groups}", *notes])


def _pair_line(row: dict[str, Any]) -> str:
    first, second = (terminal(name) for name in row["names"])
    digits = decimals_for(row["stderr"], row["estimate"])
    size = fixed(row["estimate"], digits, sign=True)
    ends = ""
    if row["low"] is not None and row["high"] is not None:
        ends = f" [{fixed(row['low'], digits, sign=True)}, {fixed(row['high'], digits, sign=True)}]"
    return f"  {first} − {second}: {size}{ends}, {pvalue(row['adjusted'])}: {row['verdict']}"
