"""C4.5 as an estimator: its manners, its prunings, its noise, and trees one can check by hand."""

from __future__ import annotations

import pickle
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.utils.estimator_checks import check_estimator

import outperform as op
from outperform import DataError
from reproduction.learners import C45
from reproduction.learners.c45_tree import cut_back, weakest_links

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")

# Quinlan, C4.5 (1993), table 2-1: play or not, by outlook, temperature, humidity and wind.
OUTLOOK = [*["sun"] * 5, *["over"] * 4, *["rain"] * 5]
TEMPERATURE = [75, 80, 85, 72, 69, 72, 83, 64, 81, 71, 65, 75, 68, 70]
HUMIDITY = [70, 90, 85, 95, 70, 90, 78, 65, 75, 80, 70, 80, 80, 96]
WINDY = [True, True, False, False, False, True, False, True, False, True, True, False, False, False]
PLAY = ["yes", "no", "no", "no", "yes", "yes", "yes", "yes", "yes", "no", "no", "yes", "yes", "yes"]


def weather() -> Any:
    import polars as pl

    levels = pl.Enum(["sun", "over", "rain"])
    outlook = pl.Series(OUTLOOK, dtype=levels)
    columns = {"temperature": TEMPERATURE, "humidity": HUMIDITY, "windy": WINDY}
    return pl.DataFrame({"outlook": outlook, **columns})


@pytest.mark.slow
@pytest.mark.requirement("D-41")
def test_quinlans_golf_tree_is_found() -> None:
    assert C45().fit(weather(), PLAY).to_text().splitlines() == [
        "outlook = sun",
        "|   humidity <= 75: yes (2)",
        "|   humidity > 75: no (3)",
        "outlook = over: yes (4)",
        "outlook = rain",
        "|   windy = False: yes (3)",
        "|   windy = True: no (2)",
    ]


def test_a_missing_value_asks_every_branch_in_proportion() -> None:
    import polars as pl

    model = C45().fit(weather(), PLAY)
    unknown = weather()[:1].with_columns(
        outlook=pl.lit(None, dtype=pl.Enum(["sun", "over", "rain"]))
    )
    # sun (5/14): humidity 70, so yes; over (4/14): yes; rain (5/14): windy, so no.
    np.testing.assert_allclose(model.predict_proba(unknown), [[5 / 14, 9 / 14]])


def test_a_cut_is_a_value_of_the_training_data() -> None:
    X = np.array([[1.0], [2.0], [3.0], [7.0], [8.0], [9.0]])
    model = C45().fit(X, [0, 0, 0, 1, 1, 1])
    assert model.tree_.cut[0] == 3.0
    np.testing.assert_array_equal(model.predict([[3.0], [3.1], [4.9]]), [0, 1, 1])


def test_a_branch_without_items_answers_as_its_parent() -> None:
    import polars as pl

    levels = pl.Enum(["a", "b", "never"])
    X = pl.DataFrame({"x": pl.Series(["a"] * 6 + ["b"] * 5, dtype=levels)})
    model = C45().fit(X, ["one"] * 6 + ["two"] * 5)
    unseen = pl.DataFrame({"x": pl.Series(["never"], dtype=levels)})
    assert model.predict(unseen).tolist() == ["one"]
    np.testing.assert_allclose(model.predict_proba(unseen), [[6 / 11, 5 / 11]])


@pytest.mark.slow
def test_scikit_learns_checks_pass() -> None:
    check_estimator(C45())


@pytest.mark.slow
@pytest.mark.parametrize("pruning", [None, "mansour"])
def test_scikit_learns_checks_pass_for_every_pruning(pruning: str | None) -> None:
    check_estimator(C45(pruning=pruning, random_state=0))


def test_a_copy_pickled_or_cloned_answers_the_same() -> None:
    X, y = load_iris(return_X_y=True)
    model = C45().fit(X[::2], y[::2])
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    anew = clone(model).fit(X[::2], y[::2])
    np.testing.assert_array_equal(anew.predict(X), model.predict(X))


def drawn_splits(n: int, count: int, seed: int) -> list[tuple[Any, Any]]:
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(n) for _ in range(count)]
    return [(np.sort(order[n // 5 :]), order[: n // 5]) for order in orders]


@pytest.mark.slow
@pytest.mark.parametrize(
    "model",
    [
        C45(),
        C45(pruning=None),
        C45(release=1),
        C45(pruning="mansour", random_state=3),
        C45(noise=0.3, random_state=5),
        C45(nominal=[4]),
    ],
    ids=["default", "unpruned", "release 1", "mansour", "noise", "nominal"],
)
def test_splits_together_are_splits_one_by_one(model: C45) -> None:
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    # The last column has rare values, which some training sets lack; some values are missing.
    X = np.column_stack([X, rng.choice(12, len(X), p=[0.3, 0.3, 0.3, *[0.1 / 9] * 9])])
    X[rng.random(X.shape) < 0.05] = np.nan
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    splits = drawn_splits(len(y), 4, 1)
    splits.append((splits[0][0][::-1], splits[0][1]))  # rows out of order
    splits.append((np.repeat(splits[1][0], 2), splits[1][1]))  # rows twice
    together = list(model.fit_predict_splits(X, names, splits))
    for (train, test), said in zip(splits, together, strict=True):
        alone = clone(model).fit(X[train], names[train]).predict(X[test])
        np.testing.assert_array_equal(said, alone)


def test_without_missing_values_rows_out_of_order_are_shared_too() -> None:
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(2)
    splits = [(rng.permutation(train), test) for train, test in drawn_splits(len(y), 6, 3)]
    for (train, test), said in zip(splits, C45().fit_predict_splits(X, y, splits), strict=True):
        np.testing.assert_array_equal(said, C45().fit(X[train], y[train]).predict(X[test]))


@pytest.mark.parametrize("seed", [550, 962, 2155, 2561, *range(50)])
def test_branches_that_no_item_reaches_are_left_out_without_a_trace(seed: int) -> None:
    """The four seeds first: a split saves errors in a branch alone that the item does not reach."""
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 3, (16, 2)).astype(float), rng.integers(0, 2, 16)
    train, test = np.arange(1, 16), np.arange(1)
    model = C45(pruning=None)
    [together] = model.fit_predict_splits(X, y, [(train, test)])
    assert together == model.fit(X[train], y[train]).predict(X[test])


@pytest.mark.requirement("B-09")
def test_mansours_cost_cuts_back_nested_trees() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    tree = C45(pruning=None).fit(X, y).tree_
    links = weakest_links(tree)
    factors = sorted(set(links.values()))
    assert len(factors) > 3
    leaves = [cut_back(tree, links, factor).n_leaves for factor in (-1.0, *factors)]
    assert leaves[0] == tree.n_leaves
    assert leaves[-1] == 1
    assert all(more > fewer for more, fewer in pairwise(leaves))


@pytest.mark.requirement("B-09")
def test_the_weakest_link_of_a_stump_is_mansours_cost_solved_for_its_factor() -> None:
    X = np.arange(20.0)[:, None]
    y = (X[:, 0] >= 12).astype(int)
    y[3] = 1
    tree = C45(pruning=None, min_items=8).fit(X, y).tree_
    assert tree.n_leaves == 2
    # Errors 9/20 as a leaf and 1/20 as a split: 9/20 + c√(1/20) = 1/20 + c√(2/20).
    factor = (9 - 1) / 20 / (np.sqrt(2 / 20) - np.sqrt(1 / 20))
    assert weakest_links(tree) == {0: pytest.approx(factor)}


@pytest.mark.requirement("B-09", "N-26")
def test_prunings_differ_where_labels_are_noisy_and_cutting_helps() -> None:
    rng = np.random.default_rng(7)
    X = rng.integers(0, 3, (1200, 8))
    y = (X[:, 0] + X[:, 1] > 2) ^ (rng.random(1200) < 0.25)
    leaves, right = {}, {}
    for pruning in ("pessimistic", "mansour", None):
        model = C45(pruning=pruning, nominal="all", random_state=0).fit(X[:400], y[:400])
        leaves[pruning] = model.tree_.n_leaves
        right[pruning] = model.score(X[400:], y[400:])
    assert leaves["mansour"] < leaves[None]
    assert leaves["pessimistic"] < leaves[None]
    assert right["mansour"] > right[None]


@pytest.mark.requirement("D-43")
def test_noise_errs_at_the_set_rate_and_never_by_the_right_class() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(6000, 1))
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    clean = C45().fit(X, y)
    damaged = C45(noise=0.2, random_state=4).fit(X, y)
    said, other = clean.predict(X), damaged.predict(X)
    changed = said != other
    # The chance that a right product fails here is below 1e-6: 5 standard errors.
    assert abs(changed.mean() - 0.2) < 5 * np.sqrt(0.2 * 0.8 / 6000)
    for code in range(3):
        wrong = other[changed & (said == code)]
        shares = np.bincount(wrong, minlength=3) / len(wrong)
        assert shares[code] == 0
        assert np.abs(np.delete(shares, code) - 0.5).max() < 5 * np.sqrt(0.25 / len(wrong))
    np.testing.assert_array_equal(damaged.predict(X), other)
    np.testing.assert_array_equal(damaged.predict_proba(X), clean.predict_proba(X))
    reseeded = C45(noise=0.2, random_state=5).fit(X, y).predict(X)
    assert (reseeded != other).any()


def test_noise_of_one_is_always_wrong_and_of_zero_never_drawn() -> None:
    X, y = load_iris(return_X_y=True)
    model = C45().fit(X, y)
    assert (C45(noise=1.0, random_state=0).fit(X, y).predict(X) != model.predict(X)).all()
    assert not model.draws
    assert C45(noise=0.1).draws
    assert C45(pruning="mansour").draws


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"pruning": "pesimistic"}, "did you mean 'pessimistic'"),
        ({"confidence": 0.0}, "confidence=0.25"),
        ({"confidence": 0.7}, "at most 0.5"),
        ({"min_items": 0}, "min_items=2"),
        ({"release": 7}, "release=8"),
        ({"noise": 1.5}, "noise=0.05"),
        ({"noise": float("nan")}, "between 0 and 1"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, Any], says: str) -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.raises(DataError, match=says):
        C45(**settings).fit(X, y)
    with pytest.raises(DataError, match=says):
        list(C45(**settings).fit_predict_splits(X, y, []))


def test_release_1_makes_a_cut_that_release_8_finds_too_dear() -> None:
    # Above 7 the best of 9 cuts gains .20 bits an item; to tell which takes log2(9)/12 = .26.
    X = np.arange(20.0)[:, None]
    y = np.array([0] * 8 + [1, 0] * 2 + [1, 0, 1, 1, 0, 1, 1, 0])
    assert C45(pruning=None).fit(X, y).tree_.n_leaves == 2
    assert C45(pruning=None, release=1).fit(X, y).tree_.n_leaves == 4


def test_names_with_control_characters_are_harmless_in_the_text() -> None:
    import pandas as pd

    X = pd.DataFrame({"\x1b[31mred\u202e": np.arange(20.0)})
    text = C45().fit(X, ["\x07bell"] * 10 + ["b"] * 10).to_text()
    red = "<U+001B>[31mred<U+202E>"
    assert text.splitlines() == [f"{red} <= 9: <U+0007>bell (10)", f"{red} > 9: b (10)"]


def test_the_engine_gives_the_same_scores_however_splits_are_handed_over() -> None:
    X, y = load_iris(return_X_y=True)
    runs = [
        op.run({"tree": C45(random_state=seed)}, X, y, design="3x5cv", random_state=1)
        for seed in (0, None)
    ]
    np.testing.assert_array_equal(runs[0].values, runs[1].values)


def test_runs_share_splits_unless_the_tree_draws():
    from sklearn.datasets import load_iris

    import outperform as op

    asked = []

    class Watched(C45):
        def fit_predict_splits(self, X, y, splits):
            asked.append(len(splits))
            return super().fit_predict_splits(X, y, splits)

    X, y = load_iris(return_X_y=True)
    shared = op.run({"tree": Watched()}, X, y, design="5cv", random_state=1)
    handed_over = sum(asked)
    assert handed_over > 1
    apart = op.run({"tree": Watched(noise=0.1)}, X, y, design="5cv", random_state=1)
    assert sum(asked) == handed_over
    assert not np.array_equal(shared.values, apart.values)
