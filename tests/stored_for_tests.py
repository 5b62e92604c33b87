"""What an open store holds, cell by cell: tests look closer than the product, which reads whole."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from outperform.storage import Address, CellCounts, Learner, Outcome, Store
from outperform.storage.contents import (
    NONE,
    STATUSES,
    decode_losses,
    digest,
    pack_one,
    unpack,
)
from outperform.storage.registrations import current_learners
from outperform.storage.run_reader import of_design


def learners(store: Store) -> list[Learner]:
    return [entry.learner for entry in store._entries()]


def current(store: Store) -> dict[str, Learner]:
    return {name: entry.learner for name, entry in current_learners(store._entries()).items()}


def about(store: Store, learner: Learner) -> dict[str, Any]:
    """Return what was said of a learner when it was registered."""
    return next(json.loads(one.about) for one in store._entries() if one.learner == learner)


def state(store: Store) -> dict[str, CellCounts]:
    """Return how far each learner is."""
    found = {}
    with store._settled() as reader:
        for name, entry in current_learners(store._entries()).items():
            wanted = reader.wanted()
            cells = of_design(reader.cells(entry.number, name, reader.metrics[0]), wanted)
            ok = int((cells["status"] == 0).sum())
            left = wanted.size - cells.size
            found[name] = CellCounts(wanted.size, ok, cells.size - ok, left)
    return found


def splits(store: Store) -> tuple[np.ndarray, np.ndarray, np.ndarray, Callable[[], np.ndarray]]:
    """Return addresses, n_train, n_test, and a look-up of all test items, one after the other."""
    with store._settled() as reader:
        rows = reader.splits()
    return unpack(rows["address"]), rows["n_train"], rows["n_test"], lambda: reader.items(rows)


def outcome(store: Store, learner: Learner, address: Sequence[int]) -> Outcome | None:
    """Return what came of a cell, checked as the product checks it; None if it is not finished."""
    number, key = store._number(learner), pack_one(address)
    with store._settled() as reader:
        metric = reader.metrics[0]
        cells = reader.cells(number, learner.name, metric)
        if key not in cells["address"]:
            return None
        cell = cells[np.searchsorted(cells["address"], key)]
        losses = None
        if cell["losses"] != NONE:
            query = "SELECT losses FROM loss WHERE learner = ? AND metric = ? AND address = ?"
            place = (number, metric.number, key)
            (blob,) = reader.db.execute(query, place).fetchone() or (None,)
            if digest(blob) != cell["losses"]:
                raise reader._damaged(f"the losses at {tuple(address)} are corrupt")
            losses = decode_losses(blob)
        error, notes = reader.remark(int(cell["remark"]))
        score = float(cell["score"]) if cell["status"] == 0 else None
        status = STATUSES[cell["status"]]
        return Outcome(score, float(cell["seconds"]), losses, status, error, notes)


def claim(
    store: Store, learner: Learner, addresses: Any, *, owner: str, seconds: float
) -> list[Address]:
    """Claim cells of one learner; return those that are ours now."""
    ours = store.claim_all({learner: addresses}, owner=owner, seconds=seconds)[learner]
    return [Address(*row) for row in ours.tolist()]


def held(store: Store, owner: str) -> int:
    """Return how many cells an owner holds."""
    query = "SELECT count(*) FROM claim JOIN owner ON owner.id = claim.owner WHERE name = ?"
    with store._session.reading() as db:
        return int(db.execute(query, (owner,)).fetchone()[0])
