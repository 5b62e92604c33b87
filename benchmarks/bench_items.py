"""Logs of items: ten logs of 10^5 items × 5 samples beside json, and 10^6 items × 20 models."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

import numpy as np
from timing import Row, as_installed

N_LOGS, N_ITEMS, N_SAMPLES, N_CLUSTERS, ROUNDS = 10, 100_000, 5, 500, 2
PARSE = """
import json
for path in sys.argv[1:]:
    with open(path, "rb") as file:
        for line in file:
            json.loads(line)
"""
COMPARE = """
import outperform as op
found = op.compare(*sys.argv[1:], cluster="subject")
assert found.n_pairs == 45 and found.n == 100_000
str(found)
"""
MANY = """
import numpy as np, outperform as op
rng = np.random.default_rng(0)
right = rng.random((20, 1_000_000)) < np.linspace(0.6, 0.7, 20)[:, None]
items = op.Items.from_arrays({f"m{i}": row for i, row in enumerate(right)},
                             clusters=np.arange(1_000_000) // 1000)
import time
started = time.process_time()
assert op.compare(items).n_pairs == 190
print(time.process_time() - started)
"""
# A process starts with the peak of the one that starts it, so a small one stands between.
LAUNCH = """
import resource, subprocess, sys
subprocess.run([sys.executable, "-c", *sys.argv[1:]], check=True)
spent = resource.getrusage(resource.RUSAGE_CHILDREN)
print(spent.ru_utime + spent.ru_stime, spent.ru_maxrss)
"""
BYTES = 8 * N_LOGS * N_ITEMS * N_SAMPLES


def measure() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        paths = [_write(Path(folder) / f"m{m}.jsonl", m) for m in range(N_LOGS)]
        size = sum(Path(path).stat().st_size for path in paths)
        ratios, peaks = [], []
        for number in range(ROUNDS):
            order = (COMPARE, PARSE) if number % 2 else (PARSE, COMPARE)
            spent = {code: _run(code, paths) for code in order}
            ratios.append(spent[COMPARE][0] / spent[PARSE][0])
            peaks.append(1024 * spent[COMPARE][1] / BYTES)
    what = f"{N_LOGS} logs of {N_ITEMS:,} items × {N_SAMPLES} samples, all pairs with clusters"
    note = f"fresh processes, {size / 1e6:.0f} MB of JSONL, CPU time"
    seconds = float(_output(["-c", MANY]))
    return [
        Row(
            f"time: {what} / json.loads of every line", median(ratios), 1.5, floor=False, note=note
        ),
        Row(
            f"peak memory: {what} / their scores as floats",
            median(peaks),
            20,
            floor=False,
            note=note,
        ),
        Row(
            "seconds: 1,000,000 items × 20 models in clusters, 190 pairs",
            seconds,
            15,
            floor=False,
            note="from arrays",
        ),
    ]


def _write(path: Path, model: int) -> str:
    rng = np.random.default_rng(model)
    right = rng.random((N_ITEMS, N_SAMPLES)) < rng.random((N_ITEMS, 1))
    with path.open("w", encoding="utf-8") as file:
        for i in range(N_ITEMS):
            about = {
                "item": f"q{i}",
                "model": path.stem,
                "subject": f"s{i * N_CLUSTERS // N_ITEMS}",
            }
            file.writelines(
                json.dumps({**about, "sample": s, "score": int(right[i, s])}) + "\n"
                for s in range(N_SAMPLES)
            )
    return str(path)


def _run(code: str, paths: list[str]) -> tuple[float, int]:
    seconds, peak = _output(["-c", LAUNCH, f"import sys\n{code}", *paths]).split()
    return float(seconds), int(peak)


def _output(words: list[str]) -> str:
    made = subprocess.run(
        [sys.executable, *words], check=True, capture_output=True, text=True, env=as_installed()
    )
    return made.stdout
