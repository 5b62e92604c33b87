"""Several files of one model each are one comparison; no index, truth or time is a learner."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import outperform as op
from outperform import DataError, Items

FOLDS = {"rf": (0.81, 0.80, 0.83, 0.79), "svm": (0.78, 0.77, 0.82, 0.75)}


def written(folder: Path, texts: dict[str, str]) -> list[str]:
    for name, text in texts.items():
        (folder / name).write_text(text)
    return [str(folder / name) for name in texts]


@pytest.mark.parametrize("column", ["accuracy", "score", "rmse"])
@pytest.mark.parametrize("index", ["fold", "repeat", "seed"])
def test_scores_of_splits_are_of_the_learner_that_the_file_is_named_for(
    tmp_path: Path, index: str, column: str
) -> None:
    rows = {
        f"{who}.csv": f"{index},{column}\n" + "".join(f"{k},{v}\n" for k, v in enumerate(values))
        for who, values in FOLDS.items()
    }
    found = op.compare(*written(tmp_path, rows), design="4cv")
    alone = op.compare(FOLDS, design="4cv", lower_is_better=column == "rmse")
    assert found.names == ("rf", "svm")
    assert found.pvalue == alone.pvalue
    assert found["rf", "svm"].estimate == alone["rf", "svm"].estimate


def test_results_of_cross_validate_are_read_without_their_times(tmp_path: Path) -> None:
    dicts = {
        f"{who}.json": json.dumps(
            {"fit_time": [0.1, 0.2, 0.3, 0.4], "score_time": [0.1] * 4, "test_score": values}
        )
        for who, values in FOLDS.items()
    }
    found = op.compare(*written(tmp_path, dicts))
    assert found.names == ("rf", "svm")
    assert str(found.design) == "4cv"


def test_predictions_are_matched_by_their_items(tmp_path: Path) -> None:
    generator = np.random.default_rng(1)
    truth = generator.integers(2, size=40)
    wrong = generator.random((2, 40)) < [[0.1], [0.4]]
    rows = [[f"{k},{truth[k]},{truth[k] ^ w[k]}" for k in range(40)] for w in wrong]
    texts = {"a.csv": rows[0], "b.csv": rows[1][::-1]}
    head = "id,y_true,y_pred\n"
    files = written(tmp_path, {n: head + "\n".join(r) + "\n" for n, r in texts.items()})
    found = op.compare(*files)
    assert found.names == ("a", "b")
    assert found.pvalue == op.compare(op.Scores.from_correct(("a", "b"), ~wrong)).pvalue


@pytest.mark.parametrize("ids", [range(4, 8), (0, 0, 1, 2)])
def test_predictions_on_other_items_are_not_paired_by_position(
    tmp_path: Path, ids: tuple[int, ...]
) -> None:
    texts = {
        name: "id,y_true,y_pred\n" + "".join(f"{k},{at % 2},{told}\n" for at, k in enumerate(own))
        for name, own, told in (("a.csv", range(4), 1), ("b.csv", ids, 0))
    }
    with pytest.raises(DataError, match=r"b\.csv.*column 'id' names other items"):
        op.compare(*written(tmp_path, texts))


def test_folds_beside_predictions_are_refused_as_in_one_file(tmp_path: Path) -> None:
    rows = "fold,y_true,y_pred\n" + "0,cat,cat\n1,dog,cat\n" * 10
    files = written(tmp_path, {"a.csv": rows, "b.csv": rows.replace("dog,cat", "dog,dog")})
    with pytest.raises(DataError, match=r"'fold' implies several splits"):
        op.compare(*files)


def test_training_rows_beside_predictions_are_left_out(tmp_path: Path) -> None:
    rows = "split,y_true,y_pred\n" + "train,cat,cat\ntest,dog,cat\ntest,cat,cat\n" * 5
    files = written(tmp_path, {"a.csv": rows, "b.csv": rows.replace("dog,cat", "dog,dog")})
    assert op.compare(*files).n == 10


def test_tables_that_name_their_learners_are_put_together(tmp_path: Path) -> None:
    texts = {
        f"part{k}.csv": "model,fold,accuracy\n"
        + "".join(f"{who},{i},{v}\n" for i, v in enumerate(of))
        for k, (who, of) in enumerate(FOLDS.items())
    }
    assert op.compare(*written(tmp_path, texts)).names == ("rf", "svm")


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


def test_label_and_probability_of_one_model_are_not_two_learners(tmp_path: Path) -> None:
    rows = "target,a_pred,a_prob,b_pred,b_prob\n" + "1,1,.7,1,.5\n0,0,.3,1,.6\n" * 4
    (file,) = written(tmp_path, {"p.csv": rows})
    with pytest.raises(DataError, match="label and the probability predicted by one model"):
        op.Scores.read(file)
    assert op.Scores.read(file, learner=["a_pred", "b_pred"]).names == ("a_pred", "b_pred")


def test_a_true_label_that_one_file_lacks_is_not_taken_from_another(tmp_path: Path) -> None:
    head, rest = "y_true,y_pred\n", "1,1\n0,0\n1,0\n"
    files = written(tmp_path, {"a.csv": f"{head},1\n{rest}", "b.csv": f"{head}1,1\n{rest}"})
    for given in (files, files[::-1]):
        with pytest.raises(DataError, match="different true labels"):
            op.compare(*given)
    rows = "id,model,y_true,y_pred\n1,a,1,1\n2,a,,0\n1,b,1,0\n2,b,0,0\n"
    with pytest.raises(DataError, match=r"are the same item, but column 'y_true' differs"):
        op.compare(*written(tmp_path, {"long.csv": rows}))
