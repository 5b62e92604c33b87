"""Parquet files of ten million items and ten models, compared in all pairs, beside reading them."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from timing import Row, as_installed

N_ITEMS, N_MODELS, ROUNDS = 10_000_000, 10, 5
READ = "import polars; frame = polars.read_parquet(sys.argv[1]); assert frame.height"
COMPARE = (
    "import outperform as op; found = op.compare(op.Scores.read(sys.argv[1], layout=sys.argv[2])); "
    "assert found.n_pairs == 45; str(found)"
)
# A process starts with the peak of the one that starts it, so a small one stands between.
LAUNCH = """
import resource, subprocess, sys, time
started = time.perf_counter()
subprocess.run([sys.executable, "-c", *sys.argv[1:]], check=True)
seconds = time.perf_counter() - started
print(seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def measure() -> list[Row]:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "items.parquet"
        for what, layout in (
            ("predictions", "predictions"),
            ("true and false", "correct"),
            ("bytes 0 and 1", "correct"),
        ):
            _write(path, what)
            rows += _rows(path, what, layout)
    return rows


def _write(path: Path, what: str) -> None:
    """Write ten million items: stretches of draws, repeated, so that they are quickly made."""
    import polars as pl

    rng = np.random.default_rng(0)
    y = rng.integers(0, 10, N_ITEMS, dtype=np.int8)
    columns: dict[str, Any] = {"y_true": y} if what == "predictions" else {}
    for m in range(N_MODELS):
        right = np.resize(rng.random(N_ITEMS // 100) < 0.7 + 0.02 * m, N_ITEMS)
        if what == "predictions":
            cells = np.where(right, y, (y + 1) % 10).astype(np.int8)
        else:
            cells = right if what == "true and false" else right.astype(np.int8)
        columns[f"model {m}"] = cells
    pl.DataFrame(columns).write_parquet(path)


def _rows(path: Path, what: str, layout: str) -> list[Row]:
    seconds, bytes_ = [], []
    for number in range(ROUNDS + 1):
        order = (COMPARE, READ) if number % 2 else (READ, COMPARE)
        spent = {code: _run(code, path, layout) for code in order}
        if number:  # the first round only fills the caches
            (ours, our_peak), (theirs, their_peak) = spent[COMPARE], spent[READ]
            seconds.append(ours / theirs)
            bytes_.append(our_peak / their_peak)
    name = f"{N_ITEMS:,} items × {N_MODELS} models, {what}, all pairs / polars reading the file"
    note = f"fresh processes, {path.stat().st_size / 1e6:.0f} MB of Parquet"
    return [
        Row(f"time: {name}", median(seconds), 3.0, floor=False, note=note),
        Row(f"peak memory: {name}", median(bytes_), 3.0, floor=False, note=note),
    ]


def _run(code: str, path: Path, layout: str) -> tuple[float, int]:
    """Return wall seconds and peak resident kilobytes of a fresh process."""
    done = subprocess.run(
        [sys.executable, "-c", LAUNCH, f"import sys; {code}", str(path), layout],
        check=True,
        capture_output=True,
        text=True,
        env=as_installed() | ONE_THREAD,
    )
    seconds, peak = done.stdout.split()
    return float(seconds), int(peak)
