"""plan: what a pilot says can be detected is what its own test would detect."""

from __future__ import annotations

import json
import math
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from launching import run_here
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import outperform as op
from outperform.methods import calibrated_t
from outperform.numerics.distributions import Chi2, T
from outperform.report.formatting import decimals_for, fixed
from outperform.storage import seconds_of_fits
from outperform.verbs.plan import _measured
from outperform.views import Calibration

X, Y = load_iris(return_X_y=True)
X, Y = X[:, :2], Y
MODELS = {"bayes": GaussianNB(), "stump": DecisionTreeClassifier(max_depth=1, random_state=0)}


@pytest.fixture(scope="module")
def pilot() -> op.Scores:
    return op.run(MODELS, X, Y, design="5x5cv+20halves", random_state=0)


@pytest.fixture(scope="module")
def file_scores() -> op.Scores:
    rng = np.random.default_rng(0)
    arrays = {name: rng.normal(mean, 0.03, 100) for name, mean in (("a", 0.8), ("b", 0.79))}
    return op.Scores.from_arrays(arrays, design="10x10cv")


@pytest.mark.slow
def test_the_pilots_own_design_detects_by_its_own_standard_error(pilot: op.Scores):
    result = op.methods.calibrated_t(pilot)
    law = T(result.df)
    reach = law.isf(0.025) + law.isf(0.2)
    first = op.plan(pilot).designs[0]
    assert first.expected == pytest.approx(reach * result.stderr, rel=1e-12)
    caution = math.sqrt(result.df / Chi2(result.df).isf(0.8))
    assert first.detectable == pytest.approx(first.expected * caution, rel=1e-12)
    assert (first.design, first.fits) == ("5x5cv+20halves", 2 * 225)


@pytest.mark.slow
def test_a_warning_of_the_pilot_lowers_the_grade_of_the_plan(pilot: op.Scores):
    assert op.plan(pilot).grade == op.methods.calibrated_t(pilot).grade
    few = op.run(MODELS, X[::3], Y[::3], design="2x5cv+4halves", random_state=0)
    found = op.plan(few)
    assert found.grade == "assumed"  # 50 items; it was measured from 60 on
    assert "carries a warning" in " ".join(str(found).split())


def test_scores_of_cross_validation_are_planned_by_the_corrected_t(file_scores: op.Scores):
    found = op.plan(file_scores)
    result = op.methods.corrected_t(file_scores)
    law = T(result.df)
    reach = law.isf(0.025) + law.isf(0.2)
    assert found.designs[0].expected == pytest.approx(reach * result.stderr, rel=1e-12)
    assert (found.grade, found.sizes) == ("assumed", ())
    assert [each.design for each in found.designs] == ["10x10cv", "20x10cv", "40x10cv", "80x10cv"]


def test_one_cross_validation_is_planned_with_repeats():
    rng = np.random.default_rng(1)
    scores = op.Scores.from_arrays({"a": rng.random(10), "b": rng.random(10)}, design="10cv")
    assert [each.design for each in op.plan(scores).designs] == [
        "10cv",
        "2x10cv",
        "4x10cv",
        "8x10cv",
    ]


def test_more_repeats_help_but_never_below_the_floor(pilot: op.Scores, file_scores: op.Scores):
    both = ["5x5cv+20halves", "10x5cv+40halves", "20x5cv+80halves", "40x5cv+160halves"]
    for found in (op.plan(pilot), op.plan(file_scores)):
        chosen = [each for each in found.designs if each.design in both] or list(found.designs)
        sizes = [each.detectable for each in chosen]
        assert len(sizes) == 4
        assert sizes == sorted(sizes, reverse=True)
        assert min(each.detectable for each in found.designs) > found.floor > 0
        shown = fixed(found.floor, decimals_for(found.designs[0].expected))
        assert f"More repeats cannot go below {shown}:" in " ".join(str(found).split())


@pytest.mark.slow
def test_repeats_alone_are_planned_beside_designs_that_grow_as_a_whole(pilot: op.Scores):
    found = op.plan(pilot)
    assert [(each.design, each.fits) for each in found.designs] == [
        ("5x5cv+20halves", 450),
        ("10x5cv+20halves", 500),
        ("20x5cv+20halves", 600),
        ("40x5cv+20halves", 800),
        ("10x5cv+40halves", 900),
        ("20x5cv+80halves", 1800),
        ("40x5cv+160halves", 3600),
    ]
    more = op.run(MODELS, X, Y, design="10x5cv+20halves", random_state=0)
    planned, came = found.designs[1].expected, op.plan(more).designs[0].expected
    assert planned == pytest.approx(came, rel=0.25), "what more repeats then measure"


def test_the_cheapest_design_that_is_enough_is_named(pilot: op.Scores):
    designs = op.plan(pilot).designs
    for asked in np.linspace(designs[-1].detectable, designs[0].detectable, 9):
        found = op.plan(pilot, asked)
        enough = [each for each in designs if each.detectable <= asked]
        assert found.choice == min(enough, key=lambda each: each.fits)
        assert f"{found.choice.design} is the cheapest design that detects" in " ".join(
            str(found).split()
        )


def test_where_no_design_is_enough_so_many_items_are_needed(pilot: op.Scores):
    found = op.plan(pilot, 0.004)
    assert found.choice is None
    n = found.items_needed
    design = op.parse(found.designs[-1].design)
    assert found.pilot.detectable(design, n, 0.05, 0.8) <= 0.004
    assert found.pilot.detectable(design, round(0.8 * n), 0.05, 0.8) > 0.004
    said = " ".join(str(found).split())
    assert "A difference of 0.004 cannot be detected with these items" in said
    shown = fixed(found.floor, decimals_for(found.designs[0].expected))
    assert f". About {n:,} items would be needed." in said
    assert f"More repeats cannot go below {shown}:" in said


def test_power_and_alpha_are_asked(pilot: op.Scores):
    usual = op.plan(pilot).designs[0].detectable
    assert op.plan(pilot, power=0.9).designs[0].detectable > usual
    assert op.plan(pilot, alpha=0.01).designs[0].detectable > usual


def test_a_store_knows_what_a_fit_takes(tmp_path: Path):
    path = tmp_path / "pilot.db"
    op.run(MODELS, X, Y, design="2x5cv+4halves", random_state=0, store=path)
    on_all, on_halves = seconds_of_fits(path)
    with closing(sqlite3.connect(path)) as db:
        rows = db.execute("SELECT partition > 0, seconds FROM result").fetchall()
    for part, seconds in ((0, on_all), (1, on_halves)):
        assert seconds == pytest.approx(np.mean([s for p, s in rows if p == part]))
    for each in op.plan(path).designs:
        design = op.parse(each.design)
        fits = 2 * 5 * np.array([design.repeats, 2 * design.halvings])
        assert each.fits == fits.sum()
        assert each.seconds == pytest.approx(fits @ [on_all, on_halves])
    assert op.plan(path, seconds_per_fit=2.0).designs[0].seconds == 2.0 * 2 * 50
    assert op.plan(path, seconds_per_fit=(3.0, 1.0)).designs[0].seconds == 2 * (10 * 3 + 40 * 1)


def test_several_models_need_a_pair(file_scores: op.Scores):
    rng = np.random.default_rng(2)
    three = {name: rng.random(10) for name in "abc"}
    scores = op.Scores.from_arrays(three, design="10cv")
    with pytest.raises(op.DataError, match="3 learners, and a plan is made for two"):
        op.plan(scores)
    assert op.plan(scores, pair=("a", "c")).names == ("a", "c")


@pytest.mark.parametrize(
    ("arrays", "design", "message"),
    [
        ({"a": [0.1, 0.4, 0.2], "b": [0.2, 0.1, 0.3]}, None, "scores of an unknown design"),
        ({"a": [0.8] * 10, "b": [0.7] * 10}, "10cv", "do not vary"),
    ],
)
def test_what_cannot_be_planned_from_is_refused(arrays, design, message):
    scores = op.Scores.from_arrays(arrays, **({} if design is None else {"design": design}))
    with pytest.raises(op.DataError, match=message):
        op.plan(scores)


def test_the_figure_and_the_page_show_the_plan(pilot: op.Scores):
    found = op.plan(pilot, 0.05)
    axes = found.plot().axes[0]
    assert len(axes.get_lines()) >= 4
    assert "smallest detectable difference in accuracy" in axes.get_ylabel()


def test_the_command_prints_a_plan_and_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    rng = np.random.default_rng(3)
    rows = [f"{fold},{rng.normal(0.8, 0.02)},{rng.normal(0.8, 0.02)}" for fold in range(10)]
    path = tmp_path / "scores.csv"
    path.write_text("fold,a,b\n" + "\n".join(rows) + "\n")
    assert run_here("plan", str(path), "--design", "10cv", "--difference", "0.5") == 0
    assert "10cv is the cheapest design that detects 0.5" in capsys.readouterr().out
    assert run_here("plan", str(path), "--design", "10cv", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    figure = tmp_path / "plan.svg"
    assert run_here("plan", str(path), "--design", "10cv", "--figure", str(figure)) == 2
    assert "number of items of the pilot is unknown" in capsys.readouterr().err
    sized = (str(path), "--design", "10cv", "--column", "n_train=90", "--column", "n_test=10")
    assert run_here("plan", *sized, "--figure", str(figure)) == 0
    assert figure.read_text(encoding="utf-8").startswith("<?xml")
    assert run_here("plan", *sized, "--figure", str(figure)) == 2
    assert "already exists" in capsys.readouterr().err
    assert found["schema"] == "outperform/plan/1"
    assert [each["design"] for each in found["designs"]] == ["10cv", "2x10cv", "4x10cv", "8x10cv"]


def simulated(n_experiments: int, seed: int, n: int = 200) -> Calibration:
    """Learners whose losses differ by independent normal amounts, whatever they were trained on."""
    rng = np.random.default_rng(seed)
    items = rng.normal(size=(n_experiments, n))
    orders = rng.random((20, n)).argsort(axis=-1)
    halves = items[:, orders].reshape(n_experiments, 20, 2, n // 2).mean(axis=-1)
    whole = np.broadcast_to(items.mean(axis=-1)[:, None, None], (n_experiments, 5, 5))
    folds = np.broadcast_to(halves[..., None], (*halves.shape, 5))
    return Calibration(whole, folds, float(n), np.ones(n_experiments))


@pytest.mark.slow
def test_planned_at_the_upper_limit_four_of_five_pilots_reach_the_power_they_promise():
    design = op.parse("5x5cv+20halves")
    later = calibrated_t.on(simulated(4000, seed=11))
    means, errors = np.asarray(later.estimate), np.asarray(later.stderr)
    critical = np.asarray(later.dist.isf(0.025))
    enough = []
    for seed in range(200):
        one = simulated(1, seed=1000 + seed)
        view = Calibration(one.whole[0], one.halves[0], one.n, one.scale[0])
        asked = _measured(view, design).detectable(design, 200, 0.05, 0.8)
        enough.append(np.mean(np.abs(means + asked) / errors > critical) >= 0.8 - 0.10)
    assert np.mean(enough) >= 0.8
