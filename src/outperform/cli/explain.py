"""`outperform explain`: what a method is, or what the code of a note means."""

from __future__ import annotations

import click

from . import _judgement
from ._judgement import JSON
from ._output import answer, print_json
from ._program import verb


@verb("explain", examples="outperform explain corrected_t\noutperform explain OP102")
@click.argument("name_or_code", metavar="METHOD|CODE", shell_complete=_judgement.topics)
@JSON
def command(name_or_code: str, as_json: bool) -> int:
    """Explain a method or the code of a note."""
    from ..verbs.explain import explain

    found = explain(name_or_code)
    if as_json:
        print_json("explanation", {"name": found.name, "text": found.text})
    else:
        answer("\n".join(_wrapped(line) for line in found.text.splitlines()))
    return 0


def _wrapped(line: str) -> str:
    """Return a line as wide as the terminal; the rows of the table go on below their text."""
    from textwrap import fill

    from ..report.wrapping import columns

    indent = " " * 14 if ":" in line[:14] and line[13:14] == " " else ""
    wide = columns() - 1
    return fill(line, wide, subsequent_indent=indent, break_long_words=False)
