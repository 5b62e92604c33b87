"""A certificate in words: sizes, power and agreement of tests, and what they apply to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .formatting import fixed, terminal

if TYPE_CHECKING:
    from ..lab.certification import Certificate, CertifiedTest

QUESTION = "How far can this verdict be trusted here?"
HEAD = ("test", "null", "size at 5 %", "95 % interval", "experiments", "decision")
POWER = ("test", "null", "power", "same verdict")
DECISIONS = {
    "holds": "below 8 %",
    "exceeds": "above 5 %: do not trust it",
    "unclear": "unclear: draw smaller datasets",
    "undecided": "not decided yet",
}
STOPPED = {
    "decided": "Stopped: every test was decided.",
    "time": "Stopped: the time limit was reached, so the numbers depend on the speed of this "
    "computer; run again with more minutes, or with none for numbers that repeat.",
    "experiments": "Stopped: the maximum number of experiments was reached.",
}


def size_cells(row: CertifiedTest) -> tuple[str, ...]:
    low, high = row.interval
    return (
        terminal(row.label),
        row.null,
        f"{row.size:.3f} to {row.size_high:.3f}",
        f"[{low:.3f}, {high:.3f}]",
        f"{row.counts['experiments']:,}",
        DECISIONS[row.decision],
    )


def power_cells(row: CertifiedTest) -> tuple[str, ...]:
    power = "–" if row.power is None else ", ".join(f"{each:.2f}" for each in row.power)
    same = "–" if row.agreement is None else f"{row.agreement:.2f}"
    return terminal(row.label), row.null, power, same


def power_line(found: Certificate) -> str:
    """Say at which differences power was measured."""
    at = ", ".join(f"{each:.3g}" for each in found.differences)
    return (
        f"Power at differences of {at}, and the share of datasets on which a second partition "
        "gives the same verdict:"
    )


def sentences(found: Certificate) -> list[str]:
    """Say what was measured and what it applies to."""
    first, second = map(terminal, found.names)
    said = [STOPPED[found.stopped], "The intervals are valid whenever the measurement stops."]
    said += [
        f"{first} minus {second} after training on {size:,} items: "
        f"{fixed(truth.mean, 4, sign=True)} (standard error {truth.stderr:.4f}; positive means "
        f"that {first} is better)."
        for size, truth in found.truth.items()
    ]
    nulls = {row.null for row in found.tests}
    if "shift" in nulls:
        said.append(
            "The shift null hypothesis is the true difference of the learners in the population."
        )
    if "damaged" in nulls:
        said.append(
            "For the damaged null hypothesis, a share of the better learner's predictions is "
            "replaced until both learners are equally accurate."
        )
    said.append(
        f"The {found.pool_size:,} items represent the population; each experiment draws a dataset "
        f"of {found.n:,} items from them without replacement. These results apply to these "
        "learners on datasets of this size from data like these, not to larger datasets, other "
        "learners or other data."
    )
    said.append(
        f"Since each dataset is {100 * found.n / found.pool_size:.0f} % of the items, datasets "
        "vary less than new data would. The first size is the share of rejections that were "
        "counted. The second is an upper bound: it takes all variation for that of items drawn "
        "without replacement. The size on new data is expected between them; the interval covers "
        "both."
    )
    if any(row.decision == "unclear" for row in found.tests):
        said.append(
            "A size is unclear if the first is below 8 % and the second above 5 %. More "
            "experiments would not decide it; smaller datasets or more items would."
        )
    return said


def title(found: Certificate) -> str:
    first, second = map(terminal, found.names)
    by = found.loss if found.loss == "AUC" else f"{found.loss} loss"
    return f"{first} vs. {second}, datasets of {found.n:,} items, {by}"


def text(found: Certificate) -> str:
    """Return the certificate as lines for a terminal."""
    lines = [f"{QUESTION} {title(found)}", ""]
    lines += _table([HEAD, *map(size_cells, found.tests)])
    lines += ["", power_line(found)]
    lines += _table([POWER, *map(power_cells, found.tests)])
    return "\n".join([*lines, "", *sentences(found)])


def _table(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  "
        + "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
