"""What other packages give over datasets: values kept with their versions, and why ours differ."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import numpy as np
import pytest
from places import GOLDEN, ROOT
from scipy import stats

import outperform as op
from outperform.numerics.mean_ranks import nemenyi_difference
from outperform.numerics.studentized import StudentizedRange

AEON = "1.6.0", 1.1635
"""Nemenyi's critical difference on the table of García & Herrera (2008)."""
SCMAMP = "0.3.2", 0.03185
"""Bergmann and Hommel's adjusted p of 1-NN and naive Bayes on the same table, by mean ranks."""
SCIPY_EXACT = 0.0606
"""SciPy's exact Wilcoxon p of 1-NN and naive Bayes on the same table."""
WEKA = "3.6.14", 0.15173629690883644
"""weka.experiment.PairedStatsCorrected on examples/scores.csv, with a ratio of 1/9."""
CORRECTED = "with continuity correction on the two logs: p"
EVALSTATS = "0.3.3", 0.000149
"""evalstats.compare(…, factors="model") on the two logs of examples, as it prints p."""
AUTORANK = "1.3.0", 0.005407831409815672, 6.737222470110663e-17, 0.0033128622094307485
"""autorank(…) of RF and SVM on examples/benchmark.csv; Friedman of all and Wilcoxon of these two
with force_mode="nonparametric"."""
AUTORANK_REJECTED = 105, 1000
"""At 0.05, by autorank(…) on tables of 30 × 2 numbers from t with 2 df, default_rng(1)."""
BAYCOMP_CONSTANT = "1.0.3", 0.0
"""The mean that a dataset of constant differences of +0.0625 has when it reaches the model."""
BAYCOMP_NEXT = (0.1594, 0.2403, 0.6003), (0.0011, 0.0007, 0.0015)
"""Probabilities of worse, equivalent and better by ±0.01 on the next dataset, and Monte Carlo
errors: means of HierarchicalTest.sample(0, x, 0.01, runs=10, chains=1, nsamples=4000) by baycomp
1.0.3 with pystan 3.10.0; benchmarks/bench_datasets.py repeats it."""

ROWS: dict[str, Any] = {
    row["name"]: row
    for row in json.loads((GOLDEN / "many_datasets.json").read_text(encoding="utf-8"))
}
TABLE = ROWS["table/gh8"]["input"]
SCORES = dict(zip(TABLE["learners"], np.array(TABLE["scores"]).T, strict=True))
EXAMPLES = ROOT / "examples"
LOGS = EXAMPLES / "logs" / "new.jsonl", EXAMPLES / "logs" / "old.jsonl"
PAGE = (ROOT / "docs" / "compared_with.md").read_text(encoding="utf-8")


def test_aeon_takes_the_quantile_of_one_model_more() -> None:
    n, k = len(TABLE["datasets"]), len(TABLE["learners"])
    right = nemenyi_difference(n, k, 0.05)
    q = float(StudentizedRange(k + 1, math.inf).isf(0.05))
    theirs = q / math.sqrt(2) * math.sqrt(k * (k + 1) / (6 * n))
    assert theirs == pytest.approx(AEON[1], abs=2e-4)  # its table of quantiles has three decimals
    assert right == pytest.approx(1.1136, abs=5e-5)
    ranks = ROWS["friedman/gh8"]["expected"]["mean_ranks"]
    gap = abs(ranks[TABLE["learners"].index("C4.5")] - ranks[1])
    assert right < gap < AEON[1]  # so that its diagram joins two learners that differ


def test_scmamp_makes_adjusted_p_values_monotone() -> None:
    known = ROWS["rank_z_adjusted/gh8"]["expected"]
    at = known["pairs"].index([1, 2])
    assert known["bergmann_hommel_monotone"][at] == pytest.approx(SCMAMP[1], abs=5e-6)
    from outperform.results.adjustments import family_log_pvalues

    ours = np.exp(family_log_pvalues(np.log(known["raw"]), "bergmann-hommel"))
    assert ours[at] == pytest.approx(0.03034, abs=5e-6)


def test_scipys_exact_wilcoxon_ignores_ties() -> None:
    a, b = SCORES["k-NN(k=1)"], SCORES["NaiveBayes"]
    theirs = stats.wilcoxon(a, b, method="exact").pvalue
    assert theirs == pytest.approx(SCIPY_EXACT, abs=5e-5)
    ours = op.methods.wilcoxon(a, b, zeros="wilcox", unit="datasets").pvalue
    at = ROWS["wilcoxon_pairs/gh8"]["expected"]["pairs"].index([1, 2])
    known = ROWS["wilcoxon_pairs/gh8"]["expected"]["cells"][at]["wilcox"]["p_exact"]
    assert ours == pytest.approx(known, rel=1e-9)
    assert ours == pytest.approx(0.0584, abs=5e-5)


def test_wekas_corrected_test_is_ours() -> None:
    ours = op.methods.corrected_t(op.Scores.read(EXAMPLES / "scores.csv")).pvalue
    assert ours == pytest.approx(WEKA[1], rel=1e-13)
    assert f"{ours:.12f}" in PAGE


def test_tests_on_logs_are_those_of_statsmodels_and_evalstats() -> None:
    from statsmodels.regression.linear_model import OLS
    from statsmodels.stats.contingency_tables import mcnemar

    items = op.Items.read(*LOGS, cluster="subject")
    new, old = items.values[:, :, 0]
    table = [[int(((new == i) & (old == j)).sum()) for j in (0, 1)] for i in (0, 1)]
    theirs = mcnemar(table, exact=False, correction=True).pvalue
    assert op.methods.mcnemar(table=table).pvalue == pytest.approx(theirs, rel=1e-12)
    assert f"{theirs:.12f}" in PAGE
    subjects = np.repeat(np.arange(24), 10)
    fit = OLS(new - old, np.ones(len(new))).fit()
    fit = fit.get_robustcov_results("cluster", groups=subjects, use_t=True)
    ours = op.compare(items)["new", "old"].pvalue
    assert ours == pytest.approx(fit.pvalues[0], rel=1e-9)  # clusters of one size: CR1 is CR2
    assert f"{ours:.7f}" in PAGE
    assert op.methods.mcnemar_mid_p(table=table).pvalue == pytest.approx(EVALSTATS[1], abs=5e-7)


def test_values_on_the_examples_are_those_of_mlxtend_baycomp_and_scikit_posthocs() -> None:
    import baycomp
    import polars
    import scikit_posthocs
    from mlxtend.evaluate import mcnemar

    items = op.Items.read(*LOGS)
    new, old = items.values[:, :, 0]
    table = np.array([[((new == i) & (old == j)).sum() for j in (0, 1)] for i in (0, 1)])
    assert op.methods.mcnemar(table=table).pvalue == pytest.approx(mcnemar(table)[1], rel=1e-12)
    assert f"mlxtend 0.25.0 | McNemar's test {CORRECTED} | {mcnemar(table)[1]:.12f}" in PAGE
    scores = op.Scores.read(EXAMPLES / "scores.csv")
    theirs = baycomp.CorrelatedTTest.probs(*scores.values, rope=0.01, runs=10)[0]
    ours = op.methods.corrected_t(scores).probabilities(rope=0.01).better
    assert ours == pytest.approx(theirs, rel=1e-12)
    assert f"by more than 0.01 | {theirs:.12f}" in PAGE
    plain = stats.ttest_rel(*scores.values).pvalue
    assert op.methods.repeated_kfold_t(scores).pvalue == pytest.approx(plain, rel=1e-10)
    means = polars.read_csv(EXAMPLES / "benchmark.csv").drop("dataset")
    joint = scikit_posthocs.posthoc_nemenyi_friedman(means.to_numpy()).iloc[0, 2]
    assert means.columns[0::2][:2] == ["RF", "SVM"]
    assert op.methods.nemenyi(means.to_numpy()).adjusted()[1] == pytest.approx(joint, abs=1e-7)
    assert f"`benchmark.csv`: adjusted p | {joint:.6f}" in PAGE


@pytest.mark.slow
def test_the_hierarchical_model_has_the_probabilities_that_stan_draws() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(0.02, 0.03, (30, 1)) + rng.normal(0, 0.05, (30, 100))
    found = op.methods.hierarchical(x, rho=0.1, nodes=61).probabilities(0.01)
    ours = np.array([found.worse, found.equivalent, found.better])
    theirs, errors = map(np.array, BAYCOMP_NEXT)
    assert (np.abs(ours - theirs) < 3 * errors).all()


def test_autorank_tests_in_the_direction_of_the_data() -> None:
    import polars

    table = polars.read_csv(EXAMPLES / "benchmark.csv").drop("dataset").to_numpy()
    first, second = table[:, 0], table[:, 2]
    assert op.methods.dataset_t(first, second).pvalue == pytest.approx(AUTORANK[1], rel=1e-12)
    assert op.methods.friedman(table).pvalue == pytest.approx(AUTORANK[2], rel=1e-12)
    one_sided = stats.wilcoxon(first, second, alternative="greater").pvalue
    assert one_sided == pytest.approx(AUTORANK[3], rel=1e-12)
    assert op.methods.wilcoxon(first, second, unit="datasets").pvalue == pytest.approx(
        0.00529, abs=5e-6
    )
    rejected, n = AUTORANK_REJECTED
    assert stats.binom.sf(rejected - 1, n, 0.05) < 1e-6  # and about twice as often as it states


def test_every_method_that_the_page_equates_is_of_the_standing_it_says() -> None:
    rows = PAGE.split("## How often their tests err")[1].split("\n## ")[0]
    named = re.findall(r"\[`(\w+)`\]\([\w./]+\.py\)(, discouraged)?", rows)
    assert len(named) >= 15
    standing = {method.name: method.standing for method in op.methods.table()}
    for name, said in named:
        assert (standing[name] == "discouraged") == bool(said), name


def test_the_page_says_what_is_kept_here() -> None:
    for words in (
        f"Weka {WEKA[0]}",
        f"evalstats {EVALSTATS[0]}",
        f"{EVALSTATS[1]:.6f}",
        f"autorank {AUTORANK[0]}",
        f"{AUTORANK[1]:.12f}",
        f"{AUTORANK[2]:.5e}",
        f"{AUTORANK[3]:.5f} | 0.00529",
        f"rejected {AUTORANK_REJECTED[0]} times",
        f"aeon {AEON[0]}",
        f"{AEON[1]} | 1.1136",
        f"scmamp {SCMAMP[0]}",
        f"{SCMAMP[1]} | 0.03034",
        f"baycomp {BAYCOMP_CONSTANT[0]}",
        f"{SCIPY_EXACT} | 0.0584",
    ):
        assert words in PAGE
    named = ("mlxtend", "scipy", "autorank", "scikit-posthocs", "baycomp", "aeon")
    for name in (*named, "statsmodels", "Weka", "correctR", "evalstats"):
        assert f"**{name}**" in PAGE
