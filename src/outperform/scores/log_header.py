"""What a log of an evaluation says of itself: the tool that wrote it, and what it printed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class PrintedMean:
    """A mean and its standard error as the tool printed them."""

    value: float
    stderr: float | None
    metric: str


@dataclass(frozen=True, slots=True)
class LogHeader:
    """Where the scores of one model come from."""

    tool: str
    """Such as "lm-evaluation-harness"; "table" for plain rows."""
    version: str | None = None
    model: str = ""
    file: str = ""
    sha256: str = ""
    reducer: str | None = None
    """How several samples of an item were made one score already, such as "take_first"."""
    printed: Mapping[str, PrintedMean] = field(default_factory=dict)
    """By dataset: what the tool's own summary says of the metric that was read."""
    n_original: int | None = None
    """How many items the benchmark has, where only a part of them was run."""
