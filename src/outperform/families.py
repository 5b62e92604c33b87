"""Many learners: all pairs of one experiment, judged together and adjusted as a family."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from . import inputs, pairs
from .adjustments import ADJUSTMENTS, adjust_log, familywise
from .designs import Design
from .errors import DataError, MethodError, did_you_mean
from .evidence import ALTERNATIVES, Alternative, Evidence, Pivot
from .notes import Note
from .procedures.mcnemar import mcnemar
from .registry import Method
from .result import SCHEMA, Interval, Result, frame_of, versions
from .scores import Scores
from .studentized import StudentizedMaximumModulus, StudentizedRange
from .sums import Array
from .views import Contingency

__all__ = ["Comparison", "FamilywiseError", "all_pairs", "familywise_error"]

Index: TypeAlias = npt.NDArray[np.int64]
Law: TypeAlias = StudentizedMaximumModulus | StudentizedRange


@dataclass(frozen=True, eq=False, slots=True)
class Comparison:
    """All pairs of one experiment with their family adjustment; `cmp["a", "b"]` is one Result."""

    names: tuple[str, ...]
    method: Method
    evidence: Evidence
    """One entry for each pair, in the order (0, 1), (0, 2), …"""
    adjust: str = "holm"
    law: Law | None = None
    """The law of the largest |t| of the family, where the method has one."""
    n: int = 0
    metric: str = "score"
    design: Design | None = None
    alternative: Alternative = "two-sided"
    seed: int | None = None
    notes: tuple[Note, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def pairs(self) -> tuple[Index, Index]:
        """Positions of the first and second learner of every pair."""
        return pairs.upper(len(self.names))

    @property
    def n_pairs(self) -> int:
        return len(self.names) * (len(self.names) - 1) // 2

    def __getitem__(self, names: tuple[str, str]) -> Result:
        """Return the unadjusted result of one pair, first minus second as asked."""
        if not isinstance(names, tuple) or len(names) != 2:
            raise MethodError('name two learners, as in comparison["a", "b"]')
        row, turned = self._row(*names)
        found = self.evidence.at(row)
        return Result(
            self.method,
            names,
            self.metric,
            self.design,
            self.n,
            found.flipped() if turned else found,
            self.alternative,
            self.seed,
            (
                *((Note("OP102"),) if found.undefined else ()),
                *((Note("OP404"),) if self.n_pairs > 1 else ()),
                *self.notes,
            ),
        )

    def log_pvalues(self) -> Array:
        """Return the log of every pair's own p-value; NaN where there is none."""
        return np.asarray(self.evidence.log_pvalue(self.alternative))

    def log_adjusted(self) -> Array:
        """Return log p-values adjusted for the whole family; NaN where there is none."""
        if self.law is not None:
            scaled = self._unit * np.abs(np.asarray(self.evidence.statistic, dtype=np.float64))
            found = self.law.logsf(np.where(np.isfinite(scaled), scaled, 0.0))
            return np.where(self.evidence.undefined, np.nan, found)
        raw = self.log_pvalues()
        there = ~np.isnan(raw)
        out = np.full(raw.shape, np.nan)
        if there.any():
            out[there] = adjust_log(raw[there], self.adjust, size=raw.size)
        return out

    def adjusted(self) -> Array:
        """Return p-values adjusted for the whole family; NaN where there is none."""
        return np.exp(self.log_adjusted())

    def intervals(
        self, level: float = 0.95, *, critical: float | None = None
    ) -> tuple[Array, Array]:
        """Return simultaneous intervals, which hold together at this level; NaN where none exists.

        `critical` is a number of standard errors to use instead, to reproduce a printed table.
        """
        level = inputs.fraction(level, "level")
        if self.law is None and critical is None:
            family = 1 if self.adjust == "none" else self.n_pairs
            low, high = self.evidence.interval(1 - (1 - level) / family, self.alternative)
            return np.asarray(low), np.asarray(high)
        reach = self.critical_value(level) if critical is None else critical
        stderr, estimate = np.asarray(self.evidence.stderr), np.asarray(self.evidence.estimate)
        half = np.where(stderr == 0, np.nan, reach * stderr)
        return estimate - half, estimate + half

    def critical_value(self, level: float = 0.95) -> float:
        """Return how many standard errors the simultaneous interval reaches."""
        if self.law is not None:
            return float(self.law.isf(1 - level)) / self._unit
        if not isinstance(self.evidence, Pivot) or self.evidence.companion is not None:
            raise MethodError(
                "the intervals of this comparison are not multiples of a standard error"
            )
        return float(self.evidence.dist.isf((1 - level) / (2 * self.n_pairs)))

    def interval(
        self, first: str, second: str, level: float = 0.95, *, critical: float | None = None
    ) -> Interval | None:
        """Return the simultaneous interval of one pair, first minus second as asked."""
        row, turned = self._row(first, second)
        if turned and self.alternative != "two-sided":
            return self[first, second].interval(1 - (1 - level) / self.n_pairs)
        low, high = (float(end[row]) for end in self.intervals(level, critical=critical))
        if math.isnan(low):
            return None
        return Interval(-high, -low, level) if turned else Interval(low, high, level)

    @property
    def _unit(self) -> float:
        """What a standard error of a difference is in units of the law: a range spans √2."""
        return math.sqrt(2) if isinstance(self.law, StudentizedRange) else 1.0

    def _row(self, first: str, second: str) -> tuple[int, bool]:
        """Return where a pair stands, and whether it was named the other way round."""
        i, j = self._position(first), self._position(second)
        if i == j:
            raise MethodError(f"{first!r} was compared with itself; name two learners")
        low, high = min(i, j), max(i, j)
        return low * (2 * len(self.names) - low - 1) // 2 + high - low - 1, i > j

    def told_apart(self, alpha: float = 0.05) -> npt.NDArray[np.bool_]:
        """Return a (k, k) table: True where two learners differ at familywise level α."""
        table = np.zeros((len(self.names),) * 2, dtype=bool)
        with np.errstate(invalid="ignore"):
            decided = self.log_adjusted() < math.log(inputs.fraction(alpha, "alpha"))
        i, j = self.pairs
        table[i, j] = table[j, i] = decided
        return table

    def groups(self, alpha: float = 0.05) -> list[tuple[str, ...]]:
        """Return groups of learners that are not told apart, best first (F-23).

        Groups may overlap: that a and b, and b and c, are not told apart does not make a and c
        the same. A learner told apart from all others stands alone.
        """
        order, apart = self.order(), self.told_apart(alpha)
        runs: list[tuple[int, int]] = []
        for start in range(len(order)):
            stop = start + 1
            while stop < len(order) and not apart[order[stop], order[start:stop]].any():
                stop += 1
            if not runs or stop > runs[-1][1]:
                runs.append((start, stop))
        return [tuple(self.names[order[i]] for i in range(*run)) for run in runs]

    def order(self) -> list[int]:
        """Return positions of the learners from best to worst estimate."""
        total = np.zeros(len(self.names))
        i, j = self.pairs
        estimate = np.asarray(self.evidence.estimate, dtype=np.float64)
        np.add.at(total, i, estimate)
        np.add.at(total, j, -estimate)
        return [int(position) for position in np.argsort(-total, kind="stable")]

    def to_dict(self, *, level: float = 0.95, alpha: float = 0.05) -> dict[str, Any]:
        """Return the comparison in the common vocabulary: one entry for each pair."""
        return {
            "schema": SCHEMA.replace("result", "comparison"),
            "method": self.method.name,
            "names": list(self.names),
            "metric": self.metric,
            "design": None if self.design is None else str(self.design),
            "n": self.n,
            "adjust": self.adjust,
            "level": level,
            "alternative": self.alternative,
            "pairs": self.rows(level=level, alpha=alpha),
            "groups": [list(group) for group in self.groups(alpha)],
            "notes": [{"code": note.code, "text": note.text} for note in self.notes],
            "seed": self.seed,
            "versions": versions(),
        }

    def rows(self, *, level: float = 0.95, alpha: float = 0.05) -> list[dict[str, Any]]:
        """Return one dictionary for each pair, with the p-value of the family and its interval."""
        has = self.method.has_interval
        low, high = self.intervals(level) if has else (np.full(self.n_pairs, np.nan),) * 2
        adjusted = self.log_adjusted()
        with np.errstate(invalid="ignore"):
            decided = adjusted < math.log(inputs.fraction(alpha, "alpha"))
        first_better = np.asarray(self.evidence.estimate) > self.evidence.null  # pivots, McNemar
        side = np.where(first_better, "outperforms", "outperformed")
        columns = {
            "estimate": self.evidence.estimate,
            "stderr": self.evidence.stderr,
            "statistic": self.evidence.statistic,
            "pvalue": np.exp(self.log_pvalues()),
            "log_pvalue": self.log_pvalues(),
            "adjusted": np.exp(adjusted),
            "log_adjusted": adjusted,
            "low": low,
            "high": high,
        }
        numbers = [_numbers(column, self.n_pairs) for column in columns.values()]
        df = self[self.names[0], self.names[1]].df
        rows = zip(
            *self.pairs, np.where(decided, side, "no decision").tolist(), *numbers, strict=True
        )
        return [
            {
                "names": [self.names[i], self.names[j]],
                **dict(zip(columns, found, strict=True)),
                "df": list(df) if isinstance(df, tuple) else df,
                "verdict": verdict,
                "notes": [],
            }
            for i, j, verdict, *found in rows
        ]

    def to_json(self, **options: Any) -> str:
        """Return `to_dict` as JSON."""
        return json.dumps(self.to_dict(**options), ensure_ascii=False, allow_nan=False)

    def to_frame(self, **options: Any) -> Any:
        """Return a polars data frame, one row for each pair."""
        return frame_of(self.rows(**options))

    def __repr__(self) -> str:
        return f"<Comparison {self.method.name}: {len(self.names)} learners, {self.n_pairs} pairs>"

    def __str__(self) -> str:
        from .report import text

        return text.comparison(self)

    def _repr_html_(self) -> str:
        from .report import fragments

        return fragments.comparison(self)

    def _position(self, name: str) -> int:
        if name not in self.names:
            hint = did_you_mean(str(name), self.names)
            raise DataError(f"{name!r} is not among the learners; {hint}")
        return self.names.index(name)


@dataclass(frozen=True, slots=True)
class FamilywiseError:
    """The chance of at least one false rejection, and how many to expect."""

    rate: float
    expected: float

    @property
    def estimate(self) -> float:
        return self.rate

    def __float__(self) -> float:
        return self.rate


def familywise_error(n: int, alpha: float = 0.05) -> FamilywiseError:
    """Return 1 − (1 − α)ⁿ and nα for n independent tests of true hypotheses (B-25, F-04).

    For dependent tests, such as all pairs, the first is an upper bound (E-F6).
    """
    return FamilywiseError(*familywise(alpha, n))


def all_pairs(
    correct: Any,
    predictions: Any = None,
    *,
    names: tuple[str, ...] | None = None,
    variant: str = "continuity",
    adjust: str = "holm",
    alternative: Alternative = "two-sided",
) -> Comparison:
    """Judge every pair of k models on the same items by McNemar's test, in one pass over the data.

    `correct` is an (n_items, k) table of right and wrong, a mapping or frame of such columns, or
    `Scores` with items; with `predictions` (a mapping of names to predicted labels) it is the
    true labels. Disagreement rates and Cochran's Q come with it: all follow from the counts of
    items that two models have both right (D-16).
    """
    inputs.choice(adjust, "adjust", ADJUSTMENTS)
    inputs.choice(alternative, "alternative", ALTERNATIVES)
    table, names, moved = _right_wrong(correct, predictions, names)
    n, k = table.shape
    if k < 2:
        raise DataError(f"{k} model was given; at least 2 are needed to compare")
    names = inputs.learner_names(names or [f"model {m + 1}" for m in range(k)], k)
    joint = pairs.joint_correct(table)
    right = np.diagonal(joint).astype(np.float64)
    i, j = pairs.upper(k)
    both = joint[i, j].astype(np.float64)
    only_first, only_second = right[i] - both, right[j] - both
    view = Contingency(n - both - only_first - only_second, only_second, only_first, both)
    evidence = mcnemar.on(view, variant=variant)
    details = {
        "disagreement": (only_first + only_second) / n,
        "accuracy": right / n,
        "cochran_q": pairs.cochran_from_joint(joint, n),
    }
    return Comparison(
        names,
        mcnemar,
        evidence,
        adjust,
        n=n,
        metric="accuracy",
        alternative=alternative,
        notes=(*((Note("OP002"),) if moved else ()), Note("OP401"), Note("OP402")),
        details=details,
    )


def _right_wrong(
    correct: Any, predictions: Any, names: tuple[str, ...] | None
) -> tuple[npt.NDArray[Any], tuple[str, ...] | None, bool]:
    """Return an (n, k) table of 0 and 1, the names that came with it, and whether labels moved."""
    if isinstance(correct, Scores):
        losses = correct.item_losses(names)
        if not losses.binary:
            raise DataError("the items carry other than zero-one losses; use simultaneous()")
        return losses.values + 1.0, names or correct.names, False
    if predictions is not None:
        if not isinstance(predictions, Mapping):
            raise DataError('predictions must be a mapping: {"tree": labels, "bayes": labels}')
        found = tuple(str(name) for name in predictions)
        columns, moved = inputs.right(correct, list(predictions.values()), ("y_true", *found))
        return columns.T, names or found, moved
    if isinstance(correct, Mapping):
        found = tuple(str(name) for name in correct)
        parts, moved = inputs.aligned(list(correct.values()), found)
        tables = [inputs.numbers(part, name) for part, name in zip(parts, found, strict=True)]
        return np.stack(tables, axis=1), names or found, moved
    if names is None and hasattr(correct, "columns"):
        names = tuple(str(name) for name in correct.columns)
    table = correct.to_numpy() if hasattr(correct, "to_numpy") else np.asarray(correct)
    return table, names, False


def _numbers(column: Any, size: int) -> list[float | None]:
    """Return a column as numbers, None where there is none."""
    if column is None:
        return [None] * size
    wide = np.broadcast_to(np.asarray(column, dtype=np.float64), (size,))
    return [value if math.isfinite(value) else None for value in wide.tolist()]
