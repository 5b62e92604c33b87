"""Tests over datasets beside SciPy, scikit-posthocs and baycomp."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import outperform as op

scikit_posthocs = pytest.importorskip("scikit_posthocs")


def table(seed: int, n: int = 25, k: int = 5, ties: bool = False) -> np.ndarray:
    rng = np.random.default_rng(seed)
    values = rng.uniform(0.5, 0.9, (n, 1)) + np.linspace(0, 0.02, k) + rng.normal(0, 0.03, (n, k))
    return np.round(values, 2 if ties else 6)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_friedman_is_scipys(seed: int, ties: bool) -> None:
    from scipy import stats

    scores = table(seed, ties=ties)
    want = stats.friedmanchisquare(*scores.T)
    found = op.methods.friedman(scores)
    assert found.statistic == pytest.approx(want.statistic, rel=1e-10)
    assert found.pvalue == pytest.approx(want.pvalue, rel=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_nemenyi_is_that_of_scikit_posthocs(seed: int) -> None:
    scores = table(seed)
    want = scikit_posthocs.posthoc_nemenyi_friedman(pd.DataFrame(scores)).to_numpy()
    assert op.methods.nemenyi(scores).adjusted() == pytest.approx(
        want[np.triu_indices(5, 1)], abs=1e-7
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_wilcoxon_with_holm_is_that_of_scikit_posthocs(seed: int) -> None:
    scores = table(seed)
    frame = pd.DataFrame(scores, columns=list("abcde"))
    long = frame.melt(var_name="learner", value_name="score")
    want = scikit_posthocs.posthoc_wilcoxon(long, "score", "learner", p_adjust="holm").to_numpy()
    addresses = np.zeros((25, 3), dtype=np.int64)
    held = op.Scores(
        tuple("abcde"), scores.T.copy(), addresses, datasets=tuple(map(str, range(25)))
    )
    found = op.compare(held, adjust="holm").adjusted()
    assert found == pytest.approx(want[np.triu_indices(5, 1)], rel=1e-9)


@pytest.mark.parametrize("rope", [0.0, 0.01])
def test_the_bayesian_signed_rank_test_is_baycomps(rope: float) -> None:
    baycomp = pytest.importorskip("baycomp")
    scores = table(7)
    better, same, worse = _three(
        baycomp.SignedRankTest.probs(scores[:, 4], scores[:, 0], rope, nsamples=20_000), rope
    )
    found = op.methods.bayesian_signed_rank(scores[:, 4], scores[:, 0]).evidence.regions(rope)
    near = 4 * np.hypot(0.5 / np.sqrt(20_000), 0.5 / np.sqrt(50_000)) + 0.002
    assert found[:3] == pytest.approx((better, same, worse), abs=near)


def _three(found: tuple[float, ...], rope: float) -> tuple[float, float, float]:
    if rope:
        return found[0], found[1], found[2]
    return found[0], 0.0, found[-1]
