"""Logs of evaluations on the command line: their options, and how several files are one input."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ..scores.items import Items
    from ..scores.split_scores import Scores

OPTIONS = (
    click.option(
        "--cluster",
        metavar="NAME",
        help="Column or field of a log that identifies groups of items, such as subject.",
    ),
    click.option(
        "--population",
        type=click.Choice(["new", "these"]),
        help="Whether the verdict is on new items like these (default) or on these items alone.",
    ),
    click.option(
        "--errors",
        type=click.Choice(["refuse", "as_zero", "drop_pairs"]),
        help="What to do with answers without a score, because of an error (default: refuse).",
    ),
    click.option("--common-items", is_flag=True, help="Compare on the items that all logs have."),
    click.option(
        "--allow-other-prompts", is_flag=True, help="Compare logs whose prompts are not the same."
    ),
    click.option("--partial", is_flag=True, help="Accept logs of runs that did not finish."),
)
ENDINGS = (".jsonl", ".jsonl.gz", ".eval", ".csv", ".csv.gz", ".parquet")
"""What files of logs end in, and models do not."""
NAMES = ("cluster", "population", "errors", "common_items", "allow_other_prompts", "partial")


def reading_logs(command: Any) -> Any:
    """Add the options of logs to a command."""
    add: Callable[[Any, Any], Any] = lambda made, option: option(made)  # noqa: E731
    return reduce(add, reversed(OPTIONS), command)


def split_words(first: str, words: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """Tell further files from the names of learners: a file is what exists as one."""
    files = [word for word in words if os.path.isfile(word)]
    lost = next((w for w in words if w not in files and w.endswith(ENDINGS)), None)
    if lost is not None:
        raise click.UsageError(f"File {lost!r} was not found; check its path")
    return [first, *files], tuple(word for word in words if word not in files)


def are_logs(files: Sequence[str], asked: dict[str, Any], columns: Sequence[str] = ()) -> bool:
    """Tell whether files are logs of items: several files, an option of logs, or a log."""
    from ..readers.item_logs import is_log
    from ..validation import is_store

    if len(files) > 1:
        return True
    given = any(asked[name] for name in NAMES) or any(
        one.partition("=")[0] in ("item", "sample") for one in columns
    )
    return not is_store(files[0]) and (given or is_log(files[0]))


def scores_given(files: Sequence[str], names: Sequence[str], read: dict[str, Any]) -> Scores:
    """Read what files hold: items of logs, or the scores of one file or store."""
    asked = {name: read.pop(name) for name in NAMES}
    if are_logs(files, asked, read.get("columns") or ()):
        return read_logs(files, names, asked, **read)
    from ._scores import read_scores

    return read_scores(files[0], names, **read)


def read_logs(
    files: Sequence[str], names: Sequence[str], asked: dict[str, Any], **read: Any
) -> Scores:
    """Read the items of all files as the scores of one test set."""
    from ..scores.item_summary import scores_of
    from ._scores import only

    unused = [name for name in ("design", "layout", "separator", "sheet") if read.get(name)]
    if unused or read.get("drop_incomplete"):
        word = (unused or ["drop_incomplete"])[0].replace("_", "-")
        raise click.UsageError(f"--{word} does not apply to logs of items; remove it")
    return only(scores_of(read_items(files, asked, read)), names)


def read_items(files: Sequence[str], asked: dict[str, Any], read: dict[str, Any]) -> Items:
    """Read the items of all files, with the options of logs and of files."""
    from ..scores.items import Items
    from ._scores import ROLES_OF_LOGS, assignments, bounds

    columns = assignments(read.get("columns") or (), "--column", ROLES_OF_LOGS)
    options = {name: asked[name] or None for name in NAMES}
    return Items.read(
        *files,
        metric=read.get("metric"),
        lower_is_better=read.get("lower_is_better"),
        limits=bounds(read.get("limits") or ()),
        **columns,
        **options,
    )
