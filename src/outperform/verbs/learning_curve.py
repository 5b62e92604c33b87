"""Learning curves: scores and differences by training size, and whether they change smoothly.

Cross-validation applies to training sets smaller than all the data; its answer carries over if
scores change smoothly with the training size (D-08).
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from .. import validation
from ..designs import Design, Resampled, parse_drawn
from ..errors import DesignError, argument
from ..notes import Note
from ..numerics import exact_sums
from ..procedures.corrected_t import corrected_t
from ..results.result import versions
from ..scores.frame_kinds import frame_like
from ..scores.split_scores import Scores
from ..views import Differences

SCHEMA = "outperform/learning-curve/1"
SIZES = (0.1, 0.3, 0.5, 0.7, 0.9)
NOTED = 0.05
"""The level, over all steps of all curves together, at which a curve is noted as not smooth."""


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """One training size: the mean over splits and its corrected standard error (N-18)."""

    n_train: int
    estimate: float
    stderr: float | None
    """None where the splits do not vary."""


@dataclass(frozen=True, slots=True)
class Step:
    """The change from one training size to the next, on the same test sets."""

    first: str
    second: str | None
    n_train: int
    next_n_train: int
    estimate: float
    stderr: float | None
    pvalue: float | None
    """That of a step against the trend, one-sided; None where the splits do not vary."""

    def __str__(self) -> str:
        from ..report import estimate_text

        return estimate_text.step(self)


@dataclass(frozen=True, eq=False, slots=True)
class LearningCurve:
    """Scores by training size, as `learning_curve` returns them.

    Each curve is a learner, or two learners, whose difference it is.

    Attributes
    ----------
    runs : tuple of Scores
        The scores at each size, from small to large, on the same test sets.
    design : Design
        The random splits of all sizes.
    notes : tuple of Note
        Notes on assumptions and on what was done.

    Examples
    --------
    >>> import outperform as op
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> learners = {"bayes": GaussianNB(), "dummy": DummyClassifier()}
    >>> curve = op.learning_curve(learners, X, y, sizes=(0.2, 0.8), random_state=0)
    >>> [round(point.estimate, 2) for point in curve.points("bayes")]
    [0.92, 0.96]
    >>> len(curve.steps("bayes", "dummy")), len(curve.rough())
    (1, 0)
    >>> curve.to_frame("pandas").shape, len(curve.rows())
    ((6, 6), 6)
    >>> len(curve.to_dict()["curves"]), len(curve.to_json()) > 0
    (6, True)
    >>> figure = curve.plot()
    """

    runs: tuple[Scores, ...]
    design: Design
    notes: tuple[Note, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the learners."""
        return self.runs[0].names

    @property
    def metric(self) -> str:
        """The name of the metric."""
        return self.runs[0].metric

    @property
    def n_train(self) -> tuple[int, ...]:
        """The mean number of training items of each size."""
        return tuple(_trained(run) for run in self.runs)

    @property
    def curves(self) -> tuple[tuple[str, str | None], ...]:
        """Every learner, then every pair."""
        return *((name, None) for name in self.names), *combinations(self.names, 2)

    def points(self, first: str, second: str | None = None) -> tuple[CurvePoint, ...]:
        """Return the scores of a learner, or first minus second, at each size.

        Parameters
        ----------
        first : str
            Name of the first learner.
        second : str, optional
            Name of the second learner; by default the curve is that of the first alone.

        Returns
        -------
        tuple of CurvePoint
            n_train, estimate and stderr of each size.
        """
        found = []
        for run, size in zip(self.runs, self.n_train, strict=True):
            judged: Any = corrected_t.on(Differences.of(run, first, second))
            found.append(CurvePoint(size, float(judged.estimate), _spread(judged)))
        return tuple(found)

    def steps(self, first: str, second: str | None = None) -> tuple[Step, ...]:
        """Return the changes between neighbouring sizes, each tested against the trend.

        Parameters
        ----------
        first : str
            Name of the first learner.
        second : str, optional
            Name of the second learner; by default the curve is that of the first alone.

        Returns
        -------
        tuple of Step
            The change from each size to the next, with its p-value.

        Notes
        -----
        The trend of a score is to improve with the training size; that of a difference is from its
        value at the smallest size to that at the largest. Splits are paired by their test sets, and
        the variance is corrected by n_test / n_train of the smaller size (Nadeau and Bengio, 2003).
        """
        scores = [np.ravel(Differences.of(run, first, second).values) for run in self.runs]
        trend = 1.0
        if second is not None:
            trend = math.copysign(1.0, float(exact_sums.mean_difference(scores[-1], scores[0])))
        elif not self.runs[0].greater_is_better:
            trend = -1.0
        found = []
        for (small, large), (before, after) in zip(
            pairwise(self.runs), pairwise(scores), strict=True
        ):
            grid = (1, before.size, 1)
            view = Differences.subtract(
                after.reshape(grid), before.reshape(grid), ratio=small.test_train_ratio
            )
            judged: Any = corrected_t.on(view)
            p = float(judged.pvalue("less" if trend > 0 else "greater"))
            sizes = _trained(small), _trained(large)
            found.append(
                Step(
                    first,
                    second,
                    *sizes,
                    float(judged.estimate),
                    _spread(judged),
                    None if math.isnan(p) else p,
                )
            )
        return tuple(found)

    def rough(self, alpha: float = 0.05) -> tuple[Step, ...]:
        """Return the steps against the trend that chance does not explain.

        Parameters
        ----------
        alpha : float, default=0.05
            Significance level, divided among all steps of all curves (Bonferroni).

        Returns
        -------
        tuple of Step
            Empty if the curves are smooth.
        """
        alpha = validation.fraction(alpha, "alpha")
        every = [step for curve in self.curves for step in self.steps(*curve)]
        return tuple(s for s in every if s.pvalue is not None and s.pvalue < alpha / len(every))

    def rows(self) -> list[dict[str, Any]]:
        """Return one dictionary for each curve and size.

        Returns
        -------
        list of dict
            Keys first, second, metric, n_train, estimate and stderr.
        """
        return [
            {"first": first, "second": second, "metric": self.metric, **asdict(point)}
            for first, second in self.curves
            for point in self.points(first, second)
        ]

    def to_dict(self, *, alpha: float = 0.05) -> dict[str, Any]:
        """Return the curves as data for JSON.

        Parameters
        ----------
        alpha : float, default=0.05
            Significance level of `rough`.

        Returns
        -------
        dict
            Names, sizes, curves, rough steps and notes.
        """
        return {
            "schema": SCHEMA,
            "names": list(self.names),
            "metric": self.metric,
            "design": str(self.design),
            "n_train": list(self.n_train),
            "curves": self.rows(),
            "rough": [asdict(step) for step in self.rough(alpha)],
            "alpha": alpha,
            "notes": [{"code": note.code, "text": note.text} for note in self.notes],
            "seed": self.runs[0].seed,
            "versions": versions(),
        }

    def to_json(self, *, alpha: float = 0.05) -> str:
        """Return `to_dict` as JSON.

        Parameters
        ----------
        alpha : float, default=0.05
            Significance level of `rough`.

        Returns
        -------
        str
            A JSON document.
        """
        return json.dumps(self.to_dict(alpha=alpha), ensure_ascii=False, allow_nan=False)

    def to_frame(self, kind: str | None = None) -> Any:
        """Return the rows as a data frame.

        Parameters
        ----------
        kind : str, optional
            Kind of data frame: "pandas", "polars" or "pyarrow". By default the kind the scores came
            in, otherwise polars.

        Returns
        -------
        data frame
            One row for each curve and size.
        """
        rows, usual = self.rows(), self.runs[0].frame_kind
        return frame_like({name: [row[name] for row in rows] for name in rows[0]}, kind, usual)

    def plot(self, kind: str = "learning-curve", **options: Any) -> Any:
        """Plot the score of each learner by training size.

        Parameters
        ----------
        kind : str, default='learning-curve'
            Kind of figure; "learning-curve" is the only one.
        **options : object
            Options of the figure.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        from ..report import figures

        return figures.draw(self, kind, **options)

    def __repr__(self) -> str:
        sizes = ", ".join(map(str, self.n_train))
        return f"<LearningCurve: {len(self.names)} learners trained on {sizes} items>"

    def __str__(self) -> str:
        from ..report import estimate_text

        return estimate_text.curve(self)


def learning_curve(
    learners: Any,
    X: Any,
    y: Any,
    *,
    sizes: Sequence[Any] = SIZES,
    design: Any = None,
    scoring: Any = None,
    random_state: int | None = None,
    n_jobs: int | None = None,
    store: Any = None,
    groups: Any = None,
    time_limit: float | None = None,
) -> LearningCurve:
    """Run learners at several training sizes.

    Parameters
    ----------
    learners : mapping, list or learner
        Learners as for `run`.
    X : array-like, sparse matrix or data frame
        Features, one row for each item.
    y : array-like or str
        Target of each row, or the name of a column of X.
    sizes : sequence of int or float, default=(0.1, 0.3, 0.5, 0.7, 0.9)
        Training sizes, as numbers of items or as shares of all of them.
    design : str or Design, optional
        Random splits. By default "15xresampled@1/10", and with groups "15xresampled@1/10/grouped".
    scoring : str or callable, optional
        Metric as for `run`.
    random_state : int, optional
        Seed. If None, one is drawn and kept with the scores.
    n_jobs : int, optional
        Number of workers; -1 uses all cores. It does not change the result.
    store : path, optional
        One file for each size: "curve.db" becomes "curve-train15.db" and so on.
    groups : array-like or str, optional
        Group of each row, or a column of X; the rows of a group stay together.
    time_limit : float, optional
        Seconds allowed for each fit.

    Returns
    -------
    LearningCurve
        Scores and differences by training size.

    Notes
    -----
    Cross-validation measures learners on training sets smaller than all the data; its result
    carries over if scores change smoothly with the training size (Dietterich, 1998). Every size has
    the same test sets. Unless the design is stratified or grouped, larger training sets contain the
    smaller ones.

    Examples
    --------
    >>> import outperform as op
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> curve = op.learning_curve({"bayes": GaussianNB()}, X, y, sizes=(0.2, 0.8), random_state=0)
    >>> curve.n_train
    (30, 120)
    """
    from ..engine import run
    from ..engine.learning_data import named_columns

    if design is None:
        design = "15xresampled@1/10" if groups is None else "15xresampled@1/10/grouped"
    plan = parse_drawn(design, "a learning curve")
    if not isinstance(plan, Resampled) or plan.train is not None:
        raise DesignError(
            "A learning curve needs random splits, whose training sets can be cut to size, got "
            f"{plan}. Use for example {argument(design='15xresampled@1/10')}"
        )
    n = len(named_columns(X, y, None)[1])
    designs = _designs(plan, sizes, n)
    runs: list[Scores] = []
    for size, each in designs.items():
        runs.append(
            run(
                learners,
                X,
                y,
                design=each,
                scoring=scoring,
                random_state=random_state,
                n_jobs=n_jobs,
                store=_beside(store, size),
                groups=groups,
                time_limit=time_limit,
            )
        )
        random_state = runs[0].seed
    notes = tuple(dict.fromkeys(note for scores in runs for note in scores.notes))
    made = LearningCurve(tuple(runs), plan, notes)
    said = tuple(Note("OP310", f"{step}.") for step in made.rough(NOTED))
    return replace(made, notes=(*notes, *said))


def _designs(plan: Resampled, sizes: Sequence[Any], n: int) -> dict[int, Resampled]:
    """Return the design of each training size, from small to large."""
    found = {}
    for size in sizes:
        each = replace(plan, train=size)
        found[int(each.sizes(n).n_train[0])] = each
    if len(found) < 2 or len(found) < len(sizes):
        raise DesignError(
            f"sizes={list(sizes)!r} make {len(found)} different training sets of {n} items; at "
            "least 2 different ones are required, as in sizes=(0.3, 0.6, 0.9)"
        )
    return dict(sorted(found.items()))


def _beside(store: Any, size: int) -> Any:
    if store is None:
        return None
    path = Path(store)
    return path.with_name(f"{path.stem}-train{size}{path.suffix}")


def _trained(run: Scores) -> int:
    assert run.n_train is not None
    return round(float(exact_sums.mean(run.n_train)))


def _spread(judged: Any) -> float | None:
    return float(judged.stderr) if judged.stderr else None
