"""Nadeau & Bengio: the variance of cross-validation, Table 1, Figure 1 and the study behind it."""

from __future__ import annotations

from ..exhibits import exhibit
from .propositions import anatomies, conjecture, halvings, lemma1, table1
from .size_and_power import (
    DISTORTION,
    J_MOST,
    M_MOST,
    PAPER,
    PARAMETERS,
    SEED,
    draw,
    draw_habitat,
    draw_sensitivity,
    figure1,
    habitat,
    sensitivity,
    third,
)

__all__ = ["EXHIBITS"]

LETTER = PARAMETERS | {"weight of the first four columns in 1-NN": DISTORTION}
MOST = LETTER | {"J": f"up to {J_MOST}", "M": f"up to {M_MOST}"}
NEEDS = ("letter",)

EXHIBITS = (
    exhibit(PAPER, "lemma1", lemma1, {"trials": 1_000_000}, seed=SEED),
    exhibit(PAPER, "propositions", anatomies, MOST, needs=NEEDS, seed=SEED),
    exhibit(PAPER, "conjecture", conjecture, MOST, needs=NEEDS, seed=SEED),
    exhibit(PAPER, "halvings", halvings, MOST, needs=NEEDS, seed=SEED),
    exhibit(PAPER, "table1", table1, LETTER, needs=NEEDS, seed=SEED),
    exhibit(PAPER, "figure1", figure1, LETTER, draw, NEEDS, SEED),
    exhibit(PAPER, "figure1-b", third, LETTER, draw, NEEDS, SEED),
    exhibit(PAPER, "habitat", habitat, LETTER, draw_habitat, NEEDS, SEED),
    exhibit(PAPER, "sensitivity", sensitivity, MOST, draw_sensitivity, NEEDS, SEED),
)
