"""The list of exhibits."""

from __future__ import annotations

from ...data import BOUCKAERT_FRANK
from ..exhibits import Exhibit
from .networks import draw_table5, table5
from .tables import stratification, table1, table2, table3, table4, text_results

__all__ = ["EXHIBITS"]

PAPER = "bouckaert-frank"
SETTINGS = {"datasets": 27, "repetitions": 10, "α": 0.05}
DATA = tuple(BOUCKAERT_FRANK)

EXHIBITS = (
    Exhibit(PAPER, "table1", "Table 1: 5x2cv repeated ten times",
            "Ten repetitions of the 5x2cv t for three pairs of learners on 27 datasets; "
            "non-rejections, and how many datasets are consistent.",
            ("R-03", "R-04", "R-05", "R-06", "R-07", "R-09", "R-14", "R-15", "R-16", "R-22"),
            table1, SETTINGS, needs=DATA, seed=2004),
    Exhibit(PAPER, "table2", "Table 2: corrected resampled t by resamples",
            "The same with 10, 20, 50 and 100 random splits of 90 to 10 %.",
            ("R-10", "R-17"), table2, SETTINGS, needs=DATA, seed=2004),
    Exhibit(PAPER, "table3", "Table 3: corrected repeated ten-fold t by runs",
            "The same with 1, 2, 5 and 10 runs of ten-fold cross-validation.",
            ("R-12", "R-19"), table3, SETTINGS, needs=DATA, seed=2004),
    Exhibit(PAPER, "table4", "Table 4: corrected 10x10 t by significance level",
            "The ten runs of Table 3 judged at 1, 2.5, 5 and 10 %.",
            ("R-21",), table4, SETTINGS, needs=DATA, seed=2004),
    Exhibit(PAPER, "text", "Results in the text: plain tests, and the order of all",
            "Consistent datasets of the ten-fold t and of the uncorrected 10x10 t.",
            ("R-08", "R-11", "R-13", "R-18", "R-26"), text_results, SETTINGS, needs=DATA,
            seed=2004),
    Exhibit(PAPER, "stratification", "Stratification control",
            "Resampling with and without stratification.", ("R-14", "R-20"), stratification,
            SETTINGS, needs=DATA, seed=2004),
    Exhibit(PAPER, "table5", "Table 5: consistency on four random networks",
            "Naive Bayes v C4.5 on 1,000 sets of 300 items of each of four Bayesian networks, each "
            "test repeated ten times on each set.",
            ("R-01", "R-02", "R-23", "R-24", "R-25"), table5,
            {"sets": 1000, "n": 300, "repetitions": 10}, draw_table5, seed=2004),
)  # fmt: skip
