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
    """The differences that the data still allow at a confidence level."""

    low: float
    high: float
    level: float

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __iter__(self) -> Any:
        return iter((self.low, self.high))


@dataclass(frozen=True, eq=False, slots=True)
class Result:
    """Names, estimate, evidence and notes of one comparison. Positive: the first is better."""

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
    """What was asked of the method beside the data, such as its variant."""
    greater_is_better: bool = True
    """False where the metric is an error or a loss: differences are turned, positive is better."""
    performances: tuple[Performance, ...] = ()
    """The mean score of each side, best first, where it was made from `Scores`."""
    frame_kind: str | None = None
    """The library of the frame that the scores came in."""

    @property
    def estimate(self) -> float:
        return float(self.evidence.estimate)

    @property
    def stderr(self) -> float | None:
        return None if self.evidence.stderr is None else float(self.evidence.stderr)

    @property
    def statistic(self) -> float | None:
        """The test statistic; None where nothing varies."""
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
        """The p-value for the alternative that was asked; None where none exists."""
        return _number(self.evidence.pvalue(self.alternative))

    @property
    def log_pvalue(self) -> float | None:
        """The natural logarithm of the p-value, also where the p-value itself underflows."""
        return _number(self.evidence.log_pvalue(self.alternative))

    @property
    def null(self) -> float:
        return self.evidence.null

    @property
    def details(self) -> dict[str, Any]:
        """Quantities of this method beside the common ones, such as its table of counts."""
        return dict(self.evidence.details)

    def interval(self, level: float = 0.95) -> Interval | None:
        """Return the confidence interval, one-sided if the alternative is; None without one."""
        level = validation.fraction(level, "level")
        if not self.method.has_interval:
            return None
        low, high = (float(end) for end in self.evidence.interval(level, self.alternative))
        return None if math.isnan(low) or math.isnan(high) else Interval(low, high, level)

    def equivalence(self, rope: float) -> float | None:
        """Return the p-value of two one-sided tests that |Δ| is below `rope`; None without one."""
        return _number(math.exp(self._within(ev.equivalence_log_pvalue, rope)))

    def noninferiority(self, rope: float) -> float | None:
        """Return the p-value of a one-sided test that Δ is above −rope: the first is not worse."""
        return _number(math.exp(self._within(ev.noninferiority_log_pvalue, rope)))

    def probabilities(self, rope: float) -> Probabilities | None:
        """Return P(better), P(equivalent), P(worse) with a region of equivalence ±rope."""
        rope = validation.rope_width(rope)
        if self.method.has_pvalue:
            self.method.check_interval("a region of equivalence")
        if bool(self.evidence.undefined) or self._flat:
            return None
        return ev.probabilities(self.evidence, rope, self._centre)

    def verdict(self, alpha: float = 0.05, rope: float | None = None) -> Verdict:
        """Decide at α: equivalent if the rope test says so, else the side that p < α favours."""
        alpha = validation.fraction(alpha, "alpha")
        if isinstance(self.evidence, ev.Draws):
            return self._by_posterior(self.evidence, alpha, rope)
        equal, not_worse = None, None
        if rope is not None:
            equal = self._within(ev.equivalence_log_pvalue, rope)
            log = self._within(ev.noninferiority_log_pvalue, rope)
            not_worse = bool(is_below(log, alpha, self._same))
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
        """What the verdict rests on: exact, measured, assumed, or discouraged."""
        return self.method.grade_of(self.evidence, self.notes)

    def estimand(self) -> str:
        """Say what the result speaks of: algorithms at a training size, or fitted models."""
        from ..report import scope

        return scope.estimand(self)

    def detectable(self, alpha: float = 0.05, power: float = 0.8) -> float | None:
        """Return the smallest difference this design could have detected; None without stderr.

        (t_{1−α/2} + t_power) · stderr, with the standard error found for the true one.
        """
        alpha, power = validation.fraction(alpha, "alpha"), validation.fraction(power, "power")
        return _finite(float(ev.detectable(self.evidence, alpha, power, self.alternative)))

    def to_dict(
        self, *, level: float = 0.95, alpha: float = 0.05, rope: float | None = None
    ) -> dict[str, Any]:
        """Return the result in the vocabulary of `--json`."""
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
            "grade": self.grade,
            "not_worse": verdict.not_worse,
            **posterior_dict(self.evidence, rope, self.names[1] is None),
            "details": _scalars(self.details),
            "notes": [{"code": note.code, "text": note.text} for note in self.notes],
            "seed": self.seed,
            "versions": versions(),
        }

    def to_json(self, **options: Any) -> str:
        """Return `to_dict` as JSON; numbers that do not exist are null."""
        return json.dumps(self.to_dict(**options), ensure_ascii=False, allow_nan=False)

    def to_frame(self, kind: str | None = None, **options: Any) -> Any:
        """Return a data frame of one row: of the kind the scores came in, or `kind`."""
        return frame_of([self.to_dict(**options)], kind, self.frame_kind)

    def to_latex(self, caption: str | None = None, label: str | None = None, **options: Any) -> str:
        """Return booktabs tables: the scores, where known, then one row; every name escaped."""
        from ..report import paper_tables

        return paper_tables.latex(self, caption=caption, label=label, **options)

    def to_markdown(self, **options: Any) -> str:
        """Return Markdown tables: the scores, where known, then one row; every name escaped."""
        from ..report import paper_tables

        return paper_tables.markdown(self, **options)

    def methods_text(self, *, level: float = 0.95, alpha: float = 0.05) -> str:
        """Return sentences for the methods section of a paper."""
        from ..report import scope

        return scope.methods_text(self, level=level, alpha=alpha)

    def bibtex(self) -> str:
        """Return the BibTeX entries of the papers that the method rests on."""
        from .. import references

        return references.bibtex(references.papers_of(self.method.name, self.method.paper))

    def plot(self, kind: str = "estimation", **options: Any) -> Any:
        """Return a matplotlib figure; the kinds are those of `outperform.report.figures`."""
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

    def _repr_markdown_(self) -> str:
        return self.to_markdown()

    def _repr_latex_(self) -> str:
        return self.to_latex()

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
