"""The reference of the site lacks nothing: names, verbs, options, designs, notes, tables, keys."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import click
import pytest

import outperform as op
import reference_pages
from outperform.cli._program import program
from outperform.designs import Design
from outperform.notes import NOTES


@cache
def pages() -> dict[str, str]:
    return reference_pages.pages()


def type_of(name: str) -> type:
    thing = getattr(op, name)
    return thing if isinstance(thing, type) else type(thing)


def test_every_public_name_is_listed_and_leads_to_a_page() -> None:
    links = dict(re.findall(r"^\| \[`(\w+)`\]\(([^)]+)\)", pages()["names.md"], re.MULTILINE))
    assert links.keys() == {name for name in dir(op) if not name.startswith("_")}
    for name, target in links.items():
        method = target.startswith("../methods/") and Path(target).stem in op.methods.table().names
        assert target in pages() or method, name


def test_pages_are_apart_where_upper_and_lower_case_are_the_same() -> None:
    assert len({name.lower() for name in pages()}) == len(pages())


def test_every_name_has_a_summary() -> None:
    assert not re.findall(r"^\| .*\|  \|$", pages()["names.md"], re.MULTILINE)


@pytest.mark.parametrize("verb", program.list_commands(click.Context(program)))
def test_every_verb_is_there_with_all_its_options(verb: str) -> None:
    section = re.search(rf"^## {verb}\n(.*?)(?=^## |\Z)", pages()["verbs.md"], re.M | re.S)
    assert section is not None
    command = program.get_command(click.Context(program), verb)
    assert command is not None
    for option in command.params:
        for spelling in option.opts if isinstance(option, click.Option) else ():
            assert re.search(rf"`(?:[^`]*[ ,/])?{spelling}\b", section[1]), spelling


def test_every_note_is_explained() -> None:
    ours = {code for code in NOTES if code.startswith("OP")}
    assert set(re.findall(r"^## (OP\d+)$", pages()["notes.md"], re.MULTILINE)) == ours


def test_every_kind_of_public_design_has_an_example() -> None:
    shown = re.findall(r"^\| `([^`]+)` \|", pages()["designs.md"], re.MULTILINE)
    classes = {type(op.parse(text)).__name__ for text in shown}
    public = {name for name in dir(op) if issubclass(type_of(name), Design)}
    assert "KFold" in public
    assert public <= classes


def test_the_tables_of_a_store_and_the_keys_of_a_result_are_there() -> None:
    page = pages()["store.md"]
    assert {"meta", "learner", "cell", "loss"} <= set(re.findall(r"CREATE TABLE (\w+)", page))
    for key in ("pvalue", "adjusted", "grade", "notes", "versions"):
        assert f"| `{key}` |" in page


def test_no_id_of_a_requirement_is_shown() -> None:
    assert not [name for name, text in pages().items() if re.search(r"\b[DBRNF]-\d\d\b", text)]
