"""What learners get from a table with columns of text, by the way they are named."""

from __future__ import annotations

import sys
from inspect import getsource
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import polars as pl
import pytest
from launching import launch
from models_for_tests import Sharing
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import outperform as op
from outperform.cli import _experiments
from outperform.cli._experiments import from_table

GENERATOR = np.random.default_rng(5)
N = 80
Y = GENERATOR.integers(0, 2, N)
CITIES = np.array(["Ulm", "Bern", "Åbo", ""])[(GENERATOR.integers(0, 3, N) + 2 * Y) % 4]
SIZE = GENERATOR.normal(size=N) + Y
AGE = GENERATOR.integers(20, 80, N)


class Particular(ClassifierMixin, BaseEstimator):
    """Reads pandas alone, and text only as categories that do not change."""

    seen: list[Any] = []  # noqa: RUF012  # filled by all instances

    def fit(self, X: Any, y: Any) -> Any:
        self.levels_ = self._levels(X)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        assert self._levels(X) == self.levels_
        return np.full(len(X), self.classes_[0])

    def _levels(self, X: Any) -> Any:
        assert type(X).__module__.startswith("pandas"), type(X)
        assert [str(kind) for kind in X.dtypes] == ["float64", "category", "float64"]
        assert not X["city"].cat.ordered
        assert X["size"].isna().sum() <= 1
        self.seen.append(X["city"].astype(str).tolist())
        return list(X["city"].cat.categories)


def pipeline(learner: Any, encoder: Any) -> Any:
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    parts = [("numbers", numbers, ["size", "age"]), ("words", encoder, ["city"])]
    return make_pipeline(ColumnTransformer(parts), learner)


MODELS = {
    "particular": Particular(),
    "onehot": pipeline(LogisticRegression(), OneHotEncoder(handle_unknown="ignore")),
    "ordinal": pipeline(
        DecisionTreeClassifier(),
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
    ),
    "boosted": HistGradientBoostingClassifier(max_iter=5),
    "sharing": Sharing(),
}


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A table of numbers and text, one number and some words missing; and a module of learners."""
    frame = pl.DataFrame({"size": SIZE, "city": CITIES, "age": AGE, "sick": Y})
    frame = frame.with_columns(pl.when(pl.int_range(N) != 3).then("size").alias("size"))
    frame.write_csv(tmp_path / "items.csv")
    module = ModuleType("learners_of_mine")
    vars(module).update({name: clone(learner) for name, learner in MODELS.items()})
    monkeypatch.setitem(sys.modules, "learners_of_mine", module)
    return str(tmp_path / "items.csv")


def scores(asked: Any, learners: Any = None) -> op.Scores:
    return op.run(learners or asked.learners, asked.X, asked.y, design="2x4cv", random_state=1)


def test_models_by_module_get_pandas_with_categories_and_missing_words_as_empty_ones(
    path: str,
) -> None:
    Particular.seen.clear()
    scores(from_table(path, "sick", ["learners_of_mine:particular"]))
    assert Particular.seen
    assert {word for words in Particular.seen for word in words} == set(CITIES.tolist())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["onehot", "ordinal"])
def test_pipelines_that_read_the_table_before_have_the_same_bits(path: str, name: str) -> None:
    asked = from_table(path, "sick", [f"learners_of_mine:{name}"])
    assert isinstance(asked.X, pl.DataFrame), "the data of a store stay what they were"
    assert scores(asked).digest() == scores(asked, {name: MODELS[name]}).digest()


def test_models_that_read_categories_by_themselves_can(path: str) -> None:
    asked = from_table(path, "sick", ["learners_of_mine:boosted"])
    by_hand = asked.X.to_pandas().astype({"city": "category"})
    boosted = {"boosted": MODELS["boosted"]}
    expected = op.run(boosted, by_hand, asked.y, design="2x4cv", random_state=1)
    assert scores(asked).digest() == expected.digest()


def test_short_names_and_models_that_share_work_get_what_they_got(path: str) -> None:
    asked = from_table(path, "sick", ["tree", "learners_of_mine:sharing"])
    assert isinstance(asked.learners["sharing"], Sharing)
    assert asked.learners["tree"].steps[0][0] == "columntransformer"
    assert not any("Passed to" in line for line in asked.inferred)


def test_numbers_alone_are_an_array_for_every_model(tmp_path: Path, path: str) -> None:
    pl.DataFrame({"size": SIZE, "age": AGE, "sick": Y}).write_csv(tmp_path / "numbers.csv")
    asked = from_table(str(tmp_path / "numbers.csv"), "sick", ["learners_of_mine:boosted"])
    assert isinstance(asked.X, np.ndarray)
    assert isinstance(asked.learners["boosted"], HistGradientBoostingClassifier)


def test_without_pandas_models_get_polars_and_that_is_said(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = from_table(path, "sick", ["learners_of_mine:onehot"]).inferred
    assert any("'onehot'" in line and "pandas DataFrame" in line for line in said)
    monkeypatch.setattr(_experiments, "find_spec", lambda name: None)
    asked = from_table(path, "sick", ["learners_of_mine:onehot", "tree"])
    (line,) = [line for line in asked.inferred if "pip install pandas" in line]
    assert "'onehot'" in line
    assert "'tree'" not in line
    assert (scores(asked).values[0] == scores(asked, {"onehot": MODELS["onehot"]}).values).all()


@pytest.mark.slow
def test_the_program_fits_them_in_workers(path: str, tmp_path: Path) -> None:
    imported = "from typing import Any\nimport numpy as np\nfrom sklearn.base import *\n"
    (tmp_path / "mine.py").write_text(imported + getsource(Particular))
    named = ["--learner", "mine:Particular", "--learner", "tree", "--design", "4cv", "--seed", "1"]
    runs = [launch(tmp_path, "run", path, "--target", "sick", *named, "--jobs", n) for n in "12"]
    assert runs[0].returncode == 0, runs[0].stderr
    assert runs[0].stdout == runs[1].stdout


@pytest.mark.slow
def test_lightgbm_reads_columns_of_text(path: str) -> None:
    found = scores(from_table(path, "sick", ["lgbm=lightgbm:LGBMClassifier"]))
    assert found.values.mean() > 0.6
