"""Result: one comparison judged by one method; α, level and rope are asked when it is read."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .. import validation
from ..errors import MethodError
from ..notes import Note
from ..scores.frame_kinds import frame_like
from ..scores.performance import Performance
from . import evidence as ev
from .evidence import Alternative, Evidence, Probabilities
from .stress import ALPHA, grade_at, notes_at
from .verdict import (
    Verdict,
    against_rope,
    decide,
    decide_posterior,
    is_below,
    posterior_dict,
    posterior_regions,
)

if TYPE_CHECKING:
    from ..designs import Design
    from ..registry import Grade, Method


SCHEMA = "outperform/result/1"


@dataclass(frozen=True, slots=True)
class Interval:
    """The differences that the data still allow at a confidence level.

    Attributes
    ----------
    low : float
        Lower end.
    high : float
        Upper end.
    level : float
        Confidence level.

    Examples
    --------
    >>> import outperform as op
    >>> interval = op.paired_t([3, 5, 4, 6], [1, 2, 2, 3], unit="items").interval()
    >>> low, high = interval
    >>> 0 in interval, round(low, 2), round(high, 2)
    (False, 1.58, 3.42)
    """

    low: float
    high: float
    level: float

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __iter__(self) -> Any:
        return iter((self.low, self.high))


@dataclass(frozen=True, eq=False, slots=True)
class Result:
    """The result of one method on one pair; positive means that the first is better.

    Attributes
    ----------
    method : Method
        The method that judged the pair.
    names : tuple[str, str or None]
        The first and the second learner; the second is None if one learner is judged.
    metric : str
        Name of the metric.
    design : Design or None
        The design that made the scores, if known.
    n : int
        Number of splits, items or datasets.
    evidence : Evidence
        What p-values and intervals are derived from.
    alternative : {"two-sided", "less", "greater"}
        The alternative hypothesis.
    seed : int or None
        Seed of the run, if known.
    notes : tuple of Note
        Notes on assumptions and on what was done.
    options : mapping
        Options of the method, such as its variant.
    greater_is_better : bool
        False if the metric is an error or a loss: differences are flipped so that positive is
        better.
    performances : tuple of Performance
        Mean score of each side, best first, if `Scores` were given.
    frame_kind : str or None
        Kind of data frame the scores came in.

    Examples
    --------
    >>> import outperform as op
    >>> found = op.paired_t([3, 5, 4, 6], [1, 2, 2, 3], names=("new", "old"), unit="items")
    >>> found.estimate, round(found.pvalue, 4), found.verdict().outcome
    (2.5, 0.0032, 'outperforms')
    >>> found.interval(0.9).low > 0, round(found.equivalence(rope=3), 3)
    (True, 0.091)
    >>> round(found.noninferiority(rope=1), 4), round(found.detectable(), 2)
    (0.0006, 1.2)
    >>> found.bibtex().count("@"), len(found.methods_text()) > 0, len(found.estimand()) > 0
    (1, True, True)
    >>> found.to_dict()["df"], len(found.to_json()) > 0, found.to_frame("pandas").shape[0]
    (3.0, True, 1)
    >>> found.to_markdown().splitlines()[0], "toprule" in found.to_latex()
    ('score:', True)
    >>> figure = found.plot()
    """

    method: Method
    names: tuple[str, str | None]
    metric: str
    design: Design | None
    n: int
    evidence: Evidence
    alternative: Alternative = "two-sided"
    seed: int | None = None
    notes: tuple[Note, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    greater_is_better: bool = True
    performances: tuple[Performance, ...] = ()
    frame_kind: str | None = None

    @property
    def estimate(self) -> float:
        """The estimated difference, first minus second."""
        return float(self.evidence.estimate)

    @property
    def stderr(self) -> float | None:
        """The standard error of the estimate; None if the method has none."""
        return None if self.evidence.stderr is None else float(self.evidence.stderr)

    @property
    def statistic(self) -> float | None:
        """The test statistic; None if nothing varies."""
        value = self.evidence.statistic
        return None if value is None or not math.isfinite(value) else float(value)

    @property
    def df(self) -> float | tuple[float, float] | None:
        """Degrees of freedom: one number, two for an F, None for normal and exact tests."""
        if getattr(self.evidence, "chi2", False):
            return 1.0
        dist: Any = getattr(self.evidence, "dist", None)
        if hasattr(dist, "df1"):
            return float(dist.df1), float(dist.df2)
        return float(dist.df) if hasattr(dist, "df") else None

    @property
    def pvalue(self) -> float | None:
        """The p-value for the alternative; None if none exists."""
        return _number(self.evidence.pvalue(self.alternative))

    @property
    def log_pvalue(self) -> float | None:
        """The natural logarithm of the p-value, also if the p-value itself underflows."""
        return _number(self.evidence.log_pvalue(self.alternative))

    @property
    def null(self) -> float:
        """The difference under the null hypothesis."""
        return self.evidence.null

    @property
    def details(self) -> dict[str, Any]:
        """Quantities of this method beside the common ones, such as its table of counts."""
        return dict(self.evidence.details)

    def interval(self, level: float = 0.95) -> Interval | None:
        """Return the confidence interval, one-sided if the alternative is.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level.

        Returns
        -------
        Interval or None
            None if the method has no interval or nothing varies.
        """
        level = validation.fraction(level, "level")
        if not self.method.has_interval:
            return None
        low, high = (float(end) for end in self.evidence.interval(level, self.alternative))
        return None if math.isnan(low) or math.isnan(high) else Interval(low, high, level)

    def equivalence(self, rope: float) -> float | None:
        """Return the p-value of two one-sided tests that the difference is within the rope.

        Parameters
        ----------
        rope : float
            Region of practical equivalence: differences between -rope and rope do not matter.

        Returns
        -------
        float or None
            None if nothing varies.

        Notes
        -----
        The two one-sided tests are those of Schuirmann (1987).
        """
        return _number(math.exp(self._within(ev.equivalence_log_pvalue, rope)))

    def noninferiority(self, rope: float) -> float | None:
        """Return the p-value that the first is worse by less than the rope.

        Parameters
        ----------
        rope : float
            Largest difference that does not matter.

        Returns
        -------
        float or None
            One-sided p-value; None if nothing varies.
        """
        return _number(math.exp(self._within(ev.noninferiority_log_pvalue, rope)))

    def probabilities(self, rope: float) -> Probabilities | None:
        """Return the probabilities that the first is better, equivalent or worse.

        Parameters
        ----------
        rope : float
            Region of practical equivalence: differences between -rope and rope do not matter.

        Returns
        -------
        Probabilities or None
            Three numbers that sum to 1; None if nothing varies.

        Examples
        --------
        >>> import outperform as op
        >>> found = op.paired_t([3, 5, 4, 6], [1, 2, 2, 3], unit="items").probabilities(rope=1)
        >>> round(found.better, 3)
        0.993
        """
        rope = validation.rope_width(rope)
        if self.method.has_pvalue:
            self.method.check_interval("a region of equivalence")
        if bool(self.evidence.undefined) or self._flat:
            return None
        return ev.probabilities(self.evidence, rope, self._centre)

    def verdict(self, alpha: float = 0.05, rope: float | None = None) -> Verdict:
        """Decide: equivalent if the rope test says so, otherwise the side that p < α favours.

        Parameters
        ----------
        alpha : float, default=0.05
            Significance level.
        rope : float, optional
            Region of practical equivalence. By default equivalence is not tested.

        Returns
        -------
        Verdict
            "outperforms", "outperformed", "equivalent" or "no decision".
        """
        alpha = validation.fraction(alpha, "alpha")
        if isinstance(self.evidence, ev.Draws):
            return self._by_posterior(self.evidence, alpha, rope)
        equal, not_worse = None, None
        if rope is not None:
            equal = self._within(ev.equivalence_log_pvalue, rope)
            log = self._within(ev.noninferiority_log_pvalue, rope)
            not_worse = bool(is_below(log, alpha, self._same) & ~ev.undecided(self.evidence))
        outcome: Any = decide(
            self.evidence,
            self.alternative,
            alpha,
            self.evidence.log_pvalue(self.alternative) if self.method.compares else math.nan,
            equal,
            same=self._same,
            beyond=0.0 if self.names[1] is None else self.null,
        ).item()
        return Verdict(outcome, alpha, rope, not_worse, (self,))

    def _by_posterior(self, found: ev.Draws, alpha: float, rope: float | None) -> Verdict:
        centre = self._centre
        beyond = 0.0 if self.names[1] is None else self.null
        outcome: Any = decide_posterior(found, alpha, rope, centre=centre, beyond=beyond).item()
        worse = posterior_regions(found, rope, centre).worse
        return Verdict(outcome, alpha, rope, None if rope is None else bool(worse < alpha), (self,))

    @property
    def grade(self) -> Grade:
        """What the verdict rests on: exact, measured, assumed or discouraged."""
        return grade_at(self, ALPHA)

    def estimand(self) -> str:
        """Return what the result applies to: algorithms at a training size, or fitted models.

        Returns
        -------
        str
            One sentence.
        """
        from ..report import scope

        return scope.estimand(self)

    def detectable(self, alpha: float = 0.05, power: float = 0.8) -> float | None:
        """Return the smallest difference this design could have detected.

        It is (t_{1−α/2} + t_power) · stderr, using the estimated standard error.

        Parameters
        ----------
        alpha : float, default=0.05
            Significance level.
        power : float, default=0.8
            Probability of detecting the difference.

        Returns
        -------
        float or None
            None if the method has no standard error.
        """
        alpha, power = validation.fraction(alpha, "alpha"), validation.fraction(power, "power")
        return _finite(float(ev.detectable(self.evidence, alpha, power, self.alternative)))

    def to_dict(
        self, *, level: float = 0.95, alpha: float = 0.05, rope: float | None = None
    ) -> dict[str, Any]:
        """Return the result as data for JSON.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level of the interval.
        alpha : float, default=0.05
            Significance level of the verdict.
        rope : float, optional
            Region of practical equivalence of the verdict.

        Returns
        -------
        dict
            The keys that `outperform compare --json` prints.
        """
        interval, verdict = self.interval(level), self.verdict(alpha, rope)
        return {
            "schema": SCHEMA,
            "method": self.method.name,
            "names": list(self.names),
            "metric": self.metric,
            "greater_is_better": self.greater_is_better,
            "design": None if self.design is None else str(self.design),
            "n": self.n,
            "estimate": self.estimate,
            "stderr": self.stderr,
            "statistic": self.statistic,
            "df": list(self.df) if isinstance(self.df, tuple) else self.df,
            "pvalue": self.pvalue,
            "log_pvalue": self.log_pvalue,
            "low": _finite(None if interval is None else interval.low),
            "high": _finite(None if interval is None else interval.high),
            "level": level,
            "alternative": self.alternative,
            "mu0": None if math.isnan(self.null) else self.null,
            "options": dict(self.options),
            "verdict": verdict.outcome,
            "grade": verdict.grade,
            "not_worse": verdict.not_worse,
            **posterior_dict(self.evidence, rope, self.names[1] is None),
            "details": _scalars(self.details),
            "notes": [{"code": note.code, "text": note.text} for note in notes_at(self, alpha)],
            "seed": self.seed,
            "versions": versions(),
        }

    def to_json(self, **options: Any) -> str:
        """Return `to_dict` as JSON.

        Parameters
        ----------
        **options : object
            Options of `to_dict`.

        Returns
        -------
        str
            A JSON document.
        """
        return json.dumps(self.to_dict(**options), ensure_ascii=False, allow_nan=False)

    def to_frame(self, kind: str | None = None, **options: Any) -> Any:
        """Return a data frame of one row.

        Parameters
        ----------
        kind : str, optional
            Kind of data frame: "pandas", "polars" or "pyarrow". By default the kind the scores came
            in, otherwise polars.
        **options : object
            Options of `to_dict`.

        Returns
        -------
        data frame
            The keys of `to_dict` as columns.
        """
        return frame_of([self.to_dict(**options)], kind, self.frame_kind)

    def to_latex(self, caption: str | None = None, label: str | None = None, **options: Any) -> str:
        """Return booktabs tables: the scores, if known, then the result.

        Parameters
        ----------
        caption : str, optional
            Caption of the table.
        label : str, optional
            Label of the table, for references.
        **options : object
            Options such as `level`, `alpha` and `rope`.

        Returns
        -------
        str
            LaTeX code; names are escaped.
        """
        from ..report import paper_tables

        return paper_tables.latex(self, caption=caption, label=label, **options)

    def to_markdown(self, **options: Any) -> str:
        """Return Markdown tables: the scores, if known, then the result.

        Parameters
        ----------
        **options : object
            Options such as `level`, `alpha` and `rope`.

        Returns
        -------
        str
            Markdown; names are escaped.
        """
        from ..report import paper_tables

        return paper_tables.markdown(self, **options)

    def methods_text(self, *, level: float = 0.95, alpha: float = 0.05) -> str:
        """Return sentences for the methods section of a paper.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level of the interval.
        alpha : float, default=0.05
            Significance level of the verdict.

        Returns
        -------
        str
            A paragraph that cites the papers by author and year.
        """
        from ..report import scope

        return scope.methods_text(self, level=level, alpha=alpha)

    def bibtex(self) -> str:
        """Return the BibTeX entries of the papers behind the method.

        Returns
        -------
        str
            One entry for each paper.
        """
        from .. import references

        return references.bibtex(references.papers_of(self.method.name, self.method.paper))

    def plot(self, kind: str = "estimation", **options: Any) -> Any:
        """Plot the estimate with its interval.

        Parameters
        ----------
        kind : {"estimation", "intervals"}, default='estimation'
            Kind of figure.
        **options : object
            `theme` ("light" or "dark"), `level` and `rope`.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        from ..report import figures

        return figures.draw(self, kind, **options)

    def __float__(self) -> float:
        return self.estimate

    def __repr__(self) -> str:
        from ..report import text

        return text.line(self)

    def __str__(self) -> str:
        from ..report import text

        return text.block(self)

    def _repr_html_(self) -> str:
        from ..report.html import notebook

        return notebook.result(self)

    def _within(self, test: Callable[..., Any], rope: float) -> float:
        """Return the log p-value of a test against the rope; NaN if nothing varies or differs."""
        self.method.check_interval("a region of equivalence")
        return against_rope(test, self.evidence, rope, self._centre, same=self._same).item()

    @property
    def _centre(self) -> float:
        """Where equivalence is measured from: no difference, or for one side the value tested."""
        if math.isnan(self.null):
            raise MethodError(
                "A region of equivalence needs a value to be equivalent to. Pass mu0, or read the "
                "interval"
            )
        return self.null if self.names[1] is None else 0.0

    @property
    def _same(self) -> bool:
        """True where two sides scored the same everywhere, which no test needs to decide."""
        return self.names[1] is not None and bool(ev.same(self.evidence))

    @property
    def _flat(self) -> bool:
        """True where neither the test nor its companion has any spread to judge by."""
        judge = self.evidence.companion or self.evidence
        return bool(getattr(judge, "stderr", None) == 0)


def _scalars(details: Mapping[str, Any]) -> dict[str, float | None]:
    """Return the details that are single numbers."""
    single = {k: v for k, v in details.items() if v is not None and getattr(v, "ndim", 0) == 0}
    return {k: _finite(float(v)) for k, v in single.items()}


def versions() -> dict[str, str]:
    """Return the versions that a result depends on."""
    import platform

    import numpy

    from .._version import __version__

    return {
        "outperform": __version__,
        "python": platform.python_version(),
        "numpy": numpy.__version__,
    }


_NESTED = ("names", "df", "notes", "versions", "options", "details")


def frame_of(rows: list[dict[str, Any]], kind: str | None, usual: str | None = None) -> Any:
    """Return dictionaries of the common vocabulary as a frame, nested parts flattened."""
    flat = []
    for row in rows:
        first, second = (*row["names"], None)[:2]
        df = row["df"] if isinstance(row["df"], list) else [row["df"], None]
        kept = {k: v for k, v in row.items() if k not in _NESTED}
        codes = " ".join(note["code"] for note in row["notes"])
        flat.append(
            {"first": first, "second": second, **kept, "df": df[0], "df2": df[1], "notes": codes}
        )
    return frame_like({name: [row[name] for row in flat] for name in flat[0]}, kind, usual)


def _number(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
