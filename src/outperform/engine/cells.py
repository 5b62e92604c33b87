"""Cells: one learner fitted, asked and scored on one split, whatever the learner does."""

from __future__ import annotations

import random
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..designs.splitting import address_seed
from ..errors import OutperformError
from ..storage import Address, Outcome
from .environment import speaks
from .estimators import Estimator
from .interruptions import OutOfTime, Stopped, within
from .learning_data import Table
from .plan import Splits
from .scoring import Measured, Metric

__all__ = ["Batch", "Cell", "Job", "described", "run_cells"]

TEXT_LIMIT = 20_000
CELLS = __file__
"""Where the code of learners is called from."""


class Cell(NamedTuple):
    """A learner, by its position, at an address."""

    learner: int
    address: Address


@dataclass(frozen=True, eq=False)
class Job:
    """What all cells of a run have in common, and all that workers are sent once."""

    table: Table
    y: npt.NDArray[Any]
    truth: npt.NDArray[Any]
    metric: Metric
    splits: Splits
    time_limit: float | None = None

    @property
    def seed(self) -> int:
        return self.splits.seed


Batch = list[tuple[Cell, Outcome]]
"""Cells with what came of them."""


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
        if share and len(these) > 1 and _can_share(job, estimator):
            outcomes = _together(job, estimator, [cell.address for cell in these])
        if outcomes is None:
            outcomes = (run_cell(job, estimator, cell.address) for cell in these)
        yield from zip(these, outcomes, strict=True)


def run_cell(job: Job, estimator: Estimator, address: Address) -> Outcome:
    """Clone, seed, fit, predict and score; whatever is raised becomes text."""
    limit = job.time_limit
    began = perf_counter()
    try:
        if limit is None:
            (score, losses), notes = _attempt(job, estimator, address)
        else:
            (score, losses), notes = within(limit, lambda: _attempt(job, estimator, address))
        seconds = perf_counter() - began
        if limit is not None and seconds > limit:
            raise OutOfTime  # a learner may have swallowed the first one
        return Outcome(score + 0.0, seconds, losses, "ok", None, notes)
    except Stopped:
        raise
    except BaseException as error:
        late = isinstance(error, OutOfTime)
        text = described(error, f"no answer within {limit:g} s" if late else "")
        return Outcome(None, perf_counter() - began, None, "timeout" if late else "failed", text)


def _attempt(
    job: Job, estimator: Estimator, address: Address
) -> tuple[Measured, tuple[tuple[str, str], ...]]:
    """Fit on locked rows, or on a copy of its own for a learner that writes into them."""
    try:
        return _measured(job, estimator, address, _locked), ()
    except ValueError as error:
        if not any(word in str(error) for word in ("read-only", "WRITEABLE")):
            raise
    note = "OP505", f"{estimator.name!r} writes into what it is given."
    return _measured(job, estimator, address, lambda rows: rows), (note,)


def _measured(
    job: Job, estimator: Estimator, address: Address, given: Callable[[Any], Any]
) -> Measured:
    model = _fresh(job, estimator, address)
    train, test = job.splits.at(address)
    y, truth = np.asarray(job.y), np.asarray(job.truth)  # in a worker, they are memory maps
    model.fit(given(job.table.take(train)), given(y.take(train, axis=0)))
    unseen, told = given(job.table.take(test)), given(y.take(test, axis=0))
    return job.metric.measure(model, unseen, told, truth.take(test, axis=0))


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


def _can_share(job: Job, estimator: Estimator) -> bool:
    """Tell whether all splits can be handed over at once without changing the answer.

    A learner that draws random numbers has a seed for each address, unless it was given one or
    says by `draws` that its settings leave nothing to chance. It may count on rows in order.
    """
    return (
        hasattr(estimator.prototype, "fit_predict_splits")
        and job.splits.ascending
        and job.metric.reads in ("labels", "numbers")
        and job.time_limit is None
        and not (estimator.unseeded and getattr(estimator.prototype, "draws", True))
    )


def _together(job: Job, estimator: Estimator, addresses: list[Address]) -> list[Outcome] | None:
    """Let a learner share work across splits; None if it fails, so that one cell can be blamed."""
    began = perf_counter()
    splits = [job.splits.at(address) for address in addresses]
    try:
        rows, y = job.table.take(np.arange(job.table.n)), np.array(job.y)
        model = _fresh(job, estimator, addresses[0])
        # Each answer is read before the next is asked for: a learner may write over it.
        answers = zip(model.fit_predict_splits(rows, y, splits), splits, strict=True)
        measured = [job.metric.compare(answer, job.truth[test]) for answer, (_, test) in answers]
    except Stopped:
        raise
    except BaseException:  # whatever a learner raises: one by one, the cell that does is told
        return None
    seconds = (perf_counter() - began) / len(addresses)
    return [Outcome(score + 0.0, seconds, losses, "ok") for score, losses in measured]


def described(error: BaseException, said: str = "") -> str:
    """Return the traceback of an error as text, from the learner's own code on."""
    try:
        if isinstance(error, OutperformError):
            return f"{type(error).__name__}: {error}"
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename == CELLS:
            trace = trace.tb_next
        lines = traceback.format_exception(type(error), error, trace)
        text = "".join([*lines[:-1], said] if said else lines).strip()
    except BaseException:  # an exception whose text cannot be made, or no memory left to make it
        text = f"{type(error).__name__} (its text cannot be shown)"
    half = TEXT_LIMIT // 2
    return text if len(text) <= TEXT_LIMIT else f"{text[:half]}\n…\n{text[-half:]}"
