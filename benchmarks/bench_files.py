"""A Parquet file of ten million items and ten models, compared in all pairs, beside reading it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np
from timing import Row

N_ITEMS, N_MODELS, ROUNDS = 10_000_000, 10, 5
READ = "import polars; frame = polars.read_parquet(sys.argv[1]); assert frame.height"
COMPARE = (
    "import outperform as op; "
    "found = op.compare(op.Scores.read(sys.argv[1])); assert found.n_pairs == 45; str(found)"
)
PEAK = "import resource; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"


def measure() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "items.parquet"
        _write(path)
        return _rows(path)


def _write(path: Path) -> None:
    """Write ten million items: a stretch of draws, repeated, so that it is quickly made."""
    import polars as pl

    rng = np.random.default_rng(0)
    y = rng.integers(0, 10, N_ITEMS, dtype=np.int8)
    columns = {"y_true": y}
    for m in range(N_MODELS):
        right = np.resize(rng.random(N_ITEMS // 100) < 0.7 + 0.02 * m, N_ITEMS)
        columns[f"model {m}"] = np.where(right, y, (y + 1) % 10).astype(np.int8)
    pl.DataFrame(columns).write_parquet(path)


def _rows(path: Path) -> list[Row]:
    seconds, bytes_ = [], []
    for number in range(ROUNDS + 1):
        order = (COMPARE, READ) if number % 2 else (READ, COMPARE)
        spent = {code: _run(code, path) for code in order}
        if number:  # the first round only fills the disk cache
            (ours, our_peak), (theirs, their_peak) = spent[COMPARE], spent[READ]
            seconds.append(ours / theirs)
            bytes_.append(our_peak / their_peak)
    what = f"{N_ITEMS:,} items × {N_MODELS} models, all pairs / polars reading the file"
    note = f"fresh processes, {path.stat().st_size / 1e6:.0f} MB of Parquet"
    return [
        Row(f"time: {what}", median(seconds), 3.0, floor=False, note=note),
        Row(f"peak memory: {what}", median(bytes_), 3.0, floor=False, note=note),
    ]


def _run(code: str, path: Path) -> tuple[float, int]:
    """Return wall seconds and peak resident kilobytes of a fresh process."""
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; {code}; {PEAK}", str(path)],
        check=True, capture_output=True, text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    )  # fmt: skip
    return time.perf_counter() - started, int(done.stdout.split()[-1])
