"""Metadata: what a store says of itself, checked as it is read; anything odd is damage."""

from __future__ import annotations

import json
import sqlite3
from typing import Any, get_args

from ..designs import parse
from ..errors import OutperformError
from ..scores.split_scores import Loss
from .contents import RUN_FILE
from .kernel import quoted

MANY = 10**6
"""Splits that are listed whether or not they are there."""

TEXTS = {str: str}
NOTES = [(str, str)]
REMARK = {"error": str | None, "notes": NOTES}
EXPERIMENT = {"data": str, "family": str, "seed": int, "n_items": int, "extra": TEXTS}
ABOUT = {
    "params": TEXTS,
    "versions": TEXTS,
    "answers": {"kind": str | None, "methods": [str]},
}
LEARNER = (int, str, str, str, int, str)
METRIC = (int, str, str, int, str | None, int)


def read_json(path: str, text: str, what: str, form: Any) -> Any:
    """Return what a store keeps as JSON; refuse what no run has written."""
    try:
        value = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        value = None
    if not _has(value, form):
        raise RUN_FILE.damaged(path, f"{what} is not as a run writes it")
    return value


def _has(value: Any, form: Any) -> bool:
    """Tell whether a value has a form: a type, or a collection of forms."""
    match form:
        case dict() if str in form:  # of any names
            return isinstance(value, dict) and all(_has(v, form[str]) for v in value.values())
        case dict():
            names = value.keys() if isinstance(value, dict) else {""}
            return names <= form.keys() and all(_has(value[name], form[name]) for name in names)
        case list():
            return isinstance(value, list) and all(_has(part, form[0]) for part in value)
        case tuple():
            return isinstance(value, list) and list(map(type, value)) == list(form)
    return isinstance(value, form) and not isinstance(value, bool)


def read_experiment(path: str, text: str) -> dict[str, Any]:
    """Return what all results of a store have in common."""
    experiment: dict[str, Any] = read_json(path, text, "its experiment", EXPERIMENT)
    n_groups = experiment.get("extra", {}).get("_groups", "0")
    is_whole = experiment.keys() == EXPERIMENT.keys() and 0 <= experiment["n_items"] < 2**63
    if not (is_whole and n_groups.isdecimal() and len(n_groups) < 19):
        raise RUN_FILE.damaged(path, "its experiment is not as a run writes it")
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


def check_row(path: str, what: str, row: tuple[Any, ...], types: tuple[Any, ...]) -> None:
    """Refuse a row that holds other types than were written, or says nothing of a learner."""
    if not all(map(isinstance, row, types)):
        raise RUN_FILE.damaged(path, f"the row of {what}, {quoted(row[1])}, is corrupt")
    if types == LEARNER:
        read_json(path, row[-1], f"what it says of {quoted(row[1])}", ABOUT)
    elif row[4] not in (None, *get_args(Loss)):
        raise RUN_FILE.damaged(path, f"the loss of {quoted(row[1])} is unknown")
