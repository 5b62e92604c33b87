"""The golden entries of statistics on items, by name; each carries its source."""

import json
from typing import Any

import places

ITEMS: dict[str, dict[str, Any]] = {
    entry["name"]: entry
    for entry in json.loads((places.GOLDEN / "items.json").read_text(encoding="utf-8"))
}


def numbers_in(case: str) -> list[float]:
    """Return the numbers of a case such as "s=32,f=23,a=1"."""
    return [float(part.split("=")[1]) for part in case.split(",")]
