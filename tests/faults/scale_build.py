"""Make a store of many cells as a run would, with made-up outcomes in place of fits.

python scale_build.py STORE N_LEARNERS N_REPEATS N_LEFT
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import outperform as op
from outperform.engine import running
from outperform.storage import Outcome

N_ITEMS = 20


def run(store: str, n_learners: int, n_repeats: int, **options: Any) -> op.Scores:
    """Run trees, each with another random_state, over n_repeats × 10 splits of 20 items."""
    from sklearn.tree import DecisionTreeClassifier

    y = np.arange(N_ITEMS) % 2
    X = np.random.default_rng(0).normal(size=(N_ITEMS, 2)) + y[:, None]
    models = {f"tree {i}": DecisionTreeClassifier(random_state=i) for i in range(n_learners)}
    design = f"{n_repeats}x10cv"
    return op.run(models, X, y, design=design, random_state=0, store=store, **options)


def main(store: str, n_learners: str, n_repeats: str, n_left: str) -> None:
    def pretend(works: Any, pool: Any) -> None:
        (work,) = works
        cells = list(work.queue.waiting)
        del cells[:: len(cells) // int(n_left)]
        for number, cell in enumerate(cells):
            losses = np.array([number % 2, number % 3 == 0], dtype=np.bool_)
            work.sink([(cell, Outcome(1 - losses.mean(), 0.001, losses, "ok"))])
        work.ended()

    running.execute = pretend
    try:
        run(store, int(n_learners), int(n_repeats))
    except op.RunFailed as error:
        print(str(error).splitlines()[0])


if __name__ == "__main__":
    main(*sys.argv[1:])
