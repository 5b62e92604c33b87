"""However a file is written, its learners, folds and items are the true ones, or it is refused."""

from __future__ import annotations

import random
import re
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from launching import run_here

from outperform import DataError, Scores

Rows = list[dict[str, str]]

MODELS = ("id3", "k-NN", "mean_baseline")
REPEATS, FOLDS, ITEMS = 2, 5, 30
RNG = np.random.default_rng(11)
TRUE = {
    (name, repeat, fold): round(float(RNG.uniform(0.7, 0.99)), 3)
    for name, repeat, fold in product(MODELS, range(REPEATS), range(FOLDS))
}
"""Scores to three digits, so that a percentage is written exactly too."""
LABELS = RNG.integers(0, 3, ITEMS)
GUESSES = {name: np.where(RNG.random(ITEMS) < 0.8, LABELS, (LABELS + 1) % 3) for name in MODELS}
INDEXES = {"none": None, "unnamed": "", "id": "id", "trial": "trial", "nr": "Nr."}
SEPARATORS = ",;\t|"


def written(rows: Rows, separator: str, shuffle: bool, index: str) -> str:
    """Write rows as text, with a column that numbers them in the order they are made."""
    name = INDEXES[index]
    start = 0 if index in ("unnamed", "id") else 1
    if name is not None:
        summaries = ("mean", "std")
        rows = [
            {name: row.get("fold", "") if row.get("fold") in summaries else str(i), **row}
            for i, row in enumerate(rows, start)
        ]
    columns = list(rows[0])
    if shuffle:
        mixer = random.Random(3)
        mixer.shuffle(rows)
        mixer.shuffle(columns)
    lines = [separator.join(columns)]
    lines += [separator.join(row[column] for column in columns) for row in rows]
    return "\n".join(lines) + "\n"


def number(value: float, percent: bool, separator: str) -> str:
    text = f"{100 * value:.1f}%" if percent else f"{value:.3f}"
    return text.replace(".", ",") if separator == ";" else text


def score_rows(layout: str, percent: bool, separator: str, summary: bool, gap: bool) -> Rows:
    cell = {key: number(value, percent, separator) for key, value in TRUE.items()}
    if gap:
        cell["k-NN", 1, 2] = ""
    address = [(r, f) for r in range(REPEATS) for f in range(FOLDS)]
    rows = (
        [
            {"repeat": str(r), "fold": str(f), **{n: cell[n, r, f] for n in MODELS}}
            for r, f in address
        ]
        if layout == "wide"
        else [
            {"learner": n, "repeat": str(r), "fold": str(f), "score": cell[n, r, f]}
            for n in MODELS
            for r, f in address
        ]
    )
    for word in ("mean", "std") if summary else ():
        for r in range(REPEATS):
            low = number(0.81 if word == "mean" else 0.02, percent, separator)
            if layout == "wide":
                rows.append({"repeat": str(r), "fold": word, **dict.fromkeys(MODELS, low)})
            else:
                rows += [
                    {"learner": n, "repeat": str(r), "fold": word, "score": low} for n in MODELS
                ]
    return rows


def found(scores: Scores) -> dict[Any, float]:
    return {
        (name, int(repeat), int(fold)): value
        for name, row in zip(scores.names, scores.values.tolist(), strict=True)
        for (_, repeat, fold), value in zip(scores.addresses, row, strict=True)
    }


@pytest.mark.slow
@pytest.mark.parametrize("separator", SEPARATORS)
@pytest.mark.parametrize("index", INDEXES)
@pytest.mark.parametrize("layout", ["long", "wide"])
def test_scores_of_splits_are_read_as_they_are(
    tmp_path: Path, layout: str, index: str, separator: str
) -> None:
    path = tmp_path / "scores.csv"
    for percent, summary, gap in product([False, True], repeat=3):
        shuffle = (percent + summary + gap + SEPARATORS.index(separator)) % 2 == 1
        rows = score_rows(layout, percent, separator, summary, gap)
        path.write_text(written(rows, separator, shuffle, index), encoding="utf-8")
        if gap:
            with pytest.raises(DataError, match="drop_incomplete=True"):
                Scores.read(path)
        scores = Scores.read(path, drop_incomplete=gap)
        left = {key: value for key, value in TRUE.items() if not gap or key[1:] != (1, 2)}
        assert found(scores) == left, path.read_text(encoding="utf-8")
        assert str(scores.design) == "2x5cv"
        assert any(note.code == "OP006" for note in scores.notes) == gap
        said = " ".join(note.text for note in scores.notes)
        assert ("ummary rows left out" in said) == summary
        assert ("Percentages were converted" in said) == percent


@pytest.mark.slow
@pytest.mark.parametrize("separator", SEPARATORS)
@pytest.mark.parametrize("index", INDEXES)
def test_a_wide_file_without_a_fold_column_has_a_fold_for_each_row(
    tmp_path: Path, index: str, separator: str
) -> None:
    path = tmp_path / "scores.csv"
    for percent, summary, shuffle in product([False, True], repeat=3):
        rows = score_rows("wide", percent, separator, summary and index != "none", gap=False)
        address = [(row.pop("repeat"), row["fold"]) for row in rows]
        text = written(rows, separator, False, index).splitlines()
        head, *lines = text
        cut = head.split(separator).index("fold")
        kept = [
            separator.join(w for i, w in enumerate(line.split(separator)) if i != cut)
            for line in (head, *lines)
        ]
        order = [*range(len(lines))]
        if shuffle:
            random.Random(5).shuffle(order)
        body = [kept[1 + i] for i in order]
        path.write_text("\n".join([kept[0], *body]) + "\n", encoding="utf-8")
        scores = Scores.read(path, design="2x5cv")
        splits = [address[i] for i in order if address[i][1] not in ("mean", "std")]
        if index != "none":
            splits = sorted(splits, key=address.index)
        expected = [[TRUE[name, int(r), int(f)] for r, f in splits] for name in MODELS]
        assert scores.names == MODELS
        assert scores.values.tolist() == expected
        if index != "none":
            assert str(Scores.read(path).design) == "10cv"


@pytest.mark.slow
@pytest.mark.parametrize("separator", SEPARATORS)
@pytest.mark.parametrize("index", INDEXES)
@pytest.mark.parametrize("layout", ["predictions", "correct"])
def test_items_are_read_as_they_are(
    tmp_path: Path, layout: str, index: str, separator: str
) -> None:
    path = tmp_path / "items.csv"
    right = {name: GUESSES[name] == LABELS for name in MODELS}
    for words, gap, shuffle in product([False, True], repeat=3):
        cells: dict[str, Any] = {name: right[name] * 1 for name in MODELS}
        if layout == "correct" and words:
            cells = {name: np.where(right[name], "True", "False") for name in MODELS}
        elif layout == "predictions":
            classes = np.array(["cat", "dog", "cow"]) if words else np.arange(3)
            cells = {"y_true": classes[LABELS]}
            cells |= {name: classes[GUESSES[name]] for name in MODELS}
        rows = [{name: str(cells[name][i]) for name in cells} for i in range(ITEMS)]
        if gap:
            rows[7]["k-NN"] = ""
        path.write_text(written(rows, separator, shuffle, index), encoding="utf-8")
        if gap:
            with pytest.raises(DataError, match=r"column 'k-NN'.* got an empty cell"):
                Scores.read(path)
            continue
        scores = Scores.read(path)
        assert sorted(scores.names) == sorted(MODELS)
        assert str(scores.design) == f"holdout@{ITEMS}"
        order = [*range(ITEMS)]
        if shuffle:
            random.Random(3).shuffle(order)
        for name, row in zip(scores.names, scores.wrong().T, strict=True):
            assert row.tolist() == (1 - right[name][order]).tolist()


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("index", INDEXES)
def test_a_long_file_whose_index_starts_anew_for_each_model_has_folds(
    tmp_path: Path, index: str, shuffle: bool
) -> None:
    path = tmp_path / "scores.csv"
    rows = [
        {"learner": name, "score": str(TRUE[name, 0, fold]), "at": str(fold)}
        for name in MODELS
        for fold in range(FOLDS)
    ]
    for row in rows:
        at = row.pop("at")
        if INDEXES[index] is not None:
            row[INDEXES[index] or ""] = at
    path.write_text(written(rows, ",", shuffle, "none"), encoding="utf-8")
    if index == "none":
        with pytest.raises(DataError, match="no column identifies the splits"):
            Scores.read(path)
        return
    scores = Scores.read(path)
    assert str(scores.design) == "5cv"
    assert found(scores) == {key: value for key, value in TRUE.items() if key[1] == 0}


# Columns and rows that tell of the learners, but are none.


def wide_text(columns: str, decimals: int = 4, rows: int = 10) -> str:
    """Write a fold and numbers as large as scores in every other column."""
    names = columns.split(",")
    draws = np.random.default_rng(17).uniform(0.7, 0.95, (rows, len(names)))
    lines = [",".join(f"{value:.{decimals}f}" for value in row) for row in draws]
    return f"fold,{columns}\n" + "".join(f"{i},{line}\n" for i, line in enumerate(lines))


@pytest.mark.parametrize(
    ("columns", "learners", "unread"),
    [
        ("svm,rf,time_svm,time_rf", "svm,rf", "time_svm,time_rf"),
        ("svm,rf,svm_time,rf_time", "svm,rf", "svm_time,rf_time"),
        ("svm_acc,rf_acc,time_svm,time_rf", "svm_acc,rf_acc", "time_svm,time_rf"),
        ("fit_time_svm,svm,fit_time_rf,rf", "svm,rf", "fit_time_svm,fit_time_rf"),
        ("duration svm,svm,rf,duration rf", "svm,rf", "duration svm,duration rf"),
        ("svm,rf,memory_mb_svm,memory_mb_rf", "svm,rf", "memory_mb_svm,memory_mb_rf"),
        *(
            (f"svm,rf,{name}", "svm,rf", name)
            for name in (
                "p_value",
                "pvalue",
                "P-Value",
                "memory_mb",
                "peak_memory",
                "gpu_hours",
                "n_params",
                "num_parameters",
                "diff",
            )
        ),
    ],
)
def test_columns_of_times_and_sizes_beside_models_are_left_out_and_said(
    tmp_path: Path, columns: str, learners: str, unread: str
) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(wide_text(columns), encoding="utf-8")
    scores = Scores.read(path)
    assert ",".join(scores.names) == learners
    said = " ".join(note.text for note in scores.notes)
    assert f"Not read: {', '.join(map(repr, unread.split(',')))}." in said


@pytest.mark.parametrize(
    ("columns", "others"),
    [
        ("a_acc,a_f1,b_acc,b_f1", "a_acc,b_acc"),
        ("acc_a,acc_b,roc_auc_a,roc_auc_b", "acc_a,acc_b"),
        ("a_train,a_test,b_train,b_test", "a_test,b_test"),
        ("svm,rf,svm_err,rf_err", "svm,rf"),
        ("svm,rf,svm_rank,rf_rank", "svm,rf"),
        ("a_min,a_max,b_min,b_max", "a_min,b_min"),
        ("a_best,a_last,b_best,b_last", "a_best,b_best"),
        ("svm,rf,best", "svm,rf"),
        ("svm,rf,rank", "svm,rf"),
    ],
)
def test_columns_that_may_be_two_of_one_model_are_refused_and_the_ways_out_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], columns: str, others: str
) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(wide_text(columns), encoding="utf-8")
    with pytest.raises(DataError) as caught:
        Scores.read(path)
    assert f"learner={others.split(',')}" in str(caught.value)
    assert run_here("compare", str(path)) == 2
    hint = re.sub(r"\s+", " ", capsys.readouterr().err)
    ways = [
        "".join(f"--column learner={name} " for name in names.split(",")).strip()
        for names in (others, columns)
    ]
    for way, names in zip(ways, (others, columns), strict=True):
        assert way in hint
        assert Scores.read(path, learner=names.split(",")).names == tuple(names.split(","))
        assert run_here("compare", str(path), *way.split()) == 0
        capsys.readouterr()


@pytest.mark.parametrize(
    "name",
    [
        "time_series_forest",
        "std_tree",
        "best_first_tree",
        "mean_baseline",
        "test_time_training",
        "f1_svm",
        "memory_network",
        "rank_boost",
        "error_correcting_codes",
        "SVM+",
        "p",
    ],
)
def test_models_named_like_measures_are_kept(tmp_path: Path, name: str) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(wide_text(f"rf,{name},gbm"), encoding="utf-8")
    assert Scores.read(path).names == ("rf", name, "gbm")


@pytest.mark.slow
@pytest.mark.parametrize("decimals", [2, 3, 4])
@pytest.mark.parametrize("index", ["", "trial", None])
@pytest.mark.parametrize("learners", [2, 3])
def test_a_rounded_mean_row_without_a_label_is_refused(
    tmp_path: Path, learners: int, index: str | None, decimals: int
) -> None:
    path = tmp_path / "scores.csv"
    for seed, deviation in product(range(10), [False, True]):
        draws = np.random.default_rng(seed).uniform(0.7, 0.95, (10, learners)).round(4)
        below = [draws.mean(axis=0)] + [draws.std(axis=0)] * deviation
        rows = [[f"{v:.4f}" for v in row] for row in draws]
        rows += [[f"{v:.{decimals}f}" for v in row] for row in below]
        head = [f"m{i}" for i in range(learners)]
        if index is not None:
            head, rows = [index, *head], [[str(i), *row] for i, row in enumerate(rows)]
        path.write_text("\n".join(map(",".join, [head, *rows])) + "\n", encoding="utf-8")
        with pytest.raises(DataError, match="line 12 is the mean of the rows above it"):
            Scores.read(path)
