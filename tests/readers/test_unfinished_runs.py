"""Runs that failed, did not finish or were not scored are refused, whoever wrote their log."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import outperform as op
from outperform import DataError
from outperform.errors import LogIncomplete

LOGS = Path(__file__).parent / "trials" / "formats"
N = 20


def samples_of(scored: Callable[[int], Any]) -> list[dict[str, Any]]:
    return [{"id": f"q{i}", "epoch": 1, **scored(i)} for i in range(N)]


def right(i: int) -> dict[str, Any]:
    return {"scores": {"match": {"value": "C" if i % 3 else "I"}}}


def inspect_log(
    folder: Path, model: str, samples: list[dict[str, Any]], status: str = "success"
) -> Path:
    path = folder / f"{model}.json"
    scorers = [{"name": "match", "metrics": [{"name": "accuracy"}]}]
    about = {"model": model, "task": "toy", "scorers": scorers}
    log = {"version": 2, "status": status, "eval": about, "samples": samples}
    path.write_text(json.dumps(log), encoding="utf-8")
    return path


@pytest.mark.parametrize("status", ["started", "error", "cancelled"])
def test_an_inspect_run_that_did_not_finish_is_refused_without_a_way_around(
    tmp_path: Path, status: str
) -> None:
    whole = inspect_log(tmp_path, "a", samples_of(right))
    part = inspect_log(tmp_path, "b", samples_of(right)[:10], status)
    with pytest.raises(LogIncomplete) as caught:
        op.compare(whole, part)
    assert not any(word in str(caught.value) for word in ("partial", "as_zero", "common_items"))


def test_an_inspect_log_with_fewer_samples_than_its_run_had_is_refused(tmp_path: Path) -> None:
    whole = inspect_log(tmp_path, "a", samples_of(right))
    part = inspect_log(tmp_path, "b", samples_of(right)[:10])
    log = json.loads(part.read_text()) | {"results": {"total_samples": N, "completed_samples": 10}}
    part.write_text(json.dumps(log), encoding="utf-8")
    with pytest.raises(LogIncomplete):
        op.compare(whole, part)


@pytest.mark.parametrize("errors", [None, "as_zero", "drop_pairs"])
def test_an_inspect_log_that_was_not_scored_is_refused(tmp_path: Path, errors: str | None) -> None:
    whole = inspect_log(tmp_path, "a", samples_of(right))
    bare = inspect_log(tmp_path, "b", samples_of(lambda i: {}))
    log = json.loads(bare.read_text())
    for scorers in (log["eval"]["scorers"], None):
        log["eval"]["scorers"] = scorers
        bare.write_text(json.dumps(log))
        with pytest.raises(DataError) as caught:
            op.compare(whole, bare, errors=errors)
        assert "as_zero" not in str(caught.value)


@pytest.mark.parametrize(
    ("lacking", "proposed"),
    [({"scores": {"match": {"value": None}}}, True), ({"error": {"message": "boom"}}, False)],
)
def test_zero_is_proposed_only_for_answers_that_exist(
    tmp_path: Path, lacking: dict[str, Any], proposed: bool
) -> None:
    whole = inspect_log(tmp_path, "a", samples_of(right))
    other = inspect_log(tmp_path, "b", samples_of(lambda i: right(i) if i else lacking))
    with pytest.raises(DataError) as caught:
        op.compare(whole, other)
    assert ("as_zero" in str(caught.value)) is proposed
    assert "drop_pairs" in str(caught.value)


def test_samples_of_lm_eval_fewer_than_its_results_say_are_refused(tmp_path: Path) -> None:
    date = "2026-11-16T13-25-59.171786"
    path, summary = (tmp_path / f for f in (f"samples_toy_{date}.jsonl", f"results_{date}.json"))
    for file in (path, summary):
        file.write_bytes((LOGS / "lm_eval" / file.name).read_bytes())
    results = json.loads(summary.read_text())
    metric = next(name for name in results["results"]["toy"] if "," in name)
    assert op.Items.read(path, metric=metric).n > 1
    results["n-samples"]["toy"] = {"original": 5000, "effective": 5000}
    summary.write_text(json.dumps(results))
    with pytest.raises(LogIncomplete):
        op.Items.read(path, metric=metric)


def test_a_log_of_openai_evals_without_its_report_is_refused(tmp_path: Path) -> None:
    lines = (LOGS / "openai_evals" / "log.jsonl").read_text().splitlines()
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(line for line in lines if "final_report" not in line) + "\n")
    with pytest.raises(LogIncomplete):
        op.Items.read(path)


def runs(column: str, word: str) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    return pd.DataFrame(
        [
            {"model": m, "fold": i, "accuracy": rng.uniform(0.7, 0.9),
             column: word if (m, i) == ("b", 2) else "finished"}
            for m in "ab" for i in range(5)
        ]
    )  # fmt: skip


@pytest.mark.parametrize(
    ("column", "word"), [("status", "FAILED"), ("state", "crashed"), ("State", "timed out")]
)
def test_runs_that_a_tracker_calls_failed_are_refused(
    tmp_path: Path, column: str, word: str
) -> None:
    path = tmp_path / "runs.csv"
    runs(column, word).to_csv(path, index=False)
    with pytest.raises(DataError) as caught:
        op.compare(path)
    assert column in str(caught.value)
    assert op.Scores.read(path, drop_incomplete=True).n_splits == 4
    runs(column, "finished").to_csv(path, index=False)
    assert op.Scores.read(path).n_splits == 5


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
@pytest.mark.parametrize("nested", [False, True])
def test_items_of_a_failed_run_are_refused(tmp_path: Path, ending: str, nested: bool) -> None:
    frame = pd.DataFrame(
        [
            {"item": f"q{i}", "model": m, "correct": (i + len(m)) % 2, "status": "ok"}
            for m in ("a", "bb") for i in range(N)
        ]
    )  # fmt: skip
    path = tmp_path / f"log.{ending}"

    def write() -> None:
        if ending == "csv":
            frame.to_csv(path, index=False)
            return
        rows = frame.to_dict("records")
        rows[0]["correct"] = "C" if nested else rows[0]["correct"]  # odd: read line by line
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))

    write()
    assert op.Items.read(path).n == N
    frame.loc[3, "status"] = "error"
    write()
    with pytest.raises(LogIncomplete):
        op.Items.read(path)


def test_a_column_called_state_may_name_datasets() -> None:
    states = ["ca", "ny", "tx", "wa", "or"] * 2
    frame = runs("place", "x").drop(columns=["place", "fold"]).assign(state=states)
    assert op.Scores.from_frame(frame, dataset="state").datasets is not None
