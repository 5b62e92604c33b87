"""`run`: learners × splits → Scores, in parallel if asked, resumed where a store is given."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from .. import errors, validation
from ..designs import Design
from ..errors import DataError, RunFailed
from ..notes import Note
from ..scores.split_scores import Scores
from ..storage import Outcome, Store, StoreIncomplete
from .cost import Cost
from .environment import shown_once
from .estimators import Estimator, experiment_of, identify
from .fitting import Batch, Job, lone_failure
from .interruptions import Stopped, Stops
from .outcomes import MemoryOutcomes, Outcomes, StoredOutcomes, failure
from .pools import choose_pool, queue_for
from .preparing import PreparedRun, prepare
from .progress import Progress, ProgressState
from .rescoring import rescore
from .workers import TaskQueue, Work, WorkerPool, execute


def run(
    learners: Any,
    X: Any,
    y: Any,
    *,
    design: Any = None,
    scoring: Any = None,
    random_state: int | None = None,
    n_jobs: int | None = None,
    store: Any = None,
    groups: Any = None,
    params: Mapping[str, Any] | None = None,
    time_limit: float | None = None,
    on_error: str = "record",
    isolate: bool = False,
    progress: bool | Callable[[ProgressState], object] | None = None,
    confirm_large: bool = False,
    fitted: bool = False,
    keep: Any = None,
) -> Scores:
    """Fit every learner on every split of a design and return what was measured.

    Parameters
    ----------
    learners : mapping, list or learner
        Names mapped to learners, a list of learners or of (name, learner), or one learner. A
        learner is anything with fit and predict that scikit-learn can clone; only clones are
        fitted.
    X : array-like, sparse matrix or data frame
        Features, one row for each item.
    y : array-like or str
        Target of each row, or the name of a column of X.
    design : str, Design, splitter or list of (train, test), optional
        How the data are split. A string is read by `outperform.parse`. A scikit-learn splitter, any
        object with `split` or an iterable of pairs of row numbers is run exactly as given, rows in
        the order given. By default "5x5cv+20halves", with groups "5x5cv+20halves/grouped"; where
        the data do not allow it (fewer than 40 items or 20 groups, a rare class, times), the
        nearest design they allow, with a note.
    scoring : str, callable, list or mapping, optional
        A scorer name of scikit-learn, a callable (model, X, y) -> float, or several of them, the
        first being the primary one. By default accuracy for classifiers and r2 for regressors.
    random_state : int, optional
        Every learner has the same seed at a split, in each `random_state` that is not set; the
        global generators are seeded likewise. If None, a seed is drawn and kept with the scores.
    n_jobs : int, optional
        Number of workers, over whatever backend joblib is configured to use. Neither this, nor the
        order of learners, nor stopping and resuming changes a bit of the scores. (Threads share the
        global random generators: learners that draw from those need processes.)
    store : path, optional
        Keeps every result; the same call again resumes, also from several processes at once. More
        repeats, learners or metrics extend it: only what is missing is run, to the same bits as a
        run from scratch.
    groups : array-like or str, optional
        Group of each row, or a column of X; the rows of a group stay together.
    params : mapping, optional
        Passed to fit as in scikit-learn's `cross_validate`, such as {"sample_weight": weights}: to
        every learner, or with metadata routing enabled to those that request it. What has a value
        for each row is split with the rows. `groups` reach learners that request them, such as a
        search with cv=GroupKFold().
    time_limit : float, optional
        Seconds allowed for each fit.
    on_error : {"record", "raise"}, default='record'
        Whether to go on when fits fail, and raise `RunFailed` at the end, or to raise at the first.
    isolate : bool, default=False
        Whether to run fits in processes of their own even if n_jobs is 1, so that none can end this
        one.
    progress : bool or callable, optional
        A bar on a terminal and in a notebook, otherwise a line every 30 seconds, unless False. A
        callable gets a `ProgressState`, up to ten times a second.
    confirm_large : bool, default=False
        Allow more than ten million fits.
    fitted : bool, default=False
        The learners are fitted models, and X and y a test set: they predict once, and none is
        trained. Only `scoring` can be passed with it.
    keep : str or list of str, optional
        What a store keeps of every model's answers, so that further metrics need no refit:
        "predictions", "probabilities", "decision values", a list of these, or "nothing". By default
        predictions, and whatever else scorers call.

    Returns
    -------
    Scores
        The scores of all learners on all splits.

    Raises
    ------
    RunFailed
        If fits failed. It has the scores of the learners without failures.

    Notes
    -----
    What learners print is dropped (not what C code prints, if n_jobs is 1), their warnings are
    shown once, counted, and what they write to the working folder is left there.

    Examples
    --------
    >>> import outperform as op
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> scores = op.run({"bayes": GaussianNB()}, X, y, design="5cv", random_state=0, progress=False)
    >>> scores.values.round(3)
    array([[0.867, 0.967, 0.933, 0.933, 1.   ]])
    """
    return run_admitted(
        *(learners, X, y),
        design=design,
        scoring=scoring,
        random_state=random_state,
        n_jobs=n_jobs,
        store=store,
        groups=groups,
        params=params,
        time_limit=time_limit,
        on_error=on_error,
        isolate=isolate,
        progress=progress,
        confirm_large=confirm_large,
        fitted=fitted,
        keep=keep,
    )


def run_admitted(
    learners: Any,
    X: Any,
    y: Any,
    *,
    admit: Callable[[Design], object] | None = None,
    usual: str | None = None,
    design: Any = None,
    scoring: Any = None,
    random_state: int | None = None,
    n_jobs: int | None = None,
    store: Any = None,
    groups: Any = None,
    params: Mapping[str, Any] | None = None,
    time_limit: float | None = None,
    on_error: str = "record",
    isolate: bool = False,
    progress: bool | Callable[[ProgressState], object] | None = None,
    confirm_large: bool = False,
    fitted: bool = False,
    keep: Any = None,
    judged: str | None = None,
) -> Scores:
    """Do what `run` does; `admit` may refuse the design before anything is fitted.

    `usual` is the design used where none is given, if it is not the default of all runs, and
    `judged` the metric that is read afterwards.
    """
    validation.choice(on_error, "on_error", ("record", "raise"))
    if fitted:
        from .fitted_models import score_fitted

        return score_fitted(
            *(learners, X, y),
            scoring=scoring,
            groups=groups,
            design=design,
            random_state=random_state,
            n_jobs=n_jobs,
            store=store,
            params=params,
            time_limit=time_limit,
            on_error=None if on_error == "record" else on_error,
            isolate=isolate,
            progress=progress,
            confirm_large=confirm_large,
            keep=keep,
        )
    one = prepare(
        *(learners, X, y),
        admit=admit,
        usual=usual,
        design=design,
        scoring=scoring,
        random_state=random_state,
        store=store,
        groups=groups,
        params=params,
        time_limit=time_limit,
        confirm_large=confirm_large,
        keep=keep,
        judged=judged,
    )
    (found,) = perform(
        [one], n_jobs=n_jobs, isolate=isolate, progress=progress, on_error=on_error, store=store
    )
    if isinstance(found, RunFailed):
        raise found
    return found


def perform(
    runs: Iterable[PreparedRun],
    *,
    n_jobs: int | None = None,
    isolate: bool = False,
    progress: bool | Callable[[ProgressState], object] | None = None,
    on_error: str = "record",
    store: Any = None,
    n_runs: int = 1,
) -> list[Scores | RunFailed]:
    """Do all fits of these runs and return what came of each, in their order.

    Workers are shared: a run is taken from `runs`, and its store opened, when those before it have
    no fit left to begin, and closed after its last one.
    """
    pool = choose_pool(n_jobs, isolate=isolate)
    begun: list[_Running] = []
    with ExitStack() as stack:
        stops = stack.enter_context(Stops())
        stack.enter_context(shown_once())
        try:
            with Progress(progress, 0) as shown:

                def opened() -> Iterator[Work]:
                    for one in runs:
                        made = stack.enter_context(_Running(one, pool, isolate=isolate))
                        begun.append(made)
                        shown.expect(one.n_fits, made.n_done, n_runs / len(begun))
                        yield made.work(stops, shown, stop_at_failure=on_error == "raise")

                works = opened()
                first = next(works)  # before workers are started: its store may be refused
                execute(chain([first], works), pool)
                while late := [one for one in begun if one.outcomes.deferred]:
                    for one in late:
                        still, n_done = one.outcomes.wait_for_others()
                        one.queue.waiting.extend(still)
                        shown.add(n_done, made_here=False)
                    execute([one.again() for one in late], pool)
            stops.check()
        except Stopped:
            for one in begun:
                one.flush()
            _farewell(store)
            raise stops.leave() from None
        return [one.result() for one in begun]


class _Running:
    """A run that has begun: its queue of fits, and where their outcomes are kept."""

    def __init__(self, run: PreparedRun, pool: WorkerPool | None, *, isolate: bool) -> None:
        self.run, self.pool = run, pool
        self.queue: TaskQueue = queue_for(run.job, pool, isolate=isolate)
        if pool is None and run.job.time_limit is not None:
            run.notes.append(Note("OP507"))
        self._stack = ExitStack()
        self._found: Scores | RunFailed | None = None

    def __enter__(self) -> _Running:
        run, job = self.run, self.run.job
        self.outcomes: Outcomes = MemoryOutcomes(run.names, job)
        if run.store is not None:
            with _naming(run.dataset):
                kept = self._stack.enter_context(
                    Store.open(run.store, experiment_of(job, run.data))
                )
                self.outcomes = self._stack.enter_context(
                    _kept(kept, run.estimators, job, run.notes)
                )
        self.queue.grant = self.outcomes.grant
        self.queue.waiting.extend(self.outcomes.missing())
        self.n_done = run.n_fits - len(self.queue.waiting)
        return self

    def __exit__(self, *error: Any) -> None:
        self._stack.__exit__(*error)

    def work(self, stops: Stops, shown: Progress, *, stop_at_failure: bool) -> Work:
        """Return what workers are to do; what may kill this process is done alone, or not."""
        run, names = self.run, self.run.names
        cost = self._stack.enter_context(
            Cost(
                run.job.splits,
                list(self.queue.waiting),
                self.queue.n_jobs,
                shown.say,
            )
        )

        def keep(answer: Batch) -> None:
            stops.check()
            self.outcomes.keep(answer)
            cost.observe(answer)
            failed = [(cell, outcome) for cell, outcome in answer if outcome.status != "ok"]
            shown.add(len(answer), failed=[names[cell.learner] for cell, _ in failed])
            if stop_at_failure and failed:
                cell, outcome = failed[0]
                text = outcome.error or ""
                raise lone_failure(names[cell.learner], outcome.status, text, cell.address)

        if self.pool is None:
            _beware(self.outcomes, self.queue, keep)
        self._sink = keep
        return self.again()

    def again(self) -> Work:
        """Return what is left to do."""
        run = self.run
        return Work(run.job, run.estimators, self.queue, self._sink, self.end)

    def end(self) -> None:
        """Read the scores and close the store, unless other processes still work on it."""
        if self.outcomes.deferred:
            return
        run = self.run
        try:
            scores = _signed(self.outcomes.scores(run.names), run.job, run.notes)
            groups = None if run.data.groups is None else int(run.data.groups.max()) + 1
            self._found = replace(scores, n_groups=groups)
        except StoreIncomplete:
            failed = failure(self.outcomes, run.names, run.n_fits, run.store)
            if failed.scores is not None:
                failed.scores = _signed(failed.scores, run.job, run.notes)
            self._found = failed
        self._stack.close()

    def flush(self) -> None:
        """Write what waits, before the run is stopped."""
        if self._found is None:
            self.outcomes.flush()

    def result(self) -> Scores | RunFailed:
        assert self._found is not None
        return self._found


@contextmanager
def _naming(dataset: str | None) -> Iterator[None]:
    """Say which of several datasets is refused."""
    try:
        yield
    except DataError as error:
        if dataset is None:
            raise
        raise DataError(f"Dataset {dataset!r}: {error}") from error


def _signed(scores: Scores, job: Job, notes: list[Note]) -> Scores:
    """Return scores with what the run knows of itself."""
    distinct = dict.fromkeys([*notes, *scores.notes])
    return replace(scores, seed=job.seed, notes=tuple(distinct), target=job.y)


def _kept(store: Store, estimators: list[Estimator], job: Job, notes: list[Note]) -> StoredOutcomes:
    """Enter splits and learners, say which learners have changed, and score what is there."""
    plan, metadata = job.splits, job.metadata
    sizes = plan.n_train.tolist(), plan.n_test.tolist()
    tests = np.split(plan.tests, plan.test_ends[:-1])
    learners = []
    with store.at_once():
        store.put_splits(zip(plan.addresses, *sizes, tests, strict=True))
        for estimator in estimators:
            beside = None if metadata is None else metadata.taken_by(estimator)
            learner, about = identify(estimator.name, estimator.prototype, beside)
            changed = store.register(learner, describe=about)
            if changed:
                notes.append(Note("OP506", changed))
            learners.append(learner)
        store.put_truth(job.y)
        store.put_notes([(note.code, note.detail) for note in dict.fromkeys(notes)])
    rescore(store, job, learners, estimators)
    return StoredOutcomes(store, learners, plan)


def _beware(outcomes: Outcomes, queue: TaskQueue, keep: Callable[[Batch], None]) -> None:
    """Run what was in flight when an earlier run died by itself, or not at all."""
    killers, doubtful = outcomes.abandoned()
    if killers:
        said = "runs died twice with this fit in flight"
        keep([(cell, Outcome(None, 0.0, None, "killed", said)) for cell in sorted(killers)])
        queue.waiting = deque(outcomes.missing())
    queue.doubt(doubtful)


def _farewell(store: Any) -> None:
    kept = (
        "nothing is kept without a store. To be able to resume, add "
        f"{errors.argument(store='results.db')} next time."
    )
    if store is not None:
        kept = f"finished fits are kept in {str(store)!r}. Run the same command again to resume."
    sys.stderr.write(f"Stopped: {kept}\n")
    sys.stderr.flush()
