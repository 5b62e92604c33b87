"""Whether a test says the same again: all of Bouckaert & Frank that can be checked."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from itertools import combinations_with_replacement, permutations

import numpy as np
import places
import pytest
from hypothesis import given
from hypothesis import strategies as st

import outperform as op
from outperform.procedures import replicability as replication

GOLDEN = json.loads((places.GOLDEN / "bouckaert_frank.json").read_text(encoding="utf-8"))
PAIRS = GOLDEN["table1"]["columns"]
N_DATASETS, N = 27, 10

requirement = pytest.mark.requirement


def close(value: float) -> object:
    return pytest.approx(value, rel=1e-9)


def counts(pair: str) -> list[int]:
    """Return how many of 10 repetitions do not reject on each dataset (Table 1)."""
    return [row[PAIRS.index(pair)] for row in GOLDEN["table1"]["rows"].values()]


def possible_r(consistent: int, almost: int) -> set[float]:
    """Return every R, to three decimals, that 27 datasets with these summaries can have."""
    found = set()
    known = [0] * consistent + [1] * (almost - consistent)
    for others in combinations_with_replacement((2, 3, 4, 5), N_DATASETS - almost):
        summary = op.methods.replicability([*known, *others], N)
        assert (summary.consistent, summary.almost_consistent) == (consistent, almost)
        found.add(round(summary.R, 3))
    return found


POSSIBLE: dict[tuple[int, int], set[float]] = {}


def feasible(consistent: int, almost: int, printed: float) -> bool:
    if consistent > almost:
        return False
    if (consistent, almost) not in POSSIBLE:
        POSSIBLE[consistent, almost] = possible_r(consistent, almost)
    return printed in POSSIBLE[consistent, almost]


@requirement("R-06")
@pytest.mark.parametrize("n", [10, 5])
def test_agreement_of_pairs(n: int) -> None:
    expected = GOLDEN["pair_agreement"][str(n)]
    assert replication.pair_agreement(range(n + 1), n) == close(np.array(expected))
    assert [replication.pair_agreement(k, n) for k in range(n + 1)] == close(expected)


@requirement("R-06")
def test_agreement_falls_below_one_half() -> None:
    assert replication.pair_agreement(5, 10) == close(4 / 9)
    assert replication.pair_agreement(1, 2) == 0


@requirement("R-06")
@given(st.integers(2, 2**53), st.data())
def test_agreement_is_exact_for_huge_numbers_of_repetitions(n: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(0, n))
    pairs = Fraction(math.comb(k, 2) + math.comb(n - k, 2), math.comb(n, 2))
    assert replication.pair_agreement(k, n) == float(pairs)
    assert replication.pair_agreement(n - k, n) == float(pairs)


@requirement("R-04", "R-05", "R-07", "R-16")
@pytest.mark.parametrize("pair", PAIRS)
def test_table_1_gives_its_own_summaries(pair: str) -> None:
    found = op.methods.replicability(counts(pair), N)
    expected, printed = (GOLDEN["table1"][key][pair] for key in ("recomputed", "printed_summary"))
    assert found.consistent == expected["consistent"] == printed["consistent"]
    assert found.almost_consistent == expected["almost_consistent"]
    assert found.almost_consistent == printed["almost_consistent"]
    assert found.R == found.estimate == close(expected["R"])
    assert round(found.R, 3) == printed["R"]
    assert (found.n_datasets, found.n) == (N_DATASETS, N)


@requirement("R-07")
def test_counting_rejections_or_acceptances_is_the_same() -> None:
    accepted = np.array(counts("NB vs C4.5"))
    assert op.methods.replicability(accepted, N) == op.methods.replicability(N - accepted, N)


@requirement("R-07")
def test_the_standard_error_is_over_datasets() -> None:
    found = op.methods.replicability([0, 5, 9, 10], N)
    each = [1, 4 / 9, 0.8, 1]
    assert found.per_dataset == close(each)
    assert found.stderr == close(np.std(each, ddof=1) / 2)
    assert op.methods.replicability([3], N).stderr is None
    assert op.methods.replicability([0, 10, 0], N).stderr == 0


@requirement("R-16")
def test_less_than_half_are_consistent_and_less_than_two_thirds_almost() -> None:
    summaries = [op.methods.replicability(counts(pair), N) for pair in PAIRS]
    claims = GOLDEN["claims"]
    assert max(s.consistent_share for s in summaries) == close(claims["most_consistent_share"])
    almost = max(s.almost_consistent for s in summaries) / N_DATASETS
    assert almost == close(claims["most_almost_consistent_share"])


@pytest.mark.parametrize(
    "table",
    [
        pytest.param("table2", marks=requirement("R-17")),
        pytest.param("table3", marks=requirement("R-19")),
        pytest.param("table4", marks=requirement("R-21")),
    ],
)
@pytest.mark.parametrize("pair", PAIRS)
def test_every_surviving_triple_of_tables_2_to_4_is_possible(table: str, pair: str) -> None:
    row = GOLDEN[table][pair]
    triples = zip(row["consistent"], row["almost_consistent"], row["R"], strict=True)
    survived = [triple for triple in triples if triple[2] is not None]
    assert all(feasible(*triple) for triple in survived)
    assert len(survived) >= 2


def test_most_values_of_r_are_impossible_for_given_counts() -> None:
    printed = [R / 1000 for R in range(700, 1000)]
    assert not feasible(9, 14, 0.999)
    assert sum(feasible(24, 25, R) for R in printed) < 15


@requirement("R-17")
def test_the_scrambled_numbers_of_table_2_leave_two_readings_that_fit_the_text() -> None:
    golden = GOLDEN["table2_readings"]
    printed = GOLDEN["table2"]["C4.5 vs NN"]["R"]
    readings = [
        (order[:4], order[4:])
        for order in set(permutations(golden["numbers"]))
        if all(feasible(order[i], order[i + 4], printed[i]) for i in range(4))
    ]
    # R alone also allows 17 then 18 almost consistent; the text says that they fall by one.
    compatible = sorted([*map(list, reading)] for reading in readings if reading[1][0] == 18)
    assert compatible == sorted(golden["all_compatible"])
    falling = sorted([*map(list, reading)] for reading in readings if reading[1][:2] == (18, 17))
    row = GOLDEN["table2"]["C4.5 vs NN"]
    assert falling[0] == [row["consistent"], row["almost_consistent"]]
    assert len(falling) == 2


@requirement("R-19")
def test_the_lost_r_of_table_3_has_few_possible_values() -> None:
    row = GOLDEN["table3"]["C4.5 vs NN"]
    consistent, almost = row["consistent"][2], row["almost_consistent"][2]
    assert sorted(possible_r(consistent, almost)) == GOLDEN["table3"]["possible_5_runs"]
    at_5_percent = GOLDEN["table4"]["C4.5 vs NN"]["R"][GOLDEN["table4"]["alpha"].index(0.05)]
    assert feasible(row["consistent"][3], row["almost_consistent"][3], at_5_percent)


@requirement("R-25")
@pytest.mark.parametrize("test", [t for t, low in GOLDEN["table5"]["minimum"].items() if low])
def test_the_minima_of_table_5(test: str) -> None:
    shares = []
    for percent in GOLDEN["table5"]["rows"][test]:
        agreeing = round(10 * percent)
        found = op.methods.replicability([0] * agreeing + [5] * (1000 - agreeing), N)
        shares.append(round(100 * found.consistent_share, 1))
    assert shares == GOLDEN["table5"]["rows"][test]
    assert min(shares) == GOLDEN["table5"]["minimum"][test]


# The tests the paper compares


@requirement("R-10")
def test_corrected_resampled_t() -> None:
    given_, expected = (GOLDEN["corrected_resampled_t"][key] for key in ("input", "expected"))
    result = op.methods.corrected_t(
        given_["differences"], n_train=given_["n1"], n_test=given_["n2"]
    )
    check_t(result, expected)


@requirement("R-11")
def test_plain_t_over_repeated_cross_validation() -> None:
    golden = GOLDEN["repeated_kfold_t"]
    check_t(op.methods.repeated_kfold_t(golden["input"]), golden["expected"])


@requirement("R-12")
def test_corrected_t_over_repeated_cross_validation() -> None:
    golden = GOLDEN["corrected_repeated_kfold_t"]
    design = f"{golden['input']['r']}x{golden['input']['k']}cv"
    result = op.methods.corrected_t(golden["input"]["differences"], design=design)
    check_t(result, golden["expected"])


def check_t(result: op.Result, expected: dict[str, float]) -> None:
    assert (result.n, result.df) == (expected["n"], expected["df"])
    assert result.estimate == close(expected["mean"])
    assert result.statistic == close(expected["t"])
    assert result.pvalue == close(expected["p_two_sided"])


# Input and output


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: op.methods.replicability([1, 2], 1), "n must be at least 2.*got 1"),
        (
            lambda: op.methods.replicability([1, 2], [10, 10]),
            r"n must be at least 2.*got \[10, 10\]",
        ),
        (lambda: op.methods.replicability([1, 2], math.nan), "n is nan"),
        (
            lambda: op.methods.replicability([1, 11], 10),
            "counts must not exceed the number of repetitions n = 10, got 11",
        ),
        (
            lambda: op.methods.replicability([1, -1], 10),
            r"got -1 at counts\[1\], which is negative",
        ),
        (
            lambda: op.methods.replicability([1, 2.5], 10),
            r"got 2.5 at counts\[1\], which is not an integer",
        ),
        (lambda: op.methods.replicability([1, math.nan], 10), r"counts\[1\] is nan"),
        (lambda: op.methods.replicability([], 10), "counts must contain at least one number"),
        (lambda: op.methods.replicability([[1, 2]], 10), r"for each dataset, got shape \(1, 2\)"),
        (lambda: replication.pair_agreement(11, 10), "k must not exceed"),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(call: object, message: str) -> None:
    with pytest.raises(op.OutperformError, match=message):
        call()


def test_answers_print_as_sentences() -> None:
    found = op.methods.replicability(counts("NB vs C4.5"), N)
    assert str(found) == (
        "Replicability R = 0.737 (standard error 0.043) over 27 datasets with 10 repetitions each: "
        "consistent on 9, almost consistent on 14."
    )
    assert repr(found).startswith("Replicability(R=0.7366")
    assert "per_dataset" not in repr(found)
    assert json.loads(json.dumps(found.to_dict()))["n_datasets"] == 27
