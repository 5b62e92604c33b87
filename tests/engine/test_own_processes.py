"""Models that start processes of their own inside fit: a run fits them as a plain loop does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

MODEL = """
import multiprocessing
import signal

import numpy as np
from joblib import Parallel, delayed


def double(number):
    return 2 * number


def handlers(_):
    names = "SIGINT", "SIGTERM", "SIGHUP", "SIGALRM"
    return [str(signal.getsignal(getattr(signal, name))) for name in names]


class Pooled:
    def __init__(self, how="pool"):
        self.how = how

    def get_params(self, deep=True):
        return {"how": self.how}

    def set_params(self, how):
        self.how = how
        return self

    def fit(self, X, y):
        if self.how != "joblib":
            start = None if self.how == "pool" else self.how
            with multiprocessing.get_context(start).Pool(2) as pool:
                doubled, inherited = pool.map(double, range(4)), pool.map(handlers, range(2))
            assert not any("outperform" in text for text in inherited[0]), inherited
        else:
            call = Parallel(n_jobs=2, backend="multiprocessing")
            doubled = call(delayed(double)(number) for number in range(4))
        assert doubled == [0, 2, 4, 6]
        self.label = np.bincount(y).argmax()
        return self

    def predict(self, X):
        return np.full(len(X), self.label)

"""
EXPERIMENT = """
import numpy as np
from own_pools import Pooled

y = np.arange(60) % 2
X = y[:, None]
learners = {"own": Pooled(), "joblib": Pooled("joblib")}
design = "3x5cv"
"""
RUN = """
import sys

import outperform as op
from experiment import X, design, learners, y

if __name__ == "__main__":
    op.run(learners, X, y, design=design, n_jobs=int(sys.argv[1]), time_limit=100, progress=False)
"""
SPAWN = """
import outperform as op
from experiment import X, y
from own_pools import Pooled

if __name__ == "__main__":
    options = {"design": "2cv", "n_jobs": 2, "time_limit": 20, "progress": False}
    op.run({"own": Pooled("spawn")}, X, y, **options)
"""
FORKED = pytest.mark.skipif(sys.platform != "linux", reason="workers are forked only if asked")


def finished(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a program beside the models."""
    programs = {"own_pools": MODEL, "experiment": EXPERIMENT, "run_pools": RUN, "spawning": SPAWN}
    for name, text in programs.items():
        (folder / f"{name}.py").write_text(text)
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        cwd=folder,
        text=True,
        timeout=120,
        check=False,
    )


@FORKED
@pytest.mark.parametrize("n_jobs", ["1", "2"])
def test_a_model_may_use_pools_of_its_own(n_jobs: str, tmp_path: Path) -> None:
    ended = finished(tmp_path, "run_pools.py", n_jobs)
    assert ended.returncode == 0, ended.stderr


@FORKED
@pytest.mark.slow
def test_a_model_may_spawn_processes_in_a_worker(tmp_path: Path) -> None:
    ended = finished(tmp_path, "spawning.py")
    assert ended.returncode == 0, ended.stderr


@FORKED
def test_a_model_may_use_pools_of_its_own_on_the_command_line(tmp_path: Path) -> None:
    ended = finished(tmp_path, "-m", "outperform", "run", "experiment.py", "--store", "results.db")
    assert ended.returncode == 0, ended.stderr
