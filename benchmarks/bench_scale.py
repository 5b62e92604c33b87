"""A million results: a run that resumes and a report that opens, beside what users have instead."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from timing import Row, as_installed

SHAPES = ((10, 10_000), (100, 1_000))
"""Learners, and repeats of a 10-fold cross-validation: a million cells each."""
N_LEFT, N_PEER = 20, 5_000
PROGRAMS = Path(__file__).parents[1] / "tests" / "faults"
TIMED = """
import sys, time, json
sys.path.insert(0, sys.argv[1])
import scale_use
began, seconds = time.process_time(), []
scale_use.main(*sys.argv[2:], ready=lambda: seconds.append(time.process_time() - began))
print(json.dumps(seconds[0]))
"""
PEER = """
import sys, time, warnings
warnings.simplefilter("ignore")
from joblib import Memory
def fit(learner, repeat, fold):
    return 0.5, [0, 1]
kept = Memory(sys.argv[1], verbose=0).cache(fit)
began = time.process_time()
for number in range(int(sys.argv[2])):
    kept(number % 10, number // 100, number // 10 % 10)
print(time.process_time() - began)
"""


def measure() -> list[Row]:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        each = _peer(Path(folder) / "memory") / N_PEER
        for shape in SHAPES:
            store = Path(folder) / f"{shape[0]}.db"
            _said(str(PROGRAMS / "scale_build.py"), store, *shape, N_LEFT)
            rows += _rows(store, shape, each)
            store.unlink()
    return rows


def _rows(store: Path, shape: tuple[int, int], each: float) -> list[Row]:
    n_cells = 10 * shape[0] * shape[1]
    spent = {}
    for act in ("resume", "report"):
        *_, told, seconds = _said("-c", TIMED, PROGRAMS, act, store, *shape).splitlines()
        assert json.loads(told)["cells"] == n_cells
        spent[act] = float(seconds)
    what = f"{n_cells:,} results of {shape[0]} learners"
    note = f"fresh processes, CPU time; joblib timed on {N_PEER:,} results, scaled up"
    name = f"{what}: finding by joblib.Memory that they are there / resuming"
    return [
        Row(name, n_cells * each / spent["resume"], 20, note=note),
        Row(f"{what}: CPU seconds until a run resumes", spent["resume"], 5, floor=False),
        Row(f"{what}: CPU seconds until a report is compared", spent["report"], 5, floor=False),
    ]


def _peer(folder: Path) -> float:
    """Return the seconds that a second pass over cached calls takes."""
    _said("-c", PEER, folder, N_PEER)
    return float(_said("-c", PEER, folder, N_PEER))


def _said(*words: object) -> str:
    command = [sys.executable, *map(str, words)]
    return subprocess.run(
        command, check=True, capture_output=True, text=True, env=as_installed()
    ).stdout
