"""Replay the calls of a room, or record them: python -m golden.calls.replay ROOM."""

from __future__ import annotations

import importlib
import json
import sys
import time
import warnings
from functools import cache
from pathlib import Path
from typing import Any

from outperform import OutperformError

from . import facts

HERE = Path(__file__).parent
ROOMS = ("methods", "arrays", "comparisons", "runs", "files", "verbs", "commands", "examples")


@cache
def calls(room: str) -> dict[str, Any]:
    return importlib.import_module(f"{__package__}.{room}").calls()


@cache
def expected(room: str) -> dict[str, Any]:
    path = HERE / f"{room}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def answer(call: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            returned = call()
        except OutperformError as error:
            return facts.refusal(error)
        return json.loads(json.dumps(facts.facts(returned)))


def differences(room: str, name: str, call: Any) -> list[str]:
    recorded = expected(room).get(name)
    if recorded is None:
        return [f"{room}: {name}: not recorded"]
    return [f"{room}: {name}: {line}" for line in facts.differences(recorded, answer(call))]


def record(room: str) -> dict[str, Any]:
    """Return the answers of a room, keeping those that do not differ as they were."""
    before, after = expected(room), {}
    for name, call in calls(room).items():
        start = time.perf_counter()
        now = answer(call)
        if (seconds := time.perf_counter() - start) > 0.7:
            print(f"{seconds:6.1f} s  {name}")
        same = name in before and not facts.differences(before[name], now)
        after[name] = before[name] if same else now
        if name in before and not same:
            print(*(f"{name}{line}" for line in facts.differences(before[name], now)), sep="\n")
    print(*(f"gone: {name}" for name in before if name not in after), sep="\n")
    return after


def main(words: list[str]) -> None:
    if len(words) != 1 or words[0] not in ROOMS:
        sys.exit(f"name one room: {', '.join(ROOMS)}")
    rows = record(words[0])
    lines = (f"{json.dumps(name)}: {json.dumps(rows[name], sort_keys=True)}" for name in rows)
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    (HERE / f"{words[0]}.json").write_text(text, encoding="utf-8")
    refused = sum("refused" in row for row in rows.values() if isinstance(row, dict))
    print(f"{len(rows)} calls, {refused} refused")


if __name__ == "__main__":
    main(sys.argv[1:])
