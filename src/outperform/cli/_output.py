"""What is printed where: answers on stdout, all else on stderr, calls as commands to type."""

from __future__ import annotations

import errno
import os
import shlex
import sys
from collections.abc import Mapping
from typing import Any

import click

ROLES = (
    "item",
    "learner",
    "score",
    "dataset",
    "partition",
    "repeat",
    "fold",
    "y_true",
    "n_train",
    "n_test",
)
OPTIONS = {"random_state": "--seed", "n_jobs": "--jobs"}
"""Options that are not named after their keywords."""
FLAGS = {
    "lower_is_better": "--lower-is-better",
    "fitted": "--fitted",
    "drop_incomplete": "--drop-incomplete",
    "incomplete": "--incomplete",
    "isolate": "--isolate",
    "force": "--force",
    "confirm_large": "--confirm-large",
    "common_items": "--common-items",
    "allow_other_prompts": "--allow-other-prompts",
    "partial": "--partial",
}
OPPOSITES = {"lower_is_better": "--greater-is-better"}
LONGEST = 255
"""Bytes of a file's name, on most systems."""


def in_options(verb: str, given: tuple[Any, ...], named: Mapping[str, Any]) -> str:
    """Write a call, or arguments alone, as it is typed on a command line."""
    words = [f"outperform {verb}"] if verb else []
    words += [_shell(value) for value in given]
    words += [_typed_option(name, value) for name, value in named.items()]
    return " ".join(words)


def _typed_option(name: str, value: Any) -> str:
    if name in ROLES:
        values = value if isinstance(value, list | tuple) else [value]
        return " ".join(f"--column {name.replace('_', '-')}={_shell(one)}" for one in values)
    if name == "limits":
        return " ".join(f"--limit {key}={number}" for key, number in value.items())
    if name in FLAGS and value is True:
        return FLAGS[name]
    if name in OPPOSITES and value is False:
        return OPPOSITES[name]
    return f"{OPTIONS.get(name, '--' + name.replace('_', '-'))} {_shell(value)}"


def _shell(value: Any) -> str:
    import shlex

    return "NAME" if value in (..., "…") else shlex.quote(str(value))


NARROW = 80
"""Columns of a terminal that does not say how many it has."""
GATE, USAGE, INCOMPLETE, DEFECT, UNREAD = 1, 2, 3, 70, 141
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EBADF)


def say(*lines: str) -> None:
    """Print lines on stderr, one each; where they find no room, the answer still counts."""
    width = terminal_width(sys.stderr)
    for line in lines:
        try:
            click.echo(wrapped(safe(line), width), err=True)
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            give_up(sys.stderr)


def terminal_width(stream: Any) -> int | None:
    """Return the columns of the terminal that a stream is; None of a file or a pipe."""
    if not stream.isatty():
        return None
    try:
        columns = (
            int(os.environ.get("COLUMNS", "0")) or os.get_terminal_size(stream.fileno()).columns
        )
    except (OSError, ValueError):
        columns = 0
    return columns or NARROW


PASTED = ("outperform ", "command  ", "python   ")
"""How lines begin that are copied as they are: a break would cut the command."""


def wrapped(text: str, width: int | None) -> str:
    """Return text whose lines are broken between words, each indented as its line begins.

    Lines to paste are left to the terminal, which does not break them.
    """
    if width is None:
        return text
    return "\n".join(_wrapped(line, width) for line in text.split("\n"))


def _wrapped(line: str, width: int) -> str:
    from textwrap import fill

    words = line.lstrip()
    if len(line) < width or words.startswith(PASTED):
        return line
    indent = line[: len(line) - len(words)]
    return fill(
        words,
        width - 1,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def give_up(stream: Any) -> None:
    """Drop what waits in a stream that cannot be written, and what follows."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def safe(text: str) -> str:
    """Return text on one line, with what a terminal would obey spelt out."""
    from ..errors import spelt

    return spelt(str(text).replace("\n", " ").replace("\t", " "))


def answer(text: str) -> None:
    """Print the answer; on a terminal it is wrapped, and the verdict stands out, in colour."""
    text = wrapped(text, terminal_width(sys.stdout))
    if sys.stdout.isatty() and not os.environ.get("NO_COLOR"):
        marked = (_marked(line) for line in text.split("\n"))
        text = "\n".join(marked)
    click.echo(text)


def _marked(line: str) -> str:
    return click.style(line, bold=True) if line.startswith("  verdict ") else line


def print_json(kind: str, about: dict[str, Any], **more: Any) -> None:
    """Print in ASCII: what a terminal would obey is escaped."""
    import json

    from ..results.result import versions

    whole = {"schema": f"outperform/{kind}/1", **about, **more, "versions": versions()}
    click.echo(json.dumps(whole, allow_nan=False))


def check_new(path: str | None, option: str, endings: tuple[str, ...], *, force: bool) -> None:
    """Refuse a file that may not be written, before anything else is done."""
    if path is None:
        return
    if not path.lower().endswith(endings):
        kinds = " or ".join(endings)
        raise click.ClickException(f"The '{option}' option must name a {kinds} file, got {path!r}")
    if len(os.fsencode(os.path.basename(path))) > LONGEST:
        raise click.ClickException(
            f"The file name of the '{option}' option is longer than {LONGEST} bytes; use a shorter "
            "one"
        )
    if os.path.isdir(path):
        raise click.ClickException(f"{path!r} is a directory; name a file in it")
    if os.path.exists(path) and not force:
        raise click.ClickException(f"{path!r} already exists; add --force to overwrite it")
    folder = os.path.dirname(path)
    if folder and not os.path.isdir(folder):
        raise click.ClickException(
            f"The directory {folder!r} was not found; create it: mkdir -p {shlex.quote(folder)}"
        )
