"""Run two counted learners over a design and, once all is done, print the digest.

python counted_run.py STORE DESIGN N_JOBS SECONDS [N_ITEMS]; a store named - is none.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
from counted import Counted

import outperform as op


def main(store: str, design: str, n_jobs: str, seconds: str, n_items: str = "60") -> None:
    y = np.arange(int(n_items)) % 3
    X = np.random.default_rng(1).normal(size=(y.size, 4)) + y[:, None]
    learners = {name: Counted(scale, float(seconds)) for name, scale in (("a", 1.0), ("b", 0.6))}
    scores = op.run(
        learners,
        X,
        y,
        design=design,
        random_state=3,
        store=None if store == "-" else store,
        n_jobs=int(n_jobs),
    )
    print(scores.digest())


if __name__ == "__main__":
    warnings.simplefilter("error")
    main(*sys.argv[1:])
