"""Scores as frames, files and means: what goes out can be read back, in the kind that came in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import outperform as op

RNG = np.random.default_rng(0)


def scores(**more: Any) -> op.Scores:
    made = {name: RNG.random((2, 5)) for name in ("=tree", "bayes")}
    asked = {"design": "2x5cv", "metric": "accuracy", "n_train": 80, "n_test": 20, "seed": 3}
    return op.Scores.from_arrays(made, **{**asked, **more})


def test_a_frame_of_scores_is_read_back_as_the_same_scores() -> None:
    given = scores()
    frame = given.to_frame()
    assert isinstance(frame, pl.DataFrame)
    assert frame.height == 20
    again = op.Scores.from_frame(frame)
    assert again.digest() == given.digest()


def test_a_file_of_scores_is_read_back_and_not_overwritten(tmp_path: Any) -> None:
    given, path = scores(), tmp_path / "scores.csv"
    assert given.to_csv(path) == path
    assert "\n'=tree," in path.read_text()
    assert op.Scores.read(path).digest() == given.digest()
    with pytest.raises(op.DataError, match="already exists"):
        given.to_csv(path)
    scores(lower_is_better=True).to_csv(path, force=True)
    assert not op.Scores.read(path).greater_is_better


def test_pandas_goes_out_where_pandas_came_in() -> None:
    given = op.Scores.from_frame(scores().to_frame(kind="pandas"))
    assert isinstance(given.to_frame(), pd.DataFrame)
    found = op.compare(given)
    assert isinstance(found.to_frame(), pd.DataFrame)
    assert isinstance(found.to_frame(kind="polars"), pl.DataFrame)
    assert isinstance(op.compare(scores()).to_frame(), pl.DataFrame)
    one = found[found.pair_names[0]]
    assert isinstance(one.to_frame(), pd.DataFrame)
    assert isinstance(one.to_frame(kind="polars"), pl.DataFrame)
    assert isinstance(op.methods.corrected_t(given, *given.names).to_frame(), pd.DataFrame)
    with pytest.raises(op.MethodError, match="kind"):
        given.to_frame(kind="excel")


def test_the_mean_of_each_model_is_in_their_order() -> None:
    given = scores()
    assert list(given.mean()) == ["=tree", "bayes"]
    assert given.mean()["bayes"] == pytest.approx(given.values[1].mean(), rel=1e-12)


def test_two_models_need_not_be_named() -> None:
    found = op.compare(scores())
    assert found.pvalue == found["=tree", "bayes"].pvalue
    assert found.verdict() == found.verdict("=tree", "bayes")
    more = op.compare({name: RNG.random(10) for name in "abc"}, design="10cv")
    with pytest.raises(op.MethodError, match=r'comparison\["a", "b"\]\.pvalue'):
        _ = more.pvalue
    with pytest.raises(op.MethodError, match=r'comparison\.verdict\("a", "b"\)'):
        more.verdict()
