"""check_method: the laws that every method must keep, checked on inputs made for its view."""

from __future__ import annotations

import json
import math
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import FrozenInstanceError, dataclass
from typing import Any, TypeAlias

import numpy as np

from .errors import OutperformError
from .evidence import Exact, Pivot
from .forms import AXES, FORMS
from .notes import NOTES
from .registry import DESIGN_KINDS, METHODS, Method, get
from .result import Result
from .testing_cases import Case, Kind, casts, refusals, stacked
from .testing_kinds import KINDS

__all__ = ["LAWS", "check_method"]

SEED = 19980701
FIRST_COUNTS = ("five_by_two_t", "single_fold_t")
"""Their numerator is the first difference, so only the others may change places."""
SIDES = ("two-sided", "greater", "less")
SOURCES = {"test data", "training data", "internal randomness", "label noise"}
KEYS = (
    "schema method names metric design n estimate stderr statistic df pvalue low high level "
    "alternative verdict notes seed versions"
).split()

Law: TypeAlias = Callable[["Subject"], Iterator[str]]
LAWS: dict[str, Law] = {}


def check_method(method: Method | str, *, first_counts: bool | None = None, **options: Any) -> tuple[str, ...]:
    """Check every law that applies to a method; raise AssertionError naming those it breaks.

    `options` go to every call, such as variant="exact". `first_counts=True` says that the first
    split has a part of its own, so that only the others may change places. Returns the laws.

    >>> "swap" in check_method("corrected_t")
    True
    """
    chosen = get(method) if isinstance(method, str) else method
    kind = KINDS[chosen.view]
    first = chosen.name in FIRST_COUNTS if first_counts is None else first_counts
    subject = Subject(chosen, options, kind, first)
    broken = []
    for name, law in LAWS.items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                found = next(law(subject), None)
        except Exception as error:
            found = f"it raised {type(error).__name__}: {error}"
        if found is not None:
            why = (law.__doc__ or "").strip()
            broken.append(f"{chosen.name} breaks the law {name!r} ({why}) {found}")
    if broken:
        raise AssertionError("\n".join(broken))
    return tuple(LAWS)


@dataclass(frozen=True)
class Subject:
    """A method under test, with the options and the inputs it is tested with."""

    method: Method
    options: Mapping[str, Any]
    kind: Kind
    first_counts: bool

    def rng(self) -> np.random.Generator:
        return np.random.Generator(np.random.PCG64(SEED))

    def cases(self) -> list[Case]:
        return self.kind.draw(self.method.layout, self.rng())

    def extreme(self, *, beyond: bool) -> Case:
        return self.kind.extreme(self.method.layout, self.rng(), beyond)

    def degenerate(self, change: Callable[[Case], Case] | None) -> Iterator[Case]:
        """Yield degenerate cases, also of scores a billion times larger and smaller."""
        for case in self.cases() if change is not None else ():
            flat = change(case)  # type: ignore[misc]
            yield flat
            for factor in (1e9, 1e-9) if self.kind.scales else ():
                yield scaled(flat, factor)

    def call(self, case: Case, **more: Any) -> Result:
        return self.method(**{**case.arrays, **case.keywords, **self.options, **more})


def law(function: Law) -> Law:
    LAWS[function.__name__.rstrip("_")] = function
    return function


def scaled(case: Case, factor: float) -> Case:
    null = case.null * factor if "mu0" in case.keywords else None
    return case.each(f"times {factor:g}", lambda array: np.asarray(array) * factor, null)


def numbers(result: Result, level: float = 0.9) -> dict[str, Any]:
    """Return the public numbers of a result."""
    interval = result.interval(level)
    low, high = (None, None) if interval is None else interval
    names = ("estimate", "stderr", "statistic", "df", "pvalue", "log_pvalue")
    return {name: getattr(result, name) for name in names} | {"low": low, "high": high}


def near(x: Any, y: Any, within: float, size: float = 0.0) -> bool:
    if isinstance(x, tuple) and isinstance(y, tuple):
        return all(near(a, b, within) for a, b in zip(x, y, strict=True))
    if x is None or y is None or x == y:
        return bool(x == y)
    return bool(abs(x - y) <= within * max(abs(x), abs(y), size))


def unequal(got: dict[str, Any], want: dict[str, Any], within: float, size: float = 0.0) -> str:
    """Say which numbers differ by more than a relative error, or nothing."""
    wrong = [k for k in want if not near(got[k], want[k], within, size)]
    return ", ".join(f"{k} is {got[k]!r}, not {want[k]!r}" for k in wrong)


def mirrored(found: dict[str, Any], kind: Kind, signed: bool) -> dict[str, Any]:
    """Return the numbers to be found when the sides change places."""
    if not kind.turns:
        return found
    low, high, centre = found["low"], found["high"], 2 * kind.centre
    turned = dict(found, estimate=centre - found["estimate"])
    if low is not None:
        turned.update(low=centre - high, high=centre - low)
    if signed and found["statistic"] is not None:
        turned["statistic"] = -found["statistic"]
    return turned


@law
def metadata(s: Subject) -> Iterator[str]:
    """It says what it is, where it is valid and what it accounts for."""
    m = s.method
    doc = f"{m.kernel.__doc__} {m.kernel.__globals__.get('__doc__')}"
    for wrong, what in (
        (not (m.title and m.paper and m.advice and m.summary), "title, paper, advice or docstring"),
        (m.view not in FORMS or (m.view == "Differences" and m.layout not in AXES), "layout"),
        (not m.designs or not {*m.designs, *m.default_for} <= set(DESIGN_KINDS), "designs"),
        (not set(m.default_for) <= set(m.designs), "default_for"),
        (not set(m.accounts_for) <= SOURCES, "accounts_for"),
        (m.standing not in ("recommended", "studied", "warned against"), "standing"),
        (m.standing == "warned against" and not m.instead, "instead"),
        (m.instead is not None and m.instead not in METHODS, "instead"),
        (m.note is not None and m.note not in NOTES, "note"),
        (not all(re.fullmatch(r"[A-Z]-\d\d", r) for r in m.requirements), "requirements"),
        (bool(m.requirements) and not any(r in doc for r in m.requirements), "docstring's ids"),
    ):
        if wrong:
            yield f"but its {what} will not do"
    if m.published_design is not None:
        from .designs import parse

        m.check_design(parse(m.published_design))


@law
def direction(s: Subject) -> Iterator[str]:
    """A first side that is far better has a positive estimate and a small p for greater."""
    case = s.extreme(beyond=False)
    if s.kind.swap(case, s.method.layout) is None:
        return
    if not s.call(case).estimate > case.null:
        yield f"but the estimate is {s.call(case).estimate} with {case}"
    if s.method.directed:
        greater, less = (s.call(case, alternative=side).pvalue for side in SIDES[1:])
        if greater is None or less is None or not greater < less:
            yield f"but p is {greater} for greater and {less} for less with {case}"


@law
def swap(s: Subject) -> Iterator[str]:
    """Changing places turns estimate and interval, keeps the two-sided p, exchanges the others."""
    for case in s.cases():
        other = s.kind.swap(case, s.method.layout)
        if other is None:
            return
        signed = isinstance(s.call(case).evidence, Pivot) and s.call(case).df != 1.0
        for side, opposite in zip(SIDES, ("two-sided", "less", "greater"), strict=True):
            if side != "two-sided" and not s.method.directed:
                continue
            here, there = s.call(case, alternative=side), s.call(other, alternative=opposite)
            want = mirrored(numbers(here), s.kind, signed)
            if not (signed or s.kind.centre == 0):
                want.pop("statistic")
            if wrong := unequal(numbers(there), want, 1e-9):
                yield f"but {wrong} with {other}"


@law
def orientation(s: Subject) -> Iterator[str]:
    """lower_is_better=True is the same as exchanging the sides."""
    for case in s.cases() if s.kind.orients else ():
        if case.null and len(case.arrays) == 2 and s.kind.shifts:
            continue  # there mu0 speaks of the oriented difference
        if s.kind.turns:
            other = s.kind.swap(case, s.method.layout) or case
            got, want = s.call(case, lower_is_better=True), s.call(other)
        else:
            wrong = case.each("as losses", lambda x: 1 - x if s.method.layout else -x)
            got, want = s.call(wrong, lower_is_better=True), s.call(case)
        if differs := unequal(numbers(got), numbers(want), 1e-12):
            yield f"but {differs} with {case}"


@law
def scale(s: Subject) -> Iterator[str]:
    """Another unit changes neither statistic nor p, and scales estimate, error and interval."""
    for case in s.cases() if s.kind.scales else ():
        here = numbers(s.call(case))
        for factor, within in ((2.0**10, 0.0), (2.0**-30, 0.0), (1000.0, 1e-9)):
            unit = ("estimate", "stderr", "low", "high")
            want = {k: v * factor if k in unit and v is not None else v for k, v in here.items()}
            if wrong := unequal(numbers(s.call(scaled(case, factor))), want, within):
                yield f"but {wrong} with {scaled(case, factor)}"


@law
def shift(s: Subject) -> Iterator[str]:
    """Adding a constant to both sides changes nothing."""
    for case in s.cases() if s.kind.shifts else ():
        if len(case.arrays) == 2:
            moved = case.each("plus 4", lambda array: array + 4)
            if wrong := unequal(numbers(s.call(moved)), numbers(s.call(case)), 1e-9, 1e-3):
                yield f"but {wrong} with {moved}"


@law
def null(s: Subject) -> Iterator[str]:
    """Testing against mu0 is testing a − mu0 against 0."""
    by = 0.015625
    for case in s.cases() if s.kind.has_null and s.kind.scales else ():
        first = case.arrays if not s.kind.shifts else [next(iter(case.arrays))]
        moved = case.but("minus 1/64", **{name: case.arrays[name] - by for name in first})
        here = numbers(s.call(case.but("against 1/64 more", mu0=case.null + by)))
        there = numbers(s.call(moved))
        for name in ("estimate", "low", "high"):
            there[name] = None if there[name] is None else there[name] + by
        if wrong := unequal(here, there, 1e-9, 1e-3):
            yield f"but {wrong} with {case.but('against 1/64 more')}"


@law
def sides(s: Subject) -> Iterator[str]:
    """p is twice the smaller one-sided p, at most 1, and log_pvalue is its logarithm."""
    for case in [*s.cases(), s.extreme(beyond=False)]:
        if not s.method.directed:
            if not _refused(lambda c=case: s.call(c, alternative="greater")):  # type: ignore[misc]
                yield f"but a one-sided p was given for a statistic without direction with {case}"
            continue
        two, greater, less = (s.call(case, alternative=side).pvalue or 0.0 for side in SIDES)
        twice = min(1.0, 2 * min(greater, less))
        if getattr(s.call(case).evidence, "log_two_sided", None) is None:
            if not near(two, twice, 1e-12):
                yield f"but p is {two!r} and the one-sided are {greater!r} and {less!r} with {case}"
        if not (0 <= two <= 1 and greater + less >= 1 - 1e-12):
            yield f"but p is {two!r}, one-sided {greater!r} and {less!r} with {case}"


@law
def tails(s: Subject) -> Iterator[str]:
    """A tiny p keeps its digits, and its logarithm where it is too small for a float."""
    for case in [*s.cases(), s.extreme(beyond=False)]:
        p, log_p = s.call(case).pvalue, s.call(case).log_pvalue
        if p is None or log_p is None or not p > 0 or abs(math.log(p) - log_p) > 1e-9 * -log_p:
            yield f"but p is {p!r} and log_pvalue {log_p!r} with {case}"
    case = s.extreme(beyond=True)
    p, log_p = s.call(case).pvalue, s.call(case).log_pvalue
    if p is None or log_p is None or p > 1e-300 or not -math.inf < log_p < -690:
        yield f"but p is {p!r} and log_pvalue {log_p!r} with {case}"


@law
def inversion(s: Subject) -> Iterator[str]:
    """p < α exactly when the interval excludes the null, and at its ends p = α."""
    if not (s.method.interval_inverts and s.method.has_interval):
        return
    for case in s.cases()[2:]:
        for side, level in zip(SIDES * 2, (0.95, 0.95, 0.95, 0.8, 0.7, 0.9), strict=True):
            result = s.call(case, alternative=side)
            interval, p = result.interval(level), result.pvalue
            if interval is None or p is None:
                yield f"but the interval is {interval} and p is {p} with {case}"
                return
            if (p < 1 - level) != (result.null not in interval):
                yield f"but p is {p!r} and the {level} interval {interval} with {case}, {side}"
            for end in interval if s.kind.has_null else ():
                if math.isfinite(end) and (s.kind.centre == 0 or 0 < end < 1):
                    at_end = s.call(case.but("", mu0=end), alternative=side).pvalue
                    if not near(at_end, 1 - level, 1e-8):
                        yield f"but p is {at_end!r} at the {level} interval's end with {case}, {side}"


@law
def nesting(s: Subject) -> Iterator[str]:
    """Intervals hold the estimate and widen with the level."""
    for case in s.cases() if s.method.has_interval else ():
        result = s.call(case)
        inner = (result.estimate, result.estimate)
        for level in (0.5, 0.9, 0.95, 0.999):
            found = result.interval(level)
            if found is None or not (found.low <= inner[0] and inner[1] <= found.high):
                yield f"but the {level} interval is {found}, not around {inner}, with {case}"
                return
            inner = (found.low, found.high)


@law
def order(s: Subject) -> Iterator[str]:
    """The order of splits, items or datasets changes nothing, to the last bit."""
    rng = s.rng()
    for case in s.cases() * 2:
        other = s.kind.reorder(case, s.method.layout, rng, s.first_counts)
        if wrong := unequal(numbers(s.call(other)), numbers(s.call(case)), 0.0):
            yield f"but {wrong} with {other}"


@law
def batch(s: Subject) -> Iterator[str]:
    """A batch gives what its experiments give one by one."""
    cases = s.cases()
    same = [case for case in cases if case.label == cases[0].label]
    if s.kind.draw is KINDS["Contingency"].draw:
        same = cases
    for change in (s.kind.identical, s.kind.constant):
        same += [] if change is None else [change(same[0])]
    many = s.method.batch(**stacked(same), **same[0].keywords, **s.options)
    for row, column in ((0, i) for i in range(len(same))):
        for at in ((row, column), (1, len(same) - 1 - column)):
            one = s.call(same[column])
            got = numbers(Result(s.method, one.names, "", None, one.n, many.at(at)))
            if wrong := unequal(got, numbers(one), 1e-12):
                yield f"but {wrong} at {at} of a batch with {same[column]}"


@law
def identical(s: Subject) -> Iterator[str]:
    """Sides that score the same everywhere have p = 1 and note OP101."""
    for case in s.degenerate(s.kind.identical):
        result = s.call(case)
        if result.pvalue != 1 or result.log_pvalue != 0 or result.verdict() != "no decision":
            yield f"but p is {result.pvalue!r} ({result.verdict()}) with {case}"
        if "OP101" not in [note.code for note in result.notes]:
            yield f"but it is not noted with {case}"
    for case in s.degenerate(s.kind.balanced):
        result = s.call(case)
        zero = isinstance(result.evidence, Exact) or result.statistic == 0
        if result.pvalue != 1 or not zero:
            yield f"but p is {result.pvalue!r}, statistic {result.statistic!r} with {case}"


@law
def constant(s: Subject) -> Iterator[str]:
    """Constant non-zero differences have no p-value and note OP102; ranks and signs count them."""
    for case in s.degenerate(s.kind.constant):
        result = s.call(case)
        if isinstance(result.evidence, Exact):
            if result.pvalue is None:
                yield f"but there is no p-value with {case}"
            continue
        made_up = {k: v for k, v in numbers(result).items() if k not in ("estimate", "stderr", "df")}
        if s.method.has_interval:
            made_up |= {"equivalence": result.equivalence(0.1), "odds": result.probabilities(0.1)}
        if any(value is not None for value in made_up.values()):
            yield f"but it gives {made_up} with {case}"
        if "OP102" not in [n.code for n in result.notes] or result.verdict() != "no decision":
            yield f"but it is not noted, or decided upon ({result.verdict()}), with {case}"


@law
def finite(s: Subject) -> Iterator[str]:
    """No public number is ever NaN or infinite."""
    small = s.kind.smallest(s.method.layout)
    extremes = [s.extreme(beyond=beyond) for beyond in (False, True)]
    flat = [*s.degenerate(s.kind.identical), *s.degenerate(s.kind.constant)]
    for case in [*s.cases(), *extremes, small, *flat[:6]]:
        found = _or_refused(lambda c=case: s.call(c).to_dict())  # type: ignore[misc]
        values = [] if found is None else [found[k] for k in KEYS if k not in ("seed", "versions")]
        if s.method.has_interval and found is not None:
            rope = {"equivalence": s.call(case).equivalence, "odds": s.call(case).probabilities}
            values += [_or_refused(lambda ask=ask: ask(0.1)) for ask in rope.values()]  # type: ignore[misc]
        if "nan" in repr(values).lower() or "inf" in re.sub("[a-z]{4,}", "", repr(values)):
            yield f"but {values} came back with {case}"


@law
def types(s: Subject) -> Iterator[str]:
    """The same values in another type of array give the same answer: uint8 must not wrap."""
    case = s.kind.whole(s.method.layout, s.rng())
    want = numbers(s.call(case))
    for name in dict(casts(next(iter(case.arrays.values())))):
        cast = {key: dict(casts(array)).get(name) for key, array in case.arrays.items()}
        if all(array is not None for array in cast.values()):
            if wrong := unequal(numbers(s.call(case.but(name, **cast))), want, 0.0):
                yield f"but {wrong} with {case} as {name}"


@law
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


@law
def purity(s: Subject) -> Iterator[str]:
    """Inputs are left as they were, results cannot be changed, levels lie between 0 and 1."""
    for case in s.cases()[:1]:
        mine = case.each("writable", lambda array: np.array(array, dtype=np.float64))
        result = s.call(mine)
        before = numbers(result)
        for name, array in mine.arrays.items():
            if not np.array_equal(array, case.arrays[name]):
                yield f"but it changed {name} of {case}"
            array[...] = 0.0
        if unequal(numbers(result), before, 0.0):
            yield f"but the result changed when the caller's arrays did, with {case}"
        for name in ("n", "evidence", "notes"):
            try:
                setattr(result, name, None)
            except (FrozenInstanceError, AttributeError):
                continue
            yield f"but {name} of a result could be set"
        for bad in (0, 1, -0.1, 1.5, math.nan, None, "0.95"):
            for ask in (result.interval, result.verdict):
                if not _refused(lambda ask=ask, bad=bad: ask(bad)):  # type: ignore[misc]
                    yield f"but {ask.__name__}({bad!r}) was answered"


@law
def printing(s: Subject) -> Iterator[str]:
    """Every result prints, never as NaN or p = 0, and its JSON holds the common keys."""
    flat = [*s.degenerate(s.kind.identical), *s.degenerate(s.kind.constant)]
    for case in [s.cases()[0], *(s.extreme(beyond=b) for b in (False, True)), *flat[:1], *flat[-1:]]:
        result = s.call(case)
        shown = " ".join((repr(result), str(result), result._repr_html_()))
        if re.search(r"\b(nan|None)\b|p = 0(\.0*)?(?![.\d])", shown):
            yield f"but it prints {shown!r} with {case}"
        if missing := [key for key in KEYS if key not in json.loads(result.to_json())]:
            yield f"but the JSON lacks {missing} with {case}"


@law
def equivalence(s: Subject) -> Iterator[str]:
    """P(better, equivalent, worse) sum to 1, grow with the rope, and agree with the interval."""
    for case in s.cases() if s.method.has_interval and s.kind.centre == 0 else ():
        result, last = s.call(case), (1.0, 0.0, 1.0)
        reach = max(abs(end) for end in result.interval(0.9) or (0.0, 0.0))
        for rope in (0.2 * reach, 0.9 * reach, 1.1 * reach, min(2 * reach, 1.0)):
            odds, p = result.probabilities(rope), result.equivalence(rope)
            if odds is None or p is None or abs(sum(odds) - 1) > 1e-12 or min(odds) < 0:
                yield f"but the probabilities are {odds} for rope={rope} with {case}"
                return
            if not (odds[0] <= last[0] and odds[1] >= last[1] and odds[2] <= last[2]):
                yield f"but {odds} follow {last} for a wider rope={rope} with {case}"
            if (p < 0.05) != (reach < rope) and len(case.arrays) != 0:
                yield f"but p is {p!r} for rope={rope} and the 0.9 interval ends at {reach} with {case}"
            last = tuple(odds)  # type: ignore[assignment]


def _refused(call: Callable[[], Any]) -> bool:
    try:
        call()
    except OutperformError:
        return True
    return False


def _or_refused(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except OutperformError:
        return None
