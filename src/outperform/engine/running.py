"""`run`: learners × splits → Scores, in parallel if asked, resumed where a store is given."""

from __future__ import annotations

import secrets
import sys
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import numpy as np

from .. import errors, validation
from ..designs import CalibratedKFold, Design, parse
from ..designs.splitting import class_codes, whole
from ..errors import DataError
from ..notes import Note
from ..scores.split_scores import Scores
from ..storage import Outcome, Store, StoreIncomplete
from .answers import read_keep
from .cost import Cost, choices
from .default_design import default_plan
from .environment import shown_once
from .estimators import Estimator, experiment_of, identify, read_learners
from .fitting import Batch, Job, lone_failure, score_fitted
from .given_splits import read_given
from .halves_check import check_halves
from .interruptions import Stopped, Stops
from .learning_data import named_columns, read_data
from .metadata import assign, read_metadata
from .outcomes import MemoryOutcomes, Outcomes, StoredOutcomes, failure
from .pools import choose_pool
from .progress import Progress, ProgressState
from .rescoring import rescore
from .scoring import bind_all, kind_of
from .split_plan import (
    SplitPlan,
    check_size,
    draw_plan,
    is_given,
    oddities,
)
from .time_order import time_notes
from .workers import TaskQueue, execute


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
    learners : mapping of names to learners, list of (name, learner) or of learners, or one learner
        Anything with fit and predict that scikit-learn can clone. Only clones are fitted.
    X, y, groups
        Arrays, sparse matrices or data frames; they are never written to. `y` and `groups` may name
        columns of X, which are then not features.
    design : such as "10x10cv", a splitter, or (train, test) pairs of row numbers
        A string is read by `outperform.parse`. A scikit-learn splitter, any object with `split` or
        an iterable of pairs: exactly these splits are run, rows in the order given. By default
        5x5cv+20halves, with groups 5x5cv+20halves/grouped; where the data do not allow it (fewer
        than 40 items or 20 groups, a rare class, times) the nearest that they allow, with a note.
    scoring : a name of scikit-learn, a callable (model, X, y) -> float, or several of them
        By default accuracy for classifiers and r2 for regressors. Of a list, or a mapping of names
        to metrics, the first is the primary one: `scores.metrics`, `scores.for_metric(name)`.
    random_state : int
        Every learner meets the same seed at a split, in each `random_state` that is not set; the
        global generators are seeded likewise. If None, one is drawn and kept with the scores.
    n_jobs : int
        Workers, over whatever backend joblib is configured to use. Nothing of this, nor the order
        of learners, nor stopping and resuming, changes a bit of the scores. (Threads share the
        global random generators: learners that draw from those need processes.)
    store : path
        Keeps every result; the same call again resumes, also from several processes at once. More
        repeats, learners or metrics extend it: only what is missing is run, to the same bits as a
        run from scratch.
    keep : "predictions", "probabilities", "decision values", a list of these, or "nothing"
        What a store keeps of every model's answers, so that further metrics need no refit. By
        default predictions, and whatever else scorers call.
    params : mapping such as {"sample_weight": weights}
        Passed to fit as in scikit-learn's `cross_validate`: to every learner, or with metadata
        routing enabled to those that request it. What has a value for each row is cut with the
        rows. `groups` reach learners that request them, such as a search with cv=GroupKFold().
    time_limit : float
        Seconds for each cell.
    on_error : "record" or "raise"
        Go on when cells fail and raise `RunFailed` at the end, or at the first.
    isolate : bool
        Run cells in processes of their own though n_jobs is 1, so that none can end this one.
    progress : bool or callable
        A bar on a terminal and in a notebook, else a line every 30 seconds, unless False. A
        callable gets a `ProgressState`, up to ten times a second.
    confirm_large : bool
        Allow more than ten million fits.
    fitted : bool
        The learners are fitted models, and X and y a test set: they predict once, and none is
        trained. Nothing but `scoring` can be asked beside it.

    What learners print is dropped (not what C code prints, if n_jobs is 1), what they warn of is
    shown once, counted, and what they write to the working folder is left there.
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
) -> Scores:
    """Do what `run` does; `admit` may refuse the design before anything is fitted.

    `usual` is the design used where none is given, if it is not the default of all runs.
    """
    validation.choice(on_error, "on_error", ("record", "raise"))
    if fitted:
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
    if time_limit is not None and not validation.one_number(time_limit, "time_limit") > 0:
        raise DataError(
            f"The 'time_limit' parameter must be a positive number of seconds, got {time_limit}"
        )
    estimators = read_learners(learners)
    names = [estimator.name for estimator in estimators]
    X, y, groups, taken = named_columns(X, y, groups)
    data = read_data(X, y, groups)
    n = data.table.n
    seed, notes = _seed(random_state, store)
    prototypes = {estimator.name: estimator.prototype for estimator in estimators}
    kinds = {kind_of(prototype) for prototype in prototypes.values()}

    def check(plan: SplitPlan) -> bool:
        """Refuse halves that lack a class; tell whether there are classes."""
        primary = bind_all(scoring, prototypes, data.y, int(plan.n_test.min()))[0][0]
        classes = primary.reads in ("labels", "probabilities") or "classifier" in kinds
        if classes and isinstance(plan.design, CalibratedKFold):
            check_halves(plan, data.y, data.groups, primary.name)
        return classes

    if design is None:
        size = len(estimators), confirm_large
        plan, more = default_plan(
            data, X, seed, usual=usual, store=store, size=size, admissible=check
        )
        taken += more
    elif is_given(design):
        plan = read_given(design, X, y, groups, data.groups, n, seed)
    else:
        design = parse(design)
        check_size(design, n, len(estimators), confirm_large)
        codes = class_codes(data.y, n) if design.stratified else None
        plan = draw_plan(design, n, seed, codes, data.groups)
    if admit is not None:
        admit(plan.design)
    metrics, said = bind_all(scoring, prototypes, data.y, int(plan.n_test.min()))
    metric, *others = metrics
    metadata = None
    if params is not None or groups is not None:
        metadata = read_metadata(params, groups, X, n)
        for one in metrics:
            said += tuple(assign(estimators, metadata, one.scorer))
    job = Job(
        data.table,
        data.y,
        metric.truth(data.y),
        metric,
        plan,
        time_limit,
        metadata,
        tuple((other, other.truth(data.y)) for other in others),
        None if store is keep is None else read_keep(keep, data.y, stored=store is not None),
    )
    notes = [*taken, *data.notes, *notes, *plan.notes, *said]
    classes = check(plan)
    notes += oddities(plan, data.y, classes=classes)
    if hasattr(X, "columns"):
        notes += time_notes(X, plan.design)

    queue = TaskQueue()
    pool = choose_pool(job, queue, n_jobs, isolate=isolate)
    if pool is None and time_limit is not None:
        notes.append(Note("OP507"))
    with ExitStack() as stack:
        stops = stack.enter_context(Stops())
        stack.enter_context(shown_once())
        outcomes: Outcomes = MemoryOutcomes(names, plan, metrics)
        try:
            if store is not None:
                kept = stack.enter_context(Store.open(store, experiment_of(job, data)))
                outcomes = stack.enter_context(_kept(kept, estimators, job, notes))
            queue.grant = outcomes.grant
            queue.waiting.extend(outcomes.missing())
            total = len(names) * len(plan)
            with Progress(progress, total, total - len(queue.waiting)) as shown:
                cost = Cost(
                    plan,
                    list(queue.waiting),
                    queue.n_jobs,
                    shown.say,
                    lambda: choices(plan, data.y, data.groups, metric.name, admit, classes=classes),
                    stored=store is not None,
                )

                def keep(answer: Batch) -> None:
                    stops.check()
                    outcomes.keep(answer)
                    cost.observe(answer)
                    failed = [(cell, outcome) for cell, outcome in answer if outcome.status != "ok"]
                    shown.add(len(answer), failed=[names[cell.learner] for cell, _ in failed])
                    if on_error == "raise" and failed:
                        cell, outcome = failed[0]
                        text = outcome.error or ""
                        raise lone_failure(names[cell.learner], outcome.status, text, cell.address)

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
                    failed.scores = _signed(failed.scores, job, notes)
                raise failed from None
        except Stopped:
            outcomes.flush()
            _farewell(store)
            raise stops.leave() from None
    scores = _signed(scores, job, notes)
    groups_there = None if data.groups is None else int(data.groups.max()) + 1
    return replace(scores, n_groups=groups_there)


def _signed(scores: Scores, job: Job, notes: list[Note]) -> Scores:
    """Return scores with what the run knows of itself."""
    distinct = dict.fromkeys([*notes, *scores.notes])
    return replace(scores, seed=job.seed, notes=tuple(distinct), target=job.y)


def _seed(random_state: int | None, store: Any) -> tuple[int, list[Note]]:
    """Return the seed; without one, that of the store to be resumed, or a new one."""
    if random_state is not None:
        return whole(random_state, "random_state", 0), []
    if store is not None and _is_there(store):
        with Store.open(store, mode="read") as kept:
            return kept.experiment.seed, []
    seed = secrets.randbits(31)
    return seed, [Note("OP504", f"The seed {seed} was drawn; pass it to run the same again.")]


def _is_there(store: Any) -> bool:
    from pathlib import Path

    try:
        return Path(store).stat().st_size > 0
    except (OSError, TypeError, ValueError):  # the store itself says what is wrong
        return False


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
