"""Laws of statistics: what a method's numbers do when its input is changed in a known way."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ..errors import OutperformError
from ..results.evidence import Alternative, Pivot
from ..results.result import Result
from ..views.contract import Case, Inputs
from .subject import Law, Subject, answer, near, numbers, scaled, stacked, unequal

__all__ = ["STATISTICS"]

SMALLEST = -708.0
"""Below exp of this a double loses digits."""
SIDES: tuple[Alternative, ...] = ("two-sided", "greater", "less")
OPPOSITE: dict[Alternative, Alternative] = {
    "two-sided": "two-sided",
    "greater": "less",
    "less": "greater",
}


def direction(s: Subject) -> Iterator[str]:
    """A first side that is far better has a positive estimate and a small p for greater."""
    case = s.extreme(beyond=False)
    if s.kind.swap(case, s.method.layout) is None or not s.kind.turns:
        return
    found = s.call(case)
    if not found.estimate > case.null or found.verdict() != "outperforms":
        yield f"but the estimate is {found.estimate}, {found.verdict().outcome}, with {case}"
    if s.kind.has_null and s.kind.centre == 0:
        above = case.but("against twice the estimate", mu0=2 * found.estimate)
        short_of_it = s.call(above)
        # A difference below μ₀ > 0 may still be positive; one side below μ₀ is simply below it.
        expected = "outperformed" if short_of_it.names[1] is None else "no decision"
        if short_of_it.verdict() != expected:
            yield f"but the verdict is {short_of_it.verdict().outcome!r} with {above}"
    if s.method.directed:
        greater, less = (s.call(case, alternative=side).pvalue for side in SIDES[1:])
        if greater is None or less is None or not greater < less:
            yield f"but p is {greater} for greater and {less} for less with {case}"


def swap(s: Subject) -> Iterator[str]:
    """Changing places turns estimate and interval, keeps the two-sided p, exchanges the others."""
    for case in s.cases():
        other = s.kind.swap(case, s.method.layout)
        if other is None:
            return
        for side in SIDES if s.method.directed else SIDES[:1]:
            here = s.call(case, alternative=side)
            want = _mirrored(here, s.kind)
            turned = replace(here, evidence=here.evidence.flipped(), alternative=OPPOSITE[side])
            mirrors = [turned] if s.kind.turns and s.kind.centre == 0 else []
            for there in (s.call(other, alternative=OPPOSITE[side]), *mirrors):
                if wrong := unequal(numbers(there), want, 1e-9):
                    yield f"but {wrong} with {other}, {OPPOSITE[side]}"


def _mirrored(here: Result, kind: Inputs) -> dict[str, Any]:
    """Return the numbers to be found when the sides change places."""
    found, evidence = numbers(here), here.evidence
    if not kind.turns:
        return found
    low, high, centre = found["low"], found["high"], 2 * kind.centre
    turned = dict(found, estimate=centre - found["estimate"])
    if low is not None:
        turned.update(low=centre - high, high=centre - low)
    if isinstance(evidence, Pivot) and not evidence.chi2 and found["statistic"] is not None:
        turned["statistic"] = -found["statistic"]
    elif kind.centre:  # a count of right items becomes one of wrong items
        turned.pop("statistic")
    return turned


def orientation(s: Subject) -> Iterator[str]:
    """lower_is_better=True is the same as exchanging the sides."""
    for case in s.cases() if s.kind.orients else ():
        if case.null and s.kind.shifts and len(case.arrays) == 2:
            continue  # there mu0 speaks of the oriented difference
        if s.kind.turns:
            other = s.kind.swap(case, s.method.layout) or case
            got, want = s.call(case, lower_is_better=True), s.call(other)
        else:
            wrong = case.each("as losses", lambda x: 1 - x if s.method.layout else -x)
            got, want = s.call(wrong, lower_is_better=True), s.call(case)
        if differs := unequal(numbers(got), numbers(want), 1e-12):
            yield f"but {differs} with {case}"


def scale(s: Subject) -> Iterator[str]:
    """Another unit changes neither statistic nor p, and scales estimate, error and interval."""
    for case in s.cases() if s.kind.scales else ():
        here = numbers(s.call(case))
        for factor, within in ((2.0**10, 0.0), (2.0**-30, 0.0), (1000.0, 1e-9)):
            unit = ("estimate", "stderr", "low", "high")
            want = {k: v * factor if k in unit and v is not None else v for k, v in here.items()}
            other = scaled(case, factor)
            if wrong := unequal(numbers(s.call(other)), want, within):
                yield f"but {wrong} with {other}"


def shift(s: Subject) -> Iterator[str]:
    """Adding a constant to both sides changes nothing."""
    for case in s.cases() if s.kind.shifts else ():
        if len(case.arrays) == 2:
            moved = case.each("plus 4", lambda array: array + 4)
            if wrong := unequal(numbers(s.call(moved)), numbers(s.call(case)), 1e-9, 1e-3):
                yield f"but {wrong} with {moved}"


def null(s: Subject) -> Iterator[str]:
    """Testing against mu0 is testing a − mu0 against 0."""
    by = 0.015625
    for case in s.cases() if s.kind.has_null and s.kind.scales else ():
        first = case.arrays if not s.kind.shifts else [next(iter(case.arrays))]
        arrays: dict[str, Any] = {name: case.arrays[name] - by for name in first}
        there = numbers(s.call(case.but("minus 1/64", **arrays)))
        for name in ("estimate", "low", "high"):
            there[name] = None if there[name] is None else there[name] + by
        against = case.but("against 1/64 more", mu0=case.null + by)
        if wrong := unequal(numbers(s.call(against)), there, 1e-9, 1e-3):
            yield f"but {wrong} with {against}"


def sides(s: Subject) -> Iterator[str]:
    """p lies in [0, 1] and is twice the smaller one-sided p; without direction there is none."""
    for case in [*s.cases(), s.extreme(beyond=False)]:
        if not s.method.directed:
            if not isinstance(answer(s.call, case, alternative="greater"), OutperformError):
                yield f"but a one-sided p was given with {case}"
            continue
        two, greater, less = (s.call(case, alternative=side).pvalue for side in SIDES)
        if two is None or greater is None or less is None:
            yield f"but p is {two!r}, one-sided {greater!r} and {less!r} with {case}"
            return
        counted = getattr(s.call(case).evidence, "log_two_sided", None) is not None
        twice = counted or near(two, min(1.0, 2 * min(greater, less)), 1e-12)
        if not (twice and 0 <= two <= 1 and greater + less >= 1 - 1e-12):
            yield f"but p is {two!r}, one-sided {greater!r} and {less!r} with {case}"


def tails(s: Subject) -> Iterator[str]:
    """A tiny p keeps its digits, and its logarithm where it is too small for a float."""
    for case in [*s.cases(), s.extreme(beyond=False), s.extreme(beyond=True)]:
        result = s.call(case)
        p, log_p = result.pvalue, result.log_pvalue
        if p is None or log_p is None or log_p == -math.inf:
            yield f"but p is {p!r} and log_pvalue {log_p!r} with {case}"
        elif log_p < SMALLEST:
            if p > math.exp(SMALLEST):
                yield f"but p is {p!r} and log_pvalue {log_p!r} with {case}"
        elif p == 0 or abs(math.log(p) - log_p) > 1e-9 * -log_p:
            yield f"but p is {p!r} and log_pvalue {log_p!r} with {case}"


def inversion(s: Subject) -> Iterator[str]:
    """p < α exactly when the interval excludes the null, and at its ends p = α; ties widen it."""
    if not (s.method.interval_inverts and s.method.has_interval):
        return
    for case in s.cases()[2:]:
        for side, level in zip(SIDES * 2, (0.95, 0.95, 0.95, 0.8, 0.7, 0.9), strict=True):
            result = s.call(case, alternative=side)
            interval, p = result.interval(level), result.pvalue
            if interval is None or p is None:
                yield f"but the interval is {interval} and p is {p} with {case}"
                return
            counted = getattr(result.evidence.companion, "highest", 1.0) < 1
            small, out = p < 1 - level, result.null not in interval
            if (out and not small) if counted else small != out:
                yield f"but p is {p!r} and the {level} interval {interval} with {case}, {side}"
            for end in interval if s.kind.has_null else ():
                if math.isfinite(end) and (s.kind.centre == 0 or 0 < end < 1):
                    beyond = end + (1e-6 * (end - result.estimate) if counted else 0.0)
                    at_end = s.call(case.but("", mu0=beyond), alternative=side).pvalue
                    if not (at_end is not None and at_end < 1 - level if counted
                            else near(at_end, 1 - level, 1e-8)):  # fmt: skip
                        yield f"but p is {at_end!r} at an end of {interval} with {case}, {side}"


def nesting(s: Subject) -> Iterator[str]:
    """Intervals hold the estimate and widen with the level, up to the highest that there is."""
    for case in s.cases() if s.method.has_interval else ():
        result = s.call(case)
        inner = (result.estimate, result.estimate)
        highest = getattr(result.evidence.companion, "highest", 1.0)
        for level in (level for level in (0.5, 0.95, 0.999) if level < highest):
            found = result.interval(level)
            if found is None or not (found.low <= inner[0] and inner[1] <= found.high):
                yield f"but the {level} interval is {found}, not around {inner}, with {case}"
                return
            inner = (found.low, found.high)


def order(s: Subject) -> Iterator[str]:
    """The order of splits, items or datasets changes nothing, to the last bit."""
    rng = s.rng()
    for case in s.cases() * 2:
        case = scaled(case, 0.7) if s.kind.scales else case  # sums of dyadic numbers are exact
        other = s.kind.reorder(case, s.method.layout, rng, s.first_counts)
        if wrong := unequal(numbers(s.call(other)), numbers(s.call(case)), 0.0):
            yield f"but {wrong} with {other}"


def batch(s: Subject) -> Iterator[str]:
    """A batch gives what its experiments give one by one."""
    lead, *others = s.cases()
    same: list[Case] = [lead, *(case for case in others if case.fits(lead))]
    same += [change(same[0]) for change in (s.kind.identical, s.kind.constant) if change]
    many = s.method.batch(**stacked(same), **same[0].keywords, **s.options)
    for i, case in enumerate(same):
        one = s.call(case)
        for at in ((0, i), (1, len(same) - 1 - i)):
            got = replace(one, evidence=many.at(at))
            if wrong := unequal(numbers(got), numbers(one), 1e-12, 1e-3):
                yield f"but {wrong} at {at} of a batch with {case}"


def equivalence(s: Subject) -> Iterator[str]:
    """P(better, equivalent, worse) sum to 1, grow with the rope, and agree with the interval."""
    for case in s.cases() if s.method.has_interval and s.kind.centre == 0 else ():
        result = s.call(case)
        middle = result.null if result.names[1] is None else 0.0
        reach = max(abs(end - middle) for end in result.interval(0.9) or (middle, middle))
        better, same, worse = 1.0, 0.0, 1.0
        for rope in (0.2 * reach, 0.9 * reach, 1.1 * reach, min(2 * reach, 1.0)):
            odds, p = result.probabilities(rope), result.equivalence(rope)
            if odds is None or p is None or abs(sum(odds) - 1) > 1e-12 or min(odds) < 0:
                yield f"but the probabilities are {odds} for rope={rope} with {case}"
                return
            if not (odds.better <= better and odds.equivalent >= same and odds.worse <= worse):
                yield f"but {odds} for rope={rope} do not follow from a narrower one with {case}"
            if (p < 0.05) != (reach < rope):
                yield f"but p is {p!r} for rope={rope}, the interval reaches {reach}, with {case}"
            better, same, worse = odds


def noninferiority(s: Subject) -> Iterator[str]:
    """p that the first is not worse agrees with the interval, and is part of equivalence."""
    for case in s.cases() if s.method.has_interval and s.kind.centre == 0 else ():
        result = s.call(case)
        turned = replace(result, evidence=result.evidence.flipped())
        middle = result.null if result.names[1] is None else 0.0
        low, _ = result.interval(0.9) or (middle, middle)
        for rope in (share * abs(low - middle) or 1.0 for share in (0.9, 1.1)):
            p, other = (one.noninferiority(rope) for one in (result, turned))
            if p is None or (p < 0.05) != (low > middle - rope):
                yield f"but p is {p!r} for rope={rope}, the interval begins at {low}, with {case}"
            elif other is None or not near(result.equivalence(rope), max(p, other), 1e-12):
                yield f"but p is {p!r} and {other!r} turned for rope={rope} with {case}"


STATISTICS: tuple[Law, ...] = (
    *(direction, swap, orientation, scale, shift, null, sides, tails),
    *(inversion, nesting, order, batch, equivalence, noninferiority),
)
