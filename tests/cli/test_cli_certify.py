"""The verb certify, run as users run it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from launching import run_here

from outperform import DataError

SMALL = """
import numpy as np
from sklearn.naive_bayes import GaussianNB
class Bad(GaussianNB):
    def fit(self, X, y):
        raise ValueError("no such thing")
y = np.arange(80) % 2
X = np.random.default_rng(0).normal(size=(80, 2)) + y[:, None]
learners = {"a": GaussianNB(), "b": GaussianNB(var_smoothing=0.5)}
"""


@pytest.mark.parametrize(
    ("arguments", "more"),
    [
        (["--methods", "kfold_t 10cv x"], ""),
        (["--learner", "tree"], ""),
        ([], "learners['more'] = GaussianNB()"),
        ([], "groups = np.arange(80) // 2  # single items are drawn"),
    ],
)
def test_what_cannot_be_certified_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], more: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(SMALL + more)
    assert run_here("certify", "mine.py", *arguments) == 2


@pytest.mark.parametrize(
    ("design", "methods"),
    [
        ("5x5cv+2halves", "calibrated_t 5x5cv+2halves"),
        ("holdout@1/3", "paired_t holdout@1/3"),
        ("5cv", "corrected_t 5cv"),
        ("5cv/stratified", None),
        ("loo", None),
    ],
)
def test_a_certificate_names_the_method_for_an_ignored_design_where_that_can_be_measured(
    design: str,
    methods: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("e.py").write_text(SMALL + f"design = {design!r}\nrandom_state = 3\n")
    few = ["--reps", "1", "--n", "40", "--json"]

    def stop(*_: object, **__: object) -> None:
        raise DataError("asked for nothing more")

    with monkeypatch.context() as stopped:
        stopped.setattr("outperform.lab.certification.certify", stop)
        assert run_here("certify", "e.py", *few) == 2
    said = capsys.readouterr().err
    assert f"The design {design} of e.py is ignored" in said
    assert ("To use it, add --methods" in said) == (methods is not None)
    if methods is not None:
        assert f"add --methods '{methods}'." in said
        assert run_here("certify", "e.py", *few, "--methods", methods) == 0
        told = json.loads(capsys.readouterr().out)
        assert {row["test"] for row in told["tests"]} == {methods}
        assert told["seed"] == 3


def test_a_model_that_prints_leaves_the_answer_of_a_certificate_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    loud = SMALL.replace("raise ValueError", "print") + "learners['b'] = Loud()\n"
    loud = loud.replace("class Bad", "class Loud").replace(
        'print("no such thing")', 'print("HELLO"); return super().fit(X, y)'
    )
    Path("loud.py").write_text(loud)
    few = ["--reps", "1", "--n", "40", "--methods", "corrected_t 2cv", "--json"]
    assert run_here("certify", "loud.py", *few) == 0
    assert json.loads(capsys.readouterr().out)["names"] == ["a", "b"]


def test_a_model_that_fails_is_no_defect_of_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("failing.py").write_text(SMALL + "learners['b'] = Bad()\n")
    assert run_here("certify", "failing.py", "--reps", "2", "--n", "20") == 3
    said = capsys.readouterr().err
    assert "Incomplete: a learner failed" in said
    assert "    ValueError: no such thing" in said.splitlines()


@pytest.mark.parametrize(
    ("predicts", "code", "said"),
    [
        ("{}['x']", 3, "    Learner: odd\nFix the learner"),
        ("super().predict(X)[:3]", 2, "one prediction for each of 60 test items\n  Learner: odd\n"),
    ],
)
def test_certify_names_the_model_that_failed(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    predicts: str,
    code: int,
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    odd = f"class Odd(type(learners['b'])):\n    def predict(self, X):\n        return {predicts}\n"
    Path("odd.py").write_text(SMALL + odd + "learners = {'odd': Odd(), 'b': learners['b']}\n")
    assert run_here("certify", "odd.py", "--methods", "corrected_t 5cv") == code
    assert said in capsys.readouterr().err
