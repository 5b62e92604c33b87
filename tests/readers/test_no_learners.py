"""What stands beside scores is never taken for a learner or a split; what is a learner is kept."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from launching import run_here

import outperform as op
from outperform import DataError, Scores
from outperform.readers.recognition import NumericColumns

RNG = np.random.default_rng(2)
DRAWS = RNG.uniform(0.8, 0.95, (60, 6)).round(4)


def wide(rows: int = 10, **columns: Any) -> pl.DataFrame:
    """Make a frame of learners a and b, with other columns before them."""
    made = {
        name: [cell(i) for i in range(rows)] if callable(cell) else [cell] * rows
        for name, cell in columns.items()
    }
    return pl.DataFrame({**made, "a": DRAWS[:rows, 0], "b": DRAWS[:rows, 1]})


def said(scores: Scores) -> str:
    return " ".join(note.text for note in scores.notes)


def refusal(frame: Any, **options: Any) -> str:
    with pytest.raises(DataError) as caught:
        Scores.from_frame(frame, **options)
    return str(caught.value)


def counting(start: int) -> Callable[[int], int]:
    return lambda i: i + start


# Counters.

COUNTERS = [
    "",
    "id",
    "trial",
    "Fold #",
    "k",
    "iteration",
    "#",
    "no",
    "Index",
    "Durchgang",
    "cv_iter",
]


@pytest.mark.parametrize("start", [0, 1])
@pytest.mark.parametrize("name", COUNTERS)
def test_a_counter_in_a_wide_frame_is_the_fold_in_any_order(name: str, start: int) -> None:
    frame = wide(**{name: counting(start)})
    plain = Scores.from_frame(frame)
    assert (plain.names, str(plain.design)) == (("a", "b"), "10cv")
    for seed in range(3):
        mixed = frame.sample(fraction=1, shuffle=True, seed=seed)
        assert Scores.from_frame(mixed).values.tolist() == plain.values.tolist()
        assert Scores.from_frame(mixed, design="10cv").names == ("a", "b")
    spelt = frame.with_columns(pl.col(name).cast(pl.String))
    assert Scores.from_frame(spelt).values.tolist() == plain.values.tolist()


def test_a_counter_is_a_model_where_it_is_named_as_one() -> None:
    scores = Scores.from_frame(wide(trial=counting(0)), learner=["a", "trial"])
    assert scores.names == ("a", "trial")
    assert [note.code for note in scores.notes if note.severity == "caution"] == []
    far = Scores.from_frame(wide(trial=counting(100)), learner=["a", "trial"])
    assert [note.code for note in far.notes if note.severity == "caution"] == ["OP007"]


def test_more_than_ten_counted_rows_may_be_another_design() -> None:
    scores = Scores.from_frame(wide(20, id=counting(0)))
    assert (scores.names, scores.design) == (("a", "b"), None)
    assert "No design was inferred from 20 folds" in said(scores)
    assert str(Scores.from_frame(wide(20, fold=counting(0))).design) == "20cv"


def test_an_index_beside_folds_datasets_or_repeats_is_only_an_index() -> None:
    grid = wide(10, id=counting(0), repeat=lambda i: i // 5, fold=lambda i: i % 5)
    scores = Scores.from_frame(grid)
    assert (scores.names, str(scores.design)) == (("a", "b"), "2x5cv")
    assert "Not read: 'id'." in said(scores)
    datasets = Scores.from_frame(wide(10, id=counting(0), dataset=lambda i: f"d{i}"))
    assert datasets.datasets == tuple(f"d{i}" for i in range(10))
    assert datasets.names == ("a", "b")


def test_what_counts_within_repeats_is_the_fold() -> None:
    scores = Scores.from_frame(wide(10, rep=lambda i: i // 5, k=lambda i: i % 5))
    assert str(scores.design) == "2x5cv"
    frame = wide(10, iteration=lambda i: i // 5, fold=lambda i: i % 5)
    assert "pass repeat='iteration'" in refusal(frame)
    turned = Scores.from_frame(frame, repeat="iteration")
    assert turned.values.tolist() == scores.values.tolist()


@pytest.mark.parametrize("name", ["epoch", "max_depth", "Step", "year", "n_rounds"])
def test_epochs_and_settings_are_no_splits(name: str) -> None:
    frame = wide(**{name: counting(1)})
    long = frame.unpivot(["a", "b"], index=name, variable_name="model", value_name="accuracy")
    for each in (frame, long):
        for options in ({}, {"design": "10cv"}):
            message = refusal(each, **options)
            assert "its name does not suggest splits" in message
        assert f"pass fold={name!r}" in message
        assert str(Scores.from_frame(each, fold=name).design) == "10cv"
    folds = pl.concat([long.with_columns(fold=pl.lit(fold)) for fold in range(3)])
    assert f"Keep one row per learner and split, such as the last {name!r}" in refusal(folds)


@pytest.mark.parametrize("name", ["question", "item", "doc_id", "sample"])
def test_items_with_scores_of_their_own_are_no_folds(name: str) -> None:
    frame = wide(**{name: counting(0)})
    scores = Scores.from_frame(frame)
    assert str(scores.design) == "holdout@10"
    found = op.compare(scores)["a", "b"]
    assert found.pvalue == pytest.approx(
        op.methods.paired_t(frame["a"], frame["b"], unit="items").pvalue
    )
    (design,) = re.findall("design='([^']*)'", " ".join(note.text for note in scores.notes))
    assert str(Scores.from_frame(frame, design=design).design) == design


def test_what_counts_beside_models_has_to_be_named_as_a_split() -> None:
    frame = wide(width=counting(1)).unpivot(
        ["a", "b"], index="width", variable_name="model", value_name="accuracy"
    )
    assert refusal(frame).endswith("pass fold='width', design='10cv'")
    for name in ("", "id", "trial", "k"):
        assert str(Scores.from_frame(frame.rename({"width": name})).design) == "10cv"


def test_labels_that_say_fold_are_folds_though_their_column_has_no_name() -> None:
    scores = Scores.from_frame(wide(10, **{"": lambda i: f"Fold {9 - i}"}))
    assert str(scores.design) == "10cv"
    assert scores.values[0].tolist() == DRAWS[:10, 0][::-1].tolist()


@pytest.mark.parametrize("n", [2, 10, 50])
def test_whole_numbers_may_be_scores(n: int) -> None:
    counts = RNG.integers(38, 51, (n, 2))
    frame = pl.DataFrame({"fold": range(n), "a": counts[:, 0], "b": counts[:, 1]})
    assert Scores.from_frame(frame).values.tolist() == counts.T.tolist()
    unnumbered = Scores.from_frame(frame.rename({"fold": "id"}))
    assert unnumbered.values.tolist() == counts.T.tolist()


def test_a_few_whole_numbers_that_count_may_be_scores_or_folds() -> None:
    frame = pl.DataFrame({"lauf": [1, 2, 3, 4], "a": [41, 43, 40, 42], "b": [40, 40, 39, 41]})
    assert "column 'lauf' may number the rows or contain scores" in refusal(frame)
    assert Scores.from_frame(frame, fold="lauf").names == ("a", "b")
    assert Scores.from_frame(frame, learner=["lauf", "a", "b"]).names == ("lauf", "a", "b")


def test_predicted_classes_are_no_counters_where_every_item_has_a_class_of_its_own() -> None:
    frame = pl.DataFrame({"y_true": range(6), "a": [0, 1, 2, 3, 5, 4], "b": [1, 1, 2, 2, 4, 4]})
    assert Scores.from_frame(frame).names == ("a", "b")
    few = pl.DataFrame({"nr": range(6), "y_true": [0, 1] * 3, "a": [0, 1] * 3, "b": [1, 1] * 3})
    assert Scores.from_frame(few).names == ("a", "b")


# Times, deviations, counts, summaries.


@pytest.mark.parametrize(
    "name",
    [
        "train_time",
        "fit_time",
        "Time",
        "seconds",
        "duration",
        "wall seconds",
        "fitTime",
        "time_train_s",
        "a_std",
        "b_sd",
        "a_se",
        "std",
        "std_a",
        "sd",
    ],
)
def test_times_and_deviations_are_left_out_and_said(name: str) -> None:
    scores = Scores.from_frame(wide(fold=counting(0), **{name: lambda i: 0.01 + i / 1000}))
    assert scores.names == ("a", "b")
    assert f"Not read: {name!r}." in said(scores)


@pytest.mark.parametrize("name", ["n", "count", "n_samples", "support", "size"])
def test_numbers_of_items_are_left_out_and_said(name: str) -> None:
    scores = Scores.from_frame(wide(fold=counting(0), **{name: 57}))
    assert scores.names == ("a", "b")
    assert f"Not read: {name!r}." in said(scores)


@pytest.mark.parametrize(
    "name",
    [
        "id3",
        "k-NN",
        "kNN",
        "std_tree",
        "time_series_forest",
        "mean_baseline",
        "n-gram",
        "hybrid",
        "sigmoid",
        "SE-ResNet",
        "total_variation",
        "max_margin",
        "k",
        "trial",
        "step",
        "n",
    ],
)
def test_a_model_with_scores_like_the_others_is_kept_whatever_its_name(name: str) -> None:
    scores = Scores.from_frame(wide(fold=counting(0), **{name: lambda i: float(DRAWS[i, 4])}))
    assert scores.names == (name, "a", "b")


@pytest.mark.parametrize("name", ["a_std", "std_a", "a_acc_sd", "a_ci", "b_stderr", "a_rank"])
def test_a_deviation_is_left_out_however_large_it_is(name: str) -> None:
    cells: dict[str, Any] = {name: lambda i: float(DRAWS[i, 4])}
    if name == "a_rank":
        cells = {name: lambda i: 1 + i % 2}
    scores = Scores.from_frame(wide(fold=counting(0), **cells))
    assert scores.names == ("a", "b")
    assert f"Not read: {name!r}." in said(scores)


def test_the_deviation_of_a_model_is_known_beside_its_metric() -> None:
    frame = wide(svm_std=lambda i: float(DRAWS[i, 4])).rename({"a": "svm_acc", "b": "rf_acc"})
    assert Scores.from_frame(frame).names == ("svm_acc", "rf_acc")


@pytest.mark.parametrize("name", ["c_std", "SE-A"])
def test_what_may_be_a_deviation_or_a_model_is_asked_about(name: str) -> None:
    message = refusal(wide(fold=counting(0), **{name: lambda i: float(DRAWS[i, 4])}))
    assert (
        f"column {name!r} has the name of a deviation or a rank, but contains numbers as" in message
    )
    assert (
        f"learner=['a', 'b']; if every column is a learner, list them all: learner=[{name!r}, 'a'"
        in (message)
    )


def test_a_column_that_is_the_mean_of_the_others_is_left_out_and_another_is_asked_about() -> None:
    mean = (DRAWS[:, 0] + DRAWS[:, 1]) / 2
    scores = Scores.from_frame(wide(fold=counting(0), Mean=lambda i: round(float(mean[i]), 3)))
    assert scores.names == ("a", "b")
    assert "Not read: 'Mean'." in said(scores)
    other = refusal(wide(fold=counting(0), mean=lambda i: float(DRAWS[i, 4])))
    assert "column 'mean' has the name of a summary" in other


@pytest.mark.parametrize(
    "words",
    [
        ["mean"],
        ["Mean ± SD"],
        ["AVG", "Std. Dev."],
        ["total"],
        ["min", "max", "median"],
        ["standard deviation"],
    ],
)
@pytest.mark.parametrize("column", ["fold", "", "id", "Durchgang"])
def test_summary_rows_are_left_out_whatever_labels_them(column: str, words: list[str]) -> None:
    frame = wide(**{column: lambda i: str(i + 1)})
    more = [{column: word, "a": 0.9, "b": 0.8} for word in words]
    long = pl.concat([frame, pl.DataFrame(more)])
    for seed in range(2):
        mixed = long.sample(fraction=1, shuffle=True, seed=seed)
        scores = Scores.from_frame(mixed)
        assert str(scores.design) == "10cv"
        assert scores.values.tolist() == Scores.from_frame(frame).values.tolist()
        assert "Summary rows left out" in said(scores)


def test_summary_rows_of_datasets_are_left_out() -> None:
    frame = wide(dataset=lambda i: f"d{i}")
    more = pl.DataFrame([{"dataset": w, "a": 1.5, "b": 1.2} for w in ("Average", "Avg. rank")])
    assert Scores.from_frame(pl.concat([frame, more])).datasets == tuple(f"d{i}" for i in range(10))


def test_other_words_among_numbered_folds_are_refused() -> None:
    frame = wide(fold=lambda i: "ensemble" if i == 9 else str(i))
    assert "numbers the folds, but also contains 'ensemble'" in refusal(frame)


def test_a_mean_without_a_label_is_seen_by_its_value() -> None:
    frame = wide()
    below = pl.concat([frame, frame.mean()])
    assert "row 10 (counted from 0) is the mean of the rows above it" in refusal(below)
    assert Scores.from_frame(below, learner=["a", "b"]).n_splits == 11
    both = pl.concat([frame, frame.mean(), frame.std()])
    assert "row 10 (counted from 0) is the mean" in refusal(both)


@pytest.mark.parametrize("column", ["fold", "seed", "repeat", "run", "partition"])
def test_a_labelled_split_may_be_the_mean_of_the_others(column: str) -> None:
    frame = wide()
    below = pl.concat([frame, frame.mean()]).with_row_index(column)
    long = below.unpivot(index=column, variable_name="model", value_name="accuracy")
    shuffled = long.sample(fraction=1.0, shuffle=True, seed=3)
    assert Scores.from_frame(long).n_splits == Scores.from_frame(shuffled).n_splits == 11


@pytest.mark.parametrize("form", ["wide", "long"])
def test_five_folds_are_read_though_the_last_is_the_mean_of_the_others(form: str) -> None:
    for seed in range(100):
        folds = np.random.default_rng(seed).normal([0.8, 0.82], 0.03, (5, 2)).round(2)
        folds[4] = folds[:4].mean(axis=0).round(2)
        frame = pl.DataFrame(folds, schema=["a", "b"]).with_row_index("fold")
        if form == "long":
            frame = frame.unpivot(index="fold", variable_name="model", value_name="accuracy")
        assert Scores.from_frame(frame).values.tolist() == folds.T.tolist()


def test_a_mean_row_without_a_label_below_labelled_folds_is_refused() -> None:
    frame = wide(fold=lambda i: str(i))
    below = pl.concat([frame, frame.mean()])
    assert "row 10 (counted from 0)" in refusal(below)


@pytest.mark.parametrize(
    "rows",
    [
        [(0.7, 0.5), (0.5, 0.5), (0.6, 0.5)],
        [(0.7, 0.5), (0.5, 0.7), (0.6, 0.6)],
        [(0.8, 0.77), (0.81, 0.78), (0.8, 0.78), (0.81, 0.77), *[(0.8, 0.78), (0.81, 0.78)] * 2][
            :7
        ],
    ],
)
def test_a_split_that_is_a_mean_by_chance_is_read_with_a_note(
    rows: list[tuple[float, float]],
) -> None:
    scores = Scores.from_frame(pl.DataFrame(rows, schema=["a", "b"], orient="row"))
    assert scores.n_splits == len(rows)
    at = len(rows) - 1
    assert f"Remove row {at} (counted from 0) if it is a summary: it is the mean" in said(scores)


def test_a_mean_beside_a_model_that_never_varies_is_seen() -> None:
    frame = wide().with_columns(pl.lit(0.5).alias("b"))
    below = pl.concat([frame, frame.mean()])
    assert "row 10 (counted from 0) is the mean of the rows above it" in refusal(below)


def test_a_design_of_as_many_splits_says_that_the_last_row_is_one() -> None:
    frame = wide(9)
    below = pl.concat([frame, frame.mean()])
    scores = Scores.from_frame(below, design="10cv")
    assert scores.n_splits == 10
    assert "summary" not in said(scores)
    assert "is the mean of the rows above it" in refusal(below, design="9cv")


def test_a_table_of_summaries_alone_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "described.csv"
    wide().to_pandas().describe().to_csv(path)
    with pytest.raises(DataError, match="which are summaries; the score of every split"):
        Scores.read(path)


def test_a_model_that_is_the_mean_of_the_others_is_left_out_of_a_long_frame() -> None:
    rows = [
        {"learner": name, "fold": i, "score": float(value)}
        for i, (a, b) in enumerate(DRAWS[:10, :2])
        for name, value in (("a", a), ("b", b), ("mean", (a + b) / 2))
    ]
    scores = Scores.from_frame(pl.DataFrame(rows))
    assert scores.names == ("a", "b")
    assert "Columns left out because they summarise the learners: 'mean'." in said(scores)
    for row in rows[2::3]:
        row["score"] = 0.7 + row["fold"] / 100
    assert Scores.from_frame(pl.DataFrame(rows)).names == ("a", "b", "mean")


# Scales.


@pytest.mark.parametrize(
    ("column", "reason"),
    [
        (lambda i: 98.25 + i / 10, "column 'c' is on a different scale from the rest"),
        (lambda i: 1000.5 + i, "column 'c' is on a different scale from the rest"),
        (lambda i: 3 + i % 4, "column 'c' contains whole numbers, but 'a', 'b' do not"),
        (lambda i: 1, "column 'c' contains whole numbers"),
        (lambda i: i % 2, "column 'c' contains whole numbers"),
        (lambda i: i % 2 == 0, "column 'c' contains whole numbers"),
        (lambda i: float(3 + i % 4), "column 'c' contains whole numbers"),
    ],
)
def test_a_column_that_may_be_no_model_is_refused_by_name(column: Any, reason: str) -> None:
    frame = wide(fold=counting(0), c=column)
    message = refusal(frame)
    assert message.startswith(reason)
    assert "learner=['a', 'b']" in message
    assert Scores.from_frame(frame, learner=["a", "b"]).names == ("a", "b")
    assert Scores.from_frame(frame, learner=["c", "a", "b"]).names == ("c", "a", "b")


def test_a_perfect_model_is_a_model() -> None:
    assert Scores.from_frame(wide(fold=counting(0), c=1.0)).names == ("c", "a", "b")


def test_models_of_a_long_frame_on_two_scales_are_noted() -> None:
    rows = [
        {"learner": n, "fold": i, "score": float(DRAWS[i, 0]) * s}
        for n, s in (("a", 1), ("b", 100))
        for i in range(10)
    ]
    scores = Scores.from_frame(pl.DataFrame(rows))
    assert [note.code for note in scores.notes if note.severity == "caution"] == ["OP007"]


def test_percent_signs_and_fractions_do_not_mix() -> None:
    percents = wide(fold=counting(0)).with_columns(
        pl.format("{} %", (pl.col("a") * 100).round(1)).alias("a")
    )
    message = "Write all scores with a percent sign, or none"
    assert message in refusal(percents)
    some = percents.with_columns(
        b=pl.when(pl.col("fold") == 3).then(pl.lit("0.9")).otherwise(pl.col("a"))
    )
    assert message in refusal(some)
    every = percents.with_columns(b=pl.col("a"))
    values = [float(cell.removesuffix(" %") + "e-2") for cell in percents["a"]]
    assert Scores.from_frame(every).values.tolist() == [values, values]


# Tables that lie on their side.


@pytest.mark.parametrize("name", ["who", ""])
def test_a_table_with_a_row_for_each_model_is_refused_with_how_to_turn_it(
    tmp_path: Path, name: str
) -> None:
    frame = pd.DataFrame(DRAWS[:10, :3].T, index=["x", "v", "z"])
    frame.columns = [*map(str, range(10))]  # the numbers of folds, or names of learners
    path = tmp_path / "side.csv"
    frame.to_csv(path, index_label=name or None)
    with pytest.raises(DataError) as caught:
        Scores.read(path)
    code = re.search(r"frame\.set_index.*?index_label='fold'\)", str(caught.value))
    assert code is not None
    exec(code[0].replace("'scores.csv'", repr(str(path))), {"frame": pd.read_csv(path)})
    scores = Scores.read(path)
    assert (scores.names, str(scores.design)) == (("x", "v", "z"), "10cv")


# Hints that are obeyed.


def long(header: str, *extra: str) -> str:
    rows = [
        f"{name},{i},{DRAWS[i, j]},{DRAWS[i, j + 2]}" + "".join(f",{e.format(i=i)}" for e in extra)
        for j, name in enumerate("ab")
        for i in range(10)
    ]
    return header + "\n" + "\n".join(rows) + "\n"


def table(header: str, *cells: str, n: int = 10) -> str:
    rows = [
        ",".join(
            c.format(i=i, j=i % 5, h=i // 5, x=DRAWS[i, k], z=i % 2, w=(i // 3) % 2)
            for k, c in enumerate(cells)
        )
        for i in range(n)
    ]
    return header + "\n" + "\n".join(rows) + "\n"


REFUSED = {
    "two metrics": long("learner,fold,auc,acc"),
    "two unknown scores": long("learner,fold,foo,bar"),
    "two scores": long("learner,fold,score,value"),
    "two folds": long("learner,fold,score,split").replace("split\n", "Key_Fold\n"),
    "letters": "learner,batch,score\n"
    + "".join(
        f"{name},{c},{x}\n"
        for k, name in enumerate("ab")
        for c, x in zip("pqrstu", DRAWS[:6, k], strict=True)
    ),
    "a scale": table("fold,a,b,c", "{i}", "{x}", "{x}", "9{i}.5"),
    "whole numbers": table("fold,a,b,c", "{i}", "{x}", "{x}", "3"),
    "two counters": table("iteration,k,a,b", "{h}", "{j}", "{x}", "{x}"),
    "two unknown counters": table("durchgang,teil,a,b", "{h}", "{j}", "{x}", "{x}"),
    "right and wrong beside sizes": table("doc,a,b,length", "{i}", "{z}", "{w}", "4{j}"),
    "a short count": table("lauf,a,b", "{i}", "4{j}", "4{h}", n=4),
    "a missing score": table("fold,a,b", "{i}", "{x}", "{x}").replace(f",{DRAWS[3, 1]}", ","),
    "a missing row": long("learner,fold,score,fit_time").rsplit("\n", 2)[0] + "\n",
    "metrics in rows": table("metric,fold,a,b", "acc", "{i}", "{x}", "{x}")
    + table("", "auc", "{i}", "{x}", "{x}").lstrip(),
    "another design": table("fold,a,b", "{i}", "{x}", "{x}"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_a_refusal_advises_works_when_it_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], case: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("f.csv").write_text(REFUSED[case], encoding="utf-8")
    asked = ["--design", "3x7cv"] if case == "another design" else []
    assert run_here("compare", "f.csv", *asked) == 2
    message = " ".join(capsys.readouterr().err.split())
    first = re.split(r"; if |, or use|, or name", message)[0]
    option = r"--drop-incomplete|--(?:column|metric|layout|design) (?:'[^']*'|[^\s,;:]+)"
    advised = shlex.split(" ".join(re.findall(option, first.partition("Error: ")[2])))
    advised = ["score=foo" if word == "score=NAME" else word for word in advised]
    assert advised, message
    assert run_here("compare", "f.csv", *advised) == 0, message


def test_sizes_may_be_numbers_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("f.csv").write_text(table("split,a,b", "{i}", "{x}", "{x}"), encoding="utf-8")
    asked = ["compare", "f.csv", "--method", "corrected_t"]
    with pytest.raises(op.OutperformError) as caught:
        op.methods.corrected_t(Scores.read("f.csv"))
    assert "n_train=90, n_test=10" in str(caught.value)
    sizes = ["--column", "n-train=90", "--column", "n-test=10"]
    assert run_here(*asked, *sizes) == 0
    assert "Corrected resampled t-test" in capsys.readouterr().out


@pytest.mark.parametrize("call", [Scores.read, Scores.from_frame])
def test_an_unknown_option_of_a_reader_names_those_there_are(call: Any) -> None:
    with pytest.raises(DataError) as caught:
        call("scores.csv", columns={"model": "learner"})
    assert "has no option 'columns'; known: " in str(caught.value)
    for name in ("design", "drop_incomplete", "learner", "metric", "n_train"):
        assert re.search(rf"\b{name}\b", str(caught.value))
    assert ("separator" in str(caught.value)) == (call == Scores.read)


def test_what_cells_tell_may_be_left_unsaid() -> None:
    assert NumericColumns(["a"]).counters == ()


def test_a_last_fold_that_equals_the_rounded_mean_counts_beside_a_labelled_mean() -> None:
    folds = {"Fold": ["1", "2", "3", "4", "5", "mean"]}
    a = [0.71, 0.73, 0.70, 0.75, 0.72, 0.722]
    b = [0.70, 0.74, 0.69, 0.72, 0.71, 0.712]
    scores = Scores.from_frame({**folds, "Model A": a, "Model B": b})
    assert scores.values.shape == (2, 5)
    assert "Summary rows left out: 'mean'" in said(scores)
