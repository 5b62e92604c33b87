"""A plan as text and a figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .formatting import decimals_for, fixed, terminal
from .wrapping import paragraphs

if TYPE_CHECKING:
    from ..verbs.dataset_plan import DatasetPlan
    from ..verbs.plan import ComparisonPlan


def text(plan: ComparisonPlan) -> str:
    """Return a table by design, one by number of items, and the answer."""
    first, second = map(terminal, plan.names)
    head = f"{first} vs. {second}: {terminal(plan.metric)}, planned from {_pilot(plan)}"
    lines = paragraphs([head])
    lines += ["", *_aligned(_by_design(plan))]
    if plan.sizes:
        lines += [
            "",
            f"With {plan.designs[-1].design} on more {plan.pilot.unit} of the same kind",
            "",
        ]
        lines += _aligned(_by_size(plan))
    return "\n".join([*lines, "", *paragraphs(sentences(plan))])


def sentences(plan: ComparisonPlan) -> list[str]:
    """Return the answer, then what the numbers rest on."""
    said = [_answer(plan)] if plan.difference is not None else []
    said += [
        f"More repeats cannot go below {_size(plan, plan.floor)}: they average out only the noise "
        "of partitioning.",
        f"Differences are detected with {100 * plan.power:g} % power at α = {plan.alpha:g}, "
        "two-sided, for this pair alone; variances are taken at their 80 % upper limit.",
    ]
    if plan.grade == "measured":
        said.append("Grade: measured. The variance was measured between halves of the data.")
    elif plan.pilot.design.kind == "calibrated-kfold":
        said.append(
            "Grade: assumed. The variance was measured between halves of the data, but the pilot "
            "carries a warning that it may not apply to all data: compare its learners to see it."
        )
    else:
        said.append(
            "Grade: assumed. These scores cannot show how splits correlate; the corrected "
            "t-test's formula is used. A pilot with 5x5cv+20halves would measure it."
        )
    return said


def datasets_text(plan: DatasetPlan) -> str:
    """Return a table by number of datasets, and the answer."""
    first, second = map(terminal, plan.names)
    head = f"{first} vs. {second}: {terminal(plan.metric)}, planned from {plan.n} datasets"
    said = paragraphs(_of_datasets(plan))
    return "\n".join([*paragraphs([head]), "", *_aligned(_by_datasets(plan)), "", *said])


def _by_datasets(plan: DatasetPlan) -> list[list[str]]:
    decimals = decimals_for(plan.sizes[0].expected)
    rows = [
        [f"{each.n:,}", fixed(each.detectable, decimals), fixed(each.expected, decimals)]
        for each in plan.sizes
    ]
    return [["datasets", "detectable", "expected"], *rows]


def _of_datasets(plan: DatasetPlan) -> list[str]:
    said = []
    if plan.needed is not None:
        enough = "no more than there are" if plan.more == 0 else f"{plan.more:,} more"
        said.append(
            f"A difference of {plan.difference:g} needs about {plan.needed:,} datasets, {enough}."
        )
    return [
        *said,
        f"The differences vary between datasets with a standard deviation of {plan.spread:.3g}; "
        "it is taken at its 80 % upper limit.",
        f"Differences are detected with {100 * plan.power:g} % power at α = {plan.alpha:g}, "
        "two-sided, by the signed-rank test of this pair alone, for new datasets of the same kind.",
    ]


def figure(plan: ComparisonPlan, *, theme: str = "light") -> Any:
    """Draw what each design detects by number of items; the difference asked for is a line."""
    from ..designs import parse
    from ..errors import DataError
    from .figures.canvas import look, quiet
    from .figures.curves import Curve, curves

    if not plan.sizes:
        raise DataError(
            "This plan has no figure: the number of items of the pilot is unknown. Pass scores "
            "with n_train and n_test."
        )
    n = [size.n for size in plan.sizes]
    series: dict[str, Curve] = {}
    for at, each in enumerate(plan.designs):
        if any(each.detectable >= cheaper.detectable for cheaper in plan.designs[:at]):
            continue  # a cheaper one detects as much
        design = parse(each.design)
        seen = [plan.pilot.detectable(design, m, plan.alpha, plan.power) for m in n]
        series[each.design] = Curve(n, seen)
    with quiet():
        return curves(
            series,
            look(theme, 0.95, None),
            xlabel=plan.pilot.unit,
            ylabel=f"smallest detectable difference in {plan.metric}",
            level=plan.difference,
        )


def _pilot(plan: ComparisonPlan) -> str:
    pilot = plan.pilot
    items = "" if pilot.n is None else f" on {pilot.n:,} {pilot.unit}"
    return f"{pilot.design}{items}"


def _answer(plan: ComparisonPlan) -> str:
    asked = f"{plan.difference:g}"
    if plan.choice is not None:
        cost = f"{plan.choice.fits:,} fits{_time(plan.choice.seconds, ', about ')}"
        return f"{plan.choice.design} is the cheapest design that detects {asked}: {cost}."
    unit, best = plan.pilot.unit, min(plan.designs, key=lambda each: each.detectable)
    said = f"A difference of {asked} cannot be detected with these {unit}: "
    said += f"{best.design} detects {_size(plan, best.detectable)}."
    if plan.items_needed is not None:
        return f"{said} About {plan.items_needed:,} {unit} would be needed."
    return f"{said} How many {unit} would be needed cannot be estimated from this pilot."


def _by_design(plan: ComparisonPlan) -> list[list[str]]:
    timed = any(each.seconds is not None for each in plan.designs)
    head = ["design", "fits", *(["time"] if timed else []), "detectable", "expected"]
    rows = [
        [
            each.design,
            f"{each.fits:,}",
            *([_time(each.seconds)] if timed else []),
            _size(plan, each.detectable),
            _size(plan, each.expected),
        ]
        for each in plan.designs
    ]
    return [head, *rows]


def _by_size(plan: ComparisonPlan) -> list[list[str]]:
    rows = [
        [f"{each.n:,}", _size(plan, each.detectable), _size(plan, each.expected)]
        for each in plan.sizes
    ]
    return [[plan.pilot.unit, "detectable", "expected"], *rows]


def _size(plan: ComparisonPlan, value: float) -> str:
    return fixed(value, decimals_for(plan.designs[0].expected))


def _time(seconds: float | None, before: str = "") -> str:
    if seconds is None:
        return ""
    for unit, size in (("h", 3600.0), ("min", 60.0)):
        if seconds >= size:
            return f"{before}{seconds / size:.1f} {unit}"
    return f"{before}{seconds:.1f} s"


def _aligned(rows: list[list[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  "
        + "  ".join(
            word.ljust(width) if at == 0 and rows[0][0] == "design" else word.rjust(width)
            for at, (word, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
