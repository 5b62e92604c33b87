"""Stress p-values: what scores alone cannot check about the overlap of splits."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import places
import pytest
from launching import run_here
from scipy import stats
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import outperform as op
from calibration.cases import CASES, OTHER
from calibration.counts import CountsFile

COUNTS = places.ROOT / "calibration" / "counts.json"
READING = {"OP001"}
"""What is said of how scores were read, which differs by door."""


def scores(gain: float, names: str = "ab") -> op.Scores:
    rng = np.random.default_rng(3)
    values = {k: 0.8 + i * -gain + rng.normal(0, 0.02, (10, 10)) for i, k in enumerate(names)}
    return op.Scores.from_arrays(values, design="10x10cv")


def said(found: op.Comparison | op.Result) -> dict[str, str]:
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
        "method": op.methods.corrected_t(run),
        "method of arrays": op.methods.corrected_t(*run.values, design="10cv"),
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
    again = op.methods.corrected_t(*small.values, n_train=60, n_test=20)
    compared = said(op.compare(small)).keys() - READING
    assert "OP103" in compared
    for found in (op.methods.corrected_t(small), again):
        assert {note.code for note in found.notes} - READING == compared


def test_a_pair_named_the_other_way_round_is_stressed_on_its_own_side() -> None:
    found = op.compare(scores(0.025), alternative="greater")
    assert "OP316" in {note.code for note in found["a", "b"].notes}
    assert "OP316" not in {note.code for note in found["b", "a"].notes}


def test_a_family_counts_the_verdicts_that_would_not_survive() -> None:
    found = op.compare(scores(0.025, "abc"))
    assert "of 3 verdicts would not survive" in said(found)["OP316"]


N, M = 100, 20
"""Items, and halvings."""


def calibrated(gap: float, **change: object) -> op.Result:
    rng = np.random.default_rng(1)
    given = {
        "whole": gap + rng.normal(0, 0.001, (5, 4)),
        "halves": 0.02 + rng.normal(0, 0.03, (M, 2, 4)),
        "n": N,
        "squares": (0.012, 0.01),
    }
    return op.methods.calibrated_t(**(given | change))


def stress_p(gap: float, squares: tuple[float, float] | None, mu0: float, sides: int) -> float:
    """The stress p-value, from the halves themselves."""
    rng = np.random.default_rng(1)
    estimate = np.mean(gap + rng.normal(0, 0.001, (5, 4)))
    a, b = (0.02 + rng.normal(0, 0.03, (M, 2, 4))).mean(axis=-1).T
    variance = v = np.mean((a - b) ** 2) / 2
    if squares is not None:
        on_all, in_half = squares
        luck = max(0.0, v - 2 * in_half / N)
        variance = on_all / N + max(1, on_all / in_half) * luck
    df = M * (N - 1) / (M + N - 2)
    return sides * stats.t.sf(abs(estimate - mu0) / np.sqrt(variance), df)


@pytest.mark.parametrize("squares", [(0.012, 0.01), (0.2, 0.2), (0.002, 0.0025), None])
@pytest.mark.parametrize(("alternative", "sides"), [("two-sided", 2), ("greater", 1)])
@pytest.mark.parametrize("mu0", [0.0, 0.002])
def test_a_calibrated_verdict_that_needs_luck_to_shrink_is_assumed(
    squares: tuple[float, float] | None, alternative: str, sides: int, mu0: float
) -> None:
    seen = set()
    for gap in np.linspace(0.005, 0.08, 26):
        found = calibrated(gap, squares=squares, alternative=alternative, mu0=mu0)
        p = stress_p(gap, squares, mu0, sides)
        frail = bool(found.pvalue < 0.05 <= p)
        seen.add(frail)
        assert ("OP326" in said(found)) is frail
        assert found.grade == found.to_dict()["grade"] == found.verdict().grade
        assert found.grade == ("assumed" if frail else "measured")
        if frail:
            assert f"p = {p:.2g}" in said(found)["OP326"]
    assert seen == {True, False}


def test_the_stress_p_is_that_of_the_level_asked() -> None:
    found = calibrated(0.06)
    p, stress = found.pvalue, stress_p(0.06, (0.012, 0.01), 0.0, 2)
    assert p < stress < 0.05
    assert (found.grade, "OP326" in said(found)) == ("measured", False)
    between = float(np.sqrt(p * stress))
    assert found.verdict(between).grade == found.to_dict(alpha=between)["grade"] == "assumed"
    assert "OP326" in [note["code"] for note in found.to_dict(alpha=between)["notes"]]
    assert found.verdict(p / 2).grade == "measured"  # nothing is decided


def three(gaps: dict[str, float]) -> op.Scores:
    """Scores of a metric without item losses, on 5x4cv+20halves."""
    rng = np.random.default_rng(4)
    values = {}
    for name, gap in gaps.items():
        halves = gap + 0.7 + rng.normal(0, 0.03, 160)
        values[name] = np.concatenate([gap + 0.7 + rng.normal(0, 0.001, 20), halves])
    sizes = {"n_train": [75] * 180, "n_test": [25] * 180}
    return op.Scores.from_arrays(values, design="5x4cv+20halves", metric="roc_auc", **sizes)


def test_pairs_of_a_family_are_judged_by_their_adjusted_p_each_alone() -> None:
    found = op.compare(three({"a": 0.2, "b": 0.163, "c": 0.0}))
    evidence = found.evidence
    t = np.abs(evidence.estimate / evidence.details["stress_stderr"])
    df = evidence.details["stress_df"]
    stress = np.minimum(3 * 2 * stats.t.sf(t, df), 1)
    frail = (found.adjusted() < 0.05) & (stress >= 0.05)
    assert frail.tolist() == [True, False, False]
    assert [row["grade"] for row in found.to_dict()["pairs"]] == ["assumed", "measured", "measured"]
    assert found.verdict("b", "a").grade == found.grade == "assumed"
    assert found.verdict("a", "c").grade == "measured"
    assert f"p = {stress[0]:.2g}" in said(found)["OP326"]
    assert "OP326" not in said(found["a", "c"])
    assert found["a", "c"].grade == "measured"
    high = found.to_dict(alpha=0.2)
    assert high["grade"] == "measured"
    assert "OP326" not in [note["code"] for note in high["notes"]]


def test_the_program_says_the_same_of_a_calibrated_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scores = three({"a": 0.2, "b": 0.17})
    found = op.compare(scores)
    assert (found.grade, "OP326" in said(found)) == ("assumed", True)
    assert "OP326" in str(found)
    found.report(tmp_path / "page.html")
    assert "OP326" in (tmp_path / "page.html").read_text("utf-8")
    run_here("compare", str(tmp_path / "page.html"), "--json")
    made = json.loads(capsys.readouterr().out)
    assert made["grade"] == "assumed"
    assert "OP326" in [note["code"] for note in made["notes"]]
    run_here("explain", "OP326")
    assert "OP326" in capsys.readouterr().out
