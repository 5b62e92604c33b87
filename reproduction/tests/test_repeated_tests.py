"""Repeated tests and partition studies, against the plain calls they stand for."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import outperform as op
from outperform import DataError, MethodError
from reproduction.partition_studies import partition_study, tally
from reproduction.repetitions import repetitions, replicate

MODELS = {"tree": DecisionTreeClassifier(max_depth=2), "bayes": GaussianNB()}
PAIR = ("tree", "bayes")


@pytest.fixture(scope="module")
def data():
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    return X + rng.normal(0, 1.2, X.shape), y  # harder, so that folds differ


@pytest.fixture(scope="module")
def scores(data):
    return replicate(MODELS, *data, design="3x10cv", n=6, random_state=4)


@pytest.mark.slow
@pytest.mark.requirement("R-03")
def test_each_repetition_is_the_test_of_its_own_partition(scores):
    found = repetitions(scores, "corrected_t", *PAIR)
    values = scores.values.reshape(2, 6, 3, 10)
    one = op.methods.corrected_t(
        values[0, 2], values[1, 2], design="3x10cv", n_train=135, n_test=15
    )
    assert found.pvalues.shape == (1, 6)
    assert found.pvalues[0, 2] == pytest.approx(one.pvalue, rel=1e-9)
    assert found.sides[0, 2] == np.sign(one.estimate)


@pytest.mark.slow
@pytest.mark.requirement("R-19")
def test_the_first_runs_of_a_repetition_can_be_read_alone(scores):
    found = repetitions(scores, "corrected_t", *PAIR, runs=1)
    values = scores.values.reshape(2, 6, 3, 10)[:, :, 0]
    one = op.methods.corrected_t(values[0, 5], values[1, 5], n_train=135, n_test=15)
    assert found.pvalues[0, 5] == pytest.approx(one.pvalue, rel=1e-9)
    plain = repetitions(scores, "kfold_t", *PAIR, runs=1)
    assert (plain.pvalues < found.pvalues).all()


@pytest.mark.requirement("R-17")
def test_resamples_can_be_read_in_part(data):
    scores = replicate(MODELS, *data, design="20xresampled@1/10", n=3, random_state=4)
    few, all_ = (repetitions(scores, "corrected_t", *PAIR, runs=n) for n in (10, None))
    assert few.pvalues.shape == all_.pvalues.shape == (1, 3)
    assert not np.array_equal(few.pvalues, all_.pvalues)
    with pytest.raises(DataError, match="cannot be split into"):
        repetitions(scores, "corrected_t", *PAIR, runs=21)


@pytest.mark.requirement("R-04")
@pytest.mark.requirement("R-08")
@pytest.mark.requirement("R-22")
def test_datasets_are_summarised_together(scores):
    found = repetitions({"one": scores, "two": scores}, "kfold_t", *PAIR, runs=1)
    counts = found.rejections(0.05)
    assert found.replicability() == op.methods.replicability(counts, 6)
    assert found.direction_flips().n_datasets == 2
    either = int(np.count_nonzero((counts > 0) & (counts < 6)))
    assert found.seed_shopping().either == either
    assert "vs. bayes" in str(found)


@pytest.mark.requirement("B-07")
@pytest.mark.requirement("B-11")
def test_a_partition_study_reads_each_partition_by_the_test_of_its_design(data):
    scores = op.run(MODELS, *data, design="8*10cv", random_state=1)
    found = partition_study(scores, *PAIR)
    values = scores.values.reshape(2, 8, 10)
    for at in (0, 7):
        one = op.methods.kfold_t(values[0, at], values[1, at])
        assert found.t_values[at] == pytest.approx(one.statistic, rel=1e-9)
        signed = np.copysign(one.pvalue / 2, one.statistic)
        assert found.signed_p[at] == pytest.approx(signed, rel=1e-9)
    averaged = op.methods.averaged_t(values[0], values[1])
    assert found.averaged().pvalue == pytest.approx(averaged.pvalue, rel=1e-9)
    assert 2 * abs(found.averaged_p()) == pytest.approx(averaged.pvalue, rel=1e-9)
    assert sum(found.conclusions()) == 8
    assert sum(tally({"data": found})) == 8
    assert sorted(found.sorted_p.tolist()) == sorted(found.signed_p.tolist())
    assert found.sufficiency().n_partitions == found.normal_fit().n == 8
    assert "8 partitions of 10cv" in str(found)


def test_the_two_readings_of_5x2cv_have_their_own_degrees_of_freedom(data):
    scores = op.run(MODELS, *data, design="4*5x2cv", random_state=1)
    assert partition_study(scores, *PAIR).df == 5
    ordinary = partition_study(scores, *PAIR, ordinary=True)
    assert ordinary.df == 9
    values = scores.values.reshape(2, 4, 10)
    one = op.methods.paired_t(values[0, 1], values[1, 1], unit="items")
    assert ordinary.t_values[1] == pytest.approx(one.statistic, rel=1e-9)


def test_what_is_not_repeated_is_refused(data):
    once = op.run(MODELS, *data, design="10cv", random_state=1)
    with pytest.raises(DataError, match="a design repeated over partitions is required"):
        repetitions(once, "kfold_t", *PAIR)
    with pytest.raises(DataError, match="must consist of partitions"):
        partition_study(once, *PAIR)
    with pytest.raises(MethodError, match="takes neither the scores of splits nor"):
        repetitions(once, "quasi_f", *PAIR)
    folds = replicate(MODELS, *data, design="3cv", n=2, random_state=1)
    with pytest.raises(MethodError):
        repetitions(folds, "mcnemar", *PAIR)


@pytest.mark.requirement("B-19")
def test_a_partition_whose_folds_all_differ_alike_rejects():
    rng = np.random.default_rng(2)
    second = rng.uniform(0.6, 0.8, (5, 1, 10))
    first = second + rng.normal(0, 0.05, (5, 1, 10))
    first[1], first[3], first[4] = second[1] + 0.125, second[3] - 0.125, second[4]
    scores = op.Scores.from_arrays(
        {"one": first, "two": second}, design="5*10cv", n_train=90, n_test=10
    )
    found = partition_study(scores, "one", "two")
    assert found.infinite == 2
    assert found.endless.tolist() == [0, 1, 0, -1, 0]
    assert found.signed_p[[1, 3, 4]].tolist() == [0, 0, 0.5]
    assert np.signbit(found.signed_p[[1, 3]]).tolist() == [False, True]
    assert found.conclusions().first_better >= 1 <= found.conclusions().second_better
    assert found.group() == "1"
    assert found.sorted_p[0] == 0 == found.sorted_p[-1]
    others = [op.methods.kfold_t(first[i, 0], second[i, 0]).statistic for i in (0, 2, 4)]
    assert found.averaged().estimate == pytest.approx(np.mean(others))
    assert found.sufficiency().n_partitions == found.normal_fit().n == 3
    assert "On 2 partitions the difference is the same in all folds" in str(found)


@pytest.mark.requirement("R-03")
def test_tests_of_one_test_set_are_repeated_too(data):
    scores = replicate(MODELS, *data, design="holdout@1/3", n=5, random_state=2)
    found = repetitions(scores, "mcnemar", *PAIR)
    items = scores.items
    for at in range(5):
        wrong = items.values[:, items.split == at] > 0
        one = op.methods.mcnemar(np.zeros(wrong.shape[1], dtype=int), *wrong.astype(int))
        assert found.pvalues[0, at] == pytest.approx(one.pvalue, rel=1e-12)
        assert found.sides[0, at] == np.sign(one.estimate)
    assert len(set(found.pvalues[0])) > 1


@pytest.mark.requirement("R-20")
@pytest.mark.requirement("R-21")
def test_replicability_is_read_by_level_and_with_stratification(data):
    plain, strata = (
        replicate(MODELS, *data, design=design, n=4, random_state=4)
        for design in ("10xresampled@1/3", "10xresampled@1/3/stratified")
    )
    for scores in (plain, strata):
        found = repetitions(scores, "corrected_t", *PAIR)
        counts = [int(found.rejections(alpha)[0]) for alpha in (0.01, 0.025, 0.05, 0.1)]
        assert counts == sorted(counts)
        assert found.replicability(0.1).R == op.methods.replicability([counts[-1]], 4).R
    assert not np.array_equal(plain.values, strata.values)
