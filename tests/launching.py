"""The program run as users run it, in a process of its own; and files to run it on."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

Program = Callable[..., subprocess.CompletedProcess[str]]

ENVIRONMENT = os.environ | {"COLUMNS": "80", "PYTHONIOENCODING": "utf-8"}
RESULT_KEYS = {
    *("schema", "method", "names", "metric", "design", "n", "estimate", "stderr", "statistic"),
    *("df", "pvalue", "low", "high", "level", "alternative", "verdict", "notes", "seed"),
    "versions",
}


def launch(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the program in a folder."""
    return subprocess.run(
        [sys.executable, "-m", "outperform", *arguments],
        cwd=folder,
        env=ENVIRONMENT | variables,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )


def write_scores(path: Path, names: tuple[str, ...] = ("new", "old"), gain: float = 0.1) -> None:
    """Write ten folds of scores, the first learner ahead by `gain`."""
    draws = np.random.default_rng(1).normal(0.7, 0.01, size=(10, len(names)))
    draws[:, 0] += gain
    rows = [f"{fold},{','.join(map(str, row))}" for fold, row in enumerate(draws)]
    head = ",".join(f'"{name}"' for name in names)
    path.write_text(f"fold,{head}\n" + "\n".join(rows) + "\n", encoding="utf-8")


def run_here(*arguments: str) -> int:
    """Run the program in this process, for what is printed: quicker by its imports."""
    from outperform.cli._program import _status

    return _status(arguments)
