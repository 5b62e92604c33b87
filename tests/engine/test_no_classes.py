"""Numbers that are no class, such as probabilities, are refused wherever classes are scored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.base import BaseEstimator
from sklearn.metrics import accuracy_score

import outperform as op

N = 90
X = np.random.default_rng(3).normal(size=(N, 2))
Y = (X[:, 0] + X[:, 1] > 0).astype(int)
COUNTS = np.random.default_rng(4).poisson(6, size=N)
PROBABILITIES = 1 / (1 + np.exp(-X[:, 0]))
PROBABILITIES[:3] = 0.0, 1.0, 1.0  # some are labels, too
LABELS = (X[:, 0] > 0).astype(int)
REFUSED = "are no classes"


class Own(BaseEstimator):
    """A class of somebody's own, which does not say whether it is a classifier."""

    def __init__(self, answer: Any = None) -> None:
        self.answer = answer

    def fit(self, X: Any, y: Any) -> Own:
        return self

    def predict(self, X: Any) -> Any:
        return self.answer(X)


def probability(X: Any) -> Any:
    return 1 / (1 + np.exp(-X[:, 0]))


def column(X: Any) -> Any:
    return probability(X)[:, None]


def label(X: Any) -> Any:
    return (X[:, 0] > 0).astype(int)


def run(learners: Any, y: Any = Y, **options: Any) -> op.Scores:
    return op.run(learners, X, y, design="3cv", random_state=0, progress=False, **options)


@pytest.mark.parametrize(
    ("answer", "y", "n_jobs"),
    [
        *[(one, Y, 1) for one in (probability, column, lambda X: probability(X).astype(object))],
        *[(probability, y, 1) for y in (Y == 1, Y.astype(float), COUNTS)],
        (column, COUNTS, 2),
    ],
)
def test_a_fit_that_predicts_no_classes_has_failed(answer: Any, y: Any, n_jobs: int) -> None:
    learners = {"odd": Own(answer), "fine": Own(label)}
    with pytest.raises(op.RunFailed) as caught:
        run(learners, y, n_jobs=n_jobs)
    problems = caught.value.failures
    assert {(p.learner, p.status) for p in problems} == {("odd", "failed")}
    assert sum(p.count for p in problems) == 3
    assert REFUSED in problems[0].line
    assert caught.value.scores is not None
    assert caught.value.scores.names == ("fine",)
    with pytest.raises(op.RunFailed):
        op.compare(learners, X, y, design="3cv", random_state=0)


@pytest.mark.parametrize("answer", [probability, column])
def test_a_fitted_model_that_predicts_no_classes_is_refused(answer: Any) -> None:
    with pytest.raises(op.RunFailed, match=REFUSED):
        op.run({"odd": Own(answer), "fine": Own(label)}, X, Y, fitted=True)


@pytest.mark.parametrize(
    "answer",
    [
        label,
        lambda X: label(X)[:, None],
        lambda X: label(X).astype(float),
        lambda X: np.where(X[:, 0] > 0, 1, 7),
    ],
    ids=["plain", "column", "float", "unseen"],
)
def test_labels_are_scored_in_whatever_form_scikit_learn_takes_them(answer: Any) -> None:
    fitted = op.run({"own": Own(answer)}, X, Y, fitted=True)
    assert fitted.mean()["own"] == accuracy_score(Y, answer(X))
    run({"own": Own(answer)})


def test_probabilities_do_not_become_accuracies_from_what_a_store_keeps(tmp_path: Path) -> None:
    store = tmp_path / "results.db"
    learners = {"odd": Own(probability), "fine": Own(label)}
    run(learners, scoring="neg_mean_squared_error", store=store)
    with pytest.raises(op.OutperformError):
        op.compare(store, metric="accuracy")
    with pytest.raises(op.RunFailed, match=REFUSED):
        run(learners, scoring=["neg_mean_squared_error", "accuracy"], store=store)


@pytest.mark.parametrize("form", [np.asarray, list, pl.Series, lambda a: a.astype(object)])
def test_predictions_that_are_no_classes_are_refused(form: Any) -> None:
    predictions = {"odd": form(PROBABILITIES), "fine": LABELS}
    for make in (op.Scores.from_predictions, op.Items.from_predictions):
        with pytest.raises(op.DataError, match=REFUSED):
            make(form(Y), predictions)  # type: ignore[operator]


def test_a_column_of_labels_is_a_row_of_them() -> None:
    plain = op.Scores.from_predictions(Y, {"own": LABELS})
    assert op.Scores.from_predictions(Y[:, None], {"own": LABELS[:, None]}).mean() == plain.mean()


@pytest.mark.parametrize("as_file", [False, True])
def test_a_table_of_numbers_beside_classes_is_not_scored_by_accuracy(
    as_file: bool, tmp_path: Path
) -> None:
    logits = np.where(np.arange(N) < 3, PROBABILITIES, 3 * X[:, 0])
    frame = pl.DataFrame(
        {
            "item": [*range(N)] * 2,
            "model": ["odd"] * N + ["fine"] * N,
            "truth": [*Y, *Y],
            "prediction": [*logits, *map(float, LABELS)],
        }
    )
    source: Any = frame
    if as_file:
        source = tmp_path / "predictions.csv"
        frame.write_csv(source)
    with pytest.raises(op.DataError):
        op.compare(source)


def openml(folder: Path, name: str, kind: str, predictions: Any) -> Path:
    rows = [f"0,0,{i},{p},{t}" for i, (p, t) in enumerate(zip(predictions, Y, strict=True))]
    names = {"repeat": "numeric", "fold": "numeric", "row_id": "numeric"}
    names |= {"prediction": kind, "correct": kind}
    head = ["@relation task", *(f"@attribute {name} {kind}" for name, kind in names.items())]
    path = folder / f"{name}.arff"
    path.write_text("\n".join([*head, "@data", *rows]) + "\n")
    return path


def test_numbers_in_predictions_of_openml_are_refused(tmp_path: Path) -> None:
    fine = openml(tmp_path, "fine", "{0,1}", LABELS)
    assert op.Items.read(fine).performance() == {"fine": accuracy_score(Y, LABELS)}
    numbers = openml(tmp_path, "numbers", "numeric", LABELS)
    assert op.Items.read(numbers).performance() == {"numbers": accuracy_score(Y, LABELS)}
    with pytest.raises(op.DataError):
        op.Items.read(openml(tmp_path, "odd", "numeric", PROBABILITIES))
