"""Verdicts over datasets name their level, their numbers and their papers."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from places import ROOT

import outperform as op
from outperform.report import text as texts

BENCH = ROOT / "examples" / "benchmark.csv"


def folds(n: int = 8, k: int = 10) -> op.Benchmark:
    rng = np.random.default_rng(3)
    rows = [
        {"dataset": f"d{i}", "fold": j, "learner": name, "accuracy": level + rng.normal(0, 0.02)}
        for i in range(n)
        for level, name in zip(rng.normal([0.82, 0.80, 0.79], 0.01), "abc", strict=True)
        for j in range(k)
    ]
    return op.Benchmark.from_frame(pl.DataFrame(rows), design=f"{k}cv")


def said(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("method", ["wilcoxon", "nemenyi", "max_t", "sign_test", "rank_z"])
def test_tests_over_datasets_apply_to_datasets_like_these(method: str) -> None:
    found = op.compare(BENCH, method=method)
    assert found.estimand().startswith("Applies to datasets like these 30, ")


@pytest.mark.slow
def test_the_model_of_splits_applies_to_a_new_dataset_and_says_its_number_once() -> None:
    found = op.compare(folds(), method="hierarchical")
    assert found.estimand() == "Applies to one new dataset like these 8, not to their average."
    text = said(str(found))
    assert "With another prior probabilities move by at most" in text
    assert "On a new dataset" not in text
    assert "P(better) / P(worse), not adjusted" in text
    asked = said(texts.comparison(found, rope=0.01))
    assert "P(better) / P(equivalent within ±0.01) / P(worse), not adjusted" in asked


@pytest.mark.slow
def test_three_levels_stand_apart_where_splits_are_known() -> None:
    found = op.compare(folds())
    lines = said(str(found))
    for level in ("On single datasets, a outperforms", "On a new dataset, a is better than"):
        assert level in lines
    plain, wide = lines, said(texts.comparison(found, rope=0.05))
    assert "better than c with probability" in plain
    assert "better than c by more than 0.05 with probability" in wide


def test_draws_say_their_monte_carlo_error_for_all_pairs() -> None:
    found = op.compare(BENCH, method="bayesian_signed_rank")
    assert "Monte Carlo error of probabilities: at most 0.00" in said(str(found))


def test_pairs_on_their_own_datasets_say_how_many() -> None:
    frame = pl.read_csv(BENCH)
    gap = frame.with_columns(
        RF=pl.Series([None, *frame["RF"][1:]]), NB=pl.Series([*frame["NB"][:-1], None])
    )
    found = op.compare(gap, missing="pairwise")
    text = said(str(found))
    assert "10 pairs of 28 to 30 values" in text
    assert "datasets like these 28 to 30" in text
    assert "verdicts on different pairs are on different datasets" in text
    assert "OP009" in str(op.rank(op.Benchmark.from_frame(gap).to_scores("pairwise")))


def test_papers_in_the_paragraph_and_in_bibtex_are_the_same() -> None:
    whole, few = op.compare(BENCH), op.compare(pl.read_csv(BENCH)[:4], method="wilcoxon")
    assert "Iman & Davenport, 1980; Demšar, 2006" in whole.methods_text()
    assert "iman-davenport1980" in whole.bibtex()
    assert "Iman" not in few.methods_text()
    assert "iman-davenport" not in few.bibtex()


def test_the_paragraph_says_that_families_count_once() -> None:
    frame = pl.read_csv(BENCH)
    frame = frame.with_columns(family=pl.Series([f"f{at // 3}" for at in range(len(frame))]))
    found = op.compare(frame, family="family")
    assert "on 30 datasets of 10 families, each family counted as one." in found.methods_text()
    assert "OP011" in str(op.rank(op.Scores.from_frame(frame, family="family")))
