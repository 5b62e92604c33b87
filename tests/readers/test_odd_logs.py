"""Logs that are odd in one way: read right, or refused, and never read wrong without a word."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import outperform as op

Written = Callable[..., list[str]]


@pytest.fixture
def written(tmp_path: Path) -> Written:
    """Write a log of each of two models; what is given is a function of the item's number."""

    def write(n: int = 30, **cells: Any) -> list[str]:
        paths = []
        for number, model in enumerate("ab"):
            path = tmp_path / f"{model}.jsonl"
            rows = (
                {"item": f"q{i}", "model": model, "score": (i + number) % 2}
                | {name: cell(i, number) for name, cell in cells.items()}
                for i in range(n)
            )
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
            paths.append(str(path))
        return paths

    return write


def test_ids_that_floats_cannot_tell_apart_are_different_items(written: Written) -> None:
    logs = written(item=lambda i, _: 0.5 if i == 0 else 2**53 + i)
    assert op.Items.read(*logs).n == 30


def test_whole_numbers_are_one_id_be_they_floats_or_not(written: Written) -> None:
    logs = written(item=lambda i, number: float(i) if number else i)
    assert op.Items.read(*logs).ids == tuple(map(str, range(30)))
    nested = written(item=lambda i, number: float(i) if number else i, x=lambda i, _: {"s": i})
    assert op.Items.read(*nested, cluster="x.s").ids == tuple(map(str, range(30)))


@pytest.mark.parametrize("cluster", [None, "about.s"])
def test_letters_of_a_scorer_are_read_and_that_is_said(
    written: Written, cluster: str | None
) -> None:
    logs = written(score=lambda i, number: "CIPN"[(i + number) % 4], about=lambda i, _: {"s": i})
    items = op.Items.read(*logs, cluster=cluster)
    assert items.values[0, :4, 0].tolist() == [1, 0, 0.5, 0]
    assert any("C, P, I and N were read as 1, ½, 0 and 0" in note.text for note in items.notes)


@pytest.mark.parametrize("cluster", [None, "about.s"])
def test_a_list_is_no_score_that_is_missing(written: Written, cluster: str | None) -> None:
    logs = written(score=lambda i, _: [1, 0], about=lambda i, _: {"s": i})
    with pytest.raises(op.DataError, match="Write one row for each sample"):
        op.Items.read(*logs, cluster=cluster, errors="as_zero")


@pytest.mark.parametrize("name", ["target", "gold"])
def test_other_targets_are_refused(written: Written, name: str) -> None:
    logs = written(**{name: lambda i, number: i + (number and i == 7)})
    with pytest.raises(op.DataError, match=r"1 item has a different target in another log.*'q7'"):
        op.Items.read(*logs)


@pytest.mark.parametrize("cluster", [None, "about.s"])
@pytest.mark.parametrize("name", ["target", "prompt"])
def test_other_targets_and_prompts_in_one_log_are_refused(
    written: Written, tmp_path: Path, name: str, cluster: str | None
) -> None:
    logs = written(**{name: lambda i, number: f"{i}{number}", "about": lambda i, _: {"s": i}})
    both = tmp_path / "both.jsonl"
    both.write_text("".join(Path(log).read_text() for log in logs))
    with pytest.raises(op.DataError, match=f"30 items have a different {name}"):
        op.Items.read(both, cluster=cluster)


def test_samples_may_have_names(written: Written, tmp_path: Path) -> None:
    logs = written(sample=lambda i, _: "first")
    again = written(sample=lambda i, _: "first")
    assert op.Items.read(*again).values.shape == (2, 30, 1)
    twice = tmp_path / "twice.jsonl"
    twice.write_text(Path(logs[0]).read_text() * 2 + Path(logs[1]).read_text())
    with pytest.raises(op.DataError, match="duplicated for one model"):
        op.Items.read(twice)


def test_a_direction_that_is_given_is_not_called_assumed(written: Written) -> None:
    logs = written()
    assert any("Assumed" in note.text for note in op.Items.read(*logs).notes)
    assert not op.Items.read(*logs, lower_is_better=True).notes


def test_an_empty_log_is_refused(tmp_path: Path, written: Written) -> None:
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(op.DataError, match="is empty"):
        op.compare(tmp_path / "empty.jsonl", written()[0])


def test_versions_of_a_task_that_differ_are_said(tmp_path: Path) -> None:
    line = {"doc_id": 0, "doc": {}, "metrics": ["acc"], "filter": "none", "target": ""}
    paths = []
    for version, model in enumerate("ab"):
        (folder := tmp_path / model).mkdir()
        date = "2026-01-01T00-00-00.0"
        about = {"model_name": model, "versions": {"toy": version}, "higher_is_better": {}}
        about["results"] = {"toy": {"acc,none": 0.5}}
        (folder / f"results_{date}.json").write_text(json.dumps(about))
        rows = [{**line, "doc_id": i, "doc_hash": str(i), "acc": i % 2} for i in range(5)]
        paths.append(folder / f"samples_toy_{date}.jsonl")
        paths[-1].write_text("".join(json.dumps(row) + "\n" for row in rows))
    items = op.Items.read(*paths, lower_is_better=False)
    assert any("'toy' has different versions ('0' in" in note.text for note in items.notes)


def test_logs_of_other_tasks_are_told_by_their_tasks(written: Written) -> None:
    logs = written(dataset=lambda i, number: f"toy@{number}")
    with pytest.raises(op.DataError, match="versions of a task: 'toy@0', 'toy@1'"):
        op.Items.read(*logs)


def test_a_frame_of_items_and_samples_is_compared_as_its_file_is(tmp_path: Path) -> None:
    rows = [
        {"item": i, "model": m, "sample": s, "score": (i + s * k) % 3 % 2}
        for k, m in enumerate("ab", 1)
        for i in range(20)
        for s in range(3)
    ]
    frame = pd.DataFrame(rows)
    frame.to_csv(tmp_path / "log.csv", index=False)
    found, read = op.compare(frame), op.compare(tmp_path / "log.csv")
    assert found.method.name == read.method.name == "sampled_items_t"
    assert found["a", "b"].pvalue == read["a", "b"].pvalue
