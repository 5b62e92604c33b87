"""OpenML's copies of the datasets, through scikit-learn and its cache."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ..errors import DataError
from .datasets import VARIABLE, Dataset

__all__ = ["fetch"]

DROPPED = {"zoo": ("animal",)}
"""Columns that name the item."""
GLASS2 = {
    "build wind float": "float",
    "vehic wind float": "float",
    "build wind non-float": "non-float",
}
"""Holte's glass2: window glass alone, float or not."""


def fetch(name: str, number: int) -> Dataset:
    """Fetch one dataset by its number; the second time it comes from the cache."""
    import polars as pl
    from sklearn.datasets import fetch_openml

    try:
        # Without a frame, scikit-learn's own reader is used: it keeps the declared levels.
        found = fetch_openml(data_id=number, as_frame=False, parser="liac-arff", cache=True)
    except OSError as error:  # no network, no such host, HTTP errors, a full disk
        raise DataError(
            f"dataset {name!r} is not here: {VARIABLE} is not set, and OpenML number {number} "
            f"cannot be fetched ({type(error).__name__}: {error}). Connect and load it again, or "
            f"point to a folder of datasets: export {VARIABLE}=/path/to/datasets"
        ) from None
    columns: dict[str, Any] = {}
    for original, values in zip(found.feature_names, np.asarray(found.data).T, strict=True):
        if original.lower() in DROPPED.get(name, ()):
            continue
        column = re.sub(r"[^0-9a-z]+", "_", original.lower()).strip("_")
        columns[column] = _typed(values.astype(np.float64), found.categories.get(original))
    y, levels = np.asarray(found.target), found.categories.get(found.target_names[0])
    X = pl.DataFrame(columns)
    if name == "glass2":
        rows = np.isin(y, list(GLASS2))
        X, y = X.filter(pl.Series(rows)), np.array([GLASS2[label] for label in y[rows]])
        levels = ["float", "non-float"]
    classes = () if levels is None else tuple(map(str, levels))
    labels = y.astype(np.float64) if levels is None else np.array([str(label) for label in y])
    target = "target" if levels is None else "class"
    return Dataset(
        name, X, labels, classes, target, f"OpenML number {number}", str(found.get("DESCR", ""))
    )


def _typed(values: Any, levels: Any) -> Any:
    import polars as pl

    if levels is None:
        return pl.Series(values, dtype=pl.Float64).fill_nan(None)
    words = [None if code != code else str(levels[int(code)]) for code in values]
    return pl.Series(words, dtype=pl.Enum([str(level) for level in levels]))
