"""Scores as the command line gets them: a file of scores or predictions, a store, a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from ..errors import DataError, did_you_mean

if TYPE_CHECKING:
    from ..scores.split_scores import Scores


ROLES = (
    "learner",
    "score",
    "dataset",
    "partition",
    "repeat",
    "fold",
    "y_true",
    "n_train",
    "n_test",
    "seed",
)
SIZES = {"n_train", "n_test", "seed"}
"""Roles that may be numbers: the same for every split."""


def read_scores(
    path: str,
    names: Sequence[str] = (),
    *,
    design: str | None = None,
    metric: str | None = None,
    layout: str | None = None,
    lower_is_better: bool = False,
    drop_incomplete: bool = False,
    columns: Sequence[str] = (),
    limits: Sequence[str] = (),
    separator: str | None = None,
) -> Scores:
    """Read `Scores` of the learners named, or of all, from whatever the file holds."""
    from ..validation import is_store

    asked = _assignments(columns, "--column", ROLES)
    for name in SIZES & asked.keys():
        if asked[name].isdecimal():
            asked[name] = int(asked[name])
    if not is_store(path):
        from ..scores.split_scores import Scores

        options: dict[str, Any] = {
            "design": design,
            "metric": metric,
            "layout": layout,
            "lower_is_better": lower_is_better or None,
            "drop_incomplete": drop_incomplete or None,
            "limits": bounds(limits),
            "separator": separator,
            **asked,
        }
        given = {name: value for name, value in options.items() if value is not None}
        return _only(Scores.read(path, **given), names)
    if asked or metric or layout or lower_is_better or separator or drop_incomplete:
        raise click.UsageError(
            "--column, --metric, --layout, --separator, --lower-is-better and --drop-incomplete "
            f"are for files of scores; {path!r} is a store, which knows its own"
        )
    found = _from_store(path, names)
    _check_design(path, found, design)
    return found


def _from_store(path: str, names: Sequence[str]) -> Scores:
    from ..storage import Store

    with Store.open(path, mode="read") as store:
        return store.scores(names or None)


def _check_design(path: str, scores: Scores, design: str | None) -> None:
    from ..designs import parse

    made_by = scores.design, getattr(scores.design, "of", None)  # given splits are `of` a kind
    if design is not None and parse(design) not in made_by:
        raise DataError(f"{path!r} was run by {scores.design}, not {design}; leave --design out")


def _only(scores: Scores, names: Sequence[str]) -> Scores:
    """Keep the learners named, in the order they are named."""
    if not names or tuple(names) == scores.names:
        return scores
    twice = {name for name in names if list(names).count(name) > 1}
    if twice:
        raise click.UsageError(f"{sorted(twice)[0]!r} is named twice; name each learner once")
    rows = [scores.index(name) for name in names]
    items = None if scores.items is None else scores.items.of(rows)
    return replace(scores, names=tuple(names), values=scores.values[rows], items=items)


def _assignments(given: Sequence[str], option: str, known: Sequence[str]) -> dict[str, Any]:
    """Read NAME=VALUE words; a learner named several times is a list of columns."""
    found: dict[str, Any] = {}
    for word in given:
        name, equals, value = word.partition("=")
        name = name.replace("-", "_")
        if not equals or name not in known:
            raise click.UsageError(f"{option} {word!r}: {did_you_mean(name, known)}")
        if name in found:
            before = found[name]
            found[name] = [*(before if isinstance(before, list) else [before]), value]
        else:
            found[name] = value
    several = [name for name, value in found.items() if isinstance(value, list)]
    if several and several != ["learner"]:
        raise click.UsageError(f"{option} {several[0]} was given twice; only learner may be")
    return found


def bounds(limits: Sequence[str]) -> dict[str, int] | None:
    """Read NAME=N words that raise limits on files; None without any."""
    if not limits:
        return None
    from ..readers import LIMITS

    words = _assignments(limits, "--limit", tuple(LIMITS))
    for name, value in words.items():
        if not str(value).replace("_", "").isdecimal():
            raise click.UsageError(f"--limit {name}={value}: a whole number is needed")
    return {name: int(value) for name, value in words.items()}
