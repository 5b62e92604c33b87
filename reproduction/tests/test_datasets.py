"""Data: the papers' datasets, the same whatever holds them, or a clear refusal."""

from __future__ import annotations

import gzip
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.error import URLError

import numpy as np
import polars as pl
import pytest
import sklearn.datasets
from sklearn.utils import Bunch

from outperform import DataError
from reproduction import datasets
from reproduction.datasets import CATALOGUE, PaperDataset, generate

WINDOWS = ["build wind float", "build wind non-float", "vehic wind float", "headlamps"]


@pytest.fixture
def no_folder(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.delenv("OUTPERFORM_DATA", raising=False)
    return monkeypatch


def answer_of(dataset: PaperDataset, target: str = "Class") -> Bunch:
    """Return what scikit-learn would say of a dataset: codes, levels, original names."""
    categories = {}
    columns = []
    for series in dataset.X.iter_columns():
        if isinstance(series.dtype, pl.Enum):
            categories[series.name.upper()] = series.dtype.categories.to_list()
            series = series.to_physical()
        columns.append(series.cast(pl.Float64).fill_null(np.nan).to_numpy())
    if dataset.classes:
        categories[target] = list(dataset.classes)
    return Bunch(
        data=np.column_stack(columns),
        target=dataset.y.astype(object),
        feature_names=[name.upper() for name in dataset.X.columns],
        target_names=[target],
        categories=categories,
        DESCR="told by the source",
    )


def answer_with(no_folder: pytest.MonkeyPatch, answer: Any) -> list[dict[str, Any]]:
    asked: list[dict[str, Any]] = []

    def fetch_openml(**how: Any) -> Any:
        asked.append(how)
        if isinstance(answer, Exception):
            raise answer
        return answer

    no_folder.setattr(sklearn.datasets, "fetch_openml", fetch_openml)
    return asked


@pytest.mark.requirement("R-15", "B-07", "D-41")
def test_the_papers_lists_have_the_papers_lengths_and_known_names() -> None:
    assert len(set(datasets.BOUCKAERT_FRANK)) == 27
    assert len(set(datasets.BRADFORD_BRODLEY)) == 23
    lists = (datasets.BOUCKAERT_FRANK, datasets.BRADFORD_BRODLEY, datasets.DIETTERICH)
    everything = {name for part in (*lists, datasets.NADEAU_BENGIO) for name in part}
    assert everything | set(datasets.FEELDERS_VERKOOIJEN) == set(datasets.names()) == set(CATALOGUE)


@pytest.mark.requirement("R-15")
@pytest.mark.needs("datasets")
@pytest.mark.parametrize("name", datasets.names())
def test_every_dataset_loads_from_a_folder_with_the_size_of_the_papers(name: str) -> None:
    found = datasets.load(name)  # checks rows, columns, classes and missing values
    assert found.X.columns == list(dict.fromkeys(found.X.columns))
    assert found.X.height == len(found.y)
    if found.classes:
        assert set(found.y.tolist()) <= set(found.classes)


@pytest.mark.needs("datasets")
@pytest.mark.parametrize("name", ["monk1", "monk2", "monk3"])
def test_the_monks_problems_from_their_definition_are_those_of_the_folder(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    local = datasets.load(name)
    monkeypatch.delenv("OUTPERFORM_DATA")
    assert datasets.load(name).fingerprint == local.fingerprint


@pytest.mark.needs("datasets")
@pytest.mark.parametrize("name", ["labor", "iris", "boston", "vote"])
def test_openml_and_a_folder_give_the_same_data(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    local = datasets.load(name)
    monkeypatch.delenv("OUTPERFORM_DATA")
    asked = answer_with(monkeypatch, answer_of(local))
    fetched = datasets.load(name)
    assert fetched.fingerprint == local.fingerprint
    assert fetched.X.equals(local.X)
    assert asked == [
        {
            "data_id": CATALOGUE[name].openml,
            "as_frame": False,
            "parser": "liac-arff",
            "cache": True,
        }
    ]
    assert fetched.source == f"OpenML number {CATALOGUE[name].openml}"


def test_glass2_is_made_from_the_windows_of_glass(no_folder: pytest.MonkeyPatch) -> None:
    labels = np.repeat(WINDOWS, [70, 76, 17, 29])
    answer = Bunch(
        data=np.arange(labels.size * 9.0).reshape(-1, 9),
        target=labels.astype(object),
        feature_names=list("abcdefghi"),
        target_names=["Type"],
        categories={"Type": WINDOWS},
    )
    answer_with(no_folder, answer)
    found = datasets.load("glass2")
    assert found.classes == ("float", "non-float")
    assert (found.y == "float").sum() == 87
    assert found.X["a"][-1] == 162 * 9


def test_animals_names_are_no_attribute_of_zoo(no_folder: pytest.MonkeyPatch) -> None:
    kinds = [str(k) for k in range(7)]
    yes_no = {f"b{j}": ["false", "true"] for j in range(15)}
    answer = Bunch(
        data=np.zeros((101, 17)),
        target=np.array([kinds[i % 7] for i in range(101)], dtype=object),
        feature_names=["animal", "legs", *yes_no],
        target_names=["type"],
        categories={"animal": ["newt"], "type": kinds, **yes_no},
    )
    answer_with(no_folder, answer)
    assert datasets.load("zoo").X.columns == ["legs", *yes_no]


def test_another_dataset_of_the_same_name_is_refused(no_folder: pytest.MonkeyPatch) -> None:
    rows = Bunch(
        data=np.zeros((149, 4)),
        target=np.array(["a"] * 149, dtype=object),
        feature_names=list("abcd"),
        target_names=["class"],
        categories={"class": ["a"]},
    )
    answer_with(no_folder, rows)
    with pytest.raises(DataError, match=r"149 rows instead of 150, 1 classes instead of 3.*export"):
        datasets.load("iris")


def test_without_folder_and_network_the_error_says_what_to_do(
    no_folder: pytest.MonkeyPatch,
) -> None:
    answer_with(no_folder, URLError("no route to host"))
    with pytest.raises(
        DataError, match=r"'iris' is not available.*no route.*export OUTPERFORM_DATA="
    ):
        datasets.load("iris")


def test_data_that_openml_does_not_have_ask_for_a_folder(no_folder: pytest.MonkeyPatch) -> None:
    asked = answer_with(no_folder, URLError("never asked"))
    with pytest.raises(DataError, match=r"not available from OpenML.*waveform-21\.csv\.gz"):
        datasets.load("waveform-21")
    assert asked == []


def test_an_unknown_name_suggests_a_known_one() -> None:
    with pytest.raises(DataError, match="did you mean 'iris'"):
        datasets.load("irsi")
    with pytest.raises(DataError, match="Unknown dataset"):
        datasets.load("../../etc/passwd")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that holds monk1 as a file."""
    made = generate("monk1")
    body = made.X.with_columns(pl.Series("class", made.y)).write_csv().encode()
    (tmp_path / "monk1.csv.gz").write_bytes(gzip.compress(body))
    levels = {s.name: s.dtype.categories.to_list() for s in made.X.iter_columns()}  # type: ignore[attr-defined]
    levels["class"] = ["0", "1"]
    columns = [{"name": n, "type": "nominal", "levels": v} for n, v in levels.items()]
    schema = {"monk1": {"target": "class", "ignore": [], "columns": columns}}
    (tmp_path / "schema.json").write_text(json.dumps(schema))
    return tmp_path


def test_a_folder_may_be_named_in_the_call(folder: Path) -> None:
    found = datasets.load("monk1", folder=folder)
    assert found.fingerprint == generate("monk1").fingerprint
    assert found.source == str(folder)
    assert "432 rows, 0 numeric and 6 nominal columns, 2 classes" in repr(found)


def test_a_damaged_folder_is_refused(folder: Path) -> None:
    (folder / "index.json").write_text(json.dumps([{"name": "monk1", "csv_md5": "0" * 32}]))
    with pytest.raises(DataError, match="md5 differs"):
        datasets.load("monk1", folder=folder)
    (folder / "index.json").write_text("{")
    with pytest.raises(DataError, match="is not valid JSON"):
        datasets.load("monk1", folder=folder)
    (folder / "index.json").unlink()
    (folder / "monk1.csv.gz").write_bytes(b"not gzip")
    with pytest.raises(DataError, match="cannot be read"):
        datasets.load("monk1", folder=folder)
    with pytest.raises(DataError, match="has no dataset 'iris'"):
        datasets.load("iris", folder=folder)
    shutil.rmtree(folder)
    with pytest.raises(DataError, match=r"schema\.json.*was not found"):
        datasets.load("monk1", folder=folder)


def test_the_fingerprint_tells_every_change() -> None:
    whole = generate("monk1")
    other = whole.X.with_columns(pl.Series("has_tie", ["1"] * 432, dtype=pl.Enum(["1", "2"])))
    longer = whole.X.with_columns(whole.X["has_tie"].cast(pl.Enum(["1", "2", "3"])))
    y = whole.y.copy()
    y[0] = "0"
    changed = [
        replace(whole, X=other),
        replace(whole, X=longer),
        replace(whole, X=whole.X.rename({"has_tie": "tie"})),
        replace(whole, y=y),
        replace(whole, classes=("1", "0")),
    ]
    assert len({whole.fingerprint, *(one.fingerprint for one in changed)}) == 6
