"""Tables to learn from: what was inferred of them, and what looks like no feature."""

from __future__ import annotations

from pathlib import Path

import pytest

from outperform.cli._experiments import FEWEST_ROWS, from_table
from outperform.notes import code

ROWS = 2 * FEWEST_ROWS


def _said(tmp_path: Path, cells: list[str], rows: int = ROWS) -> list[str]:
    lines = [f"{cell},{i * 0.37:.2f},{'ab'[i % 2]}" for i, cell in enumerate(cells[:rows])]
    path = tmp_path / "items.csv"
    path.write_text("\n".join(["patient,size,kind", *lines]) + "\n")
    found = from_table(str(path), "kind", ["tree"])
    return [line for line in found.inferred if line.startswith("OP004")]


@pytest.mark.parametrize(
    "cells",
    [
        [f"p{7 * i % ROWS}" for i in range(ROWS)],
        [str(i) for i in range(ROWS)],
        [str(i) for i in range(100, 100 + ROWS)],
    ],
)
def test_a_column_that_tells_every_row_apart_is_warned_of(tmp_path: Path, cells: list[str]) -> None:
    (said,) = _said(tmp_path, cells)
    assert "'patient'" in said
    assert "'size'" not in said
    assert code("OP004").severity == "caution"


@pytest.mark.parametrize(
    "cells",
    [
        [f"p{i // 2}" for i in range(ROWS)],  # words that come twice
        [str(7 * i % ROWS) for i in range(ROWS)],  # whole numbers, each once, may be measured
        [str(ROWS - i) for i in range(ROWS)],
        ["" if i == 3 else str(i) for i in range(ROWS)],
        [str(18446744073709551615 - i) for i in range(ROWS)],
    ],
)
def test_other_columns_are_not_warned_of(tmp_path: Path, cells: list[str]) -> None:
    assert _said(tmp_path, cells) == []


def test_few_rows_may_differ_by_chance(tmp_path: Path) -> None:
    assert _said(tmp_path, [f"p{i}" for i in range(ROWS)], FEWEST_ROWS - 1) == []
    assert len(_said(tmp_path, [f"p{i}" for i in range(ROWS)], FEWEST_ROWS)) == 1
