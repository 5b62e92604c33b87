"""What a refusal advises works when it is done."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hints_of_benchmarks import CASES as BENCHMARKS
from hints_of_commands import CASES as COMMANDS
from hints_of_files import CASES as FILES
from hints_of_item_methods import CASES as ITEM_METHODS
from hints_of_items import CASES as ITEMS
from hints_of_lab import CASES as LAB
from hints_of_logs import CASES as LOGS
from hints_of_methods import CASES as METHODS
from hints_of_models import CASES as MODELS
from hints_of_races import CASES as RACES
from hints_of_readings import CASES as READINGS
from hints_of_runs import CASES as RUNS
from hints_of_scores import CASES as SCORES
from hints_of_sources import CASES as SOURCES
from names_for_hints import names
from obeying import Case, obey, refuse

from outperform import OutperformError
from outperform.cli._output import FLAGS, OPTIONS, ROLES
from outperform.cli._program import program
from outperform.cli._scores import ROLES as known_roles
from outperform.cli._scores import ROLES_OF_LOGS

CASES = [
    *BENCHMARKS,
    *COMMANDS,
    *FILES,
    *READINGS,
    *SOURCES,
    *SCORES,
    *RUNS,
    *MODELS,
    *METHODS,
    *LAB,
    *ITEMS,
    *ITEM_METHODS,
    *RACES,
    *LOGS,
]


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_is_advised_works(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])  # experiments put their folder there
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    refuse(case, names())
    obey(case, names())


@pytest.mark.parametrize(
    ("said", "obeyed", "why"),
    [
        ("try another", "op.parse('10cv')", "is not a design"),
        ("use for example «'10x10cv'»", "op.parse('10cv')", "is advised, but not done"),
    ],
)
def test_a_case_that_strays_from_the_message_fails(said: str, obeyed: str, why: str) -> None:
    case = Case("op.parse('ten')", said, obeyed)
    with pytest.raises(AssertionError, match=why):
        obey_after_refusal(case)


def test_a_hint_that_leads_into_the_next_refusal_fails() -> None:
    with pytest.raises(OutperformError, match="is not a design"):
        obey_after_refusal(
            Case("op.parse('ten')", "«use for example»", "op.parse('use for example')")
        )


def obey_after_refusal(case: Case) -> None:
    refuse(case, names())
    obey(case, names())


def test_options_that_hints_are_turned_into_are_there() -> None:
    commands = [program.get_command(None, name) for name in program.list_commands(None)]
    there = {option for command in commands for word in command.params for option in word.opts}
    assert {*OPTIONS.values(), *FLAGS.values(), "--column", "--limit"} <= there
    assert set(ROLES) <= {*known_roles, *ROLES_OF_LOGS}
