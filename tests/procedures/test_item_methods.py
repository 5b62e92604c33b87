"""Tests on items, from arrays and from `Items`: the same numbers, and what is said of them."""

import numpy as np
import pytest
from golden_items import ITEMS

import outperform as op

CLUSTERED = ITEMS["cluster_se/A"]["input"]


def clustered() -> op.Items:
    sides = {"a": CLUSTERED["a"], "b": CLUSTERED["b"]}
    return op.Items.from_arrays(sides, clusters=CLUSTERED["cluster"], cluster_name="subject")


def codes(result) -> list[str]:
    return [note.code for note in result.notes]


@pytest.mark.parametrize("name", ["cluster_t", "cluster_sign_flip"])
def test_items_with_clusters_are_read_as_arrays_are(name):
    method = getattr(op, name)
    from_arrays = method(CLUSTERED["a"], CLUSTERED["b"], clusters=CLUSTERED["cluster"])
    from_items = method(clustered())
    assert from_items.pvalue == from_arrays.pvalue
    assert tuple(from_items.interval(0.9)) == tuple(from_arrays.interval(0.9))


def test_the_default_for_clusters_is_robust_and_says_what_ignoring_them_claims():
    found = op.compare(clustered())["a", "b"]
    want = ITEMS["cluster_se/A"]["expected"]
    assert found.method.name == "cluster_t"
    assert found.stderr == pytest.approx(want["CR2"], rel=1e-10)
    said = next(note.text for note in found.notes if note.code == "OP360")
    assert f"{want['se_iid']:.3g}" in said
    assert f"{want['p_iid_t']:.3g}" in said
    assert {"OP361", "OP362"} <= {*codes(found)}


def test_the_default_for_right_and_wrong_items_is_the_mid_p_test():
    rng = np.random.default_rng(0)
    right = {"a": rng.random(300) < 0.8, "b": rng.random(300) < 0.7}
    found = op.compare(op.Items.from_arrays(right))["a", "b"]
    assert found.method.name == "mcnemar_mid_p"
    a, b = right["a"], right["b"]
    table = [[(~a & ~b).sum(), (~a & b).sum()], [(a & ~b).sum(), (a & b).sum()]]
    alone = op.methods.mcnemar(table=table, variant="mid-p")
    assert found.pvalue == pytest.approx(alone.pvalue, rel=1e-12)


def test_the_default_for_other_scores_is_the_paired_t():
    rng = np.random.default_rng(0)
    items = op.Items.from_arrays({"a": rng.normal(size=50), "b": rng.normal(size=50)})
    assert op.compare(items).method.name == "paired_t"


def test_flipping_signs_of_right_and_wrong_is_the_exact_mcnemar_test():
    rng = np.random.default_rng(1)
    a, b = (rng.random(14_042) < p for p in (0.62, 0.61))
    table = [[(~a & ~b).sum(), (~a & b).sum()], [(a & ~b).sum(), (a & b).sum()]]
    exact = op.methods.mcnemar(table=table, variant="exact")
    flipped = op.methods.sign_flip(a.astype(int), b.astype(int))
    for side in ("two-sided", "greater", "less"):
        assert flipped.evidence.log_pvalue(side) == pytest.approx(
            exact.evidence.log_pvalue(side), rel=1e-10
        )
    assert flipped.grade == "exact"


def test_drawn_signs_are_seeded_and_no_longer_called_exact():
    rng = np.random.default_rng(2)
    a, b = rng.normal(0.1, 1, 60), rng.normal(0, 1, 60)
    assert op.methods.sign_flip(a, b).pvalue == op.methods.sign_flip(a, b).pvalue
    assert op.methods.sign_flip(a, b, seed=1).pvalue != op.methods.sign_flip(a, b).pvalue
    assert op.methods.sign_flip(a, b).grade == "assumed"


def test_one_cluster_is_refused():
    with pytest.raises(op.DataError, match="at least 2 clusters"):
        op.methods.cluster_t([1, 0, 1], [0, 0, 1], clusters=["x", "x", "x"])


def test_all_pairs_of_clustered_items_are_judged_at_once():
    rng = np.random.default_rng(3)
    sides = {name: rng.normal(m, 1, 200) for name, m in zip("abc", (0, 0.2, 0.5), strict=True)}
    items = op.Items.from_arrays(sides, clusters=np.arange(200) // 8)
    found = op.compare(items)
    for pair in (("a", "b"), ("b", "c")):
        alone = op.methods.cluster_t(sides[pair[0]], sides[pair[1]], clusters=np.arange(200) // 8)
        assert found[pair].stderr == pytest.approx(alone.stderr, rel=1e-12)


def test_a_mixed_model_that_pools_all_pairs_is_not_what_a_pair_is_judged_by():
    """The pooled interaction gives every pair one standard error, though pairs differ tenfold."""
    pooled = {row["_row"]: row for row in ITEMS["mixed_model/kcv"]["expected"]["coef"]}
    # Mean differences from A on the ten datasets of scmamp's data.kcv.example.
    c = [
        -0.02503,
        0.01349,
        -0.03583,
        0.01096,
        -0.07766,
        -0.0042,
        -0.02567,
        0.03399,
        -0.02199,
        0.00763,
    ]
    b = [
        -0.05613,
        -0.07395,
        -0.09664,
        -0.32084,
        -0.15978,
        -0.85314,
        -0.21965,
        -0.57574,
        -0.38069,
        -0.84276,
    ]
    for row, differences in (("algC", c), ("algB", b)):
        found = op.methods.paired_t(differences, unit="items")
        assert found.estimate == pytest.approx(pooled[row]["Estimate"], abs=1e-4)
    assert op.methods.paired_t(c, unit="items").stderr < pooled["algC"]["Std. Error"] / 6
    assert op.methods.paired_t(b, unit="items").stderr > 1.3 * pooled["algB"]["Std. Error"]


POSITIVE = ITEMS["k_samples/positive"]


def sampled(**about) -> op.Items:
    return op.Items.from_arrays({"a": POSITIVE["input"]["A"], "b": POSITIVE["input"]["B"]}, **about)


@pytest.mark.parametrize(
    ("about", "key"),
    [
        ({}, "se_superpopulation"),
        ({"population": "these"}, "se_benchmark_as_is"),
        ({"n_population": 100}, "se_finite_100"),
    ],
)
def test_items_with_samples_speak_of_the_population_that_was_named(about, key):
    found = op.compare(sampled(**about))["a", "b"]
    assert found.method.name == "sampled_items_t"
    assert found.stderr == pytest.approx(POSITIVE["expected"][key], rel=1e-9)


def test_components_are_shown_and_a_negative_one_is_said():
    found = op.methods.sampled_items_t(sampled())
    want = POSITIVE["expected"]
    assert found.details["variance_between_items"] == pytest.approx(want["omega2"], rel=1e-9)
    assert found.details["variance_A"] == pytest.approx(want["sigma2_A"], rel=1e-9)
    share = want["omega2"] / want["S2"]
    assert f"{share:.0%} between items" in next(n.text for n in found.notes if n.code == "OP363")
    other = ITEMS["k_samples/negative_omega"]
    found = op.methods.sampled_items_t(other["input"]["A"], other["input"]["B"])
    assert found.details["variance_between_items"] == pytest.approx(
        other["expected"]["omega2"], rel=1e-9
    )
    assert "OP364" in codes(found)


def test_one_sample_of_an_item_cannot_speak_of_these_items_alone():
    one = [[1], [0], [1], [1]]
    with pytest.raises(op.MethodError, match="population='new'"):
        op.methods.sampled_items_t(one, [[0], [0], [1], [0]], population="these")
    part = op.methods.sampled_items_t(one, [[0], [0], [1], [0]], population=40)
    assert "OP366" in codes(part)


def test_conditions_that_differ_widen_the_interval_more_than_items_do():
    rng = np.random.default_rng(0)
    shared = rng.normal(0, 0.2, 4)
    a = rng.normal(0.1, 0.1, (300, 4)) + shared
    b = rng.normal(0, 0.1, (300, 4))
    crossed, pooled = op.methods.crossed_t(a, b), op.methods.sampled_items_t(a, b)
    assert crossed.stderr > 5 * pooled.stderr
    assert crossed.df < 4
    assert "OP365" in codes(crossed)


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_few_conditions_leave_crossed_t_at_most_one_fewer_degrees_of_freedom(k: int):
    rng = np.random.default_rng(k)
    d = rng.normal(0.05, 0.3, (30, 1)) + rng.normal(0, 0.1, (30, k))
    found = op.methods.crossed_t(d, np.zeros_like(d))
    items, conditions = d.mean(axis=1) - d.mean(), d.mean(axis=0) - d.mean()
    rest = d - d.mean() - items[:, None] - conditions
    msi, msc = k * (items**2).sum() / 29, 30 * (conditions**2).sum() / (k - 1)
    mse = (rest**2).sum() / 29 / (k - 1)
    parts = [(msi, 29)] if msc <= mse else [(msi, 29), (msc, k - 1), (-mse, 29 * (k - 1))]
    df = sum(ms for ms, _ in parts) ** 2 / sum(ms**2 / df for ms, df in parts)
    assert df > k - 1
    assert found.df == pytest.approx(k - 1 if k <= 4 else df)


@pytest.mark.parametrize(
    ("differences", "grade"),
    [
        ([1, 0, -1, 1, 1, 0, 1, 1], "exact"),
        ([0.3, 0, -0.3, 0.3, 0.3, 0.3], "exact"),
        ([0, 0, 0, 0], "exact"),
        ([1, 0, -1, 2, 1, 0, 1, 1], "assumed"),
        ([0.31, 0.12, -0.2, 0.3], "assumed"),
    ],
)
def test_random_signs_are_exact_only_where_differences_are_of_one_size(differences, grade):
    zeros = np.zeros(len(differences))
    for other in (zeros, zeros + 0.1):
        first = np.array(differences) + other
        assert op.methods.sign_flip(first, other).grade == grade
        labels = np.arange(len(differences))
        assert op.methods.cluster_sign_flip(first, other, clusters=labels).grade == grade


def test_unequal_sums_of_clusters_leave_random_signs_to_assume_symmetry():
    ones = [1, 1, 1, 0, 1, 1]
    found = op.methods.cluster_sign_flip(ones, np.zeros(6), clusters="aabbbc")
    assert (found.grade, found.to_dict()["details"]["counted"]) == ("assumed", 1.0)
    assert op.methods.cluster_sign_flip(ones, np.zeros(6), clusters="aabbcd").grade == "assumed"


@pytest.mark.parametrize("kind", ["percentile", "bca"])
def test_bootstrap_intervals_are_those_of_scipy_up_to_the_draws(kind):
    from scipy.stats import bootstrap

    rng = np.random.default_rng(4)
    a, b = rng.gamma(2, 1, 80), rng.gamma(1.8, 1, 80)
    theirs = bootstrap(
        (a, b),
        lambda x, y, axis: x.mean(axis=axis) - y.mean(axis=axis),
        paired=True,
        n_resamples=9999,
        method="BCa" if kind == "bca" else "percentile",
        random_state=1,
    )
    ours = op.methods.paired_bootstrap(a, b, kind=kind, n_draws=9999)
    assert ours.stderr == pytest.approx(theirs.standard_error, rel=0.05)
    for mine, other in zip(ours.interval(0.95), theirs.confidence_interval, strict=True):
        assert mine == pytest.approx(other, abs=0.1 * theirs.standard_error)


def test_a_metric_of_sums_and_a_function_of_rows_agree():
    rng = np.random.default_rng(5)
    a, b = (np.stack([rng.poisson(m, 60) for m in means], 1) for means in ((4, 1, 1), (3, 1, 2)))

    def f1(rows):
        tp, fp, fn = rows.sum(axis=0)
        return 2 * tp / (2 * tp + fp + fn)

    named = op.methods.paired_bootstrap(a, b, metric="f1", n_draws=999)
    called = op.methods.paired_bootstrap(a, b, metric=f1, n_draws=999)
    assert named.estimate == pytest.approx(called.estimate, rel=1e-12)
    assert named.estimate == pytest.approx(f1(a) - f1(b), rel=1e-12)
    assert named.stderr == pytest.approx(called.stderr, rel=0.15)


def test_corpus_bleu_of_sums_is_the_formula_of_papineni():
    from outperform.numerics.paired_resampling import SUM_METRICS

    sums = np.array([40.0, 25, 15, 8, 60, 55, 50, 45, 60, 66])
    want = np.exp(np.mean(np.log([40 / 60, 25 / 55, 15 / 50, 8 / 45])) + 1 - 66 / 60)
    assert SUM_METRICS["bleu"][1](sums, 10) == pytest.approx(want, rel=1e-12)


def test_clusters_are_drawn_whole():
    rng = np.random.default_rng(6)
    shared = np.repeat(rng.normal(0, 1, 30), 10)
    a = shared + rng.normal(0.1, 0.3, 300)
    alone = op.methods.paired_bootstrap(a, np.zeros(300), n_draws=999)
    whole = op.methods.paired_bootstrap(
        a, np.zeros(300), clusters=np.arange(300) // 10, n_draws=999
    )
    robust = op.methods.cluster_t(a, np.zeros(300), clusters=np.arange(300) // 10)
    assert whole.stderr > 2 * alone.stderr
    assert whole.stderr == pytest.approx(robust.stderr, rel=0.2)


def test_delong_of_all_pairs_at_once_is_that_of_each_pair():
    rng = np.random.default_rng(7)
    y = rng.integers(0, 2, 300)
    shown = rng.normal(size=(4, 300)) + y * np.array([[0.5], [0.8], [1.2], [1.2]])
    probabilities = 1 / (1 + np.exp(-np.round(shown, 1)))
    probabilities[3] = probabilities[2] / 2  # the same ranks
    models = dict(zip("abcd", probabilities, strict=True))
    found = op.compare(op.Items.from_probabilities(y, models, metric="roc_auc"), adjust="none")
    assert found.method.name == "delong"
    for pair in (("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")):
        alone = op.methods.delong(y, models[pair[0]], models[pair[1]])
        assert found[pair].estimate == pytest.approx(alone.estimate, abs=1e-15)
        assert found[pair].stderr == pytest.approx(alone.stderr, rel=1e-12)
        assert found[pair].pvalue == pytest.approx(alone.pvalue, rel=1e-9)


def test_the_interval_of_an_area_stays_below_one():
    from outperform.numerics.placements import area_interval

    low, high = area_interval(0.97, 0.02)
    assert low < 0.97 < high < 1
    assert 0.97 - low > high - 0.97
    assert area_interval(1.0, 0.0) == (1.0, 1.0)


def test_a_part_of_a_finite_benchmark_has_a_smaller_error_and_all_of_it_none():
    entry = ITEMS["finite_population/mean"]
    d = np.array(entry["input"]["d"], dtype=float)[:, None]
    errors = {
        "se_infinite": "new",
        "se_fpc": entry["input"]["N"],
        "se_all_items": d.size,
    }
    for key, population in errors.items():
        found = op.methods.sampled_items_t(d, np.zeros_like(d), population=population)
        assert found.estimate == pytest.approx(entry["expected"]["mean"], rel=1e-12)
        assert found.stderr == pytest.approx(entry["expected"][key], rel=1e-12)
    assert found.pvalue is None
