"""`benchmark`: learners on several datasets, each a run of its own, that share their workers."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..engine.estimators import named_learners
from ..engine.preparing import PreparedRun, prepare
from ..engine.running import perform
from ..errors import DataError, RunFailed, argument
from ..scores.benchmark import Benchmark
from ..scores.split_scores import Scores
from ..storage.benchmark_folder import enter, seed_of


@dataclass(frozen=True, eq=False, slots=True)
class DatasetRun:
    """What is run on one dataset."""

    learners: Any
    X: Any
    y: Any
    groups: Any = None


def benchmark(
    learners: Any,
    datasets: Any,
    *,
    design: Any = None,
    scoring: Any = None,
    random_state: int | None = None,
    n_jobs: int | None = None,
    store: Any = None,
    time_limit: float | None = None,
    isolate: bool = False,
    progress: Any = None,
    keep: Any = None,
) -> Benchmark:
    """Fit every learner on every split of every dataset.

    Each dataset is a run with the same design, metrics and seed. Workers are shared by datasets,
    learners and splits: the next dataset begins while the last fits of the one before it run.

    Parameters
    ----------
    learners : mapping, list or learner
        Learners as for `run`.
    datasets : mapping
        Names mapped to (X, y), to (X, y, groups) or to what scikit-learn's `load_…` functions
        return.
    design : str, Design or splitter, optional
        How the data are split, such as "10x10cv".
    scoring : str, callable, list or mapping, optional
        Metrics as for `run`.
    random_state : int, optional
        Seed. If None, one is drawn and kept with the scores.
    n_jobs : int, optional
        Number of workers; -1 uses all cores. It does not change the result.
    store : path, optional
        A folder with one store for each dataset: the same call resumes, more datasets or learners
        extend it.
    time_limit : float, optional
        Seconds allowed for each fit.
    isolate : bool, default=False
        Whether to run fits in processes of their own.
    progress : bool or callable, optional
        Progress as for `run`.
    keep : str or list of str, optional
        What a store keeps of the models' answers; see `run`.

    Returns
    -------
    Benchmark
        Scores of all learners on all datasets.

    Raises
    ------
    RunFailed
        If fits fail on a dataset. The other datasets are still run, and the error has their scores.

    Examples
    --------
    >>> import outperform as op
    >>> from sklearn.datasets import load_iris, load_wine
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> learners = {"bayes": GaussianNB(), "dummy": DummyClassifier()}
    >>> datasets = {"iris": load_iris(), "wine": load_wine()}
    >>> found = op.benchmark(learners, datasets, design="5cv", random_state=0, progress=False)
    >>> found.wins("bayes", "dummy")
    (2, 0, 0)
    """
    named = named_learners(learners, needs=("fit", "predict"))
    tasks = {name: DatasetRun(named, *given) for name, given in _read(datasets).items()}
    return run_tasks(
        tasks,
        store=store,
        design=design,
        scoring=scoring,
        random_state=random_state,
        n_jobs=n_jobs,
        time_limit=time_limit,
        isolate=isolate,
        progress=progress,
        keep=keep,
    )


def run_tasks(
    tasks: Mapping[str, DatasetRun],
    *,
    store: Any,
    random_state: int | None = None,
    begin: Callable[[int, str], object] = lambda at, name: None,
    n_jobs: int | None = None,
    isolate: bool = False,
    progress: Any = None,
    **how: Any,
) -> Benchmark:
    """Run the task of each dataset; `begin` is told which is next."""
    places = {} if store is None else enter(store, tasks)
    if random_state is None:
        random_state = None if store is None else seed_of(store)
    how["random_state"] = secrets.randbits(31) if random_state is None else random_state

    def prepared() -> Iterator[PreparedRun]:
        for at, (name, task) in enumerate(tasks.items()):
            begin(at, name)
            given = {"groups": task.groups, "store": places.get(name), "dataset": name, **how}
            try:
                one = prepare(task.learners, task.X, task.y, **given)
            except DataError as error:
                raise DataError(f"Dataset {name!r}: {error}") from error
            yield one

    results = perform(
        prepared(),
        n_jobs=n_jobs,
        isolate=isolate,
        progress=progress,
        store=store,
        n_runs=len(tasks),
    )
    both = dict(zip(tasks, results, strict=True))
    found = {name: one for name, one in both.items() if isinstance(one, Scores)}
    failed = {name: one for name, one in both.items() if isinstance(one, RunFailed)}
    if failed:
        raise _failure(failed, found, len(tasks), store)
    return Benchmark.of(found)


def _failure(
    failed: Mapping[str, RunFailed], found: Mapping[str, Scores], total: int, store: Any
) -> RunFailed:
    """Return what to raise where fits failed: every dataset by name, none of them dropped."""
    lines = [f"incomplete: fits failed on {len(failed)} of {total} datasets, so there is no result"]
    for name, error in failed.items():
        lines += [f"  dataset {name!r}:", *(f"    {line}" for line in str(error).splitlines()[1:3])]
    kept = (
        f"pass {argument(store='benchmark')} to keep what succeeds"
        if store is None
        else f"what succeeded is kept in {str(store)!r}"
    )
    lines.append(f"Fix or remove what failed, then run again; {kept}")
    error = RunFailed("\n".join(lines))
    error.failures = tuple(one for part in failed.values() for one in part.failures)
    error.scores = Benchmark.of(found) if len(found) > 1 else None
    return error


def _read(datasets: Any) -> dict[str, tuple[Any, ...]]:
    if not isinstance(datasets, Mapping) or len(datasets) < 2:
        raise DataError(
            "The 'datasets' parameter must map two or more names to data, as in {'iris': (X, y), "
            f"'wine': (X2, y2)}}, got {type(datasets).__name__}. "
            "For one dataset use op.run(learners, X, y)"
        )
    return {str(name): _given(str(name), given) for name, given in datasets.items()}


def _given(name: str, given: Any) -> tuple[Any, ...]:
    """Return X, y and perhaps groups, of a pair, a triple or an object that has them."""
    if hasattr(given, "data") and hasattr(given, "target"):
        return given.data, given.target
    if hasattr(given, "X") and hasattr(given, "y"):
        return given.X, given.y
    if isinstance(given, tuple | list) and len(given) in (2, 3):
        return tuple(given)
    raise DataError(
        f"Dataset {name!r} must be (X, y) or (X, y, groups), got {type(given).__name__}. Pass the "
        f"features and the target as a pair: {{{name!r}: (X, y)}}"
    )
