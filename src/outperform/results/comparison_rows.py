"""A comparison as rows of numbers, and as groups instead of a bare ranking (F-23)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import validation
from ..errors import MethodError
from ..notes import Note
from . import rank_order
from .evidence import undecided
from .result import SCHEMA, versions
from .robustness import is_small
from .stress import grade_at, grades
from .verdict import posterior_dict

if TYPE_CHECKING:
    from .comparison import Comparison


def told_apart(
    shown: Comparison, alpha: float = 0.05, rope: float | None = None
) -> npt.NDArray[np.bool_]:
    """Return a (k, k) table: True where the adjusted p of two learners decides at α.

    Where there is no p-value, True where the verdict, with the rope, is that one outperforms.
    """
    table = np.zeros((len(shown.names),) * 2, dtype=bool)
    if shown.method.has_pvalue:
        with np.errstate(invalid="ignore"):
            decided = shown.log_adjusted() < math.log(validation.fraction(alpha, "alpha"))
        decided &= ~undecided(shown.evidence)
    else:
        decided = np.array(
            [word in ("outperforms", "outperformed") for word in shown.outcomes(alpha, rope)]
        )
    i, j = shown.pairs
    table[i, j] = table[j, i] = decided
    return table


def groups(
    shown: Comparison, alpha: float = 0.05, rope: float | None = None
) -> list[tuple[str, ...]]:
    """Return groups of learners that are not significantly different; none against a control.

    The best group is first. No two of a group are significantly different, no learner can be
    added to it, and every two that are not significantly different share a group.
    """
    if shown.control is not None:
        return []
    best_first = order(shown)
    together = ~told_apart(shown, alpha, rope)[np.ix_(best_first, best_first)]
    return [tuple(shown.names[best_first[i]] for i in found) for found in _covering(together)]


def _covering(together: npt.NDArray[np.bool_]) -> list[tuple[int, ...]]:
    """Cover the pairs of a symmetric table with largest groups, each holding a pair no other had.

    All largest groups may be exponentially many; these are at most as many as the pairs. Sets of
    positions are the bits of whole numbers, so that thousands of learners take moments.
    """
    k = len(together)
    near = [_bits(row) & ~(1 << i) for i, row in enumerate(together)]
    open_ = list(near)
    found: list[tuple[int, ...]] = [(i,) for i in range(k) if not near[i]]
    for i in range(k):
        while left := open_[i]:
            j = _lowest(left)
            members, common = [i, j], near[i] & near[j]
            while common:  # first those that share no group with i yet: fewer groups do
                members.append(_lowest(common & left or common))
                common &= near[members[-1]]
            group = sum(1 << member for member in members)
            for member in members:
                open_[member] &= ~group
            found.append(tuple(sorted(members)))
    return sorted(found)


def _bits(row: npt.NDArray[np.bool_]) -> int:
    return int.from_bytes(np.packbits(row, bitorder="little").tobytes(), "little")


def _lowest(bits: int) -> int:
    return (bits & -bits).bit_length() - 1


def against_control(
    shown: Comparison, alpha: float = 0.05, rope: float | None = None
) -> dict[str, tuple[str, ...]]:
    """Return who is better than the control, who is worse, and who is undecided (B-08)."""
    if shown.control is None:
        raise MethodError(
            "All pairs were compared, without a control. Name one, as in "
            f"compare(scores, control={shown.names[0]!r}), or read groups()"
        )
    words = {"outperforms": "better", "outperformed": "worse", "no decision": "undecided"}
    found: dict[str, list[str]] = {word: [] for word in words.values()}
    width = None if shown.method.has_pvalue else rope  # a p-value says who differs, rope or not
    for (first, _), outcome in zip(shown.pair_names, shown.outcomes(alpha, width), strict=True):
        found[words.get(outcome, "undecided")].append(first)
    return {word: tuple(names) for word, names in found.items()}


def order(shown: Comparison) -> list[int]:
    """Return positions of the learners from best to worst estimate."""
    total = np.zeros(len(shown.names))
    i, j = shown.pairs
    estimate = np.asarray(shown.evidence.estimate, dtype=np.float64)
    np.add.at(total, i, estimate)
    if shown.control is None:  # else every estimate is counted from the control, which is at 0
        np.add.at(total, j, -estimate)
    return [int(position) for position in np.argsort(-total, kind="stable")]


def as_dict(
    shown: Comparison, *, level: float = 0.95, alpha: float = 0.05, rope: float | None = None
) -> dict[str, Any]:
    """Return the comparison in the vocabulary of `--json`: one entry for each pair."""
    return {
        "schema": SCHEMA.replace("result", "comparison"),
        "method": shown.method.name,
        "names": list(shown.names),
        "metric": shown.metric,
        "greater_is_better": shown.greater_is_better,
        "design": None if shown.design is None else str(shown.design),
        "n": shown.n,
        "adjust": shown.adjust,
        "interval_kind": shown.interval_kind,
        "control": shown.control,
        "options": dict(shown.options),
        "level": level,
        "alternative": shown.alternative,
        "estimand": shown.estimand(),
        "grade": grade_at(shown, alpha),
        "pairs": rows(shown, level=level, alpha=alpha, rope=rope),
        "groups": [list(group) for group in shown.groups(alpha, rope)],
        "robustness": _single_runs(shown, alpha, rope),
        **({} if shown.benchmark is None else {"datasets": rank_order.as_dict(shown, alpha, rope)}),
        "notes": [{"code": note.code, "text": note.text} for note in shown.notes_at(alpha)],
        "seed": shown.seed,
        "versions": versions(),
    }


def _single_runs(
    shown: Comparison, alpha: float, rope: float | None
) -> list[dict[str, Any]] | None:
    """Return what single runs say; None where they are too many to be judged unasked."""
    if not is_small(shown):
        return None
    return [found.to_dict() for found in shown.robustness(alpha, rope)]


def rows(
    shown: Comparison, *, level: float = 0.95, alpha: float = 0.05, rope: float | None = None
) -> list[dict[str, Any]]:
    """Return one dictionary for each pair, with the p-value of the family and its interval."""
    has = shown.method.has_interval
    low, high = shown.intervals(level) if has else (None, None)
    logp, adjusted = shown.log_pvalues(), shown.log_adjusted()
    columns = {
        "estimate": shown.evidence.estimate,
        "stderr": shown.evidence.stderr,
        "statistic": shown.evidence.statistic,
        "pvalue": np.exp(logp),
        "log_pvalue": logp,
        "adjusted": np.exp(adjusted),
        "log_adjusted": adjusted,
        "low": low,
        "high": high,
        "detectable": shown.detectable(alpha),
    }
    numbers = [_numbers(column, shown.n_pairs) for column in columns.values()]
    fine = [None] * shown.n_pairs if rope is None else shown.not_worse(rope, alpha).tolist()
    words = shown.pair_names, shown.outcomes(alpha, rope), grades(shown, alpha)
    about = zip(*words, fine, _degrees(shown), _notes(shown), strict=True)
    return [
        {
            "names": list(names),
            "n": n,
            **dict(zip(columns, found, strict=True)),
            "interval_kind": shown.interval_kind,
            "df": df,
            "verdict": verdict,
            "grade": grade,
            "not_worse": not_worse,
            "notes": notes,
            **odds,
        }
        for (names, verdict, grade, not_worse, df, notes), n, odds, *found in zip(
            about, sizes(shown), _posteriors(shown, rope), *numbers, strict=True
        )
    ]


def _posteriors(shown: Comparison, rope: float | None) -> list[dict[str, Any]]:
    """Return the posterior probabilities of every pair, where the method gives them."""
    if shown.method.has_pvalue:
        return [{} for _ in range(shown.n_pairs)]
    return [posterior_dict(shown.evidence.at(row), rope) for row in range(shown.n_pairs)]


def sizes(shown: Comparison) -> list[int]:
    """Return how many values each pair was judged on."""
    each = shown.evidence.details.get("n_datasets")
    return [shown.n] * shown.n_pairs if each is None else [int(n) for n in each]


def _degrees(shown: Comparison) -> Sequence[Any]:
    """Return the degrees of freedom of every pair, two where the law has two."""
    if getattr(shown.evidence, "chi2", False):
        return [1.0] * shown.n_pairs
    dist: Any = getattr(shown.evidence, "dist", None)
    parts = [getattr(dist, name) for name in ("df", "df1", "df2") if hasattr(dist, name)]
    wide = [_numbers(part, shown.n_pairs) for part in parts]
    if not wide:
        return [None] * shown.n_pairs
    return wide[0] if len(wide) == 1 else [list(both) for both in zip(*wide, strict=True)]


def _notes(shown: Comparison) -> list[list[dict[str, str]]]:
    """Return what is said of single pairs: that nothing differs, or that nothing varies."""
    marks = {
        "OP101": shown.evidence.identical,
        shown.method.undefined_note: shown.evidence.undefined,
    }
    wide = {
        code: np.broadcast_to(np.asarray(where, dtype=bool), (shown.n_pairs,)).tolist()
        for code, where in marks.items()
    }
    said = {code: {"code": code, "text": Note(code).text} for code in marks}
    return [
        [dict(said[code]) for code, where in wide.items() if where[row]]
        for row in range(shown.n_pairs)
    ]


def _numbers(column: Any, size: int) -> list[float | None]:
    """Return a column as numbers, None where there is none."""
    if column is None:
        return [None] * size
    wide = np.broadcast_to(np.asarray(column, dtype=np.float64), (size,))
    return [value if math.isfinite(value) else None for value in wide.tolist()]
