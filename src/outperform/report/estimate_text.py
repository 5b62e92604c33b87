"""Estimates of one learner and learning curves as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .formatting import decimals_for, fixed, pvalue, score_interval, sentence, short, terminal
from .scope import split_by
from .sentences import percent
from .wrapping import laid_out

if TYPE_CHECKING:
    from ..verbs.estimate import Estimate
    from ..verbs.learning_curve import CurvePoint, LearningCurve, Step


LEVEL = 0.95
"""What `repr` and `str` show; ask the estimate for any other level."""


def estimate_line(shown: Estimate) -> str:
    """Return one line: learner, metric, estimate, interval."""
    return f"<estimate: {terminal(shown.metric)} of {terminal(shown.name)} = {_size(shown)}>"


def estimate_block(shown: Estimate, *, width: int | None = None) -> str:
    """Return estimate, standard error, components, what it applies to, notes: in this order."""
    return laid_out(*parts(shown), width)


def parts(shown: Estimate) -> tuple[str, list[tuple[str, str]]]:
    """Return what was estimated, and the labelled lines on it."""
    digits, ends = _digits(shown), _ends(shown)
    error = ""
    if shown.stderr is not None:
        free = "" if shown.df is None else f" on {short(round(shown.df, 1))} degrees of freedom"
        error = f" (standard error {fixed(shown.stderr, digits)}{free})"
    rows = [("estimate", f"{fixed(shown.estimate, digits)}{error}")]
    if ends is not None:
        cut = ends[1] and f" ({ends[1]})"
        rows.append(("interval", f"{ends[0]} at {percent(LEVEL)} confidence{cut}"))
    if shown.components is not None:
        parts = shown.components
        rows.append(
            (
                "variance",
                f"{parts.training_set:.3g} between {parts.n_training_sets} training sets, "
                f"{parts.test_item:.3g} between {parts.n_test_items} test items, "
                f"{parts.residual:.3g} left over",
            )
        )
    rows.append(("scope", f"Applies to {shown.speaks_of}."))
    rows += [("note" if i == 0 else "", sentence(str(n))) for i, n in enumerate(shown.notes)]
    head = f"{terminal(shown.name)}: {terminal(shown.metric)}, {split_by(shown)}"
    return head, rows


def curve(shown: LearningCurve, *, width: int | None = None) -> str:
    """Return scores, then differences, each a line for every training size; then the notes."""
    lines = [laid_out(f"{curve_head(shown)}: mean ± standard error", (), width)]
    for who, points in curve_points(shown):
        lines.append(f"  {who}")
        lines += [f"    {point.n_train:>7}  {size}" for point, size in points]
    notes = [("note" if i == 0 else "", sentence(str(n))) for i, n in enumerate(shown.notes)]
    return "\n".join([*lines, *([laid_out("", notes, width)] if notes else [])])


def curve_head(shown: LearningCurve) -> str:
    """Say what is shown by training size, and how the data were split."""
    return f"{terminal(shown.metric)} by training size, {shown.design.describe()}"


def curve_points(shown: LearningCurve) -> Iterator[tuple[str, list[tuple[CurvePoint, str]]]]:
    """Yield every learner and pair with its points, each beside its mean ± standard error."""
    for first, second in shown.curves:
        who = terminal(first) if second is None else f"{terminal(first)} − {terminal(second)}"
        points = []
        for point in shown.points(first, second):
            digits = decimals_for(point.stderr, point.estimate)
            size = fixed(point.estimate, digits, sign=second is not None)
            spread = "" if point.stderr is None else f" ± {fixed(point.stderr, digits)}"
            points.append((point, f"{size}{spread}"))
        yield who, points


def step(found: Step) -> str:
    """Say what changes between two sizes, against the trend."""
    digits = decimals_for(found.stderr, found.estimate)
    names = [repr(terminal(name)) for name in (found.first, found.second) if name is not None]
    way = "falls" if found.estimate < 0 else "rises"
    return (
        f"{' − '.join(names)} {way} by {fixed(abs(found.estimate), digits)} from {found.n_train} "
        f"to {found.next_n_train} training items ({pvalue(found.pvalue)})"
    )


def _size(shown: Estimate) -> str:
    ends = _ends(shown)
    cut = "" if ends is None else f" {ends[0]}{ends[1] and f' ({ends[1]})'}"
    return fixed(shown.estimate, _digits(shown)) + cut


def _digits(shown: Estimate) -> int:
    return decimals_for(shown.stderr, shown.estimate)


def _ends(shown: Estimate) -> tuple[str, str] | None:
    """Return the interval, and what was cut off it; None where there is none."""
    found = shown.interval(LEVEL)
    if found is None:
        return None
    return score_interval(found.low, found.high, shown.estimate, _digits(shown), shown.metric)
