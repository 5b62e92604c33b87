"""Stress p-values: what scores alone cannot check about the overlap of splits."""

from __future__ import annotations

import re

import numpy as np
import places
import pytest
from scipy import stats
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import outperform as op
from outperform.notes import code
from outperform.results.stress import REJECTED, VARIANCE


def scores(gain: float, names: str = "ab") -> op.Scores:
    rng = np.random.default_rng(3)
    values = {k: 0.8 + i * -gain + rng.normal(0, 0.02, (10, 10)) for i, k in enumerate(names)}
    return op.Scores.from_arrays(values, design="10x10cv")


def said(found: op.Comparison) -> dict[str, str]:
    return {note.code: note.text for note in found.notes}


def test_the_stress_p_is_that_of_four_times_the_variance() -> None:
    given = scores(0.02)
    d = given.values[0] - given.values[1]
    t = d.mean() / (2 * d.std(ddof=1) * np.sqrt(1 / 100 + 1 / 9))
    notes = said(op.compare(given))
    assert f"With four times the variance, p would be {2 * stats.t.sf(t, 99):.2g}" in notes["OP315"]
    assert "a correlation of 0.10 between splits, which these scores cannot check" in notes["OP315"]
    assert f"{REJECTED} of true null hypotheses" in notes["OP315"]


def test_the_rates_it_names_are_those_of_the_table() -> None:
    page = (places.ROOT / "docs" / "calibrated.md").read_text(encoding="utf-8")
    rows = [line.split("|") for line in page.split("<!-- sizes")[1].splitlines() if " to " in line]
    corrected = [float(row[3].split("(")[0]) for row in rows if len(row) > 3]
    assert len(corrected) == 4
    assert f"{min(corrected):.0f} to {max(corrected):.0f} %" == REJECTED
    said = code("OP315").explanation
    assert REJECTED in said
    most = re.search(r"stump (\d\.\d)\.", page)
    assert most is not None
    assert f"a factor of {most[1]}" in said
    assert f"the factor of {most[1]}" in code("OP316").explanation
    assert float(most[1]) < VARIANCE


@pytest.mark.parametrize(("gain", "frail"), [(0.0, False), (0.025, True), (0.3, False)])
def test_a_verdict_that_would_not_survive_is_named(gain: float, frail: bool) -> None:
    notes = said(op.compare(scores(gain)))
    assert ("OP316" in notes) is frail
    if frail:
        assert "design='5x5cv+20halves' would settle it" in notes["OP316"]


def test_methods_that_assume_no_overlap_and_runs_of_our_own_say_nothing() -> None:
    assert "OP315" not in said(op.compare(scores(0.02), method="repeated_kfold_t"))
    X = np.random.default_rng(0).normal(size=(60, 3))
    pair = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier()}
    assert "OP315" not in said(op.compare(pair, X, X[:, 0] > 0, design="5cv", random_state=0))


def test_a_family_counts_the_verdicts_that_would_not_survive() -> None:
    found = op.compare(scores(0.025, "abc"))
    assert "of 3 verdicts would not survive" in said(found)["OP316"]
