"""Files and frames of any layout give the same Scores, or one line that says what to do."""

from __future__ import annotations

import csv
import gzip
import io
import os
import pickle
import random
import tracemalloc
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from places import ROOT

import outperform as op
from outperform import DataError, DesignError, Scores
from outperform.errors import is_blank
from outperform.readers import LIMITS, files
from outperform.readers.column_names import ROLES, is_summary

EXAMPLE = ROOT / "examples" / "scores.csv"
LONG = "learner,repeat,fold,score\n" + "".join(
    f"{name},{r},{f},{0.5 + 0.01 * i + 0.1 * r + 0.03 * f!r}\n"
    for i, name in enumerate(("tree", "bayes"))
    for r in range(2)
    for f in range(3)
)


def write(folder: Path, content: str | bytes, name: str = "scores.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.fixture
def read(tmp_path: Path) -> Any:
    """Write a file and read it."""
    return lambda content, **options: Scores.read(write(tmp_path, content), **options)


@pytest.fixture
def refusal(tmp_path: Path) -> Any:
    """Write a file and return the one line it is refused with."""

    def refuse(content: str | bytes, **options: Any) -> str:
        with pytest.raises(DataError) as caught:
            Scores.read(write(tmp_path, content), **options)
        message = str(caught.value)
        assert "\n" not in message
        return message.replace(f"{str(tmp_path / 'scores.csv')!r}", "FILE")

    return refuse


def said(scores: Scores) -> list[str]:
    assert all(note.code == "OP001" for note in scores.notes)
    return [note.text for note in scores.notes]


def facts(scores: Scores) -> dict[str, Any]:
    """Return everything but notes and the order of learners and datasets."""
    datasets = scores.datasets or ("",) * scores.n_splits
    where = [(d, *map(int, a)) for d, a in zip(datasets, scores.addresses, strict=True)]
    assert where == sorted(where, key=lambda w: (datasets.index(w[0]), w[1:]))
    sizes = {
        name: None if value is None else dict(zip(where, value.tolist(), strict=True))
        for name, value in (("n_train", scores.n_train), ("n_test", scores.n_test))
    }
    values = {
        (name, *at): value
        for name, row in zip(scores.names, scores.values.tolist(), strict=True)
        for at, value in zip(where, row, strict=True)
    }
    return {
        "values": values,
        **sizes,
        "metric": scores.metric,
        "greater": scores.greater_is_better,
        "design": scores.design,
        "seed": scores.seed,
    }


def grid_frame(
    learners: int, datasets: int, repeats: int, folds: int, sizes: bool = True
) -> pl.DataFrame:
    rng = np.random.default_rng(learners + 10 * datasets + 100 * repeats + 1000 * folds)
    rows = [
        {
            "learner": f"learner {i}",
            "dataset": f"data {d}",
            "repeat": r,
            "fold": f,
            "score": float(rng.random()),
            "n_train": 10 * (folds - 1),
            "n_test": 10,
        }
        for i in range(learners)
        for d in range(datasets)
        for r in range(repeats)
        for f in range(folds)
    ]
    frame = pl.DataFrame(rows)
    return frame if sizes else frame.drop("n_train", "n_test")


# One meaning, many forms.


@pytest.mark.slow
@given(
    shape=st.tuples(*[st.integers(1, 3)] * 3, st.integers(2, 4)),
    base=st.sampled_from([0, 1, -3]),
    kind=st.sampled_from(["number", "text", "float", "zero-padded"]),
    seed=st.integers(0, 2**32),
    data=st.data(),
)
@settings(max_examples=60)
def test_order_names_and_labels_of_a_long_file_do_not_matter(
    shape: tuple[int, int, int, int], base: int, kind: str, seed: int, data: st.DataObject
) -> None:
    frame = grid_frame(*shape)
    plain = facts(Scores.from_frame(frame))
    # More than ten labels would tell text from numbers; here they sort alike by design.
    label = {
        "number": lambda n: n + base,
        "text": lambda n: f"part {n + 8}",
        "float": lambda n: float(n + base),
        "zero-padded": lambda n: f"{n + 9:03d}",
    }[kind]
    for axis in ("repeat", "fold"):
        frame = frame.with_columns(pl.Series(axis, [label(n) for n in frame[axis]]))
    names = {
        column: data.draw(st.sampled_from(ROLES[column].split()))
        for column in frame.columns
        if column not in ("score", "fold")
    }
    names["fold"] = data.draw(st.sampled_from(["fold", "Key_Fold", "FOLD", " fold "]))
    names["score"] = data.draw(st.sampled_from(["score", "Value", "result", "test_score"]))
    shuffler = random.Random(seed)
    frame = frame.sample(fraction=1, shuffle=True, seed=seed).rename(names)
    frame = frame.select(shuffler.sample(frame.columns, len(frame.columns)))
    assert facts(Scores.from_frame(frame)) == plain


@pytest.mark.slow
@given(
    shape=st.tuples(*[st.integers(1, 3)] * 3, st.integers(2, 4)),
    seed=st.integers(0, 2**32),
    separator=st.sampled_from(",;\t|"),
    end=st.sampled_from(["\n", "\r\n"]),
    bom=st.booleans(),
)
@settings(max_examples=25)
def test_long_wide_csv_parquet_pandas_polars_and_arrow_agree(
    tmp_path_factory: pytest.TempPathFactory,
    shape: tuple[int, int, int, int],
    seed: int,
    separator: str,
    end: str,
    bom: bool,
) -> None:
    folder = tmp_path_factory.mktemp("forms")
    frame = grid_frame(*shape)
    wide = frame.pivot(
        on="learner", index=["dataset", "repeat", "fold", "n_train", "n_test"], values="score"
    ).sample(fraction=1, shuffle=True, seed=seed)
    plain = facts(Scores.from_frame(frame))
    for form in (frame, wide):
        text = form.write_csv(separator=separator, line_terminator=end, include_bom=bom).encode()
        buffer = io.BytesIO()
        form.write_parquet(buffer)
        for content in (text, gzip.compress(text, mtime=0), buffer.getvalue()):
            assert facts(Scores.read(write(folder, content, "any.name"))) == plain
        pandas = form.to_pandas()
        address = ["dataset", "repeat", "fold"]
        for native in (pandas, pandas.set_index(address), form.lazy(), form.to_arrow()):
            assert facts(Scores.from_frame(native)) == plain


@pytest.mark.slow
@given(
    names=st.lists(
        st.text(
            st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"])
            | st.sampled_from('"\n\r\t,;|='),
            min_size=1,
        ).filter(lambda name: not is_blank(name)),
        min_size=2,
        max_size=4,
        unique=True,
    ),
    end=st.sampled_from(["\n", "\r\n"]),
)
@example(names=["=cmd|' /C calc'!A0", "0,5"], end="\n")
@example(names=["\ufeffa", "'; drop table"], end="\n")
@example(names=["<script>", "[31m"], end="\r\n")
def test_names_of_models_are_kept_verbatim(
    tmp_path_factory: pytest.TempPathFactory, names: list[str], end: str
) -> None:
    assume(not any(map(is_summary, names)))  # a mean of the others may be left out
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator=end, quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(["fold", "learner", "score"])
    for name in names:
        writer.writerows([[fold, name, fold / 2] for fold in range(2)])
    path = write(tmp_path_factory.mktemp("names"), buffer.getvalue())
    assert Scores.read(path, separator=",").names == tuple(names)


def test_floats_are_read_to_the_last_bit(read: Any) -> None:
    values = [*np.random.default_rng(0).random(50).tolist(), 5e-324, 1e305]
    text = "fold,tree\n" + "".join(f"{i},{v!r}\n" for i, v in enumerate(values))
    assert read(text).values.tolist() == [values]


def test_small_integers_are_widened_before_arithmetic() -> None:
    frame = pl.DataFrame(
        {"fold": [0, 1], "a": [100, 101], "b": [200, 201]}, schema_overrides={"a": pl.UInt8}
    )
    assert Scores.from_frame(frame).values.tolist() == [[100.0, 101.0], [200.0, 201.0]]


def test_models_and_datasets_come_in_the_order_of_the_file(read: Any) -> None:
    scores = read("dataset,learner,score\nzoo,tree,1\nzoo,bayes,2\nale,tree,3\nale,bayes,4\n")
    assert scores.names == ("tree", "bayes")
    assert scores.datasets == ("zoo", "ale")
    assert scores.values.tolist() == [[1, 3], [2, 4]]


def test_one_model_is_enough(read: Any) -> None:
    assert read("fold,tree\n1,0.5\n2,0.6\n").names == ("tree",)
    scores = read("fit_time,score_time,test_score\n1,2,0.5\n1,2,0.6\n")
    assert (scores.names, scores.values.tolist()) == (("learner",), [[0.5, 0.6]])


def test_the_tests_read_what_was_read(read: Any) -> None:
    by_file = op.methods.corrected_t(read(LONG), "tree", "bayes")
    a = [[0.5 + 0.1 * r + 0.03 * f for f in range(3)] for r in range(2)]
    b = [[x + 0.01 for x in row] for row in a]
    assert by_file.estimate == pytest.approx(op.methods.corrected_t(a, b, design="2x3cv").estimate)
    rows = "".join(f"d{i},{0.5 + 0.01 * i * i},{0.5 - 0.01 * i}\n" for i in range(8))
    assert op.methods.wilcoxon(read("dataset,tree,bayes\n" + rows)).pvalue == pytest.approx(
        2 / 2**7
    )


# What was inferred is said.


def test_every_inference_is_a_note(read: Any) -> None:
    assert said(read(LONG.replace("repeat", "run"))) == [
        "Read as a long table: one row per learner and split.",
        "Column 'run' read as repeat.",
        "Assumed that greater is better for metric 'score'.",
        "Design read as 2x3cv from 2 repeats × 3 folds.",
    ]


def test_nothing_is_said_of_what_was_given(read: Any) -> None:
    scores = read(
        LONG.replace("repeat", "run"),
        layout="long",
        repeat="run",
        design="2x3cv",
        metric="accuracy",
        lower_is_better=False,
    )
    assert said(scores) == []
    assert (scores.metric, str(scores.design)) == ("accuracy", "2x3cv")


def test_columns_that_were_not_read_are_named(read: Any) -> None:
    scores = read("learner,fold,score,host\na,1,1,x\na,2,1,y\n")
    assert "Not read: 'host'." in said(scores)


@pytest.mark.parametrize(
    ("header", "metric", "greater", "sentence"),
    [
        (
            "log_loss",
            "log_loss",
            False,
            "Lower is better, judging by the name of metric 'log_loss'.",
        ),
        ("test_error", "error", False, "Lower is better, judging by the name of metric 'error'."),
        ("neg_log_loss", "neg_log_loss", True, None),
        ("accuracy", "accuracy", True, None),
        ("score", "score", True, "Assumed that greater is better for metric 'score'."),
    ],
)
def test_the_metric_is_oriented_by_its_name(
    read: Any, header: str, metric: str, greater: bool, sentence: str | None
) -> None:
    scores = read(LONG.replace("score", header))
    assert (scores.metric, scores.greater_is_better) == (metric, greater)
    assert [s for s in said(scores) if "is better" in s] == ([] if sentence is None else [sentence])
    assert read(LONG.replace("score", header), lower_is_better=True).greater_is_better is False


# Which design it was.


def addressed(header: str, rows: list[tuple[Any, ...]]) -> str:
    lines = [",".join(map(str, (*row, 0.5 + 0.01 * i, 0.6))) for i, row in enumerate(rows)]
    return "\n".join([f"{header},tree,bayes", *lines])


@pytest.mark.parametrize(
    ("header", "rows", "design"),
    [
        ("fold", [(f,) for f in range(10)], "10cv"),
        ("repeat,fold", [(r, f) for r in range(5) for f in range(2)], "5x2cv"),
        ("repeat,split", [(r, f) for r in range(3) for f in range(4)], "3x4cv"),
        ("partition,fold", [(p, f) for p in range(3) for f in range(4)], "3*4cv"),
        ("split,n_train,n_test", [(f, 20, 10) for f in range(3)], "3cv"),
        ("fold,n_train,n_test", [(0, 21, 10), (1, 21, 10), (2, 20, 11)], "3cv"),
    ],
)
def test_a_full_grid_of_folds_is_cross_validation(
    read: Any, header: str, rows: list[Any], design: str
) -> None:
    scores = read(addressed(header, rows))
    assert str(scores.design) == design
    assert any(s.startswith(f"Design read as {design} from ") for s in said(scores))


@pytest.mark.parametrize(
    ("header", "rows", "sentence"),
    [
        ("split", [(i,) for i in range(30)], "No design was inferred from 30 folds: pass"),
        ("repeat", [(i,) for i in range(30)], "No design was inferred from 30 repeats"),
        ("repeat,fold", [(i, 0) for i in range(30)], "No design was inferred from 30 repeats"),
        (
            "fold,n_train,n_test",
            [(f, 20, 5) for f in range(10)],
            "10 folds, but n_train and n_test",
        ),
        (
            "fold,n_train,n_test",
            [(f, 90 + f, 10) for f in range(10)],
            "10 folds, but n_train and n",
        ),
        ("n_test", [(10,)] * 4, "No design was inferred from 4 folds: pass"),
    ],
)
def test_what_could_be_another_design_is_left_open(
    read: Any, header: str, rows: list[Any], sentence: str
) -> None:
    scores = read(addressed(header, rows))
    assert scores.design is None
    other = f"design='{len(rows)}xresampled@1/3'"
    assert any(s.startswith(sentence) and other in s for s in said(scores))
    assert read(addressed(header, rows), design=other.split("'")[1]).n_splits == len(rows)


def test_a_design_that_is_given_is_checked_against_the_splits(read: Any, refusal: Any) -> None:
    assert read(LONG, design="2x3cv").n_splits == 6
    assert "design 3x2cv has 3 repeats × 2 folds, but the scores have 2 repeats × 3 folds" in (
        refusal(LONG, design="3x2cv")
    )
    with pytest.raises(DesignError):
        read(LONG, design="nonsense")


def test_splits_in_one_row_are_laid_out_by_the_design(read: Any) -> None:
    text = addressed("split", [(i,) for i in range(6)])
    scores = read(text, design="3x2cv")
    assert scores.addresses.tolist() == [[0, r, f] for r in range(3) for f in range(2)]
    unnumbered = "tree,bayes\n" + "0.5,0.6\n" * 6
    assert read(unnumbered, design="6xresampled@1/3").addresses[:, 1].tolist() == [*range(6)]


def test_paired_halves_have_no_second_half_of_all_data(read: Any, refusal: Any) -> None:
    plan = op.parse("2x3halves@1/10")
    rows = [(s.partition, s.repeat, s.fold) for s in plan.split(100)]
    scores = read(addressed("partition,repeat,fold", rows), design=str(plan))
    assert scores.addresses.tolist() == [list(row) for row in rows]
    assert "incomplete: 28 of 30 scores" in refusal(
        addressed("partition,repeat,fold", rows[1:]), design=str(plan)
    )
    assert "incomplete: 30 of 36 scores" in refusal(addressed("partition,repeat,fold", rows))


def test_sizes_may_be_numbers(read: Any) -> None:
    scores = read("split,tree\n1,0.5\n2,0.6\n", n_train=90, n_test=10)
    assert scores.test_train_ratio == pytest.approx(1 / 9)


def test_a_constant_seed_is_kept(read: Any) -> None:
    assert read("seed,fold,tree\n7,1,0.5\n7,2,0.6\n").seed == 7
    varied = read("seed,fold,tree\n7,1,0.5\n8,2,0.6\n")
    assert varied.seed is None
    assert "Column 'seed' contains 2 different seeds; none was kept." in said(varied)


# What is refused, and in which words.


def test_a_missing_cell_is_named(refusal: Any) -> None:
    lines = LONG.splitlines()
    text = "\n".join(line for line in lines if not line.startswith(("tree,0,2", "tree,1,1")))
    assert refusal(text).startswith(
        "incomplete: 10 of 12 scores; missing for 'tree': repeat 0 fold 2, repeat 1 fold 1. Every "
    )
    assert "missing for 'tree': repeat 0 fold 0, repeat 0 fold 1, repeat 0 fold 2, …" in refusal(
        "\n".join(line for line in lines if not line.startswith(("tree,0", "tree,1,0")))
    )


def test_a_cell_that_comes_twice_is_named(read: Any, refusal: Any) -> None:
    assert refusal(LONG + "tree,1,2,0.4\n") == (
        "FILE, line 7 and FILE, line 14 are both 'tree' repeat 1 fold 2; each learner needs one "
        "score per split. Keep one"
    )
    batches = "learner,batch,host,fold,score\na,1,x,1,0.5\na,2,x,1,0.6\na,1,x,2,0.5\na,2,x,2,0.7\n"
    advice = "If column 'batch' distinguishes them, pass repeat='batch'"
    assert advice in refusal(batches.replace("a,1", "a,7"))
    assert read(batches.replace("a,1", "a,7"), repeat="batch").n_splits == 4


def test_rows_of_two_models_are_not_paired_by_their_order(read: Any, refusal: Any) -> None:
    assert "'a' has 2 rows, and no column identifies the splits" in refusal(
        "learner,score\na,1\na,2\nb,1\nb,2\n"
    )
    batches = "learner,batch,score\na,x,0.1\na,y,0.2\nb,x,0.1\nb,y,0.3\n"
    assert refusal(batches).endswith("pass fold='batch', design='2cv'")
    assert read(batches, fold="batch", design="2cv").values.tolist() == [[0.1, 0.2], [0.1, 0.3]]


@pytest.mark.parametrize(
    ("cell", "came"),
    [
        ("", "an empty cell"),
        ('""', "an empty cell"),
        ("nan", "'nan'"),
        ("NaN", "'NaN'"),
        ("inf", "'inf'"),
        ("1e308", "'1e308'"),
        ("-Infinity", "'-Infinity'"),
        ("1e999", "'1e999'"),
        ("n/a", "'n/a'"),
        ("0x1F", "'0x1F'"),
        ("1_000", "'1_000'"),
        ("=1+1", "'=1+1'"),
        ("TRUE", "'TRUE'"),
        ('"a\nb"', r"'a\nb'"),
        ("x" * 99, "'" + "x" * 59 + "…'"),
    ],
)
@pytest.mark.parametrize("wide", [False, True])
def test_a_score_that_is_no_number_is_shown_with_its_line(
    refusal: Any, wide: bool, cell: str, came: str
) -> None:
    text = (
        f"fold,tree\n1,0.5\n\n2,{cell}\n"
        if wide
        else f"fold,learner,score\n1,a,0.5\n\n2,a,{cell}\n"
    )
    column = "tree" if wide else "score"
    message = refusal(text)
    assert message.startswith(f"FILE, line 4, column '{column}': expected a finite number")
    assert f", got {came}. " in message


@pytest.mark.parametrize("value", [None, float("nan"), float("inf"), "n/a"])
def test_a_score_of_a_frame_that_is_no_number_is_shown_with_its_row(value: Any) -> None:
    for frame in (
        pd.DataFrame({"fold": [1, 2], "tree": pd.Series([0.5, value], dtype=object)}),
        pl.DataFrame({"fold": [1, 2], "tree": pl.Series([0.5, value], strict=False)}),
    ):
        with pytest.raises(
            DataError, match=r"^row 1 \(counted from 0\), column 'tree': expected a finite number"
        ):
            Scores.from_frame(frame)


def test_lines_are_counted_over_quoted_line_breaks(refusal: Any) -> None:
    text = 'learner,fold,score\n"a\nb\nc",1,0.5\n"a\nb\nc",2,?\n'
    assert refusal(text).startswith(
        "FILE, line 5, column 'score': expected a finite number, got '?'"
    )


def test_empty_labels_are_refused(refusal: Any) -> None:
    assert refusal(LONG + ",1,1,0.5\n").startswith("FILE, line 14, column 'learner' is empty")
    assert refusal(LONG + "tree,,1,0.5\n").startswith("FILE, line 14, column 'repeat' is empty")


def test_several_metrics_need_one_chosen(read: Any, refusal: Any) -> None:
    text = "metric,fold,tree\nauc,1,0.5\nerror,1,0.1\nauc,2,0.6\nerror,2,?\n"
    long = text.replace("tree", "score")
    assert refusal(long) == (
        "column 'metric' contains 2 metrics ('auc', 'error'). Choose one: metric='auc'"
    )
    scores = read(long, metric="auc")
    assert (scores.metric, scores.values.tolist()) == ("auc", [[0.5, 0.6]])
    assert refusal(long, metric="error").startswith(
        "FILE, line 5, column 'score': expected a finite number, got '?'"
    )
    assert refusal(long, metric="aux") == "unknown metric 'aux'; did you mean 'auc'?"


def test_sizes_must_be_those_of_one_split_for_every_model(refusal: Any) -> None:
    text = "learner,fold,score,n_test\na,1,0.5,10\nb,1,0.5,11\n"
    assert refusal(text).startswith(
        "FILE, line 2 and FILE, line 3 are the same split, but column 'n_test' contains 10 and 11"
    )
    assert "expected a positive integer" in refusal(text.replace("11", "0"))
    assert "expected a positive integer" in refusal(text.replace("11", "1.5"))


def test_train_and_test_are_not_folds(refusal: Any) -> None:
    text = "model,split,fold,score\na,train,0,0.9\na,test,0,0.5\na,train,1,0.8\na,test,1,0.6\n"
    asked = refusal(text, repeat="split")
    assert "column 'split' contains 'test', 'train', the two parts of a split" in asked


def test_decimal_commas_are_read_where_they_can_be_nothing_else(read: Any, refusal: Any) -> None:
    scores = read("fold;tree\n1;0,5\n2;1\n3;0,125\n")
    assert scores.values.tolist() == [[0.5, 1.0, 0.125]]
    assert "Decimal commas were converted in column 'tree'." in said(scores)
    for text in ("fold;tree\n1;1,234\n2;5,678\n", "fold;tree\n1;0,5\n2;0.5\n"):
        assert "If the comma is a decimal separator, write a point, otherwise" in refusal(text)
    assert "line 2 has 3 cells but the header has 2" in refusal("fold,tree\n1,0,5\n2,0,6\n")


def test_frames_that_are_none_are_refused() -> None:
    for thing in ([1, 2], np.zeros((2, 2)), "scores.csv", pd.Series([1.0], name="a")):
        with pytest.raises(DataError, match="Expected a data frame"):
            Scores.from_frame(thing)
    with pytest.raises(DataError, match="no rows"):
        Scores.from_frame(pd.DataFrame({"fold": [], "tree": []}))
    with pytest.raises(DataError, match="must be unique"):
        Scores.from_frame(pd.DataFrame([[1, 0.5, 0.6]], columns=["fold", "tree", "tree"]))
    with pytest.raises(DataError, match="column 'learner' has type List"):
        Scores.from_frame(pl.DataFrame({"learner": [[1]], "score": [0.5]}))


# Predictions.

Y = ["a", "b", "b", "c", "a", "c"]
TREE = ["a", "b", "c", "c", "a", "a"]
BAYES = ["b", "b", "b", "c", "a", "c"]


@pytest.mark.parametrize("kind", ["text", "int", "float", "bool", "categorical"])
def test_predictions_are_judged_item_by_item(tmp_path: Path, kind: str) -> None:
    cast: dict[str, Any] = {
        "text": lambda v: v,
        "categorical": lambda v: v,
        "int": "abc".index,
        "float": lambda v: float("abc".index(v)),
        "bool": lambda v: v == "a",
    }
    columns = {
        name: [cast[kind](v) for v in values]
        for name, values in (("Truth", Y), ("tree", TREE), ("bayes", BAYES))
    }
    frame = pl.DataFrame(columns)
    if kind == "categorical":
        frame = frame.cast(pl.Categorical)
    frame.write_parquet(tmp_path / "p.parquet")
    frame.write_csv(tmp_path / "p.csv")
    models = {"tree": columns["tree"], "bayes": columns["bayes"]}
    expected = Scores.from_predictions(columns["Truth"], models)
    for scores in (
        Scores.from_frame(frame),
        Scores.from_frame(frame.to_pandas()),
        Scores.from_frame(frame.to_arrow()),
        Scores.read(tmp_path / "p.parquet"),
        Scores.read(tmp_path / "p.csv"),
    ):
        assert facts(scores) == facts(expected)
        assert scores.items is not None
        assert expected.items is not None
        np.testing.assert_array_equal(scores.items.values, expected.items.values)
        assert said(scores)[-1] == "Design read as a holdout of 6 items."
    assert op.methods.mcnemar(scores, "tree", "bayes").n == 6


def test_integer_labels_beyond_float_precision_are_told_apart(read: Any) -> None:
    big = 2**64
    scores = read(f"y,a,b\n{big},{big},{big + 1}\n{big + 1},{big + 1},{big + 1}\n")
    assert scores.values.tolist() == [[1.0], [0.5]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("y,a\n1,x\n0,y\n", "column 'y' contains numbers but 'a' contains text, so no prediction"),
        ("y,a\n2,0.7\n0,0.2\n", "FILE, line 2, column 'a': expected a class label, got '0.7'"),
        ("y,a\nx,x\n,y\n", "FILE, line 3, column 'y': expected a class label, got an empty cell"),
        ("y,a\nx,x\ny,\n", "FILE, line 3, column 'a': expected a class label, got an empty cell"),
        ("y,a,note\nx,x,p\ny,x,q\n", "column 'note' has no label in common with 'y'"),
        ("y,fold,a\nx,1,x\ny,2,x\n", "column 'fold' implies several splits"),
    ],
)
def test_what_are_no_predicted_labels_is_refused(refusal: Any, text: str, message: str) -> None:
    assert refusal(text).startswith(message)


def test_predictions_of_one_test_set_have_no_other_design_or_metric(
    read: Any, refusal: Any
) -> None:
    text = "y,a\nx,x\ny,x\n"
    assert refusal(text, design="10cv").startswith("design 10cv implies several splits")
    assert "predicted labels are scored by accuracy" in refusal(text, metric="f1")
    assert str(read(text, design="loo").design) == "loo"


# Files that are not what they seem.


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            b"",
            "FILE is empty; expected a file of scores in CSV, Parquet, JSON, Excel or ARFF. Check",
        ),
        (b"\n \n", "FILE is empty;"),
        (b"\xef\xbb\xbf", "FILE is empty;"),
        (b"learner,fold,score\n", "FILE has a header but no rows;"),
        (b"tree,1,1,0.93\ntree,1,2,0.94\n", "FILE starts with 'tree,1,1,0.93' instead of column"),
        (
            b"1,2\n3,4\n5,6\n",
            "FILE starts with '1,2' instead of column names; a header is required.",
        ),
        (b"fold,tree,tree\n1,1,1\n", "FILE has two columns named 'tree';"),
        (b'fold,a"b,c"\n1,0.5\n', "FILE, line 2 has 2 cells but the header has 3;"),
        (b'fold,"a" \nb"\n1,0.5\n', "FILE, line 2 contains an unbalanced quote."),
        (b'fold,"tr"ee\nx"x"\n1,1\n', "FILE has stray quotes in its header;"),
        (b"fold,tree\n1,0.5,0.6\n", "FILE, line 2 has 3 cells but the header has 2;"),
        (b"fold,tree\n1,0.5\n2\n", "FILE, line 3 has 1 cells but the header has 2;"),
        (b'fold,tree\n1,0.5\n2,"0.5\n', "FILE, line 3 contains an unbalanced quote."),
        (
            b"fold,tree\n1,0.5\n2,\xe9\n",
            "FILE, line 3 contains byte 0xe9, which is not valid UTF-8.",
        ),
        (b"fold,tree\r1,0.5\r2,0.5", "FILE, line 1 contains a CR without LF;"),
        (
            b"a|b,c\n1|2,3\n",
            "FILE could be separated by ',' or '|'. Pass",
        ),
        (b"<!doctype html><html>", "FILE contains HTML or XML;"),
        (b'{"score": 1}', "FILE contains an object without lists;"),
        (b"PK\x03\x04\x14\0", "FILE is a damaged Excel workbook"),
        (bytes(range(256)), "FILE contains binary data;"),
        ("fold,tree\n1,0.5\n".encode("utf-16")[:-1], "FILE contains damaged UTF-16 text;"),
        ("fold,tree\n1,0.5\n".encode("utf-16-le"), "FILE contains binary data;"),
        (pickle.dumps({"a": 1}), "FILE contains a Python pickle, which could run code;"),
        (b"PAR1", "FILE is a damaged Parquet file"),
        (b"PAR1" + b"\0" * 20 + b"\xff\xff\xff\xffPAR1", "FILE is a damaged Parquet file"),
        (b"\x1f\x8b\x08junk", "FILE is a damaged gzip file"),
        (gzip.compress(b"fold,tree\n1,0.5\n", mtime=0)[:-9], "FILE is a damaged gzip file"),
        (gzip.compress(b"PAR1\0", mtime=0), "FILE contains binary data;"),
    ],
)
def test_a_file_that_holds_no_scores_is_named_for_what_it_is(
    refusal: Any, content: bytes, message: str
) -> None:
    assert refusal(content).startswith(message)


def test_a_database_of_another_program_is_refused(refusal: Any) -> None:
    # It is taken for a store, whose messages quote no more of a path than fits a line.
    assert "is a database, but not a" in refusal(b"SQLite format 3\0")


def test_a_path_that_is_no_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def message(path: Any) -> str:
        with pytest.raises(DataError) as caught:
            Scores.read(path)
        return str(caught.value)

    assert "is a directory; expected a file of scores" in message(tmp_path)
    assert "was not found;" in message(tmp_path / "none.csv")
    assert "was not found;" in message("https://example.org/scores.csv")
    assert "cannot be read (" in message("x" * 5000)
    assert "cannot be read (" in message("a\0b")
    assert "Expected a path, got DataFrame" in message(pl.DataFrame({"a": [1]}))
    os.mkfifo(tmp_path / "pipe")
    assert "is not a regular file;" in message(tmp_path / "pipe")

    def forbidden(*_: Any) -> Any:
        raise PermissionError

    monkeypatch.setattr(files, "open", forbidden, raising=False)
    assert "is not readable by this user;" in message(write(tmp_path, LONG))
    assert "Grant access: chmod u+r" in message(write(tmp_path, LONG))


def test_an_unnamed_column_of_row_numbers_is_not_a_model(read: Any) -> None:
    text = pd.DataFrame({"fold": [0, 1], "tree": [0.5, 0.6]}).to_csv()
    assert read(text).names == ("tree",)


def test_the_separator_may_be_said(read: Any) -> None:
    assert read("a|b,c\n1,5|2,3\n", separator="|", layout="wide").names == ("a", "b,c")


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"bytes": 20}, "which exceeds the limit of 20. If you trust this file, raise"),
        ({"rows": 11}, "FILE has 12 rows, which exceeds the limit of 11."),
        ({"columns": 3}, "FILE has 4 columns, which exceeds the limit of 3."),
        ({"field": 4}, "FILE contains a cell of "),
    ],
)
@pytest.mark.parametrize("form", ["csv", "gzip", "parquet"])
def test_limits_are_kept_and_can_be_raised(
    read: Any, refusal: Any, limits: dict[str, int], message: str, form: str
) -> None:
    buffer = io.BytesIO()
    pl.read_csv(LONG.encode()).write_parquet(buffer)
    text = LONG.encode()
    forms = {"csv": text, "gzip": gzip.compress(text, mtime=0), "parquet": buffer.getvalue()}
    content = forms[form]
    assert message in refusal(content, limits=limits)
    assert read(content, limits=dict.fromkeys(limits, 10**6)).n_splits == 6


def test_an_unknown_limit_is_refused(refusal: Any) -> None:
    assert refusal(LONG, limits={"row": 3}) == "unknown limit 'row'; did you mean 'rows'?"
    assert "must be a positive integer" in refusal(LONG, limits={"rows": 0})


def test_a_gzip_bomb_is_not_unpacked(refusal: Any) -> None:
    bomb = gzip.compress(b"fold,tree\n" + b"1,0.5\n" * 5_000_000, mtime=0) * 10
    tracemalloc.start()
    try:
        assert "more than 100 times its size, which exceeds the limit of 100. If" in refusal(bomb)
        assert tracemalloc.get_traced_memory()[1] < 10**8
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("column", "limits", "message"),
    [
        (
            pl.repeat(0.5, 30_000_000, eager=True),
            {},
            "has 30,000,000 rows, which exceeds the limit",
        ),
        (pl.repeat(0.5, 10**6, eager=True), {"bytes": 10**6}, "unpacks to 8,000,"),
    ],
)
def test_a_parquet_bomb_is_refused_by_its_metadata(
    refusal: Any,
    monkeypatch: pytest.MonkeyPatch,
    column: pl.Series,
    limits: dict[str, int],
    message: str,
) -> None:
    buffer = io.BytesIO()
    column.alias("tree").to_frame().write_parquet(buffer, statistics=False)
    assert len(buffer.getvalue()) < 800_000
    monkeypatch.setattr(pl, "read_parquet", None)
    assert message in refusal(buffer.getvalue(), limits=limits)


def _parquet_bytes() -> bytes:
    buffer = io.BytesIO()
    pl.read_csv(LONG.encode()).write_parquet(buffer)
    return buffer.getvalue()


@pytest.mark.slow
@given(
    form=st.sampled_from([LONG.encode(), gzip.compress(LONG.encode(), mtime=0), _parquet_bytes()]),
    damage=st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), max_size=4),
    cut=st.integers(0, 40),
)
@settings(max_examples=300)
def test_damaged_files_give_scores_or_a_refusal(
    tmp_path_factory: pytest.TempPathFactory,
    form: bytes,
    damage: list[tuple[int, int]],
    cut: int,
) -> None:
    content = bytearray(form[: len(form) - cut])
    for position, byte in damage:
        content[position % len(content)] = byte
    with suppress(DataError):
        scores = Scores.read(write(tmp_path_factory.mktemp("damaged"), bytes(content)))
        assert np.isfinite(scores.values).all()


def test_the_limits_are_one_table() -> None:
    assert set(LIMITS) == {"bytes", "rows", "columns", "cells", "field", "ratio", "scores"} | {
        "json",
        "sheet",
    }


def test_the_shipped_scores_show_what_the_correction_is_for() -> None:
    scores = Scores.read(EXAMPLE)
    assert (scores.names, str(scores.design)) == (("logistic", "forest"), "10x10cv")
    assert scores.values.shape == (2, 100)
    assert op.methods.repeated_kfold_t(scores).pvalue < 0.001
    assert op.methods.corrected_t(scores).pvalue > 0.05


@pytest.mark.parametrize("word", ["", "NA", "n/a", "nan", "NULL", "None", "-", "?"])
@pytest.mark.parametrize(
    ("text", "column", "options"),
    [
        ("learner,fold,score\na,0,0.8\na,1,{}\nb,0,0.7\nb,1,0.6\n", "score", {}),
        ("learner,fold,accuracy\na,0,0.8\na,1,{}\nb,0,0.7\nb,1,0.6\n", "accuracy", {}),
        ("learner,fold,odd\na,0,0.8\na,1,{}\nb,0,0.7\nb,1,0.6\n", "odd", {"score": "odd"}),
        ("fold,a,b\n0,0.8,0.7\n1,{},0.6\n", "a", {}),
        ("y_true,a,b\n0,1,1\n1,{},1\n", "a", {}),
        ("a,b\n1,0\n{},1\n", "a", {"layout": "correct"}),
        ("a,b\n1.0,0\n{},1\n", "a", {"layout": "correct"}),
        ("a,b\nTrue,False\n{},True\n", "a", {"layout": "correct"}),
    ],
)
def test_a_missing_cell_is_named_whatever_it_is_written_as(
    refusal: Any, word: str, text: str, column: str, options: dict[str, Any]
) -> None:
    came = "an empty cell" if word == "" else repr(word)
    said = refusal(text.format(word), **options)
    assert said.startswith(f"FILE, line 3, column {column!r}: expected "), said
    assert f", got {came}. " in said


def test_words_for_missing_are_labels_where_labels_are_words(read: Any) -> None:
    scores = read("y_true,a,b\nna,na,none\nnone,none,none\nyes,na,yes\n")
    assert scores.wrong().tolist() == [[0, 1], [0, 0], [1, 0]]
    scores = read("learner,fold,score\nNA,0,0.5\nnone,0,0.6\n")
    assert scores.names == ("NA", "none")


def test_a_column_of_text_with_numbers_in_it_is_no_column_of_numbers(refusal: Any) -> None:
    text = "learner,fold,odd\na,0,0.8\na,1,NA\nb,0,low\nb,1,0.6\n"
    assert "no score column was recognised: no column is numeric" in refusal(text)


def test_all_data_and_halves_are_told_by_their_layout(tmp_path: Path) -> None:
    rows = [("n", "partition", "repeat", "fold", "score", "n_train", "n_test")]
    for split in op.parse("3x4cv+2halves").split(80, random_state=0):
        sizes = len(split.train), len(split.test)
        address = split.partition, split.repeat, split.fold
        rows += [(name, *address, 0.5 + 0.01 * split.fold, *sizes) for name in "ab"]
    file = tmp_path / "halves.csv"
    file.write_text("\n".join(",".join(map(str, row)) for row in rows).replace("n,", "learner,", 1))
    found = op.Scores.read(file)
    assert str(found.design) == "3x4cv+2halves"
    assert any("Design read as 3x4cv+2halves" in note.text for note in found.notes)
    told = op.Scores.read(file, design="3x4cv+2halves")
    assert (found.addresses == told.addresses).all()
    assert (found.values == told.values).all()
    file.write_text(file.read_text().replace(",30,10", ",60,20"))  # no halves, by their sizes
    with pytest.raises(op.OutperformError, match="incomplete"):
        op.Scores.read(file)
