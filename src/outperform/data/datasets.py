"""Datasets: one loader, whatever holds them, and a check that they are the papers' data."""

from __future__ import annotations

import os
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import DataError
from .catalogue import CatalogueEntry, entry

if TYPE_CHECKING:
    import polars as pl

__all__ = ["PaperDataset", "load"]

VARIABLE = "OUTPERFORM_DATA"


@dataclass(frozen=True, eq=False, slots=True)
class PaperDataset:
    """Items, their target, and where they come from."""

    name: str
    X: pl.DataFrame
    """Numbers as Float64, nominal columns as Enum in declared order, null for missing."""
    y: npt.NDArray[Any]
    """Labels as text, or numbers where the target is one."""
    classes: tuple[str, ...]
    """The classes in declared order, those that do not occur too; none for a numeric target."""
    target: str
    source: str
    """Where the data were read."""
    description: str = ""

    @property
    def nominal(self) -> npt.NDArray[np.bool_]:
        """Which columns are nominal."""
        import polars as pl

        return np.array([dtype == pl.Enum for dtype in self.X.dtypes])

    @property
    def fingerprint(self) -> str:
        """A sha256 (hex) over names, types and contents, whatever holds them."""
        mixer = sha256()
        for series in self.X.iter_columns():
            mixer.update(repr((series.name, _levels(series))).encode())
            mixer.update(_bytes_of(series))
        mixer.update(repr((self.target, self.classes, self.y.tolist())).encode())
        return mixer.hexdigest()

    def __repr__(self) -> str:
        kinds = self.nominal
        aim = f"{len(set(self.y.tolist()))} classes" if self.classes else "a numeric target"
        return (
            f"Dataset({self.name!r}: {len(self.y)} rows, {int((~kinds).sum())} numeric and "
            f"{int(kinds.sum())} nominal columns, {aim}; from {self.source})"
        )


def load(name: str, *, folder: str | Path | None = None) -> PaperDataset:
    """Load one of the papers' datasets, checked to be as large as theirs.

    It comes from `folder` (or the folder that OUTPERFORM_DATA names) if one is given, else from its
    definition (the MONK's problems), else from OpenML, whose cache is scikit-learn's.
    """
    size = entry(name)
    given = folder if folder is not None else os.environ.get(VARIABLE)
    if given:
        from .origins import read

        return checked(read(name, Path(given)), size)
    if name.startswith("monk"):
        from .origins import generate

        return checked(generate(name), size)
    from .origins import fetch

    if size.openml is None:
        raise DataError(
            f"dataset {name!r} is not at OpenML as the papers have it. Point {VARIABLE} to a "
            f"folder that holds {name}.csv.gz and schema.json: export {VARIABLE}=/path/to/datasets"
        )
    return checked(fetch(name, size.openml), size)


def checked(dataset: PaperDataset, size: CatalogueEntry) -> PaperDataset:
    """Return the dataset if it has the size of the paper's."""
    kinds = dataset.nominal
    missing = sum(dataset.X.null_count().row(0))
    classes = len(set(dataset.y.tolist())) if dataset.classes else 0
    found = (len(dataset.y), int((~kinds).sum()), int(kinds.sum()), classes, missing)
    if found != size[:5]:
        words = ("rows", "numeric columns", "nominal columns", "classes", "missing values")
        wrong = [
            f"{there} {word} instead of {wanted}"
            for word, there, wanted in zip(words, found, size[:5], strict=True)
            if there != wanted
        ]
        raise DataError(
            f"{dataset.source} holds another {dataset.name!r} than the papers: {', '.join(wrong)}. "
            f"Point {VARIABLE} to a folder that holds theirs: export {VARIABLE}=/path/to/datasets"
        )
    return dataset


def _levels(series: pl.Series) -> list[str] | None:
    import polars as pl

    return series.dtype.categories.to_list() if isinstance(series.dtype, pl.Enum) else None


def _bytes_of(series: pl.Series) -> bytes:
    import polars as pl

    numbers = series.to_physical() if isinstance(series.dtype, pl.Enum) else series
    values = numbers.cast(pl.Float64).to_numpy()
    return np.where(np.isnan(values), np.nan, values + 0.0).tobytes()
