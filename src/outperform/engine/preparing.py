"""A run before it begins: data read, splits drawn, metrics bound, learners made ready."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .. import validation
from ..designs import CalibratedKFold, Design, parse
from ..designs.splitting import class_codes, whole
from ..errors import DataError, argument
from ..notes import Note
from ..storage import Store
from ..storage.responses import classes_of
from .answers import Keeping, read_keep
from .default_design import default_plan
from .estimators import Estimator, read_learners
from .fitting import Job
from .given_splits import read_given
from .halves_check import check_halves
from .learning_data import Data, named_columns, read_data
from .metadata import assign, read_metadata
from .scoring import Metric, bind_all, kind_of
from .split_plan import SplitPlan, check_size, draw_plan, is_given, oddities
from .time_order import time_notes


@dataclass(frozen=True, eq=False, slots=True)
class PreparedRun:
    """Learners, data and splits of a run, of which nothing is fitted yet."""

    estimators: list[Estimator]
    data: Data
    job: Job
    metrics: list[Metric]
    notes: list[Note]
    store: Any
    dataset: str | None = None
    """Its name, where it is one of several."""

    @property
    def names(self) -> list[str]:
        return [estimator.name for estimator in self.estimators]

    @property
    def n_fits(self) -> int:
        return len(self.estimators) * len(self.job.splits)


def prepare(
    learners: Any,
    X: Any,
    y: Any,
    *,
    admit: Callable[[Design], object] | None = None,
    usual: str | None = None,
    design: Any = None,
    scoring: Any = None,
    random_state: int | None = None,
    store: Any = None,
    groups: Any = None,
    params: Mapping[str, Any] | None = None,
    time_limit: float | None = None,
    confirm_large: bool = False,
    keep: Any = None,
    dataset: str | None = None,
    judged: str | None = None,
) -> PreparedRun:
    """Read what `run` is given; `admit` may refuse the design before anything is fitted.

    `usual` is the design used where none is given, if it is not the default of all runs, and
    `judged` the metric that is read afterwards.
    """
    if time_limit is not None and not validation.one_number(time_limit, "time_limit") > 0:
        raise DataError(
            f"The 'time_limit' parameter must be a positive number of seconds, got {time_limit}"
        )
    estimators = read_learners(learners)
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
    _check_judged(judged, [one.title for one in metrics])
    metric, *others = metrics
    metadata = None
    if params is not None or groups is not None:
        metadata = read_metadata(params, groups, X, n)
        for one in metrics:
            said += tuple(assign(estimators, metadata, one.scorer))
    keeping = None if store is keep is None else read_keep(keep, data.y, stored=store is not None)
    if store is None and plan.design.kind == "holdout" and any(m.is_area(data.y) for m in metrics):
        keeping = Keeping(classes_of(data.y), always=())
    job = Job(
        data.table,
        data.y,
        metric.truth(data.y),
        metric,
        plan,
        time_limit,
        metadata,
        tuple((other, other.truth(data.y)) for other in others),
        keeping,
    )
    notes = [*taken, *data.notes, *notes, *plan.notes, *said]
    notes += oddities(plan, data.y, classes=check(plan))
    if hasattr(X, "columns"):
        notes += time_notes(X, plan.design)

    return PreparedRun(estimators, data, job, metrics, notes, store, dataset)


def _seed(random_state: int | None, store: Any) -> tuple[int, list[Note]]:
    """Return the seed; without one, that of the store to be resumed, or a new one."""
    if random_state is not None:
        return whole(random_state, "random_state", 0), []
    if store is not None and _is_there(store):
        with Store.open(store, mode="read") as kept:
            return kept.experiment.seed, []
    seed = secrets.randbits(31)
    return seed, [Note("OP504", f"The seed {seed} was drawn; pass it to reproduce this run.")]


def _check_judged(judged: str | None, titles: list[str]) -> None:
    """Refuse a metric that the run would not measure."""
    if judged is not None and judged not in titles:
        raise DataError(
            "The 'metric' parameter must be one of the metrics of the run, "
            f"{', '.join(map(repr, titles))}, got {judged!r}. To measure it too, pass "
            f"{argument(scoring=[*titles, judged])}"
        )


def _is_there(store: Any) -> bool:
    from pathlib import Path

    try:
        return Path(store).stat().st_size > 0
    except (OSError, TypeError, ValueError):  # the store itself says what is wrong
        return False
