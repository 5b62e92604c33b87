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


def _reversed(log: str) -> None:
    """Write the rows of a log in reverse order, and number them anew."""
    rows = [json.loads(line) for line in reversed(Path(log).read_text().splitlines())]
    Path(log).write_text("".join(json.dumps(r | {"index": i}) + "\n" for i, r in enumerate(rows)))


def test_items_are_paired_by_their_ids_and_not_by_numbers_of_rows(tmp_path: Path) -> None:
    paths = []
    for number, model in enumerate("ab"):
        path = tmp_path / f"{model}.jsonl"
        named = {"index": 0, "question_id": "", "model": model, "score": 1}
        rows = [named | {"index": i, "question_id": f"q{i}", "score": i % 3} for i in range(9)]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        _reversed(str(path)) if number else None
        paths.append(path)
    items = op.Items.read(*paths)
    assert items.ids == tuple(f"q{i}" for i in range(9))
    assert (items.values[0] == items.values[1]).all()


def test_rows_that_are_numbered_but_ask_other_questions_are_refused(tmp_path: Path) -> None:
    paths = []
    for number, model in enumerate("ab"):
        path = tmp_path / f"{model}.jsonl"
        rows = [{"id": i, "question": f"{i}?", "model": model, "score": i % 3} for i in range(9)]
        order = reversed(rows) if number else rows
        lines = (json.dumps(row | {"id": i}) + "\n" for i, row in enumerate(order))
        path.write_text("".join(lines))
        paths.append(path)
    with pytest.raises(op.DataError, match=r"8 items have a different prompt.*If ids number rows"):
        op.Items.read(*paths)
    items = op.Items.read(*paths, item="question")
    assert (items.values[0] == items.values[1]).all()


@pytest.mark.parametrize("late", [False, True])
def test_an_object_is_no_score_that_is_missing(written: Written, late: bool) -> None:
    scores = written(n=1500, score=lambda i, _: 1 if late and i < 1400 else {"f1": 0.2, "acc": 1})
    with pytest.raises(op.DataError, match=r"Name one of its fields: score='score\.f1'"):
        op.Items.read(*scores, errors="as_zero")
    if not late:
        assert op.Items.read(*scores, score="score.acc").performance() == {"a": 1.0, "b": 1.0}


def test_several_columns_of_scores_are_told_and_chosen_whatever_their_order(
    written: Written,
) -> None:
    logs = written(correct=lambda i, _: i < 10)
    rows = [json.loads(line) for line in Path(logs[0]).read_text().splitlines()]
    Path(logs[0]).write_text("".join(json.dumps(dict(reversed(r.items()))) + "\n" for r in rows))
    items = op.Items.read(*logs)
    assert items.metric == "score"
    assert any("for 'correct' pass score='correct'" in note.text for note in items.notes)
    chosen = op.Items.read(*logs, score="correct")
    assert (chosen.metric, chosen.performance()["a"]) == ("accuracy", 1 / 3)
    assert not any("was read as the score" in note.text for note in chosen.notes)


def _of_tool(folder: Path, values: list[Any]) -> list[Path]:
    """Write lines of lm-evaluation-harness of two models, with these values of a metric."""
    line = {"doc": {}, "metrics": ["acc"], "filter": "none"}
    paths = []
    for model in "ab":
        (folder / model).mkdir()
        paths.append(folder / model / "samples_toy.jsonl")
        rows = ({**line, "doc_id": i, "acc": value} for i, value in enumerate(values))
        paths[-1].write_text("".join(json.dumps(row) + "\n" for row in rows))
    return paths


def test_truths_that_are_text_are_scores_in_logs_of_tools(tmp_path: Path) -> None:
    items = op.Items.read(*_of_tool(tmp_path, ["True", "no", "1", 0]), lower_is_better=False)
    assert items.values[0, :, 0].tolist() == [1, 0, 1, 0]


def test_words_are_no_scores_that_are_missing(tmp_path: Path) -> None:
    logs = _of_tool(tmp_path, ["B", 1])
    with pytest.raises(op.DataError, match="the score 'B' is not a number"):
        op.Items.read(*logs, lower_is_better=False, errors="as_zero")


def test_an_item_that_no_log_scores_is_told(tmp_path: Path) -> None:
    line = {"doc": {}, "metrics": ["acc"], "filter": "none", "acc": 1}
    paths = []
    for model in "ab":
        (tmp_path / model).mkdir()
        paths.append(tmp_path / model / "samples_toy.jsonl")
        rows = [{**line, "doc_id": i} for i in range(4)] + [{**line, "doc_id": 4, "filter": "x"}]
        paths[-1].write_text("".join(json.dumps(row) + "\n" for row in rows))
    items = op.Items.read(*paths, metric="acc,none", lower_is_better=False)
    assert items.n == 4
    assert any(note.text == "1 item has no such score in any log." for note in items.notes)


def test_a_cluster_that_some_items_lack_is_called_by_its_name(written: Written) -> None:
    logs = written(n=1200, cluster=lambda i, _: "a" if i < 1100 else None)
    with pytest.raises(op.DataError, match="has no 'cluster' for every item"):
        op.Items.read(*logs)


def test_judgements_are_counted_by_question_and_not_by_row(tmp_path: Path) -> None:
    rows = [
        {"id": 2 * i + turn, "question_id": i, "model_a": a, "model_b": b, "winner": "model_a"}
        for i in range(8)
        for turn, (a, b) in enumerate((("x", "y"), ("y", "x")))
    ]
    path = tmp_path / "judged.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    items = op.Items.read(path)
    assert (items.n, items.performance()) == (8, {"x": 0.5, "y": 0.5})


def test_results_of_programs_are_paired_by_task(tmp_path: Path) -> None:
    rows = [
        {"task_id": f"HumanEval/{i}", "model": model, "completion": "pass", "passed": i % 2 == k}
        for i in range(6)
        for k, model in enumerate("ab")
    ]
    path = tmp_path / "results.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert op.compare(path).method.name == "mcnemar_mid_p"
    items = op.Items.read(path)
    assert (items.n, items.item_id(1)) == (6, "HumanEval/1")


@pytest.mark.parametrize("outer", ["result", "metrics"])
def test_a_score_inside_an_object_is_pointed_out(tmp_path: Path, outer: str) -> None:
    path = tmp_path / "log.jsonl"
    rows = ({"id": i, "model": "m", outer: {"text": "x", "accuracy": i % 2}} for i in range(4))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(op.DataError, match=f"Name the score: score='{outer}.accuracy'"):
        op.Items.read(path)
    assert op.Items.read(path, score=f"{outer}.accuracy").performance() == {"m": 0.5}


@pytest.mark.parametrize(
    ("cells", "said"), [(("0,25", "1,0"), ""), (("25 %", "100 %"), "percent"), (("0.25", "1"), "")]
)
def test_decimal_commas_and_percent_signs_are_numbers(
    tmp_path: Path, cells: tuple[str, str], said: str
) -> None:
    path = tmp_path / "log.csv"
    rows = [f"q{i};{m};{cells[(i + k) % 2]}" for i in range(4) for k, m in enumerate("ab")]
    path.write_text("\n".join(["item;model;score", *rows]) + "\n")
    items = op.Items.read(path)
    assert items.values[0, :, 0].tolist() == [0.25, 1, 0.25, 1]
    assert any("percent sign" in note.text for note in items.notes) == bool(said)


def test_an_infinity_that_is_text_is_no_score(written: Written) -> None:
    with pytest.raises(op.DataError, match=r"a\.jsonl' has an infinite score"):
        op.Items.read(*written(score=lambda i, number: "inf" if i == 3 and not number else "1"))
