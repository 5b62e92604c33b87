"""What the calibrated test says beside its verdict, in text, report and JSON."""

from __future__ import annotations

from html import escape
from pathlib import Path

import numpy as np
import pytest

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


def test_the_companion_and_the_growth_are_in_the_dict() -> None:
    result = judged(0.1, 0.1)
    half = op.methods.half_sample_t(whole=np.full((5, 4), 0.1), halves=0.1 + _second_draw(), n=200)
    kept = result.to_dict()["details"]
    assert kept["half_estimate"] == half.estimate
    assert kept["growth"] == pytest.approx(1.05)


def _second_draw() -> np.ndarray:
    rng = np.random.default_rng(1)
    rng.normal(0, 0.004, (5, 4))
    return rng.normal(0, 0.02, (20, 2, 4))


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
@pytest.mark.parametrize("k", [2, 3])
def test_figures_draw_the_splits_that_means_are_taken_of(k: int, tmp_path: Path) -> None:
    found = family(k)
    page = found.report(tmp_path / "report.html").read_text("utf-8")
    means = ", ".join(f"{name} {found.scores.mean()[name]:.4g}" for name in found.names)
    assert f"Means: {escape(means)}" in page


@pytest.mark.slow
def test_the_report_has_a_row_for_each_pair_of_a_family(tmp_path: Path) -> None:
    found = family(3)
    found.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    why = page.split('<h2 id="calibration">')[1].split("</section>")[0]
    assert why.count("<tr><th scope=row>") == 3
    assert "<b>forest" not in why
    for names in found.pair_names:
        half = calibration_lines.half_data(found[names], 0.05)
        assert half is not None
        assert f"<td class=n>{half.size}</td><td>{half.outcome}</td>" in why
