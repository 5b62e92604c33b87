"""A Dask cluster: two workers give the bits of a serial run, and are sent the data once."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import stored_for_tests as stored
from joblib import parallel_config
from joblib.parallel import get_active_backend
from lacking_for_tests import Lacking, unchanged
from models_for_tests import Centroids, Lazy, Logged, Misbehaved, Slow, Unsendable
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from test_determinism import MODELS as ALL_MODELS
from test_determinism import X, Y
from test_determinism import run as run_all

import outperform as op
from outperform.engine.fitting import Job
from outperform.storage import Store

pytestmark = [
    pytest.mark.slow,
    pytest.mark.needs("dask"),
    # Of clusters being closed, and of what a learner took down with it.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


@pytest.fixture
def on_dask(client: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    # On a busy machine a worker that was killed may take more than a minute to come back.
    monkeypatch.setattr("outperform.engine.pools.PATIENCE", 600.0)
    with parallel_config("dask"):
        yield client


# The gambler draws from the global random state, which Dask's own threads draw from, too.
MODELS = {name: made for name, made in ALL_MODELS.items() if name != "gambler"}


def run(learners: Any = None, **options: Any) -> op.Scores:
    return run_all(MODELS if learners is None else learners, **options)


@pytest.fixture(scope="module")
def digest() -> str:
    return run().digest()


@pytest.mark.parametrize("n_jobs", [None, 1, 2, 4])
def test_a_cluster_changes_nothing(n_jobs: int | None, digest: str, on_dask: Any) -> None:
    assert run(n_jobs=n_jobs).digest() == digest


def test_the_order_of_models_changes_nothing_on_a_cluster(digest: str, on_dask: Any) -> None:
    assert run(dict(reversed(MODELS.items()))).digest() == digest


def test_both_workers_work(on_dask: Any) -> None:
    before = on_dask.run(lambda dask_worker: dask_worker.state.executed_count)
    op.run({"a": Slow(0.03)}, X, Y, design="10x2cv", random_state=1)
    after = on_dask.run(lambda dask_worker: dask_worker.state.executed_count)
    assert len(after) == 2
    assert all(after[worker] > before[worker] for worker in after)


def test_a_stopped_run_resumes_on_a_cluster_with_a_model_more(
    digest: str, tmp_path: Path, on_dask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "runs.db"
    few = {name: MODELS[name] for name in ("logistic", "forest", "tree")}

    def stop(state: Any) -> None:
        if state.done >= 5:
            raise KeyboardInterrupt

    monkeypatch.setattr("outperform.engine.progress.PERIOD", 0.0)
    with pytest.raises(KeyboardInterrupt):
        run(few, store=path, progress=stop)
    with Store.open(path, mode="read") as store:
        done = sum(counts.ok for counts in stored.state(store).values())
    assert 5 <= done < 18
    seen: list[int] = []
    assert run(store=path, progress=lambda state: seen.append(state.done)).digest() == digest
    assert seen[0] > done
    assert run(store=path, n_jobs=1).digest() == digest


def test_a_store_extended_on_a_cluster_is_a_run_from_scratch(tmp_path: Path, on_dask: Any) -> None:
    store = tmp_path / "runs.db"
    few = {name: MODELS[name] for name in ("logistic", "tree")}
    small, large = "2x2cv+2halves", "3x2cv+3halves"
    asked: dict[str, Any] = {"random_state": 1, "scoring": ["accuracy", "f1_macro"]}
    op.run({"tree": few["tree"]}, X, Y, design=small, random_state=1, store=store)
    grown = op.run(few, X, Y, design=large, store=store, **asked)
    with parallel_config("sequential"):
        assert grown.digest() == op.run(few, X, Y, design=large, **asked).digest()
    assert op.Scores.read(store).digest() == grown.digest()


def test_data_are_sent_once_and_not_once_a_task(
    on_dask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    pickled, submitted = [], []
    submit = on_dask.submit

    def reduce(job: Job, protocol: Any) -> Any:
        pickled.append(job)
        return object.__reduce_ex__(job, protocol)

    monkeypatch.setattr(Job, "__reduce_ex__", reduce)
    monkeypatch.setattr(
        type(on_dask), "submit", lambda self, *a, **k: submitted.append(1) or submit(*a, **k)
    )
    op.run({"a": Slow(0.03)}, X, Y, design="10x2cv", random_state=1)
    assert len(submitted) >= 5
    assert len(pickled) == 1


def test_a_model_that_takes_its_worker_down_is_blamed_and_the_others_keep_their_bits(
    on_dask: Any,
) -> None:
    alone = run({"good": Centroids()})
    with pytest.raises(op.RunFailed) as caught:
        run({"bad": Misbehaved("leave"), "good": Centroids()})
    (failure,) = caught.value.failures
    assert (failure.learner, failure.status, failure.count) == ("bad", "killed", 6)
    assert caught.value.scores.digest() == alone.digest()


def test_a_model_that_raises_or_cannot_travel_is_blamed(on_dask: Any) -> None:
    with pytest.raises(op.RunFailed) as caught:
        run({"bad": Misbehaved("raise"), "home": Unsendable(), "good": Centroids()})
    said = {failure.learner: failure.example for failure in caught.value.failures}
    assert "the learner's own error" in said["bad"]
    assert "stays at home" in said["home"]
    assert caught.value.scores.names == ("good",)


def test_a_cluster_of_one_worker_is_used_all_the_same(
    on_dask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = type(get_active_backend()[0])
    monkeypatch.setattr(backend, "effective_n_jobs", lambda *_, **__: 1)
    before = on_dask.run(lambda dask_worker: dask_worker.state.executed_count)
    run({"good": Centroids()})
    after = on_dask.run(lambda dask_worker: dask_worker.state.executed_count)
    assert sum(after.values()) > sum(before.values())


def test_a_time_limit_holds_on_a_cluster(on_dask: Any) -> None:
    with pytest.raises(op.RunFailed) as caught:
        run({"bad": Misbehaved("hang", only=40), "good": Centroids()}, time_limit=2.0)
    (failure,) = caught.value.failures
    assert (failure.learner, failure.status) == ("bad", "timeout")


def test_large_data_reach_the_cluster_unharmed(on_dask: Any) -> None:
    y = np.arange(2000) % 2
    big = np.random.default_rng(2).normal(size=(2000, 50)) + y[:, None]
    options: dict[str, Any] = {"design": "2x5cv", "random_state": 1}
    with parallel_config("threading"):
        serial = op.run({"a": Centroids()}, big, y, n_jobs=1, **options).digest()
    assert op.run({"a": Centroids()}, big, y, **options).digest() == serial


# Workers with other packages than ours


class _Blocker:
    """Makes a worker one on which a module is not installed."""

    def find_spec(self, name: str, *_: Any) -> None:
        if name == "lacking_for_tests":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def _take_away() -> None:
    sys.meta_path.insert(0, _Blocker())  # type: ignore[arg-type]
    sys.modules.pop("lacking_for_tests", None)


def _give_back() -> None:
    sys.meta_path[:] = [finder for finder in sys.meta_path if type(finder) is not _Blocker]


@pytest.fixture
def lacking(on_dask: Any) -> Iterator[None]:
    on_dask.run(_take_away)
    yield
    on_dask.run(_give_back)


@pytest.mark.parametrize(
    "bad",
    [
        Lacking(),
        Lazy(),
        make_pipeline(FunctionTransformer(unchanged), Centroids()),
    ],
    ids=["class", "import in fit", "function"],
)
def test_a_package_that_workers_lack_is_named_and_no_failure_of_the_model(
    bad: Any, lacking: None, tmp_path: Path
) -> None:
    path = tmp_path / "runs.db"
    with pytest.raises(op.OutperformError) as caught:
        run({"good": Centroids(), "bad": bad}, store=path)
    assert not isinstance(caught.value, op.RunFailed)
    assert "lacking_for_tests: cannot be imported there" in str(caught.value)
    with Store.open(path, mode="read") as store:
        assert stored.state(store)["bad"].failed == 0


def _pretend(version: str) -> str:
    import sklearn

    before, sklearn.__version__ = sklearn.__version__, version
    return before


def test_a_package_of_another_version_is_named_before_anything_is_run(
    on_dask: Any, tmp_path: Path
) -> None:
    path = tmp_path / "runs.db"
    one, _ = on_dask.scheduler_info()["workers"]
    real = on_dask.run(_pretend, "0.1.2", workers=[one])[one]
    try:
        with pytest.raises(op.OutperformError) as caught:
            run({"good": Centroids()}, store=path)
    finally:
        on_dask.run(_pretend, real, workers=[one])
    assert f"sklearn: 0.1.2 there, {real} here (1 of 2 workers)" in str(caught.value)
    with Store.open(path, mode="read") as store:
        assert stored.state(store)["good"].missing == 6
    run({"good": Centroids()}, store=path)


def test_a_module_that_is_missing_here_too_is_the_models_failure(on_dask: Any) -> None:
    with pytest.raises(op.RunFailed, match="No module named 'nowhere_at_all'"):
        run({"bad": Misbehaved("import"), "good": Centroids()})


def test_cells_that_kill_their_worker_are_started_once_more_at_most(
    on_dask: Any, tmp_path: Path
) -> None:
    log = tmp_path / "starts"
    with pytest.raises(op.RunFailed):
        run({"bad": Logged(str(log), "bad", "leave"), "good": Centroids()})
    starts = Counter(log.read_text().splitlines())
    assert len(starts) == 6
    assert set(starts.values()) <= {1, 2}
