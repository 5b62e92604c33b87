"""P-values against scipy.stats: a million corrected t in one call, and one of 10^12 items."""

from __future__ import annotations

import math

import numpy as np
from timing import Row, ratio_of

import outperform as op

EXPERIMENTS, SPLITS, SAMPLE = 1_000_000, 15, 2_000
N_TRAIN, N_TEST = 150, 30
HALF, EXCESS = 5 * 10**11, 10**6


def measure() -> list[Row]:
    return [_corrected_t(), _exact_mcnemar()]


def _exact_mcnemar() -> Row:
    """Time the exact test of 10^12 discordant items beside binomtest, which has fewer digits."""
    from scipy.stats import binomtest

    table = [[0, HALF + EXCESS], [HALF - EXCESS, 0]]

    def ours() -> float | None:
        return op.mcnemar(table=table, variant="exact").pvalue

    def theirs() -> float:
        return float(binomtest(HALF + EXCESS, 2 * HALF).pvalue)

    np.testing.assert_allclose(ours(), theirs(), rtol=1e-9)
    name = "exact McNemar of 10^12 discordant items, time / scipy.stats.binomtest"
    return Row(name, 1 / ratio_of(ours, theirs, rounds=51), 5, floor=False)


def _corrected_t() -> Row:
    from scipy import special, stats

    rng = np.random.default_rng(1)
    a = rng.normal(0.8, 0.03, (EXPERIMENTS, SPLITS))
    b = a + rng.normal(0, 0.02, (EXPERIMENTS, SPLITS))
    widen = math.sqrt((1 / SPLITS) / (1 / SPLITS + N_TEST / N_TRAIN))

    def ours() -> np.ndarray:
        return op.corrected_t.batch(a, b, n_train=N_TRAIN, n_test=N_TEST).pvalue()

    def loop() -> list[float]:
        found = []
        for one, other in zip(a[:SAMPLE], b[:SAMPLE], strict=True):
            t = stats.ttest_rel(one, other).statistic * widen
            found.append(2 * special.stdtr(SPLITS - 1, -abs(t)))
        return found

    np.testing.assert_allclose(ours()[:SAMPLE], loop(), rtol=1e-9)
    ratio = ratio_of(ours, loop, rounds=7, their_share=SAMPLE / EXPERIMENTS)
    note = f"{SPLITS} splits; the loop timed on {SAMPLE} experiments, scaled up"
    return Row("1,000,000 corrected-t p-values vs. ttest_rel loop", ratio, 300, note=note)
