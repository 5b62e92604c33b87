"""`outperform verify`: recompute what records say, from the scores inside them."""

from __future__ import annotations

import click

from ._judgement import JSON
from ._output import GATE, INCOMPLETE, answer, print_json, say
from ._program import verb


@verb(
    "verify",
    examples="""
    outperform verify verdict.outperform.json
    outperform verify *.outperform.json --json
    """,
)
@click.argument("records", metavar="RECORD...", nargs=-1, required=True)
@JSON
def command(records: tuple[str, ...], as_json: bool) -> int:
    """Recompute recorded verdicts and report values that differ.

    A record is written by compare --record or by Comparison.record. It contains its scores, so that
    nothing else is needed. Exit status: 0 if all values agree, 1 if one differs or the file was
    changed, 3 if a file is damaged or is not a record.
    """
    from ..verbs.verify import DamagedRecord, verify

    found, damaged = [], []
    for path in records:
        try:
            found.append(verify(path))
        except DamagedRecord as error:
            damaged.append(str(error))
    if as_json:
        print_json("verification", {"records": [one.to_dict() for one in found]}, damaged=damaged)
    else:
        for one in found:
            answer(str(one))
    say(*damaged)
    if damaged:
        return INCOMPLETE
    return 0 if all(one.agrees for one in found) else GATE
