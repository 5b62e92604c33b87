"""Records keep every split's scores of both learners, from which any side can be asked later."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import outperform as op
from outperform import DataError, MethodError
from outperform.lab import Contest, Mirror, OneSide, study
from reproduction.score_records import record

CONTEST = Contest(Mirror(n_features=2), GaussianNB(), KNeighborsClassifier(1), n=40)
PLANS = {
    "half": "3xresampled@1/2",
    "thrown": ("3xresampled@1/6", 24),
    "twofold": "5x2cv",
    "halves": "2x3halves@1/10",
}


@pytest.mark.slow
def test_records_hold_the_experiments_that_a_study_of_the_same_seed_judges() -> None:
    kept = record(CONTEST, PLANS, n_reps=6, random_state=3)
    seen = study(
        [("resampled_t", "3xresampled@1/2"), ("conservative_z", "2x3halves@1/10")],
        CONTEST,
        n_reps=6,
        random_state=3,
    )
    half, halves = kept["half"], kept["halves"]
    mine = (half.first - half.second).mean(axis=1)
    assert seen.column("resampled_t 3xresampled@1/2", "estimate") == pytest.approx(mine)
    gaps = (halves.first - halves.second)[:, 3:].reshape(6, 2, 3, 2).mean(axis=2)
    z = op.methods.conservative_z.on(
        op.views.Halves((halves.first - halves.second)[:, :3], gaps, np.ones(6))
    )
    label = "conservative_z 2x3halves@1/10"
    assert seen.column(label, "stderr") == pytest.approx(np.asarray(z.stderr))


@pytest.mark.requirement("N-28")
def test_a_plan_can_throw_out_a_part_of_the_data() -> None:
    thrown = record(CONTEST, PLANS, n_reps=2, random_state=3)["thrown"]
    assert (thrown.n_train, thrown.n_test) == (20, 4)
    assert np.allclose(thrown.first * 4, np.rint(thrown.first * 4))


@pytest.mark.slow
def test_discordant_items_bound_the_difference_of_the_sides() -> None:
    half = record(CONTEST, PLANS, n_reps=4, random_state=3)["half"]
    apart = np.abs(half.first - half.second)
    assert (apart <= half.discordant + 1e-12).all()
    assert (half.discordant > apart + 1e-9).any()  # where each is right alone on some items


@pytest.mark.slow
def test_a_stopped_record_goes_on_and_workers_change_no_bit(tmp_path) -> None:
    plans, store = {"half": "3xresampled@1/2", "twofold": "5x2cv"}, tmp_path / "kept.db"
    whole = record(CONTEST, plans, n_reps=9, random_state=3)
    record(CONTEST, plans, n_reps=9, random_state=3, n_jobs=2, store=store)
    with closing(sqlite3.connect(store)) as db, db:
        db.execute("DELETE FROM block WHERE number = 1")  # as if stopped before the second block
    again = record(CONTEST, plans, n_reps=9, random_state=3, store=store)
    for name in plans:
        assert np.array_equal(again[name].first, whole[name].first)
        assert np.array_equal(again[name].discordant, whole[name].discordant)
    with pytest.raises(DataError, match="another study"):
        record(CONTEST, {"half": "3xresampled@1/2"}, n_reps=9, random_state=3, store=store)


def test_what_was_not_recorded_is_refused() -> None:
    kept = record(CONTEST, {"half": "3xresampled@1/2"}, n_reps=1, random_state=0)
    with pytest.raises(DataError, match="use one of half"):
        kept["thirds"]
    with pytest.raises(DataError, match="needs 50 items, but only 40"):
        record(CONTEST, {"half": ("3xresampled@1/2", 50)}, n_reps=1, random_state=0)


@pytest.mark.slow
@pytest.mark.requirement("N-27")
def test_a_study_of_one_side_is_about_that_models_own_scores() -> None:
    kept = record(CONTEST, PLANS, n_reps=5, random_state=3)
    asked = [
        ("corrected_t", "3xresampled@1/2"),
        ("five_by_two_t", "5x2cv"),
        ("conservative_z", "2x3halves@1/10"),
        ("paired_t", "holdout@1/2"),
    ]
    second = study(asked, OneSide(CONTEST, "second"), n_reps=5, random_state=3)
    means = kept["half"].second.mean(axis=1)
    assert second.column("corrected_t 3xresampled@1/2", "estimate") == pytest.approx(means)
    first_fold = kept["twofold"].second[:, 0]
    assert second.column("five_by_two_t 5x2cv", "estimate") == pytest.approx(first_fold)
    whole = kept["halves"].second[:, :3].mean(axis=1)
    assert second.column("conservative_z 2x3halves@1/10", "estimate") == pytest.approx(whole)
    shares = second.column("paired_t holdout@1/2", "estimate")
    assert ((shares > 0.4) & (shares <= 1)).all()  # accuracies, not losses
    assert second.rates(0.1, mu0=-5.0)["corrected_t 3xresampled@1/2"].rate == 1
    with pytest.raises(MethodError, match="compares two learners"):
        study(["mcnemar"], OneSide(CONTEST, "first"), n_reps=1, random_state=0)
    with pytest.raises(MethodError, match="known: first, second"):
        OneSide(CONTEST, "third")  # type: ignore[arg-type]
