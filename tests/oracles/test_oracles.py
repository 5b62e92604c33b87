"""Other packages say the same, or it is said here why they do not."""

import math
import warnings
from itertools import product

import numpy as np
import pytest
from scipy import stats
from scipy.special import betaln

import outperform as op

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import baycomp
    from mlxtend import evaluate as mlxtend
    from statsmodels.stats import contingency_tables, proportion

SEEDS = range(6)
SIDES = ("two-sided", "greater", "less")
TABLES = [(20, 5, 15, 60), (1, 1, 7, 11), (0, 40, 60, 0), (40, 0, 20, 40), (3, 130, 90, 800)]
VARIED = pytest.mark.parametrize("seed", SEEDS)
COUNTED = pytest.mark.parametrize("cells", TABLES, ids=str)


def scores(seed, shape=(10,)):
    rng = np.random.default_rng(seed)
    return rng.normal(0.80, 0.03, shape), rng.normal(0.78, 0.03, shape)


def close(value, within=1e-11):
    return pytest.approx(value, rel=within)


# SciPy


@VARIED
@pytest.mark.parametrize("side", SIDES)
def test_paired_t_is_scipys(seed, side):
    a, b = scores(seed)
    theirs = stats.ttest_rel(a, b, alternative=side)
    ours = op.methods.paired_t(a, b, alternative=side, unit="items")
    assert (ours.statistic, ours.pvalue, ours.df) == close((theirs.statistic, theirs.pvalue, 9.0))
    assert tuple(ours.interval(0.9)) == close(tuple(theirs.confidence_interval(0.9)))


@VARIED
@pytest.mark.requirement("N-27")
def test_a_single_side_against_mu0_is_scipys(seed):
    a, _ = scores(seed)
    theirs = stats.ttest_1samp(a, 0.78)
    ours = op.methods.resampled_t(a, mu0=0.78)
    assert (ours.statistic, ours.pvalue) == close((theirs.statistic, theirs.pvalue))


@VARIED
@pytest.mark.requirement("F-01")
def test_the_unpaired_interval_is_welchs(seed):
    a, b = scores(seed)[0], scores(seed + 50, (17,))[1]
    theirs = stats.ttest_ind(a, b, equal_var=False)
    ours = op.methods.unpaired_interval(a, b)
    assert ours.df == close(theirs.df)
    assert (ours.statistic, ours.pvalue) == close((theirs.statistic, theirs.pvalue))
    assert tuple(ours.interval(0.95)) == close(tuple(theirs.confidence_interval(0.95)))


@VARIED
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.requirement("D-11")
def test_wilcoxon_without_ties_is_scipys(seed, side):
    a, b = scores(seed, (14,))
    theirs = stats.wilcoxon(a, b, alternative=side, method="exact")
    ours = op.methods.wilcoxon(a, b, alternative=side, unit="datasets")
    assert ours.pvalue == close(theirs.pvalue)
    if side == "two-sided":
        assert ours.statistic == theirs.statistic


@VARIED
@pytest.mark.requirement("D-11")
def test_wilcoxon_with_ties_counts_every_sign(seed):
    rng = np.random.default_rng(seed)
    d = rng.integers(-3, 5, 9).astype(float)
    d = d[d != 0]
    ranks = stats.rankdata(np.abs(d))
    plus = ranks[d > 0].sum()
    sums = np.array([ranks @ signs for signs in product((0, 1), repeat=d.size)])
    tails = np.mean(sums >= plus), np.mean(sums <= plus)
    assert op.methods.wilcoxon(d, unit="datasets").pvalue == close(min(1.0, 2 * min(tails)))


@VARIED
def test_wilcoxon_of_many_datasets_is_scipys_normal_approximation(seed):
    a, b = scores(seed, (180,))
    theirs = stats.wilcoxon(a, b, method="approx", correction=False)
    assert op.methods.wilcoxon(a, b, unit="datasets").pvalue == close(theirs.pvalue)


@VARIED
@pytest.mark.requirement("D-11")
def test_the_sign_test_is_scipys_binomial(seed):
    a, b = scores(seed, (25,))
    wins = int(np.sum(a > b))
    assert op.methods.sign_test(a, b, unit="datasets").pvalue == close(
        stats.binomtest(wins, 25).pvalue
    )


@COUNTED
@pytest.mark.requirement("D-18", "D-21")
def test_exact_tests_of_a_table_are_scipys(cells):
    n00, n01, n10, n11 = cells
    table = np.reshape(cells, (2, 2))
    exact = op.methods.mcnemar(table=table, variant="exact")
    assert exact.pvalue == close(stats.binomtest(n10, n01 + n10).pvalue)
    errors = [[n00 + n01, n10 + n11], [n00 + n10, n01 + n11]]
    for side, theirs in (("two-sided", "two-sided"), ("greater", "less"), ("less", "greater")):
        ours = op.methods.proportions(table=table, variant="exact", alternative=side)
        assert ours.pvalue == close(stats.fisher_exact(errors, alternative=theirs).pvalue, 1e-9)


@pytest.mark.requirement("B-21")
def test_fishers_combination_is_scipys():
    p_values = [0.15, 0.1, 0.03, 0.6, 0.0004]
    theirs = stats.combine_pvalues(p_values, method="fisher")
    ours = op.methods.fisher_combination(p_values)
    assert (ours.statistic, ours.pvalue) == close((theirs.statistic, theirs.pvalue))


@pytest.mark.requirement("D-02")
@pytest.mark.parametrize(("correct", "n"), [(83, 100), (1, 30), (30, 30), (0, 7), (5000, 9000)])
def test_accuracy_intervals_are_scipys_and_statsmodels(correct, n):
    test = stats.binomtest(correct, n, 0.7)
    for variant, scipys, theirs in (
        ("wilson", "wilson", "wilson"),
        ("clopper-pearson", "exact", "beta"),
    ):
        ours = op.methods.accuracy_interval(correct, n, variant=variant).interval(0.95)
        assert tuple(ours) == pytest.approx(tuple(test.proportion_ci(0.95, scipys)), abs=1e-11)
        others = proportion.proportion_confint(correct, n, 0.05, theirs)
        assert tuple(ours) == pytest.approx(tuple(map(float, others)), abs=1e-11)


# statsmodels and mlxtend: tables


@COUNTED
@pytest.mark.requirement("D-16")
def test_mcnemar_is_statsmodels_and_mlxtends(cells):
    table = np.reshape(cells, (2, 2))
    for variant, corrected in (("continuity", True), ("plain", False)):
        ours = op.methods.mcnemar(table=table, variant=variant)
        sm = contingency_tables.mcnemar(table, exact=False, correction=corrected)
        ml = mlxtend.mcnemar(table, corrected=corrected)
        assert (ours.statistic, ours.pvalue) == close((sm.statistic, sm.pvalue))
        assert (ours.statistic, ours.pvalue) == close(ml)


@VARIED
@pytest.mark.requirement("D-15", "D-16")
def test_tables_of_labels_are_mlxtends_turned_around(seed):
    rng = np.random.default_rng(seed)
    truth, a, b = rng.integers(0, 3, (3, 60))
    theirs = mlxtend.mcnemar_table(truth, a, b)  # their first cell is both right, ours both wrong
    assert op.methods.mcnemar(truth, a, b).details["table"].tolist() == theirs[::-1, ::-1].tolist()


@VARIED
def test_cochrans_q_is_statsmodels_and_mlxtends(seed):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, 50)
    models = [np.where(rng.random(50) < p, truth, 1 - truth) for p in (0.9, 0.8, 0.6)]
    right = np.stack([model == truth for model in models], axis=1)
    ours = op.methods.cochran_q(right)
    sm = contingency_tables.cochrans_q(right.astype(float))
    assert (ours.statistic, ours.pvalue) == close((sm.statistic, sm.pvalue))
    assert (ours.statistic, ours.pvalue) == close(mlxtend.cochrans_q(truth, *models))


# mlxtend: its tests want estimators, so these answer with scores written in advance.


class Scripted:
    def fit(self, X, y):
        return self


def script(a, b):
    said = iter(np.stack([np.ravel(a), np.ravel(b)], axis=1).ravel().tolist())
    items = np.arange(40).reshape(-1, 1)
    return (Scripted(), Scripted(), items, items.ravel()), {
        "scoring": lambda *_: next(said),
        "random_seed": 1,
    }


@VARIED
@pytest.mark.requirement("D-24")
def test_the_5x2cv_tests_are_mlxtends(seed):
    a, b = scores(seed, (5, 2))
    for ours, theirs in (
        (op.methods.five_by_two_t, mlxtend.paired_ttest_5x2cv),
        (op.methods.five_by_two_f, mlxtend.combined_ftest_5x2cv),
    ):
        data, options = script(a, b)
        result = ours(a, b)
        assert (result.statistic, result.pvalue) == close(theirs(*data, **options))


@VARIED
@pytest.mark.requirement("D-22", "D-23")
def test_the_kfold_and_resampled_t_are_mlxtends(seed):
    a, b = scores(seed)
    data, options = script(a, b)
    result = op.methods.kfold_t(a, b)
    assert (result.statistic, result.pvalue) == close(
        mlxtend.paired_ttest_kfold_cv(*data, cv=10, shuffle=True, **options)
    )
    data, options = script(a, b)
    result = op.methods.resampled_t(a, b)
    assert (result.statistic, result.pvalue) == close(
        mlxtend.paired_ttest_resampled(*data, num_rounds=10, **options)
    )


# baycomp


@VARIED
@pytest.mark.parametrize("rope", [0.005, 0.02])
@pytest.mark.parametrize("runs", [1, 3])
def test_probabilities_of_the_corrected_t_are_baycomps_correlated_t(seed, rope, runs):
    a, b = scores(seed, (30,))
    worse, same, better = baycomp.two_on_single(b, a, rope=rope, runs=runs)  # theirs is y − x
    found = op.methods.corrected_t(a, b, design=f"{runs}x{30 // runs}cv").probabilities(rope)
    assert tuple(found) == pytest.approx((better, same, worse), abs=1e-12)


@VARIED
def test_the_posterior_of_a_t_pivot_is_students(seed):
    a, b = scores(seed)
    result = op.methods.kfold_t(a, b)
    posterior = stats.t(9, result.estimate, result.stderr)
    for rope in (0.001, 0.01, 0.1):
        odds = result.probabilities(rope)
        assert odds.better == close(posterior.sf(rope))
        assert odds.worse == close(posterior.cdf(-rope))


# Where a peer is wrong


@pytest.mark.requirement("D-16")
def test_statsmodels_and_mlxtend_find_a_difference_between_equal_counts():
    """They square |n01 − n10| − 1 without clipping it at 0, so equal counts get p < 1."""
    table = np.array([[30, 7], [7, 60]])
    assert op.methods.mcnemar(table=table).pvalue == 1
    assert contingency_tables.mcnemar(table, exact=False).pvalue < 0.8
    assert mlxtend.mcnemar(table)[1] < 0.8


def test_mlxtend_wraps_small_unsigned_counts():
    """5 − 15 is 246 in uint8: p of 0.044 becomes 1e-300 or so."""
    table = np.array([[20, 5], [15, 60]], dtype=np.uint8)
    assert op.methods.mcnemar(table=table).pvalue == close(0.0441713449084)
    with np.errstate(over="ignore"):
        assert mlxtend.mcnemar(table)[1] < 1e-100


def test_scipy_makes_up_a_p_value_for_differences_that_are_all_the_same():
    """Ten differences of 0.01 differ in their last bits only."""
    b = np.round(np.linspace(0.70, 0.79, 10), 2)
    a = np.round(b + 0.01, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert stats.ttest_rel(a, b).pvalue < 1e-100
    result = op.methods.paired_t(a, b, unit="items")
    assert result.pvalue is None
    assert result.verdict() == "no decision"


def test_scipy_has_no_answer_for_identical_sides():
    a, _ = scores(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert math.isnan(stats.ttest_rel(a, a).pvalue)
    assert op.methods.paired_t(a, a, unit="items").pvalue == 1


def test_scipys_p_value_underflows_where_ours_keeps_its_logarithm():
    d = 1 + 1e-6 * np.random.default_rng(0).normal(size=60)
    theirs, ours = stats.ttest_1samp(d, 0.0), op.methods.paired_t(d, unit="items")
    assert theirs.pvalue == 0
    # Far out the tail is a power: p ≈ 2 / B(df/2, ½) / df · (df / t²)^(df/2).
    log_p = 59 / 2 * math.log(59 / theirs.statistic**2) + math.log(2 / 59) - betaln(59 / 2, 1 / 2)
    assert ours.log_pvalue == close(log_p, 1e-9)


def test_mlxtends_proportion_difference_is_one_sided_and_unpooled():
    """Its p for Dietterich's left example is a lower tail near 1, not his 0.0047."""
    _, p = mlxtend.proportion_difference(0.6, 0.4, 100)
    assert p > 0.99
    assert op.methods.proportions(table=[[0, 40], [60, 0]]).pvalue == close(0.00467773498105, 1e-10)


def test_baycomp_is_certain_of_a_constant_difference():
    b = np.full(10, 0.75)
    a = b + 0.0625
    assert baycomp.two_on_single(b, a, rope=0.01) == (0, 0, 1)
    assert op.methods.corrected_t(a, b, design="10cv").probabilities(0.01) is None
