"""Bradford & Brodley: how much a conclusion owes to the partition of the data."""

from collections.abc import Callable
from typing import Any

from ..exhibits import Exhibit, Finding, Scale, exhibit
from .partition_tables import groups, recounted, table1, table2, table3, table4
from .section_four import (
    OPEN_TRIALS,
    combining,
    combining_runs,
    draw_fits,
    draw_sorted,
    families,
    figure5,
    open_questions,
    sorted_figure,
    sufficient,
)
from .section_three import in_the_text, stratified
from .shared_runs import NEEDS, PAPER, PARAMETERS, SEED, TAKES, datasets
from .tree_variants import variants

__all__ = ["EXHIBITS"]


def _run(name: str, run: Callable[[Scale], Finding], draw: Any = None, **more: Any) -> Exhibit:
    return exhibit(PAPER, name, run, PARAMETERS | more, draw, NEEDS, SEED, TAKES, datasets)


EXHIBITS = (
    _run("table1", table1),
    _run("tree-variants", variants),
    _run("table2", table2),
    _run("table3", table3),
    _run("table4", table4),
    exhibit(PAPER, "recounted", recounted),
    *(_run(f"figure{n}", sorted_figure(at), draw_sorted) for n, at in enumerate((0, 2, 1, 3), 1)),
    _run("text", in_the_text),
    _run("stratified", stratified),
    _run("figure5", figure5, draw_fits),
    _run("groups", groups),
    exhibit(PAPER, "combining", combining),
    _run("combining-runs", combining_runs),
    exhibit(PAPER, "families", families, {"datasets": 23, "α": 0.05}),
    _run("sufficiency", sufficient),
    _run("open-questions", open_questions, trials=OPEN_TRIALS),
)
