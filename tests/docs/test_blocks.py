"""Every block of every page is run by a test, made by a tool, or checked here in another way."""

from __future__ import annotations

import os
import re
import shlex
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest
from launching import run_here
from places import ROOT

import outperform as op
import pictures
import sessions
from outperform.cli._program import program
from outperform.lazy import GROUPS

TOP = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
PAGES = [*sorted((ROOT / "docs").rglob("*.md")), *TOP]
FENCE = re.compile(
    r"(<!-- (?:file|exit): [^\n]+ -->\n)?^ *(```+|~~~+)(.*?)\n(.*?)^ *\2$", re.S | re.M
)
RUN = {*sessions.PAGES, *sessions.RECIPES, *(ROOT / "docs" / "methods").glob("*.md")}
ELSEWHERE = {"README.md": "test_readme.py", "CONTRIBUTING.md": "test_extending.py"}
"""Pages whose Python and console blocks other tests run."""
DRAWN = {"gallery.md"}
"""Pages whose sessions print nothing: they are run to draw the pictures below them."""
SHELL = ("outperform ", "make ", "pip ", "python -m calibration ")
SHOWN = {
    "learners + data ──run(Design)": "a drawing of the data flow",
    "450 fits will take about": "tests/engine/test_cost.py prints it from the same fits",
    '[project.entry-points."outperform': "test_the_entry_point_is_the_one_that_is_loaded, below",
}
"""Blocks that no session can run, by how they begin: what holds them instead."""
NOT_RUN = {
    "outperform demo": "tests/docs/test_release.py runs it from the wheel",
    "outperform advise": "asks questions; tests/cli answers them",
    "--dask tcp://scheduler:8786": "tests/cli/test_cli_run.py runs it with a scheduler",
}
"""Commands of plain blocks that are only parsed here, and what runs them."""


class Block(NamedTuple):
    """A block of a page: its mark, its language and its text."""

    page: Path
    mark: str
    kind: str
    text: str


def blocks(page: Path) -> Iterator[Block]:
    for mark, _, kind, text in FENCE.findall(page.read_text(encoding="utf-8")):
        yield Block(page, mark, kind.strip(), text.strip("\n"))


def held(block: Block) -> bool:
    """Tell whether a block is run, generated, checked below or shown for a reason."""
    page, mark, kind, text = block
    session = kind == "console" or (kind == "python" and text.startswith(">>> "))
    if page in RUN and (session or mark):
        return True
    if page.name in ELSEWHERE and kind in ("python", "console"):
        return True
    if page.name in DRAWN and session:
        return True
    if page.parent.name == "methods" and text.startswith("op."):  # the signature, by method_pages
        return True
    return text.startswith((*SHELL, *SHOWN))


def shell_lines() -> list[tuple[str, str]]:
    """Return every line of a plain block for a shell, without its comment, and its page."""
    found = [
        (block.page.name, line.strip())
        for page in PAGES
        for block in blocks(page)
        if block.kind == "" and block.text.startswith(SHELL)
        for joined in block.text.splitlines()
        for line in joined.partition(" # ")[0].split(";")
    ]
    return list(dict.fromkeys(found))


LINES = shell_lines()
OURS = [(page, line) for page, line in LINES if line.startswith("outperform ")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_is_run_or_has_a_reason_not_to_be(page: Path) -> None:
    left = [f"```{block.kind}\n{block.text}" for block in blocks(page) if not held(block)]
    assert left == [], "make it a session (>>> or $ outperform …), or say in SHOWN what holds it"


def test_every_reason_is_needed() -> None:
    texts = [block.text for page in PAGES for block in blocks(page)]
    assert all(any(text.startswith(start) for text in texts) for start in SHOWN)
    assert all(any(part in line for _, line in OURS) for part in NOT_RUN)


def test_what_is_not_a_block_of_the_kinds_above_is_found(tmp_path: Path) -> None:
    page = tmp_path / "new.md"
    page.write_text("# New\n\n```\nssh cluster\n```\n\n```python\nx = 1\n```\n", encoding="utf-8")
    assert [held(block) for block in blocks(page)] == [False, False]


def test_pages_that_draw_run_all_their_sessions() -> None:
    for name in DRAWN:
        text = (ROOT / "docs" / name).read_text(encoding="utf-8")
        assert text.rindex("<!-- picture") > text.rindex("```")
        assert len(pictures.MARK.findall(text)) >= 10


def test_every_line_for_a_shell_is_of_a_program_that_is_checked() -> None:
    programs = {line.partition(" ")[0] for _, line in LINES}
    assert programs == {"outperform", "make", "pip", "python"}


def test_make_and_pip_are_given_targets_and_extras_that_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].keys()
    inline = re.findall(r"`((?:make|pip) [^`]+)`", "".join(p.read_text("utf-8") for p in PAGES))
    given = [line for _, line in LINES if line.startswith(("make ", "pip "))] + inline
    for words in map(shlex.split, given):
        if words[0] == "make":
            for target in (word for word in words[1:] if "=" not in word):
                assert re.search(rf"^{target}:", makefile, re.M), words
            for name in (word.partition("=")[0] for word in words[1:] if "=" in word):
                assert re.search(rf"^{name} *[:?]=|\$\(if \$\({name}\)", makefile, re.M), words
        else:
            if words == ["pip", "install", "-e", "calibration"]:
                continue
            where, _, extra = words[-1].rstrip("]").partition("[")
            assert words[:2] == ["pip", "install"], words
            assert where in (".", "reproduction", project["name"]), words
            assert not extra or set(extra.split(",")) <= extras, words
    assert len(given) > 25


def parsed(words: list[str]) -> click.Context:
    """Return what click reads from the words after `outperform`, without running it."""
    top = click.Context(program, info_name="outperform")
    command: Any = program.get_command(top, words[0])
    assert command is not None, words
    found: click.Context = command.make_context(words[0], words[1:], parent=top)
    return found


def shown_commands() -> list[str]:
    """Return every command that a page or the help of a verb shows, as one would type it."""
    pages = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    prose = re.sub(r"^ *(```+).*?^ *\1$", "", pages, flags=re.S | re.M).replace("\n", " ")
    inline = [" ".join(text.split()) for text in re.findall(r"`(outperform [a-z][^`]*)`", prose)]
    top = click.Context(program, info_name="outperform")
    verbs = [program, *(program.get_command(top, name) for name in program.list_commands(top))]
    help_ = [line.strip() for verb in verbs for line in (verb.epilog or "").strip().splitlines()]
    examples = [line.partition(" > ")[0] for line in help_]
    return [*inline, *examples, *(line for _, line in OURS)]


def test_every_command_on_a_page_or_in_a_help_is_one_that_the_program_reads() -> None:
    commands = shown_commands()
    assert len(commands) > 80
    for command in dict.fromkeys(commands):
        words = shlex.split(re.sub(r"\|\S+", "", command.replace("…", "X")))[1:]
        if words[0] != "VERB" and len(words) > 1:
            with suppress(click.MissingParameter, click.BadOptionUsage):  # a sentence on an option
                parsed(words)


def test_a_command_with_an_option_or_a_value_that_does_not_exist_is_found() -> None:
    with pytest.raises(click.NoSuchOption):
        parsed(["compare", "scores.csv", "--colour", "red"])
    with pytest.raises(click.UsageError, match="not-worse"):
        parsed(["compare", "scores.csv", "--require", "better"])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Go to a folder with the examples and the files that commands of the pages name."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SHELL", "/bin/bash")
    guide = next(b for b in blocks(ROOT / "docs" / "guide.md") if "file: experiment.py" in b.mark)
    with sessions.among_examples():
        Path("experiment.py").write_text(guide.text, encoding="utf-8")
        rows = (f"{x},{x * x % 7},{'ab'[x % 3 > 0]}" for x in range(60))
        Path("data.csv").write_text("\n".join(["u,v,y", *rows]) + "\n", encoding="utf-8")
        op.compare("scores.csv").record("verdict.outperform.json")
        yield Path.cwd()


@pytest.mark.slow
def test_every_command_of_a_plain_block_runs(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for page, line in OURS:
        words = shlex.split(line)[1:]
        if any(part in line for part in NOT_RUN):
            continue
        if "--reps" in words:
            words[words.index("--reps") + 1] = "4"
        assert run_here(*words) == 0, f"{page}: {line}\n{capfd.readouterr().err}"
    assert {"report.html", "iris.db"} <= set(os.listdir(folder))


def test_the_entry_point_is_the_one_that_is_loaded() -> None:
    found = [b for page in PAGES for b in blocks(page) if b.kind == "toml"]
    assert len(found) == 2
    for block in found:
        (group,) = tomllib.loads(block.text)["project"]["entry-points"]
        assert group == GROUPS[0]
