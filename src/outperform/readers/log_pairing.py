"""Pairing logs: the same items, prompts and targets for every model, or a refusal that says why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import DataError, argument, counted, did_you_mean
from ..notes import Note
from ..scores.item_codes import Codes
from ..scores.items import Items
from ..scores.log_header import LogHeader
from .column_names import listed, lower_is_better, shown
from .limits import check
from .log_rows import LoggedItem, LogRows
from .plain_rows import TOOL as TABLE
from .plain_rows import no_cluster

Places = dict[tuple[str, str], int]
MODELS_SHOWN = 3
"""Models whose missing items are named."""


def of_samples(logs: Sequence[LogRows], asked: str | None) -> tuple[str | None, int | None]:
    """Return of which metric pass@k is asked, and k; the latter is None if it is not.

    A log may have a metric of that name itself, which is then meant.
    """
    own = {m for log in logs for m in log.metrics} | {
        m.partition(",")[0] for log in logs for m in log.metrics
    }
    base, at, k = (asked or "").rpartition("pass@")
    derived = at and k.isdecimal() and int(k) > 0 and (not base or base.endswith("/"))
    if not derived or asked in own:
        return asked, None
    return base.removesuffix("/") or None, int(k)


def paired(
    logs: Sequence[LogRows],
    options: Mapping[str, Any],
    limit: Mapping[str, int],
    suffix: str = "",
) -> Items:
    """Return the items of several logs, each answered by every model.

    `suffix` follows the name of a metric where a refusal proposes one.
    """
    for log in logs:
        if not log.metrics:
            raise _not_scored(log.file)
    metric = chosen_metric(logs, options.get("metric"), suffix)
    greater = _direction(logs, metric, options.get("lower_is_better"))
    names, owner = _named(logs)
    items, places = _united(logs, options)
    rows = _rows(logs, metric, owner, places)
    scored = np.unique(rows["model"][~np.isnan(rows["score"])])
    if len(scored) < len(names):
        raise _not_scored(shown(next(n for at, n in enumerate(names) if at not in scored)))
    said = [sentence for log in logs for sentence in log.said]
    said += _other_versions(logs)
    kept, left = _common(rows, names, items, options)
    if left:
        said.append(left)
    values, n_numbered, failed = _values(rows, len(names), kept, limit)
    if n_numbered:
        said.append(
            f"{counted(n_numbered, 'item has', 'items have')} several scores for one model, "
            "which were read as samples in file order"
        )
    chosen = [items[at] for at in kept]
    clusters, cluster_name, more = _clusters(chosen, logs, options.get("cluster"))
    said += more
    datasets = _codes([item.dataset for item in chosen])
    made = Items(
        names,
        values,
        metric,
        greater,
        tuple(item.id for item in chosen),
        tuple(item.hash or "" for item in chosen) if chosen and chosen[0].hash else None,
        clusters,
        cluster_name,
        datasets=datasets if len(datasets.labels) > 1 else None,
        population=options.get("population") or "new",
        n_population=_whole(logs),
        headers=_headers(logs, names, owner, metric),
        notes=tuple(Note("OP001", f"{one}.") for one in dict.fromkeys(said)),
    )
    errors = str(options.get("errors") or "refuse")
    if errors == "refuse":
        _refuse_unanswered(logs, failed)
    return _without_errors(made, failed, errors)


def _not_scored(what: str) -> DataError:
    return DataError(
        f"{what} has no score of any item, so it was not scored. Score its answers first (with "
        "Inspect: inspect score LOG), then pass the scored log"
    )


def _refuse_unanswered(logs: Sequence[LogRows], failed: npt.NDArray[np.bool_]) -> None:
    """Refuse items without an answer; only an answer that was not scored may count as 0."""
    n = sum(log.n_unanswered for log in logs)
    if n and failed.any():
        file = next(log.file for log in logs if log.n_unanswered)
        raise DataError(
            f"{counted(int(failed.sum()), 'score')} missing: the run failed on "
            f"{counted(n, 'answer')}, such as in {file}. Run these items again, or leave them out "
            f"for all models: {argument(errors='drop_pairs')}"
        )


def _other_versions(logs: Sequence[LogRows]) -> list[str]:
    """Say which tasks have other versions in other logs, though they ask the same."""
    told: dict[str, dict[str, str]] = {}
    for log in logs:
        for task, version in log.task_versions.items():
            told.setdefault(task, {}).setdefault(version, log.file)
    return [
        f"Task {shown(task)} has different versions ("
        + ", ".join(f"{shown(version)} in {file}" for version, file in versions.items())
        + "), so that answers may have been scored differently"
        for task, versions in told.items()
        if len(versions) > 1
    ]


def chosen_metric(logs: Sequence[LogRows], asked: str | None, suffix: str = "") -> str:
    """Return the one metric that all logs have, or the one asked for; refuse to guess."""
    common = [m for m in logs[0].metrics if all(m in log.metrics for log in logs)]
    everything = list(dict.fromkeys(m for log in logs for m in log.metrics))
    if asked is not None:
        if asked in common:
            return asked
        short = [m for m in common if m.partition(",")[0] == asked]
        if len(short) == 1:
            return short[0]
        raise DataError(
            f"The 'metric' parameter must be a metric that all logs have, got {asked!r}; "
            f"{did_you_mean(asked, common or everything)}"
        )
    if len(common) == 1:
        return common[0]
    if not common:
        raise DataError(
            f"These logs have no metric in common: they have {listed(everything)}. Compare logs "
            "of the same evaluation"
        )
    if common[:2] == ["score", "success"]:  # promptfoo's own, said when it was read
        return "score"
    raise DataError(
        f"These logs have {len(common)} metrics: {listed(common)}. Name one: "
        f"{argument(metric=common[0] + suffix)}"
    )


def _direction(logs: Sequence[LogRows], metric: str, lower: bool | None) -> bool:
    if lower is not None:
        return not lower
    told = {log.greater.get(metric) for log in logs} - {None}
    if len(told) == 1:
        return bool(told.pop())
    plain = metric.partition(",")[0].rpartition("/")[2]
    known = lower_is_better(plain)
    if told or known is None:
        raise DataError(
            f"The logs do not state whether greater or lower {shown(metric)} is better. Pass "
            f"{argument(lower_is_better=True)} or {argument(lower_is_better=False)}"
        )
    return not known


def _named(logs: Sequence[LogRows]) -> tuple[tuple[str, ...], dict[Any, int]]:
    """Return the names of models, and which of them each model of each log is.

    A model in several logs of other datasets is one; in logs of the same dataset it was run twice.
    """
    names: dict[str, int] = {}
    owner: dict[tuple[int, int], int] = {}
    holding: dict[str, list[int]] = {}
    for at, log in enumerate(logs):
        for model in log.models:
            holding.setdefault(model, []).append(at)
    for model, where in holding.items():
        parts = [{item.dataset for item in logs[at].items} for at in where]
        disjoint = sum(map(len, parts)) == len(set().union(*parts))
        texts = [""] * len(where) if disjoint else _suffixes([logs[at] for at in where])
        for at, text in zip(where, texts, strict=True):
            name = f"{model} ({text})" if text else model
            owner[at, logs[at].models[model]] = names.setdefault(name, len(names))
    return tuple(names), owner


def _suffixes(logs: Sequence[LogRows]) -> list[str]:
    """Return what tells runs of one model apart: settings that differ, else files, else folders."""
    keys = dict.fromkeys(key for log in logs for key in log.about_run)
    differ = [key for key in keys if len({log.about_run.get(key) for log in logs}) > 1]
    texts = [
        ", ".join(f"{key.rpartition('.')[2]}={log.about_run.get(key, 'none')}" for key in differ)
        for log in logs
    ]
    paths = [Path(log.file.strip("'\"")) for log in logs]
    for found in (
        [text if len(text) <= 60 else "" for text in texts],
        [path.stem for path in paths],
        [path.parent.name for path in paths],
        [str(path) for path in paths],
    ):
        if len({*found}) == len(found) and all(found):
            return found
    return [f"log {at + 1}" for at in range(len(logs))]


def _united(
    logs: Sequence[LogRows], options: Mapping[str, Any]
) -> tuple[list[LoggedItem], list[npt.NDArray[np.int64]]]:
    """Number the items of all logs, by content where all tell it, else by id; compare what they
    say of an item."""
    hashed = all(item.hash is not None for log in logs for item in log.items)
    places: Places = {}
    items: list[LoggedItem] = []
    numbers = []
    others: dict[str, list[str]] = {"prompt": [], "target": [], "cluster": []}
    for log in logs:
        found = np.empty(len(log.items), dtype=np.int64)
        for at, item in enumerate(log.items):
            place = item.dataset, item.key if hashed else item.id
            number = places.setdefault(place, len(items))
            found[at] = number
            if number == len(items):
                items.append(item)
                continue
            known = items[number]
            if known is not item and known[3:] != item[3:]:
                for what in others:
                    mine, its = getattr(known, what), getattr(item, what)
                    if mine is not None and its is not None and mine != its:
                        others[what].append(item.id)
        if len(np.unique(found)) != len(found):
            raise DataError(
                f"{log.file} has different items with the same id, and another log does not give "
                "their content. Give each item its own id"
            )
        numbers.append(found)
        others["prompt"] += dict.fromkeys(log.other_prompts)
        others["target"] += dict.fromkeys(log.other_targets)
    plain = all(log.tool == TABLE for log in logs)
    _refuse_others(others, options, plain and len(others["prompt"]) > len(items) // 2)
    return items, numbers


def _refuse_others(
    others: Mapping[str, list[str]], options: Mapping[str, Any], numbered: bool
) -> None:
    """Refuse other tasks under one id; `numbered` says that ids may be numbers of rows."""
    for what, words in (("target", "a different target"), ("cluster", "a different cluster")):
        if others[what]:
            raise DataError(
                f"{counted(len(others[what]), 'item has', 'items have')} {words} in another log, "
                f"such as {listed(others[what], 3)}, so the models did not get the same task. "
                "Compare logs of the same version of the evaluation"
            )
    if others["prompt"] and not options.get("allow_other_prompts"):
        raise DataError(
            f"{counted(len(others['prompt']), 'item has', 'items have')} a different prompt for "
            f"another model, such as {listed(others['prompt'], 3)}; a difference could come from "
            f"the prompts. If this is intended, pass {argument(allow_other_prompts=True)}"
            + numbered
            * f". If ids number rows, name what identifies items: {argument(item=...)}"
        )


def _rows(
    logs: Sequence[LogRows],
    metric: str,
    owner: Mapping[Any, int],
    numbers: Sequence[npt.NDArray[np.int64]],
) -> dict[str, npt.NDArray[Any]]:
    """Return model, item, sample and score of all rows of the metric."""
    parts: dict[str, list[Any]] = {"model": [], "item": [], "sample": [], "score": []}
    for at, log in enumerate(logs):
        owners = np.array([owner[at, code] for code in range(len(log.models))], dtype=np.int64)
        model, item, sample, score = log.of_metric(metric)
        parts["model"].append(owners[model])
        parts["item"].append(numbers[at][item])
        parts["sample"].append(sample)
        parts["score"].append(score)
    return {name: np.concatenate(each) for name, each in parts.items()}


def _common(
    rows: Mapping[str, npt.NDArray[Any]],
    names: Sequence[str],
    items: Sequence[LoggedItem],
    options: Mapping[str, Any],
) -> tuple[npt.NDArray[np.int64], str]:
    """Return the items that every model has; refuse others, unless common ones are asked for."""
    there = np.zeros((len(names), len(items)), dtype=bool)
    there[rows["model"], rows["item"]] = True
    every, some = there.all(axis=0), there.any(axis=0)
    kept = np.flatnonzero(every)
    n_lost = int(some.sum() - every.sum())
    unseen = len(items) - int(some.sum())
    said = counted(unseen, "item has", "items have") + " no such score in any log" if unseen else ""
    if not n_lost:
        return kept, said
    alone = np.flatnonzero(some & ~every)
    tasks = [*dict.fromkeys(items[at].dataset for at in alone.tolist())]
    if not kept.size and len(tasks) > 1:
        raise DataError(
            "These logs have no item in common: they are of different tasks, or of different "
            f"versions of a task: {listed(tasks)}. Compare logs of the same task"
        )
    if not options.get("common_items") or not kept.size:
        ids: dict[tuple[str, str], set[str]] = {}
        for at in alone.tolist():
            ids.setdefault((items[at].dataset, items[at].id), set()).add(items[at].key)
        same = [key[1] for key, contents in ids.items() if len(contents) > 1]
        way = f"To compare on the {counted(kept.size, 'item')} that all logs have: "
        way = (
            f"{way}{argument(common_items=True)}" if kept.size else "Compare logs of the same items"
        )
        if same:
            raise DataError(
                f"{counted(len(same), 'item has', 'items have')} the same id but different "
                f"content in another log, such as {listed(same, 3)}. {way}"
            )
        raise DataError(
            f"{n_lost:,} of {counted(int(some.sum()), 'item')} {'is' if n_lost == 1 else 'are'} "
            f"missing from some logs: {_only_in(there, alone, names, items)}. {way}"
        )
    left = counted(n_lost, "item that some model lacks was", "items that some model lacks were")
    return kept, f"{said}; {left} left out" if said else f"{left} left out"


def _only_in(
    there: npt.NDArray[np.bool_],
    alone: npt.NDArray[np.int64],
    names: Sequence[str],
    items: Sequence[LoggedItem],
) -> str:
    """Say which items each model lacks that another has."""
    said = []
    for model, name in enumerate(names):
        lost = [items[at].id for at in alone.tolist() if not there[model, at]]
        if lost:
            said.append(f"{shown(name)} lacks {len(lost):,}, such as {listed(lost, 3)}")
        if len(said) == MODELS_SHOWN:
            break
    return "; ".join(said)


def _values(
    rows: Mapping[str, npt.NDArray[Any]],
    k: int,
    kept: npt.NDArray[np.int64],
    limit: Mapping[str, int],
) -> tuple[npt.NDArray[np.float64], int, npt.NDArray[np.bool_]]:
    """Return scores (models, items, samples), how many items had unnumbered samples, and where an
    answer has no score because of an error."""
    place = np.full(int(rows["item"].max()) + 1, -1, dtype=np.int64)
    place[kept] = np.arange(len(kept))
    item = place[rows["item"]]
    inside = item >= 0
    whole = bool(inside.all())
    model, item, sample, score = (
        part if whole else part[inside]
        for part in (rows["model"], item, rows["sample"], rows["score"])
    )
    cell = model * len(kept)
    cell += item
    same = cell[1:] == cell[:-1]
    if not ((cell[1:] > cell[:-1]) | (same & (sample[1:] >= sample[:-1]))).all():
        order = np.lexsort((sample, cell))
        cell, sample, score = cell[order], sample[order], score[order]
        same = cell[1:] == cell[:-1]
    first = np.flatnonzero(np.concatenate([[True], ~same]))
    counts = np.diff(np.append(first, len(cell)))
    slot = np.arange(len(cell))
    slot -= np.repeat(first, counts)
    again = same & (sample[1:] == sample[:-1]) & (sample[1:] >= 0)
    if again.any():
        at = int(np.flatnonzero(again)[0]) + 1
        raise DataError(
            f"Sample {int(sample[at])} of an item is duplicated for one model; each sample must "
            "have its own number. Check that no log was given twice"
        )
    n_samples = int(counts.max())
    size = k * len(kept) * n_samples
    check(limit, "the logs", {"cells": (size, f"contain {size:,} scores")})
    values = np.full((k * len(kept), n_samples), np.nan)
    values[cell, slot] = score
    bad = np.zeros((k * len(kept), n_samples), dtype=bool)
    missing = np.isnan(score)
    bad[cell[missing], slot[missing]] = True
    several = (counts > 1) & (sample[first] < 0)
    n_numbered = len(np.unique(cell[first][several] % max(len(kept), 1)))
    shape = (k, len(kept), n_samples)
    return values.reshape(shape), n_numbered, bad.reshape(shape)


def _without_errors(items: Items, failed: npt.NDArray[np.bool_], errors: str) -> Items:
    """Apply the policy for answers that have no score."""
    from dataclasses import replace

    if not failed.any():
        return items.settled(errors)
    if errors == "as_zero" and items.greater_is_better:
        failures = counted(
            int(failed.sum()), "answer that failed counts", "answers that failed count"
        )
        said = f"{failures} as 0."
        zero = np.where(failed, 0.0, items.values)
        return replace(items, values=zero, notes=(*items.notes, Note("OP001", said)))
    # Without them an item lacks all its samples, which `settled` drops or refuses.
    whole = np.where(failed.any(axis=2, keepdims=True), np.nan, items.values)
    return replace(items, values=whole).settled(errors)


def _clusters(
    items: Sequence[LoggedItem], logs: Sequence[LogRows], asked: str | None
) -> tuple[Codes | None, str, list[str]]:
    labels = [item.cluster for item in items]
    if asked == "dataset" and not any(labels):
        labels = [item.dataset for item in items]
    if any(label is not None for label in labels) or asked is not None:
        if None in labels:
            raise no_cluster(logs[0].file, asked or "cluster", ())
        return _codes([str(label) for label in labels]), asked or "cluster", []
    datasets = {item.dataset for item in items}
    if len(datasets) > 1 and all(log.grouped for log in logs):
        said = f"The {len(datasets)} tasks of the benchmark were read as clusters"
        return _codes([item.dataset for item in items]), "task", [said]
    return None, "", []


def _codes(labels: Sequence[str]) -> Codes:
    known: dict[str, int] = {}
    codes = np.array([known.setdefault(label, len(known)) for label in labels], dtype=np.int64)
    return Codes(codes, tuple(known))


def _whole(logs: Sequence[LogRows]) -> int | None:
    sizes = {log.n_original for log in logs}
    return sizes.pop() if len(sizes) == 1 else None


def _headers(
    logs: Sequence[LogRows], names: Sequence[str], owner: Mapping[Any, int], metric: str
) -> tuple[LogHeader, ...]:
    return tuple(
        LogHeader(
            log.tool,
            log.version,
            names[number],
            log.file.strip("'\""),
            log.sha256,
            log.reducer,
            {dataset: mean for (dataset, m), mean in log.printed.items() if m == metric},
            log.n_original,
        )
        for (at, _), number in sorted(owner.items())
        for log in (logs[at],)
    )
