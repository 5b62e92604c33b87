"""Metadata: what a store says of itself, checked as it is read; anything odd is damage."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from typing import Any, get_args

from ..designs import parse
from ..errors import OutperformError
from ..scores.split_scores import Loss
from .contents import RUN_FILE
from .kernel import quoted

MANY = 10**6
"""Splits that are listed whether or not they are there."""
DEEPEST = 20
"""Levels of what is said of a learner."""

EXPERIMENT = {"data": str, "family": str, "seed": int, "n_items": int, "extra": dict}
LEARNER = (int, str, str, str, int, str)
METRIC = (int, str, str, int, object, int)


def read_json(path: str, text: str, what: str, is_sound: Callable[[Any], bool]) -> Any:
    """Return what a store keeps as JSON; refuse what no run has written."""
    try:
        value = json.loads(text)
        if is_sound(value):
            return value
    except (ValueError, TypeError, RecursionError):
        pass
    raise RUN_FILE.damaged(path, f"{what} is not as a run writes it")


def read_experiment(path: str, text: str) -> dict[str, Any]:
    """Return what all results of a store have in common."""
    experiment: dict[str, Any] = read_json(path, text, "its experiment", _is_experiment)
    return experiment


def check_design(path: str, design: str, n_items: int) -> None:
    """Refuse a design that cannot be read, or cannot be one of so many items."""
    try:
        if design:
            parse(design).n_splits(n_items)
    except OutperformError as error:
        raise RUN_FILE.damaged(path, f"its design cannot be read: {error}") from None


def is_unwritten(db: sqlite3.Connection, design: str, n_items: int) -> bool:
    """Tell whether a design has so many more splits than a store that none is worth listing."""
    planned = parse(design).n_splits(n_items)
    return planned > MANY and planned > db.execute("SELECT count(*) FROM split").fetchone()[0]


def check_row(path: str, what: str, row: tuple[Any, ...], types: tuple[type, ...]) -> None:
    """Refuse a row that holds other types than were written, or says nothing of a learner."""
    if not all(isinstance(value, kind) for value, kind in zip(row, types, strict=True)):
        raise RUN_FILE.damaged(path, f"the row of {what}, {quoted(row[1])}, is corrupt")
    if types == LEARNER:
        read_json(path, row[-1], f"what it says of {quoted(row[1])}", _is_about)
    elif row[4] not in (None, *get_args(Loss)):
        raise RUN_FILE.damaged(path, f"the loss of {quoted(row[1])} is unknown")


def is_notes(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(pair, list) and len(pair) == 2 and _are(str, pair) for pair in value
    )


def is_remark(value: Any) -> bool:
    is_whole = isinstance(value, dict) and value.keys() == {"error", "notes"}
    return is_whole and isinstance(value["error"], str | None) and is_notes(value["notes"])


def _is_experiment(value: Any) -> bool:
    if not isinstance(value, dict) or value.keys() != EXPERIMENT.keys():
        return False
    if not all(type(value[name]) is kind for name, kind in EXPERIMENT.items()):
        return False
    n_groups = value["extra"].get("_groups", "0")
    return (
        _are(str, value["extra"].values())
        and 0 <= value["n_items"] < 2**63
        and n_groups.isdecimal()
        and len(n_groups) < 19
    )


def _is_about(value: Any) -> bool:
    if not isinstance(value, dict) or not _is_shallow(value, DEEPEST):
        return False
    parts = [value.get(name, {}) for name in ("params", "versions", "answers")]
    if not _are(dict, parts):
        return False
    _, versions, answers = parts
    methods = answers.get("methods", [])
    return (
        _are(str, versions.values())
        and isinstance(answers.get("kind"), str | None)
        and isinstance(methods, list)
        and _are(str, methods)
    )


def _is_shallow(value: Any, levels: int) -> bool:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels > 0 and all(_is_shallow(part, levels - 1) for part in parts)


def _are(kind: type, values: Any) -> bool:
    return all(isinstance(value, kind) for value in values)
