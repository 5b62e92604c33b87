"""What a refusal advises works when it is done, for every refusal that advises something."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hints_not_done import NOT_DONE
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
from obeying import Case, Site, obey, refuse, site_of, sites

from outperform.cli._output import FLAGS, OPTIONS, ROLES
from outperform.cli._program import program
from outperform.cli._scores import ROLES as known_roles
from outperform.cli._scores import ROLES_OF_LOGS
from outperform.errors import OutperformError

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
ALWAYS = "use|pass|remove|say|give|leave(?! no)|add(?! up)|try|write|choose|drop"
"""Words that advise wherever they stand; the others do where a clause begins."""
OPENING = (
    "ask|calibrate|call|cast|check|chmod|collect|compare|connect|convert|copy|count|delete|divide|"
    "double|draw|end|exchange|export|fetch|fill|fix|free|judge|keep|list|look|make|mend|mkdir|name|"
    "open|pick|pip|point|put|quote|raise|read|reduce|register|rename|replace|rerun|rescale|"
    "reshape|restore|run|save|score|see|store|train(?! [{])|unset|wait"
)
ADVICE = re.compile(
    rf"\b({ALWAYS})\b|(^|[.;:,)]\s|\b(or|and|then|to \w+)\s)({OPENING})\b|such as|as in|for example"
    r"|did[_ ]you[_ ]mean|\{(hint|remedy|instead|words|advice|more)\}|\{(nearest|_suggestion)\("
    r"|: \w+=|: [\w.]+\(|=['\"]|run the same again",
    re.IGNORECASE,
)


def advises(site: Site) -> bool:
    """Tell whether a message says what to do, and not only what is needed.

    One that is put together elsewhere may.
    """
    own_words = re.sub(r"\{.*?\}", "", site.text, flags=re.DOTALL)
    return ADVICE.search(site.text) is not None or len(own_words.split()) < 2


@pytest.fixture
def go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Go into a new folder, which is all that a case finds there."""
    monkeypatch.setattr(sys, "path", [*sys.path])  # experiments put their folder there

    def into(name: str) -> None:
        (here := tmp_path / name).mkdir()
        monkeypatch.chdir(here)
        monkeypatch.setenv("HOME", str(here))

    return into


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_is_advised_works(case: Case, go: Callable[[str], None]) -> None:
    go("here")
    refuse(case, names())
    obey(case, names())


@pytest.mark.slow
def test_every_refusal_that_advises_is_tried(go: Callable[[str], None]) -> None:
    reached = set()
    for number, case in enumerate(CASES):
        go(str(number))
        reached.add(site_of(refuse(case, names())))
    left = [site for site in sites() if advises(site) and site not in reached]
    assert [str(site) for site in left if not site.text.startswith(tuple(NOT_DONE))] == []


@pytest.mark.slow
def test_nothing_is_excused_that_is_not_there() -> None:
    texts = [site.text for site in sites() if advises(site)]
    assert [start for start in NOT_DONE if not any(t.startswith(start) for t in texts)] == []


@pytest.mark.parametrize(
    ("text", "is_advice"),
    [
        ("Unknown method {name!r}; {did_you_mean(name, METHODS)}", True),
        ("{name} is read-only; chmod u+w {name}", True),
        ("confidence={c} must be at most 0.5: confidence=0.25", True),
        ("X has {n} items; at least 2 are needed", False),
    ],
)
def test_advice_is_told_from_what_is_needed(text: str, is_advice: bool) -> None:
    assert advises(Site(Path(), 1, 1, text)) is is_advice


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
