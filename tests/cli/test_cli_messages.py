"""What the program says, kept as it is: errors, notes and answers."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from launching import run_here, write_scores

CALLS = (
    "compare two.csv",
    "compare three.csv --alpha 0.01",
    "compare errors.csv --rope 0.1",
    "compare three.csv --adjust holm",
    "compare three.csv --control c --rope 0.2",
    "compare three.csv --latex",
    "compare three.csv --markdown",
    "compare two.csv --require outperformed",
    "compare two.csv --require not-worse",
    "compare two.csv old new --rope 0.01 --require not-worse,equivalent",
    "compare five.csv",
    "compare items.csv",
    "compare items.csv --layout correct",
    "compare labels.csv",
    "compare nowhere.csv",
    "compare two.csv new",
    "compare two.csv new olt",
    "compare two.csv --method mcnemar",
    "compare two.csv --method corected_t",
    "compare two.csv --alpha 5",
    "compare two.csv --column lerner=x",
    "compare two.csv --limit rows=3",
    "compare one.csv",
    "check two.csv",
    "check nowhere.db",
    "plan two.csv --difference 0.01",
    "plan three.csv",
    "rank three.csv",
    "verify two.csv",
    "race two.csv three.csv",
    "explain OP005",
    "explain corrected_t",
    "methods --design 5x2cv",
    "explain OP999",
    "methods --design 5x2",
    "run two.csv",
    "run nowhere.py",
    "run a.py --export scores.csv",
    "advise --domains several --aim estimate",
    "advise --domains one --about algorithm --aim compare --n 5",
    "advise --domains one --about algorithm --aim compare --n 300 --train-size 50",
    "advise --domains several --results none",
    "report two.csv -o page.txt",
)


def _files(folder: Path) -> None:
    write_scores(folder / "two.csv")
    write_scores(folder / "three.csv", ("a", "b", "c"))
    rng = np.random.default_rng(4)
    errors = [
        f"{fold},{0.2 + 0.01 * rng.random():.4f},{0.3 + 0.02 * rng.random():.4f}"
        for fold in range(10)
    ]
    long = [
        f"{name},{fold},{value}"
        for row in errors
        for fold, *values in [row.split(",")]
        for name, value in zip("ab", values, strict=True)
    ]
    (folder / "errors.csv").write_text("learner,fold,error\n" + "\n".join(long) + "\n")
    halves = [
        f"{name},{repeat},{fold},{(0.9 if name == 'a' else 0.8) + 0.05 * rng.random():.4f}"
        for name in "ab"
        for repeat in range(5)
        for fold in range(2)
    ]
    (folder / "five.csv").write_text("learner,repeat,fold,accuracy\n" + "\n".join(halves) + "\n")
    right = ["1,1"] * 70 + ["1,0"] * 11 + ["0,1"] * 3 + ["0,0"] * 16
    order = rng.permutation(len(right))
    (folder / "items.csv").write_text("a,b\n" + "\n".join(right[i] for i in order) + "\n")
    labels = ["yes,yes,yes", "no,no,no", "yes,Yes,yes", "no,no,yes"] * 10
    (folder / "labels.csv").write_text("y_true,a,b\n" + "\n".join(labels) + "\n")
    (folder / "one.csv").write_text("fold,score\n0,0.5\n1,0.6\n")


@pytest.mark.slow
def test_messages_of_the_program_stay_as_they_are(
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
