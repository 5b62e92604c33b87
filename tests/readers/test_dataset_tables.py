"""Tables of datasets are read as they are meant, or refused."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from places import ROOT

import outperform as op
from outperform import DataError

FRAME = pl.read_csv(ROOT / "examples" / "benchmark.csv")
NAMES = FRAME.columns[1:]
WANT = op.Benchmark.from_frame(FRAME).values


def means() -> pl.DataFrame:
    cells = {n: [f"{v} ± 0.02" for v in FRAME[n]] for n in NAMES}
    return pl.DataFrame({"dataset": FRAME["dataset"], **cells})


def said(found: op.Benchmark) -> str:
    return " ".join(note.text for note in found.notes)


@pytest.mark.parametrize(
    "cell", ["0.81 ± 0.02", "77.2 (0.5)", r"$\mathbf{0.81}$", "**0.81**", "0.81*", "about 0.8"]
)
def test_what_is_printed_for_people_is_no_number(cell: str) -> None:
    odd = FRAME.with_columns(RF=pl.Series([cell, *map(str, FRAME["RF"][1:])]))
    with pytest.raises(DataError, match="expected a finite number"):
        op.Benchmark.from_frame(odd)


def test_the_mean_of_splits_is_no_score_of_a_split() -> None:
    frame = means().rename({"dataset": "fold"})
    with pytest.raises(DataError, match="not the score of one split"):
        op.Scores.from_frame(frame)


@pytest.mark.parametrize("word", ["—", "–", "OOM", "timeout", "T/O", "-", ""])
def test_words_for_runs_that_did_not_end_are_missing_scores(word: str) -> None:
    gap = FRAME.with_columns(RF=pl.Series([word, *map(str, FRAME["RF"][1:])]))
    assert op.Benchmark.from_frame(gap).missing == (("RF", "ds00"),)
    with pytest.raises(DataError, match="RF on ds00"):
        op.compare(gap)


@pytest.mark.parametrize("head", ["learner", "Model", "method"])
def test_models_as_rows_are_turned(head: str) -> None:
    turned = FRAME.transpose(include_header=True, header_name=head, column_names="dataset")
    found = op.Benchmark.from_frame(turned)
    np.testing.assert_array_equal(found.values, WANT)
    assert found.names == tuple(NAMES)
    assert "Transposed: rows are the learners 'RF', 'XGB'" in said(found)


def test_a_column_of_means_of_turned_rows_is_no_dataset() -> None:
    turned = FRAME.transpose(include_header=True, header_name="model", column_names="dataset")
    more = turned.with_columns(Average=pl.mean_horizontal(turned.columns[1:]))
    found = op.Benchmark.from_frame(more)
    assert len(found.datasets) == 30
    assert "Not read: 'Average'." in said(found)


@pytest.mark.parametrize(
    "columns",
    [
        {"accuracy": [0.9, 0.8], "f1": [0.8, 0.7], "auc": [0.7, 0.8]},
        {"fold1": [0.9, 0.8], "fold2": [0.8, 0.7], "fold3": [0.7, 0.8]},
        {"iris": [0.9, 0.8], "wine": [0.8, 0.7], "parameters": [7.5, 8.5]},
        {"iris": [0.9, 0.8], "wine": [0.8, 0.7], "year": [2020, 2021]},
        {"iris": [0.9, 0.8], "wine": [0.8, 0.7], "parts": [1200.5, 900.5]},
        {"iris": [0.9, 0.8], "wine": [0.8, 0.7]},
    ],
)
def test_models_as_rows_beside_what_may_be_no_dataset_are_refused(
    columns: dict[str, list[float]],
) -> None:
    with pytest.raises(DataError):
        op.Benchmark.from_frame(pl.DataFrame({"model": ["rf", "nb"], **columns}))


@pytest.mark.parametrize("head", ["Datasets", "dataset_name", "benchmark", "Data set"])
def test_other_names_for_datasets_are_known(head: str) -> None:
    found = op.Benchmark.from_frame(FRAME.rename({"dataset": head}))
    np.testing.assert_array_equal(found.values, WANT)


def test_rows_that_words_name_are_not_judged_as_splits() -> None:
    frame = FRAME.rename({"dataset": "name"})
    with pytest.raises(DataError, match="may be datasets, splits or learners"):
        op.compare(frame)
    assert op.Scores.from_frame(frame, design="30cv").n_splits == 30
    numbered = frame.with_columns(name=pl.Series([f"fold {i}" for i in range(30)]))
    assert op.Scores.from_frame(numbered).n_splits == 30


def test_rows_without_a_head_that_are_fewer_than_columns_are_asked_about() -> None:
    turned = FRAME.transpose(include_header=True, header_name="", column_names="dataset")
    with pytest.raises(DataError, match="rename the column to learner"):
        op.compare(turned)


def test_a_dataset_that_is_there_twice_is_refused() -> None:
    with pytest.raises(DataError, match="dataset 'ds00' has 2 rows, but most datasets have one"):
        op.compare(pl.concat([FRAME, FRAME[:1]]))
    both = pl.concat([FRAME, FRAME])
    assert len(op.Benchmark.from_frame(both).datasets) == 30


@pytest.mark.parametrize(("scale", "factor"), [(1.0, 100.0), (100.0, 0.01)])
def test_one_score_in_percent_among_fractions_is_refused(scale: float, factor: float) -> None:
    frame = FRAME.with_columns(pl.col(NAMES) * scale)
    odd = frame.with_columns(NB=pl.Series([frame["NB"][0] * factor, *frame["NB"][1:]]))
    with pytest.raises(DataError, match=r"NB scores .* on ds00.* percent and fractions"):
        op.compare(odd)
    assert op.compare(odd, metric="reward").n_pairs == 10


def test_small_scores_in_percent_are_no_fractions() -> None:
    rng = np.random.default_rng(0)
    cells = {n: np.round(rng.uniform(0.2, 3, 12), 1) for n in "abc"}
    frame = pl.DataFrame({"dataset": [f"d{i}" for i in range(12)], **cells})
    assert op.compare(frame).n_pairs == 3


def test_sizes_beside_datasets_are_no_folds() -> None:
    more = FRAME.with_columns(n_features=pl.Series([5 + i % 7 for i in range(30)]))
    with pytest.raises(DataError, match="If this column is not a learner, list the others"):
        op.compare(more)
