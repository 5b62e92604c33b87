"""Studies: rates of known tests, the same bits however they run, and nothing lost."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from outperform import DataError, MethodError, study
from outperform.lab import DesignedPopulation
from outperform.lab.studies import HELD, TASK, Answer, Pace, fingerprint
from outperform.storage import StoreFull
from outperform.storage.study_store import IN_MEMORY, Packed, StudyStore, packed

FIVE = ["mcnemar", "proportions", "resampled_t", "kfold_t", "five_by_two_t"]
POPULATION = DesignedPopulation(epsilon=0.3)
EARLIER = (
    "CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE block (effect INTEGER NOT NULL, number INTEGER NOT NULL, size INTEGER NOT NULL, "
    "numbers BLOB NOT NULL, checksum BLOB NOT NULL, PRIMARY KEY (effect, number)) WITHOUT ROWID",
)


def small(**options):
    settings = {"n_reps": 9000, "random_state": 7, "effects": (0.0, 0.05)} | options
    return study(["mcnemar", "kfold_t"], POPULATION, **settings)


@pytest.mark.slow
@pytest.mark.requirement("D-52")
def test_the_same_seed_gives_the_same_bits_whatever_the_workers():
    one = small().to_frame()
    assert small(n_jobs=2).to_frame().equals(one)
    as_pandas = small().to_frame(kind="pandas")
    assert type(as_pandas).__module__.startswith("pandas")
    assert as_pandas.shape == one.shape
    assert not small(random_state=8).to_frame().equals(one)


def test_asking_one_more_method_changes_no_other():
    alone = study("kfold_t", POPULATION, n_reps=500, random_state=3)
    among = study(FIVE, POPULATION, n_reps=500, random_state=3)
    assert np.array_equal(alone.column("kfold_t"), among.column("kfold_t"))


def test_a_study_that_was_stopped_goes_on_from_its_store(tmp_path):
    path = tmp_path / "study.db"

    def stop(state):
        if state.done >= 4096:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        small(store=path, progress=stop)
    with closing(sqlite3.connect(path)) as db:
        kept = db.execute("SELECT count(*) FROM block").fetchone()[0]
    assert 0 < kept < 6
    told = []
    resumed = small(store=path, progress=told.append)
    assert told[0].done > 4096 * kept - 1
    assert resumed.to_frame().equals(small().to_frame())


def test_a_store_remembers_the_seed_that_was_drawn(tmp_path):
    path = tmp_path / "study.db"
    first = small(store=path, random_state=None)
    assert small(store=path, random_state=None).seed == first.seed


def test_a_store_of_another_study_is_refused_naming_what_differs(tmp_path):
    path = tmp_path / "study.db"
    small(store=path)
    with pytest.raises(DataError, match=r"another study.*n_reps is 500"):
        small(store=path, n_reps=500)
    other = tmp_path / "notes.txt"
    other.write_text("mine")
    with pytest.raises(DataError, match="is not a study store"):
        small(store=other)
    assert other.read_text() == "mine"


def test_processes_that_begin_one_store_at_once_share_the_seed_of_the_first(tmp_path, monkeypatch):
    path = tmp_path / "study.db"

    def draw_late(bits):
        with closing(sqlite3.connect(path)) as db, db:
            db.execute("INSERT INTO about VALUES ('seed', '11')")
        return 2

    monkeypatch.setattr("outperform.lab.studies.secrets.randbits", draw_late)
    found = small(store=path, random_state=None)
    assert found.seed == 11
    assert np.array_equal(found.column("mcnemar"), small(random_state=11).column("mcnemar"))


def test_a_store_that_may_not_be_written_or_is_newer_is_refused_and_left_as_it_was(tmp_path):
    path = tmp_path / "study.db"
    small(store=path).store.close()
    path.chmod(0o400)
    before = path.read_bytes()
    with pytest.raises(DataError, match="is read-only; chmod u\\+w"):
        small(store=path)
    path.chmod(0o600)
    path.write_bytes(before[:60] + (1).to_bytes(4, "big") + before[64:])
    with pytest.raises(DataError, match="written by a newer version of outperform"):
        small(store=path)
    Path(tmp_path / "folder").mkdir()
    with pytest.raises(DataError, match="is a directory"):
        small(store=tmp_path / "folder")


def test_a_full_disk_stops_a_study_that_resumes_when_there_is_room(tmp_path):
    path = tmp_path / "study.db"
    store = StudyStore(path, {}, 0)
    row = packed((0, 0), np.zeros((1, 1, 10_000)))
    store.write([row])
    ((pages,),) = store._session.db.execute("PRAGMA page_count")
    store._session.db.execute(f"PRAGMA max_page_count={pages + 1}")
    with pytest.raises(StoreFull, match="Everything committed so far is kept"):
        store.write([row._replace(number=1)])
    store.close()
    store = StudyStore(path, {}, 0)
    assert store.places() == {(0, 0)}
    store.write([row._replace(number=1)])
    assert len(list(store.blocks(0, (1, 1)))) == 2
    store.close()


def test_a_store_of_an_earlier_version_goes_on(tmp_path):
    """Its blocks were in a tree by key, and a run may have died before it made any table."""
    path, begun = tmp_path / "study.db", tmp_path / "begun.db"
    for name, tables in ((path, EARLIER), (begun, ())):
        with closing(sqlite3.connect(name)) as db:
            db.execute(f"PRAGMA application_id={0x4F505354}")
            db.execute("PRAGMA journal_mode=WAL")
            for statement in tables:
                db.execute(statement)
    fresh = small()
    for name in (path, begun):
        for _ in range(2):
            found = small(store=name)
            assert np.array_equal(found.column("mcnemar"), fresh.column("mcnemar"))
            found.store.close()


def test_a_damaged_block_is_an_error_that_names_it(tmp_path):
    path = tmp_path / "study.db"
    found = small(store=path)
    found.store.close()
    with closing(sqlite3.connect(path)) as db, db:
        body = bytearray(db.execute("SELECT numbers FROM block WHERE effect = 1").fetchone()[0])
        body[100] ^= 1
        db.execute("UPDATE block SET numbers = ? WHERE effect = 1 AND number = 0", (bytes(body),))
    with pytest.raises(
        DataError, match=r"is damaged: effect 1, block 0 is corrupt. Delete the file"
    ):
        small(store=path).rates()


@pytest.mark.requirement("D-36")
@pytest.mark.requirement("D-48")
def test_rates_come_with_wilson_intervals():
    found = small().rates(0.05)["mcnemar", 0.0]
    p, n, z = found.rate, found.n, 1.959963984540054
    centre = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    assert found.low == pytest.approx(centre - half, rel=1e-10)
    assert found.high == pytest.approx(centre + half, rel=1e-10)
    assert found.hits == np.count_nonzero(small().column("mcnemar") < 0.05)


@pytest.mark.requirement("N-27")
@pytest.mark.requirement("N-30")
def test_hypotheses_at_the_truth_are_rejected_as_often_as_the_intervals_miss_it():
    found = study(
        [("corrected_t", "30xresampled@1/3"), "kfold_t"],
        POPULATION,
        effects=(0.05,),
        n_reps=2000,
        random_state=1,
    )
    rejected = found.power(0.05, mu0=[0.05])
    held = found.coverage()
    for label in found.methods:
        assert rejected[label].hits == held[label].n - held[label].hits


def test_kept_intervals_agree_with_those_from_the_standard_error():
    kept = study("kfold_t", POPULATION, n_reps=800, random_state=5, level=0.9)
    derived = study("kfold_t", POPULATION, n_reps=800, random_state=5)
    assert kept.coverage()["kfold_t"].hits == derived.coverage(level=0.9)["kfold_t"].hits
    mcnemar = study("mcnemar", POPULATION, n_reps=300, random_state=5)
    with pytest.raises(MethodError, match=r"run the study with level=0\.9"):
        mcnemar.coverage(level=0.9)


@pytest.mark.requirement("D-31")
def test_quantiles_are_finite_and_sorted():
    x, y = study("five_by_two_t", POPULATION, n_reps=1000, random_state=2).qq("five_by_two_t")
    assert np.isfinite(x).all()
    assert (np.diff(x) > 0).all()
    assert (np.diff(y) >= 0).all()


def test_an_experiment_without_a_p_value_is_counted_as_asked():
    rare = DesignedPopulation(epsilon=0.005, n=30, beta=0.0)
    found = study([("kfold_t", "3cv")], rare, n_reps=4000, random_state=1)
    as_accepted = found.rates()["kfold_t 3cv"]
    as_rejected = found.rates(undefined="reject")["kfold_t 3cv"]
    assert as_accepted.undefined == as_rejected.undefined
    gone = round(as_accepted.undefined * as_accepted.n)
    assert as_rejected.hits == as_accepted.hits + gone


@pytest.mark.parametrize(
    ("methods", "options", "words"),
    [
        ([], {}, "No method was passed"),
        (["kfold_t", "kfold_t"], {}, "passed twice"),
        (["kfold_q"], {}, "did you mean"),
        (["kfold_t"], {"n_reps": 0}, "n_reps must be an integer"),
        (["kfold_t"], {"effects": (0.0, 0.0)}, "without duplicates"),
        (["kfold_t"], {"n_reps": 10**8}, "confirm_large=True"),
        ([("mcnemar", None, {"flavour": "exact"})], {}, "has the options"),
    ],
)
def test_what_cannot_be_studied_is_refused(methods, options, words):
    with pytest.raises((MethodError, DataError, ValueError), match=words):
        study(methods, POPULATION, **({"n_reps": 10, "random_state": 0} | options))


def test_scenarios_with_equal_settings_have_equal_fingerprints():
    assert fingerprint(DesignedPopulation(epsilon=0.2)) == fingerprint(
        DesignedPopulation(epsilon=0.2)
    )
    assert fingerprint(DesignedPopulation(epsilon=0.2)) != fingerprint(POPULATION)


def test_a_file_whose_pages_are_damaged_is_named_and_left_alone(tmp_path):
    path = tmp_path / "study.db"
    small(store=path).store.close()
    body = bytearray(path.read_bytes())
    body[4096:12288] = b"\xff" * 8192
    path.write_bytes(body)
    with pytest.raises(DataError, match="is damaged"):
        small(store=path).rates()
    assert path.read_bytes()[4096:12288] == b"\xff" * 8192


@pytest.mark.parametrize("workers", [1, 2])
def test_tasks_hold_a_bounded_number_of_bytes_however_many_the_experiments(workers):
    body = bytes(2**20)
    for n_blocks in (100, 10_000):
        pace = Pace(workers, n_blocks)
        pace.learn(Answer([Packed(0, 0, 8192, body, b"")], [], 1e-6))
        sizes = [len(task) for task in pace.tasks(((0, at), 8192) for at in range(n_blocks))]
        assert sum(sizes) == n_blocks
        assert max(sizes) * len(body) == HELD


def test_the_last_tasks_are_short_so_that_no_worker_waits_for_another():
    pace = Pace(2, 99)
    pace.learn(Answer([Packed(0, 0, 4, b"few", b"")], [], TASK / 20))
    sizes = [len(task) for task in pace.tasks(((0, at), 4) for at in range(99))]
    assert sum(sizes) == 99
    after = 99 - np.cumsum(sizes)
    assert all(size <= max(1, left) for size, left in zip(sizes, after // 2, strict=True))
    assert sizes[0] > 10
    assert sizes[-1] == 1


def test_a_slow_first_block_does_not_make_every_task_short():
    pace = Pace(1, 1000)
    pace.learn(Answer([Packed(0, 0, 4, b"few", b"")], [], 3.0))
    assert pace.together == 1
    pace.learn(Answer([Packed(0, 1, 4, b"few", b"")], [], TASK / 10))
    assert pace.together == 10


def test_a_large_study_without_a_path_is_a_file_that_goes_with_it():
    store = StudyStore(None, {}, IN_MEMORY + 1)
    folder = Path(store._temporary.name)
    assert (folder / "study.db").exists()
    store.close()
    assert not folder.exists()
