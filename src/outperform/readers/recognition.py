"""Recognition: what each column is for, told by names and cells, or refused as ambiguous."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import DataError, argument, did_you_mean
from .column_names import (
    LAYOUTS,
    are_numbered,
    bare,
    is_aside,
    is_number_of_row,
    is_unnamed,
    listed,
    lower_is_better,
    metric_named,
    names_cost,
    names_summary,
    role_of,
    shown,
)


@dataclass(frozen=True, slots=True)
class NumericColumns:
    """What the cells of the columns are, as far as that tells what a column is for."""

    numeric: Collection[str]
    whole: Collection[str] = ()
    """Of those without a known name: no cell has a fraction."""
    counters: Collection[str] = ()
    """Of these: they count the rows, all of them or those of each group that has known labels."""
    within: Collection[str] = ()
    """Of these: they may be the fold, as they tell the rows of every group apart."""


@dataclass(frozen=True, slots=True)
class FileLayout:
    """What the columns were read as."""

    layout: str
    roles: dict[str, str]
    learners: tuple[str, ...]
    """The learners' own columns, in a wide frame or one of predictions."""
    unread: tuple[str, ...]
    given: tuple[str, ...] = ()
    """The roles that were asked for."""
    counted: str | None = None
    """The role that was told by cells alone: the column counts."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What was inferred, and what was left out."""
        said = []
        for role, column in self.roles.items():
            if role not in self.given and role != column:
                how = " numbers the rows and was" if role == self.counted else ""
                said.append(f"Column {shown(column)}{how} read as {role}.")
        return (*said, *([f"Not read: {listed(self.unread)}."] if self.unread else []))


def recognise(
    names: Sequence[str],
    cells: NumericColumns,
    asked: Mapping[str, Any],
    *,
    layout: str | None = None,
    metric: str | None = None,
) -> FileLayout:
    """Tell what each column is for; refuse what cannot be told, saying how to say it."""
    numeric = cells.numeric
    given = {role: column for role, column in asked.items() if column is not None}
    own = () if isinstance(given.get("learner", ""), str) else tuple(given.pop("learner"))
    for column in (*given.values(), *own):
        if column not in names:
            raise DataError(f"column {shown(column)} not found; {did_you_mean(str(column), names)}")
    free = [name for name in names if name not in (*given.values(), *own)]
    found: dict[str, list[str]] = {role: [column] for role, column in given.items()}
    for name in free:
        role = role_of(name)
        # A numeric "measure" holds scores, not names of metrics.
        if role and role not in given and (role != "metric" or name not in numeric):
            found.setdefault(role, []).append(name)
    plain = [n for n in free if role_of(n) is None and not _aside(n, cells)]
    like = [n for n in plain if n in numeric and lower_is_better(n) is not None]
    named = [given["score"]] if "score" in given else []
    if metric is not None and "metric" not in found and not named:
        named = [n for n in plain if n in numeric and bare(n) == bare(metric)]
        if like and not named:
            raise DataError(f"unknown metric {shown(metric)}; {did_you_mean(metric, like)}")
        found["score"] = named or found.get("score", [])
        like = []
    if layout is None:
        layout = _layout(found, plain, like, numeric, own, bool(named))
    if "score" not in given:
        found["score"] = found.get("score", []) + like
    if layout != "long" and isinstance(given.get("learner"), str):
        own = (given.pop("learner"),)
    for role in given:
        if role not in LAYOUTS[layout]:
            raise DataError(
                f"{argument(**{role: given[role]})} was passed, but a {layout} table has no "
                f"{role} column. Remove this option, or pass "
                f"{argument(layout='predictions' if role == 'y_true' else 'long')}"
            )
    counts = _address(found, [n for n in free if n in cells.within], layout)
    found |= counts
    roles = {role: _only(found[role], role) for role in LAYOUTS[layout] if found.get(role)}
    if layout == "long":
        own = ()
    elif not own:
        # In a frame said to be wide, a column called "method" can only be a learner.
        odd = {n for r in ("learner", "score", "metric", "y_true") for n in found.get(r, ())}
        own = tuple(n for n in free if n in plain or (n in odd and n not in roles.values()))
    needed = {"long": "score", "predictions": "y_true"}.get(layout)
    if (needed is not None and needed not in roles) or (layout != "long" and not own):
        raise _nothing(names, layout, None if needed in roles else needed, numeric, free)
    unread = tuple(n for n in names if n not in (*roles.values(), *own))
    return FileLayout(layout, roles, own, unread, tuple(given), next(iter(counts), None))


def _address(
    found: Mapping[str, list[str]], counters: list[str], layout: str
) -> dict[str, list[str]]:
    """Return the role of the first column that counts, if there is no fold: that of the fold."""
    if layout not in ("long", "wide") or not counters or "fold" in found:
        return {}
    return {"fold": sorted(counters, key=is_unnamed)[:1]}  # one with a name before an index


def _nothing(
    names: Sequence[str],
    layout: str,
    needed: str | None,
    numeric: Collection[str],
    free: Sequence[str],
) -> DataError:
    """Return the refusal of a frame that lacks what its layout needs, and how to name it."""
    what = "one column per learner" if needed is None else f"a {needed} column"
    could = [n for n in free if role_of(n) is None and (n in numeric or needed != "score")]
    if needed is None:
        could = [n for n in free if n in numeric]
        hint = (
            f"If these are learners, list them: {argument(learner=could)}"
            if could
            else ("Add a column of scores for each learner")
        )
    else:
        first = _one_of(could) if needed == "score" else (could or ["…"])[0]
        hint = f"Name it: {argument(**{needed: first})}"
        hint += _or_lower(first) if needed == "score" else ""
        if needed == "score" and len(could) > 1:
            hint += f"; if every learner has its own column, pass {argument(layout='wide')}"
    return DataError(f"The columns are {listed(names)}, but a {layout} table needs {what}. {hint}")


def _or_lower(name: str) -> str:
    """Return how to say that lower is better, for a name that does not say it."""
    if lower_is_better(name) is not None or names_cost(name):
        return ""
    return f" (for an error add {argument(lower_is_better=True)})"


def _one_of(names: Sequence[str]) -> str:
    """Return the only name that a hint may take, … where it is left open."""
    return names[0] if len(names) == 1 else "…"


def _aside(name: str, cells: NumericColumns) -> bool:
    number = name in cells.whole and is_number_of_row(name)
    return number or name in cells.counters or is_aside(name)


def _only(columns: list[str], role: str) -> str:
    if len(columns) > 1:
        metrics = role == "score" and all(lower_is_better(name) is not None for name in columns)
        value = metric_named(columns[0]) if metrics else columns[0]
        raise DataError(
            f"columns {listed(columns)} all look like the {role}. Choose one: "
            f"{argument(**{'metric' if metrics else role: value})}"
        )
    return columns[0]


def _layout(
    found: Mapping[str, list[str]],
    plain: list[str],
    like: list[str],
    numeric: Collection[str],
    own: tuple[str, ...],
    said: bool,
) -> str:
    """Choose the layout the columns allow; refuse where they allow two."""
    scores = [*found.get("score", []), *like]
    if own:
        return "predictions" if "y_true" in found else "wide"
    if "learner" in found:
        left = [name for name in plain if name in numeric]
        if found.get("score") or like:
            return "long"
        if are_numbered(left):
            raise turned(found["learner"][0], left)
        summaries = [n for n in left if names_summary(n)]
        if summaries and "dataset" not in found and not like:
            raise DataError(
                f"columns {listed(summaries)} are summaries of each learner's scores; the score of "
                "every split is required, because a mean and a standard deviation do not show how "
                "two learners differ on the same split. Write one row per learner and split, such "
                "as learner,fold,score"
            )
        who = f"column {shown(found['learner'][0])} names learners, but"
        if found["learner"][0] in numeric:
            raise DataError(
                f"{who} contains numbers. If every learner has its own column, pass "
                f"{argument(layout='wide')}"
            )
        if len(left) == 1:
            raise DataError(
                f"{who} column {shown(left[0])} does not have a name for scores. If it contains "
                f"the scores, pass {argument(score=left[0])}{_or_lower(left[0])}"
            )
        raise DataError(
            f"{who} no score column was "
            f"recognised{f' among {listed(left)}' if left else ': no column is numeric'}. Name it: "
            f"{argument(score=_one_of(like))}{_or_lower('')}, or use {argument(layout='wide')} if "
            "every learner has its own column; if the columns are datasets, transpose the table: "
            f"frame.set_index({found['learner'][0]!r}).T"
            ".to_csv('scores.csv', index_label='dataset')"
        )
    if "y_true" in found and not scores:
        return "predictions"
    others = [n for n in plain if n not in scores and not (said and n in numeric)]
    if scores and ("y_true" in found or others or (len(scores) > 1 and not said)):
        words = [n for n in others if n not in numeric]
        one = (
            argument(learner=words[0], score=scores[0])
            if words
            else (f"{argument(score=scores[0])} for one learner's scores")
        )
        raise DataError(
            f"columns {listed([*found.get('y_true', []), *scores, *others])} could be the scores "
            "of one learner (long) or one column per learner (wide, predictions). Pass "
            f"{argument(layout='wide')}, or name the columns: {one}"
        )
    return "long" if scores else "wide"


def turned(learner: str, splits: Sequence[str]) -> DataError:
    """Return the refusal of a table whose rows are learners and whose columns are splits."""
    index = learner if learner else "Unnamed: 0"
    return DataError(
        f"columns {listed(splits)} are numbered like splits, and column {shown(learner)} names the "
        "rows; the table must have one row per split and one column per learner. Transpose it: "
        f"frame.set_index({index!r}).T.to_csv('scores.csv', index_label='fold'); if the columns "
        f"are learners, list them: {argument(learner=list(splits)[:20])}"
    )
