"""Nemenyi's test: all pairs of mean ranks by the studentized range."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ..notes import Note
from ..numerics.mean_ranks import friedman_chi2, iman_davenport_f, nemenyi_difference
from ..numerics.studentized import StudentizedRange
from ..registry import procedure
from ..results.comparison import Comparison, paired
from ..scores.split_scores import Scores
from ..views import VIEWS, Context, DatasetTable, RankPairs
from .friedman import friedman
from .iman_davenport import iman_davenport
from .rank_z import rank_z


@procedure(
    title="Nemenyi's test over datasets",
    paper="nemenyi",
    requirements=(),
    designs=("datasets",),
    standing="reference",
    advice="Reproduces critical-difference diagrams; its verdict on two learners depends on the "
    "others, so use wilcoxon for verdicts.",
    reads="the scores of several learners on the same datasets",
    example="nemenyi({'tree': [0.81, 0.93, 0.67, 0.75], 'bayes': [0.79, 0.94, 0.61, 0.70], "
    "'knn': [0.70, 0.90, 0.60, 0.72]})",
    of_scores=True,
)
def nemenyi(
    scores: Any, *, lower_is_better: bool | None = None, names: tuple[str, ...] | None = None
) -> Comparison:
    """Compare all pairs of k learners by their mean ranks over N datasets.

    Two learners differ if their mean ranks differ by at least q_α/√2 · √(k(k + 1)/6N), where q_α is
    the upper quantile of the studentized range of k values with infinite degrees of freedom
    (Nemenyi, 1963; Demšar, 2006). The verdict on two learners depends on the others in the table
    (Benavoli, Corani & Mangili, 2016). `details` has the mean ranks, the critical difference at α =
    0.05, and Friedman's χ² and Iman and Davenport's F, corrected for ties.

    Parameters
    ----------
    scores : array-like of shape (datasets, learners), mapping, data frame, Scores or Benchmark
        Scores of the learners on datasets.
    lower_is_better : bool, optional
        Whether smaller scores are better, as with errors and losses. By default greater ones are,
        with a note.
    names : tuple of str, optional
        Names of the learners, if `scores` is an array.

    Returns
    -------
    Comparison
        All pairs, by mean ranks.

    Examples
    --------
    >>> import outperform as op
    >>> cmp = op.nemenyi(op.Scores.read("examples/benchmark.csv"))
    >>> cmp.verdict("RF", "NB").outcome
    'outperforms'
    """
    table, asked = ranked(scores, lower_is_better, names)
    law = StudentizedRange(table.k, math.inf)
    critical = nemenyi_difference(table.n, table.k, 0.05)
    said = Note(
        "OP331",
        f"{asked.omnibus} Nemenyi's critical difference is {critical:.4g} mean ranks (α = 0.05).",
    )
    return asked.comparison("nemenyi", law=law, notes=(said,), critical_difference=critical)


@dataclass(frozen=True, eq=False, slots=True)
class RankedTable:
    """A table with what was asked about it."""

    table: DatasetTable
    asked: Context
    scores: Scores | None

    @property
    def omnibus(self) -> str:
        """Friedman's and Iman and Davenport's tests in a sentence."""
        chi2, f = friedman.on(self.table), iman_davenport.on(self.table)
        degrees = f"{self.table.k - 1:g}, {(self.table.k - 1) * (self.table.n - 1):g}"
        infinite = float(f.statistic) == float("inf")
        ratio = "infinite" if infinite else f"{float(f.statistic):.4g}"
        return (
            f"Friedman's χ²({self.table.k - 1}) = {float(chi2.statistic):.4g}, "
            f"{_p(chi2.log_pvalue())}; Iman and Davenport's F({degrees}) "
            f"{'is' if infinite else '='} {ratio}, {_p(f.log_pvalue())}."
        )

    def comparison(
        self,
        adjust: str,
        *,
        law: StudentizedRange | None = None,
        control: str | None = None,
        notes: tuple[Note, ...] = (),
        critical_difference: float,
    ) -> Comparison:
        """Judge the pairs by their mean ranks."""
        i, j = paired(self.asked.learners, control)
        r = self.table.ranked
        view = RankPairs.of(self.table.values, i, j)
        details: dict[str, Any] = {
            "mean_ranks": r.means,
            "critical_difference": critical_difference,
            "friedman_chi2": friedman_chi2(r),
            "iman_davenport_f": iman_davenport_f(r),
        }
        return Comparison(
            self.asked.learners,
            rank_z,
            rank_z.on(view),
            adjust,
            law,
            n=self.table.n,
            metric=self.asked.metric,
            design=self.asked.design,
            seed=self.asked.seed,
            notes=(*self.asked.notes, *rank_z.standing_note(None), *notes),
            details=details,
            scores=self.scores,
            scored=self.asked.performances,
            control=control,
            greater_is_better=not self.asked.lower_is_better,
            view=view,
        )


def ranked(
    scores: Any, lower_is_better: bool | None, names: tuple[str, ...] | None
) -> tuple[DatasetTable, RankedTable]:
    """Read `Scores` over datasets, or arrays, and rank them."""
    view = VIEWS["DatasetTable"]
    whole = isinstance(scores, Scores)
    if whole:
        table, asked = view.scores("", scores, names=names)
    else:
        table, asked = view.read("", scores, lower_is_better=lower_is_better, names=names)
    same = whole and names is None
    return table, RankedTable(table, asked, scores if same else None)


def _p(log_p: Any) -> str:
    log10 = float(log_p) / math.log(10)
    return f"p = {10**log10:.3g}" if log10 > -300 else f"p < 1e{math.ceil(log10):d}"
