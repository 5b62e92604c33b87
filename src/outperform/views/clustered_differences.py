"""Differences on items that come in clusters, such as questions of one subject or document."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from .. import validation
from ..errors import DataError, MethodError, argument
from ..numerics.cluster_variance import cluster_sums
from ..numerics.exact_sums import Array
from ..scores.item_codes import Codes, coded
from .contract import Case, Context, Generator, Inputs, View, asked_of, dyadic, only, register_view
from .differences import CASES, Differences
from .differences import from_arrays as differences_from_arrays
from .item_differences import ItemDifferences, sides_of

if TYPE_CHECKING:
    from ..scores.split_scores import Scores


@dataclass(frozen=True, eq=False)
class ClusteredDifferences(ItemDifferences):
    """Differences item by item, shape (..., 1, 1, items), and the cluster of each item."""

    clusters: Codes | None = None
    independent: ClassVar[bool] = False

    @property
    def codes(self) -> Any:
        assert self.clusters is not None
        return self.clusters.codes

    @cached_property
    def sizes(self) -> Array:
        """How many items each cluster has."""
        return np.bincount(self.codes).astype(np.float64)

    @property
    def n_clusters(self) -> int:
        return int(self.sizes.size)

    @cached_property
    def residuals(self) -> Array:
        """The sum of each cluster's deviations from the mean of all items, (..., clusters)."""
        return cluster_sums(self.centred[1], self.codes)

    @cached_property
    def means(self) -> Array:
        """The mean difference of each cluster, (..., clusters)."""
        return self.mean[..., None] + self.residuals / self.sizes


def _clustered(view: Differences, clusters: Codes) -> ClusteredDifferences:
    assert isinstance(view, ClusteredDifferences)
    if len(np.unique(clusters.codes)) < 2:
        raise DataError(
            "The 'clusters' parameter must have at least 2 clusters, got 1: the variance is "
            "estimated between clusters. Without clusters use paired_t."
        )
    return replace(view, clusters=clusters)


def from_arrays(
    layout: str,
    a: Any,
    b: Any = None,
    *,
    clusters: Any,
    mu0: float = 0.0,
    lower_is_better: bool = False,
    names: tuple[str, str] | None = None,
    batch: bool = False,
) -> tuple[ClusteredDifferences, Context]:
    """Read one score, or two to subtract, for each item, and the label of its cluster.

    Parameters
    ----------
    a : array-like
        Scores of the first side on items; differences if `b` is left out.
    b : array-like, optional
        Scores of the second side on the same items.
    clusters : array-like
        Cluster of each item.
    """
    view, asked = differences_from_arrays(
        ClusteredDifferences,
        layout,
        a,
        b,
        mu0=mu0,
        lower_is_better=lower_is_better,
        names=names,
        batch=batch,
    )
    return _clustered(view, coded(clusters, view.n_splits, "clusters")), asked


def clusters_of(scores: Scores) -> Codes:
    """Return the clusters of items, or say how to give them."""
    measured = scores.measured
    if measured is None or measured.clusters is None:
        raise MethodError(
            "These scores have no clusters of items. Name them, for example with "
            f"{argument(cluster='subject')}, or pass arrays: outperform.cluster_t(a, b, "
            "clusters=…)"
        )
    judged = measured.preferences
    if judged is not None:
        beside = judged.shares(len(measured.names), measured.n)
        if len(measured.names) > 2 or not np.array_equal(beside, measured.means):
            raise DataError(
                "Judgements of more than two models on items in clusters cannot be tested "
                "together. Keep the rows for two models, or leave the clusters out"
            )
    return measured.clusters


def from_scores(
    layout: str,
    scores: Scores,
    first: str | None = None,
    second: str | None = None,
    *,
    mu0: float = 0.0,
) -> tuple[ClusteredDifferences, Context]:
    """Read the differences of two models on items, the means over samples."""
    clusters = clusters_of(scores)
    first, second = scores.pair(first, second)
    null = validation.one_number(mu0, "mu0")
    view = ClusteredDifferences.of(scores, first, second, null=null)
    asked = asked_of(scores, (first, second), view.n_splits, of_items=True)
    return _clustered(view, clusters), asked


def of_pairs(layout: str, scores: Scores, i: Any, j: Any) -> tuple[ClusteredDifferences, int]:
    """Stack the differences of pairs."""
    view = ClusteredDifferences.subtract(*sides_of(scores, i, j))
    return _clustered(view, clusters_of(scores)), view.n_splits


LABELS = tuple(np.repeat(np.arange(9), [1, 2, 3, 3, 4, 5, 6, 7, 9]).tolist())


def _cases(layout: str, rng: Generator) -> list[Case]:
    def one() -> Case:
        shared = rng.normal(0, 0.05, 9)[list(LABELS)]
        a, b = (dyadic(rng.normal(m, 0.1, 40)) for m in (0.8, 0.76))
        return Case("40 items", {"a": a + dyadic(shared), "b": b}, {"clusters": LABELS})

    cases = [one() for _ in range(3)]
    a, b = cases[0].arrays["a"], cases[0].arrays["b"]
    tied = cases[0].but("rounded to 0.01", a=np.round(a, 2), b=np.round(b, 2))
    return [*cases, cases[0].but("against 1/128", mu0=0.0078125), tied]


def _far_apart(layout: str, rng: Generator, beyond: bool) -> Case:
    b = dyadic(rng.normal(0.8, 0.03, 240))
    a = b + 1 + rng.normal(0, 1e-9 if beyond else 0.02, 240)
    return Case("240 items far apart", {"a": a, "b": b}, {"clusters": tuple(range(120)) * 2})


def _whole(layout: str, rng: Generator) -> Case:
    a, b = (rng.integers(low, low + 50, 40).astype(float) for low in (40, 50))
    return Case("whole scores", {"a": a, "b": b}, {"clusters": LABELS})


def _reordered(case: Case, layout: str, rng: Generator, first_counts: bool) -> Case:
    labels = np.array(case.keywords["clusters"])
    order = rng.permutation(labels.size)
    keywords = {**case.keywords, "clusters": tuple(labels[order].tolist())}
    arrays = {name: np.asarray(array)[order] for name, array in case.arrays.items()}
    return Case(f"{case.label}, in another order", arrays, keywords)


_TWO = Case(
    "two clusters",
    {"a": np.array([0.81, 0.79, 0.9]), "b": np.array([0.80, 0.75, 0.7])},
    {"clusters": ("x", "y", "y")},
)

register_view(
    View(
        ClusteredDifferences,
        from_arrays,
        from_scores,
        Inputs(
            _cases,
            _far_apart,
            _whole,
            only(_TWO),
            _reordered,
            CASES.swap,
            CASES.identical,
            CASES.constant,
            scales=True,
            shifts=True,
            has_null=True,
            orients=True,
        ),
        of_pairs,
        lambda scores: 1 if scores.items is None else scores.items.shape[1],
        layouts=("items",),
        of_items=True,
    )
)
