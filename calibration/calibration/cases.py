"""The cases on which tests for differences are measured: one table of nulls, and of tests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Literal

import numpy as np

from outperform.errors import DataError, did_you_mean
from outperform.lab.certificates import Loss
from outperform.lab.scenarios import POPULATIONS, Dataset, Generator, Pool, Source
from outperform.lab.tested import Tested

from .batch_contests import BatchContest
from .batch_learners import (
    BatchBayes,
    BatchNeighbor,
    BatchSelector,
    BatchStump,
    Predictions,
)
from .batch_linear import BatchLDA, BatchLinear, BatchLogistic
from .batch_penalties import BatchL1, BatchSVM, BatchTunedRidge
from .batch_trees import BatchC45, BatchTrees
from .fold_labels import FoldLabels

Kind = Literal["core", "mirror", "pool", "adversary"]
CORE, WANTED, OTHER = 4300, 1000, 200
"""Experiments of a case: of the gated core, of any other, and the least with which it is judged."""


ECONOMY, THOROUGH = "5x5cv+20halves", "10x5cv+40halves"
STRICT = (("strict", True),)
TESTS = (
    Tested("calibrated_t", ECONOMY),
    Tested("calibrated_t", THOROUGH),
    Tested("calibrated_t", ECONOMY, STRICT),
    Tested("calibrated_t", THOROUGH, STRICT),
    Tested("half_sample_t", ECONOMY, half=True),
    Tested("half_sample_t", THOROUGH, half=True),
    Tested("corrected_t", "10x10cv"),
    Tested("corrected_t", "30xresampled@1/3"),
    Tested("corrected_t", "10cv"),
    Tested("conservative_z", "10x15halves@1/10", costly=True),
    Tested("averaged_t", "10*10cv", costly=True),
    Tested("five_by_two_t", "5x2cv"),
    Tested("five_by_two_f", "5x2cv"),
    Tested("kfold_t", "10cv"),
    Tested("single_fold_t", "10cv"),
    Tested("repeated_kfold_t", "10x10cv"),
    Tested("resampled_t", "30xresampled@1/3"),
    Tested("mcnemar", "holdout@1/3"),
    Tested("mcnemar", "holdout@1/3", (("variant", "mid-p"),)),
    Tested("proportions", "holdout@1/3"),
    Tested("paired_t", "holdout@1/3"),
    Tested("quasi_f", "8disjoint@50/test200", least=600),
)
"""Every procedure of ours that compares two learners by splits of one dataset, or by a hold-out."""


@dataclass(frozen=True, slots=True)
class RegressionMirror:
    """A null that is exact for every regressor: y depends alike on two sets of features."""

    n_features: int = 10
    weights: tuple[float, ...] = (1.0, 0.5)
    noise: float = 1.0
    name: ClassVar[str] = "mirror for regression"
    delta: ClassVar[float | None] = 0.0

    def draw(self, n: int, rng: Generator) -> Dataset:
        sides = rng.standard_normal((2, n, self.n_features))
        signal = sides[..., : len(self.weights)] @ np.array(self.weights)
        y = signal.sum(axis=0) + self.noise * rng.standard_normal(n)
        return Dataset(sides[0], y, sides[1])


@dataclass(frozen=True, slots=True)
class Duplicated:
    """A source of which every item occurs twice: items are not independent."""

    source: Source
    delta: ClassVar[float | None] = 0.0

    @property
    def name(self) -> str:
        return f"{self.source.name}, every item twice"

    def draw(self, n: int, rng: Generator) -> Dataset:
        once = self.source.draw(-(-n // 2), rng)
        at = rng.permutation(np.repeat(np.arange(once.n), 2)[:n])
        second = None if once.X_second is None else once.X_second[at]
        return Dataset(once.X[at], once.y[at], second)


@dataclass(frozen=True, slots=True)
class BatchSwitch:
    """Naive Bayes on few items, the selector on many: the variance of halves says nothing of it."""

    most: int = 120
    name: ClassVar[str] = "naive Bayes up to 120 items, then a selector"

    def predict(self, X: Any, y: Any, folds: FoldLabels) -> Predictions:
        found = BatchBayes().predict(X, y, folds)
        many = (folds.labels[0] >= 0).sum(axis=-1) > self.most
        if many.any():
            chosen = FoldLabels(folds.labels[:, many], folds.n_folds)
            found[:, many] = BatchSelector().predict(X, y, chosen)
        return found


BATCH: dict[str, Any] = {
    "bayes": BatchBayes(),
    "neighbor": BatchNeighbor(),
    "selector": BatchSelector(),
    "stump": BatchStump(),
    "knn": BatchNeighbor(5),
    "lda": BatchLDA(),
    "l2": BatchLogistic(),
    "pipeline": BatchBayes(best=2),
    "linear": BatchLinear(),
    "lasso": BatchLinear(0.2),
    "switch": BatchSwitch(),
    "svm": BatchSVM(),
    "l1": BatchL1(),
    "tuned": BatchTunedRidge(),
    "tree": BatchTrees("tree, not pruned"),
    "pruned": BatchTrees("tree, pruned by cost", penalty=0.02),
    "c45": BatchC45(),
    "forest": BatchTrees("forest of 10 trees", 10, few=True),
    "boosting": BatchTrees("boosting, 10 trees of depth 2", 10, depth=2, rate=0.1),
    "rtree": BatchTrees("regression tree"),
    "rforest": BatchTrees("regression forest of 10 trees", 10),
}
"""Learners that are trained on all splits at once, by the algorithms of scikit-learn's."""
TREES = (BatchTrees, BatchC45)


SOURCES: dict[str, Source] = {
    **POPULATIONS,
    "R": RegressionMirror(),
    "AA": Duplicated(POPULATIONS["A"]),
}
POOLS = {"cancer": "load_breast_cancer", "digits": "load_digits", "diabetes": "load_diabetes"}
"""Data that come with scikit-learn, as populations; of digits the question is: below 5?"""


@cache
def source_named(name: str) -> Source:
    if name in SOURCES:
        return SOURCES[name]
    from sklearn import datasets

    X, y = getattr(datasets, POOLS[name])(return_X_y=True)
    return Pool(X, (y < 5).astype(int) if name == "digits" else y, name=name)


@dataclass(frozen=True)
class CalibrationCase:
    """A hypothesis that is true, on which tests are measured."""

    learner: str
    population: str
    n: int
    kind: Kind = "mirror"
    loss: Loss = "0/1"
    second: str = ""
    """Another learner, on a pool; else both are copies of one."""

    @property
    def name(self) -> str:
        return "-".join([*filter(None, (self.learner, self.second)), *self._where("")])

    @property
    def key(self) -> str:
        """What its seeds belong to."""
        return "-".join([*filter(None, (self.learner, self.second)), *self._where("-")])

    def _where(self, between: str) -> list[str]:
        loss = [] if self.loss in ("0/1", "squared") else [self.loss]
        return [f"{self.population}{between}{self.n}", *loss]

    @property
    def title(self) -> str:
        """What a table calls it."""
        names = dict.fromkeys(each.name for each in self.learners)
        loss = "" if self.loss == "0/1" else f", {self.loss}"
        return f"{' vs. '.join(names)}, {self.population}, {self.n}{loss}"

    @property
    def target(self) -> int:
        return CORE if self.kind == "core" else WANTED

    @property
    def learners(self) -> tuple[Any, Any]:
        return BATCH[self.learner], BATCH[self.second or self.learner]

    @property
    def tests(self) -> tuple[Tested, ...]:
        """Tests that apply: costly ones where fits are cheap, those of counts with 0/1 loss."""
        return tuple(one for one in TESTS if self._has(one))

    def _has(self, one: Tested) -> bool:
        from outperform.lab.scenarios import reading
        from outperform.views import Contingency, Crossed, ItemDifferences

        if one.costly and any(isinstance(each, TREES) for each in self.learners):
            return False
        view = reading(one.method, one.design).view
        if self.n < one.least or (
            self.loss == "AUC" and view in (Contingency, Crossed, ItemDifferences)
        ):
            return False
        return view is not Contingency or (self.loss == "0/1" and self.kind != "pool")

    def contest(self) -> BatchContest:
        """Return what draws its experiments."""
        source = source_named(self.population)
        return BatchContest(source, *self.learners, n=self.n, loss=self.loss)


def _cases() -> Iterator[CalibrationCase]:
    case = CalibrationCase
    for learner, population, sizes in (
        ("bayes", "A", (60, 200, 600)),
        ("neighbor", "A", (60, 200, 600)),
        ("selector", "B", (60, 200, 600)),
        ("stump", "B", (60, 200)),
        ("bayes", "C", (200,)),
    ):
        yield from (case(learner, population, n, "core") for n in sizes)
    yield case("switch", "B", 200, "adversary")
    yield case("bayes", "AA", 200, "adversary")
    yield case("neighbor", "AA", 200, "adversary")
    yield case("stump", "B", 30, "adversary")
    for learner, population in (("selector", "C"), ("stump", "A"), ("bayes", "B")):
        yield case(learner, population, 200)
    yield case("stump", "B", 600)
    for n, population in ((60, "A"), (200, "B"), (600, "B")):
        yield from (case(learner, population, n) for learner in ("knn", "lda", "pipeline", "l2"))
        for learner in ("linear", "lasso", "knn"):
            yield case(learner, "R", n, loss="squared")
    for learner in ("bayes", "lda", "l2"):
        yield from (case(learner, "A", n, loss="log") for n in (200, 60, 600))
        # With fewer items a fold may have one class only.
        yield from (case(learner, "B", n, loss="AUC") for n in (400, 600))
    yield case("bayes", "cancer", 60, "pool", second="pruned")
    yield case("knn", "digits", 200, "pool", second="bayes")
    yield case("linear", "diabetes", 100, "pool", loss="squared", second="rtree")
    for n, population in ((60, "A"), (200, "B"), (600, "B")):
        for learner in ("svm", "l1", "tuned", "tree", "pruned", "c45", "boosting", "forest"):
            yield case(learner, population, n)
        yield case("rtree", "R", n, loss="squared")
        yield case("rforest", "R", n, loss="squared")


CASES = {case.name: case for case in _cases()}
"""All cases, cheap and small ones first."""


def case_named(name: str) -> CalibrationCase:
    if name not in CASES:
        raise DataError(f"Unknown case {name!r}; {did_you_mean(name, tuple(CASES))}")
    return CASES[name]
