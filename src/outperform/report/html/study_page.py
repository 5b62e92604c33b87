"""The page of a study: how often each test rejected, in one file."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import validation
from ...readers.own_files import embedded
from ...results.result import versions
from ..figures import curves
from ..figures.svg import Sheet, framed
from ..formatting import terminal
from .page import checked_target, filled, replace_whole, stamp

if TYPE_CHECKING:
    from ...lab.study_results import Rate, RateTable, Study


ITEM = 60
"""Characters of a setting; more of it says nothing to a reader."""


def write(
    study: Study,
    path: Any,
    *,
    force: bool = False,
    alpha: float = 0.05,
    rates: RateTable | None = None,
    sentences: Sequence[str] = (),
) -> Path:
    """Write the page and return its path; whatever goes wrong, an old one stays whole."""
    target = checked_target(path, force=force, whose="study")
    text = render(study, alpha=alpha, rates=rates, sentences=sentences)
    replace_whole(target, text.encode())
    return target


def render(
    study: Study,
    *,
    alpha: float = 0.05,
    rates: RateTable | None = None,
    sentences: Sequence[str] = (),
) -> str:
    """Return the page as text.

    `rates` are those of other hypotheses than Δ = 0, which are known to be true; `sentences` say
    more of what was studied.
    """
    from markupsafe import Markup

    alpha = validation.fraction(alpha, "alpha")
    found: RateTable = study.rates(alpha) if rates is None else rates
    sheet = Sheet()
    shown = _figures(study, found, alpha, sheet, true=rates is not None)
    return filled(
        "study.html",
        sheet,
        title=f"{terminal(study.scenario.name)} · a study of tests",
        scenario=terminal(study.scenario.name),
        hypothesis="Δ = 0" if rates is None else "true null hypotheses",
        sentences=[" ".join(map(terminal, one.split())) for one in sentences],
        reading=_reading(study, alpha, true=rates is not None),
        n=f"{study.n_reps:,}",
        n_methods=len(study.methods),
        n_effects=len(study.effects),
        alpha=f"{alpha:g}",
        level=f"{100 * found.level:g} %",
        undefined=any(row.undefined for row in found),
        rows=[_cells(row) for row in found],
        figures=shown,
        settings=_settings(study.scenario),
        provenance=_provenance(study),
        payload=Markup(
            embedded({**study.to_dict(alpha=alpha), "rates": [row._asdict() for row in found]})
        ),
    )


def _cells(row: Rate) -> dict[str, str]:
    return {
        "method": terminal(row.method),
        "effect": f"{row.effect:g}".replace("-", "−"),
        "effect_value": repr(row.effect),
        "rate": f"{row.rate:.4f}",
        "interval": f"[{row.low:.4f}, {row.high:.4f}]",
        "width": repr(row.high - row.low),
        "hits": f"{row.hits:,}",
        "hits_value": str(row.hits),
        "undefined": f"{row.undefined:.2%}",
    }


def _reading(study: Study, alpha: float, *, true: bool) -> str:
    """Say what the rates are: errors where the hypothesis is true, power where it is not."""
    if true:
        return (
            "The hypothesis is true: every rejection is an error, and a test of the right size "
            f"rejects in {100 * alpha:.4g} % of the experiments."
        )
    if 0.0 in study.effects and getattr(study.scenario, "null_at_zero", False):
        power = " At other effects the rate is power." if len(study.effects) > 1 else ""
        return (
            f"At effect 0 the learners are equal: every rejection is an error, and a test of the "
            f"right size rejects in {100 * alpha:.4g} % of the experiments.{power}"
        )
    return (
        "This scenario does not fix the true difference: until it is known, the rates are neither "
        "error rates nor power."
    )


def _figures(study: Study, rows: RateTable, alpha: float, sheet: Sheet, *, true: bool) -> list[Any]:
    several = len(study.effects) > 1
    spoken = "; ".join(
        f"{terminal(row.method)}{f' at {row.effect:g}' if several else ''} {row.rate:.3f}"
        for row in rows
    )
    asked = [
        (
            "power" if several else "rates",
            f"Share of rejections: {spoken}.",
            "Share of experiments rejected, with Wilson intervals; the line is α.",
        )
    ]
    if not true:
        asked.append(
            (
                "pvalues",
                "Share of p-values up to each value, by method.",
                "Share of p-values up to x at the first effect; under a true null hypothesis a "
                "test of the right size follows the diagonal.",
            )
        )

    return [
        framed(
            curves.draw_study(study, kind, alpha=alpha, rates=rows, theme="page"),
            *(sheet, kind, alt, caption),
        )
        for kind, alt, caption in asked
    ]


def _settings(scenario: Any) -> list[tuple[str, str]]:
    """Return the settings of a scenario as words; of data only their size."""
    rows = [("Scenario", f"{scenario.name} ({type(scenario).__name__})")]
    if dataclasses.is_dataclass(scenario):
        for field in dataclasses.fields(scenario):
            rows.append((field.name, _value(getattr(scenario, field.name))))
    return [(terminal(name), terminal(value)) for name, value in rows]


def _value(value: Any) -> str:
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple):
        return f"{' × '.join(str(size) for size in shape)} values"
    if isinstance(value, list | tuple | np.ndarray) and len(value) > ITEM:
        return f"{len(value):,} values"
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = (f"{f.name}={_value(getattr(value, f.name))}" for f in dataclasses.fields(value))
        return f"{type(value).__name__}({', '.join(parts)})"
    if callable(value) and hasattr(value, "__qualname__"):
        return str(value.__qualname__)
    return " ".join(str(value).split())


def _provenance(study: Study) -> list[tuple[str, str]]:
    made = ", ".join(f"{name} {number}" for name, number in versions().items())
    rows = [("Methods", ", ".join(f"{one.label} ({one.title})" for one in study.asked))]
    rows += [("Experiments", f"{study.n_reps:,} for each effect"), ("Seed", str(study.seed))]
    rows += [("Versions", made), ("Written", stamp())]
    return [(name, " ".join(map(terminal, value.split()))) for name, value in rows]
