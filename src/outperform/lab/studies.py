"""`study`: how tests behave over many experiments drawn from a scenario, here or by workers.

Implements D-36 and D-52.
"""

from __future__ import annotations

import dataclasses
import secrets
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from .. import validation
from ..designs import parse_drawn
from ..designs.splitting import whole
from ..errors import DataError, MethodError, argument
from ..registry import Method, get
from ..storage.study_store import BlockNumbers, BlockPlace, Packed, StudyStore, packed
from .scenarios import Reading, Scenario, block_seed, blocks, reading
from .study_results import COLUMNS, ENDS, StudiedMethod, Study, judged, law_of

Block: TypeAlias = tuple[BlockPlace, int]
"""Where a block belongs, and how many experiments it holds."""
TASK = 0.5
"""Seconds of work in one task: dispatch does not dominate, and little is lost to a kill."""
HELD = 2**22
"""Bytes of answers in one task: what it holds until they are written."""
TURNS = 4
"""Tasks that each worker still has to do, at least: the last ones are short, so none waits."""


class BlockWork(Protocol):
    """Work that fills blocks: a study's, or that of records."""

    @property
    def scenario(self) -> Scenario: ...
    @property
    def effects(self) -> tuple[float, ...]: ...
    def block(self, place: BlockPlace, size: int) -> tuple[BlockNumbers, list[Any]]:
        """Return the numbers of one block, and what is to be remembered of all blocks."""


class Answer(NamedTuple):
    """What a task found."""

    rows: list[Packed]
    laws: list[Any]
    """What the first of its blocks says of all."""
    seconds: float
    """How long the fastest of its blocks took."""


@dataclass(slots=True)
class Pace:
    """How many blocks the next task holds, by the fastest block that was met.

    The first blocks of a process build tables and compile; they say little of those that follow.
    """

    workers: int
    waiting: int
    """Blocks that no task holds yet."""
    together: int = field(default=1, init=False)
    seconds: float = field(default=float("inf"), init=False)

    def learn(self, answer: Answer) -> None:
        self.seconds = min(self.seconds, max(answer.seconds, 1e-9))
        largest = max(len(row.numbers) for row in answer.rows)
        self.together = max(1, min(int(TASK / self.seconds), HELD // max(largest, 1)))

    def tasks(self, left: Iterator[Block]) -> Iterator[list[Block]]:
        """Cut what is left into tasks, each when a worker is free for it."""
        while True:
            share = self.waiting // (TURNS * self.workers) if self.workers > 1 else self.waiting
            task = list(islice(left, max(1, min(self.together, share))))
            if not task:
                return
            self.waiting -= len(task)
            yield task


def fill(
    store: StudyStore, work: BlockWork, n_reps: int, n_jobs: int | None, progress: Any
) -> None:
    """Run every block that is not in the store; write as answers come."""
    from joblib import effective_n_jobs

    from ..engine.progress import Progress

    size = work.scenario.block
    done = store.places()
    ended = sum(min(size, n_reps - number * size) for _, number in done)
    total, n_blocks = n_reps * len(work.effects), -(-n_reps // size) * len(work.effects)
    if len(done) == n_blocks:
        return
    left = (
        ((effect, number), held)
        for effect in range(len(work.effects))
        for number, held in blocks(n_reps, size)
        if (effect, number) not in done
    )
    pace = Pace(effective_n_jobs(n_jobs), n_blocks - len(done))
    with Progress(progress, total, ended, unit="experiments") as told:
        for answer in _answers(work, pace.tasks(left), n_jobs, pace.workers):
            pace.learn(answer)
            if answer.rows[0][:2] == (0, 0):  # the same whoever comes first
                store.remember("laws", answer.laws)
            store.write(answer.rows)
            told.add(sum(row.size for row in answer.rows))


def _answers(
    work: BlockWork, tasks: Iterator[list[Block]], n_jobs: int | None, workers: int
) -> Iterator[Answer]:
    from joblib import Parallel, delayed

    if workers == 1:
        yield from (_task(work, task) for task in tasks)
        return
    # Tasks have their length already: joblib must not put several of them into one.
    pool = Parallel(
        n_jobs=n_jobs, return_as="generator_unordered", pre_dispatch="2*n_jobs", batch_size=1
    )
    yield from pool(delayed(_task)(work, task) for task in tasks)


def _task(work: BlockWork, task: Sequence[Block]) -> Answer:
    from ..engine.environment import pinned

    rows, said, seconds = [], [], []
    with pinned():
        for place, size in task:
            began = time.perf_counter()
            numbers, laws = work.block(place, size)
            seconds.append(time.perf_counter() - began)
            rows.append(packed(place, numbers))
            said.append(laws)
    return Answer(rows, said[0], min(seconds))


MOST = 10_000_000
"""Experiments beyond which a study asks first."""


def study(
    methods: Any,
    scenario: Any,
    *,
    learners: Any = None,
    effects: Sequence[float] = (0.0,),
    n_reps: int = 1000,
    random_state: int | None = None,
    n_jobs: int | None = None,
    store: Any = None,
    level: float | None = None,
    progress: Any = None,
    confirm_large: bool = False,
) -> Study:
    """Judge experiments of a scenario by each method, for each effect.

    One draw serves every method. All p-values, estimates, standard errors and statistics are kept.
    The same seed gives the same bits whatever `n_jobs` is.

    Parameters
    ----------
    methods : sequence
        Names, pairs of a name and a design ("corrected_t", "10x10cv"), or triples with options
        ("mcnemar", None, {"variant": "exact"}).
    scenario : Scenario or Source
        Draws the experiments; a source of data needs two `learners`.
    learners : pair of learners, optional
        What is run on the data of a source.
    effects : sequence of float, default=(0.0,)
        Distances from the null hypothesis, 0 being the null.
    n_reps : int, default=1000
        Number of experiments for each effect.
    random_state : int, optional
        Seed. If None, one is drawn and kept with the study.
    n_jobs : int, optional
        Number of workers; -1 uses all cores. It does not change the result.
    store : path, optional
        Keeps the results; a study that was stopped goes on from there.
    level : float, optional
        Confidence level of the intervals to keep; by default none are kept.
    progress : bool or callable, optional
        Progress as for `run`.
    confirm_large : bool, default=False
        Allow more than 10,000,000 experiments.

    Returns
    -------
    Study
        Rates, power and coverage are computed from it.

    Examples
    --------
    >>> import outperform as op
    >>> scenario = op.lab.CorrelatedNormal(rho=0.1)
    >>> found = op.study(["corrected_t", "resampled_t"], scenario, n_reps=200, random_state=0)
    >>> [row.method for row in found.rates()]
    ['corrected_t', 'resampled_t']
    """
    asked = asked_methods(methods)
    scene = _scene(scenario, learners)
    steps = tuple(float(effect) for effect in validation.numbers(list(effects), "effects").ravel())
    if len(set(steps)) < len(steps) or not steps:
        raise DataError(f"effects must be at least one number, without duplicates, got {effects!r}")
    n_reps = whole(n_reps, "n_reps", 1)
    if n_reps * len(steps) > MOST and not confirm_large:
        raise DataError(
            f"The study has {n_reps * len(steps):,} experiments, more than {MOST:,}; pass "
            f"{argument(confirm_large=True)} if that is intended"
        )
    columns = COLUMNS if level is None else COLUMNS + ENDS
    if level is not None:
        level = validation.fraction(level, "level")
    readings = {one: reading(one.method, one.design) for one in asked}
    n_bytes = 8 * len(columns) * len(asked) * len(steps) * n_reps
    about = {
        "scenario": fingerprint(scene),
        "methods": [list(one.words) for one in asked],
        "effects": steps,
        "n_reps": n_reps,
        "level": level,
        "block": scene.block,
    }
    if random_state is not None:
        about["seed"] = whole(random_state, "random_state", 0)
    kept = StudyStore(store, about, n_bytes)
    seed = kept.recall("seed")
    if seed is None:
        seed = kept.remember("seed", secrets.randbits(63))  # unless another process was first
    work = _StudyBlocks(scene, asked, tuple(readings.values()), steps, level, seed)
    fill(kept, work, n_reps, n_jobs, progress)
    return Study(scene, asked, steps, n_reps, seed, level, kept)


def fingerprint(value: Any) -> str:
    """Return a digest that is the same for scenarios that draw the same experiments."""
    from hashlib import sha256

    from ..engine.meaning import same_text

    return sha256(same_text(_plain(value)).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _plain(value: Any) -> Any:
    """Return dataclasses as their names and fields, so that settings are compared, not objects."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
        return type(value).__qualname__, parts
    if hasattr(value, "to_numpy") and hasattr(value, "columns"):
        return [str(name) for name in value.columns], np.asarray(value.to_numpy())
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    return value


def asked_methods(methods: Any) -> tuple[StudiedMethod, ...]:
    """Read one method, or several, each a name, a pair with a design, or a triple with options."""
    single = isinstance(methods, str | Method)
    listed = [methods] if single else list(methods)
    if not listed:
        raise MethodError("No method was passed; pass at least one, as in ['corrected_t']")
    asked = tuple(map(_asked, listed))
    if len(set(asked)) < len(asked):
        raise MethodError("A method was passed twice with the same design; pass each once.")
    return asked


def _asked(one: Any) -> StudiedMethod:
    """Read a name, a pair of name and design, or a triple with options."""
    parts = tuple(one) if isinstance(one, tuple | list) else (one,)
    if not 1 <= len(parts) <= 3 or not isinstance(parts[0], str | Method):
        raise MethodError(
            f"{one!r} is not a method; pass a name, or (name, design), or (name, design, options)"
        )
    name, design, options = (*parts, None, None)[:3] if len(parts) < 3 else parts
    method = name if isinstance(name, Method) else get(name)
    known = set(method.options)
    if options and not set(options) <= known:
        raise MethodError(f"{method.name} has the options {sorted(known)}, got {sorted(options)}")
    text = None if design is None else str(parse_drawn(design, "a study"))
    return StudiedMethod(method.name, text, tuple(sorted((options or {}).items())))


def _scene(scenario: Any, learners: Any) -> Scenario:
    """Return the scenario; a source and two learners make a contest."""
    if learners is None:
        if not isinstance(scenario, Scenario):
            raise DataError(
                f"{type(scenario).__name__} draws data, not experiments; pass two learners, as in "
                "learners=(GaussianNB(), KNeighborsClassifier(1))"
            )
        return scenario
    from .contests import Contest

    pair = tuple(learners.values()) if isinstance(learners, dict) else tuple(learners)
    if len(pair) != 2:
        raise DataError(f"A study compares two learners, got {len(pair)}.")
    contest: Scenario = Contest(scenario, *pair)
    return contest


@dataclass(frozen=True, slots=True)
class _StudyBlocks:
    """What a worker needs to fill any block."""

    scenario: Scenario
    asked: tuple[StudiedMethod, ...]
    readings: tuple[Reading, ...]
    effects: tuple[float, ...]
    level: float | None
    seed: int

    def block(self, place: BlockPlace, size: int) -> tuple[BlockNumbers, list[Any]]:
        """Draw and judge one block; return its numbers and the reference law of each method."""
        effect, number = place
        seed = block_seed(self.seed, effect, number)
        distinct = list(dict.fromkeys(self.readings))
        views = self.scenario.draw(distinct, size, seed, self.effects[effect])
        n_columns = len(COLUMNS) + (0 if self.level is None else len(ENDS))
        out = np.empty((len(self.asked), n_columns, size))
        laws = []
        for at, (one, read) in enumerate(zip(self.asked, self.readings, strict=True)):
            evidence = get(one.method).on(views[read], **dict(one.options))
            out[at] = judged(evidence, size, self.level, has_interval=get(one.method).has_interval)
            laws.append(law_of(evidence))
        return out, laws
