"""Streams that cannot be written: one line says so, and no status claims success."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from launching import ENVIRONMENT, write_scores

from outperform.storage import check

pytestmark = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full: Linux")

EXPERIMENT = """
import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
y = np.arange(40) % 2
X = np.random.default_rng(0).normal(size=(40, 2)) + y[:, None]
learners = {"nb": GaussianNB(), "dummy": DummyClassifier()}
design, random_state = "4cv", 0
"""
NO_ROOM = "Error: The output cannot be written: No space left on device."
SHELL = f'"{sys.executable}" -m outperform'


def shell(folder: Path, arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the program from a shell, which redirects its streams."""
    return subprocess.run(
        ["sh", "-c", f"{SHELL} {arguments}"],
        cwd=folder,
        env=ENVIRONMENT | variables,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_scores(tmp_path / "scores.csv")
    (tmp_path / "experiment.py").write_text(EXPERIMENT, encoding="utf-8")
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("verb", "unbuffered"),
    [
        ("compare scores.csv --design 10cv --require outperforms", ""),
        ("compare scores.csv --design 10cv --json", "1"),
        ("run experiment.py --store runs.db", ""),
        ("explain OP201", "1"),
        ("compare --help", ""),
    ],
)
def test_an_answer_that_finds_no_room_is_an_error_of_one_line(
    verb: str, unbuffered: str, folder: Path
) -> None:
    done = shell(folder, f"{verb} > /dev/full", PYTHONUNBUFFERED=unbuffered)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == NO_ROOM
    assert "Traceback" not in done.stderr
    assert not done.stderr.count("Exception ignored")


@pytest.mark.slow
def test_what_was_run_is_kept_though_the_answer_found_no_room(folder: Path) -> None:
    shell(folder, "run experiment.py --store runs.db > /dev/full")
    assert check(folder / "runs.db").counts["nb"].ok == 4


@pytest.mark.slow
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("closed", ["2> /dev/full", "2>&-"])
def test_an_answer_counts_though_nothing_can_be_said_beside_it(
    closed: str, unbuffered: str, folder: Path
) -> None:
    verb = "compare scores.csv --design 10cv"
    done = shell(folder, f"{verb} {closed}", PYTHONUNBUFFERED=unbuffered)
    assert done.returncode == 0
    assert done.stdout == shell(folder, verb).stdout
    assert shell(folder, f"compare nothing.csv {closed}").returncode == 2


@pytest.mark.slow
def test_a_closed_output_is_an_error(folder: Path) -> None:
    done = shell(folder, "compare scores.csv --design 10cv >&-")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == (
        "Error: The output cannot be written: Bad file descriptor."
    )


@pytest.mark.slow
def test_a_run_without_any_stream_fills_its_store_and_nothing_else(folder: Path) -> None:
    done = shell(folder, "run experiment.py --store runs.db --jobs 2 <&- >&- 2>&-")
    assert done.returncode == 2
    found = check(folder / "runs.db")
    assert found.ok
    assert {counts.ok for counts in found.counts.values()} == {4}


@pytest.mark.slow
def test_a_reader_that_leaves_is_no_error_to_speak_of(folder: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "outperform", "compare", "scores.csv", "--design", "10cv"],
        cwd=folder,
        env=ENVIRONMENT,
        stdout=writing,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    os.close(writing)
    assert done.returncode == 141
    assert "Error" not in done.stderr
    assert "Traceback" not in done.stderr
