"""One cell: its split, its rows, its seed, its time, its identity."""

from __future__ import annotations

import functools
import os
import random
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from learners_for_tests import Centroids, Duck, Gambler
from scipy import sparse, stats
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.manifold import Isomap
from sklearn.model_selection import GridSearchCV, KFold, RandomizedSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import all_estimators
from waiting import spin

import outperform as op
from outperform.designs import address_seed
from outperform.engine import cells, pieces, splits, timeouts
from outperform.engine.candidates import CLOSED, ONCE, SETTLED, Candidate, read_learners
from outperform.engine.cells import Cell, Job, described, run_cells
from outperform.engine.feed import Feed
from outperform.engine.identity import identify, same_text
from outperform.engine.learning_data import fingerprint, read_data
from outperform.engine.pieces import Pieces
from outperform.engine.scoring import bind
from outperform.engine.seeds import Seeds
from outperform.engine.splits import Splits
from outperform.store.values import Address, Outcome

Y = np.arange(40) % 2
X = np.random.default_rng(1).normal(size=(40, 3)) + Y[:, None]
HERE = Address(0, 0, 0)


def job(design: str = "4cv", x: Any = X, y: Any = Y, **options: Any) -> Job:
    data = read_data(x, y, None)
    metric, _ = bind(options.pop("scoring", None), {"a": GaussianNB()}, data.y, 10)
    splits = Splits(op.parse(design), data.table.n, 3, None, None)
    return Job(data.table, data.y, metric.truth(data.y), metric, splits, **options)


# Splits and rows


@pytest.mark.parametrize(
    "text", ["4cv", "3x4cv", "loo", "5xresampled@1/4/train1/2", "2x3halves@1/10", "3*4cv"]
)
def test_a_split_made_at_its_address_is_the_one_of_the_design(text: str) -> None:
    splits = Splits(op.parse(text), 40, 3, None, None)
    every = list(op.parse(text).split(40, random_state=3))
    for split in reversed(every):
        train, test = splits.at(Address(*split[:3]))
        assert train.tolist() == split.train.tolist()
        assert test.tolist() == split.test.tolist()


def test_splits_beyond_the_memory_kept_for_them_are_made_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(splits, "KEPT_BYTES", 1)
    made = Splits(op.parse("3x4cv"), 40, 3, None, None)
    first = [made.at(Address(0, repeat, 1))[1].tolist() for repeat in range(3)]
    assert len(made._kept) == 1
    assert [made.at(Address(0, repeat, 1))[1].tolist() for repeat in range(3)] == first


def cut_from(given: Job) -> Pieces:
    return Pieces(given.table, given.splits, given.y, given.truth)


def test_rows_are_locked_unless_they_are_a_learners_own() -> None:
    pieces = cut_from(job())
    for piece in (pieces.at(HERE), *pieces.together([HERE])):
        for rows in piece.rows:
            with pytest.raises(ValueError, match="read-only"):
                rows[0] = 0
    for rows in pieces.at(HERE).rows:
        with pytest.raises(ValueError, match="cannot set WRITEABLE"):
            rows.setflags(write=True)
    own = pieces.at(HERE, own=True)
    own.rows[0][:] = 0
    assert (X != 0).all()


@pytest.mark.parametrize(
    "x",
    [
        X,
        X.astype(np.float32),
        np.asfortranarray(X),
        X[:, :1],
        pd.DataFrame(X),
        X.astype(object),
        sparse.csr_array(X),
    ],
    ids=["array", "small", "columns", "one", "frame", "objects", "sparse"],
)
def test_rows_cut_for_a_batch_are_those_cut_for_a_cell(
    x: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "SCRATCH", 5 * getattr(x, "nbytes", 0))
    given = job("3x4cv", x=x)
    addresses = [address for address, _ in given.splits.every()]
    cutter = cut_from(given)
    assert cutter.most < len(addresses)
    for first in range(0, len(addresses), cutter.most):
        chosen = addresses[first : first + cutter.most]
        for piece, address in zip(cutter.together(chosen), chosen, strict=True):
            by_itself = cutter.at(address)
            np.testing.assert_array_equal(piece.truth, by_itself.truth)
            for rows, alone in zip(piece.rows, by_itself.rows, strict=True):
                dense = [
                    p.toarray() if sparse.issparse(p) else np.asarray(p) for p in (rows, alone)
                ]
                np.testing.assert_array_equal(*dense)
                assert type(rows) is type(alone)
                if isinstance(rows, np.ndarray):
                    assert rows.dtype == alone.dtype
                    assert rows.flags.c_contiguous
                    assert rows.flags.aligned


def test_a_batch_writes_where_the_one_before_it_wrote() -> None:
    pieces = cut_from(job("3x4cv"))
    first, second = (pieces.together([HERE])[0].rows[0] for _ in range(2))
    assert first.ctypes.data == second.ctypes.data


@pytest.mark.parametrize(("kind", "is_aligned"), [(np.float64, True), (np.int8, False)])
def test_rows_of_a_batch_begin_alike_unless_that_would_take_much_room(
    kind: Any, is_aligned: bool
) -> None:
    cutter = cut_from(job("3x4cv", x=X[:, :1].astype(kind)))
    cut = cutter.together([Address(0, 0, fold) for fold in range(4)])
    starts = {rows.ctypes.data % 64 for piece in cut for rows in piece.rows}
    assert (starts == {0}) is is_aligned


def test_learners_get_plain_arrays_where_workers_read_memory_maps(tmp_path: Path) -> None:
    mapped = np.memmap(tmp_path / "x", dtype=float, mode="w+", shape=X.shape)
    mapped[:] = X
    cutter = cut_from(job(x=mapped))
    for piece in (cutter.at(HERE), *cutter.together([HERE])):
        assert type(piece.rows[0]) is np.ndarray


# Batches


def outcomes(learner: Any, given: Job) -> list[Outcome]:
    every = [Cell(0, address) for address, _ in given.splits.every()]
    return [outcome for _, outcome in run_cells(given, {0: Candidate("a", clone(learner))}, every)]


@pytest.mark.parametrize(
    "learner",
    [
        GaussianNB(),
        RandomForestClassifier(n_estimators=3),
        DecisionTreeClassifier(max_features=1),
        make_pipeline(StandardScaler(), DecisionTreeClassifier(max_features=1)),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_brief_cells_in_batches_are_scored_as_one_by_one(
    learner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    plain = cells._batch

    def counted(given: Job, candidate: Any, pieces: Any, these: Any) -> Any:
        sizes.append(len(these))
        return plain(given, candidate, pieces, these)

    monkeypatch.setattr(cells, "BRIEF", 10.0)
    monkeypatch.setattr(cells, "_batch", counted)
    together = outcomes(learner, job("10x4cv"))
    assert sizes == [8, 31]
    monkeypatch.setattr(cells, "BRIEF", 0.0)
    alone = outcomes(learner, job("10x4cv"))
    assert len(sizes) == 2
    for one, other in zip(together, alone, strict=True):
        assert (one.score, one.losses.tolist()) == (other.score, other.losses.tolist())


def test_a_cell_that_fails_in_a_batch_fails_alone_and_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cells, "BRIEF", 10.0)
    lonely = (np.arange(40) == 7).astype(int)  # one fold trains without the other class
    found = outcomes(LogisticRegression(), job("2x10cv", y=lonely))
    failed = [outcome for outcome in found if outcome.status != "ok"]
    assert [outcome.status for outcome in failed] == ["failed", "failed"]
    assert all("at least 2 classes" in (outcome.error or "") for outcome in failed)


def test_predictions_that_break_scoring_in_a_batch_fail_their_cells_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def breaks(*_: Any) -> Any:
        raise TypeError("not to be compared")

    monkeypatch.setattr(cells, "BRIEF", 10.0)
    monkeypatch.setattr("outperform.engine.scoring._alike", lambda *_: False)
    monkeypatch.setattr("outperform.engine.scoring._labels", breaks)
    found = outcomes(GaussianNB(), job("3x4cv"))
    assert {outcome.status for outcome in found} == {"failed"}
    assert all("not to be compared" in (outcome.error or "") for outcome in found)


@pytest.mark.parametrize("what", ["scoring.accumulate", "pieces._in_line"])
def test_a_batch_for_which_memory_does_not_suffice_is_run_one_by_one(
    what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ends(*_: Any, **__: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(cells, "BRIEF", 10.0)
    monkeypatch.setattr(f"outperform.engine.{what}", ends)
    found = outcomes(GaussianNB(), job("3x4cv"))
    monkeypatch.undo()
    wanted = outcomes(GaussianNB(), job("3x4cv"))
    assert [(o.status, o.score) for o in found] == [("ok", o.score) for o in wanted]


def test_wide_targets_count_for_how_many_cells_a_batch_holds() -> None:
    long = np.array(["a" * 10_000, "b" * 10_000])[Y]
    assert cut_from(job(y=long)).most < cut_from(job()).most


def test_cells_that_are_to_be_blamed_are_not_run_in_batches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cells, "BRIEF", 10.0)
    given = job("3x4cv")
    every = [Cell(0, address) for address, _ in given.splits.every()]
    learners = {0: Candidate("a", GaussianNB())}
    for share, longest in ((True, 8), (False, 1)):
        batches = list(cells.run_batches(given, learners, every, share=share))
        assert max(map(len, batches)) == longest
        assert [cell for batch in batches for cell, _ in batch] == every
        learners[0].together = 1


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
    every = [Cell(0, address) for address, _ in given.splits.every()]
    found = [
        {cell: outcome.score for cell, outcome in run_cells(given, {0: learner}, order)}
        for order in (every, every[::-1])
        for learner in [Candidate("a", DrawsWhenMade())]
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


def test_predictions_that_may_change_are_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "BRIEF", 10.0)
    skewed = (np.arange(40) < 20).astype(int)
    found = outcomes(SameArray(), job("3x4cv", y=skewed))
    made = job("3x4cv", y=skewed).splits.every()
    for (_, (_, test)), outcome in zip(made, found, strict=True):
        most = int(np.bincount(np.delete(skewed, test)).argmax())
        assert outcome.score == np.mean(skewed[test] == most)


# Copies and seeds


def is_closed(learner: Any) -> bool:
    return Candidate("a", learner).is_closed


@pytest.mark.parametrize("name", sorted(CLOSED - {"Pipeline"}))
def test_learners_called_closed_leave_the_global_generator_alone(name: str) -> None:
    learner = dict(all_estimators())[name]()
    assert is_closed(learner)
    before = np.random.get_state()  # noqa: NPY002
    learner.fit(abs(X).round() if name == "CategoricalNB" else abs(X), Y)
    after = np.random.get_state()  # noqa: NPY002
    assert all(map(np.array_equal, before, after))


def test_what_may_draw_from_the_global_generators_is_not_closed() -> None:
    assert is_closed(make_pipeline(StandardScaler(), RandomForestClassifier()))
    assert not is_closed(make_pipeline(Isomap(), GaussianNB()))
    assert not is_closed(RandomForestClassifier(random_state=np.random.RandomState(0)))
    assert not is_closed(Centroids())
    assert not is_closed(make_pipeline(FunctionTransformer(np.abs), GaussianNB()))


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
def test_a_quick_copy_is_what_scikit_learn_clones(learner: Any) -> None:
    (candidate,) = read_learners(learner)
    fresh = candidate.fresh(5)
    by_hand = clone(learner)
    unset = [k for k, v in by_hand.get_params().items() if k.endswith("random_state") and v is None]
    by_hand.set_params(**dict.fromkeys(unset, 5))
    assert same_text(fresh) == same_text(by_hand)
    assert fresh is not candidate.fresh(5)


@pytest.mark.parametrize(
    ("setting", "value"),
    [(setting, value) for setting, values in SETTLED.values() for value in values],
)
def test_settings_that_never_use_a_seed_get_none(setting: str, value: str) -> None:
    learner = LogisticRegression(**{setting: value})
    for given in (learner, make_pipeline(StandardScaler(), learner)):
        (candidate,) = read_learners(given)
        assert not candidate.unseeded
    before = np.random.get_state()  # noqa: NPY002
    found = [clone(learner).set_params(random_state=seed).fit(X, Y).coef_ for seed in (None, 1, 2)]
    after = np.random.get_state()  # noqa: NPY002
    assert all(np.array_equal(*both) for both in zip(before, after, strict=True))
    assert all((each == found[0]).all() for each in found)


@pytest.mark.parametrize("name", sorted(ONCE))
def test_a_generator_in_place_of_a_seed_changes_nothing(name: str) -> None:
    kind = dict(all_estimators())[name]
    (candidate,) = read_learners(kind(max_features=1, splitter="random"))
    assert candidate.stream is not None
    seeded = [kind(max_features=1, splitter="random", random_state=seed) for seed in range(20)]
    for seed, model in enumerate(seeded):
        candidate.stream.seed(seed)
        other = candidate.fresh(seed).set_params(random_state=candidate.stream)
        said = [each.fit(X, Y).tree_.threshold.tolist() for each in (model, other)]
        assert said[0] == said[1]
        state = candidate.stream.get_state()[2]
        other.predict(X)
        assert candidate.stream.get_state()[2] == state
    assert len({str(model.tree_.threshold) for model in seeded}) > 1


def test_copies_share_nothing_that_a_learner_may_change() -> None:
    learner = make_pipeline(StandardScaler(), DecisionTreeClassifier())
    (candidate,) = read_learners(learner)
    first = candidate.fresh(1)
    first.steps.append("more")
    first[0].scale_ = "fitted"
    second = candidate.fresh(2)
    assert len(second.steps) == 2
    assert not hasattr(second[0], "scale_")
    assert len(learner.steps) == 2


@pytest.mark.parametrize("root", [0, 1, 2**31, 2**32 - 1, 2**32, 2**100 + 7, 2**128, 2**200 + 3])
def test_the_seed_of_an_address_is_the_one_that_numpy_makes(root: int) -> None:
    seeds = Seeds(root)
    for at in ((0, 0, 0), (0, 0, 1), (2, 0, 1), (0, 9, 0), (0, 2**20, 2**22), (0, 0, 0)):
        assert seeds.at(Address(*at)) == address_seed(root, *at)


def test_threads_that_ask_for_seeds_at_once_get_their_own() -> None:
    seeds, every = Seeds(7), [Address(p, r, f) for p in range(4) for r in range(6) for f in (0, 9)]
    orders = [every[at:] + every[:at] for at in (0, 11, 23, 37)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda order: [seeds.at(one) for one in order * 30], orders))
    finally:
        sys.setswitchinterval(before)
    for order, answers in zip(orders, found, strict=True):
        assert answers == [address_seed(7, *address) for address in order] * 30


def test_a_candidate_travels_without_a_seed() -> None:
    (candidate,) = read_learners(DecisionTreeClassifier())
    candidate.fresh(7)
    assert candidate.__getstate__()["prototype"].random_state is None
    assert candidate.own().prototype.random_state is None


def test_a_learner_that_is_no_estimator_is_copied_deeply() -> None:
    duck = Duck()
    list(run_cells(job(), {0: Candidate("duck", duck)}, [Cell(0, HERE)]))
    assert duck.seen == []


# Outcomes


def test_outcomes_come_in_the_order_of_the_cells_with_their_times() -> None:
    asked = [Cell(at, Address(0, 0, fold)) for at in (0, 1) for fold in range(4)]
    learners = dict(enumerate(read_learners([GaussianNB(), Centroids()])))
    answers = list(run_cells(job(), learners, asked))
    assert [cell for cell, _ in answers] == asked
    assert all(outcome.status == "ok" and outcome.seconds > 0 for _, outcome in answers)
    for _, outcome in answers:
        assert outcome.score == 1 - outcome.losses.mean()


def test_an_error_is_told_from_the_learners_own_code_on() -> None:
    class Broken(Centroids):
        def fit(self, X: Any, y: Any) -> Any:
            return self._inner()

        def _inner(self) -> Any:
            raise KeyError("missing")

    ((_, outcome),) = run_cells(job(), {0: Candidate("b", Broken())}, [Cell(0, HERE)])
    assert outcome.error.startswith("Traceback (most recent call last)")
    assert "in _inner" in outcome.error
    assert outcome.error.endswith("KeyError: 'missing'")
    assert cells.__file__ not in outcome.error


def test_long_errors_lose_their_middle() -> None:
    text = described(ValueError("x" * 100_000))
    assert len(text) < 21_000
    assert text.startswith("ValueError: xxx")


def test_a_score_of_minus_zero_is_zero() -> None:
    class Oracle(Centroids):
        def predict(self, X: Any) -> Any:
            return X[:, 0]

    here = job(y=X[:, 0], scoring="neg_mean_squared_error")
    ((_, outcome),) = run_cells(here, {0: Candidate("o", Oracle())}, [Cell(0, HERE)])
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
    with pytest.raises(timeouts.OutOfTime):
        timeouts.within(0.1, lambda: spin(120))
    stopped = in_a_thread(lambda: timeouts.within(0.1, lambda: spin(120)))
    assert isinstance(stopped, timeouts.OutOfTime)


def test_what_ends_in_time_is_left_alone_afterwards() -> None:
    assert timeouts.within(1.0, lambda: spin(0.01)) == "done"
    assert in_a_thread(lambda: (timeouts.within(1.0, lambda: spin(0.01)), spin(1.3))[1]) == "done"
    assert spin(1.3) == "done"


def test_ends_near_the_limit_never_reach_what_comes_after() -> None:
    for _ in range(30):
        with suppress(timeouts.OutOfTime):
            timeouts.within(0.005, lambda: spin(0.005))
        spin(0.001)


# Tasks


def feed(n_splits: int, **seconds: float) -> Feed:
    asked = [Cell(at, Address(0, 0, f)) for f in range(n_splits) for at in range(len(seconds))]
    made = Feed(asked)
    made.n_jobs = 2
    for at, each in enumerate(seconds.values()):
        for _ in range(3):
            made.observe([(Cell(at, HERE), Outcome(0.5, each, None, "ok"))])
    return made


def sizes(made: Feed) -> list[int]:
    return [len(task.cells) for task in iter(made.next, None)]


def test_small_cells_are_batched_and_long_ones_are_not() -> None:
    assert all(size >= 45 for size in sizes(feed(500, quick=0.001))[:-1])
    assert sizes(feed(20, slow=2.0)) == [1] * 20


def test_tasks_shrink_towards_the_end() -> None:
    found = sizes(feed(4000, quick=0.001))
    assert found[0] > 2 * found[-2]


def test_inside_a_task_cells_go_learner_by_learner() -> None:
    task = feed(50, one=0.001, two=0.001).next()
    assert task is not None
    assert [cell.learner for cell in task.cells] == sorted(cell.learner for cell in task.cells)
    assert {cell.learner for cell in task.cells} == {0, 1}


def test_every_cell_is_in_one_task() -> None:
    made = feed(300, one=0.001, two=0.02, three=0.3)
    found = [cell for task in iter(made.next, None) for cell in task.cells]
    assert len(found) == len(set(found)) == 900


# Identity


def own_function(values: Any) -> Any:
    return values + 1


def adding(number: int) -> Any:
    return lambda values: values + number


LEARNERS = {
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


def test_a_learner_is_the_same_in_another_process() -> None:
    program = "import test_cells as t; print([t.identify(*pair)[0] for pair in t.LEARNERS.items()])"
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {sys.path!r}; {program}"],
        capture_output=True,
        text=True,
        check=True,
    )
    here = [identify(*pair)[0] for pair in LEARNERS.items()]
    assert done.stdout.strip() == str(here)
    assert [identify(who, clone(each, safe=False))[0] for who, each in LEARNERS.items()] == here


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
def test_what_differs_is_another_learner(one: Any, other: Any) -> None:
    assert identify("a", one)[0] != identify("a", other)[0]


def test_the_users_own_code_is_part_of_a_learner() -> None:
    def made(body: str) -> Any:
        scope: dict[str, Any] = {"BaseEstimator": BaseEstimator, "__name__": "__main__"}
        exec(f"class Own(BaseEstimator):\n    def fit(self, X, y):\n        {body}", scope)
        return scope["Own"]()

    assert same_text(made("return 1")) == same_text(made("return 1"))
    assert same_text(made("return 1")) != same_text(made("return 2"))


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


def made(answer: Any) -> Any:
    class Made(BaseEstimator):
        def fit(self, X: Any, y: Any) -> Any:
            return super().__sklearn_tags__() and self

        def predict(self, X: Any) -> Any:
            return np.full(len(X), answer)

    return Made()


def test_classes_made_by_one_function_are_told_apart_by_what_they_close_over() -> None:
    assert same_text(made(1)) == same_text(made(1))
    assert same_text(made(1)) != same_text(made(2))


TYPED = """
from sklearn.base import BaseEstimator
from outperform.engine.identity import same_text
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


def test_a_class_typed_at_a_prompt_is_known_by_its_code_attributes_and_defaults() -> None:
    assert typed(1) == typed(2)
    assert len({typed(1), typed(1, answer=2), typed(1, k=2)}) == 3


@pytest.mark.parametrize("ordered", [False, True])
def test_the_categories_of_a_column_belong_to_the_data(ordered: bool) -> None:
    values = list("abcb" * 10)
    told = [
        fingerprint(read_data(pd.DataFrame({"c": pd.Categorical(values, categories=list(given),
                                                                 ordered=ordered)}), Y, None))
        for given in ("abc", "cba", "abcd", "abc")
    ]  # fmt: skip
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
    every = [Cell(0, address) for address, _ in given.splits.every()]
    together, alone = (
        [o.score for _, o in run_cells(given, {0: Candidate("a", OneBuffer())}, every, share=share)]
        for share in (True, False)
    )
    assert together == alone


class Unlocks(GaussianNB):  # type: ignore[misc]
    """Unlocks what it is given, and writes to it."""

    def fit(self, X: Any, y: Any) -> Any:
        X.setflags(write=True)
        X[:] = X + 1
        return super().fit(X, y)


def test_a_learner_that_unlocks_its_rows_gets_its_own() -> None:
    ((_, outcome),) = run_cells(job(), {0: Candidate("u", Unlocks())}, [Cell(0, HERE)])
    assert outcome.status == "ok"
    assert outcome.notes[0][0] == "OP505"
