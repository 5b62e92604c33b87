"""What a study keeps of each experiment, and the rates of rejection and coverage it counts.

Implements D-31, N-27, N-30 and E-D4.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import validation
from ..errors import MethodError, argument, counted, did_you_mean
from ..numerics.distributions import Normal, T
from ..procedures.accuracy_interval import accuracy_interval
from ..registry import get
from ..results.evidence import Evidence, Pivot
from ..scores.frame_kinds import frame_like
from ..storage.study_store import BlockNumbers, StudyStore
from ..views import Counts
from .scenarios import Scenario

COLUMNS = ("pvalue", "estimate", "stderr", "statistic")
"""Kept of every experiment; NaN where a number does not exist."""
ENDS = ("low", "high")
"""Kept as well if intervals were requested."""


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


@dataclass(frozen=True, slots=True)
class RateTable:
    """A table of rates; `rates["corrected_t"]` is the row of one method."""

    rows: tuple[Rate, ...]
    what: str
    """What was counted: "rejected at α = 0.05"."""
    level: float
    """That of the intervals."""

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

    def to_frame(self, kind: str | None = None) -> Any:
        """Return a data frame, one row for each method and effect: polars, or `kind`."""
        rows = [row._asdict() for row in self.rows]
        return frame_like({name: [row[name] for row in rows] for name in rows[0]}, kind)

    def __repr__(self) -> str:
        width = max((len(row.method) for row in self.rows), default=6)
        n = counted(self.rows[0].n, "experiment")
        lines = [f"{self.what}, {100 * self.level:g} % intervals of {n}"]
        lines += [f"  {row.method:<{width}}  effect {row.effect:<8.4g} {row}" for row in self.rows]
        return "\n".join(lines)


def rate(method: str, effect: float, hits: int, n: int, undefined: int, level: float) -> Rate:
    """Return a share with Wilson's interval (D-36, D-48, D-52)."""
    low, high = accuracy_interval.on(Counts(float(hits), float(n))).interval(level)
    return Rate(method, effect, hits / n, float(low), float(high), hits, n, undefined / n)


Undefined = Literal["accept", "reject"]


@dataclass(frozen=True, eq=False, slots=True)
class Study:
    """What methods gave for many experiments, as `study` returns it.

    Attributes
    ----------
    scenario : Scenario
        What drew the experiments.
    asked : tuple of StudiedMethod
        The methods, with designs and options.
    effects : tuple of float
        Distances from the null hypothesis.
    n_reps : int
        Number of experiments for each effect.
    seed : int
        Seed of the study.
    level : float or None
        Confidence level of the intervals that were kept; None if none were.
    store : StudyStore
        Where the results are kept.

    Examples
    --------
    >>> import outperform as op
    >>> scenario = op.lab.CorrelatedNormal(rho=0.1)
    >>> found = op.study(["corrected_t"], scenario, effects=(0.0, 1.0), n_reps=200, random_state=0)
    >>> found.methods, found.columns[0]
    (('corrected_t',), 'pvalue')
    >>> len(found.rates()), len(found.power()), len(found.coverage())
    (2, 2, 2)
    >>> theory, observed = found.qq("corrected_t", effect=0.0)
    >>> observed.shape, found.law("corrected_t").df, found.column("corrected_t", effect=1.0).shape
    ((200,), 99.0, (200,))
    >>> found.to_frame("pandas").shape, found.to_dict()["n"]
    ((400, 7), 200)
    >>> figure = found.plot()
    """

    scenario: Scenario
    asked: tuple[StudiedMethod, ...]
    effects: tuple[float, ...]
    n_reps: int
    seed: int
    level: float | None
    store: StudyStore

    @property
    def methods(self) -> tuple[str, ...]:
        """The names of the methods in tables, with the design if one was given."""
        return tuple(one.label for one in self.asked)

    def to_dict(self, *, alpha: float = 0.05, undefined: Undefined = "accept") -> dict[str, Any]:
        """Return the rates as data for JSON.

        Parameters
        ----------
        alpha : float, default=0.05
            Significance level.
        undefined : {"accept", "reject"}, default='accept'
            How an experiment without a p-value (constant non-zero differences) counts.

        Returns
        -------
        dict
            The settings and one row for each rate.
        """
        from ..results.result import versions

        return {
            "schema": "outperform/study/1",
            "scenario": self.scenario.name,
            "methods": list(self.methods),
            "effects": list(self.effects),
            "n": self.n_reps,
            "alpha": alpha,
            "undefined": undefined,
            "rates": [row._asdict() for row in self.rates(alpha, undefined=undefined)],
            "seed": self.seed,
            "versions": versions(),
        }

    def report(self, path: Any, *, force: bool = False, alpha: float = 0.05) -> None:
        """Write a self-contained HTML page.

        Parameters
        ----------
        path : path
            File to write.
        force : bool, default=False
            Whether to replace an existing file.
        alpha : float, default=0.05
            Significance level.

        Examples
        --------
        >>> import outperform as op
        >>> from tempfile import TemporaryDirectory
        >>> found = op.study(["mcnemar"], op.lab.DesignedPopulation(), n_reps=50)
        >>> with TemporaryDirectory() as folder:
        ...     found.report(folder + "/study.html")
        """
        from ..report.html import study_page

        study_page.write(self, path, force=force, alpha=alpha)

    def __str__(self) -> str:
        return f"{self!r}\n{self.rates()!r}"

    @property
    def columns(self) -> tuple[str, ...]:
        """What is kept of every experiment."""
        return COLUMNS if self.level is None else COLUMNS + ENDS

    def rates(
        self,
        alpha: float = 0.05,
        *,
        undefined: Undefined = "accept",
        mu0: float | None = None,
        level: float = 0.95,
    ) -> RateTable:
        """Return the share of rejections at α, with Wilson intervals.

        Parameters
        ----------
        alpha : float, default=0.05
            Significance level.
        undefined : {"accept", "reject"}, default='accept'
            How an experiment without a p-value (constant non-zero differences) counts: t is
            infinite there. The papers do not say how they counted it.
        mu0 : float, optional
            Another hypothesis, Δ = mu0, for methods that can test it from estimate and standard
            error.
        level : float, default=0.95
            Confidence level of the Wilson intervals.

        Returns
        -------
        RateTable
            One row for each method and effect.
        """
        alpha = validation.fraction(alpha, "alpha")
        validation.choice(undefined, "undefined", ("accept", "reject"))
        rows = []
        for at, effect in enumerate(self.effects):
            rejected = np.zeros(len(self.asked), dtype=np.int64)
            absent = np.zeros(len(self.asked), dtype=np.int64)
            for block in self._blocks(at):
                p = block[:, 0] if mu0 is None else self._against(block, mu0)
                gone = np.isnan(p)
                rejected += np.count_nonzero(p < alpha, axis=1)
                absent += np.count_nonzero(gone, axis=1)
            if undefined == "reject":
                rejected += absent
            rows += [
                rate(label, effect, int(k), self.n_reps, int(gone), level)
                for label, k, gone in zip(self.methods, rejected, absent, strict=True)
            ]
        against = "" if mu0 is None else f" against {mu0:g}"
        return RateTable(tuple(rows), f"rejected at α = {alpha:g}{against}", level)

    def power(
        self,
        alpha: float = 0.05,
        *,
        mu0: Sequence[float] | None = None,
        undefined: Undefined = "accept",
    ) -> RateTable:
        """Return rejection rates over the effects, or over hypotheses Δ = μ₀.

        Parameters
        ----------
        alpha : float, default=0.05
            Significance level.
        mu0 : sequence of float, optional
            Hypotheses to test; the `effect` of each row is then μ₀.
        undefined : {"accept", "reject"}, default='accept'
            How an experiment without a p-value (constant non-zero differences) counts: t is
            infinite there. The papers do not say how they counted it.

        Returns
        -------
        RateTable
            One row for each method and effect.

        Notes
        -----
        Nadeau and Bengio (2003) draw power curves over hypotheses.
        """
        if mu0 is None:
            return self.rates(alpha, undefined=undefined)
        rows: list[Rate] = []
        for value in mu0:
            found = self.rates(alpha, undefined=undefined, mu0=float(value))
            rows += [row._replace(effect=float(value)) for row in found]
        return RateTable(tuple(rows), f"rejected at α = {alpha:g}, by μ₀", 0.95)

    def coverage(self, truth: float | None = None, *, level: float | None = None) -> RateTable:
        """Return how often intervals contain the true difference.

        Parameters
        ----------
        truth : float, optional
            The true difference; by default the effect.
        level : float, optional
            Confidence level: any for t-type methods, otherwise the one kept by the study.

        Returns
        -------
        RateTable
            One row for each method and effect.
        """
        asked = level or self.level or 0.95
        rows = []
        for at, effect in enumerate(self.effects):
            target = effect if truth is None else truth
            held = np.zeros(len(self.asked), dtype=np.int64)
            gone = np.zeros(len(self.asked), dtype=np.int64)
            for block in self._blocks(at):
                low, high = self._ends(block, asked)
                held += np.count_nonzero((low <= target) & (target <= high), axis=1)
                gone += np.count_nonzero(np.isnan(low), axis=1)
            rows += [
                rate(label, effect, int(k), self.n_reps, int(g), 0.95)
                for label, k, g in zip(self.methods, held, gone, strict=True)
                if g < self.n_reps
            ]
        if not rows:
            advice = f"run the study with {argument(level=asked)}"
            if asked == self.level:
                advice = "use a method that has one, such as corrected_t"
            raise MethodError(f"No interval at level {asked:g} was stored; {advice}")
        return RateTable(tuple(rows), f"{asked:g} intervals that contain the true value", 0.95)

    def _ends(self, block: BlockNumbers, level: float) -> tuple[BlockNumbers, BlockNumbers]:
        """Return intervals: those kept, or estimate ± a multiple of the standard error."""
        if level == self.level:
            return block[:, -2], block[:, -1]
        low, high = (np.full(block[:, 0].shape, np.nan) for _ in range(2))
        for at, law in enumerate(self._laws()):
            if law is not None:
                half = float(law.isf((1 - level) / 2)) * block[at, 2]
                half[half == 0] = np.nan
                low[at], high[at] = block[at, 1] - half, block[at, 1] + half
        return low, high

    def qq(self, method: str, effect: float | None = None) -> tuple[Any, Any]:
        """Return theoretical and observed quantiles of the statistic, sorted.

        Parameters
        ----------
        method : str
            Name of a method of the study.
        effect : float, optional
            Which of the effects; by default the first.

        Returns
        -------
        tuple of two ndarray
            Quantiles at (rank − ½) / n, and the observed values.

        Notes
        -----
        Dietterich (1998) uses rank / n, which makes the last quantile infinite.
        """
        law = self.law(method)
        observed = np.sort(self.column(method, "statistic", effect))
        observed = observed[np.isfinite(observed)]
        share = (np.arange(observed.size) + 0.5) / observed.size
        return np.asarray(law.isf(1 - share)), observed

    def law(self, method: str) -> Normal | T:
        """Return the distribution that the statistic of a t-type method is compared with.

        Parameters
        ----------
        method : str
            Name of a method of the study.

        Returns
        -------
        Normal or T
            The distribution.
        """
        found = self._laws()[self._index(method)]
        if found is None:
            raise MethodError(
                f"The statistic of {method} has no fixed reference distribution; use a t-type "
                "method."
            )
        return found

    def column(
        self, method: str, name: str = "pvalue", effect: float | None = None
    ) -> npt.NDArray[np.float64]:
        """Return one number of every experiment.

        Parameters
        ----------
        method : str
            Name of a method of the study.
        name : str, default='pvalue'
            One of `columns`.
        effect : float, optional
            Which of the effects; by default the first.

        Returns
        -------
        ndarray
            NaN if it does not exist.
        """
        validation.choice(name, "name", self.columns)
        row, at = self._index(method), self._effect(effect)
        parts = [block[row, self.columns.index(name)] for block in self._blocks(at)]
        return np.concatenate(parts)

    def to_frame(self, kind: str | None = None) -> Any:
        """Return a data frame, one row for each experiment and method.

        Parameters
        ----------
        kind : str, optional
            Kind of data frame, by default polars.

        Returns
        -------
        data frame
            Method, effect, experiment and `columns`.
        """
        import polars

        frames = []
        for at, effect in enumerate(self.effects):
            for row, label in enumerate(self.methods):
                columns = [
                    np.concatenate(part)
                    for part in zip(*(block[row] for block in self._blocks(at)), strict=True)
                ]
                data = dict(zip(self.columns, columns, strict=True))
                frame = polars.DataFrame({"rep": np.arange(self.n_reps), **data})
                about = [polars.lit(effect).alias("effect"), polars.lit(label).alias("method")]
                frames.append(frame.with_columns(about).fill_nan(None))
        made = polars.concat(frames).select("method", "effect", "rep", *self.columns)
        return frame_like(made.to_dict(), kind)

    def plot(self, kind: str | None = None, **options: Any) -> Any:
        """Plot the rates by effect, or for one effect by method.

        Parameters
        ----------
        kind : str, optional
            "rates" (the default for one effect), "power" (the default for several), "pvalues", or
            "qq" for the statistic of one method.
        **options : object
            Options of the figure.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        from ..report.figures import curves

        return curves.draw_study(self, kind, **options)

    def __repr__(self) -> str:
        return (
            f"<Study {self.scenario.name}: {counted(len(self.asked), 'method')} × "
            f"{counted(len(self.effects), 'effect')} × {counted(self.n_reps, 'experiment')}, seed "
            f"{self.seed}>"
        )

    def _blocks(self, effect: int) -> Iterator[BlockNumbers]:
        return self.store.blocks(effect, (len(self.asked), len(self.columns)))

    def _laws(self) -> list[Normal | T | None]:
        return [law_from(words) for words in self.store.recall("laws")]

    def _against(self, block: BlockNumbers, mu0: float) -> BlockNumbers:
        """Return p-values of Δ = mu0 from estimate and standard error."""
        out = np.full(block[:, 0].shape, np.nan)
        for at, law in enumerate(self._laws()):
            if law is None:
                raise MethodError(
                    f"{self.methods[at]} tests Δ = 0 only; leave it out of a study of other "
                    "hypotheses"
                )
            estimate, stderr = block[at, 1], block[at, 2]
            there = stderr > 0
            z = np.abs(estimate[there] - mu0) / stderr[there]
            out[at, there] = np.minimum(2 * np.asarray(law.sf(z)), 1.0)
            same = ~there & (np.abs(estimate - mu0) <= 1e-12 * max(1.0, abs(mu0)))
            out[at, same] = 1.0
        return out

    def _index(self, method: str) -> int:
        if method not in self.methods:
            hint = did_you_mean(method, self.methods)
            raise MethodError(f"{method!r} is not a method of this study; {hint}")
        return self.methods.index(method)

    def _effect(self, effect: float | None) -> int:
        if effect is None:
            return 0
        near = [i for i, e in enumerate(self.effects) if math.isclose(e, effect, abs_tol=1e-12)]
        if not near:
            raise MethodError(f"{effect!r} is not an effect of this study: {self.effects}")
        return near[0]
