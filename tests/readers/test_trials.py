"""Files as people have them: each is read for what it is, or refused with a way out that works."""

from __future__ import annotations

import csv
import itertools
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from launching import run_here
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss, roc_auc_score

import outperform as op
from outperform import DataError, Scores

TRIALS = Path(__file__).parent / "trials"
MODELS = ("logreg", "gnb", "tree")


def read(name: str, **options: Any) -> Scores:
    return Scores.read(TRIALS / name, **options)


def refusal(name: str, **options: Any) -> str:
    with pytest.raises(DataError) as caught:
        read(name, **options)
    return str(caught.value)


def said(scores: Scores) -> str:
    return " ".join(note.text for note in scores.notes)


def column(name: str, learner: str) -> list[str]:
    with open(TRIALS / name, newline="", encoding="utf-8") as file:
        return [row[learner] for row in csv.DictReader(file)]


def by_cell(frame: pd.DataFrame, metric: str) -> list[list[float]]:
    """Return the scores of a long frame, learner by learner, in the order of seed and fold."""
    table = frame.pivot(index=["seed", "fold"], columns="model", values=metric)
    return [table[learner].tolist() for learner in MODELS]


def folds(name: str, n: int = 10) -> list[list[float]]:
    """Return the scores of the three learners in a wide file, row by row."""
    return [[float(cell) for cell in column(name, learner)[:n]] for learner in MODELS]


def hints(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run the program on a file that it refuses, and return what it says."""
    assert run_here(*arguments) == 2
    return " ".join(capsys.readouterr().err.split())


def options_in(text: str) -> list[str]:
    """Return the options that a message advises, as a shell would read them."""
    found = re.findall(r"--(?:column|metric|layout|design) (?:'[^']*'|[^\s,;.]+(?:\.\w+)*)", text)
    return shlex.split(" ".join(found))


def test_seed_and_fold_are_repeat_and_fold_and_one_metric_is_asked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert "metric='auc'" in refusal("b_long2.csv")
    path = str(TRIALS / "b_long2.csv")
    advised = options_in(hints(capsys, "compare", path))
    assert advised == ["--metric", "auc"]
    assert run_here("compare", path, *advised) == 0
    for metric in ("auc", "acc"):
        scores = read("b_long2.csv", metric=metric)
        assert (scores.names, str(scores.design), scores.metric) == (MODELS, "5x5cv", metric)
        frame = pd.read_csv(TRIALS / "b_long2.csv", dtype={metric: str})
        frame[metric] = [float(cell) for cell in frame[metric]]
        assert scores.values.tolist() == by_cell(frame, metric)
        assert "'seed' read as repeat" in said(scores)


@pytest.mark.parametrize("name", ["g_euro.csv", "i.parquet"])
def test_decimal_commas_and_parquet_are_the_same_scores(tmp_path: Path, name: str) -> None:
    frame = pd.read_csv(TRIALS / "g_euro.csv", sep=";", dtype={"acc": str})
    frame["acc"] = [float(cell.replace(",", ".")) for cell in frame["acc"]]
    if name == "i.parquet":
        frame.to_parquet(tmp_path / name)
        scores = Scores.read(tmp_path / name)
    else:
        scores = read(name)
    assert (scores.names, str(scores.design), scores.metric) == (MODELS, "5x5cv", "acc")
    assert scores.values.tolist() == by_cell(frame, "acc")


def test_missing_scores_are_named_and_can_be_left_out_for_every_model(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = refusal("f_nan.csv")
    lines = [i for i, cell in enumerate(column("f_nan.csv", "acc"), start=2) if cell == ""]
    assert len(lines) == 2
    assert all(re.search(rf"line {line}\b", text) for line in lines)
    assert "drop_incomplete=True" in text
    path = str(TRIALS / "f_nan.csv")
    assert "--drop-incomplete" in hints(capsys, "compare", path)
    assert run_here("compare", path, "--drop-incomplete") == 0
    assert "2 of 25 splits" in capsys.readouterr().out
    scores = read("f_nan.csv", drop_incomplete=True)
    text = (TRIALS / "f_nan.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    lost = {(int(row["seed"]), int(row["fold"])) for row in rows if row["acc"] == ""}
    kept = [(seed, fold) for seed in range(5) for fold in range(5) if (seed, fold) not in lost]
    assert [tuple(address[1:]) for address in scores.addresses.tolist()] == kept
    cells = {(r["model"], int(r["seed"]), int(r["fold"])): r["acc"] for r in rows}
    assert scores.values.tolist() == [
        [float(cells[name, *split]) for split in kept] for name in MODELS
    ]


def test_seeds_on_one_split_are_read_as_such_and_the_verdict_says_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    scores = read("m_seeds.csv")
    frame = pd.read_csv(TRIALS / "m_seeds.csv").pivot(
        index="seed", columns="method", values="accuracy"
    )
    assert str(scores.design) == "5seeds"
    assert scores.values.tolist() == [frame["baseline"].tolist(), frame["ours"].tolist()]
    assert "assumed to come from one split" in said(scores)
    assert op.compare(scores).method.name == "paired_t"
    assert run_here("compare", str(TRIALS / "m_seeds.csv")) == 0
    assert "split" in capsys.readouterr().out
    again = read("m_seeds.csv", design="5xresampled@1/3")
    assert str(again.design) == "5xresampled@1/3"


def test_models_with_seeds_of_their_own_are_not_paired(tmp_path: Path) -> None:
    frame = pd.read_csv(TRIALS / "m_seeds.csv")
    frame.loc[frame["method"] == "ours", "seed"] += 10
    scores = Scores.from_frame(frame.iloc[:-1])
    assert str(scores.design) == "5seeds/unpaired"
    cmp = op.compare(scores)
    assert cmp.method.name == "welch_t"
    ours, base = (frame[frame["method"] == m]["accuracy"] for m in ("ours", "baseline"))
    expected = op.methods.welch_t(base.to_numpy(), ours.to_numpy()[:-1])
    assert cmp["baseline", "ours"].pvalue == expected.pvalue


def test_a_wide_table_of_seeds_is_read_as_seeds() -> None:
    frame = pd.read_csv(TRIALS / "m_seeds.csv").pivot(
        index="seed", columns="method", values="accuracy"
    )
    assert str(Scores.from_frame(frame.reset_index()).design) == "5seeds"


def test_a_design_of_seeds_says_what_seeds_are_and_nothing_else_is_assumed() -> None:
    assuming = read("m_seeds.csv", design="5xresampled@1/3")
    for design in ("5seeds", "5seeds@1/3", "5seeds/unpaired"):
        scores = read("m_seeds.csv", design=design)
        assert str(scores.design) == design
        assert len(scores.notes) == len(assuming.notes) - 1


def test_seeds_beside_folds_are_read_by_a_design_of_both() -> None:
    cells = itertools.product("ab", range(3), range(5))
    rows = [(name, seed, fold, len(name) + seed / 7 + fold / 9) for name, seed, fold in cells]
    frame = pd.DataFrame(rows, columns=["model", "seed", "fold", "score"])
    scores = Scores.from_frame(frame, design="3seeds*5cv")
    assuming = Scores.from_frame(frame, design="3x5cv")
    assert (scores.values.ravel() == assuming.values.ravel()).all()
    assert len(scores.notes) == len(assuming.notes) - 1


@pytest.mark.parametrize(
    ("folds", "typed", "right"),
    [(1, "7seeds", "3seeds"), (5, "3seeds", "3seeds*5cv"), (5, "4seeds*5cv", "3seeds*5cv")],
)
def test_another_design_of_seeds_is_refused_with_the_one_that_works(
    folds: int, typed: str, right: str
) -> None:
    cells = itertools.product("ab", range(3), range(folds))
    rows = [(name, seed, fold, seed / 7 + fold / 9) for name, seed, fold in cells]
    frame = pd.DataFrame(rows, columns=["model", "seed", "fold", "score"])
    frame = frame.drop(columns="fold") if folds == 1 else frame
    with pytest.raises(DataError, match=re.escape(f"design='{right}'")) as refused:
        Scores.from_frame(frame, design=typed)
    assert len(str(refused.value).splitlines()) == 1
    assert str(Scores.from_frame(frame, design=right).design) == right


# What is not read yet is refused in words that are true, with a way out that works.


def test_candidates_of_a_grid_search_are_models_and_its_winner_is_no_choice_in_advance() -> None:
    scores = read("c_grid.csv")
    frame = pd.read_csv(TRIALS / "c_grid.csv")
    assert scores.names == tuple(
        f"criterion={a}, max_depth={b}"
        for a, b in zip(frame["param_criterion"], frame["param_max_depth"], strict=True)
    )
    expected = [column("c_grid.csv", f"split{i}_test_score") for i in range(10)]
    assert scores.values.T.tolist() == [[float(cell) for cell in row] for row in expected]
    assert str(scores.design) == "10cv"
    assert "Design assumed to be 10cv" in said(scores)
    assert scores.greater_is_better
    assert "OP008" in {note.code for note in op.compare(scores).notes}


def test_the_columns_of_mlflow_are_known_by_their_last_word(
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = str(TRIALS / "d_mlflow.csv")
    advised = options_in(hints(capsys, "compare", path))
    assert advised == ["--metric", "auc"]
    scores = read("d_mlflow.csv", metric="auc")
    assert (scores.names, str(scores.design)) == (MODELS, "5x5cv")
    assert scores.values.tolist() == read("b_long2.csv", metric="auc").values.tolist()


def test_what_cross_validate_returned_is_read_by_one_of_its_metrics(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = json.loads((TRIALS / "e_cv.json").read_text(encoding="utf-8"))
    assert "metric='accuracy'" in refusal("e_cv.json")
    path = str(TRIALS / "e_cv.json")
    assert options_in(hints(capsys, "compare", path)) == ["--metric", "accuracy"]
    for given in (path, found):
        for metric in ("accuracy", "roc_auc"):
            read = Scores.read if given is path else Scores.from_frame
            scores = read(given, metric=metric)
            assert (scores.names, str(scores.design)) == (MODELS, "10cv")
            assert scores.values.tolist() == [found[name][f"test_{metric}"] for name in MODELS]
            assert "Design assumed to be 10cv" in said(scores)


def test_who_won_is_read_as_win_rates_and_ties_are_said() -> None:
    scores = read("judge.csv")
    assert (scores.names, scores.metric) == (("A", "B"), "win rate")
    assert scores.values[:, 0].tolist() == [91 / 200, 66 / 200]
    assert "43 ties in 200 judgements" in said(scores)
    result = op.compare(scores)["A", "B"]
    assert (result.metric, result.method.name) == ("win rate", "mcnemar")
    assert result.details["table"].tolist() == [[43, 66], [91, 0]]


@pytest.mark.parametrize("metric", ["roc_auc", "log_loss", "brier_score", "accuracy"])
def test_probabilities_are_judged_by_the_metric_that_is_asked_for(
    capsys: pytest.CaptureFixture[str], metric: str
) -> None:
    frame = pd.read_csv(TRIALS / "proba.csv")
    scores = read("proba.csv", metric=metric)
    y, names = frame["y_true"], ("lr", "nb", "dt")
    expected = {
        "roc_auc": [roc_auc_score(y, frame[name]) for name in names],
        "log_loss": [log_loss(y, frame[name]) for name in names],
        "brier_score": [brier_score_loss(y, frame[name]) for name in names],
        "accuracy": [accuracy_score(y, frame[name] >= 0.5) for name in names],
    }[metric]
    assert scores.values[:, 0].tolist() == pytest.approx(expected)
    assert (scores.names, str(scores.design)) == (names, "holdout@228")
    found = op.compare(scores)
    assert found.method.name == {"roc_auc": "delong", "accuracy": "mcnemar"}.get(metric, "paired_t")
    sign = 1 if metric in ("roc_auc", "accuracy") else -1
    assert set(scores.metrics) == {"roc_auc", "log_loss", "brier_score", "accuracy"}
    assert op.compare(read("proba.csv"), metric=metric)["lr", "nb"].pvalue == pytest.approx(
        found["lr", "nb"].pvalue
    )
    assert found["lr", "nb"].estimate == pytest.approx(sign * (expected[0] - expected[1]))
    assert run_here("compare", str(TRIALS / "proba.csv"), "--metric", metric) == 0
    assert "probabilities" in capsys.readouterr().out


def test_without_a_metric_probabilities_are_judged_by_delong_on_all_pairs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    frame = pd.read_csv(TRIALS / "proba.csv")
    found = op.compare(str(TRIALS / "proba.csv"), adjust="none")
    for first, second in (("lr", "nb"), ("lr", "dt"), ("nb", "dt")):
        alone = op.methods.delong(frame["y_true"], frame[first], frame[second])
        assert found[first, second].pvalue == pytest.approx(alone.pvalue, rel=1e-12)
        low = alone.interval().low
        assert found[first, second].interval().low == pytest.approx(low, rel=1e-12)
        kept = op.methods.delong(read("proba.csv"), first, second)
        assert (kept.pvalue, kept.estimate) == (alone.pvalue, alone.estimate)
    assert run_here("compare", str(TRIALS / "proba.csv")) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "3 learners: roc_auc" in shown
    assert "DeLong's test of two AUCs, 3 pairs" in shown
    assert (
        "Judged by roc_auc, since no metric was given; for another pass --metric log_loss" in shown
    )
    assert "log_loss: lr 0.072, nb 1.064, dt 2.213" in shown
