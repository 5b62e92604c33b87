"""The tree of questions that `advise` asks as a picture, and its leaves as a table, for the site.

The tree is read off `advise` itself: each question without a default is answered in every way, and
the number of fits by every number. Answers that lead to the same are one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

import outperform as op
from outperform.advice import questions
from outperform.designs import parse

ROOT = Path(__file__).resolve().parent.parent
MOST_FITS = 400
SHORT = {
    "domains": "One task, or several?",
    "about": "Fitted models, or algorithms?",
    "aim": "Estimate one, or compare?",
    "fits": "How often can each learner be trained?",
    "results": "What was measured?",
}
"""The questions of `advise` in fewer words."""
BY_TEXT = {
    questions.TEST_SET.text: "A separate test set?",
    questions.MANY_SETS.text: "Data for disjoint training sets?",
}
WORDS = {
    "one": "one task",
    "several": "several tasks",
    "large": "yes",
    "small": "no",
    "classifier": "fitted models",
    "algorithm": "algorithms",
    "table": "one score each",
    "splits": "splits of each",
    "none": "nothing yet",
}
"""Answers in the words of the picture."""
RECIPES = {
    "accuracy_interval": "one_learner",
    "estimate": "one_learner",
    "calibrated_t": "pipelines",
    "quasi_f": "disjoint",
    "wilcoxon": "benchmark",
}
"""The recipe for a method, where the number of fits does not decide."""

SPOKEN = {
    SHORT["fits"]: "{} fits",
    BY_TEXT[questions.TEST_SET.text]: "test set: {}",
    BY_TEXT[questions.MANY_SETS.text]: "disjoint training sets: {}",
}
"""Answers that need a word beside their question."""


@dataclass(frozen=True)
class Leaf:
    """What is advised: a method, the designs it is advised on, and a recipe that does it."""

    method: str
    designs: tuple[str, ...]
    recipe: str

    @property
    def design(self) -> str:
        return " to ".join(dict.fromkeys((self.designs[0], self.designs[-1])))


@dataclass(frozen=True)
class Branch:
    """A question, and what each answer leads to."""

    question: str
    answers: tuple[tuple[str, Branch | Leaf], ...]


def tree(answers: dict[str, Any] | None = None) -> Branch | Leaf:
    """Return what `advise` asks after these answers, down to what it recommends."""
    known = answers or {}
    asked = questions.questions(known)
    if asked is None:
        return _leaf(known)
    if asked.key == "fits":
        return _bands(known)
    if asked.default is not None and asked.key != "results":
        return tree(known | {asked.key: asked.default})
    found = [(value, tree(known | {asked.key: value})) for value, _ in asked.choices]
    named = tuple((WORDS.get(value, value), leads) for value, leads in found)
    return Branch(BY_TEXT.get(asked.text) or SHORT[asked.key], named)


def _bands(known: dict[str, Any]) -> Branch:
    """Return the numbers of fits between which the advice changes."""
    found = [(fits, _leaf(known | {"fits": fits})) for fits in range(1, MOST_FITS)]
    bands = [list(band) for _, band in groupby(found, lambda one: _kind(one[1]))]
    named = []
    for band in bands:
        first, last = band[0][0], band[-1][0]
        words = f"{first} or more" if band is bands[-1] else f"{first} to {last}"
        designs = dict.fromkeys(design for _, leaf in band for design in leaf.designs)
        named.append((words, replace(band[0][1], designs=tuple(designs))))
    return Branch(SHORT["fits"], tuple(named))


def _leaf(known: dict[str, Any]) -> Leaf:
    advice = op.advise(**known)
    design = advice.design.removesuffix("/stratified")
    return Leaf(advice.method, (design,), _recipe(advice.method, known))


def _recipe(method: str, known: dict[str, Any]) -> str:
    """Return the recipe for a method, after these answers."""
    if known.get("results") in ("splits", "none"):
        return "several_datasets"
    return RECIPES.get(method, "few_fits" if "fits" in known else "fitted")


def _kind(leaf: Leaf) -> tuple[str, str]:
    return leaf.method, parse(leaf.designs[0]).kind


def leaves(
    top: Branch | Leaf, before: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Leaf]]:
    """Yield every leaf with the answers that lead to it."""
    if isinstance(top, Leaf):
        yield before, top
    else:
        for word, leads in top.answers:
            yield from leaves(leads, (*before, SPOKEN.get(top.question, "{}").format(word)))


INDENT, ROW, LETTER, WIDTH = 26, 31, 7.2, 600
"""Pixels: of an indent, a row, a letter at most, and the whole picture."""
THEMES = {
    "light": {"ink": "#1f2933", "line": "#8a97a6", "box": "#eaf0f5", "leaf": "#0b6e99"},
    "dark": {"ink": "#e4e9ee", "line": "#6f7d8c", "box": "#25303a", "leaf": "#6cc4ea"},
}


def drawn(top: Branch | Leaf, theme: str) -> str:
    """Return the tree as SVG, a row for each answer, each leaf with a link to its recipe."""
    colour = THEMES[theme]
    parts: list[str] = []
    height = _draw(top, "", 0, 0, parts, colour) * ROW
    text = "Which test should I use? The questions that outperform advise asks, and its answers."
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" role="img" aria-label="{text}" font-family="system-ui, sans-serif" '
        f'font-size="13" fill="{colour["ink"]}">\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _draw(
    node: Branch | Leaf,
    answer: str,
    depth: int,
    row: int,
    parts: list[str],
    colour: dict[str, str],
) -> int:
    """Draw a node in this row and what follows below it; return the next free row."""
    x, y = depth * INDENT + 2, row * ROW + ROW // 2
    if answer:
        parts.append(f'<text x="{x}" y="{y + 4}">{escape(answer)}</text>')
        x += round(len(answer) * LETTER) + 16
    if isinstance(node, Leaf):
        wide = round((len(node.method) + len(node.design) + 3) * LETTER) + 30
        parts.append(
            f'<a href="recipes/{node.recipe}.html" target="_top"><rect x="{x}" y="{y - 12}" '
            f'rx="6" width="{wide}" height="24" fill="none" stroke="{colour["leaf"]}"/>'
            f'<text x="{x + 10}" y="{y + 4}"><tspan fill="{colour["leaf"]}" font-weight="600">'
            f'{escape(node.method)}</tspan> <tspan font-size="12">{escape(node.design)}</tspan>'
            "</text></a>"
        )
        return row + 1
    wide = round(len(node.question) * LETTER) + 24
    parts.append(
        f'<rect x="{x}" y="{y - 12}" width="{wide}" height="24" rx="6" fill="{colour["box"]}"/>'
        f'<text x="{x + 10}" y="{y + 4}">{escape(node.question)}</text>'
    )
    line = (depth + 1) * INDENT - 12
    top, row = y + 14, row + 1
    for word, below in node.answers:
        end = row * ROW + ROW // 2
        parts.append(
            f'<path d="M{line} {top}V{end}H{line + 10}" fill="none" stroke="{colour["line"]}"/>'
        )
        row = _draw(below, word, depth + 1, row, parts, colour)
    return row


def table() -> str:
    """Return a row for each leaf: the answers that lead to it, its design, method and recipe."""
    rows = ["| answers | design | method | recipe |", "| --- | --- | --- | --- |"]
    names = op.methods.table().names
    for before, leaf in leaves(tree()):
        said = " · ".join(before)
        page = f"recipes/{leaf.recipe}.md"
        title = (ROOT / "docs" / page).read_text("utf-8").partition("\n")[0].removeprefix("# ")
        method = f"`{leaf.method}`"
        if leaf.method in names:  # and not a verb
            method = f"[{method}](methods/{leaf.method}.md)"
        rows.append(f"| {said} | `{leaf.design}` | {method} | [{title}]({page}) |")
    return "\n".join(rows)


def picture() -> str:
    """Return the tree as HTML, of which the theme of the site shows one drawing."""
    top = tree()
    return "\n".join(
        f'```{{raw}} html\n<div class="only-{theme} drawing">{drawn(top, theme)}</div>\n```\n'
        for theme in THEMES
    )
