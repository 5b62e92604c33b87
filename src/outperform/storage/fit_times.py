"""How long the fits of a store took: what a larger run will cost."""

from __future__ import annotations

from contextlib import closing
from typing import Any

from .contents import RUN_FILE


def seconds_of_fits(path: Any) -> float | None:
    """Return the mean seconds of a fit that succeeded; None where none did."""
    real, _ = RUN_FILE.find(path, "read")
    with RUN_FILE.typed(real), closing(RUN_FILE.for_reading(real)) as db:
        found = db.execute("SELECT avg(seconds) FROM cell WHERE status = 0").fetchone()[0]
    return None if found is None else float(found)
