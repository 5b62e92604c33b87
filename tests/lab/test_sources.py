"""Sources of data and contests: what they promise holds for what they draw."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import outperform as op
from outperform import DataError
from outperform.lab.contests import Contest
from outperform.lab.scenarios import (
    SAMPLE,
    LabelNoise,
    Mirror,
    Pool,
    Scenario,
    SixClasses,
    SmallCluster,
    Source,
    block_seed,
    reading,
    stream,
)
from outperform.registry import get
from outperform.views import Differences

SEED = block_seed(5, 0, 0)
BOUND = 4.9
"""Standard errors that a right answer exceeds with a chance of 1e-6."""
SOURCES = [
    Mirror(),
    SixClasses(),
    SmallCluster(),
    LabelNoise(SixClasses(), 0.2),
    Pool(np.arange(400.0).reshape(200, 2), np.arange(200) % 3),
]


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_sources_draw_what_was_asked_and_the_same_again(source: Any) -> None:
    assert isinstance(source, Source)
    first, again = (source.draw(60, np.random.default_rng(3)) for _ in range(2))
    assert len(first.X) == first.n == 60
    np.testing.assert_array_equal(first.X, again.X)
    np.testing.assert_array_equal(first.y, again.y)
    assert not np.array_equal(first.X, source.draw(60, np.random.default_rng(4)).X)


def test_the_mirror_is_exactly_as_defined() -> None:
    n = 40_000
    data = Mirror().draw(n, np.random.default_rng(0))
    assert data.X.shape == data.X_second.shape == (n, 5)
    # A label flipped one time in ten leaves 0.8 of each shift in the mean by label.
    sign = 2 * data.y - 1
    for side in (data.X, data.X_second):
        found = (side * sign[:, None]).mean(axis=0)
        expected = np.array([0.8, 0.4, 0, 0, 0]) * 0.8
        assert np.abs(found - expected).max() < BOUND * 1.3 / np.sqrt(n)
    assert abs(data.y.mean() - 0.5) < BOUND * 0.5 / np.sqrt(n)
    assert abs((data.X * data.X_second).mean(axis=0)[2:]).max() < BOUND / np.sqrt(n)


@pytest.mark.slow
def test_the_mirror_is_a_null_for_any_model_and_a_weakened_one_is_not() -> None:
    assert Mirror().delta == 0.0
    assert Mirror(weaken=0.5).delta is None
    of = reading("mcnemar", "holdout@1/2")
    apart = {}
    for weaken in (0.0, 1.0):
        contest = Contest(Mirror(weaken=weaken), GaussianNB(), GaussianNB(), n=200)
        table: Any = contest.draw([of], 30, SEED)[of]
        apart[weaken] = table.estimate.mean() / (table.estimate.std(ddof=1) / np.sqrt(30))
    assert abs(apart[0.0]) < BOUND
    assert apart[1.0] > BOUND


@pytest.mark.requirement("D-44")
def test_the_grid_has_22801_points_of_six_classes() -> None:
    grid = SixClasses().grid()
    assert grid.n == 22_801 == 151**2
    assert np.ptp(grid.X, axis=0).tolist() == [15.0, 15.0]
    shares = np.bincount(grid.y) / grid.n
    assert shares.size == 6
    assert shares.min() > 0.1
    assert "stand-in" in SixClasses.name


@pytest.mark.requirement("D-14")
def test_label_noise_flips_its_share_and_bounds_every_error_below() -> None:
    clean = SixClasses().draw(20_000, np.random.default_rng(2)).y
    noisy = LabelNoise(SixClasses(), 0.2).draw(20_000, np.random.default_rng(2)).y
    assert abs(np.mean(clean != noisy) - 0.2) < BOUND * 0.4 / np.sqrt(20_000)
    assert LabelNoise(Mirror(), 0.1).delta == 0.0
    with pytest.raises(DataError, match="rate must be"):
        LabelNoise(Mirror(), 1.5)


@pytest.mark.requirement("D-45", "D-46", "N-26")
def test_a_pool_gives_items_once_and_splits_without_overlap() -> None:
    pool = Pool(pl.DataFrame({"x": range(50)}), np.arange(50) % 2)
    drawn = pool.draw(30, np.random.default_rng(0))
    assert isinstance(drawn.X, pl.DataFrame)
    assert drawn.X["x"].n_unique() == 30
    assert (np.asarray(drawn.X["x"]) % 2 == drawn.y).all()
    first, second = pool.split(20, random_state=1)
    together = {*first.X["x"].to_list(), *second.X["x"].to_list()}
    assert (first.n, second.n, len(together)) == (20, 30, 50)
    with pytest.raises(DataError, match="replace=True"):
        pool.draw(51, np.random.default_rng(0))
    assert Pool([[1.0], [2.0]], ["a", "b"], replace=True).draw(9, np.random.default_rng(0)).n == 9


@pytest.mark.slow
@pytest.mark.requirement("D-30")
def test_how_a_small_cluster_is_halved_moves_the_errors_of_both_halves() -> None:
    """Dietterich's illustration: the two folds of one 2-fold run err together."""
    errors, whole = [], []
    for number in range(100):
        data = SmallCluster(n_small=3).draw(60, np.random.default_rng([1, number]))
        order = np.random.default_rng([2, number]).permutation(60)
        halves = order[:30], order[30:]
        pair = []
        for train, test in (halves, halves[::-1]):
            model = KNeighborsClassifier(1).fit(data.X[train], data.y[train])
            pair.append(np.mean(model.predict(data.X[test]) != data.y[test]))
        errors.append(sum(pair))
        whole.append(data.y[halves[0]].sum() in (0, 3))
    torn = ~np.array(whole)
    far, even = np.array(errors)[~torn], np.array(errors)[torn]
    stderr = np.hypot(far.std() / np.sqrt(far.size), even.std() / np.sqrt(even.size))
    assert far.mean() > even.mean() + BOUND * stderr


def test_a_contest_is_what_running_the_models_by_hand_gives() -> None:
    contest = Contest(SixClasses(), GaussianNB(), RandomForestClassifier(3), n=60)
    assert isinstance(contest, Scenario)
    of = reading("corrected_t", "5cv")
    view: Any = contest.draw([of], 2, SEED)[of]
    data = SixClasses().draw(60, stream(SEED, SAMPLE, 1))
    seed = int(stream(SEED, of.key, 1).integers(1 << 31))
    models = {"first": GaussianNB(), "second": RandomForestClassifier(3)}
    scores = op.run(models, data.X, data.y, design="5cv", random_state=seed, progress=False)
    np.testing.assert_array_equal(view.values[1], Differences.of(scores, "first", "second").values)
    assert view.test_train_ratio == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("method", "design"),
    [
        ("mcnemar", "holdout@1/3"),
        ("paired_t", "holdout@1/3"),
        ("kfold_t", "5cv"),
        ("five_by_two_t", "5x2cv"),
        ("averaged_t", "2*5cv"),
        ("conservative_z", "2x3halves@1/10"),
        ("quasi_f", "3disjoint@15"),
    ],
)
def test_every_kind_of_method_reads_a_contest_one_by_one_or_together(
    method: str, design: str
) -> None:
    contest = Contest(Mirror(), GaussianNB(), GaussianNB(), n=60)
    of = reading(method, design)
    together = get(method).on(contest.draw([of], 3, SEED)[of])
    assert np.shape(together.estimate) == (3,)
    alone = get(method).on(contest.draw([of], 1, SEED)[of])
    assert np.asarray(together.estimate)[0] == pytest.approx(np.asarray(alone.estimate)[0])


def test_asking_a_contest_for_more_changes_nothing() -> None:
    contest = Contest(SixClasses(), GaussianNB(), KNeighborsClassifier(1), n=60)
    one, two = reading("kfold_t", "5cv"), reading("mcnemar")
    alone: Any = contest.draw([one], 2, SEED)[one]
    among: Any = contest.draw([two, one], 2, SEED)[one]
    np.testing.assert_array_equal(alone.values, among.values)


def test_the_source_of_a_contest_may_be_a_function_of_the_effect() -> None:
    contest = Contest(lambda effect: Mirror(weaken=effect), GaussianNB(), GaussianNB(), n=400)
    of = reading("mcnemar", "holdout@1/2")
    null: Any = contest.draw([of], 4, SEED, 0.0)[of]
    far: Any = contest.draw([of], 4, SEED, 1.0)[of]
    assert far.estimate.mean() > null.estimate.mean() + 0.1


def test_models_are_called_equal_only_where_that_is_known():
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier

    from outperform.lab import (
        Contest,
        DesignedPopulation,
        LabelNoise,
        Mirror,
    )
    from reproduction.simulated_learners import SimulatedLearners

    bayes, neighbours = GaussianNB(), KNeighborsClassifier(1)
    assert DesignedPopulation().null_at_zero
    assert Contest(Mirror(), bayes, GaussianNB()).null_at_zero
    assert not Contest(Mirror(), bayes, neighbours).null_at_zero
    assert not SimulatedLearners(np.full(9, 0.1), np.full(9, 0.3)).null_at_zero
    assert LabelNoise(Mirror(), 0.1).delta == 0
