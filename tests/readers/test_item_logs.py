"""Logs of evaluations become items, or are refused in words that say what differs."""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import outperform as op
from outperform.errors import DataError, LogIncomplete
from outperform.readers.item_logs import is_log

LOGS = Path(__file__).parent / "trials" / "formats"
TOY = LOGS / "lm_eval" / "samples_toy_2026-11-16T13-25-59.171786.jsonl"
EVERY = LOGS / "every_eval_ever" / "aggregate_samples.jsonl"


@pytest.mark.parametrize(
    ("path", "options", "shape", "metric", "means", "tool"),
    [
        (EVERY, {}, (1, 4, 2), "accuracy", {"example/model-a": 0.5}, "Every Eval Ever"),
        (
            EVERY.with_name("aggregate.json"),
            {},
            (1, 4, 2),
            "accuracy",
            {"example/model-a": 0.5},
            "Every Eval Ever",
        ),
        (
            LOGS / "helm/per_instance_stats.json",
            {},
            (1, 4, 2),
            "exact_match",
            {"org/model-x": 0.5},
            "HELM",
        ),
        # Inspect's own summary says accuracy 0.75.
        (
            LOGS / "inspect/a.eval",
            {"metric": "match"},
            (1, 4, 2),
            "match",
            {"mockllm/model": 0.75},
            "Inspect",
        ),
        (
            LOGS / "inspect/a.json",
            {"metric": "multi/f1"},
            (1, 4, 2),
            "multi/f1",
            {"mockllm/model": 0.5},
            "Inspect",
        ),
        (
            TOY,
            {"metric": "exact_match,maj"},
            (1, 5, 1),
            "exact_match,maj",
            {"org/model-x": 0.0},
            "lm-evaluation-harness",
        ),
        # Its final report says accuracy 1/3.
        (
            LOGS / "openai_evals/log.jsonl",
            {},
            (1, 3, 1),
            "accuracy",
            {"gpt-x": 1 / 3},
            "OpenAI evals",
        ),
        (
            LOGS / "promptfoo/results.json",
            {},
            (2, 3, 2),
            "score",
            {"openai:a": 0.5, "openai:b": 0.5},
            "promptfoo",
        ),
        # `correct` is the true label: right on the first repeat, wrong on the second.
        (
            LOGS / "openml/predictions.arff",
            {},
            (1, 6, 2),
            "accuracy",
            {"predictions": 0.5},
            "OpenML",
        ),
    ],
    ids=lambda value: value.name if isinstance(value, Path) else None,
)
def test_each_format_is_known_by_what_it_holds(path, options, shape, metric, means, tool):
    assert is_log(path)
    items = op.Items.read(path, **options)
    assert items.values.shape == shape
    assert items.metric == metric
    assert items.greater_is_better
    assert items.performance() == means
    assert {header.tool for header in items.headers} == {tool}
    assert all(len(header.sha256) == 64 for header in items.headers)


def test_an_eval_log_and_its_json_hold_the_same_items():
    packed, plain = (
        op.Items.read(LOGS / "inspect" / name, metric="match", cluster="passage")
        for name in ("a.eval", "a.json")
    )
    assert (packed.values == plain.values).all()
    assert packed.clusters.labels == plain.clusters.labels == ("p0", "p1")
    assert packed.headers[0].printed == plain.headers[0].printed
    assert packed.headers[0].reducer == "mean"


def test_several_metrics_are_asked_about():
    with pytest.raises(DataError, match=r"2 metrics: 'exact_match,first', 'exact_match,maj'"):
        op.Items.read(TOY)


def test_responses_that_a_filter_made_one_score_of_are_no_samples():
    items = op.Items.read(TOY, metric="exact_match,first")
    assert items.values.shape[2] == 1
    assert any("up to 3 responses for an item but one score" in n.text for n in items.notes)
    assert items.headers[0].printed["toy"].value == 0.0


def lm_log(folder: Path, scores: list[float], **changes: Any) -> Path:
    """Write a log as lm-evaluation-harness does, with its results beside it."""
    folder.mkdir()
    date = "2026-11-16T13-25-59.171786"
    lines = []
    for i, score in enumerate(scores):
        line = {
            "doc_id": i,
            "doc": {"q": f"q{i}", "subject": f"s{i // 3}"},
            "resps": [["x"]],
            "filter": "none",
            "metrics": ["acc"],
            "doc_hash": f"doc{i}",
            "prompt_hash": f"prompt{i}",
            "target_hash": f"target{i}",
            "acc": score,
        }
        lines.append(json.dumps({**line, **changes.get(f"line{i}", {})}))
    path = folder / f"samples_toy_{date}.jsonl"
    path.write_text("\n".join(lines[: changes.get("most", len(lines))]) + "\n")
    mean = float(np.mean(scores))
    results = {
        "model_name": changes.get("model", folder.name),
        "lm_eval_version": "0.4.13",
        "higher_is_better": {"toy": {"acc": True}},
        "results": {"toy": {"acc,none": mean, "acc_stderr,none": 0.05}},
        "config": changes.get("config", {}),
        "n-samples": {"toy": {"original": 100, "effective": len(scores)}},
    }
    (folder / f"results_{date}.json").write_text(json.dumps(results))
    return path


A, B = [1.0, 0, 1, 1, 0, 1], [0.0, 0, 1, 1, 1, 0]


def test_two_logs_are_paired_by_content(tmp_path):
    first = lm_log(tmp_path / "a", A)
    second = lm_log(tmp_path / "b", B)
    lines = second.read_text().splitlines()
    second.write_text("\n".join(lines[::-1]) + "\n")
    items = op.Items.read(first, second, cluster="subject")
    assert items.names == ("a", "b")
    assert items.values[:, :, 0].tolist() == [A, B]
    assert items.clusters.labels == ("s0", "s1")
    assert items.headers[1].printed["toy"].stderr == 0.05
    assert items.n_population == 100


@pytest.mark.parametrize(
    ("changes", "options", "match"),
    [
        ({"line2": {"prompt_hash": "other"}}, {}, "1 items have another prompt.*'2'"),
        ({"line2": {"target_hash": "other"}}, {}, "1 items have another target.*'2'"),
        ({"line2": {"target_hash": "other"}}, {"allow_other_prompts": True}, "another target"),
        ({"line2": {"doc_hash": "other"}}, {}, "1 items have the same id but other content.*'2'"),
        (
            {"most": 4},
            {},
            "2 of 6 items are missing from some logs, such as '4', which 'a' has and 'b'",
        ),
        ({"line1": {"acc": None}}, {}, "1 scores of 1 items are missing"),
        ({"line1": {"doc": {"subject": "other"}}}, {"cluster": "subject"}, "another cluster"),
        ({"line1": {"acc": float("inf")}}, {}, "infinite"),
    ],
)
def test_logs_that_differ_in_more_than_the_answers_are_refused(tmp_path, changes, options, match):
    paths = lm_log(tmp_path / "a", A), lm_log(tmp_path / "b", B, **changes)
    with pytest.raises(DataError, match=match):
        op.Items.read(*paths, **options)


def test_a_cluster_that_some_items_lack_is_refused(tmp_path):
    path = lm_log(tmp_path / "a", A, line1={"doc": {}})
    with pytest.raises(DataError, match="has no 'subject' for every item"):
        op.Items.read(path, cluster="subject")


def test_what_differs_is_allowed_on_request(tmp_path):
    a = lm_log(tmp_path / "a", A)
    prompts = lm_log(tmp_path / "b", B, line2={"prompt_hash": "other"})
    assert op.Items.read(a, prompts, allow_other_prompts=True).n == 6
    fewer = lm_log(tmp_path / "c", B, most=4)
    items = op.Items.read(a, fewer, common_items=True)
    assert items.values[:, :, 0].tolist() == [A[:4], B[:4]]
    assert any("2 items that some model does not have" in n.text for n in items.notes)
    failed = lm_log(tmp_path / "d", B, line3={"acc": None})
    assert op.Items.read(a, failed, errors="as_zero").means[1].tolist() == [0, 0, 1, 0, 1, 0]
    assert op.Items.read(a, failed, errors="drop_pairs").means[0].tolist() == [1, 0, 1, 0, 1]


def test_identical_documents_are_told_apart_by_their_order(tmp_path):
    twin = {"line1": {"doc_hash": "doc0"}}
    items = op.Items.read(lm_log(tmp_path / "a", A, **twin), lm_log(tmp_path / "b", B, **twin))
    assert items.values[:, :, 0].tolist() == [A, B]


def test_two_runs_of_one_model_are_named_by_what_differs(tmp_path):
    runs = [
        lm_log(tmp_path / name, A, model="m", config={"gen_kwargs": f"temperature={name}"})
        for name in ("0", "1")
    ]
    names = op.Items.read(*runs).names
    assert names == ("m (gen_kwargs=temperature=0)", "m (gen_kwargs=temperature=1)")


def test_lists_are_no_scores_of_items(tmp_path):
    path = lm_log(
        tmp_path / "a",
        A,
        line0={"metrics": ["acc", "word_perplexity"], "word_perplexity": [-3.2, 7]},
    )
    assert op.Items.read(path).metric == "acc,none"
    with pytest.raises(DataError, match="not a mean over items"):
        op.Items.read(path, metric="word_perplexity")


def rows(n: int = 6, **more: Any) -> list[dict[str, Any]]:
    return [
        {"item": f"q{i}", "model": m, "score": (i * k) % 2, "sample": s, "subject": i // 2, **more}
        for m, k in (("a", 1), ("b", 3))
        for i in range(n)
        for s in range(2)
    ]


def lines(path: Path, records: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in records))
    return path


def test_plain_rows_are_the_same_from_every_kind_of_table(tmp_path):
    records = rows()
    frame = pl.DataFrame(records)
    frame.write_csv(tmp_path / "t.csv")
    frame.write_parquet(tmp_path / "t.parquet")
    known = op.Items.read(lines(tmp_path / "t.jsonl", records), cluster="subject")
    assert known.values.shape == (2, 6, 2)
    for other in (
        op.Items.read(tmp_path / "t.csv", cluster="subject"),
        op.Items.read(tmp_path / "t.parquet", cluster="subject"),
        op.Items.from_frame(frame, cluster="subject"),
        op.Items.from_frame(frame.to_pandas(), cluster="subject"),
    ):
        assert other.digest() == known.digest()


def test_odd_lines_are_read_as_json_says(tmp_path):
    # polars refuses NaN and a truth beside numbers: such files are read line by line.
    records = rows()
    plain = op.Items.read(lines(tmp_path / "plain.jsonl", records))
    records[3]["score"] = bool(records[3]["score"])
    odd = lines(tmp_path / "odd.jsonl", records)
    assert op.Items.read(odd).digest() == plain.digest()
    records[3]["score"] = float("nan")
    with pytest.raises(DataError, match="1 scores of 1 items are missing"):
        op.Items.read(lines(tmp_path / "nan.jsonl", records))


def test_rows_without_sample_numbers_are_numbered_in_order(tmp_path):
    records = [{k: v for k, v in one.items() if k != "sample"} for one in rows()]
    items = op.Items.read(lines(tmp_path / "t.jsonl", records))
    assert items.values.shape == (2, 6, 2)
    assert any("numbered in file order" in note.text for note in items.notes)


def test_a_sample_that_comes_twice_is_refused(tmp_path):
    path = lines(tmp_path / "t.jsonl", rows())
    with pytest.raises(DataError, match="is duplicated"):
        op.Items.read(lines(tmp_path / "u.jsonl", [*rows(), rows()[0]]))
    assert op.Items.read(path, path).names[0].startswith("a (")


def test_hostile_names_are_spelt_out_in_messages(tmp_path):
    records = rows()
    records[0]["item"] = "\u202e<script>\x1b[31m"
    with pytest.raises(DataError) as caught:
        op.Items.read(lines(tmp_path / "t.jsonl", records))
    assert "\x1b" not in str(caught.value)
    assert "\u202e" not in str(caught.value)


@pytest.mark.parametrize("text", ['{"item": 1, "score":', "[1, 2]\n{}\n", '{"a": ' * 5000])
def test_damaged_lines_are_refused(tmp_path, text):
    path = tmp_path / "t.jsonl"
    path.write_text('{"item": "a", "model": "m", "score": 1}\n' + text)
    with pytest.raises(DataError):
        op.Items.read(path)


def eval_log(path: Path, **changes: Any) -> Path:
    """Write an Inspect log with deflated members, as older versions did."""
    header = json.loads((LOGS / "inspect" / "a.json").read_text())
    samples = header.pop("samples")
    header |= changes.get("header", {})
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("_journal/start.json", json.dumps({"eval": header["eval"]}))
        if changes.get("killed"):
            file.writestr("_journal/summaries/1.json", json.dumps(samples[:4]))
            file.writestr("_journal/summaries/2.json", json.dumps(samples[4:6]))
        else:
            file.writestr("header.json", json.dumps(header))
            file.writestr("summaries.json", changes.get("summaries") or json.dumps(samples))
    return path


def test_deflated_logs_are_read_too(tmp_path):
    old = op.Items.read(eval_log(tmp_path / "old.eval"), metric="match")
    new = op.Items.read(LOGS / "inspect" / "a.eval", metric="match")
    assert (old.values == new.values).all()


def test_a_run_that_did_not_finish_is_refused_unless_asked_for(tmp_path):
    killed = eval_log(tmp_path / "killed.eval", killed=True)
    with pytest.raises(LogIncomplete, match=r"did not finish.*partial=True"):
        op.Items.read(killed, metric="match")
    items = op.Items.read(killed, metric="match", partial=True)
    assert items.n_samples.tolist() == [[2, 2, 1, 1]]
    failed = eval_log(tmp_path / "failed.eval", header={"status": "error", "results": None})
    with pytest.raises(LogIncomplete, match="'error'"):
        op.Items.read(failed, metric="match")


def test_a_bomb_is_refused(tmp_path):
    bomb = eval_log(tmp_path / "bomb.eval", summaries=" " * 30_000_000)
    with pytest.raises(DataError, match="unpacks to more than"):
        op.Items.read(bomb, metric="match")


def test_a_damaged_member_is_refused(tmp_path):
    data = bytearray((LOGS / "inspect" / "a.eval").read_bytes())
    at = data.index(b"summaries.json", data.index(b"_journal/summaries/4.json") + 40)
    data[at + 200 : at + 220] = bytes(20)
    path = tmp_path / "a.eval"
    path.write_bytes(bytes(data))
    with pytest.raises(DataError, match="damaged"):
        op.Items.read(path, metric="match")


def test_without_zstandard_the_way_out_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(DataError, match=r"pip install 'outperform\[inspect\]'.*json"):
        op.Items.read(LOGS / "inspect" / "a.eval", metric="match")


def test_samples_that_their_summary_does_not_know_are_refused(tmp_path):
    for name in ("aggregate.json", "aggregate_samples.jsonl"):
        (tmp_path / name).write_bytes((EVERY.parent / name).read_bytes())
    path = tmp_path / EVERY.name
    path.write_text("\n".join(path.read_text().splitlines()[:-1]))
    with pytest.raises(DataError, match="has 7 rows, but its summary says 8"):
        op.Items.read(path)


def test_judgements_of_several_models_keep_who_was_shown_first(tmp_path):
    path = tmp_path / "judged.csv"
    path.write_text("question,model_a,model_b,winner\n1,x,y,x\n1,y,z,model_b\n2,z,x,tie\n2,y,x,x\n")
    items = op.Items.read(path)
    assert items.names == ("x", "y", "z")
    assert items.kind == "judged-items"
    judged = items.preferences
    assert judged.outcome.tolist() == [1, 0, 0.5, 0]
    assert judged.first.tolist() == [0, 1, 2, 1]
    assert items.ids == ("1", "2")


def test_options_that_do_not_exist_are_refused():
    with pytest.raises(DataError, match="did you mean 'cluster'"):
        op.Items.read(TOY, clusters="doc.passage")
