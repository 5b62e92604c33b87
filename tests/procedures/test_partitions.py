"""What the partition does to a conclusion: all of Bradford & Brodley that can be checked."""

from __future__ import annotations

import json
import math

import numpy as np
import places
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import outperform as op
from outperform.results import partitions
from outperform.results.partitions import Conclusions, Tally

GOLDEN = json.loads((places.GOLDEN / "bradford_brodley.json").read_text(encoding="utf-8"))
T_VALUES = GOLDEN["averaged_t"]["input"]["t_values"]
COLUMNS = GOLDEN["table3"]["columns"]

requirement = pytest.mark.requirement


def close(value: float) -> object:
    return pytest.approx(value, rel=1e-9)


def folds_with_t(t_values: list[float], folds: int = 10) -> np.ndarray:
    """Return score differences, one row a partition, whose k-fold t values are the given ones."""
    noise = np.linspace(-0.03, 0.04, folds) ** 2
    noise -= noise.mean()
    spread = noise.std(ddof=1) / math.sqrt(folds)
    return noise + spread * np.asarray(t_values)[:, None]


def p_values(counts: list[int], *, varied: bool = True) -> list[float]:
    """Return signed p-values of partitions that lead to these conclusions."""
    second, none, first = counts
    middle = np.linspace(0.03, 0.49, none) if varied else np.full(none, 0.5)
    return [-0.01] * second + [float(p) for p in middle] + [0.02] * first


def column(table: str, name: str) -> dict[str, object]:
    at = COLUMNS.index(name)
    return {dataset: row[at] for dataset, row in GOLDEN[table]["rows"].items()}


# Signed significance


@requirement("B-05")
@pytest.mark.parametrize("df", [5, 9])
def test_a_signed_significance_is_the_one_tailed_p_with_the_winners_sign(df: int) -> None:
    t = np.array([0.3, 1.0, 2.5, 8.0, 40.0])
    expected = stats.t.sf(t, df)
    assert partitions.signed_significance(t, df) == close(expected)
    assert partitions.signed_significance(-t, df) == close(-expected)


@requirement("B-05", "B-16")
def test_the_smallest_p_of_table_2_needs_the_t_the_errata_say() -> None:
    golden = GOLDEN["t_of_one_in_100000"]
    assert partitions.signed_significance(-golden["df5"], 5) == close(-0.00001)
    assert partitions.signed_significance(-golden["df9"], 9) == close(-0.00001)


@requirement("B-06")
@pytest.mark.parametrize("zero", [0, 0.0, -0.0])
def test_no_difference_at_all_is_plus_one_half(zero: float) -> None:
    p = partitions.signed_significance(zero, 9)
    assert p == 0.5
    assert not partitions.significant(p)


@requirement("B-05")
def test_significant_at_5_percent_two_tailed_is_p_below_025() -> None:
    critical = stats.t.isf(0.025, 9)
    t = np.array([-critical - 1e-9, -critical + 1e-9, 0, critical - 1e-9, critical + 1e-9])
    p = partitions.signed_significance(t, 9)
    assert partitions.significant(p).tolist() == [True, False, False, False, True]
    assert partitions.significant(0.04, alpha=0.1)
    assert not partitions.significant(0.025)


def test_a_p_too_small_for_a_float_still_has_a_winner() -> None:
    p = partitions.signed_significance([-1e40, 1e40], 50)
    assert p.tolist() == [0.0, 0.0]
    assert partitions.conclusions(p) == (1, 0, 1)


@requirement("B-11")
def test_one_scale_runs_through_one_half_without_a_jump() -> None:
    t = np.linspace(-3, 3, 61)
    scale = partitions.one_sided(partitions.signed_significance(t, 9))
    assert scale == close(stats.t.sf(t, 9))


# Tables 2, 3 and 4


@requirement("B-16", "B-19", "B-20")
@pytest.mark.parametrize("name", COLUMNS)
def test_table_4_follows_from_tables_2_and_3(name: str) -> None:
    averaged = column("table2", name).values()
    reference = [partitions.conclusion(float(p)) for p in averaged]
    tally = partitions.against_reference(list(column("table3", name).values()), reference)
    assert list(tally) == GOLDEN["table4"]["printed"][name]


@requirement("B-20")
def test_table_4_does_not_follow_from_the_bolding_of_table_3() -> None:
    for at, name in enumerate(COLUMNS):
        bold = [partitions.CONCLUSIONS[row[at]] for row in GOLDEN["table3"]["bold"].values()]
        tally = partitions.against_reference(list(column("table3", name).values()), bold)
        assert list(tally) == GOLDEN["table4"]["from_bold"][name]


@requirement("B-20")
@pytest.mark.parametrize("source", ["from_table2", "from_bold"])
def test_one_conclusion_in_ten_is_wrong(source: str) -> None:
    wrong = total = 0
    for at, name in enumerate(COLUMNS):
        counts = list(column("table3", name).values())
        if source == "from_table2":
            words = [partitions.conclusion(float(p)) for p in column("table2", name).values()]
        else:
            words = [partitions.CONCLUSIONS[row[at]] for row in GOLDEN["table3"]["bold"].values()]
        tally = partitions.against_reference(counts, words)
        wrong, total = wrong + tally.incorrect, total + sum(tally)
    assert (wrong, total) == (GOLDEN["table4"]["incorrect"][source], GOLDEN["table4"]["total"])
    if source == "from_table2":
        assert wrong / total == close(GOLDEN["table4"]["rate"])


@requirement("B-19")
def test_the_triples_of_table_3_have_the_other_algorithm_first() -> None:
    agree = []
    for name in COLUMNS:
        for dataset, counts in column("table3", name).items():
            found = Conclusions(*counts)
            gap = found.first_better - found.second_better
            if gap:
                averaged = float(column("table2", name)[dataset])
                agree.append(math.copysign(1, averaged) == math.copysign(1, gap))
    golden = GOLDEN["unequal_ends"]
    assert len(agree) == golden["cells_with_unequal_ends"]
    assert sum(agree) == golden["agree_with_reversed_reading"]


@requirement("B-19")
@pytest.mark.parametrize("name", COLUMNS)
def test_counting_conclusions_gives_table_3_back(name: str) -> None:
    significant = 0
    for counts in column("table3", name).values():
        found = partitions.conclusions(p_values(counts))
        assert list(found) == counts
        significant += found.first_better + found.second_better
    assert significant == GOLDEN["significant_partitions"]["expected"][name]


@requirement("B-20")
def test_a_claim_for_the_wrong_side_is_an_error() -> None:
    tally = partitions.against_reference([2, 3, 5], "first better")
    assert tally == Tally(correct_accept=0, correct_reject=5, type_1=2, type_2=3)
    assert partitions.against_reference([2, 3, 5], "second better").incorrect == 8
    assert partitions.against_reference([2, 3, 5], "no decision") == (3, 0, 7, 0)


# Groups


@requirement("B-12", "B-13", "B-14")
@pytest.mark.parametrize("name", COLUMNS)
def test_groups_follow_from_table_3(name: str) -> None:
    groups: dict[str, list[str]] = {}
    labels = {"3": "3 or 4", "4": "3 or 4", "always": "always significant"}
    for dataset, counts in column("table3", name).items():
        group = partitions.partition_group(p_values(counts))
        groups.setdefault(labels.get(group, group), []).append(dataset)
    expected = {k: v for k, v in GOLDEN["groups"]["from_table3"][name].items() if v}
    assert groups == expected


@requirement("B-12", "B-13", "B-14")
def test_the_printed_groups_of_figure_1() -> None:
    printed = GOLDEN["groups"]["printed_TDDT2_1x10"]
    found = {group: [] for group in printed}
    for dataset, counts in column("table3", "TDDT-2 1x10CV").items():
        p = p_values(counts, varied=dataset not in printed["4"])
        found[partitions.partition_group(p)].append(dataset)
    assert found == printed


@requirement("B-14")
def test_rounding_about_no_difference_is_no_variation() -> None:
    assert partitions.partition_group([0.5, -0.5, 0.5, -0.5 + 1e-16]) == "4"
    assert partitions.partition_group([0.3, 0.3]) == "4"
    assert partitions.partition_group([0.3, 0.30001]) == "3"


def test_always_significant_needs_the_same_side() -> None:
    assert partitions.partition_group([0.001, 0.0]) == "always"
    assert partitions.partition_group([-0.001, -0.0]) == "always"
    assert partitions.partition_group([0.0, -0.0]) == "1"
    assert partitions.partition_group([0.02, 0.03]) == "2"
    assert partitions.partition_group([0.02, 0.03], alpha=0.1) == "always"


# Averaged t


@requirement("B-15")
def test_averaged_t_of_given_t_values() -> None:
    golden = GOLDEN["averaged_t"]
    df, expected = golden["input"]["df"], golden["expected"]
    result = partitions.averaged_from_t(T_VALUES, df=df)
    assert (result.statistic, result.df, result.n) == (close(expected["mean_t"]), df, 8)
    assert result.pvalue == close(expected["p_two_sided"])
    one_sided = partitions.averaged_from_t(T_VALUES, df=df, alternative="greater")
    assert one_sided.pvalue == close(expected["p_one_sided"])
    assert (result.verdict(0.05) == "outperforms") is expected["significant_at_0_05"]


@requirement("B-03", "B-15")
def test_averaged_t_of_scores_is_the_mean_of_the_t_values_of_partitions() -> None:
    golden = GOLDEN["averaged_t"]["expected"]
    result = op.averaged_t(folds_with_t(T_VALUES))
    assert result.statistic == close(golden["mean_t"])
    assert result.df == 9
    assert result.pvalue == close(golden["p_two_sided"])
    assert result.evidence.details["t_values"] == close(np.array(T_VALUES))


@requirement("B-15", "B-24")
@pytest.mark.parametrize("partition_count", GOLDEN["averaged_t_invariant"]["input"]["partitions"])
def test_averaging_the_same_partition_again_changes_nothing(partition_count: int) -> None:
    golden = GOLDEN["averaged_t_invariant"]
    df, p = golden["input"]["df"], golden["input"]["p_one_sided"]
    t = [stats.t.isf(p, df)] * partition_count
    given_t = partitions.averaged_from_t(t, df=df, alternative="greater")
    scores = op.averaged_t(folds_with_t(t), alternative="greater")
    assert given_t.pvalue == close(golden["expected"]["p_one_sided"])
    assert scores.pvalue == close(golden["expected"]["p_one_sided"])


@requirement("B-06", "B-15")
def test_a_partition_whose_folds_are_all_equal_counts_as_t_0() -> None:
    scores = np.vstack([folds_with_t([3.0, 4.0]), np.zeros((1, 10))])
    assert op.averaged_t(scores).statistic == close(7 / 3)


# Sufficiency


@requirement("B-17")
def test_sufficiency_with_the_single_tests_degrees_of_freedom() -> None:
    golden = GOLDEN["sufficiency"]["expected"]
    found = op.sufficiency(T_VALUES, df=9)
    assert found.statistic == close(golden["statistic_correct_df"])
    assert found.critical == close(golden["critical"])
    assert found.sufficient is golden["sufficient_correct_df"]
    assert found.conclusion == "first better"
    assert found.mean_t == close(GOLDEN["averaged_t"]["expected"]["mean_t"])
    assert found.pvalue == close(GOLDEN["averaged_t"]["expected"]["p_two_sided"])


@requirement("B-17")
def test_sufficiency_as_printed_is_there_on_request() -> None:
    golden = GOLDEN["sufficiency"]["expected"]
    found = op.sufficiency(T_VALUES, df=9, threshold_df=len(T_VALUES) - 1)
    assert found.statistic == close(golden["statistic_printed_df"])
    assert found.sufficient is golden["sufficient_printed_df"]


@requirement("B-17")
@pytest.mark.parametrize(
    ("df", "printed", "key"),
    [(9, None, "t_0_025_df9"), (5, None, "t_0_025_df5"), (9, 54, "t_0_025_df54")],
)
def test_the_threshold_is_that_of_the_single_test(df: int, printed: int | None, key: str) -> None:
    found = op.sufficiency(np.linspace(1, 3, 55), df=df, threshold_df=printed)
    assert found.threshold == close(GOLDEN["thresholds"]["expected"][key])


@requirement("B-17")
def test_a_negative_mean_is_the_mirror_image() -> None:
    first = op.sufficiency(T_VALUES, df=9, alpha=0.2)
    second = op.sufficiency(np.negative(T_VALUES), df=9, alpha=0.2)
    assert (first.conclusion, second.conclusion) == ("first better", "second better")
    assert first.sufficient
    assert second.sufficient
    assert second.statistic == first.statistic
    assert second.mean_t == -first.mean_t


@requirement("B-17")
def test_no_decision_is_secure_when_the_mean_is_far_below_the_threshold() -> None:
    found = op.sufficiency(T_VALUES, df=9, alpha=0.001)
    assert found.conclusion == "no decision"
    assert found.sufficient
    gap = stats.t.isf(0.0005, 9) - np.mean(T_VALUES)
    assert found.statistic == close(gap / stats.sem(T_VALUES))


@requirement("B-17", "B-28")
@pytest.mark.parametrize(("alpha", "alpha2"), [(0.05, 0.05), (0.04, 0.01), (0.2, 0.001)])
def test_the_number_needed_is_the_first_that_suffices(alpha: float, alpha2: float) -> None:
    found = op.sufficiency(T_VALUES, df=9, alpha=alpha, alpha2=alpha2)
    share = abs(np.mean(T_VALUES) - found.threshold) / np.std(T_VALUES, ddof=1)
    n = np.arange(2, found.needed + 1)
    enough = share * np.sqrt(n) > stats.t.isf(alpha2, n - 1)
    assert enough[-1]
    assert not enough[:-1].any()
    assert found.still_needed == max(found.needed - len(T_VALUES), 0)
    assert found.sufficient is (found.still_needed == 0)


@requirement("B-28")
def test_fewer_partitions_do_when_t_is_far_from_the_threshold() -> None:
    spread = np.linspace(-1, 1, 10)
    needed = [op.sufficiency(mean + spread, df=9).needed for mean in (2.4, 2.6, 3.0, 4.0)]
    assert needed == sorted(needed, reverse=True)
    assert needed[-1] < 10 < needed[0]


def test_equal_t_values_are_sufficient_without_a_statistic() -> None:
    for t in ([3.0, 3.0], [0.0] * 5, [3.0, 3.0 + 4e-16, 3.0], [0.0, 2e-309]):
        found = op.sufficiency(t, df=9)
        assert found.sufficient
        assert found.statistic is None
        assert found.needed == 2
        assert found.still_needed == 0


def test_a_mean_on_the_threshold_is_never_enough() -> None:
    threshold = op.sufficiency([1.0, 2.0], df=9).threshold
    for alpha2 in (0.05, 0.9):
        found = op.sufficiency([threshold - 0.5, threshold + 0.5], df=9, alpha2=alpha2)
        assert found.conclusion == "no decision"
        assert not found.sufficient
        assert found.needed is None
        assert found.still_needed is None
    assert "no number of partitions" in str(found)


def test_numbers_of_partitions_beyond_any_computer_are_still_numbers() -> None:
    found = op.sufficiency([1e200, -1e200], df=9)
    share = found.threshold / (math.sqrt(2) * 1e200)
    normal = 2 * (math.log10(stats.norm.isf(0.05)) - math.log10(share))
    assert math.log10(found.needed) == pytest.approx(normal)
    assert "more than a billion" in str(found)
    assert op.sufficiency(T_VALUES, df=9, alpha2=1e-300).needed > 16000


# Normal fit


@requirement("B-18")
def test_normal_fit_agrees_with_scipy() -> None:
    values = np.random.default_rng(1).normal(1.5, 0.7, 55)
    fit = partitions.normal_fit(values)
    assert (fit.mean, fit.sd) == (close(values.mean()), close(values.std(ddof=1)))
    distance = stats.kstest(values, stats.norm(values.mean(), values.std(ddof=1)).cdf).statistic
    assert fit.distance == close(distance)
    quantiles = stats.norm.ppf((np.arange(55) + 0.5) / 55)
    assert fit.correlation == close(stats.pearsonr(np.sort(values), quantiles).statistic)


@requirement("B-18")
def test_a_normal_curve_fits_t_values_better_than_p_values() -> None:
    t = stats.norm.ppf((np.arange(55) + 0.5) / 55, loc=1.8)
    p = partitions.one_sided(partitions.signed_significance(t, 9))
    good, poor = partitions.normal_fit(t), partitions.normal_fit(p)
    assert good.correlation > 0.999 > 0.9 > poor.correlation
    assert good.distance < 0.02 < 0.1 < poor.distance


def test_values_that_do_not_vary_have_no_fit() -> None:
    fit = partitions.normal_fit([0.5] * 55)
    assert (fit.mean, fit.sd, fit.distance, fit.correlation) == (0.5, 0, None, None)


# What the paper warns against


@requirement("B-21", "B-22")
@pytest.mark.parametrize("example", GOLDEN["chi2"]["examples"][:2])
def test_chi_square_combination_and_its_asymmetry(example: dict) -> None:
    result = op.fisher_combination(example["p"])
    assert result.statistic == close(example["recomputed"]["statistic"])
    assert result.df == 2 * len(example["p"])
    assert result.pvalue == close(example["recomputed"]["p"])
    assert any(note.code == "OP204" for note in result.notes)


@requirement("B-22")
def test_the_other_reference_algorithm_gives_the_other_example() -> None:
    one, other = GOLDEN["chi2"]["examples"][:2]
    swapped = op.fisher_combination(1 - np.array(one["p"]))
    assert swapped.pvalue == close(other["recomputed"]["p"])


@requirement("B-21", "B-24")
def test_55_times_one_quarter_is_called_significant() -> None:
    golden = GOLDEN["chi2"]["examples"][2]
    result = op.fisher_combination([golden["p"]] * golden["n"])
    assert result.statistic == close(golden["recomputed"]["statistic"])
    assert result.df == golden["recomputed"]["df"]
    assert result.pvalue == close(golden["recomputed"]["p"])
    assert stats.chi2.sf(result.statistic, 10) == close(GOLDEN["chi2"]["p_with_10_df"])


@requirement("B-23")
def test_wilcoxon_on_signed_significance() -> None:
    golden = GOLDEN["wilcoxon"]
    result = op.wilcoxon_combination(golden["input"])
    assert result.statistic == golden["expected"]["statistic"]
    assert result.evidence.details["positive_sum"] == golden["expected"]["positive_sum"]
    assert result.evidence.details["negative_sum"] == golden["expected"]["negative_sum"]
    assert result.pvalue == close(golden["expected"]["exact_two_sided_p"])


@requirement("B-23", "B-24")
@pytest.mark.parametrize(("count", "p"), GOLDEN["wilcoxon"]["same_sign"].items())
def test_wilcoxon_reaches_any_level_with_enough_partitions(count: str, p: float) -> None:
    assert op.wilcoxon_combination([0.25] * int(count)).pvalue == close(p)


@requirement("B-04")
def test_the_three_readings_of_5x2cv() -> None:
    scores, expected = GOLDEN["five_by_two"]["input"], GOLDEN["five_by_two"]["expected"]
    found = {
        "dietterich": op.five_by_two_t(scores),
        "bradford_printed_grand_mean": op.five_by_two_t(scores, variant="grand-mean"),
        "ordinary_paired_t_ten_pairs": op.repeated_kfold_t(scores),
    }
    for reading, result in found.items():
        assert result.statistic == close(expected[reading]["t"])
        assert result.df == expected[reading]["df"]
        assert result.pvalue == close(expected[reading]["p_two_sided"])
    s2 = found["dietterich"].evidence.details["s2"]
    assert s2 == close(np.array(expected["dietterich"]["s2"]))
    assert found["ordinary_paired_t_ten_pairs"].estimate == close(0.013)


# Input and output


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: op.sufficiency([2.0], df=9), r"at least 2 partitions, got shape \(1,\)"),
        (lambda: op.sufficiency([2.0, math.nan], df=9), r"t_values\[1\] is nan"),
        (lambda: op.sufficiency([2.0, math.inf], df=9), r"t_values\[1\] is inf"),
        (lambda: op.sufficiency([[2.0, 3.0]], df=9), r"got shape \(1, 2\)"),
        (lambda: op.sufficiency([2.0, 3.0], df=0), "df must be positive .*, got 0"),
        (
            lambda: op.sufficiency([2.0, 3.0], df=9, threshold_df=-1),
            "threshold_df must be positive .*, got -1",
        ),
        (
            lambda: op.sufficiency([2.0, 3.0], df=9, alpha=1),
            "'alpha' parameter must be strictly between 0 and 1, got 1",
        ),
        (
            lambda: op.sufficiency([2.0, 3.0], df=9, alpha2=0),
            "'alpha2' parameter must be strictly between 0 and 1, got 0",
        ),
        (lambda: op.partition_group([0.2, 0.7]), "signed_p contains ±0.7"),
        (lambda: op.partition_group([0.2]), r"at least 2 partitions, got shape \(1,\)"),
        (lambda: partitions.conclusions([None, 0.1]), r"signed_p\[0\] is None"),
        (
            lambda: partitions.conclusion([0.1, 0.2]),
            r"\'signed_p\' .* got an array of shape \(2,\)",
        ),
        (lambda: partitions.averaged_from_t([], df=9), "t_values must contain at least one number"),
        (lambda: partitions.averaged_from_t([1.0], df=9, alternative="up"), "unknown value 'up'"),
        (lambda: partitions.against_reference([1, 2], "no decision"), r"counts has shape \(2,\)"),
        (lambda: partitions.against_reference([1, 2, -3], "no decision"), r"got -3 at counts\[2\]"),
        (lambda: partitions.against_reference([1, 2, 3], "first"), "unknown value 'first'"),
        (lambda: partitions.normal_fit([1.0, 2.0]), "at least 3"),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(call: object, message: str) -> None:
    with pytest.raises(op.OutperformError, match=message):
        call()


@given(st.lists(st.floats(-1e300, 1e300), min_size=2, max_size=20), st.sampled_from([1, 5, 9, 99]))
def test_sufficiency_answers_any_finite_t_values(t_values: list[float], df: int) -> None:
    found = op.sufficiency(t_values, df=df)
    assert found.sufficient is (found.still_needed == 0)
    assert found.conclusion in partitions.CONCLUSIONS
    assert str(found)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["mean_t"] == found.mean_t


def test_answers_print_as_sentences() -> None:
    assert str(op.sufficiency(T_VALUES, df=9)) == (
        "First better: the mean of 8 t values is 2.413, the critical value is ±2.262 (p = 0.039). "
        "More partitions are needed: 33 in total, if mean and spread stay the same."
    )
    assert str(op.sufficiency(T_VALUES, df=9, alpha=0.2)).endswith(
        "The number of partitions is sufficient."
    )
    assert str(partitions.against_reference([2, 3, 5], "no decision")) == (
        "7 of 10 single partitions lead to a different conclusion than the average: "
        "7 Type I and 0 Type II errors."
    )
    found = partitions.conclusions(p_values([4, 51, 0]))
    assert str(found) == "First better 0 times, second better 4, no decision 51."
    assert found.to_dict() == {"second_better": 4, "no_decision": 51, "first_better": 0}
    fit = partitions.normal_fit(T_VALUES)
    assert str(fit) == (
        "Normal curve through 8 values: mean 2.413, sd 0.5027, largest gap 0.115, "
        "QQ correlation 0.9937."
    )
    assert str(partitions.normal_fit([1, 1, 1])).endswith("the values do not vary.")
    assert fit.to_dict()["n"] == 8
    assert "\n" not in repr(fit) + repr(op.sufficiency(T_VALUES, df=9))
