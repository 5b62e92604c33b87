"""Results and comparisons as text: one line for `repr`, a block for `str`, scores first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..errors import counted
from ..notes import Note
from ..results.stress import grade_at, notes_at
from . import (
    benchmark_text,
    calibration_lines,
    item_sentences,
    learner_scores,
    scope,
    sentences,
)
from .formatting import bracketed, decimals_for, fixed, pvalue, sentence, terminal
from .group_sentences import group_sentence
from .wrapping import NO_BREAK, laid_out, room, wrapped

if TYPE_CHECKING:
    from ..results.comparison import Comparison
    from ..results.result import Result


LONGEST = 45
"""Pairs, and learners, shown; a larger comparison says how many it left out."""
NUMBERS = 34
"""Columns that an estimate, its interval and p need beside the names of a pair."""
LEVEL = 0.95
"""What `repr` shows; ask the result for any other level."""

Rows = list[tuple[str, str]]


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
        what = f"{first} vs. {second} (positive: {first} is better)"
    return f"<{result.method.name}: {what} = {size}, {found}>"


def block(
    result: Result,
    alpha: float = 0.05,
    level: float | None = None,
    rope: float | None = None,
    *,
    width: int | None = None,
) -> str:
    """Return scores, effect, interval, test, verdict, notes: always in this order."""
    rows = [*_judged(result, alpha, level, rope), *_notes(notes_at(result, alpha))]
    return laid_out(heading(result), rows, width)


def comparison(
    shown: Comparison,
    alpha: float = 0.05,
    level: float | None = None,
    rope: float | None = None,
    *,
    width: int | None = None,
    notes: Sequence[Note] | None = None,
) -> str:
    """Return the scores of every learner, then the judgement, what it applies to, and notes.

    Of two learners: effect, interval, test, verdict. Of more: the test, a line for each pair
    (estimate, interval, adjusted p, verdict), and the groups. `notes` are said instead of its own.
    """
    if shown.n_pairs == 1:
        from ..results import assumptions

        pair = shown[shown.pair_names[0]]
        rows = _judged(pair, alpha, level, rope)
        own = assumptions.notes_at(shown, pair.notes, alpha)
    else:
        rows = _family(shown, alpha, level_of(alpha, level), rope, room(width))
        own = shown.notes_at(alpha)
    rows += [
        *(() if shown.benchmark is None else benchmark_text.lines(shown, alpha, rope)),
        ("scope", scope.estimand(shown)),
        *(item_sentences.lines(shown) if getattr(shown.scores, "measured", None) else ()),
        ("power", scope.detectable(shown, alpha)),
        ("runs", _single_runs(shown, alpha, rope)),
        ("metrics", learner_scores.metric_line(shown)),
        *_notes(own if notes is None else notes),
    ]
    return laid_out(heading(shown), rows, width)


def heading(shown: Result | Comparison) -> str:
    """Say who is compared, in which metric, and how the data were split."""
    pair: Any = shown
    if hasattr(pair, "pairs") and pair.n_pairs == 1:
        pair = pair[pair.pair_names[0]]
    if not hasattr(pair, "pairs"):
        who = sentences.heading(pair)
    elif pair.control is None:
        who = counted(len(pair.names), "learner")
    else:
        who = f"{counted(pair.n_pairs, 'learner')} vs. {terminal(pair.control)}"
    return f"{who}: {learner_scores.measured(shown)}"


def _scores(shown: Any) -> Rows:
    """Return how each learner scored; of p-values, how many there are."""
    found = shown.performances() if callable(shown.performances) else shown.performances
    if not found:
        return [("p-values", f"{shown.n:,}")] if shown.metric == "p-value" else []
    labels = [learner_scores.label(found)]
    several = getattr(shown, "benchmark", None) is not None
    ranks = benchmark_text.mean_ranks(shown) if several else None
    families = several and shown.benchmark.families is not None
    lines = learner_scores.lines(found, LONGEST, ranks, families=families)
    return list(zip([*labels, *[""] * len(lines)], lines, strict=False))


def _judged(result: Result, alpha: float, level: float | None, rope: float | None) -> Rows:
    """Return scores, effect, interval, test and verdict of one result."""
    return [
        *_scores(result),
        ("effect", sentences.effect(result)),
        ("interval", sentences.interval_line(result, level_of(alpha, level), rope)),
        ("test", sentences.test_line(result, rope)),
        ("verdict", str(result.verdict(alpha, rope))),
        *calibration_lines.lines(result, alpha),
    ]


def _notes(notes: Sequence[Note]) -> Rows:
    return [("note" if at == 0 else "", sentence(str(note))) for at, note in enumerate(notes)]


def _family(shown: Comparison, alpha: float, level: float, rope: float | None, wide: int) -> Rows:
    """Return the scores, the test, every pair and the groups."""
    rows = shown.rows(level=level, alpha=alpha, rope=rope)
    found = scope.intervals_of(shown, level)
    limits = sentences.limits_of(shown, rope)
    pairs = [_pair(shown, *both, limits, rope) for both in zip(rows, found, strict=True)][:LONGEST]
    lines = _aligned(pairs, wide)
    if len(rows) > LONGEST:
        lines.append(f"… and {counted(len(rows) - LONGEST, 'more pair')}")
    about = [
        sentences.not_the_mean(shown),
        wider(shown, rows, found),
        sentences.posterior_errors(rows),
    ]
    if not any(found) and shown.method.has_interval:
        about.append(sentences.capital(f"{sentences.no_interval(shown, level)}."))
    way = sentences.direction(shown)
    return [
        *_scores(shown),
        ("omnibus", "" if shown.benchmark is None else benchmark_text.omnibus(shown)),
        ("test", _test(shown, alpha, level, rope, has=any(found))),
        *(("pairs" if at == 0 else "", one) for at, one in enumerate(lines)),
        ("", way and f"{sentences.capital(way)}."),
        *(("", one) for one in about),
        *calibration_lines.of_family(shown),
        ("groups", group_sentence(shown, alpha, rope)),
    ]


def _test(shown: Comparison, alpha: float, level: float, rope: float | None, *, has: bool) -> str:
    """Say the test of several pairs, how p-values are adjusted, and what its intervals are."""
    values = "value" if shown.n == 1 else "values"
    pairs = f"{counted(shown.n_pairs, 'pair')} of {scope.span(shown)} {values}"
    ends = sentences.interval_heading(shown, level, many=True) if has else "no intervals"
    how = f"p-values {scope.adjustment(shown)}, {ends}"
    if not shown.method.has_pvalue:
        same = "" if rope is None else f"P(equivalent within ±{rope:g}) / "
        how = f"P(better) / {same}P(worse), not adjusted"
    about = f"{how}{sentences.of_classes(shown)}"
    return f"{shown.method.title}, {pairs}, {about}; evidence: {grade_at(shown, alpha)}"


def _aligned(pairs: list[tuple[str, str]], wide: int) -> list[str]:
    """Return who and how much in two columns, or below each other where that is too wide."""
    first, second = (max(map(len, column)) for column in zip(*pairs, strict=True))
    if first + 2 + second <= wide:
        return [f"{who:<{first}}  {size}" for who, size in pairs]
    lines: list[str] = []
    if first + 2 + NUMBERS <= wide:
        for who, size in pairs:
            for joint in (", +", ", −", "no decision"):
                size = size.replace(joint, joint.replace(" ", NO_BREAK))
            start, *rest = wrapped(size, wide - first - 2)
            lines += [f"{who:<{first}}  {start}", *(f"{'':<{first}}  {part}" for part in rest)]
        return lines
    for who, size in pairs:
        lines += [f"{who} {size}"] if len(who) + 1 + len(size) <= wide else [who, f"  {size}"]
    return lines


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


def _pair(
    shown: Comparison,
    row: dict[str, Any],
    interval: tuple[float, float] | None,
    limits: tuple[float, ...],
    rope: float | None,
) -> tuple[str, str]:
    """Return who was found to be better, and by how much."""
    first, second = (terminal(name) for name in row["names"])
    digits = decimals_for(row["stderr"], row["estimate"])
    size = fixed(row["estimate"], digits, sign=True)
    if interval is not None:
        size += f" {bracketed(interval, digits, *limits, sign=True)}"
    size += "" if shown.benchmark is None else benchmark_text.counts(shown, row)
    odds = row.get("posterior")
    if odds is None:
        size += f", {pvalue(row['adjusted'], row['log_adjusted'])}"
    else:
        names = ("better", "worse") if rope is None else ("better", "equivalent", "worse")
        size += ", " + " / ".join(sentences.posterior_number(odds[n]).lstrip("= ") for n in names)
    if shown.alternative != "two-sided":
        size += f" ({shown.alternative})"
    if row["verdict"] != "no decision":
        return f"{sentences.decided(first, second, row['verdict'], rope)}:", size
    fine = f"; {first} is not worse by more than {rope:g}" if row["not_worse"] else ""
    return f"{first} vs. {second}:", f"{size}, no decision{fine}"


def _single_runs(shown: Comparison, alpha: float, rope: float | None) -> str:
    """Say how often a single repeat or partition would have given another verdict."""
    from ..results.robustness import is_small

    runs = shown.robustness(alpha, rope) if is_small(shown) else ()
    if not runs:
        return ""
    if len(runs) == 1:
        return " ".join(runs[0].sentences()[:1])
    n, otherwise = sum(run.n for run in runs), sum(run.otherwise for run in runs)
    unit = runs[0].unit
    if not otherwise:
        return f"Each of the {runs[0].n} {unit}s alone gives the same verdict on every pair."
    return f"Single {unit}s would give a different verdict in {otherwise} of {n} cases."
