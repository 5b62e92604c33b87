"""What the program says when something is wrong: options, not Python; lines, not one long one."""

from __future__ import annotations

from pathlib import Path

import pytest
from launching import launch, run_here, write_scores
from places import ROOT


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_zeros_and_ones_are_items_unless_a_design_is_said(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = "\n".join(["1,1"] * 70 + ["1,0"] * 14 + ["0,1"] * 2 + ["0,0"] * 14)
    (here / "items.csv").write_text(f"a,b\n{rows}\n")
    for said in ([], ["--layout", "correct"]):
        assert run_here("compare", "items.csv", *said) == 0
        assert "a outperforms b" in capsys.readouterr().out
    assert run_here("compare", "items.csv", "--method", "corrected_t") == 2
    assert "Use mcnemar for this design" in " ".join(capsys.readouterr().err.split())
    assert run_here("compare", "items.csv", "--method", "mcnemar") == 0
    assert run_here("compare", "items.csv", "--design", "10x10cv") == 0


def test_check_sends_a_file_of_scores_to_compare(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_scores(here / "my scores.csv")
    assert run_here("check", "my scores.csv") == 2
    said = capsys.readouterr().err
    assert "is not a results store" in said
    assert said.rstrip().endswith("outperform compare 'my scores.csv'")


def test_a_csv_that_begins_like_a_page_is_told_how_to_be_read(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "low.csv").write_text("<5 trees,forest\n0.5,0.6\n0.7,0.8\n")
    assert run_here("compare", "low.csv", "--design", "2cv") == 2
    assert "put the name of its first column in double quotes" in capsys.readouterr().err
    (here / "low.csv").write_text('"<5 trees",forest\n0.5,0.6\n0.7,0.85\n')
    assert run_here("compare", "low.csv", "--design", "2cv") == 0


def test_one_learner_is_told_which_column_might_name_more(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "one.csv").write_text("fold,score\n0,0.5\n1,0.6\n")
    assert run_here("compare", "one.csv") == 2
    assert "--column learner=NAME" in capsys.readouterr().err


def test_a_separator_can_be_said(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "odd.csv").write_text("fold!a!b\n0!0.5!0.6\n1!0.7!0.7\n2!0.6!0.8\n")
    assert run_here("compare", "odd.csv", "--separator", "!") == 0
    assert "a vs. b: score, 3-fold" in capsys.readouterr().out


FAILING = """
import numpy as np
from sklearn.naive_bayes import GaussianNB
class Bad(GaussianNB):
    def fit(self, X, y):
        raise ValueError("X holds gaps.\\nEither:\\n  1. fill them\\n  2. drop them")
y = np.arange(60) % 2
X = np.random.default_rng(0).normal(size=(60, 3)) + y[:, None]
learners = {"bad": Bad(), "bayes": GaussianNB()}
design, random_state = "5cv", 0
"""


@pytest.mark.slow
def test_a_failed_learner_is_shown_line_by_line(tmp_path: Path) -> None:
    (tmp_path / "failing.py").write_text(FAILING)
    ran = launch(tmp_path, "run", "failing.py", "--store", "kept.db")
    assert ran.returncode == 3
    assert "'bad': 5 failed (first at (0, 0, 0)): ValueError: X holds gaps." in ran.stderr
    compared = launch(tmp_path, "compare", "kept.db")
    lines = compared.stderr.splitlines()
    assert compared.returncode == 3
    assert lines[0].startswith("Error: incomplete: 5 of 10 fits")
    assert "  ValueError: X holds gaps." in lines
    assert "    2. drop them" in lines


def test_scores_are_read_from_a_store(tmp_path: Path) -> None:
    import numpy as np
    from sklearn.naive_bayes import GaussianNB

    import outperform as op

    y = np.arange(60) % 2
    X = np.random.default_rng(0).normal(size=(60, 3)) + y[:, None]
    learners = {"a": GaussianNB(), "b": GaussianNB(var_smoothing=0.1)}
    path = tmp_path / "kept.db"
    made = op.run(learners, X, y, design="5cv", random_state=0, store=path)
    assert op.Scores.read(path).digest() == made.digest()
    with pytest.raises(op.DataError, match="a store already records"):
        op.Scores.read(path, metric="f1")
    assert op.Scores.read(path, design="5cv").digest() == made.digest()


def test_the_page_on_the_command_line_lists_every_key_of_the_json(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import json
    import re

    page = (ROOT / "docs" / "command_line.md").read_text(encoding="utf-8")
    listed = [set(re.split(r",\s+", keys)) for keys in re.findall(r"\n`([a-z_0-9,\s]+)`\n", page)]
    write_scores(here / "two.csv")
    write_scores(here / "three.csv", ("a", "b", "c"))
    assert run_here("compare", "two.csv", "--json") == 0
    two = json.loads(capsys.readouterr().out)
    assert run_here("compare", "three.csv", "--json") == 0
    three = json.loads(capsys.readouterr().out)
    assert listed == [set(two), set(three), set(three["pairs"][0])]
