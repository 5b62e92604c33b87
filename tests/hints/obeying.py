"""A refusal and what its message advises: both are executed, the second as the message says.

A case is what is refused, the words of the message, and what is done then. Words between « and »
are done verbatim: each must stand in the message and in what is done. Where nothing else is given
to do, they are put into what was refused: keywords into a call, options into a command.
"""

from __future__ import annotations

import ast
import io
import re
import shlex
import subprocess
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from launching import run_here

from outperform import OutperformError

MARKED = re.compile("«(.+?)»")
PROMPT = "$ outperform "
SHELL = ("mkdir ", "chmod ")


@dataclass(frozen=True)
class Case:
    """Python, or a line that begins with $, is refused; obeyed, it is not."""

    refused: str
    said: str
    obeyed: str = ""
    files: Mapping[str, str | bytes] = field(default_factory=dict)
    """What lies in the folder."""
    then: Mapping[str, str | bytes] = field(default_factory=dict)
    """What is changed there by whoever obeys."""
    status: int = 0
    """How an obeyed command ends: 1 where a gate is asked for."""
    env: Mapping[str, Any] = field(default_factory=dict)
    """Names beside the common ones."""
    before: str = ""
    """What was done earlier, and is not refused."""

    @property
    def words(self) -> str:
        return MARKED.sub(r"\1", self.said)

    @property
    def pieces(self) -> list[str]:
        return MARKED.findall(self.said)

    def __str__(self) -> str:
        return self.refused.strip().splitlines()[-1][:60]


def refuse(case: Case, names: Mapping[str, Any]) -> None:
    """Do what is refused: the message says what the case claims."""
    write(case.files)
    if case.before.startswith(PROMPT):
        assert _typed(case.before)[0] == 0
    elif case.before:
        _run(case.before, {**names, **case.env})
    message = _message(case, names)
    assert case.words in message, message


def obey(case: Case, names: Mapping[str, Any]) -> None:
    """Do what the message advises."""
    write(case.then)
    pieces = [piece for piece in case.pieces if not piece.startswith(SHELL)]
    for piece in set(case.pieces) - set(pieces):
        subprocess.run(shlex.split(piece), check=True)
    done = case.obeyed or put_in(case.refused, pieces)
    for piece in pieces:
        assert _plain(piece) in _plain(done), f"{piece} is advised, but not done: {done}"
    if done.startswith(PROMPT):
        status, message = _typed(done)
        assert status == case.status, message
    else:
        _run(done, {**names, **case.env})


def put_in(refused: str, pieces: list[str]) -> str:
    """Return what was refused with the advised keywords, or options, in their places."""
    if not refused.startswith(PROMPT):
        tree = ast.parse(refused)
        call = getattr(tree.body[-1], "value", None)
        assert isinstance(call, ast.Call), f"not one call, so say what is done: {refused}"
        for piece in pieces:
            advised = ast.parse(f"f({piece})", mode="eval").body
            assert isinstance(advised, ast.Call)
            assert advised.keywords, f"{piece} is no keyword, so say what is done"
            new = {word.arg for word in advised.keywords}
            call.keywords = [word for word in call.keywords if word.arg not in new]
            call.keywords += advised.keywords
        return ast.unparse(tree)
    words = shlex.split(refused)[2:]
    for piece in pieces:
        if piece.startswith(PROMPT[2:]):
            words = shlex.split(piece)[1:]
        else:
            option, *value = shlex.split(piece)
            assert option.startswith("-"), f"{piece} is no option, so say what is done"
            if option in words and option not in ("--column", "--learner"):
                at = words.index(option)
                words[at : at + 2] = [option, *value]
            else:
                words += [option, *value]
    return PROMPT + shlex.join(words)


def write(files: Mapping[str, str | bytes]) -> None:
    for name, content in files.items():
        data = content if isinstance(content, bytes) else content.encode()
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(data)


def _message(case: Case, names: Mapping[str, Any]) -> str:
    if case.refused.startswith(PROMPT):
        status, message = _typed(case.refused)
        assert status in (2, 3), f"not refused: {message}"
        return message
    try:
        _run(case.refused, {**names, **case.env})
    except OutperformError as error:
        return str(error)
    raise AssertionError(f"not refused: {case.refused}")


def _run(code: str, names: dict[str, Any]) -> None:
    exec(compile(code, "<hint>", "exec"), names)  # ours, from the table of cases


def _typed(line: str) -> tuple[int, str]:
    """Type a line and return its status and what it says on standard error."""
    said = io.StringIO()
    with redirect_stderr(said), redirect_stdout(io.StringIO()):
        status = run_here(*shlex.split(line)[2:])
    return status, said.getvalue()


def _plain(text: str) -> str:
    return text.replace('"', "'").replace(" ", "")
