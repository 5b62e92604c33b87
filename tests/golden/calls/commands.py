"""Commands with --json, in this process: exit status and the facts of what they print."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

from . import facts, inputs

EXAMPLES = Path(__file__).parents[3] / "examples"
COMPARED = (
    "folds.csv",
    "folds.csv a b",
    "folds.csv --control a",
    "folds.csv --alpha 0.2",
    "folds.csv --rope 0.05",
    "folds.csv --alternative greater",
    "folds.csv --method kfold_t",
    "folds.csv --method mcnemar",
    "folds.csv --adjust holm",
    "folds.csv --design 5cv",
    "folds.csv a nobody",
    "repeated.csv",
    "repeated.csv --lower-is-better",
    "repeated.csv --design 10x10cv --adjust bonferroni",
    "wide.csv",
    "wide.csv --design 10cv",
    "benchmark.csv",
    "benchmark.csv --method nemenyi",
    "benchmark.csv --adjust bergmann-hommel",
    "dataset_folds.csv",
    "dataset_folds.csv --method hierarchical",
    "new.jsonl old.jsonl",
    "new.jsonl old.jsonl --cluster subject",
    "new.jsonl old.jsonl tiny.jsonl",
    "new.jsonl old.jsonl --method sign_flip",
    "new.jsonl missing.jsonl",
    "judged.csv",
    "probabilities.csv",
    "probabilities.csv --metric log_loss",
    "predictions.csv",
    "predictions.csv --method simultaneous",
    "data.csv",
    "missing.csv",
    "examples/scores.csv",
    "examples/calibrated.csv --design 5x5cv+20halves",
    "examples/benchmark.csv",
    "examples/logs/new.jsonl examples/logs/old.jsonl --cluster subject",
    "examples/logs/judged.csv",
)
GATES = (
    "folds.csv a b --require outperforms",
    "folds.csv a c --require outperforms",
    "folds.csv c a --require outperforms",
    "folds.csv a c --require not-worse --rope 0.02",
    "folds.csv c a --require not-worse --rope 0.001",
    "folds.csv a b --require equivalent --rope 0.05",
    "folds.csv a b --require equivalent",
    "folds.csv a c --require outperforms --grade measured",
    "folds.csv a b --require outperforms --on-undecided warn",
    "new.jsonl old.jsonl --cluster subject --require not-worse --rope 0.05",
    "examples/calibrated.csv --design 5x5cv+20halves --require outperforms --grade measured",
)
RUNS = (
    "data.csv --target target --learner tree --learner nb --seed 1",
    "data.csv --target target --learner tree --learner nb --seed 1 --design 10cv",
    "data.csv --target target --learner tree --learner knn --design 5cv --scoring f1 --seed 1",
    "data.csv --target target --learner tree --learner nb --design 5cv --store kept.db --seed 1",
    "data.csv --target p --learner tree --learner linear --design 5cv --seed 1",
    "data.csv --target nothing --learner tree --learner nb",
    "data.csv --target target --learner nobody --learner nb",
    "examples/iris.csv --target species --learner tree --learner nb --design 10cv --seed 0",
)
OTHERS = (
    "rank folds.csv",
    "rank benchmark.csv",
    "rank new.jsonl old.jsonl",
    "plan repeated.csv a b --difference 0.01 --lower-is-better",
    "plan new.jsonl old.jsonl --difference 0.05",
    "plan benchmark.csv A B --difference 0.01",
    "race new.jsonl old.jsonl",
    "race new.jsonl old.jsonl --seed 3 --alpha 0.2",
    "race new.jsonl old.jsonl --cluster subject",
    "explain corrected_t",
    "explain OP315",
    "explain OP999",
    "explain nothing",
    "methods",
    "methods --design 10x10cv",
    "methods --design 5x2cv",
    "advise --defaults --domains one --about algorithm --aim compare --n 300 --learners 2",
    "advise --defaults --domains several --results table --learners 4",
    "nothing",
    "compare",
    "compare folds.csv --nothing",
    "verify folds.csv",
    "check folds.csv",
)
STARTED = ("folds.csv", "wide.csv", "new.jsonl old.jsonl", "benchmark.csv", "missing.csv")


def calls() -> dict[str, Callable[[], Any]]:
    lines = [
        f"{verb} {rest}"
        for verb, rests in (("compare", COMPARED + GATES), ("run", RUNS))
        for rest in rests
    ]
    table: dict[str, Callable[[], Any]] = {
        line: lambda line=line: run(line) for line in (*lines, *OTHERS)
    }
    table |= {
        "start compare " + rest: lambda rest=rest: start(f"compare {rest}")
        for rest in (*STARTED, *GATES)
    }
    table |= {
        f"start {line}": lambda line=line: start(line)
        for line in ("methods", "explain OP315", "--version", "nothing")
    }
    table["check of a store"] = lambda: _in_order(
        f"run {RUNS[3]}", "check kept.db", "compare kept.db", "compare kept.db nb tree"
    )
    table["verify a record"] = lambda: _in_order(
        "compare folds.csv --record verdict.outperform.json", "verify verdict.outperform.json"
    )
    return table


@cache
def _files() -> Path:
    folder = Path(tempfile.mkdtemp())
    inputs.write_files(folder)
    shutil.copytree(EXAMPLES, folder / "examples")
    return folder


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    """A copy of the files, so that no command sees what another has written."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "work")
        shutil.copytree(_files(), folder)
        os.chdir(folder)
        try:
            yield folder
        finally:
            os.chdir(before)


def run(line: str) -> Any:
    with _folder():
        return _answer(line)


def _in_order(*lines: str) -> Any:
    with _folder():
        return [_answer(line) for line in lines]


def _answer(line: str) -> Any:
    from outperform.cli import main

    out, status = io.StringIO(), 0
    words = line.split()
    words += ["--json"] if words[0] != "nothing" else []
    # A command may set variables for the workers of its process.
    quiet = contextlib.redirect_stderr(io.StringIO())
    with patch.dict(os.environ), contextlib.redirect_stdout(out), quiet:
        try:
            main(words)
        except SystemExit as end:
            status = int(end.code or 0)
    return _facts(status, out.getvalue())


def start(line: str) -> Any:
    """The command in a process of its own, as users start it."""
    words = [sys.executable, "-m", "outperform", *line.split()]
    words += ["--json"] if len(line.split()) > 1 or line == "methods" else []
    with _folder():
        done = subprocess.run(words, capture_output=True, encoding="utf-8", timeout=300)
    return _facts(done.returncode, done.stdout)


def _facts(status: int, text: str) -> dict[str, Any]:
    try:
        answered = facts.facts(json.loads(text)) if text.strip() else None
    except ValueError:
        answered = "no JSON"
    return {"status": status, "answer": answered}
