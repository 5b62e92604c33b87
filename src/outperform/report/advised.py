"""Advice as a short page of text."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from . import prose

if TYPE_CHECKING:
    from ..verbs.advise import Advice

__all__ = ["page"]

WIDTH = 96


def page(advice: Advice) -> str:
    """Return the question, what to do, what it costs, why, what to beware of, what to paste."""
    from ..advice.questions import NINE
    from ..designs import parse
    from ..registry import methods

    titles = {method.name: method.title for method in methods()}
    title = titles.get(advice.method, f"outperform.{advice.method}(…)")
    many = advice.fits is not None
    design = f"{advice.design}: {parse(advice.design).describe()}" if many else advice.design
    rows = [
        ("design", [design]),
        ("method", [f"{advice.method}: {title}"]),
        ("why", [str(reason) for reason in advice.reasons]),
        ("beware", [str(warning) for warning in advice.warnings]),
    ]
    if advice.fits is not None and advice.cost is not None:
        each = f", {advice.fits:,} for each learner" if advice.learners > 1 else ""
        rows.insert(2, ("cost", [f"{prose.counted(advice.cost, 'fit')}{each}"]))
    lines = [f"Question {advice.question}: {NINE[advice.question]}"]
    for name, texts in rows:
        for i, text in enumerate(texts):
            first, *rest = wrap(text, WIDTH - 11, break_long_words=False)
            lines.append(f"  {name if i == 0 else '':<8} {first}")
            lines += [f"  {'':<8} {more}" for more in rest]
    # What is pasted is never broken into lines.
    return "\n".join([*lines, f"  python   {advice.python}", f"  command  {advice.command}"])
