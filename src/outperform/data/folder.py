"""A folder of datasets: NAME.csv.gz, types and levels in schema.json, notes in index.json."""

from __future__ import annotations

import gzip
import json
import zlib
from hashlib import md5
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import DataError
from .datasets import VARIABLE, Dataset

__all__ = ["read"]


def read(name: str, folder: Path) -> Dataset:
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


def _dataset(name: str, schema: Any, table: Any, index: Any, folder: Path) -> Dataset:
    import polars as pl

    columns: dict[str, Any] = {column["name"]: column for column in schema["columns"]}
    target = columns[schema["target"]]
    kept = [c for c in columns if c != target["name"] and c not in schema["ignore"]]
    X = table.select(_typed(pl.col(column), columns[column]) for column in kept)
    numeric = target["type"] == "numeric"
    y = table[target["name"]]
    return Dataset(
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
