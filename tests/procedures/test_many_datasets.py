"""Tests over datasets, against the tables of Demšar (2006) and García & Herrera (2008)."""

from __future__ import annotations

import json
import math

import numpy as np
import places
import pytest

import outperform as op
from outperform.numerics import mean_ranks

ENTRIES = json.loads((places.GOLDEN / "many_datasets.json").read_text("utf-8"))
GOLDEN = {entry["name"]: entry for entry in ENTRIES}
TABLES = [name.partition("/")[2] for name in GOLDEN if name.startswith("table/")]


def table(name: str) -> np.ndarray:
    return np.array(GOLDEN[f"table/{name}"]["input"]["scores"])


@pytest.mark.parametrize("zeros", ["wilcox", "pratt", "zsplit"])
@pytest.mark.parametrize("name", [t for t in TABLES if f"wilcoxon_pairs/{t}" in GOLDEN])
def test_signed_ranks_of_all_pairs_are_the_golden_ones(name: str, zeros: str) -> None:
    scores, want = table(name), GOLDEN[f"wilcoxon_pairs/{name}"]["expected"]
    for (i, j), cell in zip(want["pairs"], want["cells"], strict=True):
        found = op.wilcoxon(scores[:, i], scores[:, j], zeros=zeros)
        assert found.pvalue == pytest.approx(cell[zeros]["p_exact"], rel=1e-9)
        sums = found.details["positive_sum"], found.details["negative_sum"]
        assert sums == (cell[zeros]["w_plus"], cell[zeros]["w_minus"])


def test_p_values_are_counted_to_a_hundred_datasets() -> None:
    rng = np.random.default_rng(0)
    d = rng.normal(0.1, 1, 100)
    from scipy import stats

    want = stats.wilcoxon(d, method="exact").pvalue
    assert op.wilcoxon(d).pvalue == pytest.approx(want, rel=1e-11)


@pytest.mark.parametrize("name", [t for t in TABLES if f"friedman/{t}" in GOLDEN])
def test_friedman_and_iman_davenport_are_the_golden_ones(name: str) -> None:
    want, r = GOLDEN[f"friedman/{name}"]["expected"], mean_ranks.rank_sums(table(name))
    assert r.means.tolist() == pytest.approx(want["mean_ranks"], rel=1e-12)
    for ties, end in ((False, ""), (True, "_ties")):
        found = {
            "chi2": mean_ranks.friedman_chi2(r, ties=ties),
            "F": mean_ranks.iman_davenport_f(r, ties=ties),
            "p_chi2": math.exp(mean_ranks.friedman_log_pvalue(r, ties=ties)),
            "p_F": math.exp(mean_ranks.iman_davenport_log_pvalue(r, ties=ties)),
        }
        assert found == pytest.approx({key: want[key + end] for key in found}, rel=1e-9)


@pytest.mark.parametrize("name", [t for t in TABLES if f"nemenyi/{t}" in GOLDEN])
def test_nemenyi_and_bonferroni_dunn_are_the_golden_ones(name: str) -> None:
    want, r = GOLDEN[f"nemenyi/{name}"]["expected"], mean_ranks.rank_sums(table(name))
    for alpha, difference in want["critical_difference"].items():
        assert mean_ranks.nemenyi_difference(r, float(alpha)) == pytest.approx(difference, rel=1e-6)
    for alpha, difference in want["bonferroni_dunn_cd"].items():
        found = mean_ranks.bonferroni_dunn_difference(r, float(alpha))
        assert found == pytest.approx(difference, rel=1e-9)
    found = [math.exp(mean_ranks.nemenyi_log_pvalue(r, *pair)) for pair in want["pairs"]]
    assert found == pytest.approx(want["p"], rel=1e-6)


def test_datasets_that_all_rank_alike_have_an_exact_p_value_and_ties_everywhere_none() -> None:
    r = mean_ranks.rank_sums(np.tile([0.9, 0.8, 0.7], (4, 1)))
    assert mean_ranks.iman_davenport_f(r) == math.inf
    assert math.exp(mean_ranks.iman_davenport_log_pvalue(r)) == pytest.approx(1 / 6**3)
    assert mean_ranks.friedman_log_pvalue(mean_ranks.rank_sums(np.full((4, 3), 0.5))) == 0
