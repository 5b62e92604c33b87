"""A signal between two lines of a store's own leaves no transaction open behind it."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from outperform.engine.interruptions import Stopped
from outperform.storage import kernel
from outperform.storage.contents import RUN_FILE
from outperform.storage.sharing import Session


class Interrupted(sqlite3.Connection):
    """Raises what a signal raises as soon as a statement is done, once."""

    at = ""

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        found = super().execute(sql, *values)
        if self.at and sql.startswith(self.at):
            self.at = ""
            raise Stopped
        return found


@pytest.fixture
def session(tmp_path: Path) -> Session:
    path = str(tmp_path / "a.db")
    db = sqlite3.connect(path, factory=Interrupted, isolation_level=None)
    db.execute("CREATE TABLE t (n INTEGER)")
    return Session(db, path, RUN_FILE, writable=True)


def interrupted(session: Session, at: str) -> Interrupted:
    assert isinstance(session.db, Interrupted)
    session.db.at = at
    return session.db


@pytest.mark.parametrize("at", ["BEGIN", "INSERT", "COMMIT", "ROLLBACK"])
def test_what_is_written_after_a_signal_is_kept(session: Session, at: str) -> None:
    db = interrupted(session, at)
    if at == "ROLLBACK":
        with pytest.raises(Stopped), session.reading():
            pass
    else:
        with pytest.raises(Stopped), session.writing():
            db.execute("INSERT INTO t VALUES (1)")
    assert not db.in_transaction
    with session.writing():
        db.execute("INSERT INTO t VALUES (2)")
    assert (2,) in db.execute("SELECT n FROM t").fetchall()


def test_reading_that_was_interrupted_can_be_followed_by_writing(session: Session) -> None:
    db = interrupted(session, "BEGIN")
    with pytest.raises(Stopped), session.reading():
        pass
    with session.writing():
        db.execute("INSERT INTO t VALUES (1)")
    assert db.execute("SELECT count(*) FROM t").fetchone() == (1,)


def test_a_transaction_left_open_is_undone_by_the_next(session: Session) -> None:
    session.db.execute("BEGIN")
    session.db.execute("INSERT INTO t VALUES (1)")
    with kernel.transaction(session.db):
        session.db.execute("INSERT INTO t VALUES (2)")
    assert session.db.execute("SELECT n FROM t").fetchall() == [(2,)]
