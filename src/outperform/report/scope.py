"""What was done and what it speaks of, in sentences; short texts of estimates and advice."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Any, TypeAlias

from .. import references
from ..views import Values
from .formatting import (
    decimals_for,
    ends,
    fixed,
    largest_difference,
    pvalue,
    score_interval,
    sentence,
    short,
    terminal,
    threshold,
)
from .sentences import (
    alone_of,
    capital,
    counted,
    digits_of_pair,
    direction,
    limits_of,
    listed,
    not_the_mean,
)

if TYPE_CHECKING:
    from ..results.comparison import Comparison
    from ..results.result import Result
    from ..results.robustness import Robustness
    from ..verbs.advise import Advice
    from ..verbs.estimate import Estimate
    from ..verbs.learning_curve import LearningCurve, Step


Shown: TypeAlias = "Result | Comparison"
NAMED = 20
"""Learners of a group that are named."""
POWER = 0.8
NAMES = ("McNemar", "Wilcoxon", "Cochran", "Student", "Fisher")
ADJUSTED_BY = {
    "single-step": "Bonferroni's single-step method",
    "holm": "Holm's method",
    "hochberg": "Hochberg's method",
    "bonferroni": "Bonferroni's method",
    "benjamini-hochberg": "Benjamini and Hochberg's method",
    "studentized maximum modulus": "the studentized maximum modulus",
    "studentized range": "the studentized range",
}


def methods_text(shown: Shown, *, level: float = 0.95, alpha: float = 0.05) -> str:
    """Say who was compared, how, judged by what, and what the verdict speaks of."""
    from ..results.result import versions

    names = [terminal(name) for name in shown.names if name is not None]
    who = listed(names) if len(names) <= NAMED else f"{len(names):,} learners"
    verb = "compared" if len(names) > 1 else "judged"
    design = split_by(shown, on=" on ", by=" by ")
    seed = "" if shown.seed is None else f" (random seed {shown.seed})"
    made = versions()
    return " ".join(
        [
            f"We {verb} {who}{design}{seed}.",
            f"{_judged(shown, len(names), alpha)}{_family(shown, level)}.",
            f"The verdict speaks of {spoken_of(shown)}",
            f"Computed with outperform {made['outperform']}, NumPy {made['numpy']} and Python "
            f"{made['python']}.",
        ]
    )


def _judged(shown: Shown, count: int, alpha: float) -> str:
    pairs = getattr(shown, "n_pairs", 1)
    control = getattr(shown, "control", None)
    what = "the scores" if count == 1 else "the difference" if pairs == 1 else "the differences"
    if control is not None:
        what += f" of every other learner and {terminal(control)}"
    elif pairs > 1:
        what += f" of all {counted(pairs, 'pair')}"
    were = "was" if what.startswith("the difference") and pairs == 1 else "were"
    papers = references.papers_of(shown.method.name, shown.method.paper)
    cited = "; ".join(map(references.cited, papers))
    side = "" if shown.alternative == "two-sided" else "alternative: "
    asked = f"{side}{shown.alternative}, α = {alpha:g}"
    way = direction(shown, "the first named" if pairs == 1 else "the first of a pair")
    if shown.method.first_counts:
        way = "; ".join(filter(None, (way, "the estimate is the difference of the first split")))
    if shown.method.centre:
        centre = f"the estimate is the {shown.method.centre} of the differences"
        way = "; ".join(filter(None, (way, centre)))
    way = way and f" ({way})"
    return (
        f"In {terminal(shown.metric)}{way}, {what} {were} judged by {_title(shown)} "
        f"({'; '.join(filter(None, (cited, asked)))})"
    )


def _family(shown: Shown, level: float) -> str:
    adjust, size = getattr(shown, "adjust", "none"), getattr(shown, "family_size", 1)
    interval = f"at {level:.4g} confidence" if _any_interval(shown, level) else ""
    alone = alone_of(shown)
    if size == 1:
        each = f" ({alone}, not adjusted)" if alone else ""
        return f", with intervals {interval}{each}" if interval else ""
    source = references.ADJUSTMENT_PAPERS.get(adjust)
    of = "" if source is None else f" ({references.cited(source)})"
    family = f", with p-values adjusted for {counted(size, 'pair')} by {ADJUSTED_BY[adjust]}{of}"
    if not interval:
        return family
    if alone:
        return f"{family} and intervals {interval} ({alone}, not adjusted)"
    return f"{family} and simultaneous intervals {interval}"


def adjustment(shown: Comparison) -> str:
    """Say how the family was adjusted."""
    by = ADJUSTED_BY.get(shown.adjust)
    return "not adjusted" if by is None else f"adjusted by {by}"


def _any_interval(shown: Shown, level: float) -> bool:
    one: Any = shown
    return (
        any(intervals_of(one, level)) if hasattr(one, "pairs") else one.interval(level) is not None
    )


def _title(shown: Shown) -> str:
    """Return the title of the method as it stands within a sentence."""
    title = shown.method.title
    article = "" if title.split()[0].endswith("'s") else "the "
    return article + (title if title.startswith(NAMES) else title[0].lower() + title[1:])


def split_by(shown: Shown | Estimate, *, on: str = "", by: str = "") -> str:
    """Say how data were split; a test set that was given is not called a random split."""
    design = shown.design
    if design is None:
        return ""
    of, source = getattr(design, "of", design), getattr(design, "by", "")
    n_test = getattr(of, "test", None)
    given = of is not design or shown.seed is None
    if design.kind == "holdout" and given and isinstance(n_test, int):
        return f"{on}one test set of {counted(n_test, 'item')}{source and f' (given by {source})'}"
    return f"{by}{design.describe()}"


def estimand(shown: Shown) -> str:
    """Say what is spoken of, as a sentence."""
    return f"Speaks of {spoken_of(shown)}"


def spoken_of(shown: Shown) -> str:
    """Say what is spoken of: algorithms at a training size (D-57), or fitted models (D-14)."""
    method, design = shown.method, shown.design
    kind = None if design is None else design.kind
    if "datasets" in (kind, method.layout):
        return f"datasets like these {shown.n}, each counted as one exact number."
    if kind == "leave-one-out":
        return (
            f"models fitted to all {shown.n} items but one, not of learning algorithms "
            "over other training sets."
        )
    if design is not None and kind in ("seeds", "unpaired-seeds"):
        sizes = getattr(getattr(shown, "scores", None), "n_train", None)
        known = sizes is not None or design.test_train_ratio is not None
        size = f" of {_training(shown)}" * known
        return (
            f"learners trained on one training set{size}, over their random seeds: another split "
            "might give another verdict."
        )
    if kind == "forward":
        return (
            f"models trained on earlier rows and tested on the {shown.n} rows after them, in the "
            "order of the rows: another period or series might differ."
        )
    if kind == "holdout" or (kind is None and method.view.of_items):
        return (
            f"{_subjects(shown)} on one test set of {shown.n} items, not of learning "
            "algorithms: another training set might have made other models."
        )
    if method.view.type is Values:
        return "the partitions whose p-values were given."
    return f"learning algorithms trained on {_training(shown)}."


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


def detectable(shown: Comparison, alpha: float = 0.05, row: int | None = None) -> str:
    """Say the smallest difference that would have been found, of one pair or of all."""
    sizes = shown.detectable(alpha, POWER)
    known = sorted(s for s in (sizes if row is None else sizes[row : row + 1]) if s == s)
    if not known:
        return ""
    digits = decimals_for(None, known[0])
    most = largest_difference(shown)
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


def verdict_paragraph(
    shown: Comparison, first: str, second: str, alpha: float = 0.05, rope: float | None = None
) -> tuple[str, ...]:
    """Say all that belongs to the verdict on one pair, a sentence each.

    The outcome; what the interval allows; what is spoken of; what could have been detected; what
    single runs say; which assumptions are strained.
    """
    verdict = shown.verdict(first, second, alpha, rope)
    row, _ = shown._row(first, second)
    said = [capital(verdict.sentence) if verdict == "no decision" else verdict.sentence]
    interval = shown.interval(first, second, 1 - alpha)
    if verdict != "no decision" and interval is not None:
        low, high = ends(*interval, digits_of_pair(shown, row), *limits_of(shown, rope), sign=True)
        alone = alone_of(shown) and f" ({alone_of(shown)})"
        said.append(
            f"At {1 - alpha:.4g} confidence the difference lies between {low} and {high}{alone}."
        )
    way = direction(shown, terminal(first))
    said += [way and capital(f"{way}."), not_the_mean(shown)]
    said += [estimand(shown), detectable(shown, alpha, row)]
    runs = shown.robustness(alpha, rope)
    said += runs[row].sentences()[:1] if runs else ()
    strained = [note.code for note in shown.notes_at(alpha) if note.severity != "info"]
    if strained:
        said.append(f"Read it with care: {', '.join(dict.fromkeys(strained))}.")
    return tuple(sentence for sentence in said if sentence)


def robustness_sentences(found: Robustness) -> tuple[str, ...]:
    """Say what single runs say: their verdicts, the group (B-12 to B-14), R (R-06), and whether
    more are needed (B-17)."""
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
        "(group 1).",
        "2": f"Significance comes and goes with the {unit} (group 2).",
        "3": f"p varies over {unit}s but none is significant (group 3).",
        "4": f"The {unit} does not affect p (group 4).",
        "always": f"Every {unit} is significant for the same learner.",
    }[found.group]
    agree = (
        f"The chance that two {unit}s agree on whether there is a difference is "
        f"R = {found.replicability:.2f}."
    )
    return verdicts, group, agree, _sufficient(found)


def _sufficient(found: Robustness) -> str:
    enough, unit = found.sufficiency, found.unit
    if enough is None:
        return f"Some {unit}s have no t, so whether more are needed cannot be told."
    about = (
        f"The mean t of {found.n} {unit}s is {short(enough.mean_t)} beside a threshold of "
        f"{threshold(enough)}"
    )
    if enough.sufficient:
        return f"{about}: no more {unit}s are needed."
    if enough.needed is None:
        return f"{about}: it lies on the threshold, and no number of {unit}s would do."
    return f"{about}: {enough.needed:,} {unit}s in all would make that secure."


def intervals_of(shown: Comparison, level: float) -> list[tuple[float, float] | None]:
    """Return the interval of every pair, with infinite ends where one-sided."""
    if not shown.method.has_interval:
        return [None] * shown.n_pairs
    low, high = (end.tolist() for end in shown.intervals(level))
    return [(a, b) if a == a and b == b else None for a, b in zip(low, high, strict=True)]


LEVEL = 0.95
"""What `repr` and `str` show; ask the estimate for any other level."""


def estimate_line(shown: Estimate) -> str:
    """Return one line: learner, metric, estimate, interval."""
    return f"<estimate: {terminal(shown.metric)} of {terminal(shown.name)} = {_size(shown)}>"


def estimate_block(shown: Estimate) -> str:
    """Return estimate, standard error, components, what it speaks of, notes: in this order."""
    rows = [("estimate", f"{_size(shown)} ({LEVEL:.0%} interval)")]
    if shown.stderr is not None:
        free = "" if shown.df is None else f" on {short(round(shown.df, 1))} degrees of freedom"
        rows.append(("stderr", f"{shown.stderr:.3g}{free}"))
    if shown.components is not None:
        parts = shown.components
        rows.append(
            (
                "variance",
                f"{parts.training_set:.3g} between {parts.n_training_sets} training sets, "
                f"{parts.test_item:.3g} between {parts.n_test_items} test items, "
                f"{parts.residual:.3g} left over",
            )
        )
    rows.append(("speaks of", shown.speaks_of))
    rows += [("note" if i == 0 else "", sentence(str(n))) for i, n in enumerate(shown.notes)]
    head = f"{terminal(shown.metric)} of {terminal(shown.name)} ({split_by(shown)})"
    return "\n".join([head, *(f"  {name:<9} {words}".rstrip() for name, words in rows)])


def curve(shown: LearningCurve) -> str:
    """Return scores, then differences, each a line for every training size; then the notes."""
    head = f"{terminal(shown.metric)} by training size ({shown.design.describe()})"
    lines = [head]
    for first, second in shown.curves:
        who = terminal(first) if second is None else f"{terminal(first)} − {terminal(second)}"
        lines.append(f"  {who}")
        for point in shown.points(first, second):
            digits = decimals_for(point.stderr, point.estimate)
            size = fixed(point.estimate, digits, sign=second is not None)
            spread = "" if point.stderr is None else f" ± {fixed(point.stderr, digits)}"
            lines.append(f"    {point.n_train:>7}  {size}{spread}")
    lines += [f"  note: {sentence(str(note))}" for note in shown.notes]
    return "\n".join(lines)


def step(found: Step) -> str:
    """Say what changes between two sizes, against the trend."""
    digits = decimals_for(found.stderr, found.estimate)
    names = [repr(terminal(name)) for name in (found.first, found.second) if name is not None]
    way = "falls" if found.estimate < 0 else "rises"
    return (
        f"{' − '.join(names)} {way} by {fixed(abs(found.estimate), digits)} from {found.n_train} "
        f"to {found.next_n_train} training items ({pvalue(found.pvalue)})"
    )


def _size(shown: Estimate) -> str:
    digits, interval = decimals_for(shown.stderr, shown.estimate), shown.interval(LEVEL)
    ends = ""
    if interval is not None:
        inside, cut = score_interval(
            interval.low, interval.high, shown.estimate, digits, shown.metric
        )
        ends = f" {inside}{cut and f' ({cut})'}"
    return fixed(shown.estimate, digits) + ends


WIDTH = 96


def advice(given: Advice) -> str:
    """Return the question, what to do, what it costs, why, what to beware of, what to paste."""
    from ..advice.questions import NINE
    from ..designs import parse
    from ..registry import methods

    titles = {method.name: method.title for method in methods()}
    title = titles.get(given.method, f"outperform.{given.method}(…)")
    many = given.fits is not None
    design = f"{given.design}: {parse(given.design).describe()}" if many else given.design
    rows = [
        ("design", [design]),
        ("method", [f"{given.method}: {title}"]),
        ("why", [str(reason) for reason in given.reasons]),
        ("beware", [str(warning) for warning in given.warnings]),
    ]
    if given.fits is not None and given.cost is not None:
        each = f", {given.fits:,} for each learner" if given.learners > 1 else ""
        rows.insert(2, ("cost", [f"{counted(given.cost, 'fit')}{each}"]))
    lines = [f"Question {given.question}: {NINE[given.question]}"]
    for name, texts in rows:
        for i, text in enumerate(texts):
            first, *rest = wrap(text, WIDTH - 11, break_long_words=False)
            lines.append(f"  {name if i == 0 else '':<8} {first}")
            lines += [f"  {'':<8} {more}" for more in rest]
    # What is pasted is never broken into lines.
    return "\n".join([*lines, f"  python   {given.python}", f"  command  {given.command}"])
