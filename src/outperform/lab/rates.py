"""What a study keeps of each experiment, and the rates of rejection and coverage it counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np

from ..dists import Normal, T
from ..evidence import Evidence, Pivot
from ..procedures.accuracy_interval import accuracy_interval
from ..registry import get
from ..views import Counts
from .study_store import BlockNumbers

COLUMNS = ("pvalue", "estimate", "stderr", "statistic")
"""Kept of every experiment; NaN where a number does not exist."""
ENDS = ("low", "high")
"""Kept as well where intervals were asked for."""


class StudiedMethod(NamedTuple):
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


class BaseStudy:
    """What a study tells of itself, whether its experiments were drawn or not."""

    __slots__ = ()
    scenario: Any
    asked: tuple[StudiedMethod, ...]
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


def judged(
    evidence: Evidence, size: int, level: float | None, *, has_interval: bool
) -> BlockNumbers:
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


class Rate(NamedTuple):
    """How often something happened among n experiments, with Wilson's interval."""

    method: str
    effect: float
    rate: float
    low: float
    high: float
    hits: int
    n: int
    undefined: float
    """The share of experiments without a p-value."""

    @property
    def stderr(self) -> float:
        """The binomial standard error; that of one success among two more where it would be 0."""
        share = min(max(self.rate, 1 / (self.n + 2)), (self.n + 1) / (self.n + 2))
        return float((share * (1 - share) / self.n) ** 0.5)

    def __str__(self) -> str:
        gone = f", {self.undefined:.1%} without a p-value" if self.undefined else ""
        return f"{self.rate:.4f} [{self.low:.4f}, {self.high:.4f}]{gone}"


class ExactRate(NamedTuple):
    """The probability that a method rejects; right to 1e-10, so its interval is itself."""

    method: str
    effect: float
    rate: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.rate:.10f}"


Row = TypeVar("Row", Rate, ExactRate)


@dataclass(frozen=True)  # no slots: a frozen one cannot be generic
class RateTable(Generic[Row]):
    """A table of rates; `rates["corrected_t"]` is the row of one method."""

    rows: tuple[Row, ...]
    what: str
    """What was counted: "rejected at α = 0.05"."""
    level: float | None = None
    """That of the intervals; None where nothing was left to chance."""

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, asked: str | tuple[str, float]) -> Row:
        method, effect = asked if isinstance(asked, tuple) else (asked, None)
        for row in self.rows:
            if row.method == method and effect in (None, row.effect):
                return row
        raise KeyError(asked)

    def to_frame(self) -> Any:
        """Return a polars data frame, one row for each method and effect."""
        import polars

        return polars.DataFrame([row._asdict() for row in self.rows])

    def __repr__(self) -> str:
        width = max((len(row.method) for row in self.rows), default=6)
        lines = [f"{self.what}, {self._certainty}"]
        lines += [f"  {row.method:<{width}}  effect {row.effect:<8.4g} {row}" for row in self.rows]
        return "\n".join(lines)

    @property
    def _certainty(self) -> str:
        first = self.rows[0]
        if isinstance(first, ExactRate):
            return "exactly"
        return f"{self.level:g} intervals of {first.n:,} experiments"


Rates: TypeAlias = RateTable[Rate]
ExactRates: TypeAlias = RateTable[ExactRate]


def rate(method: str, effect: float, hits: int, n: int, undefined: int, level: float) -> Rate:
    """Return a share with Wilson's interval (D-36, D-48, D-52)."""
    low, high = accuracy_interval.on(Counts(float(hits), float(n))).interval(level)
    return Rate(method, effect, hits / n, float(low), float(high), hits, n, undefined / n)
