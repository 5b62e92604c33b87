"""A certificate in words: sizes, power and agreement of tests, and what they apply to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import counted
from .formatting import fixed, terminal
from .sentences import listed

if TYPE_CHECKING:
    from ..lab.certificates import Certificate, CertifiedTest

QUESTION = "How far can this verdict be trusted here?"
HEAD = ("test", "null", "size in %", "95 % interval", "decision")
POWER = ("test", "null", "power", "same verdict")
DECISIONS = {
    "holds": "below 8 %",
    "exceeds": "above 5 %",
    "unclear": "unclear",
    "undecided": "undecided",
}
STOPPED = {
    "decided": "Stopped: every size is decided or unclear.",
    "time": "Stopped: the time limit was reached.",
    "experiments": "Stopped: the maximum number of experiments was reached.",
    "interrupted": "Stopped: the measurement was interrupted.",
}
CUT_SHORT = (
    "Because of the time limit the numbers depend on the speed of this computer. For results that "
    "can be repeated exactly, run again with a longer limit."
)
VALID = (
    "The intervals are valid whenever the measurement stops. They do not include the standard "
    "errors of the differences below."
)


DECIDED = (
    "A decision is that of a sequential test of 5 % against 8 %, which may be wrong in 5 % of "
    "cases. It needs fewer experiments than an interval that excludes one of them, so the interval "
    "may still include both. Each row is decided on its own."
)
SQUARED = (
    "The learners are compared by squared errors; verdicts by another score, such as r2, are not "
    "measured. With heavy-tailed errors and a few hundred items, the size on new data is often not "
    "in the interval."
)


def answer(found: Certificate) -> str:
    """Answer the question: which tests were found to have which size."""
    said = []
    for decision, words in DECISIONS.items():
        rows = [f"{terminal(one.label)} ({one.null})" for one in found.tests]
        kept = [row for row, one in zip(rows, found.tests, strict=True) if one.decision == decision]
        if kept:
            said.append(f"Size {words}: {listed(kept)}.")
    return " ".join(said)


def size_line(found: Certificate) -> str:
    """Say what the sizes are shares of."""
    n = found.tests[0].counts["experiments"]
    return f"Share of true null hypotheses rejected at 5 %, in {counted(n, 'experiment')}:"


def size_cells(row: CertifiedTest) -> tuple[str, ...]:
    low, high = row.interval
    return (
        terminal(row.label),
        row.null,
        f"{100 * row.size:.1f} to {100 * row.size_high:.1f}",
        f"{100 * low:.1f} to {100 * high:.1f}",
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
    said = [STOPPED[found.stopped], *[CUT_SHORT] * found.cut_short]
    said.append(VALID)
    if any(row.decision in ("holds", "exceeds") for row in found.tests):
        said.append(DECIDED)
    if found.loss == "squared":
        said.append(SQUARED)
    if any(row.decision == "exceeds" for row in found.tests):
        said.append(
            "A test above 5 % rejects too many true null hypotheses here: do not trust its "
            "verdicts."
        )
    if found.alike:
        said.append(
            "Both learners had the same loss on every dataset that was drawn to measure their "
            "difference: these sizes do not apply to learners that differ."
        )
    said += [
        f"{first} minus {second} after training on {size:,} items: "
        f"{fixed(truth.mean, 4, sign=True)} (standard error {truth.stderr:.4f} from "
        f"{found.n_truth:,} datasets; positive means that {first} is better)."
        for size, truth in found.truth.items()
    ]
    nulls = {row.null for row in found.tests}
    if "shift" in nulls:
        said.append(
            "The shift null hypothesis is the difference of the learners in the population, as "
            "given above."
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
        "counted. The second is an upper bound: each difference is enlarged as if all its "
        "variation came from which items were drawn. The size on new data is expected between "
        "them, and the interval covers both, if the items are many and no few of them dominate the "
        "loss."
    )
    without = [
        f"{row.counts['undefined']:,} of {row.counts['experiments']:,} experiments with "
        f"{terminal(row.label)} ({row.null})"
        for row in found.tests
        if row.counts["undefined"]
    ]
    if without:
        said.append(
            f"There was no p-value in {listed(without)}, because differences did not vary. The "
            "first size counts these as not rejected, the second as rejected."
        )
    if any(row.decision == "unclear" for row in found.tests):
        also = "; larger datasets more often have a p-value" if without else ""
        said.append(
            "A size is unclear if the first was found to be below 8 % and the second above 5 %. "
            "More experiments would rarely change that; smaller datasets or more items bring both "
            f"closer together{also}."
        )
    if found.omitted:
        said.append(
            f"Omitted: {listed([*map(terminal, found.omitted)])}, which can only be measured where "
            "both learners can be made equal: with 0/1 loss and learners that are better than "
            "guessing."
        )
    return said


def title(found: Certificate) -> str:
    first, second = map(terminal, found.names)
    by = found.loss if found.loss == "AUC" else f"{found.loss} loss"
    return f"{first} vs. {second}, datasets of {found.n:,} items, {by}"


def text(found: Certificate) -> str:
    """Return the certificate as lines for a terminal."""
    lines = [f"{QUESTION} {title(found)}", "", size_line(found)]
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
