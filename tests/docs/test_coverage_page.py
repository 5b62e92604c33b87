"""The page that says which requirements are held is complete and up to date."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import coverage_page

COUNTS = {"D": 65, "B": 34, "R": 29, "N": 32, "F": 24}


@pytest.mark.slow
def test_the_page_is_what_the_source_and_the_tests_say_now(
    request: pytest.FixtureRequest, requirements_of: Callable[..., dict[str, list[str]]]
) -> None:
    """Collecting all tests takes a while: in a run of all of them it has been done."""
    items, chosen = request.session.items, request.config.option
    root = coverage_page.ROOT
    tests = {*root.glob("tests/**/test_*.py"), *root.glob("reproduction/tests/test_*.py")}
    every = tests <= {item.path for item in items}
    if every and not (chosen.keyword or chosen.markexpr):
        tests = coverage_page.without_parameters(requirements_of(items))
    else:
        tests = coverage_page.marked_tests()
    assert coverage_page.outdated(tests) == "", "run make docs"


def test_every_requirement_has_one_row() -> None:
    rows = re.findall(
        r"^\| ([DBRNF]-\d\d) \|", coverage_page.PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert rows == [f"{letter}-{i:02d}" for letter, n in COUNTS.items() for i in range(1, n + 1)]


def test_every_requirement_has_a_module_and_a_test_or_an_exhibit() -> None:
    text = coverage_page.PAGE.read_text(encoding="utf-8")
    rows = [line.split(" | ") for line in text.splitlines() if re.match(r"\| [DBRNF]-\d\d ", line)]
    lacking = [row[0] for row in rows if row[2] == "–" or (row[3] == "–" and row[4] == "– |")]
    assert lacking == []


def test_a_row_names_modules_tests_and_exhibits() -> None:
    papers = [{"paper": "P", "requirements": {"D-01": "one", "D-02": "two"}}]
    tests = {"D-01": ["tests/test_a.py::test_b"]}
    text = coverage_page.page(
        papers, {"D-01": ["src/outperform/a.py"]}, tests, {"D-01": ["p figure1"]}
    )
    assert (
        "| D-01 | one | [`a.py`](../src/outperform/a.py) "
        "| [`test_a.py::test_b`](../tests/test_a.py) | p figure1 |" in text
    )
    assert "| D-02 | two | – | – | – |" in text
    assert "1 of 2 have a test" in text


def test_an_unknown_requirement_is_refused() -> None:
    with pytest.raises(SystemExit, match="D-99"):
        coverage_page.page(coverage_page.requirements(), {"D-99": ["a.py"]}, {}, {})


def test_only_exact_ids_count_as_cited(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text('"""N-10–N-12, D-161, E-D16, AB-01; and F-01."""')
    assert coverage_page.cited_in_source(tmp_path, [tmp_path]) == {
        "F-01": ["a.py"],
        "N-10": ["a.py"],
        "N-12": ["a.py"],
    }
