"""Seeds that are not paired, and splits that were each run with several seeds."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

import outperform as op

RNG = np.random.default_rng(5)
OWN = {
    "a": RNG.normal(0.80, 0.02, 6),
    "b": RNG.normal(0.78, 0.01, 9),
    "c": RNG.normal(0.7, 0.05, 4),
}


def test_seeds_that_are_not_paired_are_judged_by_welch_whatever_their_numbers() -> None:
    found = op.compare(OWN, design="9seeds/unpaired")
    assert found.method.name == "welch_t"
    for pair in found.pair_names:
        want = stats.ttest_ind(*(OWN[name] for name in pair), equal_var=False)
        result = found[pair]
        assert result.pvalue == pytest.approx(want.pvalue, rel=1e-11)
        assert [*result.interval()] == pytest.approx([*want.confidence_interval()], rel=1e-11)
        assert result.df == pytest.approx(want.df, rel=1e-11)
        assert op.methods.welch_t(found.scores, *pair).pvalue == pytest.approx(
            result.pvalue, rel=1e-12
        )
    assert "OP407" in [note.code for note in found.notes]
    assert "nan" not in str(found)
    assert "over their random seeds" in " ".join(str(found).split())


@pytest.mark.slow
def test_a_report_of_unpaired_seeds_holds_their_scores_and_is_read_again(tmp_path: Path) -> None:
    two = {name: OWN[name] for name in "ab"}
    for name, scores in (("two.html", two), ("three.html", OWN)):
        found = op.compare(scores, design="9seeds/unpaired")
        page = found.report(tmp_path / name).read_text("utf-8")
        assert not re.search(r"\bnan\b", page)
        assert f"{OWN['b'].mean():.4g}" in page
        again = op.Scores.read(tmp_path / name)
        assert again.digest() == found.scores.digest()
        assert again.own("a").tolist() == OWN["a"].tolist()


def test_paired_t_is_not_for_seeds_that_are_not_paired() -> None:
    scores = op.Scores.from_arrays(OWN, design="9seeds/unpaired")
    with pytest.raises(op.errors.MethodError, match="Use welch_t"):
        op.compare(scores, method="paired_t")


def table(splits: int, seeds: int, sd_split: float, sd_seed: float) -> np.ndarray:
    rng = np.random.default_rng(1)
    return rng.normal(0, sd_split, (splits, 1)) + rng.normal(0, sd_seed, (splits, seeds))


def test_the_variance_is_taken_apart_into_splits_and_seeds() -> None:
    found = op.methods.seed_averaged_t(
        table(4000, 3, 0.3, 0.4), np.zeros((4000, 3)), n_train=2, n_test=1
    )
    assert found.details["variance_between_splits"] == pytest.approx(0.09, rel=0.08)
    assert found.details["variance_between_seeds"] == pytest.approx(0.16, rel=0.05)
    (note,) = (note for note in found.notes if note.code == "OP314")
    assert "0.3 between splits, 0.4 between seeds within a split (64% of the variance)" in note.text


def test_seeds_are_averaged_and_not_counted_as_splits() -> None:
    d = table(10, 5, 0.1, 0.3) + 0.2
    found = op.methods.seed_averaged_t(d, np.zeros_like(d), design="5seeds*10cv")
    means = op.methods.corrected_t(d.mean(axis=1), design="10cv")
    assert found.pvalue == pytest.approx(means.pvalue, rel=1e-12)
    assert found.df == 9


def test_splits_and_seeds_are_run_judged_and_shown() -> None:
    X, y = make_classification(80, n_informative=4, random_state=0)
    models = {
        "wide": DecisionTreeClassifier(max_features=8),
        "narrow": DecisionTreeClassifier(max_features=1),
    }
    found = op.compare(models, X, y, design="3seeds*4cv", random_state=0)
    assert found.method.name == "seed_averaged_t"
    assert "between seeds within a split" in " ".join(str(found).split())
    same_splits = op.run(models, X, y, design="4cv", random_state=0)
    assert (found.scores.values[:, :4] == same_splits.values).all()
    assert found.scores.n_test.tolist() == [20] * 12
    d = (found.scores.values[0] - found.scores.values[1]).reshape(3, 4)
    assert found["wide", "narrow"].estimate == pytest.approx(d.mean(), rel=1e-12)
    means = op.methods.corrected_t(d.mean(axis=0), design="4cv")
    assert found["wide", "narrow"].pvalue == pytest.approx(means.pvalue, rel=1e-10)
