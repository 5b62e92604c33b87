"""Running exhibits: what is finished is kept, so that a run killed at any point goes on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from . import keeping
from .exhibits import Exhibit, Finding, Scale, Statement, Value

__all__ = ["kept", "reproduce"]


def reproduce(
    chosen: Iterable[Exhibit], scale: Scale, *, again: bool = False
) -> Iterator[tuple[Exhibit, Finding]]:
    """Yield each exhibit with its finding; finished ones are read back unless `again`."""
    for exhibit in chosen:
        finding = None if again else kept(exhibit, scale)
        if finding is None:
            scale.say(f"{exhibit.key}: {exhibit.title}")
            clock = _path(exhibit, scale, "seconds")
            with keeping.clocked(clock, scale) as watched:
                finding = exhibit.run(watched)
            finding = replace(finding, seconds=keeping.spent(clock))
            keeping.keep(_path(exhibit, scale), _key(exhibit), asdict(finding))
        yield exhibit, finding


def kept(exhibit: Exhibit, scale: Scale) -> Finding | None:
    """Return a finding of an earlier run of the same exhibit at the same scale, if there is one."""
    found = keeping.kept(_path(exhibit, scale), _key(exhibit))
    try:
        return None if found is None else _finding(found)
    except (KeyError, TypeError):
        return None  # a damaged file is run again


def _path(exhibit: Exhibit, scale: Scale, what: str = "found") -> Path:
    size = "quick" if scale.quick else "full"
    return scale.folder / f"{exhibit.paper}-{exhibit.name}-{size}.{what}.json"


def _key(exhibit: Exhibit) -> str:
    """Return what a kept finding depends on: a change of it makes the exhibit run anew.

    What is slow is kept apart, in stores with keys of their own: to judge anew takes seconds.
    """
    about = [keeping.code(), exhibit.key, exhibit.seed, sorted(exhibit.parameters.items())]
    return keeping.digest(about, exhibit.needs)


def _finding(found: dict[str, Any]) -> Finding:
    return Finding(
        values=tuple(Value(**value) for value in found["values"]),
        statements=tuple(Statement(**statement) for statement in found["statements"]),
        header=tuple(found["header"]),
        rows=tuple(tuple(row) for row in found["rows"]),
        remarks=tuple(found["remarks"]),
        curves=found["curves"],
        seconds=found["seconds"],
    )
