"""Laws about what goes in and comes out: metadata, types, refusals, degenerate data, printing."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np

from ..errors import OutperformError
from ..notes import NOTES
from ..registry import METHODS, design_kinds
from ..results.evidence import Exact
from .subject import Law, Subject, answer, casts, numbers, refusals, unequal

__all__ = ["HYGIENE"]

SOURCES = {"test data", "training data", "internal randomness", "label noise"}
STANDINGS = {"recommended", "studied", "warned against"}
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
        (m.standing == "warned against" and not m.instead, "instead"),
        (m.instead is not None and m.instead not in METHODS, "instead"),
        (not {m.note or m.undefined_note, m.undefined_note} <= set(NOTES), "notes"),
        (not all(re.fullmatch(r"[A-Z]-\d\d", r) for r in m.requirements), "requirements"),
        (bool(m.requirements) and not any(r in said for r in m.requirements), "docstring's ids"),
    ):
        if wrong:
            yield f"but its {what} will not do"
    if m.published_design is not None:
        from ..designs import parse

        m.check_design(parse(m.published_design))


def identical(s: Subject) -> Iterator[str]:
    """Sides that score the same everywhere have p = 1 and note OP101; equally good ones p = 1."""
    for case in s.degenerate(s.kind.identical):
        result = s.call(case)
        if result.pvalue != 1 or result.log_pvalue != 0 or result.verdict() != "no decision":
            yield f"but p is {result.pvalue!r} ({result.verdict()}) with {case}"
        if "OP101" not in [note.code for note in result.notes]:
            yield f"but it is not noted with {case}"
        odds = result.probabilities(0.1) if s.method.has_interval else None
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
        if isinstance(result.evidence, Exact):
            if result.pvalue is None:
                yield f"but there is no p-value with {case}"
            continue
        made_up = numbers(result)
        for real in ("estimate", "stderr", "df"):
            made_up.pop(real)
        if s.method.has_interval:
            made_up |= {"equivalence": result.equivalence(0.1), "odds": result.probabilities(0.1)}
        if any(value is not None for value in made_up.values()):
            yield f"but it gives {made_up} with {case}"
        said = s.method.undefined_note in [note.code for note in result.notes]
        if not said or result.verdict() != "no decision":
            yield f"but it is not noted, or decided upon ({result.verdict()}), with {case}"


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
            yield f"but {values} came back with {case}"


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
                yield f"but {ask.__name__}({bad!r}) was answered"


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
