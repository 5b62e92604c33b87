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
        answer(found.text)
    return 0
