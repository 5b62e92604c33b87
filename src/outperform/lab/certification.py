"""`certify`: how far the verdicts of tests can be trusted for one's own learners and data."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import validation
from ..designs import parse
from ..designs.splitting import whole
from ..engine.environment import pinned, same_random_state
from ..engine.progress import Progress, span
from ..engine.scoring import bind, kind_of
from ..errors import DataError, argument, did_you_mean, either
from ..views import Contingency
from .certificates import Certificate, CertifiedTest, Loss, Stopped
from .certified_nulls import Draw, Null, least_pvalues, nulls_of, pool_losses, views_of
from .contests import Contest
from .scenarios import Pool, Reading, reading
from .studies import asked_methods
from .study_results import StudiedMethod
from .tested import (
    PAIRED,
    Mean,
    Tested,
    evidence_at,
    labelled,
    mean_of,
    pvalues,
    repartitioned,
    tallied,
)
from .tested import n_train as size_of

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
POINTS: tuple[float, ...] = (0.01, 0.02, 0.05)
SHARES = (0.05, 0.1, 0.2)
"""Differences at which power is measured: of accuracies and areas, and as shares of a loss."""
TOO_SLOW = 60.0
"""Seconds that a first block may take at least, whatever the limit."""
CHEAPER = Tested("corrected_t", "10cv")
"""What is offered where a block of the methods that were asked for takes too long."""
HALF = {"half_sample_t"}
"""Methods about training on half the items."""


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
    of the better learner's predictions is exchanged until both are equal. Stops when a sequential
    test has found each size to be below 8 %, above 5 %, or unclear.

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
        are finished in any case; if they would take far longer, that is an error. Interrupted
        later, as by Ctrl-C, the measurement returns what is known.
    n_reps : int
        Experiments at most, rounded up to blocks of four.
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
        raise DataError(f"The time limit must be a positive number of minutes, got {minutes!r}.")
    seed = whole(random_state, "random_state", 0)
    contest, names = _own_contest(learners, X, y, scoring, n)
    loss = LOSSES[contest.scoring]
    tests = [_tested(one) for one in asked_methods(METHODS if methods is None else methods)]
    asked = [one.label for one in tests]
    if loss != "0/1":
        tests = _measurable(tests, refuse=methods is not None)
    given = _checked(differences)
    sizes = _sizes(tests, contest.n)
    n_reps, n_truth = whole(n_reps, "n_reps", 1), whole(n_truth, "n_truth", 2)
    half, until = (None, None) if minutes is None else (began + 30 * minutes, began + 60 * minutes)
    n_fits = 2 * len(sizes) * n_truth + _n_fits(contest, tests, -(-n_reps // contest.block))
    with Progress(progress, n_fits) as shown_to, same_random_state(), pinned():
        block, least = (_n_fits(contest, each, 1) for each in (tests, [CHEAPER]))
        limit = _TimeLimit(shown_to, until, 4 * len(sizes), block, least)
        lost = pool_losses(contest, names, sizes, n_truth, seed, limit, half)
        truth = {size: mean_of(at[:, 1] - at[:, 0]) for size, at in zip(sizes, lost, strict=True)}
        usual = POINTS
        if loss not in ("0/1", "AUC"):
            usual = tuple(share * float(lost[-1, :, 0].mean()) for share in SHARES)
        apart = given or usual
        nulls = nulls_of(contest, sizes, lost)
        if "damaged" not in nulls:
            tests = _measurable(tests, refuse=methods is not None)
        draw = partial(views_of, contest, names, nulls, limit)
        found, stopped = measured(
            contest, draw, tests, list(nulls), truth, apart, n_reps, seed, limit
        )
        shown_to.total = shown_to.done
    pool: Any = contest.source
    done = lost.shape[1]
    return Certificate(
        names=names,
        n=contest.n,
        pool_size=pool.n,
        loss=loss,
        differences=apart,
        truth=truth,
        tests=found,
        seconds=time.monotonic() - began,
        stopped=stopped,
        seed=seed,
        n_truth=done,
        cut_short=done < n_truth or stopped == "time",
        alike=bool((lost[:, :, 0] == lost[:, :, 1]).all()),
        omitted=tuple(label for label in asked if label not in {one.label for one in tests}),
    )


def _own_contest(
    learners: Mapping[str, Any], X: Any, y: Any, scoring: str | None, n: int | None
) -> tuple[Contest, tuple[str, str]]:
    """Return the contest of two learners on datasets of n of these items, and their names."""
    from ..engine.estimators import read_learners
    from ..engine.learning_data import named_columns, read_data

    read = read_learners(learners)
    if len(read) != 2:
        raise DataError(
            f"A certificate needs exactly two learners, got {len(read)}. Pass two by name, as in "
            '{"tree": tree, "bayes": bayes}'
        )
    first, second = read
    X, y, *_ = named_columns(X, y, None)
    data = read_data(X, y, None)
    if data.y.ndim > 1:
        raise DataError(
            f"y has {data.y.shape[1]} columns, but a certificate needs one target for each item. "
            "Pass one column at a time"
        )
    pool = Pool(data.table, data.y, name=f"{first.name} vs. {second.name}")
    metric = _metric({one.name: one.prototype for one in read}, data.y, scoring)
    if pool.n < 20:
        raise DataError(f"At least 20 items are needed for a certificate, got {pool.n}")
    usual = max(10, min(300, pool.n // 3))
    size = usual if n is None else whole(n, "n", 10)
    if not 10 <= size <= pool.n // 2:
        raise DataError(
            f"The dataset size must be between 10 and half of the {pool.n} items, so that items "
            f"remain for testing, got {size}. Pass {argument(n=usual)}"
        )
    names = (first.name, second.name)
    made = first.prototype, second.prototype
    return Contest(pool, *made, n=size, scoring=metric), names


def _metric(learners: Mapping[str, Any], y: Any, scoring: Any) -> str:
    """Return what learners are compared by: as a run would, of what can be certified."""
    if not (scoring is None or isinstance(scoring, str)):
        raise DataError(
            f"The 'scoring' parameter must be one of {', '.join(map(repr, LOSSES))} here, got "
            f"{type(scoring).__name__}."
        )
    if scoring is not None and scoring not in LOSSES:
        raise DataError(f"Unknown scoring {scoring!r} here; {did_you_mean(scoring, tuple(LOSSES))}")
    for name, learner in learners.items():
        if scoring and LOSSES[scoring] != "squared" and kind_of(learner) == "regressor":
            raise DataError(
                f"{name!r} is a regressor, but {scoring!r} needs classifiers; use "
                f"{argument(scoring='neg_mean_squared_error')}"
            )
    # Of single items: where a run would take r2, squared errors are taken.
    metric = bind(scoring, learners, y, 1)[0].name
    if LOSSES[metric] == "squared":
        return metric
    k = np.unique(y).size
    if k < 2:
        raise DataError(f"y must have at least two classes, got {k}.")
    if LOSSES[metric] == "AUC" and k != 2:
        raise DataError(
            f"roc_auc needs exactly two classes in y, got {k}. Use "
            f"{argument(scoring='neg_log_loss')}"
        )
    return metric


class _TimeIsUp(Exception):
    """Ends a block that would not be counted in time."""


class _TimeLimit:
    """Keeps to a time limit, fit by fit, and shows progress.

    Fits that settle the truth of two datasets come `first`, and tell how long fits take. One block
    of so many fits is run whatever the time, since without it there is no answer; if that takes far
    too long, it is refused. Later ones are stopped when time is up.
    """

    def __init__(
        self, progress: Progress, until: float | None, first: int, block: int, least: int
    ) -> None:
        self.progress, self.until = progress, until
        self.first, self.block, self.least = first, block, least
        self.began, self.n_planned, self.in_fits = time.monotonic(), progress.total, 0.0
        self.has_block = False

    def __call__(self, seconds: float) -> None:
        self.progress.add(1)
        if self.until is None:
            return
        now = time.monotonic()
        left, done = self.until - now, self.progress.done
        if left < 0 and self.has_block:
            raise _TimeIsUp
        self.in_fits += seconds
        if done == self.first:
            self._refuse_slow(self.in_fits / done)
        likely = done + round(done / max(now - self.began, 1e-9) * left)
        self.progress.total = min(self.n_planned, max(self.first + self.block, likely))

    def _refuse_slow(self, each: float) -> None:
        """Refuse a block that takes too long by its fits alone, whatever predictions take."""
        limit = (self.until or 0.0) - self.began
        most, seconds = max(2 * limit, TOO_SLOW), self.block * each
        if seconds < most:
            return
        ways = f"Allow more time: {argument(minutes=math.ceil(2 * seconds / 60))}"
        if self.least < self.block and self.least * each < most:
            label = f"{CHEAPER.method} {CHEAPER.design}"
            fewer = either(
                python=f"methods=[({CHEAPER.method!r}, {CHEAPER.design!r})]",
                typed=f"--methods '{label}'",
            )
            ways += f"; or measure a method that needs fewer fits: {fewer}"
        raise DataError(
            f"One block of experiments needs {self.block:,} fits, at least {span(seconds)} here, "
            f"but the limit is {span(limit)}. {ways}"
        )


def measured(
    contest: Any,
    draw: Draw,
    tests: Sequence[Tested],
    nulls: Sequence[Null],
    truth: Mapping[int, Mean],
    apart: Sequence[float],
    n_reps: int,
    random_state: int,
    limit: _TimeLimit | None = None,
) -> tuple[tuple[CertifiedTest, ...], Stopped]:
    """Run blocks of experiments until every size is decided, or time or experiments are used up."""
    rows = {
        (one, null): CertifiedTest(one.label, null)
        for one in tests
        for null in nulls
        if null == "damaged" or _shifts(one)
    }
    for block in range(-(-n_reps // contest.block)):
        try:
            found = _block(contest, draw, list(rows), truth, apart, block, random_state)
        except _TimeIsUp:
            return tuple(rows.values()), "time"
        except KeyboardInterrupt:
            if not block:
                raise
            return tuple(rows.values()), "interrupted"
        for asked, (counts, at_most) in found.items():
            rows[asked].add(block, counts, at_most)
        if all(row.decision != "undecided" for row in rows.values()):
            return tuple(rows.values()), "decided"
        if limit is not None:
            limit.has_block = True
    return tuple(rows.values()), "experiments"


def _block(
    contest: Any,
    draw: Draw,
    asked: Sequence[tuple[Tested, Null]],
    truth: Mapping[int, Mean],
    apart: Sequence[float],
    block: int,
    random_state: int,
) -> dict[tuple[Tested, Null], tuple[npt.NDArray[np.int64], int]]:
    """Run one block of experiments, some of them over two partitions, and count what tests say."""
    seed = np.random.SeedSequence(random_state, spawn_key=(block,))
    readings = list(dict.fromkeys(_reading(one) for one, _ in asked))
    partitions = [seed] if block % PAIRED else [seed, repartitioned(seed)]
    views = [draw(readings, seed, splits) for splits in partitions]
    share, counts = contest.n / contest.source.n, {}
    for one, null in asked:
        at = truth[size_of(one, contest.n)].mean if null == "shift" else 0.0
        seen = [each[null][_reading(one)] for each in views]
        # Not-a-number fails the comparison: without a p-value there was a rejection at most.
        least = least_pvalues(evidence_at(one, seen[0], at), share)
        p = [pvalues(one, view, at, apart) for view in seen]
        counts[one, null] = tallied(p), int((~(least >= 0.05)).sum())
    return counts


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


def _measurable(tests: Sequence[Tested], *, refuse: bool) -> list[Tested]:
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


def _n_fits(contest: Contest, tests: Sequence[Tested], n_blocks: int) -> int:
    """Return how many fits so many blocks take, some of them over two partitions."""
    designs = dict.fromkeys(_reading(one).design for one in tests)
    n_partitions = n_blocks + -(-n_blocks // PAIRED)
    return 2 * contest.block * n_partitions * sum(each.n_splits(contest.n) for each in designs)


def _reading(one: Tested) -> Reading:
    return reading(one.method, one.design)


def _shifts(one: Tested) -> bool:
    """Tell whether a test answers any difference, not only 0."""
    return _reading(one).view is not Contingency


def _tested(one: StudiedMethod) -> Tested:
    if one.design is not None:
        labelled(parse(one.design))
    design = str(reading(one.method, one.design).design)
    return Tested(one.method, design, one.options, half=one.method in HALF)


def _checked(differences: Sequence[float] | None) -> tuple[float, ...] | None:
    if differences is None:
        return None
    found = np.asarray(differences)
    # Not-a-number fails the comparison.
    if (
        found.dtype.kind not in "iuf"
        or found.shape != (3,)
        or not (found > 0).all()
        or np.isinf(found).any()
    ):
        raise DataError(
            "The 'differences' parameter must be three positive numbers, got "
            f"{differences!r}. Pass for example differences=(0.01, 0.02, 0.05)"
        )
    return tuple(float(each) for each in sorted(found))
