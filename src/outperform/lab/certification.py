"""`certify`: how far the verdicts of tests can be trusted for one's own learners and data."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .. import validation
from ..designs import Design
from ..designs.splitting import whole
from ..engine.environment import same_random_state
from ..engine.progress import Progress
from ..errors import DataError, did_you_mean
from ..numerics.exact_sums import Array
from ..registry import get
from ..results.evidence import Pivot
from ..views import Contingency
from .calibration_cases import TESTS, Tested
from .calibration_runs import (
    PAIRED,
    CountedTest,
    evidence_at,
    pvalues,
    repartitioned,
    tallied,
)
from .calibration_runs import n_train as size_of
from .fitted_contests import FittedContest
from .fold_views import FoldOutcomes, Loss, largest_of, outcomes_of, shown
from .scenarios import Pool, Reading, reading, stream
from .studies import asked_methods
from .study_results import StudiedMethod
from .truth import Mean, mean_of

if TYPE_CHECKING:
    from ..engine.estimators import Estimator

Null = Literal["shift", "damaged"]
Decision = Literal["holds", "exceeds", "unclear", "undecided"]
Stopped = Literal["decided", "time", "experiments"]
HONEST, INFLATED, ERROR = 0.05, 0.08, 0.05
"""Two sizes, and how often Wald's sequential test may take one for the other: what it finds is that
a size is below the second, or that it is above the first."""
METHODS = (
    ("calibrated_t", "5x5cv+20halves"),
    ("corrected_t", "10x10cv"),
    ("mcnemar", "holdout@1/3"),
)
LOSSES: dict[str, Loss] = {
    "accuracy": "0/1",
    "neg_log_loss": "log",
    "roc_auc": "AUC",
    "neg_mean_squared_error": "squared",
}
PRIOR = 1.0, 9.0
"""Sizes near 10 % are expected: the interval is narrowest there, and covers everywhere."""
POINTS: tuple[float, ...] = (0.01, 0.02, 0.05)
SHARES = (0.05, 0.1, 0.2)
"""Differences at which power is measured: of accuracies and areas, and as shares of a loss."""
DAMAGE = 2
"""The stream of the predictions that are exchanged."""
HALF = {one.method for one in TESTS if one.half}


@dataclass(slots=True)
class CertifiedTest:
    """What was counted of one test under one null, and what the sequential test says of it.

    Datasets that are a share of the pool vary less than new ones would. So rejections are counted
    twice: as they are, and with differences enlarged as if all their variation were that of items
    drawn without replacement. The size on new data is between the two.
    """

    label: str
    null: Null
    counts: CountedTest
    enlarged: int = 0
    """Rejections at 5 % with enlarged differences."""

    @property
    def decision(self) -> Decision:
        """What both counts say: "holds" by the larger, "exceeds" by the smaller.

        It is "unclear" if they contradict each other: more experiments would not change that.
        """
        n = self.counts["experiments"]
        least, most = decided(self.counts["at_5"], n), decided(self.enlarged, n)
        if least == "exceeds" or most == "holds":
            return least if least == "exceeds" else most
        return "unclear" if (least, most) == ("holds", "exceeds") else "undecided"

    @property
    def size(self) -> float:
        return self.counts["at_5"] / self.counts["experiments"]

    @property
    def size_high(self) -> float:
        return self.enlarged / self.counts["experiments"]

    @property
    def interval(self) -> tuple[float, float]:
        """An interval of the size on new data, which holds whenever measuring stops.

        It reaches from the lower end for one count to the upper end for the other.
        """
        n = self.counts["experiments"]
        return always_valid(self.counts["at_5"], n)[0], always_valid(self.enlarged, n)[1]

    @property
    def power(self) -> tuple[float, ...] | None:
        """Power at the three differences; None of a test that only knows the null."""
        trials = self.counts["shifted"]
        return tuple(self.counts[f"power_{k}"] / trials for k in (1, 2, 3)) if trials else None

    @property
    def agreement(self) -> float | None:
        """How often a second partition of the same dataset gives the same verdict.

        At the second of the differences, or at the null where a test knows no other.
        """
        pairs = self.counts["pairs"]
        if not pairs:
            return None
        apart = bool(self.counts["shifted"])
        return self.counts["same_2"] / (2 * pairs) if apart else self.counts["same_0"] / pairs


@dataclass(frozen=True, eq=False, slots=True)
class Certificate:
    """How tests behave on datasets like these; prints as a short page.

    Attributes
    ----------
    names : tuple of str
        The two learners.
    n : int
        Items in each dataset.
    pool_size : int
        Items that represent the population.
    loss : str
        What learners are compared by: "0/1", "log", "squared" or "AUC".
    differences : tuple of float
        The differences at which power was measured.
    truth : dict
        The difference of the learners in the population, by training size.
    tests : tuple
        One row for each test and null.
    seconds : float
        How long it took.
    stopped : str
        Why it stopped: "decided", "time" or "experiments".
    seed : int
        The seed of the experiments.

    Examples
    --------
    >>> import outperform as op
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from tempfile import TemporaryDirectory
    >>> X, y = load_iris(return_X_y=True)
    >>> learners = {"bayes": GaussianNB(), "prior": DummyClassifier()}
    >>> found = op.certify(learners, X, y, methods=["kfold_t"], n=40, n_reps=4, n_truth=4)
    >>> [row["decision"] for row in found.to_dict()["tests"]]
    ['undecided', 'undecided']
    >>> with TemporaryDirectory() as folder:
    ...     path = found.report(folder + "/trust.html")
    >>> path.name
    'trust.html'
    >>> figure = found.plot(width="narrow")
    """

    names: tuple[str, str]
    n: int
    pool_size: int
    loss: Loss
    differences: tuple[float, ...]
    truth: dict[int, Mean]
    tests: tuple[CertifiedTest, ...]
    seconds: float
    stopped: Stopped
    seed: int

    def to_dict(self) -> dict[str, Any]:
        """Return what was measured in the vocabulary of `--json`.

        Returns
        -------
        dict
            Settings, the truth, and one row for each test and null.
        """
        return {
            "schema": "outperform/certificate/1",
            "names": list(self.names),
            "n": self.n,
            "pool": self.pool_size,
            "loss": self.loss,
            "differences": list(self.differences),
            "truth": [
                {"n_train": size, "estimate": found.mean, "stderr": found.stderr}
                for size, found in self.truth.items()
            ],
            "tests": [
                {
                    "test": row.label,
                    "null": row.null,
                    "experiments": row.counts["experiments"],
                    "rejected": row.counts["at_5"],
                    "size": row.size,
                    "size_high": row.size_high,
                    "low": row.interval[0],
                    "high": row.interval[1],
                    "decision": row.decision,
                    "power": None if row.power is None else list(row.power),
                    "agreement": row.agreement,
                }
                for row in self.tests
            ],
            "stopped": self.stopped,
            "seed": self.seed,
        }

    def report(self, path: Any, *, force: bool = False) -> Any:
        """Write the page "How far can this verdict be trusted here?" and return its path.

        Parameters
        ----------
        path : str or Path
            Where the page goes; its name ends in .html.
        force : bool
            Overwrite an existing file.

        Returns
        -------
        Path
            The file that was written.
        """
        from ..report.html import certificate_page

        return certificate_page.write(self, path, force=force)

    def plot(self, **options: Any) -> Any:
        """Plot the size of each test with its interval, beside the 5 % that it states.

        Parameters
        ----------
        **options : object
            `theme` ("light", "dark") and `width` ("wide", "narrow").

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        from ..report.figures import curves

        return curves.draw_certificate(self, **options)

    def __str__(self) -> str:
        from ..report import certificate_text

        return certificate_text.text(self)


def decided(hits: int, n: int) -> Decision:
    """Say whether a size is below 8 %, above 5 %, or neither is known yet."""
    ratio = hits * math.log(INFLATED / HONEST) + (n - hits) * math.log(
        (1 - INFLATED) / (1 - HONEST)
    )
    bound = math.log((1 - ERROR) / ERROR)
    return "exceeds" if ratio >= bound else "holds" if ratio <= -bound else "undecided"


def always_valid(hits: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Return an interval of a rate that covers it at all times together with this probability.

    It holds the rates at which a Beta(1, 9) prior's density is less than 1 / (1 − level) times the
    posterior's: that ratio is a martingale at the true rate, so it rarely ever grows so large
    (Waudby-Smith & Ramdas, 2020). An interval for a fixed number would be too narrow here, where
    counts decide when to stop.
    """
    from scipy.special import betaln

    a, b = PRIOR
    most = math.log(1 / (1 - level)) + float(betaln(a, b) - betaln(a + hits, b + n - hits))

    def inside(p: float) -> bool:
        return -(hits * math.log(p)) - (n - hits) * math.log1p(-p) < most

    rate = min(max(hits / n, 1e-12), 1 - 1e-12)
    ends = []
    for far in (0.0, 1.0):
        near = rate
        for _ in range(60):
            middle = (near + far) / 2
            if not 0 < middle < 1:
                break
            near, far = (middle, far) if inside(middle) else (near, middle)
        ends.append(near)
    low, high = ends
    return 0.0 if hits == 0 else low, 1.0 if hits == n else high


def certify(
    learners: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    methods: Any = None,
    scoring: str | None = None,
    n: int | None = None,
    differences: Sequence[float] | None = None,
    minutes: float | None = None,
    n_reps: int = 1000,
    n_truth: int = 200,
    random_state: int = 0,
    progress: Any = None,
) -> Certificate:
    """Measure how far a verdict on these learners and data can be trusted.

    Items of X represent the population: datasets are drawn from them, both learners are run on
    each, and each test is applied to hypotheses that are known to be true. The *shift* null is the
    difference that the learners have in the population; for the *damaged* null (0/1 loss) a share
    of the better learner's predictions is exchanged until both are equal. Measuring stops when a
    sequential test has found of each size that it is below 8 % or that it is above 5 %.

    Parameters
    ----------
    learners : mapping
        Two unfitted learners by name.
    X : array-like or frame
        The items.
    y : array-like
        Their targets.
    methods : list, optional
        Names, or pairs of a name and a design, as `study` takes them; by default the calibrated and
        the corrected t-test and, with 0/1 loss, McNemar's.
    scoring : str, optional
        "accuracy" (the default for classifiers), "neg_log_loss", "roc_auc" or
        "neg_mean_squared_error" (the default for regressors).
    n : int, optional
        Items in each dataset; by default a third of the items, at least 10 and at most 300.
    differences : sequence of three numbers, optional
        Where power is measured.
    minutes : float, optional
        Stop after so many minutes, whatever is known then; at most half of them go into the
        difference in the population. Two datasets for that and a first block of four experiments
        are finished in any case.
    n_reps : int
        Experiments at most.
    n_truth : int
        Datasets that settle the difference in the population, unless time is short.
    random_state : int
        The seed.
    progress : bool or callable, optional
        Show progress on stderr, or pass a function to receive it; shown by default.

    Returns
    -------
    Certificate
        Sizes with intervals, power and agreement of each test, and what they apply to.

    Examples
    --------
    >>> import outperform as op
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> found = op.certify(
    ...     {"bayes": GaussianNB(), "prior": DummyClassifier()}, X, y,
    ...     methods=[("corrected_t", "5cv")], n=40, n_reps=8, n_truth=10,
    ... )
    >>> found.stopped, [row.label for row in found.tests]
    ('experiments', ['corrected_t 5cv', 'corrected_t 5cv'])
    """
    began = time.monotonic()
    minutes = None if minutes is None else validation.one_number(minutes, "minutes")
    if minutes is not None and not minutes > 0:
        raise DataError(f"The 'minutes' parameter must be a positive number, got {minutes!r}.")
    seed = whole(random_state, "random_state", 0)
    contest, names = _contest(learners, X, y, scoring, n)
    tests = [_tested(one) for one in asked_methods(METHODS if methods is None else methods)]
    if contest.loss != "0/1":
        tests = _that_shift(tests, refuse=methods is not None)
    given = _checked(differences)
    sizes = _sizes(tests, contest.n)
    n_reps, n_truth = whole(n_reps, "n_reps", 1), whole(n_truth, "n_truth", 2)
    half, until = (None, None) if minutes is None else (began + 30 * minutes, began + 60 * minutes)
    n_fits = 2 * len(sizes) * n_truth + _n_fits(contest, tests, -(-n_reps // contest.block))
    with Progress(progress, n_fits) as told, same_random_state():
        watch = _Watch(told, until)
        contest = replace(contest, fitted=watch)
        lost = contest.pool_losses(sizes, n_truth, seed, half)
        truth = {size: mean_of(at[:, 1] - at[:, 0]) for size, at in zip(sizes, lost, strict=True)}
        usual = POINTS
        if contest.loss not in ("0/1", "AUC"):
            usual = tuple(share * float(lost[-1, :, 0].mean()) for share in SHARES)
        apart = given or usual
        nulls = dict(_nulls(contest, sizes, lost))
        if "damaged" not in nulls:
            tests = _that_shift(tests, refuse=methods is not None)
        watch.await_block(_n_fits(contest, tests, 1))
        found, stopped = measured(contest, tests, nulls, truth, apart, n_reps, seed, watch)
        told.total = told.done
    pool: Any = contest.source
    return Certificate(
        names,
        contest.n,
        pool.n,
        contest.loss,
        apart,
        truth,
        found,
        time.monotonic() - began,
        stopped,
        seed,
    )


class _TimeIsUp(Exception):
    """Ends a block that would not be counted in time."""


class _Watch:
    """Counts fits for the progress bar; once a block is counted, it stops one when time is up."""

    def __init__(self, told: Progress, until: float | None) -> None:
        self.told, self.until = told, until
        self.most, self.least, self.counted = told.total, 0, 0

    def __call__(self) -> None:
        self.told.add(1)
        if self.until is None:
            return
        left = self.until - time.monotonic()
        if left < 0 and self.counted:
            raise _TimeIsUp
        likely = self.told.done + round(self.told.state.rate * max(left, 0.0))
        self.told.total = min(self.most, max(self.least, likely))

    def await_block(self, n_fits: int) -> None:
        """Expect so many fits whatever the time, since without a block there is no answer."""
        self.least = self.told.done + n_fits


Change = Callable[[FoldOutcomes, np.random.SeedSequence], FoldOutcomes]


def measured(
    contest: Any,
    tests: Sequence[Tested],
    nulls: Mapping[Null, Change],
    truth: Mapping[int, Mean],
    apart: Sequence[float],
    n_reps: int,
    random_state: int,
    watch: _Watch | None = None,
) -> tuple[tuple[CertifiedTest, ...], Stopped]:
    """Run blocks of experiments until every size is decided, or time or experiments are used up."""
    rows = {
        (one, null): CertifiedTest(one.label, null, CountedTest())
        for one in tests
        for null in nulls
        if null == "damaged" or _shifts(one)
    }
    for block in range(-(-n_reps // contest.block)):
        try:
            _add_block(contest, rows, nulls, truth, apart, block, random_state)
        except _TimeIsUp:
            return tuple(rows.values()), "time"
        if all(row.decision != "undecided" for row in rows.values()):
            return tuple(rows.values()), "decided"
        if watch is not None:
            watch.counted += 1
    return tuple(rows.values()), "experiments"


def _add_block(
    contest: Any,
    rows: Mapping[tuple[Tested, Null], CertifiedTest],
    nulls: Mapping[Null, Change],
    truth: Mapping[int, Mean],
    apart: Sequence[float],
    block: int,
    random_state: int,
) -> None:
    """Run one block of experiments, some of them over two partitions, and count what tests say."""
    seed = np.random.SeedSequence(random_state, spawn_key=(block,))
    data = contest.datasets(contest.block, seed)
    readings = list(dict.fromkeys(_reading(one) for one, _ in rows))
    seeds = [seed] if block % PAIRED else [seed, repartitioned(seed)]
    views: dict[Null, list[dict[Reading, Any]]] = {null: [] for null in nulls}
    for each in seeds:
        found = outcomes_of(contest, readings, data, each)
        for null, change in nulls.items():
            changed: dict[str, tuple[Design, FoldOutcomes]] = {
                family: (design, change(outcome, each))
                for family, (design, outcome) in found.items()
            }
            views[null].append(shown(readings, changed))
    share = contest.n / contest.source.n
    for (one, null), row in rows.items():
        at = truth[size_of(one, contest.n)].mean if null == "shift" else 0.0
        seen = [each[_reading(one)] for each in views[null]]
        row.counts.add(block, tallied([pvalues(one, view, at, apart) for view in seen]))
        row.enlarged += int((enlarged(evidence_at(one, seen[0], at), share) < 0.05).sum())


def enlarged(evidence: Any, share: float) -> Array:
    """Return p-values as if estimates varied as those of new datasets do at most.

    The mean of items drawn without replacement has 1 − share of the variance that it has for new
    items. What is not linear in the items, and the noise of partitions, shrink less, so that this
    is an upper bound.
    """
    shrunk = math.sqrt(1 - share)
    if isinstance(evidence, Pivot):
        return np.asarray(replace(evidence, stderr=evidence.stderr * shrunk).pvalue())
    from scipy.special import ndtr, ndtri

    return np.asarray(2 * ndtr(ndtri(np.asarray(evidence.pvalue()) / 2) / shrunk))


def _sizes(tests: Sequence[Tested], n: int) -> list[int]:
    """Return the training sizes that tests are about, and the others of their designs.

    Of sizes that differ by one item, because folds do, one stands for both.
    """
    found = {size_of(one, n) for one in tests}
    for one in tests:
        for size in np.unique(_reading(one).design.sizes(n).n_train).tolist():
            if all(abs(size - other) > 1 for other in found):
                found.add(size)
    return sorted(found)


def _that_shift(tests: Sequence[Tested], *, refuse: bool) -> list[Tested]:
    """Return the tests that answer any difference, where learners cannot be made equal.

    Others are left out, or refused if they were asked for.
    """
    others = [one.label for one in tests if not _shifts(one)]
    if others and refuse:
        raise DataError(
            f"{', '.join(others)} can only be measured where both learners can be made equal, "
            "which needs 0/1 loss and learners that are better than guessing. Leave it out, and "
            "use a method such as 'corrected_t'"
        )
    return [one for one in tests if _shifts(one)]


def _n_fits(contest: FittedContest, tests: Sequence[Tested], n_blocks: int) -> int:
    """Return how many fits so many blocks take, some of them over two partitions."""
    designs = largest_of([_reading(one) for one in tests]).values()
    n_partitions = n_blocks + -(-n_blocks // PAIRED)
    return 2 * contest.block * n_partitions * sum(each.n_splits(contest.n) for each in designs)


def _reading(one: Tested) -> Reading:
    return reading(one.method, one.design)


def _shifts(one: Tested) -> bool:
    """Tell whether a test answers any difference, not only 0."""
    return _reading(one).view is not Contingency


def _tested(one: StudiedMethod) -> Tested:
    design = one.design or str(get(one.method).published_design)
    return Tested(one.method, design, one.options, half=one.method in HALF)


def _contest(
    learners: Mapping[str, Any], X: Any, y: Any, scoring: str | None, n: int | None
) -> tuple[FittedContest, tuple[str, str]]:
    """Return the contest of two learners on datasets of a pool, checked."""
    from ..engine.estimators import read_learners

    read = read_learners(learners)
    if len(read) != 2:
        raise DataError(
            f"A certificate needs exactly two learners, got {len(read)}. Pass them by name, as in "
            '{"tree": tree, "bayes": bayes}'
        )
    first, second = read
    pool = Pool(X, y, name=f"{first.name} vs. {second.name}")
    classes = _are_classifiers(read, pool.y)
    if not (scoring is None or isinstance(scoring, str)):
        raise DataError(
            f"The 'scoring' parameter must be one of {', '.join(map(repr, LOSSES))} here, got "
            f"{type(scoring).__name__}."
        )
    asked = scoring or ("accuracy" if classes else "neg_mean_squared_error")
    if asked not in LOSSES:
        raise DataError(f"Unknown scoring {scoring!r} here; {did_you_mean(asked, tuple(LOSSES))}")
    if not classes and LOSSES[asked] != "squared":
        raise DataError(f"{asked} needs two classifiers. Use scoring='neg_mean_squared_error'")
    if LOSSES[asked] == "AUC" and (k := np.unique(np.asarray(pool.y)).size) != 2:
        raise DataError(
            f"roc_auc needs exactly two classes in y, got {k}. Use scoring='neg_log_loss'"
        )
    if pool.n < 20:
        raise DataError(f"At least 20 items are needed for a certificate, got {pool.n}")
    usual = max(10, min(300, pool.n // 3))
    size = usual if n is None else whole(n, "n", 10)
    if not 10 <= size <= pool.n // 2:
        raise DataError(
            f"The dataset size must be between 10 and half of the {pool.n} items, so that items "
            f"remain for testing, got {size}. Pass n={usual}"
        )
    contest = FittedContest(
        pool,
        partial(_fresh, first),
        partial(_fresh, second),
        n=size,
        loss=LOSSES[asked],
        names=(first.name, second.name),
    )
    return contest, (first.name, second.name)


def _are_classifiers(learners: Sequence[Estimator], y: Any) -> bool:
    """Tell by what learners say of themselves; by the targets where none does."""
    from ..engine.scoring import kind_of

    said = {kind for one in learners if (kind := kind_of(one.prototype)) is not None}
    if said:
        return said == {"classifier"}
    from sklearn.utils.multiclass import type_of_target

    return not str(type_of_target(y)).startswith("contin")


def _fresh(learner: Estimator, seed: int, n: int) -> Any:
    """Return a clone with a seed, to which draws from the global generators belong, too."""
    np.random.seed(seed)  # noqa: NPY002
    random.seed(seed)
    return learner.fresh(seed)


def _checked(differences: Sequence[float] | None) -> tuple[float, ...] | None:
    if differences is None:
        return None
    found = validation.numbers(list(differences), "differences").ravel()
    if found.size != 3 or (found <= 0).any():
        raise DataError(
            "The 'differences' parameter must be three positive numbers, got "
            f"{list(differences)!r}. Pass for example differences=(0.01, 0.02, 0.05)"
        )
    return tuple(float(each) for each in sorted(found))


def _nulls(contest: FittedContest, sizes: Sequence[int], lost: Array) -> list[tuple[Null, Change]]:
    """Return how each null changes what learners did; learners that cannot be made equal have one.

    An exchanged prediction that was right is wrong; one that was wrong is right with chance
    1 / (k − 1). The error is linear in the share that is exchanged, so one division settles it.
    """
    found: list[tuple[Null, Change]] = [("shift", lambda outcomes, seed: outcomes)]
    pool: Any = contest.source
    if contest.loss != "0/1":
        return found
    k = np.unique(np.asarray(pool.y)).size
    rates: dict[int, tuple[int, float]] = {}
    for size, means in zip(sizes, lost.mean(axis=1), strict=True):
        better = int(means[1] < means[0])
        slope = 1 - means[better] - means[better] / (k - 1)
        rate = (means[1 - better] - means[better]) / slope if slope > 0 else 2.0
        if rate > 1:
            return found
        rates[size] = better, float(rate)
    found.append(("damaged", lambda outcomes, seed: _damaged(outcomes, rates, k, seed)))
    return found


def _damaged(
    outcomes: FoldOutcomes,
    rates: Mapping[int, tuple[int, float]],
    k: int,
    seed: np.random.SeedSequence,
) -> FoldOutcomes:
    """Exchange the share of the better learner's predictions that makes both equal."""
    folds = outcomes.folds
    trained = np.repeat(folds.members, folds.n_folds, axis=1) - folds.tested
    known = sorted(rates)
    # Folds of unequal size train on an item more or less than the size that was measured.
    near = [min(known, key=lambda size: abs(size - count)) for count in trained.sum(axis=-1)[0]]
    sides = [outcomes.first, outcomes.second]
    rng = stream(seed, DAMAGE, folds.n_folds)
    for side in (0, 1):
        by_fold = np.array([rates[size][1] if rates[size][0] == side else 0.0 for size in near])
        at_items = folds.at_items(np.broadcast_to(by_fold, (len(sides[side]), by_fold.size)))
        hit = rng.random(at_items.shape) < at_items
        righted = rng.random(at_items.shape) < 1 / (k - 1)
        sides[side] = np.where(hit, ~(sides[side] & righted), sides[side])
    return replace(outcomes, first=sides[0], second=sides[1])
