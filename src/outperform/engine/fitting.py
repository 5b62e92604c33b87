"""Fitting: one learner fitted and scored on one split; whatever it raises becomes text."""

from __future__ import annotations

import random
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from ..designs.splitting import IntArray, address_seed
from ..errors import OutperformError, RunFailed, naming_line
from ..storage import Address, Outcome, Problem
from . import environment, scoring
from .answers import Encoded, Keeping, Recorder
from .environment import speaks
from .estimators import Estimator
from .interruptions import OutOfTime, Stopped, within
from .learning_data import Rows
from .metadata import Metadata
from .scoring import Measured, Metric
from .split_plan import SplitPlan

TEXT_LIMIT = 20_000
SOURCE = __file__
"""Where the code of learners is called from."""
OURS = (
    SOURCE,
    str(Path(SOURCE).with_name("fitted_models.py")),
    scoring.__file__,
    environment.__file__,
)


class Cell(NamedTuple):
    """A learner, by its position, at an address."""

    learner: int
    address: Address


@dataclass(frozen=True, eq=False)
class Job:
    """What all cells of a run have in common, and all that workers are sent once."""

    table: Rows
    y: npt.NDArray[Any]
    truth: npt.NDArray[Any]
    metric: Metric
    """The primary one."""
    splits: SplitPlan
    time_limit: float | None = None
    metadata: Metadata | None = None
    others: tuple[tuple[Metric, npt.NDArray[Any]], ...] = ()
    """Further metrics, with the targets as each compares them."""
    keeping: Keeping | None = None

    @property
    def seed(self) -> int:
        return self.splits.seed


class Found(NamedTuple):
    """What a fitted model is found to be, by every metric."""

    score: float | None
    losses: npt.NDArray[Any] | None
    error: str | None = None
    """Why there is no score, where other metrics have one."""
    more: tuple[Found, ...] = ()
    responses: Encoded = ()

    def outcome(self, seconds: float, notes: Notes = ()) -> Outcome:
        more = tuple(other.outcome(seconds) for other in self.more)
        if self.score is None:
            return Outcome(None, seconds, None, "failed", self.error, notes, more, self.responses)
        return Outcome(
            self.score + 0.0, seconds, self.losses, "ok", None, notes, more, self.responses
        )


Batch = list[tuple[Cell, Outcome]]
"""Cells with what came of them."""
Given = Callable[[Any], Any]
"""Prepares rows for a learner."""
Notes = tuple[tuple[str, str], ...]
T = TypeVar("T")


def run_cells(
    job: Job, estimators: Mapping[int, Estimator], cells: Sequence[Cell], *, share: bool = True
) -> Iterator[tuple[Cell, Outcome]]:
    """Yield the outcome of each cell, in the order of the cells.

    Without `share` each cell is run by itself, so that it can be blamed for what it does.
    """
    for position, group in groupby(cells, key=lambda cell: cell.learner):
        estimator, these = estimators[position], list(group)
        speaks(estimator.name)
        outcomes: Iterable[Outcome] | None = None
        if share and len(these) > 1 and can_share(job, estimator):
            outcomes = _together(job, estimator, [cell.address for cell in these])
        if outcomes is None:
            outcomes = (run_cell(job, estimator, cell.address) for cell in these)
        yield from zip(these, outcomes, strict=True)


def run_cell(job: Job, estimator: Estimator, address: Address) -> Outcome:
    """Clone, seed, fit, predict and score; whatever is raised becomes text."""
    limit = job.time_limit
    began = perf_counter()

    def act() -> tuple[Found, Notes]:
        return attempt(estimator.name, lambda given: _measured(job, estimator, address, given))

    try:
        found, notes = act() if limit is None else within(limit, act)
        seconds = perf_counter() - began
        if limit is not None and seconds > limit:
            raise OutOfTime  # a learner may have swallowed the first one
        return found.outcome(seconds, notes)
    except Stopped:
        raise
    except BaseException as error:
        late = isinstance(error, OutOfTime)
        text = described(error, f"no answer within {limit:g} s" if late else "")
        return Outcome(None, perf_counter() - began, None, "timeout" if late else "failed", text)


def attempt(name: str, measure: Callable[[Given], T]) -> tuple[T, Notes]:
    """Measure with locked rows, or with copies for a learner that writes into them."""
    try:
        return measure(_locked), ()
    except ValueError as error:
        if not _is_locked(error):
            raise
    return measure(lambda rows: rows), (("OP505", f"{name!r} modifies its input arrays."),)


def _is_locked(error: Exception) -> bool:
    return isinstance(error, ValueError) and any(
        word in str(error) for word in ("read-only", "WRITEABLE")
    )


def _measured(job: Job, estimator: Estimator, address: Address, given: Given) -> Found:
    train, test = job.splits.at(address)
    return measured(job, fitted(job, estimator, address, train, given), test, given)


def fitted(job: Job, estimator: Estimator, address: Address, train: IntArray, given: Given) -> Any:
    """Return a clone of a learner that is seeded for an address, fitted to its training rows."""
    model, y = _fresh(job, estimator, address), np.asarray(job.y)  # in a worker, a memory map
    beside = {} if job.metadata is None else job.metadata.at(estimator.takes, train)
    with estimator.setting():
        model.fit(given(job.table.take(train)), given(y.take(train, axis=0)), **beside)
    return model


def measured(job: Job, model: Any, test: IntArray, given: Given) -> Found:
    """Let a model predict the test rows, and score it."""
    y, truth = np.asarray(job.y), np.asarray(job.truth)
    unseen, told = given(job.table.take(test)), given(y.take(test, axis=0))
    if not job.others and job.keeping is None:
        return Found(*job.metric.measure(model, unseen, told, truth.take(test, axis=0)))
    recorder = Recorder(model, unseen)
    found = by_all(job, lambda metric, known: metric.measure(model, unseen, told, known[test]))
    if job.keeping is None:
        return found
    recorder.ask(job.keeping.always)
    return found._replace(responses=job.keeping.encoded(model, recorder.seen))


def by_all(job: Job, measure: Callable[[Metric, npt.NDArray[Any]], Measured]) -> Found:
    """Measure by every metric; one that fails where others do not is told by itself."""
    each: list[Found | Exception] = []
    for metric, known in ((job.metric, np.asarray(job.truth)), *job.others):
        try:
            each.append(Found(*measure(metric, np.asarray(known))))
        except (Stopped, OutOfTime):
            raise
        except Exception as error:
            if _is_locked(error):
                raise
            each.append(error)
    failed = [one for one in each if isinstance(one, Exception)]
    if len(failed) == len(each):
        raise failed[0]
    first, *more = (
        Found(None, None, described(one)) if isinstance(one, Exception) else one for one in each
    )
    return first._replace(more=tuple(more))


def _locked(rows: Any) -> Any:
    """Return rows that nobody can make writable again; frames are never shared."""
    if type(rows) is not np.ndarray:
        return rows
    rows.setflags(write=False)
    return rows.view()


def _fresh(job: Job, estimator: Estimator, address: Address) -> Any:
    """Return a clone for an address, to which draws from the global generators belong, too."""
    seed = address_seed(job.seed, *address)
    np.random.seed(seed)  # noqa: NPY002
    random.seed(seed)  # before it is cloned: constructors may draw
    return estimator.fresh(seed)


def can_share(job: Job, estimator: Estimator) -> bool:
    """Tell whether all splits can be handed over at once without changing the answer.

    A learner that draws random numbers has a seed for each address, unless it was given one or
    says by `draws` that its settings leave nothing to chance. Each row is trained on once.
    """
    return (
        hasattr(estimator.prototype, "fit_predict_splits")
        and job.splits.ascending
        and all(
            metric.reads in ("labels", "numbers")
            for metric in (job.metric, *(metric for metric, _ in job.others))
        )
        and job.time_limit is None
        and not estimator.takes
        and not (estimator.unseeded and getattr(estimator.prototype, "draws", True))
    )


def _together(job: Job, estimator: Estimator, addresses: list[Address]) -> list[Outcome] | None:
    """Let a learner share work across splits; None if it fails, so that one cell can be blamed."""
    try:
        return together(job, estimator, addresses)
    except Stopped:
        raise
    except BaseException:  # whatever a learner raises: one by one, the cell that does is told
        return None


def together(job: Job, estimator: Estimator, addresses: list[Address]) -> list[Outcome]:
    """Let a learner share work across splits."""
    began = perf_counter()
    splits = [job.splits.at(address) for address in addresses]
    rows, y = job.table.take(np.arange(job.table.n)), np.array(job.y)
    model = _fresh(job, estimator, addresses[0])
    # Each answer is read before the next is asked for: a learner may write over it.
    answers = zip(model.fit_predict_splits(rows, y, splits), splits, strict=True)
    measured = [_compared(job, answer, test) for answer, (_, test) in answers]
    seconds = (perf_counter() - began) / len(addresses)
    return [found.outcome(seconds) for found in measured]


def _compared(job: Job, answer: Any, test: npt.NDArray[Any]) -> Found:
    """Score what a learner predicts of one split."""
    found = by_all(job, lambda metric, known: metric.compare(answer, known[test]))
    if job.keeping is None:
        return found
    body = job.keeping.response(answer)
    return found if body is None else found._replace(responses=((0, body),))


def described(error: BaseException, said: str = "") -> str:
    """Return the traceback of an error as text, from the learner's own code on."""
    try:
        if isinstance(error, OutperformError):
            cause = error.__cause__
            own = "" if cause is None else f"\n\n{described(cause)}"
            return f"{type(error).__name__}: {error}{own}"
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename in OURS:
            trace = trace.tb_next
        lines = traceback.format_exception(type(error), error, trace)
        text = "".join([*lines[:-1], said] if said else lines).strip()
    except BaseException:  # an exception whose text cannot be made, or no memory left to make it
        text = f"{type(error).__name__} (its text cannot be shown)"
    half = TEXT_LIMIT // 2
    return text if len(text) <= TEXT_LIMIT else f"{text[:half]}\n…\n{text[-half:]}"


def lone_failure(name: str, status: Any, text: str, address: Address | None = None) -> RunFailed:
    """Return what to raise when a run is to end with the first failure."""
    line = naming_line(text)
    where = "" if address is None else f" at {tuple(address)}"
    error = RunFailed(f"{name!r} {status}{where}: {line}\n{text}")
    error.failures = (Problem(name, status, 1, line, text, address),)
    return error
