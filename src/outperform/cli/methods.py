"""`outperform methods`: which tests there are, and which a design allows."""

from __future__ import annotations

import click

from . import _judgement
from ._judgement import JSON
from ._output import answer, print_json
from ._program import verb

FACTS = ("name", "title", "standing", "designs", "default_for", "paper", "summary")


@verb("methods", examples="outperform methods\noutperform methods --design 10x10cv")
@click.option(
    "--design",
    metavar="DESIGN",
    shell_complete=_judgement.designs,
    help="Only methods that are valid for this design.",
)
@JSON
def command(design: str | None, as_json: bool) -> int:
    """List the methods, recommended ones first."""
    from ..registry import table

    found = table(design)
    if as_json:
        listed = [{fact: getattr(method, fact) for fact in FACTS} for method in found]
        print_json("methods", {"design": design, "methods": listed})
    else:
        answer(repr(found))
    return 0
