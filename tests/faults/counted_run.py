"""Run two counted learners over a design and, once all is done, print the digest.

python counted_run.py STORE DESIGN N_JOBS SECONDS; a store named - is none.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
from counted import Counted

import outperform as op

SCALES = {"a": 1.0, "b": 0.6}
SEED = 3


def data(n_items: int = 60) -> tuple[Any, Any]:
    y = np.arange(n_items) % 3
    return np.random.default_rng(1).normal(size=(y.size, 4)) + y[:, None], y


def main(store: str, design: str, n_jobs: str, seconds: str) -> None:
    X, y = data()
    models = {name: Counted(scale, float(seconds)) for name, scale in SCALES.items()}
    scores = op.run(
        models,
        X,
        y,
        design=design,
        random_state=SEED,
        store=None if store == "-" else store,
        n_jobs=int(n_jobs),
        progress=False,  # what is said must be a complaint
    )
    print(scores.digest())


if __name__ == "__main__":
    warnings.simplefilter("error")
    main(*sys.argv[1:])
