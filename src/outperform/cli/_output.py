"""What is printed where: answers on stdout, everything else on stderr, nothing a terminal obeys."""

from __future__ import annotations

import errno
import os
import sys
from typing import Any

import click

GATE, USAGE, INCOMPLETE, DEFECT, UNREAD = 1, 2, 3, 70, 141
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EBADF)


def say(*lines: str) -> None:
    """Print lines on stderr, one each; where they find no room, the answer still counts."""
    for line in lines:
        try:
            click.echo(safe(line), err=True)
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            give_up(sys.stderr)


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
    """Print the answer; on a terminal the verdict stands out, unless NO_COLOR is set."""
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
        raise click.ClickException(f"{option} {path!r}: a name in {' or '.join(endings)} is needed")
    if os.path.exists(path) and not force:
        raise click.ClickException(f"{path!r} is there already; add --force to overwrite it")
