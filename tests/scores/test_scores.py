"""Scores: built from arrays, mappings and predictions, and read by every kind of method."""

from dataclasses import replace

import numpy as np
import pytest

import outperform as op
from outperform import DataError, MethodError

RNG = np.random.default_rng(20)
TREE, BAYES = RNG.random((10, 10)), RNG.random((10, 10))


def test_scores_give_what_the_arrays_give():
    arrays = {"tree": TREE, "bayes": BAYES}
    scores = op.Scores.from_arrays(arrays, design="10x10cv", lower_is_better=False)
    by_scores = op.methods.corrected_t(scores)
    by_arrays = op.methods.corrected_t(TREE, BAYES, design="10x10cv", lower_is_better=False)
    assert by_scores.to_dict() == {**by_arrays.to_dict(), "names": ["tree", "bayes"]}
    assert op.methods.corrected_t(scores, "bayes", "tree").estimate == -by_arrays.estimate


def test_a_flat_array_takes_the_shape_of_its_design():
    flat = op.Scores.from_arrays({"a": TREE.ravel(), "b": BAYES.ravel()}, design="10x10cv")
    assert flat.addresses[57].tolist() == [0, 5, 7]
    assert (
        op.methods.corrected_t(flat).pvalue
        == op.methods.corrected_t(TREE, BAYES, design="10x10cv").pvalue
    )


def test_losses_are_turned_so_that_positive_is_better():
    errors = {"a": 1 - TREE, "b": 1 - BAYES}
    scores = op.Scores.from_arrays(errors, design="10x10cv", metric="error", lower_is_better=True)
    assert op.methods.corrected_t(scores).estimate == pytest.approx(
        op.methods.corrected_t(TREE, BAYES, design="10x10cv").estimate
    )


def test_recorded_sizes_win_over_the_design():
    """Σ n_test / Σ n_train of the splits that were run is what the correction uses (N-18)."""
    sizes = {"n_train": [90] * 15, "n_test": [10] * 14 + [40]}
    a, b = RNG.random(15), RNG.random(15)
    scores = op.Scores.from_arrays({"a": a, "b": b}, design="15xresampled@1/10", **sizes)
    assert scores.test_train_ratio == pytest.approx((14 * 10 + 40) / (15 * 90))
    d = a - b
    want = d.mean() / np.sqrt((1 / 15 + scores.test_train_ratio) * d.var(ddof=1))
    assert op.methods.corrected_t(scores).statistic == pytest.approx(want, rel=1e-12)


@pytest.mark.requirement("D-12")
@pytest.mark.requirement("D-13")
@pytest.mark.requirement("N-01")
@pytest.mark.requirement("N-02")
def test_squared_errors_and_log_losses_enter_as_losses():
    """0/1, squared and log losses are differences of losses to the same paired t."""
    y, a, b = RNG.standard_normal((3, 50))
    squared_a, squared_b = (y - a) ** 2, (y - b) ** 2
    result = op.methods.paired_t(squared_a, squared_b, lower_is_better=True, unit="items")
    assert result.estimate == pytest.approx((squared_b - squared_a).mean(), rel=1e-12)
    p_a, p_b = RNG.random((2, 50))
    result = op.methods.paired_t(-np.log(p_a), -np.log(p_b), lower_is_better=True, unit="items")
    assert result.estimate == pytest.approx(np.mean(np.log(p_a) - np.log(p_b)), rel=1e-12)


@pytest.mark.requirement("F-18")
def test_the_mean_prediction_error_of_a_classifier_is_its_share_of_wrong_items():
    y = np.array([0, 1, 1, 0, 1])
    scores = op.Scores.from_predictions(y, {"a": [0, 1, 0, 0, 1], "b": [1, 1, 1, 0, 0]})
    assert scores.values[:, 0].tolist() == [0.8, 0.6]
    assert scores.metric == "accuracy"


@pytest.mark.requirement("B-01")
def test_predictions_serve_every_holdout_method():
    y = RNG.integers(0, 3, 200)
    a, b = np.where(RNG.random(200) < 0.8, y, 0), np.where(RNG.random(200) < 0.7, y, 1)
    scores = op.Scores.from_predictions(y, {"a": a, "b": b})
    assert op.methods.mcnemar(scores).statistic == op.methods.mcnemar(y, a, b).statistic
    assert op.methods.proportions(scores).statistic == op.methods.proportions(y, a, b).statistic
    plain = op.methods.mcnemar(scores, variant="plain").statistic
    t = op.methods.paired_t(scores).statistic
    assert t**2 == pytest.approx(199 * plain / (200 - plain), rel=1e-10)
    assert op.methods.accuracy_interval(scores, "a").estimate == np.mean(a == y)
    assert op.methods.all_pairs(scores)["a", "b"].pvalue == pytest.approx(
        op.methods.mcnemar(scores).pvalue
    )
    by_arrays = op.methods.unpaired_interval((a == y).astype(float), (b == y).astype(float))
    assert op.methods.unpaired_interval(scores).stderr == pytest.approx(by_arrays.stderr, rel=1e-12)


@pytest.mark.requirement("N-04")
@pytest.mark.requirement("N-07")
@pytest.mark.requirement("N-19")
def test_a_run_of_paired_halves_serves_the_conservative_z():
    design = op.parse("3x4halves@1/10")
    splits = list(design.split(40))
    rng = np.random.default_rng(1)
    a, b = rng.random((2, len(splits)))
    scores = op.Scores(
        ("a", "b"),
        np.stack([a, b]),
        np.array([s[:3] for s in splits]),
        design=design,
    )
    d = a - b
    where = np.array([s[:3] for s in splits])
    whole = d[where[:, 0] == 0]
    halves = [
        [d[(where[:, 0] == m) & (where[:, 2] == h)].mean() for h in (0, 1)] for m in (1, 2, 3)
    ]
    by_scores, by_arrays = (
        op.methods.conservative_z(scores),
        op.methods.conservative_z(whole, halves),
    )
    assert by_scores.statistic == pytest.approx(by_arrays.statistic, rel=1e-12)
    assert by_scores.estimate == pytest.approx(whole.mean(), rel=1e-12)


@pytest.mark.requirement("D-11")
def test_scores_of_several_datasets_are_judged_over_datasets():
    values = RNG.random((2, 12))
    scores = op.Scores(
        ("a", "b"),
        values,
        np.stack([np.arange(12) * 0, np.arange(12) * 0, np.arange(12) % 2], 1),
        datasets=tuple(f"d{i // 2}" for i in range(12)),
    )
    means = values.reshape(2, 6, 2).mean(axis=2)
    assert op.methods.wilcoxon(scores).pvalue == op.methods.wilcoxon(*means, unit="datasets").pvalue
    assert "OP304" in [note.code for note in op.methods.sign_test(scores).notes]
    designed = replace(scores, design=op.parse("2cv"))
    assert op.methods.wilcoxon(designed).pvalue == op.methods.wilcoxon(scores).pvalue
    with pytest.raises(DataError, match="6 datasets"):
        op.methods.corrected_t(designed)


def test_scores_with_holes_are_refused_as_incomplete():
    scores = op.Scores(("a", "b"), RNG.random((2, 3)), np.array([[0, 0, 0], [0, 0, 1], [0, 1, 1]]))
    with pytest.raises(DataError, match="incomplete: only 3 of 4"):
        op.methods.kfold_t(scores)


def test_a_method_refuses_scores_of_a_design_it_does_not_name():
    scores = op.Scores.from_arrays({"a": TREE[0], "b": BAYES[0]}, design="5x2cv")
    assert op.methods.five_by_two_t(scores).df == 5
    with pytest.raises(MethodError, match="Use five_by_two_t"):
        op.methods.kfold_t(scores)


@pytest.mark.requirement("D-14")
@pytest.mark.requirement("D-58")
def test_every_method_states_its_sources_of_variation_and_its_cost():
    costs = {m.name: m.fits for m in op.methods.table()}
    assert costs["mcnemar"] == costs["proportions"] == 1
    assert costs["resampled_t"] == 30
    assert costs["kfold_t"] == costs["five_by_two_t"] == 10
    assert costs["conservative_z"] == 315  # E-N7
    sources = {m.name: m.accounts_for for m in op.methods.table()}
    assert "training data" not in sources["mcnemar"]
    assert {"test data", "training data"} <= set(sources["corrected_t"])
    assert len(sources["quasi_f"]) == 4


@pytest.mark.requirement("D-55")
@pytest.mark.requirement("B-29")
@pytest.mark.requirement("R-26")
@pytest.mark.requirement("N-32")
def test_the_papers_recommendations_are_in_the_registry():
    standing = {m.name: m.standing for m in op.methods.table()}
    for name in ("five_by_two_t", "mcnemar", "averaged_t", "corrected_t", "conservative_z"):
        assert standing[name] == "recommended"
    for name in ("resampled_t", "proportions", "repeated_kfold_t", "fisher_combination"):
        assert standing[name] == "discouraged"
    assert standing["kfold_t"] == "reference"


AUTO = {
    "holdout@1/3": "mcnemar",
    "10cv": "corrected_t",
    "10x10cv": "corrected_t",
    "30xresampled@1/3": "corrected_t",
    "5x2cv": "five_by_two_t",
    "55*10cv": "averaged_t",
    "10x15halves@1/10": "conservative_z",
    "8disjoint@200": "quasi_f",
    "loo": "mcnemar",
    "datasets": "wilcoxon",
}


@pytest.mark.parametrize("design", AUTO)
def test_the_default_method_is_a_look_up_by_design(design):
    from outperform.registry import default_method

    assert default_method(design) == AUTO[design]
    assert AUTO[design] in op.methods.table(design=design)


@pytest.mark.parametrize("name", op.methods.table().names)
def test_every_method_explains_itself(name):
    text = str(op.explain(name))
    method = op.explain(getattr(op, name))
    assert str(method) == text
    for part in ("paper:", "designs:", "standing:", f"{name}("):
        assert part in text


def test_every_note_code_explains_itself():
    from outperform.notes import NOTES

    for code, entry in NOTES.items():
        assert entry.explanation in str(op.explain(code.lower()))
        assert entry.severity in ("info", "caution", "warning")


DIFFERENCES = [0.01, 0.03, -0.01, 0.02, 0.0, 0.04, 0.02, -0.02, 0.03, 0.01]


@pytest.mark.requirement("B-02")
@pytest.mark.requirement("R-13")
def test_the_paired_t_of_ten_folds_is_the_mean_over_its_standard_error():
    z = np.array(DIFFERENCES)
    want = z.mean() / np.sqrt(((z - z.mean()) ** 2).sum() / (10 * 9))
    result = op.methods.kfold_t(DIFFERENCES)
    assert result.statistic == pytest.approx(want, rel=1e-12)
    assert result.df == 9
    assert op.methods.paired_t(DIFFERENCES, unit="items").statistic == result.statistic


@pytest.mark.requirement("R-09")
@pytest.mark.requirement("N-23")
@pytest.mark.parametrize("mu0", [0.0, 0.015, -0.2])
def test_5x2cv_against_any_value_moves_only_the_numerator(mu0):
    x = np.array(DIFFERENCES).reshape(5, 2)
    s2 = ((x - x.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    result = op.methods.five_by_two_t(x, mu0=mu0)
    assert result.statistic == pytest.approx((x[0, 0] - mu0) / np.sqrt(s2.mean()), rel=1e-12)
    assert result.df == 5


@pytest.mark.requirement("N-03")
@pytest.mark.requirement("N-27")
def test_one_models_scores_are_tested_against_a_hypothesised_mean():
    """The target is the expected score of the algorithm trained on n1 items, for A, B and A − B."""
    a, b = RNG.random((2, 15))
    sizes = {"n_train": 150, "n_test": 30}
    for scores, mu0 in ((a, 0.4), (b, 0.6), (a - b, 0.1)):
        result = op.methods.corrected_t(scores, mu0=mu0, **sizes)
        se = np.sqrt((1 / 15 + 30 / 150) * scores.var(ddof=1))
        assert result.statistic == pytest.approx((scores.mean() - mu0) / se, rel=1e-11)
        low, high = result.interval(1 - result.pvalue)
        assert min(abs(low - mu0), abs(high - mu0)) < 1e-9


@pytest.mark.requirement("F-24")
def test_hold_out_and_cross_validated_losses_feed_the_same_intervals():
    """Every item tested once, by one hold-out or by the folds of a cross-validation."""
    losses = RNG.gamma(2.0, size=(40, 3))
    folds = RNG.permutation(40)
    once, crossed = (
        op.methods.simultaneous(x, lower_is_better=True) for x in (losses, losses[folds])
    )
    for a, b in zip(once.intervals(), crossed.intervals(), strict=True):
        assert a == pytest.approx(b, rel=1e-12)
