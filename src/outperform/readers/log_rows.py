"""The rows of one log of an evaluation, whatever tool wrote it, in small columns."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..errors import DataError, LogIncomplete
from ..scores.log_header import PrintedMean
from .column_names import shown
from .parsing import MISSING

GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""What the letters of a scorer count: correct, partial, incorrect, no answer."""


TRUTHS = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}


class LoggedItem(NamedTuple):
    """What a log says of an item: all of it text, None where it says nothing."""

    dataset: str
    key: str
    """What items of two logs are paired by: a hash of the content, else the id."""
    id: str
    hash: str | None
    prompt: str | None
    target: str | None
    cluster: str | None


@dataclass(eq=False)
class LogRows:
    """One row for each score: model, metric, item, sample, score; NaN where an error left none."""

    tool: str
    file: str
    version: str | None = None
    sha256: str = ""
    reducer: str | None = None
    models: dict[str, int] = field(default_factory=dict)
    metrics: dict[str, int] = field(default_factory=dict)
    items: list[LoggedItem] = field(default_factory=list)
    model_at: array[int] = field(default_factory=lambda: array("q"))
    metric_at: array[int] = field(default_factory=lambda: array("q"))
    item_at: array[int] = field(default_factory=lambda: array("q"))
    sample: array[int] = field(default_factory=lambda: array("q"))
    """The number that the log gives a sample; −1 where it gives none."""
    score: array[float] = field(default_factory=lambda: array("d"))
    greater: dict[str, bool | None] = field(default_factory=dict)
    """By metric: whether greater is better, as the log says."""
    printed: dict[tuple[str, str], PrintedMean] = field(default_factory=dict)
    """By dataset and metric: what the tool printed."""
    task_versions: Mapping[str, str] = field(default_factory=dict)
    """By dataset: the version of the task, where the tool says it apart from its name."""
    n_original: int | None = None
    n_unanswered: int = 0
    """Answers that do not exist, as the run failed on them; others may only lack a score."""
    grouped: bool = False
    """Whether the tool says that its datasets are parts of one benchmark."""
    about_run: Mapping[str, str] = field(default_factory=dict)
    """Settings of the run that may tell two runs of one model apart."""
    said: list[str] = field(default_factory=list)
    other_prompts: list[str] = field(default_factory=list)
    """Items that have several prompts in this log."""
    other_targets: list[str] = field(default_factory=list)
    _places: dict[tuple[str, str], int] = field(default_factory=dict)
    _sample_names: dict[str, int] = field(default_factory=dict)

    def add(
        self,
        model: str,
        dataset: str,
        metric: str,
        item: str,
        score: float | None,
        *,
        key: str | None = None,
        hash: str | None = None,
        prompt: str | None = None,
        target: str | None = None,
        cluster: str | None = None,
        sample: int = -1,
    ) -> None:
        """Add a score; None where an error left none."""
        place = dataset, key or item
        at = self._places.get(place)
        if at is None:
            at = self._places[place] = len(self.items)
            self.items.append(LoggedItem(dataset, place[1], item, hash, prompt, target, cluster))
        elif self.items[at].cluster != cluster:
            self._differs(self.items[at], cluster)
        else:
            self.compare_asked(self.items[at], prompt, target)
        self.model_at.append(self.models.setdefault(model, len(self.models)))
        self.metric_at.append(self.metrics.setdefault(metric, len(self.metrics)))
        self.item_at.append(at)
        self.sample.append(sample)
        if score is not None and math.isinf(score):
            raise DataError(
                f"{self.file} has an infinite score of {shown(model)} on item {shown(item)}; "
                "scores must be finite"
            )
        self.score.append(math.nan if score is None else score)

    def compare_asked(self, known: LoggedItem, prompt: str | None, target: str | None) -> None:
        """Keep which items have other prompts or targets on another row."""
        if None not in (prompt, known.prompt) and known.prompt != prompt:
            self.other_prompts.append(known.id)
        if None not in (target, known.target) and known.target != target:
            self.other_targets.append(known.id)

    def _differs(self, item: LoggedItem, cluster: str | None) -> None:
        raise DataError(
            f"{self.file} puts item {shown(item.id)} into cluster {shown(item.cluster)} and "
            f"{shown(cluster)}; an item must belong to one cluster"
        )

    def sample_number(self, given: Any) -> int:
        """Return the number of a sample: its own, or the place of its name among names."""
        if given is None or isinstance(given, int):
            return -1 if given is None else int(given)
        return self._sample_names.setdefault(str(text_of(given)), len(self._sample_names))

    def say_once(self, sentence: str) -> None:
        """Add a sentence on how the log was read, unless it was said."""
        if sentence not in self.said:
            self.said.append(sentence)

    def share(self, known: dict[LoggedItem, LoggedItem]) -> None:
        """Forget how items were found, and keep those that other logs have in one copy for all."""
        self._places = {}
        self.items = [known.setdefault(item, item) for item in self.items]

    def of_metric(self, metric: str) -> tuple[Any, Any, Any, Any]:
        """Return model, item, sample and score of the rows of a metric, and keep no row.

        So the rows of all logs are not in memory twice.
        """
        columns = [
            np.frombuffer(column, dtype=np.int64 if column.typecode == "q" else np.float64)
            for column in (self.model_at, self.item_at, self.sample, self.score)
        ]
        wanted = np.frombuffer(self.metric_at, dtype=np.int64) == self.metrics[metric]
        model, item, sample, score = (column[wanted] for column in columns)
        whole, floats = array("q"), array("d")
        self.model_at, self.metric_at, self.item_at = whole, whole, whole
        self.sample, self.score = whole, floats
        return model, item, sample, score

    def __len__(self) -> int:
        return len(self.score)


def refuse_unfinished(rows: LogRows, sign: str, options: Mapping[str, Any]) -> None:
    """Refuse a log with a sign that its run did not finish; with `partial=True` note it."""
    if not sign:
        return
    if not options.get("partial"):
        raise LogIncomplete(
            f"{rows.file} is the log of a run that did not finish ({sign}); a verdict needs all "
            "items. Finish the run, then pass its complete log"
        )
    rows.said.append(f"{rows.file} is not complete: {sign}")


def text_of(value: Any) -> str | None:
    """Return a label as text: None for none, 3 and 3.0 as "3"."""
    if value is None or isinstance(value, dict | list):
        return None
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def score_of(value: Any) -> float | None:
    """Return a score: a number, a truth, or either as text; None where a log has none.

    Anything else is not taken for a missing score, which might be counted as 0.
    """
    found = number_of(value)
    if found is not None or value is None or isinstance(value, float):
        return found
    word = value.strip().lower() if isinstance(value, str) else None
    if word in TRUTHS:
        return TRUTHS[word]
    if word == "" or word in MISSING:
        return None
    raise ValueError(f"the score {shown(value)} is not a number")


def number_of(value: Any) -> float | None:
    """Return a number, a truth, or a number as text; None for anything else."""
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, int | float):
        return None if math.isnan(value) else float(value)
    if isinstance(value, str):
        try:
            found = float(value)
        except ValueError:
            return None
        return None if math.isnan(found) else found
    return None


def field_of(record: Mapping[str, Any], path: str) -> Any:
    """Return what stands at a dotted path of nested objects; None if nothing does."""
    value: Any = record
    for part in path.split("."):
        if not isinstance(value, Mapping):
            return None
        value = value.get(part)
    return value
