"""Running exhibits: what is finished is kept, so that a run killed at any point goes on."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from .._version import __version__
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
            began = time.perf_counter()
            finding = exhibit.run(scale)
            finding = replace(finding, seconds=time.perf_counter() - began)
            _keep(exhibit, scale, finding)
        yield exhibit, finding


def kept(exhibit: Exhibit, scale: Scale) -> Finding | None:
    """Return a finding of an earlier run of the same exhibit at the same scale, if there is one."""
    path = _path(exhibit, scale)
    if not path.is_file():
        return None
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if found["key"] != _key(exhibit):
            return None
        return _finding(found["finding"])
    except (ValueError, KeyError, TypeError):
        return None  # a damaged file is run again


def _keep(exhibit: Exhibit, scale: Scale, finding: Finding) -> None:
    path = _path(exhibit, scale)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"key": _key(exhibit), "finding": asdict(finding)}, ensure_ascii=False)
    part = path.with_suffix(f".{os.getpid()}.part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)


def _path(exhibit: Exhibit, scale: Scale) -> Path:
    size = "quick" if scale.quick else "full"
    return scale.folder / f"{exhibit.paper}-{exhibit.name}-{size}.json"


def _key(exhibit: Exhibit) -> str:
    """Return what a kept finding depends on: a change of it makes the exhibit run anew."""
    parts: list[Any] = [__version__, exhibit.key, exhibit.seed, sorted(exhibit.parameters.items())]
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


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
