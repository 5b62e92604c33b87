"""The run that all exhibits share: the paper's learners on partitions of its datasets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from outperform.numerics.exact_sums import Array

from ..exhibits import HowMany, Scale, Statement, Value, claim, mean, printed, published

if TYPE_CHECKING:
    from outperform.scores.split_scores import Scores

    from ..partition_studies import PartitionStudy


PAPER = "bradford-brodley"
SEED = 2001
PARTITIONS = 55
QUICK = ("labor-neg", "zoo", "heart", "glass2")
"""Small, and between them of three of the four groups."""
QUICK_PARTITIONS = 6
QUESTION_MARKS = ("vote", "soybean-large", "mushroom")
"""Where the documentation of the data lists "?" among the values of an attribute (soybean, the
stalk root of mushroom), or says that it is no missing vote, but one neither for nor against."""
COLUMNS: tuple[tuple[str, str], ...] = (
    ("TDDT-2", "1x10"),
    ("TDDT-2", "5x2"),
    ("naive-bayes", "1x10"),
    ("naive-bayes", "5x2"),
)
"""Two comparisons only, each of them with TDDT-1 (B-08)."""
DESIGNS = {"1x10": "10cv", "5x2": "5x2cv"}
JudgedBy: TypeAlias = Literal["ordinary", "5x2cv t"]
READINGS: tuple[JudgedBy, ...] = ("ordinary", "5x2cv t")
"""Ten differences judged by the ordinary paired t, as the printed columns look (E-B12), or by the
5x2cv t that the paper describes, with the mean of each replication (E-B1)."""
REASONS: dict[JudgedBy, str] = {
    "ordinary": "C4.5 and our discretised naive Bayes are not MLC++'s learners",
    "5x2cv t": "the printed columns resemble the ordinary paired t, not this one (E-B12)",
}
LEARNERS_DIFFER = REASONS["ordinary"]
TINY = 0.001


def _told() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = published(PAPER)["datasets"]
    return found


NEEDS = tuple(sorted(told["data"] for told in _told().values()))
PARAMETERS = {
    "partitions": HowMany(PARTITIONS, QUICK_PARTITIONS),
    "datasets": HowMany(23, len(QUICK)),
    "α": 0.05,
    "stratified": "no",
}
TAKES = ("share", "partitions", "datasets", "stratified", "seed")


def datasets(scale: Scale) -> tuple[str, ...]:
    """Return the datasets of this scale by the paper's names, in the order of Table 1."""
    return scale.among(PAPER, tuple(_told()), QUICK)


def partitions(scale: Scale) -> int:
    """Return how many partitions are run."""
    return scale.partitions or scale.of(PARTITIONS, QUICK_PARTITIONS)


def learners_of() -> dict[str, Any]:
    """Return the paper's learners: one tree pruned in two ways, and naive Bayes (B-09, B-34).

    C4.5's pessimistic pruning also raises subtrees. The paper changes the pruning decision of a
    tree, so that only replacement by a leaf is left.
    """
    from ..learners import C45, NaiveBayes

    return {
        "TDDT-1": C45(pruning="mansour"),
        "TDDT-2": C45(pruning="pessimistic", subtree_raising=False),
        "naive-bayes": NaiveBayes(discretize=True),
    }


def table_of(name: str) -> tuple[Any, Any]:
    """Return attributes and classes; "?" is a value where the documentation of the data says so."""
    X, y = plain_table(name)
    return (question_marks(X) if name in QUESTION_MARKS else X), y


def plain_table(name: str) -> tuple[Any, Any]:
    """Return attributes and classes of a dataset by the paper's name; "?" is missing."""
    from ..datasets import load

    data = load(_told()[name]["data"])
    return data.X, data.y


def question_marks(X: Any) -> Any:
    """Return a table whose missing nominal values are the value "?" (B-34)."""
    import polars as pl

    return X.with_columns(
        X[name].cast(pl.Enum([*kind.categories, "?"])).fill_null("?")
        for name, kind in X.schema.items()
        if isinstance(kind, pl.Enum) and X[name].null_count()
    )


@lru_cache(maxsize=4 * 23)
def run_of(name: str, design: str, scale: Scale, stratified: bool = False) -> Scores:
    """Run, or read back, the partitions of one dataset by one design (B-07, B-09).

    Every exhibit asks for the same runs; they are kept without their item losses, which are large.
    """
    import outperform as op

    X, y = table_of(name)
    tail = "/stratified" if stratified or scale.stratified else ""
    store = scale.store(f"bradford-{name}-{design}{tail.replace('/', '-')}")
    if not store.exists():
        scale.say(f"{name}: {partitions(scale)} partitions of {design}{tail}")
    scores = op.run(
        learners_of(),
        X,
        y,
        design=f"{partitions(scale)}*{DESIGNS[design]}{tail}",
        random_state=scale.seeded(SEED),
        n_jobs=scale.n_jobs,
        store=store,
        progress=False,
    )
    return replace(scores, items=None)


def study_of(name: str, column: tuple[str, str], scale: Scale, reading: JudgedBy) -> PartitionStudy:
    """Return the t values of one comparison on one dataset; readings differ for 5x2 only."""
    from ..partition_studies import partition_study

    other, design = column
    ordinary = design == "5x2" and reading == "ordinary"
    return partition_study(run_of(name, design, scale), "TDDT-1", other, ordinary=ordinary)


def studies_of(
    scale: Scale, reading: JudgedBy, columns: Sequence[tuple[str, str]] = COLUMNS
) -> dict[tuple[str, tuple[str, str]], PartitionStudy]:
    """Return the studies of all datasets by dataset and column."""
    return {
        (name, column): study_of(name, column, scale, reading)
        for name in datasets(scale)
        for column in columns
    }


def at_datasets(text: str, gains: Sequence[float] | Array, measured: str) -> Statement:
    """Judge a claim by one number for each dataset, positive where it holds: paired t."""
    found = mean(np.asarray(gains, dtype=np.float64))
    what = f"{measured}: mean of {len(gains)} datasets"
    return claim(text, found, "above", 0.0, what=what, reason=LEARNERS_DIFFER)


LEARNERS = ("TDDT-1", "TDDT-2", "naive-bayes")
OTHER = {
    "TDDT-1": "MLC++'s tree is not C4.5: it has its own splits and its own choice of the factor",
    "TDDT-2": "MLC++'s tree is not C4.5, whose pruning it borrows",
    "naive-bayes": "MLC++ discretises and smooths in its own way",
}


def accuracy_value(name: str, column: str, text: str, ours: Array) -> Value:
    """Compare a mean of Table 1."""
    there = printed(text)
    error = float(ours.std(ddof=1)) * math.sqrt(1 / PARTITIONS + 1 / ours.size)
    reason = OTHER[column.partition(" ")[0]]
    return Value(
        f"{name}, {column}", there.value, float(ours.mean()), there.half_unit, error, reason
    )
