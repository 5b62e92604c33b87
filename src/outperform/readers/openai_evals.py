"""OpenAI evals: events of a run in JSONL, first its specification."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .log_files import JsonLines, key_of
from .log_rows import LogRows, number_of, refuse_unfinished, score_of

TOOL = "OpenAI evals"


def is_log(first: Any, path: str) -> bool:
    """Tell a log by its first line."""
    return isinstance(first, Mapping) and isinstance(first.get("spec"), Mapping)


def read(path: str, limit: Mapping[str, int], options: Mapping[str, Any]) -> LogRows:
    """Read matches and metrics; several of one sample are answers to one item."""
    lines = JsonLines(path, limit)
    rows = LogRows(TOOL, repr(path))
    model, dataset, whole = "", "", False
    for line in lines:
        whole = whole or "final_report" in line
        if "spec" in line:
            fns = key_of(line["spec"], "completion_fns", repr(path))
            model = ", ".join(map(str, fns)) if isinstance(fns, list) else str(fns)
            dataset = str(line["spec"].get("eval_name", ""))
        kind, data = line.get("type"), line.get("data")
        if kind == "match" and isinstance(data, Mapping):
            found = {"accuracy": score_of(data.get("correct"))}
        elif kind == "metrics" and isinstance(data, Mapping):
            numbers = {str(name): number_of(value) for name, value in data.items()}
            found = {name: value for name, value in numbers.items() if value is not None}
        elif kind == "error":
            found = dict.fromkeys(rows.metrics or ("accuracy",))
            rows.n_unanswered += 1
        else:
            continue
        for metric, score in found.items():
            rows.add(model, dataset, metric, str(key_of(line, "sample_id", repr(path))), score)
    rows.sha256 = lines.sha256
    refuse_unfinished(rows, "" if whole else "no final report", options)
    return rows
