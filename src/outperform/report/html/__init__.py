"""The report as HTML: the page, its sections, the page of a study, fragments for notebooks."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PageOptions"]


@dataclass(frozen=True, slots=True)
class PageOptions:
    """What the reader asked the comparison with."""

    alpha: float
    level: float
    rope: float | None
