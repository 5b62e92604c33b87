"""Dietterich: the five tests, in a designed population and with real learners."""

from __future__ import annotations

from . import questions, synthetic

__all__ = ["EXHIBITS"]

EXHIBITS = questions.EXHIBITS + synthetic.EXHIBITS
