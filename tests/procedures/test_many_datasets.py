"""Tests over datasets, against the tables of Demšar (2006) and García & Herrera (2008)."""

from __future__ import annotations

import json
import math

import numpy as np
import places
import pytest

import outperform as op
from outperform import DataError
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
        found = op.methods.wilcoxon(scores[:, i], scores[:, j], zeros=zeros, unit="datasets")
        assert found.pvalue == pytest.approx(cell[zeros]["p_exact"], rel=1e-9)
        sums = found.details["positive_sum"], found.details["negative_sum"]
        assert sums == (cell[zeros]["w_plus"], cell[zeros]["w_minus"])


def test_p_values_are_counted_to_a_hundred_datasets() -> None:
    rng = np.random.default_rng(0)
    d = rng.normal(0.1, 1, 100)
    from scipy import stats

    want = stats.wilcoxon(d, method="exact").pvalue
    assert op.methods.wilcoxon(d, unit="datasets").pvalue == pytest.approx(want, rel=1e-11)


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
    want, (n, k) = GOLDEN[f"nemenyi/{name}"]["expected"], table(name).shape
    for alpha, difference in want["critical_difference"].items():
        found = mean_ranks.nemenyi_difference(n, k, float(alpha))
        assert found == pytest.approx(difference, rel=1e-6)
    for alpha, difference in want["bonferroni_dunn_cd"].items():
        found = mean_ranks.bonferroni_dunn_difference(n, k, float(alpha))
        assert found == pytest.approx(difference, rel=1e-9)
    compared = op.methods.nemenyi(table(name))
    assert compared.adjusted().tolist() == pytest.approx(want["p"], rel=1e-6)
    low, high = compared.intervals(0.95)
    assert (high - low) / 2 == pytest.approx(want["critical_difference"]["0.05"], rel=1e-6)
    against = op.methods.bonferroni_dunn(table(name), control="model 1")
    low, high = against.intervals(0.95)
    assert (high - low) / 2 == pytest.approx(want["bonferroni_dunn_cd"]["0.05"], rel=1e-9)


def test_the_quantiles_of_nemenyi_are_those_of_k_models() -> None:
    entry = GOLDEN["nemenyi_q"]
    for alpha, quantiles in entry["expected"].items():
        for k, q in zip(entry["input"]["k"], quantiles, strict=True):
            error = mean_ranks.rank_error(30, k)
            found = mean_ranks.nemenyi_difference(30, k, float(alpha)) / error
            assert found == pytest.approx(q, rel=1e-6)


def test_nemenyi_takes_k_models_where_aeon_takes_one_more() -> None:
    """aeon 1.6.0 draws C4.5 and 1-NN (1.15 apart) as equal: its critical difference is 1.1635."""
    compared = op.methods.nemenyi(table("gh8"))
    assert compared.details["critical_difference"] == pytest.approx(1.1136, abs=5e-5)
    of_six = 2.850  # in aeon's table, at the place of five
    assert of_six * mean_ranks.rank_error(30, 5) == pytest.approx(1.1635, abs=5e-5)
    assert compared.evidence.estimate[0] == pytest.approx(1.15)
    assert compared.outcomes()[0] == "outperforms"


RANK_Z = {"holm": "holm", "shaffer": "shaffer_static", "bergmann-hommel": "bergmann_hommel"}


@pytest.mark.parametrize("rule", RANK_Z)
@pytest.mark.parametrize("name", [t for t in TABLES if f"rank_z_adjusted/{t}" in GOLDEN])
def test_mean_ranks_with_adjustments_are_the_golden_ones(name: str, rule: str) -> None:
    want = GOLDEN[f"rank_z_adjusted/{name}"]["expected"]
    found = op.compare(over_datasets(name), method="rank_z", adjust=rule)
    assert np.exp(found.log_pvalues()) == pytest.approx(want["raw"], rel=1e-9)
    assert found.adjusted() == pytest.approx(want[RANK_Z[rule]], rel=1e-9)


def over_datasets(name: str) -> op.Scores:
    given = GOLDEN[f"table/{name}"]["input"]
    values = np.array(given["scores"]).T
    addresses = np.zeros((values.shape[1], 3), dtype=np.int64)
    names = tuple(given["learners"])
    return op.Scores(names, values, addresses, datasets=tuple(given["datasets"]))


def test_compare_judges_mean_ranks_of_scores_and_says_what_they_depend_on() -> None:
    found = op.compare(over_datasets("gh8"), method="nemenyi")
    want = GOLDEN["nemenyi/gh8"]["expected"]["p"]
    assert found.adjusted() == pytest.approx(want, rel=1e-6)
    said = {note.code: note.text for note in found.notes}
    assert "the verdict on two may change if others are added" in said["OP330"]
    assert "F(4, 116) = 14.45" in said["OP331"]
    assert "Nemenyi, Peter B." in found.bibtex()
    against = op.compare(over_datasets("gh8"), method="bonferroni_dunn", control="C4.5")
    assert against.control == "C4.5"
    omnibus = op.methods.friedman(over_datasets("gh8"))
    assert omnibus.statistic == pytest.approx(GOLDEN["friedman/gh8"]["expected"]["chi2_ties"])


def test_datasets_that_all_rank_alike_have_an_exact_p_value_and_ties_everywhere_none() -> None:
    alike = np.tile([0.9, 0.8, 0.7], (4, 1))
    assert mean_ranks.iman_davenport_f(mean_ranks.rank_sums(alike)) == math.inf
    found = op.methods.iman_davenport(alike)
    assert found.pvalue == pytest.approx(1 / 6**3)
    assert found.statistic is None
    tied = op.methods.iman_davenport(np.tile([0.9, 0.8, 0.8], (4, 1)))
    assert tied.pvalue == pytest.approx(1 / 3**3)  # 3 orders are possible, not 6
    assert op.methods.friedman(np.full((4, 3), 0.5)).pvalue == 1


def test_scores_within_rounding_share_their_rank() -> None:
    apart = np.array([[0.1 + 0.2, 0.3, 0.5], [0.7, 0.6, 0.5]])
    assert mean_ranks.row_ranks(apart)[0][0].tolist() == [2.5, 2.5, 1.0]


def test_errors_rank_the_smallest_first() -> None:
    scores = table("gh8")
    errors = op.methods.nemenyi(1 - scores, lower_is_better=True)
    assert errors.evidence.estimate == pytest.approx(op.methods.nemenyi(scores).evidence.estimate)


def test_the_default_over_datasets_is_pratt_with_bergmann_and_hommel() -> None:
    want = GOLDEN["wilcoxon_adjusted/gh8"]["expected"]
    found = op.compare(over_datasets("gh8"))
    assert found.adjust == "bergmann-hommel"
    assert np.exp(found.log_pvalues()) == pytest.approx(want["raw_pratt_exact"], rel=1e-9)
    assert found.adjusted() == pytest.approx(want["bergmann_hommel"], rel=1e-9)
    assert op.compare(over_datasets("gh8"), control="CN2").adjust == "holm"
    said = {note.code: note.text for note in found["C4.5", "k-NN(k=1)"].notes}
    assert said["OP341"] == (
        "1 of 30 datasets is tied: ties are ranked and then dropped (Pratt's rule)."
    )


def drawn(k: int, n: int) -> op.Scores:
    values = np.random.default_rng(0).normal(0.8, 0.05, (k, n))
    addresses = np.zeros((n, 3), dtype=np.int64)
    names = tuple(f"m{i}" for i in range(k))
    return op.Scores(names, values, addresses, datasets=tuple(map(str, range(n))))


def test_beyond_thirteen_models_shaffers_method_is_used_and_said() -> None:
    found = op.compare(drawn(14, 20))
    assert found.adjust == "shaffer"
    assert "OP343" in [note.code for note in found.notes]
    assert "OP343" not in [note.code for note in op.compare(drawn(13, 20)).notes]


def test_few_datasets_say_how_small_p_can_be() -> None:
    for test in (op.methods.wilcoxon, op.methods.sign_test):
        found = test([0.8, 0.7, 0.9, 0.6], [0.7, 0.6, 0.8, 0.6], unit="datasets")
        said = [n.text for n in found.notes]
        assert (
            "Only 3 datasets differ, so the smallest possible two-sided p-value is 0.25: no "
            "significant difference at α = 0.05 is possible." in said
        )
        assert "OP340" not in [n.code for n in test(np.arange(1, 7) / 10, unit="datasets").notes]


def test_the_normal_law_is_as_far_off_as_its_note_says() -> None:
    from outperform.numerics import ranks
    from outperform.numerics.distributions import Normal

    n = 101
    ways = ranks._ways(tuple(range(2, 2 * n + 1, 2)))[::2]
    sd, middle = math.sqrt(n * (n + 1) * (2 * n + 1) / 24), n * (n + 1) / 4
    for p, error in ((0.05, 0.01), (0.01, 0.04), (0.001, 0.14)):
        w = int(np.searchsorted(ways, p / 2 * ways[-1]))
        exact = 2 * float(ways[w] / ways[-1])
        assert 0 < 2 * float(Normal().sf((middle - w) / sd)) / exact - 1 < error + 0.005
    assert "OP342" in [
        note.code for note in op.methods.wilcoxon(np.arange(1, 102) / 100, unit="datasets").notes
    ]
    assert "OP342" not in [
        note.code for note in op.methods.wilcoxon(np.arange(1, 101) / 100, unit="datasets").notes
    ]


@pytest.mark.parametrize("n", [201, 500])
def test_averages_of_many_values_are_selected_not_listed(n: int) -> None:
    from outperform.numerics import ranks

    rng = np.random.default_rng(1)
    for values in (rng.normal(size=n), np.round(rng.normal(size=n), 1), rng.standard_cauchy(n)):
        i, j = np.triu_indices(n)
        listed = np.sort((values[i] + values[j]) / 2)
        places = (0, 7, listed.size // 2, listed.size - 1)
        assert ranks.walsh_averages(values, places).tolist() == listed[list(places)].tolist()
        near = (listed.size // 2, listed.size // 2 + 1)
        assert ranks.walsh_averages(values, near).tolist() == listed[list(near)].tolist()


@pytest.mark.parametrize("name", ["friedman", "iman_davenport", "nemenyi", "max_t"])
def test_an_incomplete_table_is_refused_where_every_score_is_needed(name):
    import polars as pl

    table = pl.DataFrame(
        {
            "dataset": [f"d{i}" for i in range(6)],
            "a": [0.5, 0.6, 0.7, 0.8, 0.9, None],
            "b": [0.4, 0.7, 0.6, 0.7, 0.5, 0.45],
            "c": [0.3, 0.4, 0.5, 0.6, 0.5, 0.7],
        }
    )
    scores = op.Benchmark.from_frame(table).to_scores("pairwise")
    with pytest.raises(DataError, match="1 of 18 scores is missing"):
        getattr(op, name)(scores)
    assert op.compare(scores).n_pairs == 3
