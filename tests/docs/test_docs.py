"""The documentation keeps its word: sessions run, pages are fresh, links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from places import ROOT

import method_pages
import outperform as op
import pictures
import sessions
from outperform import registry

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


@pytest.mark.slow
def test_the_page_of_every_method_is_what_its_registration_says() -> None:
    made = method_pages.pages()
    there = {path.name: read(path) for path in method_pages.FOLDER.glob("*.md")}
    assert there.keys() == made.keys(), "run: make docs"
    for name, text in made.items():
        assert there[name] == text, f"{name}: run make docs"


@pytest.mark.slow
@pytest.mark.parametrize("name", op.methods.table().names)
def test_the_example_of_every_method_is_a_session_that_runs(name: str) -> None:
    page = read(method_pages.FOLDER / f"{name}.md")
    assert page.count(">>> print(") == 1
    assert name in registry.PROCEDURES or "verdict " in page
    assert sessions.renewed(page) == page


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?://)([^)\s]+)\)", read(page)):
        path, _, anchor = target.partition("#")
        found = (page.parent / path).resolve() if path else page
        assert found.exists(), f"{page.name}: {target}"
        if anchor:
            titles = re.findall(r"^#+ (.+)$", read(found), re.MULTILINE)
            slugs = {re.sub(r"[^\w\- ]", "", t).strip().lower().replace(" ", "-") for t in titles}
            slugs |= set(re.findall(r'<a id="([^"]+)"></a>', read(found)))
            assert anchor in slugs, f"{page.name}: {target}"


def test_every_page_is_reached_from_the_first() -> None:
    start = ROOT / "docs" / "index.md"
    seen, left = set(), [start]
    while left:
        page = left.pop()
        if page in seen or page.suffix != ".md":
            continue
        seen.add(page)
        links = re.findall(r"\]\((?!https?://)([^)#\s]+)", read(page))
        left += [(page.parent / link).resolve() for link in links]
    assert {page for page in PAGES if page.parent.name != ROOT.name} <= seen


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
    files = (ROOT / "src" / "outperform" / "cli").glob("[a-z]*.py")
    for verb in sorted(path.stem for path in files):
        assert f"| `{verb}` |" in page, verb


def test_the_options_that_pages_name_exist() -> None:
    source = "".join(map(read, (ROOT / "src" / "outperform" / "cli").glob("*.py")))
    for page in ("guide.md", "command_line.md"):
        for option in set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", read(ROOT / "docs" / page))):
            assert f'"{option}"' in source or option == "--help", f"{page}: {option}"
