"""Pools: tasks sent over joblib, whatever its backend, or to a Dask cluster."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter, deque
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from importlib import import_module
from importlib.util import find_spec
from numbers import Integral
from time import monotonic
from typing import Any
from uuid import uuid4
from weakref import WeakKeyDictionary

from ..errors import DataError, OutperformError, argument
from .environment import add
from .estimators import Estimator, packages
from .fitting import Job
from .interruptions import clean_up
from .isolation import can_isolate
from .workers import (
    Answers,
    Assigned,
    GiveBack,
    Take,
    Task,
    TaskQueue,
    TaskResult,
    Work,
    WorkerPool,
    run_task,
)

LACKING = re.compile(r"No module named '([\w.]+)'")
MOST = 10
"""Differences between packages that are listed."""
CLUSTER, THREADS = "DaskDistributedBackend", ("ThreadingBackend", "SequentialBackend")
"""Of joblib's backends, by the names of their classes."""
PATIENCE = 60.0
"""Seconds to wait for a cluster whose workers have all died."""


def choose_pool(n_jobs: int | None, *, isolate: bool) -> WorkerPool | None:
    """Return the pool that joblib's configuration asks for, or None to run in this process."""
    from joblib import effective_n_jobs
    from joblib.parallel import get_active_backend

    _check(n_jobs)
    backend, _ = get_active_backend()
    name, number = type(backend).__name__, effective_n_jobs(n_jobs)
    if name == CLUSTER:
        return DaskPool(backend.client, number)
    if number == 1 and not isolate:
        return None
    threads = name in THREADS
    if isolate or not threads:
        clean_up()
    return JoblibPool(number, "loky" if isolate and threads else None, backend)


def queue_for(job: Job, pool: WorkerPool | None, *, isolate: bool) -> TaskQueue:
    """Return a queue of tasks for a pool, which knows what can be run in processes of their own."""
    queue = TaskQueue()
    if pool is None:
        return queue
    queue.n_jobs = pool.n_jobs
    from joblib.parallel import get_active_backend

    name = type(get_active_backend()[0]).__name__
    queue.can_isolate = can_isolate(job) and (isolate or name not in THREADS)
    queue.all_isolated = queue.can_isolate and isolate
    if name == CLUSTER:
        # Its threads cannot be reached by an alarm, and its workers are not ours to end.
        queue.all_isolated |= queue.can_isolate and job.time_limit is not None
    return queue


def _check(n_jobs: Any) -> None:
    if n_jobs is None or (type(n_jobs) is not bool and isinstance(n_jobs, Integral) and n_jobs):
        return
    raise DataError(
        f"The 'n_jobs' parameter must be a non-zero integer, got {n_jobs!r}. Use for example "
        f"{argument(n_jobs=2)} for 2 workers or {argument(n_jobs=-1)} for all cores, or leave it "
        "out to run in this process"
    )


class JoblibPool:
    """Workers of any joblib backend."""

    def __init__(self, n_jobs: int, forced: str | None, backend: Any) -> None:
        self.n_jobs = n_jobs
        streams = forced is not None or backend.supports_return_generator
        # Joblib restarts its workers, in seconds, for a call with other settings for memory maps
        # than the call before it: so there are none here, and they are shared with scikit-learn.
        self.options = {
            # joblib runs a single job in this process, so one worker is one of two that rests.
            "n_jobs": max(n_jobs, 2),
            "pre_dispatch": 2 * n_jobs if n_jobs > 1 else 1,
            "backend": forced,
            "return_as": "generator_unordered" if streams else "list",
            "batch_size": 1,
        }

    def answers(self, take: Take, give_back: GiveBack) -> Answers:
        from joblib import Parallel, delayed

        ready, flying = deque[Assigned](), dict[int, Assigned]()

        def fill() -> None:
            # Twice what is dispatched at once: joblib ends when it finds nothing to take.
            while len(ready) < 4 * self.n_jobs and (assigned := take()) is not None:
                ready.append(assigned)

        def calls() -> Iterator[Any]:  # advanced by joblib's own threads, so it takes nothing new
            while ready:
                work, task = ready.popleft()
                flying[task.number] = work, task
                yield delayed(run_task)(work.job, _needed(work, task), task, os.getpid())

        broken: Exception | None = None
        try:
            with Parallel(**self.options) as parallel:
                fill()
                while ready and broken is None:
                    with closing(_until_broken(parallel, calls())) as results:
                        for result in results:
                            if isinstance(result, Exception):
                                broken = result
                                break
                            add(result.warned)
                            yield *flying.pop(result.number), result.outcomes
                            fill()
            if broken is not None and not flying:
                raise OutperformError(f"the workers cannot be started: {broken}") from broken
            for assigned in flying.values():
                yield *assigned, broken or OutperformError("the workers gave no answer")
        finally:
            while ready:
                give_back(*ready.pop())

    def is_death(self, error: Exception) -> bool:
        return type(error).__name__ == "TerminatedWorkerError"

    def close(self) -> None:
        """The workers stay: joblib shares them with whoever asks next."""


class DaskPool:
    """The workers of a Dask cluster, asked directly.

    Through joblib, a task that kills its worker would never be answered.
    """

    def __init__(self, client: Any, n_jobs: int) -> None:
        self.client, self.n_jobs = client, n_jobs
        self._sent = WeakKeyDictionary[Job, Any]()
        self._name = ""

    def answers(self, take: Take, give_back: GiveBack) -> Answers:
        # Untyped where it is installed, unknown where it is not: Any is right in both.
        distributed: Any = import_module("distributed")
        dumps: Any = import_module("distributed.protocol.pickle").dumps
        if not self._name:
            self._name = f"outperform-{uuid4().hex}"
            with suppress(Exception):  # a scheduler that takes none starts a killer more often
                self.client.register_plugin(_one_start(distributed, self._name))
        flying: dict[str, tuple[Assigned, Any]] = {}
        arriving = distributed.as_completed()
        died = False
        try:
            while True:
                while not died and len(flying) < 2 * self.n_jobs:
                    if (assigned := take()) is None:
                        break
                    work, task = assigned
                    data = self._data(work)
                    try:
                        # As bytes: what a worker cannot read would cost it its connection.
                        learners = dumps(_needed(work, task))
                        key = f"{self._name}-{uuid4().hex}"
                        future = self.client.submit(_run_sent, data, learners, task, key=key)
                    except Exception as error:  # a learner that cannot be pickled
                        yield work, task, error
                        continue
                    flying[future.key] = assigned, future
                    arriving.add(future)
                if not flying:
                    return
                future = next(arriving)
                (work, task), _ = flying.pop(future.key)
                try:
                    found = future.result()
                except Exception as error:  # what broke is the answer
                    check_failures([str(error)])
                    died |= self.is_death(error)  # nothing new is risked before it is known why
                    yield work, task, error
                    continue
                errors = (outcome.error or "" for _, outcome in found.outcomes)
                check_failures(error.rstrip().rpartition("\n")[2] for error in errors)
                add(found.warned)
                yield work, task, found.outcomes
        finally:
            with suppress(Exception):  # the cluster may be gone, which is no news here
                self.client.cancel([future for _, future in flying.values()])

    def close(self) -> None:
        with suppress(Exception):  # as above
            self.client.unregister_scheduler_plugin(self._name)

    def _data(self, work: Work) -> Any:
        """Return what was sent to the workers once; again if they have died with it."""
        end, job = monotonic() + PATIENCE, work.job
        if job not in self._sent:
            check_environments(self.client, work.estimators, job.metric.scorer)
        while job not in self._sent or self._sent[job].status != "finished":
            try:
                # Others are started in the place of those that died.
                self.client.wait_for_workers(1, timeout=PATIENCE)
                self._sent[job] = self.client.scatter(job, broadcast=True, hash=False)
            except TimeoutError as error:
                if monotonic() > end:
                    raise OutperformError(
                        f"No Dask worker has answered for {PATIENCE:g} s. Check the workers, then "
                        "run the same again; what is in a store is kept."
                    ) from error
        return self._sent[job]

    def is_death(self, error: Exception) -> bool:
        # What was sent is lost with the last worker that held it, and its tasks are cancelled.
        return type(error).__name__ in ("KilledWorker", "CancelledError", "FutureCancelledError")


def _run_sent(job: Job, learners: bytes, task: Task) -> TaskResult:
    """Run a task on a worker of a cluster, which is nobody's child."""
    loads: Any = import_module("distributed.protocol.pickle").loads
    return run_task(job, loads(learners), task, 0)


def _one_start(distributed: Any, name: str) -> Any:
    """Return a plugin for the scheduler, which would start tasks again whose worker has died.

    It is defined here, and so sent whole: the scheduler need not have this package.
    """

    class OneStart(distributed.SchedulerPlugin):  # type: ignore[misc]
        def start(self, scheduler: Any) -> None:
            self.scheduler = scheduler

        def transition(self, key: Any, start: str, finish: str, *_: Any, **__: Any) -> None:
            if finish == "processing" and str(key).startswith(name):
                self.scheduler.tasks[key].suspicious = self.scheduler.allowed_failures

    plugin = OneStart()
    plugin.name = name
    return plugin


def _until_broken(parallel: Any, calls: Iterator[Any]) -> Generator[Any]:
    """Yield the results of joblib and, if it fails, what it failed with."""
    try:
        yield from parallel(calls)
    except Exception as error:
        yield error


def _needed(work: Work, task: Task) -> dict[int, Estimator]:
    return {cell.learner: work.estimators[cell.learner] for cell in task.cells}


def installed(names: Iterable[str]) -> dict[str, str | None]:
    """Return the versions of packages here, '' where one has none, None where it is lacking."""
    found: dict[str, str | None] = {"python": "{}.{}".format(*sys.version_info)}
    for name in names:
        try:
            found[name] = str(getattr(import_module(name), "__version__", ""))
        except ImportError:
            found[name] = None
    return found


def check_environments(client: Any, estimators: Iterable[Estimator], scorer: Any) -> None:
    """Refuse workers that lack a package of a learner or the scorer, or have another version."""
    names = sorted({"outperform", *packages(*(e.prototype for e in estimators), scorer)})
    here = installed(names)
    there = client.run(installed, names, on_error="return")
    differences = Counter(
        difference for found in there.values() for difference in _differences(here, found)
    )
    if differences:
        raise _refusal(f"{line} ({n} of {len(there)} workers)" for line, n in differences.items())


def _differences(here: Mapping[str, str | None], there: Any) -> Iterator[str]:
    if isinstance(there, BaseException):  # not even this module was found
        lacking = LACKING.search(str(there))
        there = {**here, (lacking[1] if lacking else str(there)): None}
    for name, version in there.items():
        if here.get(name, "") is not None and version != here.get(name, ""):
            shown = "cannot be imported there" if version is None else f"{version} there"
            yield f"{name}: {shown}" + (f", {here[name]} here" if here.get(name) else "")


def check_failures(errors: Iterable[str]) -> None:
    """Refuse workers that lack what a learner imports when it is fitted, if it is found here."""
    for text in errors:
        lacking = LACKING.search(text)
        if lacking and find_spec(lacking[1].partition(".")[0]) is not None:
            raise _refusal([f"{lacking[1]}: cannot be imported there"])


def _refusal(differences: Iterable[str]) -> OutperformError:
    lines = list(differences)
    more = [f"… and {len(lines) - MOST} more"] if len(lines) > MOST else []
    said = "The Dask workers do not have the same packages as this process:"
    advice = "Install the same versions there; put your own modules on the workers' PYTHONPATH."
    return OutperformError("\n  ".join([said, *lines[:MOST], *more]) + f"\n{advice}")
