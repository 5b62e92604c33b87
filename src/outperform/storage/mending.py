"""Repair: what is intact in a damaged or older store is copied into a new file."""

from __future__ import annotations

import json
import math
import os
import shutil
import sqlite3
from collections.abc import Iterable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from string import hexdigits
from typing import Any
from uuid import uuid4

from . import contents, sharing
from .checking import ITEMS, LOSSES, LOSSES_1, REMARK, CheckReport, Survey, blob, keeps_items, look
from .contents import NONE, RUN_FILE, StoredExperiment, make_run_file, write_meta
from .first_schema import FIRST_FILE, cells_of, make_first_file, rows_of_split
from .kernel import FROM_SQLITE, PAGE, StoreError, quoted, transaction


def drop_damaged(path: Any) -> CheckReport:
    """Take damaged fits away, so that the next run computes them; return what was found.

    All that is sound is copied into a new file, which takes the place of the old one; that is kept
    beside it, with `.damaged` at the end of its name. A sound store is left as it is.
    """
    real = RUN_FILE.find_any(path)
    found, report = look(real)
    if not report.ok:
        _rewrite(real, found, "damaged")
    return report


def upgrade(path: Any) -> bool:
    """Write a store of an older schema in this one; tell whether there was anything to do.

    The old file is kept beside it, with `.schema1` at the end of its name.
    """
    real = RUN_FILE.find_any(path)
    found, report = look(real)
    if not report.ok:
        raise RUN_FILE.damaged(real, "an upgrade would leave out what is damaged")
    if found.is_first:
        _rewrite(real, found, "schema1")
    return found.is_first


def _rewrite(real: str, found: Survey, ending: str) -> None:
    """Put a new file with all that is sound in the place of the old one, which is kept."""
    if _in_use(real):
        raise StoreError(f"{quoted(real)} is in use; wait for the run to end")
    fresh, headed = (f"{real}.{uuid4().hex}" for _ in range(2))
    try:
        source = real
        if found.experiment is None:
            source = headed
            _give_head(real, headed)
            found, _ = look(headed)
        if found.experiment is None:
            raise RUN_FILE.damaged(real, "its experiment cannot be read; restore a copy")
        _copy(source, fresh, found, found.experiment)
        if not look(fresh)[1].ok:
            raise RUN_FILE.damaged(real, "no intact copy could be made; restore one")
        _keep(real, ending)
        _settle(real)
        os.replace(fresh, real)
        _remove(real, "-wal", "-shm")
        _forget_drafts(real)
    finally:
        for draft in (fresh, headed):
            _remove(draft, "", "-wal", "-shm")


def _in_use(real: str) -> bool:
    with suppress(*FROM_SQLITE), closing(RUN_FILE.for_reading(real)) as db:
        return any(alive for alive, _ in sharing.owners(db).values())
    return False


def _new_store(real: str, experiment: StoredExperiment) -> sqlite3.Connection:
    return RUN_FILE.for_writing(real, partial(make_run_file, experiment=experiment))


def _give_head(real: str, to: str) -> None:
    """Copy a store under the first page of a new one: it holds the tables, always the same."""
    if _version(real) == 1:
        FIRST_FILE.for_writing(to, make_first_file).close()
    else:
        _new_store(to, StoredExperiment("", "", "", 0, 0)).close()
    with open(to, "rb") as new:
        page = bytearray(new.read(PAGE))
    pages = -(-max(os.path.getsize(real), os.path.getsize(to)) // PAGE)
    page[24:28] = page[92:96] = (1).to_bytes(4, "big")  # the number of changes: the next is valid
    page[28:32] = pages.to_bytes(4, "big")
    page[32:40] = bytes(8)  # no free pages
    shutil.copyfile(real, to)
    with open(to, "r+b") as copy:
        copy.write(page)
        copy.truncate(pages * PAGE)


def _copy(source: str, fresh: str, found: Survey, experiment: StoredExperiment) -> None:
    """Write what is sound into a new store, row by row as it was."""
    with (
        RUN_FILE.typed(fresh),
        closing(RUN_FILE.for_reading(source)) as db,
        closing(_new_store(fresh, experiment)) as new,
        transaction(new),
    ):

        def put(table: str, rows: Iterable[tuple[Any, ...]]) -> None:
            for row in rows:
                marks = ", ".join("?" * len(row))
                new.execute(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", row)

        seed = contents.digest(experiment.identity())
        splits = (rows_of_split(found.splits, seed) if found.is_first else found.splits).tolist()
        put("learner", (entry.row for entry in found.entries))
        write_meta(new, "learners", str(len(found.entries)))
        put("metric", (entry.row for entry in found.metrics))
        write_meta(new, "metrics", str(len(found.metrics)))
        write_meta(new, "notes", json.dumps([list(note) for note in found.notes]))
        if found.truth is not None:
            put("truth", [(1, found.truth, contents.digest(seed, "truth", found.truth))])
        put("split", splits)
        if keeps_items(found):
            put("item", ((row[0], blob(db, ITEMS, row[:1], row[3])) for row in splits))
        for (number, metric), rows in found.cells.items():
            cells = cells_of(rows, seed) if found.is_first else rows
            for at, _, _, status, score, *rest in cells.tolist():
                value = None if math.isinf(score) else score
                put("cell", [(number, metric, at, status, value, *rest)])
                digest = rest[2]
                if digest != NONE:
                    place = (number, at) if found.is_first else (number, metric, at)
                    query = LOSSES_1 if found.is_first else LOSSES
                    put("loss", [(number, metric, at, blob(db, query, place, digest))])
            said = set(cells["remark"].tolist()) - {NONE}
            put("remark", ((key, blob(db, REMARK, (key,), key)) for key in said))
        for number, sound in found.responses.items():
            query = "SELECT * FROM response WHERE learner = ?"
            with suppress(*FROM_SQLITE):
                for row in db.execute(query, (number,)):
                    if sound.get(row[2], 0) >> row[1] & 1:
                        put("response", [row])
        for death in found.strikes:
            put("strike", [(*death, contents.digest(seed, *death))])


def _version(real: str) -> int:
    with open(real, "rb") as file:
        return int.from_bytes(file.read(64)[60:], "big")


def _keep(real: str, ending: str) -> None:
    """Keep the old file under another name, which it has once all of it is there."""
    name, n = f"{real}.{ending}", 1
    while os.path.exists(name):
        n += 1
        name = f"{real}.{ending}{n}"
    for part in ("-wal", ""):
        if os.path.exists(real + part):
            draft = f"{real}.{uuid4().hex}{part}"
            shutil.copy2(real + part, draft)
            os.replace(draft, name + part)


def _settle(real: str) -> None:
    """Move what waits in the write-ahead log into the file, or drop an empty log.

    A log that outlived its file would be replayed into the new one, were we killed between.
    """
    with suppress(*FROM_SQLITE), closing(sqlite3.connect(real)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _forget_drafts(real: str) -> None:
    """Remove what was left by copies that were killed."""
    folder, name = os.path.split(real)
    for other in os.listdir(folder or "."):
        word = other.removeprefix(f"{name}.").partition("-")[0]
        if other.startswith(f"{name}.") and len(word) == 32 and {*word} <= {*hexdigits}:
            _remove(os.path.join(folder, other), "")


def _remove(path: str, *endings: str) -> None:
    for ending in endings:
        Path(path + ending).unlink(missing_ok=True)
