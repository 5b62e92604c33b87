"""The calibrated t-test and its companion against a plain reimplementation, and at their limits."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier

import outperform as op
from outperform import DataError


def plain(whole: Any, halves: Any, n: int, squares: Any, *, strict: bool = False) -> list[float]:
    """Estimate, standard error, df and p of both tests, as the formulas are written down."""
    R, M = len(whole), len(halves)
    m = whole.mean(axis=1)
    tau2 = m.var(ddof=1)
    g = 1.0 if squares is None else squares[0] / squares[1]
    a, b = halves[:, 0].mean(axis=1), halves[:, 1].mean(axis=1)
    v = np.mean((a - b) ** 2 / 2)
    B = max(1.0, g) * v / 2
    var = max(B - (0 if strict else (1 - 1 / R) * tau2), B / 4)
    base = M * (n - 1) / (M + n - 2)
    df = max(2.0, (var / B) ** 2 * base)
    h = (a + b) / 2
    u = max(v / 2 - (1 - 1 / M) * h.var(ddof=1), v / 20)
    df_half = max(2.0, (2 * u / v) ** 2 * base)
    found = []
    for estimate, variance, nu in ((m.mean(), var, df), (h.mean(), u, df_half)):
        stderr = np.sqrt(variance)
        found += [estimate, stderr, nu, 2 * stats.t.sf(abs(estimate / stderr), nu)]
    return found


def numbers(result: Any) -> list[float]:
    return [result.estimate, result.stderr, result.df, result.pvalue]


def drawn(seed: int, spread: float = 0.03) -> tuple[Any, Any, int, Any]:
    rng = np.random.default_rng(seed)
    whole = 0.02 + rng.normal(0, spread, (5, 4))
    halves = 0.02 + rng.normal(0, 0.03, (20, 2, 4)) + rng.normal(0, 0.02, (20, 2, 1))
    squares = (0.2 * rng.uniform(0.8, 1.3), 0.2) if seed % 3 else None
    return whole, halves, 60 + 37 * seed, squares


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("spread", [0.005, 0.03, 0.3])
@pytest.mark.parametrize("seed", range(4))
def test_one_array_is_judged_as_the_formulas_say(seed: int, spread: float, strict: bool) -> None:
    whole, halves, n, squares = drawn(seed, spread)
    want = plain(whole, halves, n, squares, strict=strict)
    found = op.methods.calibrated_t(whole, halves, n=n, squares=squares, strict=strict)
    assert numbers(found) == pytest.approx(want[:4], rel=1e-12)
    half = op.methods.half_sample_t(whole, halves, n=n, squares=squares)
    assert numbers(half) == pytest.approx(want[4:], rel=1e-12)
    kept = found.details
    assert [kept["half_estimate"], kept["half_stderr"], kept["half_df"]] == pytest.approx(want[4:7])


def test_batches_of_any_leading_axes_are_judged_as_each_of_them() -> None:
    cases = [drawn(seed) for seed in (1, 2, 4, 5, 7, 8)]
    whole, halves = (np.stack([case[k] for case in cases]) for k in (0, 1))
    squares = np.array([case[3] for case in cases])
    many = op.methods.calibrated_t.batch(
        whole.reshape(2, 3, 5, 4),
        halves.reshape(2, 3, 20, 2, 4),
        n=100,
        squares=squares.reshape(2, 3, 2),
    )
    p = many.pvalue("two-sided").ravel()
    want = [plain(w, h, 100, s) for w, h, _, s in cases]
    assert p == pytest.approx([row[3] for row in want], rel=1e-12)
    assert np.ravel(many.stderr) == pytest.approx([row[1] for row in want], rel=1e-12)


X = np.random.default_rng(5).normal(size=(90, 4))
Y = (X[:, 0] + 0.7 * X[:, 1] ** 2 + np.random.default_rng(6).normal(size=90) > 0.5).astype(int)
MODELS = {
    "bayes": GaussianNB(),
    "neighbor": KNeighborsClassifier(1),
    "tree": DecisionTreeClassifier(random_state=0),
}


def parts(scores: op.Scores, first: str, second: str) -> tuple[Any, Any, int, Any]:
    """Take differences and mean squares out of scores by their addresses, in plain loops."""
    i, j = (scores.names.index(name) for name in (first, second))
    turn = 1 if scores.greater_is_better else -1
    plan: Any = scores.design
    whole = np.empty((plan.repeats, plan.folds))
    halves = np.empty((plan.halvings, 2, plan.folds))
    squares: list[list[float]] = [[], []]
    items: Any = scores.items
    for s, (p, r, f) in enumerate(scores.addresses.tolist()):
        d = turn * (scores.values[i, s] - scores.values[j, s])
        if p == 0:
            whole[r, f] = d
        else:
            halves[p - 1, r, f] = d
        if items is not None:
            at = items.split == s
            gap = items.values[i, at].astype(float) - items.values[j, at].astype(float)
            squares[int(p > 0)].append(float(np.mean(gap**2)))
    both = None if items is None else (np.mean(squares[0]), np.mean(squares[1]))
    return whole, halves, int(scores.n_train[0] + scores.n_test[0]), both


@pytest.fixture(scope="module")
def scores() -> op.Scores:
    return op.run(MODELS, X, Y, design="3x4cv+5halves", random_state=2)


@pytest.mark.slow
def test_a_family_is_judged_pair_by_pair_as_the_formulas_say(scores: op.Scores) -> None:
    cmp = op.compare(scores)
    assert cmp.method.name == "calibrated_t"
    for first, second in cmp.pair_names:
        want = plain(*parts(scores, first, second))
        one = cmp[first, second]
        assert numbers(one) == pytest.approx(want[:4], rel=1e-12)
        assert numbers(op.methods.calibrated_t(scores, first, second)) == pytest.approx(
            want[:4], rel=1e-12
        )
        half = op.methods.half_sample_t(scores, first, second)
        assert numbers(half) == pytest.approx(want[4:], rel=1e-12)
    against = op.compare(scores, control="bayes")
    assert against["tree", "bayes"].pvalue == pytest.approx(cmp["tree", "bayes"].pvalue, rel=1e-12)


def test_many_pairs_keep_their_own_df_and_are_adjusted_by_bonferroni(scores: op.Scores) -> None:
    cmp = op.compare(scores)
    for row, names in zip(cmp.rows(level=0.95), cmp.pair_names, strict=True):
        _, stderr, df, p = plain(*parts(scores, *names))[:4]
        assert row["df"] == pytest.approx(df, rel=1e-12)
        assert row["adjusted"] == pytest.approx(min(1.0, 3 * p), rel=1e-9)
        half = stats.t.isf(0.025 / 3, df) * stderr
        assert row["high"] - row["low"] == pytest.approx(2 * half, rel=1e-9)
    assert "adjusted by Bonferroni's" in str(cmp)
    assert "Bonferroni" in cmp.methods_text()


def test_regressors_are_guarded_by_their_squared_losses_though_scored_by_r2() -> None:
    y = X[:, 0] + X[:, 1] ** 2
    models = {"line": LinearRegression(), "neighbor": KNeighborsRegressor(3)}
    scores = op.run(models, X, y, design="3x3cv+4halves", random_state=0)
    assert scores.metric == "r2"
    want = plain(*parts(scores, "line", "neighbor"))
    assert numbers(op.methods.calibrated_t(scores)) == pytest.approx(want[:4], rel=1e-12)


def test_the_interval_inverts_the_test_and_correlation_is_measured(
    scores: op.Scores,
) -> None:
    result = op.methods.calibrated_t(scores, "bayes", "tree")
    for end in result.interval(0.9) or ():
        assert op.methods.calibrated_t(scores, "bayes", "tree", mu0=end).pvalue == pytest.approx(
            0.1
        )
    odds = result.probabilities(0.02)
    assert odds is not None
    assert sum(odds) == pytest.approx(1)
    assert result.equivalence(0.9) < 0.05
    assert 0 <= result.details["correlation"] <= 1
    assert result.details["assumed_correlation"] == 0.25


def codes(result: Any) -> set[str]:
    return {note.code for note in result.notes} - {"OP001"}


def test_each_warning_is_a_note() -> None:
    whole, halves, n, _ = drawn(1, spread=0.001)
    calm = op.methods.calibrated_t(whole, halves, n=n, squares=(0.2, 0.2))
    assert not codes(calm)
    assert codes(op.methods.calibrated_t(whole, halves, n=n, squares=(0.26, 0.2))) == {"OP320"}
    assert codes(op.methods.calibrated_t(whole, halves, n=n, squares=(0.25, 0.2))) == set()
    assert codes(op.methods.calibrated_t(whole, halves, n=59, squares=(0.2, 0.2))) == {"OP322"}
    assert codes(op.methods.calibrated_t(whole, halves, n=60, squares=(0.2, 0.2))) == set()
    assert codes(op.methods.calibrated_t(whole, halves, n=n)) == {"OP323"}
    wild = drawn(1, spread=0.5)[0]
    noisy = op.methods.calibrated_t(wild, halves, n=n, squares=(0.2, 0.2))
    assert codes(noisy) == {"OP321"}
    assert "design='10x4cv+40halves'" in noisy.notes[-1].text
    assert (
        codes(op.methods.calibrated_t(wild, halves, n=n, squares=(0.2, 0.2), strict=True)) == set()
    )


def test_identical_models_have_p_1_and_ties_that_hide_differences_have_none() -> None:
    flat, halves = np.zeros((3, 4)), np.zeros((5, 2, 4))
    same = op.methods.calibrated_t(flat, halves, n=100, squares=(0.0, 0.0))
    assert (same.pvalue, codes(same)) == (1.0, {"OP101"})
    tied = op.methods.calibrated_t(flat, halves, n=100, squares=(0.1, 0.1))
    assert tied.pvalue is None
    assert "OP325" in codes(tied)
    apart = op.methods.calibrated_t(flat + 0.1, halves, n=100, squares=(0.1, 0.0))
    assert apart.pvalue is None
    assert codes(apart) == {"OP325", "OP320"}
    assert apart.details["growth"] == np.inf
    assert "growth is infinite" in str(apart)
    assert "overlap" not in str(apart)
    assert "growth  " not in str(same)
    json.loads(apart.to_json(), parse_constant=pytest.fail)
    twins = {"one": GaussianNB(), "two": GaussianNB()}
    cmp = op.compare(twins, X, Y, design="2x3cv+3halves", random_state=0)
    assert cmp["one", "two"].pvalue == 1


@pytest.mark.slow
def test_groups_take_the_place_of_items_and_means_weigh_items(tmp_path: Any) -> None:
    groups = np.repeat(np.arange(30), np.arange(30) % 5 + 1)
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(groups.size, 3)), rng.integers(0, 2, groups.size)
    pair = {"bayes": GaussianNB(), "neighbor": KNeighborsClassifier(1)}
    how = {"design": "3x4cv+4halves/grouped", "groups": groups, "random_state": 3}
    scores = op.run(pair, X, y, store=tmp_path / "groups.db", **how)
    assert scores.n_groups == 30
    kept = op.Scores.read(tmp_path / "groups.db")
    assert kept.n_groups == 30
    found = op.methods.calibrated_t(kept)
    d = kept.values[0] - kept.values[1]
    means = [
        np.average(d[at], weights=kept.n_test[at])
        for r in range(3)
        if (at := (kept.addresses[:, 0] == 0) & (kept.addresses[:, 1] == r)).any()
    ]
    assert found.estimate == pytest.approx(np.mean(means), rel=1e-12)
    m, q = 4, found.details["variance_share"]
    assert found.df == pytest.approx(max(2.0, q**2 * m * 29 / (m + 28)))
    forgotten = op.Scores.from_arrays(
        dict(zip(kept.names, kept.values, strict=True)), design="3x4cv+4halves/grouped"
    )
    with pytest.raises(DataError, match="number of groups is not known"):
        op.methods.calibrated_t(forgotten)
    assert op.methods.calibrated_t(forgotten, n=30).df > 0


def test_a_metric_without_item_losses_says_so_and_takes_growth_for_one() -> None:
    pair = {"bayes": GaussianNB(), "guess": DummyClassifier(strategy="stratified")}
    cmp = op.compare(pair, X, Y, design="3x3cv+4halves", scoring="f1", random_state=0)
    result = cmp["bayes", "guess"]
    assert "OP323" in codes(result)
    assert result.details["growth"] == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"whole": np.zeros(5)}, "shape (R, K)"),
        ({"halves": np.zeros((5, 2, 3))}, "as many folds as in whole"),
        ({"halves": np.zeros((1, 2, 4))}, "at least 2 halvings"),
        ({"n": 3}, "at least 4, got 3"),
        ({"squares": (0.1, -0.1)}, "none negative"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(change: Any, message: str) -> None:
    given = {"whole": np.zeros((3, 4)), "halves": np.zeros((5, 2, 4)), "n": 80} | change
    with pytest.raises(DataError) as error:
        op.methods.calibrated_t(**given)
    assert message in str(error.value)
