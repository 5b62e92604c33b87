"""Forecasts in the order of time: Diebold and Mariano's test, its designs and its cautions."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import TimeSeriesSplit

import outperform as op

RNG = np.random.default_rng(3)
N = 120
SERIES = np.cumsum(RNG.normal(size=N)) * 0.3
X = np.stack([np.roll(SERIES, 1), RNG.normal(size=N)], axis=1)
MODELS = {"line": LinearRegression(), "mean": DummyRegressor()}


GOLDEN = [0.2, -0.1, 0.4, 0.3, 0.0, 0.5, 0.1, -0.2, 0.3, 0.2, 0.4, 0.1]


def by_hand(d: list[float]) -> tuple[int, float]:
    """The equal-weighted cosine variance of Lazarus et al. (2018), term by term."""
    n, mean = len(d), math.fsum(d) / len(d)
    waves = min(max(2, math.floor(0.4 * n ** (2 / 3))), n - 1)
    squares = []
    for j in range(1, waves + 1):
        terms = (x * math.cos(math.pi * j * (t - 0.5) / n) for t, x in enumerate(d, 1))
        squares.append(2 / n * math.fsum(terms) ** 2)
    t = mean / math.sqrt(math.fsum(squares) / waves / n)
    return waves, 2 * stats.t.sf(abs(t), waves)


def test_a_series_worked_by_hand() -> None:
    found = op.methods.diebold_mariano(GOLDEN)
    assert found.df == 2
    assert 12 * found.stderr**2 == pytest.approx(0.0008124244, abs=1e-10)
    assert found.statistic == pytest.approx(22.2813031804, abs=1e-9)
    assert found.pvalue == pytest.approx(0.0020082097, abs=1e-10)


@pytest.mark.parametrize("n", [2, 3, 9, 60, 301])
def test_an_implementation_term_by_term_agrees(n: int) -> None:
    rng = np.random.default_rng(n)
    d = np.convolve(rng.normal(0.2, 1, n + 2), [1, 0.5, 0.3], mode="valid")
    found = op.methods.diebold_mariano(d)
    assert (found.df, found.pvalue) == pytest.approx(by_hand(d.tolist()), rel=1e-10)


@pytest.mark.parametrize(("rho", "most"), [(0.6, 0.08), (0.8, 0.13)])
def test_strongly_correlated_losses_do_not_make_it_reject_far_too_often(
    rho: float, most: float
) -> None:
    noise = np.random.default_rng(1).normal(size=(4000, 150))
    d = np.zeros_like(noise)
    for t in range(1, noise.shape[1]):
        d[:, t] = rho * d[:, t - 1] + noise[:, t]
    series = d[:, -50:]
    assert (op.methods.diebold_mariano.batch(series).pvalue("two-sided") < 0.05).mean() < most
    assert (op.methods.paired_t.batch(series).pvalue("two-sided") < 0.05).mean() > 0.3


# Designs


@pytest.mark.parametrize(
    ("splitter", "text"),
    [
        (TimeSeriesSplit(5), "5forward"),
        (TimeSeriesSplit(4, gap=7), "4forward/gap7"),
        (TimeSeriesSplit(4, max_train_size=20), "4forward/sliding20"),
        (TimeSeriesSplit(3, test_size=11, gap=1), "3forward@11/gap1"),
    ],
)
def test_forward_designs_are_those_of_scikit_learn(splitter: TimeSeriesSplit, text: str) -> None:
    design = op.parse(text)
    assert op.parse(splitter) == design
    made = [(s.train.tolist(), s.test.tolist()) for s in design.split(N)]
    assert made == [(a.tolist(), b.tolist()) for a, b in splitter.split(X)]
    ours = op.run(MODELS, X, SERIES, design=text, random_state=0)
    theirs = op.run(MODELS, X, SERIES, design=splitter, random_state=0)
    assert (ours.values == theirs.values).all()
    assert str(theirs.design) == f"{text}/given"


def test_a_sliding_window_is_as_long_as_the_first_training_set() -> None:
    sizes = op.parse("5forward/gap2/sliding").sizes(60)
    assert sizes.n_train.tolist() == [8] * 5
    assert sizes.n_test.tolist() == [10] * 5


def test_the_losses_of_all_blocks_are_one_series() -> None:
    found = op.compare(MODELS, X, SERIES, design="5forward", random_state=0)
    assert (found.method.name, found.n, found.metric) == (
        "diebold_mariano",
        100,
        "neg_mean_squared_error",
    )
    losses = []
    for train, test in TimeSeriesSplit(5).split(X):
        sides = [m.fit(X[train], SERIES[train]).predict(X[test]) for m in MODELS.values()]
        losses.append([(side - SERIES[test]) ** 2 for side in sides])
    first, second = np.concatenate(losses, axis=1)
    want = op.methods.diebold_mariano(first, second, lower_is_better=True)
    assert found["line", "mean"].pvalue == pytest.approx(want.pvalue, rel=1e-9)
    assert "trained on earlier rows and tested on the 100 rows after them" in " ".join(
        str(found).split()
    )
    codes = [note.code for note in found.notes]
    assert "OP408" in codes
    assert not {"OP401", "OP309"} & set(codes)


def test_scores_of_forward_splits_without_losses_are_refused() -> None:
    scores = op.Scores.from_arrays({"a": [0.8, 0.7], "b": [0.6, 0.5]}, design="2forward")
    with pytest.raises(op.errors.DataError, match="contain no losses of single items"):
        op.compare(scores)


# Times


def frame(**more: object) -> pd.DataFrame:
    return pd.DataFrame({"x": X[:, 0], **more})


DAYS = pd.date_range("2020-01-01", periods=N)


class Numbers(LinearRegression):
    """Reads the first column alone: times are no numbers."""

    def fit(self, X, y):
        return super().fit(np.asarray(X)[:, :1].astype(float), y)

    def predict(self, X):
        return super().predict(np.asarray(X)[:, :1].astype(float))


@pytest.mark.parametrize(
    ("rows", "codes", "words"),
    [
        (frame(day=DAYS), ["OP520"], "Column 'day' contains times, but 3cv trains on rows"),
        (frame(day=DAYS[::-1]), ["OP520"], "sort the rows by it and use the design 5forward"),
        (frame().set_index(DAYS), ["OP520"], "The index contains times"),
        (frame(Date=np.arange(N)), ["OP520"], "Column 'Date' contains times"),
        (frame(time=np.arange(N) % 7), [], ""),
        (frame(duration=np.arange(N)), [], ""),
        (pl.DataFrame({"x": X[:, 0], "at": DAYS.to_numpy()}), ["OP520"], "Column 'at' contains"),
        (frame().set_axis([0], axis="columns"), [], ""),
        (X, [], ""),
        (frame().set_axis(["date"] * frame().shape[1], axis=1), [], ""),
    ],
    ids=[
        *("sorted", "unsorted", "index", "named", "flat"),
        *("other", "polars", "numbered", "array", "twice"),
    ],
)
def test_random_splits_of_rows_with_times_are_cautioned(rows, codes, words) -> None:
    scores = op.run({"a": Numbers()}, rows, SERIES, design="3cv", random_state=0)
    found = [note for note in scores.notes if note.code.startswith("OP52")]
    assert [note.code for note in found] == codes
    assert all(words in note.text for note in found)


def test_forward_splits_of_unsorted_rows_are_cautioned_and_of_sorted_ones_not() -> None:
    for days, codes in ((DAYS, []), (DAYS[::-1], ["OP521"])):
        scores = op.run({"a": Numbers()}, frame(day=days), SERIES, design="3forward")
        assert [note.code for note in scores.notes if note.code.startswith("OP52")] == codes
