"""Metadata: weights, parameters of fit and groups reach learners as scikit-learn routes them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from launching import launch
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import GridSearchCV, GroupKFold, PredefinedSplit, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import outperform as op
from outperform import DataError

GENERATOR = np.random.default_rng(5)
N = 80
Y = GENERATOR.integers(0, 2, N)
X = GENERATOR.normal(size=(N, 3)) + 0.7 * Y[:, None]
WEIGHTS = GENERATOR.gamma(1.0, size=N)
GROUPS = GENERATOR.permutation(N) % 20
FOLDS = PredefinedSplit(np.arange(N) % 4)
MODELS = {"tree": DecisionTreeClassifier(max_depth=2, random_state=0), "bayes": GaussianNB()}


@pytest.fixture
def routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


class Remembers(ClassifierMixin, BaseEstimator):
    """Predicts the share of what it was passed, so that scores tell what fit received."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, colour: Any = None) -> Remembers:
        assert sample_weight is None or len(sample_weight) == len(X)
        self.classes_ = np.unique(y)
        self.sum_ = 0.0 if sample_weight is None else float(np.dot(sample_weight, X[:, 0]))
        self.colour_ = colour
        return self

    def predict(self, X: Any) -> Any:
        assert self.colour_ in (None, "red")
        return np.full(len(X), self.classes_[int(self.sum_ > 0)])


def run(learners: Any, **options: Any) -> op.Scores:
    return op.run(learners, X, Y, design=FOLDS, random_state=0, **options)


def by_cross_validate(learner: Any, cv: Any = FOLDS, **params: Any) -> Any:
    scorer = make_scorer(accuracy_score)
    if sklearn.get_config()["enable_metadata_routing"]:
        scorer = scorer.set_score_request(sample_weight=False)
    return cross_validate(learner, X, Y, cv=cv, params=params, scoring=scorer)["test_score"]


@pytest.mark.parametrize("weights", [WEIGHTS, WEIGHTS.tolist(), pd.Series(WEIGHTS)])
def test_weights_are_cut_with_the_rows_as_in_cross_validate(weights: Any) -> None:
    found = run(MODELS, params={"sample_weight": weights})
    for name, learner in MODELS.items():
        want = by_cross_validate(learner, sample_weight=WEIGHTS)
        assert found.values[found.names.index(name)].tolist() == want.tolist()
    assert (found.values != run(MODELS).values).any()


@pytest.mark.slow
def test_other_parameters_are_passed_whole_and_weights_by_row_also_in_workers() -> None:
    params = {"sample_weight": WEIGHTS, "colour": "red"}
    alone = run({"a": Remembers(), "b": Remembers()}, params=params)
    assert (
        alone.digest()
        == run({"a": Remembers(), "b": Remembers()}, params=params, n_jobs=2).digest()
    )


def test_a_search_over_groups_gets_them_without_being_told(tmp_path: Path) -> None:
    search = GridSearchCV(MODELS["tree"], {"max_depth": [1, 3]}, cv=GroupKFold(3))
    learners = {"search": search, "scaled": make_pipeline(StandardScaler(), search), **MODELS}
    found = op.run(learners, X, Y, design="4cv/grouped", groups=GROUPS, random_state=0)
    again = op.run(learners, X, Y, design="4cv/grouped", groups=GROUPS, random_state=0, n_jobs=2)
    assert found.digest() == again.digest()
    assert found.names == ("search", "scaled", "tree", "bayes")
    with pytest.raises(DataError, match="requests groups for its own cross-validation"):
        op.run(learners, X, Y, groups=GROUPS, params={"sample_weight": WEIGHTS}, random_state=0)


@pytest.mark.slow
@pytest.mark.usefixtures("routing")
def test_routing_passes_each_model_what_it_requests() -> None:
    weighted = LogisticRegression().set_fit_request(sample_weight=True)
    renamed = LogisticRegression().set_fit_request(sample_weight="trust")
    scaler = StandardScaler().set_fit_request(sample_weight=False)
    learners = {
        "weighted": weighted,
        "pipeline": make_pipeline(scaler, weighted),
        "renamed": renamed,
        "knn": KNeighborsClassifier(3),
    }
    params = {"sample_weight": WEIGHTS, "trust": WEIGHTS**2}
    found = run(learners, params=params, scoring="accuracy")
    rows = dict(zip(found.names, found.values.tolist(), strict=True))
    assert rows["weighted"] == by_cross_validate(weighted, sample_weight=WEIGHTS).tolist()
    assert (
        rows["pipeline"] == by_cross_validate(learners["pipeline"], sample_weight=WEIGHTS).tolist()
    )
    assert rows["renamed"] == by_cross_validate(renamed, trust=WEIGHTS**2).tolist()
    said = [note.text for note in found.notes if note.code == "OP511"]
    assert "'knn' is fitted without sample_weight, trust." in said
    assert found.digest() == run(learners, params=params, n_jobs=2).digest()


@pytest.mark.usefixtures("routing")
def test_routing_carries_weights_and_groups_into_a_search() -> None:
    tree = DecisionTreeClassifier(random_state=0).set_fit_request(sample_weight=True)
    tree = tree.set_score_request(sample_weight=False)
    search = GridSearchCV(tree, {"max_depth": [1, 3]}, cv=GroupKFold(3))
    splits = list(GroupKFold(4).split(X, Y, GROUPS))
    params = {"sample_weight": WEIGHTS}
    found = op.run({"search": search}, X, Y, design=splits, groups=GROUPS, params=params)
    want = by_cross_validate(search, splits, sample_weight=WEIGHTS, groups=GROUPS)
    assert found.values[0].tolist() == want.tolist()


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize(
    ("learner", "said"),
    [
        (GaussianNB(), "not explicitly set as requested or not"),
        (KNeighborsClassifier(), "No learner requests sample_weight"),
    ],
)
def test_what_is_not_requested_is_refused(learner: Any, said: str) -> None:
    with pytest.raises(DataError, match=said):
        run({"a": learner}, params={"sample_weight": WEIGHTS})


@pytest.mark.usefixtures("routing")
def test_weighted_scores_are_refused() -> None:
    scorer = make_scorer(accuracy_score).set_score_request(sample_weight=True)
    bayes = GaussianNB().set_fit_request(sample_weight=True)
    with pytest.raises(DataError, match="test rows count equally"):
        run({"bayes": bayes}, params={"sample_weight": WEIGHTS}, scoring=scorer)


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"sample_weight": WEIGHTS[:-1]}, "one sample_weight for each of the 80 rows of X, got 79"),
        ([("sample_weight", WEIGHTS)], "must be a mapping of names to values, got list"),
        ({"groups": GROUPS}, "Pass groups=… instead"),
        ({"colour": "red"}, "'tree' has no colour in fit"),
        ({"sample_weight": pd.Series(WEIGHTS, index=range(5, N + 5))}, None),
    ],
)
def test_parameters_that_cannot_be_passed_are_refused_before_any_fit(
    params: Any, said: Any
) -> None:
    if said is None:
        frame = pd.DataFrame(X)
        with pytest.raises(DataError, match="different row labels"):
            op.run(MODELS, frame, Y, design="2cv", params=params)
        return
    with pytest.raises(DataError, match=said):
        run(MODELS, params=params)


def test_compare_takes_them_and_scores_cannot() -> None:
    found = op.compare(
        MODELS, X, Y, design="5cv", random_state=0, params={"sample_weight": WEIGHTS}
    )
    assert found.n_pairs == 1
    with pytest.raises(DataError, match="together with params"):
        op.compare(found.scores, params={"sample_weight": WEIGHTS})
    fitted = {name: learner.fit(X, Y) for name, learner in MODELS.items()}
    with pytest.raises(DataError, match="'params' cannot be used with fitted=True"):
        op.compare(fitted, X, Y, fitted=True, params={"sample_weight": WEIGHTS})


def test_a_store_knows_models_by_their_weights(tmp_path: Path) -> None:
    store = tmp_path / "kept.db"

    def kept(weights: Any) -> op.Scores:
        return run({"bayes": GaussianNB()}, params={"sample_weight": weights}, store=store)

    first = kept(WEIGHTS)
    assert kept(WEIGHTS).digest() == first.digest()
    changed = kept(WEIGHTS**3)
    assert (changed.values != first.values).any()
    assert any(note.code == "OP506" for note in changed.notes)


@pytest.mark.slow
def test_an_experiment_file_may_define_them(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "import numpy as np\n"
        "from sklearn.naive_bayes import GaussianNB\n"
        "from sklearn.tree import DecisionTreeClassifier\n"
        "rng = np.random.default_rng(0)\n"
        "y = rng.integers(0, 2, 60)\n"
        "X = rng.normal(size=(60, 2)) + y[:, None]\n"
        "learners = {'tree': DecisionTreeClassifier(max_depth=1), 'bayes': GaussianNB()}\n"
        "params = {'sample_weight': rng.gamma(1.0, size=60)}\n"
        "design, random_state = '5cv', 1\n"
    )
    done = launch(tmp_path, "run", "mine.py", "--json")
    assert done.returncode == 0, done.stderr
