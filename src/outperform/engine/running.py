"""`run`: learners × splits → Scores, in parallel if asked, resumed where a store is given."""

from __future__ import annotations

import secrets
import sys
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from hashlib import sha256
from typing import Any

import numpy as np

from .. import validation
from ..designs import Design, parse, parse_drawn
from ..designs.splitting import class_codes, whole
from ..errors import DataError, RunFailed, naming_line
from ..notes import Note
from ..scores.split_scores import Scores
from ..storage import Outcome, Store, StoredExperiment, StoreIncomplete
from .cells import Batch, Cell, Job
from .environment import shown_once, thread_libraries
from .estimators import Estimator, read_learners
from .fitted import score_fitted
from .given_splits import is_given, read_given
from .identity import identify, same_text
from .interruptions import Stopped, Stops
from .learning_data import Data, fingerprint, group_column, read_data
from .outcomes import Kept, Memory, Outcomes, failure
from .plan import Splits, check_size, make_plan, oddities
from .pools import choose_pool
from .progress import Progress, ProgressState
from .scoring import bind, kind_of
from .workers import TaskQueue, execute

__all__ = ["run"]

FOLDS = 10
"""Groups that fill the folds of the default design: dealt again, as many make the same folds."""


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
    time_limit: float | None = None,
    on_error: str = "record",
    isolate: bool = False,
    progress: bool | Callable[[ProgressState], object] | None = None,
    confirm_large: bool = False,
    fitted: bool = False,
    _admit: Callable[[Design], object] | None = None,
) -> Scores:
    """Fit every learner on every split of a design and return what was measured.

    Parameters
    ----------
    learners : mapping of names to learners, a list of learners, or one learner
        Anything with fit and predict that scikit-learn can clone. Only clones are fitted.
    X, y, groups
        Arrays, sparse matrices or data frames; they are never written to. `groups` may name a
        column of X, which is then not a feature.
    design : such as "10x10cv", a splitter, or (train, test) pairs of row numbers
        A string is read by `outperform.parse`. A scikit-learn splitter, any object with `split` or
        an iterable of pairs: exactly these splits are run, rows in the order given. By default
        10x10cv, with groups 10x10cv/grouped.
    scoring : a name of scikit-learn or a callable (model, X, y) -> float
        By default accuracy for classifiers and r2 for regressors.
    random_state : int
        Every learner meets the same seed at a split, in each `random_state` that is not set; the
        global generators are seeded likewise. If None, one is drawn and kept with the scores.
    n_jobs : int
        Workers, over whatever backend joblib is configured to use. Nothing of this, nor the order
        of learners, nor stopping and resuming, changes a bit of the scores. (Threads share the
        global random generators: learners that draw from those need processes.)
    store : path
        Keeps every result; the same call again resumes, also from several processes at once.
    time_limit : float
        Seconds for each cell.
    on_error : "record" or "raise"
        Go on when cells fail and raise `RunFailed` at the end, or at the first.
    isolate : bool
        Run cells in processes of their own though n_jobs is 1, so that none can end this one.
    progress : bool or callable
        Shown on a terminal unless False; a callable gets a `ProgressState`, ten times a second.
    confirm_large : bool
        Allow more than ten million fits.
    fitted : bool
        The learners are fitted models, and X and y a test set: they predict once, and none is
        trained. Nothing but `scoring` can be asked beside it.

    What learners print is dropped (not what C code prints, if n_jobs is 1), what they warn of is
    shown once, counted, and what they write to the working folder is left there.
    """
    validation.choice(on_error, "on_error", ("record", "raise"))
    if fitted:
        return score_fitted(
            learners, X, y, scoring=scoring, groups=groups, design=design,
            random_state=random_state, n_jobs=n_jobs, store=store, time_limit=time_limit,
            on_error=None if on_error == "record" else on_error, isolate=isolate,
            progress=progress, confirm_large=confirm_large,
        )  # fmt: skip
    if time_limit is not None and not validation.one_number(time_limit, "time_limit") > 0:
        raise DataError(f"time_limit={time_limit} was asked; it must be positive, in seconds")
    estimators = read_learners(learners)
    names = [estimator.name for estimator in estimators]
    X, groups, taken = group_column(X, groups)
    data = read_data(X, y, groups)
    if design is None:
        design, more = _default_design(data)
        taken += more
    n = data.table.n
    seed, notes = _seed(random_state, store)
    given = read_given(design, X, y, groups, data.groups, n, seed) if is_given(design) else None
    plan_of = parse(design) if given is None else given.design
    if given is None:
        parse_drawn(plan_of, "a run")
    if _admit is not None:  # whoever judges the scores refuses a design before anything is fitted
        _admit(plan_of)
    check_size(plan_of, n, len(estimators), confirm_large)
    classes = class_codes(data.y, n) if plan_of.stratified else None
    splits = Splits(plan_of, n, seed, classes, data.groups, given)
    plan = make_plan(splits)
    prototypes = {estimator.name: estimator.prototype for estimator in estimators}
    metric, said = bind(scoring, prototypes, data.y, int(plan.n_test.min()))
    job = Job(data.table, data.y, metric.truth(data.y), metric, splits, time_limit)
    notes = [*taken, *data.notes, *notes, *(() if given is None else given.notes), *said]
    notes += _oddities(job, plan, prototypes)

    queue = TaskQueue()
    pool = choose_pool(job, queue, n_jobs, isolate=isolate)
    if pool is None and time_limit is not None:
        notes.append(Note("OP507"))
    with ExitStack() as stack:
        stops = stack.enter_context(Stops())
        stack.enter_context(shown_once())
        outcomes: Outcomes = Memory(names, plan, plan_of, metric)
        try:
            if store is not None:
                kept = stack.enter_context(Store.open(store, _experiment(job, data, plan_of)))
                outcomes = stack.enter_context(_kept(kept, estimators, plan, notes))
            queue.grant = outcomes.grant
            queue.waiting.extend(outcomes.missing())
            total = len(names) * len(plan.addresses)
            shown = Progress(progress, total, total - len(queue.waiting))
            stack.callback(shown.close)

            def keep(answer: Batch) -> None:
                stops.check()
                outcomes.keep(answer)
                failed = [(cell, outcome) for cell, outcome in answer if outcome.status != "ok"]
                shown.add(len(answer), failed=len(failed))
                if on_error == "raise" and failed:
                    cell, outcome = failed[0]
                    raise _first_failure(names[cell.learner], cell, outcome)

            if pool is None:
                _beware(outcomes, queue, keep)
            while True:
                execute(job, estimators, queue, keep, pool)
                if not outcomes.deferred:
                    break
                still, n_done = outcomes.wait_for_others()
                queue.waiting.extend(still)
                shown.add(n_done, made_here=False)
            stops.check()
            try:
                scores = outcomes.scores(names)
            except StoreIncomplete:
                failed = failure(outcomes, names, total, store)
                if failed.scores is not None:
                    failed.scores = _signed(failed.scores, seed, notes)
                raise failed from None
        except Stopped:
            outcomes.flush()
            _farewell(store)
            raise stops.leave() from None
    return _signed(scores, seed, notes)


def _default_design(data: Data) -> tuple[str, list[Note]]:
    """Return 10x10cv, or what keeps groups together: so few that each is a fold, no repeats."""
    if data.groups is None:
        return "10x10cv", []
    count = int(data.groups.max()) + 1
    design = "10x10cv/grouped" if count > FOLDS else f"{count}cv/grouped"
    return design, [Note("OP001", f"No design was given: {design}, for {count} groups.")]


def _signed(scores: Scores, seed: int, notes: list[Note]) -> Scores:
    """Return scores with what the run knows of itself."""
    distinct = dict.fromkeys([*notes, *scores.notes])
    return replace(scores, seed=seed, notes=tuple(distinct))


def _seed(random_state: int | None, store: Any) -> tuple[int, list[Note]]:
    """Return the seed; without one, that of the store to be resumed, or a new one."""
    if random_state is not None:
        return whole(random_state, "random_state", 0), []
    if store is not None and _is_there(store):
        with Store.open(store, mode="read") as kept:
            return kept.experiment.seed, []
    seed = secrets.randbits(31)
    return seed, [Note("OP504", f"random_state={seed} was drawn; pass it to run the same again.")]


def _is_there(store: Any) -> bool:
    from pathlib import Path

    try:
        return Path(store).stat().st_size > 0
    except (OSError, TypeError, ValueError):  # the store itself says what is wrong
        return False


def _oddities(job: Job, plan: Any, prototypes: Mapping[str, Any]) -> list[Note]:
    kinds = {kind_of(prototype) for prototype in prototypes.values()}
    classes = job.metric.reads in ("labels", "probabilities") or "classifier" in kinds
    return oddities(plan, job.y, classes=classes)


def _experiment(job: Job, data: Data, design: Any) -> StoredExperiment:
    metric, scoring = job.metric, job.metric.name
    if metric.is_own:
        scoring += f" {sha256(same_text(metric.scorer).encode()).hexdigest()[:16]}"
    extra = {"_threads": f"1 each of {thread_libraries()}", "_numpy": np.__version__}
    if job.splits.given is not None:
        extra["fingerprint of splits"] = job.splits.given.fingerprint
        extra["_splits given by"] = job.splits.given.design.by
    return StoredExperiment(
        data=fingerprint(data),
        design=str(design),
        scoring=scoring,
        seed=job.seed,
        n_items=data.table.n,
        metric=metric.name,
        loss=metric.loss,
        extra=extra,
    )


def _kept(store: Store, estimators: list[Estimator], plan: Any, notes: list[Note]) -> Kept:
    """Enter splits and learners, and say which learners have changed."""
    sizes = zip(plan.n_train.tolist(), plan.n_test.tolist(), strict=True)
    rows = zip(plan.addresses, sizes, plan.tests, strict=True)
    learners = []
    with store.at_once():
        store.put_splits((address, *size, test) for address, size, test in rows)
        for estimator in estimators:
            learner, about = identify(estimator.name, estimator.prototype)
            changed = store.register(learner, planned=len(plan.addresses), describe=about)
            if changed:
                notes.append(Note("OP506", changed))
            learners.append(learner)
    return Kept(store, learners, plan)


def _beware(outcomes: Outcomes, queue: TaskQueue, keep: Callable[[Batch], None]) -> None:
    """Run what was in flight when an earlier run died by itself, or not at all."""
    killers, doubtful = outcomes.abandoned()
    if killers:
        said = "runs died twice with this cell in flight"
        keep([(cell, Outcome(None, 0.0, None, "killed", said)) for cell in sorted(killers)])
        queue.waiting = deque(outcomes.missing())
    queue.doubt(doubtful)


def _first_failure(name: str, cell: Cell, outcome: Outcome) -> RunFailed:
    from ..storage import Problem

    text = outcome.error or ""
    line = naming_line(text)
    error = RunFailed(f"{name!r} {outcome.status} at {tuple(cell.address)}: {line}\n{text}")
    status: Any = outcome.status
    error.failures = (Problem(name, status, 1, line, text, cell.address),)
    return error


def _farewell(store: Any) -> None:
    kept = (
        "nothing is kept without a store; to be able to resume, give one: store='results.db' in "
        "Python, --store results.db on the command line"
    )
    if store is not None:
        kept = f"what is done is kept in {str(store)!r}; run the same again to resume"
    sys.stderr.write(f"\nstopped: {kept}\n")
    sys.stderr.flush()
