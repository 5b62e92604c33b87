"""Notes, names and directions that stand beside a number."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import outperform as op

ERRORS = np.random.default_rng(0).normal(0.2, 0.03, (10, 10))


LESS = ERRORS - 0.05 + np.random.default_rng(1).normal(0, 0.02, (10, 10))


def by_error(**more: Any) -> op.Scores:
    """Scores of `a`, which errs less than `b`."""
    rows = {"a": LESS, "b": ERRORS, **more}
    return op.Scores.from_arrays(rows, design="10x10cv", metric="error", lower_is_better=True)


def test_no_two_notes_share_a_code() -> None:
    from collections import Counter

    from outperform.notes import _ALL

    assert [code for code, times in Counter(note.code for note in _ALL).items() if times > 1] == []


def test_arrays_of_losses_say_the_direction_too() -> None:
    found = op.methods.corrected_t(LESS, ERRORS, design="10x10cv", lower_is_better=True)
    assert not found.greater_is_better
    assert found.to_dict()["greater_is_better"] is False


# α, the region of equivalence and single runs.


def wavering() -> op.Scores:
    """Repeats whose p-values lie about .03: they agree at .2 and at .0001, and not at .05."""
    rng = np.random.default_rng(8)
    gaps = rng.normal(0.02, 0.018, (10, 10))
    base = rng.normal(0.8, 0.01, (10, 10))
    return op.Scores.from_arrays({"a": base + gaps, "b": base}, design="10x10cv", metric="accuracy")


def test_single_repeats_are_asked_about_equivalence_too() -> None:
    found = op.compare(wavering())
    (plain,), (within,) = found.robustness(0.05), found.robustness(0.05, rope=0.1)
    assert found.verdict("a", "b", rope=0.1) == "equivalent"
    assert within.whole == "equivalent"
    assert within.otherwise == 0
    assert within.verdicts == {
        "first better": 0,
        "second better": 0,
        "no decision": 0,
        "equivalent": 10,
    }
    assert plain.whole == "first better"
    assert plain.to_dict()["equivalent"] is None
    (some,) = found.robustness(0.05, rope=0.03)
    assert sum(some.verdicts.values()) == 10
    assert 0 < some.verdicts["equivalent"] < 10
    assert some.conclusions == plain.conclusions  # who wins is counted apart
    assert found.to_dict(rope=0.1)["robustness"][0]["equivalent"] == 10


@pytest.mark.requirement("B-06")
def test_a_family_names_the_pairs_that_scored_the_same() -> None:
    found = op.compare({"a": LESS, "b": ERRORS, "c": ERRORS.copy()}, design="10x10cv")
    (note,) = [note for note in found.notes if note.code == "OP101"]
    assert "b vs. c" in note.text
    assert [n.code for n in found["b", "c"].notes].count("OP101") == 1
    assert "OP101" not in {n.code for n in found["a", "b"].notes}


@pytest.mark.parametrize(
    ("metric", "share"),
    [
        ("accuracy", True),
        ("test_accuracy", True),
        ("Error Rate", True),
        ("f1_macro", True),
        ("roc_auc_ovr_weighted", True),
        ("log_loss", False),
        ("r2", False),
        ("score", False),
        ("neg_log_loss", False),
        ("mean squared error", False),
    ],
)
def test_which_metrics_have_ends(metric: str, share: bool) -> None:
    from outperform.report.formatting import is_share

    assert is_share(metric) is share


def test_names_that_differ_by_what_is_not_seen_are_told_apart() -> None:
    plain, turned, broken = "forest", "for\u202eest", "for\nest"
    found = op.compare(
        {plain: LESS, turned: ERRORS, broken: ERRORS + 0.02 * LESS}, design="10x10cv"
    )
    said = str(found)
    assert "for<U+202E>est" in said
    assert "for<U+000A>est" in said
    assert "\u202e" not in said


@pytest.mark.parametrize("fitted", [True, False])
def test_a_metric_of_a_whole_test_set_is_judged_by_item_losses_and_noted(fitted: bool) -> None:
    from sklearn.dummy import DummyRegressor
    from sklearn.linear_model import LinearRegression

    X = np.linspace(0, 6, 200)[:, None]
    y = np.sin(X[:, 0]) + X[:, 0]
    models = {"line": LinearRegression(), "mean": DummyRegressor()}
    if fitted:
        models = {name: model.fit(X, y) for name, model in models.items()}
    more = {"fitted": True} if fitted else {"design": "holdout@1/3", "random_state": 0}
    for scoring, noted in (("r2", True), ("neg_mean_squared_error", False)):
        pair = op.compare(models, X, y, scoring=scoring, **more)
        alone = op.estimate(models["line"], X, y, scoring=scoring, **more)
        for judged in (pair, alone):
            assert ("OP406" in {note.code for note in judged.notes}) == noted
