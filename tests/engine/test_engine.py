"""The engine: any learner, any data, any design, any score, and never a partial result."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import stored_for_tests as stored
from joblib import Parallel, delayed
from models_for_tests import (
    Centroids,
    Duck,
    Mean,
    Misbehaved,
    Sharing,
    Slow,
    Spy,
    accuracy_by_hand,
)
from places import TESTS
from scipy import sparse
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import get_scorer, log_loss, make_scorer
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import outperform as op
from outperform.engine.learning_data import read_data
from outperform.engine.progress import ProgressState

GENERATOR = np.random.default_rng(2)
N = 48
Y = np.arange(N) % 2
X = GENERATOR.normal(size=(N, 3)) + 0.7 * Y[:, None]
TARGET = X @ [1.0, -2.0, 0.5] + GENERATOR.normal(size=N)
GROUPS = np.arange(N) // 4
BAYES = GaussianNB()
TREE = DecisionTreeClassifier(max_depth=2)


def broken_scorer(model: Any, x: Any, y: Any) -> float:
    model.predict(x)
    raise ValueError("a scorer's own fault")


def run(learners: Any = BAYES, x: Any = X, y: Any = Y, **options: Any) -> op.Scores:
    return op.run(learners, x, y, **{"design": "3cv", "random_state": 1, **options})


# Learners


def test_models_come_as_a_mapping_a_list_or_one() -> None:
    assert run({"a": BAYES, "b": TREE}).names == ("a", "b")
    assert run(BAYES).names == ("GaussianNB",)
    names = run([TREE, BAYES, TREE, DecisionTreeClassifier(max_depth=1)]).names
    assert names == (
        "DecisionTreeClassifier",
        "GaussianNB",
        "DecisionTreeClassifier-2",
        "DecisionTreeClassifier-3",
    )


@pytest.mark.parametrize(
    "learner",
    [
        make_pipeline(StandardScaler(), LogisticRegression()),
        GridSearchCV(TREE, {"max_depth": [1, 2]}, cv=2),
        VotingClassifier([("a", GaussianNB()), ("b", TREE)]),
        BaggingClassifier(TREE, n_estimators=2),
        Duck(),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_whatever_can_be_cloned_can_be_run_and_stays_as_it_was(learner: Any) -> None:
    before = str(vars(learner))
    scores = run({"one": learner, "bayes": BAYES})
    assert scores.values.shape == (2, 3)
    assert str(vars(learner)) == before
    assert not [name for name in vars(learner) if name.endswith("_") and name != "classes_"]


def test_a_model_is_the_same_as_fitted_by_hand() -> None:
    scores = run({"tree": DecisionTreeClassifier(random_state=3)})
    for split, score in zip(
        op.parse("3cv").split(N, random_state=1), scores.values[0], strict=True
    ):
        model = DecisionTreeClassifier(random_state=3).fit(X[split.train], Y[split.train])
        assert score == model.score(X[split.test], Y[split.test])


class Locked(Duck):
    def __deepcopy__(self, memo: Any) -> Any:
        raise TypeError("there is only one of me")


@pytest.mark.parametrize(
    ("learners", "said"),
    [
        ({}, "No learners were passed"),
        ([], "No learners were passed"),
        (GaussianNB, r"'GaussianNB' is a class; pass an instance: GaussianNB\(\)"),
        ({"scaler": StandardScaler()}, "'scaler' is StandardScaler, which has no predict"),
        ({"number": 3}, "'number' is int, which has no fit and no predict"),
        ({"lock": Locked()}, "'lock' cannot be cloned: there is only one"),
        ({"a": BAYES, "b": Ridge()}, "'a' is a classifier and 'b' a regressor"),
    ],
)
def test_what_is_no_model_is_refused_by_name(learners: Any, said: str) -> None:
    with pytest.raises(op.DataError, match=said):
        run(learners)


# Seeds


def test_every_unset_random_state_gets_the_seed_of_the_address_nested_ones_too() -> None:
    from outperform.designs import address_seed
    from outperform.engine.estimators import read_learners

    given = {
        "unset": make_pipeline(StandardScaler(), BaggingClassifier(DecisionTreeClassifier())),
        "set": make_pipeline(DecisionTreeClassifier(random_state=7)),
        "none": GaussianNB(),
        "duck": Duck(),
    }
    seed = address_seed(1, 0, 0, 2)
    models = {each.name: each.fresh(seed) for each in read_learners(given)}
    bagging = models["unset"][1]
    assert (bagging.random_state, bagging.estimator.random_state) == (seed, seed)
    assert models["set"][0].random_state == 7
    assert given["unset"][1].random_state is None
    again = read_learners(given)[0].fresh(seed + 1)
    assert again[1].estimator.random_state == seed + 1


def test_a_seed_that_is_not_given_is_drawn_kept_and_told() -> None:
    scores = run(TREE, random_state=None)
    (note,) = scores.notes
    assert note.code == "OP504"
    assert f"The seed {scores.seed} was drawn" in note.text
    assert run(TREE, random_state=scores.seed).digest() == scores.digest()
    assert run(TREE, random_state=None).seed != scores.seed


@pytest.mark.parametrize("random_state", [1.5, -1, "one", np.random.RandomState(0)])
def test_a_seed_must_be_a_whole_number(random_state: Any) -> None:
    with pytest.raises(op.DesignError, match="random_state must be an integer of at least 0"):
        run(random_state=random_state)


# Designs

DESIGNS = {
    "holdout@1/3": "mcnemar",
    "4cv": "corrected_t",
    "3x4cv": "corrected_t",
    "5x2cv": "five_by_two_t",
    "10xresampled@1/3": "corrected_t",
    "10xresampled@1/10/train1/2": "corrected_t",
    "loo": "mcnemar",
    "3x4halves@1/10": "conservative_z",
    "4disjoint@8": "quasi_f",
    "3*4cv": "averaged_t",
    "4cv/stratified": "corrected_t",
    "4cv/grouped": "corrected_t",
    "5xresampled@1/3/stratified/grouped": "corrected_t",
    "3*5x2cv/stratified": "averaged_t",
}


@pytest.mark.parametrize("text", DESIGNS)
def test_every_design_is_run_as_it_splits_and_serves_its_method(text: str) -> None:
    design = op.parse(text)
    groups = GROUPS if design.grouped else None
    learners = {"bayes": BAYES, "tree": DecisionTreeClassifier(max_depth=1, random_state=0)}
    scores = run(learners, design=text, groups=groups)
    splits = list(design.split(N, Y, groups, random_state=1))
    assert scores.addresses.tolist() == [list(split[:3]) for split in splits]
    assert scores.n_train.tolist() == [split.train.size for split in splits]
    assert scores.n_test.tolist() == [split.test.size for split in splits]
    assert scores.items.item.tolist() == [item for split in splits for item in split.test.tolist()]
    right = 1 - scores.items.values
    for at in range(len(splits)):
        entries = scores.items.split == at
        assert right[:, entries].mean(axis=1).tolist() == scores.values[:, at].tolist()
    model = clone(BAYES).fit(X[splits[-1].train], Y[splits[-1].train])
    assert scores.values[0, -1] == model.score(X[splits[-1].test], Y[splits[-1].test])
    result = getattr(op, DESIGNS[text])(scores, "bayes", "tree")
    assert result.names == ("bayes", "tree")


def test_scikit_learn_splitters_and_numbers_of_folds_are_designs() -> None:
    from sklearn.model_selection import RepeatedStratifiedKFold

    assert run(design=RepeatedStratifiedKFold(n_splits=2, n_repeats=3)).n_splits == 6
    assert run(design=4).n_splits == 4


def test_one_model_can_be_estimated() -> None:
    scores = run(design="holdout@1/3")
    assert 0 < op.methods.accuracy_interval(scores).estimate <= 1


def test_ten_million_fits_want_to_be_confirmed() -> None:
    with pytest.raises(op.DesignError, match=r"11,000,000 fits, 3 hours .* confirm_large=True"):
        run(design="1100000x10cv")


def test_groups_need_a_design_that_keeps_them_together() -> None:
    with pytest.raises(op.DesignError, match="would split groups between"):
        run(groups=GROUPS)
    with pytest.raises(op.DesignError, match="needs the group of each item"):
        run(design="3cv/grouped")


# Scores and losses


@pytest.mark.parametrize(
    ("scoring", "loss"),
    [
        (None, "zero-one"),
        ("accuracy", "zero-one"),
        ("neg_log_loss", "log"),
        ("balanced_accuracy", None),
        ("f1", None),
        ("roc_auc", None),
        (accuracy_by_hand, None),
        (make_scorer(lambda y, p: float((y == p).sum())), None),
    ],
    ids=["default", "accuracy", "log loss", "balanced", "f1", "auc", "by hand", "made"],
)
def test_classifiers_are_scored_as_scikit_learn_does(scoring: Any, loss: str | None) -> None:
    scores = run(scoring=scoring)
    scorer = scoring if callable(scoring) else get_scorer(scoring or "accuracy")
    for split, score in zip(
        op.parse("3cv").split(N, random_state=1), scores.values[0], strict=True
    ):
        model = clone(BAYES).fit(X[split.train], Y[split.train])
        assert score == pytest.approx(scorer(model, X[split.test], Y[split.test]), rel=1e-13)
    assert scores.greater_is_better
    assert (scores.items.loss if scores.items else None) == loss


@pytest.mark.parametrize(
    ("scoring", "loss"),
    [
        (None, "squared"),
        ("r2", "squared"),
        ("neg_mean_squared_error", "squared"),
        ("neg_root_mean_squared_error", "squared"),
        ("neg_mean_absolute_error", "absolute"),
        ("explained_variance", None),
    ],
)
def test_regressors_are_scored_as_scikit_learn_does(scoring: Any, loss: str | None) -> None:
    scores = run(Ridge(), y=TARGET, scoring=scoring)
    for at, split in enumerate(op.parse("3cv").split(N, random_state=1)):
        model = Ridge().fit(X[split.train], TARGET[split.train])
        expected = get_scorer(scoring or "r2")(model, X[split.test], TARGET[split.test])
        assert scores.values[0, at] == pytest.approx(expected, rel=1e-12)
        if loss is not None:
            off = np.abs(TARGET[split.test] - model.predict(X[split.test]))
            kept = scores.items.values[0, scores.items.split == at]
            assert kept.tolist() == (off if loss == "absolute" else off**2).tolist()
    assert (scores.items.loss if scores.items else None) == loss


def test_one_run_serves_every_method_and_every_pair() -> None:
    learners = {"bayes": BAYES, "tree": TREE, "dummy": DummyClassifier()}
    scores = run(learners, design="holdout@1/3")
    assert op.methods.mcnemar(scores, "bayes", "dummy").pvalue is not None
    assert op.methods.mcnemar(scores, "tree", "dummy").pvalue is not None
    assert op.methods.cochran_q(scores).pvalue is not None


def test_labels_may_be_text_and_booleans() -> None:
    text = np.array(["no", "yes"])[Y]
    numbers = run()
    assert (run(y=text).values == numbers.values).all()
    assert (run(y=text.astype(object)).values == numbers.values).all()
    assert (run(y=text.tolist()).values == numbers.values).all()
    assert (run(y=Y.astype(bool)).values == numbers.values).all()


@pytest.mark.parametrize(
    ("scoring", "said"),
    [
        (
            "accurracy",
            "Unknown scoring 'accurracy': .* did you mean 'accuracy'",
        ),
        ([], "'scoring' parameter must name at least one metric"),
        (["accuracy", "accuracy"], "must name each metric once, got 'accuracy' twice"),
        (3, "'scoring' parameter must be a name such as 'accuracy', a callable"),
        ({"a": 3}, "got int"),
    ],
)
def test_what_is_no_score_is_refused(scoring: Any, said: str) -> None:
    with pytest.raises(op.OutperformError, match=said):
        run(scoring=scoring)


def test_a_regressor_is_not_scored_by_its_labels() -> None:
    with pytest.raises(op.DataError, match="'Ridge' is a regressor, but 'accuracy' scores classes"):
        run(Ridge(), scoring="accuracy")


def test_several_targets_are_scored_by_scikit_learn() -> None:
    both = np.column_stack([TARGET, -2 * TARGET])
    scores = run(LinearRegression(), y=both)
    assert scores.metric == "r2"
    assert scores.items is None
    assert np.allclose(scores.values, run(LinearRegression(), y=TARGET).values)


def test_what_models_do_not_say_is_read_from_the_targets() -> None:
    assert run(Duck()).metric == "accuracy"
    scores = run(type("Plain", (), {"fit": Mean.fit, "predict": Mean.predict})(), y=TARGET)
    assert scores.metric == "r2"
    assert scores.notes[0].code == "OP001"
    assert "treated as regressors" in scores.notes[0].text


# Small and odd folds


def test_a_class_that_was_not_trained_on_counts_as_wrong_with_a_note() -> None:
    y = Y.copy()
    y[5] = 2
    scores = run(BAYES, y=y, design="loo")
    assert scores.values[0, 5] == 0
    assert "1 of 48 training sets lack a class that is tested." in [n.text for n in scores.notes]


def test_log_loss_gives_a_class_not_met_the_clipped_probability_of_zero() -> None:
    y = Y.copy()
    y[5] = 2
    scores = run(BAYES, y=y, design="loo", scoring="neg_log_loss")
    eps = np.finfo(float).eps
    assert scores.items.values[0, 5] == pytest.approx(-np.log(eps), rel=1e-15)
    model = clone(BAYES).fit(np.delete(X, 7, axis=0), np.delete(y, 7))
    expected = log_loss(y[7:8], model.predict_proba(X[7:8]), labels=[0, 1, 2])
    assert scores.values[0, 7] == pytest.approx(-expected, rel=1e-13)


def test_training_sets_of_one_class_fail_by_name_with_a_note() -> None:
    y = np.zeros(N, dtype=int)
    y[3] = 1
    scores = run(DummyClassifier(), y=y)
    assert {"OP501", "OP502"} == {note.code for note in scores.notes}
    with pytest.raises(op.RunFailed, match="This solver needs samples of at least 2 classes"):
        run(LogisticRegression(), y=y)


def test_a_single_test_item_is_scored_by_squared_error_unless_r2_is_asked() -> None:
    scores = run(Ridge(), y=TARGET, design="loo")
    assert scores.metric == "neg_mean_squared_error"
    assert [note.code for note in scores.notes] == ["OP503"]
    assert (-scores.values[0] == scores.items.values[0]).all()
    with pytest.raises(op.DataError, match="r2 needs at least 2 items in every test set"):
        run(Ridge(), y=TARGET, design="loo", scoring="r2")


def test_tiny_training_sets_are_noted() -> None:
    scores = run(DummyClassifier(), X[:12], Y[:12], design="2cv")
    assert [note.text for note in scores.notes] == [
        "2 of 2 training sets have fewer than 10 items."
    ]


def test_too_few_items_are_refused() -> None:
    with pytest.raises(op.DataError, match="X has 1 item; at least 2 are required"):
        run(x=X[:1], y=Y[:1])
    with pytest.raises(op.DesignError, match="2 items are not enough for 3 folds"):
        run(x=X[:2], y=Y[:2])


# Data

FRAME = pd.DataFrame(X, columns=["a", "b", "c"])


@pytest.mark.parametrize(
    ("x", "y"),
    [
        (X.tolist(), Y.tolist()),
        (FRAME, pd.Series(Y)),
        (pl.DataFrame(X, schema=["a", "b", "c"]), pl.Series(Y)),
        (pa.table({name: FRAME[name] for name in FRAME}), pa.chunked_array([pa.array(Y)])),
        (FRAME.convert_dtypes(), pd.Series(Y).astype("Int64")),
        (FRAME, pd.DataFrame({"y": Y})),
        (X, Y[:, None]),
    ],
    ids=["lists", "pandas", "polars", "arrow", "nullable", "one column", "column"],
)
def test_items_may_come_in_any_container(x: Any, y: Any) -> None:
    assert run({"GaussianNB": make_pipeline(StandardScaler(), BAYES)}, x, y).digest() == (
        run({"GaussianNB": make_pipeline(StandardScaler(), BAYES)}).digest()
    )


@pytest.mark.parametrize("form", ["csr_matrix", "csc_array", "coo_array"])
def test_sparse_items_stay_sparse(form: str) -> None:
    counts = np.random.default_rng(0).poisson(0.5, size=(N, 20))
    dense = run(MultinomialNB(), counts)
    assert run(MultinomialNB(), getattr(sparse, form)(counts)).digest() == dense.digest()


@pytest.mark.parametrize("x", [FRAME, pl.DataFrame(X, schema=["a", "b", "c"])], ids=["pd", "pl"])
def test_a_frame_reaches_the_model_as_a_frame(x: Any) -> None:
    seen = []

    class Nosy(Centroids):
        def fit(self, X: Any, y: Any) -> Any:
            seen.append(type(X))
            return super().fit(X, y)

    run(Nosy(), x)
    assert set(seen) == {type(x)}


def test_frames_and_sparse_items_travel_to_workers() -> None:
    learner = {"tree": DecisionTreeClassifier()}
    expected = run(learner).digest()
    for x in (FRAME, pl.DataFrame(X, schema=["a", "b", "c"]), sparse.csr_array(X)):
        assert run(learner, x, n_jobs=2).digest() == expected


@pytest.mark.slow
def test_items_of_a_megabyte_are_sent_to_workers_once_and_not_with_every_task() -> None:
    wide = np.repeat(X, 1000, axis=1)
    with pytest.raises(op.RunFailed) as caught:
        run(Spy(), wide, design="10x4cv", n_jobs=2)
    (place,) = {tuple(failure.line.split()[2:]) for failure in caught.value.failures}
    assert place[0] == "memmap"


def test_the_workers_of_others_are_used_and_left_to_them() -> None:
    def workers() -> set[int]:
        return set(Parallel(n_jobs=2)(delayed(os.getpid)() for _ in range(50)))

    before = workers()
    run(n_jobs=2)
    assert before & workers(), "a run has started workers of its own, which takes seconds"


@pytest.mark.parametrize("n_jobs", [0, True, 1.5, "2"])
def test_a_number_of_workers_that_is_none_is_refused_saying_what_is_one(n_jobs: Any) -> None:
    with pytest.raises(op.DataError, match="-1 for all cores"):
        run(n_jobs=n_jobs)


@pytest.mark.parametrize(
    "frame", [pd.DataFrame({"a": ["text"] * 5}), pl.DataFrame({"a": [1, 2]})], ids=["pd", "pl"]
)
def test_a_frame_is_packed_once_and_read_once(frame: Any) -> None:
    from multiprocessing.reduction import ForkingPickler

    table = read_data(frame, np.arange(len(frame)), None).table
    assert table.__reduce__()[1][1] is table.__reduce__()[1][1]
    sent = bytes(ForkingPickler.dumps(table))
    first, second = ForkingPickler.loads(sent), ForkingPickler.loads(sent)
    assert first is second
    assert first.rows.equals(frame)


def test_items_may_be_text() -> None:
    words = np.array(["good fine", "bad poor"])[Y]
    scores = run({"words": make_pipeline(CountVectorizer(), MultinomialNB())}, words.tolist())
    assert (scores.values == 1).all()


def test_nothing_of_the_caller_is_changed() -> None:
    x, y, frame = X.copy(), Y.copy(), FRAME.copy()
    learners = {"change": Misbehaved("change"), "tree": TREE}
    run(learners, x, y)
    assert (x == X).all()
    assert (y == Y).all()
    assert x.flags.writeable
    run({"tree": TREE}, frame, y)
    assert frame.equals(FRAME)
    locked = X.copy()
    locked.flags.writeable = False
    assert run(TREE, locked).digest() == run(TREE).digest()


@pytest.mark.parametrize(
    ("x", "y", "said"),
    [
        (X, Y[:-1], "X has 48 items but y has 47"),
        (X, np.where(np.arange(N) == 3, np.nan, TARGET), r"y\[3\] is nan; every item needs a fin"),
        (X, np.where(np.arange(N) == 3, np.inf, TARGET), r"y\[3\] is inf"),
        (X, [None, *["a"] * (N - 1)], r"y\[0\] is missing"),
        (pl.LazyFrame(X), Y, r"pass X.collect\(\)"),
        (np.ma.masked_equal(X, X[0, 0]), Y, "X is masked"),
        ([[1, 2], [3]], [0, 1], "X is ragged"),
        (3, Y, "X is int; X must be an array or a data frame"),
    ],
)
def test_data_that_cannot_be_used_are_refused(x: Any, y: Any, said: str) -> None:
    with pytest.raises(op.DataError, match=said):
        run(x=x, y=y)


# Failures


def test_failures_are_grouped_with_one_traceback_in_full() -> None:
    with pytest.raises(op.RunFailed) as caught:
        run({"bad": Misbehaved("raise"), "short": Misbehaved("short"), "good": BAYES})
    text = str(caught.value)
    assert text.startswith("incomplete: 6 of 9 fits have no score")
    assert "'bad': 3 failed: RuntimeError: the learner's own error" in text
    assert "'short': 3 failed: DataError: predict returned an array" in text
    assert text.count("Traceback (most recent call last)") == 1
    assert "in _raise" in text
    assert "pass store='results.db'" in text
    assert "engine/fitting.py" not in text


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"on_error": "ignore"}, "'on_error' parameter has the unknown value 'ignore'"),
        ({"time_limit": 0}, "'time_limit' parameter must be a positive number of seconds, got 0"),
        (
            {"progress": "yes"},
            "'progress' parameter must be True, False or a function",
        ),
        ({"design": "10foldcv"}, "is not a design"),
    ],
)
def test_options_are_checked_before_anything_is_fitted(options: Any, said: str) -> None:
    with pytest.raises(op.OutperformError, match=said):
        run(Misbehaved("leave"), **options)


# Sharing work across splits


def test_splits_are_shared_where_a_model_offers_it() -> None:
    Sharing.calls.clear()
    Sharing.fits = 0
    run(Sharing(), design="5x4cv")
    assert sum(Sharing.calls) + Sharing.fits == 20
    assert Sharing.fits == 1  # the first, which is timed


@pytest.mark.parametrize(
    "options",
    [{"time_limit": 9.0}, {"scoring": accuracy_by_hand}],
    ids=["time limit", "own scoring"],
)
def test_splits_are_not_shared_where_cells_are_watched_one_by_one(options: Any) -> None:
    Sharing.calls.clear()
    run(Sharing(), design="5x4cv", **options)
    assert Sharing.calls == []


def test_a_model_that_cannot_share_is_asked_one_by_one() -> None:
    shared = run({"a": Sharing(broken=True)}, design="5x4cv")
    assert (shared.values == run({"a": Centroids()}, design="5x4cv").values).all()


# The store


def test_a_finished_run_is_not_run_again(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    first = run(store=path)
    Sharing.fits = 0
    seen: list[ProgressState] = []
    again = run(store=path, progress=seen.append)
    assert again.digest() == first.digest()
    assert [(state.done, state.rate) for state in seen] == [(3, 0.0)]


def test_a_store_of_another_experiment_is_refused_naming_what_differs(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    run(store=path)
    for options, said in (
        ({"random_state": 2}, "seed is 1 there, 2 now"),
        ({"design": "4cv"}, "family of splits is 'Nx3cv' there, 'Nx4cv' now"),
        ({"x": X + 1}, "the data differ"),
        ({"y": 1 - Y}, "the data differ"),
    ):
        with pytest.raises(op.DataError, match=said):
            run(store=path, **options)


def test_a_changed_model_is_run_anew_saying_why(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    run({"tree": DecisionTreeClassifier(max_depth=1)}, store=path)
    scores = run({"tree": DecisionTreeClassifier(max_depth=3)}, store=path)
    assert scores.values.tolist() == run(DecisionTreeClassifier(max_depth=3)).values.tolist()
    (note,) = scores.notes
    assert note.code == "OP506"
    assert "'tree' is rerun: max_depth was '1', now '3'" in note.text


def test_a_run_without_a_seed_resumes_with_that_of_the_store(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    first = run(store=path, random_state=None)
    assert run(store=path, random_state=None).digest() == first.digest()


def test_failed_cells_stay_until_they_are_forgotten(tmp_path: Path) -> None:
    from outperform.storage import Store

    path = tmp_path / "runs.db"
    bad = {"bad": Misbehaved("raise"), "good": BAYES}
    for _ in range(2):
        with pytest.raises(op.RunFailed, match="forget_failed") as caught:
            run(bad, store=path)
        assert caught.value.scores.names == ("good",)
    with Store.open(path, mode="write") as store:
        assert store.forget_failed() == 3
    assert run({"good": BAYES}, store=path).names == ("good",)


def in_process(program: str, folder: Path, **options: Any) -> subprocess.Popen[str]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])}
    head = "import outperform as op\nfrom models_for_tests import *\nfrom test_engine import X, Y\n"
    return subprocess.Popen(
        [sys.executable, "-c", head + textwrap.dedent(program)],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


@pytest.mark.slow
def test_processes_on_one_store_share_the_work_and_run_nothing_twice(tmp_path: Path) -> None:
    program = """
        import os
        from pathlib import Path
        from waiting import wait_until
        class Noted(Slow):
            def fit(self, X, y):
                print("fit")
                Path(f"{os.getpid()}.fits").touch()
                wait_until(lambda: len(list(Path().glob("*.fits"))) == 2, "the other process")
                return super().fit(X, y)
        import outperform.engine.workers as workers
        from contextlib import nullcontext
        workers.silent = nullcontext
        workers.WINDOW = 0.1, 0.1
        scores = op.run({"a": Noted(0.03)}, X, Y, design="10x4cv", random_state=1, store="s.db")
        print(scores.digest())
    """
    both = [in_process(program, tmp_path) for _ in range(2)]
    said = [process.communicate(timeout=300) for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    lines = [out.split() for out, _ in said]
    assert lines[0][-1] == lines[1][-1]
    fits = [words.count("fit") for words in lines]
    assert sum(fits) == 40
    assert min(fits) > 0


# Stopping


@pytest.mark.slow
def test_a_signal_without_a_store_says_how_to_keep_what_is_done(tmp_path: Path) -> None:
    program = """
        def tell(state):
            if state.done >= 4:
                print("go", flush=True)
        op.run({"slow": Slow(0.1)}, X, Y, design="50x4cv", random_state=1, progress=tell)
    """
    process = in_process(program, tmp_path, start_new_session=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "go\n"
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=120)
    assert "To be able to resume, add store='results.db' next time." in said


@pytest.mark.parametrize("store", [None, "s.db"])
def test_what_finished_beside_a_failure_knows_its_seed(store: str | None, tmp_path: Path) -> None:
    learners = {"bad": Misbehaved("raise"), "good": BAYES}
    with pytest.raises(op.RunFailed) as caught:
        run(learners, random_state=7, store=store and tmp_path / store)
    assert caught.value.scores.names == ("good",)
    assert caught.value.scores.seed == 7


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "options", "code"),
    [
        (signal.SIGINT, "", -signal.SIGINT),
        (signal.SIGTERM, "", 143),
        (signal.SIGHUP, ", n_jobs=2", 129),
        (signal.SIGINT, ", n_jobs=2", -signal.SIGINT),
    ],
)
def test_a_signal_keeps_what_is_done_and_says_how_to_resume(
    number: int, options: str, code: int, tmp_path: Path
) -> None:
    program = f"""
        import sys
        def tell(state):
            if state.done >= 4:
                print("go", flush=True)
        op.run({{"slow": Slow(0.1)}}, X, Y, design="50x4cv", random_state=1, store="s.db",
               progress=tell{options})
    """
    process = in_process(program, tmp_path, start_new_session=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "go\n"
    os.killpg(process.pid, number)  # as a terminal does: the workers get it too
    _, said = process.communicate(timeout=120)
    assert process.returncode == code, said
    assert "Stopped: finished fits are kept in 's.db'. Run the same command again" in said
    from outperform.storage import Store

    with Store.open(tmp_path / "s.db", mode="read") as store:
        (counts,) = stored.state(store).values()
        assert counts.ok >= 4
        assert counts.failed == 0
        assert counts.missing > 0


def test_handlers_are_given_back() -> None:
    before = [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)]
    run(time_limit=5)
    assert [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)] == before


def test_a_run_in_a_thread_works_without_handlers() -> None:
    from threading import Thread

    scores = []
    thread = Thread(target=lambda: scores.append(run(time_limit=5)))
    thread.start()
    thread.join()
    assert scores[0].digest() == run().digest()


# Progress


@pytest.mark.slow
def test_progress_is_told_to_a_function() -> None:
    seen: list[ProgressState] = []
    run({"a": BAYES, "slow": Slow(0.03)}, design="10cv", progress=seen.append)
    assert (seen[-1].done, seen[-1].total, seen[-1].failed) == (20, 20, 0)
    assert [state.done for state in seen] == sorted(state.done for state in seen)


def test_nothing_is_written_to_standard_output(capfd: pytest.CaptureFixture[str]) -> None:
    run({"tree": TREE, "regression": DecisionTreeRegressor()}, scoring="r2")
    assert capfd.readouterr() == ("", "")


# Whose fault it is


class Mute(GaussianNB):
    def predict(self, X: Any) -> Any:
        raise RuntimeError("cannot predict")


@pytest.mark.parametrize("options", [{}, {"n_jobs": 2}], ids=str)
def test_a_scorer_that_raises_is_named_and_no_model_is_blamed(options: dict[str, Any]) -> None:
    with pytest.raises(op.RunFailed) as caught:
        run(scoring=broken_scorer, **options)
    said = str(caught.value)
    assert "The scorer 'broken_scorer' raised ValueError: a scorer's own fault" in said
    assert "in broken_scorer" in said  # its own line
    assert "the learner" not in said
    (failure,) = caught.value.failures
    assert failure.line.startswith("DataError: The scorer 'broken_scorer' raised")


def test_a_model_that_fails_while_it_is_scored_is_blamed_itself() -> None:
    with pytest.raises(op.RunFailed) as caught:
        run(Mute(), scoring="f1")
    (failure,) = caught.value.failures
    assert failure.line == "RuntimeError: cannot predict"


# Learners in a list, with names


def test_models_may_be_a_list_of_names_and_estimators() -> None:
    named = [("bayes", BAYES), ("tree", TREE)]
    assert run(named).digest() == run(dict(named)).digest()
    with pytest.raises(op.DataError, match="names must be unique"):
        run([("a", BAYES), ("a", TREE)])


def writing_scorer(model: Any, x: Any, y: Any) -> float:
    x[:] = 0.0
    return 1.0


def test_a_scorer_that_writes_into_what_it_is_given_gets_copies() -> None:
    scores = run(scoring=writing_scorer)
    assert scores.values.tolist() == [[1.0] * 3]
    assert "OP505" in [note.code for note in scores.notes]
