"""The MONK's problems, made from their definitions."""

from __future__ import annotations

from itertools import product

import numpy as np

from .datasets import Dataset

__all__ = ["generate"]

COLUMNS = {
    "head_shape": 3,
    "body_shape": 3,
    "is_smiling": 2,
    "holding": 3,
    "jacket_color": 4,
    "has_tie": 2,
}
RULES = {
    "monk1": "a1 = a2, or a5 = 1",
    "monk2": "exactly two of a1 … a6 are 1",
    "monk3": "a5 = 3 and a4 = 1, or a5 ≠ 4 and a2 ≠ 3",
}


def generate(name: str) -> Dataset:
    """Return all 432 items of one problem, the last attribute running fastest."""
    import polars as pl

    items = np.array(list(product(*(range(1, n + 1) for n in COLUMNS.values()))))
    a1, a2, _, a4, a5, _ = items.T
    hit = {
        "monk1": (a1 == a2) | (a5 == 1),
        "monk2": (items == 1).sum(axis=1) == 2,
        "monk3": ((a5 == 3) & (a4 == 1)) | ((a5 != 4) & (a2 != 3)),
    }[name]
    columns = zip(COLUMNS.items(), items.T, strict=True)
    X = pl.DataFrame(
        {
            column: pl.Series(values.astype(str), dtype=pl.Enum([str(i + 1) for i in range(n)]))
            for (column, n), values in columns
        }
    )
    y = np.where(hit, "1", "0")
    return Dataset(name, X, y, ("0", "1"), "class", "its definition", RULES[name])
