"""The record of a verdict: what was measured, asked and found, sealed by a hash."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from .. import validation
from ..errors import MethodError
from ..scores.payload import check_size, encoded

if TYPE_CHECKING:
    from .comparison import Comparison

SCHEMA = "outperform/record/1"
ENDING = ".outperform.json"
SHORT = 12
"""Characters of the hash that tables and paragraphs carry."""
FINDINGS = (
    *("method", "names", "metric", "greater_is_better", "design", "n", "adjust", "interval_kind"),
    *("control", "options", "level", "alternative", "estimand", "grade", "pairs", "groups"),
    *("notes", "seed"),
)
"""What is computed again: a comparison's own dictionary, but for the versions it was made with."""
KINDS = ("comparison", "race")
KEYS = ("schema", "kind", "estimand", "measured", "asked", "found", "versions", "sha256")
"""Of a record, all of them."""
ASKED = ("method", "alternative", "adjust", "control", "alpha", "level", "rope")
"""Of a comparison."""


def record_of(
    found: Comparison, *, alpha: float = 0.05, level: float | None = None, rope: float | None = None
) -> dict[str, Any]:
    """Return the record of a comparison, sealed."""
    alpha = validation.fraction(alpha, "alpha")
    level = 1 - alpha if level is None else validation.fraction(level, "level")
    if found.scores is None:
        raise MethodError(
            "A record contains the scores that the verdict rests on, and this comparison has "
            "none: compare Scores, a file or learners instead of arrays"
        )
    whole = found.to_dict(level=level, alpha=alpha, rope=rope)
    asked = {
        "method": found.procedure or found.method.name,
        "alternative": found.alternative,
        "adjust": "auto" if found.procedure else found.adjust,
        "control": found.control,
        "alpha": alpha,
        "level": level,
        "rope": rope,
    }
    return sealed(
        {
            "schema": SCHEMA,
            "kind": "comparison",
            "estimand": whole["estimand"],
            "measured": encoded(found.scores),
            "asked": asked,
            "found": {**{key: whole[key] for key in FINDINGS}, "family": family_of(found)},
            "versions": whole["versions"],
        }
    )


def family_of(found: Comparison) -> dict[str, Any]:
    """Return which comparisons were adjusted for together: how many of them, and how."""
    return {
        "learners": len(found.names),
        "pairs": found.n_pairs,
        "compared": "all pairs" if found.control is None else "each with the control",
        "adjustment": found.adjust,
    }


def text_of(record: Mapping[str, Any]) -> str:
    """Return a record as the text of a file."""
    return json.dumps(record, ensure_ascii=True, allow_nan=False, indent=1) + "\n"


def sealed(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content with its hash in the last place; refuse what could not be verified."""
    check_size(content["measured"])
    return {**content, "sha256": seal(content)}


def seal(content: Mapping[str, Any]) -> str:
    """Return the sha256 of all but the seal itself, over its canonical JSON."""
    bare = {key: value for key, value in content.items() if key != "sha256"}
    text = json.dumps(
        bare, sort_keys=True, ensure_ascii=True, allow_nan=False, separators=(",", ":")
    )
    return sha256(text.encode("ascii")).hexdigest()


def differences(told: Any, made: Any, where: str = "") -> list[tuple[str, Any, Any]]:
    """Return where two values of JSON differ: the place, what was told and what was found again.

    Numbers agree to the last bit. Of lists of different lengths only that is said.
    """
    if isinstance(told, dict) and isinstance(made, dict):
        spots = {key: f"{where}.{key}".lstrip(".") for key in (*told, *made)}
        added = [(spots[key], told[key], None) for key in told if key not in made]
        return added + [
            one for key in made for one in differences(told.get(key), made[key], spots[key])
        ]
    if isinstance(told, list) and isinstance(made, list) and len(told) == len(made):
        pairs = zip(told, made, strict=True)
        return [
            one
            for place, (left, right) in enumerate(pairs)
            for one in differences(left, right, f"{where}[{place}]")
        ]
    return (
        []
        if told == made and isinstance(told, bool) == isinstance(made, bool)
        else [(where, told, made)]
    )
