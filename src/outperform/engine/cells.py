"""Cells: one learner fitted, asked and scored on one split, whatever the learner does."""

from __future__ import annotations

import random
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from time import perf_counter
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np
import numpy.typing as npt

from ..designs import Design
from ..errors import OutperformError
from ..splitting import IntArray
from ..store.values import Address, Outcome
from .candidates import Candidate
from .guards import OutOfTime, Stopped, within
from .learning_data import Table
from .scoring import Measured, Metric
from .seeds import Seeds

__all__ = ["Cell", "Job", "Splits", "described", "run_cells"]

SHARED_BYTES = 2**26
"""How much of the rows of a chunk of splits is kept for the next learner."""
KEPT_BYTES = 2**26
"""How much of the splits is kept for the next task."""
MANY = 10_000
"""Items above which a training set takes less time to find again than memory to keep."""
TEXT_LIMIT = 20_000


class Cell(NamedTuple):
    """A learner, by its position, at an address."""

    learner: int
    address: Address


class Sides(NamedTuple):
    """The items of one split."""

    train: IntArray | None
    """None if there are many and they are all that are not tested: they are found again then."""
    test: IntArray
    n_train: int


class Splits:
    """Makes the splits of a design where they are needed: only addresses travel."""

    def __init__(
        self, design: Design, n: int, seed: int, classes: IntArray | None, groups: IntArray | None
    ) -> None:
        self.design, self.n, self.seed = design, n, seed
        self.seeds = Seeds(seed)
        self._classes, self._groups = classes, groups
        self._kept: dict[tuple[int, int], list[Sides]] = {}
        self._n_bytes = 0
        self._token = uuid4().hex

    def at(self, address: Address) -> tuple[IntArray, IntArray]:
        """Return the training and the test items of an address."""
        block = self._kept.get(address[:2])
        if block is None:
            if self._n_bytes > KEPT_BYTES:
                self._kept.clear()
                self._n_bytes = 0
            block = [sides for _, sides in self._make(address[:2])]
            self._keep(address[:2], block)
        train, test, _ = block[address[2]]
        if train is None:
            others = np.ones(self.n, dtype=np.bool_)
            others[test] = False
            train = np.flatnonzero(others)
        return train, test

    def every(self) -> Iterator[tuple[Address, Sides]]:
        """Yield all splits in order, keeping the first for later."""
        for key, block in groupby(self._make(), key=lambda made: made[0][:2]):
            made = list(block)
            if self._n_bytes <= KEPT_BYTES:
                self._keep(key, [sides for _, sides in made])
            yield from made

    def _keep(self, key: tuple[int, int], block: list[Sides]) -> None:
        self._kept[key] = block
        for train, test, _ in block:
            self._n_bytes += test.nbytes + (0 if train is None else train.nbytes)

    def _make(self, at: tuple[int, int] | None = None) -> Iterator[tuple[Address, Sides]]:
        """Make the splits of one repeat, or all."""
        n = self.n
        if self.design.kind == "leave-one-out":  # without the n training sets of n - 1 items
            for item in range(n):
                yield Address(0, 0, item), Sides(None, np.array([item]), n - 1)
            return
        splits = self.design.split(n, self._classes, self._groups, random_state=self.seed, at=at)
        for partition, repeat, fold, train, test in splits:
            found = n > MANY and train.size + test.size == n
            sides = Sides(None if found else train, test, train.size)
            yield Address(partition, repeat, fold), sides

    def __reduce__(self) -> tuple[Any, ...]:
        made_from = self.design, self.n, self.seed, self._classes, self._groups
        return _received_splits, (self._token, *made_from)


_received: dict[str, Splits] = {}


def _received_splits(token: str, *made_from: Any) -> Splits:
    """Return the splits that were sent, with those that this worker has made before."""
    if token not in _received:
        _received.clear()
        _received[token] = Splits(*made_from)
    return _received[token]


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


class Piece(NamedTuple):
    """What one split hands to a learner, and what its predictions are compared with."""

    seed: int
    train: tuple[Any, npt.NDArray[Any]]
    test: tuple[Any, npt.NDArray[Any]]
    truth: npt.NDArray[Any]


class Pieces:
    """The pieces of a chunk of splits; arrays are cut once, for all learners, and locked."""

    def __init__(self, job: Job, *, keep: bool = True) -> None:
        self.job, self.kept, self.n_bytes = job, dict[Address, Piece](), 0
        self.keep = keep and job.table.kind == "array"
        self.y, self.truth = np.asarray(job.y), np.asarray(job.truth)

    def at(self, address: Address) -> Piece:
        piece = self.kept.get(address)
        if piece is None:
            piece = self.cut(address, own=False)
            if self.keep:
                self.n_bytes += piece.train[0].nbytes + piece.test[0].nbytes
                if self.n_bytes < SHARED_BYTES:
                    self.kept[address] = piece
        return piece

    def cut(self, address: Address, *, own: bool) -> Piece:
        """Cut the rows of an address; `own` ones may be written to."""
        job, y = self.job, self.y
        train, test = job.splits.at(address)
        rows = [job.table.take(train), y.take(train, axis=0)]
        rows += [job.table.take(test), y.take(test, axis=0)]
        if not own:
            for at, part in enumerate(rows):
                if type(part) is np.ndarray:  # frames are never shared
                    part.setflags(write=False)
                    rows[at] = part.view()  # which nobody can make writable again
        same = self.truth is y and not own
        truth = rows[3] if same else self.truth.take(test, axis=0)
        return Piece(job.splits.seeds.at(address), (rows[0], rows[1]), (rows[2], rows[3]), truth)


def run_cells(
    job: Job, candidates: Mapping[int, Candidate], cells: Sequence[Cell], *, share: bool = True
) -> Iterator[tuple[Cell, Outcome]]:
    """Yield the outcome of each cell, in the order of the cells."""
    # With one learner nothing is shared, and memory that is freed at once is at hand for the next.
    pieces = Pieces(job, keep=cells[0].learner != cells[-1].learner if cells else False)
    for position, group in groupby(cells, key=lambda cell: cell.learner):
        candidate, these = candidates[position], list(group)
        outcomes: list[Outcome] | None = None
        if share and len(these) > 1 and _can_share(job, candidate):
            outcomes = _together(job, candidate, [cell.address for cell in these])
        if outcomes is None:
            for cell in these:
                yield cell, run_cell(job, candidate, pieces, cell.address)
        else:
            yield from zip(these, outcomes, strict=True)


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
        return _fit(job, candidate, pieces.at(address)), ()
    except ValueError as error:
        if "read-only" not in str(error):
            raise
    note = "OP505", f"{candidate.name!r} writes into what it is given."
    return _fit(job, candidate, pieces.cut(address, own=True)), (note,)


def _fit(job: Job, candidate: Candidate, piece: Piece) -> Measured:
    # Draws from the global generators belong to the address too, whoever seeded them before.
    np.random.seed(piece.seed)  # noqa: NPY002
    model = candidate.fresh(piece.seed)
    if not candidate.is_sklearn or job.metric.is_own:
        random.seed(piece.seed)  # three times as long as NumPy's, and scikit-learn draws from that
    model.fit(*piece.train)
    return job.metric.measure(model, *piece.test, piece.truth)


def _can_share(job: Job, candidate: Candidate) -> bool:
    """Tell whether all splits can be handed over at once without changing the answer.

    A learner that draws random numbers has a seed for each address, unless it was given one or
    says by `draws` that its settings leave nothing to chance.
    """
    return (
        hasattr(candidate.prototype, "fit_predict_splits")
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
        model = candidate.fresh(job.splits.seeds.at(addresses[0]))
        answers = list(model.fit_predict_splits(rows, y, splits))
        measured = [
            job.metric.compare(answer, job.truth[test])
            for answer, (_, test) in zip(answers, splits, strict=True)
        ]
    except Stopped:
        raise
    except BaseException:
        return None
    seconds = (perf_counter() - began) / len(addresses)
    return [Outcome(score + 0.0, seconds, losses, "ok") for score, losses in measured]


def described(error: BaseException, said: str = "") -> str:
    """Return the traceback of an error as text, from the learner's own code on."""
    try:
        if isinstance(error, OutperformError):
            return f"{type(error).__name__}: {error}"
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
            trace = trace.tb_next
        lines = traceback.format_exception(type(error), error, trace)
        text = "".join([*lines[:-1], said] if said else lines).strip()
    except BaseException:  # an exception whose text cannot be made, or no memory left to make it
        text = f"{type(error).__name__} (its text cannot be shown)"
    half = TEXT_LIMIT // 2
    return text if len(text) <= TEXT_LIMIT else f"{text[:half]}\n…\n{text[-half:]}"
