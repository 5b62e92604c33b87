"""Dietterich's exhibits: those without data in full, those with data small."""

from __future__ import annotations

from pathlib import Path

import pytest

from outperform.papers.dietterich import EXHIBITS
from outperform.papers.exhibits import Exhibit, Finding, Scale
from outperform.papers.running import reproduce

BY_NAME = {exhibit.name: exhibit for exhibit in EXHIBITS}
DIFFERS = {
    "replications": "fewer than five raise it",
    "law": "t̃ has about a t distribution with 5 degrees of freedom",
}


def run(name: str, folder: Path) -> Finding:
    chosen: Exhibit = BY_NAME[name]
    [(_, finding)] = reproduce([chosen], Scale(quick=True, folder=folder))
    if chosen.draw is not None:
        for theme in ("light", "dark"):
            assert chosen.draw(finding, theme).axes
    return finding


@pytest.mark.requirement("D-01", "D-39", "D-55", "D-58")
@pytest.mark.parametrize("name", ["figure1", "constants", "examples", "recommendation", "figure4"])
def test_what_needs_no_experiment_agrees(name: str, tmp_path: Path) -> None:
    finding = run(name, tmp_path)
    assert finding.agreement == "agrees"
    assert len(finding.values) + len(finding.statements) >= 2


@pytest.mark.requirement("D-26", "D-38")
@pytest.mark.parametrize("name", ["figure6", "replications", "law"])
def test_the_designed_population_says_what_the_errata_say(name: str, tmp_path: Path) -> None:
    finding = run(name, tmp_path)
    differing = [one for one in finding.statements if one.agreement == "differs"]
    assert [one.text for one in differing] == ([DIFFERS[name]] if name in DIFFERS else [])
    assert all("E-D" in one.reason for one in differing)


def test_names_and_seeds_are_given_once_and_in_advance() -> None:
    assert len(BY_NAME) == len(EXHIBITS)
    for exhibit in EXHIBITS:
        assert exhibit.requirements
        assert "trials" not in exhibit.parameters or exhibit.seed > 0
