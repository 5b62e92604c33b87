"""Files as people have them: what is read at once, with a design, and by metric."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import outperform as op

TRIALS = Path(__file__).parents[2] / "readers" / "trials"
DESIGNS = ("10cv", "5cv", "5seeds")
FOLDERS = ("formats/lm_eval", "formats/inspect", "formats/helm")


def calls() -> dict[str, Callable[[], Any]]:
    table: dict[str, Callable[[], Any]] = {}
    paths = sorted(path for path in TRIALS.rglob("*") if path.is_file())
    for path in [*paths, *(TRIALS / folder for folder in FOLDERS)]:
        name = path.relative_to(TRIALS).as_posix()
        table[name] = lambda path=path: op.compare(path)
        table[f"{name} lower"] = lambda path=path: op.compare(path, lower_is_better=True)
        for design in DESIGNS if path.parent == TRIALS else ():
            table[f"{name} {design}"] = lambda path=path, design=design: op.compare(
                path, design=design
            )
    return table
