"""Stores whose metadata nobody has written: refused in one line, at once, by every reader."""

from __future__ import annotations

import json
import resource
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import outperform as op
from outperform.storage import check
from outperform.storage.contents import digest

X = np.random.default_rng(0).normal(size=(40, 2))
Y = np.arange(40) % 2
DEEP = "[" * 100_000 + "]" * 100_000
MEMORY = 2_500_000_000
"""Bytes of address space, of which the libraries take most."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "s.db"
    models = {"a": GaussianNB(), "b": DecisionTreeClassifier(random_state=0)}
    op.run(models, X, Y, design="2x2cv", random_state=0, store=path)
    return path


def forged(path: Path, table: str, column: str, change: Callable[[str], Any]) -> None:
    """Change a text of the first row, or of a key of meta, with the checksum that belongs to it."""
    with closing(sqlite3.connect(path)) as db, db:
        db.row_factory = sqlite3.Row
        where = "key = ?" if table == "meta" else "id = (SELECT min(id) FROM learner) OR ?"
        row = dict(db.execute(f"SELECT * FROM {table} WHERE {where}", (column,)).fetchone())
        name = "value" if table == "meta" else column
        row[name] = change(row[name])
        values = [value for each, value in row.items() if each != "checksum"]
        marks = ",".join("?" * len(row))
        db.execute(f"REPLACE INTO {table} VALUES ({marks})", (*values, digest(*values)))


def part(**parts: Any) -> Callable[[str], str]:
    return lambda text: json.dumps({**json.loads(text), **parts})


STRANGE: dict[str, tuple[str, str, Callable[[str], Any]]] = {
    "no JSON": ("meta", "experiment", lambda text: text[:-2]),
    "deep": ("meta", "experiment", lambda text: f'{{"extra": {DEEP}}}'),
    "a list": ("meta", "experiment", lambda text: "[]"),
    "no seed": ("meta", "experiment", lambda text: text.replace('"seed"', '"family"')),
    "another key": ("meta", "experiment", part(more=1)),
    "text as number": ("meta", "experiment", part(n_items="40")),
    "not a number": ("meta", "experiment", part(n_items=float("nan"))),
    "true": ("meta", "experiment", part(n_items=True)),
    "negative": ("meta", "experiment", part(n_items=-1)),
    "huge": ("meta", "experiment", part(n_items=10**400)),
    "digits": ("meta", "experiment", lambda text: f'{{"seed": {"9" * 100_000}}}'),
    "extra": ("meta", "experiment", part(extra=[1])),
    "groups": ("meta", "experiment", part(extra={"_groups": "many"})),
    "bytes": ("meta", "experiment", lambda text: text.encode()),
    "design of no kind": ("meta", "design", lambda text: "x9" * 50_000),
    "design of digits": ("meta", "design", lambda text: "9" * 100_000 + "cv"),
    "many repeats": ("meta", "design", lambda text: "10000000x2cv"),
    "many partitions": ("meta", "design", lambda text: "10000000*2cv"),
    "endless": ("meta", "design", lambda text: "9" * 90 + "x2cv"),
    "notes": ("meta", "notes", lambda text: "{}"),
    "deep notes": ("meta", "notes", lambda text: DEEP),
    "notes of numbers": ("meta", "notes", lambda text: "[[1, 2]]"),
    "deep learner": ("learner", "about", lambda text: f'{{"params": {DEEP}}}'),
    "learner of lists": ("learner", "about", lambda text: "[]"),
    "versions": ("learner", "about", part(versions={"numpy": [1]})),
    "answers": ("learner", "about", part(answers=1)),
    "name": ("learner", "name", lambda text: text.encode()),
}


@pytest.mark.parametrize("kind", STRANGE)
def test_strange_metadata_are_refused_in_one_line(kind: str, whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    shutil.copy(whole, path)
    forged(path, *STRANGE[kind])
    with pytest.raises(op.DataError) as caught:
        op.compare(path)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 1000
    with suppress(op.DataError):
        assert not check(path).ok


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["many repeats", "many partitions", "deep", "design of digits"])
def test_the_command_line_refuses_them_within_bounded_memory(
    kind: str, whole: Path, tmp_path: Path
) -> None:
    path = tmp_path / "s.db"
    shutil.copy(whole, path)
    forged(path, *STRANGE[kind])
    for verb in ("compare", "check"):
        done = subprocess.run(
            [sys.executable, "-m", "outperform", verb, str(path)],
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode in (2, 3), done.stderr
        assert "Traceback" not in done.stderr


def test_a_run_that_was_stopped_before_its_many_splits_were_written_goes_on(
    whole: Path, tmp_path: Path
) -> None:
    path = tmp_path / "s.db"
    shutil.copy(whole, path)
    forged(path, "meta", "design", lambda text: "10000000x2cv")
    models = {"a": GaussianNB(), "b": DecisionTreeClassifier(random_state=0)}
    again = op.run(models, X, Y, design="2x2cv", random_state=0, store=path)
    assert again.digest() == op.compare(path).scores.digest()
