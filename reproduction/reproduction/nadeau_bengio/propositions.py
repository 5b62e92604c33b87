"""Lemma, propositions and conjecture, checked by simulation and on Letter (N-08 to N-17, N-20).

Table 1: how far each statistic's variance estimate is from the truth (N-25).
"""

from __future__ import annotations

import math

import numpy as np

from .. import variance
from ..anatomy import Anatomy, halvings_correlation
from ..exhibits import (
    Finding,
    HowMany,
    Measurement,
    Scale,
    Statement,
    all_of,
    claim,
    follows,
    jackknife,
    published,
    remarks,
    settled,
    tails,
)
from .size_and_power import (
    HYPOTHESES,
    J_MOST,
    M_MOST,
    OTHERS,
    OUT,
    PAPER,
    SEED,
    J,
    Losses,
    Tests,
    common,
    losses,
    natural,
)

BLOCK = 10_000
PROVED = "it is proved: this is chance or an error of ours"
DELTA, GAMMA, K = 1.0, 0.3, 15
"""Of Lemma 1, which the paper states without numbers."""
LEMMA_TRIALS = HowMany(1_000_000, 50_000)
NEAR = 0.1
"""Read into "r is usually close to 0"."""
LIBERAL = ("t-test", "resampled t", f"resampled t{OUT}")


def lemma1(scale: Scale) -> Finding:
    """E[S²] and Var[Ū] of exchangeable normals, and of the σ's in Letter (N-08)."""
    delta, gamma, k = DELTA, GAMMA, K
    trials = scale.of(*LEMMA_TRIALS)
    means, spreads = [], []
    for number in range(trials // BLOCK):
        rng = np.random.default_rng(
            np.random.SeedSequence(scale.seeded(SEED), spawn_key=(1, number))
        )
        shared, own = rng.standard_normal((BLOCK, 1)), rng.standard_normal((BLOCK, k))
        u = math.sqrt(gamma) * shared + math.sqrt(delta - gamma) * own
        means.append(u.mean(axis=1))
        spreads.append(u.var(axis=1, ddof=1))
    mean, spread = np.concatenate(means), np.concatenate(spreads)
    exact = variance.exchangeable_mean(delta, gamma, k)
    seen, spread_of_means = float(spread.mean()), float(mean.var(ddof=1))
    return Finding(
        statements=(
            follows(
                "E[S²] = δ − γ",
                Measurement(seen, float(spread.std(ddof=1) / math.sqrt(trials))),
                exact.expected_sample_variance,
                what="mean S²",
            ),
            follows(
                "Var[Ū] = γ + (δ − γ)/k",
                Measurement(spread_of_means, spread_of_means * math.sqrt(2 / trials)),
                exact.variance,
                what="variance of Ū",
            ),
        ),
        remarks=(
            f"δ = {delta:g}, γ = {gamma:g}, k = {k}, {trials:,} trials. The paper states the "
            "lemma without numbers; these are ours.",
        ),
    )


def anatomies(scale: Scale) -> Finding:
    """σ₀ … σ₃ and ρ on Letter: Propositions 1 and 2, and what ρ₀ stands for (N-09 to N-18)."""
    rows, statements = [], []
    for name, about in HYPOTHESES.items():
        found = losses(scale, name)
        by_sizes = {
            "n/2, n/2": found.half.anatomy(),
            "n/2, n/10": found.thrown.anatomy(),
            "9n/10, n/10": found.habitat.anatomy(J_MOST),
        }
        rows += [_row(about, sizes, one) for sizes, one in by_sizes.items()]
        statements.append(_proposition1(about, by_sizes))
        statements += _proposition2(about, found)
    return Finding(
        statements=tuple(statements),
        header=("hypothesis", "n₁, n₂", "σ₀", "σ₁", "σ₂", "σ₃", "ρ", "ρ₀"),
        rows=tuple(rows),
        remarks=("If ρ is above ρ₀, the corrected t understates the variance (7).",),
    )


def _proposition1(about: str, by_sizes: dict[str, Anatomy]) -> Statement:
    """Test all five inequalities at all sizes; the error of a gap is at most the sum of two."""
    parts: dict[str, Measurement] = {}
    for sizes, one in by_sizes.items():
        s0, s1, s2, s3 = one.sigma0, one.sigma1, one.sigma2, one.sigma3
        e0, e1, e2, e3 = one.stderrs
        df = one.n_datasets - 1
        parts |= {
            f"σ₂ at {sizes}": Measurement(s2, e2, df),
            f"σ₁ − σ₂ at {sizes}": Measurement(s1 - s2, e1 + e2, df),
            f"σ₀ − σ₁ at {sizes}": Measurement(s0 - s1, e0 + e1, df),
            f"σ₃ at {sizes}": Measurement(s3, e3, df),
            f"σ₁ − σ₃ at {sizes}": Measurement(s1 - s3, e1 + e3, df),
        }
    least = min(parts, key=lambda name: parts[name].value / max(parts[name].error, 1e-12))
    return settled(
        f"{about}: 0 ≤ σ₂ ≤ σ₁ ≤ σ₀ and 0 ≤ σ₃ ≤ σ₁ (Proposition 1)",
        all_of([tails(one, "above", 0.0) for one in parts.values()]),
        f"{len(parts)} gaps at three sizes together, above 0; the smallest is {least}, "
        f"{parts[least]}",
        PROVED,
    )


def _row(about: str, sizes: str, one: Anatomy) -> tuple[str, ...]:
    sigmas = zip((one.sigma0, one.sigma1, one.sigma2, one.sigma3), one.stderrs, strict=True)
    told = [f"{value:.3g} ± {error:.1g}" for value, error in sigmas]
    return about, sizes, *told, f"{one.rho:.3f} ± {one.rho_stderr:.2g}", f"{one.plugin_rho:.3f}"


def _var(values: np.ndarray) -> float:
    return float(np.var(values, ddof=1))


def _proposition2(about: str, found: Losses) -> list[Statement]:
    """The variance of the estimate does not rise with J, with K, or with n₂ (N-14)."""
    every = found.habitat.values
    fall_j = jackknife(lambda v: _var(v[:, 0]) - _var(v.mean(axis=1)), every)
    # By (4) one test item in place of all adds (σ₀ − σ₁)/J.
    fall_k = jackknife(
        lambda v, s: (float(s.mean() - v.mean() ** 2) - _var(v[:, 0])) / J,
        found.half.values,
        found.half.squares,
    )
    fall_n2 = jackknife(
        lambda small, large: _var(small.mean(axis=1)) - _var(large.mean(axis=1)),
        found.thrown.values,
        found.half.values,
    )
    return [
        claim(
            f"{about}: the variance does not increase with {what} (Proposition 2)",
            fall,
            "above",
            0.0,
            what=told,
            reason=PROVED,
        )
        for what, fall, told in (
            ("J", fall_j, "decrease from J = 1 to 25"),
            ("K", fall_k, "decrease from K = 1 to all items"),
            ("n₂", fall_n2, "decrease from n₂ = n/10 to n/2 at n₁ = n/2"),
        )
    ]


def conjecture(scale: Scale) -> Finding:
    """Does the variance fall as n₁ grows, n₂ = 30 and J = 15 held (N-15)?"""
    rows, statements = [], []
    for name, about in HYPOTHESES.items():
        found = losses(scale, name)
        half_means = found.half_means(M_MOST)
        at = {
            120: jackknife(_half_variance, half_means),
            150: jackknife(_var, found.thrown.values.mean(axis=1)),
            270: jackknife(_var, found.habitat.values[:, :J].mean(axis=1)),
        }
        rows.append((about, *(str(one) for one in at.values())))
        fall = jackknife(
            lambda small, large: _half_variance(small) - _var(large),
            half_means,
            found.habitat.values[:, :J].mean(axis=1),
        )
        statements.append(
            claim(
                f"{about}: the variance decreases in n₁ (conjecture)",
                fall,
                "above",
                0.0,
                what="decrease from n₁ = 120 to 270",
                reason="argued, not proved; E-N4 depends on it",
            )
        )
    return Finding(
        statements=tuple(statements),
        header=("hypothesis", "n₁ = 120", "n₁ = 150", "n₁ = 270"),
        rows=tuple(rows),
        remarks=remarks(PAPER, "conjecture"),
    )


def _half_variance(half_means: np.ndarray) -> float:
    return float(np.mean((half_means[..., 0] - half_means[..., 1]) ** 2) / 2)


def halvings(scale: Scale) -> Finding:
    """r, the correlation of the squared gaps of two halvings, and the variance of (8) (N-20)."""
    rows, statements = [], []
    for name, about in HYPOTHESES.items():
        half_means = losses(scale, name).half_means(M_MOST)
        squares = (half_means[..., 0] - half_means[..., 1]) ** 2
        r = jackknife(halvings_correlation, half_means)
        seen = {m: _var(squares[:, :m].mean(axis=1) / 2) for m in (1, 5, 10, M_MOST)}
        one = float(squares.var(axis=0, ddof=1).mean())
        told = {m: variance.var_halves_variance(one, max(r.value, 0.0), m) for m in seen}
        rows.append((about, str(r), *(f"{seen[m]:.2g} ({told[m]:.2g})" for m in seen)))
        statements.append(
            claim(
                f"{about}: r is close to 0, below {NEAR:g}",
                r,
                "below",
                NEAR,
                what="r",
                reason="the halvings use the same data",
            )
        )
        fall = jackknife(
            lambda s: _var(s[:, :M_MOST].mean(axis=1)) / _var(s[:, :5].mean(axis=1)), squares
        )
        statements.append(
            claim(
                f"{about}: the variance of σ̂² keeps decreasing up to M = 20",
                fall,
                "below",
                1.0,
                what="variance at M = 20 divided by that at M = 5 (1/4 if r = 0)",
                reason=OTHERS,
            )
        )
    return Finding(
        statements=tuple(statements),
        header=("hypothesis", "r", *(f"Var[σ̂²], M = {m} (by formula)" for m in (1, 5, 10, 20))),
        rows=tuple(rows),
    )


def ratio(test: Tests) -> Measurement:
    """Measure Var[μ̂] / E[σ̂²] over the datasets."""
    return jackknife(
        lambda estimate, variance: float(np.var(estimate, ddof=1) / np.mean(variance)),
        test.estimate,
        test.stderr**2,
    )


def measured(found: Losses) -> dict[tuple[str, str], Measurement]:
    """Return the ratio of every statistic, by name and sizes."""
    near = {(name, _sizes(name)): ratio(test) for name, test in common(found).items()}
    return near | {(name, "9n/10, n/10"): ratio(test) for name, test in natural(found).items()}


def _sizes(name: str) -> str:
    return f"n/2, {'n/10' if name.endswith(OUT) else 'n/2'}"


def table1(scale: Scale) -> Finding:
    """Measure the last column of Table 1 about A, B and A − B."""
    printed = {row["name"].partition(" (")[0]: row["ratio"] for row in published(PAPER)["table1"]}
    found = {name: losses(scale, name) for name in HYPOTHESES}
    ratios = {name: measured(one) for name, one in found.items()}
    statements: list[Statement] = []
    for name, one in found.items():
        mine = ratios[name]
        statements += [
            claim(
                f"{HYPOTHESES[name]}: the ratio of the {test} at {sizes} is above 1",
                mine[test, sizes],
                "above",
                1.0,
                what="ratio",
                reason=OTHERS,
            )
            for test, sizes in mine
            if test in LIBERAL
        ]
        statements += [
            claim(
                f"{HYPOTHESES[name]}: the ratio of the {test} at {sizes} is not above 1 (E-N4)",
                mine[test, sizes],
                "below",
                1.0,
                what="ratio",
                reason="it is based on the conjecture that the variance decreases as n₁ grows",
            )
            for test, sizes in mine
            if test.startswith("conservative")
        ]
        formula = one.half.anatomy().ratio("t-test")
        seen = mine["t-test", "n/2, n/2"]
        statements.append(
            follows(
                f"{HYPOTHESES[name]}: the ratio of the t-test is given by its formula at our σ₀ "
                "and σ₃",
                seen,
                formula,
                what="ratio",
            )
        )
    rows = tuple(
        (
            test.removesuffix(OUT),
            sizes,
            _formula(printed, test),
            *(str(ratios[name][test, sizes]) for name in HYPOTHESES),
        )
        for test, sizes in ratios["A"]
    )
    return Finding(
        statements=tuple(statements),
        header=("statistic", "n₁, n₂", "ratio printed", *HYPOTHESES.values()),
        rows=rows,
        remarks=remarks(PAPER, "table1"),
    )


def _formula(printed: dict[str, str], test: str) -> str:
    name = test.removesuffix(OUT).replace("corrected t", "corrected resampled t")
    return printed[name]
