"""Every Eval Ever: one schema for evaluations, with a row for each sample beside its summary."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import DataError
from .log_files import JsonLines, beside, key_of, stem_of, whole_json
from .log_rows import LogRows, field_of, score_of, text_of

TOOL = "Every Eval Ever"
UNKNOWN = -1.0
"""The score of a level that is not known, where the metric has such a level."""


def is_log(first: Any, path: str) -> bool:
    """Tell a file of samples, or the summary that names it, by its first object."""
    if not isinstance(first, Mapping) or "evaluation_id" not in first:
        return False
    return "evaluation" in first or "detailed_evaluation_results" in first


def read(path: str, limit: Mapping[str, int], options: Mapping[str, Any]) -> LogRows:
    """Read the samples; of a summary, those in the file that it names."""
    about: Mapping[str, Any] = {}
    if path.endswith((".json", ".json.gz")):
        about, _ = whole_json(path, limit)
        named = field_of(about, "detailed_evaluation_results.file_path")
        found = beside(path, Path(str(named)).name)
        if found is None:
            raise DataError(
                f"{path!r} names its samples {str(named)!r}, which were not found next to it. Copy "
                "that file into the same folder"
            )
        path = found
    else:
        summary = beside(path, stem_of(path).removesuffix("_samples") + ".json")
        if summary is not None:
            about, _ = whole_json(summary, limit)
    lines = JsonLines(path, limit)
    rows = LogRows(TOOL, repr(path), text_of(about.get("schema_version")))
    unknown = _metrics(about, rows)
    cluster, n = options.get("cluster"), 0
    for line in lines:
        n += 1
        metric = str(key_of(line, "evaluation_result_id", repr(path)))
        judged = key_of(line, "evaluation", repr(path))
        score = score_of(judged.get("score") if isinstance(judged, Mapping) else None)
        rows.n_unanswered += bool(line.get("error"))
        if line.get("error") or (score == UNKNOWN and metric in unknown):
            score = None
        dataset, _, name = metric.partition("#")
        metadata = line.get("metadata") or {}
        digest = text_of(line.get("sample_hash"))
        rows.add(
            str(key_of(line, "model_id", repr(path))),
            str(line.get("evaluation_name") or dataset),
            name or metric,
            text_of(line.get("sample_id")) or str(digest),
            score,
            key=digest,
            hash=digest,
            cluster=None if cluster is None else text_of(field_of(metadata, cluster)),
            sample=_epoch(metadata),
        )
    rows.sha256 = lines.sha256
    _check(about, n, rows.sha256, path)
    return rows


def _metrics(about: Mapping[str, Any], rows: LogRows) -> set[str]:
    """Keep the direction of each metric; return those for which −1 stands for no score."""
    unknown = set()
    for result in about.get("evaluation_results") or ():
        config = result.get("metric_config") or {}
        whole = str(result.get("evaluation_result_id") or config.get("metric_id"))
        lower = config.get("lower_is_better")
        rows.greater[whole.partition("#")[2] or whole] = None if lower is None else not lower
        if config.get("has_unknown_level"):
            unknown.add(whole)
    return unknown


def _epoch(metadata: Mapping[str, Any]) -> int:
    text = str(metadata.get("epoch", ""))
    return int(text) if text.isdecimal() else -1


def _check(about: Mapping[str, Any], n: int, sha256: str, path: str) -> None:
    """Refuse samples that are not those the summary describes."""
    told = about.get("detailed_evaluation_results") or {}
    total, checksum = told.get("total_rows"), told.get("checksum")
    if total is not None and total != n:
        raise DataError(
            f"{path!r} has {n:,} rows, but its summary says {total:,}; one of the two is "
            "incomplete. Download both again"
        )
    if checksum and str(told.get("hash_algorithm", "")).lower() == "sha256" and checksum != sha256:
        raise DataError(
            f"{path!r} has a different checksum from its summary; it was modified. Download both "
            "again"
        )
