"""Rates of rejection and coverage with their Monte Carlo intervals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..procedures.accuracy_interval import accuracy_interval
from ..views import Counts

__all__ = ["Rate", "Rates"]


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


@dataclass(frozen=True, slots=True)
class Rates:
    """A table of rates; `rates["corrected_t"]` is the row of one method."""

    rows: tuple[Rate, ...]
    what: str
    """What was counted: "rejected at α = 0.05"."""
    level: float

    def __iter__(self) -> Iterator[Rate]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, asked: str | tuple[str, float]) -> Rate:
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
        lines = [f"{self.what}, {self.level:g} intervals of {self.rows[0].n:,} experiments"]
        for row in self.rows:
            gone = f", {row.undefined:.1%} without a p-value" if row.undefined else ""
            ends = f"[{row.low:.4f}, {row.high:.4f}]"
            lines.append(f"  {row.method:<{width}}  effect {row.effect:<8.4g} "
                         f"{row.rate:.4f} {ends}{gone}")  # fmt: skip
        return "\n".join(lines)


def rate(method: str, effect: float, hits: int, n: int, undefined: int, level: float) -> Rate:
    """Return a share with Wilson's interval (D-36, D-48, D-52)."""
    low, high = accuracy_interval.on(Counts(float(hits), float(n))).interval(level)
    return Rate(method, effect, hits / n, float(low), float(high), hits, n, undefined / n)
