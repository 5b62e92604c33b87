"""Names may hold anything: none is empty, no two look the same, none steers a terminal."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from models_for_tests import Centroids, Misbehaved

import outperform as op
from outperform import DataError
from outperform.cli._program import _status
from outperform.errors import UNSEEN, spelt, spelt_name
from outperform.readers import own_files
from outperform.readers.column_names import shown
from outperform.storage import Store, export

X = np.random.default_rng(5).normal(size=(30, 3)) + (np.arange(30) % 2)[:, None]
Y = np.arange(30) % 2
NFC, NFD = "caf\u00e9", "cafe\u0301"
BLANK = ["", " ", "\t", "\u00a0", "\u200b", " \n"]
HOSTILE = [
    "=1+1",
    "'=1+1",
    "''=x",
    "'plain",
    "-1",
    "+x",
    "＝x",
    "a,b",
    'say "a"',
    "line\nbreak",
    "line\r\nbreak",
    "cr\rinside",
    "\ttab",
    "\x1b[31mred",
    "nul\0inside",
    "\u202etxet",
    " a ",
    "NA",
    "1.0",
    "null",
    "<b>",
    "é",
    "a;b;c;d;e;f;g;h;i;j;k",
    "#",
    "'",
]


def refusal(call: Any, *arguments: Any, **options: Any) -> str:
    with pytest.raises(DataError) as caught:
        call(*arguments, **options)
    return str(caught.value)


@pytest.mark.parametrize("name", BLANK)
def test_a_blank_name_is_refused_before_a_store_is_made(name: str, tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    models = {"tree": Centroids(), name: Centroids(2)}
    said = refusal(op.run, models, X, Y, design="2cv", random_state=1, store=store)
    assert said.startswith(f"Learner names must not be empty or blank, got {name!r} for learner 2.")
    assert not store.exists()
    assert "empty or blank" in refusal(op.compare, {"tree": [1, 2], name: [2, 3]}, design="2cv")


@pytest.mark.parametrize("name", [" ", "\u00a0", "\u200b"])
def test_a_blank_name_in_a_file_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "long.csv").write_text(
        f"learner,fold,score\na,1,.5\na,2,.6\n{name},1,.7\n{name},2,.8"
    )
    assert "empty or blank" in refusal(op.Scores.read, tmp_path / "long.csv")


@pytest.mark.parametrize("spec", ["=tree", " =tree"])
def test_a_blank_name_on_the_command_line_is_refused(
    spec: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "items.csv").write_text("x,kind\n" + "1,a\n2,b\n" * 20)
    words = ["run", str(tmp_path / "items.csv"), "--target", "kind", "--learner", "nb"]
    store = tmp_path / "runs.db"
    assert _status([*words, "--learner", spec, "--store", str(store)]) == 2
    assert "has an empty name; write --learner NAME=tree" in capsys.readouterr().err
    assert not store.exists()


@pytest.mark.parametrize("twin", [NFD, f"{NFC} ", f" {NFC}", f"{NFC}\u200b"])
def test_models_that_look_the_same_are_not_run(twin: str, tmp_path: Path) -> None:
    models, store = {NFC: Centroids(), twin: Centroids(2)}, tmp_path / "runs.db"
    said = refusal(op.run, models, X, Y, design="2cv", random_state=1, store=store)
    assert f"must look different, got {NFC!a} and {twin!a}. Rename one" in said
    assert not store.exists()


@pytest.mark.parametrize("twin", [NFD, f"{NFC} ", f"{NFC}\u200b"])
def test_models_of_a_file_that_look_the_same_are_told_apart(twin: str, tmp_path: Path) -> None:
    frame = pl.DataFrame({"fold": [0, 1, 2], NFC: [0.5, 0.6, 0.7], twin: [0.6, 0.65, 0.9]})
    frame.write_csv(tmp_path / "wide.csv")
    scores = op.Scores.read(tmp_path / "wide.csv", layout="wide")
    said = f"Learners {NFC!a} and {twin!a} look the same but are different names."
    assert said in [note.text for note in scores.notes]
    found = op.compare(scores)
    shown_as = spelt_name(twin)
    assert "<U+" in shown_as
    for text in (str(found), found.to_markdown(), found._repr_html_()):
        plain = text.replace("&lt;", "<").replace("&gt;", ">")
        assert NFC in plain
        assert shown_as in plain


def test_composed_letters_and_spaces_inside_stay_as_they_are() -> None:
    for name in ("café au lait", "naïve Bayes", "日本語", "k = 3", "हिन्दी"):
        assert spelt_name(name) == name
    assert spelt_name(NFD) == "cafe<U+0301>"
    assert spelt_name(" a\u00a0b ") == "<U+0020>a<U+00A0>b<U+0020>"
    assert shown(NFD) == r"'cafe\u0301'"
    assert shown(NFC) == f"'{NFC}'"


@given(st.text())
def test_what_is_spelt_holds_nothing_that_a_terminal_obeys(text: str) -> None:
    for made in (spelt(text), spelt_name(text)):
        assert not [c for c in made if unicodedata.category(c) in UNSEEN]


def test_errors_spell_out_what_a_terminal_would_obey(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "\x1b[31mred\0\u202e"
    said = refusal(op.compare, {name: [0.1, float("nan")], "b": [0.1, 0.2]}, design="2cv")
    assert said.startswith("<U+001B>[31mred<U+0000><U+202E>[1] is nan")
    (tmp_path / "scores.csv").write_text("learner,fold,score\na,0,.5\na,1,.6\nb,0,.6\nb,1,.9\n")
    for words in (["a", "\x1b]0;x\x07"], ["--method", "\x1b[2J"], ["--\x1b[2J"]):
        assert _status(["compare", str(tmp_path / "scores.csv"), *words]) == 2
        said = capsys.readouterr().err
        assert "\x1b" not in said
        assert "<U+001B>" in said or r"\x1b" in said


def test_errors_keep_their_lines(tmp_path: Path) -> None:
    models = {"bad": Misbehaved("raise"), "good": Centroids()}
    with pytest.raises(op.RunFailed) as caught:
        op.run(models, X, Y, design="2cv", random_state=1)
    assert len(str(caught.value).splitlines()) > 3


@given(st.text(alphabet="'=+-@\t\r\n＝＋－＠a1.e", max_size=6))
def test_the_quote_before_a_formula_is_taken_away_again(text: str) -> None:
    written = own_files.harmless(text)
    assert own_files._plain(written) == text
    assert not written.startswith(own_files.FORMULA) or own_files._runs(written) is False


DESIGNS = [
    "3cv",
    "2x3cv/stratified",
    "5x2cv",
    "4xresampled@1/3",
    "2*3cv",
    "3x2halves@1/5",
    "2disjoint@8",
    "holdout@1/3",
    "loo",
]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("design", DESIGNS)
def test_an_export_is_read_back_to_the_last_bit(design: str, ending: str, tmp_path: Path) -> None:
    models = {"near": Centroids(), "=far": Centroids(3)}
    scores = op.run(models, X, Y, design=design, random_state=2**70, store=tmp_path / "x.db")
    export(tmp_path / "x.db", tmp_path / f"x.{ending}")
    back = op.Scores.read(tmp_path / f"x.{ending}")
    assert (back.names, back.design, back.seed) == (scores.names, scores.design, 2**70)
    assert (back.metric, back.greater_is_better) == (scores.metric, scores.greater_is_better)
    assert back.values.tobytes() == scores.values.tobytes()
    for ours, theirs in ((back.addresses, scores.addresses), (back.n_test, scores.n_test)):
        assert ours.tolist() == theirs.tolist()


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_hostile_names_come_back_from_an_export_as_they_were(ending: str, tmp_path: Path) -> None:
    models = {name: Centroids(1 + i / 10) for i, name in enumerate(HOSTILE)}
    scores = op.run(models, X, Y, design="2cv", random_state=1, store=tmp_path / "x.db")
    target = tmp_path / f"x.{ending}"
    assert _status(["check", str(tmp_path / "x.db"), "--export", str(target)]) == 0
    back = op.Scores.read(target)
    assert back.names == scores.names == tuple(HOSTILE)
    assert back.values.tobytes() == scores.values.tobytes()
    assert _status(["compare", str(target)]) == 0


def test_another_design_than_that_of_an_export_is_refused(tmp_path: Path) -> None:
    models = {"near": Centroids(), "far": Centroids(3)}
    op.run(models, X, Y, design="2x3cv", random_state=1, store=tmp_path / "x.db")
    export(tmp_path / "x.db", tmp_path / "x.csv")
    said = refusal(op.Scores.read, tmp_path / "x.csv", design="3x2cv")
    assert "was exported from a run of 2x3cv, not of 3x2cv. Remove the design option" in said
    assert str(op.Scores.read(tmp_path / "x.csv", design="2x3cv").design) == "2x3cv"


@pytest.fixture
def incomplete(tmp_path: Path) -> Path:
    """A store in which a learner fails everywhere and another at one of three splits."""
    models = {
        "good": Centroids(),
        "'=bad": Misbehaved("raise"),
        "odd": Misbehaved("raise", only=20),
    }
    with pytest.raises(op.RunFailed):
        op.run(
            models,
            np.append(X, X[:1], 0),
            np.append(Y, 0),
            design="3cv",
            random_state=1,
            store=tmp_path / "x.db",
        )
    return tmp_path / "x.db"


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_an_incomplete_store_is_exported_when_that_is_asked(
    incomplete: Path, ending: str, capsys: pytest.CaptureFixture[str]
) -> None:
    target = incomplete.parent / f"x.{ending}"
    words = ["check", str(incomplete), "--export", str(target)]
    assert _status(words) == 3
    assert "with missing scores left empty: --incomplete" in capsys.readouterr().err
    assert not target.exists()
    assert _status([*words, "--incomplete"]) == 3  # exported, and still incomplete
    with Store.open(incomplete, mode="read") as store:
        known = store.scores(["good"], items=False).values[0]
    frame = pl.read_csv(target) if ending == "csv" else pl.read_parquet(target)
    assert frame.height == 9
    scores = dict(frame.group_by("learner").agg("score").iter_rows())
    assert sorted(scores["good"]) == sorted(known.tolist())
    lacking = [score for name, each in scores.items() if name != "good" for score in each]
    assert lacking.count(None) == int(frame["score"].null_count())
    capsys.readouterr()
    assert _status(["compare", str(target)]) == 2
    said = capsys.readouterr().err
    assert f'lacks {lacking.count(None)} of 9 scores: "\'=bad" at (0, 0, 0)' in said


def test_incomplete_is_for_an_export(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _status(["check", str(tmp_path / "x.db"), "--incomplete"]) == 2
    assert "--incomplete needs --export; add --export scores.csv" in capsys.readouterr().err


def test_check_shows_names_that_look_the_same_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in (NFC, NFD):
        op.run({name: Centroids()}, X, Y, design="2cv", random_state=1, store=tmp_path / "x.db")
    assert _status(["check", str(tmp_path / "x.db")]) == 0
    said = capsys.readouterr().out
    assert f"'{NFC}': 2 of 2" in said
    assert r"'cafe\u0301': 2 of 2" in said
    assert _status(["check", str(tmp_path / "x.db"), "--json"]) == 0
    assert set(json.loads(capsys.readouterr().out)["learners"]) == {NFC, NFD}
