"""A splitter's own splits: scores are those of scikit-learn's cross_validate, bit by bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import model_selection as sk
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import outperform as op

X, Y = (part[:240] for part in load_breast_cancer(return_X_y=True))
GROUPS = np.random.default_rng(3).integers(0, 12, 240)
PAIRS = [(train[::-1], test[::-1]) for train, test in sk.KFold(4).split(X)]
SPLITTERS: dict[str, tuple[Any, str]] = {
    "k-fold": (sk.KFold(5), "5cv/given"),
    "shuffled": (sk.KFold(4, shuffle=True, random_state=7), "4cv/given"),
    "stratified": (sk.StratifiedKFold(5, shuffle=True, random_state=1), "5cv/given"),
    "repeated": (
        sk.RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=2),
        "2x3cv/given",
    ),
    "drawn": (sk.ShuffleSplit(6, test_size=0.2, random_state=3), "6xresampled@48/train192/given"),
    "drawn by class": (
        sk.StratifiedShuffleSplit(6, test_size=60, train_size=90, random_state=4),
        "6xresampled@60/train90/given",
    ),
    "grouped": (sk.GroupKFold(4), "4cv/given"),
    "one group out": (sk.LeaveOneGroupOut(), "12cv/given"),
    "predefined": (sk.PredefinedSplit(np.arange(240) % 3), "3cv/given"),
    "pairs": (PAIRS, "4cv/given"),
}
MODELS = {
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
    "tree": DecisionTreeClassifier(random_state=0),
    "neighbours": KNeighborsClassifier(3),
    "forest": RandomForestClassifier(5, random_state=0),
}


def theirs(splitter: Any, scoring: str, x: Any = X, groups: Any = None) -> list[list[float]]:
    made = (
        sk.cross_validate(model, x, Y, cv=splitter, scoring=scoring, groups=groups)
        for model in MODELS.values()
    )
    return [found["test_score"].tolist() for found in made]


@pytest.mark.slow
@pytest.mark.parametrize("scoring", ["accuracy", "roc_auc"])
@pytest.mark.parametrize("name", SPLITTERS)
def test_scores_are_those_of_cross_validate_to_the_last_bit(name: str, scoring: str) -> None:
    splitter, text = SPLITTERS[name]
    groups = GROUPS if "group" in name else None
    ours = op.run(
        MODELS, X, Y, design=splitter, scoring=scoring, groups=groups, random_state=0, n_jobs=1
    )
    assert ours.values.tolist() == theirs(splitter, scoring, groups=groups)
    assert str(ours.design) == text


@pytest.mark.slow
def test_so_they_are_with_a_frame_and_two_workers() -> None:
    frame, splitter = pd.DataFrame(X), SPLITTERS["drawn"][0]
    ours = op.run(MODELS, frame, Y, design=splitter, random_state=0, n_jobs=2)
    assert ours.values.tolist() == theirs(splitter, "accuracy", frame)
