"""Logs of evaluations: a table of formats, each known by how a file begins."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from hashlib import sha256
from itertools import zip_longest
from typing import Any

from ..errors import DataError, OutperformError, did_you_mean
from ..registry import has_default
from ..scores.items import Items
from ..validation import one_metric
from . import (
    every_eval_ever,
    helm_logs,
    inspect_logs,
    lm_eval_logs,
    openai_evals,
    openml_predictions,
    plain_rows,
    preference_rows,
    promptfoo_logs,
)
from .column_names import names_split, shown
from .files import contents, table_in
from .judgements import are_judgements, is_judged_frame
from .limits import LIMITS, limits_with
from .log_files import JsonLines, opened, opening, whole_json
from .log_pairing import of_samples, paired
from .log_rows import LoggedItem, LogRows
from .own_files import check_record
from .paired_scores import sides_of

Reader = Callable[[str, Mapping[str, int], Mapping[str, Any]], LogRows]
FORMATS: tuple[tuple[Callable[[Any, str], bool], Reader], ...] = (
    (every_eval_ever.is_log, every_eval_ever.read),
    (lm_eval_logs.is_log, lm_eval_logs.read),
    (openai_evals.is_log, openai_evals.read),
    (promptfoo_logs.is_log, promptfoo_logs.read),
    (inspect_logs.is_log, inspect_logs.read),
    (helm_logs.is_log, helm_logs.read),
)
"""By the first JSON value of a file: whose log it is, and what reads it."""
OPTIONS = (
    "metric",
    "cluster",
    "common_items",
    "allow_other_prompts",
    "partial",
    "errors",
    "population",
    "lower_is_better",
    "item",
    "learner",
    "score",
    "sample",
    "limits",
)
GLANCE = 65536
"""Bytes by which a log is known."""
ZIPPED, PARQUET = b"PK\x03\x04", b"PAR1"


def read(*paths: Any, **options: Any) -> Items:
    """Read logs of one evaluation, one for each model or several models in each.

    `metric` names one of several metrics, or is "pass@5" (of one of several: "exact_match/pass@5"),
    the chance that one of 5 samples is right, estimated without bias; `cluster` the column or
    field that says which items belong together. Items must be the same in all logs:
    `common_items=True` compares on those that all have, `allow_other_prompts=True` allows for other
    prompts. `errors` says what to do with answers that have no score: "refuse", "as_zero",
    "drop_pairs". `partial=True` takes logs of runs that did not finish. `population` is "new"
    (items like these) or "these". Files may be gzipped.
    """
    for name in options:
        if name not in OPTIONS:
            raise DataError(f"Items.read() has no option {name!r}; {did_you_mean(name, OPTIONS)}")
    given = {name: value for name, value in options.items() if value is not None}
    one_metric(given.get("metric"))
    limit = limits_with(given.pop("limits", None))
    if not paths:
        raise DataError("No log was given; pass the paths of one or several logs.")
    files = [os.fspath(path) for path in paths]
    judged = [path for path in files if _is_judged(path, opening(path, limit), limit)]
    if judged:
        return preference_rows.read(judged, files, limit, given)
    logs, known = [], dict[LoggedItem, LoggedItem]()
    for path in files:
        logs.append(_read(path, limit, given))
        logs[-1].share(known)
    base, k = of_samples(logs, given.get("metric"))
    if k is None:
        return paired(logs, given, limit)
    return paired(logs, {**given, "metric": base}, limit, f"/pass@{k}").pass_at(k)


def from_frame(frame: Any, **options: Any) -> Items:
    """Read a data frame with columns item, model, score, and sample, cluster if there are."""
    import narwhals as nw
    import polars as pl

    from ..scores.frame_kinds import kind_of

    limit = limits_with(options.pop("limits", None))
    table = pl.DataFrame(
        nw.from_native(frame, eager_only=True).to_dict(as_series=False), strict=False
    )
    if is_judged_frame(frame):
        made = preference_rows.of_table(table, options)
    else:
        made = paired([plain_rows.read_table(table, "the frame", "", options)], options, limit)
    return replace(made, frame_kind=kind_of(frame))


def is_log(path: Any, *, named: bool = True) -> bool:
    """Tell whether a file is a log of items: written by a tool, or rows of item, model, score.

    With `named=False` rows of item and score are one too: of the model that the file is named for.
    """
    if not isinstance(path, str | os.PathLike) or not os.path.isfile(path):
        return False
    name, limit = os.fspath(path), LIMITS
    try:
        with opened(name, limit) as file:
            start = file.read(GLANCE)
    except (OSError, DataError):
        return False  # refused where it is read
    if start.startswith(ZIPPED):
        return b"_journal/" in start or b"header.json" in start or name.endswith(".eval")
    if b"@" in start and openml_predictions.is_predictions(start):
        return True
    first = _first_value(name, start, limit)
    if first is not None and any(known(first, name) for known, _ in FORMATS):
        return True
    if _is_judged(name, start, limit):
        return has_default("judged-items")
    if first is not None:
        columns = [*first] if isinstance(first, Mapping) and b"\n{" in start else []
    else:
        cells = _first_cells(start)
        columns = [] if any(map(names_split, cells.values())) else [*cells]
    return plain_rows.names_each(columns, named=named)


def _read(path: str, limit: Mapping[str, int], options: Mapping[str, Any]) -> LogRows:
    start = opening(path, limit)
    check_record(start, path)
    if start.startswith(ZIPPED) and not start[30:].startswith(
        (b"[Content_Types]", b"_rels", b"xl/")
    ):
        return _understood(inspect_logs.read_zip, path, limit, options)
    if b"@" in start and openml_predictions.is_predictions(start):
        return _understood(openml_predictions.read, path, limit, options)
    first = _first_value(path, start, limit)
    for known, reader in FORMATS:
        if first is not None and known(first, path):
            return _understood(reader, path, limit, options)
    by_lines = isinstance(first, Mapping) and not sides_of([*first], options)
    if by_lines and (b"\n{" in start or plain_rows.roles_of([*first], options)):
        return plain_rows.read_lines(path, limit, options)
    data = contents(path, limits=limit)
    table = table_in(data, repr(path), limits=limit)
    import polars as pl

    frame = pl.DataFrame(table.columns)
    return plain_rows.read_table(frame, path, sha256(data).hexdigest(), options)


def _understood(
    reader: Reader, path: str, limit: Mapping[str, int], options: Mapping[str, Any]
) -> LogRows:
    """Read a log; what is built otherwise than its tool builds it is refused."""
    try:
        return reader(path, limit, options)
    except OutperformError:
        raise
    except (AttributeError, TypeError, LookupError, ValueError, ArithmeticError) as error:
        raise DataError(
            f"{path!r} looks like a log of a known tool but has an unexpected structure "
            f"({type(error).__name__}: {shown(error)}); it may be a different version. Write a "
            "table instead, with one row per item and the columns item, model, score"
        ) from error


def _first_value(path: str, start: bytes, limit: Mapping[str, int]) -> Any:
    """Return the first JSON value of a file: of its first line, or the file itself."""
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text[:1] not in (b"{", b"["):
        return None
    line, newline, _ = text.partition(b"\n")
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        pass
    try:
        if not newline and len(start) == len(text) and text[:1] == b"{":
            return next(iter(JsonLines(path, limit)), None)
        return whole_json(path, limit)[0]
    except DataError:
        return None


def _is_judged(path: str, start: bytes, limit: Mapping[str, int]) -> bool:
    """Tell whether a file holds judgements, by its columns and its first row."""
    if start.startswith(PARQUET):
        import polars as pl

        try:
            kinds = pl.read_parquet_schema(path)
        except (OSError, ValueError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
            return False  # refused where it is read
        return are_judgements({name: "" if kinds[name] == pl.String else 0 for name in kinds})
    first = _first_value(path, start, limit)
    if isinstance(first, list):
        first = next(iter(first), None)
    if first is None and not start.startswith(ZIPPED):
        first = _first_cells(start)
    return isinstance(first, Mapping) and are_judgements(first)


def _first_cells(start: bytes) -> dict[str, str]:
    """Return the first row of a table of text by the names of its columns."""
    lines = start.decode(errors="replace").removeprefix("\ufeff").splitlines()[:2]
    if not lines:
        return {}
    mark = max((",", ";", "\t"), key=lines[0].count)
    try:
        head, *rest = csv.reader(lines, delimiter=mark)
    except (csv.Error, ValueError):
        return {}
    cells = rest[0] if rest else []
    return dict(zip_longest((name.strip() for name in head), cells[: len(head)], fillvalue=""))
