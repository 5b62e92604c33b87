"""Figures of comparisons and results: matplotlib objects, light or dark, without global state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ... import validation
from ...errors import DataError, MethodError, argument, did_you_mean
from ..benchmark_text import best_two
from . import score_figures as _estimation
from .benchmark_figures import comparison_matrix, dataset_differences
from .canvas import Look, look, png, quiet
from .curves import learning_curve
from .item_figures import of_items
from .pair_figures import confidence, intervals, matrix
from .posterior_figure import posterior
from .rank_diagram import rank_diagram
from .score_figures import quantiles, sorted_significance

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ...results.robustness import Robustness

__all__ = ["KINDS", "Look", "draw", "least_settled", "png"]

KINDS = (
    "estimation",
    "sorted",
    "intervals",
    "matrix",
    "qq",
    "learning-curve",
    "cd",
    "datasets",
    "clusters",
    "posterior",
)


def draw(
    subject: Any,
    kind: str = "estimation",
    *,
    theme: str = "light",
    level: float = 0.95,
    rope: float | None = None,
    pair: tuple[str, str] | None = None,
    most: int | None = None,
    runs: Sequence[Robustness] | None = None,
) -> Figure:
    """Draw a comparison, a result or a learning curve as a matplotlib figure.

    `kind` is one of `KINDS`; over datasets there are also "cd", the critical-difference diagram,
    and "datasets", the difference of two learners on each, and of Bayesian methods "posterior"; of
    items "clusters". `pair` picks the learners of "qq", "sorted", "datasets", "posterior" and
    "clusters" where there are many, `most` limits the panels of the former, `runs` is what
    `comparison.robustness()` returned, if at hand.
    """
    if kind not in KINDS:
        raise MethodError(f"there is no figure {kind!r}; {did_you_mean(str(kind), KINDS)}")
    level = validation.fraction(level, "level")
    rope = None if rope is None else validation.rope_width(rope)
    shape = look(theme, level, rope)
    with quiet():
        if hasattr(subject, "points") and kind != "learning-curve":
            raise MethodError(f"A learning curve has no {kind} figure; it has 'learning-curve'")
        if kind == "learning-curve":
            if not hasattr(subject, "points"):
                raise DataError(
                    f"The 'learning-curve' figure needs a learning curve, got a "
                    f"{type(subject).__name__}. Draw one: op.learning_curve(learners, X, y).plot()"
                )
            return learning_curve(subject, shape)
        if kind == "clusters":
            return of_items(subject, pair, shape)
        if kind == "posterior":
            whole = hasattr(subject, "pairs")
            return posterior(subject[pair or best_two(subject)] if whole else subject, shape)
        if not hasattr(subject, "pairs"):
            if kind not in ("estimation", "intervals"):
                raise MethodError(
                    f"One result has no {kind} figure; it has 'estimation'. Draw the comparison: "
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
        if kind == "datasets":
            return dataset_differences(subject, shape, pair)
        if kind == "matrix" and subject.benchmark is not None:
            return comparison_matrix(subject, shape)
        drawn = {"estimation": _estimation.estimation, "intervals": intervals, "matrix": matrix}
        drawn |= {"cd": rank_diagram}
        return drawn[kind](subject, shape)


def least_settled(found: Sequence[Robustness]) -> tuple[Robustness, ...]:
    """Return pairs in order of how well their single runs agree, the least first."""
    return tuple(sorted(found, key=lambda one: (one.replicability, one.names)))


def _single_runs(found: Sequence[Robustness], pair: tuple[str, str] | None) -> Sequence[Robustness]:
    if pair is not None:
        found = [one for one in found if set(one.names) == set(pair)]
    if not found:
        raise DataError(
            "There is only one run, or no such pair, so nothing to sort. Use a repeated design, "
            f"such as {argument(design='10x10cv')}"
        )
    return least_settled(found)


def _pairs(comparison: Any, pair: tuple[str, str] | None) -> list[tuple[str, str]]:
    if pair is not None:
        return [comparison[pair].names]
    first, second = comparison.pairs
    names = comparison.names
    return [(names[i], names[j]) for i, j in zip(first, second, strict=True)]
