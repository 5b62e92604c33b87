"""Copies of a store: what is sound of a damaged one, and its scores as a table in a file."""

from __future__ import annotations

import math
import os
import shutil
import sqlite3
from collections.abc import Iterable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

from ..errors import DataError
from . import sharing
from .checking import ITEMS, LOSSES, REMARK, CheckReport, Survey, blob, check, look
from .contents import StoredExperiment, StoreIncomplete, make_run_file, write_meta
from .encoding import NONE, RUN_FILE, Address
from .kernel import FROM_SQLITE, PAGE, StoreError, quoted, transaction
from .run_store import Store


def drop_damaged(path: Any) -> CheckReport:
    """Take damaged cells away, so that the next run computes them; return what was found.

    All that is sound is copied into a new file, which takes the place of the old one; that is kept
    beside it, with `.damaged` at the end of its name. A sound store is left as it is.
    """
    real, _ = RUN_FILE.find(path, "write")
    found, report = look(real)
    if report.ok:
        return report
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
            raise RUN_FILE.damaged(real, "what it belongs to cannot be read; restore a copy")
        _copy(source, fresh, found, found.experiment)
        if not check(fresh).ok:
            raise RUN_FILE.damaged(real, "no sound copy could be made; restore one")
        _keep(real)
        os.replace(fresh, real)
        _remove(real, "-wal", "-shm")
    finally:
        for draft in (fresh, headed):
            _remove(draft, "", "-wal", "-shm")
    return report


def _in_use(real: str) -> bool:
    with suppress(*FROM_SQLITE), closing(RUN_FILE.for_reading(real)) as db:
        return any(alive for alive, _ in sharing.owners(db).values())
    return False


def _new_store(real: str, experiment: StoredExperiment) -> sqlite3.Connection:
    return RUN_FILE.for_writing(real, partial(make_run_file, experiment=experiment))


def _give_head(real: str, to: str) -> None:
    """Copy a store under the first page of a new one: it holds the tables, always the same."""
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

        splits = found.splits.tolist()
        put("learner", (entry.row for entry in found.entries))
        write_meta(new, "learners", str(len(found.entries)))
        put("split", splits)
        if experiment.loss is not None:
            put("item", ((row[0], blob(db, ITEMS, row[:1], row[3])) for row in splits))
        for number, cells in found.cells.items():
            rows = cells.tolist()
            for at, _, status, score, *rest in rows:
                put("cell", [(number, at, status, None if math.isinf(score) else score, *rest)])
            kept = [(number, row[0], row[6]) for row in rows if row[6] != NONE]
            put("loss", ((*row[:2], blob(db, LOSSES, row[:2], row[2])) for row in kept))
            said = set(cells["remark"].tolist()) - {NONE}
            put("remark", ((key, blob(db, REMARK, (key,), key)) for key in said))


def _keep(real: str) -> None:
    """Keep the damaged file under another name."""
    name, n = f"{real}.damaged", 1
    while os.path.exists(name):
        n += 1
        name = f"{real}.damaged{n}"
    for ending in ("", "-wal"):
        if os.path.exists(real + ending):
            shutil.copy2(real + ending, name + ending)


def _remove(path: str, *endings: str) -> None:
    for ending in endings:
        Path(path + ending).unlink(missing_ok=True)


def export(path: Any, to: Any, *, force: bool = False, incomplete: bool = False) -> None:
    """Write the scores of the store at `path` to `to`, one row for each learner and split.

    `Scores.read` reads them back, with names and design. Refuses an incomplete store, unless that
    is asked for: then scores that are missing or failed are empty. Refuses a file that is there
    unless `force`d.
    """
    import polars as pl

    from ..readers.own_files import COLUMNS, harmless

    target = os.path.realpath(os.fspath(to))
    ending = os.path.splitext(target)[1].lower()
    if ending not in (".csv", ".parquet"):
        raise DataError(f"{quoted(to)} ends in {ending!r}; a name in .csv or .parquet is needed")
    if os.path.exists(target) and not force:
        raise DataError(f"{quoted(to)} is there already; choose another name, or force=True")
    with Store.open(path, mode="read") as store:
        try:
            scores = store.scores(items=False, gaps=incomplete)
        except StoreIncomplete as error:
            raise StoreIncomplete(
                f"{error}\nTo export what is there, the rest as empty scores: incomplete=True"
            ) from None
    (k, m), experiment = scores.values.shape, store.experiment
    safe = harmless if ending == ".csv" else str
    addresses = np.tile(scores.addresses, (k, 1))
    columns = {
        "learner": [safe(name) for name in scores.names for _ in range(m)],
        **dict(zip(Address._fields, addresses.T, strict=True)),
        "score": pl.Series(scores.values.ravel(), nan_to_null=True),
        "n_train": np.tile(np.asarray(scores.n_train, dtype=np.int64), k),
        "n_test": np.tile(np.asarray(scores.n_test, dtype=np.int64), k),
    }
    seed = experiment.seed
    same = {
        "metric": safe(scores.metric),
        "seed": seed if abs(seed) < 2**63 else str(seed),
        "design": "" if scores.design is None else str(scores.design),
        "greater_is_better": scores.greater_is_better,
    }
    frame = pl.DataFrame(columns).with_columns(**{name: pl.lit(it) for name, it in same.items()})
    assert tuple(frame.columns) == COLUMNS
    # Written whole under another name first, so that a file of this name is never half of one.
    draft = f"{target}.{uuid4().hex}"
    try:
        (frame.write_csv if ending == ".csv" else frame.write_parquet)(draft)
        os.replace(draft, target)
    except OSError as error:
        raise DataError(f"{quoted(to)} cannot be written ({error}); use another folder") from None
    finally:
        _remove(draft, "")
