"""An upgrade that is killed at any moment loses nothing, and can be repeated."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import sys
from contextlib import closing, suppress
from pathlib import Path

import pytest
from test_second_schema import first
from test_store import fill

from outperform.scores.split_scores import Scores
from outperform.storage import check, upgrade

STRESS = os.environ.get("OUTPERFORM_STRESS") == "1"
FILES = ("open", "os.rename", "os.remove", "shutil.copyfile", "sqlite3.connect", "os.listdir")
"""Audit events of what touches files."""
KILLS, REPEATED = (60, 1) if STRESS else (6, 5)
"""Kills at random, and after how many of the others the upgrade is repeated to its end."""
DONE, KILLED = 0, 7
ENDINGS = ("", "-wal", "-shm")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork"),
]


@pytest.fixture(params=["closed", "left open"])
def older(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """Return a store of the first schema; one was left with rows in its write-ahead log."""
    fill(tmp_path / "new.db")
    made = first(tmp_path / "made.db", tmp_path / "new.db")
    folder = tmp_path / "kept"
    folder.mkdir()
    with closing(sqlite3.connect(made)) as db:
        db.execute("PRAGMA wal_autocheckpoint=0")
        if request.param == "left open":
            with db:
                rows = db.execute("SELECT * FROM cell WHERE learner = 2").fetchall()
                db.execute("DELETE FROM cell WHERE learner = 2")
            with db:
                db.executemany(f"INSERT INTO cell VALUES ({','.join('?' * len(rows[0]))})", rows)
        for ending in ("", "-wal"):
            if os.path.exists(f"{made}{ending}"):
                shutil.copy(f"{made}{ending}", folder / f"old.db{ending}")
    if request.param == "left open":
        assert (folder / "old.db-wal").stat().st_size
    return folder / "old.db"


def in_child(path: Path, n_events: int) -> int:
    """Upgrade in a process that ends at once before it touches a file for the n-th time."""
    child = os.fork()
    if child == 0:
        seen = 0

        def count(event: str, given: tuple[object, ...]) -> None:
            nonlocal seen
            if event in FILES and any("old.db" in str(word) for word in given):
                seen += 1
                if seen > n_events:
                    os._exit(KILLED)

        sys.addaudithook(count)
        upgrade(path)
        os._exit(DONE)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def sound(path: Path, digest: str) -> None:
    """Look at a copy: reading must not be what repairs a store."""
    copies = path.parent.parent / "copies"
    shutil.rmtree(copies, ignore_errors=True)
    shutil.copytree(path.parent, copies)
    assert Scores.read(copies / path.name).digest() == digest
    assert check(copies / path.name).ok


def finished(path: Path, digest: str, kept: dict[str, bytes]) -> None:
    """Upgrade to the end: all is there, the old file beside it, and nothing else."""
    upgrade(path)
    assert not upgrade(path)
    sound(path, digest)
    backup = path.with_name("old.db.schema1")
    assert Scores.read(backup).digest() == digest
    names = {each.name for each in path.parent.iterdir()}
    allowed = {f"old.db{more}{end}" for more in ("", ".schema1", ".schema12") for end in ENDINGS}
    assert names <= allowed
    if "old.db-wal" not in kept:
        assert backup.read_bytes() == kept["old.db"]


def size(folder: Path) -> int:
    """Return the bytes in a folder, whose files come and go."""
    total = 0
    for each in folder.iterdir():
        with suppress(FileNotFoundError):
            total += each.stat().st_size
    return total


def contents(path: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in path.parent.iterdir()}


def test_killed_before_any_touch_of_a_file_it_loses_nothing(older: Path) -> None:
    kept = contents(older)
    shutil.copytree(older.parent, older.parent.parent / "first")
    digest = Scores.read(older.parent.parent / "first" / "old.db").digest()
    n_events, ended = 0, KILLED
    while ended == KILLED:
        for each in older.parent.iterdir():
            each.unlink()
        for name, body in kept.items():
            older.with_name(name).write_bytes(body)
        ended = in_child(older, n_events)
        sound(older, digest)
        if n_events % REPEATED == 0:
            finished(older, digest, kept)
        n_events += 1
    assert ended == DONE
    assert n_events > 10


def test_killed_at_random_moments_it_loses_nothing(older: Path) -> None:
    kept = contents(older)
    shutil.copytree(older.parent, older.parent.parent / "first")
    digest = Scores.read(older.parent.parent / "first" / "old.db").digest()
    assert in_child(older, 10**9) == DONE
    largest, draw = size(older.parent), random.Random(1)
    for _ in range(KILLS):
        for each in older.parent.iterdir():
            each.unlink()
        for name, body in kept.items():
            older.with_name(name).write_bytes(body)
        child = os.fork()
        if child == 0:
            upgrade(older)
            os._exit(DONE)
        until = draw.randrange(largest)
        while size(older.parent) < until and os.waitpid(child, os.WNOHANG) == (0, 0):
            pass
        with suppress(ProcessLookupError, ChildProcessError):
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        sound(older, digest)
    finished(older, digest, kept)
