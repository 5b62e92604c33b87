"""What stands in each section of the page: figures with their words, tables, notes."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from ..notes import NOTES
from . import figures, pair_table, prose
from .clean import sentence, terminal
from .figures.estimation import reference_of
from .figures.svg import Sheet, framed
from .headline import adjustment
from .numbers import decimals_for, ends, fixed
from .text import wider

if TYPE_CHECKING:
    from ..results.comparison import Comparison

__all__ = ["Asked", "everything"]

_IDS = re.compile(
    r",? ?\(?\b(?:[DBRNF]-\d+|E-\w+)(?:(?:, | to | and )(?:[DBRNF]-\d+|E-\w+))*\b(\))?"
)

Row = dict[str, Any]
PANELS = 6
"""Pairs in a figure of panels; the table beside it holds them all."""
TABLED = 60
"""Pairs in the table of single runs: those that agree least."""
SPOKEN = 8
"""Pairs that the text beside a figure spells out for those who do not see it."""
LETTERS = 60
"""Groups that get a letter."""
ROWS = 500
"""Pairs, and learners, in the tables: beyond, a page is too large to read."""
MATRIX = 12
"""Up to so many learners the matrix of pairs can be read."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the reader asked the comparison with."""

    alpha: float
    level: float
    rope: float | None


def everything(shown: Comparison, rows: list[Row], asked: Asked, sheet: Sheet) -> dict[str, Any]:
    """Return all that the template needs but the frame of the page."""
    better_first = rows if shown.control is not None else list(map(pair_table.better_first, rows))
    percent = f"{100 * asked.level:.4g} %"
    one = len(rows) == 1
    low, high = pair_table.scale(better_first)
    digits = pair_table.digits_of(rows)
    adjusted = one or shown.adjust == "none"
    together = "" if adjusted else " p-values are adjusted for the family."
    has = any(row["low"] is not None for row in rows)
    if not adjusted and has:
        together = " p-values are adjusted for the family; intervals hold together."
    if has and not shown.method.interval_inverts:
        together += (
            " Intervals are made by another formula than the test: one may leave out 0 where p is "
            "not below α, or hold it where p is."
        )
    elif not adjusted and has and shown.law is None and shown.adjust != "bonferroni":
        author = adjustment(shown).removeprefix("adjusted by ")
        together += (
            f" They are Bonferroni's, wider than {author} needs: one may hold 0 though p < α."
        )
    else:
        held = [None if row["low"] is None else (row["low"], row["high"]) for row in rows]
        odd = wider(shown, rows, held)
        together += odd and f" {odd}"
    if not has:
        why = prose.no_interval(shown, asked.level)
        together += f" {why[0].upper()}{why[1:]}."
    limits = prose.limits_of(shown, asked.rope)
    rope = "" if asked.rope is None else f" Equivalent: within ±{asked.rope:g}."
    if len(rows) > ROWS:
        together += (
            f" Shown are the {ROWS} pairs with the smallest p-values; comparison.to_frame() has "
            f"all {len(rows):,}."
        )
    return {
        "estimand": shown.estimand(),
        "metric": terminal(shown.metric),
        "estimation": _estimation(shown, better_first, asked, sheet),
        "matrix": _matrix(shown, asked, sheet),
        "pairs_title": "The pair" if one else f"All {len(rows)} pairs",
        "pairs_caption": f"{_direction(shown)}{together}{rope}",
        "level_words": percent,
        "difference_words": ", ".join(filter(None, ("Difference", shown.method.centre))),
        "p_words": "p" if adjusted else "Adjusted p",
        "scale": {end: fixed(at, digits, sign=True) for end, at in (("low", low), ("high", high))},
        "rows": [pair_table.cells(row, low, high, digits, *limits) for row in _shown(better_first)],
        "groups": _groups(shown, asked),
        "robustness": _robustness(shown, asked, sheet),
        "methods_text": shown.methods_text(level=asked.level, alpha=asked.alpha),
        "bibtex": shown.bibtex(),
        "accounts_for": _accounts_for(shown),
        "notes": [_note(note) for note in shown.notes_at(asked.alpha)],
        "qq": _qq(shown, sheet),
    }


def _shown(rows: list[Row]) -> list[Row]:
    """Return all rows, or of too many those with the smallest p-values."""
    if len(rows) <= ROWS:
        return rows
    unknown = math.inf
    return sorted(
        rows, key=lambda row: unknown if row["log_adjusted"] is None else row["log_adjusted"]
    )[:ROWS]


def _direction(shown: Comparison) -> str:
    """Say what the numbers of the table of pairs are, and which side a positive one favours."""
    way = prose.direction(shown, "the first")
    said = "First minus second, positive where the first is better."
    if way:
        said = f"By how much the first is better than the second: {way}."
    return " ".join(filter(None, (said, prose.not_the_mean(shown))))


def _figure(
    shown: Any, kind: str, alt: str, caption: str, sheet: Sheet, **options: Any
) -> dict[str, Any]:
    draw = partial(figures.draw, shown, kind, theme="page", **options)
    made = framed(lambda width: draw(width=width), sheet, kind, sentence(alt), caption)
    return {"figure": made}


def _plain(text: str) -> str:
    """Return words without the numbers of requirements, which say nothing to a reader."""

    def cut(found: re.Match[str]) -> str:
        opened, closed = "(" in found[0], found[0].endswith(")")
        return "" if opened == closed else ")" if closed else "("

    return _IDS.sub(cut, text)


def _sentence(shown: Comparison, row: Row, asked: Asked) -> str:
    first, second = (terminal(name) for name in row["names"])
    digits = decimals_for(row["stderr"], row["estimate"])
    size = fixed(row["estimate"], digits, sign=True)
    interval = ""
    if row["low"] is not None and row["high"] is not None:
        limits = prose.limits_of(shown, asked.rope)
        low, high = ends(row["low"], row["high"], digits, *limits, sign=True)
        interval = f", {100 * asked.level:.4g} % interval {low} to {high}"
    return f"{prose.joined(shown, first, second)}: {size}{interval}, {row['verdict']}."


def _spoken(shown: Comparison, rows: list[Row], asked: Asked) -> str:
    said = [_sentence(shown, row, asked) for row in rows[:SPOKEN]]
    if len(rows) > SPOKEN:
        said.append(f"The table below holds all {len(rows)} pairs.")
    return " ".join(said)


def _estimation(
    shown: Comparison, rows: list[Row], asked: Asked, sheet: Sheet
) -> dict[str, Any] | None:
    if not shown.method.has_interval and shown.scores is None:
        return None
    options = {"level": asked.level, "rope": asked.rope}
    band = "" if asked.rope is None else " The grey band is the region of equivalence."
    if shown.scores is None or shown.scores.n_splits < 2:
        caption = f"Estimates and intervals; a hollow mark is a pair that was not decided.{band}"
        alt = f"Intervals of the differences. {_spoken(shown, rows, asked)}"
        found = _figure(shown, "intervals", alt, caption, sheet, **options)
        return {**found, "title": "The differences"}
    has = any(row["low"] is not None for row in rows)
    centre = shown.method.centre
    means = ", ".join(
        f"{terminal(name)} {shown.scores.values[i].mean():.4g}"
        for i, name in enumerate(shown.names[:20])
    )
    if len(shown.names) == 2:
        alt = f"Scores of both learners and their difference. Means: {means}. "
        each = "dataset" if shown.method.layout == "datasets" else "split"
        what = f"{centre} of the differences, not the difference of the means" if centre else (
            "difference of the first split" if shown.method.first_counts else "mean difference"
        )  # fmt: skip
        bar = ", the bar its interval" if has else ""
        shape = ", the shape how confidence is spread" if has and not centre else ""
        caption = (
            f"Each dot is the score of one {each}; a thin line joins the two scores of a {each}, a "
            f"thick one is a mean. The dot on the right is the {what}{bar}{shape}.{band} Means: "
            f"{means}."
        )
    else:
        whom = terminal(reference_of(shown))
        alt = f"Scores of all learners and their differences from {whom}. Means: {means}. "
        held = " with simultaneous intervals" if has and shown.family_size > 1 else ""
        what = f"{centre} of the differences" if centre else "difference"
        caption = (
            f"Left, every score and its mean; right, the {what} from {whom}{held}. A hollow "
            f"mark is not told apart from it.{band}"
        )
        reference = reference_of(shown)
        rows = [row for row in rows if reference in row["names"]]
    alt += _spoken(shown, rows, asked)
    found = _figure(shown, "estimation", alt, caption, sheet, **options)
    return {**found, "title": "Scores and differences"}


def _matrix(shown: Comparison, asked: Asked, sheet: Sheet) -> dict[str, Any] | None:
    if not 2 < len(shown.names) <= MATRIX or shown.control is not None:
        return None
    alt = f"Matrix of {len(shown.names)} learners; the table of pairs holds the same numbers."
    what = f", {shown.method.centre}" if shown.method.centre else ""
    deeper = "The deeper the colour the larger the difference; bold is decided."
    caption = f"Row minus column{what}. {deeper}"
    return _figure(shown, "matrix", alt, caption, sheet, level=asked.level)


def _groups(shown: Comparison, asked: Asked) -> dict[str, Any] | None:
    if len(shown.names) == 2:
        return None
    learners: list[dict[str, Any]] = []
    groups = shown.groups(asked.alpha)
    some = ""
    if len(groups) > LETTERS:
        some = f" Shown are {LETTERS} of {len(groups):,} groups; comparison.groups() has them all."
        groups = groups[:LETTERS]
    against = {}
    if shown.control is not None:
        found = shown.against_control(asked.alpha)
        against = {name: word for word, names in found.items() for name in names}
    order = shown.order()
    if len(order) > ROWS:
        some += f" Shown are the first {ROWS} of {len(order):,} learners."
    for position in order[:ROWS]:
        name = shown.names[position]
        marks = [_letter(i) if name in group else "" for i, group in enumerate(groups)]
        words = "" if shown.control is None else against.get(name, "control")
        learners.append(
            {"name": terminal(name), "mean": _mean(shown, position), "letters": marks,
             "words": words}
        )  # fmt: skip
    apart = shown.scores is not None and shown.scores.n_splits > 0
    if shown.control is not None:
        return {
            "title": "Beside the control", "learners": learners, "means": apart,
            "words": "Learners were compared with the control only, not with each other.",
            "caption": f"Learners by estimate; the order alone decides nothing.{some}",
            "column": "Beside the control",
        }  # fmt: skip
    return {
        "title": "Who is not told apart",
        "words": "Learners that share a letter are not told apart. Groups may overlap: that a and "
        "b, and b and c, are not told apart does not make a and c the same.",
        "caption": f"Learners by estimate, groups at {prose.held_at(shown, asked.alpha)}.{some}",
        "column": "Not told apart",
        "learners": learners,
        "means": apart,
    }


def _letter(position: int) -> str:
    return chr(ord("A") + position) if position < 26 else str(position + 1)


def _mean(shown: Comparison, position: int) -> str:
    if shown.scores is None:
        return ""
    values = shown.scores.values[shown.scores.index(shown.names[position])]
    spread = float(values.std(ddof=1)) if values.size > 1 else 0.0
    return fixed(float(values.mean()), min(decimals_for(spread / math.sqrt(values.size)), 6))


def _robustness(shown: Comparison, asked: Asked, sheet: Sheet) -> dict[str, Any]:
    from ..results.robustness import why_none

    found = shown.robustness(asked.alpha, asked.rope)
    if not found:
        return {"words": f"That cannot be told here: {why_none(shown)}.", "figure": None}
    first = found[0]
    settled = sum(not one.otherwise for one in found)
    flips = sum(one.flips for one in found)
    if len(found) == 1:
        words = _plain(first.sentences()[0])
    else:
        words = (
            f"On {settled} of {len(found)} pairs every single {first.unit} says what all "
            f"{first.n} say together; on {flips} either learner wins on some {first.unit}."
        )
    least = figures.least_settled(found)
    alt = "Sorted significance. " + " ".join(_plain(one.sentences()[0]) for one in least[:PANELS])
    over = "" if shown.family_size == 1 else f" over {shown.family_size} pairs"
    some = "" if len(found) <= PANELS else f" Shown are the {PANELS} pairs that agree least."
    where = {
        "two-sided": "Above the band the first learner is better at {}, below it the second",
        "greater": "Above the band the first learner is better at {}",
        "less": "Below the band the second learner is better at {}",
    }[shown.alternative].format(f"α = {asked.alpha:g}{over}")
    counted = "the verdicts that were counted" if asked.rope is None else "who wins"
    caption = (
        f"One dot for each {first.unit}, judged alone, in order. {where}; colours are {counted}, "
        f"an arrow lies beyond the axis.{some}"
    )
    figure = _figure(
        shown, "sorted", alt, caption, sheet, level=1 - asked.alpha, most=PANELS, runs=found
    )
    return {
        "words": words,
        "figure": figure,
        "sentences": [_plain(said) for said in first.sentences()] if len(found) == 1 else [],
        "n": first.n,
        "unit": first.unit,
        "method": first.method,
        "rope": asked.rope is not None,
        "rows": [
            {
                "first": terminal(one.names[0]),
                "second": terminal(one.names[1]),
                "better": one.verdicts["first better"],
                "open": one.verdicts["no decision"],
                "worse": one.verdicts["second better"],
                "same": None if asked.rope is None else one.verdicts["equivalent"],
                "R": f"{one.replicability:.2f}",
            }
            for one in least[:TABLED]
        ],
        "left_out": max(len(found) - TABLED, 0),
    }


def _qq(shown: Comparison, sheet: Sheet) -> dict[str, Any] | None:
    scores = shown.scores
    if scores is None or scores.n_splits < 5 or len(set(scores.datasets or ())) > 1:
        return None
    most = PANELS if shown.n_pairs <= PANELS else PANELS // 2
    some = "" if shown.n_pairs <= most else f" The first {most} pairs are shown."
    caption = (
        "Differences of the splits, standardised, against normal quantiles: near the line they are "
        f"near normal. Splits share data, so this is a look, not a test.{some}"
    )
    alt = "Quantiles of the differences against those of the normal law."
    return _figure(shown, "qq", alt, caption, sheet, most=most)


def _accounts_for(shown: Comparison) -> str:
    known = shown.method.accounts_for
    if not known:
        return "This test accounts for none of the four sources of variation."
    listed = known[0] if len(known) == 1 else f"{', '.join(known[:-1])} and {known[-1]}"
    return f"This test accounts for variation of {listed}. {_plain(shown.method.advice)}".strip()


def _note(note: Any) -> dict[str, str]:
    entry = NOTES[note.code]
    return {
        "code": note.code,
        "severity": note.severity,
        "text": sentence(note.text),
        "explanation": _plain(entry.explanation),
    }
