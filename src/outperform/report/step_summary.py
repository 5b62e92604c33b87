"""The Markdown that a gate adds to the summary page of a continuous-integration run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from . import scope
from .formatting import sentence, terminal
from .paper_escapes import escape_markdown

if TYPE_CHECKING:
    from ..results.comparison import Comparison


def step_summary(
    found: Comparison,
    *,
    alpha: float,
    rope: float | None,
    record: str | None = None,
    gate: Sequence[str] = (),
) -> str:
    """Return the verdicts in sentences, the gate, tables, notes and the hash of the record."""
    names = [escape_markdown(terminal(name)) for name in found.names]
    verdicts = [
        f"- **{escape_markdown(str(found.verdict(first, second, alpha, rope)))}**"
        for first, second in found.pair_names
    ]
    notes = [f"- {escape_markdown(str(note))}" for note in found.notes_at(alpha)]
    return "\n".join(
        [
            f"### {' vs. '.join(names)}",
            "",
            *verdicts,
            *(f"- {escape_markdown(sentence(line))}" for line in gate),
            "",
            found.to_markdown(alpha=alpha, rope=rope),
            *(["", *notes] if notes else []),
            *([] if record is None else ["", f"{scope.record_sentence(record)}."]),
            "",
        ]
    )
