"""Dietterich: the five tests, in a designed population and with real learners."""

from __future__ import annotations

from . import five_by_two, folds, power, questions, realistic, synthetic

__all__ = ["EXHIBITS"]

PARTS = (questions, synthetic, five_by_two, folds, realistic, power)
ORDER = (
    "figure1", "constants", "fold-correlation", "law", "figure2", "replications", "figure3",
    "figure4", "figure5", "figure6", "examples", "figure7", "figure8", "figure9", "figure10",
    "figure11", "fluctuating", "recommendation",
)  # fmt: skip
"""As they follow each other in the paper."""
EXHIBITS = tuple(
    sorted((one for part in PARTS for one in part.EXHIBITS), key=lambda one: ORDER.index(one.name))
)
