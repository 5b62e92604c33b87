"""Every public call of the corpus answers what was recorded: numbers, verdicts, codes, digests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from golden.calls import replay

CALLS = [(room, name) for room in replay.ROOMS for name in replay.calls(room)]


@pytest.fixture(autouse=True)
def of_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[3])


@pytest.mark.parametrize(("room", "name"), CALLS, ids=[f"{room}: {name}" for room, name in CALLS])
def test_a_call_answers_what_was_recorded(room: str, name: str) -> None:
    assert replay.differences(room, name, replay.calls(room)[name]) == []


def test_nothing_is_recorded_that_no_call_answers() -> None:
    calls = {(room, name) for room, name in CALLS}
    assert {(room, name) for room in replay.ROOMS for name in replay.expected(room)} == calls


def test_what_is_known_to_be_wrong_is_among_the_calls() -> None:
    wrong = json.loads((replay.HERE / "known_wrong.json").read_text(encoding="utf-8"))
    assert wrong.keys() <= {f"{room}: {name}" for room, name in CALLS}
