"""`outperform check`: is a store sound and complete?"""

from __future__ import annotations

import os
import shlex
from contextlib import suppress
from typing import Any

import click

from ..errors import counted
from ._judgement import FORCE, JSON
from ._output import INCOMPLETE, check_new, print_json, safe, say
from ._program import verb
from ._scores import export_scores, problem, problem_line

PRINTED = bytes({*range(256)} - {*range(32)}) + b"\t\n\r\f\v"
LONGEST = 20
"""Damages listed; --json lists all."""


@verb(
    "check",
    examples="""
    outperform check results.db
    outperform check results.db --export scores.csv
    outperform check results.db --export scores.csv --incomplete
    """,
)
@click.argument("store")
@click.option("--export", metavar="FILE", help="Write scores to a .csv or .parquet file.")
@click.option(
    "--incomplete",
    is_flag=True,
    help="Export even if scores are missing or failed (left empty).",
)
@FORCE
@JSON
def command(
    store: str,
    export: str | None,
    incomplete: bool,
    force: bool,
    as_json: bool,
) -> int:
    """Verify a store; list damaged, failed and missing fits."""
    if incomplete and export is None:
        raise click.UsageError("--incomplete needs --export; add --export scores.csv")
    check_new(export, "--export", (".csv", ".parquet"), force=force)
    _check_kind(store)
    from .. import storage as stores

    found = stores.check(store)
    groups = [problem(one) for one in found.problems]
    whole = found.ok and not groups and not found.missing_splits
    if as_json:
        about = {
            "path": found.path,
            "ok": found.ok,
            "complete": whole,
            "damages": [
                {"what": d.what, "learner": d.learner, "address": d.address and list(d.address)}
                for d in found.damages
            ],
            "structure": list(found.structure),
            "learners": {name: counts._asdict() for name, counts in found.counts.items()},
            "problems": groups,
            "missing_splits": found.missing_splits,
        }
        print_json("check", about)
    else:
        _print(found, groups)
    if export is not None:
        export_scores(store, export, force=force, incomplete=incomplete)
    return 0 if whole else INCOMPLETE


def _check_kind(path: str) -> None:
    """Refuse files of scores, which hold nothing to verify; a damaged store is no such file."""
    if not os.path.isfile(path):
        return  # the store says what is wrong
    with suppress(OSError), open(path, "rb") as file:
        start = file.read(4096)
        if start and (start.startswith(b"PAR1") or not start.translate(None, PRINTED)):
            raise click.ClickException(
                f"{path!r} is not a results store; it looks like a text file or table. check "
                "verifies what outperform run --store writes. To compare scores: "
                f"{shlex.join(['outperform', 'compare', path])}"
            )


def _print(found: Any, groups: list[dict[str, Any]]) -> None:
    from ..readers.column_names import shown as named

    said = [f"{found.path} is {'intact' if found.ok else 'damaged'}"]
    said += [f"  damaged: {damage}" for damage in found.damages[:LONGEST]]
    if len(found.damages) > LONGEST:
        said.append(f"  … and {len(found.damages) - LONGEST} more; --json lists all")
    said += [f"  SQLite reports: {line}" for line in found.structure]
    for name, (planned, ok, failed, missing) in found.counts.items():
        said.append(f"{named(name)}: {ok} of {planned} fits ok, {failed} failed, {missing} missing")
    said += [f"  {problem_line(group)}" for group in groups]
    if found.missing_splits:
        said.append(
            f"{counted(found.missing_splits, 'split')} missing; the next run writes what is missing"
        )
    click.echo("\n".join(map(safe, said)))
    if not found.ok:
        say(
            "Restore a copy, or delete the file and run again. To rescue what SQLite can read:",
            f"  sqlite3 {shlex.quote(found.path)} .recover | sqlite3 rescued.db",
        )
