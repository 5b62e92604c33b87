"""Bouckaert & Frank: does a test say the same when it is repeated? Tables 1 to 5."""

from collections.abc import Callable

from ..datasets import BOUCKAERT_FRANK
from ..exhibits import Exhibit, Finding, HowMany, Scale, exhibit
from .network_table import SETS, draw_table5, table5
from .replicability_tables import (
    PAPER,
    QUICK,
    REPEATED,
    SEED,
    datasets,
    equal_effort,
    stratification,
    table1,
    table2,
    table3,
    table4,
    text_results,
)
from .weka_tables import SEEDS, table1_on_weka_folds

__all__ = ["EXHIBITS"]

SETTINGS = {
    "datasets": HowMany(len(BOUCKAERT_FRANK), len(QUICK)),
    "repetitions": REPEATED,
    "α": 0.05,
}
DATA = tuple(BOUCKAERT_FRANK)
TAKES = ("datasets", "seed")


def _run(name: str, run: Callable[[Scale], Finding]) -> Exhibit:
    return exhibit(
        PAPER, name, run, SETTINGS, needs=DATA, seed=SEED, takes=TAKES, datasets=datasets
    )


EXHIBITS = (
    _run("table1", table1),
    exhibit(
        PAPER,
        "table1-weka",
        table1_on_weka_folds,
        SETTINGS | {"Weka's seeds from 1 to": SEEDS},
        needs=DATA,
        takes=("datasets",),
    ),
    _run("table2", table2),
    _run("table3", table3),
    _run("equal-effort", equal_effort),
    _run("table4", table4),
    _run("text", text_results),
    _run("stratification", stratification),
    exhibit(
        PAPER,
        "table5",
        table5,
        {"sets": SETS, "n": 300, "repetitions": 10},
        draw_table5,
        seed=SEED,
        takes=("share", "seed"),
    ),
)
