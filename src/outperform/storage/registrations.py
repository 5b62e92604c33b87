"""Registrations: the learners and metrics of a store, in the order they came; they may grow."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..designs import parse
from ..errors import DataError, counted
from . import meta_texts
from .contents import (
    NAME_LIMIT,
    RUN_FILE,
    SCHEMA,
    Learner,
    MetricKey,
    StoredExperiment,
    digest,
    has_tables,
    pack,
    read_meta,
    write_meta,
)
from .kernel import StoreError, quoted


class MetricEntry(NamedTuple):
    """A metric of a store."""

    number: int
    key: MetricKey
    turn: int
    """The highest is that of the metric that came first in the last run, its primary one."""

    @property
    def row(self) -> tuple[Any, ...]:
        scoring, name, greater, loss = self.key
        plain = (self.number, scoring, name, int(greater), loss, self.turn)
        return (*plain, digest(*plain))


def read_metrics(db: sqlite3.Connection, path: str) -> list[MetricEntry]:
    """Return all metrics, the primary one first; refuse if one is changed or lost."""
    query = "SELECT id, scoring, name, greater, loss, turn, checksum FROM metric ORDER BY id"
    found = []
    for row in db.execute(query).fetchall():
        entry = MetricEntry(row[0], MetricKey(row[1], row[2], bool(row[3]), row[4]), row[5])
        if entry.row != row:
            raise RUN_FILE.damaged(path, f"the row of metric {row[0]} is corrupt")
        meta_texts.check_row(path, f"metric {row[0]}", row[:-1], meta_texts.METRIC)
        found.append(entry)
    if str(len(found)) != read_meta(db, path, "metrics"):
        raise RUN_FILE.damaged(
            path, f"it has {counted(len(found), 'metric')}, not as many as recorded"
        )
    return sorted(found, key=lambda entry: (-entry.turn, entry.number))


def register_metrics(
    db: sqlite3.Connection, path: str, metrics: Sequence[MetricKey]
) -> list[MetricEntry]:
    """Enter the metrics of a run, the first as primary; return them with their numbers."""
    known = {entry.key.scoring: entry for entry in read_metrics(db, path)}
    latest = max((entry.turn for entry in known.values()), default=0)
    n_known = len(known)
    for at, key in enumerate(metrics):
        entry = known.get(key.scoring)
        if entry is None:
            entry = MetricEntry(1 + len(known), key, 0)
        elif entry.key != key:
            raise StoreError(
                f"The metric {quoted(key.name)} is not the one this store was started with; use "
                "another file, or the version of outperform that wrote it"
            )
        if at == 0 and entry.turn < max(latest, 1):
            entry = entry._replace(turn=latest + 1)
        if known.get(key.scoring) != entry:
            known[key.scoring] = entry
            db.execute("INSERT OR REPLACE INTO metric VALUES (?, ?, ?, ?, ?, ?, ?)", entry.row)
    if len(known) > n_known:
        write_meta(db, "metrics", str(len(known)))
    return [known[key.scoring] for key in metrics]


def read_experiment(db: sqlite3.Connection, real: str) -> StoredExperiment:
    """Check that the schema is ours to the letter, and return what the store holds."""
    if not has_tables(db, SCHEMA):
        raise RUN_FILE.damaged(real, "its tables are not those of a store")
    same = meta_texts.read_experiment(real, read_meta(db, real, "experiment"))
    del same["family"]
    design = read_meta(db, real, "design")
    meta_texts.check_design(real, design, same["n_items"])
    metrics = [entry.key for entry in read_metrics(db, real)] or [MetricKey("", "score")]
    plain = StoredExperiment(**same, design=design, scoring="")
    return plain.with_metrics(metrics)


def enlarge(db: sqlite3.Connection, real: str, asked: StoredExperiment) -> None:
    """Let the design of a store grow to the one that is asked for, unless it holds that already."""
    there = read_meta(db, real, "design")
    if there == asked.design:
        return
    n = asked.n_items
    if there and meta_texts.is_unwritten(db, there, n):
        there = ""
    kept, wanted = (
        set(pack(parse(design).addresses(n)).tolist()) if design else set()
        for design in (there, asked.design)
    )
    if not wanted <= kept:
        write_meta(db, "design", asked.design)


class Entry(NamedTuple):
    """One registration."""

    number: int
    learner: Learner
    turn: int
    """Grows with each registration that changed something: the highest of a name is current."""
    about: str
    """What the learner is, as JSON."""

    @property
    def row(self) -> tuple[Any, ...]:
        plain = (self.number, *self.learner, self.turn, self.about)
        return (*plain, digest(*plain))


def read_learners(db: sqlite3.Connection, path: str) -> list[Entry]:
    """Return all registrations in order; refuse if one is changed or lost."""
    query = "SELECT id, name, params, versions, turn, about, checksum FROM learner ORDER BY id"
    found = []
    for row in db.execute(query).fetchall():
        entry = Entry(row[0], Learner(*row[1:4]), *row[4:6])
        if entry.row != row:
            raise RUN_FILE.damaged(
                path, f"the row of learner {row[0]}, {quoted(row[1])}, is corrupt"
            )
        meta_texts.check_row(path, f"learner {row[0]}", row[:-1], meta_texts.LEARNER)
        found.append(entry)
    if str(len(found)) != read_meta(db, path, "learners"):
        raise RUN_FILE.damaged(
            path, f"it has {counted(len(found), 'learner')}, not as many as recorded"
        )
    return found


def current_learners(entries: list[Entry]) -> dict[str, Entry]:
    """Return the latest registration of each name, in the order the names came."""
    latest: dict[str, Entry] = {}
    for entry in entries:
        known = latest.get(entry.learner.name)
        if known is None or known.turn < entry.turn:
            latest[entry.learner.name] = entry
    return latest


def register(
    db: sqlite3.Connection, path: str, learner: Learner, describe: Mapping[str, Any]
) -> str | None:
    """Enter a learner, or make an earlier registration current again; say what changed."""
    name = str(learner.name)
    if not 0 < len(name) <= NAME_LIMIT or name.encode("utf-8", "ignore").decode() != name:
        raise DataError(f"{quoted(name)} cannot name a learner; use 1 to {NAME_LIMIT:,} characters")
    entries = read_learners(db, path)
    about = json.dumps(describe, sort_keys=True)
    turn = 1 + max((entry.turn for entry in entries), default=0)
    before = current_learners(entries).get(name)
    same = next((entry for entry in entries if entry.learner == learner), None)
    if before is not None and before == same:
        return None
    if same is None:
        number = 1 + max((entry.number for entry in entries), default=0)
        entry = Entry(number, Learner(*map(str, learner)), turn, about)
        db.execute("INSERT INTO learner VALUES (?, ?, ?, ?, ?, ?, ?)", entry.row)
        write_meta(db, "learners", str(len(entries) + 1))
    else:
        row = same._replace(turn=turn).row
        db.execute(
            "UPDATE learner SET turn = ?, checksum = ? WHERE id = ?", (turn, row[-1], row[0])
        )
    if before is None:
        return None
    told = _changes(before, learner, about)
    if same is None:
        return f"{quoted(name)} is rerun: {told}"
    return f"{quoted(name)} is the same as in an earlier run, whose fits are used again: {told}"


def _changes(before: Entry, now: Learner, about: str) -> str:
    old, new = _facts(before.about), _facts(about)
    changed = [
        f"{key} was {old.get(key, 'not set')}, now {new.get(key, 'not set')}"
        for key in dict.fromkeys([*old, *new])
        if old.get(key) != new.get(key)
    ]
    if not changed:
        pairs = {"parameters": "params", "library versions": "versions"}
        differ = [
            what for what, f in pairs.items() if getattr(before.learner, f) != getattr(now, f)
        ]
        changed = [f"its {' and '.join(differ)} changed"]
    return "; ".join(changed[:5]) + (f"; and {len(changed) - 5} more" if len(changed) > 5 else "")


def _facts(about: str) -> dict[str, str]:
    """Return what is said of a learner, by name."""
    return {
        key: quoted(value) for part in json.loads(about).values() for key, value in part.items()
    }
