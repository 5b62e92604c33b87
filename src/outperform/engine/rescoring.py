"""Rescoring: a metric computed from the responses that a store has kept, without a refit."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import DataError, argument
from ..scores.split_scores import OtherScores, Scores, SplitLosses
from ..storage import Address, Learner, Outcome, Store
from ..storage.responses import KINDS, classes_of
from .answers import NotKept, replayed
from .estimators import Estimator, identify
from .fitting import Job
from .scoring import Metric, bind, kind_of


class Answerer:
    """Answers for the models of one learner from what was kept of them."""

    def __init__(
        self,
        store: Store,
        learner: Learner,
        kind: str | None,
        methods: Collection[str],
        classes: npt.NDArray[Any] | None,
    ) -> None:
        self.kept = store.kept(learner, classes)
        self.kind, self.methods, self.classes = kind, methods, classes

    def measure(
        self, metric: Metric, address: Address, X: Any, y: Any, truth: npt.NDArray[Any]
    ) -> tuple[float, npt.NDArray[Any] | None] | None:
        """Return the score of a fit and its losses; None where it takes a refit."""
        found = {KINDS[kind]: one for kind, one in self.kept.at(address).items()}
        if not found:
            return None
        model = replayed(self.kind, self.methods, found, self.classes)
        try:
            return metric.measure(model, X, y, truth)
        except Exception as error:  # also by a scorer that asks for what only a model has
            if not isinstance(error, NotKept | DataError | AttributeError | ValueError | TypeError):
                raise
            return None


def rescore(
    store: Store, job: Job, learners: Sequence[Learner], estimators: Sequence[Estimator]
) -> int:
    """Score by the metrics of a run what was fitted before without them; return how many scores."""
    metrics = [(job.metric, np.asarray(job.truth)), *job.others]
    classes, y, n_made = classes_of(job.y), np.asarray(job.y), 0
    for learner, estimator in zip(learners, estimators, strict=True):
        answerer: Answerer | None = None
        for at, lacking in enumerate(store.unscored(learner)):
            if not lacking:
                continue
            metric, truth = metrics[at]
            if answerer is None:
                kind, methods = kind_of(estimator.prototype), methods_now(estimator)
                answerer = Answerer(store, learner, kind, methods, classes)
            made = []
            for address in lacking:
                began = perf_counter()
                test = job.splits.at(address)[1]
                rows, told = job.table.take(test), y.take(test, axis=0)
                found = answerer.measure(metric, address, rows, told, truth.take(test, axis=0))
                if found is not None:
                    score, losses = found
                    seconds = perf_counter() - began
                    made.append((address, Outcome(score + 0.0, seconds, losses, "ok")))
            store.add_scores(learner, at, made)
            n_made += len(made)
    return n_made


def methods_now(estimator: Estimator) -> list[str]:
    answers: Any = identify(estimator.name, estimator.prototype)[1]["answers"]
    return list(answers["methods"])


def for_metric(scores: Scores, name: str) -> Scores:
    """Return scores by a metric: one of the run, or one computed from what its store has kept."""
    if name in scores.metrics:
        return scores.for_metric(name)
    if scores.store is None or scores.target is None:
        return scores.for_metric(name)  # which says what there is
    y = scores.target
    with Store.open(scores.store, mode="read") as store:
        told = {who.name: (who, about) for who, about in store.described()}
        kinds = {one: _Kind(told[one][1].get("answers", {})) for one in scores.names}
        assert scores.n_test is not None
        metric, _ = bind(name, kinds, y, int(scores.n_test.min()))
        values, losses, tests = _computed(store, scores, told, metric, y)
    items = None
    if metric.loss is not None:
        entries = np.repeat(np.arange(len(tests)), [test.size for test in tests])
        items = SplitLosses(metric.loss, np.stack(losses), entries, np.concatenate(tests))
    found = OtherScores(metric.title, True, values, items)
    return replace(scores, more=(*scores.more, found)).for_metric(metric.title)


class _Kind:
    """Stands for a learner of a store where only its kind matters."""

    def __init__(self, answers: Mapping[str, Any]) -> None:
        self._estimator_type = answers.get("kind")
        self.methods = list(answers.get("methods", KINDS))


def _computed(
    store: Store,
    scores: Scores,
    told: Mapping[str, tuple[Learner, Mapping[str, Any]]],
    metric: Metric,
    y: npt.NDArray[Any],
) -> tuple[npt.NDArray[np.float64], list[Any], list[npt.NDArray[np.int64]]]:
    classes, truth = classes_of(y), metric.truth(y)
    addresses = [Address(*row) for row in scores.addresses.tolist()]
    tests = store.test_items(addresses)
    values = np.empty(scores.values.shape)
    losses: list[Any] = []
    for row, name in enumerate(scores.names):
        learner, about = told[name]
        kind = _Kind(about.get("answers", {}))
        answerer = Answerer(store, learner, kind._estimator_type, kind.methods, classes)
        each: list[Any] = []
        for column, (address, test) in enumerate(zip(addresses, tests, strict=True)):
            nothing = np.empty((test.size, 0))
            found = answerer.measure(metric, address, nothing, y[test], truth[test])
            if found is None:
                again = argument(scoring=[*scores.metrics, metric.title])
                raise DataError(
                    f"{scores.store!r} does not contain what {metric.title!r} needs for {name!r}. "
                    f"To fit it again, run the same again with {again}"
                )
            values[row, column] = found[0] + 0.0  # as a run writes it, without -0
            each.append(found[1])
        losses.append(np.concatenate(each) if metric.loss is not None else None)
    return values, losses, tests
