"""Every sentence that is said about a result or a comparison."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from ..errors import counted as counted
from ..results.evidence import Draws, Regions, same, undecided
from ..results.verdict import posterior_regions
from .formatting import (
    bracketed,
    decimals_for,
    ends,
    fixed,
    pvalue,
    score_interval,
    short,
    terminal,
)

if TYPE_CHECKING:
    from ..results.comparison import Comparison
    from ..results.result import Interval, Result
    from ..results.verdict import Outcome


Shown: TypeAlias = "Result | Comparison"
ADJUSTED_BY = {
    "single-step": "Bonferroni's single-step method",
    "holm": "Holm's method",
    "hochberg": "Hochberg's method",
    "bonferroni": "Bonferroni's method",
    "benjamini-hochberg": "Benjamini and Hochberg's method",
    "hommel": "Hommel's method",
    "shaffer": "Shaffer's static method",
    "bergmann-hommel": "Bergmann and Hommel's method",
    "studentized maximum modulus": "the studentized maximum modulus",
    "studentized range": "the studentized range",
    "nemenyi": "Nemenyi's studentized range",
    "max-t": "the largest |t| of all pairs (bootstrap)",
}
SAME = ": their scores are identical (OP101)."
SIGNS = "the first difference and the mean of all differ in sign (OP319)"


def capital(text: str) -> str:
    """Return words as they begin a sentence."""
    return text[:1].upper() + text[1:]


def listed(words: Sequence[str], most: int | None = None, joint: str = "and") -> str:
    """Return "a, b and c", or "a, b, c and 7 more"."""
    if most is not None and len(words) > most:
        words = [*words[: most - 1], f"{len(words) - most + 1} more"]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {joint} {words[-1]}"


def sides(result: Result) -> tuple[str, str]:
    """Return the names to speak of, safe for a terminal; a single side is compared with μ₀."""
    first, second = result.names
    against = f"the value {result.null:g}" if second is None else second
    return terminal(first), terminal(against)


def heading(result: Result) -> str:
    """Say who is judged."""
    alone = math.isnan(result.null) or not result.method.compares
    return sides(result)[0] if alone else " vs. ".join(sides(result))


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
    """Return "a − b", or "a vs. b" where lower is better and the sign was flipped."""
    return f"{first} {'−' if shown.greater_is_better else 'vs.'} {second}"


def direction(shown: Shown, first: str = "the first of a pair") -> str:
    """Say which side a positive difference favours, where lower scores are better."""
    if shown.greater_is_better or not shown.method.compares or shown.method.estimand:
        return ""
    return f"lower {terminal(shown.metric)} is better; positive: {first} is better"


def not_the_mean(shown: Shown) -> str:
    """Say what the estimate is, where it is not the mean of the differences."""
    if shown.method.centre:
        return f"Estimates are the {shown.method.centre} of the differences, not the mean."
    if not shown.method.first_counts:
        return ""
    return (
        f"The estimate of the {shown.method.title} is the difference on the first split, not the "
        "mean of all splits."
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
    return f" on the first split, which this test uses as its estimate{rest}"


def interval_line(result: Result, level: float, rope: float | None = None) -> str:
    """Say the interval, and where it seems to disagree with the p-value."""
    interval = result.interval(level)
    if interval is None:
        return no_interval(result, level)
    digits = decimals_for(result.stderr, result.estimate)
    paired = result.names[1] is not None
    limits = limits_of(result, rope)
    shown, cut = bracketed(interval, digits, *limits, sign=paired), ""
    if not paired:
        low, high = interval
        shown, cut = score_interval(low, high, result.estimate, digits, result.metric, *limits)
    tail = _odd(result, interval, level)
    way = direction(result, sides(result)[0]) if paired else ""
    said = "; ".join(filter(None, (way, cut)))
    return f"{shown} at {percent(level)} confidence{tail}{said and f' ({said})'}"


def percent(share: float) -> str:
    """Return a level as it is written in text: "95 %"."""
    return f"{100 * share:.4g} %"


DIFFERENT_FORMULAS = "Interval and p-value use different formulas and may disagree."


def interval_heading(shown: Shown, level: float, *, many: bool = False) -> str:
    """Name the intervals of a table: simultaneous, or each that of this pair alone."""
    words = f"{percent(level)} interval{'s' * many}"
    if getattr(shown, "n_pairs", 1) == 1:
        return words
    alone = alone_of(shown)
    if not alone:
        return f"simultaneous {words}"
    return f"{words} ({alone})" if many else f"{words}, {alone}"


def alone_of(shown: Shown) -> str:
    """Return "this pair alone" where the intervals of a family are not simultaneous."""
    many = getattr(shown, "n_pairs", 1) > 1
    return "this pair alone" if many and not getattr(shown, "is_single_step", True) else ""


def limits_of(shown: Shown, rope: float | None) -> tuple[float, ...]:
    """Return the values that a verdict depends on, from which an end must be told."""
    null = 0.0 if math.isnan(shown.evidence.null) else shown.evidence.null
    centre = null if shown.names[1] is None else 0.0
    return (null,) if rope is None else (null, centre - rope, centre + rope)


def no_interval(shown: Shown, level: float) -> str:
    """Say why there is no interval at this level."""
    if not shown.method.has_interval:
        return "no interval with this method"
    highest = getattr(shown.evidence.companion, "highest", 1.0)
    pairs = getattr(shown, "interval_family_size", 1)
    needed = 1 - (1 - level) / pairs
    if shown.alternative != "two-sided":
        needed = 2 * needed - 1
    if needed < highest:
        return "no interval"
    what = "datasets" if shown.method.layout == "datasets" else "values"
    each = f", and each of {pairs} pairs needs {100 * needed:.6g} %" if pairs > 1 else ""
    return (
        f"no interval at {percent(level)}: {shown.n} {what} allow only levels below "
        f"{100 * highest:.6g} %{each}"
    )


def _odd(result: Result, interval: Interval, level: float) -> str:
    """Say that interval and p-value seem to disagree, where they do."""
    other = (
        "" if result.method.interval_inverts else "; interval and p-value use different formulas"
    )
    if result.pvalue is None:
        return other
    small, out = result.pvalue < 1 - level, result.null not in interval
    if small == out:
        return other
    verb, beside = ("excludes", "≥") if out else ("contains", "<")
    why = "" if other else ", because ties and zeros widen it"
    said = f"the interval {verb} {result.null:g} although p {beside} {1 - level:.4g}{why}"
    return f"{other}: {said}" if other else f"; {said}"


def outside(shown: Shown, interval: Interval) -> str:
    """Say whose interval it is, and why it may exclude the null where nothing was decided."""
    null, alone = shown.evidence.null, alone_of(shown)
    if null in interval:
        return f" ({alone})" if alone else ""
    if shown.method.interval_inverts and not alone:
        return ""
    p = "the adjusted p" if alone else "p"
    odd = f"the interval excludes {null:g} although {p} ≥ α"
    if not shown.method.interval_inverts:
        odd += "; it uses a different formula than the test"
    return f" ({'; '.join(filter(None, (alone, odd)))})"


def posterior_line(found: Regions, rope: float | None) -> str:
    """Say how probable each region is, and how far the draws may be off."""
    better, alike, worse = (posterior_number(float(part)) for part in found[:3])
    middle = "" if rope is None else f", P(equivalent within ±{rope:g}) {alike}"
    error = "" if found.error is None else f" (Monte Carlo error {float(found.error):.1g})"
    if found.sensitivity is not None:
        error = f" on the next dataset (with another prior they move by {found.sensitivity:.1g})"
    return f"P(better) {better}{middle}, P(worse) {worse}{error}"


def posterior_errors(rows: Sequence[dict[str, Any]]) -> str:
    """Say how far the probabilities of pairs may be off, or move with another prior; "" of p."""
    drawn, moved = (
        max((row[name] for row in rows if row.get(name) is not None), default=None)
        for name in ("monte_carlo_error", "prior_sensitivity")
    )
    if moved is not None:
        return f"With another prior probabilities move by at most {moved:.1g}."
    return "" if drawn is None else f"Monte Carlo error of probabilities: at most {drawn:.1g}."


def posterior_number(share: float) -> str:
    """Return "= 0.975", never 0 or 1: draws and priors cannot show that."""
    if 0.0005 <= share < 0.9995:
        return f"= {share:.3f}"
    return "< 0.001" if share < 0.5 else "> 0.999"


def test_line(result: Result, rope: float | None) -> str:
    """Say the test, its statistic and its p-value."""
    if isinstance(result.evidence, Draws):
        centre = result.null if result.names[1] is None else 0.0
        regions = posterior_regions(result.evidence, rope, centre)
        return f"{result.method.title}: {posterior_line(regions, rope)}"
    law = getattr(result.evidence, "dist", None)
    if getattr(result.evidence, "chi2", False):
        label = "χ²(1)"
    else:
        label = {"N(0, 1)": "z"}.get(law.label, law.label) if law is not None else "statistic"
    stat = "" if result.statistic is None else f"{label} = {short(result.statistic)}, "
    side = "" if result.alternative == "two-sided" else f" ({result.alternative})"
    found = pvalue(result.pvalue, result.log_pvalue)
    words = [
        terminal(_option(name, value))
        for name, value in result.options.items()
        if value is not False and not _usual_number(result, name, value)
    ]
    variant = f" ({', '.join(words)})" if words else ""
    tested = f", against {result.null:g}" if result.names[1] and result.null else ""
    return f"{result.method.title}{variant}: {stat}{found}{side}{tested}{of_classes(result)}"


def of_classes(shown: Any) -> str:
    """Say how many items of each class there are, where a test of ranks rests on both."""
    sizes = shown.evidence.details
    if "n_positive" not in sizes:
        return ""
    return f"; {sizes['n_positive']} positive and {sizes['n_negative']} negative items"


def _left_open(
    shown: Shown, interval: Interval | None, digits: int, rope: float | None, not_worse: str
) -> str:
    """Say what the interval still allows, which is what "no decision" leaves open."""
    left = []
    if interval is not None:
        paired = shown.names[1] is not None
        low, high = ends(*interval, digits, *limits_of(shown, rope), sign=paired)
        what = "differences" if paired else "values"
        left = [f"{what} from {low} to {high} remain possible{outside(shown, interval)}"]
    if not_worse:
        left.append(f"{not_worse} by more than {rope:g}")
    return f": {'; '.join(left)}." if left else "."


def verdict_sentence(
    result: Result, outcome: Outcome, alpha: float, rope: float | None, *, not_worse: bool = False
) -> str:
    """Say the verdict; never "no difference"."""
    first, second = sides(result)
    by = f" by more than {abs(result.null):g}" if result.names[1] and result.null else ""
    if outcome != "no decision":
        at = SAME if outcome == "equivalent" and result._same else f" (α = {alpha:g})."
        if not result.method.has_pvalue:
            at = f" (posterior probability above {1 - alpha:g})."
        return f"{decided(first, second, outcome, rope, by)}{at}"
    if not result.method.compares:
        small = (result.pvalue or 1.0) < alpha
        differ = "differ overall" if small else "do not differ significantly overall"
        return f"no decision on single pairs: the {first} {differ} (α = {alpha:g})."
    if not result.method.has_pvalue:
        return f"no decision: no posterior probability is above {1 - alpha:g}."
    if undecided(result.evidence):
        return f"no decision: {SIGNS}."
    if result.pvalue is None:
        why = "no hypothesis was given" if math.isnan(result.null) else "there is no p-value"
        return f"no decision: {why}."
    if by and result.pvalue < alpha:
        where = "above" if result.estimate > result.null else "below"
        return (
            f"no decision on which is better: the difference is {where} {result.null:g} "
            f"(α = {alpha:g})."
        )
    digits = decimals_for(result.stderr, result.estimate)
    fine = f"{first} is not worse than {second}" if not_worse else ""
    left = _left_open(result, result.interval(1 - alpha), digits, rope, fine)
    return f"no decision at α = {alpha:g}{left}"


def decided(first: str, second: str, outcome: Outcome, rope: float | None, by: str = "") -> str:
    if outcome == "equivalent":
        return f"{first} and {second} are equivalent within ±{rope:g}"
    verb = "outperforms" if outcome == "outperforms" else "is outperformed by"
    return f"{first} {verb} {second}{by}"


def family_sentence(
    shown: Comparison,
    first: str,
    second: str,
    outcome: Outcome,
    alpha: float,
    rope: float | None,
    *,
    not_worse: bool = False,
) -> str:
    """Say the verdict on one pair of a family, with what its interval allows."""
    a, b = terminal(first), terminal(second)
    family = "" if shown.family_size == 1 else f", adjusted for {counted(shown.n_pairs, 'pair')}"
    row, _ = shown._row(first, second)
    if outcome != "no decision":
        alike = outcome == "equivalent" and same(shown.evidence.at(row))
        at = SAME if alike else f" (α = {alpha:g}{family})."
        if not shown.method.has_pvalue:
            at = f" (posterior probability above {1 - alpha:g})."
        return f"{decided(a, b, outcome, rope)}{at}"
    if not shown.method.has_pvalue:
        said = f"no posterior probability is above {1 - alpha:g}"
        return f"no decision between {a} and {b}: {said}."
    if undecided(shown.evidence.at(row)):
        return f"no decision between {a} and {b}: {SIGNS}."
    if math.isnan(shown.log_pvalues()[row]):
        return f"no decision between {a} and {b}: there is no p-value."
    fine = f"{a} is not worse than {b}" if not_worse else ""
    interval, digits = shown.interval(first, second, 1 - alpha), digits_of_pair(shown, row)
    left = _left_open(shown, interval, digits, rope, fine)
    return f"no decision between {a} and {b} at α = {alpha:g}{family}{left}"


def digits_of_pair(shown: Comparison, row: int) -> int:
    found = shown.evidence.at(row)
    stderr = None if found.stderr is None else float(found.stderr)
    return decimals_for(stderr, float(found.estimate))


def _option(name: str, value: Any) -> str:
    """Return "exact" of a variant, "zeros=pratt" of another option."""
    if value is True:
        return name
    return str(value) if name in ("variant", "kind") else f"{name}={value}"


def _usual_number(result: Result, name: str, value: Any) -> bool:
    """Tell whether an option is a number nobody asked for, such as how many draws are made."""
    usual = (result.method.kernel.__kwdefaults__ or {}).get(name)
    return not isinstance(value, bool | str) and value == usual
