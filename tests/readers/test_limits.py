"""Limits: what is too large is refused early and cheaply, and what the refusal advises works."""

from __future__ import annotations

import ast
import gzip
import io
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet
from sklearn.base import BaseEstimator

import outperform as op
from outperform import DataError
from outperform.cli._output import in_options
from outperform.cli._program import _status
from outperform.numerics.pair_counts import (
    PairCounts,
    counts_beside,
    counts_of_all,
    joint_correct,
    upper,
    words_of,
)
from outperform.readers import limits as file_limits

MOST_BYTES = 2**30
# A process starts with the peak of the one that starts it, so a small one stands between.
LAUNCH = """
import json, resource, subprocess, sys
done = subprocess.run(sys.argv[1:], capture_output=True, text=True)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
print(json.dumps([done.returncode, done.stdout, done.stderr, peak]))
"""


class Done(NamedTuple):
    """How a program ended, what it said, and the most memory it held."""

    status: int
    out: str
    err: str
    peak: int


def launch(*words: str, cwd: Path) -> Done:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", LAUNCH, sys.executable, *words],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return Done(*json.loads(done.stdout))


def program(*words: str, cwd: Path) -> Done:
    return launch("-m", "outperform", *words, cwd=cwd)


def written(path: Path, learners: int, folds: int = 2) -> None:
    scores = np.random.default_rng(0).normal(0.8, 0.02, (learners, folds)).round(4)
    rows = [f"m{i},{j},{x}" for i, row in enumerate(scores) for j, x in enumerate(row)]
    path.write_text("\n".join(["learner,fold,score", *rows, ""]))


def refusal(call: Any, *arguments: Any, **options: Any) -> str:
    with pytest.raises(DataError) as caught:
        call(*arguments, **options)
    return str(caught.value)


@pytest.mark.slow
def test_too_many_models_are_refused_cheaply_and_the_advice_works(tmp_path: Path) -> None:
    written(tmp_path / "scores.csv", 20_000)
    done = program("compare", "scores.csv", cwd=tmp_path)
    assert (done.status, done.out) == (2, "")
    assert "20,000 learners have 199,990,000 pairs; the limit is 50,000" in done.err
    assert done.peak < MOST_BYTES
    (advice,) = re.findall(r"--control \S+", done.err)
    written(tmp_path / "fewer.csv", 2_000)
    obeyed = program("compare", "fewer.csv", *shlex.split(advice), cwd=tmp_path)
    assert obeyed.status == 0, obeyed.err
    assert "… and 1,954 more pairs" in obeyed.out
    assert max(map(len, obeyed.out.splitlines())) < 1000
    assert obeyed.peak < MOST_BYTES


@pytest.mark.slow
def test_the_most_models_allowed_are_compared_in_every_form(tmp_path: Path) -> None:
    written(tmp_path / "scores.csv", 316, folds=10)
    done = program("compare", "scores.csv", "--report", "report.html", cwd=tmp_path)
    assert done.status == 0, done.err
    assert max(map(len, done.out.splitlines())) < 5000
    assert done.peak < MOST_BYTES
    page = (tmp_path / "report.html").read_text()
    assert "The 500 pairs with the smallest" in page
    assert len(page) < 2_000_000
    found = op.compare(tmp_path / "scores.csv")
    assert len(json.loads(found.to_json())["pairs"]) == 49_770
    assert found.to_latex().count(r"\\") >= 49_770


def test_317_models_are_too_many_for_all_pairs_but_not_beside_a_control() -> None:
    scores = {f"m{i}": [0.5 + i / 1000, 0.6, 0.7] for i in range(317)}
    assert "50,086 pairs" in refusal(op.compare, scores, design="3cv")
    assert "control='m0'" in refusal(op.compare, scores, design="3cv")
    found = op.compare(scores, design="3cv", control="m0")
    assert found.n_pairs == 316
    scores.pop("m316")
    assert op.compare(scores, design="3cv").n_pairs == 49_770


def test_a_name_that_cannot_be_pasted_is_not_advised() -> None:
    scores = {f"it's {i}": [0.5 + i / 1000, 0.6, 0.7] for i in range(317)}
    assert "control=…" in refusal(op.compare, scores, design="3cv")


class Unfitted(BaseEstimator):
    """A learner that must not be fitted."""

    def fit(self, X: Any, y: Any) -> Unfitted:
        raise AssertionError("fitted")

    def predict(self, X: Any) -> Any:
        raise AssertionError


def test_too_many_models_are_refused_before_any_is_fitted(tmp_path: Path) -> None:
    X, y = np.zeros((20, 1)), np.arange(20) % 2
    learners = {f"m{i}": Unfitted() for i in range(317)}
    store = tmp_path / "runs.db"
    said = refusal(op.compare, learners, X, y, design="2cv", random_state=0, store=store)
    assert "317 learners have 50,086 pairs" in said
    assert not store.exists()
    made = (Unfitted() for _ in range(317))
    assert "control='Unfitted'" in refusal(op.compare, made, X, y, design="2cv", random_state=0)


EXPERIMENT = """
import numpy as np
from sklearn.dummy import DummyClassifier
X, y = np.zeros((40, 1)), np.arange(40) % 2
learners = {f"m{i}": DummyClassifier(strategy="constant", constant=i % 2) for i in range(317)}
design, random_state = "2cv", 0
"""


@pytest.mark.slow
def test_a_run_of_too_many_models_says_how_to_compare_them(tmp_path: Path) -> None:
    (tmp_path / "experiment.py").write_text(EXPERIMENT)
    refused = program("run", "experiment.py", cwd=tmp_path)
    assert refused.status == 2
    assert "317 learners have 50,086 pairs" in refused.err
    assert "Add --store results.db" in refused.err
    kept = program("run", "experiment.py", "--store", "results.db", cwd=tmp_path)
    assert kept.status == 0, kept.err
    (advice,) = re.findall(r"outperform (compare results.db --control) NAME", kept.err)
    assert program(*advice.split(), "m1", cwd=tmp_path).status == 0


def test_all_pairs_refuses_as_many_unless_they_are_asked_for() -> None:
    right = np.random.default_rng(0).random((50, 317)) < 0.7
    said = refusal(op.methods.all_pairs, right)
    assert "control='model 1', or raise the limit: max_pairs=50086" in said
    assert op.methods.all_pairs(right, max_pairs=50_086).n_pairs == 50_086
    assert op.methods.all_pairs(right, control="model 1").n_pairs == 316


@pytest.mark.parametrize("family", [op.methods.simultaneous, op.methods.pooled_intervals])
def test_families_without_a_control_refuse_as_many(family: Any) -> None:
    right = np.random.default_rng(0).random((50, 317)) < 0.7
    assert "317 learners have 50,086 pairs" in refusal(family, right.astype(float))
    assert family(right[:, :5].astype(float)).n_pairs == 10


@pytest.mark.parametrize("n", [1, 64, 1000, 70_000])
def test_counts_beside_one_model_are_those_of_all_pairs(n: int) -> None:
    right = np.random.default_rng(n).random((n, 7)) < 0.7
    everyone, beside = counts_of_all(joint_correct(right)), counts_beside(words_of(right), 2)
    i, j = upper(7)
    with_it = (i == 2) | (j == 2)
    assert isinstance(beside, PairCounts)
    assert beside.right.tolist() == everyone.right.tolist() == right.sum(axis=0).tolist()
    assert sorted(beside.both) == sorted(everyone.both[with_it])
    assert beside.both[4] == (right[:, 5] & right[:, 2]).sum()
    assert beside.sum_squares == everyone.sum_squares == (right.sum(axis=1) ** 2).sum()


@pytest.mark.parametrize("kind", ["table", "losses", "bits"])
def test_a_control_changes_no_count(kind: str, tmp_path: Path) -> None:
    right = np.random.default_rng(3).random((300, 6)) < 0.7
    names = tuple("abcdef")
    given: Any = right
    if kind == "losses":
        given = op.Scores.from_correct(names, right.T.copy())
    elif kind == "bits":
        text = "\n".join([",".join(names), *(",".join(map(str, row)) for row in right.astype(int))])
        (tmp_path / "right.csv").write_text(text)
        given = op.Scores.read(tmp_path / "right.csv", layout="correct")
    everyone = op.methods.all_pairs(given, names=names)
    beside = op.methods.all_pairs(given, names=names, control="c")
    assert beside.details["cochran_q"] == everyone.details["cochran_q"]
    assert (beside.details["accuracy"] == everyone.details["accuracy"]).all()
    for name in "abdef":
        assert beside[name, "c"].pvalue == everyone[name, "c"].pvalue


@pytest.mark.slow
def test_many_pairs_of_item_losses_take_little_memory(tmp_path: Path) -> None:
    code = """
import numpy as np, outperform as op
from dataclasses import replace
k, n = 316, 3000
rng = np.random.default_rng(0)
scores = op.Scores.from_correct([f"m{i}" for i in range(k)], rng.random((k, n)) < 0.8)
losses = replace(scores.items, loss="squared", values=rng.random((k, n)))
print(op.compare(replace(scores, items=losses)).n_pairs)
"""
    done = launch("-c", code, cwd=tmp_path)
    assert done.out == "49770\n", done.err
    assert done.peak < MOST_BYTES


@pytest.mark.slow
def test_a_huge_file_is_refused_by_its_size_and_not_read(tmp_path: Path) -> None:
    with open(tmp_path / "sparse.csv", "wb") as file:
        file.truncate(50 * 2**30)
    done = program("compare", "sparse.csv", cwd=tmp_path)
    assert done.status == 2
    assert "has 53,687,091,200 bytes, which exceeds the limit of 1,073,741,824" in done.err
    assert "--limit bytes=53687091200" in done.err
    assert done.peak < 2**28


MANY_ROWS = 19_000_000
CONSTANT: dict[str, dict[str, Any]] = {
    "one column": {"tree": 0.5},
    "five columns": dict.fromkeys("abcde", 0.5),
    "long": {"learner": "a", "fold": 1, "score": 0.5},
}


@pytest.mark.slow
@pytest.mark.parametrize("columns", CONSTANT.values(), ids=CONSTANT)
def test_millions_of_constant_rows_in_a_small_file_are_refused_cheaply(
    tmp_path: Path, columns: dict[str, Any]
) -> None:
    table = pa.table({name: pa.repeat(value, MANY_ROWS) for name, value in columns.items()})
    parquet.write_table(table, tmp_path / "small.parquet")
    assert (tmp_path / "small.parquet").stat().st_size < 500_000
    done = program("compare", "small.parquet", cwd=tmp_path)
    assert done.status == 2
    assert "scores, which exceeds the limit of 5,000,000" in done.err
    assert done.peak < MOST_BYTES


@pytest.mark.slow
def test_millions_of_right_and_wrong_answers_in_a_small_file_are_read_cheaply(
    tmp_path: Path,
) -> None:
    table = pa.table({"a": pa.repeat(1, MANY_ROWS), "b": pa.repeat(0, MANY_ROWS)})
    parquet.write_table(table, tmp_path / "small.parquet")
    done = program("compare", "small.parquet", cwd=tmp_path)
    assert done.status == 0, done.err
    assert done.peak < MOST_BYTES


WIDE = "fold,tree,bayes\n" + "".join(f"{i},0.{100 + i},0.{300 - i}\n" for i in range(60))
NOTED = WIDE.replace("fold", "fold,date").replace("\n0,", '\n0,"' + "x" * 9000 + '",', 1)
NOTED = re.sub(r"\n(\d+),0", r"\n\1,short,0", NOTED)


def as_parquet(text: str) -> bytes:
    buffer = io.BytesIO()
    pl.read_csv(text.encode()).write_parquet(buffer, compression="zstd")
    return buffer.getvalue()


FORMS = {
    "csv": str.encode,
    "gzip": lambda text: gzip.compress(text.encode(), mtime=0),
    "parquet": as_parquet,
}
TIGHT = [
    {"bytes": 30},
    {"rows": 5},
    {"columns": 2},
    {"cells": 100},
    {"scores": 10},
    {"field": 50},
    {"ratio": 1},
    {"ratio": 1, "bytes": 500},
    {"rows": 5, "columns": 2, "cells": 9},
    {"bytes": 600, "rows": 3},
]


def read_or_advice(path: Path, limits: dict[str, int]) -> op.Scores | dict[str, int]:
    try:
        return op.Scores.read(path, limits=limits)
    except DataError as error:
        (advice,) = re.findall(r"limits=(\{.*\})", str(error))
        return dict(ast.literal_eval(advice))


@pytest.mark.parametrize("tight", TIGHT, ids=str)
@pytest.mark.parametrize("form", FORMS)
def test_the_limits_that_a_refusal_names_let_the_file_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tight: dict[str, int], form: str
) -> None:
    monkeypatch.setattr(file_limits, "HARMLESS", 100)
    path = tmp_path / f"scores.{form}"
    path.write_bytes(FORMS[form](NOTED))
    limits, raised, scores = dict(tight), {}, read_or_advice(path, tight)
    while isinstance(scores, dict):  # what is inside is known only once a file is unpacked
        assert not scores.keys() & raised.keys(), "refused though raised as it was told"
        raised, limits = raised | scores, limits | scores
        scores = read_or_advice(path, limits)
    assert (scores.names, scores.n_splits) == (("tree", "bayes"), 60)
    assert raised or (form != "gzip" and set(tight) == {"ratio"}), "nothing was refused"
    options = shlex.split(in_options("", (), {"limits": limits}))
    assert options[::2] == ["--limit"] * len(limits)
    assert _status(["compare", str(path), *options]) == 0


def test_a_table_of_items_takes_raised_limits_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "items.csv").write_text("x,kind\n" + "1,a\n2,b\n" * 20)
    words = [
        "run",
        str(tmp_path / "items.csv"),
        "--target",
        "kind",
        "--learner",
        "tree",
        "--learner",
        "nb",
        "--design",
        "2cv",
        "--seed",
        "1",
    ]
    assert _status([*words, "--limit", "rows=10"]) == 2
    (advice,) = re.findall(r"--limit \S+", capsys.readouterr().err)
    assert _status([*words, *advice.split()]) == 0


@pytest.mark.slow
def test_json_lines_are_read_in_bounded_memory(tmp_path: Path) -> None:
    """Each row takes some 200 bytes beside the file: as Python objects it would take five times."""
    n = 400_000
    with open(tmp_path / "s.jsonl", "w", encoding="utf-8") as file:
        for i in range(n):
            about = f'{{"learner": "m{i % 2}", "fold": {i // 2}, "note": "some words of {i}", '
            file.write(f'{about}"score": {i / n}}}\n')
    code = (
        "import outperform as op; print(op.Scores.read('s.jsonl', design='200000xresampled@1/3'))"
    )
    idle = launch("-c", "import outperform as op, polars, scipy.special; op.Scores", cwd=tmp_path)
    done = launch("-c", code, cwd=tmp_path)
    assert done.status == 0, done.err
    assert "2 learners × 200,000 splits" in done.out
    size = (tmp_path / "s.jsonl").stat().st_size
    assert done.peak < idle.peak + 2 * size + 400 * n
