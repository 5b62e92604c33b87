"""Sizes of tests on the cases of docs/calibration.md: the one table that every text quotes.

`calibration/tools/calibration_page.py` writes measured_sizes.json from calibration/counts.json.
"""

import json
from pathlib import Path
from typing import NamedTuple


class Size(NamedTuple):
    """How often a test rejected true null hypotheses at 5 %, over cases, in %."""

    cases: int
    least: float
    median: float
    most: float


TABLE = Path(__file__).with_suffix(".json")
SIZES = {label: Size(*row) for label, row in json.loads(TABLE.read_text("utf-8")).items()}
"""By method and design, such as "corrected_t 10x10cv"."""


def size_range(method: str) -> str:
    """Return the least and the largest size of a method, over all designs and cases."""
    sizes = [size for label, size in SIZES.items() if label.split()[0] == method]
    return f"{min(s.least for s in sizes):.0f} to {max(s.most for s in sizes):.0f} %"
