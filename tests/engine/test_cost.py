"""The cost of a long run is told from its first fits."""

from __future__ import annotations

import re
from threading import Event
from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import outperform as op
from outperform import parse
from outperform.engine import cost
from outperform.engine.fitting import Cell
from outperform.engine.given_splits import read_given
from outperform.engine.progress import Progress
from outperform.engine.split_plan import draw_plan
from outperform.storage import Outcome

RNG = np.random.default_rng(5)
Y = np.repeat([0, 1], 60)
X = RNG.normal(size=(120, 3)) + Y[:, None]
MODELS = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=2)}


def told(
    seconds: tuple[float, ...],
    *,
    design: str = "10x10cv",
    n: int = 120,
    rounds: int = 2,
    first: float = 1.0,
    **options: Any,
) -> str:
    """Return what is told after so many fits of each learner; the first takes `first` times."""
    plan = draw_plan(parse(design), n, 0, None, None)
    cells = [Cell(at, where) for where in plan.addresses for at in range(len(seconds))]
    said: list[str] = []
    watching = cost.Cost(plan, cells, tell=said.append, **({"n_jobs": 1} | options))
    for cell in cells[: rounds * len(seconds)]:
        slow = first if cell.address == plan.addresses[0] else 1.0
        taken = slow * seconds[cell.learner]
        watching.observe([(cell, Outcome(0.5, taken, None, "ok"))])
    return "".join(said)


def test_a_run_of_more_than_a_minute_is_announced_once() -> None:
    said = told((0.3, 0.5), rounds=20)
    assert said == "200 fits will take about 1 min 20 s, judging by the first ones."
    assert told((0.2, 0.39)) == ""


def test_a_long_run_on_given_splits_is_announced_too() -> None:
    splits = [(np.arange(60, 120), np.arange(60)), (np.arange(60), np.arange(60, 120))]
    plan = read_given(splits, X, Y, None, None, 120, 0)
    cells = [Cell(0, where) for where in plan.addresses]
    said: list[str] = []
    watching = cost.Cost(plan, cells, tell=said.append, n_jobs=1)
    watching.observe([(cells[0], Outcome(0.5, 50.0, None, "ok"))])
    assert said == ["2 fits will take about 1 min 40 s, judging by the first ones."]


def test_a_slow_first_fit_is_not_held_against_a_model() -> None:
    assert told((0.01, 0.01), first=1000, rounds=1) == ""  # ten seconds each: wait
    assert told((0.01, 0.01), first=100, rounds=2) == ""
    assert "about 2 h 46 min" in told((50.0, 50.0), rounds=1)  # no need to wait


def test_workers_share_the_time_and_smaller_training_sets_take_less() -> None:
    assert "about 1 min 20 s with 2 workers" in told((0.6, 1.0), n_jobs=2)
    # 25 fits of 96 rows and 200 of 48 of each: as much as 125 of 96
    assert "about 2 min 5 s" in told((0.5, 0.5), design="5x5cv+20halves")


def looked(seconds: float, *fits: float, n_learners: int = 2, n_jobs: int = 1) -> str:
    """Return what is told after so many seconds in which these first fits have finished."""
    plan = draw_plan(parse("10x10cv"), 120, 0, None, None)
    cells = [Cell(at, where) for where in plan.addresses for at in range(n_learners)]
    said: list[str] = []
    watching = cost.Cost(plan, cells, n_jobs, said.append)
    for cell, taken in zip(cells, fits, strict=False):
        watching.observe([(cell, Outcome(0.5, taken, None, "ok"))])
    watching.look(seconds)
    return "\n".join(said)


def test_of_a_first_fit_that_lasts_the_least_cost_is_told() -> None:
    assert looked(10) == "200 fits will take more than 16 min 40 s: no fit has finished after 10 s."
    one = "200 fits will take more than 16 min 40 s: only 1 fit has finished after 10 s."
    assert looked(10, 2.0) == one
    assert looked(10, 2.0, 8.0) == (
        "200 fits will take about 16 min 40 s, judging by the first ones."
    )
    assert "about 8 min 20 s with 2 workers" in looked(10, 2.0, 8.0, n_jobs=2)
    assert looked(0.2) == ""
    assert "more than 16 min 40 s: only 2 fits have" in looked(10, 0.5, 0.5, n_learners=20)


def test_of_few_fits_the_time_already_spent_is_the_least() -> None:
    plan = draw_plan(parse("holdout@1/3"), 120, 0, None, None)
    said: list[str] = []
    watching = cost.Cost(plan, [Cell(0, plan.addresses[0])], 1, said.append)
    watching.look(10)
    assert not said
    watching.look(600)
    assert said == ["1 fit will take more than 10 min 0 s: no fit has finished after 10 min 0 s."]


class Waits(GaussianNB):
    """A learner whose first fit ends once the cost was told."""

    def fit(self, X: Any, y: Any) -> Any:
        if not TOLD.is_set():
            assert TOLD.wait(60)
        return super().fit(X, y)


TOLD = Event()


def test_a_run_tells_it_while_its_first_fit_lasts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cost, "LONG", 0.0)
    monkeypatch.setattr(cost, "LOOKS", (0.01, 600.0))
    tell = Progress.say

    def say(self: Progress, text: str) -> None:
        tell(self, text)
        TOLD.set()

    monkeypatch.setattr(Progress, "say", say)
    models = {"waits": Waits(), "bayes": GaussianNB()}
    op.run(models, X, Y, design="10cv", random_state=0)
    said = capsys.readouterr().err
    assert said.startswith("20 fits will take more than 0 s: no fit has finished after 0 s.\n")
    assert "\n20 fits will take about " in said


def test_a_run_writes_it_to_stderr_unless_progress_is_unwanted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Any
) -> None:
    monkeypatch.setattr(cost, "LONG", 0.0)
    store = str(tmp_path / "a.db")
    quiet = op.run(MODELS, X, Y, design="10cv", random_state=0, progress=False)
    assert capsys.readouterr().err == ""
    loud = op.run(MODELS, X, Y, design="10cv", random_state=0, store=store)
    said = capsys.readouterr().err
    assert loud.digest() == quiet.digest()
    assert re.match(r"20 fits will take about \d+ s, judging by the first ones\.\n", said)
    op.run(MODELS, X, Y, design="10cv", random_state=0, store=store)  # nothing is left to run
    assert capsys.readouterr().err == ""
