"""Bradford & Brodley's exhibits: what print says of itself, and what a small run of ours says."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from outperform import DataError
from outperform.results.partitions import Conclusions
from reproduction.bradford_brodley import EXHIBITS, shared_runs
from reproduction.bradford_brodley.partition_tables import _changes
from reproduction.bradford_brodley.section_four import _height, _lilliefors, _rank_correlation
from reproduction.bradford_brodley.tree_variants import VARIANTS, LaplaceTree, explained
from reproduction.exhibits import Exhibit, Finding, Scale, Value, published
from reproduction.learners import C45
from reproduction.running import reproduce

BY_NAME = {exhibit.name: exhibit for exhibit in EXHIBITS}


def found(name: str, scale: Scale | None = None) -> Finding:
    return BY_NAME[name].run(scale or Scale(quick=True))


def values(finding: Finding) -> dict[str, Value]:
    return {value.name: value for value in finding.values}


@pytest.mark.requirement("B-20")
def test_table_4_follows_from_tables_2_and_3_but_not_from_the_bold_entries() -> None:
    told = values(found("recounted"))
    assert told["wrong conclusions by Table 2"].ours == 496
    assert told["wrong conclusions by the bold entries"].ours == 492
    assert [value.name for value in told.values() if value.agreement == "differs"] == [
        "wrong conclusions by the bold entries"
    ]


@pytest.mark.requirement("B-19")
def test_errata_of_the_printed_tables_are_found_by_counting() -> None:
    judged = {s.text.split(" (")[0]: s for s in found("recounted").statements}
    assert "70 of 71" in next(s.judged_by for t, s in judged.items() if "first number" in t)
    assert "931 significant partitions against 713" in next(
        s.judged_by for t, s in judged.items() if "less significant" in t
    )
    holds = [text for text, s in judged.items() if s.holds]
    assert holds == ["Figure 3: the better algorithm changes on horse-colic and soybean-large"]


@pytest.mark.requirement("B-21", "B-22", "B-23", "B-24")
def test_worked_examples_of_combining_partitions() -> None:
    finding = found("combining")
    told = values(finding)
    assert told["χ² of [0.15, 0.1, 0.1]"].ours == pytest.approx(13.0045803417, rel=1e-11)
    assert told["χ² of 55 × .25"].agreement == "agrees"
    assert told["its degrees of freedom"].ours == 110
    assert told["partitions until signed ranks reach 0.01"].ours == 8
    assert all(statement.holds for statement in finding.statements)


@pytest.mark.requirement("B-25", "B-26")
def test_familywise_error_agrees_and_bonferroni_leaves_fewer_claims() -> None:
    finding = found("families")
    assert finding.agreement == "agrees"
    assert finding.rows[2] == ("naive-bayes 1x10", "11", "7")


def test_every_exhibit_names_its_datasets_seed_and_requirements() -> None:
    assert len(BY_NAME) == len(EXHIBITS)
    required = {one for exhibit in EXHIBITS for one in exhibit.requirements}
    assert {f"B-{n}" for n in range(10, 35)} <= required
    for exhibit in EXHIBITS:
        assert exhibit.paper == "bradford-brodley"
        assert exhibit.seed == (2001 if exhibit.needs else 0)
    assert len(shared_runs.NEEDS) == 23


def test_the_published_tables_are_whole() -> None:
    told = published("bradford-brodley")
    assert sum(one["size"] for one in told["datasets"].values()) == 25_775
    assert all(sum(c) == 55 for one in told["datasets"].values() for c in one["counts"])
    assert sorted(n for some in told["groups"].values() for n in some) == sorted(told["datasets"])


@pytest.mark.needs("datasets")
@pytest.mark.requirement("B-34")
@pytest.mark.parametrize("name", ["vote", "soybean-large", "mushroom"])
def test_question_marks_are_values_where_the_data_say_so(name: str) -> None:
    plain, y = shared_runs.plain_table(name)
    read, same = shared_runs.table_of(name)
    missing = {column: plain[column].null_count() for column in plain.columns}
    assert sum(missing.values()) > 0
    for column, count in missing.items():
        assert read[column].null_count() == 0
        assert (read[column].cast(str) == "?").sum() == count
    assert list(same) == list(y)


def test_partitions_and_datasets_can_be_chosen() -> None:
    scale = Scale(partitions=7, datasets=("zoo", "labor-neg"))
    assert shared_runs.partitions(scale) == 7
    assert shared_runs.datasets(scale) == ("labor-neg", "zoo")
    assert shared_runs.partitions(Scale(share=0.2)) == 11
    assert {"share", "partitions", "datasets", "stratified", "seed"} == set(BY_NAME["table1"].takes)
    with pytest.raises(DataError, match="did you mean 'zoo'"):
        shared_runs.datasets(Scale(datasets=("zooo",)))


@pytest.mark.requirement("B-34")
def test_the_two_trees_differ_in_pruning_only() -> None:
    one, two = (shared_runs.learners_of()[name] for name in ("TDDT-1", "TDDT-2"))
    assert not two.subtree_raising
    same = {name for name, value in one.get_params().items() if two.get_params()[name] == value}
    assert set(one.get_params()) - same == {"pruning", "subtree_raising"}


@pytest.mark.requirement("B-34")
def test_a_reason_names_the_variants_that_reach_print_and_those_that_do_not() -> None:
    value = Value("x", 90.0, 95.0, half_unit=0.05, error=0.1)
    told = explained(value, {"raising": 90.1, "one item": 94.0}).reason
    assert told == "reached with raising 90.1; not with one item 94"
    told = explained(value, {"one item": 94.0}).reason
    assert told == "reached by no variant tried: one item 94"
    assert explained(replace(value, ours=90.0), {"one item": 94.0}).reason == ""


@pytest.mark.slow
@pytest.mark.requirement("B-34")
def test_laplace_matters_only_where_an_item_reaches_several_leaves() -> None:
    rng = np.random.default_rng(4)
    X = rng.integers(0, 3, (120, 3)).astype(float)
    y = np.where(rng.random(120) < 0.15, 1 - (X[:, 0] > 1), X[:, 0] > 1).astype(int)
    plain, corrected = C45(nominal="all").fit(X, y), LaplaceTree(nominal="all").fit(X, y)
    assert (plain.predict(X) == corrected.predict(X)).all()
    X[:, 0] = np.nan
    assert not np.allclose(plain.predict_proba(X), corrected.predict_proba(X))


def test_a_claim_over_datasets_is_shown_contradicted_or_neither() -> None:
    assert not shared_runs.at_datasets("up", -1 - np.arange(23) / 100, "x").holds
    shown = shared_runs.at_datasets("up", 1 + np.arange(23) / 100, "x")
    assert shown.holds
    assert shown.shown
    unclear = shared_runs.at_datasets("up", [1.0, 2.0, 3.0, 4.0], "x")
    assert unclear.agreement == "undecided"


def test_all_printed_partitions_change_for_certain_or_never() -> None:
    assert _changes(Conclusions(1, 54, 0), 55) == 1
    assert _changes(Conclusions(0, 55, 0), 55) == 0
    assert _changes(Conclusions(1, 54, 0), 6) == pytest.approx(6 / 55)


def test_heights_keep_the_sign_of_the_winner_and_stop_at_the_edge() -> None:
    heights = _height(np.array([0.5, 0.05, -0.05, 1e-9, -0.0]))
    assert heights == pytest.approx([0, 1, -1, 3, -3])


def test_a_normal_sample_is_rarely_far_from_its_curve() -> None:
    # Lilliefors' 5% point for n = 20 is .192 (Monte Carlo, Dallal and Wilkinson).
    assert _lilliefors(0.192, 20) == pytest.approx(0.05, abs=0.008)


def test_falling_ranks_are_told_from_rising_ones() -> None:
    x = np.arange(20.0)
    assert _rank_correlation(x, -(x**3)) == pytest.approx(-1)
    assert _rank_correlation(x, np.exp(x)) == pytest.approx(1)
    assert _rank_correlation(x, np.ones(20)) == 0


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> tuple[Scale, dict[str, Finding]]:
    """Run everything on two small datasets and three partitions."""
    patch = pytest.MonkeyPatch()
    patch.setattr(shared_runs, "QUICK", ("labor-neg", "zoo"))
    patch.setattr(shared_runs, "QUICK_PARTITIONS", 3)
    scale = Scale(quick=True, folder=Path(tmp_path_factory.mktemp("papers")))
    try:
        with_data = [exhibit for exhibit in EXHIBITS if exhibit.needs]
        return scale, {e.name: f for e, f in reproduce(with_data, scale)}
    finally:
        patch.undo()


@pytest.mark.slow
@pytest.mark.needs("datasets")
@pytest.mark.requirement("B-07", "B-10", "B-11", "B-16", "B-18", "B-30", "B-31", "B-32", "B-33")
def test_a_tiny_run_serves_every_exhibit(tiny: tuple[Scale, dict[str, Finding]]) -> None:
    scale, findings = tiny
    stores = [path.name for path in scale.folder.glob("*.db")]
    assert len([name for name in stores if "stratified" in name]) == 4
    assert len([name for name in stores if "variant" not in name]) == 8
    assert len(findings["tree-variants"].rows) == 1 + len(VARIANTS)
    assert len(findings["stratified"].statements) == 8
    assert findings["text"].statements[0].text.startswith("5x2CV results in a slightly smaller")
    assert len(findings["open-questions"].rows) == 2
    assert len(findings["table1"].rows) == 2
    assert len(findings["table1"].values) == 2 * 6 + 2
    assert len(findings["table3"].values) == 2 * 4 * 2
    fit = findings["table3"].fit
    assert 2 * 4 <= fit["cells"] <= 2 * 4 * 3  # no row of counts is empty
    assert 0 < fit["pvalue"] <= 1
    for value in findings["table1"].values[:-2]:
        assert value.error > 0
        assert abs(value.ours - float(value.published or 0)) < 12
    for finding in findings.values():
        json.loads(json.dumps(asdict(finding), allow_nan=False))


@pytest.mark.slow
@pytest.mark.needs("datasets")
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_figures_can_be_drawn_from_what_was_kept(
    tiny: tuple[Scale, dict[str, Finding]], theme: str
) -> None:
    for exhibit in EXHIBITS:
        if exhibit.draw is not None:
            figure = exhibit.draw(tiny[1][exhibit.name], theme)
            assert any(panel.lines for panel in figure.axes)


@pytest.mark.slow
def test_a_panel_is_drawn_for_each_of_the_23_datasets() -> None:
    exhibit: Exhibit = BY_NAME["figure4"]
    p = np.linspace(-0.49, 0.49, 55).tolist()
    names = published("bradford-brodley")["datasets"]
    finding = replace(
        Finding(), curves={name: {"ordinary": p, "5x2cv t": p[::-1]} for name in names}
    )
    assert exhibit.draw is not None
    figure = exhibit.draw(finding, "light")
    assert [panel.get_title(loc="left") for panel in figure.axes[:23]] == list(names)
