"""Several metrics in one run, metrics computed later from what was kept, and runs that grow."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from models_for_tests import Sharing
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import fbeta_score, get_scorer_names, make_scorer
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import outperform as op
from outperform import DataError
from outperform.engine.rescoring import for_metric
from outperform.storage import Store, check

PICK = np.random.default_rng(0).permutation(569)[:120]
X, Y = (part[PICK] for part in load_breast_cancer(return_X_y=True))
MODELS: dict[str, Any] = {
    "bayes": GaussianNB(),
    "tree": DecisionTreeClassifier(max_depth=2),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
}
TASKS: dict[str, tuple[dict[str, Any], Any, Any]] = {
    "two classes": (MODELS, X, Y),
    "names": (MODELS, X, np.array(["benign", "malign"])[Y]),
    "three classes": (MODELS, *load_iris(return_X_y=True)),
    "numbers": (
        {"line": LinearRegression(), "tree": DecisionTreeRegressor(max_depth=2)},
        *(part[:100] for part in load_diabetes(return_X_y=True)),
    ),
}
ALL = ["predictions", "probabilities", "decision values"]


class Counts(GaussianNB):  # type: ignore[misc]
    """Counts its fits."""

    fits = 0

    def fit(self, X: Any, y: Any) -> Any:
        Counts.fits += 1
        return super().fit(X, y)


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return a store for each task, with every response kept."""
    folder = tmp_path_factory.mktemp("kept")
    for task, (models, x, y) in TASKS.items():
        op.run(models, x, y, design="3cv", random_state=0, store=folder / f"{task}.db", keep=ALL)
    return {task: folder / f"{task}.db" for task in TASKS}


@pytest.mark.slow
@pytest.mark.parametrize("name", get_scorer_names())
def test_a_metric_added_later_is_the_one_of_the_run_bit_by_bit(
    name: str, stores: dict[str, Path], recwarn: pytest.WarningsRecorder
) -> None:
    served = 0
    for task, (models, x, y) in TASKS.items():
        try:
            wanted = op.run(models, x, y, design="3cv", scoring=name, random_state=0)
        except DataError:
            continue  # not a metric for such targets
        except op.errors.RunFailed:
            continue
        found = for_metric(op.Scores.read(stores[task]), name)
        assert found.values.tobytes() == wanted.values.tobytes(), task
        assert replace(found, more=()).digest() == wanted.digest()
        served += 1
    recwarn.clear()
    unfit = {*CLUSTERS, *SEVERAL}
    assert served or name in unfit


CLUSTERS = (
    *("adjusted_mutual_info_score", "adjusted_rand_score", "completeness_score"),
    *("fowlkes_mallows_score", "homogeneity_score", "mutual_info_score"),
    *("normalized_mutual_info_score", "rand_score", "v_measure_score"),
)
SEVERAL = ("f1_samples", "jaccard_samples", "precision_samples", "recall_samples")


def test_the_first_of_several_metrics_is_the_primary_one() -> None:
    found = op.run(MODELS, X, Y, design="3cv", scoring=["roc_auc", "accuracy"], random_state=0)
    assert found.metrics == ("roc_auc", "accuracy")
    for name in found.metrics:
        alone = op.run(MODELS, X, Y, design="3cv", scoring=name, random_state=0)
        assert found.for_metric(name).values.tolist() == alone.values.tolist()
    assert found.items is None
    assert found.for_metric("accuracy").items is not None
    comparison = op.compare(found, metric="accuracy")
    assert comparison.metric == "accuracy"
    with pytest.raises(DataError, match="got 'f1'; known: accuracy, roc_auc"):
        found.for_metric("f1")


def test_a_metric_that_is_not_measured_is_refused_before_any_fit(tmp_path: Path) -> None:
    models = {"one": Counts(), "other": Counts()}
    asked: dict[str, Any] = {"design": "3cv", "random_state": 0}
    Counts.fits = 0
    for more in ({}, {"store": tmp_path / "s.db"}, {"scoring": ["accuracy", "recall"]}):
        with pytest.raises(DataError, match=r"got 'f1'. To measure it too, pass scoring=\['acc"):
            op.compare(models, X, Y, metric="f1", **asked, **more)
    assert Counts.fits == 0
    found = op.compare(models, X, Y, metric="f1", scoring=["accuracy", "f1"], **asked)
    assert found.metric == "f1"


def test_metrics_may_be_named() -> None:
    twice = make_scorer(fbeta_score, beta=2)
    found = op.run(
        MODELS, X, Y, design="3cv", scoring={"F2": twice, "hits": "accuracy"}, random_state=0
    )
    assert found.metrics == ("F2", "hits")
    assert found.for_metric("hits").items is not None


def test_several_metrics_take_one_fit() -> None:
    Counts.fits = 0
    op.run(Counts(), X, Y, design="3cv", scoring=["accuracy", "roc_auc", "f1"], random_state=0)
    assert Counts.fits == 3


def test_work_shared_across_splits_is_scored_by_every_metric(tmp_path: Path) -> None:
    x, y = X[:60, :4], Y[:60]
    asked: dict[str, Any] = {"design": "2x3cv", "random_state": 0}
    found = op.run(Sharing(), x, y, scoring={"a": "accuracy", "b": "accuracy"}, **asked)
    assert found.values.tolist() == found.for_metric("b").values.tolist()
    op.run(Sharing(), x, y, store=tmp_path / "s.db", **asked)
    kept = for_metric(op.Scores.read(tmp_path / "s.db"), "f1")
    assert kept.values.tolist() == op.run(Sharing(), x, y, scoring="f1", **asked).values.tolist()


def test_a_metric_that_fails_is_told_by_its_name() -> None:
    def never(model: Any, X: Any, y: Any) -> float:
        raise RuntimeError("no such score")

    with pytest.raises(op.errors.RunFailed, match="'bayes' by never: 3 failed") as caught:
        op.run(
            {"bayes": GaussianNB()}, X, Y, design="3cv", scoring=["accuracy", never], random_state=0
        )
    assert {problem.metric for problem in caught.value.failures} == {"never"}


# Nothing is fitted twice.

STEPS: list[dict[str, Any]] = [
    {"design": "2x3cv", "names": ["bayes"], "scoring": ["accuracy"]},
    {"design": "4x3cv", "names": ["bayes"], "scoring": ["accuracy"]},
    {"design": "4x3cv", "names": ["bayes", "tree"], "scoring": ["accuracy"]},
    {"design": "4x3cv", "names": ["bayes", "tree"], "scoring": ["f1", "accuracy"]},
]


@pytest.mark.parametrize("n_jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_an_extended_run_is_a_run_from_scratch(tmp_path: Path, n_jobs: int) -> None:
    store = tmp_path / "s.db"
    for step in STEPS:
        models = {name: MODELS[name] for name in step["names"]}
        asked = {"design": step["design"], "scoring": step["scoring"], "random_state": 0}
        grown = op.run(models, X, Y, store=store, n_jobs=n_jobs, **asked)
        assert grown.digest() == op.run(models, X, Y, **asked).digest()
    assert op.Scores.read(store).digest() == grown.digest()
    assert check(store).ok


@pytest.mark.parametrize(
    ("small", "large"),
    [
        ("3cv", "2x3cv"),
        ("2xresampled@1/3", "3xresampled@1/3"),
        ("2x3cv/stratified", "3x3cv/stratified"),
        ("2x2cv+2halves", "3x2cv+3halves"),
        ("2seeds@1/3", "4seeds@1/3"),
    ],
)
def test_only_missing_fits_are_made(tmp_path: Path, small: str, large: str) -> None:
    Counts.fits, store = 0, tmp_path / "s.db"
    first = op.run(Counts(), X, Y, design=small, random_state=0, store=store)
    assert Counts.fits == first.n_splits
    grown = op.run(Counts(), X, Y, design=large, random_state=0, store=store)
    assert Counts.fits == grown.n_splits
    assert grown.digest() == op.run(Counts(), X, Y, design=large, random_state=0).digest()
    Counts.fits = 0
    assert op.run(Counts(), X, Y, design=small, random_state=0, store=store).digest() == (
        first.digest()
    )
    assert Counts.fits == 0
    assert op.Scores.read(store).n_splits == grown.n_splits
    assert op.Scores.read(store, design=small).digest() == first.digest()


def test_a_metric_is_added_without_a_refit_where_what_was_kept_allows_it(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    asked: dict[str, Any] = {"design": "3cv", "random_state": 0}
    op.run(Counts(), X, Y, store=store, **asked)
    Counts.fits = 0
    found = op.run(Counts(), X, Y, scoring=["accuracy", "f1"], store=store, **asked)
    assert Counts.fits == 0
    assert found.digest() == op.run(Counts(), X, Y, scoring=["accuracy", "f1"], **asked).digest()
    Counts.fits = 0
    found = op.run(Counts(), X, Y, scoring=["roc_auc"], store=store, **asked)
    assert Counts.fits == 3  # probabilities were not kept
    assert found.digest() == op.run(Counts(), X, Y, scoring=["roc_auc"], **asked).digest()
    Counts.fits = 0
    op.run(Counts(), X, Y, scoring=["neg_log_loss"], store=store, **asked)
    assert Counts.fits == 0  # now they are


def test_what_was_not_kept_is_named(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    models = {"bayes": GaussianNB(), "tree": MODELS["tree"]}
    op.run(models, X, Y, design="3cv", random_state=0, store=store, keep="nothing")
    with pytest.raises(DataError, match="does not contain what 'f1' needs for 'bayes'"):
        op.compare(store, metric="f1")
    with pytest.raises(DataError, match="The 'keep' parameter applies only to runs with a store"):
        op.run(models, X, Y, design="3cv", random_state=0, keep="predictions")


def test_what_is_kept_can_be_widened_and_narrowed(tmp_path: Path) -> None:
    kinds = {}
    for number, keep in enumerate((None, "nothing", "predictions", "probabilities", ALL)):
        path = tmp_path / f"{number}.db"
        op.run(MODELS, X, Y, design="2cv", random_state=0, store=path, keep=keep)
        with Store.open(path, mode="read") as store:
            who = store.described()[0][0]
            kinds[number] = sorted(store.kept(who, np.unique(Y)).at((0, 0, 0)))
    assert list(kinds.values()) == [[0], [], [0], [0, 1], [0, 1]]


def test_a_store_knows_the_targets_and_the_notes_of_its_run(tmp_path: Path) -> None:
    rare = np.where(np.arange(len(Y)) < 3, 2, Y)
    models = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=2)}
    store = tmp_path / "s.db"
    ran = op.compare(models, X, rare, design="10cv", random_state=0, store=store)
    read = op.compare(store)
    assert ran.scores is not None
    assert read.scores is not None
    assert {note.text for note in ran.notes} <= {note.text for note in read.notes}
    assert ran.scores.notes == read.scores.notes
    assert read.scores.target is not None
    assert read.scores.target.tolist() == rare.tolist()
