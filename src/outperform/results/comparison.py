"""Many learners: the pairs of one experiment, judged together and adjusted as a family."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from .. import validation
from ..designs import Design
from ..errors import DataError, MethodError, did_you_mean
from ..notes import Note
from ..numerics import pair_counts
from ..numerics.exact_sums import Array
from ..numerics.largest_t import BootstrapMaximum
from ..numerics.studentized import StudentizedMaximumModulus, StudentizedRange
from ..registry import GRADES, Method
from ..scores.benchmark import Benchmark
from ..scores.performance import Performance, performances
from ..scores.split_scores import Scores
from ..views.contract import at
from . import assumptions, comparison_rows
from . import evidence as ev
from .adjustments import ADJUSTMENTS, SINGLE_STEP, family_log_pvalues
from .closed_testing import MOST
from .evidence import Alternative, Draws, Evidence, Pivot
from .influence import DatasetInfluence, leave_one_out
from .rank_sets import RankSets, rank_sets
from .result import Interval, Result, frame_of
from .robustness import Robustness
from .robustness import robustness as single_runs
from .verdict import (
    OTHER,
    Verdict,
    against_rope,
    decide,
    decide_posterior,
    is_below,
    posterior_regions,
)

Index: TypeAlias = npt.NDArray[np.int64]
Law: TypeAlias = StudentizedMaximumModulus | StudentizedRange | BootstrapMaximum


@dataclass(frozen=True, eq=False, slots=True)
class Comparison:
    """The pairs of one experiment with their family adjustment; `cmp["a", "b"]` is one Result.

    All pairs, or with a `control` each other learner against it, the control being second (B-08).
    """

    names: tuple[str, ...]
    method: Method
    evidence: Evidence
    """One entry for each pair, in the order of `pairs`."""
    adjust: str = SINGLE_STEP
    law: Law | None = None
    """The law of the largest |t| of the family, where the method has one."""
    n: int = 0
    metric: str = "score"
    design: Design | None = None
    alternative: Alternative = "two-sided"
    seed: int | None = None
    notes: tuple[Note, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    scores: Scores | None = None
    """What was measured, where the comparison was made from `Scores`."""
    scored: tuple[Performance, ...] = ()
    """How each learner scored, best first, where it was made from plain arrays."""
    control: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    """What was asked of the method beside the data, such as its variant."""
    view: Any = None
    """What the method read, a row for each pair; None where that was too much to keep."""
    procedure: str | None = None
    """The procedure that judged the family, where that is not `method`, which judges one pair."""
    greater_is_better: bool = True
    """False where the metric is an error or a loss: differences are turned, positive is better."""
    benchmark: Benchmark | None = None
    """What was measured on each dataset, where there are several."""
    _runs_judged: dict[tuple[float, float | None], tuple[Robustness, ...]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """What single runs say at each α and rope they were asked with."""

    @property
    def pairs(self) -> tuple[Index, Index]:
        """Positions of the first and second learner of every pair: (0, 1), (0, 2), …, (1, 2), …"""
        return paired(self.names, self.control)

    @property
    def n_pairs(self) -> int:
        k = len(self.names)
        return k * (k - 1) // 2 if self.control is None else k - 1

    @property
    def pair_names(self) -> list[tuple[str, str]]:
        """The names of every pair, first minus second."""
        return [(self.names[i], self.names[j]) for i, j in zip(*self.pairs, strict=True)]

    @property
    def family_size(self) -> int:
        """How many comparisons share α: all pairs, or one where nothing is adjusted."""
        return 1 if self.adjust == "none" else self.n_pairs

    @property
    def is_single_step(self) -> bool:
        """Whether p-values and intervals are adjusted by one and the same quantile."""
        return self.law is not None or self.adjust in (SINGLE_STEP, "bonferroni")

    @property
    def interval_kind(self) -> str:
        """Whether the intervals are "simultaneous", or each is that of "this pair alone".

        With a single-step adjustment p-value and interval come from the same quantile. No interval
        follows so from a stepwise one, such as Holm's: then the pair's own is shown.
        """
        return "simultaneous" if self.interval_family_size > 1 else "this pair alone"

    @property
    def interval_family_size(self) -> int:
        """How many intervals hold together: all, or one where each is its pair's own."""
        return self.n_pairs if self.is_single_step else 1

    def __getitem__(self, names: tuple[str, str]) -> Result:
        """Return the unadjusted result of one pair, first minus second as asked."""
        if not isinstance(names, tuple) or len(names) != 2:
            raise MethodError('name two learners, as in comparison["a", "b"]')
        row, turned = self._row(*names)
        found = self.evidence.at(row)
        own = self.own_notes(row)
        said = {"OP101", self.method.undefined_note, *(note.code for note in own)}
        more = [note for note in self.notes if note.code not in said]
        given = () if self.scores is None else self.scores.notes
        notes = [*self._one_of_many(), *(n for n in more if n in given), *own]
        notes += [n for n in more if n not in given]
        return Result(
            self.method,
            names,
            self.metric,
            self.design,
            self.n,
            found.flipped() if turned else found,
            self.alternative,
            self.seed,
            tuple(notes),
            options=self.options,
            greater_is_better=self.greater_is_better,
            performances=self.performances(names),
            frame_kind=None if self.scores is None else self.scores.frame_kind,
        )

    def own_notes(self, row: int) -> list[Note]:
        """Return what the method says of one pair alone."""
        found = self.evidence.at(row)
        return self.method.notes_on(self._view_of(row), found, dict(self.options), self.design)

    def performances(self, names: Sequence[str] | None = None) -> tuple[Performance, ...]:
        """Return the mean score of each learner, best first; () where scores are not known."""
        asked = self.names if names is None else names
        if self.scores is not None:
            return performances(self.scores, asked, of_items=self.method.view.of_items)
        if self.scored:
            return tuple(one for one in self.scored if one.name in asked)
        known = zip(self.names, self.details.get("accuracy", ()), strict=False)
        made = [Performance(n, float(a), None, self.n, "item") for n, a in known if n in asked]
        return tuple(sorted(made, key=lambda one: -one.mean))

    def log_pvalues(self) -> Array:
        """Return the log of every pair's own p-value; NaN where there is none."""
        return np.asarray(self.evidence.log_pvalue(self.alternative))

    def log_adjusted(self) -> Array:
        """Return log p-values adjusted for the whole family; NaN where there is none."""
        if self.law is not None:
            scaled = self._unit * np.abs(np.asarray(self.evidence.statistic, dtype=np.float64))
            found = self.law.logsf(np.where(np.isfinite(scaled), scaled, 0.0))
            return np.where(self.evidence.undefined, np.nan, found)
        return family_log_pvalues(self.log_pvalues(), self.adjust)

    def adjusted(self) -> Array:
        """Return p-values adjusted for the whole family; NaN where there is none."""
        return np.exp(self.log_adjusted())

    def intervals(
        self, level: float = 0.95, *, critical: float | None = None
    ) -> tuple[Array, Array]:
        """Return the interval of every pair, of the kind that `interval_kind` names; NaN if none.

        Simultaneous intervals hold together at this level, and one excludes 0 exactly where the
        adjusted p-value of its pair is below 1 − level, if the interval inverts the test.
        `critical` is a number of standard errors to use instead, to reproduce a printed table.
        """
        level = validation.fraction(level, "level")
        if self.law is None and critical is None:
            narrow = 1 - (1 - level) / self.interval_family_size
            low, high = self.evidence.interval(narrow, self.alternative)
            return np.asarray(low), np.asarray(high)
        reach = self.critical_value(level) if critical is None else critical
        stderr, estimate = np.asarray(self.evidence.stderr), np.asarray(self.evidence.estimate)
        half = np.where(stderr == 0, np.nan, reach * stderr)
        return estimate - half, estimate + half

    def critical_value(self, level: float = 0.95) -> float:
        """Return how many standard errors the intervals reach."""
        if self.law is not None:
            return float(self.law.isf(1 - level)) / self._unit
        if not isinstance(self.evidence, Pivot) or self.evidence.companion is not None:
            raise MethodError(
                "the intervals of this comparison are not multiples of a standard error"
            )
        tails = 2 if self.alternative == "two-sided" else 1
        return float(self.evidence.dist.isf((1 - level) / (tails * self.interval_family_size)))

    def interval(
        self, first: str, second: str, level: float = 0.95, *, critical: float | None = None
    ) -> Interval | None:
        """Return the interval of one pair, first minus second as asked; see `interval_kind`."""
        row, turned = self._row(first, second)
        if not self.method.has_interval:
            return None
        low, high = (float(end[row]) for end in self.intervals(level, critical=critical))
        if math.isnan(low) or math.isnan(high):
            return None
        return Interval(-high, -low, level) if turned else Interval(low, high, level)

    def detectable(self, alpha: float = 0.05, power: float = 0.8) -> Array:
        """Return, for each pair, the smallest difference this design could have detected.

        (c + t_power) · stderr, where c is the critical value of the family at α (with m pairs the
        upper α/2m point, Bonferroni's, also beside Holm) and t_power the quantile of the same
        distribution. It takes the standard error found for the true one and a shifted t for a
        noncentral one, so it is a guide, not a promise. NaN where there is no standard error.
        """
        alpha, power = validation.fraction(alpha, "alpha"), validation.fraction(power, "power")
        reach = None if self.law is None else float(self.law.isf(alpha)) / self._unit
        shared = alpha / self.family_size
        found = ev.detectable(self.evidence, shared, power, self.alternative, critical=reach)
        return np.array(np.broadcast_to(found, (self.n_pairs,)))

    def outcomes(self, alpha: float = 0.05, rope: float | None = None) -> list[str]:
        """Return the verdict of every pair at familywise level α."""
        alpha = validation.fraction(alpha, "alpha")
        if isinstance(self.evidence, Draws):
            return [str(word) for word in decide_posterior(self.evidence, alpha, rope).tolist()]
        equal = None if rope is None else self.log_equivalence(rope)
        same = ev.same(self.evidence)
        adjusted = self.log_adjusted() if self.method.compares else np.full(self.n_pairs, np.nan)
        found = decide(self.evidence, self.alternative, alpha, adjusted, equal, same=same)
        return [str(word) for word in found.tolist()]

    def log_equivalence(self, rope: float) -> Array:
        """Return log p-values, adjusted for the family, that |Δ| is below `rope`; NaN if none.

        Pairs that scored the same everywhere have none and are equivalent without a test.
        """
        return self._within(ev.equivalence_log_pvalue, self.evidence, rope)

    def log_noninferiority(self, rope: float, *, turned: bool = False) -> Array:
        """Return log p-values, adjusted for the family, that Δ is above −`rope`; NaN if none.

        The family is every pair in one direction: first minus second, or `turned` the reverse.
        """
        evidence = self.evidence.flipped() if turned else self.evidence
        return self._within(ev.noninferiority_log_pvalue, evidence, rope)

    def not_worse(
        self, rope: float, alpha: float = 0.05, *, turned: bool = False
    ) -> npt.NDArray[np.bool_]:
        """Tell for each pair whether the first is worse by less than `rope`, decided at α.

        By the one-sided p-values of `log_noninferiority` alone, whose family they keep to α; who
        scored the same everywhere is not worse. `turned` asks it of the second of each pair.
        """
        alpha = validation.fraction(alpha, "alpha")
        if isinstance(self.evidence, Draws):
            found = posterior_regions(self.evidence, rope)
            return np.asarray((found.better if turned else found.worse) < alpha)
        return is_below(self.log_noninferiority(rope, turned=turned), alpha, ev.same(self.evidence))

    def _within(self, log_pvalue: Callable[..., Any], evidence: Evidence, rope: float) -> Array:
        self.method.check_interval("a region of equivalence")
        raw = against_rope(log_pvalue, evidence, rope, same=ev.same(evidence))
        raw = np.broadcast_to(raw, (self.n_pairs,))  # who has none still counts in the family
        return family_log_pvalues(raw, self.adjust if self.adjust in ADJUSTMENTS else "bonferroni")

    @property
    def pvalue(self) -> float | None:
        """The p-value of two learners; None where none exists. A pair is named where more are."""
        return self[self._only_pair("pvalue", '["{}", "{}"].pvalue')].pvalue

    def _only_pair(self, what: str, way: str) -> tuple[str, str]:
        """Return the names of the one pair, or an error that says how to ask for one."""
        if self.n_pairs == 1:
            return self.pair_names[0]
        example = way.format(*self.pair_names[0])
        raise MethodError(
            f"The comparison has {self.n_pairs} pairs, and {what} is of one. Name two learners: "
            f"comparison{example}"
        )

    def verdict(
        self,
        first: str | None = None,
        second: str | None = None,
        alpha: float = 0.05,
        rope: float | None = None,
    ) -> Verdict:
        """Decide on one pair at familywise level α, first minus second as asked.

        Of two learners, who may be left out, the first of the comparison is the first.
        """
        if first is None or second is None:
            first, second = self._only_pair("a verdict", '.verdict("{}", "{}")')
        row, turned = self._row(first, second)
        outcome: Any = self.outcomes(alpha, rope)[row]
        outcome = OTHER.get(outcome, outcome) if turned else outcome
        fine = None if rope is None else bool(self.not_worse(rope, alpha, turned=turned)[row])
        return Verdict(outcome, alpha, rope, fine, (self, first, second))

    def summary(
        self, first: str, second: str, alpha: float = 0.05, rope: float | None = None
    ) -> str:
        """Return the verdict on one pair with all that belongs to it, in sentences."""
        from ..report import scope

        return " ".join(scope.verdict_paragraph(self, first, second, alpha, rope))

    @property
    def grade(self) -> str:
        """The lowest grade among the pairs: exact, measured, assumed, or discouraged."""
        return max(comparison_rows.grades(self), key=GRADES.index)

    def estimand(self) -> str:
        """Say what the comparison speaks of: algorithms at a training size, or fitted models."""
        from ..report import scope

        return scope.estimand(self)

    def robustness(self, alpha: float = 0.05, rope: float | None = None) -> tuple[Robustness, ...]:
        """Judge every single repeat or partition on its own, a row for each pair; () if only one.

        How often would one repeat have said otherwise (B-12 to B-14), does the test agree with
        itself (R-06), are more partitions needed (B-17)?
        """
        asked = (
            validation.fraction(alpha, "alpha"),
            None if rope is None else validation.rope_width(rope),
        )
        if asked not in self._runs_judged:
            self._runs_judged[asked] = single_runs(self, *asked)
        return self._runs_judged[asked]

    def noted(self, notes: Sequence[Note]) -> Comparison:
        """Return this comparison with other notes: what was judged of single runs stays."""
        found = replace(self, notes=tuple(notes))
        found._runs_judged.update(self._runs_judged)
        return found

    def notes_at(self, alpha: float = 0.05) -> tuple[Note, ...]:
        """Return the notes, those on single repeats and partitions being made at this α."""
        return assumptions.notes_at(self, self.notes, alpha)

    @property
    def _unit(self) -> float:
        """What a standard error of a difference is in units of the law: a range spans √2."""
        return math.sqrt(2) if isinstance(self.law, StudentizedRange) else 1.0

    def _one_of_many(self) -> tuple[Note, ...]:
        return (Note("OP404"),) if self.n_pairs > 1 else ()

    def _view_of(self, row: int) -> Any:
        """Return what the method read of one pair; None where that is not there any more."""
        if self.view is not None:
            return at(self.view, row)
        if self.scores is None:
            return None
        return self.method.view.scores(self.method.layout, self.scores, *self.pair_names[row])[0]

    def _row(self, first: str, second: str) -> tuple[int, bool]:
        """Return where a pair stands, and whether it was named the other way round."""
        i, j = self._position(first), self._position(second)
        if i == j:
            raise MethodError(f"{first!r} was compared with itself; name two learners")
        if self.control is not None:
            control = self.names.index(self.control)
            if control not in (i, j):
                raise MethodError(
                    f"{first!r} and {second!r} were not compared: every learner was compared with "
                    f"the control {self.control!r} only. Leave control out to compare all pairs"
                )
            other = i if j == control else j
            return other - (other > control), i == control
        low, high = min(i, j), max(i, j)
        return low * (2 * len(self.names) - low - 1) // 2 + high - low - 1, i > j

    def told_apart(self, alpha: float = 0.05) -> npt.NDArray[np.bool_]:
        """Return a (k, k) table: True where the adjusted p-value of two learners is below α."""
        return comparison_rows.told_apart(self, alpha)

    def groups(self, alpha: float = 0.05) -> list[tuple[str, ...]]:
        """Return groups of learners that are not told apart, best first (F-23).

        Groups may overlap: that a and b, and b and c, are not told apart does not make a and c
        the same. Every two that are not told apart share a group, and a group never holds two
        that are; a learner told apart from all others stands alone. Against a control there are
        no groups, for the others were not compared with each other; see `against_control`.
        """
        return comparison_rows.groups(self, alpha)

    def against_control(self, alpha: float = 0.05) -> dict[str, tuple[str, ...]]:
        """Return who is better than the control, who is worse, and who is undecided."""
        return comparison_rows.against_control(self, alpha)

    def order(self) -> list[int]:
        """Return positions of the learners from best to worst estimate."""
        return comparison_rows.order(self)

    def to_dict(
        self, *, level: float = 0.95, alpha: float = 0.05, rope: float | None = None
    ) -> dict[str, Any]:
        """Return the comparison in the common vocabulary: one entry for each pair."""
        return comparison_rows.as_dict(self, level=level, alpha=alpha, rope=rope)

    def leave_one_out(
        self, alpha: float = 0.05, rope: float | None = None
    ) -> tuple[DatasetInfluence, ...]:
        """Judge every pair again without each dataset: which one carries a verdict?"""
        return leave_one_out(self, alpha, rope)

    def rank_sets(self, level: float = 0.95) -> RankSets:
        """Return the ranks that each learner may have; needs simultaneous intervals."""
        return rank_sets(self, level)

    def rows(
        self, *, level: float = 0.95, alpha: float = 0.05, rope: float | None = None
    ) -> list[dict[str, Any]]:
        """Return one dictionary for each pair, with the p-value of the family and its interval."""
        return comparison_rows.rows(self, level=level, alpha=alpha, rope=rope)

    def to_json(self, **options: Any) -> str:
        """Return `to_dict` as JSON."""
        return json.dumps(self.to_dict(**options), ensure_ascii=False, allow_nan=False)

    def to_frame(self, kind: str | None = None, **options: Any) -> Any:
        """Return a data frame, one row for each pair: of the kind the scores came in, or `kind`."""
        usual = None if self.scores is None else self.scores.frame_kind
        return frame_of(self.rows(**options), kind, usual)

    def to_latex(self, caption: str | None = None, label: str | None = None, **options: Any) -> str:
        """Return booktabs tables: the scores, then one row for each pair; every name escaped.

        `caption` and `label` are of the pairs; the label of the scores has "-scores" added. With
        `record`, the sha256 that `Comparison.record` returned, the table carries its first digits.
        """
        from ..report import paper_tables

        return paper_tables.latex(self, caption=caption, label=label, **options)

    def to_markdown(self, **options: Any) -> str:
        """Return Markdown tables: the scores, then one row for each pair; every name escaped."""
        from ..report import paper_tables

        return paper_tables.markdown(self, **options)

    def to_tikz(self, alpha: float = 0.05) -> str:
        """Return the critical-difference diagram of a comparison over datasets as TikZ source."""
        from ..report import benchmark_tables

        return benchmark_tables.tikz(self, alpha)

    def methods_text(
        self, *, level: float = 0.95, alpha: float = 0.05, record: str | None = None
    ) -> str:
        """Return sentences for the methods section of a paper; `record` is a record's sha256."""
        from ..report import scope

        return scope.methods_text(self, level=level, alpha=alpha, record=record)

    def bibtex(self) -> str:
        """Return the BibTeX entries of the papers that the comparison rests on."""
        from .. import references

        adjust = self.adjust if self.n_pairs > 1 else "none"
        keys = references.papers_of(self.method.name, self.method.paper, adjust)
        if self.benchmark is not None and len(self.names) > 2:
            keys = tuple(dict.fromkeys((*keys, "iman-davenport", "demsar")))
        return references.bibtex(keys)

    def plot(self, kind: str = "estimation", **options: Any) -> Any:
        """Return a matplotlib figure; the kinds are those of `outperform.report.figures`."""
        from ..report import figures

        return figures.draw(self, kind, **options)

    def report(
        self,
        path: Any,
        *,
        force: bool = False,
        alpha: float = 0.05,
        level: float | None = None,
        rope: float | None = None,
    ) -> Any:
        """Write one self-contained HTML page; an existing file is kept unless `force` is True."""
        from ..report.html import page

        return page.write(self, path, force=force, alpha=alpha, level=level, rope=rope)

    def record(
        self,
        path: Any,
        *,
        force: bool = False,
        alpha: float = 0.05,
        level: float | None = None,
        rope: float | None = None,
    ) -> Any:
        """Write a record that `outperform verify` recomputes; return its sha256.

        It contains the scores, what was asked, what was found and the versions used, and is named
        `*.outperform.json`. An existing file is kept unless `force` is True.
        """
        from ..report import record_file

        return record_file.write(self, path, force=force, alpha=alpha, level=level, rope=rope)

    def __repr__(self) -> str:
        from ..report.sentences import counted

        about = f"{counted(len(self.names), 'learner')}, {counted(self.n_pairs, 'pair')}"
        return f"<Comparison {self.method.name}: {about}>"

    def __str__(self) -> str:
        from ..report import text

        return text.comparison(self)

    def _repr_html_(self) -> str:
        from ..report.html import notebook

        return notebook.comparison(self)

    def _repr_markdown_(self) -> str:
        return self.to_markdown()

    def _repr_latex_(self) -> str:
        return self.to_latex()

    def _position(self, name: str) -> int:
        return position_of(name, self.names)


def usual_adjustment(method: Method, evidence: Evidence, k: int, control: str | None) -> str:
    """Return the adjustment for pairs of k learners, whatever the data.

    A t-type pivot has an interval for every quantile, and is adjusted in a single step. Others are
    counted, or have an interval by another formula: all pairs over datasets are adjusted by
    Bergmann and Hommel's method, or Shaffer's where learners are too many for it; pairs with a
    control, and all others, by Holm's. Posterior probabilities are not adjusted.
    """
    if isinstance(evidence, Draws):
        return "none"
    if isinstance(evidence, Pivot) and evidence.companion is None:
        return SINGLE_STEP
    if method.designs == ("datasets",) and control is None and k > 2:
        return "bergmann-hommel" if k <= MOST else "shaffer"
    return "holm"


def paired(names: Sequence[str], control: str | None) -> tuple[Index, Index]:
    """Return the positions of every pair: all of them, or each other learner and the control."""
    if control is None:
        return pair_counts.upper(len(names))
    second = position_of(control, names, "control")
    first = np.delete(np.arange(len(names)), second)
    return first, np.full_like(first, second)


def position_of(name: str, names: Sequence[str], what: str = "") -> int:
    """Return the position of a learner, or an error that names the near ones."""
    if name not in names:
        asked = f"{what}={name!r}" if what else repr(name)
        raise DataError(f"{asked} is not among the learners; {did_you_mean(str(name), names)}")
    return list(names).index(name)
