"""Many learners: the pairs of one experiment, judged together and adjusted as a family.

Implements B-08, B-12, B-14, B-17, F-23 and R-06.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from .. import validation
from ..designs import Design
from ..errors import DataError, MethodError, counted, did_you_mean
from ..notes import Note
from ..numerics import pair_counts
from ..numerics.exact_sums import Array
from ..numerics.largest_t import BootstrapMaximum
from ..numerics.studentized import StudentizedMaximumModulus, StudentizedRange
from ..procedures.five_by_two_t import small_note
from ..registry import Method
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
from .stress import ALPHA, grade_at, luck
from .verdict import (
    OTHER,
    Verdict,
    against_rope,
    decide,
    decide_posterior,
    is_below,
    posterior_regions,
)

OF_PAIRS = ("OP101", "OP315", "OP316")
"""Notes that every pair makes by itself."""
Index: TypeAlias = npt.NDArray[np.int64]
Law: TypeAlias = StudentizedMaximumModulus | StudentizedRange | BootstrapMaximum


@dataclass(frozen=True, eq=False, slots=True)
class Comparison:
    """All pairs of one experiment, adjusted as a family, as `compare` returns them.

    `cmp["a", "b"]` is the unadjusted `Result` of one pair, first minus second. Positive means that
    the first is better.

    Attributes
    ----------
    names : tuple of str
        The learners.
    method : Method
        The method that judged the pairs.
    evidence : Evidence
        One entry for each pair, in the order of `pairs`.
    adjust : str
        How p-values are adjusted for the family.
    law : Law or None
        The law of the largest |t| of the family, where the method has one.
    n : int
        Number of splits, items or datasets.
    metric : str
        Name of the metric.
    design : Design or None
        The design that made the scores, if known.
    alternative : {"two-sided", "less", "greater"}
        The alternative hypothesis.
    seed : int or None
        Seed of the run, if known.
    notes : tuple of Note
        Notes on assumptions and on what was done.
    details : mapping
        Further quantities of the procedure.
    scores : Scores or None
        What was measured, where the comparison was made from `Scores`.
    scored : tuple of Performance
        How each learner scored, best first, where it was made from plain arrays.
    control : str or None
        The learner that all others were compared with, if any.
    options : mapping
        Options of the method, such as its variant.
    view : object
        What the method read, a row for each pair; None where that was too much to keep.
    procedure : str or None
        The procedure that judged the family, where that is not `method`, which judges one pair.
    greater_is_better : bool
        False if the metric is an error or a loss: differences are flipped so that positive is
        better.
    benchmark : Benchmark or None
        What was measured on each dataset, where there are several.
    ranking : Callable[[], Comparison] or None
        Judges all pairs with simultaneous intervals, where these have none: for rank sets.

    Examples
    --------
    >>> import outperform as op
    >>> scores = {
    ...     "tree": [0.81, 0.79, 0.84, 0.80, 0.83],
    ...     "bayes": [0.70, 0.69, 0.75, 0.68, 0.74],
    ...     "knn": [0.71, 0.70, 0.74, 0.69, 0.73],
    ... }
    >>> cmp = op.compare(scores, design="5cv")
    >>> cmp.verdict("tree", "bayes").outcome, cmp.outcomes()
    ('outperforms', ['outperforms', 'outperforms', 'no decision'])
    >>> cmp["bayes", "knn"].pvalue > 0.05, (cmp.adjusted() < 0.05).tolist()
    (True, [True, True, False])
    >>> cmp.interval("tree", "knn").low > 0, round(cmp.critical_value(), 2)
    (True, 3.96)
    >>> [(one.name, round(one.mean, 3)) for one in cmp.performances()]
    [('tree', 0.814), ('knn', 0.714), ('bayes', 0.712)]
    >>> cmp.groups(), cmp.order(), cmp.rank_sets().tied_for_first
    ([('tree',), ('knn', 'bayes')], [0, 2, 1], ('tree',))
    >>> cmp.told_apart().tolist()
    [[False, True, True], [True, False, False], [True, False, False]]

    Numbers of all pairs are arrays, in the order of `pair_names`.

    >>> low, high = cmp.intervals(level=0.9)
    >>> low.round(3), cmp.detectable().round(3)
    (array([ 0.074,  0.085, -0.025]), array([0.043, 0.023, 0.036]))
    >>> cmp.log_pvalues().round(1), cmp.log_adjusted().round(1)
    (array([ -8.1, -10.4,  -0.2]), array([-7. , -9.3,  0. ]))
    >>> cmp.log_equivalence(rope=0.02).round(1), cmp.log_noninferiority(rope=0.02).round(1)
    (array([ 0. ,  0. , -2.2]), array([ -8.4, -10.7,  -2.2]))
    >>> cmp.not_worse(rope=0.02)
    array([ True,  True, False])

    Texts and tables are for papers.

    >>> cmp.summary("tree", "bayes").partition(",")[0], cmp.estimand()[:28]
    ('tree outperforms bayes (α = 0.05', 'Applies to these algorithms ')
    >>> cmp.methods_text().partition(".")[0], cmp.bibtex().count("@")
    ('We compared tree, bayes and knn by 5-fold cross-validation', 3)
    >>> cmp.to_latex().count("toprule"), cmp.to_markdown().count("tree")
    (2, 4)
    >>> cmp.to_frame("pandas").shape[0], len(cmp.rows()), len(cmp.to_dict()["pairs"])
    (3, 3, 3)
    >>> cmp.to_json()[:11], len(cmp.robustness()), len(cmp.own_notes(0))
    ('{"schema": ', 0, 1)
    >>> len(cmp.noted([]).notes), len(cmp.notes_at(0.01)) == len(cmp.notes)
    (0, True)
    """

    names: tuple[str, ...]
    method: Method
    evidence: Evidence
    adjust: str = SINGLE_STEP
    law: Law | None = None
    n: int = 0
    metric: str = "score"
    design: Design | None = None
    alternative: Alternative = "two-sided"
    seed: int | None = None
    notes: tuple[Note, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    scores: Scores | None = None
    scored: tuple[Performance, ...] = ()
    control: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    view: Any = None
    procedure: str | None = None
    greater_is_better: bool = True
    benchmark: Benchmark | None = None
    ranking: Callable[[], Comparison] | None = None
    _runs_judged: dict[tuple[float, float | None], tuple[Robustness, ...]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _ranked: list[Comparison] = field(default_factory=list, init=False, repr=False, compare=False)

    @property
    def pairs(self) -> tuple[Index, Index]:
        """Positions of the first and of the second learner of every pair."""
        return paired(self.names, self.control)

    @property
    def n_pairs(self) -> int:
        """Number of pairs."""
        k = len(self.names)
        return k * (k - 1) // 2 if self.control is None else k - 1

    @property
    def pair_names(self) -> list[tuple[str, str]]:
        """The names of every pair, first minus second."""
        return [(self.names[i], self.names[j]) for i, j in zip(*self.pairs, strict=True)]

    @property
    def family_size(self) -> int:
        """Number of comparisons that share α: all pairs, or one if nothing is adjusted."""
        return 1 if self.adjust == "none" else self.n_pairs

    @property
    def is_single_step(self) -> bool:
        """Whether p-values and intervals are adjusted by the same quantile."""
        return self.law is not None or self.adjust in (SINGLE_STEP, "bonferroni")

    @property
    def interval_kind(self) -> str:
        """Whether the intervals are "simultaneous" or each is that of "this pair alone".

        With a single-step adjustment p-value and interval come from the same quantile. A stepwise
        adjustment, such as that of Holm (1979), has no such interval: then the pair's own is shown.
        """
        return "simultaneous" if self.interval_family_size > 1 else "this pair alone"

    @property
    def interval_family_size(self) -> int:
        """Number of simultaneous intervals: all, or one if each is its pair's own."""
        return self.n_pairs if self.is_single_step else 1

    def __getitem__(self, names: tuple[str, str]) -> Result:
        """Return the unadjusted result of one pair, first minus second as asked."""
        if not isinstance(names, tuple) or len(names) != 2:
            raise MethodError('name two learners, as in comparison["a", "b"]')
        row, turned = self._row(*names)
        found = self.evidence.at(row)
        found = found.flipped() if turned else found
        own = self._notes_on(row, found)
        said = {*OF_PAIRS, self.method.undefined_note, *(note.code for note in own)}
        # What lowers the grade of one pair is said of that pair alone.
        more = [note for note in self.notes if note.code not in said and not note.lowers]
        given = () if self.scores is None else self.scores.notes
        notes = [*self._one_of_many(), *(n for n in more if n in given), *own]
        notes += [n for n in more if n not in given]
        result = Result(
            self.method,
            names,
            self.metric,
            self.design,
            self.n,
            found,
            self.alternative,
            self.seed,
            tuple(notes),
            options=self.options,
            greater_is_better=self.greater_is_better,
            performances=self.performances(names),
            frame_kind=None if self.scores is None else self.scores.frame_kind,
        )
        return replace(result, notes=(*result.notes, *luck(result)))

    def own_notes(self, row: int) -> list[Note]:
        """Return the notes of the method on one pair.

        Parameters
        ----------
        row : int
            Position of the pair in `pair_names`.

        Returns
        -------
        list of Note
            Notes on this pair alone.
        """
        return self._notes_on(row, self.evidence.at(row))

    def performances(self, names: Sequence[str] | None = None) -> tuple[Performance, ...]:
        """Return the mean score of each learner, best first.

        Parameters
        ----------
        names : sequence of str, optional
            Learners; by default all.

        Returns
        -------
        tuple of Performance
            Name, mean, standard deviation and number of scores; empty if scores are unknown.
        """
        asked = self.names if names is None else names
        if self.scores is not None:
            return performances(self.scores, asked, of_items=self.method.view.of_items)
        if self.scored:
            return tuple(one for one in self.scored if one.name in asked)
        known = zip(self.names, self.details.get("accuracy", ()), strict=False)
        made = [Performance(n, float(a), None, self.n, "item") for n, a in known if n in asked]
        return tuple(sorted(made, key=lambda one: -one.mean))

    def log_pvalues(self) -> Array:
        """Return the logarithm of every pair's own p-value.

        Returns
        -------
        ndarray of shape (n_pairs,)
            NaN if a pair has no p-value.
        """
        return np.asarray(self.evidence.log_pvalue(self.alternative))

    def log_adjusted(self) -> Array:
        """Return the logarithm of p-values adjusted for the family.

        Returns
        -------
        ndarray of shape (n_pairs,)
            NaN if a pair has no p-value.
        """
        if self.law is not None:
            scaled = self._unit * np.abs(np.asarray(self.evidence.statistic, dtype=np.float64))
            found = self.law.logsf(np.where(np.isfinite(scaled), scaled, 0.0))
            return np.where(self.evidence.undefined, np.nan, found)
        return family_log_pvalues(self.log_pvalues(), self.adjust)

    def adjusted(self) -> Array:
        """Return p-values adjusted for the family.

        Returns
        -------
        ndarray of shape (n_pairs,)
            NaN if a pair has no p-value.
        """
        return np.exp(self.log_adjusted())

    def intervals(
        self, level: float = 0.95, *, critical: float | None = None
    ) -> tuple[Array, Array]:
        """Return the interval of every pair, of the kind that `interval_kind` names.

        Simultaneous intervals cover all differences at this level, and one excludes 0 exactly if
        the adjusted p-value of its pair is below 1 − level, if the interval inverts the test.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level.
        critical : float, optional
            Number of standard errors to use instead, to reproduce a printed table.

        Returns
        -------
        tuple of two ndarray
            Lower and upper ends; NaN if a pair has no interval.
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
        """Return how many standard errors the intervals reach.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level.

        Returns
        -------
        float
            The critical value.

        Raises
        ------
        MethodError
            If the intervals are not multiples of a standard error.
        """
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
        """Return the interval of one pair, first minus second.

        Parameters
        ----------
        first : str
            Name of the first learner.
        second : str
            Name of the second learner.
        level : float, default=0.95
            Confidence level.
        critical : float, optional
            Number of standard errors to use instead, to reproduce a printed table.

        Returns
        -------
        Interval or None
            None if the pair has no interval.
        """
        row, turned = self._row(first, second)
        if not self.method.has_interval:
            return None
        low, high = (float(end[row]) for end in self.intervals(level, critical=critical))
        if math.isnan(low) or math.isnan(high):
            return None
        return Interval(-high, -low, level) if turned else Interval(low, high, level)

    def detectable(self, alpha: float = 0.05, power: float = 0.8) -> Array:
        """Return, for each pair, the smallest difference this design could have detected.

        It is (c + t_power) · stderr, where c is the critical value of the family at α (with m pairs
        the upper α/2m point, Bonferroni's, also for Holm's method) and t_power the quantile of the
        same distribution.

        Parameters
        ----------
        alpha : float, default=0.05
            Significance level.
        power : float, default=0.8
            Probability of detecting the difference.

        Returns
        -------
        ndarray of shape (n_pairs,)
            NaN if there is no standard error.

        Notes
        -----
        It uses the estimated standard error as the true one, and a shifted t as a noncentral one,
        so it is approximate.
        """
        alpha, power = validation.fraction(alpha, "alpha"), validation.fraction(power, "power")
        reach = None if self.law is None else float(self.law.isf(alpha)) / self._unit
        shared = alpha / self.family_size
        found = ev.detectable(self.evidence, shared, power, self.alternative, critical=reach)
        return np.array(np.broadcast_to(found, (self.n_pairs,)))

    def outcomes(self, alpha: float = 0.05, rope: float | None = None) -> list[str]:
        """Return the outcome of every pair at familywise level α.

        Parameters
        ----------
        alpha : float, default=0.05
            Familywise significance level.
        rope : float, optional
            Region of practical equivalence. By default equivalence is not tested.

        Returns
        -------
        list of str
            "outperforms", "outperformed", "equivalent" or "no decision", of the first of each pair.
        """
        alpha = validation.fraction(alpha, "alpha")
        if isinstance(self.evidence, Draws):
            return [str(word) for word in decide_posterior(self.evidence, alpha, rope).tolist()]
        equal = None if rope is None else self.log_equivalence(rope)
        same = ev.same(self.evidence)
        adjusted = self.log_adjusted() if self.method.compares else np.full(self.n_pairs, np.nan)
        found = decide(self.evidence, self.alternative, alpha, adjusted, equal, same=same)
        return [str(word) for word in found.tolist()]

    def log_equivalence(self, rope: float) -> Array:
        """Return log p-values, adjusted for the family, that differences are within the rope.

        Pairs that scored the same everywhere have none and are equivalent without a test.

        Parameters
        ----------
        rope : float
            Region of practical equivalence: differences between -rope and rope do not matter.

        Returns
        -------
        ndarray of shape (n_pairs,)
            NaN if a pair has none.
        """
        return self._within(ev.equivalence_log_pvalue, self.evidence, rope)

    def log_noninferiority(self, rope: float, *, turned: bool = False) -> Array:
        """Return log p-values, adjusted for the family, that differences are above −rope.

        The family is every pair in one direction.

        Parameters
        ----------
        rope : float
            Largest difference that does not matter.
        turned : bool, default=False
            Whether to ask about the second of each pair instead of the first.

        Returns
        -------
        ndarray of shape (n_pairs,)
            NaN if a pair has none.
        """
        evidence = self.evidence.flipped() if turned else self.evidence
        return self._within(ev.noninferiority_log_pvalue, evidence, rope)

    def not_worse(
        self, rope: float, alpha: float = 0.05, *, turned: bool = False
    ) -> npt.NDArray[np.bool_]:
        """Return, for each pair, whether the first is worse by less than the rope.

        This is decided by the p-values of `log_noninferiority` alone, which are adjusted for the
        family. A learner that scored the same everywhere is not worse.

        Parameters
        ----------
        rope : float
            Largest difference that does not matter.
        alpha : float, default=0.05
            Familywise significance level.
        turned : bool, default=False
            Whether to ask about the second of each pair instead of the first.

        Returns
        -------
        ndarray of bool
            One entry for each pair.
        """
        alpha = validation.fraction(alpha, "alpha")
        if isinstance(self.evidence, Draws):
            found = posterior_regions(self.evidence, rope)
            return np.asarray((found.better if turned else found.worse) < alpha)
        log = self.log_noninferiority(rope, turned=turned)
        small = is_below(log, alpha, ev.same(self.evidence))
        return np.asarray(small & ~ev.undecided(self.evidence))

    def _within(self, log_pvalue: Callable[..., Any], evidence: Evidence, rope: float) -> Array:
        self.method.check_interval("a region of equivalence")
        raw = against_rope(log_pvalue, evidence, rope, same=ev.same(evidence))
        raw = np.broadcast_to(raw, (self.n_pairs,))  # who has none still counts in the family
        return family_log_pvalues(raw, self.adjust if self.adjust in ADJUSTMENTS else "bonferroni")

    @property
    def pvalue(self) -> float | None:
        """The p-value of two learners; None if none exists. Name a pair if there are more."""
        return self[self._only_pair("pvalue", '["{}", "{}"].pvalue')].pvalue

    def _only_pair(self, what: str, way: str) -> tuple[str, str]:
        """Return the names of the one pair, or an error that says how to ask for one."""
        if self.n_pairs == 1:
            return self.pair_names[0]
        example = way.format(*self.pair_names[0])
        raise MethodError(
            f"The comparison has {self.n_pairs} pairs, but {what} belongs to one. Name two "
            f"learners: comparison{example}"
        )

    def verdict(
        self,
        first: str | None = None,
        second: str | None = None,
        alpha: float = 0.05,
        rope: float | None = None,
    ) -> Verdict:
        """Decide on one pair at familywise level α, first minus second.

        Parameters
        ----------
        first : str, optional
            Name of the first learner; may be left out if there are only two.
        second : str, optional
            Name of the second learner; may be left out if there are only two.
        alpha : float, default=0.05
            Familywise significance level.
        rope : float, optional
            Region of practical equivalence. By default equivalence is not tested.

        Returns
        -------
        Verdict
            "outperforms", "outperformed", "equivalent" or "no decision".
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
        """Return the verdict on one pair with its caveats, in sentences.

        Parameters
        ----------
        first : str
            Name of the first learner.
        second : str
            Name of the second learner.
        alpha : float, default=0.05
            Familywise significance level.
        rope : float, optional
            Region of practical equivalence. By default equivalence is not tested.

        Returns
        -------
        str
            A paragraph.
        """
        from ..report import scope

        return " ".join(scope.verdict_paragraph(self, first, second, alpha, rope))

    @property
    def grade(self) -> str:
        """The lowest grade among the pairs: exact, measured, assumed or discouraged."""
        return grade_at(self, ALPHA)

    def estimand(self) -> str:
        """Return what the comparison applies to: algorithms at a training size, or fitted models.

        Returns
        -------
        str
            One sentence.
        """
        from ..report import scope

        return scope.estimand(self)

    def robustness(self, alpha: float = 0.05, rope: float | None = None) -> tuple[Robustness, ...]:
        """Judge every single repeat or partition on its own.

        It shows how often one repeat alone would give a different verdict (Bradford and Brodley,
        2001), whether the test agrees with itself (Bouckaert, 2004), and whether more partitions
        are needed.

        Parameters
        ----------
        alpha : float, default=0.05
            Significance level.
        rope : float, optional
            Region of practical equivalence. By default equivalence is not tested.

        Returns
        -------
        tuple of Robustness
            One entry for each pair; empty if there is only one repeat.
        """
        asked = (
            validation.fraction(alpha, "alpha"),
            None if rope is None else validation.rope_width(rope),
        )
        if asked not in self._runs_judged:
            self._runs_judged[asked] = single_runs(self, *asked)
        return self._runs_judged[asked]

    def noted(self, notes: Sequence[Note]) -> Comparison:
        """Return this comparison with other notes.

        Parameters
        ----------
        notes : sequence of Note
            The notes instead of its own.

        Returns
        -------
        Comparison
            What was judged of single repeats is kept.
        """
        found = replace(self, notes=tuple(notes))
        found._runs_judged.update(self._runs_judged)
        found._ranked.extend(self._ranked)
        return found

    def notes_at(self, alpha: float = 0.05) -> tuple[Note, ...]:
        """Return the notes, those on single repeats and partitions made at this α.

        Parameters
        ----------
        alpha : float, default=0.05
            Significance level.

        Returns
        -------
        tuple of Note
            The notes.
        """
        return assumptions.notes_at(self, self.notes, alpha)

    @property
    def _unit(self) -> float:
        """What a standard error of a difference is in units of the law: a range spans √2."""
        return math.sqrt(2) if isinstance(self.law, StudentizedRange) else 1.0

    def _one_of_many(self) -> tuple[Note, ...]:
        return (Note("OP404"),) if self.n_pairs > 1 else ()

    def _notes_on(self, row: int, evidence: Evidence) -> list[Note]:
        view, options = self._view_of(row), dict(self.options)
        return self.method.notes_on(view, evidence, options, self.design, self.alternative)

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

    def told_apart(self, alpha: float = 0.05, rope: float | None = None) -> npt.NDArray[np.bool_]:
        """Return which learners are significantly different.

        Parameters
        ----------
        alpha : float, default=0.05
            Familywise significance level.
        rope : float, optional
            Region of practical equivalence, for methods that give posterior probabilities: their
            verdicts depend on it, those of p-values on being different do not.

        Returns
        -------
        ndarray of bool, shape (k, k)
            True if the adjusted p-value of two learners is below α.
        """
        return comparison_rows.told_apart(self, alpha, rope)

    def groups(self, alpha: float = 0.05, rope: float | None = None) -> list[tuple[str, ...]]:
        """Return groups of learners that are not significantly different, best first.

        Groups may overlap: if a and b, and b and c, are not significantly different, a and c may
        still be. Every two learners that are not significantly different share a group, and a group
        never holds two that are; a learner that differs from all others is alone. Against a control
        there are no groups, as the others were not compared with each other; see `against_control`.

        Parameters
        ----------
        alpha : float, default=0.05
            Familywise significance level.
        rope : float, optional
            Region of practical equivalence, for methods that give posterior probabilities: their
            verdicts depend on it, those of p-values on being different do not.

        Returns
        -------
        list of tuple of str
            The names in each group.

        Notes
        -----
        Feelders and Verkooijen (1995) present results in this way.
        """
        return comparison_rows.groups(self, alpha, rope)

    def against_control(
        self, alpha: float = 0.05, rope: float | None = None
    ) -> dict[str, tuple[str, ...]]:
        """Return which learners are better than the control, worse, or undecided.

        Parameters
        ----------
        alpha : float, default=0.05
            Familywise significance level.
        rope : float, optional
            Region of practical equivalence, for methods that give posterior probabilities: their
            verdicts depend on it, those of p-values on being different do not.

        Returns
        -------
        dict
            Keys "better", "worse" and "undecided", with names.

        Examples
        --------
        >>> import outperform as op
        >>> op.compare("examples/scores.csv", control="forest").against_control()
        {'better': (), 'worse': (), 'undecided': ('logistic',)}
        """
        return comparison_rows.against_control(self, alpha, rope)

    def order(self) -> list[int]:
        """Return positions of the learners from best to worst estimate.

        Returns
        -------
        list of int
            Positions in `names`.
        """
        return comparison_rows.order(self)

    def to_dict(
        self, *, level: float = 0.95, alpha: float = 0.05, rope: float | None = None
    ) -> dict[str, Any]:
        """Return the comparison as data for JSON.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level of the intervals.
        alpha : float, default=0.05
            Familywise significance level.
        rope : float, optional
            Region of practical equivalence of the verdicts.

        Returns
        -------
        dict
            The keys that `outperform compare --json` prints, with one entry for each pair.
        """
        return comparison_rows.as_dict(self, level=level, alpha=alpha, rope=rope)

    def leave_one_out(
        self, alpha: float = 0.05, rope: float | None = None
    ) -> tuple[DatasetInfluence, ...]:
        """Judge every pair again without each dataset.

        Parameters
        ----------
        alpha : float, default=0.05
            Familywise significance level.
        rope : float, optional
            Region of practical equivalence. By default equivalence is not tested.

        Returns
        -------
        tuple of DatasetInfluence
            Which dataset carries the verdict of each pair.

        Examples
        --------
        >>> import outperform as op
        >>> cmp = op.compare("examples/benchmark.csv")
        >>> len(cmp.leave_one_out())
        10
        """
        return leave_one_out(self, alpha, rope)

    def rank_sets(self, level: float = 0.95) -> RankSets:
        """Return the ranks that each learner may have, by simultaneous intervals.

        Over datasets they are those of the mean differences (`max_t`), whatever method judged the
        pairs.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level.

        Returns
        -------
        RankSets
            Rank sets, best learner first.
        """
        if self.is_single_step or self.ranking is None or self.control is not None:
            return rank_sets(self, level)
        if not self._ranked:
            self._ranked.append(self.ranking())
        return rank_sets(self._ranked[0], level)

    def rows(
        self, *, level: float = 0.95, alpha: float = 0.05, rope: float | None = None
    ) -> list[dict[str, Any]]:
        """Return one dictionary for each pair, with its adjusted p-value and interval.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level of the intervals.
        alpha : float, default=0.05
            Familywise significance level.
        rope : float, optional
            Region of practical equivalence of the verdicts.

        Returns
        -------
        list of dict
            Estimate, interval, p-values, verdict and notes.
        """
        return comparison_rows.rows(self, level=level, alpha=alpha, rope=rope)

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
        """Return a data frame, one row for each pair.

        Parameters
        ----------
        kind : str, optional
            Kind of data frame: "pandas", "polars" or "pyarrow". By default the kind the scores came
            in, otherwise polars.
        **options : object
            Options of `rows`.

        Returns
        -------
        data frame
            Estimate, interval, p-values and verdict as columns.
        """
        usual = None if self.scores is None else self.scores.frame_kind
        return frame_of(self.rows(**options), kind, usual)

    def to_latex(self, caption: str | None = None, label: str | None = None, **options: Any) -> str:
        """Return booktabs tables: the scores, then one row for each pair.

        Parameters
        ----------
        caption : str, optional
            Caption of the table of pairs.
        label : str, optional
            Label of the table of pairs; that of the scores has "-scores" added.
        **options : object
            Options of `rows`, and `record`, the sha256 that `Comparison.record` returned, whose
            first digits the table then shows.

        Returns
        -------
        str
            LaTeX code; names are escaped.
        """
        from ..report import paper_tables

        return paper_tables.latex(self, caption=caption, label=label, **options)

    def to_markdown(self, **options: Any) -> str:
        """Return Markdown tables: the scores, then one row for each pair.

        Parameters
        ----------
        **options : object
            Options of `rows`.

        Returns
        -------
        str
            Markdown; names are escaped.
        """
        from ..report import paper_tables

        return paper_tables.markdown(self, **options)

    def methods_text(
        self, *, level: float = 0.95, alpha: float = 0.05, record: str | None = None
    ) -> str:
        """Return sentences for the methods section of a paper.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level of the intervals.
        alpha : float, default=0.05
            Familywise significance level.
        record : str, optional
            The sha256 that `record` returned, to be quoted.

        Returns
        -------
        str
            A paragraph that cites the papers by author and year.
        """
        from ..report import scope

        return scope.methods_text(self, level=level, alpha=alpha, record=record)

    def bibtex(self) -> str:
        """Return the BibTeX entries of the papers behind the comparison.

        Returns
        -------
        str
            One entry for each paper.
        """
        from .. import references
        from . import rank_order

        adjust = self.adjust if self.n_pairs > 1 else "none"
        keys = references.papers_of(self.method.name, self.method.paper, adjust)
        if self.benchmark is not None and rank_order.omnibus(self.benchmark) is not None:
            keys = tuple(dict.fromkeys((*keys, *rank_order.OMNIBUS_PAPERS)))
        return references.bibtex(keys)

    def plot(self, kind: str = "estimation", **options: Any) -> Any:
        """Plot the comparison.

        Parameters
        ----------
        kind : str, default='estimation'
            "estimation", "intervals", "matrix", "qq" or "sorted"; over datasets also "cd", the
            critical-difference diagram, and "datasets"; for items "clusters".
        **options : object
            `theme` ("light" or "dark"), `level`, `rope`, `pair` and
            `most`, the largest number of panels.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.

        Examples
        --------
        >>> import outperform as op
        >>> figure = op.compare("examples/benchmark.csv").plot("cd")
        """
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
        certificate: Any = None,
    ) -> Any:
        """Write one self-contained HTML page.

        Parameters
        ----------
        path : path
            File to write.
        force : bool, default=False
            Whether to replace an existing file.
        alpha : float, default=0.05
            Familywise significance level.
        level : float, optional
            Confidence level of the intervals; by default 1 − alpha.
        rope : float, optional
            Region of practical equivalence of the verdicts.
        certificate : path, optional
            Page of a certificate, to which the report links.

        Returns
        -------
        pathlib.Path
            The file.

        Examples
        --------
        >>> import outperform as op
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     path = op.compare("examples/scores.csv").report(folder + "/report.html")
        >>> path.name
        'report.html'
        """
        from ..report.html import page

        return page.write(
            self,
            path,
            force=force,
            alpha=alpha,
            level=level,
            rope=rope,
            certificate=certificate,
        )

    def record(
        self,
        path: Any,
        *,
        force: bool = False,
        alpha: float = 0.05,
        level: float | None = None,
        rope: float | None = None,
    ) -> Any:
        """Write a record that `outperform verify` recomputes.

        It contains the scores, the options, the results and the versions used.

        Parameters
        ----------
        path : path
            File to write, named `*.outperform.json`.
        force : bool, default=False
            Whether to replace an existing file.
        alpha : float, default=0.05
            Familywise significance level.
        level : float, optional
            Confidence level of the intervals; by default 1 − alpha.
        rope : float, optional
            Region of practical equivalence of the verdicts.

        Returns
        -------
        str
            The sha256 of the record.

        Examples
        --------
        >>> import outperform as op
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     sha256 = op.compare("examples/scores.csv").record(folder + "/a.outperform.json")
        >>> len(sha256)
        64
        """
        from ..report import record_file
        from .records import record_of

        def made() -> dict[str, Any]:
            return record_of(self, alpha=alpha, level=level, rope=rope)

        return record_file.write(made, path, of="comparison", force=force)

    def __repr__(self) -> str:
        about = f"{counted(len(self.names), 'learner')}, {counted(self.n_pairs, 'pair')}"
        return f"<Comparison {self.method.name}: {about}>"

    def __str__(self) -> str:
        from ..report import text

        return text.comparison(self)

    def _repr_html_(self) -> str:
        from ..report.html import notebook

        return notebook.comparison(self)

    def _position(self, name: str) -> int:
        return position_of(name, self.names)


def strained_by_pair(made: Result, scores: Scores | None, view: Any) -> Iterable[Note]:
    """Return what the scores of two learners strain where a method is called alone."""
    first, second = made.names
    if second is None:
        return ()
    if scores is None:
        n_test = getattr(view, "n_test", None)
        return () if n_test is None else small_note(n_test)
    pair = Comparison(
        (first, second),
        made.method,
        ev.side_by_side([made.evidence]),
        adjust="none",
        n=made.n,
        design=made.design,
        alternative=made.alternative,
        scores=scores.of((first, second)),
        options=made.options,
    )
    return assumptions.strains(pair, scores.target)


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
