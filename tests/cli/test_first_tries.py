"""What new users try first: answers are right, or refused with a way out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import outperform as op

MODELS = {"tree": DecisionTreeClassifier(random_state=0), "bayes": GaussianNB()}


def wide(tmp_path: Path, header: str, *columns: Any) -> Path:
    rows = [header, *(",".join(map(str, row)) for row in zip(*columns, strict=True))]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.mark.parametrize("header", ["fold,lr_rmse,rf_rmse", "fold,error_lr,error_rf"])
def test_errors_named_in_every_column_are_better_when_lower(tmp_path: Path, header: str) -> None:
    rng = np.random.default_rng(0)
    low, high = (mean + rng.normal(0, 0.01, 10).round(4) for mean in (2.5, 3.0))
    scores = op.Scores.read(wide(tmp_path, header, range(10), high, low))
    assert not scores.greater_is_better
    assert op.compare(scores).rows()[0]["verdict"] == "outperformed"


def test_training_and_test_scores_are_no_repeats(tmp_path: Path) -> None:
    lines = ["model,split,fold,acc"]
    for model in ("lr", "rf"):
        for side in ("train", "test"):
            lines += [f"{model},{side},{fold},0.9{fold}" for fold in range(5)]
    path = tmp_path / "sides.csv"
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(op.DataError, match="the two parts of a split"):
        op.Scores.read(path, fold="fold", repeat="split")


def test_rows_that_were_dropped_from_one_side_are_not_paired() -> None:
    frame = load_iris(as_frame=True)
    X, y = frame.data.iloc[10:], frame.target.head(140)
    with pytest.raises(op.DataError, match=r"y\.to_numpy\(\)"):
        op.run(MODELS, X, y, design="5cv", random_state=0)
    named = X.set_axis([f"row {i}" for i in range(len(X))])
    scores = op.run(
        MODELS, named, frame.target.iloc[10:].reset_index(drop=True), design="5cv", random_state=0
    )
    assert scores.values.mean() > 0.9


def test_a_column_without_a_name_that_numbers_the_rows_is_no_feature(tmp_path: Path) -> None:
    from outperform.cli._experiments import from_table

    frame = load_iris(as_frame=True).frame
    frame.to_csv(tmp_path / "iris.csv")
    asked = from_table(str(tmp_path / "iris.csv"), "target", ["tree"])
    assert asked.X.shape == (150, 4)
    assert any("only numbers the rows" in said for said in asked.inferred)
    pd.DataFrame({"a": [1, 5, 2] * 10, "y": [0, 1, 1] * 10}).to_csv(
        tmp_path / "plain.csv", index=False
    )
    assert from_table(str(tmp_path / "plain.csv"), "y", ["tree"]).X.shape == (30, 1)


# Files as they are saved, and what a refusal of them advises.

DRAWS = np.random.default_rng(5).uniform(0.75, 0.9, (40, 4)).round(4)


def read(tmp_path: Path, text: str, **options: Any) -> op.Scores:
    path = tmp_path / "scores.csv"
    path.write_text(text, encoding="utf-8")
    return op.Scores.read(path, **options)


def refused(tmp_path: Path, text: str, **options: Any) -> str:
    with pytest.raises(op.DataError) as caught:
        read(tmp_path, text, **options)
    return str(caught.value)


def said(scores: op.Scores) -> str:
    return " ".join(note.text for note in scores.notes)


@pytest.mark.parametrize("scoring", ["accuracy", ["accuracy", "f1_macro"]])
@pytest.mark.parametrize("depths", [[1, 2, 3], [[1], [2]]], ids=["one setting", "lists"])
def test_a_saved_search_is_read_with_a_word_on_selection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scoring: Any, depths: list[Any]
) -> None:
    monkeypatch.chdir(tmp_path)
    grid = {"max_depth": [d[0] if isinstance(d, list) else d for d in depths]}
    search = GridSearchCV(MODELS["tree"], grid, cv=5, scoring=scoring, refit=False)
    search.fit(*load_iris(return_X_y=True))
    found = pd.DataFrame(search.cv_results_)
    if isinstance(depths[0], list):
        found["params"] = depths
    metric = None if scoring == "accuracy" else "accuracy"
    scores = read(tmp_path, found.to_csv(), metric=metric)
    one = "score" if metric is None else "accuracy"
    told = [[row[f"split{i}_test_{one}"] for i in range(5)] for _, row in found.iterrows()]
    assert scores.values.tolist() == told
    assert "OP008" in [note.code for note in scores.notes]


@pytest.mark.parametrize("odd", ["rank_b", "rank_test_score", "b_rank"])
def test_ranks_beside_scores_are_left_out(tmp_path: Path, odd: str) -> None:
    frame = pd.DataFrame({"fold": range(10), "a": DRAWS[:10, 0], "b": DRAWS[:10, 1]})
    scores = read(tmp_path, frame.assign(**{odd: [1, 2] * 5}).to_csv(index=False))
    assert scores.names == ("a", "b")


ITEMS = ["doc_id", "item", "example", "sample", "question", "instance", "id", "prompt_id"]


def items(n: int = 30, item: str = "doc_id", score: str = "correct") -> pd.DataFrame:
    answers = (DRAWS[:n, :2] > 0.8).astype(int)
    rows = [(i, name, answers[i, j]) for i in range(n) for j, name in enumerate(["gpt", "llama"])]
    return pd.DataFrame(rows, columns=[item, "model", score])


@pytest.mark.parametrize("item", ITEMS)
@pytest.mark.parametrize("score", ["correct", "score", "accuracy", "is_correct"])
def test_long_right_and_wrong_answers_are_items(tmp_path: Path, item: str, score: str) -> None:
    frame = items(item=item, score=score)
    truth = frame.pivot(index=item, columns="model", values=score)
    words = frame.assign(**{score: frame[score].map({1: "True", 0: "False"})})
    texts = frame.assign(**{item: "q" + frame[item].astype(str)})
    for form in (frame, words, texts, frame.sample(frac=1, random_state=0)):
        scores = read(tmp_path, form.to_csv(index=False))
        assert str(scores.design) == "holdout@30"
        assert op.compare(scores).method.name == "mcnemar"
        right = 1 - scores.wrong(["gpt", "llama"])
        assert right.sum(axis=0).tolist() == truth[["gpt", "llama"]].sum().tolist()
        assert (right[:, 0] & right[:, 1]).sum() == (truth["gpt"] & truth["llama"]).sum()
    assert f"{item!r} and {score!r} read as learner, item and whether it was right" in said(scores)


def test_an_error_of_1_is_a_wrong_answer(tmp_path: Path) -> None:
    right = items()
    wrong = right.assign(error=1 - right["correct"]).drop(columns="correct")
    scores = read(tmp_path, right.to_csv(index=False))
    assert read(tmp_path, wrong.to_csv(index=False)).digest() == scores.digest()
    renamed = wrong.rename(columns={"error": "score"}).to_csv(index=False)
    assert read(tmp_path, renamed, lower_is_better=True).digest() == scores.digest()
    wide = wrong.pivot(index="doc_id", columns="model", values="error")
    text = wide.add_prefix("error_").to_csv(index=False)
    assert "names that contain 'error', but 1 is read as correct" in refused(tmp_path, text)
    assert read(tmp_path, text, layout="correct").names == ("error_gpt", "error_llama")
    assert read(tmp_path, (1 - wide).to_csv()).values.tolist() == scores.values.tolist()


@pytest.mark.parametrize("item", ITEMS)
def test_long_scores_of_items_are_no_folds(tmp_path: Path, item: str) -> None:
    frame = items(item=item, score="score").assign(score=DRAWS[:30, :2].ravel())
    scores = read(tmp_path, frame.to_csv(index=False))
    assert str(scores.design) == "holdout@30"
    assert op.compare(scores).method.name == "paired_t"
    assert op.compare(scores).n == 30


def test_answers_that_lack_or_come_twice_are_named(tmp_path: Path) -> None:
    frame = items()
    text = frame.drop(index=[7]).to_csv(index=False)
    assert "1 of 30 items lacks an answer from some learner, such as 'llama' on '3'" in (
        message := refused(tmp_path, text)
    )
    assert "drop_incomplete=True" in message
    scores = read(tmp_path, text, drop_incomplete=True)
    assert str(scores.design) == "holdout@29"
    assert "1 of 30 items lacks an answer from some learner and was left out for all." in said(
        scores
    )
    assert scores.notes[-1].code == "OP006"
    gap = frame.astype(object)
    gap.loc[7, "correct"] = None
    assert read(tmp_path, gap.to_csv(index=False), drop_incomplete=True).digest() == scores.digest()
    twice = pd.concat([frame, frame.iloc[[7]]]).to_csv(index=False)
    assert "line 9 and " in (message := refused(tmp_path, twice))
    assert "line 62 are both 'llama' on item '3'" in message


def test_items_of_several_splits_or_datasets_are_averaged_as_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for column, design in (("fold", "5cv"), ("dataset", "None")):
        frame = items().assign(**{column: [i // 2 % 5 for i in range(60)]})
        message = refused(tmp_path, frame.to_csv(index=False))
        (call,) = re.findall(r"frame\.groupby.*?index=False\)$", message)
        eval(call, {"frame": frame})
        scores = op.Scores.read("scores.csv")
        assert (scores.names, scores.n_splits, str(scores.design)) == (("gpt", "llama"), 5, design)


@pytest.mark.parametrize("long", [False, True])
def test_empty_rows_are_skipped(tmp_path: Path, long: bool) -> None:
    frame = pd.DataFrame({"fold": range(5), "a": DRAWS[:5, 0], "b": DRAWS[:5, 1]})
    frame = frame.melt("fold", var_name="learner", value_name="score") if long else frame
    text = frame.to_csv(index=False)
    plain = read(tmp_path, text)
    for other in (text + ",,\n,,\n", text.replace("\n", "\n\n"), text + "\n\n,,\n"):
        scores = read(tmp_path, other)
        assert (scores.digest(), scores.notes) == (plain.digest(), plain.notes)
    empty = pd.DataFrame([[None] * 3], columns=frame.columns)
    assert op.Scores.from_frame(pd.concat([frame, empty])).digest() == plain.digest()
    late = text.replace("\n", "\n\n", 2) + "x,,\n"
    assert f"line {text.count(chr(10)) + 3}, " in refused(tmp_path, late)


@pytest.mark.parametrize(
    ("cell", "alone"),
    [
        ("0.78±0.02", "0.78"),
        ("0.78 ± 0.02", "0.78"),
        ("0.78 (0.02)", "0.78"),
        ("**0.83**", "0.83"),
        ("0.83*", "0.83"),
        ("\u22120.5 ± 0.1", "-0.5"),
        ("abc", ""),
        ("inf", ""),
    ],
)
@pytest.mark.parametrize("name", ["score", "r2", "b"])
def test_a_cell_that_holds_more_than_a_number_is_named_and_can_be_rewritten(
    tmp_path: Path, cell: str, alone: str, name: str
) -> None:
    frame = pd.DataFrame({"fold": range(5), "a": DRAWS[:5, 0], "b": DRAWS[:5, 1]})
    if name != "b":
        frame = frame.melt("fold", var_name="learner", value_name=name)
    frame = frame.astype(object)
    frame.loc[2, name] = cell
    message = refused(tmp_path, frame.to_csv(index=False))
    assert f"line 4, column {name!r}: expected a finite number, got {cell!r}" in message
    assert "drop_incomplete" not in message
    assert f"Write one finite number in the cell{': ' if alone else ''}{alone}" in message
    frame.loc[2, name] = alone or "0.8"
    assert read(tmp_path, frame.to_csv(index=False)).n_splits == 5


def test_a_typographic_minus_is_a_minus(tmp_path: Path) -> None:
    text = "fold,a,b\n0,-0.5,-1\n1,-0.25,-2e-1\n2,0.5,0.1\n"
    assert read(tmp_path, text.replace("-", "\u2212", 3)).values.tolist() == (
        read(tmp_path, text).values.tolist()
    )


def test_a_model_is_not_advised_as_the_score(tmp_path: Path) -> None:
    text = "fold,model,lr,rf\n" + "".join(f"{i},x,0.8{i},0.7{i}\n" for i in range(5))
    message = refused(tmp_path, text)
    assert "score='lr'" not in message
    assert "layout='wide'" in message
    assert read(tmp_path, text, layout="wide").names == ("lr", "rf")
    one = text.replace(",lr", ",odd").replace(",rf", ",time_s")
    assert "no score column" not in (message := refused(tmp_path, one))
    assert (
        "'odd' does not have a name for scores. If it contains the scores, pass score='odd'"
        in message
    )


@pytest.mark.parametrize("kind", ["described", "agg", "below"])
def test_summary_rows_in_the_index_of_a_frame_are_known(kind: str) -> None:
    frame = pd.DataFrame({"a": DRAWS[:10, 0], "b": DRAWS[:10, 1]})
    if kind == "below":
        scores = op.Scores.from_frame(pd.concat([frame, frame.agg(["mean", "std"])]))
        assert scores.values.tolist() == frame.to_numpy().T.tolist()
        assert "Summary rows left out: 'mean', 'std'" in said(scores)
        return
    with pytest.raises(op.DataError, match=r"'mean', 'std'.* which are summaries"):
        op.Scores.from_frame(
            frame.describe() if kind == "described" else frame.agg(["mean", "std"])
        )


@pytest.mark.parametrize("decimals", [2, 3, 15])
def test_a_model_named_average_is_left_out_where_it_is_one(tmp_path: Path, decimals: int) -> None:
    frame = pd.DataFrame({"fold": range(8), "a": DRAWS[:8, 0], "b": DRAWS[:8, 1]}) / [1, 4, 4]
    frame["average"] = frame[["a", "b"]].mean(axis=1).round(decimals)
    long = frame.melt("fold", var_name="model", value_name="score")
    scores = read(tmp_path, long.to_csv(index=False))
    assert scores.names == ("a", "b")
    assert "Columns left out because they summarise the learners: 'average'." in said(scores)
    frame["average"] = DRAWS[:8, 2] / 4
    long = frame.melt("fold", var_name="model", value_name="score")
    assert read(tmp_path, long.to_csv(index=False)).names == ("a", "b", "average")


def test_a_coarse_mean_row_below_scores_of_little_spread_is_refused(tmp_path: Path) -> None:
    frame = pd.DataFrame(np.array([0.8, 0.77]) + DRAWS[:6, :2] / 50)
    frame = frame.round(4).set_axis(["a", "b"], axis=1)
    frame.loc[6] = frame.mean().round(2)
    message = refused(tmp_path, frame.to_csv(index=False))
    assert "line 8 is the mean of the rows above it in every column" in message
    assert read(tmp_path, frame.iloc[:6].to_csv(index=False)).n_splits == 6
    assert read(tmp_path, frame.to_csv(index=False), learner=["a", "b"]).n_splits == 7


# What a column of 0 and 1 holds.

ANSWERS = [(1, 1, 0), (0, 0, 0), (1, 1, 0), (0, 0, 1), (1, 1, 1), (0, 0, 0), (1, 1, 0), (0, 0, 1)]
ANSWERS += [(1, 0, 1), (0, 0, 1)] * 3


@pytest.mark.parametrize("name", ["y_test", "gold", "Ground Truth", "gt", "labels", "true_label"])
def test_true_labels_of_0_and_1_are_no_model(name: str) -> None:
    table = pl.DataFrame(ANSWERS, schema=[name, "A", "B"], orient="row")
    scores = op.Scores.from_frame(table)
    assert scores.names == ("A", "B")
    assert op.compare(scores)["A", "B"].estimate > 0


@pytest.mark.parametrize("name", ["class", "expected", "reference", "outcome", "answer"])
def test_what_may_be_true_labels_is_asked_and_both_ways_work(name: str) -> None:
    table = pl.DataFrame(ANSWERS, schema=[name, "A", "B"], orient="row")
    with pytest.raises(
        op.DataError, match=f"column '{name}' may contain the true labels"
    ) as refused:
        op.Scores.from_frame(table)
    assert f"y_true='{name}', or layout='correct'" in str(refused.value)
    assert op.Scores.from_frame(table, y_true=name).names == ("A", "B")
    assert op.Scores.from_frame(table, layout="correct").names == (name, "A", "B")


def test_labels_of_several_classes_beside_items_are_asked_about() -> None:
    rows = [(i, i % 4, i % 4, (i * i) % 4) for i in range(40)]
    table = pl.DataFrame(rows, schema=["doc_id", "answer", "A", "B"], orient="row")
    with pytest.raises(op.DataError, match="'answer' may contain their true labels"):
        op.Scores.from_frame(table)
    read = op.Scores.from_frame(table, y_true="answer")
    assert read.names == ("A", "B")
    assert read.values[0, 0] == 1
    plain = table.rename({"answer": "C"})
    scores = op.Scores.from_frame(plain)
    assert "one score per item" in said(scores)


@pytest.mark.parametrize("word", ["wrong", "failed", "incorrect", "error"])
def test_what_a_model_had_wrong_is_never_read_as_right(word: str) -> None:
    wrong = [
        (i, m, int(a != truth))
        for i, (truth, *both) in enumerate(ANSWERS)
        for m, a in zip("AB", both, strict=True)
    ]
    table = pl.DataFrame(wrong, schema=["doc_id", "model", word], orient="row")
    assert op.compare(op.Scores.from_frame(table))["A", "B"].estimate > 0
    wide = table.pivot("model", index="doc_id", values=word).rename(
        {m: f"{m}_{word}" for m in "AB"}
    )
    with pytest.raises(op.DataError, match=r"but 1 is read as correct|could be the scores of one"):
        op.Scores.from_frame(wide)


@pytest.mark.parametrize("score", ["metric_error", "rmse", "val_loss"])
def test_an_error_is_not_turned_round_by_the_metric_beside_it(score: str) -> None:
    rows = [(d, m, "roc_auc", 0.1 + 0.02 * (m == "B") + 0.001 * d) for d in range(8) for m in "AB"]
    table = pl.DataFrame(rows, schema=["dataset", "method", "metric", score], orient="row")
    with pytest.raises(op.DataError, match=r"the name of an error, but .* 'roc_auc'"):
        op.Scores.from_frame(table, score=score)
    read = op.Scores.from_frame(table, score=score, lower_is_better=True)
    assert op.compare(read)["A", "B"].estimate > 0


@pytest.mark.parametrize("metric", ["WER", "perplexity", "sMAPE", "val_nMAE", "ECE", "FID"])
def test_measures_of_which_less_is_better_are_known(metric: str) -> None:
    rows = [(f, m, 0.1 + 0.02 * (m == "B") + 0.001 * f) for f in range(5) for m in "AB"]
    table = pl.DataFrame(rows, schema=["fold", "model", metric], orient="row")
    assert op.compare(op.Scores.from_frame(table), design="5cv")["A", "B"].estimate > 0


@pytest.mark.parametrize("label", ["Wins", "# wins", "W/T/L", "p-value", "Geo. mean", "Macro avg"])
def test_rows_that_sum_up_datasets_are_left_out(label: str) -> None:
    rows = [(f"d{i}", 0.8 + i / 100, 0.7 + i * i / 900) for i in range(12)]
    table = pl.DataFrame([*rows, (label, 9.0, 3.0)], schema=["dataset", "A", "B"], orient="row")
    assert op.Scores.from_frame(table).n_splits == 12


def test_labels_written_as_1_and_as_1_0_are_the_same() -> None:
    table = pl.DataFrame({"y_true": [1, 0, 1, 2], "A": [1.0, 0.0, 1.0, 3.0], "B": [1, 1, 1, 2]})
    scores = op.Scores.from_frame(table)
    assert scores.values.ravel().tolist() == [0.75, 0.75]
    assert "3.0" in " ".join(note.text for note in scores.notes if note.code == "OP005")
