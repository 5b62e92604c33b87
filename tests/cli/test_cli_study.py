"""The verb study, run as users run it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from launching import launch, run_here

from outperform.errors import DataError
from outperform.lab import DesignedPopulation, rejection_rates

EXPERIMENT = """
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

X, y = make_classification(100, n_informative=3, random_state=1)
learners = {"stump": DecisionTreeClassifier(max_depth=1), "bayes": GaussianNB()}
"""


@pytest.mark.slow
@pytest.mark.requirement("D-36")
def test_the_designed_population_is_studied_exactly_and_by_experiments(tmp_path: Path) -> None:
    exact = launch(
        tmp_path, "study", "designed", "--methods", "mcnemar,kfold_t", "--exact", "--json"
    )
    told = {row["method"]: row["rate"] for row in json.loads(exact.stdout)["rates"]}
    assert told == rejection_rates(DesignedPopulation(0.1), ["mcnemar", "kfold_t"])
    page = launch(
        tmp_path,
        "study",
        "designed",
        "--epsilon",
        "0.2",
        "--reps",
        "300",
        "--report",
        "study.html",
        "--store",
        "study.db",
    )
    assert page.returncode == 0, page.stderr
    assert "300 experiments, seed 0" in page.stdout
    assert "five_by_two_t" in page.stdout
    assert "Report written to study.html" in page.stderr
    assert (tmp_path / "study.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    again = launch(
        tmp_path,
        "study",
        "designed",
        "--epsilon",
        "0.2",
        "--reps",
        "300",
        "--store",
        "study.db",
        PYTHONHASHSEED="1",
    )
    assert again.stdout == page.stdout


@pytest.mark.slow
@pytest.mark.parametrize("null", ["shift", "damaged"])
def test_an_experiment_of_the_users_own_is_studied(tmp_path: Path, null: str) -> None:
    (tmp_path / "mine.py").write_text(EXPERIMENT)
    asked = (
        "study",
        "mine.py",
        "--null",
        null,
        "--methods",
        "kfold_t, mcnemar",
        "--n",
        "40",
        "--reps",
        "12",
        "--report",
        f"{null}.html",
    )
    done = launch(tmp_path, *asked)
    assert done.returncode == 0, done.stderr
    assert "The 100 items represent the population" in done.stdout
    assert "kfold_t" in done.stdout
    words = "Omitted: mcnemar" if null == "shift" else "replaced by other classes"
    assert words in " ".join(done.stdout.split())
    page = (tmp_path / f"{null}.html").read_text(encoding="utf-8")
    assert "represent the population" in page
    told = json.loads(launch(tmp_path, *asked[:-2], "--json").stdout)
    assert told["null"] == null
    assert told["schema"] == "outperform/study/1"
    assert {row["n"] for row in told["rates"]} == {12}


@pytest.mark.slow
def test_a_mirror_is_studied_with_either_learner(tmp_path: Path) -> None:
    done = launch(
        tmp_path,
        "study",
        "mirror",
        "--learner",
        "neighbor",
        "--methods",
        "resampled_t 5xresampled@1/3",
        "--reps",
        "4",
        "--n",
        "40",
    )
    assert done.returncode == 0, done.stderr
    assert "Two copies of nearest neighbour" in done.stdout


@pytest.mark.parametrize(
    ("learner", "chosen", "population"),
    [("selector", [], "B"), ("stump", ["--population", "A"], "A")],
)
def test_a_mirror_is_studied_with_learners_in_batches(
    learner: str,
    chosen: list[str],
    population: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    store = str(tmp_path / "study.db")
    asked = ["study", "mirror", "--learner", learner, *chosen, "--reps", "4", "--n", "40"]
    assert run_here(*asked, "--store", store) == 0
    said = capsys.readouterr().out
    assert f"exchangeable features (population {population})" in said
    for method in ("repeated_kfold_t 10x10cv", "corrected_t 10x10cv", "5x5cv+20halves"):
        assert method in said
    assert run_here(*asked, "--store", store) == 0
    assert capsys.readouterr().out == said
    other = {"A": "B", "B": "A"}[population]
    assert run_here(*asked, "--store", store, "--population", other) == 2, "another experiment"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["desgined"], "did you mean 'designed'?"),
        (["designed", "--null", "shift"], "--null is for experiments"),
        (["mirror", "--exact"], "are for designed only"),
        (["mirror", "--learner", "bays"], "did you mean 'bayes'?"),
        (["designed", "--population", "B"], "--population is for mirror only"),
        (["designed", "--exact", "--store", "a.db"], "--store would have no effect"),
        (["designed", "--methods", "kfold_t 10cv x"], "takes names, each with a design"),
        (["mine.py", "--learner", "tree"], "known: bayes, stump"),
        (["three.py"], "--learner A --learner B"),
    ],
)
def test_what_cannot_be_studied_is_refused_in_a_line(
    tmp_path: Path, arguments: list[str], words: str
) -> None:
    (tmp_path / "mine.py").write_text(EXPERIMENT)
    (tmp_path / "three.py").write_text(EXPERIMENT + "learners['more'] = GaussianNB()\n")
    done = launch(tmp_path, "study", *arguments)
    assert done.returncode == 2
    assert words in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("given", "named"),
    [
        (["--reps", "50"], "--reps would have no effect; leave it out"),
        (["--seed", "3", "--jobs", "2"], "--seed and --jobs would have no effect; leave them out"),
        (["--store", "a.db"], "--store would have no effect"),
    ],
)
def test_an_exact_study_refuses_what_it_would_not_use(
    given: list[str], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_here("study", "designed", "--exact", *given) == 2
    assert named in capsys.readouterr().err


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


def test_a_study_says_what_it_does_not_take_from_an_experiment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("grouped.py").write_text(SMALL + "groups = np.arange(80) // 2\n")
    assert run_here("study", "grouped.py") == 2
    assert "a study draws single items" in capsys.readouterr().err
    Path("designed.py").write_text(SMALL + "design = '5cv'\n")

    def stop(*_: object, **__: object) -> None:
        raise DataError("asked for nothing more")

    monkeypatch.setattr("outperform.lab.own_data.own_data_study", stop)
    assert run_here("study", "designed.py", "--reps", "2", "--n", "20") == 2
    assert "The design 5cv of designed.py is ignored" in capsys.readouterr().err


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


def test_a_learner_that_prints_leaves_the_answer_of_a_certificate_alone(
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


def test_a_learner_that_fails_in_a_study_is_no_defect_of_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("failing.py").write_text(SMALL + "learners['b'] = Bad()\n")
    assert run_here("study", "failing.py", "--reps", "2", "--n", "20") == 3
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
def test_certify_names_the_learner_that_failed(
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
