"""Where datasets come from: a folder, the definition of the MONK's problems, or OpenML.

A folder holds NAME.csv.gz, types and levels in schema.json, and notes in index.json.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import zlib
from hashlib import md5
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import DataError
from .datasets import VARIABLE, PaperDataset, checked, entry

__all__ = ["fetch", "generate", "load", "read"]

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
DROPPED = {"zoo": ("animal",)}
"""Columns that name the item."""
GLASS2 = {
    "build wind float": "float",
    "vehic wind float": "float",
    "build wind non-float": "non-float",
}
"""Holte's glass2: window glass alone, float or not."""


def load(name: str, *, folder: str | Path | None = None) -> PaperDataset:
    """Load one of the papers' datasets, checked to be as large as theirs.

    It comes from `folder` (or the folder that OUTPERFORM_DATA names) if one is given, else from its
    definition (the MONK's problems), else from OpenML, whose cache is scikit-learn's.
    """
    size = entry(name)
    given = folder if folder is not None else os.environ.get(VARIABLE)
    if given:
        return checked(read(name, Path(given)), size)
    if name.startswith("monk"):
        return checked(generate(name), size)
    if size.openml is None:
        raise DataError(
            f"dataset {name!r} is not at OpenML as the papers have it. Point {VARIABLE} to a "
            f"folder that holds {name}.csv.gz and schema.json: export {VARIABLE}=/path/to/datasets"
        )
    return checked(fetch(name, size.openml), size)


def read(name: str, folder: Path) -> PaperDataset:
    """Read one dataset; an empty field is a missing value."""
    import polars as pl

    schema = _json(folder / "schema.json").get(name)
    path = folder / f"{name}.csv.gz"
    if schema is None or not path.is_file():
        raise DataError(
            f"{str(folder)!r} has no dataset {name!r}. Put {name}.csv.gz and its entry in "
            f"schema.json there, or fetch it from OpenML: unset {VARIABLE}"
        )
    try:
        body = gzip.decompress(path.read_bytes())
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{str(path)!r} cannot be read: {error}. Copy it there anew") from None
    index = {row["name"]: row for row in _json(folder / "index.json", [])}.get(name, {})
    wanted = index.get("csv_md5")
    if wanted not in (None, md5(body, usedforsecurity=False).hexdigest()):
        raise DataError(
            f"{str(path)!r} is not the file that index.json describes: its md5 differs. Copy it "
            "there anew"
        )
    try:
        return _dataset(name, schema, pl.read_csv(body, infer_schema=False), index, folder)
    except (pl.exceptions.PolarsError, KeyError, ValueError) as error:
        raise DataError(
            f"{str(path)!r} does not fit schema.json: {error}. Copy both there anew"
        ) from None


def _dataset(name: str, schema: Any, table: Any, index: Any, folder: Path) -> PaperDataset:
    import polars as pl

    columns: dict[str, Any] = {column["name"]: column for column in schema["columns"]}
    target = columns[schema["target"]]
    kept = [c for c in columns if c != target["name"] and c not in schema["ignore"]]
    X = table.select(_typed(pl.col(column), columns[column]) for column in kept)
    numeric = target["type"] == "numeric"
    y = table[target["name"]]
    return PaperDataset(
        name,
        X,
        y.cast(pl.Float64).to_numpy() if numeric else np.array(y.to_list(), dtype=str),
        () if numeric else tuple(target["levels"]),
        target["name"],
        str(folder),
        ". ".join(filter(None, (index.get("source"), index.get("licence"), index.get("note")))),
    )


def _typed(column: Any, about: dict[str, Any]) -> Any:
    import polars as pl

    return column.cast(pl.Enum(about["levels"]) if about["type"] == "nominal" else pl.Float64)


def _json(path: Path, otherwise: Any = None) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        if otherwise is not None:
            return otherwise
        raise DataError(
            f"{str(path)!r} is not there; a folder of datasets holds schema.json. Point {VARIABLE} "
            f"to one, or fetch from OpenML: unset {VARIABLE}"
        ) from None
    except ValueError as error:
        raise DataError(f"{str(path)!r} is not JSON: {error}. Copy it there anew") from None


def generate(name: str) -> PaperDataset:
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
    return PaperDataset(name, X, y, ("0", "1"), "class", "its definition", RULES[name])


def fetch(name: str, number: int) -> PaperDataset:
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
        columns[column] = _series(values.astype(np.float64), found.categories.get(original))
    y, levels = np.asarray(found.target), found.categories.get(found.target_names[0])
    X = pl.DataFrame(columns)
    if name == "glass2":
        rows = np.isin(y, list(GLASS2))
        X, y = X.filter(pl.Series(rows)), np.array([GLASS2[label] for label in y[rows]])
        levels = ["float", "non-float"]
    classes = () if levels is None else tuple(map(str, levels))
    labels = y.astype(np.float64) if levels is None else np.array([str(label) for label in y])
    target = "target" if levels is None else "class"
    return PaperDataset(
        name, X, labels, classes, target, f"OpenML number {number}", str(found.get("DESCR", ""))
    )


def _series(values: Any, levels: Any) -> Any:
    import polars as pl

    if levels is None:
        return pl.Series(values, dtype=pl.Float64).fill_nan(None)
    words = [None if code != code else str(levels[int(code)]) for code in values]
    return pl.Series(words, dtype=pl.Enum([str(level) for level in levels]))
