"""The cost of a long run is told from its first fits, with designs that work when asked for."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import outperform as op
from outperform import registry
from outperform.cli import main
from outperform.designs import Design, parse
from outperform.engine import cost
from outperform.engine.fitting import Cell
from outperform.engine.split_plan import draw_plan
from outperform.storage import Outcome

RNG = np.random.default_rng(5)
Y = np.repeat([0, 1], 60)
X = RNG.normal(size=(120, 3)) + Y[:, None]
LEARNERS = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=2)}


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
    options = {"n_jobs": 1, "choices": list} | options
    watching = cost.Cost(plan, cells, tell=said.append, **options)
    for cell in cells[: rounds * len(seconds)]:
        slow = first if cell.address == plan.addresses[0] else 1.0
        taken = slow * seconds[cell.learner]
        watching.observe([(cell, Outcome(0.5, taken, None, "ok"))])
    return "".join(said)


def test_a_run_of_more_than_a_minute_is_announced_once() -> None:
    said = told((0.3, 0.5), rounds=20)
    assert said == "200 fits will take about 1 min 20 s, judging by the first ones."
    assert told((0.2, 0.39)) == ""


def test_a_slow_first_fit_is_not_held_against_a_learner() -> None:
    assert told((0.01, 0.01), first=1000, rounds=1) == ""  # ten seconds each: wait
    assert told((0.01, 0.01), first=100, rounds=2) == ""
    assert "about 2 h 46 min" in told((50.0, 50.0), rounds=1)  # no need to wait


def test_workers_share_the_time_and_smaller_training_sets_take_less() -> None:
    assert "about 1 min 20 s with 2 workers" in told((0.6, 1.0), n_jobs=2)
    # 25 fits of 96 rows and 200 of 48 of each: as much as 125 of 96
    assert "about 2 min 5 s" in told((0.5, 0.5), design="5x5cv+20halves")


def choices(design: str, y: Any, admit: Callable[[Design], object] | None = None) -> list[str]:
    n = len(y)
    codes = y if "/stratified" in design else None
    plan = draw_plan(parse(design), n, 0, codes, None)
    return [str(d) for d in cost.choices(plan, y, None, "accuracy", admit, classes=True)]


@pytest.mark.parametrize(
    ("design", "offered"),
    [
        ("10x10cv", ["10cv", "5x5cv+20halves"]),
        ("10x10cv/stratified", ["10cv/stratified", "5x5cv+20halves/stratified"]),
        ("5x5cv+20halves", ["10cv", "10x5cv+40halves"]),
        ("10x5cv+40halves", ["5x5cv+20halves", "20x5cv+80halves"]),
        ("10cv", ["holdout@1/3", "10x10cv"]),
        ("holdout@1/3", ["10cv"]),
        ("20seeds@1/3", []),
    ],
)
def test_a_cheaper_and_a_dearer_design_are_offered(design: str, offered: list[str]) -> None:
    assert choices(design, Y) == offered


def test_what_is_offered_can_be_run() -> None:
    rare = np.array([0] * 116 + [1] * 4)  # halves lack a class
    assert choices("10x10cv", rare) == ["10cv"]
    only = registry.for_scores("corrected_t").check_design
    assert choices("10x10cv", Y, only) == ["10cv"]
    rows = RNG.normal(size=(120, 2))
    for design in choices("10cv", Y):
        assert op.run(LEARNERS, rows, Y, design=design, random_state=0).n_splits


def test_above_50_000_rows_the_cheaper_choice_is_a_hold_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert cost.LARGE == 50_000
    monkeypatch.setattr(cost, "LARGE", 119)
    assert choices("10x10cv", Y)[0] == "holdout@1/3"
    monkeypatch.setattr(cost, "LARGE", 120)
    assert choices("10x10cv", Y)[0] == "10cv"


def test_a_run_writes_it_to_stderr_unless_progress_is_unwanted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Any
) -> None:
    monkeypatch.setattr(cost, "LONG", 0.0)
    store = str(tmp_path / "a.db")
    quiet = op.run(LEARNERS, X, Y, design="10cv", random_state=0, progress=False)
    assert capsys.readouterr().err == ""
    loud = op.run(LEARNERS, X, Y, design="10cv", random_state=0, store=store)
    said = capsys.readouterr().err
    assert loud.digest() == quiet.digest()
    assert re.match(r"20 fits will take about \d+ s, judging by the first ones\.\n", said)
    assert "Cheaper: design='holdout@1/3', store='other.db', about " in said
    assert "More thorough: design='10x10cv', about " in said
    op.run(LEARNERS, X, Y, design="10cv", random_state=0, store=store)  # nothing is left to run
    assert capsys.readouterr().err == ""


def test_the_command_line_writes_options(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Any
) -> None:
    monkeypatch.setattr(cost, "LONG", 0.0)
    rows = ["a,b,y", *(f"{a},{b},{c}" for (a, b, _), c in zip(X, Y, strict=True))]
    (tmp_path / "d.csv").write_text("\n".join(rows))
    words = ["run", str(tmp_path / "d.csv"), "--target", "y", "--learner", "nb"]
    words += ["--learner", "tree", "--design", "2x5cv", "--seed", "0"]
    with pytest.raises(SystemExit, match="0"):
        main(words)
    found = capsys.readouterr()
    assert "Cheaper: --design holdout@1/3, about " in found.err
    assert "More thorough: --design 10cv, about " in found.err
    assert "will take" not in found.out
