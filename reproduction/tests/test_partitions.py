"""What the partition does to a conclusion: all of Bradford & Brodley that can be checked."""

from __future__ import annotations

import json
import math

import numpy as np
import places
import pytest
from scipy import stats

import outperform as op
from outperform.results.partitions import Conclusions, one_sided, signed_significance
from reproduction import partitions

GOLDEN = json.loads((places.GOLDEN / "bradford_brodley.json").read_text(encoding="utf-8"))
T_VALUES = GOLDEN["averaged_t"]["input"]["t_values"]
COLUMNS = GOLDEN["table3"]["columns"]

requirement = pytest.mark.requirement


def close(value: float) -> object:
    return pytest.approx(value, rel=1e-9)


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
    assert signed_significance(t, df) == close(expected)
    assert signed_significance(-t, df) == close(-expected)


@requirement("B-05", "B-16")
def test_the_smallest_p_of_table_2_needs_the_t_the_errata_say() -> None:
    golden = GOLDEN["t_of_one_in_100000"]
    assert signed_significance(-golden["df5"], 5) == close(-0.00001)
    assert signed_significance(-golden["df9"], 9) == close(-0.00001)


@requirement("B-06")
@pytest.mark.parametrize("zero", [0, 0.0, -0.0])
def test_no_difference_at_all_is_plus_one_half(zero: float) -> None:
    p = signed_significance(zero, 9)
    assert p == 0.5
    assert not partitions.significant(p)


@requirement("B-05")
def test_significant_at_5_percent_two_tailed_is_p_below_025() -> None:
    critical = stats.t.isf(0.025, 9)
    t = np.array([-critical - 1e-9, -critical + 1e-9, 0, critical - 1e-9, critical + 1e-9])
    p = signed_significance(t, 9)
    assert partitions.significant(p).tolist() == [True, False, False, False, True]
    assert partitions.significant(0.04, alpha=0.1)
    assert not partitions.significant(0.025)


def test_a_p_too_small_for_a_float_still_has_a_winner() -> None:
    p = signed_significance([-1e40, 1e40], 50)
    assert p.tolist() == [0.0, 0.0]
    assert partitions.conclusions(p) == (1, 0, 1)


@requirement("B-11")
def test_one_scale_runs_through_one_half_without_a_jump() -> None:
    t = np.linspace(-3, 3, 61)
    scale = one_sided(signed_significance(t, 9))
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
    assert tally == partitions.Tally(correct_accept=0, correct_reject=5, type_1=2, type_2=3)
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


@requirement("B-15", "B-24")
@pytest.mark.parametrize("partition_count", GOLDEN["averaged_t_invariant"]["input"]["partitions"])
def test_averaging_the_same_partition_again_changes_nothing(partition_count: int) -> None:
    golden = GOLDEN["averaged_t_invariant"]
    df, p = golden["input"]["df"], golden["input"]["p_one_sided"]
    t = [stats.t.isf(p, df)] * partition_count
    given_t = partitions.averaged_from_t(t, df=df, alternative="greater")
    assert given_t.pvalue == close(golden["expected"]["p_one_sided"])


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
    p = one_sided(signed_significance(t, 9))
    good, poor = partitions.normal_fit(t), partitions.normal_fit(p)
    assert good.correlation > 0.999 > 0.9 > poor.correlation
    assert good.distance < 0.02 < 0.1 < poor.distance


def test_values_that_do_not_vary_have_no_fit() -> None:
    fit = partitions.normal_fit([0.5] * 55)
    assert (fit.mean, fit.sd, fit.distance, fit.correlation) == (0.5, 0, None, None)


# Input and output


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: partitions.partition_group([0.2, 0.7]), "signed_p contains ±0.7"),
        (lambda: partitions.partition_group([0.2]), r"at least 2 partitions, got shape \(1,\)"),
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


def test_answers_print_as_sentences() -> None:
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
    assert "\n" not in repr(fit)
