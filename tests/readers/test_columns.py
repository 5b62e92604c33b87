"""What columns are for is told by their names; what could be read in two ways is refused."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import polars as pl
import pytest

from outperform import DataError, Scores
from outperform.readers.column_names import ROLES, lower_is_better
from outperform.readers.recognition import FileLayout, NumericColumns, recognise

TEXT = {"learner", "model", "metric", "dataset", "name", "host"}


def reading(
    names: str, numeric: Iterable[str] | None = None, metric: str | None = None, **asked: Any
) -> FileLayout:
    columns = names.split(",")
    layout = asked.pop("layout", None)
    numbers = {c for c in columns if c not in TEXT} if numeric is None else set(numeric)
    return recognise(columns, NumericColumns(numbers), asked, layout=layout, metric=metric)


def refusal(*args: Any, **kwargs: Any) -> str:
    with pytest.raises(DataError) as caught:
        reading(*args, **kwargs)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("role", "synonym"),
    [(r, s) for r in ROLES if r not in ("score", "y_true") for s in ROLES[r].split()],
)
def test_every_synonym_is_known_in_a_long_frame(role: str, synonym: str) -> None:
    others = "learner,score" if role != "learner" else "score"
    found = reading(f"{synonym},{others}", numeric=["score"])
    assert found.layout == "long"
    assert found.roles[role] == synonym


@pytest.mark.parametrize("name", ["N_Train", "n train", "N-TRAIN", "nTrain", "Train Size"])
def test_case_spaces_underscores_and_dashes_do_not_matter(name: str) -> None:
    assert reading(f"learner,score,{name}").roles["n_train"] == name


@pytest.mark.parametrize("name", ROLES["y_true"].split())
def test_true_labels_make_predictions_of_the_other_columns(name: str) -> None:
    found = reading(f"id,{name},tree,bayes")
    assert (found.layout, found.learners) == ("predictions", ("tree", "bayes"))
    assert found.unread == ("id",)


def test_columns_without_a_known_name_are_the_models_of_a_wide_frame() -> None:
    found = reading("run,fold,tree,bayes,n_test")
    assert (found.layout, found.learners) == ("wide", ("tree", "bayes"))
    assert found.roles == {"repeat": "run", "fold": "fold", "n_test": "n_test"}
    assert found.notes == ("Column 'run' read as repeat.",)


def test_a_metric_s_name_is_the_score_whatever_other_numbers_there_are() -> None:
    assert reading("learner,fold,Percent_correct").roles["score"] == "Percent_correct"
    found = reading("learner,fold,f1,leaves")
    assert (found.roles["score"], found.unread) == ("f1", ("leaves",))
    assert "no score column was recognised among 'gain', 'leaves'" in refusal(
        "learner,fold,gain,leaves"
    )


def test_weka_s_names_are_known() -> None:
    names = (
        "Key_Dataset,Key_Run,Key_Fold,Key_Scheme,Number_of_training_instances,"
        "Number_of_testing_instances,Percent_correct,Kappa_statistic"
    )
    found = reading(names, score="Percent_correct")
    assert list(found.roles) == [
        "learner",
        "score",
        "dataset",
        "repeat",
        "fold",
        "n_train",
        "n_test",
    ]
    assert found.unread == ("Kappa_statistic",)
    assert "'Percent_correct', 'Kappa_statistic' all look like the score" in refusal(names)


def test_cross_validate_s_output_is_one_model_s_scores() -> None:
    found = reading("fit_time,score_time,test_score,train_score")
    assert (found.layout, found.roles) == ("long", {"score": "test_score"})
    assert found.unread == ("fit_time", "score_time", "train_score")


def test_cross_validate_with_several_metrics_needs_one_chosen() -> None:
    names = "fit_time,score_time,test_f1,test_accuracy,train_f1,train_accuracy"
    assert "could be the scores of one learner (long)" in refusal(names)
    assert reading(names, metric="f1").roles["score"] == "test_f1"
    assert reading(names, score="test_accuracy").roles["score"] == "test_accuracy"


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("learner,score,value", "columns 'score', 'value' all look like the score"),
        ("learner,score,accuracy", "columns 'score', 'accuracy' all look like the score"),
        ("learner,score,run,repeat", "columns 'run', 'repeat' all look like the repeat"),
        ("fold,split,tree", "columns 'fold', 'split' all look like the fold"),
        ("y,label,tree", "columns 'y', 'label' all look like the y_true"),
    ],
)
def test_two_columns_for_one_role_are_refused(names: str, said: str) -> None:
    message = refusal(names)
    assert said in message
    assert "Choose one: " in message


@pytest.mark.parametrize(
    "names",
    [
        "fold,score,tree,bayes",  # scores of one learner, or learners beside a score
        "fold,tree,accuracy",  # learners, one of them called accuracy, or one learner's metrics
        "fold,accuracy,f1",
        "name,score",  # "name" may well be the learner
        "y_true,score,tree",
    ],
)
def test_a_frame_that_could_be_long_or_wide_is_refused(names: str) -> None:
    message = refusal(names)
    assert "could be the scores of one learner (long) or one column per learner" in message
    assert "Pass layout='wide', or name the columns" in message


def test_models_named_without_a_score_are_refused() -> None:
    message = refusal("model,fold,tree,bayes")
    assert (
        "column 'model' names learners, but no score column was recognised among 'tree', 'bayes'"
        in message
    )
    assert (
        "Name it: score='…' (for an error add lower_is_better=True), or use layout='wide'"
        in message
    )
    assert "'odd' does not have a name for scores. If it contains the scores, pass score='odd'" in (
        refusal("model,fold,odd")
    )
    assert refusal("fold,tree,bayes", layout="long").endswith("own column, pass layout='wide'")


def test_what_is_said_overrides_what_is_guessed() -> None:
    assert reading("fold,score,tree,bayes", layout="wide").learners == ("score", "tree", "bayes")
    assert reading("fold,tree,bayes,leaves", learner=["tree", "bayes"]).unread == ("leaves",)
    assert reading("learner,score,accuracy", score="accuracy").unread == ("score",)
    assert reading("name,score", learner="name").roles["learner"] == "name"
    assert reading("answer,tree,bayes", y_true="answer").layout == "predictions"
    assert reading("learner,score,label").unread == ("label",)


def test_what_is_said_must_fit() -> None:
    assert refusal("learner,score", fold="folt") == "column 'folt' not found; known: learner, score"
    assert "did you mean 'score'?" in refusal("learner,score", score="scor")
    assert "score='tree' was passed, but a wide table has no score column" in refusal(
        "fold,tree,bayes", layout="wide", score="tree"
    )
    assert "a long table needs a score column" in refusal("fold,tree,bayes", layout="long")
    assert "a predictions table needs a y_true column" in refusal("a,b", layout="predictions")
    assert "a wide table needs one column per learner" in refusal("fold,run")
    assert "unknown metric 'auc'; known: accuracy, f1" in refusal(
        "learner,fold,accuracy,f1", metric="auc"
    )


def test_numbers_called_measure_are_not_names_of_metrics() -> None:
    assert reading("learner,measure,score", numeric=["score"]).roles["metric"] == "measure"
    assert reading("learner,measure,score").unread == ("measure",)


@pytest.mark.parametrize(
    "metric",
    [
        "error",
        "error_rate",
        "Err",
        "loss",
        "mse",
        "RMSE",
        "mae",
        "log_loss",
        "brier",
        "brier_score",
        "test_error",
        "zero_one_loss",
        "Mean_absolute_error",
        "Root_mean_squared_error",
        "mean_poisson_deviance",
        "percent_incorrect",
        "RMSE (km)",
        "RMSE [kWh]",
        "error (%)",
        "error %",
        "score ↓",
        "rmse_test",
        "test RMSE",
        "mae val",
        "misclassification rate",
        "n_errors",
        "cross entropy",
        "cross_entropy_loss",
        "FPR",
        "false positive rate",
        "negative log likelihood",
        "NLL",
        "1 - AUC",
        "1-accuracy",
        "-accuracy",
        "KL divergence",
        "deviance",
        "validation_rmse",
        "edit distance",
        "LPIPS",
    ],
)
def test_losses_are_better_when_lower(metric: str) -> None:
    assert lower_is_better(metric) is True


@pytest.mark.parametrize(
    "metric",
    [
        "accuracy",
        "ACC",
        "auc",
        "roc_auc",
        "f1",
        "f1_macro",
        "r2",
        "recall",
        "balanced_accuracy",
        "neg_log_loss",
        "test_neg_log_loss",
        "neg_mean_squared_error",
        "neg_brier_score",
        "d2_absolute_error_score",
        "1-error",
        "Percent_correct",
        "-MSE",
        "- RMSE",
        "−MAE",
        "negative MSE",
        "neg RMSE",
        "-nll",
        "dice ↑",
        "accuracy (%)",
        "accuracy_test",
        "log_likelihood",
    ],
)
def test_scores_and_negated_losses_are_better_when_greater(metric: str) -> None:
    assert lower_is_better(metric) is False


@pytest.mark.parametrize(
    "name", ["score", "tree", "1nn", "negbin", "d2", "loss_weight", "errors_found", "svm-rbf"]
)
def test_other_names_say_nothing(name: str) -> None:
    assert lower_is_better(name) is None


def test_a_name_of_a_megabyte_is_no_metric_and_costs_no_search() -> None:
    """Brackets that never close take the square of their number to look through: here, hours."""
    assert lower_is_better("[" * 1_000_000) is None


def test_words_that_differ_in_every_row_beside_true_labels_name_items() -> None:
    rows = [(f"img{i}.png", "cat" if i % 2 else "dog", "cat", "dog") for i in range(12)]
    frame = pl.DataFrame(rows, schema=["image", "truth", "clip", "resnet"], orient="row")
    scores = Scores.from_frame(frame)
    assert scores.names == ("clip", "resnet")
    assert any(note.text == "Not read: 'image'." for note in scores.notes)
    with pytest.raises(DataError, match="'image' has no label in common"):
        Scores.from_frame(frame.head(9))  # may as well be labels


@pytest.mark.parametrize("name", ["algo", "approach", "model_name", "Regressor", "clf"])
def test_usual_names_of_models_are_known(name: str) -> None:
    rows = [(who, fold, 0.5 + fold / 10) for who in "ab" for fold in range(4)]
    frame = pl.DataFrame(rows, schema=[name, "fold", "score"], orient="row")
    assert Scores.from_frame(frame).names == ("a", "b")
