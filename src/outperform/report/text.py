"""Results and comparisons as text: one line for `repr`, a block for `str`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..notes import Note
from . import scope, sentences
from .formatting import bracketed, decimals_for, fixed, pvalue, sentence, terminal

if TYPE_CHECKING:
    from ..results.comparison import Comparison
    from ..results.result import Result


LONGEST = 45
"""Pairs, and groups, shown; a larger comparison says how many it left out."""
LEVEL = 0.95
"""What `repr` shows; ask the result for any other level."""


def level_of(alpha: float, level: float | None = None) -> float:
    """Return the confidence level that is shown beside α, unless another is asked for."""
    return round(1 - alpha, 12) if level is None else level


def line(result: Result) -> str:
    """Return one line: method, sides, estimate, interval, p."""
    first, second = sentences.sides(result)
    paired = result.names[1] is not None
    digits = decimals_for(result.stderr, result.estimate)
    interval = result.interval(LEVEL)
    size = fixed(result.estimate, digits, sign=paired)
    if interval is not None:
        limits = sentences.limits_of(result, None)
        size += f" {bracketed(interval, digits, *limits, sign=paired)}"
    size += result.method.centre and f", {result.method.centre}"
    found = pvalue(result.pvalue, result.log_pvalue)
    what = f"{first} − {second}" if paired else first
    if paired and not result.greater_is_better:
        return f"<{result.method.name}: {first} better than {second} by {size}, {found}>"
    return f"<{result.method.name}: {what} = {size}, {found}>"


def block(
    result: Result,
    alpha: float = 0.05,
    level: float | None = None,
    rope: float | None = None,
    *,
    more: Mapping[str, str] | None = None,
    notes: Sequence[Note] | None = None,
) -> str:
    """Return effect, interval, test, verdict, notes: always in this order.

    `more` are lines to put before the notes; `notes` are said instead of those of the result.
    """
    design = scope.split_by(result, on=", ", by=", ")
    rows = [
        ("effect", sentences.effect(result)),
        ("interval", sentences.interval_line(result, level_of(alpha, level), rope)),
        ("test", sentences.test_line(result)),
        ("verdict", result.verdict(alpha, rope).sentence),
    ]
    rows += [(name, words) for name, words in (more or {}).items() if words]
    notes = result.notes if notes is None else notes
    rows += [("note" if i == 0 else "", sentence(str(n))) for i, n in enumerate(notes)]
    head = f"{sentences.heading(result)} ({sentences.counted(result.n, 'value')}{design})"
    return "\n".join([head, *(f"  {name:<9} {words}".rstrip() for name, words in rows)])


def comparison(
    shown: Comparison,
    alpha: float = 0.05,
    level: float | None = None,
    rope: float | None = None,
) -> str:
    """Return a line for each pair (estimate, interval, adjusted p, verdict), then the groups.

    Below stand what is spoken of, what could have been detected, what single runs say, and notes.
    """
    level = level_of(alpha, level)
    rows = shown.rows(level=level, alpha=alpha, rope=rope)
    found = scope.intervals_of(shown, level)
    limits = sentences.limits_of(shown, rope)
    lines = [_pair_line(shown, *both, limits) for both in zip(rows[:LONGEST], found, strict=False)]
    if len(rows) > LONGEST:
        lines.append(f"  … and {sentences.counted(len(rows) - LONGEST, 'more pair')}")
    about = [_groups(shown, alpha), sentences.not_the_mean(shown), scope.estimand(shown)]
    about += [scope.detectable(shown, alpha)]
    about += [_single_runs(shown, alpha, rope), wider(shown, rows, found)]
    has = any(found)
    if not has and shown.method.has_interval:
        about.append(sentences.capital(f"{sentences.no_interval(shown, level)}."))
    notes = [f"note: {sentence(str(note))}" for note in shown.notes_at(alpha)]
    return "\n".join([_head(shown, level, has), *lines, *(f"  {x}" for x in (*about, *notes) if x)])


def wider(
    shown: Comparison, rows: list[dict[str, Any]], intervals: list[tuple[float, float] | None]
) -> str:
    """Say why an interval and the p-value beside it may seem to disagree, where they do."""
    null = shown.evidence.null
    both = [
        (row["verdict"] in ("outperforms", "outperformed"), end[0] <= null <= end[1])
        for row, end in zip(rows, intervals, strict=True)
        if end and row["verdict"] != "equivalent"
    ]
    if not shown.method.interval_inverts:
        return ""  # a note says that always
    said = []
    if any(decided and holds for decided, holds in both):
        said.append("An interval may contain 0 although p < α: ties and zeros widen it.")
    if sentences.alone_of(shown) and any(not (decided or holds) for decided, holds in both):
        said.append(
            f"Each interval is for this pair alone: it may exclude {null:g} although the adjusted "
            "p ≥ α."
        )
    return " ".join(said)


def _head(shown: Comparison, level: float, has: bool) -> str:
    who = sentences.counted(len(shown.names), "learner")
    if shown.control is not None:
        who = f"{sentences.counted(shown.n_pairs, 'learner')} against {terminal(shown.control)}"
    family = "" if shown.n_pairs == 1 else scope.adjustment(shown)
    together = sentences.interval_heading(shown, level, many=shown.n_pairs > 1)
    without = "no interval" if shown.n_pairs == 1 else "no intervals"
    family = ", ".join(filter(None, (family, together if has else without)))
    counts = f"{sentences.counted(shown.n_pairs, 'pair')}, {sentences.counted(shown.n, 'value')}"
    way = sentences.direction(shown)
    return f"{who}, {counts}: {shown.method.title}, {family}{way and f' ({way})'}"


def _pair_line(
    shown: Comparison,
    row: dict[str, Any],
    interval: tuple[float, float] | None,
    limits: tuple[float, ...],
) -> str:
    first, second = (terminal(name) for name in row["names"])
    digits = decimals_for(row["stderr"], row["estimate"])
    size = fixed(row["estimate"], digits, sign=True)
    if interval is not None:
        size += f" {bracketed(interval, digits, *limits, sign=True)}"
    found = pvalue(row["adjusted"], row["log_adjusted"])
    side = "" if shown.alternative == "two-sided" else f" ({shown.alternative})"
    who = sentences.joined(shown, first, second)
    fine = row["not_worse"] and row["verdict"] == "no decision"
    return f"  {who}: {size}, {found}{side}: {row['verdict']}{', not worse' if fine else ''}"


def _groups(shown: Comparison, alpha: float) -> str:
    """Say who is not told apart from whom, or from the control."""
    if shown.control is None:
        groups = shown.groups(alpha)
        more = f" … and {len(groups) - LONGEST:,} more groups" if len(groups) > LONGEST else ""
        return "not told apart, best first: " + " ".join(map(_braced, groups[:LONGEST])) + more
    found = shown.against_control(alpha)
    told = [
        f"{word} than {terminal(shown.control)}: {_braced(found[word])}"
        for word in ("better", "worse")
        if found[word]
    ]
    if found["undecided"]:
        told.append(f"not told apart from {terminal(shown.control)}: {_braced(found['undecided'])}")
    return "; ".join(told)


def _braced(names: tuple[str, ...]) -> str:
    return "{" + some(names) + "}"


def some(names: tuple[str, ...]) -> str:
    """Return the first names, and how many more there are."""
    more = f" … and {len(names) - scope.NAMED:,} more" if len(names) > scope.NAMED else ""
    return ", ".join(map(terminal, names[: scope.NAMED])) + more


def _single_runs(shown: Comparison, alpha: float, rope: float | None) -> str:
    """Say how often a single repeat or partition would have said otherwise."""
    from ..results.robustness import is_small

    runs = shown.robustness(alpha, rope) if is_small(shown) else ()
    if not runs:
        return ""
    if len(runs) == 1:
        return " ".join(runs[0].sentences()[:1])
    n, otherwise = sum(run.n for run in runs), sum(run.otherwise for run in runs)
    unit = runs[0].unit
    if not otherwise:
        return f"No single {unit} would have said otherwise on any pair."
    return f"Single {unit}s would have said otherwise in {otherwise} of {n} verdicts."
