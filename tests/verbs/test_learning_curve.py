"""Learning curves: scores and differences by training size, and what half of the data costs."""

from __future__ import annotations

import json
import math
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import places
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

import outperform as op
from outperform import DataError, DesignError, LearningCurve, MethodError, Scores

GOLDEN = json.loads((places.GOLDEN / "bradford_brodley_table1.json").read_text(encoding="utf-8"))
SIZES = (0.2, 0.5, 0.9)


def classes(n: int = 100, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    y = np.arange(n) % 2
    return np.random.default_rng(seed).normal(size=(n, 3)) + 1.2 * y[:, None], y


class Spoiled(ClassifierMixin, BaseEstimator):
    """Naive Bayes that says the opposite when it has met from 40 to 60 items."""

    def fit(self, X: Any, y: Any) -> Spoiled:
        self.model_ = GaussianNB().fit(X, y)
        self.turned_ = 40 <= len(y) <= 60
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X: Any) -> Any:
        said = self.model_.predict(X)
        return 1 - said if self.turned_ else said


@pytest.fixture(scope="module")
def curve() -> LearningCurve:
    models = {"bayes": GaussianNB(), "most": DummyClassifier(), "spoiled": Spoiled()}
    return op.learning_curve(models, *classes(), sizes=SIZES, random_state=1)


@pytest.mark.requirement("D-08")
def test_each_size_is_a_run_of_the_same_splits_with_smaller_training_sets(
    curve: LearningCurve,
) -> None:
    assert curve.n_train == (20, 50, 90)
    first = curve.runs[0]
    for run in curve.runs:
        assert (run.items.item == first.items.item).all()
        assert (run.seed, run.n_test.tolist()) == (1, [10.0] * 15)
    X, y = classes()
    whole = op.run({"bayes": GaussianNB()}, X, y, design="15xresampled@1/10", random_state=1)
    assert (curve.runs[-1].values[0] == whole.values[0]).all()


@pytest.mark.requirement("D-08")
def test_training_sets_hold_those_of_smaller_sizes() -> None:
    before: list[set[int]] = [set()] * 15
    for size in ("1/5", "1/2", "4/5"):
        splits = op.parse(f"15xresampled@1/10/train{size}").split(100, random_state=1)
        now = [set(split.train.tolist()) for split in splits]
        assert all(small < large for small, large in zip(before, now, strict=True))
        before = now


@pytest.mark.requirement("D-08")
def test_points_are_means_with_corrected_standard_errors(curve: LearningCurve) -> None:
    for point, run in zip(curve.points("bayes"), curve.runs, strict=True):
        scores = run.values[0]
        assert point.estimate == pytest.approx(scores.mean(), rel=1e-12)
        scale = math.sqrt(1 / 15 + 10 / point.n_train)
        assert point.stderr == pytest.approx(scores.std(ddof=1) * scale, rel=1e-12)
    for point, run in zip(curve.points("bayes", "most"), curve.runs, strict=True):
        assert point.estimate == pytest.approx((run.values[0] - run.values[1]).mean(), rel=1e-10)


@pytest.mark.requirement("D-08")
def test_steps_are_paired_by_test_set_and_tested_against_the_trend(curve: LearningCurve) -> None:
    steps = curve.steps("spoiled")
    assert [(step.n_train, step.next_n_train) for step in steps] == [(20, 50), (50, 90)]
    change = curve.runs[1].values[2] - curve.runs[0].values[2]
    stderr = change.std(ddof=1) * math.sqrt(1 / 15 + 10 / 20)
    assert steps[0].estimate == pytest.approx(change.mean(), rel=1e-10)
    assert steps[0].stderr == pytest.approx(stderr, rel=1e-10)
    wanted = stats.t.cdf(change.mean() / stderr, 14)
    assert steps[0].pvalue == pytest.approx(wanted, rel=1e-8)
    assert steps[1].estimate > 0
    assert steps[1].pvalue > 0.5


@pytest.mark.requirement("D-08")
def test_a_curve_that_breaks_is_noted_and_a_smooth_one_is_not(curve: LearningCurve) -> None:
    rough = curve.rough()
    assert {step.first for step in rough if step.second is None} == {"spoiled"}
    notes = [note for note in curve.notes if note.code == "OP310"]
    assert len(notes) == len(rough)
    assert notes[0].detail.startswith("'spoiled' falls by ")
    assert "from 20 to 50 training items (p = 0.00" in notes[0].detail
    assert curve.rough(1e-12) == ()
    smooth = op.learning_curve(GaussianNB(), *classes(), sizes=SIZES, random_state=1)
    assert smooth.rough() == ()
    assert "OP310" not in {note.code for note in smooth.notes}


def made(scores: dict[str, np.ndarray]) -> LearningCurve:
    """Make a curve of scores (sizes × splits) at 50, 60, … training items of 100."""
    sizes = range(len(next(iter(scores.values()))))
    runs = [
        Scores.from_arrays(
            {name: values[at] for name, values in scores.items()},
            design=op.Resampled(values_of(scores), 10, 50 + 10 * at),
            n_train=50 + 10 * at,
            n_test=10,
        )
        for at in sizes
    ]
    return LearningCurve(tuple(runs), op.Resampled(values_of(scores), 10))


def values_of(scores: dict[str, np.ndarray]) -> int:
    return next(iter(scores.values())).shape[1]


@pytest.mark.requirement("D-08")
def test_a_difference_that_turns_back_is_rough_though_both_scores_rise() -> None:
    noise = np.random.default_rng(0).normal(scale=0.002, size=(2, 4, 15))
    rising = np.array([0.5, 0.6, 0.7, 0.8])[:, None]
    late = np.array([0.5, 0.52, 0.69, 0.72])[:, None]  # behind by 0, .08, .01 and .08
    curve = made({"a": rising + noise[0], "b": late + noise[1]})
    assert [(s.first, s.second, s.n_train) for s in curve.rough()] == [("a", "b", 60)]
    assert str(curve.rough()[0]).startswith("'a' − 'b' falls by 0.0692 from 60 to 70")


@pytest.mark.slow
@pytest.mark.requirement("D-08")
def test_chance_seldom_makes_a_level_curve_rough() -> None:
    rng = np.random.default_rng(3)
    # Splits share what makes the correction right: their correlation is n_test/(n_test + n_train).
    count, rho = 400, 10 / 60
    found = 0
    for _ in range(count):
        shared, own = rng.normal(size=(4, 1)), rng.normal(size=(4, 15))
        curve = made({"a": 0.8 + 0.01 * (math.sqrt(rho) * shared + math.sqrt(1 - rho) * own)})
        found += bool(curve.rough(0.1))
    assert 0 < found / count < 0.1 + 4 * math.sqrt(0.09 / count)


def test_constant_scores_have_no_standard_error_and_are_smooth() -> None:
    curve = made({"a": np.repeat([[0.5], [0.4], [0.6]], 15, axis=1)})
    assert [point.stderr for point in curve.points("a")] == [None] * 3
    assert [step.pvalue for step in curve.steps("a")] == [None, None]
    assert curve.rough() == ()


def test_a_store_is_one_file_for_each_size_and_resumes(tmp_path: Path) -> None:
    X, y = classes(40)
    options = {"sizes": (0.3, 0.6), "design": "4xresampled@1/10", "store": tmp_path / "curve.db"}
    once = op.learning_curve(GaussianNB(), X, y, random_state=5, **options)
    assert sorted(os.listdir(tmp_path)) == ["curve-train12.db", "curve-train24.db"]
    again = op.learning_curve(GaussianNB(), X, y, **options)  # the seed is the store's
    assert [run.digest() for run in again.runs] == [run.digest() for run in once.runs]


def test_a_seed_that_is_drawn_serves_all_sizes() -> None:
    curve = op.learning_curve(
        GaussianNB(), *classes(40), sizes=(0.3, 0.6), design="3xresampled@1/10"
    )
    assert curve.runs[0].seed == curve.runs[1].seed is not None
    assert [note.code for note in curve.notes].count("OP504") == 1


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (
            {"design": "10cv"},
            "training sets can be cut to size, got 10cv",
        ),
        ({"design": "15xresampled@1/10/train1/2"}, "A learning curve needs random splits"),
        ({"sizes": (0.5,)}, "make 1 different training sets of 100 items"),
        ({"sizes": (0.5, 50)}, "make 1 different training sets of 100 items"),
        ({"sizes": (0.5, 0.95)}, "add up to more than all items"),
        ({"sizes": (50, 95)}, "exceed the 100 available items"),
    ],
)
def test_sizes_and_designs_that_make_no_curve_are_refused(
    options: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(DesignError, match=complaint):
        op.learning_curve(GaussianNB(), *classes(), **options)


def test_a_curve_reads_as_text_json_and_frame(curve: LearningCurve) -> None:
    assert repr(curve) == "<LearningCurve: 3 learners trained on 20, 50, 90 items>"
    lines = [line for line in str(curve).splitlines() if line != "error"]  # of the heading
    assert lines[0].startswith("accuracy by training size, 15 random splits")
    assert lines[1] == "  bayes"
    assert lines[2].split()[0] == "20"
    assert "  bayes − most" in lines
    told = json.loads(curve.to_json())
    assert told["n_train"] == [20, 50, 90]
    assert len(told["curves"]) == 6 * 3
    assert told["rough"][0]["first"] == "spoiled"
    frame = curve.to_frame()
    assert frame.shape == (18, 6)
    assert type(curve.to_frame(kind="pandas")).__module__.startswith("pandas")
    came = replace(curve, runs=tuple(replace(r, frame_kind="pandas") for r in curve.runs))
    assert type(came.to_frame()).__module__.startswith("pandas")
    hostile = replace(
        curve, runs=tuple(replace(r, names=("\x1b[2J", "b", "c")) for r in curve.runs)
    )
    assert "\x1b" not in str(hostile) + "".join(map(str, hostile.rough()))


# What half of the data costs (B-27)


@pytest.mark.requirement("B-27")
def test_two_of_69_accuracies_are_higher_with_half_of_the_data() -> None:
    rows = np.array(list(GOLDEN["table1"]["rows"].values()))
    found = op.methods.accuracy_lost(rows[:, 0::2], rows[:, 1::2])
    assert (found.half_better, found.n) == (2, 69)
    assert found.mean == pytest.approx((rows[:, 0::2] - rows[:, 1::2]).mean(), rel=1e-12)
    better = [divmod(at, 3) for at, lost in enumerate(found.lost) if lost < 0]
    datasets = list(GOLDEN["table1"]["rows"])
    assert [(datasets[row], column) for row, column in better] == [
        ("breast", 2),
        ("tic-tac-toe", 2),
    ]
    assert str(found).endswith("did better in 2 of 69 cases.")
    errors = op.methods.accuracy_lost(
        100 - rows[:, 0::2], 100 - rows[:, 1::2], lower_is_better=True
    )
    assert errors.lost == pytest.approx(found.lost, abs=1e-10)


@pytest.mark.requirement("B-27")
def test_two_runs_say_what_each_model_loses_by_training_on_half() -> None:
    X, y = classes(60)
    models = {"bayes": GaussianNB(), "most": DummyClassifier()}
    ten = op.run(models, X, y, design="10cv", random_state=0)
    two = op.run(dict(reversed(models.items())), X, y, design="5x2cv", random_state=0)
    found = op.methods.accuracy_lost(ten, two)
    assert found.names == ("bayes", "most")
    assert found.lost[0] == pytest.approx(ten.values[0].mean() - two.values[1].mean(), abs=1e-12)
    assert found.to_dict()["n"] == 2
    with pytest.raises(DataError, match="5x2cv does not train on a larger share than 10cv"):
        op.methods.accuracy_lost(two, ten)
    with pytest.raises(DataError, match="must have the same learners and metric"):
        op.methods.accuracy_lost(ten, replace(two, names=("a", "b")))
    with pytest.raises(DataError, match="One side is Scores"):
        op.methods.accuracy_lost(ten, [0.9, 0.8])
    with pytest.raises(DataError, match="got 2 and 1 entries"):
        op.methods.accuracy_lost([0.9, 0.8], [0.9])


def test_a_learning_curve_draws_itself(curve: LearningCurve) -> None:
    (axes,) = curve.plot().axes
    drawn = {line.get_label(): line for line in axes.lines}
    assert list(drawn) == list(curve.names)
    for name in curve.names:
        assert list(drawn[name].get_xdata()) == list(curve.n_train)
        assert list(drawn[name].get_ydata()) == [p.estimate for p in curve.points(name)]
    assert axes.get_ylabel() == curve.metric
    with pytest.raises(MethodError, match="it has 'learning-curve'"):
        curve.plot("qq")
    with pytest.raises(DataError, match=r"learning_curve\(learners, X, y\)\.plot\(\)"):
        op.compare(curve.runs[0]).plot("learning-curve")
