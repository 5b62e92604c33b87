"""What was done, in the words of a paper's methods section."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from .. import references
from . import prose
from .clean import terminal
from .text import NAMED, intervals_of

if TYPE_CHECKING:
    from ..results.comparison import Comparison
    from ..results.result import Result

__all__ = ["methods_text"]

Shown: TypeAlias = "Result | Comparison"
NAMES = ("McNemar", "Wilcoxon", "Cochran", "Student", "Fisher")
ADJUSTED_BY = {
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
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    if len(names) > NAMED:
        listed = f"{len(names):,} learners"
    verb = "compared" if len(names) > 1 else "judged"
    design = "" if shown.design is None else f" by {shown.design.describe()}"
    seed = "" if shown.seed is None else f" (random seed {shown.seed})"
    made = versions()
    return " ".join([
        f"We {verb} {listed}{design}{seed}.",
        f"{_judged(shown, len(names), alpha)}{_family(shown, level)}.",
        f"The verdict speaks of {prose.estimand(shown).removeprefix('Speaks of ')}",
        f"Computed with outperform {made['outperform']}, NumPy {made['numpy']} and Python "
        f"{made['python']}.",
    ])  # fmt: skip


def _judged(shown: Shown, count: int, alpha: float) -> str:
    pairs = getattr(shown, "n_pairs", 1)
    control = getattr(shown, "control", None)
    what = "the scores" if count == 1 else "the difference" if pairs == 1 else "the differences"
    if control is not None:
        what += f" of every other learner and {terminal(control)}"
    elif pairs > 1:
        what += f" of all {prose.counted(pairs, 'pair')}"
    were = "was" if what.startswith("the difference") and pairs == 1 else "were"
    papers = references.papers_of(shown.method.name, shown.method.paper)
    cited = "; ".join(map(references.cited, papers))
    side = "" if shown.alternative == "two-sided" else "alternative: "
    asked = f"{side}{shown.alternative}, α = {alpha:g}"
    way = prose.direction(shown, "the first named" if pairs == 1 else "the first of a pair")
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
    if size == 1:
        return f", with intervals {interval}" if interval else ""
    source = references.ADJUSTMENT_PAPERS.get(adjust)
    of = "" if source is None else f" ({references.cited(source)})"
    family = (
        f", with p-values adjusted for {prose.counted(size, 'pair')} by {ADJUSTED_BY[adjust]}{of}"
    )
    return f"{family} and simultaneous intervals {interval}" if interval else family


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
