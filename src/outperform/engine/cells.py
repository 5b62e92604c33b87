"""Cells: one learner fitted, asked and scored on one split, whatever the learner does."""

from __future__ import annotations

import random
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import OutperformError
from ..store.values import Address, Outcome
from .candidates import Candidate
from .guards import Stopped
from .learner_warnings import speaks
from .learning_data import Table
from .pieces import Piece, Pieces
from .scoring import Measured, Metric
from .splits import Splits
from .timeouts import OutOfTime, within

__all__ = ["Batch", "Cell", "Job", "described", "run_batches", "run_cells"]

BRIEF = 0.2
"""Seconds that a batch of cells of one learner may take."""
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
    job: Job, candidates: Mapping[int, Candidate], cells: Sequence[Cell], *, share: bool = True
) -> Iterator[tuple[Cell, Outcome]]:
    """Yield the outcome of each cell, in the order of the cells."""
    return chain.from_iterable(run_batches(job, candidates, cells, share=share))


def run_batches(
    job: Job, candidates: Mapping[int, Candidate], cells: Sequence[Cell], *, share: bool = True
) -> Iterator[Batch]:
    """Yield cells with their outcomes, as many at a time as were run together.

    Without `share` each cell is run by itself, so that it can be blamed for what it does.
    """
    pieces = Pieces(job.table, job.splits, job.y, job.truth)
    for position, group in groupby(cells, key=lambda cell: cell.learner):
        candidate, these = candidates[position], list(group)
        speaks(candidate.name)
        outcomes: list[Outcome] | None = None
        if share and len(these) > 1 and _can_share(job, candidate):
            outcomes = _together(job, candidate, [cell.address for cell in these])
        if outcomes is None:
            yield from _one_by_one(job, candidate, pieces, these, in_batches=share)
        else:
            yield list(zip(these, outcomes, strict=True))


def _one_by_one(
    job: Job, candidate: Candidate, pieces: Pieces, cells: list[Cell], *, in_batches: bool
) -> Iterator[Batch]:
    """Run cells in turn, brief ones in batches."""
    plain = job.metric.scorer is None and job.metric.reads != "probabilities"
    in_batches &= plain and job.time_limit is None
    at = 0
    while at < len(cells):
        began = perf_counter()
        batch = cells[at : at + (candidate.together if in_batches else 1)]
        if len(batch) > 1:
            yield _batch(job, candidate, pieces, batch)
        else:
            yield [(batch[0], run_cell(job, candidate, pieces, batch[0].address))]
        at += len(batch)
        # One alone tells how long cells take, some more whether that holds.
        fitting = int(BRIEF * len(batch) / max(perf_counter() - began, 1e-9))
        size = min(max(8 * len(batch), candidate.together), fitting, pieces.most)
        # What is not all scikit-learn's may hand out the same array twice: it is read at once.
        candidate.together = max(size, 1) if candidate.is_sklearn else 1


def _batch(job: Job, candidate: Candidate, pieces: Pieces, cells: list[Cell]) -> Batch:
    """Cut first, then fit and predict, and score last.

    Fitting drives everything else out of the processor's caches: what is done for a cell between
    two fits takes longer.
    """
    try:
        cut = pieces.together([cell.address for cell in cells])
    except MemoryError:  # one by one there may be enough
        return [(cell, run_cell(job, candidate, pieces, cell.address)) for cell in cells]
    seeds = [_seed(job, candidate, cell.address) for cell in cells]
    # Scikit-learn's own learners: they are copied, and nothing of theirs is run by that.
    models = [candidate.fresh(seed or 0) for seed in reversed(seeds)]
    stream = candidate.stream
    if stream is not None:
        for model in models:
            model.random_state = stream
    answers: list[Any] = []
    times: list[float] = []
    for ((X, y, unseen, _), _), seed in zip(cut, seeds, strict=True):
        model = models.pop()
        began = perf_counter()
        try:
            _seed_globals(job, candidate, seed)
            if stream is not None:
                stream.seed(seed)
            model.fit(X, y)
            answers.append(model.predict(unseen))
        except Stopped:
            raise
        except BaseException:  # whatever a learner raises: run again by itself, it is told there
            answers.append(None)
        times.append(perf_counter() - began)
    measured = job.metric.compare_all(answers, [piece.truth for piece in cut])
    # What failed is run again by itself, where what it raises is looked at.
    batch: Batch = []
    for cell, found, seconds in zip(cells, measured, times, strict=True):
        if found is None:
            outcome = run_cell(job, candidate, pieces, cell.address)
        else:
            score, losses = found
            outcome = Outcome(score + 0.0, seconds, losses, "ok")
        batch.append((cell, outcome))
    return batch


def run_cell(job: Job, candidate: Candidate, pieces: Pieces, address: Address) -> Outcome:
    """Fit, predict and score; whatever is raised becomes text."""
    limit = job.time_limit
    began = perf_counter()
    try:
        if limit is None:
            (score, losses), notes = _attempt(job, candidate, pieces, address)
        else:
            (score, losses), notes = within(
                limit, lambda: _attempt(job, candidate, pieces, address)
            )
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
    job: Job, candidate: Candidate, pieces: Pieces, address: Address
) -> tuple[Measured, tuple[tuple[str, str], ...]]:
    """Fit on locked rows, or on a copy of its own for a learner that writes into them."""
    try:
        return _measured(job, candidate, address, pieces.at(address)), ()
    except ValueError as error:
        if not any(word in str(error) for word in ("read-only", "WRITEABLE")):
            raise
    note = "OP505", f"{candidate.name!r} writes into what it is given."
    return _measured(job, candidate, address, pieces.at(address, own=True)), (note,)


def _measured(job: Job, candidate: Candidate, address: Address, piece: Piece) -> Measured:
    X, y, unseen, told = piece.rows
    seed = _seed(job, candidate, address)
    _seed_globals(job, candidate, seed)  # before it is cloned: constructors may draw, too
    model = candidate.fresh(seed or 0)
    model.fit(X, y)
    return job.metric.measure(model, unseen, told, piece.truth)


def _seed(job: Job, candidate: Candidate, address: Address) -> int | None:
    """Return the seed of an address; None if nobody asks for it."""
    if candidate.is_closed and not candidate.unseeded and not job.metric.is_own:
        return None
    return job.splits.seeds.at(address)


def _seed_globals(job: Job, candidate: Candidate, seed: int | None) -> None:
    """Let draws from the global generators belong to the address, whoever seeded them before."""
    if seed is not None and (job.metric.is_own or not candidate.is_closed):
        np.random.seed(seed)  # noqa: NPY002
        random.seed(seed)


def _can_share(job: Job, candidate: Candidate) -> bool:
    """Tell whether all splits can be handed over at once without changing the answer.

    A learner that draws random numbers has a seed for each address, unless it was given one or
    says by `draws` that its settings leave nothing to chance. It may count on rows in order.
    """
    return (
        hasattr(candidate.prototype, "fit_predict_splits")
        and job.splits.ascending
        and job.metric.reads in ("labels", "numbers")
        and job.time_limit is None
        and not (candidate.unseeded and getattr(candidate.prototype, "draws", True))
    )


def _together(job: Job, candidate: Candidate, addresses: list[Address]) -> list[Outcome] | None:
    """Let a learner share work across splits; None if it fails, so that one cell can be blamed."""
    began = perf_counter()
    splits = [job.splits.at(address) for address in addresses]
    try:
        rows, y = job.table.take(np.arange(job.table.n)), np.array(job.y)
        seed = job.splits.seeds.at(addresses[0])
        _seed_globals(job, candidate, seed)
        model = candidate.fresh(seed)
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
