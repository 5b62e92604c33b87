"""Records: both learners' scores on every split of many datasets, kept to be asked later.

A `study` keeps what tests said of a difference. Where the same fits are to answer for each learner
alone and for their difference (N-27), or for fewer resamples and halvings than were run (N-31), the
scores themselves are kept: nothing is fitted twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from outperform.designs import Design, parse_drawn
from outperform.designs.splitting import whole
from outperform.errors import DataError
from outperform.lab.contests import Contest
from outperform.lab.scenarios import SAMPLE, Dataset, Reading, block_seed, stream, take_rows
from outperform.lab.studies import fill, fingerprint
from outperform.numerics.exact_sums import Array
from outperform.storage.study_store import BlockNumbers, BlockPlace, StudyStore
from outperform.views import Differences


@dataclass(frozen=True, slots=True)
class RecordPlan:
    """A design, run on the first `n` items of each dataset; the others are thrown out (N-28)."""

    design: Design
    n: int

    def __str__(self) -> str:
        return f"{self.design} of {self.n}"


@dataclass(frozen=True, eq=False)
class Recorded:
    """What one plan gave, shape (datasets, splits), splits in the order of their addresses."""

    plan: RecordPlan
    first: Array
    """Scores of the first learner."""
    second: Array
    discordant: Array
    """The share of test items that just one of the two had right."""

    @property
    def n_train(self) -> int:
        return int(self.plan.design.sizes(self.plan.n).n_train[0])

    @property
    def n_test(self) -> int:
        return int(self.plan.design.sizes(self.plan.n).n_test[0])


@dataclass(frozen=True, eq=False)
class Records:
    """The scores of every split by every plan, as `record` returns them.

    Attributes
    ----------
    plans : dict
        Design and number of items of each plan.
    n_reps : int
        Number of datasets.
    store : StudyStore
        Where the scores are kept.

    Examples
    --------
    >>> import outperform as op
    >>> from reproduction.score_records import record
    >>> from sklearn.dummy import DummyClassifier
    >>> contest = op.lab.Contest(op.lab.SixClasses(), DummyClassifier(), DummyClassifier(), 30)
    >>> found = record(contest, {"folds": "3cv"}, n_reps=2, random_state=0, progress=False)
    >>> found["folds"].first.shape
    (2, 3)
    """

    plans: dict[str, RecordPlan]
    n_reps: int
    store: StudyStore

    @cached_property
    def _numbers(self) -> Array:
        shape = 3, sum(plan.design.n_splits() for plan in self.plans.values())
        return np.concatenate(list(self.store.blocks(0, shape)), axis=-1)

    def __getitem__(self, name: str) -> Recorded:
        if name not in self.plans:
            raise DataError(f"{name!r} was not recorded; use one of {', '.join(self.plans)}")
        begin = 0
        for other, plan in self.plans.items():
            end = begin + plan.design.n_splits()
            if other == name:
                first, second, discordant = self._numbers[:, begin:end].transpose(0, 2, 1)
                return Recorded(plan, first, second, discordant)
            begin = end
        raise AssertionError


def record(
    contest: Contest,
    plans: Mapping[str, Any],
    *,
    n_reps: int,
    random_state: int,
    n_jobs: int | None = None,
    store: Any = None,
    progress: Any = None,
) -> Records:
    """Run both learners of a contest on datasets by every plan and keep all scores.

    Losses must be right or wrong. The same seed gives the same bits whatever `n_jobs` is.

    Parameters
    ----------
    contest : Contest
        Source and learners.
    plans : mapping
        Names mapped to a design, or to a pair of a design and how many items of each dataset it
        uses.
    n_reps : int
        Number of datasets.
    random_state : int
        Seed.
    n_jobs : int, optional
        Number of workers; -1 uses all cores. It does not change the result.
    store : path, optional
        Keeps the results; a run that was stopped goes on from there.
    progress : bool or callable, optional
        Progress as for `run`.

    Returns
    -------
    Records
        Scores of all plans.

    Examples
    --------
    >>> import outperform as op
    >>> from reproduction.score_records import record
    >>> from sklearn.dummy import DummyClassifier
    >>> contest = op.lab.Contest(op.lab.SixClasses(), DummyClassifier(), DummyClassifier(), 30)
    >>> record(contest, {"folds": "3cv"}, n_reps=2, random_state=0, progress=False).n_reps
    2
    """
    planned = {name: _planned(plan, contest.n) for name, plan in plans.items()}
    n_reps, seed = whole(n_reps, "n_reps", 1), whole(random_state, "random_state", 0)
    about = {
        "scenario": fingerprint(contest),
        "effects": [0.0],
        "n_reps": n_reps,
        "seed": seed,
        "block": contest.block,
        "plans": [[name, str(plan)] for name, plan in planned.items()],
    }
    splits = sum(plan.design.n_splits() for plan in planned.values())
    kept = StudyStore(store, about, 8 * 3 * splits * n_reps)
    fill(kept, _RecordBlocks(contest, planned, seed), n_reps, n_jobs, progress)
    return Records(planned, n_reps, kept)


def _planned(plan: Any, n: int) -> RecordPlan:
    design, items = plan if isinstance(plan, tuple) else (plan, n)
    if not 2 <= whole(items, "the items of a plan", 2) <= n:
        raise DataError(f"a plan needs {items} items, but only {n} are available")
    return RecordPlan(parse_drawn(design, "a study"), items)


@dataclass(frozen=True, slots=True)
class _RecordBlocks:
    """What a worker needs to fill any block."""

    scenario: Contest
    plans: dict[str, RecordPlan]
    seed: int
    effects: tuple[float, ...] = (0.0,)

    def block(self, place: BlockPlace, size: int) -> tuple[BlockNumbers, list[Any]]:
        """Draw datasets and run both learners on each, plan by plan."""
        seed = block_seed(self.seed, *place)
        found = []
        for experiment in range(size):
            data = self.scenario.dataset(stream(seed, SAMPLE, experiment))
            parts = []
            for plan in self.plans.values():
                key = Reading(Differences, plan.design).key
                own = int(stream(seed, key, experiment).integers(1 << 31))
                parts.append(self._splits(data, plan, own))
            found.append(np.concatenate(parts, axis=1))
        return np.stack(found, axis=-1), []

    def _splits(self, data: Dataset, plan: RecordPlan, random_state: int) -> Array:
        """Return first, second, discordant × splits."""
        rows = np.arange(plan.n)
        X, y = (take_rows(part, rows) for part in (data.X, data.y))
        second = None if data.X_second is None else take_rows(data.X_second, rows)
        scores = self.scenario.scores(Dataset(X, y, second), plan.design, random_state)
        items = scores.items
        if items is None or items.loss != "zero-one":
            raise DataError("records need losses of 0 and 1; leave out `scoring`")
        differs = np.asarray(items.values[0] != items.values[1], dtype=np.float64)
        n_test = np.bincount(items.split, minlength=scores.n_splits)
        share = np.bincount(items.split, differs, minlength=scores.n_splits) / n_test
        return np.stack([scores.values[0], scores.values[1], share])
