"""Rates of rejection and coverage: counted, with their Monte Carlo intervals, or exact."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from ..procedures.accuracy_interval import accuracy_interval
from ..views import Counts

__all__ = ["ExactRate", "ExactRates", "Rate", "Rates", "Table"]


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
class Table(Generic[Row]):
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


Rates: TypeAlias = Table[Rate]
ExactRates: TypeAlias = Table[ExactRate]


def rate(method: str, effect: float, hits: int, n: int, undefined: int, level: float) -> Rate:
    """Return a share with Wilson's interval (D-36, D-48, D-52)."""
    low, high = accuracy_interval.on(Counts(float(hits), float(n))).interval(level)
    return Rate(method, effect, hits / n, float(low), float(high), hits, n, undefined / n)
