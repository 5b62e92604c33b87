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

# Errors of two forecasts of the changes of WWWusage, and p-values of dm.test in R's forecast, as
# the tests of HypothesisTests.jl print them (four digits).
ETS = [0.002241270, -0.000661906, -1.200002613, -4.000218178, 3.799373533, 3.401005111,
       -1.199692125, -0.800490048, -1.200048999, 3.399847229, 7.000708948, 2.200989241,
       -4.800165569, -1.201043375, 3.400167556, 3.000709085, 0.400267950, -6.800169207,
       -2.401259050, 1.200112198]  # fmt: skip
ARIMA = [0.1209998, 8.0622269, -0.9189429, -1.7952436, 5.3431277, 2.0459823, -0.6073261,
         0.5516816, -0.7633238, 4.1229472, 5.8785333, 1.2828331, -3.4854233, 1.1971370,
         3.1709314, 2.3408457, 0.4962286, -5.9841362, 0.1537114, 0.4207951]  # fmt: skip
RNG = np.random.default_rng(3)
N = 120
SERIES = np.cumsum(RNG.normal(size=N)) * 0.3
X = np.stack([np.roll(SERIES, 1), RNG.normal(size=N)], axis=1)
LEARNERS = {"line": LinearRegression(), "mean": DummyRegressor()}


@pytest.mark.parametrize(
    ("loss", "options", "two_sided", "greater"),
    [
        (np.square, {"horizon": 1}, 0.8871, 0.5565),
        (np.square, {"horizon": 10, "weights": "rectangular"}, 0.9362, 0.5319),
        (np.abs, {"horizon": 1}, 0.7818, 0.3909),
    ],
)
def test_p_values_are_those_of_r(loss, options, two_sided, greater) -> None:
    first, second = loss(ETS), loss(ARIMA)
    assert op.diebold_mariano(first, second, **options).pvalue == pytest.approx(two_sided, abs=6e-5)
    found = op.diebold_mariano(first, second, **options, alternative="greater").pvalue
    assert found == pytest.approx(greater, abs=6e-5)


def by_hand(d: list[float], h: int, weights: str) -> float:
    """Diebold & Mariano (1995) and Harvey, Leybourne & Newbold (1997), term by term."""
    n, mean = len(d), math.fsum(d) / len(d)
    total = 0.0
    for k in range(-(h - 1), h):
        lagged = zip(d[abs(k) :], d[: n - abs(k)], strict=True)
        weight = 1 - abs(k) / h if weights == "bartlett" else 1.0
        total += weight * sum((x - mean) * (y - mean) for x, y in lagged) / n
    dm = mean / math.sqrt(total / n)
    corrected = dm * math.sqrt((n + 1 - 2 * h + h * (h - 1) / n) / n)
    return 2 * stats.t.sf(abs(corrected), n - 1)


@pytest.mark.parametrize("n", [9, 60])
@pytest.mark.parametrize("h", [1, 2, 4])
@pytest.mark.parametrize("weights", ["bartlett", "rectangular"])
def test_an_implementation_term_by_term_agrees(n: int, h: int, weights: str) -> None:
    rng = np.random.default_rng(n + h)
    d = np.convolve(rng.normal(0.2, 1, n + 2), [1, 0.5, 0.3], mode="valid")
    found = op.diebold_mariano(d, horizon=h, weights=weights)
    assert found.pvalue == pytest.approx(by_hand(d.tolist(), h, weights), rel=1e-10)
    if h == 1:
        assert found.pvalue == pytest.approx(op.paired_t(d).pvalue, rel=1e-12)


def test_the_horizon_grows_with_the_cube_root_unless_it_is_given() -> None:
    d = np.random.default_rng(0).normal(size=1000)
    assert op.diebold_mariano(d).details["horizon"] == 11
    assert op.diebold_mariano(d[:4]).details["horizon"] == 2
    assert op.diebold_mariano(d).pvalue == op.diebold_mariano(d, horizon=11).pvalue


def test_a_negative_rectangular_variance_gives_way_to_bartletts_and_is_noted() -> None:
    d = np.tile([1.0, -1.0], 10) + 0.1
    found = op.diebold_mariano(d, horizon=2, weights="rectangular")
    assert found.stderr == op.diebold_mariano(d, horizon=2).stderr
    assert "OP317" in [note.code for note in found.notes]


@pytest.mark.slow
def test_correlated_losses_do_not_make_it_reject_far_too_often() -> None:
    rng = np.random.default_rng(1)
    noise = rng.normal(size=(2000, 302))
    d = noise[:, 2:] + 0.6 * noise[:, 1:-1] + 0.4 * noise[:, :-2]
    rejected = [
        (method.batch(d).pvalue("two-sided") < 0.05).mean()
        for method in (op.diebold_mariano, op.paired_t)
    ]
    assert rejected[0] < 0.09
    assert rejected[1] > 0.13


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
    ours = op.run(LEARNERS, X, SERIES, design=text, random_state=0)
    theirs = op.run(LEARNERS, X, SERIES, design=splitter, random_state=0)
    assert (ours.values == theirs.values).all()
    assert str(theirs.design) == f"{text}/given"


def test_a_sliding_window_is_as_long_as_the_first_training_set() -> None:
    sizes = op.parse("5forward/gap2/sliding").sizes(60)
    assert sizes.n_train.tolist() == [8] * 5
    assert sizes.n_test.tolist() == [10] * 5


def test_the_losses_of_all_blocks_are_one_series() -> None:
    found = op.compare(LEARNERS, X, SERIES, design="5forward", random_state=0)
    assert (found.method.name, found.n, found.metric) == (
        "diebold_mariano",
        100,
        "neg_mean_squared_error",
    )
    losses = []
    for train, test in TimeSeriesSplit(5).split(X):
        sides = [m.fit(X[train], SERIES[train]).predict(X[test]) for m in LEARNERS.values()]
        losses.append([(side - SERIES[test]) ** 2 for side in sides])
    first, second = np.concatenate(losses, axis=1)
    want = op.diebold_mariano(first, second, lower_is_better=True)
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
