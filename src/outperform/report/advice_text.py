"""Advice as a short page: what to do, what it costs, why, and what to paste."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .sentences import counted
from .wrapping import laid_out

if TYPE_CHECKING:
    from ..verbs.advise import Advice


def advice(given: Advice, *, width: int | None = None) -> str:
    """Return the question, what to do, what it costs, why, what to beware of, what to paste."""
    from ..advice.questions import NINE
    from ..designs import parse
    from ..registry import methods

    titles = {method.name: method.title for method in methods()}
    title = titles.get(given.method, f"outperform.{given.method}(…)")
    many = given.fits is not None
    design = f"{given.design}: {parse(given.design).describe()}" if many else given.design
    rows = [
        ("design", [design]),
        ("method", [f"{given.method}: {title}"]),
        ("why", [str(reason) for reason in given.reasons]),
        ("beware", [str(warning) for warning in given.warnings]),
    ]
    if given.fits is not None and given.cost is not None:
        each = f", {given.fits:,} for each learner" if given.learners > 1 else ""
        rows.insert(2, ("cost", [f"{counted(given.cost, 'fit')}{each}"]))
    texts = [(name if at == 0 else "", text) for name, all_ in rows for at, text in enumerate(all_)]
    head = laid_out(f"Question {given.question}: {NINE[given.question]}", texts, width, label=8)
    # What is pasted is never broken into lines.
    return "\n".join([head, f"  python   {given.python}", f"  command  {given.command}"])
