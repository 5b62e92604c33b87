"""The learners answer as Weka's do on the datasets scikit-learn ships, from kept predictions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reproduction.learners import C45, NaiveBayes, NearestNeighbor
from weka_oracle import KEPT, golden_splits, shipped_tables

MODELS = {"j48": C45(), "naive_bayes": NaiveBayes(), "ib1": NearestNeighbor(normalize="widening")}


def kept(name: str) -> dict[str, Any]:
    path = Path(__file__).with_name("golden") / f"weka_{name}.json"
    datasets: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["datasets"]
    return datasets


@pytest.mark.slow
@pytest.mark.requirement("R-15", "D-41")
@pytest.mark.parametrize("dataset", ["iris", "wine", "breast_cancer", "digits"])
@pytest.mark.parametrize("name", sorted(KEPT))
def test_predictions_are_wekas(name: str, dataset: str) -> None:
    table = shipped_tables()[dataset]
    splits = golden_splits(kept(name)[dataset])
    pairs = [(train, test) for train, test, _ in splits]
    ours = MODELS[name].fit_predict_splits(table.X, table.y, pairs)
    for (_, _, theirs), said in zip(splits, ours, strict=True):
        np.testing.assert_array_equal(said, theirs)


@pytest.mark.parametrize("name", sorted(KEPT))
def test_the_kept_predictions_are_worth_comparing(name: str) -> None:
    for dataset, table in shipped_tables().items():
        for train, test, theirs in golden_splits(kept(name)[dataset]):
            assert len(train) + len(test) == len(table.y)
            right = np.mean(theirs == table.y[test])
            assert 0.75 < right < 1
