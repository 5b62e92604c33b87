"""Judging scores for a verb: two learners give a Result, more give a Comparison."""

from __future__ import annotations

import sys
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from ._output import say

if TYPE_CHECKING:
    from ..families import Comparison
    from ..notes import Note
    from ..scores import Scores

__all__ = [
    "DEFAULTS",
    "as_dict",
    "as_text",
    "check_asked",
    "compared",
    "knowing_targets",
    "outcomes",
    "say_inferred",
]

INFERRED = ("OP001", "OP002", "OP003", "OP503", "OP504", "OP505", "OP506", "OP507",
            "OP509")  # fmt: skip
"""Notes on how input was read and a run was made: said on stderr, beside the answer or without."""

DEFAULTS: dict[str, Any] = {
    "method": "auto",
    "alternative": "two-sided",
    "adjust": "holm",
    "control": None,
}


def check_asked(alpha: float, rope: float | None) -> None:
    """Refuse α and rope that make no sense, before any file is read."""
    from .. import inputs

    inputs.fraction(alpha, "alpha")
    if rope is not None:
        inputs.rope_width(rope)


def compared(scores: Scores, **asked: Any) -> Comparison:
    """Judge all pairs, or every learner against the control."""
    from ..comparing import compare
    from ..errors import DataError

    if len(scores.names) < 2:
        raise DataError(
            f"only {scores.names[0]!r} was read; at least 2 learners are needed to compare. If a "
            "column tells learners apart, name it: --column learner=NAME"
        )
    known = scores.design is not None or len(set(scores.datasets or ())) > 1
    if (
        not known
        and scores.n_splits > 1
        and bool(((scores.values == 0) | (scores.values == 1)).all())
    ):
        raise DataError(
            "every score is 0 or 1, and no design was read. If each row is an item, and 1 says "
            "that a learner was right on it, say --layout correct; if they are scores of splits, "
            f"say how the data were split, such as --design {scores.n_splits}cv"
        )
    return compare(scores, **asked)


def knowing_targets(found: Comparison, y: Any) -> Comparison:
    """Look at the assumptions again with the targets: items sorted by class are no time series."""
    from dataclasses import replace

    from ..strains import strains

    before = strains(found)
    kept = [note for note in found.notes if note not in before]
    return replace(found, notes=(*kept, *strains(found, y)))


def outcomes(found: Comparison, alpha: float, rope: float | None) -> list[str]:
    """Return the verdict on every pair."""
    if found.n_pairs == 1:
        return [found[found.pair_names[0]].verdict(alpha, rope).outcome]
    return found.outcomes(alpha, rope)


def as_text(found: Comparison, *, alpha: float, rope: float | None) -> str:
    """Return the judgement as text, with all its notes.

    A single pair is shown line by line: effect, interval, test, verdict, then what it speaks of,
    what it could have found, and what single repeats say.
    """
    from ..notes import Note
    from ..report import prose, text
    from ..strains import notes_at
    from ._hints import as_options

    if found.n_pairs > 1:
        return text.comparison(found, alpha, rope=rope)
    pair = found[found.pair_names[0]]
    runs = found.robustness(alpha, rope)
    more = {
        "scope": prose.estimand(found),
        "power": prose.detectable(found, alpha),
        "repeats": " ".join(runs[0].sentences()[:1]) if runs else "",
    }
    notes = [
        Note(note.code, as_options(note.detail)) for note in notes_at(found, pair.notes, alpha)
    ]
    return text.block(pair, alpha, rope=rope, more=more, notes=notes)


def say_inferred(notes: Collection[Note], *, shown: bool) -> None:
    """Say on stderr what was inferred, unless the answer shows it on the same terminal."""
    from ._hints import as_options

    if not (shown and sys.stdout.isatty() and sys.stderr.isatty()):
        say(*(as_options(str(note)) for note in notes if note.code in INFERRED))


def as_dict(found: Comparison, *, alpha: float, rope: float | None) -> dict[str, Any]:
    """Return the judgement in the vocabulary of --json: one result, or one for each pair."""
    from ..strains import notes_at

    asked: dict[str, Any] = {"level": round(1 - alpha, 12), "alpha": alpha, "rope": rope}
    family = found.to_dict(**asked)
    if found.n_pairs > 1:
        return family | {"alpha": alpha, "rope": rope}
    pair = found[found.pair_names[0]]
    more = {key: family[key] for key in ("estimand", "robustness")}
    notes = notes_at(found, pair.notes, alpha)
    more["notes"] = [{"code": note.code, "text": note.text} for note in notes]
    return pair.to_dict(**asked) | more | {"alpha": alpha, "rope": rope}
