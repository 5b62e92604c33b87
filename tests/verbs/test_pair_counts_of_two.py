"""Two learners and a control: every route counts the pair in the direction that it names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import outperform as op


def right_and_wrong(k: int) -> tuple[list[str], Any]:
    rng = np.random.default_rng(k)
    names = [f"m{i}" for i in range(k)]
    return names, rng.random((k, 400)) < np.linspace(0.9, 0.6, k)[:, None]


@pytest.mark.parametrize("control", [None, 0, 1])
@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("bits", [False, True])
def test_rows_of_a_family_are_the_pairs_they_name(
    tmp_path: Path, control: int | None, k: int, bits: bool
) -> None:
    names, right = right_and_wrong(k)
    scores = op.Scores.from_correct(names, right)
    if bits:
        lines = [",".join(names), *(",".join(map(str, row)) for row in right.T.astype(int))]
        path = tmp_path / "right.csv"
        path.write_text("\n".join(lines) + "\n")
        scores = op.Scores.read(path)
    found = op.compare(scores, control=None if control is None else names[control])
    for row in found.rows():
        first, second = (names.index(name) for name in row["names"])
        assert row["estimate"] == pytest.approx(right[first].mean() - right[second].mean())
        assert found[tuple(row["names"])].estimate == pytest.approx(row["estimate"])


def test_a_table_of_right_and_wrong_may_hold_numbers_and_is_left_as_it_is() -> None:
    names, right = right_and_wrong(2)
    table = right.astype(float)
    scores = op.Scores.from_correct(names, table)
    assert scores.values[:, 0].tolist() == right.mean(axis=1).tolist()
    assert (table == right).all()
    with pytest.raises(op.DataError, match="must be a table of right"):
        op.Scores.from_correct(names, table / 2)
