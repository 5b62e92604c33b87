"""Stored scores: the rows of a store, checked and complete, become `Scores`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import Any, cast

import numpy as np

from ..designs import Design, Given, parse
from ..errors import argument, counted
from ..notes import NOTES, Note
from ..numerics.exact_sums import Array
from ..scores.split_scores import ItemsToRead, Loss, OtherScores, Scores, SplitLosses
from . import contents
from .contents import (
    NONE,
    RUN_FILE,
    IntArray,
    MetricKey,
    Problem,
    StoredExperiment,
    StoreIncomplete,
    unpack,
)
from .kernel import StoreError, quoted
from .registrations import Entry, MetricEntry
from .responses import KINDS, KeptResponses, classes_of, rankings
from .run_reader import CellRows, RunReader, of_design, problems_of

MANY = 10**6
"""Item losses above which they are read when a method asks for them, not with the scores."""


def _refusal(problems: Sequence[Problem], planned: int, path: str) -> StoreIncomplete:
    """Say what is missing and what failed, with one traceback in full."""
    ok = planned - sum(problem.count for problem in problems)
    lacking = [p for p in problems if p.status == "missing"]
    failed = [p for p in problems if p.status != "missing"]
    said = [f"incomplete: {ok} of {planned} fits have a score"]
    if lacking:
        names = ", ".join(f"{_who(p)} lacks {p.count}" for p in lacking)
        said[0] += f"; {names}. To compute them, run the same again with {argument(store=path)}"
    for p in failed:
        words = {"failed": "failed", "timeout": "ran out of time", "killed": "killed its process"}
        fits = counted(p.count, "fit")
        said.append(f"{_who(p)}: {fits} {words[p.status]}: {p.line or 'no message'}")
    for p in failed[:1]:
        where = tuple(p.address or ())
        said.append(f"The first of {quoted(p.learner)}, at {where}:\n{p.example}")
    return StoreIncomplete("\n".join(said))


def _who(problem: Problem) -> str:
    by = f" by {problem.metric}" if problem.metric else ""
    return quoted(problem.learner) + by


def scores_of(reader: RunReader, chosen: Sequence[Entry], *, items: bool, gaps: bool) -> Scores:
    """Return the scores of learners; refuse if incomplete, or with `gaps` fill in NaN.

    The first metric must be complete, and so must the others that were asked for; of a store that
    is merely read, those that are not are left out.
    """
    first, *others = reader.metrics or [MetricEntry(0, MetricKey("", "score"), 0)]
    splits, tables = _complete(reader, chosen, first, gaps=gaps)
    who = [(entry.number, entry.learner.name) for entry in chosen]
    more = []
    for metric in others:
        try:
            beside = _complete(reader, chosen, metric, gaps=False)[1]
        except StoreIncomplete:
            if reader.asked and not gaps:
                raise
            continue
        more.append(
            OtherScores(
                metric.key.name,
                metric.key.greater_is_better,
                _values(beside),
                _kept_items(reader, who, metric, beside, splits) if items else None,
            )
        )
    experiment, target = reader.experiment, reader.truth()
    notes = (Note(code, detail) for code, detail in reader.notes() if code in NOTES)
    return Scores(
        tuple(name for _, name in who),
        _values(tables),
        unpack(splits["address"]),
        splits["n_train"].astype(np.float64),
        splits["n_test"].astype(np.float64),
        first.key.name,
        first.key.greater_is_better,
        _design(experiment),
        items=_kept_items(reader, who, first, tables, splits) if items else None,
        seed=experiment.seed,
        notes=tuple(dict.fromkeys([*notes, *_versions(chosen), *_notes(reader, tables)])),
        more=tuple(more),
        target=target,
        probabilities=_rankings(reader, who, splits, target),
        store=reader.path,
        n_groups=int(experiment.extra["_groups"]) if "_groups" in experiment.extra else None,
    )


def _versions(chosen: Sequence[Entry]) -> Iterator[Note]:
    """Yield a note where learners were fitted with different versions of a library."""
    used: dict[str, dict[str, str]] = {}
    for entry in chosen:
        for library, version in json.loads(entry.about).get("versions", {}).items():
            used.setdefault(library, {}).setdefault(version, quoted(entry.learner.name))
    several = {library: learners for library, learners in used.items() if len(learners) > 1}
    if several:
        said = (
            f"{library}: {', '.join(f'{v} by {who}' for v, who in learners.items())}"
            for library, learners in several.items()
        )
        yield Note("OP510", f"Learners were fitted with different versions of {'; '.join(said)}.")


def _rankings(
    reader: RunReader, who: Sequence[tuple[int, str]], splits: CellRows, target: Any
) -> Array | None:
    """Return by what models of two classes rank the items of one test set, if that was kept."""
    known = None if len(splits) != 1 or target is None else classes_of(target)
    if known is None or known.size != 2:
        return None
    where = unpack(splits["address"])[0].tolist()
    kept = (
        KeptResponses(known, tuple(reader.responses(one, kind) for kind in range(len(KINDS))))
        for one, _ in who
    )
    return rankings([one.at(where) for one in kept], target.size, reader.items(splits))


def _values(tables: Sequence[CellRows]) -> Array:
    return np.stack([cells["score"].astype(np.float64) for cells in tables])


def _complete(
    reader: RunReader, chosen: Sequence[Entry], metric: MetricEntry, *, gaps: bool
) -> tuple[CellRows, list[CellRows]]:
    """Return splits and the cells of learners by one metric, all that the design has."""
    wanted = reader.wanted()
    splits = of_design(reader.splits(), wanted)
    packed = splits["address"]
    who = [(entry.number, entry.learner.name) for entry in chosen]
    tables = [of_design(reader.cells(*one, metric), wanted) for one in who]
    problems = [
        problem
        for entry, cells in zip(chosen, tables, strict=True)
        for problem in problems_of(reader, entry, metric, cells)
    ]
    if problems and gaps:
        tables = [_with_gaps(cells, packed) for cells in tables]
    elif problems:
        planned = (packed if wanted is None else wanted).size * len(chosen)
        raise _refusal(problems, planned, reader.path)
    for (_, name), cells in zip(who, tables, strict=True):
        if np.array_equal(cells["address"], packed):
            continue
        lost = np.setdiff1d(cells["address"], packed).size
        if lost:
            raise StoreIncomplete(
                f"incomplete: {counted(lost, 'split is', 'splits are')} missing, although there "
                "are fits on them. To write what is missing, run the same again with "
                f"{argument(store=reader.path)}"
            )
        raise RUN_FILE.damaged(
            reader.path, f"the number of fits of {quoted(name)} differs from that of splits"
        )
    return splits, tables


def _kept_items(
    reader: RunReader,
    who: Sequence[tuple[int, str]],
    metric: MetricEntry,
    tables: Sequence[CellRows],
    splits: CellRows,
) -> SplitLosses | ItemsToRead | None:
    """Return the losses of items, read now or when they are asked for; None where none are kept."""
    if not metric.key.loss or not all((cells["losses"] != NONE).all() for cells in tables):
        return None
    if int(splits["n_test"].sum()) * len(who) <= MANY:
        return _items(reader, who, metric, tables, splits)
    written = _written(tables, splits)
    later = partial(_read_items, reader.path, reader.experiment, who, metric, written)
    return ItemsToRead(cast(Loss, metric.key.loss), later)


def _design(experiment: StoredExperiment) -> Design | None:
    if not experiment.design:
        return None
    design, by = parse(experiment.design), experiment.extra.get("_splits given by", "")
    return replace(design, by=by) if isinstance(design, Given) else design


def _with_gaps(cells: CellRows, packed: IntArray) -> CellRows:
    """Return a cell for each split, with no score where there is none that is ok."""
    found = np.zeros(packed.size, dtype=cells.dtype)
    found["address"], found["score"] = packed, np.nan
    found["losses"] = found["remark"] = NONE
    known = cells[(cells["status"] == 0) & np.isin(cells["address"], packed)]
    found[np.searchsorted(packed, known["address"])] = known
    return found


def _items(
    reader: RunReader,
    who: Sequence[tuple[int, str]],
    metric: MetricEntry,
    tables: Sequence[CellRows],
    splits: CellRows,
) -> SplitLosses:
    sizes = splits["n_test"].astype(np.int64)
    losses = np.empty((len(who), int(sizes.sum())))
    for row, (number, _), cells in zip(losses, who, tables, strict=True):
        row[:] = reader.losses(number, metric.number, cells, sizes)
    entries = np.repeat(np.arange(sizes.size, dtype=np.int64), sizes)
    return SplitLosses(cast(Loss, metric.key.loss), losses, entries, reader.items(splits))


def _written(tables: Sequence[CellRows], splits: CellRows) -> int:
    """Return a digest by which the same rows are known again."""
    return contents.digest(*(rows.tobytes() for rows in (*tables, splits)))


def _read_items(
    path: str,
    experiment: StoredExperiment,
    who: Sequence[tuple[int, str]],
    metric: MetricEntry,
    written: int,
) -> SplitLosses:
    """Open the store again for the item losses of scores that were read before."""
    real, _ = RUN_FILE.find(path, "read")
    with RUN_FILE.typed(real), closing(RUN_FILE.for_reading(real)) as db:
        db.execute("BEGIN")
        reader = RunReader(db, real)
        contents.same_experiment(real, reader.experiment, experiment)
        reader.ask(experiment, [metric])
        wanted = reader.wanted()
        tables = [of_design(reader.cells(*one, metric), wanted) for one in who]
        splits = of_design(reader.splits(), wanted)
        if _written(tables, splits) != written:
            raise StoreError(
                f"{quoted(real)} has changed since these scores were read from it; read them again"
            )
        return _items(reader, who, metric, tables, splits)


def _notes(reader: RunReader, tables: Sequence[CellRows]) -> tuple[Note, ...]:
    """Return every distinct note of the cells that has an OP code."""
    keys = {key for cells in tables for key in np.unique(cells["remark"]).tolist()}
    said = sorted({pair for key in keys for pair in reader.remark(key)[1]})
    return tuple(Note(code, detail) for code, detail in said if code in NOTES)
