"""The one run that all exhibits of Bradford & Brodley share, and what was printed of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from ...partitions import Conclusions, conclusion
from ...sums import Array
from ..claim_tests import claim, mean
from ..exhibits import Scale, Statement, published

if TYPE_CHECKING:
    from ...lab.partition_studies import PartitionStudy
    from ...scores import Scores

PAPER = "bradford-brodley"
SEED = 2001
PARTITIONS = 55
QUICK = ("labor-neg", "zoo", "heart", "glass2")
"""Small, and between them of three of the four groups."""
QUICK_PARTITIONS = 6
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
    "5x2cv t": "the printed columns look like the ordinary paired t, not like this one (E-B12)",
}
LEARNERS_DIFFER = REASONS["ordinary"]
TINY = 0.001


def _told() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = published(PAPER)["datasets"]
    return found


NEEDS = tuple(sorted(told["data"] for told in _told().values()))
PARAMETERS = {"partitions": PARTITIONS, "datasets": 23, "α": 0.05, "stratified": "no"}


def datasets(scale: Scale) -> tuple[str, ...]:
    """Return the datasets of this scale by the paper's names, in the order of Table 1."""
    return tuple(name for name in _told() if not scale.quick or name in QUICK)


def partitions(scale: Scale) -> int:
    """Return how many partitions are run."""
    return scale.of(PARTITIONS, QUICK_PARTITIONS)


@lru_cache(maxsize=2 * 23)
def run_of(name: str, design: str, scale: Scale) -> Scores:
    """Run, or read back, the partitions of one dataset by one design (B-07, B-09).

    Every exhibit asks for the same runs; they are kept without their item losses, which are large.
    """
    import outperform as op

    from ...learners import C45, NaiveBayes

    data = op.data.load(_told()[name]["data"])
    store = scale.store(f"bradford-{name}-{design}")
    if not store.exists():
        scale.say(f"{name}: {partitions(scale)} partitions of {design}")
    scores = op.run(
        {
            "TDDT-1": C45(pruning="mansour"),
            "TDDT-2": C45(pruning="pessimistic"),
            "naive-bayes": NaiveBayes(discretize=True),
        },
        data.X,
        data.y,
        design=f"{partitions(scale)}*{DESIGNS[design]}",
        random_state=SEED,
        n_jobs=scale.n_jobs,
        store=store,
        progress=False,
    )
    return replace(scores, items=None)


def study_of(name: str, column: tuple[str, str], scale: Scale, reading: JudgedBy) -> PartitionStudy:
    """Return the t values of one comparison on one dataset; readings differ for 5x2 only."""
    from ...lab.partition_studies import partition_study

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


def told_p(name: str, at: int) -> str:
    """Return a cell of Table 2 as printed."""
    return str(published(PAPER)["datasets"][name]["p"][at])


def told_counts(name: str, at: int) -> Conclusions:
    """Return a cell of Table 3 in its true order (E-B4)."""
    return Conclusions(*published(PAPER)["datasets"][name]["counts"][at])


def told_conclusion(name: str, at: int) -> str:
    """Return the averaged conclusion that Table 2 prints."""
    return conclusion(float(told_p(name, at)), published(PAPER)["alpha"])


def label(name: str, column: tuple[str, str]) -> str:
    return f"{name}, {column[0]} {column[1]}"


def group_of(counts: Conclusions) -> str:
    """Return the group of a dataset as far as counts tell: 3 and 4 look alike."""
    second, none, first = counts
    if second and first:
        return "1"
    if second or first:
        return "2" if none else "always"
    return "3 or 4"
