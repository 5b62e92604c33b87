"""The tests measured on a user's own learners and data, the data standing for a population.

Two ways make a hypothesis that is true: ask about the difference that the population has (shift),
or damage the better learner until both are equal (damaged; D-43, D-47).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from .. import validation
from ..designs.splitting import whole
from ..errors import DataError, MethodError, OutperformError, argument
from ..registry import get
from .contests import Contest
from .populations import DesignedPopulation
from .scenarios import Pool, least_size, reading
from .studies import asked_methods, study
from .study_results import Rates, StudiedMethod, Study, Undefined, law_of
from .truth import Mean, learner_errors, mean_of

Null = Literal["shift", "damaged"]
METHODS = (
    ("kfold_t", "10cv"),
    ("five_by_two_t", "5x2cv"),
    ("resampled_t", "30xresampled@1/3"),
    ("corrected_t", "30xresampled@1/3"),
    ("mcnemar", "holdout@1/3"),
)
"""The default methods, with 51 splits in all."""
TESTED = 5000
"""Items on which a model is tested to learn the truth; more of a large pool buys little."""


class Equal(NamedTuple):
    """How two learners were made equal at a training size."""

    damaged: int
    """The place of the learner that was damaged, 0 or 1."""
    rate: float
    """The share of its predictions that are exchanged."""
    gap: Mean
    """The difference that is left, measured on datasets of its own."""


@dataclass(frozen=True, slots=True)
class AtSizes:
    """A learner damaged for each training size, as a `Contest` takes it."""

    learner: Any
    rates: tuple[tuple[int, float], ...]

    def __call__(self, effect: float, n_train: int) -> Any:
        from .contests import Damaged

        rate = dict(self.rates)[n_train]
        return Damaged(self.learner, rate) if rate else self.learner


@dataclass(frozen=True, eq=False, slots=True)
class OwnStudy:
    """What the tests do on one's own learners and data where the hypothesis is true.

    Attributes
    ----------
    study : Study
        The study behind it.
    names : tuple[str, str]
        The two learners.
    null : {"shift", "damaged"}
        How the hypothesis was made true.
    pool_size : int
        Number of items of the population.
    n : int
        Number of items of a dataset.
    truth : dict[int, Mean]
        Accuracy of the first learner minus that of the second in the population, by training size.
    equal : dict[int, Equal]
        How the learners were made equal, by training size; empty for the shift null.
    left_out : tuple of str
        Methods that the shift null leaves out because they test Δ = 0 only, each with this reason.

    Examples
    --------
    >>> import outperform as op
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> found = op.lab.own_data_study(
    ...     {"bayes": GaussianNB(), "dummy": DummyClassifier()}, X, y,
    ...     methods=[("corrected_t", "3cv")], n=30, n_reps=5, n_truth=5, progress=False,
    ... )
    >>> found.sizes, len(found.rates()), len(found.sentences()) > 0, "rates" in found.to_dict()
    ({'corrected_t 3cv': 20}, 1, True, True)
    """

    study: Study
    names: tuple[str, str]
    null: Null
    pool_size: int
    n: int
    truth: dict[int, Mean]
    equal: dict[int, Equal]
    left_out: tuple[str, ...]

    @property
    def sizes(self) -> dict[str, int]:
        """The training size of each method's design."""
        return {one.label: _n_train(one, self.n) for one in self.study.asked}

    def rates(
        self, alpha: float = 0.05, *, level: float = 0.95, undefined: Undefined = "accept"
    ) -> Rates:
        """Return the Type I error of each test: the share of true null hypotheses it rejects.

        Parameters
        ----------
        alpha : float, default=0.05
            Significance level.
        level : float, default=0.95
            Confidence level of the Wilson intervals.
        undefined : {"accept", "reject"}, default='accept'
            How an experiment without a p-value (constant non-zero differences) counts.

        Returns
        -------
        RateTable
            One row for each method.
        """
        if self.null == "damaged":
            return self.study.rates(alpha, level=level, undefined=undefined)
        found = {}
        for size, truth in self.truth.items():
            rates = self.study.rates(alpha, mu0=truth.mean, level=level, undefined=undefined)
            for row in rates:
                if self.sizes[row.method] == size:
                    found[row.method] = row
        rows = tuple(found[label] for label in self.study.methods)
        return Rates(rows, f"rejected at α = {alpha:g} though true", level)

    def sentences(self) -> tuple[str, ...]:
        """Return what was measured and what it applies to, in sentences.

        Returns
        -------
        tuple of str
            The sentences.
        """
        first, second = self.names
        share = self.n / self.pool_size
        said = [
            f"The {self.pool_size:,} items represent the population; each experiment draws a "
            f"dataset of {self.n:,} items from them without replacement."
        ]
        for size, truth in self.truth.items():
            said.append(
                f"Accuracy of {first} minus that of {second} after training on {size:,} items: "
                f"{_signed(truth.mean)} (standard error {truth.stderr:.4f})."
            )
        for size, made in self.equal.items():
            said.append(
                f"At {size:,} items, {self.names[made.damaged]} has {made.rate:.2%} of its "
                "predictions replaced by other classes; the remaining difference is "
                f"{_signed(made.gap.mean)} (standard error {made.gap.stderr:.4f})."
            )
        said += [f"Omitted: {words}." for words in self.left_out]
        said.append(
            "These results apply to these learners on datasets of this size from data like these. "
            "They do not describe the tests on larger datasets, with other learners or on other "
            f"data. Since each dataset is {100 * share:.0f} % of the items, datasets vary less "
            "than new data would: a test that rejects 5 % of true null hypotheses on new data may "
            f"reject as few as {100 * least_size(share):.1f} % here."
        )
        return tuple(said)

    def to_dict(self, *, alpha: float = 0.05, undefined: Undefined = "accept") -> dict[str, Any]:
        """Return the rates and the truth as data for JSON.

        Parameters
        ----------
        alpha : float, default=0.05
            Significance level.
        undefined : {"accept", "reject"}, default='accept'
            How an experiment without a p-value (constant non-zero differences) counts.

        Returns
        -------
        dict
            Rates, names, sizes and true differences.
        """
        return {
            **self.study.to_dict(alpha=alpha, undefined=undefined),
            "names": list(self.names),
            "null": self.null,
            "pool": self.pool_size,
            "n_items": self.n,
            "truth": [
                {"n_train": size, "estimate": found.mean, "stderr": found.stderr}
                for size, found in self.truth.items()
            ],
            "equal": [
                {
                    "n_train": size,
                    "damaged": self.names[made.damaged],
                    "rate": made.rate,
                    "estimate": made.gap.mean,
                    "stderr": made.gap.stderr,
                }
                for size, made in self.equal.items()
            ],
            "rates": [row._asdict() for row in self.rates(alpha, undefined=undefined)],
            "left_out": list(self.left_out),
        }

    def __str__(self) -> str:
        return "\n".join([repr(self.rates()), *self.sentences()])


def own_data_study(
    learners: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    null: Null = "shift",
    methods: Any = METHODS,
    n: int | None = None,
    n_reps: int = 500,
    n_truth: int = 400,
    random_state: int = 0,
    n_jobs: int | None = None,
    store: Any = None,
    progress: Any = None,
) -> OwnStudy:
    """Measure the Type I error of tests for two learners, with one's own data as the population.

    Scores are accuracies.

    Parameters
    ----------
    learners : mapping of str to learner
        Two learners by name.
    X : array-like, sparse matrix or data frame
        Features, one row for each item.
    y : array-like
        Classes.
    null : {"shift", "damaged"}, default='shift'
        "shift" tests the hypothesis that the difference is the one in the population; "damaged"
        makes both learners equal by replacing predictions of the better one, and tests Δ = 0.
    methods : sequence, default=the usual methods
        Methods as for `study`.
    n : int, optional
        Number of items of a dataset; by default 300, or a third of the items if that is less.
    n_reps : int, default=500
        Number of experiments.
    n_truth : int, default=400
        Number of datasets that settle what is true in the population.
    random_state : int, default=0
        Seed.
    n_jobs : int, optional
        Number of workers; -1 uses all cores. It does not change the result.
    store : path, optional
        Keeps the results; a study that was stopped goes on from there.
    progress : bool or callable, optional
        Progress as for `run`.

    Returns
    -------
    OwnStudy
        Error rates of the methods.

    Examples
    --------
    >>> import outperform as op
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> found = op.lab.own_data_study(
    ...     {"bayes": GaussianNB(), "dummy": DummyClassifier()}, X, y,
    ...     methods=[("corrected_t", "3cv")], n=30, n_reps=5, n_truth=5, progress=False,
    ... )
    >>> len(found.rates()), found.names
    (1, ('bayes', 'dummy'))
    """
    validation.choice(null, "null", ("shift", "damaged"))
    names, pair = _two(learners)
    pool = Pool(X, y, name=f"{names[0]} vs. {names[1]}, own data")
    size = min(300, pool.n // 3) if n is None else whole(n, "n", 10)
    if not 10 <= size <= pool.n // 2:
        raise DataError(
            f"The dataset size must be between 10 and half of the {pool.n} items, so that items "
            f"remain for testing, got {size}. Pass n={pool.n // 3}"
        )
    asked = asked_methods(methods)
    left_out: tuple[str, ...] = ()
    if null == "shift":
        asked, left_out = _that_shift(asked)
    sizes = sorted({_n_train(one, size) for one in asked})
    measure = _Measure(pool, tuple(sizes), whole(n_truth, "n_truth", 2), random_state, n_jobs)
    errors = measure(pair)
    truth = {
        n_train: mean_of(errors[:, at, 1] - errors[:, at, 0]) for at, n_train in enumerate(sizes)
    }
    equal: dict[int, Equal] = {}
    contest = Contest(pool, *pair, n=size, scoring="accuracy")
    if null == "damaged":
        sides, equal = _made_equal(pair, measure, errors)
        contest = Contest(pool, *sides, n=size, scoring="accuracy")
    found = study(
        [(one.method, one.design, dict(one.options)) for one in asked],
        contest,
        n_reps=n_reps,
        random_state=random_state,
        n_jobs=n_jobs,
        store=store,
        progress=progress,
    )
    return OwnStudy(found, names, null, pool.n, size, truth, equal, left_out)


def _two(learners: Mapping[str, Any]) -> tuple[tuple[str, str], tuple[Any, Any]]:
    from sklearn.base import is_classifier

    if len(learners) != 2:
        raise DataError(
            f"A study compares two learners, got {len(learners)}. Pass them by name, as in "
            '{"tree": tree, "bayes": bayes}'
        )
    for name, learner in learners.items():
        if not is_classifier(learner):
            raise DataError(
                f"{name!r} is not a classifier, and this study compares accuracies. Write a "
                "source and use op.study(methods, op.lab.Contest(source, first, second, "
                "scoring=...))"
            )
    (one, first), (two, second) = learners.items()
    return (str(one), str(two)), (first, second)


def _signed(value: float) -> str:
    return f"{value:+.4f}".replace("-", "−")


def _n_train(one: StudiedMethod, n: int) -> int:
    return int(reading(one.method, one.design).design.sizes(n).n_train[0])


def _that_shift(
    asked: Sequence[StudiedMethod],
) -> tuple[tuple[StudiedMethod, ...], tuple[str, ...]]:
    """Keep the methods whose statistic answers any Δ; say of the others why not."""
    kept, left_out = [], []
    for one in asked:
        wanted = reading(one.method, one.design)
        try:
            view = DesignedPopulation(0.2).draw([wanted], 2, np.random.SeedSequence(0))[wanted]
            answers = law_of(get(one.method).on(view, **dict(one.options))) is not None
        except OutperformError:
            answers = False
        if answers:
            kept.append(one)
        else:
            left_out.append(f"{one.label} tests Δ = 0 only and needs the damaged null")
    if not kept:
        raise MethodError(
            f"{'; '.join(left_out)}. Pass {argument(null='damaged')}, or a method such as "
            "'corrected_t'"
        )
    return tuple(kept), tuple(left_out)


class _Measure(NamedTuple):
    """Errors of learners after training on datasets of the pool, tested on the rest of it."""

    pool: Pool
    sizes: tuple[int, ...]
    n_datasets: int
    random_state: int
    n_jobs: int | None

    def __call__(self, learners: Sequence[Any], *, salt: int = 0) -> Any:
        test = min(self.pool.n - max(self.sizes), TESTED)
        return learner_errors(
            self.pool,
            learners,
            sizes=self.sizes,
            test=test,
            n_datasets=self.n_datasets,
            random_state=self.random_state + (salt << 64),
            n_jobs=self.n_jobs,
        )


def _made_equal(
    pair: tuple[Any, Any], measure: _Measure, errors: Any
) -> tuple[tuple[AtSizes, AtSizes], dict[int, Equal]]:
    """Damage the better learner at each size as far as its error is below the other's.

    An exchanged prediction that was right is wrong; one that was wrong is right with chance
    1 / (k − 1). The error is linear in the rate, so one division settles it; what is left is
    measured on fresh datasets.
    """
    k = np.unique(np.asarray(measure.pool.y)).size
    rates: list[list[tuple[int, float]]] = [[], []]
    for at, size in enumerate(measure.sizes):
        mean = errors[:, at].mean(axis=0)
        better = int(mean[1] < mean[0])
        slope = 1 - mean[better] - mean[better] / (k - 1)
        rate = float((mean[1 - better] - mean[better]) / slope) if slope > 0 else 2.0
        if rate > 1:
            raise DataError(
                f"at {size} training items the errors are {mean[0]:.3f} and {mean[1]:.3f}: no "
                "amount of damage makes them equal, because the worse learner is worse than "
                f"guessing. Use {argument(null='shift')}"
            )
        rates[better].append((size, rate))
        rates[1 - better].append((size, 0.0))
    sides = AtSizes(pair[0], tuple(rates[0])), AtSizes(pair[1], tuple(rates[1]))
    equal = {}
    for at, size in enumerate(measure.sizes):
        one = measure._replace(sizes=(size,))
        left = one([side(0.0, size) for side in sides], salt=1)
        damaged = int(rates[1][at][1] > 0)
        gap = mean_of(left[:, 0, 1] - left[:, 0, 0])
        equal[size] = Equal(damaged, rates[damaged][at][1], gap)
    return sides, equal
