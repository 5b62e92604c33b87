"""Columns: what each column of a score file is for, told by its name, or refused as ambiguous."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .errors import DataError, did_you_mean

__all__ = [
    "LAYOUTS",
    "ROLES",
    "Reading",
    "listed",
    "lower_is_better",
    "nearest",
    "recognise",
    "role_of",
    "shown",
]

# Compared without case, spaces, underscores and dashes. "key…" and "numberof…" are Weka's.
ROLES = {
    "learner": "learner model classifier algorithm method estimator scheme keyscheme",
    "score": "score value result testscore",
    "metric": "metric measure scoring",
    "dataset": "dataset data task domain keydataset",
    "partition": "partition",
    "repeat": "repeat rep run repetition replication keyrun",
    "fold": "fold split keyfold",
    "n_train": "ntrain trainsize numberoftraininginstances",
    "n_test": "ntest testsize numberoftestinginstances",
    "seed": "seed randomstate",
    "y_true": "ytrue y label target truth actual",
}
ADDRESS = ("partition", "repeat", "fold")
SPLIT = ("dataset", *ADDRESS, "n_train", "n_test", "seed")
LAYOUTS: dict[str, tuple[str, ...]] = {
    "long": ("learner", "score", "metric", *SPLIT),
    "wide": SPLIT,
    "predictions": ("y_true",),
    "correct": (),
}
KNOWN = {
    "greater": "accuracy acc auc rocauc auroc prauc auprc averageprecision f1 fscore fmeasure ndcg "
    "precision recall sensitivity specificity balancedaccuracy percentcorrect kappa kappastatistic "
    "mcc matthewscorrcoef jaccard r2 explainedvariance topkaccuracy",
    "lower": "err mse rmse mae mape nll brier percentincorrect",
    # Written beside scores by scikit-learn, pandas and R; never the scores of a learner.
    "aside": "id index row rowid item itemid fittime scoretime trainscore time seconds date",
}

_ROLE_OF = {name: role for role, names in ROLES.items() for name in names.split()}
_GREATER, _LOWER, _ASIDE = (set(names.split()) for names in KNOWN.values())


def normal(name: str) -> str:
    """Return a name as it is compared: without case, spaces, underscores and dashes."""
    return re.sub(r"[\s_\-]+", "", name).casefold()


def role_of(name: str) -> str | None:
    """Return what a column of this name is for, if the name is known."""
    return _ROLE_OF.get(normal(name))


def bare(name: str) -> str:
    """Return the name of a metric without scikit-learn's `test_`."""
    return normal(name).removeprefix("test")


def lower_is_better(metric: str) -> bool | None:
    """Tell the orientation of a metric from its name; None if the name is not known."""
    name = re.sub("(micro|macro|weighted|score)$", "", bare(metric))
    turned = re.match("(neg|d2|1)(.+)", name)
    loss = turned[2] if turned else name
    if loss in _LOWER or loss.endswith(("error", "errorrate", "loss", "deviance")):
        return turned is None
    return False if name in _GREATER else None


def shown(value: object) -> str:
    """Quote hostile text for a message: one line, printable, not too long."""
    text = str(value)
    quoted = repr(text if len(text) <= 60 else text[:59] + "…")
    if unicodedata.is_normalized("NFC", text):
        return quoted
    return "".join(rf"\u{ord(c):04x}" if unicodedata.combining(c) else c for c in quoted)


def listed(values: Sequence[object], most: int = 6) -> str:
    return ", ".join(map(shown, values[:most])) + (", …" if len(values) > most else "")


def nearest(word: object, known: Sequence[str]) -> str:
    """Name the known words near a word, or list them; leave out what a terminal may not print."""
    return did_you_mean(str(word), [name[:60] for name in known[:100] if name.isprintable()])


@dataclass(frozen=True, slots=True)
class Reading:
    """What the columns were read as."""

    layout: str
    roles: dict[str, str]
    learners: tuple[str, ...]
    """The learners' own columns, in a wide frame or one of predictions."""
    unread: tuple[str, ...]
    notes: tuple[str, ...]


def recognise(
    names: Sequence[str],
    numeric: Collection[str],
    asked: Mapping[str, Any],
    *,
    layout: str | None = None,
    metric: str | None = None,
) -> Reading:
    """Tell what each column is for; refuse what cannot be told, saying how to say it."""
    given = {role: column for role, column in asked.items() if column is not None}
    own = () if isinstance(given.get("learner", ""), str) else tuple(given.pop("learner"))
    for column in (*given.values(), *own):
        if column not in names:
            raise DataError(f"there is no column {shown(column)}; {nearest(column, names)}")
    free = [name for name in names if name not in (*given.values(), *own)]
    found: dict[str, list[str]] = {role: [column] for role, column in given.items()}
    for name in free:
        role = role_of(name)
        # A numeric "measure" holds scores, not names of metrics.
        if role and role not in given and (role != "metric" or name not in numeric):
            found.setdefault(role, []).append(name)
    plain = [n for n in free if role_of(n) is None and not _aside(n)]
    like = [n for n in plain if n in numeric and lower_is_better(n) is not None]
    named = [given["score"]] if "score" in given else []
    if metric is not None and "metric" not in found and not named:
        named = [n for n in plain if n in numeric and bare(n) == bare(metric)]
        if like and not named:
            raise DataError(f"there is no metric {shown(metric)}; {nearest(metric, like)}")
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
                f"{role}={given[role]!r} was given, but a {layout} frame has no {role} column; "
                f"leave it out, or say layout='{'predictions' if role == 'y_true' else 'long'}'"
            )
    roles = {role: _only(found[role], role) for role in LAYOUTS[layout] if found.get(role)}
    if layout == "long":
        own = ()
    elif not own:
        # In a frame said to be wide, a column called "method" can only be a learner.
        odd = {n for r in ("learner", "score", "metric", "y_true") for n in found.get(r, ())}
        own = tuple(n for n in free if n in plain or (n in odd and n not in roles.values()))
    needed = {"long": "score", "predictions": "y_true"}.get(layout)
    if (needed is not None and needed not in roles) or (layout != "long" and not own):
        missing = f"a {needed} column" if needed and needed not in roles else "one for each learner"
        raise DataError(
            f"columns {listed(names)} came; a {layout} frame needs {missing}. Name them: "
            "learner='…', score='…' (long), learner=['…', '…'] (wide), y_true='…' (predictions)"
        )
    new = {role: column for role, column in roles.items() if role not in given and role != column}
    renamed = [f"Column {shown(column)} read as {role}." for role, column in new.items()]
    unread = tuple(n for n in names if n not in (*roles.values(), *own))
    skipped = [f"Not read: {listed(unread)}."] if unread else []
    return Reading(layout, roles, own, unread, (*renamed, *skipped))


def _aside(name: str) -> bool:
    text = normal(name)
    trained = text.startswith("train") and lower_is_better(text.removeprefix("train")) is not None
    return trained or text in _ASIDE or text == "" or text.startswith("unnamed:")


def _only(columns: list[str], role: str) -> str:
    if len(columns) > 1:
        raise DataError(
            f"columns {listed(columns)} all look like the {role}; one is needed. "
            f"Pass the one you mean: {role}={columns[0]!r}"
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
        if found.get("score") or (like and left == like):
            return "long"
        raise DataError(
            f"column {shown(found['learner'][0])} names learners, but the score cannot be told "
            f"among {listed(left) or 'no numeric columns'}; one is needed. Name it: score="
            f"{(left or ['…'])[0]!r}, or say layout='wide' if every learner has its own column"
        )
    if "y_true" in found and not scores:
        return "predictions"
    others = [n for n in plain if n not in scores and not (said and n in numeric)]
    if scores and ("y_true" in found or others or (len(scores) > 1 and not said)):
        raise DataError(
            f"columns {listed([*found.get('y_true', []), *scores, *others])} could be scores of "
            "one learner (long), or a column for each learner (wide, predictions); one reading is "
            f"needed. Say layout='wide', or name the columns: learner='…', score={scores[0]!r}"
        )
    return "long" if scores else "wide"
