"""Estimation: one learner's accuracy by hold-out, cross-validation and disjoint training sets."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import outperform as op
from outperform import DataError, DesignError, MethodError, Scores
from outperform.scores.split_scores import SplitLosses
from outperform.verbs.estimate import grand_mean, mean_squares


def classes(n: int = 300, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    y = np.arange(n) % 2
    return np.random.default_rng(seed).normal(size=(n, 3)) + 0.7 * y[:, None], y


def numbers(n: int = 300, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, X.sum(axis=1) + rng.normal(size=n)


def crossed(values: np.ndarray, loss: str = "squared") -> Scores:
    """Scores of one learner on disjoint training sets, from losses (sets × items)."""
    sets, n = values.shape
    items = SplitLosses(
        loss, values.reshape(1, -1), np.repeat(np.arange(sets), n), np.tile(np.arange(n), sets)
    )
    scores = Scores.from_arrays(
        {"a": -values.mean(axis=1)},
        design=op.DisjointTrainSets(sets, 50),
        n_train=50,
        n_test=n,
        lower_is_better=False,
    )
    return replace(scores, items=items)


# Disjoint training sets (D-06)


@pytest.mark.requirement("D-06")
def test_mean_squares_are_those_of_an_analysis_of_variance() -> None:
    import pandas
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    table = np.random.default_rng(1).normal(size=(5, 17)) + np.arange(5)[:, None]
    row, column = np.indices(table.shape)
    frame = pandas.DataFrame({"y": table.ravel(), "row": row.ravel(), "column": column.ravel()})
    wanted = anova_lm(ols("y ~ C(row) + C(column)", frame).fit())["mean_sq"]
    mean, *found = mean_squares(table)
    assert mean == pytest.approx(table.mean(), rel=1e-12)
    assert found == pytest.approx(wanted.tolist(), rel=1e-10)


@pytest.mark.requirement("D-06")
def test_a_table_of_two_by_two_is_as_worked_out_by_hand() -> None:
    # Row means 1.5 and 5.5, column means 2 and 5, residuals ±1.
    pivot, parts, notes = grand_mean(np.array([[1.0, 2.0], [3.0, 8.0]]))
    assert (pivot.estimate, parts.residual) == pytest.approx((3.5, 4.0), rel=1e-14)
    components = parts.training_set, parts.test_item
    assert components == pytest.approx(((16 - 4) / 2, (9 - 4) / 2), rel=1e-14)
    assert pivot.stderr == pytest.approx(math.sqrt((16 + 9 - 4) / 4), rel=1e-14)
    assert pivot.dist.df == pytest.approx(21**2 / (16**2 + 9**2 + 4**2), rel=1e-14)
    assert notes == []


SIGMA = {"sets": 0.5, "items": 1.0, "rest": 2.0}


def tables(count: int, sets: int, items: int) -> np.ndarray:
    """Draw tables of mean 3 with known variances of rows, columns and what is left."""
    rng = np.random.default_rng(5)
    return (
        3.0
        + math.sqrt(SIGMA["sets"]) * rng.normal(size=(count, sets, 1))
        + math.sqrt(SIGMA["items"]) * rng.normal(size=(count, 1, items))
        + math.sqrt(SIGMA["rest"]) * rng.normal(size=(count, sets, items))
    )


@pytest.mark.slow
@pytest.mark.requirement("D-06")
def test_components_standard_error_and_interval_are_right_on_average() -> None:
    sets, items, count = 8, 30, 1500
    found = [grand_mean(table) for table in tables(count, sets, items)]
    for name, wanted in zip(("training_set", "test_item", "residual"), SIGMA.values(), strict=True):
        each = np.array([getattr(parts, name) for _, parts, _ in found])
        assert abs(each.mean() - wanted) < 4 * each.std() / math.sqrt(count), name
    squared = np.array([pivot.stderr**2 for pivot, _, _ in found])
    true = SIGMA["sets"] / sets + SIGMA["items"] / items + SIGMA["rest"] / (sets * items)
    assert abs(squared.mean() - true) < 4 * squared.std() / math.sqrt(count)
    ends = np.array([pivot.interval(0.95) for pivot, _, _ in found])
    covered = np.mean((ends[:, 0] <= 3) & (ends[:, 1] >= 3))
    assert abs(covered - 0.95) < 4 * math.sqrt(0.95 * 0.05 / count)


@pytest.mark.requirement("D-06")
@pytest.mark.parametrize("turned", [False, True])
def test_a_component_below_zero_is_set_to_zero_and_said(turned: bool) -> None:
    # Rows with equal means, as chance alone would not make them.
    rng = np.random.default_rng(2)
    table = rng.normal(size=(4, 12)) + rng.normal(size=12)
    table -= table.mean(axis=1, keepdims=True)
    table = table.T if turned else table
    pivot, parts, (note,) = grand_mean(table)
    _, msa, msb, _ = mean_squares(table)
    gone, left = (parts.test_item, msa) if turned else (parts.training_set, msb)
    assert gone == 0
    assert pivot.stderr == pytest.approx(math.sqrt(left / table.size), rel=1e-12)
    assert pivot.dist.df == pytest.approx(11, rel=1e-12)
    assert note.code == "OP311"
    assert ("test items" if turned else "training sets") in note.detail


@pytest.mark.requirement("D-06")
def test_an_algorithm_is_judged_over_training_sets_and_test_items() -> None:
    X, y = classes()
    found = op.estimate(GaussianNB(), X, y, design="8disjoint@20", random_state=3)
    scores = op.run(GaussianNB(), X, y, design="8disjoint@20", random_state=3)
    assert found.method == "delve"
    assert found.estimate == pytest.approx(scores.values.mean(), rel=1e-12)
    assert (found.components.n_training_sets, found.components.n_test_items) == (8, 140)
    assert found.metric == "accuracy"
    assert "trained on 20 items" in found.speaks_of
    # Items alone would promise more: the training sets vary too.
    assert found.stderr > math.sqrt(found.estimate * (1 - found.estimate) / found.n)
    low, high = found.interval(0.9)
    half = stats.t.isf(0.05, found.df) * found.stderr
    assert (low, high) == pytest.approx((found.estimate - half, found.estimate + half), rel=1e-10)


@pytest.mark.requirement("D-13")
@pytest.mark.requirement("D-12")
@pytest.mark.parametrize("loss", ["squared", "absolute", "log"])
def test_other_losses_of_disjoint_training_sets_are_oriented_as_scores(loss: str) -> None:
    values = np.random.default_rng(0).random((6, 40))
    found = op.estimate(crossed(values, loss))
    assert found.estimate == pytest.approx(-values.mean(), rel=1e-12)
    assert found.metric.startswith("neg_")
    assert not any(note.code == "OP405" for note in found.notes)


def test_one_training_set_has_no_variance_components() -> None:
    with pytest.raises(
        DataError, match="need at least 2 training sets and 2 test items, got 1 and 9"
    ):
        op.estimate(crossed(np.random.default_rng(0).random((1, 9))))


def test_sets_that_were_tested_on_other_items_are_refused() -> None:
    scores = crossed(np.random.default_rng(0).random((3, 9)))
    scores.items.item[0] = 77
    with pytest.raises(DataError, match="not tested on the same items"):
        op.estimate(scores)


# Cross-validation and resampling (D-07)


@pytest.mark.requirement("D-07")
def test_the_default_is_stratified_ten_fold_with_training_sets_of_90_percent() -> None:
    X, y = classes(200)
    found = op.estimate(GaussianNB(), X, y, random_state=0)
    scores = op.run(GaussianNB(), X, y, design="10cv/stratified", random_state=0)
    folds = scores.values[0]
    assert str(found.design) == "10cv/stratified"
    assert found.estimate == pytest.approx(folds.mean(), rel=1e-12)
    assert found.stderr == pytest.approx(folds.std(ddof=1) * math.sqrt(1 / 10 + 1 / 9), rel=1e-12)
    assert found.df == 9
    half = stats.t.isf(0.025, 9) * found.stderr
    assert found.interval().high == pytest.approx(found.estimate + half, rel=1e-10)
    assert "trained on 180 items, 90 % of the data" in found.speaks_of


@pytest.mark.requirement("D-07")
def test_items_thrown_out_are_not_counted_as_data() -> None:
    X, y = classes(100)
    found = op.estimate(GaussianNB(), X, y, design="5xresampled@1/10/train1/2", random_state=0)
    assert "trained on 50 items:" in found.speaks_of
    assert "of the data" not in found.speaks_of


def test_scores_that_do_not_vary_have_no_standard_error() -> None:
    scores = Scores.from_arrays({"a": [0.9] * 10}, design="10cv", metric="accuracy")
    found = op.estimate(scores)
    assert (found.estimate, found.stderr, found.interval()) == (0.9, None, None)
    assert [note.code for note in found.notes] == ["OP102"]
    assert json.loads(found.to_json())["low"] is None
    flat = op.estimate(crossed(np.full((3, 9), 0.1)))
    assert (flat.stderr, flat.interval()) == (None, None)
    assert [note.code for note in flat.notes] == ["OP102"]


# Hold-out (D-02, D-12, D-13)


@pytest.mark.requirement("D-02")
def test_a_hold_out_gives_the_binomial_interval_of_the_fitted_model() -> None:
    X, y = classes()
    found = op.estimate(GaussianNB(), X, y, design="holdout@1/3", random_state=0)
    right = round(found.estimate * 100)
    wanted = stats.binomtest(right, 100).proportion_ci(0.9, method="wilson")
    assert tuple(found.interval(0.9)) == pytest.approx((wanted.low, wanted.high), rel=1e-9)
    assert (found.method, found.n) == ("accuracy_interval", 100)
    assert "OP401" in {note.code for note in found.notes}
    assert found.speaks_of.startswith("the fitted model")


def test_a_model_that_is_always_right_still_has_a_binomial_interval() -> None:
    y = np.arange(60) % 2
    scores = Scores.from_predictions(y, {"a": y})
    found = op.estimate(scores)
    assert (found.estimate, found.stderr) == (1.0, None)
    assert found.interval().high == 1.0
    assert 0.9 < found.interval().low < 1.0


@pytest.mark.requirement("D-13")
@pytest.mark.parametrize(("n_test", "law"), [(29, stats.t(28)), (30, stats.norm())])
def test_a_squared_error_gets_a_t_interval_if_items_are_few(n_test: int, law: object) -> None:
    X, y = numbers(100)
    found = op.estimate(LinearRegression(), X, y, design=f"holdout@{n_test}", random_state=0)
    scores = op.run(LinearRegression(), X, y, design=f"holdout@{n_test}", random_state=0)
    losses = scores.items.values[0]
    assert found.metric == "neg_mean_squared_error"
    assert found.estimate == pytest.approx(-losses.mean(), rel=1e-12)
    half = law.isf(0.025) * losses.std(ddof=1) / math.sqrt(n_test)
    assert found.interval().low == pytest.approx(found.estimate - half, rel=1e-10)


@pytest.mark.requirement("D-12")
def test_the_log_loss_of_a_fitted_model_has_an_interval() -> None:
    X, y = classes()
    found = op.estimate(
        GaussianNB(), X, y, design="holdout@1/3", scoring="neg_log_loss", random_state=0
    )
    assert found.metric == "neg_log_loss"
    assert found.interval().low < found.estimate < 0


@pytest.mark.requirement("D-13")
@pytest.mark.parametrize("design", ["10cv", "5x2cv", "10xresampled@1/10", "loo"])
def test_a_squared_error_from_few_data_says_that_no_method_is_established(design: str) -> None:
    X, y = numbers(60)
    options = {"scoring": "neg_mean_squared_error", "random_state": 0}
    found = op.estimate(LinearRegression(), X, y, design=design, **options)
    assert [note.code for note in found.notes if note.severity == "caution"].count("OP405") == 1
    X, y = classes(60)
    found = op.estimate(GaussianNB(), X, y, design=design, random_state=0)
    assert "OP405" not in {note.code for note in found.notes}


# What is refused, and how it reads


def test_what_no_estimate_can_be_made_from_is_refused() -> None:
    a = np.linspace(0.5, 0.9, 10)
    with pytest.raises(DataError, match=r"2 learners were passed.*learner='a'"):
        op.estimate(Scores.from_arrays({"a": a, "b": a}, design="10cv"))
    with pytest.raises(MethodError, match="design of these scores is unknown"):
        op.estimate(Scores.from_arrays({"a": a}))
    with pytest.raises(MethodError, match="No standard error of one learner's accuracy"):
        op.estimate(Scores.from_arrays({"a": np.tile(a, (3, 1))}, design="3*10cv"))
    with pytest.raises(DataError, match="passed together with X, y"):
        op.estimate(Scores.from_arrays({"a": a}, design="10cv"), a, a)
    with pytest.raises(DataError, match="contain no losses of single items"):
        op.estimate(Scores.from_arrays({"a": [0.9]}, design="holdout@1/3"))
    both = replace(Scores.from_arrays({"a": a}, design="10cv"), datasets=("x", "y") * 5)
    with pytest.raises(DataError, match="2 datasets"):
        op.estimate(both)
    with pytest.raises(DesignError, match="stratification needs classes"):
        op.estimate(LinearRegression(), *numbers(40))


def test_one_of_several_models_is_named() -> None:
    X, y = classes(60)
    scores = op.run(
        {"tree": DecisionTreeClassifier(), "most": DummyClassifier()},
        X,
        y,
        design="5cv",
        random_state=0,
    )
    found = op.estimate(scores, learner="most")
    assert found.name == "most"
    assert float(found) == pytest.approx(scores.values[1].mean(), rel=1e-12)
    with pytest.raises(DataError, match="did you mean 'tree'"):
        op.estimate(scores, learner="tre")


def test_an_estimate_reads_as_text_and_json() -> None:
    scores = crossed(np.random.default_rng(0).random((6, 40)))
    found = op.estimate(replace(scores, names=("a\x1b[31m\u202e",)))
    assert " ".join(str(found).split()).startswith(
        "a<U+001B>[31m<U+202E>: neg_mean_squared_error, 6 disjoint training sets of 50 items and "
        "one test set estimate "
    )
    assert "between 6 training sets" in str(found)
    assert "Applies to the learning algorithm trained on 50 items" in str(found)
    assert repr(found).startswith(
        "<estimate: neg_mean_squared_error of a<U+001B>[31m<U+202E> = −0."
    )
    told = json.loads(found.to_json(level=0.9))
    assert told["level"] == 0.9
    assert told["low"] < told["estimate"] < told["high"]
    assert told["components"]["residual"] == found.components.residual
    assert "\x1b" not in str(found) + repr(found)
