"""Figures of comparisons and results: matplotlib objects, light or dark, without global state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ... import validation
from ...errors import DataError, MethodError, did_you_mean
from . import estimation as _estimation
from .canvas import Look, Width, png, quiet
from .canvas import look as _look
from .intervals import confidence, intervals
from .learning_curve import learning_curve
from .matrix import matrix
from .quantiles import quantiles, statistics
from .sorted_significance import sorted_significance

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ...results.robustness import Robustness

__all__ = ["KINDS", "Look", "Width", "draw", "least_settled", "png", "qq"]

KINDS = ("estimation", "sorted", "intervals", "matrix", "qq", "learning-curve")


def draw(
    subject: Any,
    kind: str = "estimation",
    *,
    theme: str = "light",
    level: float = 0.95,
    rope: float | None = None,
    width: Width = "wide",
    pair: tuple[str, str] | None = None,
    most: int | None = None,
    runs: Sequence[Robustness] | None = None,
) -> Figure:
    """Draw a comparison, a result or a learning curve as a matplotlib figure.

    `kind` is one of `KINDS`; `pair` picks the learners of "qq" and "sorted" where there are many,
    `most` limits their panels, `runs` is what `comparison.robustness()` returned, if at hand.
    """
    if kind not in KINDS:
        raise MethodError(f"there is no figure {kind!r}; {did_you_mean(str(kind), KINDS)}")
    validation.choice(width, "width", ("wide", "narrow"))
    level = validation.fraction(level, "level")
    rope = None if rope is None else validation.rope_width(rope)
    shape = _look(theme, width, level, rope)
    with quiet():
        if kind == "learning-curve":
            return _learning_curve(subject, shape)
        if hasattr(subject, "points"):
            raise MethodError(f"a learning curve has no {kind} figure; it has 'learning-curve'")
        if not hasattr(subject, "pairs"):
            if kind not in ("estimation", "intervals"):
                raise MethodError(
                    f"one result has no {kind} figure; it has 'estimation'. Draw the comparison: "
                    f"op.compare(scores).plot({kind!r})"
                )
            return confidence(subject, shape)
        if kind == "sorted":
            found = _single_runs(subject.robustness(1 - level) if runs is None else runs, pair)
            return sorted_significance(
                found[:most], shape, alpha=1 - level, family=subject.family_size
            )
        if kind == "qq":
            scores = _estimation.check_scores(subject, kind)
            return quantiles(scores, shape, _pairs(subject, pair)[:most])
        drawn = {"estimation": _estimation.estimation, "intervals": intervals, "matrix": matrix}
        return drawn[kind](subject, shape)


def qq(values: Any, dist: Any, *, theme: str = "light", width: Width = "wide") -> Figure:
    """Draw many values of a statistic against the law it should follow (D-31)."""
    with quiet():
        return statistics(values, dist, _look(theme, width, 0.95, None))


def least_settled(found: Sequence[Robustness]) -> tuple[Robustness, ...]:
    """Return pairs in order of how well their single runs agree, the least first."""
    return tuple(sorted(found, key=lambda one: (one.replicability, one.names)))


def _single_runs(found: Sequence[Robustness], pair: tuple[str, str] | None) -> Sequence[Robustness]:
    if pair is not None:
        found = [one for one in found if set(one.names) == set(pair)]
    if not found:
        raise DataError(
            "there is only one run, or no such pair, so nothing to sort; use a design that is "
            'repeated, such as design="10x10cv"'
        )
    return least_settled(found)


def _pairs(comparison: Any, pair: tuple[str, str] | None) -> list[tuple[str, str]]:
    if pair is not None:
        return [comparison[pair].names]
    first, second = comparison.pairs
    names = comparison.names
    return [(names[i], names[j]) for i, j in zip(first, second, strict=True)]


def _learning_curve(curve: Any, shape: Look) -> Figure:
    metric = getattr(curve, "metric", "score")
    if hasattr(curve, "points"):
        found = [curve.points(name) for name in curve.names]
        means = [[point.estimate for point in row] for row in found]
        stderrs = [[point.stderr or 0.0 for point in row] for row in found]
        return learning_curve(curve.n_train, means, stderrs, curve.names, shape, metric=metric)
    lacking = [name for name in ("sizes", "means", "stderrs", "names") if not hasattr(curve, name)]
    if lacking:
        raise DataError(
            f"a {type(curve).__name__} came, without {', '.join(lacking)}; a learning curve is "
            "needed to draw one: op.learning_curve(learners, X, y).plot()"
        )
    return learning_curve(curve.sizes, curve.means, curve.stderrs, curve.names, shape,
                          metric=metric)  # fmt: skip
