"""Tests on items beside what users would do instead, and a race of a million items."""

from __future__ import annotations

import json
import tempfile
import time
import tracemalloc
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from scipy.stats import norm, rankdata
from timing import Row, ratio_of

import outperform as op

N_MODELS, N_RANKED = 20, 100_000
N_FLIPPED, DRAWS, DRAWN = 14_042, 30_000, 1_000
N_RACED, ROUNDS = 1_000_000, 3
MEGABYTE = 1e6


def measure() -> list[Row]:
    return [*_areas(), *_signs(), *_races()]


def _areas() -> list[Row]:
    """All pairs of areas at once, beside the usual function of two models in a loop."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, N_RANKED)
    shown = rng.normal(size=(N_MODELS, N_RANKED)) + y * np.linspace(0.8, 1.2, N_MODELS)[:, None]
    chances = {f"m{i}": 1 / (1 + np.exp(-row)) for i, row in enumerate(shown)}
    pairs = [(i, j) for i in range(N_MODELS) for j in range(i + 1, N_MODELS)]
    timed = pairs[:: len(pairs) // 10][:10]

    def ours() -> object:
        return _all_areas(y, chances).to_dict()

    def theirs() -> object:
        return [_two_areas(y, chances[f"m{i}"], chances[f"m{j}"]) for i, j in timed]

    found = _all_areas(y, chances)
    for i, j in timed:  # both say the same
        alone = _two_areas(y, chances[f"m{i}"], chances[f"m{j}"])
        assert np.isclose(found[f"m{i}", f"m{j}"].log_pvalue, alone, rtol=1e-6)
    ratio = ratio_of(ours, theirs, rounds=ROUNDS, their_share=len(timed) / len(pairs))
    what = f"DeLong, all {len(pairs)} pairs of {N_MODELS} models, n = {N_RANKED:,}, vs. a pair loop"
    note = f"Sun and Xu's algorithm by scipy's ranks, timed on {len(timed)} pairs"
    return [Row(what, ratio, 20, note=note)]


def _all_areas(y: Any, chances: Any) -> op.Comparison:
    items = op.Items.from_probabilities(y, chances, metric="roc_auc")  # ranks are not kept
    return op.compare(items, adjust="none")


def _two_areas(y: Any, a: Any, b: Any) -> float:
    """Return log p of DeLong's test of two models, as packages do it: midranks for each pair."""
    parts = []
    for scores in (a, b):
        x, z = scores[y == 1], scores[y == 0]
        rank = rankdata(np.concatenate([x, z]))
        v10 = (rank[: x.size] - rankdata(x)) / z.size
        v01 = 1 - (rank[x.size :] - rankdata(z)) / x.size
        parts.append((v10, v01))
    (a10, a01), (b10, b01) = parts
    s10, s01 = np.cov(a10, b10), np.cov(a01, b01)
    contrast = np.array([1.0, -1.0])
    variance = contrast @ (s10 / a10.size + s01 / a01.size) @ contrast
    z = (a10.mean() - b10.mean()) / np.sqrt(variance)
    return float(np.log(2) + norm.logsf(abs(z)))


def _signs() -> list[Row]:
    """The exact test by convolution, beside permutations that are drawn all at once."""
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 6, (2, N_FLIPPED)).astype(float)
    d = a - b

    def ours() -> object:
        return op.sign_flip(a, b)

    def theirs() -> object:
        signs = rng.choice(np.array([-1.0, 1.0]), (DRAWN, d.size))
        return np.mean(np.abs((signs * d).mean(axis=1)) >= abs(d.mean()))

    ratio = ratio_of(ours, theirs, rounds=ROUNDS, their_share=DRAWN / DRAWS)
    tracemalloc.start()
    ours()
    peak = tracemalloc.get_traced_memory()[1] / MEGABYTE
    tracemalloc.stop()
    what = f"exact sign-flip test, {N_FLIPPED:,} integer scores"
    note = f"timed on {DRAWN:,} of {DRAWS:,} draws, scaled up"
    return [
        Row(f"{what}, vs. a matrix of {DRAWS:,} random signs", ratio, 50, note=note),
        Row(f"{what}: peak memory in MB", peak, 100, floor=False, note="tracemalloc"),
    ]


def _races() -> list[Row]:
    """A race of equal models, which goes through all items, beside reading them."""
    with tempfile.TemporaryDirectory() as folder:
        logs = [_written(Path(folder) / f"{name}.jsonl", seed) for seed, name in enumerate("ab")]
        ratios = []
        for _ in range(ROUNDS):
            began = time.process_time()
            items = op.Items.read(*logs)
            middle = time.process_time()
            found = op.race(items, random_state=1)
            ratios.append((time.process_time() - middle) / (middle - began))
    assert found.n > 0.9 * N_RACED, found.n
    peaks = [_peak(items.at(np.arange(n))) for n in (N_RACED // 10, N_RACED)]
    what = f"race of {N_RACED:,} items"
    return [
        Row(f"{what} / reading its two logs", median(ratios), 5, floor=False, note="JSONL"),
        Row(
            f"{what} / of a tenth of them: memory beyond the scores and their order",
            peaks[1] / peaks[0],
            1.25,
            floor=False,
            note=f"{peaks[0]:.1f} and {peaks[1]:.1f} MB, tracemalloc",
        ),
    ]


def _written(path: Path, seed: int) -> str:
    right = np.random.default_rng(seed).random(N_RACED) < 0.7
    with path.open("w", encoding="utf-8") as file:
        file.writelines(
            json.dumps({"item": f"q{i}", "model": path.stem, "score": int(one)}) + "\n"
            for i, one in enumerate(right.tolist())
        )
    return str(path)


def _peak(items: Any) -> float:
    """Return the megabytes that a watch takes beyond what it is given, block by block."""
    from outperform.verbs.race_watch import RaceWatch

    a, b = items.means
    order = np.random.default_rng(1).permutation(a.size)
    tracemalloc.start()
    watch = RaceWatch(n_items=a.size)
    for at in range(0, a.size, 4096):
        if watch.take(a[order[at : at + 4096]], b[order[at : at + 4096]]):
            break
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / MEGABYTE
