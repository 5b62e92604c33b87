"""Estimation: how good one learner is, with the standard error that its design allows.

The method is a look-up by design and loss, made before any score is seen (D-02, D-06, D-07):

| design | loss | estimate |
| --- | --- | --- |
| hold-out, leave-one-out | zero-one | binomial interval of the accuracy (D-02) |
| hold-out, leave-one-out | squared, absolute, log | mean over items, normal or t (D-12, D-13) |
| hold-out | area under the ROC curve | DeLong's standard error, interval on the logit scale |
| disjoint training sets | any | crossed analysis of variance, as in DELVE (D-06, D-13) |
| cross-validation, resampling | any | mean of the splits, corrected standard error (D-07, N-18) |
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from .. import validation
from ..designs import Design
from ..errors import DataError, MethodError, argument
from ..notes import Note
from ..numerics import exact_sums
from ..numerics.distributions import Normal, T
from ..numerics.exact_sums import ROUNDING, Array
from ..numerics.placements import area_difference, area_interval, placements
from ..procedures.accuracy_interval import accuracy_interval
from ..procedures.corrected_t import corrected_t
from ..results.evidence import Evidence, Inverted, Pivot, normal_tails
from ..results.result import Interval, versions
from ..scores.item_losses import metric_of
from ..scores.item_summary import scores_of
from ..scores.items import Items
from ..scores.split_scores import Scores
from ..scores.tested_items import ranked_items, train_sets_by_items
from ..views import Differences, ItemLosses, notes_on_items


@dataclass(frozen=True, slots=True)
class Components:
    """Variances of one item's score: what another training set, or another item, changes (D-06)."""

    training_set: float
    test_item: float
    residual: float
    """Interaction of both, with internal randomness."""
    n_training_sets: int
    n_test_items: int

    def to_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


def grand_mean(values: Array) -> tuple[Pivot, Components, list[Note]]:
    """Estimate the mean over new training sets and new items from I sets (rows) × J items.

    E[MSA] = σₑ² + Jσₐ² for sets, E[MSB] = σₑ² + Iσ_b² for items and E[MSE] = σₑ², so that the
    variance of the grand mean, σₐ²/I + σ_b²/J + σₑ²/(IJ), is estimated by
    (MSA + MSB − MSE)/(IJ), on Satterthwaite's degrees of freedom. A component below zero is taken
    as 0: then only the other mean square is left of the sum, or MSE if both are.
    """
    sets, items = values.shape
    if sets < 2 or items < 2:
        raise DataError(
            f"Variance components need at least 2 training sets and 2 test items, got {sets} and "
            f"{items}; use more of each, as in {argument(design='8disjoint@200')}"
        )
    mean, msa, msb, mse = mean_squares(values)
    a, b = (msa - mse) / items, (msb - mse) / sets
    free = sets - 1, items - 1, (sets - 1) * (items - 1)
    used = (msa * (a > 0), msb * (b > 0), mse * (1 - (a > 0) - (b > 0)))
    total = sum(used)
    stderr = 0.0 if is_rounding(values.ravel()) else math.sqrt(total / (sets * items))
    bottom = sum(part**2 / df for part, df in zip(used, free, strict=True))
    pivot = Pivot(mean, stderr, T(total**2 / bottom if bottom else free[2]), math.nan)
    notes = [
        Note("OP311", f"The variance of {what} was estimated below 0 and set to 0.")
        for what, size in (("training sets", a), ("test items", b))
        if size < 0 < stderr
    ]
    return pivot, Components(max(a, 0.0), max(b, 0.0), mse, sets, items), notes


def mean_squares(values: Array) -> tuple[float, float, float, float]:
    """Return the grand mean and the mean squares of rows, of columns and of what is left."""
    rows, columns = values.shape
    mean, centred = exact_sums.centre(values.ravel())
    table = centred.reshape(values.shape)
    of_row = exact_sums.row_means(table, single=True)
    of_column = exact_sums.row_means(table.T, single=True)
    rest = table - of_row[:, None] - of_column
    msa = columns * float(exact_sums.root_sum_squares(of_row)) ** 2 / (rows - 1)
    msb = rows * float(exact_sums.root_sum_squares(of_column)) ** 2 / (columns - 1)
    mse = float(exact_sums.root_sum_squares(rest.ravel())) ** 2 / ((rows - 1) * (columns - 1))
    return float(mean), msa, msb, mse


def is_rounding(values: Array) -> bool:
    """Tell whether values differ by no more than rounding at their scale."""
    centred = exact_sums.centre(values)[1]
    return bool(exact_sums.largest(centred) <= ROUNDING * exact_sums.largest(values))


SCHEMA = "outperform/estimate/1"
FITTED = (
    "the fitted model on new items: its standard error includes the choice of test items, but "
    "not of the training set"
)
FEW = 30
"""Items below which a mean of item losses gets a t interval, not a normal one (D-13, D-24)."""
ITEMS = ("holdout", "leave-one-out")
SPLITS = ("kfold", "repeated-kfold", "repeated-2fold", "resampled")


@dataclass(frozen=True, eq=False, slots=True)
class Estimate:
    """How good one learner is, as `estimate` returns it.

    Attributes
    ----------
    name : str
        Name of the learner.
    metric : str
        Name of the metric.
    method : str
        Name of the method that gave the standard error.
    design : Design
        The design that made the scores.
    n : int
        Number of splits or items behind the mean.
    evidence : Evidence
        What intervals are derived from.
    speaks_of : str
        What the estimate is an estimate of, and which variation its standard error includes.
    components : Components or None
        Variances due to training sets and test items, with disjoint training sets.
    seed : int or None
        Seed of the run, if known.
    notes : tuple of Note
        Notes on assumptions and on what was done.

    Examples
    --------
    >>> import outperform as op
    >>> found = op.estimate(op.Scores.from_arrays({"tree": [0.8, 0.7, 0.9]}, design="3cv"))
    >>> found.interval(0.9)
    Interval(low=0.5334430050084082, high=1.0665569949915916, level=0.9)
    >>> found.to_dict()["df"], len(found.to_json()) > 0
    (2.0, True)
    """

    name: str
    metric: str
    method: str
    design: Design
    n: int
    evidence: Evidence
    speaks_of: str
    components: Components | None = None
    seed: int | None = None
    notes: tuple[Note, ...] = field(default=())

    @property
    def estimate(self) -> float:
        """The mean score."""
        return float(self.evidence.estimate)

    @property
    def stderr(self) -> float | None:
        """The standard error; None if the scores do not vary."""
        value = self.evidence.stderr
        return None if value is None or not value else float(value)

    @property
    def df(self) -> float | None:
        """Degrees of freedom; None for normal and exact intervals."""
        found = getattr(getattr(self.evidence, "dist", None), "df", None)
        return None if found is None else float(found)

    def interval(self, level: float = 0.95) -> Interval | None:
        """Return the confidence interval.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level.

        Returns
        -------
        Interval or None
            None if the scores do not vary.
        """
        level = validation.fraction(level, "level")
        low, high = (float(end) for end in self.evidence.interval(level))
        return None if math.isnan(low) or math.isnan(high) else Interval(low, high, level)

    def to_dict(self, *, level: float = 0.95) -> dict[str, Any]:
        """Return the estimate as data for JSON.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level of the interval.

        Returns
        -------
        dict
            Estimate, standard error, interval and notes.
        """
        interval = self.interval(level)
        return {
            "schema": SCHEMA,
            "method": self.method,
            "names": [self.name],
            "metric": self.metric,
            "design": str(self.design),
            "n": self.n,
            "estimate": self.estimate,
            "stderr": self.stderr,
            "df": self.df,
            "low": None if interval is None else interval.low,
            "high": None if interval is None else interval.high,
            "level": level,
            "speaks_of": self.speaks_of,
            "components": None if self.components is None else self.components.to_dict(),
            "notes": [{"code": note.code, "text": note.text} for note in self.notes],
            "seed": self.seed,
            "versions": versions(),
        }

    def to_json(self, *, level: float = 0.95) -> str:
        """Return `to_dict` as JSON.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level of the interval.

        Returns
        -------
        str
            A JSON document.
        """
        return json.dumps(self.to_dict(level=level), ensure_ascii=False, allow_nan=False)

    def __float__(self) -> float:
        return self.estimate

    def __repr__(self) -> str:
        from ..report import estimate_text

        return estimate_text.estimate_line(self)

    def __str__(self) -> str:
        from ..report import estimate_text

        return estimate_text.estimate_block(self)


def estimate(
    learner_or_scores: Any,
    X: Any = None,
    y: Any = None,
    *,
    design: Any = None,
    learner: str | None = None,
    scoring: Any = None,
    random_state: int | None = None,
    n_jobs: int | None = None,
    store: Any = None,
    groups: Any = None,
    time_limit: float | None = None,
    fitted: bool = False,
) -> Estimate:
    """Estimate how good one learner is.

    Parameters
    ----------
    learner_or_scores : learner, mapping, Scores or Items
        A learner to run on X and y, or `Scores` or `Items` measured before.
    X : array-like, sparse matrix or data frame, optional
        Features, one row for each item.
    y : array-like or str, optional
        Target of each row, or the name of a column of X.
    design : str, Design or splitter, optional
        How the data are split. By default stratified 10-fold cross-validation, "10cv/stratified";
        with groups "10x10cv/grouped". "8disjoint@200" is for large samples.
    learner : str, optional
        Name of one of several learners.
    scoring : str or callable, optional
        A metric of scikit-learn. By default accuracy for classifiers and r2 for regressors.
    random_state : int, optional
        Seed. If None, one is drawn and kept with the scores.
    n_jobs : int, optional
        Number of workers; -1 uses all cores. It does not change the result.
    store : path, optional
        Keeps every result; the same call again resumes.
    groups : array-like or str, optional
        Group of each row, or a column of X; the rows of a group stay together.
    time_limit : float, optional
        Seconds allowed for each fit.
    fitted : bool, default=False
        The learner is a fitted model and X and y a test set: it predicts once.

    Returns
    -------
    Estimate
        The estimate with its standard error; `interval()` gives an interval at any level.

    Notes
    -----
    The default is the answer of Dietterich (1998) for small samples; it applies to training on 90 %
    of the data. Disjoint training sets are his answer for large samples. A hold-out set and
    `fitted=True` apply to one fitted model. The area under the ROC curve, with probabilities and
    the metric "roc_auc", has the standard error of DeLong, DeLong and Clarke-Pearson (1988) and an
    interval on the logit scale.

    Examples
    --------
    >>> import outperform as op
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> found = op.estimate(GaussianNB(), X, y, random_state=0)
    >>> round(found.estimate, 3)
    0.953
    """
    if isinstance(learner_or_scores, Items):
        learner_or_scores = _independent(learner_or_scores)
    if isinstance(learner_or_scores, Scores):
        validation.measured_already(
            X=X,
            y=y,
            scoring=scoring,
            random_state=random_state,
            n_jobs=n_jobs,
            store=store,
            groups=groups,
            time_limit=time_limit,
            fitted=fitted or None,
        )
        scores = learner_or_scores if design is None else learner_or_scores.made_by(design)
    else:
        from ..engine.running import run_admitted

        if design is None and groups is None and not fitted:
            design = "10cv/stratified"
        scores = run_admitted(
            learner_or_scores,
            X,
            y,
            design=design,
            scoring=scoring,
            random_state=random_state,
            n_jobs=n_jobs,
            store=store,
            groups=groups,
            time_limit=time_limit,
            fitted=fitted,
            admit=_way,
            usual="10x10cv",
        )
    name = _chosen(scores, learner)
    if len(set(scores.datasets or ())) > 1:
        raise DataError(
            f"These scores come from {len(set(scores.datasets or ()))} datasets; an estimate is "
            "for one. Select one dataset"
        )
    if scores.design is None:
        raise MethodError(
            "The design of these scores is unknown, and the standard error depends on it. Pass "
            f"it when they are built or read, for example {argument(design='10cv')}"
        )
    return _way(scores.design)(scores, name, scores.design)


def _chosen(scores: Scores, learner: str | None) -> str:
    if learner is not None:
        return scores.names[scores.index(learner)]
    if len(scores.names) > 1:
        raise DataError(
            f"{len(scores.names)} learners were passed, but an estimate is for one. Name it: "
            f"estimate(…, learner={scores.names[0]!r})"
        )
    return scores.names[0]


def _way(design: Design) -> Callable[[Scores, str, Design], Estimate]:
    if design.kind in ITEMS:
        return _of_test_set
    if design.kind in SPLITS:
        return _of_splits
    if design.kind == "disjoint":
        return _of_training_sets
    raise MethodError(
        f"No standard error of one learner's accuracy is known for {design}. "
        f"Use {argument(design='10cv/stratified')}, '30xresampled@1/10', '8disjoint@200' or "
        "'holdout@1/3'"
    )


def _independent(items: Items) -> Scores:
    """Return items as scores, where each counts on its own and stands for new ones."""
    if items.clusters is not None or items.population == "these" or items.preferences is not None:
        raise MethodError(
            "An estimate of one model treats items as independent, and as a sample of new ones. "
            "These come in clusters, are all there are, or are judgements of pairs. Compare two "
            "models with compare(items) instead."
        )
    return scores_of(items)


def _of_test_set(scores: Scores, name: str, design: Design) -> Estimate:
    ranked = scores.metric == "roc_auc" and scores.probabilities is not None
    return (_of_ranks if ranked else _of_items)(scores, name, design)


def _of_ranks(scores: Scores, name: str, design: Design) -> Estimate:
    """Judge by how one fitted model ranks the items of two classes: DeLong's variance."""
    positive, ranked = ranked_items(scores)
    if min(positive.sum(), (~positive).sum()) < 2:
        raise DataError("The standard error of an area needs at least 2 items of each class.")
    twice = placements(positive, ranked[scores.index(name)])
    area, stderr = (float(part) for part in area_difference(positive, twice))
    interval = Inverted(partial(_area_tails, area, stderr), partial(area_interval, area, stderr))
    flat = Note("OP102", f"The area is {area:g}: no standard error and no interval.")
    return Estimate(
        name,
        scores.metric,
        "delong",
        design,
        positive.size,
        Pivot(area, stderr, Normal(), math.nan, companion=interval if stderr else None),
        FITTED,
        seed=scores.seed,
        notes=(*scores.notes, Note("OP401"), *(() if stderr else (flat,))),
    )


def _area_tails(area: float, stderr: float, delta: Any) -> tuple[Any, Any]:
    """Return log p-values of (less, greater) against an area of δ, on the logit scale."""
    apart = math.log(area / (1 - area)) - np.log(delta / (1 - delta))
    return normal_tails(apart * area * (1 - area) / stderr)


def _of_items(scores: Scores, name: str, design: Design) -> Estimate:
    """Judge one fitted model by items it was not trained on (D-02; D-12, D-13 question 1)."""
    table = ItemLosses.of(scores, (name,))
    losses, notes = -table.values[:, 0], [*notes_on_items(scores), Note("OP401")]
    assert scores.items is not None
    if scores.items.loss == "zero-one":
        right = int(np.count_nonzero(losses == 0))
        evidence, method = accuracy_interval(right, losses.size).evidence, accuracy_interval.name
    else:
        evidence, method = _mean_of_items(-losses), "item_mean"
        if design.kind == "leave-one-out" and scores.items.loss == "squared":
            notes.append(_not_established(design))
    return Estimate(
        name,
        metric_of(scores.items.loss, scores.metric),
        method,
        design,
        losses.size,
        evidence,
        FITTED,
        seed=scores.seed,
        notes=(*scores.notes, *notes, *_flat(evidence)),
    )


def _mean_of_items(values: Array) -> Pivot:
    n = values.size
    if n < 2:
        raise DataError(f"{n} item was tested; a standard error needs at least 2")
    spread = float(exact_sums.standard_deviation(values))
    stderr = 0.0 if is_rounding(values) else spread / math.sqrt(n)
    return Pivot(
        float(exact_sums.mean(values)), stderr, T(n - 1) if n < FEW else Normal(), math.nan
    )


def _of_splits(scores: Scores, name: str, design: Design) -> Estimate:
    """Average splits whose training sets overlap, with the variance widened for it (D-07, N-18)."""
    view, of = Differences.of(scores, name), getattr(design, "of", design)
    evidence = corrected_t.on(view)
    loss = None if scores.items is None else scores.items.loss
    notes = [_not_established(design)] if loss == "squared" else []
    if scores.n_train is None or scores.n_test is None:
        trained = "on as many items as the splits left for training"
    else:
        tested, left = float(exact_sums.mean(scores.n_test)), float(exact_sums.mean(scores.n_train))
        trained = f"on {left:.4g} items"
        if design.kind != "resampled" or getattr(of, "train", None) is None:
            trained += f", {100 * left / (left + tested):.0f} % of the data"
    return Estimate(
        name,
        scores.metric,
        corrected_t.name,
        design,
        view.n_splits,
        evidence,
        f"the learning algorithm trained {trained}: its standard error includes the choice of "
        "training and test items, widened by n_test/n_train because training sets overlap",
        seed=scores.seed,
        notes=(*scores.notes, *notes, *_flat(evidence)),
    )


def _of_training_sets(scores: Scores, name: str, design: Design) -> Estimate:
    """Average disjoint training sets × common test items (D-06; D-13 question 5)."""
    losses = train_sets_by_items(scores, name)
    assert scores.items is not None
    loss = scores.items.loss
    values = 1 - losses if loss == "zero-one" else -losses
    evidence, parts, notes = grand_mean(values)
    return Estimate(
        name,
        metric_of(loss, scores.metric),
        "delve",
        design,
        values.size,
        evidence,
        f"the learning algorithm trained on {_size(scores, design)} items: its standard error "
        "includes the choice of training sets and of test items",
        parts,
        scores.seed,
        (*scores.notes, *notes_on_items(scores), *notes, *_flat(evidence)),
    )


def _size(scores: Scores, design: Design) -> str:
    known = scores.n_train
    return str(getattr(design, "size", "as many")) if known is None else f"{known[0]:g}"


def _not_established(design: Design) -> Note:
    return Note(
        "OP405",
        f"No interval for the squared error of a learning algorithm from {design} is established; "
        "this one is Nadeau and Bengio's general form. With enough data use "
        f"{argument(design='8disjoint@200')}.",
    )


def _flat(evidence: Any) -> list[Note]:
    """Say that scores which do not vary have no standard error; a binomial interval needs none."""
    if evidence.companion is None and evidence.stderr == 0:
        return [Note("OP102", "All scores are the same: no standard error and no interval.")]
    return []
