"""The program run as users run it, in a process of its own; and files to run it on."""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

Program = Callable[..., subprocess.CompletedProcess[str]]

ENVIRONMENT = os.environ | {"COLUMNS": "80", "PYTHONIOENCODING": "utf-8"}
RESULT_KEYS = {
    *("schema", "method", "names", "metric", "design", "n", "estimate", "stderr", "statistic"),
    *("df", "pvalue", "low", "high", "level", "alternative", "verdict", "notes", "seed"),
    "versions",
}


def launch(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the program in a folder, in a process of its own.

    Where processes may fork, it is one that has imported the libraries of others: see `preloaded`.
    Forks share the seed of hashes; to compare two processes, give one a PYTHONHASHSEED.
    """
    command = [sys.executable, "-m", "outperform", *arguments]
    loads_none = not arguments or arguments[-1] in ("-h", "--help", "--version")
    of_the_start = any(name.startswith("PYTHON") for name in variables)
    if loads_none or of_the_start or not sys.platform.startswith("linux"):
        return subprocess.run(
            command,
            cwd=folder,
            env=ENVIRONMENT | variables,
            capture_output=True,
            encoding="utf-8",
            timeout=300,
        )
    with tempfile.NamedTemporaryFile() as out, tempfile.NamedTemporaryFile() as err:
        order = {
            "folder": str(folder),
            "arguments": arguments,
            "environment": ENVIRONMENT | variables,
            "out": out.name,
            "err": err.name,
        }
        status = _status_of(order)
        said = (file.read().decode("utf-8") for file in (out, err))
        return subprocess.CompletedProcess(command, status, *said)


def _status_of(order: dict[str, Any]) -> int:
    server = _server()
    server.stdin.write(json.dumps(order) + "\n")
    server.stdin.flush()
    answer = server.stdout.readline() if select.select([server.stdout], [], [], 300)[0] else ""
    if not answer:
        os.killpg(server.pid, signal.SIGKILL)  # the program as well
        _server.cache_clear()
        raise RuntimeError(f"no end within 300 s, or no server any more: {order['arguments']}")
    return int(answer)


@cache
def _server() -> Any:
    server = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("preloaded.py"))],
        env=ENVIRONMENT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
    )
    atexit.register(server.communicate)
    return server


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
