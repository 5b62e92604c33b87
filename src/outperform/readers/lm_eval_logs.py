"""lm-evaluation-harness: samples_*.jsonl, with the results_*.json of the same run beside them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import DataError
from ..scores.log_header import PrintedMean
from .column_names import shown
from .log_files import JsonLines, beside, stem_of, whole_json
from .log_rows import LogRows, field_of, number_of, refuse_unfinished, score_of, text_of

TOOL = "lm-evaluation-harness"
NAMED = re.compile(r"samples_(.+)_(\d{4}-\d\d-\d\dT.+)\.jsonl(?:\.gz)?$")


def is_log(first: Any, path: str) -> bool:
    """Tell a file of samples by its first object."""
    return isinstance(first, Mapping) and "doc_id" in first and ("doc" in first or "resps" in first)


def read(path: str, limit: Mapping[str, int], options: Mapping[str, Any]) -> LogRows:
    """Read the samples of one task: each metric and filter is a metric of its own."""
    named = NAMED.search(Path(path).name)
    task = named[1] if named else stem_of(path).removeprefix("samples_")
    results: Mapping[str, Any] = {}
    summary = beside(path, f"results_{named[2]}.json") if named else None
    if summary is not None:
        results, _ = whole_json(summary, limit)
    rows = LogRows(TOOL, repr(path), text_of(results.get("lm_eval_version")))
    model = str(results.get("model_name") or Path(path).resolve().parent.name)
    if not results:
        rows.said.append(
            f"No results_*.json was found next to {path!r}: the model was named after its folder, "
            f"{model!r}"
        )
    _about(results, task, rows)
    lines, cluster = JsonLines(path, limit), options.get("cluster")
    twins: dict[str, dict[str, int]] = {}
    most_resps = 1
    for line in lines:
        doc_id, digest = str(line.get("doc_id")), text_of(line.get("doc_hash"))
        key = digest
        if digest is not None:  # identical documents are numbered in order
            alike = twins.setdefault(digest, {})
            rank = alike.setdefault(doc_id, len(alike))
            key = digest if rank == 0 else f"{digest}#{rank}"
        resps = line.get("resps")
        if isinstance(resps, list) and resps and isinstance(resps[0], list):
            most_resps = max(most_resps, len(resps[0])) if len(resps) == 1 else most_resps
        chosen = line.get("filter")
        for metric in line.get("metrics") or ():
            value = line.get(metric)
            if isinstance(value, list | dict):
                _no_mean(rows, path, metric, options)
                continue
            rows.add(
                model,
                task,
                metric if chosen is None else f"{metric},{chosen}",
                doc_id,
                score_of(value),
                key=key,
                hash=digest,
                prompt=text_of(line.get("prompt_hash")),
                target=text_of(line.get("target_hash")),
                cluster=None if cluster is None else text_of(_clustered(line, cluster)),
            )
    rows.sha256 = lines.sha256
    n = ((results.get("n-samples") or {}).get(task) or {}).get("effective")
    n_read = len({item.id for item in rows.items})
    lacking = isinstance(n, int) and 0 < n_read < n
    refuse_unfinished(rows, f"{n_read:,} of {n:,} items" if lacking else "", options)
    if most_resps > 1 and line.get("filter") is not None:
        rows.reducer = "filter"
        rows.said.append(
            f"{path!r} has up to {most_resps} responses for an item but one score, made by a "
            "filter: the samples cannot be compared one by one"
        )
    return rows


def _clustered(line: Mapping[str, Any], cluster: str) -> Any:
    found = field_of(line, cluster)
    return field_of(line.get("doc") or {}, cluster) if found is None else found


def _no_mean(rows: LogRows, path: str, metric: str, options: Mapping[str, Any]) -> None:
    """Leave out a metric of whole corpora, or refuse it where it was asked for."""
    asked = str(options.get("metric") or "")
    if asked.partition(",")[0] == metric:
        raise DataError(
            f"{path!r} has lists for the metric {shown(metric)}, which is not a mean over items. "
            "Choose a metric with a number for each item"
        )
    said = f"{path!r}: metric {metric} was left out because it is not a mean over items"
    if said not in rows.said:
        rows.said.append(said)


def _about(results: Mapping[str, Any], task: str, rows: LogRows) -> None:
    """Keep direction, what was printed, and how much of the benchmark was run."""
    higher = field_of(results, "higher_is_better") or {}
    for name, value in (results.get("results") or {}).get(task, {}).items():
        metric, comma, chosen = name.partition(",")
        if not comma or metric.endswith("_stderr"):
            continue
        rows.greater[name] = (higher.get(task) or {}).get(metric)
        stderr = results["results"][task].get(f"{metric}_stderr,{chosen}")
        if number_of(value) is not None:
            mean = PrintedMean(float(value), number_of(stderr), name)
            rows.printed[task, name] = mean
    n = (results.get("n-samples") or {}).get(task) or {}
    if n.get("original") and n.get("effective") and n["effective"] < n["original"]:
        rows.n_original = int(n["original"])
        rows.say_once(
            f"Task {shown(task)} has {n['original']:,} items, of which {n['effective']:,} were run"
        )
    version = text_of(field_of(results, "versions") and results["versions"].get(task))
    rows.task_versions = {} if version is None else {task: version}
    groups = results.get("group_subtasks") or {}
    rows.grouped = any(task in (parts or ()) for parts in groups.values())
    run = results.get("config") or {}
    keys = ("model_args", "gen_kwargs", "limit")
    rows.about_run = {key: str(run[key]) for key in keys if run.get(key) is not None} | {
        key: str(results[key])
        for key in ("chat_template_sha", "system_instruction_sha")
        if results.get(key)
    }
