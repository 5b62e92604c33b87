"""All-pairs McNemar against mlxtend's pair loop, its memory, and groups made of its pairs."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
from numpy.typing import NDArray
from timing import Row, ratio_of

import outperform as op
from outperform.numerics.pair_counts import joint_correct, upper
from outperform.results.comparison_rows import groups

Labels = NDArray[np.int8]

# models, items, the least ratio, pairs the peer is timed on (None: all of them), rounds, our runs.
SIZES = (
    (1000, 100_000, 150.0, 200, 7, 1),
    (100, 100_000, 150.0, 200, 15, 2),
    (10, 10_000, 18.0, None, 21, 10),
)


def measure() -> list[Row]:
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        return [*(_speed(*size) for size in SIZES), _memory(1000, 100_000), _groups(1000, 10_000)]


def _speed(k: int, n: int, mark: float, sample: int | None, rounds: int, runs: int) -> Row:
    rng = np.random.default_rng(k)
    y = rng.integers(0, 10, n, dtype=np.int8)
    models = {
        f"m{m}": np.where(rng.random(n) < share, y, (y + 1) % 10).astype(np.int8)
        for m, share in enumerate(rng.uniform(0.6, 0.9, k))
    }
    i, j = upper(k)
    chosen = np.arange(i.size) if sample is None else rng.choice(i.size, sample, replace=False)
    pairs = [(f"m{a}", f"m{b}") for a, b in zip(i[chosen], j[chosen], strict=True)]

    def ours() -> tuple[Any, Any, float]:
        found = op.all_pairs(y, models, max_pairs=i.size)
        return found.evidence.statistic, found.evidence.pvalue(), found.details["cochran_q"]

    def loop() -> list[tuple[float, float]]:
        from mlxtend.evaluate import mcnemar, mcnemar_table

        return [
            mcnemar(
                ary=mcnemar_table(y_target=y, y_model1=models[a], y_model2=models[b]),
                corrected=True,
            )
            for a, b in pairs
        ]

    chi2, p = np.transpose(loop())
    np.testing.assert_allclose(ours()[0][chosen], chi2, rtol=1e-10)
    np.testing.assert_allclose(ours()[1][chosen], p, rtol=1e-9, atol=1e-300)  # its tails end there
    share = len(pairs) / i.size
    ratio = ratio_of(ours, loop, rounds=rounds, our_runs=runs, their_share=share)
    part = "all pairs" if sample is None else f"{sample} random pairs of {i.size}, scaled up"
    note = f"from labels, one thread, Cochran's Q included; mlxtend timed on {part}"
    return Row(f"all-pairs McNemar, k = {k}, n = {n}, vs. mlxtend", ratio, mark, note=note)


def _memory(k: int, n: int) -> Row:
    correct = (np.random.default_rng(0).random((n, k), dtype=np.float32) < 0.8).astype(np.uint8)
    tracemalloc.start()
    try:
        joint_correct(correct)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    name = f"all-pairs counts, extra memory / uint8 input, k = {k}, n = {n}"
    note = "tracemalloc peak, the k × k table of counts included"
    return Row(name, peak / correct.nbytes, 0.25, floor=False, note=note)


def _groups(k: int, n: int) -> Row:
    """Time finding who is not significantly different from whom, against all tests of pairs."""
    rng = np.random.default_rng(k)
    correct = rng.random((n, k)) < rng.uniform(0.6, 0.9, k)

    def pairs() -> Any:
        return op.all_pairs(correct, max_pairs=k * k)

    found = pairs()
    ratio = 1 / ratio_of(lambda: groups(found), pairs, rounds=5)
    name = f"groups of {k} models that are not significantly different / all their pairs, n = {n}"
    return Row(name, ratio, 2, floor=False, note="one thread")
