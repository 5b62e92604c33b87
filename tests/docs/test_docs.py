"""The documentation keeps its word: sessions run, and what it promises to explain is there."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest
from places import ROOT

import pictures
import sessions
from outperform.cli._program import program

PAGES = sorted([*ROOT.glob("docs/**/*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"])
ERRATA = {"D": 18, "B": 20, "R": 14, "N": 10, "F": 13}


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


RUN_HERE = [p for p in (*sessions.PAGES, *sessions.RECIPES) if not pictures.runs_all_of(read(p))]
"""Pages whose sessions are not run for their pictures, as test_site.py does."""


@pytest.mark.slow
@pytest.mark.parametrize("page", RUN_HERE, ids=lambda page: page.name)
def test_every_session_of_the_guide_prints_what_it_says(page: Path) -> None:
    now = sessions.anywhere(sessions.renewed(read(page)))
    assert now == sessions.anywhere(read(page)), "run: make docs"


def test_versions_of_the_environment_are_all_that_may_differ() -> None:
    said = "Computed with outperform 0.2.0, NumPy {} and Python {}."
    here, there = said.format("2.4.6", "3.11.7"), said.format("2.5.0rc1", "3.13.0")
    assert sessions.anywhere(here) == sessions.anywhere(there)
    assert sessions.anywhere("p = 0.152, NumPy 2") != sessions.anywhere("p = 0.153, NumPy 2")
    assert "2.4.6" not in sessions.anywhere(read(ROOT / "docs" / "tutorial.md"))


def test_every_erratum_is_told() -> None:
    text = read(ROOT / "docs" / "errata.md")
    told = set(re.findall(r"E-[DBRNF]\d+", text))
    for letter, first, last in re.findall(r"E-([DBRNF])(\d+) to E-[DBRNF](\d+)", text):
        told |= {f"E-{letter}{n}" for n in range(int(first), int(last) + 1)}
    assert told == {f"E-{letter}{n}" for letter, last in ERRATA.items() for n in range(1, last + 1)}


def test_every_line_of_a_printed_verdict_is_explained() -> None:
    page, labels = read(ROOT / "docs" / "read_a_verdict.md"), {}
    for path in PAGES:
        for block in re.findall(r"```(?:python|console)\n(.*?)\n```", read(path), re.DOTALL):
            text = re.sub(r"^@.*?^}$", "", block, flags=re.DOTALL | re.MULTILINE)  # BibTeX
            if re.search(r"^  (verdict|pairs) ", text, re.MULTILINE):
                found = re.findall(r"^  ([a-z][a-z ±]*?)  ", text, re.MULTILINE)
                labels |= dict.fromkeys(found, path.name)
    assert {"verdict", "interval", "scope", "groups", "overlap"} <= labels.keys()
    missing = {label: where for label, where in labels.items() if f"`{label}`" not in page}
    assert missing == {}, "explain these lines in docs/read_a_verdict.md"


def test_every_verb_is_on_the_page_of_the_command_line() -> None:
    page = read(ROOT / "docs" / "command_line.md")
    for verb in program.list_commands(click.Context(program)):
        assert f"| `{verb}` |" in page, verb
