"""Rows of bootstrap samples: neither items nor splits of a known design, and refused by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..errors import DataError, argument
from .column_names import shown, tokens
from .parsing import GLANCE, as_numbers
from .score_table import ScoreTable

if TYPE_CHECKING:
    import polars as pl

WORDS = {"boot", "boots", "bootstrap", "bootstraps", "bootstrapped", "nboot"}
LABEL = r"(?i)^boot(strap)?s?[\W_]*\d+$"
LEFT_OUT = "0.37"
"""The share of items that a bootstrap sample leaves out, 1/e."""


def refuse_bootstrap(table: ScoreTable, learners: str | Sequence[str] | None) -> None:
    """Refuse rows that a column numbers as bootstrap samples: they may be of one test set."""
    own = () if isinstance(learners, str) or learners is None else learners
    for name, column in table.columns.items():
        n = column.n_unique()
        if name in own or n < 2 or not _numbers_samples(name, column):
            continue
        raise DataError(
            f"column {shown(name)} numbers {n} bootstrap samples. If these resample one test set, "
            "more of them do not mean more data: write one row per item instead, with its true "
            "label and the label that each model predicted, y_true,model_a,model_b. If every "
            "learner was trained on each sample and tested on the items left out of it, pass "
            + argument(fold=name, design=f"{n}xresampled@{LEFT_OUT}")
        )


def _numbers_samples(name: str, column: pl.Series) -> bool:
    import polars as pl

    cells = column.head(GLANCE)
    if cells.null_count():
        return False
    if cells.dtype == pl.String and bool(cells.str.contains(LABEL).all()):
        return True
    numbers = as_numbers(cells) if WORDS & {*tokens(name)} else None
    return numbers is not None and bool((numbers == numbers.floor()).all())
