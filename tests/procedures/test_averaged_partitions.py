"""Averaged t, sufficiency and what Bradford & Brodley warn against, by their golden values."""

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

GOLDEN = json.loads((places.GOLDEN / "bradford_brodley.json").read_text(encoding="utf-8"))
T_VALUES = GOLDEN["averaged_t"]["input"]["t_values"]

requirement = pytest.mark.requirement


def close(value: float) -> object:
    return pytest.approx(value, rel=1e-9)


def folds_with_t(t_values: list[float], folds: int = 10) -> np.ndarray:
    """Return score differences, one row a partition, whose k-fold t values are the given ones."""
    noise = np.linspace(-0.03, 0.04, folds) ** 2
    noise -= noise.mean()
    spread = noise.std(ddof=1) / math.sqrt(folds)
    return noise + spread * np.asarray(t_values)[:, None]


# Averaged t


@requirement("B-03", "B-15")
def test_averaged_t_of_scores_is_the_mean_of_the_t_values_of_partitions() -> None:
    golden = GOLDEN["averaged_t"]["expected"]
    result = op.methods.averaged_t(folds_with_t(T_VALUES))
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
    scores = op.methods.averaged_t(folds_with_t(t), alternative="greater")
    assert scores.pvalue == close(golden["expected"]["p_one_sided"])


@requirement("B-06", "B-15")
def test_a_partition_whose_folds_are_all_equal_counts_as_t_0() -> None:
    scores = np.vstack([folds_with_t([3.0, 4.0]), np.zeros((1, 10))])
    assert op.methods.averaged_t(scores).statistic == close(7 / 3)


# Sufficiency


@requirement("B-17")
def test_sufficiency_with_the_single_tests_degrees_of_freedom() -> None:
    golden = GOLDEN["sufficiency"]["expected"]
    found = op.methods.sufficiency(T_VALUES, df=9)
    assert found.statistic == close(golden["statistic_correct_df"])
    assert found.critical == close(golden["critical"])
    assert found.sufficient is golden["sufficient_correct_df"]
    assert found.conclusion == "first better"
    assert found.mean_t == close(GOLDEN["averaged_t"]["expected"]["mean_t"])
    assert found.pvalue == close(GOLDEN["averaged_t"]["expected"]["p_two_sided"])


@requirement("B-17")
def test_sufficiency_as_printed_is_there_on_request() -> None:
    golden = GOLDEN["sufficiency"]["expected"]
    found = op.methods.sufficiency(T_VALUES, df=9, threshold_df=len(T_VALUES) - 1)
    assert found.statistic == close(golden["statistic_printed_df"])
    assert found.sufficient is golden["sufficient_printed_df"]


@requirement("B-17")
@pytest.mark.parametrize(
    ("df", "printed", "key"),
    [(9, None, "t_0_025_df9"), (5, None, "t_0_025_df5"), (9, 54, "t_0_025_df54")],
)
def test_the_threshold_is_that_of_the_single_test(df: int, printed: int | None, key: str) -> None:
    found = op.methods.sufficiency(np.linspace(1, 3, 55), df=df, threshold_df=printed)
    assert found.threshold == close(GOLDEN["thresholds"]["expected"][key])


@requirement("B-17")
def test_a_negative_mean_is_the_mirror_image() -> None:
    first = op.methods.sufficiency(T_VALUES, df=9, alpha=0.2)
    second = op.methods.sufficiency(np.negative(T_VALUES), df=9, alpha=0.2)
    assert (first.conclusion, second.conclusion) == ("first better", "second better")
    assert first.sufficient
    assert second.sufficient
    assert second.statistic == first.statistic
    assert second.mean_t == -first.mean_t


@requirement("B-17")
def test_no_decision_is_secure_when_the_mean_is_far_below_the_threshold() -> None:
    found = op.methods.sufficiency(T_VALUES, df=9, alpha=0.001)
    assert found.conclusion == "no decision"
    assert found.sufficient
    gap = stats.t.isf(0.0005, 9) - np.mean(T_VALUES)
    assert found.statistic == close(gap / stats.sem(T_VALUES))


@requirement("B-17", "B-28")
@pytest.mark.parametrize(("alpha", "alpha2"), [(0.05, 0.05), (0.04, 0.01), (0.2, 0.001)])
def test_the_number_needed_is_the_first_that_suffices(alpha: float, alpha2: float) -> None:
    found = op.methods.sufficiency(T_VALUES, df=9, alpha=alpha, alpha2=alpha2)
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
    needed = [op.methods.sufficiency(mean + spread, df=9).needed for mean in (2.4, 2.6, 3.0, 4.0)]
    assert needed == sorted(needed, reverse=True)
    assert needed[-1] < 10 < needed[0]


def test_equal_t_values_are_sufficient_without_a_statistic() -> None:
    for t in ([3.0, 3.0], [0.0] * 5, [3.0, 3.0 + 4e-16, 3.0], [0.0, 2e-309]):
        found = op.methods.sufficiency(t, df=9)
        assert found.sufficient
        assert found.statistic is None
        assert found.needed == 2
        assert found.still_needed == 0


def test_a_mean_on_the_threshold_is_never_enough() -> None:
    threshold = op.methods.sufficiency([1.0, 2.0], df=9).threshold
    for alpha2 in (0.05, 0.9):
        found = op.methods.sufficiency([threshold - 0.5, threshold + 0.5], df=9, alpha2=alpha2)
        assert found.conclusion == "no decision"
        assert not found.sufficient
        assert found.needed is None
        assert found.still_needed is None
    assert "no number of partitions" in str(found)


def test_numbers_of_partitions_beyond_any_computer_are_still_numbers() -> None:
    found = op.methods.sufficiency([1e200, -1e200], df=9)
    share = found.threshold / (math.sqrt(2) * 1e200)
    normal = 2 * (math.log10(stats.norm.isf(0.05)) - math.log10(share))
    assert math.log10(found.needed) == pytest.approx(normal)
    assert "more than a billion" in str(found)
    assert op.methods.sufficiency(T_VALUES, df=9, alpha2=1e-300).needed > 16000


# What the paper warns against


@requirement("B-21", "B-22")
@pytest.mark.parametrize("example", GOLDEN["chi2"]["examples"][:2])
def test_chi_square_combination_and_its_asymmetry(example: dict) -> None:
    result = op.methods.fisher_combination(example["p"])
    assert result.statistic == close(example["recomputed"]["statistic"])
    assert result.df == 2 * len(example["p"])
    assert result.pvalue == close(example["recomputed"]["p"])
    assert any(note.code == "OP204" for note in result.notes)


@requirement("B-22")
def test_the_other_reference_algorithm_gives_the_other_example() -> None:
    one, other = GOLDEN["chi2"]["examples"][:2]
    swapped = op.methods.fisher_combination(1 - np.array(one["p"]))
    assert swapped.pvalue == close(other["recomputed"]["p"])


@requirement("B-21", "B-24")
def test_55_times_one_quarter_is_called_significant() -> None:
    golden = GOLDEN["chi2"]["examples"][2]
    result = op.methods.fisher_combination([golden["p"]] * golden["n"])
    assert result.statistic == close(golden["recomputed"]["statistic"])
    assert result.df == golden["recomputed"]["df"]
    assert result.pvalue == close(golden["recomputed"]["p"])
    assert stats.chi2.sf(result.statistic, 10) == close(GOLDEN["chi2"]["p_with_10_df"])


@requirement("B-23")
def test_wilcoxon_on_signed_significance() -> None:
    golden = GOLDEN["wilcoxon"]
    result = op.methods.wilcoxon_combination(golden["input"])
    assert result.statistic == golden["expected"]["statistic"]
    assert result.evidence.details["positive_sum"] == golden["expected"]["positive_sum"]
    assert result.evidence.details["negative_sum"] == golden["expected"]["negative_sum"]
    assert result.pvalue == close(golden["expected"]["exact_two_sided_p"])


@requirement("B-23", "B-24")
@pytest.mark.parametrize(("count", "p"), GOLDEN["wilcoxon"]["same_sign"].items())
def test_wilcoxon_reaches_any_level_with_enough_partitions(count: str, p: float) -> None:
    assert op.methods.wilcoxon_combination([0.25] * int(count)).pvalue == close(p)


@requirement("B-04")
def test_the_three_readings_of_5x2cv() -> None:
    scores, expected = GOLDEN["five_by_two"]["input"], GOLDEN["five_by_two"]["expected"]
    found = {
        "dietterich": op.methods.five_by_two_t(scores),
        "bradford_printed_grand_mean": op.methods.five_by_two_t(scores, variant="grand-mean"),
        "ordinary_paired_t_ten_pairs": op.methods.repeated_kfold_t(scores),
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
        (lambda: op.methods.sufficiency([2.0], df=9), r"at least 2 partitions, got shape \(1,\)"),
        (lambda: op.methods.sufficiency([2.0, math.nan], df=9), r"t_values\[1\] is nan"),
        (lambda: op.methods.sufficiency([2.0, math.inf], df=9), r"t_values\[1\] is inf"),
        (lambda: op.methods.sufficiency([[2.0, 3.0]], df=9), r"got shape \(1, 2\)"),
        (lambda: op.methods.sufficiency([2.0, 3.0], df=0), "df must be positive .*, got 0"),
        (
            lambda: op.methods.sufficiency([2.0, 3.0], df=9, threshold_df=-1),
            "threshold_df must be positive .*, got -1",
        ),
        (
            lambda: op.methods.sufficiency([2.0, 3.0], df=9, alpha=1),
            "'alpha' parameter must be strictly between 0 and 1, got 1",
        ),
        (
            lambda: op.methods.sufficiency([2.0, 3.0], df=9, alpha2=0),
            "'alpha2' parameter must be strictly between 0 and 1, got 0",
        ),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(call: object, message: str) -> None:
    with pytest.raises(op.OutperformError, match=message):
        call()


@given(st.lists(st.floats(-1e300, 1e300), min_size=2, max_size=20), st.sampled_from([1, 5, 9, 99]))
def test_sufficiency_answers_any_finite_t_values(t_values: list[float], df: int) -> None:
    found = op.methods.sufficiency(t_values, df=df)
    assert found.sufficient is (found.still_needed == 0)
    assert found.conclusion in ("second better", "no decision", "first better")
    assert str(found)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["mean_t"] == found.mean_t


def test_answers_print_as_sentences() -> None:
    assert str(op.methods.sufficiency(T_VALUES, df=9)) == (
        "First better: the mean of 8 t values is 2.413, the critical value is ±2.262 (p = 0.039). "
        "More partitions are needed: 33 in total, if mean and spread stay the same."
    )
    assert str(op.methods.sufficiency(T_VALUES, df=9, alpha=0.2)).endswith(
        "The number of partitions is sufficient."
    )
    assert "\n" not in repr(op.methods.sufficiency(T_VALUES, df=9))
