"""Fitted models: judged as they are when that is asked, never fitted again unasked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from launching import launch
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import get_scorer, mean_squared_error, roc_auc_score
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import outperform as op

X, Y = load_breast_cancer(return_X_y=True)
TRAIN, TEST = slice(0, 300), slice(300, None)
MODELS = {
    "tree": DecisionTreeClassifier(max_depth=2, random_state=0).fit(X[TRAIN], Y[TRAIN]),
    "bayes": make_pipeline(StandardScaler(), GaussianNB()).fit(X[TRAIN], Y[TRAIN]),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()).fit(X[TRAIN], Y[TRAIN]),
}
PREDICTED = {name: model.predict(X[TEST]) for name, model in MODELS.items()}
XR, YR = load_diabetes(return_X_y=True)
REGRESSORS = {
    "tree": DecisionTreeRegressor(max_depth=3, random_state=0).fit(XR[:200], YR[:200]),
    "linear": LinearRegression().fit(XR[:200], YR[:200]),
}


def fitted(models: Any = MODELS, x: Any = X[TEST], y: Any = Y[TEST], **options: Any) -> Any:
    return op.compare(models, x, y, fitted=True, **options)


# With the word


def test_fitted_models_are_judged_by_their_own_predictions() -> None:
    found, expected = fitted(), op.compare(op.Scores.from_predictions(Y[TEST], PREDICTED))
    assert found.method.name == "mcnemar"
    assert found.to_frame().equals(expected.to_frame())
    assert "OP401" in [note.code for note in found.notes]
    assert "3 fitted models on one test set of 269 items" in found.estimand()


def test_nothing_is_fitted_cloned_or_changed() -> None:
    class Once(ClassifierMixin, BaseEstimator):
        def __init__(self) -> None:
            self.asked_ = 0

        def fit(self, X: Any, y: Any) -> Any:
            raise AssertionError("fitted again")

        def __sklearn_clone__(self) -> Any:
            raise AssertionError("cloned")

        def predict(self, X: Any) -> Any:
            self.asked_ += 1
            return np.ones(len(X), dtype=int)

    once, before = Once(), X[TEST].copy()
    fitted({"once": once, "tree": MODELS["tree"]}, before)
    assert once.asked_ == 1
    assert (before == X[TEST]).all()
    assert before.flags.writeable


def test_a_model_that_writes_into_its_items_gets_a_copy_and_that_is_said() -> None:
    class Writes(ClassifierMixin, BaseEstimator):
        def fit(self, X: Any, y: Any) -> Any:
            return self

        def predict(self, X: Any) -> Any:
            X[:] = 0
            return np.ones(len(X), dtype=int)

    mine = X[TEST].copy()
    found = fitted({"writes": Writes(), "tree": MODELS["tree"]}, mine)
    assert (mine == X[TEST]).all()
    assert "OP505" in [note.code for note in found.notes]


def test_what_only_predicts_can_be_judged() -> None:
    class Loaded:
        def predict(self, X: Any) -> Any:
            return MODELS["tree"].predict(X)

    found = fitted({"loaded": Loaded(), "tree": MODELS["tree"]})
    assert found["loaded", "tree"].pvalue == 1


def test_fitted_regressors_are_compared_by_the_squared_error_of_each_item() -> None:
    found = op.compare(REGRESSORS, XR[200:], YR[200:], fitted=True)
    assert found.method.name == "paired_t"
    assert found.metric == "neg_mean_squared_error"
    errors = [mean_squared_error(YR[200:], m.predict(XR[200:])) for m in REGRESSORS.values()]
    assert found["tree", "linear"].estimate == pytest.approx(errors[1] - errors[0], rel=1e-12)
    assert "OP401" in [note.code for note in found.notes]


@pytest.mark.parametrize("scoring", ["r2", "neg_root_mean_squared_error"])
def test_a_difference_of_squared_errors_is_never_called_another_metric(scoring: str) -> None:
    for options in ({"fitted": True}, {"design": "holdout@1/3", "random_state": 0}):
        models = REGRESSORS if "fitted" in options else {k: clone(m) for k, m in REGRESSORS.items()}
        found = op.compare(models, XR[200:], YR[200:], scoring=scoring, **options)
        assert found.metric == "neg_mean_squared_error"
        assert found["tree", "linear"].metric == "neg_mean_squared_error"


def test_probabilities_of_fitted_models_are_scored() -> None:
    found = fitted(scoring="neg_log_loss")
    assert found.method.name == "paired_t"
    assert found.metric == "neg_log_loss"


def test_a_metric_that_only_a_whole_test_set_has_is_refused_naming_others() -> None:
    for verb in (op.compare, op.run, op.estimate):
        with pytest.raises(op.DataError, match=r"f1 .*'neg_log_loss'.*'roc_auc'"):
            verb(MODELS, X[TEST], Y[TEST], fitted=True, scoring="f1")


@pytest.mark.parametrize("labels", [np.array([0, 1]), np.array(["benign", "worse"])])
def test_areas_under_the_roc_curve_are_judged_by_delong(labels: Any) -> None:
    y = labels[Y]
    models = {
        "tree": DecisionTreeClassifier(max_depth=2, random_state=0).fit(X[TRAIN], y[TRAIN]),
        "logistic": make_pipeline(StandardScaler(), LogisticRegression()).fit(X[TRAIN], y[TRAIN]),
    }
    found = fitted(models, y=y[TEST], scoring="roc_auc")
    ranked = [
        models["tree"].predict_proba(X[TEST])[:, 1],
        models["logistic"].decision_function(X[TEST]),
    ]
    expected = op.methods.delong(Y[TEST], *ranked, names=("tree", "logistic"))
    assert (found.method.name, found.metric) == ("delong", "roc_auc")
    assert found["tree", "logistic"].pvalue == pytest.approx(expected.pvalue, rel=1e-12)
    assert found["tree", "logistic"].estimate == pytest.approx(expected.estimate, rel=1e-12)
    areas = [get_scorer("roc_auc")(model, X[TEST], y[TEST]) for model in models.values()]
    assert found.scores.values[:, 0] == pytest.approx(areas, rel=1e-12)
    assert "OP401" in [note.code for note in found.notes]
    assert "logistic" in str(found)


def test_an_area_beside_another_metric_keeps_its_test() -> None:
    found = fitted(scoring=["accuracy", "roc_auc"])
    assert (found.method.name, found.metric) == ("mcnemar", "accuracy")
    area = fitted(scoring=["accuracy", "roc_auc"], metric="roc_auc")
    alone = fitted(scoring="roc_auc")
    assert area.method.name == alone.method.name == "delong"
    assert area.to_frame().equals(alone.to_frame())


def test_areas_of_a_hold_out_are_judged_by_delong_with_and_without_a_store(tmp_path: Path) -> None:
    learners = {name: clone(MODELS[name]) for name in ("tree", "logistic")}
    asked: dict[str, Any] = {"design": "holdout@1/3", "random_state": 0, "scoring": "roc_auc"}
    found = op.compare(learners, X, Y, **asked)
    assert found.method.name == "delong"
    split = next(op.parse("holdout@1/3").split(len(Y), random_state=0))
    train, test = split.train, split.test
    logistic = clone(learners["logistic"])
    kept = op.compare(learners, X, Y, store=tmp_path / "s.db", **asked)
    assert kept["tree", "logistic"].pvalue == found["tree", "logistic"].pvalue
    read = op.compare(tmp_path / "s.db")
    assert read["tree", "logistic"].pvalue == found["tree", "logistic"].pvalue
    ranked = logistic.fit(X[train], Y[train]).decision_function(X[test])
    assert found.scores.probabilities[1, test] == pytest.approx(ranked, rel=1e-9)
    area = roc_auc_score(Y[test], ranked)
    assert found.scores.values[1, 0] == pytest.approx(area, rel=1e-12)
    estimate = op.estimate(op.Scores.read(tmp_path / "s.db"), learner="logistic")
    assert estimate.estimate == pytest.approx(area, rel=1e-12)
    later, keep = tmp_path / "later.db", ["probabilities", "decision values"]
    op.run(learners, X, Y, **asked | {"scoring": "accuracy"}, store=later, keep=keep)
    assert op.compare(later, metric="roc_auc").method.name == "delong"


def test_an_area_needs_two_classes_and_a_model_that_ranks() -> None:
    class Labels:
        def predict(self, X: Any) -> Any:
            return MODELS["tree"].predict(X)

    with pytest.raises(op.RunFailed, match="needs decision_function or predict_proba"):
        fitted({"tree": MODELS["tree"], "labels": Labels()}, scoring="roc_auc")
    with pytest.raises(op.RunFailed, match=r"two classes of y, \[1, 2\]"):
        fitted(y=Y[TEST] + 1, scoring="roc_auc")
    three = np.arange(len(Y[TEST])) % 3
    with pytest.raises(op.DataError, match="one number for the whole test set"):
        fitted(y=three, scoring="roc_auc")


def test_one_fitted_model_can_be_estimated() -> None:
    found = op.estimate(MODELS["tree"], X[TEST], Y[TEST], fitted=True)
    right = int((PREDICTED["tree"] == Y[TEST]).sum())
    assert found.interval() == op.methods.accuracy_interval(right, 269).interval(0.95)
    assert "OP401" in [note.code for note in found.notes]


def test_labels_that_disagree_are_refused_here_too() -> None:
    frame = pd.DataFrame(X[TEST]).sample(frac=1, random_state=0)
    with pytest.raises(op.DataError, match=r"y\.to_numpy\(\)"):
        fitted(x=frame, y=pd.Series(Y[TEST]))


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("design", "10x10cv"),
        ("store", "results.db"),
        ("random_state", 0),
        ("n_jobs", 2),
        ("time_limit", 1.0),
        ("on_error", "raise"),
    ],
)
def test_what_only_a_run_of_fits_needs_is_refused(option: str, value: Any) -> None:
    with pytest.raises(op.DataError, match=f"'{option}' .* fitted=True.*nothing is trained"):
        fitted(**{option: value})


def test_items_in_groups_are_refused_with_the_reason() -> None:
    with pytest.raises(op.DataError, match="independent"):
        fitted(groups=np.arange(269) // 2)


def test_a_model_that_is_not_fitted_is_refused_by_name() -> None:
    with pytest.raises(op.DataError, match=r"'new' is not fitted.*leave fitted=True out"):
        fitted({"new": GaussianNB(), "tree": MODELS["tree"]})


def test_a_model_that_fails_is_named_with_its_error() -> None:
    with pytest.raises(op.RunFailed, match="'tree' failed: ValueError: X has 2 features") as caught:
        fitted(x=X[TEST, :2])
    (problem,) = caught.value.failures
    assert problem.learner == "tree"
    with pytest.raises(op.RunFailed, match="'tree' failed: DataError: predict returned number"):
        fitted(y=np.array(["no", "yes"])[Y[TEST]])


def test_the_word_means_nothing_beside_scores() -> None:
    scores = op.Scores.from_predictions(Y[TEST], PREDICTED)
    with pytest.raises(op.DataError, match="passed together with fitted"):
        op.compare(scores, fitted=True)


# Without it

FITTED = {
    "plain": MODELS["tree"],
    "pipeline": MODELS["bayes"],
    "search": GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1, 2]}, cv=2).fit(X, Y),
    "vote": VotingClassifier([("a", GaussianNB())]).fit(X, Y),
    "unfitted pipeline, fitted end": make_pipeline(StandardScaler(), MODELS["tree"]),
    "dummy": DummyClassifier().fit(X, Y),
}


@pytest.mark.parametrize("name", FITTED)
@pytest.mark.parametrize("verb", [op.compare, op.run, op.estimate, op.learning_curve])
def test_models_that_are_fitted_are_refused_where_they_would_be_fitted_again(
    name: str, verb: Any
) -> None:
    options = {"design": "2cv"} if verb is op.run else {}
    with pytest.raises(op.DataError) as caught:
        verb({name: FITTED[name]}, X, Y, random_state=1, **options)
    assert f"{name!r} is already fitted" in str(caught.value)
    assert "fitted=True" in str(caught.value)
    assert "sklearn.base.clone(model)" in str(caught.value)


def test_the_clones_that_are_advised_are_run() -> None:
    models = {name: clone(MODELS[name]) for name in ("tree", "bayes")}
    assert op.compare(models, X, Y, design="2cv", random_state=1).names == ("tree", "bayes")


class Stateless(ClassifierMixin, BaseEstimator):
    """Has something that looks like a result of fitting from the start."""

    def __init__(self) -> None:
        self.answer_ = 1

    def fit(self, X: Any, y: Any) -> Any:
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.answer_)


class AlwaysReady(Stateless):
    def __sklearn_is_fitted__(self) -> bool:
        return True


class NeedsNoFit(Stateless):
    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags


@pytest.mark.parametrize(
    "learner",
    [
        DummyClassifier(),
        Stateless(),
        AlwaysReady(),
        NeedsNoFit(),
        make_pipeline(FunctionTransformer(), GaussianNB()),
        make_pipeline(FunctionTransformer(), NeedsNoFit()),
        make_pipeline(StandardScaler(), FrozenEstimator(GaussianNB().fit(X, Y))),
        FrozenEstimator(GaussianNB().fit(X, Y)),
        CalibratedClassifierCV(FrozenEstimator(GaussianNB().fit(X, Y))),
        VotingClassifier([("a", FrozenEstimator(GaussianNB().fit(X, Y)))]),
        VotingClassifier([("a", GaussianNB().fit(X, Y))]),
        GridSearchCV(DecisionTreeClassifier().fit(X, Y), {"max_depth": [1, 2]}, cv=2),
    ],
    ids=lambda learner: str(learner)[:60],
)
def test_models_that_are_not_fitted_are_never_taken_for_fitted_ones(learner: Any) -> None:
    assert op.run({"one": learner}, X, Y, design="2cv", random_state=1).values.shape == (1, 2)


# On the command line

EXPERIMENT = """
import numpy as np
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
rng, random_state = np.random.default_rng(0), 3
y = np.arange(120) % 2
X = rng.normal(size=(120, 3)) + y[:, None]
learners = {"tree": DecisionTreeClassifier(max_depth=1), "bayes": GaussianNB()}
for model in learners.values():
    model.fit(X[:60], y[:60])
X, y = X[60:], y[60:]
"""


@pytest.mark.slow
def test_an_experiment_may_say_that_its_models_are_fitted(tmp_path: Path) -> None:
    (tmp_path / "unsaid.py").write_text(EXPERIMENT)
    (tmp_path / "said.py").write_text(EXPERIMENT + "fitted = True\n")
    refused = launch(tmp_path, "run", "unsaid.py")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "'tree', 'bayes' are already fitted" in refused.stderr
    assert "--fitted" in refused.stderr
    done = launch(tmp_path, "run", "said.py")
    assert done.returncode == 0, done.stderr
    assert "accuracy, one test set of 60 items" in done.stdout
    assert "OP401" in done.stdout
    assert launch(tmp_path, "run", "unsaid.py", "--fitted").stdout == done.stdout
    split = launch(tmp_path, "run", "said.py", "--design", "10cv")
    assert (split.returncode, split.stdout) == (2, "")
    assert "nothing is trained" in split.stderr


@pytest.mark.slow
def test_models_of_a_module_are_judged_on_the_rows_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "models.py").write_text(EXPERIMENT + "tree, bayes = learners.values()\n")
    frame = pd.DataFrame(np.random.default_rng(1).normal(size=(40, 3)), columns=list("abc"))
    frame.assign(y=np.arange(40) % 2).to_csv(tmp_path / "test.csv", index=False)
    named = ["--learner", "models:tree", "--learner", "models:bayes", "--fitted"]
    done = launch(tmp_path, "run", "test.csv", "--target", "y", *named)
    assert done.returncode == 0, done.stderr
    assert "tree vs. bayes: accuracy, one test set of 40 items" in done.stdout


class WritesIntoFrames:
    """A fitted model that changes the frame it is given."""

    def predict(self, X: Any) -> Any:
        X.iloc[:, 0] = 0.0
        return np.zeros(len(X), dtype=int)


class ReadsFirstColumn:
    def predict(self, X: Any) -> Any:
        return (X.iloc[:, 0] > 0.5).astype(int).to_numpy()


def test_a_model_that_writes_into_a_frame_changes_nothing_for_others_or_the_caller() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": np.tile([0.0, 1.0], 30)})
    before = frame.copy()
    y = (frame["x"] > 0.5).astype(int).to_numpy()
    found = op.compare(
        {"writes": WritesIntoFrames(), "reads": ReadsFirstColumn()},
        frame,
        y,
        fitted=True,
        scoring="accuracy",
    )
    assert frame.equals(before)
    assert found.scores.values[:, 0].tolist() == [0.5, 1.0]
