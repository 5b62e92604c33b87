"""Learning curves: scores and differences by training size, and whether they change smoothly.

Cross-validation speaks of training sets smaller than all the data; its answer carries over if
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
    """Scores by training size; a curve is a learner, or two, whose difference it is."""

    runs: tuple[Scores, ...]
    """The scores at each size, from small to large, on the same test sets."""
    design: Design
    notes: tuple[Note, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return self.runs[0].names

    @property
    def metric(self) -> str:
        return self.runs[0].metric

    @property
    def n_train(self) -> tuple[int, ...]:
        return tuple(_trained(run) for run in self.runs)

    @property
    def curves(self) -> tuple[tuple[str, str | None], ...]:
        """Every learner, then every pair."""
        return *((name, None) for name in self.names), *combinations(self.names, 2)

    def points(self, first: str, second: str | None = None) -> tuple[CurvePoint, ...]:
        """Return the scores of a learner, or first minus second, at each size."""
        found = []
        for run, size in zip(self.runs, self.n_train, strict=True):
            judged: Any = corrected_t.on(Differences.of(run, first, second))
            found.append(CurvePoint(size, float(judged.estimate), _spread(judged)))
        return tuple(found)

    def steps(self, first: str, second: str | None = None) -> tuple[Step, ...]:
        """Return the changes between neighbouring sizes, each tested against the trend.

        The trend of a score is to rise with the training size; that of a difference is from its
        value at the smallest size to that at the largest. Splits are paired by their test sets,
        and the variance is corrected with n_test/n_train of the smaller size (N-18).
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
        """Return the steps against the trend that chance does not explain at α (D-08).

        α is divided among all steps of all curves (Bonferroni); none left means smooth.
        """
        alpha = validation.fraction(alpha, "alpha")
        every = [step for curve in self.curves for step in self.steps(*curve)]
        return tuple(s for s in every if s.pvalue is not None and s.pvalue < alpha / len(every))

    def rows(self) -> list[dict[str, Any]]:
        """Return one row for each curve and size."""
        return [
            {"first": first, "second": second, "metric": self.metric, **asdict(point)}
            for first, second in self.curves
            for point in self.points(first, second)
        ]

    def to_dict(self, *, alpha: float = 0.05) -> dict[str, Any]:
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
        return json.dumps(self.to_dict(alpha=alpha), ensure_ascii=False, allow_nan=False)

    def to_frame(self, kind: str | None = None) -> Any:
        """Return the rows as a data frame: of the kind the data came in, or `kind`."""
        rows, usual = self.rows(), self.runs[0].frame_kind
        return frame_like({name: [row[name] for row in rows] for name in rows[0]}, kind, usual)

    def plot(self, kind: str = "learning-curve", **options: Any) -> Any:
        """Return a matplotlib figure: the score of each learner by training size."""
        from ..report import figures

        return figures.draw(self, kind, **options)

    def __repr__(self) -> str:
        sizes = ", ".join(map(str, self.n_train))
        return f"<LearningCurve: {len(self.names)} learners trained on {sizes} items>"

    def __str__(self) -> str:
        from ..report import estimate_text

        return estimate_text.curve(self)

    def _repr_html_(self) -> str:
        from ..report.html import notebook_objects

        return notebook_objects.curve(self)


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
    """Run learners at several training sizes and return scores and differences by size (D-08).

    The design is 15xresampled@1/10 unless one is asked, with groups kept together if there are any.
    `sizes` are numbers of items or shares of all of them. Every size meets the same test sets;
    unless classes are kept even or groups whole, its training sets hold those of smaller sizes. A
    `store` is one file for each size: "curve.db" becomes "curve-train15.db" and so on.
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
