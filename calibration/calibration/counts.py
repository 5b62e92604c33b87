"""What the public benchmark keeps: sums for each case and test, in a small file that grows.

A block of experiments has a seed of its own, is named beside its sums, and is never counted twice.
"""

from __future__ import annotations

import json
import math
import os
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from outperform.errors import DataError
from outperform.lab.tested import COLUMNS, UNITS, CountedTest

from .cases import CASES

SCHEMA = "outperform/calibration/1"
DEVELOPMENT, REPORTING = 20261201, 20270101
"""Seeds; those of the test suite's gates and of docs/calibrated.md are others still."""
MOST_BLOCKS = 100_000
"""Blocks that a file of counts may name: more would not fit into memory."""


@dataclass
class CaseCounts:
    """The counts of every test on one case, the unit of power, and the truth by training size."""

    unit: float
    truth: dict[int, float] = field(default_factory=dict)
    tallies: dict[str, CountedTest] = field(default_factory=dict)


class CountsFile:
    """The file of counts: read when opened, written whole, never half."""

    def __init__(self, path: Path | None, seed: int = REPORTING) -> None:
        self.path, self.seed = path, seed
        self.cases: dict[str, CaseCounts] = {}
        self._held = self._bytes()
        if self._held is not None:
            try:
                kept = json.loads(self._held)
            except (ValueError, RecursionError):  # no JSON, or no text at all
                kept = None
            self._read(kept if isinstance(kept, dict) else {})

    def _bytes(self) -> bytes | None:
        """Return what the file holds now; None if there is none."""
        try:
            return None if self.path is None else self.path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise DataError(f"{self.path} cannot be read: {error.strerror}") from None

    def _read(self, kept: dict[str, Any]) -> None:
        if kept.get("schema") != SCHEMA or kept.get("columns") != list(COLUMNS):
            raise DataError(f"{self.path} does not contain counts of this version; use a new file")
        if kept.get("seed") != self.seed:
            raise DataError(
                f"{self.path} has experiments of the seed {kept.get('seed')!r}, not {self.seed}; "
                "use another file"
            )
        try:
            self.cases = {name: _case_of(name, row) for name, row in kept["cases"].items()}
        except (LookupError, TypeError, ValueError, AttributeError, OverflowError):
            raise DataError(f"{self.path} is damaged; use a new file") from None

    def write(self) -> None:
        """Write one line for each case and test, so that changes can be read."""
        if self.path is None:
            return
        if self._bytes() != self._held:
            raise DataError(
                f"{self.path} was changed by another process; give each process a file of its own"
            )
        cases = []
        for name in sorted(self.cases, key=lambda name: [*CASES, name].index(name)):
            one = self.cases[name]
            rows = [
                f"   {json.dumps(label)}: {json.dumps([ranges(t.blocks), t.counts.tolist()])}"
                for label, t in one.tallies.items()
            ]
            head = f'  "unit": {one.unit!r}, "truth": {json.dumps(one.truth)}, "tests": {{\n'
            cases.append(f" {json.dumps(name)}: {{\n{head}" + ",\n".join(rows) + "}}")
        top = f'"schema": "{SCHEMA}", "seed": {self.seed}, "columns": {json.dumps(COLUMNS)}'
        text = f'{{{top}, "cases": {{\n' + ",\n".join(cases) + "}}\n"
        new = self.path.with_name(f".{self.path.name}.{os.getpid()}.new")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            new.write_bytes(text.encode())
            os.replace(new, self.path)
            self._held = text.encode()
        except OSError as error:
            raise DataError(f"{self.path} cannot be written: {error.strerror}") from None
        finally:
            with suppress(OSError):
                new.unlink()

    def blocks(self, case: str, label: str) -> set[int]:
        """Return which blocks of a case a test was applied to."""
        kept = self.cases.get(case)
        return set() if kept is None or label not in kept.tallies else kept.tallies[label].blocks

    def tally(self, case: str, label: str) -> CountedTest:
        return self.cases[case].tallies.setdefault(label, CountedTest())


def _case_of(name: str, row: Any) -> CaseCounts:
    """Return the counts of a case as a file has them; of what is damaged, some error."""
    tallies, size = {}, CASES[name].contest().block
    labels = {one.label for one in CASES[name].tests}
    for label, (blocks, counts) in row["tests"].items():
        found = CountedTest(blocks_of(blocks), np.array(counts))
        if label not in labels or not _is_sound(found, size):
            raise ValueError(f"counts of {label}")
        tallies[label] = found
    unit, truth = float(row["unit"]), {int(n): float(mean) for n, mean in row["truth"].items()}
    if not (0 < unit < math.inf and all(abs(mean) < math.inf for mean in truth.values())):
        raise ValueError("the unit or the truth is not finite")
    return CaseCounts(unit, truth, tallies)


def _is_sound(found: CountedTest, size: int) -> bool:
    """Tell whether counts are whole numbers that can have come from these blocks."""
    counts = found.counts
    if counts.shape != (len(COLUMNS),) or counts.dtype.kind != "i" or (counts < 0).any():
        return False
    n, pairs, shifted = found["experiments"], found["pairs"], found["shifted"]
    return (
        n == size * len(found.blocks)
        and found["undefined"] + found["at_5"] <= n
        and found["at_1"] <= found["at_5"]
        and shifted in (0, 2 * n)
        and max(found[f"power_{units}"] for units in UNITS) <= shifted
        and pairs <= n
        and found["same_0"] <= pairs
        and found["same_2"] <= 2 * pairs
    )


def ranges(blocks: set[int]) -> str:
    """Return block numbers as text: "0-214,216"."""
    parts: list[list[int]] = []
    for block in sorted(blocks):
        if parts and parts[-1][1] == block - 1:
            parts[-1][1] = block
        else:
            parts.append([block, block])
    return ",".join(f"{first}-{last}" for first, last in parts)


def blocks_of(text: str) -> set[int]:
    """Read block numbers that `ranges` wrote."""
    found: set[int] = set()
    for first, last in (part.split("-") for part in text.split(",") if part):
        if int(last) >= MOST_BLOCKS:
            raise ValueError("no file has so many blocks")
        found.update(range(int(first), int(last) + 1))
    return found
