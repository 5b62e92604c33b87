"""Win rates and strengths from pairwise judgements."""

import json

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import outperform as op
from outperform.numerics.paired_strengths import is_connected, strengths


def judged(tmp_path, rows) -> op.Items:
    lines = [",".join(map(str, row)) for row in [("item", "model_a", "model_b", "winner"), *rows]]
    path = tmp_path / "judgements.csv"
    path.write_text("\n".join(lines) + "\n")
    return op.Items.read(path)


def test_one_judgement_of_each_item_is_the_mid_p_test_with_ties_without_a_winner():
    a = [1] * 15 + [0] * 5 + [0.5] * 80
    found = op.methods.win_rate(a, [1 - x for x in a])
    counted = op.methods.mcnemar_mid_p(table=[[80, 5], [15, 0]])
    assert found.pvalue == counted.pvalue
    assert tuple(found.interval()) == tuple(counted.interval())
    assert found.details["p_A"] == pytest.approx(0.55)


def test_judgements_of_an_item_that_disagree_count_as_one_item():
    rng = np.random.default_rng(0)
    a = rng.integers(0, 4, 60) / 3
    found = op.methods.win_rate(a, 1 - a)
    t = op.methods.paired_t(2 * a - 1, unit="items")
    assert found.pvalue == pytest.approx(t.pvalue, rel=1e-12)
    assert found.stderr == pytest.approx(t.stderr, rel=1e-12)


def test_the_default_for_judgements_is_the_win_rate_of_each_pair_on_its_own_items(tmp_path):
    rng = np.random.default_rng(1)
    rows = []
    for item in range(90):
        a, b = rng.permutation(["x", "y", "z"])[:2]
        rows.append((item, a, b, rng.choice([a, b, "tie"], p=[0.4, 0.4, 0.2])))
    found = op.compare(judged(tmp_path, rows), adjust="none")
    assert found.method.name == "win_rate"
    for first, second in (("x", "y"), ("x", "z"), ("y", "z")):
        net = [
            0 if w == "tie" else (1 if w == first else -1)
            for _, a, b, w in rows
            if {a, b} == {first, second}
        ]
        alone = op.methods.win_rate((1 + np.array(net)) / 2, (1 - np.array(net)) / 2)
        sign = 1 if found.names.index(first) < found.names.index(second) else -1
        pair = (first, second) if sign > 0 else (second, first)
        assert found[pair].estimate == pytest.approx(sign * alone.estimate)
        assert found[pair].pvalue == pytest.approx(alone.pvalue, rel=1e-12)


def duels(seed, n, theta):
    rng = np.random.default_rng(seed)
    k = len(theta)
    a = rng.integers(0, k, n)
    b = (a + rng.integers(1, k, n)) % k
    won = rng.random(n) < 1 / (1 + np.exp(np.take(theta, b) - np.take(theta, a)))
    return a, b, won.astype(float)


def test_strengths_are_those_of_a_logistic_regression():
    a, b, won = duels(2, 1500, [0.8, 0.2, -0.3, -0.7])
    found = op.methods.bradley_terry([f"m{i}" for i in a], [f"m{i}" for i in b], won, n_draws=199)
    table = np.zeros((a.size, 4))
    table[np.arange(a.size), a], table[np.arange(a.size), b] = 1, -1
    fit = LogisticRegression(C=1e10, fit_intercept=False, tol=1e-12, max_iter=5000)
    slopes = fit.fit(table, won).coef_[0]
    want = {f"m{i}": slope - slopes.mean() for i, slope in enumerate(slopes)}
    for name, strength in zip(found.names, found.strengths, strict=True):
        assert strength == pytest.approx(want[name], abs=1e-6)
    assert sum(found.strengths) == pytest.approx(0, abs=1e-12)
    assert list(found.strengths) == sorted(found.strengths, reverse=True)
    assert json.loads(found.to_json())["n_judgements"] == 1500


def test_two_models_have_the_strength_of_their_odds():
    found = op.methods.bradley_terry(["a-1"] * 40, ["b"] * 40, [1] * 30 + [0] * 10)
    assert found.strengths[0] - found.strengths[1] == pytest.approx(np.log(3), rel=1e-9)
    assert found.win_rate("a-1", "b")[0] == pytest.approx(0.75, rel=1e-9)
    assert "a-1" in str(found)


def test_several_judgements_of_an_item_widen_the_interval():
    a, b, won = duels(3, 60, [0.3, 0.0, -0.3])
    names = [[f"m{i}" for i in np.tile(side, 8)] for side in (a, b)]
    items = np.tile(np.arange(60), 8)
    clustered = op.methods.bradley_terry(*names, np.tile(won, 8), items=items)
    naive = op.methods.bradley_terry(*names, np.tile(won, 8))
    for narrow, wide in ((naive, clustered),):
        assert wide.high[0] - wide.low[0] > 2 * (narrow.high[0] - narrow.low[0])
    assert (
        clustered.to_dict()
        == op.methods.bradley_terry(*names, np.tile(won, 8), items=items).to_dict()
    )


def test_a_model_that_never_lost_is_refused_and_finite_in_draws():
    with pytest.raises(op.DataError, match="unbounded"):
        op.methods.bradley_terry(["a", "a", "b"], ["b", "c", "c"], [1, 1, 0.5])
    wins = np.array([[[0, 3.0], [0, 0]], [[0, 3.0], [1.0, 0]]])
    assert is_connected(wins).tolist() == [False, True]
    assert np.isfinite(strengths(wins)).all()
