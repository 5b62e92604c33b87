"""HELM: per_instance_stats.json of a run, with its run_spec.json beside."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import DataError, counted
from .log_files import beside, key_of, whole_json
from .log_rows import LogRows, score_of, text_of

TOOL = "HELM"
GREATER = ("exact_match", "quasi_exact_match", "prefix_exact_match", "f1_score", "rouge_l")
LOWER = ("bits_per_byte", "inference_runtime")


def is_log(first: Any, path: str) -> bool:
    """Tell a file of statistics by its first record."""
    records: list[Any] = first if isinstance(first, list) else []
    return (
        bool(records)
        and isinstance(records[0], Mapping)
        and {"instance_id", "stats"} <= {*records[0]}
    )


def read(path: str, limit: Mapping[str, int], options: Mapping[str, Any]) -> LogRows:
    """Read the mean of each instance and trial; perturbed instances are left out, and said."""
    value, digest = whole_json(path, limit)
    rows = LogRows(TOOL, repr(path), sha256=digest)
    spec = beside(path, "run_spec.json")
    if spec is None:
        raise DataError(
            f"{path!r} does not name its model; run_spec.json of the same run must be in the same "
            "folder. Copy it into the same folder"
        )
    about, _ = whole_json(spec, limit)
    model = str(key_of(key_of(about, "adapter_spec", repr(spec)), "model", repr(spec)))
    name = str(about.get("name") or Path(path).resolve().parent.name)
    dataset = re.sub(r"[,:]model=[^,]*", "", name)
    left_out, cluster = 0, options.get("cluster")
    for one in value:
        if one.get("perturbation"):
            left_out += 1
            continue
        for stat in key_of(one, "stats", repr(path)):
            what = key_of(stat, "name", repr(path))
            if what.get("perturbation"):
                left_out += 1
                continue
            within = what.get(cluster) if cluster in ("sub_split", "split") else None
            rows.add(
                model,
                dataset,
                str(key_of(what, "name", repr(path))),
                str(key_of(one, "instance_id", repr(path))),
                score_of(stat.get("mean")),
                cluster=text_of(within) if cluster != "dataset" else dataset,
                sample=int(one.get("train_trial_index") or 0),
            )
    for metric in rows.metrics:
        known = {**dict.fromkeys(GREATER, True), **dict.fromkeys(LOWER, False)}
        rows.greater[metric] = known.get(metric)
    if left_out:
        many = counted(left_out, "perturbed instance was", "perturbed instances were")
        rows.said.append(f"{path!r}: {many} left out")
    if len({*rows.sample}) > 1:
        rows.said.append(
            f"{path!r}: samples are trials with different in-context examples, not different "
            "answers to the same prompt"
        )
    return rows
