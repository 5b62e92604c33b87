"""Logs of evaluations become items, or are refused in words that say what differs."""

from __future__ import annotations

import gzip
import json
import shutil
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import outperform as op
from outperform import DataError
from outperform.errors import LogIncomplete
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


def gzipped(source: Path, folder: Path) -> Path:
    """Copy a log and what lies beside it, the log itself gzipped."""
    shutil.copytree(source.parent, folder)
    packed = folder / f"{source.name}.gz"
    packed.write_bytes(gzip.compress((folder / source.name).read_bytes(), mtime=0))
    (folder / source.name).unlink()
    return packed


@pytest.mark.parametrize(
    ("source", "options"),
    [
        (EVERY, {}),
        (EVERY.with_name("aggregate.json"), {}),
        (TOY, {"metric": "exact_match,maj"}),
        (LOGS / "helm/per_instance_stats.json", {}),
        (LOGS / "inspect/a.json", {"metric": "match"}),
        (LOGS / "openai_evals/log.jsonl", {}),
        (LOGS / "promptfoo/results.json", {}),
        (LOGS / "openml/predictions.arff", {}),
    ],
    ids=lambda value: value.name if isinstance(value, Path) else None,
)
def test_a_gzipped_log_is_the_log(tmp_path, source, options):
    packed = gzipped(source, tmp_path / "packed")
    assert is_log(packed)
    plain, found = op.Items.read(source, **options), op.Items.read(packed, **options)
    assert found.digest() == plain.digest()
    assert found.headers[0].sha256 == plain.headers[0].sha256
    assert found.headers[0].printed == plain.headers[0].printed


def test_gzipped_rows_are_named_after_the_file_and_compared(tmp_path):
    for name, right in (("new", A), ("old", B)):
        rows = [{"item": f"q{i}", "score": int(one)} for i, one in enumerate(right)]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / f"{name}.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    found = op.compare(tmp_path / "new.jsonl.gz", tmp_path / "old.jsonl.gz")
    assert found.names == ("new", "old")


def test_a_gzip_bomb_is_refused_before_it_is_unpacked(tmp_path):
    line = json.dumps({"item": "q", "model": "m", "score": 1}).encode() + b"\n"
    bomb = tmp_path / "bomb.jsonl.gz"
    bomb.write_bytes(gzip.compress(line + b" " * 40_000_000, mtime=0))
    with pytest.raises(DataError, match=r"unpacks to more than .* times its size"):
        op.Items.read(bomb)
    size = bomb.stat().st_size
    with pytest.raises(DataError, match=f"unpacks to more than {size:,} bytes"):
        op.Items.read(bomb, limits={"bytes": size})
    cut = tmp_path / "cut.jsonl.gz"
    cut.write_bytes(gzip.compress(line * 9, mtime=0)[:-9])
    with pytest.raises(DataError, match="damaged gzip file"):
        op.Items.read(cut)


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
        "n-samples": {"toy": {"original": 100, "effective": changes.get("run", len(scores))}},
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
    assert any(
        note.text == "Task 'toy' has 100 items, of which 6 were run." for note in items.notes
    )


@pytest.mark.parametrize(
    ("changes", "options", "match"),
    [
        ({"line2": {"prompt_hash": "other"}}, {}, "1 item has a different prompt.*'2'"),
        ({"line2": {"target_hash": "other"}}, {}, "1 item has a different target.*'2'"),
        ({"line2": {"target_hash": "other"}}, {"allow_other_prompts": True}, "a different target"),
        ({"line2": {"doc_hash": "other"}}, {}, "1 item has the same id but different content.*'2'"),
        (
            {"most": 4, "run": 4},
            {},
            "2 of 6 items are missing from some logs: 'b' lacks 2, such as '4', '5'",
        ),
        ({"line1": {"acc": None}}, {}, "1 score of 1 item is missing"),
        ({"line1": {"doc": {"subject": "other"}}}, {"cluster": "subject"}, "a different cluster"),
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
    fewer = lm_log(tmp_path / "c", B, most=4, run=4)
    items = op.Items.read(a, fewer, common_items=True)
    assert items.values[:, :, 0].tolist() == [A[:4], B[:4]]
    assert any("2 items that some model lacks were left out" in n.text for n in items.notes)
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
    with pytest.raises(DataError, match="1 score of 1 item is missing"):
        op.Items.read(lines(tmp_path / "nan.jsonl", records))


def test_rows_without_sample_numbers_are_numbered_in_order(tmp_path):
    records = [{k: v for k, v in one.items() if k != "sample"} for one in rows()]
    items = op.Items.read(lines(tmp_path / "t.jsonl", records))
    assert items.values.shape == (2, 6, 2)
    assert any("read as samples in file order" in note.text for note in items.notes)


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
    with pytest.raises(LogIncomplete, match="did not finish"):
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


def inspect_log(path: Path, values: list[list[Any]], **told: Any) -> Path:
    """Write a .json log of Inspect: the value of each item (row) and epoch."""
    samples = [
        {"id": f"q{i}", "epoch": e + 1, "scores": {"match": {"value": value}}}
        for i, row in enumerate(values)
        for e, value in enumerate(row)
    ]
    score = {"name": "match", "scorer": "match", "metrics": {"accuracy": {"value": 0.5}}, **told}
    about = {"model": "m", "task": "t", "scorers": [{"name": "match", "metrics": []}]}
    held = {"version": 2, "status": "success", "eval": about, "samples": samples}
    path.write_text(json.dumps({**held, "results": {"scores": [score]}}))
    return path


NONE = float("nan")


@pytest.mark.parametrize(
    ("values", "unscored", "agrees"),
    [
        ([["C", "I"], ["C", "C"]], 0, True),
        ([["C", "I"], [NONE, NONE]], 1, True),
        ([["C", NONE], ["C", "C"]], 0, True),  # one epoch without a score: the item has one
        ([["C", "I"], ["C", "C"]], 1, False),
        ([[NONE, NONE], [NONE, NONE], ["C", "C"]], 0, False),
    ],
)
def test_items_without_a_score_are_as_many_as_inspect_says(tmp_path, values, unscored, agrees):
    path = inspect_log(tmp_path / "a.json", values, unscored_samples=unscored)
    options = {"errors": "drop_pairs", "lower_is_better": False}
    if agrees:
        assert op.Items.read(path, **options).n >= 1
        return
    with pytest.raises(DataError, match=f"but its summary says {unscored}; it was modified"):
        op.Items.read(path, **options)


def test_repeats_of_openml_are_said_to_be_other_models():
    items = op.Items.read(LOGS / "openml/predictions.arff")
    assert any("the 2 repeats of each row were read as samples" in n.text for n in items.notes)


def sampled_log(path: Path, right: list[list[int]], **more: Any) -> Path:
    rows = [
        {"item": f"q{i}", "model": path.stem, "sample": s, "score": one, **more}
        for i, row in enumerate(right)
        for s, one in enumerate(row)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_pass_at_k_is_asked_for_by_its_name(tmp_path):
    paths = [
        sampled_log(tmp_path / "a.jsonl", [[1, 1, 0, 0], [1, 0, 0, 0], [1, 1, 1, 1]]),
        sampled_log(tmp_path / "b.jsonl", [[1, 0, 0, 0], [0, 0, 0, 0], [1, 1, 0, 1]]),
    ]
    items = op.Items.read(*paths, metric="pass@2")
    # 1 − C(n − c, 2)/C(n, 2) of n = 4 samples.
    assert items.metric == "pass@2"
    assert items.values[0, :, 0] == pytest.approx([5 / 6, 1 / 2, 1])
    assert items.values[1, :, 0] == pytest.approx([1 / 2, 0, 1])
    found = op.compare(*paths, metric="pass@2")
    assert found.method.name == "paired_t"
    assert found["a", "b"].estimate == pytest.approx((1 / 3 + 1 / 2 + 0) / 3)
    with pytest.raises(DataError, match="between 1 and the 4 samples"):
        op.Items.read(*paths, metric="pass@5")


def test_pass_at_k_of_one_of_several_metrics_names_both(tmp_path):
    path = LOGS / "inspect/a.json"
    with pytest.raises(DataError, match="metric='match/pass@2'"):
        op.Items.read(path, metric="pass@2")
    assert op.Items.read(path, metric="match/pass@2").metric == "pass@2"
    with pytest.raises(DataError, match="needs scores of 1"):
        op.Items.read(path, metric="multi/f1/pass@2")


def test_words_for_truths_are_read_as_in_json_lines(tmp_path):
    file = tmp_path / "log.csv"
    file.write_text("item,model,correct\n1,a,True\n2,a,False\n1,b,true\n2,b,true\n")
    assert op.Items.read(file).means.tolist() == [[1, 0], [1, 1]]


@pytest.mark.parametrize("together", [False, True])
def test_other_prompts_of_plain_rows_are_refused(tmp_path, together):
    def line(item: int, model: str, prompt: str) -> str:
        return json.dumps({"item": item, "model": model, "score": item % 2, "prompt": prompt})

    a, b = ([line(i, m, f"{m if i else 'x'}{i}") for i in range(3)] for m in "ab")
    files = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    files[0].write_text("\n".join(a + b if together else a))
    files[1].write_text("\n".join(b))
    logs = files[:1] if together else files
    with pytest.raises(DataError, match="2 items have a different prompt"):
        op.Items.read(*logs)
    assert op.Items.read(*logs, allow_other_prompts=True).n == 3


def test_numbers_beside_right_and_wrong_answers_are_no_model(tmp_path):
    file = tmp_path / "wide.csv"
    file.write_text("question_id,subject,a,b,weight\n1,s,0,1,1.5\n2,t,1,1,2\n3,t,0,1,1\n")
    with pytest.raises(DataError, match="but 'weight' does not"):
        op.Items.read(file, cluster="subject")
    assert op.Items.read(file, cluster="subject", learner=["a", "b"]).names == ("a", "b")


def test_an_item_in_two_clusters_of_judgements_is_named(tmp_path):
    file = tmp_path / "judged.csv"
    file.write_text("item,model_a,model_b,winner,judge\n1,x,y,x,j\n1,x,y,y,k\n2,x,y,y,k\n")
    with pytest.raises(DataError, match="puts item '1' into cluster 'j' and 'k'"):
        op.Items.read(file, cluster="judge")


def test_clusters_of_judgements_are_accounted_for(tmp_path):
    file = tmp_path / "judged.csv"
    won = "xxxyyxxxyxxy"
    rows = [f"{i},x,y,{w},t{i // 3}" for i, w in enumerate(won)]
    file.write_text("\n".join(["item,model_a,model_b,winner,topic", *rows]))
    found = op.compare(file, cluster="topic")
    net = [1.0 if w == "x" else -1.0 for w in won]
    want = op.methods.cluster_t(net, clusters=[i // 3 for i in range(12)])
    assert found.method.name == "cluster_t"
    assert found.pvalue == pytest.approx(want.pvalue, rel=1e-12)
    file.write_text(file.read_text() + "\n12,x,z,z,t0\n")
    with pytest.raises(DataError, match="more than two models on items in clusters"):
        op.compare(file, cluster="topic")
    assert len(op.rank(op.Items.read(_of_three(tmp_path))).names) == 3


def _of_three(folder: Path) -> Path:
    rows = [f"{i},{a},{b},{a if i % 3 else b}" for i, (a, b) in enumerate(["xy", "yz", "xz"] * 8)]
    file = folder / "three.csv"
    file.write_text("\n".join(["item,model_a,model_b,winner", *rows]))
    return file
