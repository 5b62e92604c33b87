"""Rows and columns that are no scores of their own: summaries, and runs that did not finish."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import DataError, argument
from ..numerics.exact_sums import Array
from .column_names import (
    KNOWN,
    is_aside,
    is_number_of_row,
    is_summary,
    listed,
    lower_is_better,
    normal,
    role_of,
    shown,
    tokens,
)
from .parsing import GLANCE, as_numbers, as_text
from .score_table import ScoreTable

if TYPE_CHECKING:
    import polars as pl


DEVIATIONS = {
    *["std", "sd", "se", "sem", "stderr", "stdev", "stddev", "var", "variance", "ci", "rank"]
}
SURE = {"std", "stdev", "stddev", "stderr", "sem", "variance"}
"""Deviations in front of a name too: SE-ResNet and RankSVM are learners."""
STATISTICS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("mean", "average", "avg"), np.mean),
    **dict.fromkeys(("min", "minimum"), np.min),
    **dict.fromkeys(("max", "maximum", "best"), np.max),
    **dict.fromkeys(("sum", "total"), np.sum),
    "median": np.median,
}
ROUNDED = 0.006
"""How far a summary may be from what it summarises, relative to it: two digits are written."""
SIDES = {"train", "training", "test", "testing", "val", "valid", "validation", "dev", "score"}
ENDINGS = {
    *["mean", "average", "avg", "median", "min", "max", "best", "worst", "last", "final", "rank"]
}
"""What a name may end with; in front they are parts of names, as in mean_baseline."""
METRICS = {*f"{KNOWN['greater']} {KNOWN['lower']} logloss crossentropy errorrate".split()}
METRICS |= {"meansquarederror", "meanabsoluteerror"}
LONGEST = 3
"""Words of a measure, as in mean_squared_error."""
Stem = tuple[str, ...]


LABELS = ("dataset", "partition", "repeat", "fold", "seed")
MOST = 100_000
"""Rows whose labels are all looked at: of larger files, the first and the last."""
ROUNDING, LAST = 1e-6, 5
"""How near a row is to the mean of those above it if it is that, and how many are looked at."""
TOO_COARSE = 0.1
FEW_ROWS = 9
"""Rows of scores that are looked at before all of them are."""
CHANCE = {True: 0.1, False: 0.001}
"""How rarely a split would be the mean of those above: at the end, and with others below it."""

STATUS_COLUMNS = {"status", "state", "runstatus", "runstate"}
UNFINISHED = {
    *("failed", "failure", "crashed", "crash", "error", "errored", "killed", "running", "started"),
    *("cancelled", "canceled", "aborted", "timeout", "timedout", "interrupted", "preempted"),
    *("pending", "queued", "scheduled", "unfinished", "incomplete", "partial", "oom", "fail"),
}
"""What trackers and schedulers call a run whose scores cover only part of the work."""


def without_summaries(table: ScoreTable, asked: Mapping[str, Any]) -> tuple[ScoreTable, str]:
    """Leave out rows whose label says that they summarise others; and say so."""
    import polars as pl

    named = {column: role for role, column in asked.items() if isinstance(column, str)}
    listing = asked.get("learner")
    own: Collection[str] = () if isinstance(listing, str) or listing is None else listing
    for name, column in table.columns.items():
        role = named.get(name) or role_of(name)
        if name in own or not _may_label(column, name, role):
            continue
        text = column.cast(pl.String)
        seen = text if len(text) <= MOST else _ends(text)
        found = [label for label in seen.unique(maintain_order=True) if is_summary(label or "")]
        if not found:
            continue
        rows = text.is_in(found).fill_null(False).to_numpy()
        if rows.all() and len(found) == 1:
            continue
        if rows.all():
            raise DataError(
                f"column {shown(name)} contains only {listed(found)}, which are summaries; the "
                "score of every split is required, because means and standard deviations do not "
                "show how two learners differ on the same split. Write one row per split"
            )
        kept = table.keep(np.flatnonzero(~rows))
        many = f"{int(rows.sum())} summary rows" if rows.sum() > len(found) else "Summary rows"
        rest, more = without_summaries(kept, asked)
        return rest, f"{many} left out: {listed(found)} (column {shown(name)}). {more}".strip()
    return table, ""


def unfinished_rows(columns: Mapping[str, pl.Series]) -> tuple[str, npt.NDArray[np.bool_]] | None:
    """Return the column of text that says of some rows that they did not finish, and which."""
    import polars as pl

    for name, column in columns.items():
        if normal(name) in STATUS_COLUMNS and column.dtype in (pl.String, pl.Categorical, pl.Enum):
            text = column.cast(pl.String)
            words = [w for w in text.unique().drop_nulls() if normal(w) in UNFINISHED]
            if words:
                return name, text.is_in(words).fill_null(False).to_numpy()
    return None


def without_unfinished(
    table: ScoreTable, asked: Mapping[str, Any], used: Collection[str]
) -> tuple[ScoreTable, str]:
    """Return a table of runs that finished, by a status column that is not `used` otherwise."""
    columns = {name: column for name, column in table.columns.items() if name not in used}
    unfinished = unfinished_rows(columns)
    if unfinished is None:
        return table, ""
    return of_status(table, unfinished[0], unfinished[1], asked)


def of_status(
    table: ScoreTable, column: str, bad: npt.NDArray[np.bool_], asked: Mapping[str, Any]
) -> tuple[ScoreTable, str]:
    """Refuse runs that did not finish, or leave them out where incomplete splits are dropped."""
    cells = as_text(table.columns[column], column).fill_null("").to_list()
    words = sorted({cells[row] or "no status" for row in np.flatnonzero(bad)})
    what = (
        f"{int(bad.sum())} of {len(table)} runs did not finish (column {shown(column)}: "
        f"{listed(words)})"
    )
    if not asked.get("drop_incomplete"):
        raise DataError(
            f"{what}, such as {table.place(int(bad.argmax()))}; their metrics cover only part of "
            "the work. Run them again, or leave out these runs and every split that then lacks a "
            f"score: {argument(drop_incomplete=True)}"
        )
    if bad.all():
        raise DataError(f"{what}; no run is left. Run them again")
    return table.keep(np.flatnonzero(~bad)), f"{what} and were left out."


def refuse_mean_split(rows: Array, place: Callable[[int], str], otherwise: str) -> str:
    """Refuse a row at the end that is the mean of the others, where no label says what it is.

    `rows` are of learners, in the order of splits; `place` names a split, and `otherwise` says how
    to keep it. Where splits may well be that by chance, as a few numbers of one digit, it is kept;
    say so.
    """
    n, others = rows.shape[1], "the rows above it in every column"
    for at in range(n - 1, max(n - LAST, 1), -1):
        above, row, below = rows[:, :at], rows[:, at], np.abs(rows[:, at + 1 :])
        if not np.isfinite(rows[:, : at + 1]).all() or not np.ptp(above, axis=1).any():
            continue
        mean = above.mean(axis=1)
        far, few = np.abs(row - mean), slice(FEW_ROWS)
        if (far[few] > np.maximum(ROUNDING * np.abs(mean[few]), _half_unit(row[few]))).any():
            continue  # a coarser unit than that of all rows
        half = _half_unit(row)
        coarse = half > TOO_COARSE * float(np.abs(mean).min())  # as where every learner scores 1
        within = np.maximum(ROUNDING * np.abs(mean), 0.0 if coarse else half)
        if (far > within).any():
            continue
        ends = not (below > np.abs(row[:, None]) / 2).any()  # with deviations below it, if any
        if _chance(above, half) <= CHANCE[ends]:
            raise DataError(
                f"{place(at)} is the mean of {others}, so it may be a summary of them or a split. "
                f"If it is a summary, remove it; if it is a split, {otherwise}"
            )
        if ends:
            return f"Remove {place(at)} if it is a summary: it is the mean of {others}."
    return ""


def _chance(above: Array, half: float) -> float:
    """Return how probably a further split is within half a unit of the mean in every column."""
    # The density of a normal distribution at its mean; where all are the same, all the next is.
    with np.errstate(over="ignore"):
        chances = 2 * half / (np.std(above, axis=1) * math.sqrt(2 * math.pi) + half)
    shorter = min(_half_unit(above.ravel()) / half, 1.0)  # splits have more digits than the mean
    varying = np.ptp(above, axis=1) > 0
    return float(np.prod(np.where(varying, np.minimum(chances, 1) * shorter, 1.0)))


def _half_unit(values: Array) -> float:
    """Return half a unit of the last digit that is written in any of these numbers."""
    digits = (Decimal(f"{value:.12g}").normalize().as_tuple().exponent for value in values)
    return 0.5000001 * 10.0 ** min(int(digit) for digit in digits)


def _may_label(column: pl.Series, name: str, role: str | None) -> bool:
    """Tell whether a column of text labels rows: by its name, or as numbers beside summaries."""
    import polars as pl

    if column.dtype not in (pl.String, pl.Categorical, pl.Enum) or role not in (None, *LABELS):
        return False
    if role is not None or is_number_of_row(name):
        return True
    ends = _ends(column.cast(pl.String)).drop_nulls().unique()
    rest = ends.filter(~pl.Series([is_summary(label) for label in ends], dtype=pl.Boolean))
    numbers = as_numbers(rest)
    return 0 < len(rest) < len(ends) and numbers is not None and numbers.dtype.is_integer()


def _ends(text: pl.Series) -> pl.Series:
    return text.head(GLANCE).append(text.tail(GLANCE))


def derived(names: Sequence[str], values: Array) -> list[str]:
    """Return the learners that are named as summaries, and are those of the others."""
    kept = [i for i, name in enumerate(names) if not is_summary(name)]
    if len(kept) < 2:
        return []
    return [
        name
        for i, name in enumerate(names)
        if i not in kept and summarises(name, values[i], values[kept])
    ]


def level(row: Array) -> float:
    """Return the size of a typical score; NaN where all are 0 or missing."""
    sizes = np.abs(row[np.isfinite(row)])
    level = float(np.median(sizes)) if sizes.size else 0.0
    return level or (float(sizes.max()) if sizes.size else 0.0) or float("nan")


def summarises(name: str, row: Array, others: Array) -> bool:
    """Tell whether a row is the statistic of the others that its name says, as far as written."""
    statistic = next((STATISTICS[word] for word in tokens(name) if word in STATISTICS), None)
    if statistic is None:
        return level(row) < min(map(level, others)) / 2
    expected = statistic(others, axis=0)
    if not np.isfinite(row).all():
        return False
    near = np.maximum(ROUNDED * np.abs(expected), _half_unit(row))
    return bool((np.abs(row - expected) <= near).all())


@dataclass(frozen=True, slots=True)
class Deviation:
    """What a column is named as: the deviation or the rank of a learner."""

    word: str
    last: bool
    """The word ends the name."""
    stem: Stem
    """The learner, () if the name does not say."""

    def of_one_of(self, names: Sequence[str]) -> bool:
        return self.stem in (_parted(name)[0] for name in names)


def deviation_of(name: str) -> Deviation | None:
    """Return what a column named as a deviation is of; None if it is not named so."""
    words = tokens(name)
    if not words or words == ["rank"] or not DEVIATIONS & {words[0], words[-1]}:
        return None
    last = words[-1] in DEVIATIONS
    word = words[-1] if last else words[0]
    rest = re.sub(rf"[\W_]*{word}$" if last else rf"^{word}[\W_]*", "", name, flags=re.IGNORECASE)
    return Deviation(word, last, _parted(rest)[0] if len(words) > 1 else ())


def without_asides(names: Sequence[str]) -> list[str]:
    """Leave out times and the like of a learner that has another column: time_svm beside svm."""
    found = {name: _parted(name) for name in names}
    plain = {stem for stem, measure in found.values() if not _tells_aside(measure)}
    return [n for n in names if not (_tells_aside(found[n][1]) and found[n][0] in plain)]


def several_each(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the columns of which several are named after one learner; and one of each learner."""
    found = {name: _parted(name) for name in names}
    groups: dict[Stem, dict[Stem, list[str]]] = {}
    for name, (stem, measure) in found.items():
        groups.setdefault(stem, {}).setdefault(measure, []).append(name)
    many = [stem for stem, group in groups.items() if len(group) > 1]
    if not many:
        return [], []
    # The measure of most learners: of these none, as in 'svm', and no training score.
    measures = dict.fromkeys(m for stem in many for m in groups[stem])

    def order(m: Stem) -> tuple[bool, bool, int]:
        trains = not {"train", "training"}.isdisjoint(m)
        return m != (), trains, -sum(m in groups[stem] for stem in many)

    best = min(measures, key=order)
    kept = [n for n, (stem, m) in found.items() if m == best or stem not in many]
    return [n for n in names if found[n][0] in many], kept


def _parted(name: str) -> tuple[Stem, Stem]:
    """Return the words of a name without those of a measure at its ends, and these."""
    words = re.findall(r"[^\W_]+", re.sub("([a-z])([A-Z])", r"\1 \2", name).casefold())
    measure: Stem = ()
    while True:
        sizes = range(min(LONGEST, len(words) - 1), 0, -1)
        last = next((n for n in sizes if _is_measure(words[-n:], ENDINGS)), 0)
        first = 0 if last else next((n for n in sizes if _is_measure(words[:n])), 0)
        if not last and not first:
            return tuple(words) or (name,), measure
        measure = (*words[:first], *words[len(words) - last :], *measure)
        words = words[first : len(words) - last]


def _is_measure(words: Sequence[str], others: Collection[str] = ()) -> bool:
    text = "".join(words)
    if len(words) == 1 and (text in SIDES or text in others or lower_is_better(text) is not None):
        return True
    return text in METRICS or is_aside(" ".join(words))


def _tells_aside(measure: Stem) -> bool:
    return any(is_aside(" ".join(measure[:n])) for n in range(1, len(measure) + 1))
