"""How many modules what users do leads through, counted by a profiler: walks do not grow."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from launching import run_here, write_scores
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import outperform as op

PACKAGE = str(Path(op.__file__).parent) + "/"
CLASSES = np.arange(120) % 2
ROWS = np.random.default_rng(0).normal(size=(120, 3)) + CLASSES[:, None]
LEARNERS = {"tree": DecisionTreeClassifier(), "bayes": GaussianNB()}


@contextmanager
def profiled():
    """Collect the modules of the package of which a function is entered."""
    entered: set[str] = set()

    def enter(frame: Any, event: str, _: object) -> None:
        file = frame.f_code.co_filename
        if event == "call" and file.startswith(PACKAGE):
            entered.add(file.removeprefix(PACKAGE).removesuffix(".py"))

    before = sys.getprofile()
    sys.setprofile(enter)
    try:
        yield entered
    finally:
        sys.setprofile(before)


def modules_entered(walk: Callable[[], object]) -> set[str]:
    walk()  # what is loaded once is no part of the walk
    with profiled() as entered:
        walk()
    return entered


def compared() -> op.Comparison:
    return op.compare(LEARNERS, ROWS, CLASSES, design="10x10cv", random_state=0)


@pytest.mark.slow
def test_comparing_learners_is_a_short_walk() -> None:
    # a run is prepared apart from being performed: it may be one of several that share workers
    assert len(modules_entered(compared)) <= 47


@pytest.mark.slow
def test_printing_a_comparison_is_a_short_walk() -> None:
    made = compared()
    assert len(modules_entered(lambda: str(made))) <= 32


def test_printing_again_judges_no_single_run_again() -> None:
    made = compared()
    entered = modules_entered(lambda: str(made))
    assert not entered & {"procedures/corrected_t", "procedures/replicability", "views/differences"}


def test_comparing_a_file_is_a_short_walk(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_scores(tmp_path / "scores.csv")

    def walk() -> None:
        assert run_here("compare", str(tmp_path / "scores.csv"), "--design", "10cv") == 0

    entered = modules_entered(walk)
    assert len(entered) <= 70
    assert not entered & {"engine/running", "storage/run_store", "lab/studies"}


@pytest.mark.slow
def test_a_run_with_a_store_is_a_short_walk(tmp_path: Path) -> None:
    stores = iter(range(9))

    def walk() -> None:
        store = tmp_path / f"{next(stores)}.db"
        op.run(LEARNERS, ROWS, CLASSES, design="10x10cv", random_state=0, store=store)

    assert len(modules_entered(walk)) <= 35


def test_a_study_of_the_designed_population_fits_and_stores_nothing() -> None:
    population = op.lab.DesignedPopulation(epsilon=0.1)
    methods = ["resampled_t", "five_by_two_t", "corrected_t"]
    entered = modules_entered(
        lambda: op.study(methods, population, n_reps=2000, random_state=1).rates(0.05)
    )
    assert len(entered) <= 30
    assert not entered & {"engine/running", "engine/fitting", "storage/run_store"}


def test_a_verdict_needs_no_report() -> None:
    made = compared()
    entered = modules_entered(lambda: made.verdict(alpha=0.01, rope=0.02).outcome)
    assert entered
    assert not [name for name in entered if name.startswith("report/")]
