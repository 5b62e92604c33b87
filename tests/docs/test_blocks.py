"""The commands of plain blocks run; sessions, which show what is printed, are run elsewhere."""

from __future__ import annotations

import os
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from launching import run_here
from places import ROOT

import outperform as op
import sessions
from outperform.lazy import GROUPS

PAGES = {
    path.name: path.read_text(encoding="utf-8")
    for path in [*sorted((ROOT / "docs").rglob("*.md")), *sorted(ROOT.glob("*.md"))]
}
PLAIN = re.compile(r"^ *```\n(outperform .*?)^ *```$", re.DOTALL | re.MULTILINE)
COMMANDS = dict.fromkeys(
    (page, command.strip())
    for page, text in PAGES.items()
    for block in PLAIN.findall(text)
    for line in block.splitlines()
    for command in line.partition(" # ")[0].split(";")
    if command.strip().startswith("outperform ")
)
NOT_RUN = {
    "outperform advise": "asks questions; tests/cli answers them",
}
"""Commands that are not run here, and what runs them."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Go to a folder with the examples and the files that commands of the pages name."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SHELL", "/bin/bash")
    (experiment,) = re.findall(
        r"<!-- file: experiment.py -->\n```python\n(.*?)\n```", PAGES["guide.md"], re.DOTALL
    )
    with sessions.among_examples():
        Path("experiment.py").write_text(experiment, encoding="utf-8")
        rows = (f"{x},{x * x % 7},{'ab'[x % 3 > 0]}" for x in range(60))
        Path("data.csv").write_text("\n".join(["u,v,y", *rows]) + "\n", encoding="utf-8")
        op.compare("scores.csv").record("verdict.outperform.json")
        yield Path.cwd()


@pytest.mark.slow
def test_every_command_of_a_plain_block_runs(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for page, line in COMMANDS:
        words = shlex.split(line)[1:]
        if any(part in line for part in NOT_RUN):
            continue
        if "--reps" in words:
            words[words.index("--reps") + 1] = "4"
        assert run_here(*words) == 0, f"{page}: {line}\n{capfd.readouterr().err}"
    assert {"report.html", "iris.db"} <= set(os.listdir(folder))


def test_the_entry_point_is_the_one_that_is_loaded() -> None:
    found = re.findall(r"^```toml\n(.*?)^```", "".join(PAGES.values()), re.DOTALL | re.MULTILINE)
    groups = [list(tomllib.loads(text)["project"]["entry-points"]) for text in found]
    assert groups == [[GROUPS[0]]] * 2
