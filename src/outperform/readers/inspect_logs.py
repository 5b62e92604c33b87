"""Inspect: .eval logs, zip files whose members may be packed with Zstandard, and .json logs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..errors import DataError
from ..scores.log_header import PrintedMean
from .column_names import shown
from .log_files import json_value, key_of, whole_json
from .log_rows import (
    GRADES,
    LogRows,
    field_of,
    number_of,
    refuse_unfinished,
    score_of,
    text_of,
)
from .zip_members import ZipMembers

TOOL = "Inspect"
REMOVED = "Key removed from summary (> 1k)"


def is_log(first: Any, path: str) -> bool:
    """Tell a .json log by its keys."""
    return isinstance(first, Mapping) and {"version", "status", "eval"} <= {*first}


def read(path: str, limit: Mapping[str, int], options: Mapping[str, Any]) -> LogRows:
    """Read a .json log."""
    value, digest = whole_json(path, limit)
    samples = value.get("samples") or []
    return _read(path, digest, value, samples, options, lambda one: one)


def read_zip(path: str, limit: Mapping[str, int], options: Mapping[str, Any]) -> LogRows:
    """Read a .eval log: its summaries, not the transcripts."""
    with ZipMembers(path, limit) as members:
        whole = "header.json" in members.names
        header: Any = _json(members, "header.json" if whole else "_journal/start.json", path)
        header.setdefault("status", "started")

        def opened(one: Mapping[str, Any]) -> Mapping[str, Any]:
            stem = f"samples/{one.get('id')}_epoch_{one.get('epoch')}"
            names = [f"{stem}.json", f"{stem}/sample.json"]
            member = next((n for n in names if n in members.names), names[0])
            found: Mapping[str, Any] = _json(members, member, path)
            return found

        digest = sha256(Path(path).read_bytes()).hexdigest()
        return _read(path, digest, header, _summaries(members, path), options, opened)


def _json(members: ZipMembers, name: str, path: str) -> Any:
    return json_value(members.read(name), f"{path!r}, member {name!r}")


def _summaries(members: ZipMembers, path: str) -> Iterator[Mapping[str, Any]]:
    if "summaries.json" in members.names:
        yield from _json(members, "summaries.json", path)
        return
    parts = [n for n in members.names if n.startswith("_journal/summaries/")]
    for name in sorted(parts, key=lambda n: int(Path(n).stem) if Path(n).stem.isdecimal() else 0):
        yield from _json(members, name, path)


def _read(
    path: str,
    digest: str,
    header: Mapping[str, Any],
    samples: Any,
    options: Mapping[str, Any],
    opened: Any,
) -> LogRows:
    status = header.get("status")
    about = key_of(header, "eval", repr(path))
    rows = LogRows(TOOL, repr(path), text_of(field_of(about, "packages.inspect_ai")), digest)
    refuse_unfinished(rows, "" if status == "success" else f"status {shown(status)}", options)
    model, version = str(key_of(about, "model", repr(path))), about.get("task_version")
    dataset = str(key_of(about, "task", repr(path))) + (f"@{version}" if version else "")
    reducer = field_of(about, "config.epochs_reducer")
    rows.reducer = None if not reducer else ", ".join(map(str, reducer))
    cluster = options.get("cluster")
    failed: set[tuple[str, int]] = set()
    n_samples = 0
    for one in samples:
        n_samples += 1
        within = None
        if cluster is not None:
            within = field_of(one.get("metadata") or {}, cluster)
            if within == REMOVED:
                within = field_of(opened(one).get("metadata") or {}, cluster)
        scores = one.get("scores") or {}
        values = dict(_values(scores))
        rows.n_unanswered += bool(one.get("error"))
        if one.get("error") or not values:
            values = dict.fromkeys(rows.metrics or _scorers(about))
            failed.add((str(one.get("id")), int(one.get("epoch") or 1)))
        for metric, value in values.items():
            rows.add(
                model,
                dataset,
                metric,
                str(key_of(one, "id", repr(path))),
                value,
                target=text_of(one.get("target")),
                cluster=text_of(within),
                sample=int(one.get("epoch") or 1),
            )
    planned = field_of(header, "results.total_samples")
    if isinstance(planned, int) and n_samples < planned:
        refuse_unfinished(rows, f"{n_samples} of {planned} samples", options)
    rows.greater |= {metric: True for metric in rows.metrics if _graded(about, metric)}
    _printed(header, dataset, rows)
    _check_unscored(header, rows, failed)
    run = {"model_generate_config": "model_generate_config", "task_args": "task_args"}
    rows.about_run = {
        f"{name}.{key}": str(value)
        for name in (*run, "metadata")
        for key, value in (about.get(name) or {}).items()
    }
    return rows


def _values(scores: Mapping[str, Any]) -> Iterator[tuple[str, float | None]]:
    for scorer, score in scores.items():
        value = score.get("value") if isinstance(score, Mapping) else score
        if isinstance(value, Mapping):
            for key, part in value.items():
                yield f"{scorer}/{key}", _number(part)
        else:
            yield str(scorer), _number(value)


def _number(value: Any) -> float | None:
    return GRADES[value] if isinstance(value, str) and value in GRADES else score_of(value)


def _scorers(about: Mapping[str, Any]) -> list[str]:
    plain = [one for one in about.get("scorers") or () if isinstance(one.get("metrics"), list)]
    return [str(one.get("name")) for one in plain]


def _graded(about: Mapping[str, Any], metric: str) -> bool:
    """Tell whether the tool's own accuracy is taken of a scorer: then greater is better."""
    for one in about.get("scorers") or ():
        if one.get("name") == metric and isinstance(one.get("metrics"), list):
            return any(str(m.get("name", "")).endswith("accuracy") for m in one["metrics"])
    return False


def _printed(header: Mapping[str, Any], dataset: str, rows: LogRows) -> None:
    for score in field_of(header, "results.scores") or ():
        metric, metrics = _summed_up(score), score.get("metrics") or {}
        mean = next((metrics[m]["value"] for m in ("accuracy", "mean") if m in metrics), None)
        if number_of(mean) is not None and metric in rows.metrics:
            stderr = number_of((metrics.get("stderr") or {}).get("value"))
            rows.printed[dataset, metric] = PrintedMean(float(mean or 0.0), stderr, metric)


def _summed_up(score: Mapping[str, Any]) -> str:
    """Return which metric an entry of the summary is about."""
    scorer, name = score.get("scorer"), score.get("name")
    return str(scorer) if scorer == name else f"{scorer}/{name}"


def _check_unscored(header: Mapping[str, Any], rows: LogRows, failed: set[tuple[str, int]]) -> None:
    """Refuse a log whose summary counts other items without a score than its samples have.

    Inspect counts an item if none of its epochs has a score, and may or may not count those that
    ended in an error.
    """
    for score in field_of(header, "results.scores") or ():
        metric, told = _summed_up(score), score.get("unscored_samples")
        if metric not in rows.metrics or not isinstance(told, int):
            continue
        some, by_error, scored = set(), set(), set()
        for at, (number, value) in enumerate(zip(rows.item_at, rows.score, strict=True)):
            if rows.metric_at[at] != rows.metrics[metric]:
                continue
            if not math.isnan(value):
                scored.add(number)
                continue
            some.add(number)
            if (rows.items[number].id, rows.sample[at]) in failed:
                by_error.add(number)
        least = len(some - scored - by_error)
        if not least <= told <= len(some):
            raise DataError(
                f"{rows.file} has {len(some):,} items without a score of {shown(metric)}, but its "
                f"summary says {told:,}; it was modified. Download it again"
            )
