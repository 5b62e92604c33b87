"""Calibrating a damaged learner, and measuring what learners really do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import joblib
import numpy as np
import pytest
from models_for_tests import Centroids
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

from outperform import DataError
from outperform.lab.contests import Contest
from outperform.lab.scenarios import Mirror, Pool, SixClasses, block_seed, reading
from reproduction import learner_errors as errors_module
from reproduction.damage import calibrate
from reproduction.learner_errors import learner_errors


def squeezed_neighbor(weight: float) -> Any:
    """One nearest neighbour that sees the second coordinate less and less (D-42)."""
    squeeze = FunctionTransformer(_scaled, kw_args={"factor": 1 - weight})
    return make_pipeline(squeeze, KNeighborsClassifier(1))


def _scaled(X: Any, factor: float) -> Any:
    return X * np.array([1.0, factor])


class KnownError(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Errs on a fixed share of the test items, whatever it was taught."""

    def __init__(self, share: float = 0.0) -> None:
        self.share = share

    def fit(self, X: Any, y: Any) -> KnownError:
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        truth = SixClasses()._classified(np.asarray(X)).y
        wrong = np.arange(len(truth)) < round(self.share * len(truth))
        return np.where(wrong, -1, truth)


@pytest.mark.slow
@pytest.mark.requirement("D-42", "D-47")
def test_a_damaged_neighbour_is_made_equal_to_naive_bayes_at_each_training_size() -> None:
    found = calibrate(
        GaussianNB(),
        squeezed_neighbor,
        SixClasses(),
        weights=[0.0, 0.5, 0.8, 0.95, 0.99],
        sizes=(60, 40),
        n_datasets=10,
        test=SixClasses().grid(0.5),
        tolerance=0.001,
    )
    assert found.reached
    assert [point.n_train for point in found.points] == [60, 40]
    for point in found.points:
        assert abs(point.gap.mean) <= 0.001
        assert 0 < point.gap.stderr < 0.05
        assert 0 < point.weight < 1
    # Measured anew, at the weight found: the same datasets give the same gap.
    both = learner_errors(
        SixClasses(),
        [GaussianNB(), found.learner(0.0, 40)],
        sizes=(40,),
        largest=60,
        test=SixClasses().grid(0.5),
        n_datasets=10,
        random_state=0,
    )
    assert (both[:, 0, 1] - both[:, 0, 0]).mean() == pytest.approx(found.at(0.0, 40).gap.mean)
    assert "within 0.10%" in str(found)


@pytest.mark.requirement("D-49", "D-50")
def test_every_lambda_aims_at_its_share_of_the_way() -> None:
    found = calibrate(
        KnownError(0.3),
        KnownError,
        SixClasses(),
        weights=[0.0, 0.2, 0.5],
        sizes=(20,),
        fractions=[0.0, 0.25, 0.5, 1.0],
        n_datasets=2,
        test=2000,
    )
    assert [point.target for point in found.points] == pytest.approx([0.3, 0.225, 0.15, 0.0])
    assert [point.weight for point in found.points] == pytest.approx(
        [0.3, 0.225, 0.15, 0.0], abs=1e-3
    )


def test_a_target_out_of_reach_is_refused_with_the_errors_that_were_reached() -> None:
    with pytest.raises(DataError, match=r"0\.3000 is out of range.*0 to 0\.2.*0\.0000 to 0\.2000"):
        calibrate(
            KnownError(0.3),
            KnownError,
            SixClasses(),
            weights=[0.0, 0.2],
            sizes=(20,),
            n_datasets=2,
            test=2000,
        )


def test_a_size_that_was_not_calibrated_is_refused() -> None:
    found = calibrate(
        KnownError(0.1), KnownError, SixClasses(), weights=[0.0, 0.2], sizes=(20,), n_datasets=2
    )
    with pytest.raises(DataError, match="30 training items was not calibrated"):
        found.learner(0.0, 30)


def test_answers_do_not_depend_on_the_number_of_workers() -> None:
    ask = {"sizes": (30, 20), "test": 50, "n_datasets": 6, "random_state": 3}
    models = [DecisionTreeClassifier(max_features=1), GaussianNB()]
    alone = learner_errors(SixClasses(), models, **ask)  # type: ignore[arg-type]
    with joblib.parallel_config(backend="threading"):
        shared = learner_errors(SixClasses(), models, **ask, n_jobs=2)  # type: ignore[arg-type]
    np.testing.assert_array_equal(alone, shared)


@pytest.mark.requirement("D-46")
def test_test_items_of_a_pool_are_never_trained_on() -> None:
    X = np.arange(40.0)[:, None]
    y = np.arange(40)  # every item has a class of its own: unknown items cannot be right
    errors = learner_errors(
        Pool(X, y),
        [Centroids()],
        sizes=(30, 10),
        test=10,
        n_datasets=5,
        random_state=0,
    )
    assert (errors == 1.0).all()


@pytest.mark.requirement("D-47")
def test_a_calibrated_model_enters_a_contest_by_its_training_size() -> None:
    asked: list[tuple[float, int]] = []

    def model(effect: float, n_train: int) -> Any:
        asked.append((effect, n_train))
        return GaussianNB()

    contest = Contest(Mirror(), GaussianNB(), model, n=60)
    readings = [reading("kfold_t"), reading("five_by_two_t"), reading("mcnemar")]
    contest.draw(readings, 1, block_seed(0, 0, 0), 0.25)
    assert asked == [(0.25, 54), (0.25, 30), (0.25, 40)]


@pytest.mark.requirement("D-47")
def test_a_calibration_that_was_killed_goes_on_from_its_parts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(errors_module, "PART", 4)
    ask: Any = {"weights": [0.0, 0.2, 0.5], "sizes": (20,), "n_datasets": 5, "test": 400}
    calls: list[str] = []
    kept: dict[str, Any] = {}

    def keep(name: str, compute: Callable[[], Any]) -> Any:
        if name not in kept:
            if len(calls) == 3:
                raise KeyboardInterrupt
            calls.append(name)
            kept[name] = compute()
        return kept[name]

    with pytest.raises(KeyboardInterrupt):
        calibrate(KnownError(0.27), KnownError, SixClasses(), **ask, keep=keep)
    assert len(kept) == 3
    calls.clear()
    for _ in range(10):  # every attempt is killed after three parts, and each goes on
        try:
            found = calibrate(KnownError(0.27), KnownError, SixClasses(), **ask, keep=keep)
            break
        except KeyboardInterrupt:
            calls.clear()
    assert len(kept) > 5
    assert found.points == calibrate(KnownError(0.27), KnownError, SixClasses(), **ask).points
