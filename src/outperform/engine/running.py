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

from .. import inputs
from ..designs import parse
from ..errors import DataError, RunFailed
from ..notes import Note
from ..scores import Scores
from ..splitting import class_codes, whole
from ..store import Experiment, Store, StoreIncomplete
from ..store.values import Outcome
from .books import Kept, Memory, failure
from .candidates import Candidate, read_learners
from .cells import Batch, Cell, Job
from .feed import Feed
from .guards import Stopped, Stops, thread_libraries
from .identity import identify, same_text
from .learner_warnings import shown_once
from .learning_data import Data, fingerprint, read_data
from .plan import check_size, make_plan, oddities
from .pools import choose_pool
from .progress import Progress, ProgressState
from .scoring import bind, kind_of
from .splits import Splits
from .workers import execute

__all__ = ["run"]


def run(
    learners: Any,
    X: Any,
    y: Any,
    *,
    design: Any,
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
) -> Scores:
    """Fit every learner on every split of a design and return what was measured.

    Parameters
    ----------
    learners : mapping of names to learners, a list of learners, or one learner
        Anything with fit and predict that scikit-learn can clone. Only clones are fitted.
    X, y, groups
        Arrays, sparse matrices or data frames; they are never written to.
    design : such as "10x10cv"
        Read by `outperform.parse`.
    scoring : a name of scikit-learn or a callable (model, X, y) -> float
        By default accuracy for classifiers and r2 for regressors.
    random_state : int
        Every learner meets the same seed at a split, in each `random_state` that is not set and
        that its settings can use; the global generators are seeded likewise. If None, one is drawn
        and kept with the scores.
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

    What learners print is dropped (not what C code prints, if n_jobs is 1), what they warn of is
    shown once, counted, and what they write to the working folder is left there.
    """
    inputs.choice(on_error, "on_error", ("record", "raise"))
    if time_limit is not None and not inputs.one_number(time_limit, "time_limit") > 0:
        raise DataError(f"time_limit={time_limit} was asked; it must be positive, in seconds")
    candidates = read_learners(learners)
    names = [candidate.name for candidate in candidates]
    data, plan_of = read_data(X, y, groups), parse(design)
    n = data.table.n
    seed, notes = _seed(random_state, store)
    check_size(plan_of, n, len(candidates), confirm_large)
    classes = class_codes(data.y, n) if plan_of.stratified else None
    splits = Splits(plan_of, n, seed, classes, data.groups)
    plan = make_plan(splits)
    prototypes = {candidate.name: candidate.prototype for candidate in candidates}
    metric, said = bind(scoring, prototypes, data.y, int(plan.n_test.min()))
    job = Job(data.table, data.y, metric.truth(data.y), metric, splits, time_limit)
    notes = [*data.notes, *notes, *said, *_oddities(job, plan, prototypes)]

    feed = Feed()
    pool = choose_pool(job, feed, n_jobs, isolate=isolate)
    if pool is None and time_limit is not None:
        notes.append(Note("OP507"))
    with ExitStack() as stack:
        stops = stack.enter_context(Stops())
        stack.enter_context(shown_once())
        book: Kept | Memory = Memory(names, plan, plan_of, metric)
        try:
            if store is not None:
                kept = stack.enter_context(Store.open(store, _experiment(job, data, plan_of)))
                book = stack.enter_context(_kept(kept, candidates, plan, notes))
                feed.grant = book.grant
            feed.waiting.extend(book.missing())
            total = len(names) * len(plan.addresses)
            shown = Progress(progress, total, total - len(feed.waiting))
            stack.callback(shown.close)

            def keep(answer: Batch) -> None:
                stops.check()
                book.keep(answer)
                failed = [(cell, outcome) for cell, outcome in answer if outcome.status != "ok"]
                shown.add(len(answer), failed=len(failed))
                if on_error == "raise" and failed:
                    cell, outcome = failed[0]
                    raise _first_failure(names[cell.learner], cell, outcome)

            if isinstance(book, Kept) and pool is None:
                _beware(book, feed, keep)
            while True:
                execute(job, candidates, feed, keep, pool)
                if not (isinstance(book, Kept) and book.deferred):
                    break
                still, n_done = book.wait_for_others()
                feed.waiting.extend(still)
                shown.add(n_done, made_here=False)
            stops.check()
            try:
                scores = book.scores(names)
            except StoreIncomplete:
                failed = failure(book, names, total, store)
                if failed.scores is not None:
                    failed.scores = _signed(failed.scores, seed, notes)
                raise failed from None
        except Stopped:
            if isinstance(book, Kept):
                book.store.flush()
            _farewell(store)
            raise stops.leave() from None
    return _signed(scores, seed, notes)


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


def _experiment(job: Job, data: Data, design: Any) -> Experiment:
    metric, scoring = job.metric, job.metric.name
    if metric.is_own:
        scoring += f" {sha256(same_text(metric.scorer).encode()).hexdigest()[:16]}"
    return Experiment(
        data=fingerprint(data),
        design=str(design),
        scoring=scoring,
        seed=job.seed,
        n_items=data.table.n,
        metric=metric.name,
        loss=metric.loss,
        extra={"_threads": f"1 each of {thread_libraries()}", "_numpy": np.__version__},
    )


def _kept(store: Store, candidates: list[Candidate], plan: Any, notes: list[Note]) -> Kept:
    """Enter splits and learners, and say which learners have changed."""
    sizes = zip(plan.n_train.tolist(), plan.n_test.tolist(), strict=True)
    rows = zip(plan.addresses, sizes, plan.tests, strict=True)
    learners = []
    with store.at_once():
        store.put_splits((address, *size, test) for address, size, test in rows)
        for candidate in candidates:
            learner, about = identify(candidate.name, candidate.prototype)
            changed = store.register(learner, planned=len(plan.addresses), describe=about)
            if changed:
                notes.append(Note("OP506", changed))
            learners.append(learner)
    return Kept(store, learners, plan)


def _beware(book: Kept, feed: Feed, keep: Callable[[Batch], None]) -> None:
    """Run what was in flight when an earlier run died by itself, or not at all."""
    killers, doubtful = book.beware()
    if killers:
        said = "runs died twice with this cell in flight"
        keep([(cell, Outcome(None, 0.0, None, "killed", said)) for cell in sorted(killers)])
        feed.waiting = deque(book.missing())
    feed.doubt(doubtful)


def _first_failure(name: str, cell: Cell, outcome: Outcome) -> RunFailed:
    from ..store import Problem

    text = outcome.error or ""
    line = text.rstrip().rpartition("\n")[2]
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
