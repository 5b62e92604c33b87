"""What a study keeps of each experiment, and how it is read from the evidence."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..dists import Normal, T
from ..evidence import Evidence, Pivot
from ..registry import get
from .ledger import Numbers

__all__ = ["COLUMNS", "ENDS", "Asked", "Told", "judged", "law_from", "law_of"]

COLUMNS = ("pvalue", "estimate", "stderr", "statistic")
"""Kept of every experiment; NaN where a number does not exist."""
ENDS = ("low", "high")
"""Kept as well where intervals were asked for."""


class Asked(NamedTuple):
    """A method, the design it reads (None: the published one) and its options."""

    method: str
    design: str | None = None
    options: tuple[tuple[str, Any], ...] = ()

    @property
    def label(self) -> str:
        """The name in tables: "corrected_t", "corrected_t 10x10cv", "mcnemar exact"."""
        words = [str(value) for _, value in self.options]
        return " ".join([self.method, *([self.design] if self.design else []), *words])

    @property
    def title(self) -> str:
        return get(self.method).title

    @property
    def words(self) -> tuple[Any, ...]:
        return self.method, self.design, [list(option) for option in self.options]


class Told:
    """What a study tells of itself, whether its experiments were drawn or not."""

    __slots__ = ()
    scenario: Any
    asked: tuple[Asked, ...]
    effects: tuple[float, ...]
    rates: Any

    @property
    def methods(self) -> tuple[str, ...]:
        """The names of the methods in tables, with the design where one was asked."""
        return tuple(one.label for one in self.asked)

    def to_dict(self, *, alpha: float = 0.05) -> dict[str, Any]:
        """Return the rates in the vocabulary of `--json`; n and seed are None if none was drawn."""
        from ..result import versions

        return {
            "schema": "outperform/study/1",
            "scenario": self.scenario.name,
            "methods": list(self.methods),
            "effects": list(self.effects),
            "n": getattr(self, "n_reps", None),
            "alpha": alpha,
            "rates": [row._asdict() for row in self.rates(alpha)],
            "seed": getattr(self, "seed", None),
            "versions": versions(),
        }

    def report(self, path: Any, *, force: bool = False, alpha: float = 0.05) -> None:
        """Write a self-contained page."""
        from ..report import study_page

        this: Any = self
        study_page.write(this, path, force=force, alpha=alpha)

    def __str__(self) -> str:
        return f"{self!r}\n{self.rates()!r}"


def judged(evidence: Evidence, size: int, level: float | None, *, has_interval: bool) -> Numbers:
    """Return the columns of one block, (columns, experiments); a level adds the interval."""
    none = np.full(size, np.nan)
    found = [evidence.pvalue(), evidence.estimate, evidence.stderr, evidence.statistic]
    if level is not None:
        found += evidence.interval(level) if has_interval else (none, none)
    rows = [none if part is None else np.asarray(part, dtype=np.float64) for part in found]
    return np.stack([np.broadcast_to(row, (size,)) for row in rows])


def law_of(evidence: Evidence) -> list[Any] | None:
    """Return the law of (estimate − Δ) / stderr, where one law holds for every Δ."""
    if not isinstance(evidence, Pivot) or evidence.companion is not None:
        return None
    if np.any(np.asarray(evidence.continuity) != 0):
        return None
    if isinstance(evidence.dist, Normal):
        return ["normal"]
    if isinstance(evidence.dist, T) and np.ndim(evidence.dist.df) == 0:
        return ["t", float(evidence.dist.df)]
    return None


def law_from(words: list[Any] | None) -> Normal | T | None:
    if words is None:
        return None
    return Normal() if words[0] == "normal" else T(words[1])
