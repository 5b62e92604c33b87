"""Pairwise judgements: who won is read from names or sides, and ties count for neither."""

from __future__ import annotations

import polars as pl
import pytest

import outperform as op
from outperform import Scores

ROWS = {
    "item": [1, 2, 3, 4, 5, 6],
    "model_a": ["gpt", "llama", "gpt", "gpt", "gpt", "gpt"],
    "model_b": ["llama", "gpt", "llama", "llama", "llama", "llama"],
    "winner": ["model_a", "model_a", "tie", "llama", "model_b", "Tie (both bad)"],
}


def test_sides_are_those_that_the_row_names():
    scores = Scores.from_frame(pl.DataFrame(ROWS))
    assert scores.names == ("gpt", "llama")
    assert scores.values[:, 0].tolist() == [1 / 6, 3 / 6]
    table = op.compare(scores)["gpt", "llama"].details["table"]
    assert table.tolist() == [[2, 3], [1, 0]]


@pytest.mark.parametrize("column", ["winner", "Preference", "judgment"])
def test_two_words_and_ties_are_enough(column: str):
    frame = pl.DataFrame({column: ["new", "old", "new", "tie", "new"]})
    scores = Scores.from_frame(frame)
    assert (scores.names, scores.metric) == (("new", "old"), "win rate")
    assert scores.values[:, 0].tolist() == [3 / 5, 1 / 5]
    assert any("1 tie in 5 judgements" in note.text for note in scores.notes)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"winner": ["a", "b", None, "a", "b", "tie"]}, "has no winner in"),
        ({"model_b": ["llama", "gpt", "llama", "llama", "claude", "llama"]}, "name 3 models"),
        ({"winner": ["gpt", "llama", "qwen", "gpt", "tie", "tie"]}, "not one of its two models"),
    ],
)
def test_what_names_no_two_sides_is_refused(change: dict[str, list[str]], message: str):
    with pytest.raises(op.DataError, match=message):
        Scores.from_frame(pl.DataFrame(ROWS | change))


def test_three_sides_are_refused():
    frame = pl.DataFrame({"winner": ["a", "b", "c", "tie"]})
    with pytest.raises(op.DataError, match="names 3 sides"):
        Scores.from_frame(frame)


def test_a_model_column_called_better_is_no_judgement():
    frame = pl.DataFrame({"fold": [0, 1, 2], "better": [0.8, 0.9, 0.7], "worse": [0.7, 0.8, 0.6]})
    scores = Scores.from_frame(frame)
    assert scores.names == ("better", "worse")
    assert scores.metric == "score"


SWAPPED = {
    "question": [q for q in "abcdefgh" for _ in range(2)],
    "model_a": ["new", "old"] * 8,
    "model_b": ["old", "new"] * 8,
    "winner": ["model_a", "model_b"] * 5 + ["tie", "tie", "model_b", "model_a", "model_a", "tie"],
}


def test_an_item_judged_in_both_orders_is_one_item_however_it_is_stored(tmp_path):
    frame = pl.DataFrame(SWAPPED)
    frame.write_csv(tmp_path / "j.csv")
    frame.write_ndjson(tmp_path / "j.jsonl")
    frame.write_json(tmp_path / "j.json")
    frame.write_parquet(tmp_path / "j.parquet")
    sources = [frame, frame.to_pandas(), *(tmp_path / f"j.{e}" for e in ("csv", "jsonl"))]
    for source in (*sources, tmp_path / "j.json", tmp_path / "j.parquet"):
        found = op.compare(source)
        assert (found.method.name, found.n) == ("win_rate", 8), source
        assert found["new", "old"].estimate == pytest.approx((5 - 1 + 0.5) / 8)


def test_several_judgements_of_an_item_are_not_read_as_several_items():
    with pytest.raises(op.DataError, match="must count as one item"):
        Scores.from_frame(pl.DataFrame(SWAPPED))


def test_a_winner_behind_a_long_prompt_is_found_and_a_cell_is_no_column(tmp_path):
    long = pl.DataFrame({"text": ["x" * 9000] * 16} | SWAPPED)
    long.write_ndjson(tmp_path / "long.jsonl")
    assert op.compare(tmp_path / "long.jsonl").method.name == "win_rate"
    rows = {"item": ["winner", "b"] * 2, "model": [*"aabb"], "score": [1, 0, 0, 1]}
    pl.DataFrame(rows).write_ndjson(tmp_path / "scores.jsonl")
    assert op.Items.read(tmp_path / "scores.jsonl").names == ("a", "b")
