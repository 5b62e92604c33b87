"""Objects and runs of other tools: fitted searches, reports of skore, runs of MLflow."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import recall_score
from sklearn.model_selection import (
    GridSearchCV,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import outperform as op
from outperform import DataError, Scores

X, Y = load_iris(return_X_y=True)
TRIALS = Path(__file__).parent / "trials"


def refusal(call: Any, *arguments: Any, **options: Any) -> str:
    with pytest.raises(DataError) as caught:
        call(*arguments, **options)
    return str(caught.value)


def said(scores: Scores) -> str:
    return " ".join(note.text for note in scores.notes)


def searched(cv: Any) -> GridSearchCV:
    tree = DecisionTreeClassifier(random_state=0)
    return GridSearchCV(tree, {"max_depth": [1, 2]}, cv=cv).fit(X, Y)


@pytest.mark.parametrize(
    ("cv", "design"),
    [
        (StratifiedKFold(7, shuffle=True, random_state=0), "7cv"),
        (RepeatedStratifiedKFold(n_splits=4, n_repeats=3, random_state=0), "3x4cv"),
        (ShuffleSplit(12, test_size=0.2, random_state=0), "12xresampled@30/train120"),
        (TimeSeriesSplit(5), "5forward"),
    ],
)
def test_indices_of_cross_validate_tell_the_design_and_exact_sizes(
    tmp_path: Path, cv: Any, design: str
) -> None:
    models = {"nb": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=1)}
    found = {n: cross_validate(m, X, Y, cv=cv, return_indices=True) for n, m in models.items()}
    scores = Scores.from_frame(found)
    assert (scores.names, str(scores.design)) == (("nb", "tree"), design)
    assert f"Design {design} read from indices" in said(scores)
    splits = list(cv.split(X, Y))
    assert scores.n_train is not None
    assert scores.n_train.tolist() == [len(train) for train, _ in splits]
    assert scores.values.tolist() == [found[name]["test_score"].tolist() for name in models]
    alone = Scores.from_frame(found["nb"])
    assert (alone.n_splits, str(alone.design)) == (len(splits), design)
    (tmp_path / "cv.json").write_text(json.dumps(found, default=lambda array: array.tolist()))
    written = Scores.read(tmp_path / "cv.json")
    assert written.n_train is not None
    assert written.n_train.tolist() == scores.n_train.tolist()
    if design != "5forward":  # of which sizes alone do not tell
        assert written.digest() == scores.digest()


def test_models_on_other_splits_are_refused_by_their_indices() -> None:
    found = {
        str(seed): cross_validate(
            GaussianNB(),
            X,
            Y,
            cv=StratifiedKFold(3, shuffle=True, random_state=seed),
            return_indices=True,
        )
        for seed in (0, 1)
    }
    assert "'0' and '1' have different splits" in refusal(Scores.from_frame, found)


@pytest.mark.parametrize(
    ("cv", "design"),
    [
        (4, "4cv"),
        (RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0), "2x3cv"),
        (ShuffleSplit(6, test_size=0.2, random_state=0), "6xresampled@1/5"),
    ],
)
def test_a_fitted_search_tells_its_design_and_with_the_data_its_sizes(cv: Any, design: str) -> None:
    search = searched(cv)
    scores = Scores.from_search(search)
    assert (scores.names, str(scores.design)) == (("max_depth=1", "max_depth=2"), design)
    n = scores.n_splits
    expected = [[search.cv_results_[f"split{i}_test_score"][k] for i in range(n)] for k in (0, 1)]
    assert scores.values.tolist() == expected
    assert "OP008" in {note.code for note in scores.notes}
    sized = Scores.from_search(search, X, Y)
    assert sized.n_train is not None
    assert sized.n_test is not None
    assert (sized.n_train + sized.n_test == 150).all()
    assert sized.design is not None
    assert scores.design is not None
    assert sized.design.kind == scores.design.kind
    assert op.compare(search).scores.values.tolist() == expected
    assert "assumed" not in said(scores)


def test_a_search_that_was_not_fitted_is_refused() -> None:
    assert "search.fit(X, y)" in refusal(Scores.from_search, GridSearchCV(GaussianNB(), {}))


class Report:
    """What a CrossValidationReport of skore 0.28 offers, as far as it is read."""

    ml_task = "multiclass-classification"

    def __init__(self, model: Any, seed: int = 0) -> None:
        splitter = StratifiedKFold(5, shuffle=True, random_state=seed)
        self.estimator_name_ = type(model).__name__
        self.y = Y
        self.split_indices = tuple(splitter.split(X, Y))
        self.found = [model.fit(X[a], Y[a]).predict(X[b]) for a, b in self.split_indices]
        self.metrics = SimpleNamespace(accuracy=self.accuracy, recall=self.recall)

    def get_predictions(self, *, data_source: str) -> list[Any]:
        assert data_source == "test"
        return self.found

    def frame(self, rows: list[list[float]]) -> pd.DataFrame:
        return pd.DataFrame(np.array(rows), columns=[f"Split #{i}" for i in range(5)])

    def accuracy(self, aggregate: Any) -> pd.DataFrame:
        pairs = zip(self.found, self.split_indices, strict=True)
        return self.frame([[float((p == Y[b]).mean()) for p, (_, b) in pairs]])

    def recall(self, aggregate: Any) -> pd.DataFrame:
        pairs = zip(self.found, self.split_indices, strict=True)
        each = [recall_score(Y[b], p, average=None) for p, (_, b) in pairs]
        return self.frame(np.transpose(each).tolist())


def test_reports_of_skore_give_scores_sizes_design_and_items() -> None:
    tree, bayes = Report(DecisionTreeClassifier(random_state=0)), Report(GaussianNB())
    comparison = SimpleNamespace(reports_={"tree": tree, "bayes": bayes})
    scores = Scores.from_frame(comparison)
    assert (scores.names, str(scores.design)) == (("tree", "bayes"), "5cv/given")
    assert scores.values[0].tolist() == tree.accuracy(None).to_numpy()[0].tolist()
    assert scores.n_test is not None
    assert scores.n_test.tolist() == [30.0] * 5
    wrong = scores.wrong()
    rows = np.concatenate([b for _, b in bayes.split_indices])
    assert wrong[:, 1].tolist() == (np.concatenate(bayes.found) != Y[rows]).astype(int).tolist()
    assert op.compare(comparison).method.name == "corrected_t"
    assert Scores.from_frame(bayes).names == ("GaussianNB",)


def test_reports_of_skore_that_cannot_be_compared_are_refused() -> None:
    first, other = Report(GaussianNB()), Report(GaussianNB(), seed=1)
    two = SimpleNamespace(reports_={"a": first, "b": other})
    assert "have different splits" in refusal(Scores.from_frame, two)
    same = SimpleNamespace(reports_={"a": first, "b": first})
    assert "one for each class" in refusal(Scores.from_frame, same, metric="recall")
    assert "has no metric 'auc'" in refusal(Scores.from_frame, same, metric="auc")


RUNS = pd.read_csv(TRIALS / "d_mlflow.csv").astype({"params.seed": str, "params.fold": str})


def test_a_table_of_mlflow_runs_has_models_datasets_and_seeds() -> None:
    path = TRIALS / "formats" / "search_runs.csv"
    scores = Scores.read(path)
    assert (scores.names, scores.metric) == (("nb", "tree"), "accuracy")
    assert set(scores.datasets or ()) == {"wine", "iris"}
    frame = pd.read_csv(path)
    assert scores.values.size == len(frame)
    assert "every 'params.seed' gives a new split of the data" in said(scores)
    roles = {"learner": "params.model", "dataset": "params.dataset", "score": "metrics.accuracy"}
    mapped = Scores.read(path, repeat="params.seed", **roles)
    assert mapped.values.tolist() == scores.values.tolist()
    assert mapped.datasets == scores.datasets


def test_runs_of_mlflow_that_did_not_finish_are_no_scores() -> None:
    runs = RUNS.copy()
    runs.loc[3, "status"] = "FAILED"
    message = refusal(Scores.from_frame, runs, metric="acc")
    assert "FAILED" in message
    scores = Scores.from_frame(runs, metric="acc", drop_incomplete=True)
    assert scores.n_splits == 24
    again = pd.concat([runs, RUNS.iloc[[3]]])  # it was run again
    assert Scores.from_frame(again, metric="acc", drop_incomplete=True).n_splits == 25


def test_nested_runs_of_mlflow_are_splits_of_their_parents() -> None:
    rows = []
    for k, model in enumerate(("a", "b")):
        rows.append({"run_id": model, "params.model": model, "metrics.acc": None, "start_time": k})
        rows += [
            {"run_id": f"{model}{i}", "params.model": None, "metrics.acc": (i + 5 * k + 1) / 20,
             "start_time": 10 * k + i, "tags.mlflow.parentRunId": model}
            for i in (3, 0, 1, 2)
        ]  # fmt: skip
    runs = pd.DataFrame(rows).assign(experiment_id="0", status="FINISHED")
    scores = Scores.from_frame(runs)
    assert (scores.names, str(scores.design)) == (("a", "b"), "4cv")
    assert scores.values.tolist() == [[0.05, 0.1, 0.15, 0.2], [0.3, 0.35, 0.4, 0.45]]
    assert "by start time" in said(scores)


def test_the_model_of_runs_of_mlflow_may_be_any_param() -> None:
    runs = RUNS.rename(columns={"params.model": "params.net"})
    assert "names them: learner='params.net'" in refusal(Scores.from_frame, runs, metric="acc")
    scores = Scores.from_frame(runs, metric="acc", learner="params.net")
    assert str(scores.design) == "5x5cv"
    system = RUNS.rename(columns={"metrics.auc": "metrics.system/cpu_utilization"})
    assert Scores.from_frame(system).metric == "acc"
    odd = RUNS.drop(columns="metrics.auc").rename(columns={"metrics.acc": "metrics.quality"})
    assert Scores.from_frame(odd).metric == "quality"
