"""Printed numbers: read with the room that their last digit leaves."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

__all__ = ["Printed", "printed", "published"]


class Printed(NamedTuple):
    """A number as printed and half a unit of its last digit."""

    value: float
    half_unit: float


def printed(text: str) -> Printed:
    """Read a number written as in the paper: "0.0205" stands for 0.02045 to 0.02055."""
    digits, _, power = text.lower().partition("e")
    decimals = len(digits.partition(".")[2])
    return Printed(float(text), 0.5 * 10.0 ** (int(power or 0) - decimals))


@cache
def published(paper: str) -> dict[str, Any]:
    """Return what a paper printed, from the table shipped with the package."""
    path = resources.files(__package__) / "published" / f"{paper.replace('-', '_')}.json"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found
