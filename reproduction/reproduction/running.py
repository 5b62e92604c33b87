"""Running exhibits: what is finished is kept as JSON, so that a run killed at any point goes on.

With it stands what it depends on, how long it took, and by which version and when it was run.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from outperform._version import __version__
from outperform.errors import DataError

from .exhibits import Agreement, Exhibit, Finding, Scale, Statement, Value


def reproduce(
    chosen: Iterable[Exhibit], scale: Scale, *, again: bool = False
) -> Iterator[tuple[Exhibit, Finding]]:
    """Yield each exhibit with its finding; finished ones are read back unless `again`."""
    chosen = tuple(chosen)
    for exhibit in chosen:
        refuse_changes(exhibit, scale)
    for exhibit in chosen:
        finding = None if again else kept(exhibit, scale)
        if finding is None:
            scale.say(f"{exhibit.key}: {exhibit.title}")
            clock = _path(exhibit, scale, "seconds")
            with clocked(clock, scale) as watched:
                finding = exhibit.run(watched)
            today = datetime.now(UTC).date().isoformat()
            finding = replace(finding, seconds=spent(clock), version=__version__, date=today)
            _keep(_path(exhibit, scale), _key(exhibit, scale), asdict(finding))
        yield exhibit, finding


def refuse_changes(exhibit: Exhibit, scale: Scale) -> None:
    """Refuse what an exhibit cannot run otherwise than published."""
    for name in scale.changes:
        if name not in exhibit.takes:
            only = ", ".join(f"--{one}" for one in exhibit.takes) or "no option of that kind"
            raise DataError(f"{exhibit.key} cannot be run with --{name}, only with: {only}")
    if exhibit.datasets is not None:
        exhibit.datasets(scale)  # before any is loaded


def kept(exhibit: Exhibit, scale: Scale) -> Finding | None:
    """Return a finding of an earlier run of the same exhibit at the same scale, if there is one."""
    found = _kept(_path(exhibit, scale), _key(exhibit, scale))
    try:
        return None if found is None else _finding(found)
    except (KeyError, TypeError):
        return None  # a damaged file is run again


def _path(exhibit: Exhibit, scale: Scale, what: str = "found") -> Path:
    return scale.folder / f"{exhibit.paper}-{exhibit.name}-{scale.size}.{what}.json"


def _key(exhibit: Exhibit, scale: Scale) -> str:
    """Return what a kept finding depends on: a change of it makes the exhibit rerun.

    What is slow is kept apart, in stores with keys of their own: to judge again takes seconds.
    """
    ran = sorted((name, repr(value)) for name, value in exhibit.ran(scale).items())
    about = [code(), exhibit.key, exhibit.seed, ran, scale.changes]
    return digest(about, exhibit.needs)


def _finding(found: dict[str, Any]) -> Finding:
    return Finding(
        values=tuple(Value(**value) for value in found["values"]),
        statements=tuple(Statement(**statement) for statement in found["statements"]),
        header=tuple(found["header"]),
        rows=tuple(tuple(row) for row in found["rows"]),
        remarks=tuple(found["remarks"]),
        fit=found["fit"],
        curves=found["curves"],
        seconds=found["seconds"],
        version=found["version"],
        date=found["date"],
    )


def remembered(
    scale: Scale, name: str, about: Any, compute: Callable[[], Any], needs: tuple[str, ...] = ()
) -> Any:
    """Return what was computed before with the same settings and data, or compute and keep it."""
    path, key = scale.store(name).with_suffix(".json"), digest(about, needs)
    found = _kept(path, key)
    if found is None:
        found = compute()
        _keep(path, key, found)
    return found


def _kept(path: Path, key: str) -> Any:
    """Return what a file keeps under the key; None where it is absent, damaged or of another."""
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
        return read["found"] if read["key"] == key else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _keep(path: Path, key: str, found: Any) -> None:
    """Write a file that is either whole or not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}.part")
    part.write_text(json.dumps({"key": key, "found": found}, ensure_ascii=False), encoding="utf-8")
    os.replace(part, path)


def digest(about: Any, needs: tuple[str, ...] = ()) -> str:
    """Return what kept work depends on: settings, the version, and the datasets named."""
    parts = [__version__, about, *(_data(name) for name in needs)]
    return sha256(repr(parts).encode()).hexdigest()[:16]


@cache
def code() -> str:
    """Return a digest of the exhibits' own code: what is judged again when a judgement changes."""
    files = sorted(Path(__file__).parent.rglob("*.py"))
    return sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]


@cache
def _data(name: str) -> str:
    from outperform.engine.learning_data import fingerprint, read_data

    from .datasets import load

    data = load(name)
    return fingerprint(read_data(data.X, data.y, None))


@contextmanager
def clocked(path: Path, scale: Scale) -> Iterator[Scale]:
    """Add the seconds spent inside to those in a file, at every word said: a kill loses few.

    What was kept before an interruption took time too: `spent` reads the sum of all attempts.
    """
    before, began = spent(path), time.perf_counter()

    def note(text: str = "") -> None:
        _keep(path, "seconds", before + time.perf_counter() - began)
        if text:
            scale.say(text)

    try:
        yield replace(scale, say=note)
    finally:
        note()


def spent(path: Path) -> float:
    """Return the seconds that a file has counted."""
    return float(_kept(path, "seconds") or 0.0)


def told(exhibit: Exhibit, finding: Finding, scale: Scale) -> dict[str, Any]:
    """Return what an exhibit found as plain data: what the page shows and `--json` prints."""
    judged: tuple[Value | Statement, ...] = (*finding.values, *finding.statements)
    return {
        "paper": exhibit.paper,
        "name": exhibit.name,
        "title": exhibit.title,
        "did": exhibit.did,
        "verdict": finding.agreement,
        "ran": {name: str(value) for name, value in exhibit.ran(scale).items()},
        "quick": scale.quick,
        "scale": scale.size,
        "version": finding.version,
        "date": finding.date,
        "seconds": finding.seconds,
        "counts": counted_verdicts(
            [one.agreement for one in judged], sum(one.trivial for one in finding.values)
        ),
        "fit": dict(finding.fit),
        "figure": exhibit.draw is not None,
        "header": list(finding.header),
        "rows": [list(row) for row in finding.rows],
        "statements": [
            {
                "text": s.text,
                "verdict": s.agreement,
                "judged_by": s.judged_by,
                "reason": s.why,
            }
            for s in finding.statements
        ],
        "values": [
            {
                "name": v.name,
                "published": v.published,
                "ours": v.ours,
                "error": v.error,
                "verdict": v.agreement,
                "trivial": v.trivial,
                "reason": v.why,
            }
            for v in finding.values
        ],
        "remarks": list(finding.remarks),
    }


def counted_verdicts(marks: Sequence[Agreement], trivial: int) -> dict[str, int]:
    """Count verdicts; cells that are 0 = 0 or 1 = 1 apart from what agrees."""
    every: tuple[Agreement, ...] = ("agrees", "undecided", "differs", "not comparable")
    counts: dict[str, int] = {mark: marks.count(mark) for mark in every}
    return {"agrees": counts.pop("agrees") - trivial, "trivial": trivial} | counts
