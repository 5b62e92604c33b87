"""Figures and tables that a verb writes to files of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ._output import check_new, say

if TYPE_CHECKING:
    from ..results.comparison import Comparison


FORMATS = (".pdf", ".png", ".svg")


def check_figure(kind: str, file: str, *, force: bool) -> None:
    """Refuse an unknown figure, or a file that may not be written, before anything else is done."""
    from ..errors import did_you_mean
    from ..report.figures import KINDS

    known = [name for name in KINDS if name != "learning-curve"]
    if kind not in known:
        raise click.UsageError(f"--plot {kind!r}: {did_you_mean(kind, known)}")
    check_new(file, "--plot", FORMATS, force=force)


def save_figure(
    found: Comparison, kind: str, file: str, *, alpha: float, rope: float | None
) -> None:
    """Draw a comparison to a file, whose ending says how."""
    saved(found.plot(kind, level=1 - alpha, rope=rope), file)


def saved(figure: Any, file: str) -> None:
    """Write a figure, and say so."""
    from ..report.figures.canvas import quiet

    with quiet():
        figure.savefig(file, dpi=200)
    say(f"Figure written to {file}.")


def save_tex(
    found: Comparison, file: str, *, alpha: float, rope: float | None, record: str | None = None
) -> None:
    """Write LaTeX tables."""
    text = found.to_latex(alpha=alpha, rope=rope, record=record)
    with open(file, "w", encoding="utf-8") as target:
        target.write(f"{text}\n")
    say(f"LaTeX written to {file}.")
