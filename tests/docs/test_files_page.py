"""The page on files lists the options that there are, under the same names in both worlds."""

from __future__ import annotations

import re

from places import ROOT

from outperform import readers
from outperform.cli._program import program

PAGE = (ROOT / "docs" / "files.md").read_text(encoding="utf-8")


def test_every_option_of_the_readers_is_in_the_table_and_on_the_command_line() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| `(--[^ `]+)", PAGE, re.MULTILINE))
    known = {*readers.from_frame.__kwdefaults__, *readers.read.__kwdefaults__}
    assert set(rows) == known
    command = program.get_command(None, "compare")
    typed = {option for word in command.params for option in word.opts}
    assert set(rows.values()) <= typed


def test_every_limit_is_named() -> None:
    (named,) = re.findall(r"files only\): ([a-z, ]+) \|", PAGE)
    assert set(named.split(", ")) == set(readers.LIMITS)
