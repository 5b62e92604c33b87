"""Datasets: one loader, whatever holds them, and a check that they are the papers' data."""

from __future__ import annotations

import gzip
import json
import os
import re
import zlib
from dataclasses import dataclass
from hashlib import md5, sha256
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from outperform.errors import DataError, did_you_mean

if TYPE_CHECKING:
    import polars as pl


class CatalogueEntry(NamedTuple):
    """The size of a dataset, which a copy must have to be that dataset."""

    rows: int
    numeric: int
    nominal: int
    classes: int
    """How many classes occur; 0 for a numeric target."""
    missing: int
    """How many values are missing."""
    openml: int | None
    """The number of the same data at OpenML; None where it has other rows or columns."""


# OpenML's number 1 is version 2 of anneal: there, as in Weka, "?" is a value, not a missing one.
CATALOGUE = {
    "anneal": CatalogueEntry(898, 6, 32, 5, 0, 1),
    "arrhythmia": CatalogueEntry(452, 206, 73, 13, 408, 5),
    "audiology": CatalogueEntry(226, 0, 69, 24, 317, 7),
    "autos": CatalogueEntry(205, 15, 10, 6, 59, 9),
    "balance-scale": CatalogueEntry(625, 4, 0, 3, 0, 11),
    "boston": CatalogueEntry(506, 12, 1, 0, 0, 531),
    "breast-cancer": CatalogueEntry(286, 0, 9, 2, 9, 13),
    "cleve": CatalogueEntry(303, 6, 7, 2, 7, None),
    "credit-rating": CatalogueEntry(690, 6, 9, 2, 67, 29),
    "ecoli": CatalogueEntry(336, 7, 0, 8, 0, 39),
    "german-credit": CatalogueEntry(1000, 7, 13, 2, 0, 31),
    "glass": CatalogueEntry(214, 9, 0, 6, 0, 41),
    "glass2": CatalogueEntry(163, 9, 0, 2, 0, 41),
    "heart-statlog": CatalogueEntry(270, 13, 0, 2, 0, 53),
    "hepatitis": CatalogueEntry(155, 6, 13, 2, 167, 55),
    "horse-colic": CatalogueEntry(368, 7, 15, 2, 1927, 27),
    "hungarian": CatalogueEntry(294, 6, 7, 2, 782, 51),
    "hypothyroid": CatalogueEntry(3163, 7, 18, 2, 5329, None),
    "ionosphere": CatalogueEntry(351, 34, 0, 2, 0, 59),
    "iris": CatalogueEntry(150, 4, 0, 3, 0, 61),
    "labor": CatalogueEntry(57, 8, 8, 2, 326, 4),
    "letter": CatalogueEntry(20000, 16, 0, 26, 0, 6),
    "lymphography": CatalogueEntry(148, 3, 15, 4, 0, 10),
    "monk1": CatalogueEntry(432, 0, 6, 2, 0, None),
    "monk2": CatalogueEntry(432, 0, 6, 2, 0, None),
    "monk3": CatalogueEntry(432, 0, 6, 2, 0, None),
    "mushroom": CatalogueEntry(8124, 0, 22, 2, 2480, 24),
    "pima-diabetes": CatalogueEntry(768, 8, 0, 2, 0, 37),
    "primary-tumor": CatalogueEntry(339, 0, 17, 21, 225, 171),
    "sonar": CatalogueEntry(208, 60, 0, 2, 0, 40),
    "soybean": CatalogueEntry(683, 0, 35, 19, 2337, 42),
    "tic-tac-toe": CatalogueEntry(958, 0, 9, 2, 0, 50),
    "vehicle": CatalogueEntry(846, 18, 0, 4, 0, 54),
    "vote": CatalogueEntry(435, 0, 16, 2, 392, 56),
    "vowel": CatalogueEntry(990, 10, 3, 11, 0, None),
    "waveform-21": CatalogueEntry(5000, 21, 0, 3, 0, None),
    "wisconsin-breast-cancer": CatalogueEntry(699, 9, 0, 2, 16, 15),
    "zoo": CatalogueEntry(101, 1, 15, 7, 0, 62),
}

# Bouckaert & Frank 2004, Table 1.
BOUCKAERT_FRANK = (
    "anneal",
    "arrhythmia",
    "audiology",
    "autos",
    "balance-scale",
    "breast-cancer",
    "credit-rating",
    "ecoli",
    "german-credit",
    "glass",
    "heart-statlog",
    "hepatitis",
    "horse-colic",
    "hungarian",
    "ionosphere",
    "iris",
    "labor",
    "lymphography",
    "pima-diabetes",
    "primary-tumor",
    "sonar",
    "soybean",
    "vehicle",
    "vote",
    "vowel",
    "wisconsin-breast-cancer",
    "zoo",
)

# Bradford & Brodley, Table 1; in their words breast is wisconsin-breast-cancer, crx credit-rating,
# diabetes pima-diabetes, german-org german-credit, heart heart-statlog, labor-neg labor,
# soybean-large soybean.
BRADFORD_BRODLEY = (
    "wisconsin-breast-cancer",
    "breast-cancer",
    "cleve",
    "credit-rating",
    "pima-diabetes",
    "german-credit",
    "glass",
    "glass2",
    "heart-statlog",
    "horse-colic",
    "hypothyroid",
    "ionosphere",
    "labor",
    "monk1",
    "monk2",
    "monk3",
    "mushroom",
    "soybean",
    "tic-tac-toe",
    "vehicle",
    "vote",
    "waveform-21",
    "zoo",
)

DIETTERICH = ("letter", "pima-diabetes")
NADEAU_BENGIO = ("letter",)
FEELDERS_VERKOOIJEN = ("boston", "pima-diabetes")


def names() -> list[str]:
    """Return the names of all datasets of the papers.

    Returns
    -------
    list of str
        Names that `load` knows.

    Examples
    --------
    >>> from reproduction import datasets
    >>> datasets.names()[:3]
    ['anneal', 'arrhythmia', 'audiology']
    """
    return sorted(CATALOGUE)


def entry(name: str) -> CatalogueEntry:
    """Return the size of a dataset."""
    if name not in CATALOGUE:
        raise DataError(f"Unknown dataset {name!r}; {did_you_mean(str(name), CATALOGUE)}")
    return CATALOGUE[name]


VARIABLE = "OUTPERFORM_DATA"


@dataclass(frozen=True, eq=False, slots=True)
class PaperDataset:
    """A dataset of the papers: items, their target, and where they come from.

    Attributes
    ----------
    name : str
        Name of the dataset.
    X : pl.DataFrame
        Numbers as Float64, nominal columns as Enum in declared order, null for missing.
    y : ndarray
        Labels as text, or numbers where the target is one.
    classes : tuple of str
        The classes in declared order, those that do not occur too; none for a numeric target.
    target : str
        Name of the target.
    source : str
        Where the data were read.
    description : str
        Source, licence and remarks.

    Examples
    --------
    >>> from reproduction import datasets
    >>> found = datasets.load("monk2")
    >>> found.nominal.all(), len(found.fingerprint)
    (np.True_, 64)
    """

    name: str
    X: pl.DataFrame
    y: npt.NDArray[Any]
    classes: tuple[str, ...]
    target: str
    source: str
    description: str = ""

    @property
    def nominal(self) -> npt.NDArray[np.bool_]:
        """Which columns are nominal."""
        import polars as pl

        return np.array([dtype == pl.Enum for dtype in self.X.dtypes])

    @property
    def fingerprint(self) -> str:
        """A SHA-256 hash of names, types and contents."""
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
    """Load one of the papers' datasets, checked to have the size of theirs.

    Parameters
    ----------
    name : str
        One of `names()`.
    folder : path, optional
        Folder of datasets; by default the one that OUTPERFORM_DATA names, otherwise the definition
        of the MONK's problems, otherwise OpenML, whose cache is scikit-learn's.

    Returns
    -------
    Dataset
        Features, target and source.

    Raises
    ------
    DataError
        If the dataset is unknown or not available.

    Examples
    --------
    >>> from reproduction import datasets
    >>> found = datasets.load("monk1")
    >>> found.X.shape, found.classes
    ((432, 6), ('0', '1'))
    """
    size = entry(name)
    given = folder if folder is not None else os.environ.get(VARIABLE)
    if given:
        return checked(read(name, Path(given)), size)
    if name.startswith("monk"):
        return checked(generate(name), size)

    if size.openml is None:
        raise DataError(
            f"Dataset {name!r} as used in the papers is not available from OpenML. Set {VARIABLE} "
            f"to a folder that contains {name}.csv.gz and schema.json: export "
            f"{VARIABLE}=/path/to/datasets"
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
            f"{dataset.source} has a different version of {dataset.name!r} than the papers: "
            f"{', '.join(wrong)}. Set {VARIABLE} to a folder that contains theirs: export "
            f"{VARIABLE}=/path/to/datasets"
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
        raise DataError(f"{str(path)!r} cannot be read: {error}. Copy the file again.") from None
    index = {row["name"]: row for row in _json(folder / "index.json", [])}.get(name, {})
    wanted = index.get("csv_md5")
    if wanted not in (None, md5(body, usedforsecurity=False).hexdigest()):
        raise DataError(
            f"{str(path)!r} is not the file that index.json describes: its md5 differs. Copy the "
            "file again."
        )
    try:
        return _dataset(name, schema, pl.read_csv(body, infer_schema=False), index, folder)
    except (pl.exceptions.PolarsError, KeyError, ValueError) as error:
        raise DataError(
            f"{str(path)!r} does not match schema.json: {error}. Copy both files again."
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
            f"{str(path)!r} was not found; a folder of datasets contains schema.json. Set "
            f"{VARIABLE} to one, or fetch from OpenML: unset {VARIABLE}"
        ) from None
    except ValueError as error:
        raise DataError(f"{str(path)!r} is not valid JSON: {error}. Copy the file again.") from None


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
            f"Dataset {name!r} is not available: {VARIABLE} is not set, and OpenML dataset "
            f"{number} cannot be fetched ({type(error).__name__}: {error}). Connect and load it "
            f"again, or use a folder of datasets: export {VARIABLE}=/path/to/datasets"
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
