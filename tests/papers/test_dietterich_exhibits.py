"""Dietterich's exhibits: those without data in full, those with data small."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from outperform.lab.study_results import rate
from outperform.papers.dietterich import EXHIBITS, real_learners, tasks
from outperform.papers.exhibits import Exhibit, Finding, Scale
from outperform.papers.reproduction import reproduce

BY_NAME = {exhibit.name: exhibit for exhibit in EXHIBITS}
DIFFERS = {
    "replications": {"fewer than five raise it"},
    "law": {"t̃ has about a t distribution with 5 degrees of freedom"},
}


def run(name: str, folder: Path) -> Finding:
    chosen: Exhibit = BY_NAME[name]
    [(_, finding)] = reproduce([chosen], Scale(quick=True, folder=folder))
    if chosen.draw is not None:
        for theme in ("light", "dark"):
            assert chosen.draw(finding, theme).axes
    return finding


@pytest.mark.requirement("D-01", "D-39")
@pytest.mark.parametrize("name", ["figure1", "constants", "examples", "figure4"])
def test_what_needs_no_experiment_agrees(name: str, tmp_path: Path) -> None:
    finding = run(name, tmp_path)
    assert finding.agreement == "agrees"
    assert len(finding.values) + len(finding.statements) >= 2


@pytest.mark.requirement("D-55", "D-58")
def test_the_advice_departs_from_the_recommendation_of_5x2cv_alone(tmp_path: Path) -> None:
    finding = run("recommendation", tmp_path)
    assert all(value.agreement == "agrees" for value in finding.values)
    [departs] = [one for one in finding.statements if one.agreement == "differs"]
    assert departs.text == "5x2cv where a learner can be run ten times"
    assert "5x2cv trains on half of the data only" in departs.why
    assert len(finding.statements) == 4


@pytest.mark.requirement("D-26", "D-38", "D-53")
@pytest.mark.parametrize("name", ["figure6", "replications", "law"])
def test_the_designed_population_says_what_the_errata_say(name: str, tmp_path: Path) -> None:
    finding = run(name, tmp_path)
    differing = [one for one in finding.statements if one.agreement == "differs"]
    assert {one.text for one in differing} == DIFFERS.get(name, set())
    assert all("E-D" in one.reason for one in differing)


@pytest.mark.requirement("D-53")
def test_no_reading_of_fluctuating_error_rates_shows_that_5x2cv_fails(tmp_path: Path) -> None:
    said = run("fluctuating", tmp_path).statements
    assert len(said) == 3
    assert not any(one.holds and one.shown for one in said)
    assert all("E-D16" in one.why for one in said if one.agreement == "differs")


@pytest.mark.slow
@pytest.mark.requirement("D-36")
def test_five_tests_err_as_the_paper_says(tmp_path: Path) -> None:
    finding = run("figure5", tmp_path)
    assert finding.agreement == "agrees"
    assert finding.curves["proportions"]["exact"] == pytest.approx([0.055164, 0.071246], abs=1e-6)


@pytest.mark.requirement("D-32", "D-33", "D-34")
def test_a_learner_simulated_from_a_profile_errs_as_often_as_the_real_one(tmp_path: Path) -> None:
    finding = run("figure3", tmp_path)
    assert [one.agreement for one in finding.statements] == ["agrees", "agrees"]
    errors = finding.curves["C4.5, 100 training items"]
    assert errors == sorted(errors)
    assert finding.curves["n"] == 7670


@pytest.mark.slow
@pytest.mark.requirement("D-31", "D-44", "D-51")
def test_what_stands_on_exp6_is_never_called_reproduced(tmp_path: Path) -> None:
    assert run("figure9", tmp_path).agreement == "not comparable"
    finding = run("figure2", tmp_path)
    lost = [one.text for one in finding.statements if one.agreement == "not comparable"]
    assert lost == ["a fairly good fit to the line: EXP6 (stand-in)"]


@pytest.mark.slow
@pytest.mark.needs("datasets")
@pytest.mark.requirement("D-29", "D-45", "D-46", "D-47", "D-48", "D-49", "D-50", "D-51")
def test_real_learners_are_calibrated_and_compared(tmp_path: Path) -> None:
    curves = run("figure8", tmp_path)
    assert curves.agreement == "agrees"
    calibration = tasks.calibrated("letter", Scale(quick=True, folder=tmp_path))
    assert calibration.points(0.0) == 0
    assert calibration.points(1.0) > 5
    equal = [spot for spot in calibration.spots if spot.fraction == 0]
    assert len({spot.target for spot in equal}) == len(equal) == 4, "one for each training size"
    assert all(abs(spot.gap) <= 0.01 < spot.weight for spot in equal)
    for name in ("figure10", "figure11", "figure7", "fold-correlation"):
        finding = run(name, tmp_path)
        assert len(finding.statements) >= 2
        assert all(one.reason for one in finding.statements if one.agreement == "differs")
    assert len(list(tmp_path.glob("dietterich-calibration-*.json"))) == 3
    assert len(list(tmp_path.glob("dietterich-calibration-letter/*.json"))) >= 1, "kept in parts"


@pytest.mark.requirement("D-48")
def test_a_test_that_rejects_too_often_is_not_called_acceptable() -> None:
    fine, wild = (rate("mcnemar", 0.0, hits, 1000, 0, 0.95) for hits in (60, 90))
    assert real_learners._acceptable([fine], "").agreement == "undecided"
    assert not real_learners._acceptable([fine, wild], "").holds
    exceeds, twice = real_learners._exceeds([wild, wild], "")
    assert exceeds.holds
    assert exceeds.shown
    assert twice.agreement == "undecided"
    assert real_learners._exceeds([fine, fine], "")[0].agreement == "undecided"
    low = rate("kfold_t", 0.0, 20, 1000, 0, 0.95)
    assert not real_learners._exceeds([low, low], "")[0].holds
    assert not real_learners._exceeds([rate("kfold_t", 0.0, 150, 1000, 0, 0.95)], "")[1].holds


def test_what_was_computed_is_kept_unless_it_is_damaged_or_of_other_settings(
    tmp_path: Path,
) -> None:
    scale, calls = Scale(folder=tmp_path), []

    def compute() -> Any:
        calls.append(1)
        return [0.1, 2]

    for _ in range(2):
        assert tasks.remembered(scale, "some", {"n": 1}, compute) == [0.1, 2]
    assert len(calls) == 1
    tasks.remembered(scale, "some", {"n": 2}, compute)
    assert len(calls) == 2
    (tmp_path / "some-full.json").write_text('{"key": ')
    tasks.remembered(scale, "some", {"n": 2}, compute)
    assert len(calls) == 3


def test_names_and_seeds_are_given_once_and_in_advance() -> None:
    assert len(BY_NAME) == len(EXHIBITS)
    for exhibit in EXHIBITS:
        assert exhibit.requirements
        assert "trials" not in exhibit.parameters or exhibit.seed > 0
