"""All-pairs McNemar against mlxtend's pair loop: time as ratios of interleaved runs, and memory."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outperform.pairs import (
    cochran_from_joint,
    discordant,
    joint_correct,
    predictions_correct,
    upper,
)

Labels = NDArray[np.int8]

# models, items, the least ratio, pairs the peer is timed on (None: all of them), rounds, our runs.
SIZES = (
    (1000, 100_000, 150.0, 200, 7, 1),
    (100, 100_000, 150.0, 200, 21, 3),
    (10, 10_000, 18.0, None, 21, 20),
)


def measure() -> list[dict[str, Any]]:
    """Return one row per size with the ratio peer / ours in CPU time, and one for memory."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        return [*(_speed(*size) for size in SIZES), _memory(1000, 100_000)]


def ours(y_true: Labels, predictions: list[Labels]) -> tuple[NDArray[Any], NDArray[Any], float]:
    """Return chi-square and p of every pair, from labels, and Cochran's Q of all models."""
    from scipy.special import erfc

    joint = joint_correct(predictions_correct(y_true, predictions))
    pairs = upper(len(predictions))
    n01, n10 = (counts[pairs] for counts in discordant(joint))
    differ = n01 + n10
    gap = np.maximum(np.abs(n01 - n10) - 1.0, 0.0)
    chi2 = gap * gap / np.maximum(differ, 1)
    return chi2, erfc(np.sqrt(chi2 / 2)), cochran_from_joint(joint, y_true.size)


def peer(
    y_true: Labels, predictions: list[Labels], pairs: list[tuple[int, int]]
) -> list[tuple[float, float]]:
    """Return chi-square and p of the pairs by the loop that mlxtend's guide shows."""
    from mlxtend.evaluate import mcnemar, mcnemar_table

    tables = (
        mcnemar_table(y_target=y_true, y_model1=predictions[i], y_model2=predictions[j])
        for i, j in pairs
    )
    return [mcnemar(ary=table, corrected=True) for table in tables]


def _speed(
    k: int, n: int, mark: float, sample: int | None, rounds: int, runs: int
) -> dict[str, Any]:
    rng = np.random.default_rng(k)
    y_true = rng.integers(0, 10, n, dtype=np.int8)
    predictions = [
        np.where(rng.random(n) < share, y_true, (y_true + 1) % 10).astype(np.int8)
        for share in rng.uniform(0.6, 0.9, k)
    ]
    i, j = upper(k)
    chosen = np.arange(i.size) if sample is None else rng.choice(i.size, sample, replace=False)
    pairs = list(zip(i[chosen].tolist(), j[chosen].tolist(), strict=True))
    _agree(ours(y_true, predictions), peer(y_true, predictions, pairs), chosen)

    def our_time() -> float:
        return _cpu(lambda: ours(y_true, predictions), runs)

    def peer_time() -> float:
        return _cpu(lambda: peer(y_true, predictions, pairs), 1) * i.size / len(pairs)

    ratios = []
    for number in range(rounds):
        if number % 2:
            mine, theirs = our_time(), peer_time()
        else:
            theirs, mine = peer_time(), our_time()
        ratios.append(theirs / mine)
    part = "all pairs" if sample is None else f"a random {sample} of {i.size} pairs, scaled up"
    return {
        "name": f"all-pairs McNemar, k={k}, n={n}",
        "ratio": median(ratios),
        "mark": mark,
        "note": f"at least; from labels, one thread, Cochran's Q included; mlxtend timed on {part}",
    }


def _agree(
    mine: tuple[NDArray[Any], NDArray[Any], float],
    theirs: list[tuple[float, float]],
    chosen: NDArray[np.int64],
) -> None:
    chi2, p = np.transpose(theirs)
    np.testing.assert_allclose(mine[0][chosen], chi2, rtol=1e-12)
    np.testing.assert_allclose(mine[1][chosen], p, rtol=1e-9)


def _memory(k: int, n: int) -> dict[str, Any]:
    correct = (np.random.default_rng(0).random((n, k), dtype=np.float32) < 0.8).astype(np.uint8)
    tracemalloc.start()
    try:
        joint_correct(correct)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    return {
        "name": f"all-pairs counts, extra memory / uint8 input, k={k}, n={n}",
        "ratio": peak / correct.nbytes,
        "mark": 0.25,
        "note": "at most; tracemalloc peak, the joint matrix itself included",
    }


def _cpu(work: Callable[[], object], runs: int) -> float:
    start = time.process_time()
    for _ in range(runs):
        work()
    return (time.process_time() - start) / runs


if __name__ == "__main__":
    for row in measure():
        print(f"{row['ratio']:9.2f}  mark {row['mark']:<6g} {row['name']}  ({row['note']})")
