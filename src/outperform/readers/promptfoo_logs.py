"""promptfoo: results.json, one result for each prompt, provider, test and repetition."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from ..errors import argument
from .log_files import key_of, whole_json
from .log_rows import LogRows, field_of, score_of, text_of

TOOL = "promptfoo"
ERROR = 2
"""The failure reason of a test that could not be run; 1 is an assertion that did not hold."""


def is_log(first: Any, path: str) -> bool:
    """Tell the output of an evaluation by its keys."""
    return isinstance(first, Mapping) and "evalId" in first and "results" in first


def read(path: str, limit: Mapping[str, int], options: Mapping[str, Any]) -> LogRows:
    """Read the results: each repetition has its own test number, so items are told by content."""
    value, digest = whole_json(path, limit)
    rows = LogRows(TOOL, repr(path), sha256=digest)
    outer = key_of(value, "results", repr(path))
    rows.version = text_of(outer.get("version"))
    results = key_of(outer, "results", repr(path))
    prompts = _several_prompts(results)
    cluster = options.get("cluster")
    for one in results:
        provider = one.get("provider") or {}
        model = str(provider.get("label") or key_of(provider, "id", repr(path)))
        model += f", prompt {one.get('promptIdx')}" if model in prompts else ""
        content = _content(one)
        unanswered = one.get("failureReason") == ERROR
        rows.n_unanswered += unanswered
        failed = unanswered or field_of(one, "gradingResult.metadata.graderError")
        scores = {"score": one.get("score"), "success": one.get("success")}
        scores |= one.get("namedScores") or {}
        for metric, score in scores.items():
            rows.add(
                model,
                str(value.get("config", {}).get("description") or "promptfoo"),
                str(metric),
                _shown(one.get("vars") or {}),
                None if failed else score_of(score),
                key=content,
                hash=content,
                cluster=None if cluster is None else text_of(_clustered(one, cluster)),
            )
    rows.greater |= {"score": True, "success": True}
    if not options.get("metric") and "score" in rows.metrics:
        other = argument(metric="success")
        rows.said.append(
            f"Metric 'score' was used; for whether all assertions passed, pass {other}"
        )
    return rows


def _several_prompts(results: Any) -> set[str]:
    seen: dict[str, set[Any]] = {}
    for one in results:
        provider = one.get("provider") or {}
        name = str(provider.get("label") or provider.get("id"))
        seen.setdefault(name, set()).add(one.get("promptIdx"))
    return {name for name, prompts in seen.items() if len(prompts) > 1}


def _content(one: Mapping[str, Any]) -> str:
    """Return a hash of what a test asks: its variables and assertions."""
    asked = {k: v for k, v in (one.get("vars") or {}).items() if not str(k).startswith("__")}
    checks = field_of(one, "testCase.assert")
    return sha256(json.dumps([asked, checks], sort_keys=True).encode()).hexdigest()


def _shown(asked: Mapping[str, Any]) -> str:
    words = [str(value) for key, value in asked.items() if not str(key).startswith("__")]
    return ", ".join(words)[:200]


def _clustered(one: Mapping[str, Any], cluster: str) -> Any:
    places = (f"vars.{cluster}", f"testCase.metadata.{cluster}", f"testCase.vars.{cluster}")
    found = (field_of(one, place) for place in places)
    return next((value for value in found if value is not None), None)
