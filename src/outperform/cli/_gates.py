"""Gates: verdicts that a pair may have, and what is said where it has none of them."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from ._judgement import outcomes
from ._output import GATE, say

if TYPE_CHECKING:
    from ..families import Comparison

__all__ = ["REQUIRE", "check_rope", "gate"]

NOT_WORSE = "not-worse"
VERDICTS = ("outperforms", "outperformed", "equivalent", "no decision", NOT_WORSE)
NAMED = 10
"""Pairs that are named where a gate is not met."""


def _verdicts(_: Any, __: Any, given: Sequence[str]) -> tuple[str, ...]:
    words = [word.strip() for text in given for word in text.split(",")]
    for word in words:
        if word not in VERDICTS:
            from ..errors import did_you_mean

            raise click.UsageError(f"--require {word!r}: {did_you_mean(word, VERDICTS)}")
    return tuple(dict.fromkeys(words))


def _offered(_: Any, __: Any, typed: str) -> list[str]:
    return [word for word in VERDICTS if word.startswith(typed)]


REQUIRE = click.option(
    "--require", multiple=True, metavar="VERDICT[,…]", callback=_verdicts, shell_complete=_offered,
    help="Exit with 1 unless one of these is the verdict: outperforms, outperformed, equivalent, "
    "no decision, not-worse (worse by less than --rope). Of the first of two learners, as named "
    "or else as in the file, or of every learner against the control.",
)  # fmt: skip


def check_rope(required: Sequence[str], rope: float | None, typed: Sequence[str]) -> None:
    """Refuse a gate that needs a rope without one, with a command that has it."""
    lacking = [word for word in required if word in ("equivalent", NOT_WORSE)]
    if lacking and rope is None:
        command = shlex.join(["outperform", "compare", "--rope", "0.01", *typed])
        raise click.UsageError(
            f"--require {lacking[0]} needs --rope, the largest difference that does not matter, in "
            f"units of the score. With 0.01: {command}"
        )


def gate(found: Comparison, required: Sequence[str], alpha: float, rope: float | None) -> int:
    """Return the status of a gate, met only where every pair has one of the verdicts required."""
    if not required:
        return 0
    came = outcomes(found, alpha, rope)
    asks = NOT_WORSE in required
    p = _not_worse(found, rope) if asks and rope is not None else [None] * len(came)
    fine = [one["not_worse"] for one in found.rows(alpha=alpha, rope=rope)] if asks else p
    failed = [
        (names, word, value)
        for names, word, value, passes in zip(found.pair_names, came, p, fine, strict=True)
        if not (word in required or passes)
    ]
    for names, word, value in failed[:NAMED]:
        said = f"{word}{_told(value) if asks else ''}"
        say(f"required of {' v '.join(names)}: {_asked(found, names, required, alpha, rope)}; "
            f"found: {said}")  # fmt: skip
    if len(failed) > NAMED:
        say(f"… and {len(failed) - NAMED} more pairs")
    return GATE if failed else 0


def _not_worse(found: Comparison, rope: float) -> list[float | None]:
    """Return the p-value, adjusted for the family, that each pair's first is not worse."""
    logs = found.log_noninferiority(rope).tolist()
    return [None if math.isnan(value) else math.exp(value) for value in logs]


def _told(p: float | None) -> str:
    from ..report.numbers import pvalue

    return f", {pvalue(p)} for {NOT_WORSE}"


def _asked(
    found: Comparison, names: tuple[str, str], required: Sequence[str], alpha: float,
    rope: float | None,
) -> str:  # fmt: skip
    first, second = names
    against = ""
    if NOT_WORSE in required:
        against = f"{first} worse than {second} by less than {rope:g}, one-sided, "
    family = f", adjusted for {found.n_pairs} pairs" if found.family_size > 1 else ""
    return f"{' or '.join(required)} ({against}α = {alpha:g}{family})"
