"""One cell: its split, its rows, its seed, its time, its identity."""

from __future__ import annotations

import functools
import os
import random
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from models_for_tests import Centroids, Duck, Gambler
from scipy import sparse, stats
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, RandomizedSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier
from waiting import spin

import outperform as op
from outperform.engine import fitting, interruptions
from outperform.engine.estimators import Estimator, identify, read_learners
from outperform.engine.fitting import Cell, Job, described, run_cells
from outperform.engine.learning_data import fingerprint, read_data
from outperform.engine.meaning import same_text
from outperform.engine.scoring import bind
from outperform.engine.split_plan import draw_plan
from outperform.engine.workers import TaskQueue
from outperform.storage import Address, Outcome

Y = np.arange(40) % 2
X = np.random.default_rng(1).normal(size=(40, 3)) + Y[:, None]
HERE = Address(0, 0, 0)


def job(design: str = "4cv", x: Any = X, y: Any = Y, **options: Any) -> Job:
    data = read_data(x, y, None)
    metric, _ = bind(options.pop("scoring", None), {"a": GaussianNB()}, data.y, 10)
    splits = draw_plan(op.parse(design), data.table.n, 3, None, None)
    return Job(data.table, data.y, metric.truth(data.y), metric, splits, **options)


# Splits and rows


@pytest.mark.parametrize(
    "text", ["4cv", "3x4cv", "loo", "5xresampled@1/4/train1/2", "2x3halves@1/10", "3*4cv"]
)
def test_a_split_made_at_its_address_is_the_one_of_the_design(text: str) -> None:
    splits = draw_plan(op.parse(text), 40, 3, None, None)
    every = list(op.parse(text).split(40, random_state=3))
    for split in reversed(every):
        train, test = splits.at(Address(*split[:3]))
        assert train.tolist() == split.train.tolist()
        assert test.tolist() == split.test.tolist()


class Keeps(BaseEstimator):
    """Keeps the rows that it was last given."""

    seen: tuple[Any, ...] = ()

    def fit(self, X: Any, y: Any) -> Keeps:
        Keeps.seen = X, y
        return self

    def predict(self, X: Any) -> Any:
        Keeps.seen = *Keeps.seen[:2], X
        return np.zeros(len(X), dtype=int)


def given_rows(given: Job) -> tuple[Any, ...]:
    list(run_cells(given, {0: Estimator("a", Keeps())}, [Cell(0, HERE)]))
    return Keeps.seen


def test_rows_are_locked_for_good_and_are_no_view_of_the_callers() -> None:
    for rows in given_rows(job()):
        with pytest.raises(ValueError, match="read-only"):
            rows[0] = 0
        with pytest.raises(ValueError, match="cannot set WRITEABLE"):
            rows.setflags(write=True)
        assert not np.shares_memory(rows, X)


def test_models_get_plain_arrays_where_workers_read_memory_maps(tmp_path: Path) -> None:
    mapped = np.memmap(tmp_path / "x", dtype=float, mode="w+", shape=X.shape)
    mapped[:] = X
    assert {type(rows) for rows in given_rows(job(x=mapped))} == {np.ndarray}


def outcomes(learner: Any, given: Job) -> list[Outcome]:
    every = [Cell(0, address) for address in given.splits.addresses]
    return [outcome for _, outcome in run_cells(given, {0: Estimator("a", clone(learner))}, every)]


class DrawsWhenMade(BaseEstimator):
    """Draws from the global generators in its constructor."""

    def __init__(self) -> None:
        self.drawn = np.random.random() + random.random()  # noqa: NPY002

    def fit(self, X: Any, y: Any) -> DrawsWhenMade:
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), int(1000 * self.drawn) % 2)


def test_what_a_constructor_draws_belongs_to_the_address() -> None:
    given = job("3x4cv")
    every = [Cell(0, address) for address in given.splits.addresses]
    found = [
        {cell: outcome.score for cell, outcome in run_cells(given, {0: learner}, order)}
        for order in (every, every[::-1])
        for learner in [Estimator("a", DrawsWhenMade())]
    ]
    assert found[0] == found[1]
    assert len(set(found[0].values())) > 1


class SameArray(BaseEstimator):
    """Hands out one array for all its predictions."""

    shared = np.zeros(40, dtype=int)

    def fit(self, X: Any, y: Any) -> SameArray:
        self.answer_ = int(np.bincount(y).argmax())
        return self

    def predict(self, X: Any) -> Any:
        self.shared[:] = self.answer_
        return self.shared[: len(X)]


def test_predictions_that_may_change_are_read_at_once() -> None:
    skewed = (np.arange(40) < 20).astype(int)
    found = outcomes(SameArray(), job("3x4cv", y=skewed))
    splits = job("3x4cv", y=skewed).splits
    for at, outcome in enumerate(found):
        _, test = splits.split(at)
        most = int(np.bincount(np.delete(skewed, test)).argmax())
        assert outcome.score == np.mean(skewed[test] == most)


# Copies and seeds


@pytest.mark.parametrize(
    "learner",
    [
        GaussianNB(),
        make_pipeline(StandardScaler(), LogisticRegression(solver="saga")),
        GridSearchCV(LogisticRegression(), {"solver": ["lbfgs", "saga"]}),
        RandomForestClassifier(3),
        make_pipeline(FunctionTransformer(np.log1p), DecisionTreeClassifier()),
        RandomizedSearchCV(DecisionTreeClassifier(), {"max_depth": stats.randint(1, 5)}),
        Gambler(),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_a_fresh_model_is_a_clone_with_every_unset_random_state_set(learner: Any) -> None:
    (estimator,) = read_learners(learner)
    fresh = estimator.fresh(5)
    by_hand = clone(learner)
    unset = [k for k, v in by_hand.get_params().items() if k.endswith("random_state") and v is None]
    by_hand.set_params(**dict.fromkeys(unset, 5))
    assert same_text(fresh) == same_text(by_hand)
    assert fresh is not estimator.fresh(5)


def test_copies_share_nothing_that_a_model_may_change() -> None:
    learner = make_pipeline(StandardScaler(), DecisionTreeClassifier())
    (estimator,) = read_learners(learner)
    first = estimator.fresh(1)
    first.steps.append("more")
    first[0].scale_ = "fitted"
    second = estimator.fresh(2)
    assert len(second.steps) == 2
    assert not hasattr(second[0], "scale_")
    assert len(learner.steps) == 2


def test_the_copy_that_is_kept_is_never_seeded() -> None:
    (estimator,) = read_learners(DecisionTreeClassifier())
    estimator.fresh(7)
    assert estimator.prototype.random_state is None


def test_a_model_that_is_no_estimator_is_copied_deeply() -> None:
    duck = Duck()
    list(run_cells(job(), {0: Estimator("duck", duck)}, [Cell(0, HERE)]))
    assert duck.seen == []


# Outcomes


def test_outcomes_come_in_the_order_of_the_cells_with_their_times() -> None:
    asked = [Cell(at, Address(0, 0, fold)) for at in (0, 1) for fold in range(4)]
    models = dict(enumerate(read_learners([GaussianNB(), Centroids()])))
    answers = list(run_cells(job(), models, asked))
    assert [cell for cell, _ in answers] == asked
    assert all(outcome.status == "ok" and outcome.seconds > 0 for _, outcome in answers)
    for _, outcome in answers:
        assert outcome.score == 1 - outcome.losses.mean()


def test_an_error_is_told_from_the_models_own_code_on() -> None:
    class Broken(Centroids):
        def fit(self, X: Any, y: Any) -> Any:
            return self._inner()

        def _inner(self) -> Any:
            raise KeyError("missing")

    ((_, outcome),) = run_cells(job(), {0: Estimator("b", Broken())}, [Cell(0, HERE)])
    assert outcome.error.startswith("Traceback (most recent call last)")
    assert "in _inner" in outcome.error
    assert outcome.error.endswith("KeyError: 'missing'")
    assert fitting.__file__ not in outcome.error


def test_long_errors_lose_their_middle() -> None:
    text = described(ValueError("x" * 100_000))
    assert len(text) < 21_000
    assert text.startswith("ValueError: xxx")


def test_a_score_of_minus_zero_is_zero() -> None:
    class Oracle(Centroids):
        def predict(self, X: Any) -> Any:
            return X[:, 0]

    here = job(y=X[:, 0], scoring="neg_mean_squared_error")
    ((_, outcome),) = run_cells(here, {0: Estimator("o", Oracle())}, [Cell(0, HERE)])
    assert str(outcome.score) == "0.0"


# Time


def in_a_thread(act: Any) -> Any:
    found: list[Any] = []

    def call() -> None:
        try:
            found.append(act())
        except BaseException as error:
            found.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    thread.join()
    return found[0]


def test_what_takes_too_long_is_stopped_in_the_main_thread_and_in_others() -> None:
    with pytest.raises(interruptions.OutOfTime):
        interruptions.within(0.1, lambda: spin(120))
    stopped = in_a_thread(lambda: interruptions.within(0.1, lambda: spin(120)))
    assert isinstance(stopped, interruptions.OutOfTime)


@pytest.mark.slow
def test_what_ends_in_time_is_left_alone_afterwards() -> None:
    assert interruptions.within(1.0, lambda: spin(0.01)) == "done"
    assert (
        in_a_thread(lambda: (interruptions.within(1.0, lambda: spin(0.01)), spin(1.3))[1]) == "done"
    )
    assert spin(1.3) == "done"


def test_ends_near_the_limit_never_reach_what_comes_after() -> None:
    for _ in range(30):
        with suppress(interruptions.OutOfTime):
            interruptions.within(0.005, lambda: spin(0.005))
        spin(0.001)


@pytest.mark.slow
def test_ends_near_the_limit_reach_nothing_after_in_threads_either() -> None:
    def calls() -> str:
        for _ in range(100):
            with suppress(interruptions.OutOfTime):
                interruptions.within(0.005, lambda: spin(0.005))
            spin(0.001)
        return "done"

    assert in_a_thread(calls) == "done"


def test_limits_that_end_at_once_leave_no_thread_behind_that_stops_others() -> None:
    def call() -> None:
        with suppress(interruptions.OutOfTime):
            interruptions.within(0.0, lambda: spin(0.001))

    before = threading.active_count()
    for _ in range(20):
        in_a_thread(call)
    assert threading.active_count() == before


PROFILED = """
import sys, threading, time
from outperform.engine.interruptions import OutOfTime, within

def limited(seconds):
    try:
        within(0.05, lambda: [time.sleep(0.01) for _ in range(round(100 * seconds))])
    except OutOfTime:
        pass

for seconds in (0.0, 0.05, 0.5):
    thread = threading.Thread(target=limited, args=[seconds])
    thread.start()
    thread.join()
sys.setprofile(lambda *_: None)
(lambda: None)()
sys.setprofile(None)
"""


def test_a_profiler_still_works_after_a_time_limit_in_a_thread() -> None:
    # in Python 3.11 an exception taken back from a thread stops every later call under a profiler
    subprocess.run([sys.executable, "-c", PROFILED], check=True, timeout=120)


# Tasks


def queue(n_splits: int, **seconds: float) -> TaskQueue:
    asked = [Cell(at, Address(0, 0, f)) for f in range(n_splits) for at in range(len(seconds))]
    made = TaskQueue(asked)
    made.n_jobs = 2
    for at, each in enumerate(seconds.values()):
        for _ in range(3):
            made.observe([(Cell(at, HERE), Outcome(0.5, each, None, "ok"))])
    return made


def sizes(made: TaskQueue) -> list[int]:
    return [len(task.cells) for task in iter(made.next, None)]


def test_small_cells_are_batched_and_long_ones_are_not() -> None:
    assert all(size >= 45 for size in sizes(queue(500, quick=0.001))[:-1])
    assert sizes(queue(20, slow=2.0)) == [1] * 20


def test_tasks_shrink_towards_the_end() -> None:
    found = sizes(queue(4000, quick=0.001))
    assert found[0] > 2 * found[-2]


def test_inside_a_task_cells_go_model_by_model() -> None:
    task = queue(50, one=0.001, two=0.001).next()
    assert task is not None
    assert [cell.learner for cell in task.cells] == sorted(cell.learner for cell in task.cells)
    assert {cell.learner for cell in task.cells} == {0, 1}


def test_every_cell_is_in_one_task() -> None:
    made = queue(300, one=0.001, two=0.02, three=0.3)
    found = [cell for task in iter(made.next, None) for cell in task.cells]
    assert len(found) == len(set(found)) == 900


# Identity


def own_function(values: Any) -> Any:
    return values + 1


def adding(number: int) -> Any:
    return lambda values: values + number


MODELS = {
    "tree": DecisionTreeClassifier(max_depth=3),
    "search": RandomizedSearchCV(
        DecisionTreeClassifier(), {"max_depth": stats.randint(1, 5)}, cv=KFold(3, shuffle=True)
    ),
    "own": Centroids(2.0),
    "function": make_pipeline(FunctionTransformer(own_function), GaussianNB()),
    "partial": FunctionTransformer(functools.partial(np.clip, a_min=0, a_max=1)),
    "generator": DecisionTreeClassifier(random_state=np.random.RandomState(3)),
    "closure": FunctionTransformer(adding(1)),
    "duck": Duck(),
}


@pytest.mark.slow
def test_a_model_is_the_same_in_another_process() -> None:
    program = "import test_cells as t; print([t.identify(*pair)[0] for pair in t.MODELS.items()])"
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {sys.path!r}; {program}"],
        capture_output=True,
        text=True,
        check=True,
    )
    here = [identify(*pair)[0] for pair in MODELS.items()]
    assert done.stdout.strip() == str(here)
    assert [identify(who, clone(each, safe=False))[0] for who, each in MODELS.items()] == here


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (DecisionTreeClassifier(max_depth=3), DecisionTreeClassifier(max_depth=4)),
        (DecisionTreeClassifier(max_depth=3), RandomForestClassifier(max_depth=3)),
        (make_pipeline(StandardScaler()), make_pipeline(StandardScaler(with_mean=False))),
        (GaussianNB(priors=np.array([0.5, 0.5])), GaussianNB(priors=np.array([0.4, 0.6]))),
        (GaussianNB(priors=[0.5, 0.5]), GaussianNB(priors=(0.5, 0.5))),
        (FunctionTransformer(np.log), FunctionTransformer(np.exp)),
        (FunctionTransformer(lambda x: x), FunctionTransformer(lambda x: x + 1)),
        (FunctionTransformer(adding(1)), FunctionTransformer(adding(2))),
        (Centroids(1.0), Centroids(1)),
    ],
    ids=range(9),
)
def test_what_differs_is_another_model(one: Any, other: Any) -> None:
    assert identify("a", one)[0] != identify("a", other)[0]


def test_parameters_and_versions_can_be_shown() -> None:
    import sklearn

    learner, about = identify("pipe", make_pipeline(StandardScaler(), GaussianNB()))
    assert learner.name == "pipe"
    assert about["params"]["gaussiannb__var_smoothing"] == "1e-09"
    assert about["versions"]["sklearn"] == sklearn.__version__


def test_the_fingerprint_of_data_sees_every_part() -> None:
    frame = pd.DataFrame({"a": X[:, 0], "b": ["x", "y"] * 20})
    parts = [
        (X, Y, None),
        (X + 0.0, Y, np.arange(40) // 2),
        (X.astype(np.float32), Y, None),
        (X.reshape(40, 3)[:, ::-1], Y, None),
        (X, 1 - Y, None),
        (X, Y.astype(float), None),
        (sparse.csr_array(X), Y, None),
        (frame, Y, None),
        (frame.rename(columns={"a": "c"}), Y, None),
        (frame.assign(b="x"), Y, None),
    ]
    found = [fingerprint(read_data(*part)) for part in parts]
    assert len(set(found)) == len(parts)
    assert fingerprint(read_data(X.copy(order="F"), Y.tolist(), None)) == found[0]


# What makes a learner, or data, others


TYPED = """
from sklearn.base import BaseEstimator
from outperform.engine.meaning import same_text
class Typed(BaseEstimator):
    answer = {answer}
    def predict(self, X, k={k}):
        return "a" in {{"a", "b", "c", "d"}} or X in (frozenset(("x", "y", "z")), k)
print(same_text(Typed()))
"""


def typed(seed: int, answer: int = 1, k: int = 1) -> str:
    code = [sys.executable, "-c", TYPED.format(answer=answer, k=k)]
    env = {**os.environ, "PYTHONHASHSEED": str(seed)}
    return subprocess.run(code, env=env, capture_output=True, text=True, check=True).stdout


@pytest.mark.slow
def test_a_class_typed_at_a_prompt_is_known_by_its_code_attributes_and_defaults() -> None:
    assert typed(1) == typed(2)
    assert len({typed(1), typed(1, answer=2), typed(1, k=2)}) == 3


@pytest.mark.parametrize("ordered", [False, True])
def test_the_categories_of_a_column_belong_to_the_data(ordered: bool) -> None:
    values = list("abcb" * 10)
    told = [
        fingerprint(
            read_data(
                pd.DataFrame(
                    {"c": pd.Categorical(values, categories=list(given), ordered=ordered)}
                ),
                Y,
                None,
            )
        )
        for given in ("abc", "cba", "abcd", "abc")
    ]
    assert told[0] == told[3]
    assert len(set(told)) == 3


class OneBuffer(BaseEstimator):
    """Answers for all splits from one array."""

    def fit_predict_splits(self, X: Any, y: Any, splits: Any) -> Any:
        answers = np.zeros(len(y), dtype=int)
        for train, test in splits:
            answers[:] = y[train[0]]
            yield answers[: len(test)]

    def fit(self, X: Any, y: Any) -> OneBuffer:
        self.answer_ = y[0]
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.answer_)


def test_answers_for_splits_are_read_before_they_are_written_over() -> None:
    given = job("3x4cv")
    every = [Cell(0, address) for address in given.splits.addresses]
    together, alone = (
        [o.score for _, o in run_cells(given, {0: Estimator("a", OneBuffer())}, every, share=share)]
        for share in (True, False)
    )
    assert together == alone


class FirstOfAll(BaseEstimator):
    """Answers with the class of its first training row, as learners do that break ties so."""

    def fit(self, X: Any, y: Any) -> FirstOfAll:
        self.answer_ = y[0]
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.answer_)


def test_the_order_of_the_file_does_not_reach_models() -> None:
    y = np.repeat([0, 1], 100)  # sorted by class, as many files are
    splits = [(np.arange(1, 200), np.arange(1)), (np.arange(199), np.arange(199, 200))]
    ours = op.run(FirstOfAll(), y[:, None], y, design="20x2cv", random_state=0)
    assert 0.2 < ours.values.mean() < 0.8
    assert len({*ours.values[0, ::2]} & {*ours.values[0, 1::2]}) > 1
    given = op.run(FirstOfAll(), y[:, None], y, design=splits, random_state=0)
    assert given.values.tolist() == [[1.0, 0.0]]


@pytest.mark.slow
def test_seeds_of_one_split_train_on_rows_in_one_order() -> None:
    y = np.repeat([0, 1], 20)
    found = op.run(FirstOfAll(), y[:, None], y, design="9seeds@1/2", random_state=0)
    assert len({*found.values[0].tolist()}) == 1


class Unlocks(GaussianNB):  # type: ignore[misc]
    """Unlocks what it is given, and writes to it."""

    def fit(self, X: Any, y: Any) -> Any:
        X.setflags(write=True)
        X[:] = X + 1
        return super().fit(X, y)


def test_a_model_that_unlocks_its_rows_gets_its_own() -> None:
    ((_, outcome),) = run_cells(job(), {0: Estimator("u", Unlocks())}, [Cell(0, HERE)])
    assert outcome.status == "ok"
    assert outcome.notes[0][0] == "OP505"
