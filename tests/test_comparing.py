"""compare: every pair is what its method says of it alone, and the family is adjusted."""

from itertools import combinations

import numpy as np
import pytest

import outperform as op
from outperform.errors import DataError, MethodError
from outperform.scores import Items

RNG = np.random.default_rng(30)
DESIGNS = {
    "10x10cv": ("corrected_t", (10, 10)),
    "10cv": ("corrected_t", (10,)),
    "15xresampled@1/3": ("corrected_t", (15,)),
    "5x2cv": ("five_by_two_t", (5, 2)),
    "4*10cv": ("averaged_t", (4, 1, 10)),
    "3x4halves@1/10": ("conservative_z", (28,)),
}


@pytest.mark.parametrize("design", DESIGNS)
def test_every_pair_is_what_the_default_method_says_of_it(design):
    name, shape = DESIGNS[design]
    made = {learner: RNG.random(shape) for learner in "abcd"}
    scores = op.Scores.from_arrays(made, design=design)
    comparison = op.compare(scores)
    assert comparison.method.name == name
    for pair in combinations("abcd", 2):
        alone = getattr(op, name)(scores, *pair)
        for attribute in ("estimate", "stderr", "statistic", "pvalue"):
            want = getattr(alone, attribute)
            assert getattr(comparison[pair], attribute) == pytest.approx(want, rel=1e-11)
    assert comparison.adjusted() == pytest.approx(op.holm(np.exp(comparison.log_pvalues())))


def test_losses_of_one_test_set_are_judged_by_the_paired_t():
    losses = RNG.gamma(2.0, size=(3, 40))
    once = np.zeros(40, dtype=np.int64)
    scores = op.Scores(
        ("a", "b", "c"), -losses.mean(axis=1, keepdims=True), np.zeros((1, 3), dtype=np.int64),
        design=op.parse("holdout@40"), items=Items("squared", losses, once, np.arange(40)),
    )  # fmt: skip
    comparison = op.compare(scores)
    assert comparison.method.name == "paired_t"
    alone = op.paired_t(losses[0], losses[2], lower_is_better=True)
    assert comparison["a", "c"].statistic == pytest.approx(alone.statistic, rel=1e-11)


def test_several_datasets_are_judged_over_datasets():
    values = RNG.random((3, 16))
    where = np.stack([np.zeros(16), np.zeros(16), np.arange(16) % 2], 1).astype(np.int64)
    names = tuple(f"d{i // 2}" for i in range(16))
    scores = op.Scores(("a", "b", "c"), values, where, datasets=names)
    comparison = op.compare(scores)
    assert comparison.method.name == "wilcoxon"
    assert comparison["a", "b"].pvalue == pytest.approx(op.wilcoxon(scores, "a", "b").pvalue)


def test_losses_turn_the_sign_of_every_pair():
    errors = {name: RNG.random(10) for name in "abc"}
    scores = op.Scores.from_arrays(errors, design="10cv", lower_is_better=True)
    want = op.corrected_t(errors["a"], errors["b"], design="10cv", lower_is_better=True)
    assert op.compare(scores)["a", "b"].estimate == pytest.approx(want.estimate)


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda s: op.compare(s, method="kfold_t"), MethodError, "valid for kfold"),
        (lambda s: op.compare(s, method="korrected_t"), MethodError, "corrected_t"),
        (lambda s: op.compare(s, adjust="holmm"), MethodError, "holm"),
        (lambda s: op.compare(s, alternative="more"), MethodError, "alternative"),
        (lambda s: op.compare(s, method="cochran_q"), MethodError, "design|items"),
        (lambda s: op.compare(op.Scores.from_arrays({"a": [1, 2, 3]})), DataError, "at least 2"),
        (lambda s: op.compare(op.Scores.from_arrays({"a": [1, 2], "b": [2, 1]})), MethodError,
         "design of these scores is unknown"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_refused(call, kind, words):
    scores = op.Scores.from_arrays({n: RNG.random((10, 10)) for n in "abc"}, design="10x10cv")
    with pytest.raises(kind, match=words):
        call(scores)
