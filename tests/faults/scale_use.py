"""Resume a large store, or open it and compare for a report; print the peak memory as JSON.

python scale_use.py resume|report STORE N_LEARNERS N_REPEATS
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import scale_build
import sklearn.tree  # noqa: F401 - what a learner needs is not the store's to pay for

import outperform as op
from outperform.engine import running
from outperform.storage import Store


def main(
    act: str,
    store: str,
    n_learners: str,
    n_repeats: str,
    *,
    ready: Callable[[], object] = lambda: None,
) -> None:
    """Do it; `ready` is called when the first fit is about to begin, or all is compared."""
    told: dict[str, Any] = {}
    if act == "resume":
        execute = running.execute

        def decided(works: Any, pool: Any) -> None:
            works = list(works)
            if not told:
                ready()
            told.setdefault("left", len(works[0].queue.waiting))
            told.setdefault("megabytes", peak())
            execute(works, pool)

        running.execute = decided
        scores = scale_build.run(store, int(n_learners), int(n_repeats))
    else:
        with Store.open(store, mode="read") as kept:
            scores = kept.scores()
        op.compare(scores)
        ready()
    told |= {"cells": scores.values.size, "peak": peak()}
    print(json.dumps(told))


def peak() -> float:
    """Return the most memory this program held, in MB.

    Not ru_maxrss where it can be helped: it begins with what the parent held when it forked.
    """
    status = Path("/proc/self/status")
    if status.exists():
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(lines["VmHWM"].split()[0]) / 2**10
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (2**20 if sys.platform == "darwin" else 2**10)


if __name__ == "__main__":
    main(*sys.argv[1:])
