"""Verdicts over datasets name their level, their numbers and their papers."""

from __future__ import annotations

import polars as pl
from places import ROOT

import outperform as op

BENCH = ROOT / "examples" / "benchmark.csv"


def test_pairs_on_their_own_datasets_are_noted() -> None:
    frame = pl.read_csv(BENCH)
    gap = frame.with_columns(
        RF=pl.Series([None, *frame["RF"][1:]]), NB=pl.Series([*frame["NB"][:-1], None])
    )
    assert "OP009" in str(op.rank(op.Benchmark.from_frame(gap).to_scores("pairwise")))


def test_papers_in_the_paragraph_and_in_bibtex_are_the_same() -> None:
    whole, few = op.compare(BENCH), op.compare(pl.read_csv(BENCH)[:4], method="wilcoxon")
    assert "Iman & Davenport, 1980; Demšar, 2006" in whole.methods_text()
    assert "iman-davenport1980" in whole.bibtex()
    assert "Iman" not in few.methods_text()
    assert "iman-davenport" not in few.bibtex()


def test_that_families_count_once_is_noted() -> None:
    frame = pl.read_csv(BENCH)
    frame = frame.with_columns(family=pl.Series([f"f{at // 3}" for at in range(len(frame))]))
    assert "OP011" in str(op.rank(op.Scores.from_frame(frame, family="family")))
