"""Procedures that judge a family, partitions or counts are known wherever methods are."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from launching import run_here

import outperform as op
from outperform import registry
from outperform.cli._judgement import methods as completed
from outperform.registry import procedure

OF_SCORES = ("all_pairs", "pooled_intervals", "simultaneous")
NOT_OF_SCORES = ("accuracy_lost", "bradley_terry", "replicability", "sphericity", "sufficiency")
OF_DATASETS = ("bonferroni_dunn", "max_t", "nemenyi")
EVERY = sorted((*OF_SCORES, *OF_DATASETS, *NOT_OF_SCORES))
NAMES = ("tree", "bayes", "knn")
RIGHT = np.random.default_rng(7).random((3, 90)) < [[0.9], [0.7], [0.75]]


def held_out(k: int = 3) -> op.Scores:
    return op.Scores.from_correct(NAMES[:k], RIGHT[:k])


def regressed() -> op.Scores:
    from sklearn.dummy import DummyRegressor

    X = np.random.default_rng(3).normal(size=(60, 2))
    means = {name: DummyRegressor(strategy="constant", constant=i) for i, name in enumerate(NAMES)}
    scoring = "neg_mean_absolute_error"
    return op.run(means, X, X[:, 0], design="holdout@1/3", scoring=scoring, random_state=1)


def write_right_wrong(folder: Path) -> None:
    lines = [",".join(NAMES), *(",".join(map(str, row)) for row in RIGHT.T.astype(int))]
    (folder / "right.csv").write_text("\n".join(lines) + "\n")


def same_family(found: op.Comparison, wanted: op.Comparison) -> None:
    assert found.names == wanted.names
    assert found.method is wanted.method
    assert found.adjust == wanted.adjust
    assert found.log_adjusted().tolist() == wanted.log_adjusted().tolist()
    assert [end.tolist() for end in found.intervals()] == [
        end.tolist() for end in wanted.intervals()
    ]


def test_every_procedure_is_registered_beside_the_methods() -> None:
    op.methods.table()
    assert sorted(registry.PROCEDURES) == EVERY
    assert not set(registry.PROCEDURES) & set(registry.METHODS)
    assert {*registry.PROCEDURES, *registry.METHODS} == set(op.methods.table().names)


@pytest.mark.parametrize("name", EVERY)
def test_a_procedure_stays_the_function_that_it_is(name: str) -> None:
    function = getattr(op, name)
    assert registry.registered(name).kernel is function
    assert function in op.methods.table()
    assert name in op.methods.table()


@pytest.mark.parametrize("name", EVERY)
def test_a_procedure_is_listed_completed_and_explained(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_here("methods") == 0
    assert re.search(rf"^{name} ", capsys.readouterr().out, re.MULTILINE)
    assert name in completed(None, None, name[:4])
    assert run_here("explain", name) == 0
    shown = capsys.readouterr().out.split()  # wrapped at the width of the terminal
    assert shown == str(op.explain(getattr(op, name))).split()
    assert run_here("methods", "--json") == 0
    listed = {one["name"]: one for one in json.loads(capsys.readouterr().out)["methods"]}
    assert listed[name]["standing"] in ("recommended", "reference")
    assert listed[name]["summary"]


@pytest.mark.parametrize("name", EVERY)
def test_the_example_of_a_procedure_can_be_pasted(name: str) -> None:
    example = registry.PROCEDURES[name].example
    assert str(eval(f"op.{example}", {"op": op}))


def test_a_design_lists_the_procedures_that_fit_it() -> None:
    assert "sufficiency" in op.methods.table(design="55*10cv")
    assert "simultaneous" in op.methods.table(design="holdout@1/3")
    assert "all_pairs" not in op.methods.table(design="10x10cv")


@pytest.mark.parametrize("name", OF_SCORES)
@pytest.mark.parametrize("k", [2, 3])
def test_compare_asks_a_procedure_of_scores(name: str, k: int) -> None:
    scores = held_out(k)
    found = op.compare(scores, method=name)
    same_family(found, getattr(op, name)(scores))
    assert found.design == scores.design
    pair = found["tree", "bayes"]
    assert pair.estimate == pytest.approx(RIGHT[0].mean() - RIGHT[1].mean())
    assert pair.stderr == pytest.approx(np.asarray(found.evidence.stderr)[0])


def test_compare_asks_for_any_loss_what_reads_any_loss() -> None:
    scores = regressed()
    same_family(op.compare(scores, method="simultaneous"), op.methods.simultaneous(scores))
    for name in ("all_pairs", "pooled_intervals"):
        with pytest.raises(op.DataError, match="need zero-one losses"):
            op.compare(scores, method=name)


def test_compare_notes_what_the_scores_strain_whoever_judges_them() -> None:
    small = op.Scores.from_correct(NAMES, RIGHT[:, :20])
    for name in (*OF_SCORES, "mcnemar"):
        assert "OP103" in [note.code for note in op.compare(small, method=name).notes]


def test_a_control_and_a_side_are_asked_of_those_that_take_them() -> None:
    how: Any = {"control": "knn", "alternative": "greater", "adjust": "bonferroni"}
    same_family(
        op.compare(held_out(), method="all_pairs", **how), op.methods.all_pairs(held_out(), **how)
    )


@pytest.mark.parametrize("name", ["simultaneous", "pooled_intervals"])
@pytest.mark.parametrize(
    "asked", [{"control": "knn"}, {"alternative": "less"}, {"adjust": "bonferroni"}]
)
def test_what_a_procedure_has_no_choice_of_is_refused(name: str, asked: Any) -> None:
    (word,) = asked
    with pytest.raises(op.MethodError, match=f"'{word}' parameter does not apply to {name}"):
        op.compare(held_out(), method=name, **asked)


def test_scores_of_a_design_that_a_procedure_does_not_name_are_refused() -> None:
    scores = op.Scores.from_arrays({"a": [0.7, 0.8], "b": [0.6, 0.9]}, design="2cv")
    with pytest.raises(op.MethodError, match="Use corrected_t for this design"):
        op.compare(scores, method="pooled_intervals")
    rows = {"dataset": [*"uvw"], "a": [0.7, 0.8, 0.6], "b": [0.6, 0.9, 0.5]}
    with pytest.raises(op.MethodError, match="Use wilcoxon for this design"):
        op.compare(pl.DataFrame(rows), method="simultaneous")


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_SCORES)
def test_the_program_asks_a_procedure_of_a_file(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_right_wrong(tmp_path)
    words = ["compare", "right.csv", "--method", name]
    assert run_here(*words, "--json", "--report", "page.html") == 0
    told = json.loads(capsys.readouterr().out)
    wanted = getattr(op, name)(held_out()).adjusted().tolist()
    assert [row["adjusted"] for row in told["pairs"]] == wanted
    assert (tmp_path / "page.html").stat().st_size > 1000
    assert run_here("compare", "right.csv", "tree", "bayes", "--method", name) == 0


@pytest.mark.parametrize("name", NOT_OF_SCORES)
def test_a_procedure_of_something_else_says_how_it_is_called(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_right_wrong(tmp_path)
    assert run_here("compare", "right.csv", "--method", name) == 2
    said = " ".join(capsys.readouterr().err.split())
    with pytest.raises(op.MethodError, match=f"{name} takes ") as refusal:
        op.compare(held_out(), method=name)
    for message in (said, str(refusal.value)):
        (call,) = re.findall(r"Use it in Python: (outperform\..*\))", message)
        assert str(eval(call, {"outperform": op}))


def test_models_are_not_fitted_for_what_cannot_judge_them() -> None:
    class Never:
        def fit(self, X: Any, y: Any) -> None:
            raise AssertionError("fitted")

        predict = fit

    X, y = np.zeros((20, 1)), np.arange(20) % 2
    for name, design in (("sufficiency", "3*5cv"), ("simultaneous", "5x2cv")):
        with pytest.raises(op.MethodError):
            op.compare({"a": Never(), "b": Never()}, X, y, method=name, design=design)


def test_a_plug_in_registers_a_procedure_as_ours_do(monkeypatch: pytest.MonkeyPatch) -> None:
    registry.load_all()
    monkeypatch.setattr(registry, "PROCEDURES", dict(registry.PROCEDURES))

    @procedure(
        title="Shares right",
        paper="cochran",
        requirements=(),
        designs=("holdout",),
        standing="reference",
        advice="An example.",
        reads="which items are right",
        example="shares([[0, 1]])",
    )
    def shares(correct: Any) -> Any:
        """Return the share of items right."""
        return np.mean(correct, axis=0)

    assert shares([[0, 1], [1, 1]]).tolist() == [0.5, 1.0]
    assert "Return the share of items right." in str(op.explain("shares"))
    assert "shares" in op.methods.table(design="holdout@1/3")
    with pytest.raises(op.MethodError, match="shares takes which items are right"):
        op.compare(held_out(), method="shares")


@pytest.mark.parametrize("taken", ["mcnemar", "simultaneous"])
def test_a_name_that_is_taken_is_refused(taken: str) -> None:
    registry.load_all()

    def other(correct: Any) -> Any:
        """Do nothing."""

    other.__name__ = taken
    about: Any = {**dict.fromkeys(("title", "paper", "advice", "reads", "example"), "x")}
    with pytest.raises(op.MethodError, match="already exists"):
        procedure(**about, requirements=(), designs=("holdout",), standing="reference")(other)


@pytest.mark.parametrize("method", [op.methods.wilcoxon, op.methods.sign_test, op.methods.paired_t])
@pytest.mark.parametrize("unit", [None, "folds", "items", "datasets"])
def test_arrays_of_which_nothing_says_what_a_value_is_of_are_refused(method, unit):
    a, b = np.random.default_rng(0).normal(0.8, 0.02, (2, 10))
    asked = {} if unit is None else {"unit": unit}
    if unit == method.unit:
        assert method(a, b, **asked).n == 10
        return
    with pytest.raises(op.errors.MethodError) as refused:
        method(a, b, **asked)
    lines = re.findall(r"outperform\.\w+\(a, b, \w+='\w+'\)", str(refused.value))
    made = [eval(line, {"outperform": op, "a": a, "b": b}) for line in lines]
    assert {one.method.name for one in made} >= {method.name, "corrected_t"}
    assert {str(one.design) for one in made} == {"None", "10cv"}
    assert len(made) == 3
    with pytest.raises(op.errors.MethodError):
        method(a, b, design="10cv")


def test_scores_and_designs_say_what_a_value_is_of():
    a, b = np.random.default_rng(0).normal(0.8, 0.02, (2, 10))
    assert op.methods.paired_t(a, b, design="10seeds@1/3").n == 10
    frame = pl.DataFrame({"dataset": [f"d{i}" for i in range(10)], "a": a, "b": b})
    table = op.Benchmark.from_frame(frame)
    assert (
        op.methods.wilcoxon(table.to_scores()).pvalue
        == op.methods.wilcoxon(a, b, unit="datasets").pvalue
    )
