"""What the program says when something is wrong: options, not Python; lines, not one long one."""

from __future__ import annotations

from pathlib import Path

import pytest
from launching import run_here, write_scores
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


def test_a_csv_that_begins_like_a_page_is_read_with_quotes(here: Path) -> None:
    (here / "low.csv").write_text("<5 trees,forest\n0.5,0.6\n0.7,0.8\n")
    assert run_here("compare", "low.csv", "--design", "2cv") == 2
    (here / "low.csv").write_text('"<5 trees",forest\n0.5,0.6\n0.7,0.85\n')
    assert run_here("compare", "low.csv", "--design", "2cv") == 0


def test_a_separator_can_be_said(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "odd.csv").write_text("fold!a!b\n0!0.5!0.6\n1!0.7!0.7\n2!0.6!0.8\n")
    assert run_here("compare", "odd.csv", "--separator", "!") == 0
    assert "a vs. b: score, 3-fold" in capsys.readouterr().out


def test_scores_are_read_from_a_store(tmp_path: Path) -> None:
    import numpy as np
    from sklearn.naive_bayes import GaussianNB

    import outperform as op

    y = np.arange(60) % 2
    X = np.random.default_rng(0).normal(size=(60, 3)) + y[:, None]
    models = {"a": GaussianNB(), "b": GaussianNB(var_smoothing=0.1)}
    path = tmp_path / "kept.db"
    made = op.run(models, X, y, design="5cv", random_state=0, store=path)
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
