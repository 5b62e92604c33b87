"""Exhibits: what a paper printed, how to run it again, what was found, how claims are judged."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib import import_module, resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from outperform.errors import DataError, did_you_mean
from outperform.lab.tested import mean_of
from outperform.numerics.distributions import Binomial, T
from outperform.numerics.exact_sums import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure


PAPERS = (
    "dietterich",
    "bradford-brodley",
    "bouckaert-frank",
    "nadeau-bengio",
    "feelders-verkooijen",
)
Agreement: TypeAlias = Literal["agrees", "undecided", "differs", "not comparable"]
DEVIATE = 3.2905
"""Two-sided 0.001: a true copy of one value is called different once in a thousand times."""
NO_REASON = "no reason found"


@dataclass(frozen=True, slots=True)
class Value:
    """One printed number beside ours.

    `half_unit` is half a unit of the last digit that was printed. `error` is the standard error
    of the difference, ours and the paper's together, where either was simulated or measured.
    """

    name: str
    published: float | None
    ours: float
    half_unit: float = 0.0
    error: float = 0.0
    reason: str = ""
    """Why they differ, or why they cannot be compared."""
    lost: bool = False
    """True where the data or the printed value are lost."""
    most: float = 1.0
    """The most it can be: 1 for a share, n for a count of n."""

    @property
    def agreement(self) -> Agreement:
        if self.lost or self.published is None:
            return "not comparable"
        room = self.half_unit * (1 + 1e-9) + DEVIATE * self.error
        return "agrees" if abs(self.ours - self.published) <= room else "differs"

    @property
    def trivial(self) -> bool:
        """True of a share that is 0 or 1 (or a count that is 0 or `most`) in print and with us."""
        at_end = self.published in (0.0, self.most) and self.error > 0
        return at_end and self.ours == self.published and self.agreement == "agrees"

    @property
    def why(self) -> str:
        """The reason of a difference, or of what cannot be compared; empty where they agree."""
        return _why(self.agreement, self.reason)


@dataclass(frozen=True, slots=True)
class Statement:
    """A claim of the paper, the test that judged it, and what the test said."""

    text: str
    holds: bool
    judged_by: str
    reason: str = ""
    """Why it does not hold, where it does not."""
    lost: bool = False
    shown: bool = True
    """False where the claim is not contradicted, but its contrary is not rejected either."""

    @property
    def agreement(self) -> Agreement:
        if self.lost:
            return "not comparable"
        if not self.holds:
            return "differs"
        return "agrees" if self.shown else "undecided"

    @property
    def why(self) -> str:
        """The reason of a difference, or of what cannot be compared; else empty."""
        return _why(self.agreement, self.reason)


@dataclass(frozen=True, slots=True)
class Finding:
    """What running an exhibit gave: values, statements, and a table in the paper's own layout."""

    values: tuple[Value, ...] = ()
    statements: tuple[Statement, ...] = ()
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    """A table for readers: cells as text."""
    remarks: tuple[str, ...] = ()
    fit: Mapping[str, float] = field(default_factory=dict)
    """How a table of counts fits as a whole: see `global_fit`."""
    curves: Mapping[str, Any] = field(default_factory=dict)
    """Numbers that the figure is drawn from, as lists: they survive a restart as JSON."""
    seconds: float = 0.0
    version: str = ""
    date: str = ""
    """By which version of the package and when it was run."""

    @property
    def agreement(self) -> Agreement:
        """The verdict on the whole: one difference makes it differ."""
        found: set[Agreement] = {value.agreement for value in self.values}
        found |= {statement.agreement for statement in self.statements}
        order: tuple[Agreement, ...] = ("differs", "agrees", "undecided")
        return next((one for one in order if one in found), "not comparable")


@dataclass(frozen=True, slots=True)
class Scale:
    """How much to run and on what, with how many workers, and where unfinished work is kept."""

    quick: bool = False
    n_jobs: int = 1
    folder: Path = Path("reproduced")
    """Stores of runs and studies live here, so that a killed run goes on."""
    say: Callable[[str], None] = field(default=lambda _: None, compare=False)
    """Who listens makes no other scale: what exhibits share is found again."""
    share: float = 1.0
    """Share of the published number of repetitions."""
    partitions: int | None = None
    """Partitions of each dataset, in place of the published number."""
    datasets: tuple[str, ...] = ()
    """Only these of the exhibit's datasets."""
    stratified: bool = False
    """Whether partitions keep the shares of the classes where the paper's do not."""
    seed: int | None = None
    """In place of the exhibit's own."""

    def of(self, published: int, quick: int) -> int:
        """Return the number of repetitions to run."""
        if self.quick:
            return quick
        return published if self.share == 1 else max(quick, round(self.share * published))

    def seeded(self, fixed: int) -> int:
        """Return the seed asked for, or the one fixed in advance."""
        return fixed if self.seed is None else self.seed

    def among(self, paper: str, known: Sequence[str], quick: Sequence[str]) -> tuple[str, ...]:
        """Return the datasets to run, in the paper's order."""
        asked = self.datasets or (quick if self.quick else known)
        for name in asked:
            if name not in known:
                raise DataError(f"Unknown dataset {name!r} of {paper}; {did_you_mean(name, known)}")
        return tuple(name for name in known if name in asked)

    @property
    def changes(self) -> dict[str, Any]:
        """What is other than published, by the names of the options."""
        asked = {
            "share": None if self.share == 1 else self.share,
            "partitions": self.partitions,
            "datasets": ", ".join(self.datasets) or None,
            "stratified": self.stratified or None,
            "seed": self.seed,
        }
        return {name: value for name, value in asked.items() if value is not None}

    @property
    def size(self) -> str:
        """A few words for the names of files."""
        told, asked = "quick" if self.quick else "full", self.changes
        return f"{told}-{sha256(repr(asked).encode()).hexdigest()[:8]}" if asked else told

    def store(self, name: str) -> Path:
        """Return the path of a store that belongs to this scale."""
        self.folder.mkdir(parents=True, exist_ok=True)
        return self.folder / f"{name}-{self.size}.db"


class HowMany(NamedTuple):
    """A number of repetitions: published, and in a quick version."""

    published: int
    quick: int


@dataclass(frozen=True, slots=True)
class Exhibit:
    """One table, figure or result in the text of a paper."""

    paper: str
    name: str
    title: str
    did: str
    """What the paper did, in a sentence or two."""
    requirements: tuple[str, ...]
    run: Callable[[Scale], Finding]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    draw: Callable[[Finding, str], Figure] | None = None
    """Draws the figure from a finding, for a light or dark theme."""
    needs: tuple[str, ...] = ()
    """Datasets that must be at hand."""
    seed: int = 0
    """Fixed in advance."""
    takes: tuple[str, ...] = ()
    """What may be other than published: see `Scale.changes`."""
    datasets: Callable[[Scale], tuple[str, ...]] | None = None
    """Names those of a scale, or refuses."""

    @property
    def key(self) -> str:
        return f"{self.paper}/{self.name}"

    def ran(self, scale: Scale) -> dict[str, Any]:
        """Return what is run at a scale: never what another scale would be."""
        told = {
            name: scale.of(*value) if isinstance(value, HowMany) else value
            for name, value in self.parameters.items()
        }
        told |= {name: value for name, value in scale.changes.items() if name != "share"}
        return told | ({"seed": scale.seeded(self.seed)} if self.parameters else {})


def exhibit(
    paper: str,
    name: str,
    run: Callable[[Scale], Finding],
    parameters: Mapping[str, Any] | None = None,
    draw: Callable[[Finding, str], Figure] | None = None,
    needs: tuple[str, ...] = (),
    seed: int = 0,
    takes: tuple[str, ...] = (),
    datasets: Callable[[Scale], tuple[str, ...]] | None = None,
) -> Exhibit:
    """Return an exhibit; its words stand with what the paper printed."""
    told = published(paper)["exhibits"][name]
    words = told["title"], told["did"], tuple(told["requirements"])
    return Exhibit(paper, name, *words, run, parameters or {}, draw, needs, seed, takes, datasets)


def remarks(paper: str, name: str) -> tuple[str, ...]:
    """Return what is to be said of an exhibit whatever is found."""
    return tuple(published(paper)["exhibits"][name]["remarks"])


def _why(agreement: Agreement, reason: str) -> str:
    return "" if agreement in ("agrees", "undecided") else reason or NO_REASON


@cache
def exhibits(paper: str | None = None) -> tuple[Exhibit, ...]:
    """Return the exhibits of one paper, or of all, in the papers' order."""
    if paper is not None and paper not in PAPERS:
        raise DataError(f"Unknown paper {paper!r}; {did_you_mean(paper, PAPERS)}")
    chosen = PAPERS if paper is None else (paper,)
    return tuple(
        one
        for name in chosen
        for one in import_module(f"{__package__}.{name.replace('-', '_')}").EXHIBITS
    )


def find(paper: str, name: str) -> Exhibit:
    """Return one exhibit by its paper and name."""
    found = {one.name: one for one in exhibits(paper)}
    if name not in found:
        raise DataError(f"{paper} has no exhibit {name!r}; {did_you_mean(name, list(found))}")
    return found[name]


class Printed(NamedTuple):
    """A number as printed and half a unit of its last digit."""

    value: float
    half_unit: float


def printed(text: str) -> Printed:
    """Read a number written as in the paper: "0.0205" stands for 0.02045 to 0.02055."""
    digits, _, power = text.lower().partition("e")
    decimals = len(digits.partition(".")[2])
    return Printed(float(text), 0.5 * 10.0 ** (int(power or 0) - decimals))


@cache
def published(paper: str) -> dict[str, Any]:
    """Return what a paper printed, from the table shipped with the package."""
    path = resources.files(__package__) / "published" / f"{paper.replace('-', '_')}.json"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


Side: TypeAlias = Literal["above", "below"]
LEVEL = 0.001
"""Two-sided: each side has half of it."""
GROUPS = 50
"""Datasets are left out in at most so many groups."""
DRAWS = 400
FEW = 10


class Measurement(NamedTuple):
    """A number, its standard error, and the degrees of freedom of that error."""

    value: float
    error: float
    df: float = math.inf

    def __str__(self) -> str:
        return f"{self.value:.3g} ± {self.error:.2g}"


class Tails(NamedTuple):
    """The one-sided p-values of a claim's contrary and of the claim."""

    contrary: float
    claim: float


def tails(found: Measurement, side: Side, bound: float) -> Tails:
    """Test that a number is above or below a bound, and the contrary, by Student's t."""
    turn = 1.0 if side == "above" else -1.0
    if found.error == 0 and found.df < FEW:
        return Tails(0.5, 0.5)  # that a few values are equal settles nothing
    # Many without any spread are settled by their value.
    t, law = turn * (found.value - bound) / max(found.error, 1e-12), T(found.df)
    return Tails(float(law.sf(t)), float(law.sf(-t)))


def binomial(hits: int, n: int, side: Side, bound: float) -> Tails:
    """Test that a chance is above or below a bound by the exact law of the hits."""
    law = Binomial(n, bound)
    many, few = float(law.at_least(hits)), float(law.at_most(hits))
    return Tails(many, few) if side == "above" else Tails(few, many)


def all_of(parts: Sequence[Tails]) -> Tails:
    """Test that several claims hold simultaneously.

    The contrary is that any of them fails, rejected where each of those is; the claim is rejected
    where one part is, after Bonferroni.
    """
    least = min(part.claim for part in parts)
    return Tails(max(part.contrary for part in parts), min(1.0, len(parts) * least))


def within(found: Measurement, low: float, high: float) -> Tails:
    """Test that a number lies between two bounds."""
    return all_of([tails(found, "above", low), tails(found, "below", high)])


def settled(text: str, found: Tails, told: str, reason: str = "") -> Statement:
    """Judge a claim by its p-values; the `reason` is told where it is contradicted."""
    shown, contradicted = (p < LEVEL / 2 for p in found)
    verdict = "shown" if shown else "contradicted" if contradicted else "not contradicted"
    return Statement(
        text,
        not contradicted,
        f"{told}: {verdict} at {LEVEL}",
        reason if contradicted else "",
        shown=shown,
    )


def claim(
    text: str, found: Measurement, side: Side, bound: float, *, what: str, reason: str = ""
) -> Statement:
    """Judge that a number is above or below a bound; `what` names the number."""
    told = f"{what} {found}, {side} {bound:.4g}"
    return settled(text, tails(found, side, bound), told, reason)


def follows(
    text: str, found: Measurement, formula: float, *, what: str, reason: str = ""
) -> Statement:
    """Judge that a measured number is what a formula of the paper gives; two-sided."""
    t = (found.value - formula) / max(found.error, 1e-12)
    holds = 2 * float(T(found.df).sf(abs(t))) >= LEVEL
    told = f"{what} {found}, formula {formula:.4g}: t = {t:.2f} at {LEVEL}"
    return Statement(text, holds, told, "" if holds else reason)


def mean(values: Array) -> Measurement:
    """Return a mean over datasets: with `claim` this is the paired t-test of differences."""
    found = mean_of(values)
    return Measurement(found.mean, found.stderr, values.size - 1)


def share(hits: Array) -> Measurement:
    """Return a share of datasets; its error is never 0."""
    rate = float(np.mean(hits))
    return Measurement(rate, share_error(rate, hits.size))


def share_error(rate: float, n: int) -> float:
    """Return the standard error of a share of n, at least that of one in n + 2 (never zero)."""
    inner = min(max(rate, 1 / (n + 2)), (n + 1) / (n + 2))
    return math.sqrt(inner * (1 - inner) / n)


def jackknife(statistic: Callable[..., float], *arrays: Array) -> Measurement:
    """Return a statistic of arrays whose first axis is datasets, left out group by group."""
    n = len(arrays[0])
    groups = np.arange(n) % min(n, GROUPS)
    left: Any = [
        statistic(*(array[groups != group] for array in arrays))
        for group in range(groups.max() + 1)
    ]
    spread = np.asarray(left) - np.mean(left)
    count = len(left)
    error = float(np.sqrt((count - 1) / count * np.sum(spread**2)))
    return Measurement(float(statistic(*arrays)), error, count - 1)


def bootstrap(statistic: Callable[..., float], *arrays: Array, seed: int) -> Measurement:
    """Return a statistic with quantiles or extremes in it, for which leaving out does not do."""
    rng, n = np.random.default_rng(seed), len(arrays[0])
    drawn = rng.integers(0, n, (DRAWS, n))
    again = [statistic(*(array[rows] for array in arrays)) for rows in drawn]
    return Measurement(float(statistic(*arrays)), float(np.std(again, ddof=1)), n - 1)


def global_fit(ours: Array, printed: Array, seed: int = 0) -> dict[str, float]:
    """Return Σz² of a table of counts, and its law if print were another draw of the same table.

    Rows of `ours` and `printed` are the counts of outcomes that exclude each other. Copies of both
    tables are drawn from the shares of both together; z is the difference of two counts over its
    standard error, cells that are 0 in both being left out.
    """
    ours, printed = np.asarray(ours, dtype=np.float64), np.asarray(printed, dtype=np.float64)
    n = ours.sum(axis=1, keepdims=True), printed.sum(axis=1, keepdims=True)
    shares = (ours + printed) / (n[0] + n[1])
    rng, drawn = np.random.default_rng(seed), np.empty(DRAWS * 10)
    for at in range(drawn.size):
        one, other = (rng.multinomial(size[:, 0].astype(np.int64), shares) for size in n)
        drawn[at] = _squares(one.astype(np.float64), other.astype(np.float64))
    found = _squares(ours, printed)
    return {
        "cells": float(np.count_nonzero(ours + printed)),
        "sum": found,
        "expected": float(drawn.mean()),
        "pvalue": (1 + float(np.count_nonzero(drawn >= found))) / (1 + drawn.size),
    }


def _squares(one: Any, other: Any) -> float:
    n, m = one.sum(axis=1, keepdims=True), other.sum(axis=1, keepdims=True)
    pooled = (one + other) / (n + m)
    spread = pooled * (1 - pooled) * (1 / n + 1 / m)
    gap = (one / n - other / m) ** 2
    return float(np.divide(gap, spread, out=np.zeros_like(gap), where=spread > 0).sum())
