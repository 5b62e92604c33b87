"""What the calibrated test says beside its verdict, in text, report and JSON."""

from __future__ import annotations

from html import escape
from pathlib import Path

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import outperform as op
from outperform.report import calibration_lines


def judged(whole: float, half: float, **change: object) -> op.Result:
    rng = np.random.default_rng(1)
    given = {
        "whole": whole + rng.normal(0, 0.004, (5, 4)),
        "halves": half + rng.normal(0, 0.02, (20, 2, 4)),
        "n": 200,
        "squares": (0.21, 0.2),
        "names": ("tree", "bayes"),
    }
    return op.methods.calibrated_t(**(given | change))


def test_the_companion_the_correlation_and_the_growth_stand_below_the_verdict() -> None:
    result = judged(0.1, 0.1)
    half = op.methods.half_sample_t(whole=np.full((5, 4), 0.1), halves=0.1 + _second_draw(), n=200)
    shown = str(result)
    assert "Evidence: measured." in shown
    correlation = result.details["correlation"]
    flat = " ".join(shown.split())
    assert f"The correlation between splits is {correlation:.2f};" in flat
    assert "the corrected t-test would have assumed 0.25" in flat
    assert "differ 1.05 times as much on all data as on half of them" in flat
    low, high = half.interval(0.95) or (0, 0)
    assert f"With half the data: +{half.estimate:.4f} [+{low:.4f}, +{high:.4f}]" in flat
    kept = result.to_dict()["details"]
    assert kept["half_estimate"] == half.estimate
    assert kept["growth"] == pytest.approx(1.05)


def _second_draw() -> np.ndarray:
    rng = np.random.default_rng(1)
    rng.normal(0, 0.004, (5, 4))
    return rng.normal(0, 0.02, (20, 2, 4))


@pytest.mark.parametrize(
    ("whole", "half", "words"),
    [
        (0.1, -0.1, "their learning curves cross"),
        (0.1, 0.0, "The verdict depends on the amount of data"),
        (0.1, 0.1, ": outperforms."),
    ],
)
def test_where_the_two_disagree_it_is_about_the_learning_curve(
    whole: float, half: float, words: str
) -> None:
    shown = " ".join(str(judged(whole, half)).split())
    assert words in shown
    assert ("learning curves" in shown) == (half != whole)


def family(k: int) -> op.Comparison:
    rng = np.random.default_rng(2)

    def values(spread: float) -> np.ndarray:
        sides = np.repeat(rng.normal(0, 2 * spread, 10), 4)  # halves differ as a whole
        return 0.8 + rng.normal(0, spread, 52) + np.concatenate([np.zeros(12), sides])

    scores = op.Scores.from_arrays(
        {
            name: values(0.01 * (1 + at))
            for at, name in enumerate(("tree", "bayes", "<b>forest</b>")[:k])
        },
        design="3x4cv+5halves",
        n_train=150,
        n_test=50,
    )
    return op.compare(scores)


@pytest.mark.slow
def test_the_report_shows_them_with_a_link_to_why(tmp_path: Path) -> None:
    found = family(2)
    found.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    kept = found["tree", "bayes"].details
    assert f"The correlation between splits is {kept['correlation']:.2f};" in page
    assert "the corrected t-test would have assumed 0.25" in page
    assert "With half the data:" in page
    assert '<a href="#calibration">' in page
    why = page.split('<h2 id="calibration">')[1].split("</section>")[0]
    assert "Two halves of the data share no items" in why
    assert "unknown" in why, "a file of scores does not tell how item losses grow"


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 3])
def test_figures_draw_the_splits_that_means_are_taken_of(k: int, tmp_path: Path) -> None:
    found = family(k)
    page = found.report(tmp_path / "report.html").read_text("utf-8")
    means = ", ".join(f"{name} {found.scores.mean()[name]:.4g}" for name in found.names)
    assert f"Means: {escape(means)}" in page


@pytest.mark.slow
def test_a_family_has_a_line_for_all_pairs_and_a_row_for_each(tmp_path: Path) -> None:
    found = family(3)
    each = [found[names].details["correlation"] for names in found.pair_names]
    words = (
        f"correlation between splits is {min(each):.2f} to {max(each):.2f}; the corrected t-test"
    )
    assert words in " ".join(str(found).split())
    found.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert words in page
    why = page.split('<h2 id="calibration">')[1].split("</section>")[0]
    assert why.count("<tr><th scope=row>") == 3
    assert "<b>forest" not in why
    for names in found.pair_names:
        half = calibration_lines.half_data(found[names], 0.05)
        assert half is not None
        assert f"<td class=n>{half.size}</td><td>{half.outcome}</td>" in why


@pytest.mark.parametrize(
    ("on_all", "on_half", "said"),
    [(0.25, 0.2, calibration_lines.NO_SIGN), (0.26, 0.2, calibration_lines.DOUBT)],
)
def test_growth_above_a_quarter_casts_doubt(on_all: float, on_half: float, said: str) -> None:
    flat = " ".join(str(judged(0.1, 0.1, squares=(on_all, on_half))).split())
    assert f"{on_all / on_half:.2f} times as much on all data as on half of them{said}." in flat


class Late(GaussianNB):
    """A learner that takes one class for the other as soon as it has enough items."""

    def predict(self, X: np.ndarray) -> np.ndarray:
        found = super().predict(X)
        return 1 - found if self.class_count_.sum() > 45 else found


@pytest.mark.parametrize("late", [False, True])
def test_the_growth_of_a_family_is_that_of_its_pairs(late: bool) -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(90, 4))
    y = (X[:, 0] + rng.normal(size=90) > 0).astype(int)
    learners = {
        "bayes": Late() if late else GaussianNB(),
        "tree": DecisionTreeClassifier(random_state=0),
        "stump": DecisionTreeClassifier(max_depth=1, random_state=0),
    }
    found = op.compare(learners, X, y, design="2x3cv+4halves", random_state=0)
    each = [found[names].details["growth"] for names in found.pair_names]
    said = " ".join(str(found).split())
    assert f"differ {min(each):.2f} to {max(each):.2f} times as much on all data" in said
    over = sum(growth > 1.25 for growth in each)
    assert over == (2 if late else 0)
    doubt = f"{calibration_lines.DOUBT} for {over} of 3 pairs."
    assert (doubt if late else f"{calibration_lines.NO_SIGN}.") in said


def test_the_report_explains_why_the_variance_is_measured() -> None:
    (words,) = calibration_lines.explanation(judged(0.1, 0.1))
    assert "Two halves of the data share no items" in words
    assert "outperform.explain('calibrated_t')" in words
    assert str(op.explain("calibrated_t"))
    other = op.methods.corrected_t([0.8, 0.9, 0.7], [0.7, 0.9, 0.6], design="3cv")
    assert calibration_lines.explanation(other) == []
