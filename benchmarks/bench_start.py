"""What a fresh process pays: importing the package, a first test, help, a first answer."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from timing import Row, as_installed, process_ratio

FIRST_T = (
    "import outperform as op; "
    "op.corrected_t([.8, .7, .9], [.7, .7, .8], n_train=150, n_test=30).pvalue"
)
FIRST_MCNEMAR = "import outperform as op; op.mcnemar(table=[[20, 5], [15, 60]]).pvalue"
HELP = (
    "import os, sys; sys.stdout = open(os.devnull, 'w'); sys.argv = ['outperform', '--help']; "
    "from outperform.cli import main; main()"
)
ROUNDS = 11


def measure() -> list[Row]:
    peer = process_ratio("import mlxtend.evaluate", FIRST_MCNEMAR, rounds=7)
    bare = process_ratio("import outperform", "pass", rounds=41)
    return [
        Row("import outperform / bare Python", bare, 1.3, floor=False),
        Row(
            "first corrected_t on lists / import numpy, scipy.special",
            process_ratio(FIRST_T, "import numpy, scipy.special", rounds=21),
            1.3,
            floor=False,
        ),
        Row("import mlxtend.evaluate / first McNemar from counts", peer, 5),
        Row(
            "outperform --help / import click",
            process_ratio(HELP, "import click", rounds=21),
            1.6,
            floor=False,
        ),
        _first_byte(),
    ]


def _first_byte() -> Row:
    """Time `outperform compare` of 2 × 100 scores until it prints, beside a sklearn import."""
    theirs = [sys.executable, "-c", "import sklearn.model_selection; print(1)"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scores.csv"
        path.write_text(_scores())
        ours = [sys.executable, "-m", "outperform", "compare", str(path)]
        ratios = []
        for number in range(ROUNDS + 1):
            order = (ours, theirs) if number % 2 else (theirs, ours)
            seconds = {id(command): _until_printed(command) for command in order}
            if number:  # the first round only fills the disk cache
                ratios.append(seconds[id(ours)] / seconds[id(theirs)])
    name = "outperform compare, 2 × 100 scores, until it prints / import sklearn.model_selection"
    return Row(name, median(ratios), 1.0, floor=False, note="wall time to the first byte")


def _scores() -> str:
    rows = ["learner,repeat,fold,score"]
    for shift, name in enumerate(("tree", "bayes")):
        for split in range(100):
            score = 0.8 + 0.01 * shift + 0.001 * (split * (7 + shift) % 31)
            rows.append(f"{name},{split // 10},{split % 10},{score}")
    return "\n".join(rows) + "\n"


def _until_printed(command: list[str]) -> float:
    started = time.perf_counter()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=as_installed()
    ) as running:
        assert running.stdout is not None
        first = running.stdout.read(1)
        seconds = time.perf_counter() - started
        running.stdout.read()
    if not first or running.returncode:
        raise SystemExit(f"{command} printed nothing or failed")
    return seconds
