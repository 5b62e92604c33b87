"""Items hold models × items × samples, and their summary is the `Scores` of one test set."""

from __future__ import annotations

import numpy as np
import pytest

import outperform as op
from outperform import DataError
from outperform.scores.item_summary import scores_of
from outperform.scores.preferences import Preferences


def _items(**about: object) -> op.Items:
    rng = np.random.default_rng(7)
    scores = {"a": (rng.random(60) < 0.8) * 1.0, "b": (rng.random(60) < 0.6) * 1.0}
    return op.Items.from_arrays(scores, **about)


def test_the_summary_is_compared_as_predictions_of_one_test_set_are():
    items = _items(metric="accuracy")
    right = items.values[:, :, 0].astype(bool)
    same = op.Scores.from_correct(items.names, right)
    found, known = op.compare(items), op.compare(same, method="mcnemar_mid_p")
    assert found.method is known.method
    assert found.pvalue == known.pvalue
    assert found.scores.measured is items


def test_samples_of_an_item_are_averaged_before_items_are():
    # Two samples of the first item, one of the second: (1/2 + 1) / 2, not 2/3.
    items = op.Items.from_arrays({"a": [[1, 0], [1, np.nan]], "b": [[0, 0], [1, np.nan]]})
    assert items.n_samples.tolist() == [[2, 1], [2, 1]]
    assert items.performance() == {"a": 0.75, "b": 0.5}
    assert scores_of(items).values.ravel().tolist() == [0.75, 0.5]


@pytest.mark.parametrize(
    ("about", "kind"),
    [
        ({}, "items"),
        ({"clusters": np.arange(60) // 5}, "clustered-items"),
        ({"clusters": np.arange(60) // 5, "population": "these"}, "fixed-items"),
    ],
)
def test_the_kind_is_how_items_were_measured(about, kind):
    assert _items(**about).kind == kind


def test_missing_scores_need_a_policy():
    scores = {"a": [1.0, np.nan, 1.0], "b": [0.0, 1.0, 1.0]}
    with pytest.raises(DataError, match=r"1 score of 1 item is missing.*'a' on item '1'"):
        op.Items.from_arrays(scores)
    zero = op.Items.from_arrays(scores, errors="as_zero")
    assert zero.means.tolist() == [[1, 0, 1], [0, 1, 1]]
    dropped = op.Items.from_arrays(scores, errors="drop_pairs", clusters=["x", "y", "z"])
    assert dropped.means.tolist() == [[1, 1], [0, 1]]
    assert dropped.clusters.labels == ("x", "z")
    assert "1 of 3 items was left out" in dropped.notes[-1].text


def test_an_error_is_never_the_best_loss():
    with pytest.raises(DataError, match="lower is better"):
        op.Items.from_arrays(
            {"a": [1.0, np.nan], "b": [1.0, 2.0]}, lower_is_better=True, errors="as_zero"
        )


def test_probabilities_are_scored_as_by_scikit_learn():
    from sklearn.metrics import brier_score_loss, log_loss

    rng = np.random.default_rng(1)
    y, p = rng.integers(0, 2, 50), {"a": rng.random(50), "b": rng.random(50)}
    for metric, oracle in (("log_loss", log_loss), ("brier_score", brier_score_loss)):
        items = op.Items.from_probabilities(y, p, metric=metric)
        assert not items.greater_is_better
        for name in p:
            assert items.performance()[name] == pytest.approx(oracle(y, p[name]), rel=1e-12)
    assert op.Items.from_probabilities(y, p, metric="roc_auc").kind == "ranked-items"


def test_models_and_items_can_be_chosen():
    items = _items(ids=range(60), clusters=np.arange(60) // 20, weights=np.arange(60) + 1)
    some = items.at(np.array([3, 1])).of(["b", "a"])
    assert some.ids == ("3", "1")
    assert some.weights.tolist() == [4, 2]
    assert (some.values[:, :, 0] == items.values[::-1, [3, 1], 0]).all()


def test_shares_of_judgements_count_ties_half():
    judged = Preferences(
        np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([1, 0, 2]), np.array([1, 0.5, 0])
    )
    shares = judged.shares(3, 2)
    np.testing.assert_array_equal(shares, [[0.75, 0], [0.25, np.nan], [np.nan, 1]])
    assert judged.at(np.array([1])).item.tolist() == [0]
    assert judged.of([2, 0]).first.tolist() == [1]


def test_the_digest_knows_what_was_measured_and_not_the_order_of_models():
    items = _items(clusters=np.arange(60) // 5)
    assert items.digest() == items.of(["b", "a"]).digest()
    assert items.digest() != _items(clusters=np.arange(60) // 6).digest()


def test_pass_at_k_is_a_score_of_each_item():
    items = op.Items.from_arrays(
        {"a": [[1, 0, 1], [0, 0, 1]], "b": [[0, 0, 0], [1, 1, 1]]}, clusters=["s", "t"]
    )
    found = items.pass_at(2)
    assert found.values[:, :, 0].tolist() == [[1, 1 - 1 / 3], [0, 1]]
    assert (found.metric, found.clusters.labels) == ("pass@2", ("s", "t"))
    assert items.pass_at(1).means == pytest.approx(items.means)
    with pytest.raises(DataError, match=r"needs scores of 1 .right. and 0 .wrong."):
        op.Items.from_arrays({"a": [[0.5, 1], [0, 0]], "b": [[1, 1], [0, 0]]}).pass_at(2)
