"""Nadeau & Bengio: the variance of cross-validation, Table 1, Figure 1 and the study behind it."""

from __future__ import annotations

from ..exhibits import exhibit
from .propositions import LEMMA_TRIALS, anatomies, conjecture, halvings, lemma1, table1
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
TAKES = ("share", "seed")

EXHIBITS = (
    exhibit(PAPER, "lemma1", lemma1, {"trials": LEMMA_TRIALS}, seed=SEED, takes=TAKES),
    *(
        exhibit(PAPER, name, run, told, picture, NEEDS, SEED, TAKES)
        for name, run, told, picture in (
            ("propositions", anatomies, MOST, None),
            ("conjecture", conjecture, MOST, None),
            ("halvings", halvings, MOST, None),
            ("table1", table1, LETTER, None),
            ("figure1", figure1, LETTER, draw),
            ("figure1-b", third, LETTER, draw),
            ("habitat", habitat, LETTER, draw_habitat),
            ("sensitivity", sensitivity, MOST, draw_sensitivity),
        )
    ),
)
