"""A million cells: a run resumes with what is left, within half a gigabyte; so does a report.

`make test` tries 50,000; OUTPERFORM_STRESS=1, which `make stress` sets, a million.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

STRESS = os.environ.get("OUTPERFORM_STRESS") == "1"
SHAPES = [(10, 10_000), (100, 1_000)] if STRESS else [(10, 500)]
"""Learners, and repeats of a 10-fold cross-validation."""
MEGABYTES = 500 if STRESS else 300
N_LEFT = 20
PROGRAMS = Path(__file__).parent

pytestmark = [
    pytest.mark.slow,
    pytest.mark.parametrize("large", SHAPES, ids=str, indirect=True, scope="module"),
]


class Large:
    """A store that lacks a few cells of many."""

    def __init__(self, path: Path, n_learners: int, n_repeats: int) -> None:
        self.path, self.shape = path, (str(n_learners), str(n_repeats))
        self.n_cells = n_learners * n_repeats * 10

    def ask(self, act: str) -> dict[str, Any]:
        """Use the store in a process of its own, for the sake of its peak memory."""
        told: dict[str, Any] = json.loads(program("scale_use.py", act, self.path, *self.shape))
        print(act, told)
        return told


def program(name: str, *arguments: object) -> str:
    words = [sys.executable, PROGRAMS / name, *map(str, arguments)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(words, env=environment, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def large(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Large:
    made = Large(tmp_path_factory.mktemp("large") / "runs.db", *request.param)
    said = program("scale_build.py", made.path, *made.shape, N_LEFT)
    assert said.startswith(f"incomplete: {N_LEFT} of {made.n_cells} fits")
    return made


def test_resuming_finds_what_is_left_and_runs_only_that(large: Large) -> None:
    told = large.ask("resume")
    assert told["left"] == N_LEFT
    assert told["megabytes"] < MEGABYTES
    assert (told["cells"], large.ask("resume")["left"]) == (large.n_cells, 0)


def test_opening_for_a_report_takes_little_memory(large: Large) -> None:
    large.ask("resume")  # so that it is whole, also when this test runs alone
    told = large.ask("report")
    assert told["cells"] == large.n_cells
    assert told["peak"] < MEGABYTES
