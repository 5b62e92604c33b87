"""A process that has imported libraries and becomes the program, in a fork, each time it is asked.

Libraries of others take most of a second of every start, outperform itself a fraction; so each
fork still imports all of outperform. An order is a line of JSON on stdin, its answer the exit
status on stdout.
"""

from __future__ import annotations

import gc
import io
import json
import os
import runpy
import sys
import warnings
from typing import Any, BinaryIO

LIBRARIES = (
    *("click", "jinja2", "joblib", "matplotlib.style", "polars", "rich.progress", "scipy.special"),
    *("scipy.stats", "sklearn.datasets", "sklearn.dummy", "sklearn.ensemble", "sklearn.pipeline"),
    *("sklearn.naive_bayes", "sklearn.neighbors", "sklearn.preprocessing"),
)


def opened(number: int, place: str, flags: int) -> BinaryIO:
    """Put a file where a process expects one of its three streams."""
    found = os.open(place, flags)
    os.dup2(found, number)
    os.close(found)
    return open(number, "rb" if number == 0 else "wb")


def take_over(order: dict[str, Any]) -> None:
    """Become what a process is that was started with these arguments in this folder."""
    os.chdir(order["folder"])
    os.environ.clear()
    os.environ.update(order["environment"])
    stdin = opened(0, os.devnull, os.O_RDONLY)
    stdout = opened(1, order["out"], os.O_WRONLY)
    stderr = opened(2, order["err"], os.O_WRONLY)
    sys.stdin = sys.__stdin__ = io.TextIOWrapper(stdin, "utf-8")
    sys.stdout = sys.__stdout__ = io.TextIOWrapper(stdout, "utf-8")
    sys.stderr = sys.__stderr__ = io.TextIOWrapper(
        stderr, "utf-8", "backslashreplace", line_buffering=True
    )
    sys.modules["numpy"].random.seed()  # forks would share its state, as no two processes do
    sys.argv[1:] = order["arguments"]
    sys.path[0] = os.getcwd()


def program_is_due() -> bool:
    """Answer orders; return True in each fork that is to be the program, False when all is done."""
    for line in sys.stdin:
        with warnings.catch_warnings(action="ignore"):  # Python 3.12: libraries have idle threads
            child = os.fork()
        if child == 0:
            take_over(json.loads(line))
            return True
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    return False


if __name__ == "__main__":
    for name in LIBRARIES:
        __import__(name)
    gc.freeze()  # forks that collect garbage would copy all of it
    if program_is_due():
        runpy.run_module("outperform", run_name="__main__", alter_sys=True)
