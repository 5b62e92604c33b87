"""Runs of the lab: splits fitted here, one after the other; what a learner raises is raised."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from ..designs.splitting import class_codes
from ..engine.environment import muffled, pinned, same_random_state, silent
from ..engine.estimators import Estimator, named_learners
from ..engine.fitting import Cell, Job, can_share, fitted, measured, together
from ..engine.given_splits import read_given
from ..engine.learning_data import read_data
from ..engine.outcomes import MemoryOutcomes
from ..engine.scoring import AREA, bind
from ..engine.split_plan import draw_plan, is_given
from ..errors import DataError
from ..scores.split_scores import Scores
from ..storage import Address, Outcome

AfterFit: TypeAlias = Callable[[float], object]
"""Called with the seconds that a fit took: it may count, or raise to stop."""


def scores_of(
    learners: Mapping[str, Any],
    X: Any,
    y: Any,
    design: Any,
    *,
    scoring: Any,
    random_state: int,
    after_fit: AfterFit | None = None,
) -> Scores:
    """Return the scores of a run, to the same bits, without its queue and its records."""
    prototypes, data = named_learners(learners), read_data(X, y, None)
    n = data.table.n
    if is_given(design):
        plan = read_given(design, X, y, None, None, n, random_state)
    else:
        classes = class_codes(data.y, n) if design.stratified else None
        plan = draw_plan(design, n, random_state, classes, None)
    metric, _ = bind(scoring, prototypes, data.y, int(plan.n_test.min()))
    job = Job(data.table, data.y, metric.truth(data.y), metric, plan)
    outcomes = MemoryOutcomes(list(prototypes), job)
    with same_random_state(), muffled(), pinned():
        for position, (name, prototype) in enumerate(prototypes.items()):
            cells = [Cell(position, address) for address in plan.addresses]
            found = _outcomes(job, Estimator(name, prototype), plan.addresses, after_fit)
            outcomes.keep(list(zip(cells, found, strict=True)))
    return replace(outcomes.scores(list(prototypes)), seed=random_state, target=data.y)


def _outcomes(
    job: Job, estimator: Estimator, addresses: list[Address], after_fit: AfterFit | None
) -> Iterator[Outcome]:
    """Yield what came of each split."""
    shared: list[Outcome] = []
    if len(addresses) > 1 and can_share(job, estimator):
        with suppress(Exception), silent():  # one by one, it is told which learner fails
            shared = together(job, estimator, addresses)
    for outcome in shared or (_outcome(job, estimator, address) for address in addresses):
        if after_fit is not None:
            after_fit(outcome.seconds)
        yield outcome


def _outcome(job: Job, estimator: Estimator, address: Address) -> Outcome:
    """Fit a split, and say which learner failed if it does."""
    train, test = job.splits.at(address)
    began = time.monotonic()
    try:
        with silent():
            model = fitted(job, estimator, address, train, _as_it_is)
            seconds = time.monotonic() - began
            return measured(job, model, test, _as_it_is).outcome(seconds)
    except Exception as error:
        if job.metric.name == AREA and _of_one_class(job.y[test]):
            raise DataError(
                "A test set has items of one class only, where AUC does not exist. Use larger "
                "datasets (a larger n), or a design with larger test sets, such as "
                "'30xresampled@1/3'"
            ) from error
        if job.metric.reads != "numbers" and _of_one_class(job.y[train]):
            raise DataError(
                f"A training set has items of one class only, on which {estimator.name!r} failed "
                f"({error}). Use larger datasets (a larger n)"
            ) from error
        error.add_note(f"Learner: {estimator.name}")
        raise


def _as_it_is(rows: Any) -> Any:
    return rows


def _of_one_class(y: Any) -> bool:
    return np.unique(y).size == 1
