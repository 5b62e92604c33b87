"""Learners: who was registered with which parameters and versions, and what changed since."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ..errors import DataError
from .errors import StoreError, ascii_safe, damaged, quoted
from .file import read_meta, write_meta
from .rows import DETAIL_LIMIT, bounded, digest
from .values import Learner

__all__ = ["Entry", "current", "read", "register"]

NAME_LIMIT = 10_000


class Entry(NamedTuple):
    """One registration."""

    number: int
    learner: Learner
    planned: int
    turn: int
    """Grows with each registration that changed something: the highest of a name is current."""
    about: str
    """What the learner is, as JSON."""

    @property
    def row(self) -> tuple[Any, ...]:
        plain = (self.number, *self.learner, self.planned, self.turn, self.about)
        return (*plain, digest(*plain))


def read(db: sqlite3.Connection, path: str) -> list[Entry]:
    """Return all registrations in order; refuse if one is changed or lost."""
    query = (
        "SELECT id, name, params, versions, planned, turn, about, checksum FROM learner ORDER BY id"
    )
    found = []
    for row in db.execute(query).fetchall():
        entry = Entry(row[0], Learner(*row[1:4]), *row[4:7])
        if entry.row != row:
            raise damaged(path, f"the row of learner {row[0]}, {quoted(row[1])}, is not as written")
        found.append(entry)
    if str(len(found)) != read_meta(db, path, "learners"):
        raise damaged(path, f"{len(found)} learners are there, but more or fewer were written")
    return found


def current(entries: list[Entry]) -> dict[str, Entry]:
    """Return the latest registration of each name, in the order the names came."""
    latest: dict[str, Entry] = {}
    for entry in entries:
        known = latest.get(entry.learner.name)
        if known is None or known.turn < entry.turn:
            latest[entry.learner.name] = entry
    return latest


def register(
    db: sqlite3.Connection, path: str, learner: Learner, planned: int, describe: Mapping[str, Any]
) -> str | None:
    """Enter a learner, or make an earlier registration current again; say what changed."""
    name = str(learner.name)
    if not 0 < len(name) <= NAME_LIMIT or ascii_safe(name) != name:
        raise DataError(f"{quoted(name)} cannot name a learner; use 1 to {NAME_LIMIT:,} characters")
    entries = read(db, path)
    about = json.dumps(_plain(describe), sort_keys=True)
    turn = 1 + max((entry.turn for entry in entries), default=0)
    before = current(entries).get(name)
    same = next((entry for entry in entries if entry.learner == learner), None)
    if same is not None and same.planned != planned:
        raise StoreError(
            f"{quoted(name)} was planned with {same.planned} cells in {quoted(path)}, now with "
            f"{planned}; use another file"
        )
    if before is not None and before == same:
        return None
    if same is None:
        number = 1 + max((entry.number for entry in entries), default=0)
        entry = Entry(number, Learner(*map(str, learner)), int(planned), turn, about)
        db.execute("INSERT INTO learner VALUES (?, ?, ?, ?, ?, ?, ?, ?)", entry.row)
        write_meta(db, "learners", str(len(entries) + 1))
    else:
        row = same._replace(turn=turn).row
        db.execute(
            "UPDATE learner SET turn = ?, checksum = ? WHERE id = ?", (turn, row[-1], row[0])
        )
    if before is None:
        return None
    told = _changes(before, learner, json.loads(about))
    if same is None:
        return f"{quoted(name)} is run anew: {told}"
    return f"{quoted(name)} is as it was before, and its earlier cells count again: {told}"


def _changes(before: Entry, now: Learner, about: dict[str, Any]) -> str:
    old, new = dict(_leaves(json.loads(before.about))), dict(_leaves(about))
    said = [
        f"{key} was {_told(old, key)}, now {_told(new, key)}"
        for key in dict.fromkeys([*old, *new])
        if (key in old, old.get(key)) != (key in new, new.get(key))
    ]
    if not said:
        pairs = {"parameters": "params", "library versions": "versions"}
        differ = [
            what for what, f in pairs.items() if getattr(before.learner, f) != getattr(now, f)
        ]
        said = [f"its {' and '.join(differ)} changed"]
    return "; ".join(said[:5]) + (f"; and {len(said) - 5} more" if len(said) > 5 else "")


def _told(facts: dict[str, Any], key: str) -> str:
    value = facts.get(key, "not set")
    return quoted(value) if isinstance(value, str) and key in facts else bounded(str(value), 80)


def _leaves(about: dict[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Yield parameters by name; groups at the top, such as "params", are left out of the names."""
    for key, value in about.items():
        path = (*above, key)
        if isinstance(value, dict) and value:
            yield from _leaves(value, path)
        else:
            yield ".".join(path[1:] or path), value


def _plain(value: Any) -> Any:
    """Return a value as JSON holds it; what it cannot hold, as text."""
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    return bounded(value if isinstance(value, str) else repr(value), DETAIL_LIMIT)
