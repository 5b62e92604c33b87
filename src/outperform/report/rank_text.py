"""Rank sets as text and LaTeX; names may hold anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .formatting import decimals_for, fixed, sentence, terminal
from .paper_escapes import booktabs, escape_latex
from .sentences import ADJUSTED_BY, listed, percent
from .wrapping import laid_out

if TYPE_CHECKING:
    from ..results.rank_sets import RankSets


def text(shown: RankSets) -> str:
    """Return a line for each learner, then who is tied for first, and what it rests on."""
    names = [terminal(name) for name in shown.names]
    wide = max(map(len, names))
    means = _means(shown)
    deep = max(map(len, means))
    lines = [
        f"{name:<{wide}}  {mean:>{deep}}  {ranks}"
        for name, mean, ranks in zip(names, means, _ranks(shown), strict=True)
    ]
    rows = [("ranks" if at == 0 else "", line) for at, line in enumerate(lines)]
    rows += [("first", first(shown)), ("level", level(shown))]
    notes = [("note" if at == 0 else "", sentence(str(n))) for at, n in enumerate(shown.notes)]
    return laid_out(f"{head(shown)}: the ranks each may have", [*rows, *notes], None)


def head(shown: RankSets) -> str:
    return f"{len(shown.names)} learners, {terminal(shown.metric)}"


def first(shown: RankSets) -> str:
    """Say who may be best."""
    tied = [terminal(name) for name in shown.tied_for_first]
    if len(tied) == 1:
        return f"{tied[0]} is first."
    return f"Tied for first: {listed(tied, 12)}."


def level(shown: RankSets) -> str:
    by = ADJUSTED_BY.get(shown.intervals, shown.intervals)
    return (
        f"With {percent(shown.level)} confidence, every true rank is in its set (simultaneous "
        f"intervals of {shown.n:,} values, by {by})."
    )


def _means(shown: RankSets) -> list[str]:
    known = [mean for mean in shown.means if mean is not None]
    decimals = max((decimals_for(None, mean) for mean in known), default=3) + 1
    return ["" if mean is None else fixed(mean, max(decimals, 3)) for mean in shown.means]


def _ranks(shown: RankSets) -> list[str]:
    pairs = zip(shown.low, shown.high, strict=True)
    return [f"{low}" if low == high else f"{low}–{high}" for low, high in pairs]


def latex(shown: RankSets, caption: str | None, label: str | None) -> str:
    rows = []
    tied = set(shown.tied_for_first)
    for name, mean, ranks in zip(shown.names, _means(shown), _ranks(shown), strict=True):
        written = escape_latex(name)
        written = rf"\underline{{{written}}}" if name in tied else written
        rows.append(" & ".join((written, escape_latex(mean), escape_latex(ranks))))
    usual = f"{head(shown)}. {first(shown)} {level(shown)}"
    said = usual if caption is None else caption
    heads = ("Learner", f"Mean {escape_latex(shown.metric)}", "Ranks")
    return booktabs("lrr", heads, rows, said, label)
