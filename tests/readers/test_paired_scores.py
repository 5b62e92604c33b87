"""Rows that name two models and score both: a score belongs to the model, not to its side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import outperform as op

ROWS = {
    "question": ["q1", "q2", "q3", "q4"],
    "model_a": ["new", "old", "new", "old"],
    "model_b": ["old", "new", "old", "new"],
    "score_a": [9, 3, 7, 4],
    "score_b": [5, 8, 6, 4],
}
MEANS = {"new": 7.0, "old": 4.5}


def _written(folder: Path, ending: str, rows: dict[str, list[Any]]) -> Path:
    path, frame = folder / f"judged{ending}", pl.DataFrame(rows)
    {
        ".csv": frame.write_csv,
        ".jsonl": frame.write_ndjson,
        ".json": frame.write_json,
        ".parquet": frame.write_parquet,
    }[ending](path)
    return path


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".json", ".parquet"])
@pytest.mark.parametrize("without", [[], ["question"]])
def test_scores_go_to_the_models_that_a_row_names(
    tmp_path: Path, ending: str, without: list[str]
) -> None:
    rows = {name: cells for name, cells in ROWS.items() if name not in without}
    found = op.compare(_written(tmp_path, ending, rows))
    assert found.scores is not None
    assert found.scores.mean() == MEANS
    assert any("'score_b' of that in 'model_b'" in str(note) for note in found.notes)


def test_frames_and_logs_of_items_read_them_alike(tmp_path: Path) -> None:
    frame = pl.DataFrame(ROWS)
    assert op.Items.from_frame(frame).performance() == MEANS
    assert op.Items.read(_written(tmp_path, ".parquet", ROWS)).performance() == MEANS
    assert op.compare(frame).scores.mean() == MEANS  # type: ignore[union-attr]


def test_a_question_asked_in_both_orders_has_two_samples() -> None:
    both = {name: [*cells, *ROWS[other]] for name, cells, other in _exchanged()}
    items = op.Items.from_frame(pl.DataFrame(both))
    assert (items.values.shape, items.performance()) == ((2, 4, 2), MEANS)


def _exchanged() -> list[tuple[str, list[Any], str]]:
    sides = {"model_a": "model_b", "model_b": "model_a", "score_a": "score_b", "score_b": "score_a"}
    return [(name, cells, sides.get(name, name)) for name, cells in ROWS.items()]


def test_numbered_sides_ratings_and_datasets_are_known() -> None:
    numbered = {
        name.replace("_a", "_1").replace("_b", "_2").replace("score", "rating"): cells
        for name, cells in ROWS.items()
        if name != "question"
    }
    scores = op.Scores.from_frame(pl.DataFrame(numbered | {"dataset": list("abcd")}))
    assert (scores.names, scores.metric) == (("new", "old"), "rating")
    assert scores.dataset_means()[:, 1].tolist() == [8.0, 3.0]


def test_a_winner_beside_the_scores_is_a_judgement() -> None:
    judged = pl.DataFrame(ROWS | {"winner": ["model_a", "model_b", "model_a", "tie"]})
    assert op.Items.from_frame(judged).performance() == {"new": 0.875, "old": 0.125}


def test_columns_that_are_named_are_read_as_named() -> None:
    scores = op.Scores.from_frame(
        pl.DataFrame(ROWS), learner=["score_a", "score_b"], layout="items"
    )
    assert scores.mean() == {"score_a": 5.75, "score_b": 5.75}
