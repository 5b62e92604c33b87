"""Killed, stopped, out of disk, crowded: a run loses nothing, repeats little, and never lies.

`make test` tries each fault a few times; OUTPERFORM_STRESS=1, which `make stress` sets, many times.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from functools import cache
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import counted
import counted_run
import pytest

from outperform import parse
from outperform.storage import Address, Store, StoreIncomplete, check
from outperform.storage.contents import pack_one

FAULTS = Path(__file__).parent

STRESS = os.environ.get("OUTPERFORM_STRESS") == "1"
N_KILLS = 100 if STRESS else 4
N_CELLS = 60 * N_KILLS
DESIGN = f"{N_CELLS // 20}x10cv"
PROGRAM = FAULTS / "counted_run.py"
STOPS = [
    ("SIGINT", True, 2),
    ("SIGINT", False, 1),
    ("SIGTERM", False, 2),
    ("SIGHUP", True, 1),
]
if STRESS:
    STOPS = list(product(("SIGINT", "SIGTERM", "SIGHUP"), (False, True), (1, 2)))

pytestmark = pytest.mark.slow


class Fit(NamedTuple):
    pid: int
    cell: str


class Experiment:
    """A run of two counted learners that can be started again and again over one store."""

    def __init__(self, folder: Path, design: str = DESIGN, *, seconds: float = 0.01) -> None:
        self.folder, self.store, self.log = folder, folder / "runs.db", folder / "fits"
        self.design, self.seconds = design, seconds
        self.started: list[subprocess.Popen[str]] = []

    def start(
        self, n_jobs: int = 2, *, store: object = None, team: int = 1
    ) -> subprocess.Popen[str]:
        """Start the run in a process group of its own; its fits wait for a team of processes."""
        store = self.store if store is None else store
        process = subprocess.Popen(
            [sys.executable, PROGRAM, store, self.design, str(n_jobs), str(self.seconds)],
            env=os.environ
            | {"FITS": str(self.log), "TEAM": str(team), "PYTHONPATH": os.pathsep.join(sys.path)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.started.append(process)
        return process

    def finish(self, n_jobs: int = 2, *, store: object = None) -> str:
        """Run to the end and return the digest."""
        said, complaints = self.start(n_jobs, store=store).communicate(timeout=300)
        assert len(said.strip()) == 64, complaints
        return said.strip()

    def fits(self) -> list[Fit]:
        if not self.log.exists():
            return []
        words = (line.split() for line in self.log.read_text().splitlines())
        return [Fit(int(pid), cell) for pid, cell in words]

    def n_fits(self) -> int:
        return self.log.read_bytes().count(b"\n") if self.log.exists() else 0

    def wait_for(self, n_fits: int, process: subprocess.Popen[str]) -> None:
        """Wait until so many fits are begun, or the run is over."""
        while self.n_fits() < n_fits and process.poll() is None:
            time.sleep(0.005)

    def committed(self) -> set[str]:
        """Return the cells that are in the store, named as the log of fits names them."""
        rows = self.rows()
        return {cell for key, cell in cells_of(self.design).items() if key in rows}

    def n_committed(self) -> int:
        """Count the cells that a reader beside the run sees."""
        with (
            suppress(sqlite3.Error),
            closing(sqlite3.connect(f"{self.store.as_uri()}?mode=ro", uri=True)) as db,
        ):
            return int(db.execute("SELECT count(*) FROM cell").fetchone()[0])
        return 0

    def rows(self) -> dict[tuple[int, int], tuple[object, ...]]:
        """Read every cell from a copy, so that the store is met by the next run as it was left."""
        copies = self.folder / "copies"
        copies.mkdir(exist_ok=True)
        for ending in ("", "-wal", "-journal"):
            copies.joinpath(f"runs.db{ending}").unlink(missing_ok=True)
            with suppress(FileNotFoundError):
                shutil.copy(f"{self.store}{ending}", copies)
        if not self.store.exists() or not self.store.stat().st_size:
            return {}
        with closing(sqlite3.connect(copies / "runs.db")) as db, suppress(sqlite3.OperationalError):
            read = db.execute("SELECT * FROM cell")
            return {(model, address): rest for model, _, address, *rest in read}
        return {}  # killed before the tables were made

    def end(self) -> None:
        for process in self.started:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


@pytest.fixture
def experiment(tmp_path: Path) -> Iterator[Experiment]:
    made = Experiment(tmp_path)
    yield made
    made.end()


@pytest.fixture
def short(tmp_path: Path) -> Iterator[Experiment]:
    """A run of 400 cells."""
    made = Experiment(tmp_path, "20x10cv")
    yield made
    made.end()


@cache
def undisturbed(design: str) -> str:
    """Return the digest of a run that nothing happens to, without store or workers."""
    with TemporaryDirectory() as folder:
        return Experiment(Path(folder), design, seconds=0.0).finish(1, store="-")


@cache
def cells_of(design: str) -> dict[tuple[int, int], str]:
    """Return what each cell of a store, by learner and address, is called in the log of fits."""
    X, y = counted_run.data()
    splits = list(parse(design).split(len(y), random_state=counted_run.SEED))
    return {
        (number, pack_one(Address(*split[:3]))): counted.name_of(X[split.train], scale)
        for number, scale in enumerate(counted_run.SCALES.values(), 1)
        for split in splits
    }


def test_killed_at_random_moments_a_run_loses_nothing_and_repeats_nothing_it_has_committed(
    experiment: Experiment,
) -> None:
    rng = random.Random(20)
    kept: dict[tuple[int, int], tuple[object, ...]] = {}
    finished: set[str] = set()
    n_again = 0
    for kill in range(N_KILLS):
        n_fits, process = experiment.n_fits(), experiment.start()
        if kill % 3 == 1:  # while it opens the store and calls its workers
            time.sleep(rng.uniform(0.1, 2))
        elif kill % 3 == 2:  # once it has committed something more
            while experiment.n_committed() <= len(kept) and process.poll() is None:
                time.sleep(0.005)
        else:
            experiment.wait_for(n_fits + rng.randrange(1, 50), process)
            time.sleep(rng.uniform(0, 0.05))
        os.killpg(process.pid, signal.SIGKILL)
        said, complaints = process.communicate()
        assert (said, complaints) == ("", ""), "it ended before it was killed"
        now = experiment.rows()
        assert kept.items() <= now.items(), "a committed cell was lost or changed"
        kept = now
        assert len(kept) < N_CELLS, "there is nothing left to kill"
        fitted = {fit.cell for fit in experiment.fits()[n_fits:]}
        assert not fitted & finished, "a committed cell was fitted again"
        finished = experiment.committed()
        n_again += len(fitted - finished)
        if kept:
            with (
                Store.open(experiment.store, mode="read") as store,
                pytest.raises(StoreIncomplete, match=r"^incomplete: "),
            ):
                store.scores()

    n_fits = experiment.n_fits()
    digest = experiment.finish()
    assert digest == undisturbed(DESIGN)
    assert not {fit.cell for fit in experiment.fits()[n_fits:]} & finished
    assert kept.items() <= experiment.rows().items()
    assert len(experiment.rows()) == N_CELLS
    assert check(experiment.store).ok

    fits = experiment.fits()
    assert {fit.cell for fit in fits} == set(cells_of(DESIGN).values())
    assert len(fits) == N_CELLS + n_again
    print(f"{N_KILLS} kills, {n_again} fits of {N_CELLS} again")


def test_killed_while_a_store_is_extended_it_ends_as_a_run_from_scratch(short: Experiment) -> None:
    large, short.design = "10x10cv", "2x10cv"
    short.finish()
    kept, finished = short.rows(), short.committed()
    short.design = large
    for _ in range(2):
        n_fits, process = short.n_fits(), short.start()
        short.wait_for(n_fits + 30, process)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        assert kept.items() <= short.rows().items(), "a committed cell was lost or changed"
        assert not {fit.cell for fit in short.fits()[n_fits:]} & finished
        kept, finished = short.rows(), short.committed()
    assert 40 < len(kept) < 200
    assert short.finish() == undisturbed(large)
    assert check(short.store).ok


def test_no_worker_outlives_its_parent(short: Experiment) -> None:
    process = short.start()
    short.wait_for(20, process)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=120)  # ends when no process is left that holds its streams
    n_fits = short.n_fits()
    time.sleep(0.2)
    assert 20 <= short.n_fits() == n_fits < 400


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc: Linux alone")
def test_workers_that_are_still_starting_end_too(short: Experiment) -> None:
    process = short.start()
    while _n_workers(process.pid) < 2 and process.poll() is None:
        time.sleep(0.005)
    time.sleep(0.5)  # tasks are with them, and what these import takes longer than that
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=120)


def test_the_next_run_removes_what_a_killed_one_left_in_shared_memory_and_nothing_else(
    short: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = short.folder / "memory"
    memory.mkdir()
    monkeypatch.setenv("JOBLIB_TEMP_FOLDER", str(memory))
    process = short.start()
    short.wait_for(20, process)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)
    left = memory / f"joblib_memmapping_folder_{process.pid}_ab_cd"  # joblib makes it for more data
    left.mkdir(exist_ok=True)
    (left / "X.pkl").write_bytes(bytes(1000))
    # Of a process that lives, of one that has nothing to do with us, and of another machine.
    others = [memory / f"joblib_memmapping_folder_{pid}_ab_cd" for pid in (os.getpid(), 2**22 + 1)]
    others.append(memory / f"joblib_memmapping_folder_{2**22 + 2}_ab_cd")
    for folder in others:
        folder.mkdir()
    mark = memory / f"outperform_run_{2**22 + 2}"
    mark.write_text(json.dumps(["elsewhere", 2**22 + 2, ""]))
    short.finish()
    assert set(memory.iterdir()) == {*others, mark}


def _n_workers(parent: int) -> int:
    children = Path(f"/proc/{parent}/task/{parent}/children")
    try:
        return sum(
            b"popen_loky" in Path(f"/proc/{pid}/cmdline").read_bytes()
            for pid in children.read_text(encoding="ascii").split()
        )
    except OSError:  # gone meanwhile
        return 0


def test_a_run_whose_parent_alone_was_killed_resumes_to_the_same_bits(short: Experiment) -> None:
    process = short.start()
    short.wait_for(50, process)
    os.kill(process.pid, signal.SIGKILL)
    # At once: workers of the dead run may still be fitting beside those of the new one.
    assert short.finish() == undisturbed(short.design)
    assert len(short.rows()) == 400


@pytest.mark.parametrize(("name", "whole_group", "n_jobs"), STOPS)
def test_a_stopped_run_keeps_what_is_done_and_says_how_to_resume(
    name: str, whole_group: bool, n_jobs: int, short: Experiment
) -> None:
    number = signal.Signals[name]
    process = short.start(n_jobs)
    short.wait_for(30, process)
    (os.killpg if whole_group else os.kill)(process.pid, number)
    said, complaints = process.communicate(timeout=120)
    # Python leaves by the signal itself at KeyboardInterrupt, which a shell shows as 130.
    assert process.returncode == (-number if name == "SIGINT" else 128 + number)
    assert said == ""
    assert f"Stopped: finished fits are kept in '{short.store}'. Run the same command" in complaints

    done, n_fits = short.rows(), short.n_fits()
    assert 0 < len(done) < 400
    assert short.finish(n_jobs) == undisturbed(short.design)
    assert done.items() <= short.rows().items()
    assert short.n_fits() - n_fits == 400 - len(done), "what was committed is not fitted again"


def test_eight_processes_share_one_new_store_and_fit_every_cell_once(short: Experiment) -> None:
    processes = [short.start(1, team=2) for _ in range(8)]
    answers = [process.communicate(timeout=300) for process in processes]
    assert [process.returncode for process in processes] == [0] * 8, answers
    assert {said.strip() for said, _ in answers} == {undisturbed("20x10cv")}
    fits = short.fits()
    assert set(Counter(fit.cell for fit in fits).values()) == {1}
    assert len(short.rows()) == len(fits) == 400
    assert len({fit.pid for fit in fits}) > 1, "one process did all the work"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of one megabyte."""
    folder = tmp_path / "disk"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], check=True)
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


@pytest.mark.needs("root", "mount")
@pytest.mark.parametrize("room", [0, 20_000, 200_000, 300_000])
def test_a_full_disk_stops_a_run_that_resumes_whole_when_there_is_room(
    room: int, disk: Path, short: Experiment
) -> None:
    short.store, short.seconds = disk / "runs.db", 0.0
    ballast = disk / "ballast"
    ballast.write_bytes(bytes(2**20 - room - 4096))
    process = short.start(1)
    said, complaints = process.communicate(timeout=300)
    assert (process.returncode, said) == (1, "")
    assert "disk is full" in complaints.splitlines()[-1]
    assert "free some space" in complaints.splitlines()[-1]

    before = short.rows()
    ballast.unlink()
    n_fits = short.n_fits()
    assert short.finish(1) == undisturbed(short.design)
    assert before.items() <= short.rows().items()
    assert short.n_fits() - n_fits == 400 - len(before)
    assert check(short.store).ok
