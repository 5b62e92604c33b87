"""Every sentence that is said about a result or a comparison."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

from ..results.evidence import same
from ..views import Values
from . import bounds
from .clean import terminal
from .numbers import decimals_for, ends, fixed, pvalue, short

if TYPE_CHECKING:
    from ..results.comparison import Comparison
    from ..results.result import Interval, Result
    from ..results.robustness import Robustness
    from ..results.verdict import Outcome

__all__ = [
    "allowed",
    "counted",
    "detectable",
    "direction",
    "effect",
    "estimand",
    "family_sentence",
    "heading",
    "held_at",
    "interval_line",
    "joined",
    "limits_of",
    "no_interval",
    "not_the_mean",
    "outside",
    "robustness_sentences",
    "sides",
    "test_line",
    "verdict_paragraph",
    "verdict_sentence",
]

Shown: TypeAlias = "Result | Comparison"
POWER = 0.8
SAME = ": they scored the same everywhere (OP101)."


def counted(n: int, noun: str) -> str:
    """Return "1 pair" or "3 pairs"."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def sides(result: Result) -> tuple[str, str]:
    """Return the names to speak of, safe for a terminal; a single side is compared with μ₀."""
    first, second = result.names
    against = f"the value {result.null:g}" if second is None else second
    return terminal(first), terminal(against)


def heading(result: Result) -> str:
    """Say who is judged."""
    alone = math.isnan(result.null) or not result.method.compares
    return sides(result)[0] if alone else " v ".join(sides(result))


def effect(result: Result) -> str:
    """Say the estimate: who is ahead, by how much, in which score."""
    first, second = sides(result)
    digits = decimals_for(result.stderr, result.estimate)
    size = fixed(result.estimate, digits, sign=result.names[1] is not None)
    metric = terminal(result.metric)
    spread = ""
    if result.stderr:
        spread = f" (standard error {fixed(result.stderr, digits)})"
    if result.method.estimand:
        return f"{result.method.estimand} {size}{spread}"
    size += _of_first_split(result, digits)
    size += result.method.centre and f", {result.method.centre}"
    if result.names[1] is None:
        return f"{first}: {metric} {size}{spread}"
    if result.greater_is_better:
        return f"{first} − {second}: {metric} {size}{spread}"
    if size[0] not in "+−":
        return f"{first} and {second} have the same {metric}: {size}{spread}"
    way = "lower" if result.estimate > 0 else "higher"
    return f"{first} has the {way} {metric}: {size}{spread}"


def joined(shown: Shown, first: str, second: str) -> str:
    """Return "a − b", or "a v b" where lower is better and the difference was turned."""
    return f"{first} {'−' if shown.greater_is_better else 'v'} {second}"


def direction(shown: Shown, first: str = "the first of a pair") -> str:
    """Say which side a positive difference favours, where lower scores are the better ones."""
    if shown.greater_is_better or not shown.method.compares or shown.method.estimand:
        return ""
    return f"lower {terminal(shown.metric)} is better; positive: {first} is better"


def not_the_mean(shown: Shown) -> str:
    """Say what the estimate is, where it is not the mean of the differences."""
    if shown.method.centre:
        return f"Estimates are the {shown.method.centre} of the differences, not their mean."
    if not shown.method.first_counts:
        return ""
    return (
        f"The {shown.method.title} takes the difference of the first split for its estimate, not "
        "the mean of all splits."
    )


def _of_first_split(result: Result, digits: int) -> str:
    """Return what follows the size of an effect that is the first difference (D-24)."""
    if not result.method.first_counts:
        return ""
    mean = result.details.get("mean_difference")
    rest = ""
    if mean is not None:
        average = fixed(float(mean), digits, sign=result.names[1] is not None)
        rest = f"; the mean of all {result.n} is {average}"
    return f" on the first split, which this test takes for its estimate{rest}"


def interval_line(result: Result, level: float, rope: float | None = None) -> str:
    """Say the interval, and when it is not the inversion of the test."""
    interval = result.interval(level)
    if interval is None:
        return no_interval(result, level)
    digits = decimals_for(result.stderr, result.estimate)
    paired = result.names[1] is not None
    limits = limits_of(result, rope)
    shown, cut = f"[{', '.join(ends(*interval, digits, *limits, sign=paired))}]", ""
    if not paired:
        low, high = interval
        shown, cut = bounds.ends(low, high, result.estimate, digits, result.metric, *limits)
    tail = "" if result.method.interval_inverts else ", not the inversion of the test"
    tail += _odd(result, interval, level)
    way = direction(result, sides(result)[0]) if paired else ""
    said = "; ".join(filter(None, (way, cut)))
    return f"{shown} at {level:.4g} confidence{tail}{said and f' ({said})'}"


def limits_of(shown: Shown, rope: float | None) -> tuple[float, ...]:
    """Return the values that a verdict depends on, from which an end must be told."""
    null = 0.0 if math.isnan(shown.evidence.null) else shown.evidence.null
    centre = null if shown.names[1] is None else 0.0
    return (null,) if rope is None else (null, centre - rope, centre + rope)


def no_interval(shown: Shown, level: float) -> str:
    """Say why there is no interval at this level."""
    if not shown.method.has_interval:
        return "no interval with this method"
    highest, pairs = getattr(shown.evidence.companion, "highest", 1.0), _family_size(shown)
    needed = 1 - (1 - level) / pairs
    if shown.alternative != "two-sided":
        needed = 2 * needed - 1
    if needed < highest:
        return "no interval"
    what = "datasets" if shown.method.layout == "datasets" else "values"
    each = f", and each of {pairs} pairs needs {needed:.6g}" if pairs > 1 else ""
    return (
        f"no interval at {level:.4g}: {shown.n} {what} allow only levels below {highest:.6g}{each}"
    )


def _family_size(shown: Shown) -> int:
    return int(getattr(shown, "family_size", 1))


def _odd(result: Result, interval: Interval, level: float) -> str:
    """Say that interval and p-value seem to disagree, where they do."""
    if result.pvalue is None:
        return ""
    small, out = result.pvalue < 1 - level, result.null not in interval
    if small == out:
        return ""
    verb, beside = ("leaves out", "≥") if out else ("holds", "<")
    why = ", because ties and zeros widen it" if result.method.interval_inverts else ""
    return f": it {verb} {result.null:g} though p {beside} {1 - level:.4g}{why}"


def outside(shown: Shown, interval: Interval | None, null: float) -> str:
    """Say why an interval may leave out the null value where nothing was decided."""
    if interval is None or shown.method.interval_inverts or null in interval:
        return ""
    return (
        f" by the interval, which is made by another formula than the test: it leaves out {null:g} "
        "though p is not below α"
    )


def test_line(result: Result) -> str:
    """Say the test, its statistic and its p-value."""
    law = getattr(result.evidence, "dist", None)
    if getattr(result.evidence, "chi2", False):
        label = "χ²(1)"
    else:
        label = {"N(0, 1)": "z"}.get(law.label, law.label) if law is not None else "statistic"
    stat = "" if result.statistic is None else f"{label} = {short(result.statistic)}, "
    side = "" if result.alternative == "two-sided" else f" ({result.alternative})"
    found = pvalue(result.pvalue, result.log_pvalue)
    variant = "".join(f" ({terminal(str(value))})" for value in result.options.values())
    tested = f", against {result.null:g}" if result.names[1] and result.null else ""
    return f"{result.method.title}{variant}: {stat}{found}{side}{tested}"


def allowed(result: Result, level: float, rope: float | None = None) -> str:
    """Say what the interval still allows, which is what "no decision" leaves open."""
    digits = decimals_for(result.stderr, result.estimate)
    interval, limits = result.interval(level), limits_of(result, rope)
    return _allowed(interval, digits, limits, paired=result.names[1] is not None)


def _allowed(
    interval: Interval | None, digits: int, limits: tuple[float, ...], *, paired: bool = True
) -> str:
    if interval is None:
        return ""
    low, high = ends(*interval, digits, *limits, sign=paired)
    return f"{'differences' if paired else 'values'} from {low} to {high} remain possible"


def verdict_sentence(
    result: Result, outcome: Outcome, alpha: float, rope: float | None, *, not_worse: bool = False
) -> str:
    """Say the verdict; never "no difference"."""
    first, second = sides(result)
    by = f" by more than {abs(result.null):g}" if result.names[1] and result.null else ""
    if outcome != "no decision":
        at = SAME if outcome == "equivalent" and result._same else f" (α = {alpha:g})."
        return f"{_decided(first, second, outcome, rope, by)}{at}"
    if not result.method.compares:
        apart = "differ" if (result.pvalue or 1.0) < alpha else "are not told apart"
        return f"no decision between two: the {first} {apart} as a whole (α = {alpha:g})."
    if result.pvalue is None:
        why = "no hypothesis was asked about" if math.isnan(result.null) else "there is no p-value"
        return f"no decision: {why}."
    if by and result.pvalue < alpha:
        where = "above" if result.estimate > result.null else "below"
        return (
            f"no decision on the better: the difference is {where} {result.null:g} (α = {alpha:g})."
        )
    left = allowed(result, 1 - alpha, rope)
    left += outside(result, result.interval(1 - alpha), result.null)
    left = "; ".join(filter(None, (left, _not_worse(first, second, rope) if not_worse else "")))
    return f"no decision at α = {alpha:g}{': ' + left if left else ''}."


def _not_worse(first: str, second: str, rope: float | None) -> str:
    return f"{first} is not worse than {second} by more than {rope:g}"


def _decided(first: str, second: str, outcome: Outcome, rope: float | None, by: str = "") -> str:
    if outcome == "equivalent":
        return f"{first} and {second} are equivalent within ±{rope:g}"
    verb = "outperforms" if outcome == "outperforms" else "is outperformed by"
    return f"{first} {verb} {second}{by}"


def family_sentence(
    shown: Comparison, first: str, second: str, outcome: Outcome, alpha: float, rope: float | None,
    *, not_worse: bool = False,
) -> str:  # fmt: skip
    """Say the verdict on one pair of a family, with what its simultaneous interval allows."""
    a, b = terminal(first), terminal(second)
    family = "" if shown.family_size == 1 else f", adjusted for {counted(shown.n_pairs, 'pair')}"
    row, _ = shown._row(first, second)
    if outcome != "no decision":
        alike = outcome == "equivalent" and same(shown.evidence.at(row))
        at = SAME if alike else f" (α = {alpha:g}{family})."
        return f"{_decided(a, b, outcome, rope)}{at}"
    if math.isnan(shown.log_pvalues()[row]):
        return f"no decision between {a} and {b}: there is no p-value."
    interval = shown.interval(first, second, 1 - alpha)
    left = _allowed(interval, _digits(shown, row), limits_of(shown, rope))
    left += outside(shown, interval, shown.evidence.null)
    left = "; ".join(filter(None, (left, _not_worse(a, b, rope) if not_worse else "")))
    return f"no decision between {a} and {b} at α = {alpha:g}{family}{': ' + left if left else ''}."


def held_at(shown: Comparison, alpha: float) -> str:
    """Say what α bounds: one pair's error, the rate of false discoveries, or the family's error."""
    if shown.adjust == "none":
        return f"α = {alpha:g} for each pair alone"
    if shown.adjust == "benjamini-hochberg":
        return f"false discovery rate α = {alpha:g}"
    return f"familywise level α = {alpha:g}"


def verdict_paragraph(
    shown: Comparison, first: str, second: str, alpha: float = 0.05, rope: float | None = None
) -> tuple[str, ...]:
    """Say all that belongs to the verdict on one pair, a sentence each.

    The outcome; what the interval allows; what is spoken of; what could have been detected; what
    single runs say; which assumptions are strained.
    """
    verdict = shown.verdict(first, second, alpha, rope)
    row, _ = shown._row(first, second)
    said = [verdict.sentence[0].upper() + verdict.sentence[1:] if verdict == "no decision"
            else verdict.sentence]  # fmt: skip
    interval = shown.interval(first, second, 1 - alpha)
    if verdict != "no decision" and interval is not None:
        low, high = ends(*interval, _digits(shown, row), *limits_of(shown, rope), sign=True)
        said.append(f"At {1 - alpha:.4g} confidence the difference lies between {low} and {high}.")
    way = direction(shown, terminal(first))
    said += [f"{way[0].upper()}{way[1:]}." if way else "", not_the_mean(shown)]
    said += [estimand(shown), detectable(shown, alpha, row)]
    runs = shown.robustness(alpha, rope)
    said += runs[row].sentences()[:1] if runs else ()
    strained = [note.code for note in shown.notes_at(alpha) if note.severity != "info"]
    if strained:
        said.append(f"Read it with care: {', '.join(dict.fromkeys(strained))}.")
    return tuple(sentence for sentence in said if sentence)


def detectable(shown: Comparison, alpha: float = 0.05, row: int | None = None) -> str:
    """Say the smallest difference that would have been found, of one pair or of all."""
    sizes = shown.detectable(alpha, POWER)
    known = sorted(s for s in (sizes if row is None else sizes[row : row + 1]) if s == s)
    if not known:
        return ""
    digits = decimals_for(None, known[0])
    most = bounds.largest(shown)
    low, high = (fixed(size, digits) for size in (known[0], min(known[-1], most)))
    span = low if low == high else f"{low} to {high}, by pair"
    family = "" if shown.family_size == 1 else f" over {counted(shown.n_pairs, 'pair')}"
    if known[0] >= most:
        return (
            f"Could have detected no difference in {terminal(shown.metric)}: it would have to be "
            f"{low}, and {most:g} is the largest there is ({POWER:.0%} power, α = {alpha:g}"
            f"{family}, by the standard error found)."
        )
    if known[-1] > most:
        span += f", where {most:g} is the largest there is, and none could be on some pairs"
    return (
        f"Could have detected a difference of about {span} ({POWER:.0%} power, α = {alpha:g}"
        f"{family}, by the standard error found)."
    )


def estimand(shown: Shown) -> str:
    """Say what is spoken of: algorithms at a training size (D-57), or fitted models (D-14)."""
    method, design = shown.method, shown.design
    kind = None if design is None else design.kind
    if "datasets" in (kind, method.layout):
        return f"Speaks of datasets like these {shown.n}, each counted as one exact number."
    if kind == "leave-one-out":
        return (
            f"Speaks of models fitted to all {shown.n} items but one, not of learning algorithms "
            "over other training sets."
        )
    if kind == "holdout" or (kind is None and method.view.of_items):
        return (
            f"Speaks of {_subjects(shown)} on one test set of {shown.n} items, not of learning "
            "algorithms: another training set might have made other models."
        )
    if method.view.type is Values:
        return "Speaks of the partitions whose p-values were given."
    return f"Speaks of learning algorithms trained on {_training(shown)}."


def _subjects(shown: Shown) -> str:
    count = sum(name is not None for name in shown.names)
    return {1: "one fitted model", 2: "two fitted models"}.get(count, f"{count} fitted models")


def _training(shown: Shown) -> str:
    """Say how much was trained on, from the sizes that were recorded or from the design."""
    scores = getattr(shown, "scores", None)
    if scores is not None and scores.n_train is not None:
        whole = scores.addresses[:, 0] == 0  # halves, where there are any, come after
        size = float(scores.n_train[whole].mean())
        folds = "fold" in getattr(getattr(shown.design, "of", shown.design), "kind", "")
        rest = ""
        if folds and scores.n_test is not None:
            rest = f", not on all {round(size + float(scores.n_test[whole].mean())):,}"
        return f"about {round(size):,} examples{rest}"
    design = getattr(shown.design, "of", shown.design)
    for name in ("train", "size"):
        asked = getattr(design, name, None)
        if isinstance(asked, int):
            return f"{asked:,} examples"
        if asked is not None:
            return f"about {float(asked):.0%} of the data"
    ratio = None if design is None else design.test_train_ratio
    if ratio is None:
        return "as many examples as these training sets hold, which is not known"
    return f"about {float(1 / (1 + ratio)):.0%} of the data"


def robustness_sentences(found: Robustness) -> tuple[str, ...]:
    """Say what single runs say: their verdicts, the group, R, and whether more are needed."""
    first, second = map(terminal, found.names)
    unit, n = found.unit, found.n
    whole = {
        "first better": f"{first} better",
        "second better": f"{second} better",
        "no decision": "no decision",
        "equivalent": "equivalent",
    }[found.whole]
    if found.otherwise:
        counts = found.verdicts
        same = "" if found.rope is None else f", {counts['equivalent']} equivalent"
        verdicts = (
            f"{found.otherwise} of {n} single {unit}s would have said otherwise than all together "
            f"({whole}): {counts['first better']} for {first}, "
            f"{counts['second better']} for {second}, {counts['no decision']} no decision{same}."
        )
    else:
        verdicts = f"All {n} single {unit}s say what they say together: {whole}."
    group = {
        "1": f"Either learner is significantly better on some {unit}: the partition decides "
        "(group 1, B-12).",
        "2": f"Significance comes and goes with the {unit} (group 2, B-13).",
        "3": f"p varies over {unit}s but none is significant (group 3, B-14).",
        "4": f"The {unit} does not affect p (group 4, B-14).",
        "always": f"Every {unit} is significant for the same learner.",
    }[found.group]
    chance = f"R = {found.replicability:.2f}"
    agree = (
        f"The chance that two {unit}s agree on whether there is a difference is {chance} (R-06)."
    )
    return verdicts, group, agree, _sufficient(found)


def _sufficient(found: Robustness) -> str:
    enough, unit = found.sufficiency, found.unit
    if enough is None:
        return f"Some {unit}s have no t, so whether more are needed cannot be told (B-17)."
    about = (
        f"The mean t of {found.n} {unit}s is {short(enough.mean_t)} beside a threshold of "
        f"{enough.bounds}"
    )
    if enough.sufficient:
        return f"{about}: no more {unit}s are needed (B-17)."
    if enough.needed is None:
        return f"{about}: it lies on the threshold, and no number of {unit}s would do (B-17)."
    return f"{about}: {enough.needed:,} {unit}s in all would make that secure (B-17)."


def _digits(shown: Comparison, row: int) -> int:
    found = shown.evidence.at(row)
    stderr = None if found.stderr is None else float(found.stderr)
    return decimals_for(stderr, float(found.estimate))
