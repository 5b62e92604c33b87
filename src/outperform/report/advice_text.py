"""Advice as a short page: what to do, what it costs, why, and what to paste."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import counted
from .wrapping import laid_out

if TYPE_CHECKING:
    from ..verbs.advise import Advice


def advice(given: Advice, *, width: int | None = None) -> str:
    """Return the question, what to do, what it costs, why, what to beware of, what to paste."""
    head, texts = parts(given)
    # What is pasted is never broken into lines.
    pasted = f"  python   {given.python}", f"  command  {given.command}"
    return "\n".join([laid_out(head, texts, width, label=8), *pasted])


def parts(given: Advice) -> tuple[str, list[tuple[str, str]]]:
    """Return the question, and labelled lines on what to do, what it costs, and why."""
    from ..advice.questions import NINE
    from ..designs import parse
    from ..registry import table

    titles = {method.name: method.title for method in table()}
    title = titles.get(given.method, f"outperform.{given.method}(…)")
    many = given.fits is not None
    design = f"{given.design}: {parse(given.design).describe()}" if many else given.design
    rows = [
        ("design", [design]),
        ("method", [f"{given.method}: {title}"]),
        ("why", [str(reason) for reason in given.reasons]),
        ("size", [given.measured] if given.measured else []),
        ("beware", [str(warning) for warning in given.warnings]),
    ]
    if given.fits is not None and given.cost is not None:
        each = f", {given.fits:,} for each learner" if given.learners > 1 else ""
        rows.insert(2, ("cost", [f"{counted(given.cost, 'fit')}{each}"]))
    texts = [(name if at == 0 else "", text) for name, all_ in rows for at, text in enumerate(all_)]
    return f"Question {given.question}: {NINE[given.question]}", texts
