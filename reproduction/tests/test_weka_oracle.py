"""C4.5 beside Weka's J48 itself, on the 27 datasets of Bouckaert & Frank: `make oracle`.

Where they differ, the training half lacks a class that the dataset declares: Weka counts it when
it asks how many items a numeric branch needs, a scikit-learn classifier has never heard of it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reproduction.learners import C45
from reproduction.learners.c45_kernels import compiled_tree
from reproduction.learners.c45_tree import Training, choose
from weka_oracle import J48, Table, halves, load_table, weka_splits

pytestmark = [pytest.mark.needs("weka", "datasets"), pytest.mark.slow]

SPLITS = 10


def folder() -> Path:
    return Path(os.environ["OUTPERFORM_DATA"])


def names() -> list[str]:
    index = json.loads((folder() / "index.json").read_text(encoding="utf-8"))
    return [one["name"] for one in index if any("Bouckaert" in paper for paper in one["papers"])]


def frame_of(table: Table) -> Any:
    """Return a frame whose nominal columns declare their domains."""
    import polars as pl

    columns = {}
    for number, (nominal, size) in enumerate(zip(table.nominal, table.n_values, strict=True)):
        values = table.X[:, number]
        if nominal:
            levels = [f"v{code:04}" for code in range(size)]
            said = [None if np.isnan(code) else levels[int(code)] for code in values]
            columns[f"a{number}"] = pl.Series(said, dtype=pl.Enum(levels))
        else:
            columns[f"a{number}"] = pl.Series(values)
    return pl.DataFrame(columns)


@pytest.mark.requirement("R-15")
@pytest.mark.parametrize(
    ("options", "settings"),
    [
        ("", {}),
        ("-S", {"subtree_raising": False}),
        ("-U", {"pruning": None}),
        ("-C 0.1 -M 5", {"confidence": 0.1, "min_items": 5}),
    ],
)
def test_predictions_agree_with_j48(options: str, settings: dict[str, Any]) -> None:
    agreement = {}
    for name in names():
        table = load_table(folder(), name)
        splits = halves(len(table.y), count=SPLITS, seed=1)
        theirs = weka_splits(J48, options, table, splits)
        ours = C45(**settings).fit_predict_splits(frame_of(table), table.y, splits)
        same = [np.mean(one == other) for one, other in zip(ours, theirs, strict=True)]
        agreement[name] = float(np.mean(same))
    print({name: share for name, share in agreement.items() if share < 1})
    assert len(agreement) == 27
    assert np.mean(list(agreement.values())) >= 0.99
    assert min(agreement.values()) >= 0.97


@pytest.mark.requirement("R-15")
def test_told_the_declared_classes_every_prediction_is_j48s() -> None:
    for name in names():
        table = load_table(folder(), name)
        splits = halves(len(table.y), count=SPLITS, seed=2)
        for (train, test), said in zip(splits, weka_splits(J48, "", table, splits), strict=True):
            part = Training(
                table.X[train], table.y[train], table.nominal, table.n_values, table.n_classes
            )
            scores = compiled_tree(part).scores(table.X[test], table.nominal)
            assert np.mean(choose(scores) == said) >= 0.995, name
