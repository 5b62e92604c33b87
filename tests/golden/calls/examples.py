"""Sessions of the documentation, run in a folder with the examples: what each line answers."""

from __future__ import annotations

import ast
import contextlib
import io
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import facts
from .commands import EXAMPLES

SESSIONS = Path(__file__).with_name("sessions.txt")


def calls() -> dict[str, Callable[[], Any]]:
    _, *parts = SESSIONS.read_text(encoding="utf-8").split("### ")
    sessions = dict(part.split("\n", 1) for part in parts)
    return {name: lambda source=source: run(source) for name, source in sessions.items()}


def run(source: str) -> dict[str, Any]:
    """Run a session line by line; return the facts of what its lines show."""
    names: dict[str, Any] = {"__name__": "session"}
    answers: dict[str, Any] = {}
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name, contextlib.redirect_stdout(io.StringIO()):
        folder = Path(name, "examples")
        shutil.copytree(EXAMPLES, folder)
        (folder / "examples").symlink_to(folder)
        os.chdir(folder)
        try:
            for statement in ast.parse(source).body:
                if not isinstance(statement, ast.Expr):
                    exec(compile(ast.Module([statement], []), "session", "exec"), names)
                    continue
                for part in _displayed(statement.value):
                    answer = eval(compile(ast.Expression(part), "session", "eval"), names)
                    if (cleaned := facts.facts(answer)) is not None:
                        answers[ast.unparse(part)] = cleaned
        finally:
            os.chdir(before)
    return answers


def _displayed(expression: ast.expr) -> list[ast.expr]:
    """What a line shows: the arguments of a print, or the expression itself."""
    if isinstance(expression, ast.Call) and ast.unparse(expression.func) == "print":
        return [arg.value if isinstance(arg, ast.Starred) else arg for arg in expression.args]
    return [expression]
