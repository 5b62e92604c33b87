"""The power of four tests with real learners: Figures 9, 10 and 11 (D-49, D-51, D-56)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..exhibits import (
    Exhibit,
    Finding,
    Scale,
    Statement,
    all_of,
    binomial,
    claim,
    exhibit,
    mean,
    settled,
)
from . import plots
from .realistic import LOST, OTHER
from .tasks import (
    EXCEEDS,
    METHODS,
    PAPER,
    SEEDS,
    SETTINGS,
    calibrated,
    lambdas,
    null_study,
    power_study,
)

__all__ = ["EXHIBITS"]

THIRD = (7 / 24, 5 / 12)
"""Nearer to one third than to a quarter or a half."""


def power(task: str, scale: Scale) -> Finding:
    """Rejections by the difference at 300 training items."""
    studies = {0.0: null_study(task, scale)}
    apart = power_study(task, scale)
    studies |= dict.fromkeys(apart.effects, apart)
    rates = {share: one.rates(undefined="reject") for share, one in studies.items()}
    shares, damage = lambdas(scale), calibrated(task, scale)
    points = [damage.points(share) for share in shares]
    tests = {
        name: {
            key: [getattr(rates[share][name, share], key) for share in shares]
            for key in ("rate", "low", "high")
        }
        for name in METHODS
    }
    lost = task == "exp6"
    rejected = {name: _rejections(apart, name) for name in METHODS}
    statements = [
        _order(rejected, better, worse, text, lost=lost)
        for better, worse, text in (
            ("kfold_t", "five_by_two_t", "the 10-fold t is more powerful than 5x2cv"),
            ("kfold_t", "mcnemar", "the 10-fold t is more powerful than McNemar's test"),
            ("kfold_t", "proportions", "the 10-fold t is more powerful than proportions"),
            ("five_by_two_t", "mcnemar", "5x2cv is more powerful than McNemar's test"),
            ("five_by_two_t", "proportions", "5x2cv is more powerful than proportions"),
        )
    ]
    if task == "letter":
        statements += _one_third(apart.rates(undefined="reject"), shares[-1], points[-1])
    return Finding(
        statements=tuple(statements),
        header=("test", *(f"{p:.1f} points" for p in points)),
        rows=tuple(
            (plots.TESTS[name], *(f"{rate:.3f}" for rate in tests[name]["rate"]))
            for name in METHODS
        ),
        remarks=(
            f"λ is {', '.join(f'{share:g}' for share in shares)}; undamaged learners differ "
            f"by {points[-1]:.1f} points at 300 training items.",
        ),
        curves={"points": points, "tests": tests},
    )


def _rejections(apart: Any, name: str) -> Any:
    """Return whether each dataset was rejected, of all λ; an infinite t rejects."""
    found = np.concatenate([apart.column(name, "pvalue", effect) for effect in apart.effects])
    return (np.isnan(found) | (found < 0.05)).astype(np.float64)


def _order(
    rejected: dict[str, Any], better: str, worse: str, text: str, *, lost: bool
) -> Statement:
    """Judge by the same datasets: the mean of the differences of decisions, paired t."""
    gap = rejected[better] - rejected[worse]
    found = claim(
        text,
        mean(gap),
        "above",
        0.0,
        what=f"gain in power over {gap.size:,} datasets of all λ",
        reason=OTHER,
    )
    return replace(found, lost=True, reason=LOST) if lost else found


def _one_third(rates: Any, share: float, points: float) -> list[Statement]:
    """Judge the sobering note, of each test with acceptable Type I error, at the largest gap."""
    statements = []
    for name in METHODS:
        if EXCEEDS[name]:
            continue
        row = rates[name, share]
        ends = [
            binomial(row.hits, row.n, "above", THIRD[0]),
            binomial(row.hits, row.n, "below", THIRD[1]),
        ]
        statements.append(
            settled(
                f"{plots.TESTS[name]} detects a difference of 10 points about one third of "
                "the time",
                all_of(ends),
                f"power {row.rate:.3f} of {row.n} at {points:.1f} points, the largest "
                "difference here; binomial tests against 7/24 and 5/12, between which a share "
                "is nearer to 1/3 than to 1/4 or 1/2",
                f"our learners are at most {points:.1f} points apart; {OTHER}",
            )
        )
    return statements


def _exhibit(number: int, task: str, needs: tuple[str, ...]) -> Exhibit:
    return exhibit(
        PAPER,
        f"figure{number}",
        partial(power, task),
        SETTINGS,
        plots.power,
        needs,
        SEEDS[task] + 20,
    )


EXHIBITS = (
    _exhibit(9, "exp6", ()),
    _exhibit(10, "letter", ("letter",)),
    _exhibit(11, "pima", ("pima-diabetes",)),
)
