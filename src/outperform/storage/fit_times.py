"""How long the fits of a store took: what a larger run will cost."""

from __future__ import annotations

from contextlib import closing
from typing import Any

from .contents import RUN_FILE


def seconds_of_fits(path: Any) -> float | None:
    """Return the mean seconds of a fit that succeeded; None where none did."""
    real, _ = RUN_FILE.find(path, "read")
    with RUN_FILE.typed(real), closing(RUN_FILE.for_reading(real)) as db:
        # A fit that was scored by further metrics later took what its first score took.
        each = "SELECT max(seconds) AS s FROM cell WHERE status = 0 GROUP BY learner, address"
        found = db.execute(f"SELECT avg(s) FROM ({each})").fetchone()[0]
    return None if found is None else float(found)
