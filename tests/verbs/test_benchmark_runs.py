"""Learners run on several datasets: one folder, resumed, nothing dropped."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from launching import run_here
from models_for_tests import Centroids
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import outperform as op
from outperform.storage import StoreIncomplete

MODELS = {"tree": DecisionTreeClassifier(), "bayes": GaussianNB()}


def drawn(seed: int, n: int = 40) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.normal(size=(n, 3)) + y[:, None], y


DATA = {"one": drawn(1), "two": drawn(2), "../../three": drawn(3)}


class Picky(Centroids):
    """Refuses data in which the mean of the first column is below a limit."""

    def fit(self, X: Any, y: Any) -> Picky:
        if len(X) < 30:
            raise ValueError("too few rows")
        super().fit(X, y)
        return self


class Deadly(Centroids):
    """Ends its process on data of few rows."""

    def fit(self, X: Any, y: Any) -> Deadly:
        if len(X) < 30:
            os._exit(7)
        super().fit(X, y)
        return self


def run(datasets: Any = DATA, learners: Any = MODELS, **how: Any) -> op.Benchmark:
    how = {"design": "5cv", "random_state": 0, "progress": False, **how}
    return op.benchmark(learners, datasets, **how)


def test_each_dataset_is_the_run_that_it_would_be_alone() -> None:
    found = run()
    for name, (X, y) in DATA.items():
        alone = op.run(MODELS, X, y, design="5cv", random_state=0, progress=False)
        assert np.array_equal(found.on(name).values, alone.values)
    assert str(found.scores.design) == "5cv"
    assert op.compare(found, method="wilcoxon").n == 3


@pytest.mark.slow
def test_a_folder_resumes_extends_and_reads_back_to_the_same_bits(tmp_path: Path) -> None:
    store = tmp_path / "bench"
    some = dict(list(DATA.items())[:2])
    run(some, {"tree": MODELS["tree"]}, store=store)
    kept = {path: path.stat().st_mtime_ns for path in store.glob("*.name")}
    found = run(store=store, n_jobs=2)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    back, fresh = op.Benchmark.read(store), run()
    for name in DATA:
        for one in (found, back):
            of = one.on(name).of(["tree", "bayes"])
            assert np.array_equal(of.values, fresh.on(name).values)
    assert set(back.datasets) == set(DATA)
    assert op.compare(store, method="dataset_t").n == 3


@pytest.mark.slow
def test_workers_begin_the_next_dataset_before_the_last_one_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from outperform.engine import workers

    monkeypatch.setattr(workers, "SHORTEST", 1e-9)  # a task for each fit
    monkeypatch.setattr(workers, "LONGEST", 1e-9)
    open_at_once, ended = [0], list[str]()
    begin = workers._Shared.take
    end = workers._Shared.settle

    def take(shared: Any) -> Any:
        found = begin(shared)
        open_at_once.append(len(shared._taken))
        return found

    def settle(shared: Any, work: Any) -> None:
        there = set(shared._taken)
        end(shared, work)
        ended.extend("end" for _ in there - set(shared._taken))

    monkeypatch.setattr(workers._Shared, "take", take)
    monkeypatch.setattr(workers._Shared, "settle", settle)
    found = run(store=tmp_path / "b", n_jobs=2)
    assert max(open_at_once) > 1
    assert len(ended) == 3
    monkeypatch.undo()
    alone = run()
    for name in DATA:
        assert np.array_equal(found.on(name).values, alone.on(name).values)


def test_names_of_datasets_never_become_paths(tmp_path: Path) -> None:
    run(store=tmp_path / "deep" / "bench")
    outside = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert all(path.parent == tmp_path / "deep" / "bench" for path in outside)
    assert all(path.stem.isalnum() for path in outside)


def test_a_dataset_that_fails_is_reported_and_the_others_are_kept(tmp_path: Path) -> None:
    data = {**DATA, "small": drawn(4, 20)}
    learners = {**MODELS, "picky": Picky()}
    with pytest.raises(op.RunFailed, match="failed on 1 of 4 datasets") as caught:
        run(data, learners, store=tmp_path / "b")
    assert "dataset 'small'" in str(caught.value)
    assert "too few rows" in str(caught.value)
    assert caught.value.scores.datasets == tuple(DATA)
    assert {one.learner for one in caught.value.failures} == {"picky"}
    with pytest.raises(StoreIncomplete, match="1 of 4 datasets have missing fits: small"):
        op.Benchmark.read(tmp_path / "b")


@pytest.mark.slow
def test_a_model_that_kills_workers_is_blamed_on_its_dataset_and_others_are_kept() -> None:
    data = {**DATA, "small": drawn(4, 20)}
    with pytest.raises(op.RunFailed, match="failed on 1 of 4 datasets") as caught:
        run(data, {**MODELS, "deadly": Deadly()}, n_jobs=2)
    assert {(one.learner, one.status) for one in caught.value.failures} == {("deadly", "killed")}
    alone = run()
    for name in DATA:
        kept = caught.value.scores.on(name).of(["tree", "bayes"])
        assert np.array_equal(kept.values, alone.on(name).values)


def test_a_dataset_whose_run_has_not_begun_is_missing(tmp_path: Path) -> None:
    from outperform.storage.benchmark_folder import enter

    run(store=tmp_path / "b")
    enter(tmp_path / "b", ["later"])
    with pytest.raises(StoreIncomplete, match="1 of 4 datasets have missing fits: later"):
        op.Benchmark.read(tmp_path / "b")


def test_a_name_that_was_changed_is_noticed(tmp_path: Path) -> None:
    run(store=tmp_path / "b")
    label = sorted((tmp_path / "b").glob("*.name"))[0]
    label.write_text("another", encoding="utf-8")
    with pytest.raises(op.DataError, match="was modified"):
        op.Benchmark.read(tmp_path / "b")


def test_without_a_seed_all_datasets_share_one_and_a_folder_keeps_it(tmp_path: Path) -> None:
    first = run(random_state=None, store=tmp_path / "b")
    again = run({**DATA, "four": drawn(5)}, random_state=None, store=tmp_path / "b")
    assert first.scores.seed is not None
    assert again.scores.seed == first.scores.seed


@pytest.mark.slow
def test_the_command_line_runs_several_files_into_one_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b", "c"):
        X, y = drawn(ord(name))
        rows = [f"{','.join(f'{v:.4f}' for v in row)},k{c}" for row, c in zip(X, y, strict=True)]
        Path(f"{name}.csv").write_text("x,y,z,kind\n" + "\n".join(rows) + "\n")
    asked = ["--target", "kind", "--learner", "tree", "--learner", "nb", "--design", "5cv"]
    asked += ["--seed", "0", "--store", "bench"]
    assert run_here("run", "a.csv", "b.csv", "c.csv", *asked) == 0
    out, said = capsys.readouterr()
    assert "(3 datasets)" in out
    assert "Dataset 3 of 3: c." in said
    again = said.partition("compare it: outperform ")[2].split()
    assert again == ["compare", "bench", "--method", "wilcoxon"]  # of so few, not the default
    assert run_here(*again) == 0
    assert capsys.readouterr().out == out
