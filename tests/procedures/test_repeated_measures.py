"""Feelders & Verkooijen: their tables from their numbers, and the laws of k learners."""

import json
import pickle
from itertools import combinations

import numpy as np
import pandas as pd
import places
import pytest

import outperform as op
from outperform import DataError, MethodError

GOLDEN = json.loads((places.GOLDEN / "feelders_verkooijen.json").read_text())
MODELS = ("theta1", "theta2", "theta3", "theta4", "theta5")


def boston(**options):
    t = GOLDEN["table2"]
    return op.methods.simultaneous(
        means=t["means"],
        covariance=t["covariance"],
        n=t["n"],
        names=MODELS[:4],
        lower_is_better=False,
        **options,
    )


@pytest.mark.requirement("F-11")
@pytest.mark.requirement("F-15")
def test_table_3_follows_from_table_2_with_the_right_constant():
    comparison = boston()
    assert comparison.critical_value(0.90) == pytest.approx(GOLDEN["table3"]["critical"], rel=1e-9)
    for row in GOLDEN["table3"]["rows"]:
        interval = comparison.interval(*row["pair"], level=0.90)
        assert tuple(interval) == pytest.approx(row["with_correct_constant"], rel=1e-9)
        assert (0 not in interval) == row["significant"]
        assert comparison[tuple(row["pair"])].stderr == pytest.approx(row["se"], rel=1e-9)


@pytest.mark.requirement("F-15")
def test_table_3_follows_as_printed_with_the_printed_constant():
    comparison, printed = boston(), GOLDEN["table3"]["critical_printed"]
    for row in GOLDEN["table3"]["rows"]:
        interval = tuple(comparison.interval(*row["pair"], critical=printed))
        assert interval == pytest.approx(row["with_printed_2_135"], rel=1e-9)


@pytest.mark.requirement("F-23")
def test_the_boston_networks_are_one_group_and_the_linear_model_stands_apart():
    t = GOLDEN["table2"]
    errors = op.methods.simultaneous(
        means=t["means"],
        covariance=t["covariance"],
        n=t["n"],
        names=MODELS[:4],
        lower_is_better=True,
    )
    assert errors.groups(alpha=0.10) == [("theta3", "theta4", "theta2"), ("theta1",)]


@pytest.mark.requirement("F-16")
def test_table_4_is_not_significant():
    t = GOLDEN["table4"]
    result = op.methods.mcnemar(table=t["table"])
    assert result.statistic == pytest.approx(t["chi2_corrected"], rel=1e-11)
    assert round(result.statistic, 4) == t["printed_X2"]
    assert result.pvalue == pytest.approx(t["p_corrected"], rel=1e-11)
    assert round(result.pvalue, 2) == t["printed_p"]
    exact = op.methods.mcnemar(table=t["table"], variant="exact")
    assert exact.pvalue == pytest.approx(t["p_exact_binomial"], rel=1e-11)


@pytest.mark.requirement("F-20")
@pytest.mark.requirement("F-22")
def test_table_5_follows_from_the_published_counts():
    t = GOLDEN["table5"]
    comparison = op.methods.pooled_intervals(t["correct"], n=t["n"], sigma=t["sigma"], names=MODELS)
    assert comparison.critical_value(0.95) == pytest.approx(t["Z"], rel=1e-11)
    for row in t["rows"]:
        low, high = comparison.interval(*row["pair"], level=0.95)
        # The table's recomputed ends carry the printed 2.81, not 2.80703.
        half = t["Z_printed"] * t["sigma"]
        assert row["difference"] - half == pytest.approx(row["recomputed"][0], rel=1e-9)
        assert low == pytest.approx(row["difference"] - t["Z"] * t["sigma"], rel=1e-9)
        assert (low > 0 or high < 0) == row["significant"]
        assert (low, high) == pytest.approx(row["printed"], abs=1.2e-3)  # E-F11


@pytest.mark.requirement("F-20")
def test_finite_degrees_of_freedom_give_the_larger_constant_of_the_erratum():
    t = GOLDEN["table5"]
    comparison = op.methods.pooled_intervals(
        t["correct"], n=t["n"], sigma=t["sigma"], df=t["n"] - 1
    )
    assert round(comparison.critical_value(0.95), 4) == t["Z_383"]


@pytest.mark.requirement("F-21")
@pytest.mark.requirement("F-23")
def test_the_classification_tree_is_told_apart_from_the_other_four():
    t = GOLDEN["table5"]
    comparison = op.methods.pooled_intervals(t["correct"], n=t["n"], sigma=t["sigma"], names=MODELS)
    assert comparison.groups() == [("theta4", "theta1", "theta5", "theta2"), ("theta3",)]


@pytest.mark.requirement("F-09")
@pytest.mark.requirement("F-11")
@pytest.mark.requirement("F-12")
def test_simultaneous_intervals_of_item_losses_match_the_fixture():
    losses = np.array(GOLDEN["fixture_simultaneous"]["input"])
    want = GOLDEN["fixture_simultaneous"]["expected"]
    comparison = op.methods.simultaneous(losses, lower_is_better=False, names=("1", "2", "3"))
    assert comparison.critical_value(0.90) == pytest.approx(want["critical"], rel=1e-9)
    assert comparison.details["means"] == pytest.approx(want["means"], rel=1e-11)
    assert comparison.details["covariance"] == pytest.approx(np.array(want["cov"]), rel=1e-10)
    for pair, ends in want["intervals"].items():
        interval = tuple(comparison.interval(*pair.split("-"), level=0.90))
        assert interval == pytest.approx(ends, rel=1e-9)


@pytest.mark.requirement("F-06")
def test_the_layout_of_table_1_keeps_row_and_column_totals():
    losses = np.array(GOLDEN["fixture_simultaneous"]["input"])
    details = op.methods.simultaneous(losses, lower_is_better=True).details
    assert details["totals"] == pytest.approx(-losses.sum(axis=0))
    assert details["item_totals"] == pytest.approx(-losses.sum(axis=1))


@pytest.mark.requirement("F-19")
@pytest.mark.requirement("F-20")
def test_pooled_variance_and_dunn_intervals_match_the_fixture():
    correct = GOLDEN["fixture_pooled"]["input"]
    want = GOLDEN["fixture_pooled"]["expected"]
    comparison = op.methods.pooled_intervals(correct)
    assert comparison.details["sigma"] == pytest.approx(want["sigma_diff"], rel=1e-12)
    assert comparison.details["proportions"] == pytest.approx(want["proportions"])
    low, high = comparison.intervals(0.95)
    assert (high - low) / 2 == pytest.approx(want["half_width_inf"], rel=1e-9)
    narrow = op.methods.pooled_intervals(correct, df=len(correct) - 1)
    assert narrow.critical_value(0.95) == pytest.approx(want["Z_nu"], rel=1e-9)
    assert op.methods.cochran_q(correct).statistic == pytest.approx(want["cochran_Q"], rel=1e-11)


@pytest.mark.requirement("F-01")
@pytest.mark.requirement("F-02")
@pytest.mark.requirement("F-03")
def test_ignoring_the_pairing_more_than_doubles_the_standard_error_of_the_fixture():
    given, want = (GOLDEN["fixture_unpaired"][key] for key in ("input", "expected"))
    unpaired = op.methods.unpaired_interval(given["Y1"], given["Y2"])
    paired = op.methods.paired_t(given["Y1"], given["Y2"], unit="items")
    assert unpaired.stderr == pytest.approx(want["se_independent"], rel=1e-10)
    assert paired.stderr == pytest.approx(want["se_paired"], rel=1e-10)
    assert unpaired.details["stderr_paired"] == pytest.approx(want["se_paired"], rel=1e-10)
    half = paired.interval(0.95).high - paired.estimate
    assert half / paired.stderr == pytest.approx(want["t_0_975_11"], rel=1e-10)


@pytest.mark.requirement("F-08")
def test_the_spherical_procedure_is_tukeys_with_the_studentized_range():
    from scipy import stats

    losses = np.array(GOLDEN["fixture_simultaneous"]["input"])
    n, k = losses.shape
    comparison = op.methods.simultaneous(losses, spherical=True, lower_is_better=False)
    q = stats.studentized_range.isf(0.05, k, (n - 1) * (k - 1))
    assert comparison.critical_value(0.95) == pytest.approx(q / np.sqrt(2), rel=1e-6)
    rest = losses - losses.mean(axis=1, keepdims=True) - losses.mean(axis=0) + losses.mean()
    half = q * np.sqrt((rest**2).sum() / ((n - 1) * (k - 1)) / n)
    low, high = comparison.intervals(0.95)
    assert (high - low) / 2 == pytest.approx(half, rel=1e-6)


@pytest.mark.slow
@pytest.mark.requirement("F-08")
def test_the_spherical_procedure_holds_its_familywise_error():
    """δ = 1e-6: with 4,000 true nulls at .05 a right procedure rejects fewer than 268 times."""
    rng = np.random.default_rng(12)
    families = [
        op.methods.simultaneous(rng.standard_normal((6, 4)), spherical=True, lower_is_better=True)
        for _ in range(4000)
    ]
    critical = families[0].critical_value(0.95)
    wrong = sum(np.max(np.abs(f.evidence.statistic)) > critical for f in families)
    assert 135 < wrong < 268


@pytest.mark.requirement("F-08")
def test_the_check_of_sphericity_sees_one_noisy_model_and_passes_equal_ones():
    rng = np.random.default_rng(5)
    equal = rng.standard_normal((400, 1)) + rng.standard_normal((400, 4))
    noisy = equal * np.array([1, 1, 1, 6.0])
    assert op.methods.sphericity(equal).pvalue > 0.01
    assert op.methods.sphericity(noisy).pvalue < 1e-6
    assert op.methods.sphericity(equal[:, :2]) is None


@pytest.mark.requirement("F-19")
def test_a_strained_pooled_variance_says_so():
    rng = np.random.default_rng(7)
    easy = (rng.random(600) < 0.9).astype(int)
    alike = [easy ^ (rng.random(600) < 0.02) for _ in range(3)]
    table = np.column_stack([*alike, rng.integers(0, 2, 600)])
    assert "OP305" in [note.code for note in op.methods.pooled_intervals(table).notes]


@pytest.mark.requirement("F-07")
def test_what_all_models_share_on_an_item_cancels_from_every_pair():
    """Model (3): an item effect M_j added to every learner changes no interval."""
    rng = np.random.default_rng(3)
    errors = rng.standard_normal((50, 3))
    shared = errors + 1000 * rng.standard_normal((50, 1))
    plain, moved = (op.methods.simultaneous(x, lower_is_better=True) for x in (errors, shared))
    for a, b in zip(plain.intervals(), moved.intervals(), strict=True):
        assert a == pytest.approx(b, rel=1e-9)


def test_every_pair_of_a_comparison_equals_its_own_paired_t():
    rng = np.random.default_rng(11)
    losses = rng.gamma(2.0, size=(40, 5))
    comparison = op.methods.simultaneous(losses, lower_is_better=True)
    for i, j in combinations(range(5), 2):
        pair = comparison[f"model {i + 1}", f"model {j + 1}"]
        alone = op.methods.paired_t(losses[:, i], losses[:, j], lower_is_better=True, unit="items")
        for name in ("estimate", "stderr", "statistic", "pvalue"):
            assert getattr(pair, name) == pytest.approx(getattr(alone, name), rel=1e-12)


def test_naming_a_pair_the_other_way_round_turns_its_sign():
    rng = np.random.default_rng(2)
    comparison = op.methods.simultaneous(
        {"x": rng.random(20), "y": rng.random(20), "z": rng.random(20)}
    )
    there, back = comparison["x", "z"], comparison["z", "x"]
    assert there.estimate == -back.estimate
    assert there.pvalue == back.pvalue
    assert comparison.interval("x", "z").low == -comparison.interval("z", "x").high


@pytest.mark.requirement("F-10")
def test_simultaneous_p_values_agree_with_the_simultaneous_intervals():
    rng = np.random.default_rng(4)
    comparison = op.methods.simultaneous(rng.normal([0, 0.3, 0.8, 1.5], size=(25, 4)))
    low, high = comparison.intervals(0.95)
    excluded = (low > 0) | (high < 0)
    assert 0 < excluded.sum() < excluded.size
    assert ((comparison.adjusted() < 0.05) == excluded).all()


@pytest.mark.requirement("F-05")
@pytest.mark.requirement("B-26")
def test_holm_stands_beside_the_interval_of_each_pair_alone():
    rng = np.random.default_rng(6)
    correct = rng.random((300, 4)) < [0.6, 0.7, 0.75, 0.9]
    comparison = op.methods.all_pairs(correct)
    own = np.exp(comparison.log_pvalues())
    assert comparison.adjusted() == pytest.approx(op.methods.holm(own), rel=1e-12)
    low, high = comparison.intervals(0.95)
    each = comparison["model 1", "model 2"].interval(0.95)
    assert (low[0], high[0]) == pytest.approx(tuple(each), rel=1e-12)
    low, high = op.methods.all_pairs(correct, adjust="single-step").intervals(0.95)
    shared = comparison["model 1", "model 2"].interval(1 - 0.05 / 6)
    assert (low[0], high[0]) == pytest.approx(tuple(shared), rel=1e-12)


@pytest.mark.requirement("D-16")
def test_all_pairs_equal_mcnemar_pair_by_pair():
    rng = np.random.default_rng(8)
    y = rng.integers(0, 3, 120)
    predictions = {f"m{m}": np.where(rng.random(120) < 0.7, y, 1) for m in range(5)}
    comparison = op.methods.all_pairs(y, predictions)
    for a, b in combinations(predictions, 2):
        pair, alone = comparison[a, b], op.methods.mcnemar(y, predictions[a], predictions[b])
        assert pair.statistic == pytest.approx(alone.statistic, rel=1e-12)
        assert pair.pvalue == pytest.approx(alone.pvalue, rel=1e-12)
        assert tuple(pair.interval()) == pytest.approx(tuple(alone.interval()), rel=1e-10)
    stacked = np.column_stack([predictions[m] == y for m in predictions])
    q = op.methods.cochran_q(stacked).statistic
    assert comparison.details["cochran_q"] == pytest.approx(q, rel=1e-12)
    differ = stacked[:, 0] != stacked[:, 1]
    assert comparison.details["disagreement"][0] == differ.mean()


def test_groups_never_hold_two_models_that_are_told_apart():
    rng = np.random.default_rng(9)
    comparison = op.methods.simultaneous(rng.standard_normal((60, 8)) + np.linspace(0, 1.5, 8))
    apart = comparison.told_apart()
    for group in comparison.groups():
        for a, b in combinations(group, 2):
            assert not apart[comparison.names.index(a), comparison.names.index(b)]
    assert {name for group in comparison.groups() for name in group} == set(comparison.names)


@pytest.mark.requirement("F-04")
@pytest.mark.requirement("B-25")
@pytest.mark.parametrize(
    ("n", "rate", "expected"),
    [(20, 0.641514077591, 1.0), (23, 0.692643132275, 1.15), (92, 0.99107575085, 4.6)],
)
def test_the_familywise_error_of_unadjusted_tests(n, rate, expected):
    found = op.methods.familywise_error(n, 0.05)
    assert float(found) == pytest.approx(rate, rel=1e-11)
    assert found.expected == pytest.approx(expected, rel=1e-12)


def test_a_pair_that_does_not_vary_has_no_interval_and_no_p_value():
    rng = np.random.default_rng(13)
    a = rng.random(20)
    comparison = op.methods.simultaneous({"a": a, "b": a + 0.5, "c": rng.random(20)})
    assert comparison.interval("a", "b") is None
    assert comparison["a", "b"].pvalue is None
    assert "OP102" in [note.code for note in comparison["a", "b"].notes]
    row = comparison.rows()[0]
    assert (row["low"], row["adjusted"], row["verdict"]) == (None, None, "no decision")


def test_adjusted_p_values_beyond_underflow_keep_their_logarithm():
    losses = np.random.default_rng(0).normal([0, 1, 2], 1e-3, (4000, 3))
    comparison = op.methods.simultaneous(losses, lower_is_better=True)
    assert np.isfinite(comparison.log_adjusted()).all()
    assert (comparison.log_adjusted() < -1000).all()


def test_labelled_tables_are_aligned_by_label_and_say_so():
    rng = np.random.default_rng(14)
    items = [f"item {i}" for i in range(50)]
    a, b = (pd.Series(rng.integers(0, 2, 50), items) for _ in range(2))
    straight, mixed = (
        op.methods.all_pairs({"a": a, "b": s}) for s in (b, b.sample(50, random_state=1))
    )
    assert mixed["a", "b"].pvalue == straight["a", "b"].pvalue
    assert "OP002" in [note.code for note in mixed.notes]
    rows, columns = list("abcd"), items[:9]
    losses = [pd.DataFrame(rng.random((4, 9)), rows, columns) for _ in range(2)]
    turned = losses[1].iloc[::-1, ::-1]
    assert op.methods.quasi_f(losses[0], turned).pvalue == op.methods.quasi_f(*losses).pvalue


def test_a_model_is_not_compared_with_itself():
    comparison = op.methods.simultaneous(np.random.default_rng(1).random((9, 3)))
    for call in (comparison.interval, lambda a, b: comparison[a, b]):
        with pytest.raises(MethodError, match="itself"):
            call("model 1", "model 1")


def test_results_of_every_family_survive_being_sent():
    table = np.random.default_rng(2).integers(0, 2, (40, 3))
    for family in (
        op.methods.pooled_intervals(table),
        op.methods.simultaneous(table),
        op.methods.all_pairs(table),
    ):
        again = pickle.loads(pickle.dumps(family["model 1", "model 2"]))
        assert str(again) == str(family["model 1", "model 2"])


def test_a_comparison_prints_each_pair_the_groups_and_the_notes():
    rng = np.random.default_rng(1)
    scores = {"a<b>": rng.random(30), "b": rng.random(30) + 1, "c": rng.random(30) + 1}
    comparison = op.methods.simultaneous(scores, lower_is_better=True)
    text = str(comparison)
    assert "3 learners: score" in text
    assert ", 3 pairs of 30 values, " in text
    assert "best first: a<b> > " in text
    assert "a&lt;b&gt;" in comparison._repr_html_()
    assert comparison.to_frame().height == 3
    assert json.loads(comparison.to_json())["groups"][0] == ["a<b>"]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: op.methods.simultaneous([1.0, 2.0]), "shape (n_items, k)"),
        (lambda: op.methods.simultaneous(), "means=, covariance= and n="),
        (lambda: op.methods.pooled_intervals([[0.5, 1], [0, 1]]), "losses[0, 0] must be 0 or 1"),
        (lambda: op.methods.pooled_intervals([3, 4], n=10), "together"),
        (
            lambda: op.methods.simultaneous(means=[1, 2], covariance=[[1, 2], [3, 4]], n=5),
            "symmetric",
        ),
        (lambda: op.methods.all_pairs([[1], [0]]), "At least 2 models"),
        (lambda: op.methods.all_pairs([0, 1], [1, 2]), "mapping"),
    ],
)
def test_tables_that_cannot_be_read_are_refused_with_what_is_needed(call, words):
    with pytest.raises(DataError, match=None) as caught:
        call()
    assert words in str(caught.value)
