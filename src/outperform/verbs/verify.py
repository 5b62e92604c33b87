"""`verify`: recompute everything that a record says, from the scores inside it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import DataError, OutperformError
from ..results.records import FINDINGS, SCHEMA, SHORT, differences, seal
from ..results.result import versions
from ..scores.payload import decoded
from ..scores.split_scores import Scores
from .compare import compare

MOST_BYTES = 2**29
"""Of a record: more is refused before it is read."""
SHOWN = 10
"""Differences that are printed one by one."""


class DamagedRecord(DataError):
    """A file is no record, or one that cannot be read any more."""


@dataclass(frozen=True, slots=True)
class Verification:
    """What came of recomputing a record: the seal, every value that differs, other versions."""

    path: str
    sha256: str
    """The hash that the record carries."""
    is_sealed: bool
    """Whether the content still has that hash."""
    differences: tuple[tuple[str, Any, Any], ...]
    """The place, the recorded value and the recomputed one; empty if all agree to the last bit."""
    other_versions: Mapping[str, tuple[str | None, str | None]]
    """Packages whose version differs from the recorded one: then and now."""
    verdicts: tuple[str, ...]
    """The recomputed verdict on each pair."""

    @property
    def agrees(self) -> bool:
        """Whether the record is as it was written, and every value was found again."""
        return self.is_sealed and not self.differences

    def to_dict(self) -> dict[str, Any]:
        """Return the verification as JSON data."""
        return {
            "path": self.path,
            "sha256": self.sha256,
            "agrees": self.agrees,
            "sealed": self.is_sealed,
            "differences": [
                {"place": place, "recorded": then, "recomputed": now}
                for place, then, now in self.differences
            ],
            "other_versions": {name: list(both) for name, both in self.other_versions.items()},
            "verdicts": list(self.verdicts),
        }

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """Return the verification in sentences, one a line."""
        word = "verified" if self.agrees else "NOT verified"
        said = [f"{self.path}: {word} (sha256 {self.sha256[:SHORT]})"]
        if not self.is_sealed:
            said.append("  The content does not match its sha256: it was changed after writing.")
        said += [
            f"  {place}: recorded {_shown(then)}, recomputed {_shown(now)}"
            for place, then, now in self.differences[:SHOWN]
        ]
        if len(self.differences) > SHOWN:
            said.append(f"  … and {len(self.differences) - SHOWN:,} more differences")
        said += [
            f"  {name}: recorded with {then or 'none'}, now {now or 'none'}"
            for name, (then, now) in self.other_versions.items()
        ]
        return [*said, *(f"  {verdict}" for verdict in self.verdicts[:SHOWN])]


def verify(path: Any) -> Verification:
    """Recompute a record from the scores inside it, and say what differs.

    The scores, not the numbers, are taken from the record: they are judged again by the recorded
    method with the recorded options, and every estimate, interval, p-value, verdict, grade and note
    is compared to the last bit. The file is read as data; no code is run from it.

    Parameters
    ----------
    path : str or path-like
        A file that `Comparison.record` or `outperform compare --record` has written.

    Returns
    -------
    Verification
        `agrees` is True if the content has its sha256 and every value was found again.
    """
    held = _read(Path(path))
    try:
        asked = held["asked"]
        scores = decoded(held["measured"])
        if not isinstance(scores, Scores):
            raise DataError("a record needs scores")
        found = compare(
            scores,
            method=str(asked["method"]),
            alternative=str(asked["alternative"]),
            adjust=str(asked["adjust"]),
            control=asked["control"],
        )
        reading = {key: asked[key] for key in ("alpha", "level", "rope")}
        made = json.loads(found.to_json(**reading))
    except OutperformError as error:
        raise DamagedRecord(f"{path} cannot be recomputed: {error}") from None
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise DamagedRecord(f"{path} is a damaged record ({type(error).__name__})") from None
    told = {"estimand": held.get("estimand"), **held["found"]}
    again = {"estimand": made["estimand"], **{key: made[key] for key in FINDINGS}}
    then = held.get("versions") or {}
    now = versions()
    return Verification(
        str(path),
        str(held.get("sha256")),
        held.get("sha256") == seal(held),
        tuple(differences(told, again)),
        {
            name: (then.get(name), now.get(name))
            for name in dict.fromkeys((*then, *now))
            if then.get(name) != now.get(name)
        },
        tuple(
            f"{first} vs. {second}: {found.verdict(first, second, asked['alpha'], asked['rope'])}"
            for first, second in found.pair_names[:SHOWN]
        ),
    )


def _read(path: Path) -> dict[str, Any]:
    """Return the content of a record, refusing what is none."""
    if not path.is_file():
        raise DataError(f"{str(path)!r} was not found. Name a file that --record has written")
    if path.stat().st_size > MOST_BYTES:
        raise DamagedRecord(f"{path} has more than {MOST_BYTES:,} bytes, which no record has")
    try:
        held = json.loads(path.read_bytes(), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise DamagedRecord(
            f"{path} is not a record, or was cut short: it is not valid JSON"
        ) from None
    schema = held.get("schema") if isinstance(held, dict) else None
    if schema != SCHEMA:
        raise DamagedRecord(f"{path} must have the schema {SCHEMA!r}, got {schema!r}")
    parts = ("measured", "asked", "found")
    lost = [name for name in parts if not isinstance(held.get(name), dict)]
    if lost:
        raise DamagedRecord(f"{path} is a damaged record: no {' and no '.join(lost)}")
    return dict(held)


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} among the numbers")


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else f"{text[:77]}…"
