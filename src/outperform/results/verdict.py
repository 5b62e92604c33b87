"""Verdicts: one rule that decides, for a pair and for the pairs of a family."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from .. import validation
from ..numerics.exact_sums import Array
from . import evidence as ev
from .evidence import Alternative, Draws, Evidence, Regions
from .stress import grade_at, grades

Outcome = Literal["outperforms", "outperformed", "equivalent", "no decision"]
OTHER: dict[Outcome, Outcome] = {"outperforms": "outperformed", "outperformed": "outperforms"}


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """The decision on one pair, with the α and rope it was made with.

    It prints as a sentence and equals its outcome: `verdict == "outperforms"`.

    Attributes
    ----------
    outcome : str
        "outperforms", "outperformed", "equivalent" or "no decision", of the first learner.
    alpha : float
        Significance level.
    rope : float
        Region of practical equivalence: differences between -rope and rope do not matter.
    not_worse : bool or None
        Whether the first is worse by less than the rope, decided at α; None without a rope.
    about : tuple of Any
        What was decided on: a result, or a comparison and the names of two of its learners.

    Examples
    --------
    >>> import outperform as op
    >>> losses = [3, 5, 4, 6], [1, 2, 2, 3]
    >>> verdict = op.paired_t(*losses, names=("new", "old"), unit="items").verdict()
    >>> verdict == "outperforms", verdict.grade
    (True, 'assumed')
    >>> print(verdict)
    new outperforms old (α = 0.05). Evidence: assumed.
    """

    outcome: Outcome
    alpha: float
    rope: float | None
    not_worse: bool | None = None
    about: tuple[Any, ...] = field(default=(), repr=False)

    @property
    def grade(self) -> str:
        """What the verdict rests on: exact, measured, assumed or discouraged."""
        shown, *names = self.about
        if not names:
            return grade_at(shown, self.alpha)
        row: int = shown._row(*names)[0]
        return grades(shown, self.alpha)[row]

    @property
    def sentence(self) -> str:
        """The verdict in one sentence."""
        from ..report import sentences

        say: Any = sentences.verdict_sentence if len(self.about) == 1 else sentences.family_sentence
        not_worse = bool(self.not_worse)
        said: str = say(*self.about, self.outcome, self.alpha, self.rope, not_worse=not_worse)
        return said

    def __str__(self) -> str:
        return f"{self.sentence} Evidence: {self.grade}."

    def _repr_html_(self) -> str:
        from ..report.html import notebook

        return notebook.verdict(self)

    def __eq__(self, other: object) -> bool:
        """A verdict equals its outcome, so that `verdict == "outperforms"` reads as it should."""
        if isinstance(other, Verdict):
            return (self.outcome, self.alpha, self.rope) == (other.outcome, other.alpha, other.rope)
        return self.outcome == other

    def __hash__(self) -> int:
        return hash(self.outcome)


def decide(
    evidence: Evidence,
    alternative: Alternative,
    alpha: float,
    log_pvalue: Any,
    log_equivalence: Any = None,
    *,
    same: Any = False,
    beyond: float = 0.0,
) -> npt.NDArray[np.str_]:
    """Name each outcome at α: equivalent if the rope test says so, else the side p < α favours.

    The log p-values are those of a pair, or of pairs adjusted as a family; NaN decides nothing.
    Where both sides scored the `same` everywhere they are equivalent without a test. Against a
    value μ₀ `beyond` no difference, one above a negative μ₀ may still be negative. Where scores
    contradict the estimate nothing is decided.
    """
    small, side = is_below(log_pvalue, alpha), np.asarray(ev.favours(evidence, alternative))
    found = np.where(small & (side > 0) & (beyond >= 0), "outperforms", "no decision")
    found = np.where(small & (side < 0) & (beyond <= 0), "outperformed", found)
    if log_equivalence is not None:
        found = np.where(is_below(log_equivalence, alpha, same), "equivalent", found)
    return np.where(ev.undecided(evidence), "no decision", found)


def decide_posterior(
    evidence: Draws, alpha: float, rope: float | None, *, centre: float = 0.0, beyond: float = 0.0
) -> npt.NDArray[np.str_]:
    """Name each outcome whose posterior probability is above 1 − α; without a rope there are two.

    `beyond` is as for `decide`.
    """
    regions = posterior_regions(evidence, rope, centre)
    sure = 1 - alpha
    better, same, worse = (np.asarray(part) > sure for part in regions[:3])
    found = np.where(better & (beyond >= 0), "outperforms", "no decision")
    found = np.where(worse & (beyond <= 0), "outperformed", found)
    return found if rope is None else np.where(same, "equivalent", found)


def posterior_regions(evidence: Draws, rope: float | None, centre: float = 0.0) -> Regions:
    """Return the regions that a verdict rests on: around the null where no rope was given."""
    if rope is None:
        return evidence.regions(0.0, evidence.null)
    return evidence.regions(validation.rope_width(rope), centre)


def posterior_dict(evidence: Evidence, rope: float | None, alone: bool = False) -> dict[str, Any]:
    """Return posterior probabilities for JSON, where the evidence is a posterior; else nothing."""
    if not isinstance(evidence, Draws):
        return {}
    found = posterior_regions(evidence, rope, evidence.null if alone else 0.0)
    names = ("better", "equivalent", "worse")
    return {
        "posterior": dict(zip(names, (float(part) for part in found[:3]), strict=True)),
        found.second: dict(zip(names, (float(part) for part in found.means), strict=True)),
        "monte_carlo_error": None if found.error is None else float(found.error),
        "prior_sensitivity": None if found.sensitivity is None else float(found.sensitivity),
    }


def is_below(log_pvalue: Any, alpha: float, same: Any = False) -> npt.NDArray[np.bool_]:
    """Tell where a log p-value is below α, or nothing was to be tested."""
    with np.errstate(invalid="ignore"):
        return np.asarray((np.asarray(log_pvalue) < math.log(alpha)) | same)


def against_rope(
    test: Callable[..., Any], evidence: Evidence, rope: float, centre: float = 0.0, *, same: Any
) -> Array:
    """Return log p-values of a test against ±rope; NaN where nothing varies or differs."""
    rope = validation.rope_width(rope)
    judge = evidence.companion or evidence
    flat = np.asarray(getattr(judge, "stderr", 1.0)) == 0
    lacking = flat | np.asarray(evidence.undefined) | same
    raw = np.nan if np.all(lacking) else test(evidence, rope, centre)
    return np.where(lacking, np.nan, raw)
