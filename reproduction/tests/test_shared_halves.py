"""Learners that share work across splits give the same bits on halves of the data as refits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import outperform as op
from reproduction.learners import C45, NaiveBayes, NearestNeighbor

RNG = np.random.default_rng(18)
N = 81  # odd: every halving leaves an item out
GROUPS = np.repeat(np.arange(27), 3)
Y = RNG.permutation(np.arange(N) % 2)
X = RNG.normal(size=(N, 4)) + Y[:, None] / 2
MODELS = {
    "naive Bayes": NaiveBayes(),
    "gaussian": NaiveBayes(variant="gaussian"),
    "neighbour": NearestNeighbor(),
    "scaled neighbour": NearestNeighbor(normalize=True),
    "tree": C45(),
}
DESIGNS = [
    "5x5cv+20halves",
    "5x5cv+20halves/stratified",
    "5x5cv+20halves/grouped",
    "5x5cv+20halves/stratified/grouped",
]
SPLITS = 25 + 200


@pytest.mark.slow
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("name", MODELS)
def test_shared_splits_are_refits_bit_by_bit(
    name: str, design: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = MODELS[name]
    kind: Any = type(model)
    shared, fits = [], []
    together, alone = kind.fit_predict_splits, kind.fit

    def counted(self: Any, X: Any, y: Any, splits: Any) -> Any:
        shared.append(len(splits))
        return together(self, X, y, splits)

    def fitted(self: Any, X: Any, y: Any, *more: Any) -> Any:
        fits.append(len(y))
        return alone(self, X, y, *more)

    monkeypatch.setattr(kind, "fit_predict_splits", counted)
    monkeypatch.setattr(kind, "fit", fitted)
    how: dict[str, Any] = {"design": design, "random_state": 4}
    how |= {"groups": GROUPS} if "grouped" in design else {}
    at_once = op.run({"a": model}, X, Y, **how)
    assert sum(shared) + len(fits) == SPLITS
    assert sum(shared) > len(fits) > 0, "all but the first, which is timed, unless that was slow"
    shared.clear()
    fits.clear()
    one_by_one = op.run({"a": model}, X, Y, **how, time_limit=600.0)
    assert (sum(shared), len(fits)) == (0, SPLITS)
    assert at_once.values.tobytes() == one_by_one.values.tobytes()
    assert at_once.items.values.tobytes() == one_by_one.items.values.tobytes()
    assert (at_once.items.split == one_by_one.items.split).all()
    assert (at_once.n_train == one_by_one.n_train).all()
    assert at_once.values.std() > 0
