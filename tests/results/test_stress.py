"""Stress p-values: what scores alone cannot check about the overlap of splits."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import places
import pytest
from scipy import stats
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import outperform as op
from calibration.cases import CASES, OTHER
from calibration.counts import CountsFile

COUNTS = places.ROOT / "calibration" / "counts.json"
READING = {"OP001", "OP003"}
"""What is said of how scores were read, which differs by door."""


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


def test_every_range_of_sizes_is_that_of_the_benchmark() -> None:
    sizes = [
        tally["at_5"] / tally["experiments"]
        for name, case in CountsFile(COUNTS).cases.items()
        for label, tally in case.tallies.items()
        if label.startswith("corrected_t ") and CASES[name].kind != "adversary"
        if tally["experiments"] >= OTHER
    ]
    measured = f"{100 * min(sizes):.0f} to {100 * max(sizes):.0f}"
    pages = [places.ROOT / "README.md", *(places.ROOT / "docs").rglob("*.md")]
    texts = {page.name: page.read_text(encoding="utf-8") for page in pages}
    texts |= {
        "explained": op.explain("OP315").text,
        "note": said(op.compare(scores(0.02)))["OP315"],
    }
    quoted = {
        (name, rates)
        for name, text in texts.items()
        for rates in re.findall(
            r"(\d+ to \d+) % of true null\s+hypotheses", re.sub(r"\s+", " ", text)
        )
    }
    assert {rates for _, rates in quoted} == {measured}, quoted
    assert {"README.md", "read_a_verdict.md", "explained", "note"} <= {name for name, _ in quoted}


@pytest.mark.parametrize(("gain", "frail"), [(0.0, False), (0.025, True), (0.3, False)])
def test_a_verdict_that_would_not_survive_is_named(gain: float, frail: bool) -> None:
    notes = said(op.compare(scores(gain)))
    assert ("OP316" in notes) is frail
    if frail:
        assert "design='5x5cv+20halves' would settle it" in notes["OP316"]


def test_methods_that_assume_no_overlap_say_nothing() -> None:
    assert "OP315" not in said(op.compare(scores(0.02), method="repeated_kfold_t"))


def test_the_same_scores_get_the_same_notes_through_every_door(tmp_path: Path) -> None:
    X, y = make_classification(400, flip_y=0.1, random_state=3)
    pair = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=3, random_state=0)}
    store = tmp_path / "runs.db"
    run = op.run(pair, X, y, design="10cv", random_state=0, store=store)
    arrays = dict(zip(run.names, run.values, strict=True))
    run.to_csv(tmp_path / "scores.csv")
    doors: dict[str, Any] = {
        "models": op.compare(pair, X, y, design="10cv", random_state=0),
        "scores": op.compare(run),
        "arrays": op.compare(arrays, design="10cv", n_train=360, n_test=40),
        "dict": op.compare({name: row.tolist() for name, row in arrays.items()}, design="10cv"),
        "frame": op.compare(run.to_frame("polars"), design="10cv"),
        "file": op.compare(tmp_path / "scores.csv", design="10cv"),
        "store": op.compare(store),
        "method": op.corrected_t(run),
        "method of arrays": op.corrected_t(*run.values, design="10cv"),
    }
    facts = {}
    for door, found in doors.items():
        result = found if isinstance(found, op.Result) else found["bayes", "tree"]
        codes = {note.code for note in (*found.notes, *result.notes)} - READING
        p = round(result.pvalue, 12)
        facts[door] = (codes, p, result.grade, result.estimate > 0, result.verdict().outcome)
    assert facts["models"][0] == {"OP315", "OP316"}
    assert all(each == facts["models"] for each in facts.values()), facts


def test_a_method_called_alone_says_what_compare_says_of_its_scores() -> None:
    small = op.Scores.from_arrays(
        {"a": [0.9, 0.8, 0.7, 0.9], "b": [0.7, 0.7, 0.6, 0.5]}, design="4cv", n_train=60, n_test=20
    )
    again = op.corrected_t(*small.values, n_train=60, n_test=20)
    compared = said(op.compare(small)).keys() - READING
    assert "OP103" in compared
    for found in (op.corrected_t(small), again):
        assert {note.code for note in found.notes} - READING == compared


def test_a_pair_named_the_other_way_round_is_stressed_on_its_own_side() -> None:
    found = op.compare(scores(0.025), alternative="greater")
    assert "OP316" in {note.code for note in found["a", "b"].notes}
    assert "OP316" not in {note.code for note in found["b", "a"].notes}


def test_a_family_counts_the_verdicts_that_would_not_survive() -> None:
    found = op.compare(scores(0.025, "abc"))
    assert "of 3 verdicts would not survive" in said(found)["OP316"]
