"""Run the sessions of a Markdown page, and return it with what they print now.

Python sessions (>>>) of a page share their names. In a console block every line `$ outperform …` is
run in the same folder, and what it prints on stdout follows. `<!-- file: NAME -->` before a block
writes the block to that file first; `<!-- exit: N -->` before a console block says how it exits.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from code import InteractiveInterpreter
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import outperform as op
from outperform.registry import METHODS

ROOT = Path(__file__).resolve().parent.parent
SINGLE = ("tutorial", "read_a_verdict", "guide", "python", "which_test")
PAGES = [ROOT / "docs" / f"{name}.md" for name in (*SINGLE, "calibrated", "lab", "replicability")]
PAGES += sorted((ROOT / "docs" / "explanation").glob("*.md"))
RECIPES = sorted((ROOT / "docs" / "recipes").glob("*.md"))
BLOCK = re.compile(
    r"(?P<mark>(?:<!-- (?:file|exit): [^\n]+ -->\n)?)```(?P<kind>\w*)\n(?P<body>.*?)\n```",
    re.DOTALL,
)
PROGRESS = re.compile(r"[\d,]+ of [\d,]+ \w+ \(\d+%\), ")
"""Lines of a slow run, which another machine does not print."""

VERSIONS = re.compile(r"(?<=, NumPy )\d[\w.]* and Python \d[\w.]*(?=\.(?:\s|$))")
"""What a paragraph for a paper says of the environment, which may be another one."""


def anywhere(text: str) -> str:
    """Return what is printed without the versions of the environment it was printed in."""
    return VERSIONS.sub("… and Python …", text)


def renewed(text: str) -> str:
    """Return the page with the output of every session written anew."""
    with among_examples() as python:
        return BLOCK.sub(lambda found: block(found, python), text)


@contextmanager
def among_examples() -> Iterator[InteractiveInterpreter]:
    """Yield an interpreter in a folder with the example files, which is removed in the end."""
    os.environ["COLUMNS"] = "100"  # what is printed wraps at the width of the terminal
    with tempfile.TemporaryDirectory() as name, chdir(name), _own_methods():
        for example in (ROOT / "examples").glob("*.csv"):
            shutil.copy(example, example.name)
        shutil.copytree(ROOT / "examples" / "logs", "logs")
        yield InteractiveInterpreter({"__name__": "__main__"})


@contextmanager
def _own_methods() -> Iterator[None]:
    """Forget the methods that a page registers."""
    op.methods.table()
    before = dict(METHODS)
    try:
        yield
    finally:
        METHODS.clear()
        METHODS.update(before)


def block(found: re.Match[str], python: InteractiveInterpreter) -> str:
    mark, kind, body = found["mark"], found["kind"], found["body"]
    if mark.startswith("<!-- file: "):
        Path(mark[11:-5]).write_text(body + "\n", encoding="utf-8")
    elif kind == "python" and ">>> " in body:
        body = _python(body, python)
    elif kind == "console":
        status = int(mark[11:-5]) if mark else 0
        body = "\n".join(_console(command, status) for command in _commands(body))
    return f"{mark}```{kind}\n{body}\n```"


def _python(body: str, python: InteractiveInterpreter) -> str:
    out = []
    for example in doctest.DocTestParser().get_examples(body + "\n"):
        shown = StringIO()
        with redirect_stdout(shown), redirect_stderr(shown):
            python.runsource(example.source, symbol="single")
        first, *rest = example.source.rstrip("\n").split("\n")
        out += [f">>> {first}", *(f"... {line}".rstrip() for line in rest)]
        lines = shown.getvalue().rstrip("\n").split("\n")
        out += [line.rstrip() for line in lines if line and not PROGRESS.match(line)]
    return "\n".join(out)


def _commands(body: str) -> list[str]:
    return [line[2:] for line in body.split("\n") if line.startswith("$ ")]


def _console(command: str, status: int) -> str:
    program, *arguments = shlex.split(command)
    if program != "outperform":
        raise SystemExit(f"only outperform is run in a console block, not {command!r}")
    done = subprocess.run(
        [sys.executable, "-m", "outperform", *arguments],
        env=os.environ | {"PYTHONPATH": str(ROOT / "src"), "COLUMNS": "100", "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
    )
    if done.returncode != status:
        raise SystemExit(f"{command!r} exits with {done.returncode}, not {status}:\n{done.stderr}")
    return f"$ {command}\n{done.stdout.rstrip()}".rstrip()


if __name__ == "__main__":
    for page in [*PAGES, *RECIPES]:
        old = page.read_text(encoding="utf-8")
        page.write_text(renewed(old), encoding="utf-8")
