"""Files that a store exported: names as they were, and the design that made the scores."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import validation
from ..designs import Design, parse
from ..errors import DataError, DesignError, argument, call
from ..notes import NOTES, Note
from ..scores.other_scores import OtherScores
from ..scores.split_scores import Scores, filled_up
from .column_names import shown
from .score_table import ScoreTable

if TYPE_CHECKING:
    import polars as pl


COLUMNS = (
    "learner",
    "partition",
    "repeat",
    "fold",
    "score",
    "n_train",
    "n_test",
    "metric",
    "seed",
    "design",
    "greater_is_better",
)
"""A file with exactly these columns was exported."""
HEADER = ",".join(COLUMNS).encode()
TEXTS = ("learner", "metric")
FORMULA = tuple("=+-@\t\r\n＝＋－＠")  # full-width ones count too
"""A spreadsheet runs cells that begin so."""
NAMED = 5
RECORD, GLANCE = b'"outperform/record/', 200
"""How a record begins."""


def check_record(start: bytes, path: Any) -> None:
    """Refuse a record of a verdict, which is recomputed and not compared."""
    if RECORD in start[:GLANCE]:
        raise DataError(
            f"{shown(path)} is a record of a verdict. Recompute it: {call('verify', str(path))}"
        )


def harmless(text: str) -> str:
    """Put a quote before text that a spreadsheet would run.

    Text that begins with quotes before such a character gets one more, so that `_plain` is exact.
    """
    return f"'{text}" if _runs(text) else text


def _plain(text: str) -> str:
    """Take away the quote that `harmless` put there."""
    return text[1:] if text.startswith("'") and _runs(text) else text


def _runs(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return text.lstrip("'").startswith(FORMULA)
    return False


def unquoted(frame: pl.DataFrame) -> pl.DataFrame:
    """Return an exported CSV with the names that the store held; any other file as it is."""
    if tuple(frame.columns) != COLUMNS:
        return frame
    columns = []
    for name in TEXTS:
        texts = frame[name].unique().drop_nulls().to_list()
        columns.append(frame[name].replace({text: _plain(text) for text in texts}))
    return frame.with_columns(columns)


def known_of(
    table: ScoreTable, name: str, asked: Mapping[str, Any]
) -> tuple[ScoreTable, dict[str, Any]]:
    """Return an exported table as one of scores, and what it says of itself; {} of any other."""
    if tuple(table.columns) != COLUMNS:
        return table, {}
    known: dict[str, Any] = {}
    designs, greater = (
        table.columns[column].unique().drop_nulls().to_list()
        for column in ("design", "greater_is_better")
    )
    if len(designs) == 1 and designs[0]:
        known["design"] = designs[0]
        if asked.get("design") is not None and parse(asked["design"]) != parse(designs[0]):
            raise DataError(
                f"{name} was exported from a run of {designs[0]}, not of {asked['design']}. Remove "
                "the design option"
            )
    if len(greater) == 1:
        known["lower_is_better"] = str(greater[0]).lower() == "false"
    if not asked.get("drop_incomplete"):
        _check_whole(table, name)
    columns = {key: table.columns[key] for key in COLUMNS[:-2]}
    return ScoreTable(columns, table.place, table.most_scores), known


def _check_whole(table: ScoreTable, name: str) -> None:
    """Refuse scores that were exported while fits were missing, naming these."""
    import polars as pl

    empty = table.columns["score"].cast(pl.String).fill_null("").str.strip_chars() == ""
    gaps = empty.arg_true().to_list()
    if not gaps:
        return
    where = [
        f"{shown(table.columns['learner'][row])} at "
        f"({', '.join(str(table.columns[axis][row]) for axis in COLUMNS[1:4])})"
        for row in gaps[:NAMED]
    ]
    more = f" and {len(gaps) - NAMED:,} more" if len(gaps) > NAMED else ""
    raise DataError(
        f"incomplete: {name} lacks {len(gaps):,} of {len(table):,} scores: "
        f"{', '.join(where)}{more} (partition, repeat, fold). Run these fits and export again, or "
        f"drop these splits for every learner: {argument(drop_incomplete=True)}"
    )


SCHEMA = "outperform/report/1"
CERTIFICATE = "outperform/certificate/1"
_WITHIN = rb'<script type="application/json" id="%s">(.*?)</script>'
_BLOCK = re.compile(_WITHIN % b"outperform-scores", re.DOTALL)
_CERTIFIED = re.compile(_WITHIN % b"certificate-data", re.DOTALL)
# So that no name can end the element, start a comment, break a line or turn its direction.
_ESCAPED = re.compile(r"[<>&]|[^\x20-\x7e\w]")


def payload(scores: Scores, **about: Any) -> str:
    """Return the scores, without item losses, as JSON that is safe inside a script element."""
    kept = replace(
        scores, items=None, more=tuple(replace(other, items=None) for other in scores.more)
    )
    addresses = kept.addresses.T.tolist()
    held = {
        "names": list(kept.names),
        "metric": kept.metric,
        "greater_is_better": kept.greater_is_better,
        "design": None if kept.design is None else str(kept.design),
        "seed": kept.seed,
        "datasets": None if kept.datasets is None else list(kept.datasets),
        **({} if kept.families is None else {"families": list(kept.families)}),
        "partition": addresses[0],
        "repeat": addresses[1],
        "fold": addresses[2],
        **({} if kept.full_grid is None else {"full_grid": list(kept.full_grid)}),
        "n_train": _listed(kept.n_train),
        "n_test": _listed(kept.n_test),
        "notes": [[note.code, note.detail] for note in kept.notes],
        "values": _cells(kept.values),
        **({} if not kept.primary else {"primary": kept.primary}),
        **({} if not kept.more else {"more": [_other(other) for other in kept.more]}),
        "digest": kept.digest(),
    }
    whole = {"schema": SCHEMA, **about, "scores": held}
    return embedded(whole)


def _cells(values: Any) -> list[list[float | None]]:
    return [[None if v != v else v for v in row] for row in values.tolist()]


def _other(scores: OtherScores) -> dict[str, Any]:
    return {
        "metric": scores.metric,
        "greater_is_better": scores.greater_is_better,
        "values": _cells(scores.values),
    }


def embedded(value: Any) -> str:
    """Return JSON that is safe inside a script element."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _ESCAPED.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    character = found[0]
    return f"\\u{ord(character):04x}" if ord(character) < 128 else json.dumps(character)[1:-1]


def carries_scores(data: bytes) -> bool:
    """Tell whether a file is a page of this package with scores inside."""
    return data.lstrip()[:1] == b"<" and _BLOCK.search(data) is not None


def certified_names(data: bytes) -> list[str]:
    """Return the learners that a page is a certificate of; none of any other file."""
    found = _CERTIFIED.search(data)
    try:
        about = json.loads(found[1]) if found else {}
        return [str(name) for name in about["names"]] if about["schema"] == CERTIFICATE else []
    except (LookupError, TypeError, ValueError, RecursionError):
        return []


def scores_within(data: bytes, name: str) -> Scores:
    """Return the scores that a report carries; refuse what was damaged or edited."""
    found = _BLOCK.search(data)
    assert found is not None
    scores, digest = None, ""
    try:
        whole = json.loads(found[1], parse_constant=_no_constant)
        schema = whole.get("schema")
        if schema == SCHEMA:
            scores, digest = _scores(whole["scores"]), str(whole["scores"]["digest"])
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as e:
        raise DataError(
            f"{name} is a damaged report ({_said(e)}); its scores cannot be read. Write the report "
            "again: comparison.report('report.html')"
        ) from None
    if scores is None:
        raise DataError(
            f"{name} has schema {schema!r}, but {SCHEMA!r} is required. Write the report again "
            "with this version of outperform"
        )
    if scores.digest() != digest:
        raise DataError(
            f"{name} was modified after it was written: its scores do not match their digest. "
            "Write the report again: comparison.report('report.html')"
        )
    return scores


def _scores(held: dict[str, Any]) -> Scores:
    names = validation.learner_names(held["names"], len(held["names"]))
    design = _design(held["design"])
    several = held["datasets"] is not None and len(set(held["datasets"])) > 1
    values = _values(held["values"], design, gaps=several)
    addresses = np.array([held[axis] for axis in ("partition", "repeat", "fold")], dtype=np.int64).T
    if values.shape != (len(names), len(addresses)) or (addresses < 0).any():
        raise ValueError(f"{values.shape} values for {len(addresses)} splits")
    datasets = held["datasets"]
    families = held.get("families")
    for labels in (datasets, families):
        if labels is not None and len(labels) != len(addresses):
            raise ValueError(f"{len(labels)} datasets for {len(addresses)} splits")
    more = []
    for one in held.get("more", ()):
        of_metric = _values(one["values"], design, gaps=several)
        if of_metric.shape != values.shape:
            raise ValueError(f"{of_metric.shape} values of a metric, not {values.shape}")
        better = bool(one["greater_is_better"])
        more.append(OtherScores(str(one["metric"]), better, of_metric))
    return Scores(
        names,
        values,
        addresses,
        _sizes(held["n_train"], len(addresses)),
        _sizes(held["n_test"], len(addresses)),
        str(held["metric"]),
        bool(held["greater_is_better"]),
        design,
        None if datasets is None else tuple(str(one) for one in datasets),
        seed=None if held["seed"] is None else int(held["seed"]),
        notes=tuple(Note(c, str(detail)) for c, detail in held["notes"] if c in NOTES),
        full_grid=_grid(held.get("full_grid"), addresses),
        families=None if families is None else tuple(str(one) for one in families),
        more=tuple(more),
        primary=str(held.get("primary", "")),
    )


def _design(text: Any) -> Design | None:
    try:
        return None if text is None else parse(str(text))
    except DesignError as error:
        raise ValueError(str(error)) from None


def _values(given: Any, design: Design | None, *, gaps: bool) -> Any:
    """Return the table of scores; learners with seeds of their own may have fewer than others.

    With `gaps`, some cells of a table of several datasets may be missing.
    """
    if gaps and any(score is None for row in given for score in row):
        filled = [[0.0 if score is None else score for score in row] for row in given]
        there = np.array([[score is not None for score in row] for row in given])
        return np.where(there, validation.numbers(filled, "values"), np.nan)
    if design is None or design.kind != "unpaired-seeds":
        return validation.numbers(given, "values")
    rows = [[score for score in row if score is not None] for row in given]
    return np.stack(filled_up([validation.numbers(row, "values") for row in rows]))


def _grid(given: Any, addresses: Any) -> tuple[int, int, int] | None:
    if given is None:
        return None
    partitions, repeats, folds = map(int, given)
    np.ravel_multi_index(tuple(addresses.T), (partitions, repeats, folds))  # all stand on it
    return partitions, repeats, folds


def _sizes(given: Any, n: int) -> Any:
    if given is None:
        return None
    sizes = np.array(given)
    if sizes.shape != (n,) or sizes.dtype.kind not in "if" or not (sizes > 0).all():
        raise ValueError("sizes of splits that are not counts")
    return sizes


def _listed(sizes: Any) -> list[Any] | None:
    return None if sizes is None else np.asarray(sizes).tolist()


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is not a valid number here")


def _said(error: Exception) -> str:
    text = f"{type(error).__name__}: {error}"
    return text if len(text) <= 120 and text.isprintable() else type(error).__name__
