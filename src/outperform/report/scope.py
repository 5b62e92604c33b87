"""What was done and what it applies to, in sentences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeAlias

from .. import references, validation
from ..errors import counted
from ..results.comparison_rows import sizes
from ..results.rank_order import OMNIBUS_PAPERS, counting, omnibus, units
from ..results.records import SHORT
from ..views import FoldsByDataset, Values
from .formatting import (
    decimals_for,
    ends,
    fixed,
    largest_difference,
    pvalue,
    short,
    terminal,
    threshold,
)
from .item_sentences import applies_to as items_scope
from .item_sentences import cluster_sentence, printed_sentence, sample_sentence
from .sentences import (
    ADJUSTED_BY,
    alone_of,
    capital,
    digits_of_pair,
    direction,
    limits_of,
    listed,
    not_the_mean,
    percent,
)

if TYPE_CHECKING:
    from ..results.comparison import Comparison
    from ..results.result import Result
    from ..results.robustness import Robustness
    from ..verbs.estimate import Estimate


Shown: TypeAlias = "Result | Comparison"
NAMED = 20
"""Learners of a group that are named."""
POWER = 0.8
NAMES = ("McNemar", "Wilcoxon", "Cochran", "Student", "Fisher")


def methods_text(
    shown: Shown, *, level: float = 0.95, alpha: float = 0.05, record: str | None = None
) -> str:
    """Say who was compared, how, judged by what, and what the verdict applies to."""
    from ..results.result import versions

    names = [terminal(name) for name in shown.names if name is not None]
    who = listed(names) if len(names) <= NAMED else f"{len(names):,} learners"
    verb = "compared" if len(names) > 1 else "judged"
    design = split_by(shown, on=" on ", by=" by ")
    seed = "" if shown.seed is None else f" (random seed {shown.seed})"
    made = versions()
    over, overall = _datasets(shown)
    return " ".join(
        [
            f"We {verb} {who}{over}{design}{seed}.{overall}",
            f"{_judged(shown, len(names), alpha)}{_family(shown, level)}.",
            f"The verdict applies to {applies_to(shown)}",
            f"Computed with outperform {made['outperform']}, NumPy {made['numpy']} and Python "
            f"{made['python']}.",
            *([] if record is None else [f"{record_sentence(record)}."]),
        ]
    )


def record_sentence(sha256: str) -> str:
    """Name a record by the first digits of its hash, as tables and paragraphs do."""
    return f"Record: sha256 {validation.hash_digits(sha256)[:SHORT]}"


def _datasets(shown: Any) -> tuple[str, str]:
    """Say on how many datasets learners were compared, and whether they differ at all."""
    benchmark = getattr(shown, "benchmark", None)
    if benchmark is None:
        return "", ""
    found = omnibus(benchmark)
    over = f" on {counted(len(benchmark.datasets), 'dataset')}"
    if benchmark.families is not None:
        over += f" of {units(benchmark, len(set(benchmark.families)))}, each family counted as one"
    if found is None:
        return over, ""
    f, log_p = found
    k, n = len(benchmark.names), len(counting(benchmark).ranks())
    size = "is infinite" if math.isinf(f) else f"= {short(f)}"
    source = "; ".join(map(references.cited, OMNIBUS_PAPERS))
    return over, (
        f" The test of Iman and Davenport on mean ranks gave F({k - 1}, {(k - 1) * (n - 1)}) "
        f"{size}, {pvalue(math.exp(log_p), log_p)} ({source})."
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
    has, alone = _any_interval(shown, level), alone_of(shown)
    each = f" ({alone}, not adjusted)" if alone else ""
    if size == 1:
        return f", with {percent(level)} intervals{each}" if has else ""
    source = references.ADJUSTMENT_PAPERS.get(adjust)
    of = "" if source is None else f" ({references.cited(source)})"
    by = ADJUSTED_BY.get(adjust, adjust)
    family = f", with p-values adjusted for {counted(size, 'pair')} by {by}{of}"
    kind = "" if alone else "simultaneous "
    return f"{family} and {kind}{percent(level)} intervals{each}" if has else family


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
    """Say what the judgement applies to, as a sentence."""
    return f"Applies to {applies_to(shown)}"


def applies_to(shown: Shown) -> str:
    """Say what is judged: algorithms at a training size (D-57), or fitted models (D-14)."""
    method, design = shown.method, shown.design
    items = getattr(getattr(shown, "scores", None), "measured", None)
    if items is not None:
        clustered = "clustered-items" in method.designs
        return items_scope(items, len(shown.names), by_clusters=clustered)
    kind = None if design is None else design.kind
    if "datasets" in (kind, *method.designs):
        return _datasets_scope(shown)
    if kind == "leave-one-out":
        return (
            f"models fitted to all {shown.n} items but one, not to learning algorithms on other "
            "training sets."
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
            f"{_subjects(shown)} on one test set of {shown.n} items, not to learning algorithms: "
            "another training set might have given other models."
        )
    if method.view.type is Values:
        return "the partitions whose p-values were given."
    which = "this algorithm" if shown.names[1] is None else "these algorithms"
    return f"{which} trained on {_training(shown)}."


def _datasets_scope(shown: Any) -> str:
    """Say whether the next dataset is judged, or datasets like these on the whole."""
    if shown.method.view.type is FoldsByDataset:
        return f"one new dataset like these {span(shown)}, not to their average."
    families = getattr(getattr(shown, "scores", None), "families", None)
    what = "datasets" if families is None else "families of datasets"
    return f"{what} like these {span(shown)}, each counted as one exact number; not to each one."


def span(shown: Any) -> str:
    """Return how many values a pair was judged on, "28 to 30" where pairs differ."""
    each = sizes(shown) if hasattr(shown, "n_pairs") else [shown.n]
    low, high = min(each), max(each)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


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
            rest = f" (not all {round(size + float(scores.n_test[whole].mean())):,})"
        return f"about {round(size):,} examples{rest}"
    design = getattr(shown.design, "of", shown.design)
    for name in ("train", "size"):
        asked = getattr(design, name, None)
        if isinstance(asked, int):
            return f"{asked:,} examples"
        if asked is not None:
            return f"about {percent(float(asked))} of the data"
    ratio = None if design is None else design.test_train_ratio
    if ratio is None:
        return "sets of unknown size"
    return f"about {percent(round(float(1 / (1 + ratio)), 2))} of the data"


def detectable(shown: Comparison, alpha: float = 0.05, row: int | None = None) -> str:
    """Say the smallest difference that would have been found, of one pair or of all."""
    sizes = shown.detectable(alpha, POWER)
    known = sorted(s for s in (sizes if row is None else sizes[row : row + 1]) if s == s)
    if not known:
        return ""
    digits = decimals_for(None, known[0])
    most = largest_difference(shown)
    low, high = (fixed(size, digits) for size in (known[0], min(known[-1], most)))
    span = low if low == high else f"{low} to {high}, depending on the pair"
    family = "" if shown.family_size == 1 else f" over {counted(shown.n_pairs, 'pair')}"
    held = f"({percent(POWER)} power, α = {alpha:g}{family}, using the estimated standard error)"
    if known[0] >= most:
        return (
            f"No difference in {terminal(shown.metric)} is detectable: it would have to be {low}, "
            f"and {most:g} is the largest possible {held}."
        )
    if known[-1] > most:
        span += f"; {most:g} is the largest possible, so on some pairs none is detectable"
    return f"Smallest detectable difference ≈ {span} {held}."


def verdict_paragraph(
    shown: Comparison, first: str, second: str, alpha: float = 0.05, rope: float | None = None
) -> tuple[str, ...]:
    """Say all that belongs to the verdict on one pair, a sentence each.

    The outcome; what the interval allows; what it applies to; what could have been detected; what
    single runs say; which assumptions are strained.
    """
    verdict = shown.verdict(first, second, alpha, rope)
    row, _ = shown._row(first, second)
    said = [capital(verdict.sentence) if verdict == "no decision" else verdict.sentence]
    interval = shown.interval(first, second, 1 - alpha)
    if verdict != "no decision" and interval is not None:
        low, high = ends(*interval, digits_of_pair(shown, row), *limits_of(shown, rope), sign=True)
        alone = alone_of(shown) and f" ({alone_of(shown)})"
        held = f"The {percent(1 - alpha)} interval of the difference is {low} to {high}"
        said.append(f"{held}{alone}.")
    way = direction(shown, terminal(first))
    said += [way and capital(f"{way}."), not_the_mean(shown)]
    said += [estimand(shown), detectable(shown, alpha, row)]
    items = None if shown.scores is None else shown.scores.measured
    if items is not None:
        said.append(cluster_sentence(shown, first, second))
        said.append(sample_sentence(items, first, second))
        said.append(printed_sentence(shown, items, first, second))
    runs = shown.robustness(alpha, rope)
    said += runs[row].sentences()[:1] if runs else ()
    strained = [note.code for note in shown.notes_at(alpha) if note.severity != "info"]
    if strained:
        said.append(f"Interpret with caution: {', '.join(dict.fromkeys(strained))}.")
    return tuple(sentence for sentence in said if sentence)


def robustness_sentences(found: Robustness) -> tuple[str, ...]:
    """Say what single runs say: their verdicts, the group (B-12 to B-14), R (R-06), and whether
    more are needed (B-17)."""
    first, second = map(terminal, found.names)
    unit, n = found.unit, found.n
    whole = {
        "first better": f"{first} is better",
        "second better": f"{second} is better",
        "no decision": "no decision",
        "equivalent": "equivalent",
    }[found.whole]
    if found.otherwise:
        counts = found.verdicts
        same = "" if found.rope is None else f", equivalent in {counts['equivalent']}"
        verdicts = (
            f"{found.otherwise} of {n} {unit}s alone would give a different verdict than all "
            f"together ({whole}): {first} is better in {counts['first better']}, {second} in "
            f"{counts['second better']}, no decision in {counts['no decision']}{same}."
        )
    else:
        verdicts = f"Each of the {n} {unit}s alone gives the same verdict: {whole}."
    group = {
        "1": f"Each learner is significantly better on some {unit}s: the split of the data "
        "decides (group 1 of Bradford & Brodley, 2001).",
        "2": f"Significance depends on the {unit} (group 2 of Bradford & Brodley, 2001).",
        "3": f"p varies over {unit}s but is never significant (group 3 of Bradford & Brodley, "
        "2001).",
        "4": f"p is the same on every {unit} (group 4 of Bradford & Brodley, 2001).",
        "always": f"Every {unit} is significant for the same learner.",
    }[found.group]
    agree = (
        f"The estimated probability that two {unit}s agree on significance is "
        f"R = {found.replicability:.2f}."
    )
    return verdicts, group, agree, _sufficient(found)


def _sufficient(found: Robustness) -> str:
    enough, unit = found.sufficiency, found.unit
    if enough is None:
        return f"Some {unit}s have no t, so it is unknown whether more are needed."
    about = (
        f"The mean t of {found.n} {unit}s is {short(enough.mean_t)} (threshold {threshold(enough)})"
    )
    if enough.sufficient:
        return f"{about}: no more {unit}s are needed."
    if enough.needed is None:
        return f"{about}: it equals the threshold, so no number of {unit}s is enough."
    return f"{about}: {enough.needed:,} {unit}s in all are needed for a stable verdict."


def intervals_of(shown: Comparison, level: float) -> list[tuple[float, float] | None]:
    """Return the interval of every pair, with infinite ends where one-sided."""
    if not shown.method.has_interval:
        return [None] * shown.n_pairs
    low, high = (end.tolist() for end in shown.intervals(level))
    return [(a, b) if a == a and b == b else None for a, b in zip(low, high, strict=True)]
