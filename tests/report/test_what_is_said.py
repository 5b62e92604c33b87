"""What a reader is told beside a number: which way is better, which split it is of, and why an
interval may seem to disagree with its test."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import outperform as op
from outperform.report.html import page

ERRORS = np.random.default_rng(0).normal(0.2, 0.03, (10, 10))


def flat(shown: object) -> str:
    """Return what is printed in one line: where it wraps is another matter."""
    return " ".join(str(shown).split())


LESS = ERRORS - 0.05 + np.random.default_rng(1).normal(0, 0.02, (10, 10))


def by_error(**more: Any) -> op.Scores:
    """Scores of `a`, which errs less than `b`."""
    rows = {"a": LESS, "b": ERRORS, **more}
    return op.Scores.from_arrays(rows, design="10x10cv", metric="error", lower_is_better=True)


def test_no_two_notes_share_a_code() -> None:
    from collections import Counter

    from outperform.notes import _ALL

    assert [code for code, times in Counter(note.code for note in _ALL).items() if times > 1] == []


def test_an_error_is_said_to_be_lower_and_positive_to_be_better() -> None:
    said = str(op.methods.corrected_t(by_error(), "a", "b"))
    assert "a has the lower error: +0.0" in said
    assert "(lower error is better; positive: a is better)" in said
    turned = str(op.methods.corrected_t(by_error(), "b", "a"))
    assert "b has the higher error: −0.0" in turned
    assert "positive: b is better" in turned
    assert "a − b" not in said


def test_arrays_of_losses_say_the_direction_too() -> None:
    found = op.methods.corrected_t(LESS, ERRORS, design="10x10cv", lower_is_better=True)
    assert "A has the lower score: +" in str(found)
    assert repr(found).startswith("<corrected_t: A vs. B (positive: A is better) = +")
    assert not found.greater_is_better
    assert found.to_dict()["greater_is_better"] is False


HALVES = [[0.03, 0.01], [0.0, 0.02], [0.02, 0.04], [0.01, 0.01]]


@pytest.mark.parametrize(
    ("found", "second_line"),
    [
        (
            op.methods.conservative_z(
                [0.02, 0.01, 0.03, 0.02, 0.0], HALVES, names=("tree", "bayes")
            ),
            "mean ± sd tree − bayes 0.0160 ± 0.0114 (5 splits)",
        ),
        (
            op.methods.conservative_z(0.02, HALVES),
            "effect A − B: score +0.020",
        ),  # of how many is not known
        (op.methods.fisher_combination([0.2, 0.06, 0.11]), "p-values 3"),
        (op.methods.win_rate([1, 0.5, 1, 1], [0, 0.5, 0, 0]), "mean ± sd A 0.88 ± 0.25 (4 items)"),
        (
            op.methods.sampled_items_t([[1, 1], [0, 1]], [[0, 1], [0, 0]]),
            "mean ± sd A 0.75 ± 0.35 (2 items)",
        ),
    ],
)
def test_results_from_arrays_begin_with_what_is_known(found: op.Result, second_line: str) -> None:
    assert flat(str(found).splitlines()[1]).startswith(second_line)


def test_a_mean_difference_is_no_learner_that_others_differ_from() -> None:
    far = op.methods.conservative_z([0.2, 0.21, 0.19], HALVES)
    assert "significantly different" not in far.to_markdown()


def test_scores_that_rise_are_subtracted_as_before() -> None:
    found = op.methods.corrected_t(1 - LESS, 1 - ERRORS, design="10x10cv")
    assert "A − B: score +" in str(found)
    assert "positive" not in str(found)


def test_equal_errors_have_no_side() -> None:
    same = op.methods.corrected_t(ERRORS, ERRORS, design="10x10cv", lower_is_better=True)
    assert "A and B have the same score: 0" in str(same)


def test_a_family_of_errors_says_the_direction_below_its_pairs() -> None:
    found = flat(op.compare(by_error(c=ERRORS + 0.01)))
    assert "Lower error is better; positive: the first of a pair is better." in found
    assert "pairs a outperforms b: +" in found


@pytest.mark.slow
@pytest.mark.parametrize("more", [{}, {"c": ERRORS + 0.01}])
def test_summary_page_tables_and_methods_paragraph_say_the_direction(more: dict[str, Any]) -> None:
    from outperform.report.html.page import render

    found = op.compare(by_error(**more))
    words = "ower error is better; positive: "
    assert words in found.summary("a", "b")
    assert words in found.methods_text()
    assert render(found).count(words) >= 3  # headline, table of pairs, methods paragraph
    assert "error, positive: first better" in found.to_markdown()
    assert r"error \\ positive: \\ first better" in found.to_latex()


# 5x2cv: the estimate is the first difference.


def five(**more: Any) -> op.Scores:
    draws = np.random.default_rng(3).normal(0.8, 0.02, (2, 5, 2))
    rows = {"a": draws[0] + 0.05, "b": draws[1], **more}
    return op.Scores.from_arrays(rows, design="5x2cv", metric="accuracy")


@pytest.mark.requirement("D-24")
def test_the_effect_of_5x2cv_is_said_to_be_of_the_first_split_beside_the_mean() -> None:
    found = op.methods.five_by_two_t(five(), "a", "b")
    effect = flat(found)
    mean = found.details["mean_difference"]
    assert "on the first split, which this test uses as its estimate" in effect
    assert f"the mean of all 10 is +{mean:.3f}" in effect
    assert "first split" not in str(op.methods.corrected_t(by_error(), "a", "b"))


@pytest.mark.slow
@pytest.mark.requirement("D-24")
def test_families_pages_and_methods_paragraphs_of_5x2cv_say_so_too() -> None:
    from outperform.report.html.page import render

    third = np.full((5, 2), 0.7) + 0.01 * np.eye(5, 2)
    for found in (op.compare(five()), op.compare(five(c=third))):
        assert "on the first split" in flat(found)
        assert "is the difference on the first split, not the mean of all splits" in render(found)
        assert "the estimate is the difference of the first split" in found.methods_text()
    assert "Difference, first split" in render(op.compare(five()))


# An interval that is not the inversion of its test.

OPEN = [[16, 3], [11, 70]]  # McNemar's p = .061, Tango's interval leaves 0 out


def right(table: list[list[int]]) -> op.Scores:
    (n00, n01), (n10, n11) = table
    first = [0] * n00 + [0] * n01 + [1] * n10 + [1] * n11
    second = [0] * n00 + [1] * n01 + [0] * n10 + [1] * n11
    order = np.random.default_rng(5).permutation(len(first))
    return op.Scores.from_correct(["a", "b"], np.array([first, second], dtype=bool)[:, order])


def test_no_decision_beside_an_interval_without_zero_says_why() -> None:
    from outperform.report.html.page import render

    found = op.methods.mcnemar(table=OPEN)
    low, _ = found.interval()
    assert found.verdict() == "no decision"
    assert low > 0
    why = "the interval excludes 0 although p ≥ α; it uses a different formula than the test"
    assert why in found.verdict().sentence
    odd = "interval and p-value use different formulas: the interval excludes 0 although p ≥ 0.05"
    assert odd in flat(found)
    pair = op.compare(right(OPEN))
    assert why in pair.summary("a", "b")
    assert why in render(pair)
    assert odd in flat(pair)


def test_nothing_is_explained_where_test_and_interval_agree() -> None:
    clear = [[16, 3], [21, 60]]
    assert "different formula" not in op.methods.mcnemar(table=clear).verdict().sentence
    assert "although p" not in flat(op.methods.mcnemar(table=clear))
    assert "although p" not in flat(op.compare(right(clear)))


@pytest.mark.slow
def test_a_page_about_differences_that_never_vary_has_a_panel_without_dots() -> None:
    from outperform.report.html.page import render

    assert "OP102" in render(op.compare(by_error(c=ERRORS + 0.01)))
    assert "no p-value" in str(op.compare({"b": ERRORS, "c": ERRORS + 0.01}, design="10x10cv"))
    assert render(op.compare({"b": ERRORS, "c": ERRORS + 0.01}, design="10x10cv"))


# α, the region of equivalence and single runs.


def wavering() -> op.Scores:
    """Repeats whose p-values lie about .03: they agree at .2 and at .0001, and not at .05."""
    rng = np.random.default_rng(8)
    gaps = rng.normal(0.02, 0.018, (10, 10))
    base = rng.normal(0.8, 0.01, (10, 10))
    return op.Scores.from_arrays({"a": base + gaps, "b": base}, design="10x10cv", metric="accuracy")


@pytest.mark.slow
@pytest.mark.requirement("B-12", "B-13")
def test_that_single_repeats_disagree_is_said_at_the_alpha_that_is_asked() -> None:
    from outperform.report.html.page import render

    found = op.compare(wavering())

    def said(alpha: float) -> list[str]:
        return [note.text for note in found.notes_at(alpha) if note.code == "OP308"]

    assert said(0.05) == ["Single repeats do not agree on a vs. b (α = 0.05)."]
    assert said(0.01) == ["Single repeats do not agree on a vs. b (α = 0.01)."]
    assert said(1e-7) == []
    told = {note["code"]: note["text"] for note in found.to_dict(alpha=0.01)["notes"]}
    assert told["OP308"].endswith("(α = 0.01).")
    assert "OP308" not in {note["code"] for note in found.to_dict(alpha=1e-7)["notes"]}
    assert "(α = 0.01)" in render(found, alpha=0.01)
    assert "OP308" not in render(found, alpha=1e-7)


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
    (said, *_) = within.sentences()
    assert said == "Each of the 10 repeats alone gives the same verdict: equivalent."
    assert plain.whole == "first better"
    assert plain.to_dict()["equivalent"] is None
    (some,) = found.robustness(0.05, rope=0.03)
    assert sum(some.verdicts.values()) == 10
    assert 0 < some.verdicts["equivalent"] < 10
    assert f"equivalent in {some.verdicts['equivalent']}" in some.sentences()[0]
    assert some.conclusions == plain.conclusions  # who wins is counted apart
    assert found.to_dict(rope=0.1)["robustness"][0]["equivalent"] == 10
    assert "equivalent" in found.summary("a", "b", rope=0.1).split("repeats alone")[1]


@pytest.mark.requirement("B-06")
def test_a_family_names_the_pairs_that_scored_the_same() -> None:
    found = op.compare({"a": LESS, "b": ERRORS, "c": ERRORS.copy()}, design="10x10cv")
    (note,) = [note for note in found.notes if note.code == "OP101"]
    assert note.text.endswith("This applies to b vs. c.")
    assert "OP101" in str(found)
    assert [n.code for n in found["b", "c"].notes].count("OP101") == 1
    assert "OP101" not in {n.code for n in found["a", "b"].notes}


@pytest.mark.requirement("D-55")
def test_a_family_keeps_the_warnings_of_its_method() -> None:
    rng = np.random.default_rng(2)
    table = rng.random((3, 200)) < np.array([[0.9], [0.8], [0.7]])
    found = op.compare(op.Scores.from_correct(["a", "b", "c"], table), method="proportions")
    (note,) = [note for note in found.notes if note.code == "OP205"]
    assert note.severity == "warning"
    assert note.text == "This test of two proportions ignores the pairing."
    pair = op.compare(op.Scores.from_correct(["a", "b"], table[:2]), method="proportions")
    assert "OP205 This test of two proportions ignores the pairing." in str(pair)


# Ends of scores that are shares.


def few(metric: str) -> op.Scores:
    a, b = np.array([1, 0.9, 1, 1, 0.9]), np.array([0.1, 0.9, 0.0, 1.0, 0.4])
    return op.Scores.from_arrays({"a": a, "b": b}, design="5cv", metric=metric)


def test_an_accuracy_is_not_shown_beyond_1() -> None:
    found = op.methods.corrected_t(few("accuracy"), "a")
    assert found.interval().high > 1
    assert ", 1.000] at 95 % confidence (the formula gives 1.0" in flat(found)
    assert "but accuracy is at most 1)" in flat(found)
    free = str(op.methods.corrected_t(few("reward"), "a"))
    assert "at most" not in free
    assert f"{found.interval().high:.3f}]" in free


@pytest.mark.slow
def test_a_difference_that_cannot_be_is_no_difference_that_could_be_detected() -> None:
    from outperform.report.html.page import render

    found = op.compare(few("accuracy"))
    assert found.detectable()[0] > 1
    assert "No difference in accuracy is detectable" in str(found)
    assert "1 is the largest possible" in flat(found)
    assert "<dt>Smallest detectable</dt><dd>none</dd>" in render(found)
    assert "Smallest detectable difference ≈" in str(op.compare(few("reward")))


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


def test_percent_are_left_as_they_are() -> None:
    percent = few("accuracy")
    percent = op.Scores.from_arrays(
        {name: 100 * percent.values[percent.index(name)] for name in "ab"},
        design="5cv",
        metric="accuracy",
    )
    assert "at most" not in str(op.methods.corrected_t(percent, "a"))
    assert "Smallest detectable difference ≈" in str(op.compare(percent))


def test_names_that_differ_by_what_is_not_seen_are_told_apart() -> None:
    plain, turned, broken = "forest", "for\u202eest", "for\nest"
    found = op.compare(
        {plain: LESS, turned: ERRORS, broken: ERRORS + 0.02 * LESS}, design="10x10cv"
    )
    said = str(found)
    assert "forest is outperformed by for<U+202E>est" in said
    assert "for<U+000A>est" in said
    assert "\u202e" not in said


def line_and_sine() -> tuple[Any, Any]:
    x = np.linspace(0, 6, 200)[:, None]
    return x, np.sin(x[:, 0]) + x[:, 0]


@pytest.mark.slow
def test_a_test_set_that_was_given_is_not_called_a_random_split() -> None:
    from sklearn.dummy import DummyRegressor
    from sklearn.linear_model import LinearRegression

    X, y = line_and_sine()
    models = {"line": LinearRegression(), "mean": DummyRegressor()}
    one_pair = [(np.arange(150), np.arange(150, 200))]
    squared = "neg_mean_squared_error"
    given = op.compare(models, X, y, design=one_pair, scoring=squared, random_state=0)
    drawn = op.compare(models, X, y, design="holdout@50", scoring=squared, random_state=0)
    fitted = {name: model.fit(X[:150], y[:150]) for name, model in models.items()}
    tested = op.compare(fitted, X[150:], y[150:], fitted=True)
    labels = op.Scores.from_predictions([0, 1] * 25, {"a": [0, 1] * 25, "b": [1, 1] * 25})
    for found in (given, tested, op.compare(labels)):
        first, second = found.names
        said = f"{found[found.names]} {page.render(found)}"
        assert "one test set of 50 items" in str(found[found.names])
        assert f"We compared {first} and {second} on one test set of 50 items" in (
            found.methods_text()
        )
        assert "one random split" not in said + found.methods_text()
        assert "given splits)" not in said, "there is one split"
    alone = op.estimate(fitted["line"], X[150:], y[150:], fitted=True)
    assert ", one test set of 50 items" in flat(alone)
    assert "by one random split with 50 items for testing (random seed 0)" in drawn.methods_text()


@pytest.mark.parametrize("scoring", ["r2", "neg_root_mean_squared_error"])
@pytest.mark.parametrize("fitted", [True, False])
def test_a_metric_of_a_whole_test_set_is_judged_by_item_losses_and_that_is_said(
    scoring: str, fitted: bool
) -> None:
    from sklearn.dummy import DummyRegressor
    from sklearn.linear_model import LinearRegression

    X, y = line_and_sine()
    models = {"line": LinearRegression(), "mean": DummyRegressor()}
    if fitted:
        models = {name: model.fit(X, y) for name, model in models.items()}
    more = {"fitted": True} if fitted else {"design": "holdout@1/3", "random_state": 0}
    said = f"OP406 {scoring} has no value for a single item: neg_mean_squared_error was compared"
    assert said in flat(op.compare(models, X, y, scoring=scoring, **more))
    assert said in flat(op.estimate(models["line"], X, y, scoring=scoring, **more))
    scores = op.run(models, X, y, scoring=scoring, **more)
    assert said in flat(op.methods.paired_t(scores, "line", "mean"))
    plain = op.compare(models, X, y, scoring="neg_mean_squared_error", **more)
    assert "OP406" not in str(plain)


LINES = "rows 3 and 7 are bad:\n  row 3\nPlease look at them"


@pytest.mark.parametrize("how", ["memory", "store", "raise", "fitted"])
def test_of_an_error_in_several_lines_the_one_that_names_it_is_said(
    how: str, tmp_path: Any
) -> None:
    from sklearn.base import BaseEstimator, RegressorMixin

    class Unhappy(RegressorMixin, BaseEstimator):
        def fit(self, X: Any, y: Any) -> Any:
            self.fitted_ = True
            if how != "fitted":
                raise ArithmeticError(LINES)
            return self

        def predict(self, X: Any) -> Any:
            raise ArithmeticError(LINES)

    X, y = line_and_sine()
    store = tmp_path / "results.db"
    more: dict[str, Any] = {"design": "3cv", "random_state": 0, "on_error": "record"}
    more |= {"store": {"store": store}, "raise": {"on_error": "raise"}}.get(how, {})
    learner = Unhappy()
    if how == "fitted":
        learner, more = learner.fit(X, y), {"fitted": True}
    with pytest.raises(op.errors.RunFailed) as caught:
        op.run({"unhappy": learner}, X, y, **more)
    said = [line for line in str(caught.value).splitlines() if "'unhappy'" in line]
    assert said[0].rstrip(":").endswith(": ArithmeticError: rows 3 and 7 are bad")
    assert LINES in str(caught.value), "the whole of it is below"
    if how == "store":
        with pytest.raises(op.errors.OutperformError, match="failed: ArithmeticError: rows"):
            op.compare(str(store))


def test_neither_notes_nor_methods_nor_single_runs_speak_in_ids_of_requirements() -> None:
    from outperform.notes import NOTES
    from outperform.registry import METHODS, load_all

    load_all()
    said = [note.explanation for note in NOTES.values()]
    said += [method.advice for method in METHODS.values()]
    (runs,) = op.compare(by_error()).robustness()
    said += runs.sentences()
    assert len(said) > 60
    assert [one for one in said if re.search(r"\b([DBRNF]-\d+|E-[A-Z]\d*)\b", one)] == []
