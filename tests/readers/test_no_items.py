"""No index, truth or time is a learner, and no split an item."""

from __future__ import annotations

from pathlib import Path

import pytest

import outperform as op
from outperform import DataError, Items


def written(folder: Path, texts: dict[str, str]) -> list[str]:
    for name, text in texts.items():
        (folder / name).write_text(text)
    return [str(folder / name) for name in texts]


def test_logs_with_a_column_for_each_model_are_still_logs(tmp_path: Path) -> None:
    texts = {f"{k}.csv": f"item,a{k},b{k}\n1,1,0\n2,0,1\n3,1,1\n" for k in range(2)}
    assert op.compare(*written(tmp_path, texts)).names == ("a0", "b0", "a1", "b1")


def test_no_time_nor_truth_is_a_model_of_a_log(tmp_path: Path) -> None:
    (file,) = written(tmp_path, {"a.csv": "item,y_true,fit_time,m\n1,1,0.5,0\n2,0,0.1,1\n"})
    with pytest.raises(DataError, match="a log needs an item and a score"):
        Items.read(file)


@pytest.mark.parametrize("cells", ["1,1,0", "0,0.25,0.75"], ids=["labels", "probabilities"])
def test_predictions_beside_the_truth_are_no_scores_of_items(tmp_path: Path, cells: str) -> None:
    (file,) = written(tmp_path, {"a.csv": "y_true,a,b\n" + f"{cells}\n0,0,1\n" * 9})
    with pytest.raises(DataError, match="true values in column 'y_true', so 'a', 'b' are read as"):
        Items.read(file)
    assert Items.read(file, learner=["a", "b"]).names == ("a", "b")


def test_splits_are_no_items_but_items_may_have_folds(tmp_path: Path) -> None:
    texts = {"cv.csv": "fold,a,b\n0,0.8,0.7\n1,0.9,0.7\n", "long.csv": "model,fold,score\n"}
    texts["long.csv"] += "a,0,0.8\na,1,0.7\nb,0,0.7\nb,1,0.6\n"
    for file in written(tmp_path, texts):
        with pytest.raises(DataError, match="has 'fold', so its rows are splits"):
            Items.read(file)
    (file,) = written(tmp_path, {"items.csv": "item,fold,a,b\nq1,0,1,0\nq2,1,1,1\n"})
    assert Items.read(file).names == ("a", "b")


def test_folds_of_several_predictions_are_not_called_leave_one_out(tmp_path: Path) -> None:
    rows = "fold,y_true,a,b\n0,1,1,0\n1,0,0,0\n0,1,1,1\n1,1,1,1\n"
    (file,) = written(tmp_path, {"p.csv": rows})
    with pytest.raises(DataError, match=r"Provide one score per split$"):
        op.Scores.read(file)


def test_label_and_probability_of_one_model_are_not_two_models(tmp_path: Path) -> None:
    rows = "target,a_pred,a_prob,b_pred,b_prob\n" + "1,1,.7,1,.5\n0,0,.3,1,.6\n" * 4
    (file,) = written(tmp_path, {"p.csv": rows})
    with pytest.raises(DataError, match="label and the probability predicted by one model"):
        op.Scores.read(file)
    assert op.Scores.read(file, learner=["a_pred", "b_pred"]).names == ("a_pred", "b_pred")


def test_files_of_one_model_each_are_refused(tmp_path: Path) -> None:
    folds = {f"{who}.csv": "fold,accuracy\n0,0.8\n1,0.7\n2,0.9\n" for who in ("rf", "svm")}
    predictions = {f"{who}.csv": "id,y_true,y_pred\n1,1,1\n2,0,1\n" for who in ("a", "b")}
    for texts in (folds, predictions):
        with pytest.raises(DataError, match="a log needs an item and a score"):
            op.compare(*written(tmp_path, texts))


def test_a_true_label_that_differs_between_models_is_refused(tmp_path: Path) -> None:
    rows = "id,model,y_true,y_pred\n1,a,1,1\n2,a,,0\n1,b,1,0\n2,b,0,0\n"
    with pytest.raises(DataError, match=r"are the same item, but column 'y_true' differs"):
        op.compare(*written(tmp_path, {"long.csv": rows}))
