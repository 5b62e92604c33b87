"""`benchmark`: learners on several datasets, one after the other, each a run of its own."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..engine.estimators import named_learners
from ..engine.running import run_admitted
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

    `datasets` maps names to (X, y), to (X, y, groups) or to what scikit-learn's `load_…` functions
    return; or it lists names that `outperform.data.load` knows. Each dataset is a run with the same
    design, metrics and seed, parallel over learners and splits (`n_jobs`), datasets one after the
    other. `store` is a folder with one store for each dataset: the same call resumes, more datasets
    or learners extend it. If fits fail on a dataset the others are still run; then `RunFailed` is
    raised, which names the datasets and has the scores of the others. Other options are those of
    `run`.
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
    **how: Any,
) -> Benchmark:
    """Run the task of each dataset; `begin` is told which is next."""
    places = {} if store is None else enter(store, tasks)
    if random_state is None:
        random_state = None if store is None else seed_of(store)
    seed = secrets.randbits(31) if random_state is None else random_state
    found: dict[str, Scores] = {}
    failed: dict[str, RunFailed] = {}
    for at, (name, task) in enumerate(tasks.items()):
        begin(at, name)
        try:
            found[name] = run_admitted(
                *(task.learners, task.X, task.y),
                groups=task.groups,
                random_state=seed,
                store=places.get(name),
                **how,
            )
        except RunFailed as error:
            failed[name] = error
        except DataError as error:
            raise DataError(f"Dataset {name!r}: {error}") from error
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
    if isinstance(datasets, Mapping):
        found = {str(name): _given(str(name), given) for name, given in datasets.items()}
    elif isinstance(datasets, list | tuple) and all(isinstance(name, str) for name in datasets):
        from .. import data

        loaded = [data.load(name) for name in datasets]
        found = {one.name: (one.X, one.y) for one in loaded}
    else:
        found = {}
    if len(found) < 2:
        raise DataError(
            "The 'datasets' parameter must map two or more names to data, as in {'iris': (X, y), "
            f"'wine': (X2, y2)}}, or list names of op.data.names(), got {type(datasets).__name__}. "
            "For one dataset use op.run(learners, X, y)"
        )
    return found


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
