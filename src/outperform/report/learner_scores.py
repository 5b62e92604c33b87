"""The scores of every learner, best first: what a reader looks for before any test."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..scores.performance import Performance
from . import scope
from .formatting import decimals_for, fixed, terminal
from .sentences import counted

if TYPE_CHECKING:
    from ..results.comparison import Comparison
    from ..results.result import Result


MEAN = 3
"""Decimals of scores that do not vary."""


def measured(shown: Result | Comparison) -> str:
    """Say the metric, and how the data were split."""
    return f"{terminal(shown.metric)}{scope.split_by(shown, on=', ', by=', ')}"


def digits(found: Sequence[Performance]) -> int:
    """Return the decimals of all means: two figures of the smallest standard error."""
    known = [one.stderr for one in found if one.stderr and math.isfinite(one.stderr)]
    if not known:
        return max([MEAN, *(decimals_for(None, one.mean) for one in found)])
    return min(max(decimals_for(size) for size in known), 6)


def mean_sd(one: Performance, decimals: int) -> str:
    """Return "0.807 ± 0.035", or the mean alone."""
    spread = "" if one.sd is None else f" ± {fixed(one.sd, decimals)}"
    return f"{fixed(one.mean, decimals)}{spread}"


def label(found: Sequence[Performance]) -> str:
    """Return what the numbers are."""
    return "mean ± sd" if any(one.sd is not None for one in found) else "mean"


def lines(found: Sequence[Performance], most: int) -> list[str]:
    """Return aligned lines: learner, mean ± sd, and over how many splits, datasets or items."""
    decimals, shown = digits(found), found[:most]
    names = [terminal(one.name) for one in shown]
    wide = max(map(len, names), default=0)
    said = [
        f"{name:<{wide}}  {mean_sd(one, decimals)} ({counted(one.n, one.unit)})"
        for name, one in zip(names, shown, strict=True)
    ]
    if len(found) > most:
        said.append(f"… and {counted(len(found) - most, 'more learner')}")
    return said
