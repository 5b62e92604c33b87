"""What a public call answers, as facts: names, numbers, verdicts and codes, and no sentence."""

from __future__ import annotations

import hashlib
import json
import math
import numbers
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from typing import Any

import numpy as np

FLIPPED = {
    "outperforms": "outperformed",
    "outperformed": "outperforms",
    "greater": "less",
    "less": "greater",
}
UNDECIDED = "no decision"
LEFT_OUT = {
    *("versions", "schema", "robustness", "detectable", "log_pvalue", "log_adjusted", "path"),
    *("sha256", "seconds", "cost", "environment", "software", "library", "summary", "explanation"),
}


def facts(answer: object) -> Any:
    """Return the facts of what a call returned."""
    if hasattr(answer, "values") and hasattr(answer, "design") and hasattr(answer, "names"):
        return _facts_of_scores(answer)
    for form in ("to_dict", "_asdict"):
        if hasattr(answer, form):
            return _clean(getattr(answer, form)())
    return _clean(answer)


def _facts_of_scores(scores: Any) -> dict[str, Any]:
    order = sorted(range(len(scores.names)), key=lambda i: scores.names[i])
    table = np.ascontiguousarray(np.asarray(scores.values, dtype="<f8")[order])
    return {
        "names": [scores.names[i] for i in order],
        "design": str(scores.design),
        "metric": scores.metric,
        "greater_is_better": bool(scores.greater_is_better),
        "shape": list(table.shape),
        "mean": [float(x) for x in np.nanmean(table, axis=tuple(range(1, table.ndim)))],
        "digest": hashlib.sha256(table.tobytes()).hexdigest()[:16],
    }


def refusal(error: BaseException) -> dict[str, str]:
    return {"refused": type(error).__name__}


def _clean(value: Any) -> Any:
    if isinstance(value, Mapping):
        return _mapping(value)
    if isinstance(value, np.ndarray):
        return _clean(value.tolist())
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, numbers.Real):
        return float(value) if math.isfinite(value) else str(float(value))
    if isinstance(value, str):
        return None if _is_sentence(value) else value
    if isinstance(value, Sequence | set | frozenset):
        return _sequence(value)
    if hasattr(value, "to_dict"):
        return _clean(value.to_dict())
    return _clean(asdict(value)) if is_dataclass(value) and not isinstance(value, type) else None


def _code(note: Any) -> str:
    if isinstance(note, str):
        return note
    return note["code"] if isinstance(note, Mapping) else note.code


def _is_sentence(value: object) -> bool:
    return isinstance(value, str) and value != UNDECIDED and any(map(str.isspace, value.strip()))


def _mapping(table: Mapping[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = {}
    for key, value in table.items():
        if str(key) in LEFT_OUT:
            continue
        if key == "notes":
            answer["notes"] = sorted({_code(note) for note in value})
            continue
        if _is_sentence(value):
            continue
        answer[str(key)] = _clean(value)
    return _in_order_of_names(answer)


def _sequence(rows: Any) -> list[Any]:
    cleaned = [_clean(row) for row in rows]
    if cleaned and all(isinstance(row, dict) and "names" in row for row in cleaned):
        cleaned.sort(key=lambda row: json.dumps(row["names"]))
    return [row for row in cleaned if row is not None or None in rows]


def _in_order_of_names(row: dict[str, Any]) -> dict[str, Any]:
    """Return a pair with its names in alphabetical order, and its statistic without a sign.

    The sign is the estimate's: a t turns with the pair, a chi-squared or an F does not.
    """
    names = row.get("names")
    if not isinstance(names, list):
        return row
    if "pairs" in row:
        return row | {"names": sorted(names)}
    if len(names) != 2 or None in names or "estimate" not in row:
        return row
    if isinstance(row.get("statistic"), float):
        row["statistic"] = abs(row["statistic"])
    if names[0] <= names[1]:
        return row
    turned = row | {"names": names[::-1], "estimate": _negated(row["estimate"])}
    if "mu0" in row:
        turned["mu0"] = _negated(row["mu0"])
    if {"low", "high"} <= row.keys():
        turned["low"], turned["high"] = (_negated(row[key]) for key in ("high", "low"))
    for key in {"verdict", "alternative"} & row.keys():
        turned[key] = FLIPPED.get(row[key], row[key])
    return turned


def _negated(x: Any) -> Any:
    if x in ("inf", "-inf"):
        return str(-float(x))
    return 0.0 - x if isinstance(x, float) else x


def differences(expected: Any, answer: Any, where: str = "") -> list[str]:
    """Return where answers differ: numbers by over 1e-12 of themselves or 1e-14 of the scale."""
    return list(_differences(expected, answer, where, 1e-14 * max(1.0, _scale(expected))))


def _scale(answer: Any) -> float:
    if isinstance(answer, dict):
        own = [abs(answer[k]) for k in ("estimate", "low", "high") if _is_number(answer.get(k))]
        return max([0.0, *own, *map(_scale, answer.values())])
    return max([0.0, *map(_scale, answer)]) if isinstance(answer, list) else 0.0


def _is_number(x: Any) -> bool:
    return isinstance(x, int | float) and not isinstance(x, bool)


def _differences(expected: Any, answer: Any, where: str, close: float) -> Iterator[str]:
    if isinstance(expected, dict) and isinstance(answer, dict):
        for key in sorted({*expected, *answer}):
            sides = (table.get(key, "absent") for table in (expected, answer))
            yield from _differences(*sides, f"{where}.{key}", close)
    elif isinstance(expected, list) and isinstance(answer, list) and len(expected) == len(answer):
        for i, sides in enumerate(zip(expected, answer, strict=True)):
            yield from _differences(*sides, f"{where}[{i}]", close)
    elif _is_number(expected) and _is_number(answer):
        if not math.isclose(expected, answer, rel_tol=1e-12, abs_tol=close):
            yield f"{where}: {expected!r} is now {answer!r}"
    elif type(expected) is not type(answer) or expected != answer:
        yield f"{where}: {expected!r} is now {answer!r}"
