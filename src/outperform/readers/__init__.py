"""Readers: files and data frames of scores or predictions become `Scores`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ..errors import DataError, argument
from ..scores.split_scores import Scores
from . import own_files
from .files import LIMITS, contents, named_file, table_in
from .formats import format_of
from .frames import from_frame
from .searches import from_search

__all__ = [
    "LIMITS",
    "check_options",
    "from_frame",
    "from_search",
    "known_options",
    "read",
]


def read(
    path: Any,
    *,
    separator: str | None = None,
    sheet: str | None = None,
    limits: Mapping[str, int] | None = None,
    **options: Any,
) -> Scores:
    """Read a file of scores, or standard input ("-"); the options are those of `from_frame`.

    CSV and TSV (also gzipped), Parquet, JSON, JSON Lines, Excel and ARFF files are known by what
    they hold. `separator` is that of a CSV, `sheet` names one of several worksheets. A report that
    this package wrote is read too, from the scores inside it: it takes `metric` alone. `limits`
    raises entries of `LIMITS`, as in `limits={"rows": 10**9}`.
    """
    given = {name: value for name, value in options.items() if value is not None}
    plug_in = format_of(path)
    if plug_in is not None and os.path.isfile(path):
        found = plug_in(path)
        if not isinstance(found, Scores):
            return from_frame(found, **given)
        metric = given.pop("metric", None)
        if given:
            raise DataError(
                f"{next(iter(given))} was passed, but the reader of {str(path)!r} already knows "
                "how its scores were made. Remove the option"
            )
        return found if metric is None else found.for_metric(metric)
    data = contents(path, limits=limits)
    own_files.check_record(data, path)
    if own_files.carries_scores(data):
        metric = given.pop("metric", None)
        asked = given | {"separator": separator, "sheet": sheet}
        named = next((name for name, value in asked.items() if value is not None), None)
        if named is not None:
            raise DataError(
                f"{named} was passed, but a report already records how its scores were made. "
                "Remove the option: Scores.read('report.html')"
            )
        found = own_files.scores_within(data, repr(str(path)))
        return found if metric is None else found.for_metric(metric)
    name = named_file(path)
    table = table_in(data, name, separator=separator, sheet=sheet, limits=limits)
    del data  # the table may be as large
    table, known = own_files.known_of(table, name, options)
    return from_frame(table, **known | given)


def known_options() -> set[str]:
    """Return the options of files and frames of scores, and of logs."""
    from .item_logs import OPTIONS

    return {*OPTIONS, *(from_frame.__kwdefaults__ or {}), *(read.__kwdefaults__ or {})}


def check_options(options: Mapping[str, Any], call: str) -> None:
    """Refuse keywords that a reader does not have, naming those it has."""
    known = {*(from_frame.__kwdefaults__ or {})}
    known |= {*(read.__kwdefaults__ or {})} if call.endswith("read") else set()
    for name in options:
        if name not in known:
            raise DataError(
                f"{call}() has no option {name!r}; known: {', '.join(sorted(known))}. Pass the "
                f"name of a column under its role: {argument(learner='model', score='acc')}"
            )
