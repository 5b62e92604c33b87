"""Dietterich's exhibits: those without data in full, those with data small."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from outperform.lab.study_results import rate
from reproduction.dietterich import EXHIBITS, designed, real_learners, tasks
from reproduction.exhibits import Exhibit, Finding, Scale
from reproduction.running import reproduce

BY_NAME = {exhibit.name: exhibit for exhibit in EXHIBITS}
DIFFERS = {
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


@pytest.mark.slow
@pytest.mark.requirement("D-26", "D-38", "D-53")
@pytest.mark.parametrize("name", ["figure6", "law"])
def test_the_designed_population_says_what_the_errata_say(name: str, tmp_path: Path) -> None:
    finding = run(name, tmp_path)
    differing = [one for one in finding.statements if one.agreement == "differs"]
    assert {one.text for one in differing} == DIFFERS.get(name, set())
    assert all("E-D" in one.reason for one in differing)


@pytest.mark.requirement("D-53")
def test_5x2cv_fails_where_each_model_has_a_level_of_its_own(tmp_path: Path) -> None:
    finding = run("fluctuating", tmp_path)
    own = [one for one in finding.statements if "its own level" in one.text]
    shared = [one for one in finding.statements if "one level for both" in one.text]
    assert [one.agreement for one in own] == ["agrees", "agrees"]
    assert not any(one.agreement == "agrees" for one in shared)
    assert all("E-D16" in one.why for one in shared if one.agreement == "differs")
    rates = {row[0]: float(row[1]) for row in finding.rows}
    assert rates["uniform from .1 to .9, each learner its own level"] == pytest.approx(
        0.72, abs=0.02
    )
    assert rates[".1 or .9, each learner its own level"] == pytest.approx(0.52, abs=0.02)


@pytest.mark.requirement("D-24", "D-25")
@pytest.mark.parametrize(
    ("df_level", "size"),
    [(2.570582, 0.0281), (2.015048, 0.0732), (4.032143, 0.0033), (2.234, 0.05)],
)
def test_the_ideal_law_of_5x2cv_by_quadrature(df_level: float, size: float) -> None:
    assert designed.ideal_size(df_level) == pytest.approx(size, abs=6e-5)


@pytest.mark.requirement("D-59", "D-60", "D-61", "D-62", "D-63", "D-64")
@pytest.mark.parametrize("name", ["single-fold", "overlap", "clusters", "spreads", "left-tables"])
def test_findings_in_the_text_are_run(name: str, tmp_path: Path) -> None:
    finding = run(name, tmp_path)
    differing = [one.text for one in finding.statements if one.agreement == "differs"]
    assert [text[:10] for text in differing] == (["½ε and 3⁄2"] if name == "spreads" else [])


@pytest.mark.requirement("D-44", "D-65")
def test_on_the_stand_in_for_exp6_the_neighbour_is_much_better_than_release_1() -> None:
    source, _ = tasks.sources("exp6")
    assert tasks.reference("exp6").release == 1
    assert tasks.damaged("pima")(0.1).release == 1
    gaps = []
    for seed in range(6):
        train, test = (source.draw(n, np.random.default_rng([seed, n])) for n in (300, 2000))
        errors = [
            np.mean(one.fit(train.X, train.y).predict(test.X) != test.y)
            for one in (tasks.reference("exp6"), tasks.damaged("exp6")(0.0))
        ]
        gaps.append(errors[0] - errors[1])
    assert np.mean(gaps) > 0.05


@pytest.mark.slow
@pytest.mark.requirement("D-36")
def test_five_tests_err_as_the_paper_says(tmp_path: Path) -> None:
    finding = run("figure5", tmp_path)
    assert finding.agreement == "agrees"
    assert finding.curves["proportions"]["exact"] == pytest.approx([0.055164, 0.071246], abs=1e-6)


@pytest.mark.slow
@pytest.mark.requirement("D-32", "D-33", "D-34")
def test_a_model_simulated_from_a_profile_errs_as_often_as_the_real_one(tmp_path: Path) -> None:
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
def test_real_models_are_calibrated_and_compared(tmp_path: Path) -> None:
    curves = run("figure8", tmp_path)
    assert curves.agreement == "agrees"
    calibration = tasks.calibrated("letter", Scale(quick=True, folder=tmp_path))
    assert calibration.points(0.0) == 0
    assert calibration.points(1.0) > 5
    equal = [spot for spot in calibration.spots if spot.fraction == 0]
    assert len({spot.target for spot in equal}) == len(equal) == 4, "one for each training size"
    assert all(abs(spot.gap) <= 0.01 < spot.weight for spot in equal)
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
