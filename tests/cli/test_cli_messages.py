"""Whole answers of the program, kept as they are."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from launching import run_here, write_scores

CALLS = (
    "compare two.csv",
    "compare three.csv --control c --rope 0.2",
    "compare items.csv",
    "plan two.csv --difference 0.01",
    "rank three.csv",
    "explain corrected_t",
)


def _files(folder: Path) -> None:
    write_scores(folder / "two.csv")
    write_scores(folder / "three.csv", ("a", "b", "c"))
    rng = np.random.default_rng(4)
    right = ["1,1"] * 70 + ["1,0"] * 11 + ["0,1"] * 3 + ["0,0"] * 16
    order = rng.permutation(len(right))
    (folder / "items.csv").write_text("a,b\n" + "\n".join(right[i] for i in order) + "\n")


@pytest.mark.slow
def test_whole_answers_stay_as_they_are(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    snapshot: Callable[[str, str], None],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    _files(tmp_path)
    said = []
    for call in CALLS:
        status = run_here(*call.split())
        out, err = capsys.readouterr()
        told = out + "".join(f"! {line}\n" for line in err.splitlines())
        told = re.sub("relative to '[^']*'", "relative to '.'", told)
        assert "Traceback" not in told
        said.append(f"$ outperform {call}\n{told}[{status}]")
    snapshot("cli_messages", "\n\n".join(said))
