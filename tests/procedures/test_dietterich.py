"""Dietterich's tests give the numbers of his paper, with the errata said."""

import json
import math
from itertools import product

import numpy as np
import places
import pytest
from launching import run_here

import outperform as op
from outperform.numerics.distributions import Chi2, Normal, T

GOLDEN = json.loads((places.GOLDEN / "dietterich.json").read_text("utf-8"))
CONSTANTS = {row["name"].split(" (")[0]: row for row in GOLDEN["constants"]}
TABLES, SMALL, PAIRED, TWOFOLD, ACCURACY, QUASI = (f["input"] for f in GOLDEN["fixtures"])
EXPECTED = [fixture["expected"] for fixture in GOLDEN["fixtures"]]


def exactly(value):
    return pytest.approx(value, rel=1e-11)


def counts(cells):
    return [[cells["n00"], cells["n01"]], [cells["n10"], cells["n11"]]]


def codes(result):
    return {note.code for note in result.notes}


@pytest.mark.requirement("D-16", "D-19", "D-22", "D-23", "D-24")
@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("chi2_{1,0.95}", lambda: Chi2(1).isf(0.05)),
        ("Z_0.975", lambda: Normal().isf(0.025)),
        ("t_{29,0.975}", lambda: T(29).isf(0.025)),
        ("t_{9,0.975}", lambda: T(9).isf(0.025)),
        ("t_{5,0.975}", lambda: T(5).isf(0.025)),
    ],
)
def test_critical_constants_are_those_printed(name, found):
    golden = CONSTANTS[name]
    assert found() == exactly(golden["value"])
    if golden["printed"] is not None:
        decimals = len(golden["printed"].partition(".")[2])
        assert f"{found():.{decimals}f}" == golden["printed"]


@pytest.mark.requirement("D-16", "D-18", "D-39")
@pytest.mark.parametrize("side", ["left", "right"])
def test_mcnemar_on_the_example_tables(side):
    example = GOLDEN["examples"][side]
    golden = example["mcnemar"]
    for variant, statistic, p in (
        ("continuity", "chi2_corrected", "p_corrected"),
        ("plain", "chi2_uncorrected", "p_uncorrected"),
        ("exact", None, "p_exact_binomial"),
        ("mid-p", None, "p_mid"),
    ):
        result = op.methods.mcnemar(table=example["counts"], variant=variant)
        assert result.pvalue == exactly(golden[p])
        if statistic:
            assert result.statistic == exactly(golden[statistic])


@pytest.mark.requirement("D-39", "D-54")
def test_the_proportions_test_cannot_tell_the_example_tables_apart_but_mcnemar_can():
    left, right = (GOLDEN["examples"][side]["counts"] for side in ("left", "right"))
    plain = [op.methods.proportions(table=table) for table in (left, right)]
    # The paper's z is of error rates, A − B: ours is oriented, so positive.
    assert [r.statistic for r in plain] == [exactly(2.82842712475)] * 2
    assert all(r.pvalue < 0.005 for r in plain)
    assert all(r.estimate == pytest.approx(0.20) for r in plain)
    assert op.methods.mcnemar(table=left).verdict() == "no decision"
    assert op.methods.mcnemar(table=right).pvalue < 0.001
    assert "OP303" in codes(plain[0])
    assert "OP303" not in codes(plain[1])


@pytest.mark.requirement("D-39")
def test_the_left_example_is_not_significant_only_because_of_the_correction():
    """E-D2: the paper adds the continuity correction without saying so."""
    left = GOLDEN["examples"]["left"]["counts"]
    assert op.methods.mcnemar(table=left).pvalue == exactly(0.057433119632)
    assert op.methods.mcnemar(table=left, variant="plain").pvalue == exactly(0.0455002638964)


@pytest.mark.requirement("D-16", "D-18")
@pytest.mark.parametrize("cells", [TABLES, SMALL], ids=["100 items", "20 items"])
def test_mcnemar_fixtures(cells):
    golden = EXPECTED[0]["mcnemar"] if cells is TABLES else EXPECTED[1]
    corrected = op.methods.mcnemar(table=counts(cells))
    assert corrected.statistic == exactly(golden["chi2_corrected"])
    assert corrected.df == 1
    assert corrected.pvalue == exactly(golden["p_corrected"])
    assert op.methods.mcnemar(table=counts(cells), variant="exact").pvalue == exactly(
        golden["p_exact_binomial"]
    )
    assert op.methods.mcnemar(table=counts(cells), variant="mid-p").pvalue == exactly(
        golden["p_mid"]
    )
    assert ("OP104" in codes(corrected)) == (cells is SMALL)


@pytest.mark.requirement("D-16")
def test_mcnemar_without_discordant_items_has_p_one():
    for variant in ("continuity", "plain", "exact", "mid-p"):
        result = op.methods.mcnemar(table=[[20, 0], [0, 80]], variant=variant)
        assert result.pvalue == 1
        assert "OP101" in codes(result)


@pytest.mark.requirement("D-16", "D-20")
@pytest.mark.parametrize("equal", [1, 7, 10**6])
def test_equal_discordant_counts_have_statistic_0_whatever_the_correction(equal):
    table = [[3, equal], [equal, 5]]
    for result in (
        op.methods.mcnemar(table=table),
        op.methods.proportions(table=table, variant="corrected"),
    ):
        assert (result.statistic, result.pvalue) == (0, 1)


@pytest.mark.requirement("D-17")
def test_expected_counts_share_the_discordant_items():
    assert op.methods.mcnemar(table=counts(TABLES)).details["expected"].tolist() == [
        [20, 10],
        [10, 60],
    ]


@pytest.mark.requirement("D-17")
def test_an_odd_discordant_item_is_shared_in_halves_whatever_the_type_of_the_counts():
    cells = op.extend.Contingency(20, 5, 14, 60)
    assert op.methods.mcnemar.on(cells).details["expected"].tolist() == [[20, 9.5], [9.5, 60]]


@pytest.mark.requirement("D-15", "D-16")
def test_any_number_of_classes_reduces_to_right_and_wrong():
    truth = ["ant", "bee", "cat", "cat", "ant"]
    first = ["ant", "bee", "dog", "cat", "bee"]
    second = ["ant", "cat", "ant", "bee", "ant"]
    assert op.methods.mcnemar(truth, first, second).details["table"].tolist() == [[1, 1], [2, 1]]


@pytest.mark.requirement("D-19", "D-20", "D-21")
def test_difference_of_proportions_fixture():
    golden = EXPECTED[0]["difference_of_proportions"]
    plain = op.methods.proportions(table=counts(TABLES))
    assert plain.statistic == exactly(-golden["z"])  # error rates there, accuracies here
    assert plain.stderr == exactly(golden["se"])
    assert plain.pvalue == exactly(golden["p_two_sided"])
    assert (plain.details["p_A"], plain.details["p_B"]) == (golden["p_A"], golden["p_B"])
    corrected = op.methods.proportions(table=counts(TABLES), variant="corrected")
    assert corrected.stderr == exactly(golden["se_corrected"])
    assert corrected.statistic == exactly(EXPECTED[0]["mcnemar"]["z_prime"])
    fisher = op.methods.proportions(table=counts(TABLES), variant="exact")
    assert fisher.pvalue == exactly(golden["p_fisher_exact_unpaired"])


@pytest.mark.requirement("D-20")
def test_the_corrected_z_is_the_root_of_mcnemars_statistic():
    for n01, n10 in product((0, 1, 5, 40), (0, 2, 15, 60)):
        table = [[20, n01], [n10, 60]]
        z = op.methods.proportions(table=table, variant="corrected").statistic
        assert z**2 == pytest.approx(op.methods.mcnemar(table=table).statistic, rel=1e-13)


@pytest.mark.requirement("D-22", "D-23")
@pytest.mark.parametrize("method", ["resampled_t", "kfold_t"])
def test_paired_t_fixture(method):
    golden = EXPECTED[2]
    errors_b = np.full(10, 0.25)
    errors_a = errors_b + PAIRED
    result = getattr(op, method)(errors_a, errors_b, lower_is_better=True)
    assert result.estimate == exactly(-golden["mean"])
    assert result.statistic == exactly(-golden["t"])
    assert result.stderr**2 * golden["n"] == exactly(golden["variance"])
    assert result.df == golden["df"]
    assert result.pvalue == exactly(golden["p_two_sided"])


@pytest.mark.requirement("D-24")
def test_5x2cv_fixture():
    golden = EXPECTED[3]
    result = op.methods.five_by_two_t(TWOFOLD)
    assert result.statistic == exactly(golden["t"])
    assert result.df == golden["df"]
    assert result.pvalue == exactly(golden["p_two_sided"])
    assert result.details["s2"] == exactly(np.array(golden["s2"]))
    assert result.details["differences"].tolist() == TWOFOLD
    assert "OP302" in codes(result)


CONTRADICTED = np.array([[0.2, 0.19], [-0.2, -0.21], [-0.1, -0.11], [-0.1, -0.1], [-0.05, -0.04]])
"""The first difference is far above 0 by its standard error, and the mean of all below it."""


@pytest.mark.parametrize("turn", [1, -1])
@pytest.mark.parametrize("variant", ["dietterich", "grand-mean"])
def test_nothing_is_decided_where_the_first_difference_contradicts_the_mean(turn, variant):
    found = op.methods.five_by_two_t(turn * CONTRADICTED, variant=variant)
    assert (found.pvalue < 0.05) is (variant == "dietterich")
    for rope in (None, 0.5):
        verdict = found.verdict(rope=rope)
        assert (verdict.outcome, bool(verdict.not_worse)) == ("no decision", False)
        assert found.to_dict(rope=rope)["verdict"] == "no decision"
    assert "OP319" in codes(found)
    greater = op.methods.five_by_two_t(turn * CONTRADICTED, alternative="greater")
    assert greater.verdict() == "no decision"
    other = op.methods.five_by_two_t(np.abs(CONTRADICTED))
    assert other.verdict() == "outperforms"
    assert "OP319" not in codes(other)


def test_a_mean_of_exactly_nothing_does_not_confirm_the_first_difference():
    balanced = np.array([[0.3, 0.3], [-0.3, -0.3], [0.1, 0.1], [-0.1, -0.1], [0.01, -0.01]])
    found = op.methods.five_by_two_t(balanced)
    assert found.pvalue < 0.05
    assert found.verdict() == "no decision"


def test_the_mean_and_the_first_difference_are_counted_from_the_value_tested():
    found = op.methods.five_by_two_t(CONTRADICTED + 0.3, mu0=0.3)
    assert (found.verdict(), "OP319" in codes(found)) == ("no decision", True)
    assert "OP319" not in codes(op.methods.five_by_two_t(CONTRADICTED + 0.3))


@pytest.mark.parametrize("k", [2, 3])
def test_a_family_decides_nothing_there_either(k, tmp_path, capsys):
    models = {"a": 0.5 + CONTRADICTED, "b": np.full((5, 2), 0.5), "c": np.full((5, 2), 0.1)}
    models["c"][1, 0] += 0.01
    models = {name: models[name].ravel() for name in "abc"[:k]}
    scores = op.Scores.from_arrays(models, design="5x2cv")
    found = op.compare(scores, method="five_by_two_t")
    assert found["a", "b"].pvalue < 0.05
    assert found.verdict("a", "b") == found["a", "b"].verdict() == "no decision"
    assert found.verdict("b", "a", rope=0.5).not_worse is False
    assert found.to_dict()["pairs"][0]["verdict"] == "no decision"
    assert not found.told_apart()[0, 1]
    assert any({"a", "b"} <= {*group} for group in found.groups())
    assert "OP319" in codes(found)
    assert "OP319" in codes(found["a", "b"])
    ranks = found.rank_sets(level=0.9)
    assert set(ranks.tied_for_first) >= {"a", "b"}
    if k == 3:
        assert found.verdict("b", "c") == "outperforms"
    table, path = np.stack([*models.values()], axis=1), tmp_path / "scores.csv"
    np.savetxt(path, table, "%.6g", ",", header=",".join(models), comments="")
    run_here("compare", str(path), "--design", "5x2cv", "--method", "five_by_two_t", "--json")
    made = json.loads(capsys.readouterr().out)
    pair = made if k == 2 else made["pairs"][0]
    assert pair["verdict"] == "no decision"
    assert pair["pvalue"] < 0.05


@pytest.mark.requirement("D-24")
def test_fewer_than_30_items_in_a_test_set_are_flagged():
    assert "OP103" in codes(op.methods.five_by_two_t(TWOFOLD, n_train=29, n_test=29))
    assert "OP103" not in codes(op.methods.five_by_two_t(TWOFOLD, n_train=30, n_test=30))


@pytest.mark.requirement("D-26")
@pytest.mark.parametrize("method", [op.methods.five_by_two_t, op.methods.five_by_two_f])
@pytest.mark.parametrize(("replications", "noted"), [(4, True), (5, False), (10, True)])
def test_another_number_of_replications_than_five_is_noted(method, replications, noted):
    rng = np.random.default_rng(3)
    a, b = 0.8 + 0.02 * rng.normal(size=(2, replications, 2))
    alone = method(a, b)
    scores = op.Scores.from_arrays({"a": a, "b": b, "c": b - 0.01}, design=f"{replications}x2cv")
    whole = op.compare(scores, method=method.name)
    for found in (alone, whole, whole["a", "c"]):
        told = [note for note in found.notes if note.code == "OP312"]
        assert [note.text.split()[0] for note in told] == [str(replications)] * noted
    assert "10x10cv" in op.explain("OP312").text


@pytest.mark.requirement("D-26")
@pytest.mark.parametrize("replications", [1, 2, 3, 10])
def test_r_replications_have_r_degrees_of_freedom(replications):
    differences = np.tile([[0.02, -0.01]], (replications, 1))
    result = op.methods.five_by_two_t(differences)
    assert result.df == replications
    assert result.statistic == exactly(0.02 / math.sqrt(0.00045))


@pytest.mark.requirement("D-25")
def test_the_assumptions_are_said():
    said = op.methods.five_by_two_t.__doc__
    assert "approximately normal" in said


@pytest.mark.requirement("D-27")
def test_a_single_fold_on_top_of_the_spread_of_all():
    result = op.methods.single_fold_t(PAIRED)
    assert result.statistic == exactly(0.01 / math.sqrt(EXPECTED[2]["variance"]))
    assert result.df == 9
    assert "OP206" in codes(result)


@pytest.mark.requirement("D-02")
@pytest.mark.parametrize("variant", ["normal", "wilson", "clopper-pearson"])
def test_binomial_interval_fixture(variant):
    golden = EXPECTED[4][variant.replace("-", "_")]
    result = op.methods.accuracy_interval(ACCURACY["correct"], ACCURACY["n"], variant=variant)
    assert tuple(result.interval(0.95)) == exactly(golden)
    assert result.pvalue is None
    assert result.verdict() == "no decision"


@pytest.mark.requirement("D-02")
def test_all_items_right_leave_an_interval_and_nothing_to_warn_of():
    result = op.methods.accuracy_interval(10, 10)
    assert result.interval(0.95).high == 1
    assert result.notes == ()


@pytest.mark.requirement("D-02")
@pytest.mark.parametrize("variant", ["wilson", "clopper-pearson"])
def test_one_accuracy_is_not_equivalent_to_anything(variant):
    with pytest.raises(op.MethodError, match="equivalen"):
        op.methods.accuracy_interval(83, 100, variant=variant).equivalence(0.01)


@pytest.mark.requirement("D-09")
def test_quasi_f_fixture():
    golden = EXPECTED[5]
    result = op.methods.quasi_f(QUASI["loss_A"], QUASI["loss_B"], lower_is_better=True)
    assert result.estimate == exactly(-golden["mean_difference"])
    assert result.statistic == exactly(golden["F"])
    assert result.df == exactly((golden["df1"], golden["df2"]))
    assert result.pvalue == exactly(golden["p"])
    found = [result.details[name] for name in ("MSA", "MSB", "MSE", "SSm")]
    named = ("MSA_training_sets", "MSB_test_cases", "MSE_interaction", "SS_mean")
    assert found == exactly([golden[name] for name in named])


@pytest.mark.slow
@pytest.mark.requirement("D-36")
@pytest.mark.parametrize("epsilon", GOLDEN["exact_type_I"]["rows"])
def test_the_size_of_the_hold_out_tests_is_exact(epsilon):
    """Every table of 100 test items, weighted by its chance under the designed population.

    Half of the items have error rates ε/2 (A) and 3ε/2 (B), half the reverse.
    """
    golden = GOLDEN["exact_type_I"]["rows"][epsilon]
    e = float(epsilon)
    p00 = 0.75 * e * e
    p01 = p10 = e - p00
    n = 100
    cells = np.array(
        [(i, j, k) for i in range(n + 1) for j in range(n + 1 - i) for k in range(n + 1 - i - j)],
        dtype=float,
    )
    n00, n01, n10 = cells.T
    n11 = n - n00 - n01 - n10
    log_factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
    log_chance = log_factorial[n] + sum(
        count * math.log(p) - log_factorial[count.astype(int)]
        for count, p in ((n00, p00), (n01, p01), (n10, p10), (n11, 1 - p00 - p01 - p10))
    )
    chance = np.exp(log_chance)
    tables = np.stack([n00, n01, n10, n11], axis=-1).reshape(-1, 2, 2)
    for method, variant, name in (
        (op.methods.mcnemar, "continuity", "mcnemar_corrected"),
        (op.methods.mcnemar, "plain", "mcnemar_uncorrected"),
        (op.methods.mcnemar, "exact", "mcnemar_exact_binomial"),
        (op.methods.mcnemar, "mid-p", "mcnemar_midp"),
        (op.methods.proportions, "plain", "difference_of_proportions_z"),
    ):
        p = method.batch(table=tables, variant=variant).pvalue()
        assert chance[p < 0.05].sum() == pytest.approx(golden[name], abs=1.5e-6)


@pytest.mark.requirement("D-53")
def test_error_rates_that_vary_wildly_between_replications_are_flagged():
    steady = np.array([[0.30, 0.32], [0.28, 0.31], [0.33, 0.29], [0.31, 0.30], [0.30, 0.28]])
    wild = steady + np.array([[0.0], [0.5], [0.1], [-0.2], [0.3]])
    assert "OP301" in codes(op.methods.five_by_two_t(wild, wild + 0.01 * steady))
    assert "OP301" not in codes(op.methods.five_by_two_t(steady, steady + 0.01 * steady))


@pytest.mark.requirement("D-54")
def test_different_regions_of_poor_performance_near_one_half_are_flagged():
    assert "OP303" in codes(op.methods.proportions(table=[[2, 45], [43, 10]]))
    assert "OP303" not in codes(op.methods.proportions(table=[[40, 5], [7, 48]]))
    assert "OP303" not in codes(op.methods.proportions(table=[[0, 6], [4, 90]]))


@pytest.mark.requirement("D-11")
def test_tests_over_datasets_carry_their_warning():
    for method in (op.methods.sign_test, op.methods.wilcoxon):
        assert "OP304" in codes(method([0.1, 0.2, 0.3], [0.0, 0.3, 0.1], unit="datasets"))


@pytest.mark.requirement("D-14")
def test_hold_out_tests_do_not_account_for_the_choice_of_training_data():
    assert "training data" not in op.methods.mcnemar.accounts_for
    assert "training data" in op.methods.five_by_two_t.accounts_for
    assert set(op.methods.quasi_f.accounts_for) == {
        *("test data", "training data", "internal randomness", "label noise"),
    }


@pytest.mark.requirement("D-55")
def test_the_recommendations_are_the_papers():
    assert op.methods.five_by_two_t.standing == op.methods.mcnemar.standing == "recommended"
    assert op.methods.kfold_t.standing == "reference"
    for method in (op.methods.resampled_t, op.methods.proportions):
        assert method.standing == "discouraged"
    assert "OP201" in codes(op.methods.resampled_t([0.1, 0.2, 0.4]))
    assert "OP205" in codes(op.methods.proportions(table=[[1, 2], [3, 4]]))


@pytest.mark.requirement("D-58")
def test_training_runs_are_the_papers():
    named = ("mcnemar", "proportions", "resampled_t", "kfold_t", "five_by_two_t")
    assert [getattr(op, name).fits for name in named] == [1, 1, 30, 10, 10]
