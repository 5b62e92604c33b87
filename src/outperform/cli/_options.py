"""Options that several verbs share."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import click


def methods(_: Any, __: Any, typed: str) -> list[str]:
    from ..registry import methods

    return [name for name in ("auto", *methods().names) if name.startswith(typed)]


def designs(_: Any, __: Any, typed: str) -> list[str]:
    from ..designs.notation import EXAMPLES

    return [design for design in EXAMPLES if design.startswith(typed)]


def adjustments(_: Any, __: Any, typed: str) -> list[str]:
    from ..results.adjustments import ADJUSTMENTS

    return [name for name in ADJUSTMENTS if name.startswith(typed)]


def topics(ctx: Any, parameter: Any, typed: str) -> list[str]:
    from ..notes import NOTES

    codes = [code for code in NOTES if code.startswith(typed.upper())]
    return [name for name in methods(ctx, parameter, typed) if name != "auto"] + codes


JSON = click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
FORCE = click.option("--force", is_flag=True, help="Overwrite files that are there.")
METHOD = click.option(
    "--method", default="auto", metavar="METHOD", shell_complete=methods,
    help="By default that of the design; see outperform methods.",
)  # fmt: skip
ALTERNATIVE = click.option(
    "--alternative", type=click.Choice(["two-sided", "greater", "less"]), default="two-sided",
    help="What is tested; greater: the first is better.",
)  # fmt: skip
ADJUST = click.option(
    "--adjust", default="holm", metavar="NAME", shell_complete=adjustments,
    help="Adjust the p-values of several pairs: holm, hochberg, bonferroni, …",
)  # fmt: skip
CONTROL = click.option(
    "--control", metavar="LEARNER", help="Compare the others with this one only."
)
ALPHA = click.option("--alpha", type=float, default=0.05, help="The level of the verdict: 0.05.")
ROPE = click.option("--rope", type=float, help="Differences within ±ROPE are equivalent.")

DESIGN = click.option(
    "--design", metavar="DESIGN", shell_complete=designs,
    help="The design that made the scores, if the file does not tell.",
)  # fmt: skip
METRIC = click.option("--metric", metavar="NAME", help="One of several metrics in the file.")
LOWER = click.option("--lower-is-better", is_flag=True, help="The scores are errors or losses.")
COLUMN = click.option(
    "--column", "columns", multiple=True, metavar="ROLE=NAME",
    help="What a column is for, where its name does not tell: learner, score, dataset, repeat, "
    "fold, y_true, n_train, n_test. Sizes may be numbers.",
)  # fmt: skip
LAYOUT = click.option(
    "--layout", type=click.Choice(["long", "wide", "predictions", "correct"]),
    help="How the rows and columns are to be read, if they could be read in two ways.",
)  # fmt: skip
SEPARATOR = click.option(
    "--separator", metavar="CHARACTER", help="What parts the cells of a CSV, if it is not plain."
)
LIMIT = click.option(
    "--limit", "limits", multiple=True, metavar="NAME=N",
    help="Raise a limit on files: bytes, rows, columns, cells, field, ratio, scores.",
)  # fmt: skip
DROP = click.option(
    "--drop-incomplete", is_flag=True,
    help="Leave out splits that lack a score of some learner.",
)  # fmt: skip


def _together(*options: Any) -> Callable[[Any], Any]:
    return lambda command: reduce(lambda made, option: option(made), reversed(options), command)


judging = _together(METHOD, ALTERNATIVE, ADJUST, CONTROL, ALPHA, ROPE)
"""How scores are judged: method, alternative, adjust, control, alpha, rope."""
reading = _together(DESIGN, METRIC, LOWER, LAYOUT, COLUMN, DROP, SEPARATOR, LIMIT)
"""How a file is read: design, metric, lower_is_better, layout, columns, drop_incomplete, …"""
