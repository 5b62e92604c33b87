"""Bayesian tests over datasets: golden draws, closed forms, and how they are read."""

from __future__ import annotations

import json

import numpy as np
import places
import pytest

import outperform as op

ENTRIES = json.loads((places.GOLDEN / "many_datasets.json").read_text("utf-8"))
DRAWN = {e["name"]: e for e in ENTRIES if e["name"].startswith("bayes_signed_rank/")}
ON_THE_EDGE = {
    "bayes_signed_rank/dem C4.5+m+cf - C4.5/rope=0.01",
    "bayes_signed_rank/gh8 NaiveBayes - C4.5/rope=0.01",
}
"""Sums of two differences that are 2r in decimals, but not in binary: their draws say either."""


def mean_regions(z: np.ndarray, rope: float, strength: float = 0.5) -> tuple[float, float]:
    """Return E[θ_right] and E[θ_left] in closed form: E[wᵢwⱼ] of a Dirichlet law."""
    a = np.concatenate([[strength], np.ones(z.size)])
    values, total = np.concatenate([[0.0], z]), a.sum()
    weight = np.outer(a, a)
    weight[np.diag_indices(a.size)] += a
    weight /= total * (total + 1)
    sums = values[:, None] + values
    right = np.where(np.abs(sums - 2 * rope) < 1e-13, 0.5, sums > 2 * rope)
    left = np.where(np.abs(sums + 2 * rope) < 1e-13, 0.5, sums < -2 * rope)
    return float((weight * right).sum()), float((weight * left).sum())


@pytest.mark.parametrize("name", DRAWN)
def test_signed_rank_posteriors_are_the_golden_ones(name: str) -> None:
    given, want = DRAWN[name]["input"], DRAWN[name]["expected"]
    z = np.array(given["z"])
    found = op.methods.bayesian_signed_rank(z, np.zeros_like(z), random_state=1)
    regions = found.evidence.regions(given["rope"])
    left, rope, right = want["p_left_rope_right"]
    near = 0.006 if name in ON_THE_EDGE else 4 * 0.5 / np.sqrt(50_000)
    assert regions[:3] == pytest.approx((right, rope, left), abs=near)
    better, worse = mean_regions(z, given["rope"])
    assert regions.means[0] == pytest.approx(better, abs=0.002)
    assert regions.means[2] == pytest.approx(worse, abs=0.002)
    assert 0 < regions.error <= 0.5 / np.sqrt(50_000)


def test_the_sign_test_has_a_beta_posterior() -> None:
    """θ_right ~ Beta(wins, losses + s) without a rope and with the prior's dataset a tie."""
    from scipy import stats

    z = np.array([0.1] * 7 + [-0.1] * 3)
    found = op.methods.bayesian_sign(z, np.zeros(10), strength=0.0, random_state=3)
    regions = found.evidence.regions(0.0)
    assert regions.better == pytest.approx(stats.beta(7, 3).sf(0.5), abs=4 * regions.error)
    assert regions.means[0] == pytest.approx(0.7, abs=0.003)


@pytest.mark.parametrize("method", [op.methods.bayesian_sign, op.methods.bayesian_signed_rank])
def test_the_same_seed_gives_the_same_bits_alone_and_in_a_family(method) -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(0.8, 0.05, (3, 15))
    addresses = np.zeros((15, 3), dtype=np.int64)
    scores = op.Scores(tuple("abc"), values, addresses, datasets=tuple(map(str, range(15))))
    alone = method(scores, "a", "b").probabilities(0.01)
    family = op.compare(scores, method=method.name)
    assert family["a", "b"].probabilities(0.01) == alone
    turned = family["b", "a"].probabilities(0.01)
    assert turned == (alone.worse, alone.equivalent, alone.better)
    assert method(scores, "a", "b", random_state=1).probabilities(0.01) != alone


def test_a_verdict_needs_a_posterior_probability_above_one_minus_alpha() -> None:
    rng = np.random.default_rng(0)
    close = op.methods.bayesian_signed_rank(rng.normal(0, 0.002, 40), np.zeros(40))
    assert close.pvalue is None
    assert close.verdict() == "no decision"
    assert "no posterior probability is above 0.95" in str(close)
    assert close.verdict(rope=0.01) == "equivalent"
    assert close.verdict(rope=0.01).not_worse
    far = op.methods.bayesian_signed_rank(rng.normal(0.1, 0.01, 40), np.zeros(40))
    assert far.verdict(rope=0.01) == "outperforms"
    assert "A outperforms B (posterior probability above 0.95)" in far.verdict().sentence
    said = json.loads(far.to_json(rope=0.01))
    assert said["pvalue"] is None
    assert sum(said["posterior"].values()) == pytest.approx(1)
    assert "P(better) > 0.999" in str(far)


def test_probabilities_that_are_not_p_values_are_refused_as_such() -> None:
    found = op.methods.bayesian_sign([0.1, 0.2, 0.3], [0.0, 0.1, 0.4])
    with pytest.raises(op.MethodError, match=r"Use result\.probabilities\(rope\)"):
        found.equivalence(0.1)
    with pytest.raises(op.MethodError, match="gives the probabilities of both directions"):
        op.methods.bayesian_sign([0.1, 0.2], [0.0, 0.1], alternative="greater")
    with pytest.raises(op.DataError, match="'strength' parameter must not be negative"):
        op.methods.bayesian_sign([0.1, 0.2], [0.0, 0.1], strength=-1)
    with pytest.raises(op.DataError, match="'n_draws' parameter must be at least 1000"):
        op.methods.bayesian_sign([0.1, 0.2], [0.0, 0.1], n_draws=5)
