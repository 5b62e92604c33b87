"""Gradient boosting libraries as learners: threads, categories, early stopping, weights."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import outperform as op

GENERATOR = np.random.default_rng(9)
N = 120
Y = GENERATOR.integers(0, 2, N)
NUMBERS = GENERATOR.normal(size=(N, 3)) + Y[:, None]
CITIES = np.array(["Łódź", "New York", "北京"])[(Y + GENERATOR.integers(0, 2, N)) % 3]
FRAME = pd.DataFrame(
    {"size [cm]": NUMBERS[:, 0], "city": pd.Categorical(CITIES), "age": NUMBERS[:, 1]}
)


def lightgbm(**options: Any) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_estimators=8, min_child_samples=5, verbose=-1, **options)


def xgboost(**options: Any) -> Any:
    from xgboost import XGBClassifier

    return XGBClassifier(n_estimators=8, max_depth=2, **options)


def catboost(**options: Any) -> Any:
    from catboost import CatBoostClassifier

    options = {"thread_count": options.pop("n_jobs"), **options} if "n_jobs" in options else options
    return CatBoostClassifier(
        iterations=8, depth=2, verbose=False, allow_writing_files=False, **options
    )


BOOSTERS = [
    pytest.param(lightgbm, id="lightgbm"),
    pytest.param(xgboost, id="xgboost", marks=pytest.mark.needs("xgboost")),
    pytest.param(catboost, id="catboost", marks=pytest.mark.needs("catboost")),
]


class EarlyStopped(ClassifierMixin, BaseEstimator):
    """LightGBM that stops by a part of its own training rows, as people write it."""

    def __init__(self, random_state: int | None = None) -> None:
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> EarlyStopped:
        from lightgbm import LGBMClassifier, early_stopping

        fit, stop, y_fit, y_stop = train_test_split(X, y, random_state=self.random_state)
        self.model_ = LGBMClassifier(
            n_estimators=200, min_child_samples=5, verbose=-1, random_state=self.random_state
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # newer versions call eval_set otherwise
            self.model_.fit(
                *(fit, y_fit),
                eval_set=[(stop, y_stop)],
                callbacks=[early_stopping(3, verbose=False)],
            )
        assert self.model_.best_iteration_ < 200
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X: Any) -> Any:
        return self.model_.predict(X)


def run(learners: Any, rows: Any = NUMBERS, **options: Any) -> op.Scores:
    return op.run(learners, rows, Y, design="4cv", random_state=3, **options)


@pytest.mark.slow
@pytest.mark.parametrize("booster", BOOSTERS)
def test_threads_and_workers_change_no_bit(booster: Any) -> None:
    learners = {"one": booster(n_jobs=1), "two": booster(n_jobs=2), "line": LogisticRegression()}
    found = run(learners)
    assert found.digest() == run(learners, n_jobs=2).digest()
    assert found.values[0].tolist() == found.values[1].tolist()
    assert found.values[:2].mean() > 0.7


@pytest.mark.slow
@pytest.mark.parametrize("booster", BOOSTERS)
def test_weights_reach_it_and_a_clone_is_fitted(booster: Any) -> None:
    mine = booster()
    plain = run({"boosted": mine})
    weighted = run({"boosted": mine}, params={"sample_weight": np.where(Y == 1, 100.0, 0.01)})
    assert weighted.values.mean() < plain.values.mean()
    with pytest.raises(Exception, match="fit"):
        mine.predict(NUMBERS)


def test_lightgbm_gets_the_frame_with_its_categories_and_names() -> None:
    def checked(rows: Any) -> Any:
        assert list(rows.columns) == list(FRAME.columns)
        assert rows["city"].cat.categories.tolist() == sorted(set(CITIES))
        return rows.rename(columns={"size [cm]": "size"})  # LightGBM refuses brackets

    found = run({"frame": make_pipeline(FunctionTransformer(checked), lightgbm())}, FRAME)
    numbers = FRAME.assign(city=FRAME["city"].cat.codes).rename(columns={"size [cm]": "size"})
    assert found.values.mean() > 0.7
    assert found.values.shape == run({"numbers": lightgbm()}, numbers).values.shape


@pytest.mark.slow
def test_early_stopping_inside_a_pipeline_sees_training_rows_only() -> None:
    pipeline = make_pipeline(FunctionTransformer(np.asarray), EarlyStopped())
    found = run({"stopped": pipeline, "plain": lightgbm()})
    assert found.digest() == run({"stopped": pipeline, "plain": lightgbm()}, n_jobs=2).digest()
    assert found.values[0].mean() > 0.65


@pytest.mark.needs("catboost")
def test_catboost_reads_its_categories() -> None:
    found = run({"cat": catboost(cat_features=["city"])}, FRAME)
    assert found.values.mean() > 0.7


@pytest.mark.needs("xgboost")
def test_xgboost_reads_categories_of_pandas() -> None:
    rows = FRAME.rename(columns={"size [cm]": "size"})
    found = run({"xgb": xgboost(enable_categorical=True)}, rows)
    assert found.values.mean() > 0.7
