"""Nadeau & Bengio: the variance of cross-validation, Table 1, Figure 1 and the study behind it."""

from __future__ import annotations

from ..exhibits import Exhibit
from .figure1 import draw, figure1, third
from .habitat import draw_habitat, draw_sensitivity, habitat, sensitivity
from .letter import DISTORTION, J_MOST, M_MOST, PAPER, PARAMETERS, SEED
from .propositions import anatomies, conjecture, halvings, lemma1
from .table1 import table1

__all__ = ["EXHIBITS"]

LETTER = PARAMETERS | {"weight of the first four columns in 1-NN": DISTORTION}
MOST = LETTER | {"J": f"up to {J_MOST}", "M": f"up to {M_MOST}"}
NEEDS = ("letter",)

EXHIBITS = (
    Exhibit(PAPER, "lemma1", "Lemma 1: moments of exchangeable variables",
            "The mean and sample variance of variables with one variance and one covariance.",
            ("N-08",), lemma1, {"trials": 1_000_000}, seed=SEED),
    Exhibit(PAPER, "propositions", "Propositions 1 and 2: σ₀ to σ₃ on Letter",
            "The order of the four variances, and that the variance of the estimate never rises "
            "with J, K or the size of the test set.",
            ("N-09", "N-10", "N-11", "N-12", "N-13", "N-14", "N-16", "N-17"), anatomies, MOST,
            needs=NEEDS, seed=SEED),
    Exhibit(PAPER, "conjecture", "The conjecture: the variance falls as n₁ grows",
            "Argued in section 2; conservative Z rests on it.", ("N-15",), conjecture, MOST,
            needs=NEEDS, seed=SEED),
    Exhibit(PAPER, "halvings", "The variance of conservative Z's estimate (8)",
            "Simulations suggested that squared gaps of two halvings hardly correlate.", ("N-20",),
            halvings, MOST, needs=NEEDS, seed=SEED),
    Exhibit(PAPER, "table1", "Table 1: variance over the estimate of it",
            "Five statistics about a generalization error, and by which ratio each misjudges the "
            "variance of its estimate.",
            ("N-18", "N-19", "N-21", "N-22", "N-23", "N-25"), table1, LETTER, needs=NEEDS,
            seed=SEED),
    Exhibit(PAPER, "figure1", "Figure 1: size and power, all statistics aimed at n/2",
            "Rejection rates about μ_A and μ_{A−B} on sets of 300 items of Letter, drawn without "
            "replacement; a tree without pruning, and 1-NN with a distorted metric.",
            ("N-24", "N-26", "N-27", "N-28", "N-29", "N-30"), figure1, LETTER, draw, NEEDS, SEED),
    Exhibit(PAPER, "figure1-b", "The third hypothesis, about 1-NN alone",
            "Studied and not drawn in the paper.", ("N-27", "N-30"), third, LETTER, draw, NEEDS,
            SEED),
    Exhibit(PAPER, "habitat", "Natural habitat: n₁ = 9n/10, n₂ = n/10",
            "The corrected t and conservative Z where they are at home: about right in size, or "
            "slightly conservative, and equal in power.", ("N-31",), habitat, LETTER, draw_habitat,
            NEEDS, SEED),
    Exhibit(PAPER, "sensitivity", "How many resamples and halvings: J and M",
            "J up to 25 and M up to 20; about 15 resamples and 5 to 10 halvings are recommended.",
            ("N-31", "N-32"), sensitivity, MOST, draw_sensitivity, NEEDS, SEED),
)  # fmt: skip
