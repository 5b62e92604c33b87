"""Grades: what a verdict rests on, declared with the method and lowered by what was seen."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from launching import run_here
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import outperform as op
from outperform import registry
from outperform.cli._judgement import add_summary

X = np.random.default_rng(5).normal(size=(120, 4))
Y = (X[:, 0] + np.random.default_rng(6).normal(size=120) > 0).astype(int)
PAIR = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(random_state=0)}
A, B = np.array([0.81, 0.79, 0.84, 0.80]), np.array([0.80, 0.76, 0.85, 0.78])


def test_a_registration_declares_the_highest_grade() -> None:
    op.methods.table()
    declared = {name: m.grade for name, m in registry.METHODS.items()}
    assert set(declared.values()) == {"exact", "measured", "assumed", "discouraged"}
    assert {name for name, grade in declared.items() if grade == "measured"} == {
        "calibrated_t",
        "half_sample_t",
    }
    for name, method in registry.METHODS.items():
        assert (method.standing == "discouraged") == (declared[name] == "discouraged"), name


@pytest.mark.parametrize(
    ("result", "grade"),
    [
        (lambda: op.methods.mcnemar(table=[[20, 5], [15, 60]], variant="exact"), "exact"),
        (lambda: op.methods.mcnemar(table=[[20, 5], [15, 60]], variant="mid-p"), "assumed"),
        (lambda: op.methods.mcnemar(table=[[20, 5], [15, 60]]), "assumed"),
        (lambda: op.methods.sign_test(A, B, unit="datasets"), "exact"),
        (lambda: op.methods.wilcoxon(A, B, unit="datasets"), "exact"),
        (lambda: op.methods.wilcoxon(np.arange(160.0), np.zeros(160), unit="datasets"), "assumed"),
        (lambda: op.methods.corrected_t(A, B, design="4cv"), "assumed"),
        (lambda: op.methods.resampled_t(A, B), "discouraged"),
    ],
)
def test_every_verdict_has_a_grade(result, grade: str) -> None:
    found = result()
    assert found.grade == found.verdict().grade == found.to_dict()["grade"] == grade


def calibrated(**change: object) -> op.Result:
    rng = np.random.default_rng(1)
    given = {
        "whole": 0.06 + rng.normal(0, 0.001, (5, 4)),
        "halves": 0.02 + rng.normal(0, 0.03, (20, 2, 4)),
        "n": 100,
        "squares": (0.02, 0.02),
    }
    return op.methods.calibrated_t(**(given | change))


def test_each_warning_lowers_measured_to_assumed_and_information_does_not() -> None:
    assert calibrated().grade == "measured"
    assert calibrated(squares=None).grade == "measured"  # OP323 only informs
    assert calibrated(squares=(0.026, 0.02)).grade == "assumed"
    assert calibrated(squares=(0.02, 0.0)).grade == "assumed"
    assert calibrated(halves=np.zeros((20, 2, 4))).grade == "assumed"
    assert calibrated(n=59).grade == "assumed"
    noisy = np.random.default_rng(2).normal(0, 0.5, (5, 4))
    assert calibrated(whole=noisy).grade == "assumed"


@pytest.mark.parametrize(
    ("metric", "grade"),
    [
        *((name, "assumed") for name in ("accuracy", "score", "error rate", "test_neg_log_loss")),
        *((name, "measured") for name in ("roc_auc", "f1_macro", "my_metric")),
    ],
)
def test_scores_without_the_item_losses_of_their_metric_are_not_measured(
    metric: str, grade: str
) -> None:
    rng = np.random.default_rng(1)
    values = 0.7 + np.concatenate([rng.normal(0, 0.001, 20), rng.normal(0, 0.03, 160)])
    scores = op.Scores.from_arrays(
        {"a": values, "b": np.full(180, 0.7)},
        design="5x4cv+20halves",
        metric=metric,
        n_train=[75] * 180,
        n_test=[25] * 180,
    )
    found = op.methods.calibrated_t(scores)
    assert found.grade == grade
    assert ("OP324" in str(found)) == (grade == "assumed")
    assert ("OP323" in str(found)) == (grade == "measured")
    assert "growth   " not in str(found)


@pytest.mark.slow
def test_exporting_a_store_never_raises_the_grade(tmp_path: Path) -> None:
    cmp = op.compare(PAIR, X, Y, design="5x4cv+20halves", random_state=0, store=tmp_path / "s.db")
    op.Scores.read(tmp_path / "s.db").to_csv(tmp_path / "s.csv")
    cmp.report(tmp_path / "s.html")
    for name in ("s.csv", "s.html"):
        assert op.compare(tmp_path / name).grade == "assumed"


def test_a_family_has_a_grade_for_each_pair_and_the_lowest_as_its_own() -> None:
    three = {**PAIR, "stump": DecisionTreeClassifier(max_depth=1, random_state=0)}
    cmp = op.compare(three, X, Y, design="3x4cv+6halves", random_state=0)
    found = cmp.to_dict()
    each = [row["grade"] for row in found["pairs"]]
    assert each == [cmp[names].grade for names in cmp.pair_names]
    assert each == [cmp.verdict(*names).grade for names in cmp.pair_names]
    assert found["grade"] == cmp.grade == max(each, key=registry.GRADES.index)
    assert f"(evidence: {cmp.grade})" in cmp.to_latex()


@pytest.mark.slow
@pytest.mark.parametrize("design", ["5x4cv+20halves", "5x5cv"])
@pytest.mark.parametrize("k", [2, 3])
def test_the_grade_is_in_everything_that_shows_a_verdict(
    design: str, k: int, tmp_path: Path
) -> None:
    models = {**PAIR, "stump": DecisionTreeClassifier(max_depth=1, random_state=0)}
    chosen = dict(list(models.items())[:k])
    cmp = op.compare(chosen, X, Y, design=design, random_state=0)
    words, grade = f"vidence: {cmp.grade}", cmp.grade
    cmp.record(tmp_path / "v.outperform.json")
    cmp.report(tmp_path / "report.html")
    summary = tmp_path / "summary.md"
    add_summary(cmp, str(summary), alpha=0.05, rope=None, record=None)
    page, record, summed = (
        (tmp_path / name).read_text(encoding="utf-8")
        for name in ("report.html", "v.outperform.json", "summary.md")
    )
    for name, text in {
        "text": " ".join(str(cmp).split()),
        "markdown": cmp.to_markdown(),
        "latex": cmp.to_latex(),
        "notebook": cmp._repr_html_(),
        "summary": summed,
    }.items():
        assert words in text, name
    assert re.search(rf">Evidence</dt>\s*<dd[^>]*>{grade}<", page)
    assert json.loads(record)["found"]["grade"] == json.loads(cmp.to_json())["grade"] == grade
    one, verdict = cmp["bayes", "tree"], cmp.verdict("bayes", "tree")
    for text in (verdict, one, one.to_markdown(), one.to_latex(), one._repr_html_()):
        assert f"vidence: {one.grade}" in " ".join(str(text).split())


@pytest.mark.slow
def test_a_gate_may_insist_on_a_grade(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assumed, measured = (str(tmp_path / name) for name in ("assumed.db", "measured.db"))
    scores = op.run(PAIR, X, Y, design="5x5cv", random_state=0, store=assumed)
    kept = op.run(PAIR, X, Y, design="5x4cv+20halves", random_state=0, store=measured)
    grades = {assumed: op.compare(scores).grade, measured: op.compare(kept).grade}
    assert grades == {assumed: "assumed", measured: "measured"}
    for store, found in grades.items():
        for asked in ("exact", "measured", "assumed"):
            status = run_here("compare", store, "--grade", asked, "--json")
            met = registry.GRADES.index(found) <= registry.GRADES.index(asked)
            answer = capsys.readouterr()
            assert status == (0 if met else 1)
            assert json.loads(answer.out)["grade"] == found
            assert (f"Required grade: {asked}. Found: {found}" in answer.err) != met
    same = op.compare(scores)["bayes", "tree"].verdict().outcome
    assert run_here("compare", assumed, "--require", same) == 0
    assert run_here("compare", assumed, "--require", same, "--grade", "measured") == 1
