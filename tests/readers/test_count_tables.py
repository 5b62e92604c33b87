"""Tables of counts and of bootstrap samples are refused as what they are, not read as scores."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import classification_report, confusion_matrix

import outperform as op
from outperform import DataError, Scores

RNG = np.random.default_rng(4)
TRUTH = RNG.integers(0, 3, 200)
PREDICTED = np.where(RNG.random(200) < 0.8, TRUTH, RNG.integers(0, 3, 200))
BINARY = confusion_matrix(TRUTH > 0, PREDICTED > 0)
THREE = confusion_matrix(TRUTH, PREDICTED)
KINDS = ["setosa", "versicolor", "virginica"]


def refusal(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as caught:
        Scores.read(path)
    with pytest.raises(DataError):
        op.compare(path)
    return str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        pd.DataFrame(THREE).to_csv(),
        pd.DataFrame(THREE).to_csv(index=False),
        pd.DataFrame(THREE, KINDS, KINDS).to_csv(),
        pd.DataFrame(THREE / THREE.sum(axis=1, keepdims=True), KINDS, KINDS).to_csv(),
        pd.crosstab(TRUTH, PREDICTED, rownames=["true"], margins=True).to_csv(),
        pd.crosstab(TRUTH > 0, PREDICTED > 0, rownames=["Actual"]).to_csv(),
        pd.DataFrame(BINARY, ["Actual 0", "Actual 1"], ["Predicted 0", "Predicted 1"]).to_csv(),
        "Prediction,Reference,Freq\n0,0,50\n1,0,5\n0,1,10\n1,1,35\n",
        "tn,fp,fn,tp\n50,10,5,35\n",
        "model,TN,FP,FN,TP\nsvm,50,10,5,35\nrf,48,12,3,37\n",
        "\n".join(" ".join(f"{cell:.18e}" for cell in row) for row in THREE),
        "\n".join(",".join(map(str, row)) for row in THREE),
    ],
)
def test_a_confusion_matrix_is_named_as_one(tmp_path: Path, text: str) -> None:
    message = refusal(tmp_path / "counts.csv", text)
    assert "looks like the confusion matrix of one model" in message
    assert "one row per item with its true label" in message


@pytest.mark.parametrize(
    "text",
    [
        pd.DataFrame(BINARY).to_csv(),
        pd.DataFrame(BINARY).to_csv(index=False),
        "\n".join(",".join(map(str, row)) for row in BINARY),
        pd.crosstab(TRUTH > 0, PREDICTED > 0).to_csv(),
    ],
)
def test_four_counts_without_words_have_two_readings(tmp_path: Path, text: str) -> None:
    message = refusal(tmp_path / "counts.csv", text)
    assert f"op.methods.mcnemar(table={BINARY.tolist()})" in message
    assert "if it is the confusion matrix of one model, write one row per item" in message


@pytest.mark.parametrize(
    "text",
    [
        ",B right,B wrong\nA right,50,10\nA wrong,5,35\n",
        ",B wrong,B right\nA wrong,35,5\nA right,10,50\n",
        "model a,b_correct,b_incorrect\ncorrect,50,10\nincorrect,5,35\n",
        "n11,n10,n01,n00\n50,10,5,35\n",
        "both_correct,only_a,only_b,both_wrong\n50,10,5,35\n",
        "both_correct,only_a_wrong,only_b_wrong,both_wrong\n50,5,10,35\n",
    ],
)
def test_counts_of_right_and_wrong_answers_are_put_into_mcnemars_order(
    tmp_path: Path, text: str
) -> None:
    message = refusal(tmp_path / "counts.csv", text)
    assert "op.methods.mcnemar(table=[[35, 5], [10, 50]])" in message


def test_a_classification_report_is_named_as_one(tmp_path: Path) -> None:
    report = pd.DataFrame(classification_report(TRUTH, PREDICTED, output_dict=True)).T
    message = refusal(tmp_path / "report.csv", report.to_csv())
    assert "classification report of one model: its rows are classes" in message


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n1,2\n3,5\n",
        ",a,b\na,0.8,-0.7\nb,0.6,0.7\n",
        "fold,a,b\n0,8,7\n1,6,7\n",
        ",a,b,c\na,0,5,6\nb,3,0,8\nc,2,0,0\n",
        ",0,1,2\n0,0.81,0.79,0.84\n1,0.77,0.8,0.85\n2,0.8,0.82,0.83\n",
        ",0,1,2\n0,81,79,84\n1,77,80,85\n2,80,82,83\n",
    ],
)
def test_other_square_tables_are_no_confusion_matrices(tmp_path: Path, text: str) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(text, encoding="utf-8")
    assert Scores.read(path).n_splits


def samples(text: str, n: int = 30) -> str:
    rows = [text.format(i, *RNG.uniform(0.7, 0.9, 2).round(4)) for i in range(1, n + 1)]
    return "".join(f"{row}\n" for row in rows)


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("bootstrap,a,b\n" + samples("{},{},{}"), "bootstrap"),
        ("n_boot,a,b\n" + samples("{},{},{}"), "n_boot"),
        ("model,Bootstrap ID,auc\n" + samples("a,{0},{1}\nb,{0},{2}"), "Bootstrap ID"),
        ("learner,id,accuracy\n" + samples("a,Bootstrap{0:03},{1}\nb,Bootstrap{0:03},{2}"), "id"),
        (
            "wflow_id,id,.metric,.estimate\n"
            + samples("a,Bootstrap{0:02},accuracy,{1}\nb,Bootstrap{0:02},accuracy,{2}"),
            "id",
        ),
    ],
)
def test_bootstrap_samples_are_named_and_read_as_resamples_when_told(
    tmp_path: Path, text: str, column: str
) -> None:
    path = tmp_path / "boot.csv"
    message = refusal(path, text)
    assert f"column {column!r} numbers 30 bootstrap samples" in message
    assert f"fold={column!r}, design='30xresampled@0.37'" in message
    scores = Scores.read(path, fold=column, design="30xresampled@0.37")
    assert scores.n_splits == 30


def test_a_model_named_after_the_bootstrap_is_a_model(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("fold,tree,bootstrap\n" + samples("{},{},{}", 5), encoding="utf-8")
    assert Scores.read(path).names == ("tree", "bootstrap")


@pytest.mark.parametrize("kind", [pd.read_csv, str])
def test_folds_named_in_an_id_column_are_no_items(tmp_path: Path, kind: type) -> None:
    path = tmp_path / "folds.csv"
    path.write_text(
        "learner,id,accuracy\n" + samples("a,Fold{0:02},{1}\nb,Fold{0:02},{2}"), encoding="utf-8"
    )
    found = op.compare(kind(path), design="3x10cv")
    assert found.method.name == "corrected_t"
    with pytest.raises(op.MethodError, match="design of these scores is unknown"):
        op.compare(kind(path))


def test_many_splits_of_unknown_design_may_be_bootstrap_replicates(tmp_path: Path) -> None:
    path = tmp_path / "many.csv"
    path.write_text("a,b\n" + samples("{1},{2}", 200), encoding="utf-8")
    with pytest.raises(op.MethodError, match="Bootstrap replicates of one test set are not splits"):
        op.compare(path)
