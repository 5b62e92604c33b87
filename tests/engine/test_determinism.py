"""Same seed, same bits: nothing about how a run is made can be seen in its scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from joblib import parallel_config
from models_for_tests import Centroids, Gambler, Sharing
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import outperform as op
from outperform.engine import workers

GENERATOR = np.random.default_rng(11)
Y = np.arange(60) % 3
X = GENERATOR.normal(size=(60, 4)) + Y[:, None] / 2
MODELS = {
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
    "tree": DecisionTreeClassifier(max_features=2),
    "forest": RandomForestClassifier(3),
    "sgd": make_pipeline(StandardScaler(), SGDClassifier(max_iter=5, tol=None)),
    "gambler": Gambler(),
    "sharing": Sharing(),
}


def run(learners: Any = None, **options: Any) -> op.Scores:
    options = {"design": "2x3cv", "random_state": 4} | options
    return op.run(MODELS if learners is None else learners, X, Y, **options)


@pytest.fixture(scope="module")
def digest() -> str:
    return run().digest()


def test_two_runs_are_the_same_bit_by_bit(digest: str) -> None:
    assert run().digest() == digest


def test_another_seed_gives_other_scores(digest: str) -> None:
    assert run(random_state=5).digest() != digest


@pytest.mark.parametrize("n_jobs", [2, 4])
def test_worker_processes_change_nothing(n_jobs: int, digest: str) -> None:
    assert run(n_jobs=n_jobs).digest() == digest


@pytest.mark.slow
def test_isolation_changes_nothing(digest: str) -> None:
    assert run(isolate=True).digest() == digest


@pytest.mark.parametrize("n_jobs", [2, 4])
def test_threads_change_nothing_for_models_with_their_own_generators(n_jobs: int) -> None:
    learners = {name: each for name, each in MODELS.items() if name != "gambler"}
    serial = run(learners)
    with parallel_config("threading"):
        assert run(learners, n_jobs=n_jobs).digest() == serial.digest()


@pytest.mark.slow
def test_a_configured_number_of_jobs_is_respected(
    digest: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = []
    chosen = workers.execute
    monkeypatch.setattr(
        "outperform.engine.running.execute",
        lambda works, pool: sizes.append(pool.n_jobs) or chosen(works, pool),
    )
    with parallel_config("loky", n_jobs=2):
        assert run().digest() == digest
    assert sizes == [2]


@pytest.mark.parametrize("seconds", [1e-9, 1e9], ids=["one cell each", "one batch"])
def test_batches_change_nothing(
    seconds: float, digest: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "SHORTEST", seconds)
    monkeypatch.setattr(workers, "LONGEST", seconds)
    assert run().digest() == digest


def test_the_order_of_models_changes_nothing(digest: str) -> None:
    assert run(dict(reversed(MODELS.items()))).digest() == digest


def test_a_model_more_changes_nothing_for_the_others() -> None:
    few = {name: MODELS[name] for name in ("forest", "gambler")}
    more = run()
    where = [more.index(name) for name in few]
    assert (more.values[where] == run(few).values).all()
    assert (more.items.values[where] == run(few).items.values).all()


def test_a_store_changes_nothing_and_gives_the_same_scores_later(
    digest: str, tmp_path: Path
) -> None:
    from outperform.storage import Store

    path = tmp_path / "runs.db"
    assert run(store=path).digest() == digest
    with Store.open(path, mode="read") as store:
        assert store.scores().digest() == digest


@pytest.mark.parametrize("then", [{}, {"n_jobs": 2}], ids=["serial", "parallel"])
def test_a_stopped_run_resumes_to_the_same_bits(
    then: dict[str, Any], digest: str, tmp_path: Path
) -> None:
    path = tmp_path / "runs.db"

    def stop(state: Any) -> None:
        if state.done >= 10:
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("outperform.engine.progress.PERIOD", 0.0)
        with pytest.raises(KeyboardInterrupt):
            run(store=path, progress=stop)
    seen: list[int] = []
    scores = run(store=path, progress=lambda state: seen.append(state.done), **then)
    assert scores.digest() == digest
    assert seen[0] > 10


def test_models_added_to_a_store_are_run_alone(digest: str, tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    first = {name: MODELS[name] for name in ("tree", "sgd")}
    run(first, store=path)
    seen: list[int] = []
    assert run(store=path, progress=lambda state: seen.append(state.done)).digest() == digest
    assert seen[0] > len(first) * 6


def test_sharing_work_across_splits_gives_the_answers_one_by_one() -> None:
    Sharing.calls.clear()
    shared = run({"a": Sharing()})
    assert sum(Sharing.calls) > 1
    assert (shared.values == run({"a": Centroids()}).values).all()


def test_row_order_of_arrays_in_memory_changes_nothing() -> None:
    learners = {"logistic": MODELS["logistic"]}
    plain = run(learners).digest()
    options: dict[str, Any] = {"design": "2x3cv", "random_state": 4}
    assert op.run(learners, np.asfortranarray(X), Y, **options).digest() == plain
    assert op.run(learners, np.repeat(X, 2, axis=0)[::2], Y, **options).digest() == plain
