"""The journal of a race: the scores so far, one JSON line for each item, so that it can go on."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..errors import DataError

SCHEMA = "outperform/race-journal/1"
LARGEST = sys.float_info.max


class RaceJournal:
    """Scores of items by their position; nothing is kept where there is no path."""

    def __init__(self, path: Any, seed: int, items: Sequence[Any]) -> None:
        self.path = None if path is None else Path(path)
        self.known: dict[int, tuple[float, float]] = {}
        if self.path is None:
            return
        digest = sha256()
        for item in items:
            digest.update(repr(item).encode("utf-8", "surrogatepass") + b"\0")
        head = {"schema": SCHEMA, "seed": seed, "n": len(items), "items": digest.hexdigest()}
        if self.path.exists() and self.path.stat().st_size:
            self._read(head)
        else:
            self._write(head)

    def _read(self, head: dict[str, Any]) -> None:
        """Read what was kept; a last line that was cut off is dropped and its item asked again."""
        assert self.path is not None
        whole = self.path.read_bytes()
        kept = whole[: whole.rfind(b"\n") + 1]
        lines = kept.decode("utf-8", "replace").splitlines()
        found = _parsed(lines[0]) if lines else None
        if not isinstance(found, dict) or found.get("schema") != SCHEMA:
            raise DataError(
                f"{self.path} is not the journal of a race. Pass another path as journal."
            )
        for name, value in head.items():
            if found.get(name) != value:
                known = {"seed": "a different random_state", "n": "a different number of items"}
                what = known.get(name, "different items")
                raise DataError(
                    f"{self.path} is the journal of a race with {what}. "
                    "Pass the same items and random_state to continue, or another path as journal."
                )
        for number, line in enumerate(lines[1:], 2):
            row = _parsed(line)
            if not _is_row(row, head["n"]):
                raise DataError(f"Line {number} of {self.path} is damaged; remove it to continue.")
            self.known[row[0]] = (float(row[1]), float(row[2]))
        if len(kept) != len(whole):
            with self.path.open("r+b") as file:
                file.truncate(len(kept))

    def add(self, scored: Sequence[tuple[int, float, float]]) -> None:
        """Keep the scores of items."""
        for item, a, b in scored:
            self.known[item] = (a, b)
        if self.path is not None and scored:
            self._write(*([item, a, b] for item, a, b in scored))

    def _write(self, *rows: Any) -> None:
        assert self.path is not None
        with self.path.open("a", encoding="utf-8") as file:
            file.write("".join(json.dumps(row) + "\n" for row in rows))


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _is_row(row: Any, n: int) -> bool:
    if not isinstance(row, list) or len(row) != 3 or not isinstance(row[0], int):
        return False
    numbers = all(isinstance(x, int | float) and abs(x) <= LARGEST for x in row[1:])
    return numbers and 0 <= row[0] < n
