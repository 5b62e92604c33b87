"""Claims: which process works on which cells, for how long, and whether it is still alive."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from typing import NamedTuple

import numpy as np

from .errors import StoreError, quoted
from .rows import digest
from .values import IntArray

__all__ = ["Process", "claim", "count_deaths", "forget", "is_alive", "is_sound", "join", "named"]
__all__ += ["owners", "renew", "unclosed"]


class Process(NamedTuple):
    """A process, told apart from a later one that was given the same number."""

    host: str
    pid: int
    born: str


def this_process() -> Process:
    """Return who we are."""
    return _process(os.getpid())


@cache
def _process(pid: int) -> Process:
    """Return what stays as it is; the host is a name and, on Linux, a space of process numbers."""
    space = boot = ""
    with suppress(OSError):
        space = os.readlink("/proc/self/ns/pid")
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            boot = file.read().strip()
    host = os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "")
    return Process(f"{host} {space}".strip(), pid, f"{boot} {_ticks(pid)}".strip())


def _ticks(pid: int) -> str:
    """Return when a process began, in ticks since the machine started (Linux); a zombie is dead."""
    with (
        suppress(OSError, IndexError),
        open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file,
    ):
        facts = file.read().rpartition(")")[2].split()
        return "dead" if facts[0] in "ZX" else facts[19]
    return ""


def is_alive(process: Process) -> bool | None:
    """Tell whether a process lives; None if that cannot be told from here."""
    here = this_process()
    # On Windows, os.kill(pid, 0) is no question: leases alone decide there.
    if process.host != here.host or os.name != "posix":
        return None
    try:
        os.kill(process.pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    ticks, boot = _ticks(process.pid), here.born.rpartition(" ")[0]
    return not ticks or f"{boot} {ticks}" == process.born


def join(db: sqlite3.Connection, name: str, seconds: float | None) -> int:
    """Enter an owner, with a lease of `seconds` or none, and return its number."""
    until = None if seconds is None else time.time() + seconds
    found = db.execute("SELECT id, host, pid, born FROM owner WHERE name = ?", (name,)).fetchone()
    me = this_process()
    if found is None:
        row = (name, *me, seconds, until)
        query = "INSERT INTO owner VALUES (NULL, ?, ?, ?, ?, ?, ?)"
        return int(db.execute(query, row).lastrowid or 0)
    if Process(*found[1:]) != me and is_alive(Process(*found[1:])) is not False:
        raise StoreError(
            f"{quoted(name)} claims cells from another process; every process needs a name of its "
            "own, such as a random one"
        )
    query = "UPDATE owner SET host = ?, pid = ?, born = ?, seconds = ?, until = ? WHERE id = ?"
    db.execute(query, (*me, seconds, until, found[0]))
    return int(found[0])


def owners(db: sqlite3.Connection) -> dict[int, tuple[bool | None, float | None]]:
    """Return of each owner whether its process lives and when its lease ends."""
    rows = db.execute("SELECT id, host, pid, born, until FROM owner").fetchall()
    lives = {process: is_alive(process) for process in {Process(*row[1:4]) for row in rows}}
    return {row[0]: (lives[Process(*row[1:4])], row[4]) for row in rows}


def unclosed(db: sqlite3.Connection) -> list[int]:
    """Return the open stores, which are owners without a lease, of processes not known to live."""
    return [n for n, (alive, until) in owners(db).items() if until is None and not alive]


def named(db: sqlite3.Connection, name: str) -> list[int]:
    return [number for (number,) in db.execute("SELECT id FROM owner WHERE name = ?", (name,))]


def claim(
    db: sqlite3.Connection, wanted: Mapping[int, list[int]], mine: int
) -> dict[int, IntArray]:
    """Claim the cells, by learner, that are neither finished nor held by another; return ours."""
    now = time.time()
    stale = {
        number
        for number, (alive, until) in owners(db).items()
        if number != mine and (alive is False or (until is not None and until < now))
    }
    db.create_function("is_stale", 1, lambda number: number in stale)
    db.executemany(
        "INSERT INTO claim SELECT ?1, ?2, ?3 WHERE NOT EXISTS "
        "(SELECT 1 FROM cell WHERE learner = ?1 AND address = ?2) "
        "ON CONFLICT (learner, address) DO UPDATE SET owner = excluded.owner WHERE is_stale(owner)",
        [(learner, address, mine) for learner, packed in wanted.items() for address in packed],
    )
    if stale:
        # An owner without a lease is an open store: it stays, to tell that it was not closed.
        db.execute(
            "DELETE FROM owner WHERE is_stale(id) AND until IS NOT NULL "
            "AND id NOT IN (SELECT owner FROM claim)"
        )
    query = "SELECT address FROM claim WHERE learner = ? AND owner = ?"
    ours = {}
    for learner, packed in wanted.items():
        held = {address for (address,) in db.execute(query, (learner, mine))}
        ours[learner] = np.array([at for at in packed if at in held], dtype=np.int64)
    return ours


def renew(db: sqlite3.Connection, owner: str) -> int:
    """Extend a lease by its length from now; return how many claims the owner still holds."""
    query = "UPDATE owner SET until = ? + seconds WHERE name = ? AND seconds IS NOT NULL"
    db.execute(query, (time.time(), owner))
    query = "SELECT count(*) FROM claim JOIN owner ON owner.id = claim.owner WHERE name = ?"
    return int(db.execute(query, (owner,)).fetchone()[0])


def forget(db: sqlite3.Connection, numbers: list[int]) -> None:
    """Remove owners and what they claim."""
    rows = [(number,) for number in numbers]
    db.executemany("DELETE FROM claim WHERE owner = ?", rows)
    db.executemany("DELETE FROM owner WHERE id = ?", rows)


class Death(NamedTuple):
    """A cell that was in flight when processes died."""

    learner: int
    address: int
    times: int
    """How often; 0 if that is not as written."""
    alone: bool
    """Whether the last of them had nothing else in flight."""


def count_deaths(db: sqlite3.Connection, seed: int) -> list[Death]:
    """Count one more death at the cells that dead processes hold, and set these free.

    Return every unfinished cell with a death.
    """
    dead = [number for number, (alive, _) in owners(db).items() if alive is False]
    lonely = set()
    for owner in dead:
        held = db.execute("SELECT learner, address FROM claim WHERE owner = ?", (owner,)).fetchall()
        if len(held) == 1:
            lonely.update(held)
        for cell in held:
            _strike(db, seed, *cell)
        db.execute("DELETE FROM claim WHERE owner = ?", (owner,))
        # An owner without a lease is an open store: it stays, to tell that it was not closed.
        db.execute("DELETE FROM owner WHERE id = ? AND until IS NOT NULL", (owner,))
    rows = db.execute("SELECT * FROM strike ORDER BY learner, address").fetchall()
    return [
        Death(
            learner,
            address,
            row[0] if is_sound(seed, learner, address, *row) else 0,
            (learner, address) in lonely,
        )
        for learner, address, *row in rows
    ]


def _strike(db: sqlite3.Connection, seed: int, learner: int, address: int) -> None:
    """Count one more death at a cell, unless the old count is not sound."""
    query = "SELECT count, checksum FROM strike WHERE learner = ? AND address = ?"
    known = db.execute(query, (learner, address)).fetchone()
    if known is not None and not is_sound(seed, learner, address, *known):
        return
    count = 1 if known is None else known[0] + 1
    row = (learner, address, count, digest(seed, learner, address, count))
    db.execute("INSERT OR REPLACE INTO strike VALUES (?, ?, ?, ?)", row)


def is_sound(seed: int, learner: object, address: object, count: object, checksum: object) -> bool:
    """Tell whether strikes are as they were written."""
    return digest(seed, learner, address, count) == checksum
