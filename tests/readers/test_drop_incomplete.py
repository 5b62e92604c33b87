"""Splits that lack a score for some learner can be left out for all, and the verdict says so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from launching import run_here

import outperform as op
from outperform import DataError, MethodError, Scores


def frame(repeats: int, folds: int, **gaps: list[tuple[int, int]]) -> pl.DataFrame:
    """Make a long frame of learners a and b, without scores where there are gaps."""
    draws = np.random.default_rng(5).uniform(0.8, 0.95, (2, repeats, folds))
    rows = [
        {
            "learner": name,
            "repeat": r,
            "fold": f,
            "score": None if (r, f) in gaps.get(name, []) else float(draws[i, r, f]),
        }
        for i, name in enumerate("ab")
        for r in range(repeats)
        for f in range(folds)
    ]
    return pl.DataFrame(rows, schema_overrides={"score": pl.Float64})


def read(table: pl.DataFrame, **options: Any) -> Scores:
    return Scores.from_frame(table, drop_incomplete=True, **options)


def test_gaps_and_rows_that_are_not_there_are_left_out_alike() -> None:
    gaps = frame(10, 10, a=[(0, 3)], b=[(9, 9)])
    scores, shorter = read(gaps), read(gaps.drop_nulls())
    assert scores.n_splits == shorter.n_splits == 98
    assert scores.values.tolist() == shorter.values.tolist()
    assert scores.addresses.tolist() == [
        [0, r, f] for r in range(10) for f in range(10) if (r, f) not in ((0, 3), (9, 9))
    ]
    (note,) = [note for note in scores.notes if note.code == "OP006"]
    assert note.severity == "caution"
    assert note.text == (
        "2 of 100 splits lack a score for some learner and were left out for all: repeat 0 fold 3 "
        "('a'), repeat 9 fold 9 ('b')."
    )


def test_the_corrected_t_is_that_of_the_splits_that_are_left() -> None:
    whole = Scores.from_frame(frame(10, 10))
    scores = read(frame(10, 10, a=[(9, 9)]))
    found = op.compare(scores)
    assert found.method.name == "corrected_t"
    left = op.methods.corrected_t(*whole.values[:, :99], n_train=9, n_test=1)
    assert found["a", "b"].pvalue == pytest.approx(left.pvalue, rel=1e-12)
    assert "OP006" in {note.code for note in found.notes}
    assert "OP006" in str(found)
    assert found.robustness() == ()
    assert op.methods.corrected_t(scores).pvalue == left.pvalue


@pytest.mark.parametrize(
    ("shape", "method"),
    [
        ((10, 10), "repeated_kfold_t"),
        ((5, 2), "five_by_two_t"),
        ((5, 2), "five_by_two_f"),
        ((1, 10), "kfold_t"),
        ((1, 10), "single_fold_t"),
    ],
)
@pytest.mark.parametrize("last", [False, True])
def test_methods_that_need_every_split_refuse_and_say_what_does_not(
    shape: tuple[int, int], method: str, last: bool
) -> None:
    gap = (shape[0] - 1, shape[1] - 1) if last else (0, 0)
    scores = read(frame(*shape, b=[gap]), design=f"{shape[0]}x{shape[1]}cv")
    for judge in (
        lambda: op.compare(scores, method=method),
        lambda: getattr(op, method)(scores),
    ):
        with pytest.raises(MethodError) as caught:
            judge()
        assert f"1 of {shape[0] * shape[1]} splits" in str(caught.value)
        assert "method='corrected_t'" in str(caught.value)
    assert op.compare(scores, method="corrected_t").n == shape[0] * shape[1] - 1


def test_random_splits_are_as_many_fewer() -> None:
    scores = read(frame(30, 1, a=[(4, 0)]), design="30xresampled@1/3")
    assert str(scores.design) == "29xresampled@1/3"
    assert scores.addresses[:, 1].tolist() == [*range(29)]
    assert op.compare(scores, method="resampled_t").n == 29


def test_too_few_splits_and_designs_that_need_all_are_refused() -> None:
    with pytest.raises(DataError, match=r"4 of 5 splits lack .* which leaves 1; at least"):
        read(frame(1, 5, a=[(0, 0), (0, 1)], b=[(0, 2), (0, 3)]))
    table = frame(3, 4, a=[(0, 0)]).rename({"repeat": "partition"})
    with pytest.raises(DataError, match=r"3\*4cv needs every split"):
        read(table, design="3*4cv")


def test_nothing_is_said_where_nothing_is_missing() -> None:
    assert read(frame(2, 5)).notes == Scores.from_frame(frame(2, 5)).notes


def test_a_dataset_without_a_score_is_left_out() -> None:
    rows = [
        {"dataset": f"d{i}", "a": 0.9 - i / 50, "b": None if i == 2 else 0.8 - i / 70}
        for i in range(9)
    ]
    scores = read(pl.DataFrame(rows))
    assert scores.datasets == tuple(f"d{i}" for i in range(9) if i != 2)
    assert op.compare(scores).method.name == "wilcoxon"
    assert "1 of 9 splits" in " ".join(note.text for note in scores.notes)


@pytest.mark.parametrize("cell", ["inf", "oops"])
def test_cells_that_are_no_missing_scores_are_still_refused(tmp_path: Path, cell: str) -> None:
    path = tmp_path / "f.csv"
    path.write_text(f"fold,a,b\n0,0.5,0.6\n1,{cell},0.6\n2,0.7,0.6\n3,0.6,0.5\n")
    with pytest.raises(DataError, match=f"line 3, column 'a'.* got '{cell}'"):
        Scores.read(path, drop_incomplete=True)


@pytest.mark.slow
def test_the_program_judges_writes_and_reads_back_what_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    frame(5, 5, a=[(1, 2)]).write_csv("f.csv")
    assert run_here("compare", "f.csv") == 2
    assert "--drop-incomplete" in capsys.readouterr().err
    assert run_here("compare", "f.csv", "--drop-incomplete", "--json") == 0
    first = json.loads(capsys.readouterr().out)
    assert (first["n"], first["method"]) == (24, "corrected_t")
    assert "OP006" in {note["code"] for note in first["notes"]}
    assert run_here("compare", "f.csv", "--drop-incomplete", "--report", "page.html") == 0
    capsys.readouterr()
    assert run_here("compare", "page.html", "--json") == 0
    again = json.loads(capsys.readouterr().out)
    assert again["pvalue"] == first["pvalue"]
    assert "OP006" in {note["code"] for note in again["notes"]}


@pytest.mark.slow
@pytest.mark.parametrize("gap", [0, 4, 9])
def test_the_hint_of_an_unknown_design_names_all_splits_and_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], gap: int
) -> None:
    table = frame(1, 10, a=[(0, gap)]).drop("repeat").rename({"fold": "split"})
    scores = read(table)
    assert (scores.design, scores.n_splits, scores.n_missing) == (None, 9, 1)
    with pytest.raises(MethodError, match=r"design='10cv' for cross.*'10xresampled@1/3' for"):
        op.compare(scores)
    found = op.compare(scores, design="10cv")
    assert (found.method.name, found.n, found.scores.test_train_ratio) == ("corrected_t", 9, 1 / 9)
    assert found.scores.addresses[:, 2].tolist() == [i for i in range(10) if i != gap]
    expected = op.methods.corrected_t(*scores.values, n_train=9, n_test=1).pvalue
    assert found["a", "b"].pvalue == pytest.approx(expected, rel=1e-12)
    drawn = op.compare(scores, design="10xresampled@1/3")
    assert (str(drawn.design), drawn.n) == ("9xresampled@1/3", 9)
    for design in ("9cv", "9xresampled@1/3", "3x3cv"):
        with pytest.raises(DataError, match=f"design {design} makes 9 scores .* but 10 "):
            op.compare(scores, design=design)
    with pytest.raises(DataError, match=r"1 of 10 splits .* 10disjoint@20 needs every split"):
        op.compare(scores, design="10disjoint@20")
    monkeypatch.chdir(tmp_path)
    table.write_csv("f.csv")
    call = ("compare", "f.csv", "--drop-incomplete", "--json")
    assert run_here(*call) == 2
    assert "--design 10cv for cross" in " ".join(capsys.readouterr().err.split())
    assert run_here(*call, "--design", "10cv") == 0
    assert json.loads(capsys.readouterr().out)["pvalue"] == pytest.approx(expected, rel=1e-12)
    assert run_here(*call, "--design", "9cv") == 2


@pytest.mark.slow
def test_splits_of_unknown_design_are_judged_by_a_method_that_is_named(tmp_path: Path) -> None:
    table = frame(1, 10, a=[(0, 3)]).drop("repeat").rename({"fold": "split"})
    scores = read(table.with_columns(n_train=pl.lit(50), n_test=pl.lit(10)))
    assert scores.design is None
    found = op.compare(scores, method="corrected_t")
    assert found.n == 9
    found.report(tmp_path / "page.html")
    again = Scores.read(tmp_path / "page.html")
    assert (again.full_grid, again.digest()) == ((1, 1, 10), scores.digest())
    assert op.compare(again, method="corrected_t")["a", "b"].pvalue == found["a", "b"].pvalue
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    for other in ("[1,1,20]", "[1,1,5]", "[1,10]"):
        edited = page.replace('"full_grid":[1,1,10]', f'"full_grid":{other}')
        assert edited != page
        (tmp_path / "page.html").write_text(edited, encoding="utf-8")
        with pytest.raises(DataError, match=r"damaged|modified"):
            Scores.read(tmp_path / "page.html")
