"""How long the fits of a store took: what a larger run will cost."""

from __future__ import annotations

from contextlib import closing
from typing import Any

from .contents import RUN_FILE


def seconds_of_fits(path: Any) -> tuple[float, float] | None:
    """Return the mean seconds of a fit on all data, and on parts of them; None without fits.

    Partition 0 has all data; where no others were run, the two are equal.
    """
    real, _ = RUN_FILE.find(path, "read")
    with RUN_FILE.typed(real), closing(RUN_FILE.for_reading(real)) as db:
        # A fit that was scored by further metrics later took what its first score took.
        each = (
            "SELECT address >> 44 > 0 AS part, max(seconds) AS s FROM cell WHERE status = 0 "
            "GROUP BY learner, address"
        )
        means = db.execute(f"SELECT part, avg(s) FROM ({each}) GROUP BY part ORDER BY part")
        found = [float(seconds) for _, seconds in means]
    return (found[0], found[-1]) if found else None
