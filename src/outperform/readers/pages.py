"""Scores inside a report: JSON that a page carries, written here and read back here."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np

from .. import validation
from ..designs import parse
from ..errors import DataError, DesignError
from ..notes import NOTES, Note
from ..scores.split_scores import Scores

__all__ = ["SCHEMA", "carries_scores", "embedded", "payload", "scores_within"]

SCHEMA = "outperform/report/1"
_BLOCK = re.compile(
    rb'<script type="application/json" id="outperform-scores">(.*?)</script>', re.DOTALL
)
# So that no name can end the element, start a comment, break a line or turn its direction.
_ESCAPED = re.compile(r"[<>&]|[^\x20-\x7e\w]")


def payload(scores: Scores, **about: Any) -> str:
    """Return the scores, without item losses, as JSON that is safe inside a script element."""
    kept = _bare(scores)
    addresses = kept.addresses.T.tolist()
    held = {
        "names": list(kept.names),
        "metric": kept.metric,
        "greater_is_better": kept.greater_is_better,
        "design": None if kept.design is None else str(kept.design),
        "seed": kept.seed,
        "datasets": None if kept.datasets is None else list(kept.datasets),
        "partition": addresses[0],
        "repeat": addresses[1],
        "fold": addresses[2],
        **({} if kept.full_grid is None else {"full_grid": list(kept.full_grid)}),
        "n_train": _listed(kept.n_train),
        "n_test": _listed(kept.n_test),
        "notes": [[note.code, note.detail] for note in kept.notes],
        "values": kept.values.tolist(),
        "digest": kept.digest(),
    }
    whole = {"schema": SCHEMA, **about, "scores": held}
    return embedded(whole)


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


def scores_within(data: bytes, name: str) -> Scores:
    """Return the scores that a report carries; refuse what was damaged or edited."""
    found = _BLOCK.search(data)
    assert found is not None
    try:
        whole = json.loads(found[1], parse_constant=_no_constant)
        schema = whole.get("schema")
        if schema != SCHEMA:
            raise DataError(
                f"{name} holds {schema!r}; {SCHEMA!r} is needed. Write the report again with this "
                "version of outperform"
            )
        held = whole["scores"]
        scores = _scores(held)
        digest = str(held["digest"])
    except (
        KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError
    ) as error:  # fmt: skip
        if isinstance(error, DataError) and "Write the report again" in str(error):
            raise
        raise DataError(
            f"{name} is a damaged report ({_said(error)}); the scores as they were written are "
            "needed. Write the report again: comparison.report('report.html')"
        ) from None
    if scores.digest() != digest:
        raise DataError(
            f"{name} was changed since it was written: its scores do not match their digest. Write "
            "the report again: comparison.report('report.html')"
        )
    return scores


def _bare(scores: Scores) -> Scores:
    from dataclasses import replace

    return replace(scores, items=None)


def _scores(held: dict[str, Any]) -> Scores:
    names = validation.learner_names(held["names"], len(held["names"]))
    values = validation.numbers(held["values"], "values")
    addresses = np.array([held[axis] for axis in ("partition", "repeat", "fold")], dtype=np.int64).T
    if values.shape != (len(names), len(addresses)) or (addresses < 0).any():
        raise ValueError(f"{values.shape} values for {len(addresses)} splits")
    datasets = held["datasets"]
    if datasets is not None and len(datasets) != len(addresses):
        raise ValueError(f"{len(datasets)} datasets for {len(addresses)} splits")
    try:
        design = None if held["design"] is None else parse(str(held["design"]))
    except DesignError as error:
        raise ValueError(str(error)) from None
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
    )


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
        raise ValueError("sizes of splits that are no counts")
    return sizes


def _listed(sizes: Any) -> list[Any] | None:
    return None if sizes is None else np.asarray(sizes).tolist()


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} among the numbers")


def _said(error: Exception) -> str:
    text = f"{type(error).__name__}: {error}"
    return text if len(text) <= 120 and text.isprintable() else type(error).__name__
