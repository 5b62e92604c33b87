"""Strains: what the scores themselves say against the assumptions of the test."""

from dataclasses import replace

import numpy as np
import pytest

import outperform as op
from outperform.scores.split_scores import SplitLosses


def codes(comparison):
    return [note.code for note in comparison.notes]


def text_of(comparison, code):
    return next(note.text for note in comparison.notes if note.code == code)


def held_out(losses, loss="squared"):
    """Scores of one test set from losses (learners, items)."""
    k, n = losses.shape
    return op.Scores(
        tuple("abcdef"[:k]),
        -losses.mean(axis=1, keepdims=True),
        np.zeros((1, 3), dtype=np.int64),
        n_train=np.array([2.0 * n]),
        n_test=np.array([float(n)]),
        design=op.parse(f"holdout@{n}"),
        items=SplitLosses(loss, losses, np.zeros(n, dtype=np.int64), np.arange(n)),
    )


def series(rho, k, n, seed):
    """Independent series with lag-1 autocorrelation rho."""
    rng = np.random.default_rng(seed)
    out = rng.normal(size=(k, n))
    for i in range(1, n):
        out[:, i] = rho * out[:, i - 1] + np.sqrt(1 - rho**2) * out[:, i]
    return np.exp(out)


@pytest.mark.requirement("F-13")
def test_losses_of_a_series_are_flagged():
    comparison = op.compare(held_out(series(0.6, 3, 400, 1)))
    assert "OP309" in codes(comparison)
    assert "a vs. b, a vs. c, b vs. c" in text_of(comparison, "OP309")


@pytest.mark.requirement("F-13")
def test_independent_items_are_called_a_series_in_one_of_a_thousand_only():
    # Under independence 300 comparisons are flagged with probability .001 each; 5 of them or more
    # would come by chance in fewer than 1 of 50,000 cases.
    flagged = sum(
        "OP309" in codes(op.compare(held_out(np.random.default_rng(seed).gamma(2, size=(3, 120)))))
        for seed in range(300)
    )
    assert flagged < 5


@pytest.mark.requirement("F-13")
def test_only_what_differs_between_models_counts():
    shared = series(0.9, 1, 500, 2)
    own = np.random.default_rng(2).gamma(2, size=(2, 500))
    assert "OP309" not in codes(op.compare(held_out(shared + own)))


def test_items_sorted_by_class_are_no_series_where_the_classes_are_known():
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    rng = np.random.default_rng(5)
    y = np.repeat([0, 1, 2], 60)
    X = rng.normal(size=(180, 2)) + np.array([[0, 0], [0, 4], [4, 0]])[y]
    models = {"stump": DecisionTreeClassifier(max_depth=1), "bayes": GaussianNB()}
    comparison = op.compare(models, X, y, design="3x3cv", random_state=1)
    assert "OP309" not in codes(comparison)
    assert "OP309" not in codes(op.compare(comparison.scores))  # they know their targets
    assert "OP309" in codes(op.compare(replace(comparison.scores, target=None)))


DIRECT = {
    "paired_t": lambda losses: op.methods.paired_t(
        losses[0], losses[1], lower_is_better=True, unit="items"
    ),
    "differences": lambda losses: op.methods.paired_t(losses[1] - losses[0], unit="items"),
    "simultaneous": lambda losses: op.methods.simultaneous(losses.T, lower_is_better=True),
    "spherical": lambda losses: op.methods.simultaneous(
        losses.T, lower_is_better=True, spherical=True
    ),
    "pooled_intervals": lambda losses: op.methods.pooled_intervals((losses.T < 1).astype(int)),
}


@pytest.mark.requirement("F-13")
@pytest.mark.parametrize("judge", DIRECT.values(), ids=list(DIRECT))
def test_a_procedure_called_with_arrays_flags_a_series_and_spares_independent_items(judge):
    assert codes(judge(series(0.9, 3, 400, 1))).count("OP309") == 1
    assert "OP309" not in codes(judge(series(0.0, 3, 400, 1)))
    assert "OP309" not in codes(judge(series(0.9, 3, 29, 1)))  # too few to tell


@pytest.mark.requirement("F-13")
def test_the_lag_that_a_procedure_states_is_that_of_the_differences():
    losses = series(0.9, 2, 400, 1)
    d = losses[0] - losses[1] - (losses[0] - losses[1]).mean()
    want = f"(lag 1: {d[:-1] @ d[1:] / (d @ d):.2f}) for A vs. B;"
    found = op.methods.paired_t(losses[0], losses[1], lower_is_better=True, unit="items")
    assert want in text_of(found, "OP309")
    huge = op.methods.paired_t(
        losses[0] * 1e300, losses[1] * 1e300, lower_is_better=True, unit="items"
    )
    assert want in text_of(huge, "OP309")
    assert "OP309" not in codes(
        op.methods.paired_t(np.full(90, 0.8), np.full(90, 0.7), unit="items")
    )


@pytest.mark.requirement("F-13")
@pytest.mark.parametrize("name", ["simultaneous", "pooled_intervals", "paired_t"])
def test_a_procedure_says_of_scores_what_a_comparison_by_it_says(name):
    wrong = (series(0.9, 2, 400, 1) > 1).astype(float)
    scores = held_out(wrong, "zero-one")
    alone, compared = getattr(op, name)(scores), op.compare(scores, method=name)
    assert codes(compared).count("OP309") == 1
    assert text_of(alone, "OP309") == text_of(compared, "OP309")
    assert codes(compared["a", "b"]).count("OP309") == 1
    # A difference that depends on the class alone is none of neighbours.
    sorted_ = np.repeat([[0.0] * 200 + [1.0] * 200], 2, axis=0)
    sorted_[1] = 1 - sorted_[0]
    sorted_[:, ::7] = 0.0
    by_class = replace(held_out(sorted_, "zero-one"), target=np.repeat([0, 1], 200))
    assert "OP309" not in codes(getattr(op, name)(by_class))
    assert "OP309" not in codes(op.compare(by_class, method=name))
    assert "OP309" in codes(getattr(op, name)(replace(by_class, target=None)))


@pytest.mark.requirement("F-13")
def test_seeds_clusters_and_forecasts_are_not_taken_for_independent_items():
    first, second = series(0.9, 2, 400, 1)
    assert "OP309" not in codes(op.methods.paired_t(first, second, design="400seeds@1/3"))
    assert "OP309" not in codes(op.methods.diebold_mariano(first, second))
    assert "OP309" not in codes(
        op.methods.cluster_t(first, second, clusters=np.repeat(range(40), 10))
    )


@pytest.mark.requirement("D-53")
def test_a_model_whose_rates_jump_between_replications_is_named():
    rng = np.random.default_rng(6)
    steady, wild = 0.8 + 0.02 * rng.normal(size=(2, 5, 2))
    wild[2] -= 0.5
    made = {"steady": steady, "wild": wild}
    comparison = op.compare(op.Scores.from_arrays(made, design="5x2cv"))
    assert "Scores of wild range from" in text_of(comparison, "OP301")
    assert codes(comparison).count("OP301") == 1
    calm = {"steady": steady, "wild": wild + 0.5 * (np.arange(5) == 2)[:, None]}
    assert "OP301" not in codes(op.compare(op.Scores.from_arrays(calm, design="5x2cv")))


@pytest.mark.requirement("D-24")
@pytest.mark.parametrize(("size", "said"), [(29, True), (30, False)])
def test_test_sets_of_fewer_than_30_items_are_noted(size, said):
    rng = np.random.default_rng(7)
    made = {name: rng.random(10) for name in "ab"}
    scores = op.Scores.from_arrays(made, design="10cv", n_train=9 * size, n_test=size)
    assert ("OP103" in codes(op.compare(scores))) == said


@pytest.mark.requirement("F-17")
def test_pairs_that_few_items_decide_are_named():
    rng = np.random.default_rng(8)
    first = (rng.random(200) < 0.2).astype(float)
    second, third = first.copy(), (rng.random(200) < 0.4).astype(float)
    second[:4] = 1 - second[:4]
    comparison = op.compare(held_out(np.stack([first, second, third]), "zero-one"))
    assert "decide on a vs. b;" in text_of(comparison, "OP104")


@pytest.mark.requirement("B-17")
def test_partitions_that_do_not_suffice_say_how_many_more():
    rng = np.random.default_rng(9)
    base = 0.8 + 0.02 * rng.normal(size=(4, 10))
    made = {"a": base, "b": base - 0.014 + 0.02 * rng.normal(size=(4, 10))}
    comparison = op.compare(op.Scores.from_arrays(made, design="4*10cv"))
    (found,) = comparison.robustness()
    assert not found.sufficiency.sufficient
    want = f"{found.sufficiency.still_needed} more partitions are needed"
    assert text_of(comparison, "OP307").startswith(want)


def test_what_is_said_of_the_whole_is_said_of_each_pair():
    comparison = op.compare(held_out(series(0.6, 3, 400, 1)))
    assert "OP309" in [note.code for note in comparison["a", "c"].notes]
