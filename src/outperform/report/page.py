"""The report: one HTML file that opens anywhere, loads nothing, and carries its own scores."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import validation
from ..readers.pages import payload
from ..results.result import versions
from . import sections
from .added_sections import added
from .clean import sentence, terminal
from .figures.differences import ends_of
from .figures.svg import Sheet
from .headline import adjustment, headline
from .writing import checked_target, filled, replace_whole, stamp

if TYPE_CHECKING:
    from ..results.comparison import Comparison

__all__ = ["render", "write"]


def write(
    comparison: Comparison,
    path: Any,
    *,
    force: bool = False,
    alpha: float = 0.05,
    level: float | None = None,
    rope: float | None = None,
) -> Path:
    """Write the page and return its path; whatever goes wrong, an old one stays whole."""
    target = checked_target(path, force=force, call="comparison.report('report.html', force=True)")
    text = render(comparison, alpha=alpha, level=level, rope=rope)
    replace_whole(target, text.encode())
    return target


def render(
    comparison: Comparison,
    *,
    alpha: float = 0.05,
    level: float | None = None,
    rope: float | None = None,
) -> str:
    """Return the page as text."""
    from markupsafe import Markup

    alpha = validation.fraction(alpha, "alpha")
    level = 1 - alpha if level is None else validation.fraction(level, "level")
    rope = None if rope is None else validation.rope_width(rope)
    sheet = Sheet()
    rows = [
        {**row, **dict(zip(("low", "high"), ends_of(row["low"], row["high"]), strict=True))}
        for row in comparison.rows(level=level, alpha=alpha, rope=rope)
    ]
    asked = sections.Asked(alpha, level, rope)
    parts = sections.everything(comparison, rows, asked, sheet)
    inside = None
    if comparison.scores is not None:
        inside = Markup(payload(comparison.scores, **_about(comparison, asked)))
    return filled(
        "report.html",
        sheet.css,
        **parts,
        added=added(comparison),
        headline=headline(comparison, rows, alpha, level, rope),
        title=f"{_title(comparison)} · outperform",
        payload=inside,
        recipe=_recipe(comparison),
        reads_items=comparison.method.view.of_items,
        provenance=_provenance(comparison),
    )


def _title(comparison: Comparison) -> str:
    names = [terminal(name) for name in comparison.names]
    return " v ".join(names) if len(names) <= 3 else f"{len(names)} learners compared"


def _about(comparison: Comparison, asked: sections.Asked) -> dict[str, Any]:
    """Return what was asked of the scores, so that the same can be asked again."""
    return {
        "method": comparison.method.name,
        "adjust": comparison.adjust,
        "alternative": comparison.alternative,
        "control": comparison.control,
        "alpha": asked.alpha,
        "level": asked.level,
        "rope": asked.rope,
        "versions": versions(),
    }


def _recipe(comparison: Comparison) -> str:
    options = [f"method={comparison.method.name!r}"]
    if comparison.adjust != "holm":
        options.append(f"adjust={comparison.adjust!r}")
    if comparison.alternative != "two-sided":
        options.append(f"alternative={comparison.alternative!r}")
    if comparison.control is not None:
        options.append(f"control={terminal(comparison.control)!r}")
    return (
        "import outperform as op\n\n"
        'scores = op.Scores.read("report.html")\n'
        f"op.compare(scores, {', '.join(options)})"
    )


def _provenance(comparison: Comparison) -> list[tuple[str, str]]:
    scores = comparison.scores
    made = versions()
    design = comparison.design
    rows = [
        ("Design", "not known" if design is None else f"{design.describe()} ({design})"),
        ("Method", f"{comparison.method.title} ({comparison.method.name})"),
        ("Family", f"{comparison.n_pairs} pairs, {adjustment(comparison)}"),
        ("Values", f"{comparison.n:,} for each pair"),
        ("Seed", "not recorded" if comparison.seed is None else str(comparison.seed)),
        ("Design fingerprint", "" if design is None else design.fingerprint),
        ("Scores (sha256)", "" if scores is None else scores.digest()),
        ("Datasets", "" if scores is None else _datasets(scores.datasets)),
        ("Versions", ", ".join(f"{name} {number}" for name, number in made.items())),
        ("Written", stamp()),
    ]
    if comparison.n_pairs == 1:
        rows = [row for row in rows if row[0] != "Family"]
    return [(name, sentence(value)) for name, value in rows if value]


def _datasets(names: tuple[str, ...] | None) -> str:
    return "" if names is None else ", ".join(terminal(name) for name in dict.fromkeys(names))
