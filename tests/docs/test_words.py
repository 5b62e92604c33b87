"""Everything that users read is plain English: no ids of requirements, no banned words.

Sentences are read in the source, in strings that are no docstrings: notes, refusals, prompts and
what reports say. What is put together is read as it is rendered.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click
import numpy as np
import pytest
from places import ROOT, TESTS

import method_pages
import outperform as op
from outperform import extend
from outperform.advice import questions
from outperform.cli._program import program
from outperform.notes import NOTES

ID = re.compile(r"\b[DBRNF]-\d\d\b")
BANNED = (
    r"anew",
    r"mend(s|ed|ing)?",
    r"(finished|failed|missing|damaged|those|all|some|million|waiting) cells",
    r"cells (failed|run|of a (learner|run|store)|are (recorded|missing|run))",
    r"warned against",
    r"(is|are|was|were|been|be|being|not|never|cannot be) told",
    r"told apart",
    r"(speak|speaks|spoke|spoken|speaking) (of|against|for)",
    r"(is|are|was|were) asked( for| of)?",
    r"hold together",
    r"comes? (along|twice)",
    r"(is|are) (there already|already there|not there)",
    r"(?<!there )(is|are) no (?!longer|more|less|evidence|larger)",
    r"leaves? out 0",
    r"holds? 0 though",
    r"gate is shut",
    r"it is said",
    r"which turns",
    r"(single|all) \w+ say",
    r"(thereof|whence|lest)",
    r"true hypothes[ei]s",
    r"conclude otherwise",
)
WORDS = re.compile(rf"\b({'|'.join(BANNED)})\b", re.IGNORECASE)
ABOUT_IDS = ("docs/coverage.md", "docs/errata.md", "CONTRIBUTING.md")
"""Pages whose subject they are."""


def found(text: str, *, ids: bool = True) -> list[str]:
    """Return what must not be read, each with the words around it."""
    hits = [*WORDS.finditer(text), *(ID.finditer(text) if ids else ())]
    return [text[max(hit.start() - 30, 0) : hit.end() + 20].replace("\n", " ") for hit in hits]


def strings(path: Path) -> Iterator[str]:
    """Yield the sentences of a module: strings of three words, f-strings with {} for values."""
    tree = ast.parse(path.read_text("utf-8"))
    inside = {id(part) for node in ast.walk(tree) for part in _parts(node)}
    for node in ast.walk(tree):
        if id(node) not in inside and len((text := _text(node)).split()) > 2:
            yield text


def _parts(node: ast.AST) -> list[ast.AST]:
    """Return what is no sentence by itself: docstrings, parts of f-strings, patterns."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return [node.value]
    if isinstance(node, ast.JoinedStr):
        return [*ast.walk(node)][1:]
    if isinstance(node, ast.Call) and ast.unparse(node.func) in ("re.compile", "re.sub"):
        return [*ast.walk(node)][1:]
    return []


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) or "{}" for part in node.values)
    return ""


MODULES = sorted((ROOT / "src" / "outperform").rglob("*.py"))
PAGES = sorted([*ROOT.glob("docs/**/*.md"), *ROOT.glob("*.md")])
SNAPSHOTS = sorted((TESTS / "snapshots").glob("*.txt"))


PAIRS = (("tree", "bayes"), ("tree", "knn"))


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", [*MODULES, *ROOT.glob("tools/*.py")], ids=name)
def test_the_strings_of_a_module_are_plain(path: Path) -> None:
    assert [hit for text in strings(path) for hit in found(text)] == []


@pytest.mark.parametrize("path", [*PAGES, *SNAPSHOTS, ROOT / "Makefile"], ids=name)
def test_a_page_is_plain(path: Path) -> None:
    text = path.read_text("utf-8")
    assert found(text, ids=name(path) not in ABOUT_IDS) == []


@pytest.mark.parametrize("code", sorted(NOTES))
def test_a_note_is_plain_as_it_is_explained(code: str) -> None:
    assert found(str(op.explain(code))) == []


@pytest.fixture(scope="module")
def pages_of_methods() -> dict[str, str]:
    return method_pages.pages()


@pytest.mark.slow
@pytest.mark.parametrize("method", op.methods().names)
def test_a_method_is_plain_as_it_is_explained(
    method: str, pages_of_methods: dict[str, str]
) -> None:
    assert found(str(op.explain(method))) == []
    assert found(pages_of_methods[f"{method}.md"].partition("## Example")[0]) == []


@pytest.mark.parametrize("verb", ["", *program.list_commands(click.Context(program))])
def test_a_help_page_is_plain(verb: str) -> None:
    context = click.Context(program, info_name="outperform")
    command = program.get_command(context, verb) if verb else program
    assert command is not None
    assert found(click.Context(command, info_name=verb, parent=context).get_help()) == []


def test_the_summary_of_a_command_is_not_cut_off() -> None:
    context = click.Context(program, info_name="outperform", terminal_width=80)
    listed = program.get_help(context).partition("Commands:")[2].splitlines()
    assert len(listed) > 15
    assert [line for line in listed if line.endswith("...")] == []


def documented() -> dict[str, str]:
    """Return the docstrings of public names, and of what public classes have."""
    rooms = (op, op.lab, op.testing, extend)
    public = {
        f"{room.__name__}.{word}": getattr(room, word) for room in rooms for word in dir(room)
    }
    for place, value in [*public.items()]:
        if isinstance(value, type):
            public |= {f"{place}.{word}": part for word, part in vars(value).items()}
    ours = {place: value for place, value in public.items() if "._" not in place}
    return {place: value.__doc__ or "" for place, value in ours.items() if place.count(".") < 5}


def test_public_docstrings_are_plain() -> None:
    read = documented()
    assert len(read) > 1000
    assert [(place, hit) for place, text in read.items() for hit in found(text, ids=False)] == []


@pytest.mark.parametrize("question", questions.ALL, ids=lambda question: question.key)
def test_a_question_is_plain(question: questions.Question) -> None:
    said = [question.text, question.explanation, *(words for _, words in question.choices)]
    assert [hit for text in said for hit in found(text)] == []


@pytest.mark.slow
def test_a_report_and_the_verdicts_in_it_are_plain(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    made = {word: rng.normal(at / 50, 0.05, (10, 10)) for at, word in enumerate(("tree", "bayes"))}
    compared = op.compare(op.Scores.from_arrays({**made, "knn": made["tree"]}, design="10x10cv"))
    page = tmp_path / "report.html"
    compared.report(page, rope=0.01)
    read = page.read_text("utf-8") + compared._repr_html_()
    shown = re.sub(r"<(script|style).*?</\1>|<[^>]+>", " ", read, flags=re.S)
    tables = compared.to_latex() + compared.to_markdown() + compared.methods_text()
    verdicts = [compared.verdict(*names, rope=rope) for names in PAIRS for rope in (None, 1.0)]
    assert found(f"{compared}\n{shown}\n{tables}\n{verdicts}") == []


@pytest.mark.parametrize(
    "text",
    ["Run it anew", "59 cells come twice", "x is no design", "p (D-24)", "was asked", "is told"],
)
def test_what_is_banned_is_found(text: str) -> None:
    assert found(text)


@pytest.mark.parametrize("text", ["there is no interval", "recommend", "E-D16", "E-D1, 5x2cv-10"])
def test_what_is_plain_is_not_found(text: str) -> None:
    assert found(text) == []
