"""One split and many seeds: what is run, which test judges it, and what it is said to apply to."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

import outperform as op
from outperform.designs import address_seed

X, Y = make_classification(90, n_informative=4, random_state=0)
MODELS = {
    "wide": DecisionTreeClassifier(max_features=8),
    "narrow": DecisionTreeClassifier(max_features=1),
}


class Recorder(ClassifierMixin, BaseEstimator):
    """Keeps nothing but the seed it is given, which is what it predicts: even or odd."""

    def __init__(self, random_state: int | None = None) -> None:
        self.random_state = random_state

    def fit(self, X: np.ndarray, y: np.ndarray) -> Recorder:
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        assert self.random_state is not None
        return np.full(len(X), self.random_state % 2)


def test_every_seed_meets_the_same_split_and_all_models_the_same_seed() -> None:
    models = {"a": Recorder(), "b": Recorder()}
    scores = op.run(models, X, Y, design="6seeds@1/3", random_state=3)
    (split,) = op.parse("holdout@1/3").split(90, random_state=3)
    ones = Y[split.test].mean()
    odd = [address_seed(3, 0, seed, 0) % 2 for seed in range(6)]
    assert scores.values.tolist() == [[ones if o else 1 - ones for o in odd]] * 2
    assert set(odd) == {0, 1}


def test_paired_t_judges_the_scores_of_seeds_not_the_items() -> None:
    found = op.compare(MODELS, X, Y, design="12seeds@1/3", random_state=0)
    first, second = found.scores.values
    want = stats.ttest_rel(first, second)
    assert found.method.name == "paired_t"
    assert found.n == 12
    result = found["wide", "narrow"]
    assert result.pvalue == pytest.approx(want.pvalue, rel=1e-12)
    assert [*result.interval()] == pytest.approx([*want.confidence_interval()], rel=1e-12)
    alone = op.methods.paired_t(found.scores, "wide", "narrow")
    assert alone.pvalue == result.pvalue
    assert alone.metric == found.metric == "accuracy"


def test_the_verdict_says_that_it_applies_to_this_split_only() -> None:
    found = op.compare(MODELS, X, Y, design="5seeds@1/3", random_state=0)
    codes = [note.code for note in found.notes]
    assert "OP407" in codes
    assert "OP401" not in codes
    assert "trained on one training set of about 60 examples, over their random seeds" in " ".join(
        str(found).split()
    )
    of_a_table = op.compare({"a": [0.8, 0.82, 0.85], "b": [0.7, 0.75, 0.72]}, design="3seeds")
    assert "trained on one training set, over their random seeds" in " ".join(
        str(of_a_table).split()
    )
    assert "OP407" in [note.code for note in of_a_table["a", "b"].notes]


def test_more_seeds_begin_like_fewer() -> None:
    few, many = (
        op.run(MODELS, X, Y, design=design, random_state=1).values
        for design in ("3seeds@1/4", "5seeds@1/4")
    )
    assert (many[:, :3] == few).all()


def test_seeds_survive_a_store_and_several_workers(tmp_path: Path) -> None:
    how = {"design": "4seeds@1/3/stratified", "random_state": 2}
    alone = op.run(MODELS, X, Y, **how)
    stored = op.run(MODELS, X, Y, **how, store=tmp_path / "s.db", n_jobs=2)
    read = op.Scores.read(tmp_path / "s.db")
    assert alone.digest() == stored.digest() == read.digest()
    assert str(read.design) == "4seeds@1/3/stratified"
