"""No test depends on how fast the machine is: none reads a clock, and waits have wide limits.

Speed is measured in benchmarks/. Whatever has to wait here waits for the event itself, by
`waiting.wait_until`, the one place that looks at a clock.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest
from places import TESTS

CLOCKS = {
    f"{name}{unit}"
    for name in ("monotonic", "perf_counter", "process_time", "thread_time")
    for unit in ("", "_ns")
}
DATED = {"time.time", "time.time_ns", "datetime.now", "timeit.timeit", "timeit.repeat"}
SHORTEST_WAIT = 60
"""Seconds. A wait ends with its event; the limit is only met when something is wrong."""
ALLOWED = {
    "waiting.py": "wait_until, and how long a learner of the tests is busy",
}


def readings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield where a clock is read, or a limit set below `SHORTEST_WAIT`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if name.rpartition(".")[2] in CLOCKS or any(name.endswith(each) for each in DATED):
                yield node.lineno, f"{name}()"
            for word in node.keywords:
                limit = word.value.value if isinstance(word.value, ast.Constant) else None
                short = isinstance(limit, int | float) and limit < SHORTEST_WAIT
                if word.arg == "timeout" and short:
                    yield node.lineno, f"{name}(timeout={limit})"
        elif isinstance(node, ast.ImportFrom) and node.module in ("time", "timeit"):
            for alias in node.names:
                if alias.name != "sleep":
                    yield node.lineno, f"from {node.module} import {alias.name}"


@pytest.mark.slow
def test_no_test_reads_a_clock_or_waits_for_less_than_a_minute() -> None:
    found = []
    for path in sorted(TESTS.rglob("*.py")):
        name = path.relative_to(TESTS).as_posix()
        if name not in ALLOWED:
            tree = ast.parse(path.read_text(encoding="utf-8"))
            found += [f"{name}:{line} {what}" for line, what in readings(tree)]
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        "assert time.perf_counter() - began < 2",
        "from time import monotonic",
        "spent = time.time() - began",
        "assert min(timeit.repeat(act)) < 0.1",
        "process.communicate(timeout=30)",
    ],
)
def test_a_clock_would_be_found(line: str) -> None:
    assert list(readings(ast.parse(line)))


def test_a_wide_limit_and_a_pause_are_no_clock() -> None:
    line = "time.sleep(0.1); process.wait(timeout=120); from time import sleep"
    assert not list(readings(ast.parse(line)))
