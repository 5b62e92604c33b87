"""Bouckaert & Frank: does a test say the same when it is repeated? Tables 1 to 5."""

from ...data import BOUCKAERT_FRANK
from ..exhibits import exhibit
from .network_table import draw_table5, table5
from .replicability_tables import (
    PAPER,
    SEED,
    equal_effort,
    stratification,
    table1,
    table2,
    table3,
    table4,
    text_results,
)
from .weka_tables import table1_on_weka_folds

__all__ = ["EXHIBITS"]

SETTINGS = {"datasets": 27, "repetitions": 10, "α": 0.05}
SEEDS = {"seeds": "1 to 50"}
DATA = tuple(BOUCKAERT_FRANK)
EXHIBITS = (
    exhibit(PAPER, "table1", table1, SETTINGS, needs=DATA, seed=SEED),
    exhibit(
        PAPER, "table1-weka", table1_on_weka_folds, SETTINGS | {"seeds": "1 to 50"}, needs=DATA
    ),
    exhibit(PAPER, "table2", table2, SETTINGS, needs=DATA, seed=SEED),
    exhibit(PAPER, "table3", table3, SETTINGS, needs=DATA, seed=SEED),
    exhibit(PAPER, "equal-effort", equal_effort, SETTINGS, needs=DATA, seed=SEED),
    exhibit(PAPER, "table4", table4, SETTINGS, needs=DATA, seed=SEED),
    exhibit(PAPER, "text", text_results, SETTINGS, needs=DATA, seed=SEED),
    exhibit(PAPER, "stratification", stratification, SETTINGS, needs=DATA, seed=SEED),
    exhibit(
        PAPER, "table5", table5, {"sets": 1000, "n": 300, "repetitions": 10}, draw_table5, seed=SEED
    ),
)
