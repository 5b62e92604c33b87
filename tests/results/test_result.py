"""Results as users see them: text, HTML, JSON, frames and verdicts."""

import copy
import json
import math
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

import outperform as op

A = [0.81, 0.79, 0.84, 0.80, 0.83, 0.78, 0.82, 0.85, 0.80, 0.81]
B = [0.80, 0.76, 0.85, 0.78, 0.83, 0.80, 0.80, 0.82, 0.77, 0.80]
RESULTS = {
    "corrected_t": lambda: op.methods.corrected_t(A, B, design="10cv", names=("forest", "tree")),
    "corrected_t_one_sided": lambda: op.methods.corrected_t(
        A, B, design="10cv", alternative="greater"
    ),
    "kfold_t": lambda: op.methods.kfold_t({"forest": A, "tree": B}),
    "against_a_value": lambda: op.methods.corrected_t(A, design="10cv", mu0=0.75),
    "five_by_two_t": lambda: op.methods.five_by_two_t(np.reshape(A, (5, 2)), np.reshape(B, (5, 2))),
    "five_by_two_f": lambda: op.methods.five_by_two_f(np.reshape(A, (5, 2)), np.reshape(B, (5, 2))),
    "mcnemar": lambda: op.methods.mcnemar(table=[[20, 5], [15, 60]]),
    "mcnemar_exact": lambda: op.methods.mcnemar(table=[[1, 1], [7, 11]], variant="exact"),
    "proportions": lambda: op.methods.proportions(table=[[0, 40], [60, 0]]),
    "accuracy_interval": lambda: op.methods.accuracy_interval(83, 100),
    "identical": lambda: op.methods.kfold_t(A, A),
    "constant": lambda: op.methods.kfold_t([0.81, 0.94, 0.75], [0.80, 0.93, 0.74]),
    "tiny_p": lambda: op.methods.mcnemar(table=[[0, 0], [3000, 5]], variant="exact"),
    "hostile_names": lambda: op.methods.kfold_t({"<script>\x1b[31m": A, "=1+1\u202e\\input{x}": B}),
}
KEYS = [
    "schema",
    "method",
    "names",
    "metric",
    "design",
    "n",
    "estimate",
    "stderr",
    "statistic",
    "df",
    "pvalue",
    "low",
    "high",
    "level",
    "alternative",
    "verdict",
    "notes",
    "seed",
    "versions",
]


@pytest.mark.parametrize(
    "name", ["corrected_t", "against_a_value", "mcnemar", "identical", "hostile_names"]
)
def test_results_print_as_they_did(name, snapshot):
    result = RESULTS[name]()
    snapshot(f"result_{name}", f"{result!r}\n\n{result}\n\n{result._repr_html_()}")


@pytest.mark.parametrize("name", RESULTS)
def test_json_has_the_common_vocabulary_and_no_nan(name):
    found = json.loads(RESULTS[name]().to_json())
    assert set(KEYS) <= set(found)
    assert all(not isinstance(v, float) or math.isfinite(v) for v in found.values())


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_is_one_row_of_a_frame(name):
    frame = RESULTS[name]().to_frame()
    assert frame.height == 1
    assert {"first", "second", "estimate", "pvalue", "verdict"} <= set(frame.columns)


def test_the_block_keeps_its_order():
    lines = str(RESULTS["corrected_t"]()).splitlines()[1:]
    order = ["mean", "effect", "interval", "test", "verdict", "note"]
    assert [line.split()[0] for line in lines if line[2] != " "] == order


def test_a_result_cannot_be_changed():
    result = RESULTS["corrected_t"]()
    with pytest.raises(FrozenInstanceError):
        result.alternative = "greater"


def test_results_survive_copying_and_sending_to_a_worker():
    for make in RESULTS.values():
        result = make()
        for again in (copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
            assert str(again) == str(result)


def test_hostile_names_show_as_text():
    result = RESULTS["hostile_names"]()
    assert "\x1b" not in str(result)
    assert "\u202e" not in repr(result)
    assert "<script>" not in result._repr_html_()
    assert json.loads(result.to_json())["names"] == ["<script>\x1b[31m", "=1+1\u202e\\input{x}"]


def test_a_p_value_too_small_for_a_float_is_never_shown_as_zero():
    result = RESULTS["tiny_p"]()
    assert result.log_pvalue == pytest.approx(-2999 * math.log(2), rel=1e-12)
    assert "10^−902" in str(result)


def verdicts(estimate, spread=0.01, **asked):
    scores = estimate + spread * np.array([-1, 1, -1, 1, 0, 0, 1, -1, 1, -1])
    return op.methods.corrected_t(scores, design="10cv").verdict(**asked).outcome


@pytest.mark.parametrize(
    ("estimate", "asked", "outcome"),
    [
        (0.05, {}, "outperforms"),
        (-0.05, {}, "outperformed"),
        (0.001, {}, "no decision"),
        (0.001, {"rope": 0.05}, "equivalent"),
        (0.02, {"rope": 0.05}, "equivalent"),
        (0.05, {"rope": 0.05}, "outperforms"),
        (0.008, {"alpha": 0.05}, "no decision"),
        (0.008, {"alpha": 0.2}, "outperforms"),
    ],
)
def test_the_verdict_follows_alpha_and_rope(estimate, asked, outcome):
    assert verdicts(estimate, **asked) == outcome


def test_a_verdict_equals_its_outcome_and_keeps_what_was_asked():
    verdict = RESULTS["kfold_t"]().verdict(alpha=0.1, rope=0.2)
    assert verdict == "equivalent"
    assert (verdict.alpha, verdict.rope) == (0.1, 0.2)


def test_one_sided_alternatives_give_one_sided_intervals():
    greater = RESULTS["corrected_t_one_sided"]().interval(0.95)
    assert greater.high == math.inf
    two_sided = RESULTS["corrected_t"]().interval(0.90)
    assert greater.low == pytest.approx(two_sided.low, rel=1e-12)


def test_probabilities_add_up_and_agree_with_the_one_sided_p():
    result = RESULTS["corrected_t"]()
    p = result.probabilities(0.01)
    assert sum(p) == pytest.approx(1)
    tiny = result.probabilities(1e-12)
    one_sided = op.methods.corrected_t(A, B, design="10cv", alternative="greater").pvalue
    assert tiny.worse == pytest.approx(one_sided, rel=1e-6)


def test_equivalence_agrees_with_the_interval_of_twice_alpha():
    result = RESULTS["corrected_t"]()
    low, high = result.interval(0.90)
    rope = max(abs(low), abs(high))
    assert result.equivalence(rope) == pytest.approx(0.05, rel=1e-9)


def test_the_verdict_of_ranks_and_signs_follows_their_p_value_and_so_does_the_pseudomedian():
    ties = np.array([0.0] * 12 + [0.01] * 10 + [-0.01])
    assert op.methods.sign_test(ties, np.zeros(23), unit="datasets").verdict() == "outperforms"
    opposed = np.r_[-np.arange(1, 27), np.arange(27, 51)] / 1000
    assert (
        np.median(opposed)
        < 0
        < op.methods.wilcoxon(opposed, np.zeros(50), unit="datasets").estimate
    )
    assert op.methods.wilcoxon(opposed, np.zeros(50), unit="datasets").verdict() == "outperforms"


def test_a_difference_beyond_a_value_decides_only_on_the_way_to_it():
    a, b = [0.80, 0.81, 0.79, 0.82, 0.80], [0.80, 0.80, 0.80, 0.81, 0.81]
    below = op.methods.corrected_t(a, b, mu0=0.05, design="5cv")
    assert below.pvalue < 0.05
    assert below.verdict() == "no decision"
    assert "below 0.05" in str(below.verdict())
    assert below.to_dict()["mu0"] == 0.05
    ahead = op.methods.corrected_t(np.array(a) + 0.1, b, mu0=0.05, design="5cv")
    assert str(ahead.verdict()).startswith("A outperforms B by more than 0.05")


def test_one_side_is_equivalent_to_the_value_it_was_tested_against():
    one = op.methods.corrected_t([0.80, 0.81, 0.79, 0.82, 0.80], mu0=0.80, design="5cv")
    assert one.verdict(rope=0.05) == "equivalent"
    assert one.probabilities(0.05).equivalent > 0.99
    assert "values from" in str(one.verdict())


def test_an_omnibus_test_names_no_winner():
    table = (np.random.default_rng(1).random((80, 4)) < [0.3, 0.6, 0.7, 0.9]).astype(int)
    q = op.methods.cochran_q(table)
    assert q.pvalue < 0.001
    assert q.verdict() == "no decision"
    assert "4 models differ" in str(q.verdict())


def test_what_was_asked_of_a_method_is_kept_with_its_result():
    result = op.methods.mcnemar(table=[[20, 5], [15, 60]], variant="mid-p")
    assert result.to_dict()["options"] == {"variant": "mid-p"}
    assert "McNemar's test (mid-p)" in str(result)


def test_probabilities_are_not_taken_for_predictions():
    with pytest.raises(op.DataError):
        op.methods.mcnemar([0, 1] * 50, np.random.default_rng(0).random(100), [0, 1] * 50)


def test_sizes_that_contradict_the_design_are_refused():
    with pytest.raises(op.DataError, match="n_test / n_train is"):
        op.methods.corrected_t(A, B, design="10cv", n_train=90, n_test=20)
    with pytest.raises(op.DataError, match="10 entries"):
        op.methods.corrected_t(A, B, n_train=[90, 90], n_test=10)


def test_every_public_name_is_there():
    for name in op.__all__:
        assert hasattr(op, name), name
