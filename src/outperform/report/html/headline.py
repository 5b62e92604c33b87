"""The first thing a reader of the page sees: one verdict, and the numbers that carry it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...errors import counted
from ...results.evidence import same as same_everywhere
from ...results.result import Interval
from ...results.stress import grade_at
from .. import calibration_lines, scope, sentences
from ..formatting import decimals_for, ends, fixed, largest_difference, p_number, terminal
from . import PageOptions

if TYPE_CHECKING:
    from ...results.comparison import Comparison


@dataclass(frozen=True, slots=True)
class Headline:
    """A sentence, what belongs to it, and a few numbers."""

    kicker: str
    verdict: str
    lead: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    tone: str
    """"decided" where at least one pair was, else "open"."""


def headline(shown: Comparison, rows: list[dict[str, Any]], options: PageOptions) -> Headline:
    """Say the verdict on two learners, on many, or on those compared with a control."""
    alpha, level, rope = options.alpha, options.level, options.rope
    verdicts = [row["verdict"] for row in rows]
    decided = sum(word in ("outperforms", "outperformed") for word in verdicts)
    same = verdicts.count("equivalent")
    tone = "decided" if decided or same else "open"
    design = scope.split_by(shown, on=", ", by=", ")
    count = counted(len(shown.names), "learner")
    kicker = f"{count}, {terminal(shown.metric)}{design}"
    if len(rows) == 1:
        row = rows[0]
        return Headline(kicker, _on_two(shown, row, rope), *_one_pair(shown, row, options), tone)
    say = _on_many if shown.control is None else _beside_control
    words = say(shown, alpha, rope)
    lead = [
        f"{decided} of {len(rows)} pairs {_are(decided)} significantly different at "
        f"{held_at(shown, alpha)} (p-values {scope.adjustment(shown)})."
    ]
    if rope is not None:
        pairs = counted(same, "pair")
        lead.append(f"{pairs} {_are(same)} equivalent within ±{rope:g}.")
    has = any(row["low"] is not None for row in rows)
    if decided < len(rows):
        show = ": the intervals below show which differences remain possible" if has else ""
        lead.append(f"Not significantly different does not mean equal{show}.")
    if not has:
        lead.append(sentences.capital(f"{sentences.no_interval(shown, level)}."))
    way = sentences.direction(shown)
    lead += [way and f"{sentences.capital(way)}.", sentences.not_the_mean(shown)]
    lead.append(scope.detectable(shown, alpha))
    lead += [words for _, words in calibration_lines.of_family(shown)]
    facts = (
        ("Evidence", grade_at(shown, alpha)),
        ("Significant pairs", f"{decided} of {len(rows)}"),
        (_named(shown, "Largest difference"), _largest(rows)),
        ("Smallest p, adjusted", _smallest(rows)),
        ("Smallest detectable", _detectable(shown, rows)),
    )
    return Headline(kicker, words, tuple(filter(None, lead)), facts, tone)


def held_at(shown: Comparison, alpha: float) -> str:
    """Say what α bounds: one pair's error, the rate of false discoveries, or the family's error."""
    if shown.adjust == "none":
        return f"α = {alpha:g} for each pair separately"
    if shown.adjust == "benjamini-hochberg":
        return f"false discovery rate α = {alpha:g}"
    return f"familywise level α = {alpha:g}"


def _listed(names: Sequence[str]) -> str:
    return sentences.listed([terminal(name) for name in names], 4)


def _are(n: int) -> str:
    return "is" if n == 1 else "are"


def _on_two(shown: Comparison, row: dict[str, Any], rope: float | None) -> str:
    first, second = map(terminal, row["names"])
    if row["verdict"] == "no decision":
        return f"No decision between {first} and {second}."
    if row["verdict"] == "equivalent":
        same = sentences.SAME if same_everywhere(shown.evidence.at(0)) else "."
        return f"{sentences.decided(first, second, 'equivalent', rope)}{same}"
    if row["verdict"] == "outperformed":  # the better one speaks first
        first, second = second, first
    return f"{sentences.decided(first, second, 'outperforms', rope)}."


def _one_pair(
    shown: Comparison, row: dict[str, Any], options: PageOptions
) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    alpha, level, rope = options.alpha, options.level, options.rope
    first = terminal(row["names"][0])
    digits = decimals_for(row["stderr"], row["estimate"])
    size = fixed(row["estimate"], digits, sign=True)
    lead = []
    interval = "none"
    if row["low"] is None or row["high"] is None:
        lead.append(sentences.capital(f"{sentences.no_interval(shown, level)}."))
    else:
        limits = sentences.limits_of(shown, rope)
        low, high = ends(row["low"], row["high"], digits, *limits, sign=True)
        interval = f"{low} to {high}"
        open_ = "are compatible with the data"
        if row["verdict"] == "no decision":
            found = Interval(row["low"], row["high"], level)
            open_ = f"remain possible{sentences.outside(shown, found)}"
        way = sentences.direction(shown, first) or f"positive: {first} is better"
        lead.append(
            f"Differences in {terminal(shown.metric)} from {low} to {high} {open_} "
            f"({sentences.percent(level)} interval; {way})."
        )
    if row["verdict"] == "no decision":
        lead = [" ".join([*lead, "This is not evidence that there is no difference."])]
    lead += [sentences.not_the_mean(shown), scope.detectable(shown, alpha)]
    one = shown[shown.pair_names[0]]
    lead += [words for _, words in calibration_lines.lines(one, alpha)]
    facts = (
        ("Evidence", row["grade"]),
        (_named(shown, "Difference"), size),
        (f"{100 * level:.4g} % interval", interval),
        (f"p-value (α = {alpha:g})", p_number(row["adjusted"], row["log_adjusted"])),
        ("Smallest detectable", _smallest_of(shown, row["detectable"], digits)),
    )
    return tuple(filter(None, lead)), facts


def _named(shown: Comparison, fact: str) -> str:
    """Return the name of a difference, with what it is where it is not a mean."""
    if shown.method.centre:
        return f"{fact}, {shown.method.centre}"
    return f"{fact}, first split" if shown.method.first_counts and shown.n_pairs == 1 else fact


def _on_many(shown: Comparison, alpha: float, rope: float | None) -> str:
    """Say who leads; "all others" only where the first of the order was decided against each."""
    groups, k = shown.groups(alpha, rope), len(shown.names)
    if len(groups) == 1:
        return f"No decision: no two of the {k} learners are significantly different."
    best_first = [shown.names[position] for position in shown.order()]
    worse, open_, better = _beside_best(shown, best_first, alpha, rope)
    best = terminal(best_first[0])
    if len(worse) == k - 1:
        return f"{best} outperforms all {k - 1} others."
    top = list(groups[0])
    if not better and top == best_first[: 1 + len(open_)]:
        return f"{_listed(top)} lead; they are not significantly different."
    parts = [f"{best} outperforms {len(worse)} of {k - 1} others"] if worse else []
    if open_:
        parts.append(
            f"{'it' if parts else best} is not significantly different from {_listed(open_)}"
        )
    if better:
        parts.append(f"{'it' if parts else best} is outperformed by {_listed(better)}")
    return f"{'; '.join(parts)}."


def _beside_best(
    shown: Comparison, best_first: list[str], alpha: float, rope: float | None
) -> tuple[list[str], list[str], list[str]]:
    """Return whom the first of the order outperforms, whom not, and who outperforms it."""
    best, winners = best_first[0], {}
    outcomes = shown.outcomes(alpha, None if shown.method.has_pvalue else rope)
    for names, outcome in zip(shown.pair_names, outcomes, strict=True):
        if best in names:
            other = names[0] if names[1] == best else names[1]
            won = {"outperforms": names[0], "outperformed": names[1]}
            winners[other] = won.get(outcome)
    others = best_first[1:]
    return (
        [name for name in others if winners[name] == best],
        [name for name in others if winners[name] is None],
        [name for name in others if winners[name] == name],
    )


def _beside_control(shown: Comparison, alpha: float, rope: float | None) -> str:
    found, control = shown.against_control(alpha, rope), terminal(shown.control or "")
    better, worse = found["better"], found["worse"]
    if not better and not worse:
        return f"No decision: no learner is significantly different from {control}."
    parts = []
    if better:
        verb = "outperforms" if len(better) == 1 else "outperform"
        parts.append(f"{_listed(better)} {verb} {control}")
    if worse:
        whom = "it" if better else control
        parts.append(f"{_listed(worse)} {_are(len(worse))} outperformed by {whom}")
    return f"{'; '.join(parts)}."


def _largest(rows: list[dict[str, Any]]) -> str:
    row = max(rows, key=lambda row: abs(row["estimate"]))
    return fixed(abs(row["estimate"]), decimals_for(row["stderr"], row["estimate"]))


def _smallest(rows: list[dict[str, Any]]) -> str:
    known = [row for row in rows if row["adjusted"] is not None]
    if not known:
        return "none"
    row = min(known, key=lambda row: row["log_adjusted"])
    return p_number(row["adjusted"])


def _smallest_of(shown: Comparison, found: float | None, digits: int) -> str:
    if found is None:
        return "unknown"
    return "none" if found > largest_difference(shown) else fixed(found, digits)


def _detectable(shown: Comparison, rows: list[dict[str, Any]]) -> str:
    most = largest_difference(shown)
    known = sorted(row["detectable"] for row in rows if row["detectable"] is not None)
    if not known:
        return "unknown"
    if known[0] > most:
        return "none"
    known = [min(size, most) for size in known]
    low, high = (f"{size:.2g}" for size in (known[0], known[-1]))
    return low if low == high else f"{low} to {high}"
