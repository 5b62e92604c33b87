"""Damage: whatever changes in a store is noticed and named, and nothing is touched."""

from __future__ import annotations

import csv
import os
import pickle
import shutil
import sqlite3
import subprocess
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import stored_for_tests as stored
from launching import run_here
from test_store import (
    ADDRESSES,
    BAYES,
    EXPERIMENT,
    FIRST,
    SPLITS,
    TREE,
    begin,
    claim_one,
    die,
    failed,
    fill,
    good,
    trace,
)

from outperform import DataError, Scores
from outperform.storage import (
    CellCounts,
    Learner,
    Outcome,
    Store,
    StoreDamaged,
    StoreError,
    StoreIncomplete,
    check,
    checking,
    export,
)

N_DAMAGES = 200 if os.environ.get("OUTPERFORM_STRESS") == "1" else 40
"""Random damages; `make stress` tries more."""

RICH = Learner("rich", "cc", "01")


@pytest.fixture(scope="module")
def templates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A complete store, and one with failures, notes and losses that are not 0 or 1."""
    folder = tmp_path_factory.mktemp("templates")
    fill(folder / "x.db")
    with begin(folder / "mixed.db", TREE, BAYES, RICH) as store:
        noise = np.random.default_rng(0)
        for n, at in enumerate(ADDRESSES):
            store.add([(TREE, at, good(TREE, at, notes=(("OP103", f"{n % 3}"),)))])
            store.add([(BAYES, at, good(BAYES, at) if n % 5 else failed(f"Error {n}\n" * 50))])
            rough = noise.random(good(RICH, at).losses.size)
            store.add([(RICH, at, Outcome(rough.mean(), 0.1, rough, "ok"))])
    return folder


@pytest.fixture
def full(templates: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy2(templates / "x.db", tmp_path))


@pytest.fixture
def mixed(templates: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy2(templates / "mixed.db", tmp_path))


def change(path: Path, *statements: str) -> None:
    db = sqlite3.connect(path)
    for statement in statements:
        db.execute(statement)
    db.commit()
    db.close()


def contents(path: Path) -> str:
    """Read all that a store holds, as text that can be compared; raise if anything is missing."""
    with Store.open(path, mode="read") as store:
        if any(counts.missing for counts in stored.state(store).values()):
            raise StoreIncomplete("incomplete")
        addresses, n_train, n_test, items = stored.splits(store)
        said = [store.experiment, stored.learners(store), stored.current(store)]
        said.append(stored.state(store))
        said += [addresses.tolist(), n_train.tolist(), n_test.tolist()]
        said += [items().tolist()]
        said += [stored.about(store, model) for model in stored.learners(store)]
        for model in stored.learners(store):
            said.append(store.done(model).tolist())
            for at in ADDRESSES:
                found = stored.outcome(store, model, at)
                said.append([found and found.losses is not None and found.losses.tolist()])
                said.append(found and (found.score, found.seconds, found.error, found.notes))
        said.append(store.problems())
        for model in stored.current(store):
            try:
                scores = store.scores([model])
            except StoreIncomplete as error:
                said.append(str(error).replace(str(path), ""))
            else:
                said += [scores.values.tolist(), scores.notes, scores.items.values.tolist()]
        return repr(said)


def test_a_sound_store_is_found_sound_and_left_as_it_was(full: Path) -> None:
    before = trace(full)
    report = check(full)
    assert report.ok
    assert report.counts == {"tree": CellCounts(16, 16, 0, 0), "bayes": CellCounts(16, 16, 0, 0)}
    assert trace(full) == before


AT = "learner = 1 AND address = 0"
DAMAGES = {
    "a score": f"UPDATE cell SET score = score + 1e-16 + score * 1e-15 WHERE {AT}",
    "a lost score": f"UPDATE cell SET score = NULL WHERE {AT}",
    "a score as text": f"UPDATE cell SET score = 'high' WHERE {AT}",
    "a score as bytes": f"UPDATE cell SET score = x'fe' WHERE {AT}",
    "a time": f"UPDATE cell SET seconds = 0.02 WHERE {AT}",
    "a status": f"UPDATE cell SET status = 1 WHERE {AT}",
    "a status that is none": f"UPDATE cell SET status = 77 WHERE {AT}",
    "a checksum": f"UPDATE cell SET checksum = checksum + 1 WHERE {AT}",
    "a remark": f"UPDATE cell SET remark = 5 WHERE {AT}",
    "losses": f"UPDATE loss SET losses = x'6204000000f0' WHERE {AT}",
    "lost losses": f"DELETE FROM loss WHERE {AT}",
    "losses forgotten": f"UPDATE cell SET losses = 0 WHERE {AT}",
    "losses as text": f"UPDATE loss SET losses = 'none' WHERE {AT}",
}


@pytest.mark.parametrize("statement", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_cell_is_noticed_and_named(full: Path, statement: str) -> None:
    change(full, statement)
    with Store.open(full, mode="read") as store, pytest.raises(StoreDamaged) as caught:
        store.scores()
    assert "\n" not in str(caught.value)
    assert f"sqlite3 {full} .recover" in str(caught.value)
    report = check(full)
    assert {(d.learner, d.address) for d in report.damages} == {("tree", FIRST)}
    assert any(str(damage).startswith("'tree' at (0, 0, 0): ") for damage in report.damages)
    assert report.counts == {"tree": CellCounts(16, 15, 0, 1), "bayes": CellCounts(16, 16, 0, 0)}


MOVES = {
    "cells swapped": (
        "UPDATE cell SET address = 99 WHERE learner = 1 AND address = 0",
        "UPDATE cell SET address = 0 WHERE learner = 1 AND address = 1",
        "UPDATE cell SET address = 1 WHERE learner = 1 AND address = 99",
    ),
    "learners' cells swapped": (
        "UPDATE cell SET learner = 99 WHERE learner = 1 AND address = 0",
        "UPDATE cell SET learner = 1 WHERE learner = 2 AND address = 0",
        "UPDATE cell SET learner = 2 WHERE learner = 99 AND address = 0",
    ),
    "learners swapped": (
        "UPDATE learner SET id = 99 WHERE id = 1",
        "UPDATE learner SET id = 1 WHERE id = 2",
        "UPDATE learner SET id = 2 WHERE id = 99",
    ),
    "names swapped": (
        "UPDATE learner SET name = 'x' WHERE id = 1",
        "UPDATE learner SET name = 'tree' WHERE id = 2",
        "UPDATE learner SET name = 'bayes' WHERE id = 1",
    ),
    "losses swapped": (
        "UPDATE loss SET address = 99 WHERE learner = 1 AND address = 0",
        "UPDATE loss SET address = 0 WHERE learner = 1 AND address = 1",
        "UPDATE loss SET address = 1 WHERE learner = 1 AND address = 99",
    ),
    "items swapped": (
        "UPDATE item SET address = 99 WHERE address = 0",
        "UPDATE item SET address = 0 WHERE address = 1",
        "UPDATE item SET address = 1 WHERE address = 99",
    ),
    "a size": ("UPDATE split SET n_train = 1 WHERE address = 0",),
    "items": ("UPDATE item SET items = x'0102' WHERE address = 0",),
    "lost items": ("DELETE FROM item WHERE address = 0",),
    "a design": ("UPDATE meta SET value = '3x4cv' WHERE key = 'design'",),
    "a metric": ("UPDATE metric SET name = 'f1'",),
    "a lost metric": ("DELETE FROM metric",),
    "a note": ("UPDATE meta SET value = '[[\"OP508\", \"\"]]' WHERE key = 'notes'",),
    "a lost learner": ("DELETE FROM learner WHERE id = 2",),
    "a learner and its cells": (
        "DELETE FROM learner WHERE id = 2",
        "DELETE FROM cell WHERE learner = 2",
    ),
    "a lost learner, counted": (
        "DELETE FROM learner WHERE id = 2",
        "DELETE FROM meta WHERE key = 'learners'",
    ),
    "the experiment": ("UPDATE meta SET value = replace(value, 'iris', 'wine')",),
    "the schema": ("CREATE TABLE more (x)",),
}


@pytest.mark.parametrize("statements", MOVES.values(), ids=MOVES)
def test_what_is_moved_swapped_or_lost_is_noticed(full: Path, statements: tuple[str, ...]) -> None:
    change(full, *statements)
    with pytest.raises(StoreDamaged), Store.open(full, mode="read") as store:
        store.scores()
    assert not check(full).ok


def test_lost_cells_make_a_store_incomplete(full: Path) -> None:
    change(full, "DELETE FROM cell WHERE learner = 1 AND address > 0")
    with Store.open(full, mode="read") as store, pytest.raises(StoreIncomplete, match="lacks 15"):
        store.scores()
    assert check(full).counts["tree"] == CellCounts(16, 1, 0, 15)


def test_lost_splits_are_written_again_by_the_next_run(full: Path, templates: Path) -> None:
    change(full, "DELETE FROM split WHERE address = 0", "DELETE FROM item WHERE address = 0")
    report = check(full)
    assert (report.ok, report.missing_splits) == (True, 1)
    with Store.open(full, EXPERIMENT) as store:
        with pytest.raises(StoreIncomplete, match="1 split is missing"):
            store.scores()
        store.put_splits(SPLITS)
    assert contents(full) == contents(templates / "x.db")


def test_a_row_of_another_experiment_is_noticed(full: Path) -> None:
    other = full.parent / "other.db"
    with Store.open(other, replace(EXPERIMENT, seed=8)) as store:
        store.register(TREE, describe={})
        store.add([(TREE, FIRST, good(TREE, FIRST, score=0.99))])
    change(
        full,
        f"ATTACH '{other}' AS other",
        f"UPDATE cell SET (score, seconds, losses, checksum) = (SELECT score, seconds, losses, "
        f"checksum FROM other.cell WHERE {AT}) WHERE {AT}",
    )
    assert [(d.learner, d.address) for d in check(full).damages] == [("tree", FIRST)]


def test_a_text_that_changed_is_noticed_in_every_cell_that_refers_to_it(mixed: Path) -> None:
    change(mixed, "UPDATE remark SET text = replace(text, 'Error 5', 'Error 6')")
    report = check(mixed)
    assert [(d.learner, d.address) for d in report.damages] == [("bayes", ADDRESSES[5])]
    with Store.open(mixed, mode="read") as store, pytest.raises(StoreDamaged):
        store.problems()


def test_what_cannot_be_printed_of_damaged_text_is_spelt_out(full: Path) -> None:
    change(full, "UPDATE learner SET name = CAST(x'741B65FF' AS TEXT) WHERE id = 1")
    with pytest.raises(StoreDamaged, match=r"with text 't<U\+001B>e"):
        Store.open(full, mode="read")
    assert check(full).damages[1].learner == "t\x1be\\xff"


@pytest.mark.parametrize("name", ["a b.db", "it's.db", "a\nb.db", "\u202e\xad\\'.db"])
def test_the_command_that_rescues_can_be_pasted_whatever_the_path(
    templates: Path, tmp_path: Path, name: str
) -> None:
    path = Path(shutil.copy2(templates / "x.db", tmp_path / name))
    change(path, "UPDATE meta SET value = value || ' '")
    with pytest.raises(StoreDamaged) as caught:
        Store.open(path, mode="read")
    typed = (
        str(caught.value).rpartition(": sqlite3 ")[2].removesuffix(" .recover | sqlite3 rescued.db")
    )
    assert typed.isprintable()
    done = subprocess.run(["bash", "-c", f"printf %s {typed}"], capture_output=True, check=True)
    assert os.fsdecode(done.stdout) == str(path)


def test_strikes_that_changed_are_noticed(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    begin(path).close()
    die(claim_one, path)
    with Store.open(path, EXPERIMENT) as store:
        assert store.deaths() == [(TREE, FIRST, 1, True)]
    assert check(path).ok
    change(path, "UPDATE strike SET count = 2")
    assert not check(path).ok
    with Store.open(path, EXPERIMENT) as store, pytest.raises(StoreDamaged, match="strikes"):
        store.deaths()


def test_damage_is_noticed_before_work_is_planned_around_it(full: Path) -> None:
    change(full, DAMAGES["a status"])
    with Store.open(full, mode="read") as store:
        for ask in (lambda: store.done(TREE), store.problems, store.scores):
            with pytest.raises(StoreDamaged, match=r"'tree' at \(0, 0, 0\)"):
                ask()
        assert len(store.done(BAYES)) == 16


@pytest.mark.slow
def test_random_damages_are_noticed_or_harmless(mixed: Path) -> None:
    truth, sound = contents(mixed), mixed.read_bytes()
    rng = np.random.default_rng(0)
    noticed = 0
    for _ in range(N_DAMAGES):
        at, flip = int(rng.integers(len(sound))), int(rng.integers(1, 256))
        mixed.write_bytes(sound[:at] + bytes([sound[at] ^ flip]) + sound[at + 1 :])
        try:
            same = contents(mixed) == truth
        except StoreError:
            same = None
        assert same is not False, f"byte {at} ^ {flip} is a silent change"
        if same is None:
            noticed += 1
            with suppress(StoreError):
                assert not check(mixed).ok, f"byte {at} ^ {flip} is noticed, but not by check"
    assert noticed > N_DAMAGES // 10


@pytest.mark.parametrize(("start", "stop"), [(16, 60), (100, 120), (900, 4096)])
def test_a_damaged_first_page_is_noticed(mixed: Path, start: int, stop: int) -> None:
    body = bytearray(mixed.read_bytes())
    body[start:stop] = b"x" * (stop - start)
    mixed.write_bytes(bytes(body))
    with pytest.raises(StoreDamaged):
        Store.open(mixed, EXPERIMENT)
    assert not check(mixed).ok


def _finish(path: Path) -> None:
    """Do what a run beside a check does: commit the cells that are missing."""
    with Store.open(path, mode="write") as store:
        store.add([(TREE, at, good(TREE, at)) for at in ADDRESSES[-3:]])


def test_a_check_sees_one_state_of_a_store_that_a_run_writes_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, calls = tmp_path / "x.db", []
    fill(path, without=3)
    read = checking.blob

    def read_late(*about: Any) -> object:
        if about[1] == checking.LOSSES and not calls:  # cells are read, losses are not
            calls.append(1)
            _finish(path)
        return read(*about)

    monkeypatch.setattr(checking, "blob", read_late)
    found = check(path)
    assert calls
    assert found.damages == ()
    assert found.counts["tree"] == CellCounts(16, 13, 0, 3)
    (problem,) = found.problems
    assert (problem.learner, problem.status, problem.count) == ("tree", "missing", 3)
    assert problem.address == ADDRESSES[-3]
    assert check(path).counts["tree"] == CellCounts(16, 16, 0, 0)


def test_what_check_prints_is_of_one_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.db"
    fill(path, without=3)

    def check_and_finish(name: Any) -> Any:
        found = check(name)
        _finish(path)
        return found

    monkeypatch.setattr("outperform.storage.check", check_and_finish)
    assert run_here("check", str(path)) == 3
    said = capsys.readouterr().out
    assert "'tree': 13 of 16 fits ok, 0 failed, 3 missing" in said
    assert "'tree': 3 missing (first at (0, 3, 1))" in said
    assert run_here("check", str(path)) == 0


# Export.


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_an_export_is_read_back_as_the_same_scores(full: Path, ending: str) -> None:
    target = full.parent / f"scores.{ending}"
    export(full, target)
    with Store.open(full, mode="read") as store:
        scores = store.scores()
    read = Scores.read(target)
    assert read.names == scores.names
    assert read.values.tolist() == scores.values.tolist()
    assert read.addresses.tolist() == scores.addresses.tolist()
    assert read.n_train.tolist() == scores.n_train.tolist()
    assert read.n_test.tolist() == scores.n_test.tolist()
    assert (read.metric, read.seed) == ("accuracy", 7)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_an_export_has_one_row_for_each_cell(full: Path, ending: str) -> None:
    target = full.parent / f"scores.{ending}"
    export(full, target)
    frame = pl.read_csv(target) if ending == "csv" else pl.read_parquet(target)
    address = ["partition", "repeat", "fold"]
    about = ["metric", "seed", "design", "greater_is_better"]
    assert frame.columns == ["learner", *address, "score", "n_train", "n_test", *about]
    assert frame.shape == (32, 11)
    expected = [good(BAYES, at).score for at in ADDRESSES]
    assert frame.filter(pl.col("learner") == "bayes")["score"].to_list() == expected


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("=1+1", "'=1+1"),
        ("+SUM(A1)", "'+SUM(A1)"),
        ("-x", "'-x"),
        ("@cmd", "'@cmd"),
        ("\tx", "'\tx"),
        ("\rx", "'\rx"),
        ("＝1+1", "'＝1+1"),
        ("＋x", "'＋x"),
        ("－x", "'－x"),
        ("＠x", "'＠x"),
        ("'=x", "''=x"),
        ("'x", "'x"),
        ("-1.5", "-1.5"),
        ("+2e3", "+2e3"),
        ('a "b", c', 'a "b", c'),
        ("a=b", "a=b"),
    ],
)
def test_a_spreadsheet_will_not_run_an_exported_name(
    tmp_path: Path, name: str, written: str
) -> None:
    model = Learner(name, "aa", "01")
    with begin(tmp_path / "x.db", model) as store:
        store.add([(model, at, good(TREE, at)) for at in ADDRESSES])
    export(tmp_path / "x.db", tmp_path / "x.csv")
    with open(tmp_path / "x.csv", encoding="utf-8", newline="") as file:
        assert {row["learner"] for row in csv.DictReader(file)} == {written}
    export(tmp_path / "x.db", tmp_path / "x.parquet")
    assert set(pl.read_parquet(tmp_path / "x.parquet")["learner"]) == {name}


def read_late(path: Path, patch: pytest.MonkeyPatch) -> Scores:
    """Read scores as those of a store so large that its losses wait until they are needed."""
    patch.setattr("outperform.storage.stored_scores.MANY", 0)
    with Store.open(path, mode="read") as store:
        return store.scores()


def test_losses_that_are_read_late_are_those_read_at_once(
    full: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.open(full, mode="read") as store:
        at_once = store.scores()
    late = read_late(full, monkeypatch)
    assert late.items.loss == "zero-one"
    assert late.digest() == at_once.digest()
    sent = pickle.loads(pickle.dumps(read_late(full, monkeypatch)))
    assert (sent.items.values == at_once.items.values).all()
    assert (sent.items.split == at_once.items.split).all()
    assert (sent.items.item == at_once.items.item).all()


NOT_IN_SCORES = {name: (DAMAGES[name],) for name in ("losses", "lost losses", "losses as text")} | {
    name: MOVES[name] for name in ("losses swapped", "items swapped", "items", "lost items")
}


@pytest.mark.parametrize("statements", NOT_IN_SCORES.values(), ids=NOT_IN_SCORES)
def test_damaged_losses_that_are_read_late_are_noticed_then(
    full: Path, monkeypatch: pytest.MonkeyPatch, statements: tuple[str, ...]
) -> None:
    change(full, *statements)
    scores = read_late(full, monkeypatch)
    assert scores.values.shape == (2, 16)
    with pytest.raises(StoreDamaged, match="missing or corrupt"):
        _ = scores.items.values


def test_losses_are_not_read_late_from_another_file(
    full: Path, mixed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = read_late(full, monkeypatch)
    os.replace(mixed, full)
    with pytest.raises(StoreError, match="has changed since these scores were read"):
        _ = scores.items.values
    os.remove(full)
    with pytest.raises(StoreError, match="not found"):
        _ = scores.items.values


def test_an_export_overwrites_nothing_unless_it_is_forced(full: Path) -> None:
    target = full.parent / "scores.csv"
    target.write_text("mine")
    with pytest.raises(DataError, match="already exists"):
        export(full, target)
    assert target.read_text() == "mine"
    export(full, target, force=True)
    assert target.read_text().startswith("learner,")
    assert sorted(os.listdir(full.parent)) == ["scores.csv", "x.db"]


def test_an_export_needs_a_complete_store_and_a_known_ending(tmp_path: Path) -> None:
    fill(tmp_path / "x.db", without=1)
    with pytest.raises(StoreIncomplete, match="31 of 32"):
        export(tmp_path / "x.db", tmp_path / "x.csv")
    with pytest.raises(DataError, match=r"the name must end in \.csv or \.parquet"):
        export(tmp_path / "x.db", tmp_path / "x.xlsx")
    assert os.listdir(tmp_path) == ["x.db"]


def test_of_a_truncated_store_it_is_said_how_to_go_on(
    full: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    full.write_bytes(full.read_bytes()[:2000])
    assert run_here("check", str(full)) == 3
    said = capsys.readouterr().err
    assert f"sqlite3 {full} .recover" in said
