"""Laws of a method's numbers, and of what goes in and comes out, each on inputs of its view."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, replace
from typing import Any

import numpy as np

from ..errors import OutperformError
from ..notes import NOTES
from ..registry import METHODS, design_kinds
from ..results.evidence import Alternative, Draws, Exact, Pivot
from ..results.result import Result
from ..views.contract import Case, Inputs
from .subject import Law, Subject, answer, casts, near, numbers, refusals, scaled, stacked, unequal

SOURCES = {"test data", "training data", "internal randomness", "label noise"}
STANDINGS = {"recommended", "reference", "discouraged"}
KEYS = (
    *("schema", "method", "names", "metric", "design", "n", "estimate", "stderr", "statistic"),
    *(
        "df",
        "pvalue",
        "low",
        "high",
        "level",
        "alternative",
        "verdict",
        "grade",
        "notes",
        "seed",
        "versions",
    ),
)


def metadata(s: Subject) -> Iterator[str]:
    """A method says what it is, where it is valid and what it accounts for."""
    m = s.method
    said = f"{m.kernel.__doc__} {m.kernel.__globals__.get('__doc__')}"
    for wrong, what in (
        (not (m.title and m.paper and m.advice and m.summary), "title, paper, advice or docstring"),
        (m.layout not in m.view.layouts, "layout"),
        (not m.designs or not {*m.designs, *m.default_for} <= design_kinds(), "designs"),
        (not set(m.default_for) <= set(m.designs), "default_for"),
        (not set(m.accounts_for) <= SOURCES, "accounts_for"),
        (m.standing not in STANDINGS, "standing"),
        (m.standing == "discouraged" and not m.instead, "instead"),
        (m.instead is not None and m.instead not in METHODS, "instead"),
        (not {m.note or m.undefined_note, m.undefined_note} <= set(NOTES), "notes"),
        (not all(re.fullmatch(r"[A-Z]-\d\d", r) for r in m.requirements), "requirements"),
        (bool(m.requirements) and not any(r in said for r in m.requirements), "docstring's ids"),
    ):
        if wrong:
            yield f"but its {what} is missing or invalid"
    if m.published_design is not None:
        from ..designs import parse

        m.check_design(parse(m.published_design))


def identical(s: Subject) -> Iterator[str]:
    """Sides that score the same everywhere have p = 1 and note OP101; equally good ones p = 1."""
    for case in s.degenerate(s.kind.identical):
        result = s.call(case)
        if not s.method.has_pvalue:
            if result.pvalue is not None or result.verdict() != "no decision":
                yield f"but p is {result.pvalue!r} ({result.verdict()}) with {case}"
        elif result.pvalue != 1 or result.log_pvalue != 0 or result.verdict() != "no decision":
            yield f"but p is {result.pvalue!r} ({result.verdict()}) with {case}"
        if "OP101" not in [note.code for note in result.notes]:
            yield f"but there is no note with {case}"
        rope = max(0.1, result.stderr or 0.0)  # of mean ranks it is known beforehand
        odds = result.probabilities(rope) if s.method.has_interval else None
        if odds is not None and odds.equivalent < max(odds.better, odds.worse):
            yield f"but the probabilities are {odds} with {case}"
    for case in s.degenerate(s.kind.balanced):
        result = s.call(case)
        zero = isinstance(result.evidence, Exact) or result.statistic == 0
        if result.pvalue != 1 or not zero:
            yield f"but p is {result.pvalue!r}, statistic {result.statistic!r} with {case}"


def constant(s: Subject) -> Iterator[str]:
    """Constant non-zero differences have no p-value, and say so; ranks and signs count them."""
    for case in s.degenerate(s.kind.constant):
        result = s.call(case)
        if isinstance(result.evidence, Exact | Draws):
            if result.pvalue is None and s.method.has_pvalue:
                yield f"but there is no p-value with {case}"
            continue
        made_up = numbers(result)
        for real in ("estimate", "stderr", "df"):
            made_up.pop(real)
        if s.method.has_interval:
            made_up |= {"equivalence": result.equivalence(0.1), "odds": result.probabilities(0.1)}
        if any(value is not None for value in made_up.values()):
            yield f"but it gives the arbitrary value {made_up} with {case}"
        said = s.method.undefined_note in [note.code for note in result.notes]
        if not said or result.verdict() != "no decision":
            yield f"but there is no note, or a decision ({result.verdict()}), with {case}"


def finite(s: Subject) -> Iterator[str]:
    """No public number is ever NaN or infinite."""
    extremes = [s.extreme(beyond=beyond) for beyond in (False, True)]
    flat = [[*s.degenerate(change)][:3] for change in (s.kind.identical, s.kind.constant)]
    small = s.kind.smallest(s.method.layout)
    for case in [*s.cases(), *extremes, small, *flat[0], *flat[1]]:
        result = answer(s.call, case)
        if isinstance(result, OutperformError):
            continue
        found = result.to_dict()
        values: list[Any] = [found[key] for key in KEYS if key != "versions"]
        if s.method.has_interval:
            asked = (answer(ask, 0.1) for ask in (result.equivalence, result.probabilities))
            values += [value for value in asked if not isinstance(value, OutperformError)]
        if re.search(r"\b(nan|inf)\b", repr(values)):
            yield f"but it returned {values} with {case}"


def types(s: Subject) -> Iterator[str]:
    """The same values in another type of array give the same answer: uint8 must not wrap."""
    case = s.kind.whole(s.method.layout, s.rng())
    want = numbers(s.call(case))
    for name in dict(casts(next(iter(case.arrays.values())))):
        cast = {key: dict(casts(array)).get(name) for key, array in case.arrays.items()}
        if all(value is not None for value in cast.values()):
            other = case.but(f"as {name}", **cast)
            if wrong := unequal(numbers(s.call(other)), want, 0.0):
                yield f"but {wrong} with {other}"


def refusal(s: Subject) -> Iterator[str]:
    """What is no number or has the wrong shape is refused with an error that names the argument."""
    for what, case, words in refusals(s.kind.whole(s.method.layout, s.rng())):
        try:
            s.call(case)
        except OutperformError as error:
            if not any(re.search(rf"\b{word}\b", str(error)) for word in words):
                yield f"but the error does not name the argument for {what}: {error}"
        except Exception as error:
            yield f"but {what} raised {type(error).__name__}: {error}"
        else:
            yield f"but {what} was accepted"


def purity(s: Subject) -> Iterator[str]:
    """Inputs are left as they were, and a result stays as it is whatever happens to them."""
    for case in s.cases():
        mine = case.each("as the caller's own", lambda array: np.array(array, dtype=np.float64))
        result = s.call(mine)
        before = numbers(result)
        details = {name: np.array(value) for name, value in result.details.items()}
        for name, array in mine.arrays.items():
            if not np.array_equal(array, case.arrays[name]):
                yield f"but it changed {name} of {case}"
            array[...] = 0.0
        if wrong := unequal(numbers(result), before, 0.0):
            yield f"but {wrong} once the caller had changed the arrays of {case}"
        for name, value in result.details.items():
            if not np.array_equal(value, details[name]):
                yield f"but details[{name!r}] changed with the arrays of {case}"
        for name in ("n", "evidence", "notes"):
            try:
                setattr(result, name, None)
            except (FrozenInstanceError, AttributeError):
                continue
            yield f"but {name} of a result could be set"


def levels(s: Subject) -> Iterator[str]:
    """A level or an α that does not lie between 0 and 1 is refused."""
    result = s.call(s.cases()[0])
    for bad in (0, 1, -0.1, 1.5, math.nan, None, "0.95"):
        for ask in (result.interval, result.verdict):
            if not isinstance(answer(ask, bad), OutperformError):
                yield f"but {ask.__name__}({bad!r}) returned a value"


def printing(s: Subject) -> Iterator[str]:
    """Every result prints, never as NaN or p = 0, and its JSON holds the common keys."""
    extremes = [s.extreme(beyond=beyond) for beyond in (False, True)]
    flat = [*s.degenerate(s.kind.identical), *s.degenerate(s.kind.constant)]
    for case in [s.cases()[0], *extremes, *flat[:1], *flat[-1:]]:
        result = s.call(case)
        shown = " ".join((repr(result), str(result), result._repr_html_()))
        if re.search(r"\b(nan|None)\b|p = 0(\.0*)?(?![.\d])", shown):
            yield f"but it prints {shown!r} with {case}"
        if missing := set(KEYS) - set(json.loads(result.to_json())):
            yield f"but the JSON lacks {sorted(missing)} with {case}"


HYGIENE: tuple[Law, ...] = (
    *(metadata, identical, constant, finite),
    *(types, refusal, purity, levels, printing),
)


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
            if mirrors and (wrong := _other_details(turned, s.call(other))):
                yield f"but details[{wrong!r}] differ with {other}"


def _other_details(turned: Result, called: Result) -> str:
    """Name a detail of turned evidence that is not the one of exchanged data; "" if none."""
    return next(
        (
            name
            for name, value in called.details.items()
            if value is not None and not np.allclose(turned.details[name], value, rtol=1e-9, atol=0)
        ),
        "",
    )


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
            continue  # there mu0 refers to the oriented difference
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
    if not s.method.has_pvalue:
        return
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
                    if not (
                        at_end is not None and at_end < 1 - level
                        if counted
                        else near(at_end, 1 - level, 1e-8)
                    ):
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
        for rope in (0.2 * reach, 0.9 * reach, 1.1 * reach, max(1.2 * reach, min(2 * reach, 1.0))):
            odds, p = result.probabilities(rope), result.equivalence(rope)
            if odds is None or p is None or abs(sum(odds) - 1) > 1e-12 or min(odds) < 0:
                yield f"but the probabilities are {odds} for rope={rope} with {case}"
                return
            if not (odds.better <= better and odds.equivalent >= same and odds.worse <= worse):
                yield f"but {odds} for rope={rope} do not follow from a narrower one with {case}"
            if (p < 0.05) != (reach < rope):
                yield f"but p is {p!r} for rope={rope}, the interval reaches {reach}, with {case}"
            better, same, worse = odds


def posterior(s: Subject) -> Iterator[str]:
    """Without p-values, P(better, equivalent, worse) sum to 1, grow with the rope, and decide."""
    for case in () if s.method.has_pvalue else s.cases():
        result, same = s.call(case), 0.0
        for rope in (0.001, 0.01, 0.1, 10.0):
            odds = result.probabilities(rope)
            if odds is None or abs(sum(odds) - 1) > 1e-9 or odds.equivalent < same:
                yield f"but the probabilities are {odds} for rope={rope} with {case}"
                return
            same = odds.equivalent
            if (same > 0.95) != (result.verdict(rope=rope) == "equivalent"):
                yield f"but {odds} give {result.verdict(rope=rope)} for rope={rope} with {case}"


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
    *(inversion, nesting, order, batch, equivalence, posterior, noninferiority),
)
