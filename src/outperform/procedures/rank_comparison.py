"""A table of scores over datasets, ranked once, as a comparison of mean ranks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ..notes import Note
from ..numerics.mean_ranks import friedman_chi2, iman_davenport_f
from ..numerics.studentized import StudentizedRange
from ..results.comparison import Comparison, paired
from ..scores.split_scores import Scores
from ..views import Context, DatasetTable, RankPairs
from .friedman import friedman
from .iman_davenport import iman_davenport
from .rank_z import rank_z


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
            control=control,
            greater_is_better=not self.asked.lower_is_better,
            view=view,
        )


def ranked(
    scores: Any, lower_is_better: bool, names: tuple[str, ...] | None
) -> tuple[DatasetTable, RankedTable]:
    """Read `Scores` over datasets, or arrays, and rank them."""
    from ..views import VIEWS

    view = VIEWS["DatasetTable"]
    whole = isinstance(scores, Scores)
    if whole:
        table, asked = view.scores("", scores, names=names)
    else:
        table, asked = view.arrays("", scores, lower_is_better=lower_is_better, names=names)
    same = whole and names is None
    return table, RankedTable(table, asked, scores if same else None)


def _p(log_p: Any) -> str:
    log10 = float(log_p) / math.log(10)
    return f"p = {10**log10:.3g}" if log10 > -300 else f"p < 1e{math.ceil(log10):d}"
