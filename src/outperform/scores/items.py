"""Items: what was measured on items, models × items × samples, with clusters and order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from .. import validation
from ..errors import DataError, argument
from ..notes import Note
from ..numerics import exact_sums
from ..numerics.exact_sums import Array
from .item_codes import Codes, coded, of_length
from .log_header import LogHeader
from .preferences import Preferences

Population = Literal["new", "these"]
ItemsKind = Literal[
    "items", "clustered-items", "sampled-items", "fixed-items", "judged-items", "ranked-items"
]
"""What `method="auto"` is looked up by; a method names those it is the default for."""
ITEMS_KINDS: tuple[ItemsKind, ...] = get_args(ItemsKind)
POPULATIONS = ("new", "these")
ERRORS = ("refuse", "as_zero", "drop_pairs")
"""What to do with scores that are missing because of an error."""
PROBABILITY_LOSSES = ("log_loss", "brier_score", "accuracy", "roc_auc")


@dataclass(frozen=True, eq=False)
class Items:
    """Scores of models on items, each item answered once or several times (samples).

    Items are in the order of the source, as `order` says where that is not 0, 1, 2, …. A `Scores`
    is what was measured on splits; `item_summary.scores_of` makes of these items the `Scores` of
    one test set, which keep them as `Scores.measured` for the methods that read them.
    """

    names: tuple[str, ...]
    values: Array
    """Shape (models, items, samples); NaN behind the samples of an item that has fewer."""
    metric: str = "score"
    greater_is_better: bool = True
    ids: tuple[str, ...] | None = None
    hashes: tuple[str, ...] | None = None
    """Of what each item asks, where the source tells: the same in all logs."""
    clusters: Codes | None = None
    cluster_name: str = ""
    """What the clusters are, such as "subject"."""
    strata: Codes | None = None
    datasets: Codes | None = None
    """The dataset or task of each item."""
    weights: Array | None = None
    order: npt.NDArray[np.int64] | None = None
    """When each item was answered, where time matters; None where the order says nothing."""
    population: Population = "new"
    """Of which items a verdict is asked: new items like these, or these and no others."""
    n_population: int | None = None
    """How many items there are in all, where these are a random part of them."""
    target: npt.NDArray[Any] | None = None
    probabilities: Array | None = None
    """Shape (models, items): of class 1, where `target` is known."""
    preferences: Preferences | None = None
    """The judgements, where `values` are the share of an item's judgements that each model won."""
    headers: tuple[LogHeader, ...] = ()
    notes: tuple[Note, ...] = ()
    frame_kind: str | None = None

    @classmethod
    def from_arrays(
        cls,
        scores: Mapping[str, Any],
        *,
        clusters: Any = None,
        cluster_name: str = "cluster",
        strata: Any = None,
        datasets: Any = None,
        weights: Any = None,
        order: Any = None,
        ids: Any = None,
        hashes: Any = None,
        metric: str = "score",
        lower_is_better: bool = False,
        population: str = "new",
        n_population: int | None = None,
        errors: str = "refuse",
    ) -> Items:
        """Build from a mapping of model names to arrays (items,) or (items, samples).

        NaN is an answer without a score. It is refused, unless `errors` is "as_zero" or
        "drop_pairs", which leaves the item out for all models.
        """
        if not isinstance(scores, Mapping) or not scores:
            raise DataError(
                f"The 'scores' parameter must be a mapping of model names to arrays, got "
                f"{type(scores).__name__}. Use Items.from_arrays({{'a': [1, 0], 'b': [1, 1]}})"
            )
        names = validation.learner_names(scores, len(scores))
        parts, moved = validation.aligned(list(scores.values()), names)
        tables = [_answers(part, name) for part, name in zip(parts, names, strict=True)]
        n = len(tables[0])
        for name, table in zip(names, tables, strict=True):
            if len(table) != n:
                raise DataError(
                    f"{name!r} has {len(table)} items but {names[0]!r} has {n}; models are "
                    "compared item by item, so each needs a score for every item"
                )
        values = np.full((len(names), n, max(table.shape[1] for table in tables)), np.nan)
        for at, table in enumerate(tables):
            values[at, :, : table.shape[1]] = table
        made = cls(
            names,
            values,
            metric,
            not lower_is_better,
            None if ids is None else of_length(tuple(map(str, ids)), n, "ids"),
            None if hashes is None else of_length(tuple(map(str, hashes)), n, "hashes"),
            None if clusters is None else coded(clusters, n, "clusters"),
            "" if clusters is None else cluster_name,
            None if strata is None else coded(strata, n, "strata"),
            None if datasets is None else coded(datasets, n, "datasets"),
            None if weights is None else _weights(weights, n),
            None if order is None else _order(order, n),
            validation.choice(population, "population", POPULATIONS),  # type: ignore[arg-type]
            n_population,
            notes=(Note("OP002"),) if moved else (),
        )
        return made.settled(errors)

    @classmethod
    def from_predictions(cls, y_true: Any, predictions: Mapping[str, Any], **about: Any) -> Items:
        """Build from true labels and each model's predicted labels; the options of `from_arrays`
        are taken too."""
        if not isinstance(predictions, Mapping) or not predictions:
            raise DataError(
                "The 'predictions' parameter must be a mapping of model names to labels, got "
                f"{type(predictions).__name__}. Use Items.from_predictions(y, {{'a': a, 'b': b}})"
            )
        names = validation.learner_names(predictions, len(predictions))
        right, moved = validation.right(y_true, list(predictions.values()), ("y_true", *names))
        scores = dict(zip(names, right.astype(np.float64), strict=True))
        made = cls.from_arrays(scores, **{"metric": "accuracy", **about})
        return replace(made, notes=(*made.notes, *((Note("OP002"),) if moved else ())))

    @classmethod
    def from_probabilities(
        cls,
        y_true: Any,
        probabilities: Mapping[str, Any],
        *,
        metric: str = "log_loss",
        **about: Any,
    ) -> Items:
        """Build from labels 0 and 1 and each model's probabilities of 1.

        `metric` is "log_loss", "brier_score", "accuracy" (at 1/2), or "roc_auc": then the values
        are the probabilities themselves, for a method that compares areas.
        """
        validation.choice(metric, "metric", PROBABILITY_LOSSES)
        y = validation.numbers(y_true, "y_true").ravel()
        if not np.isin(y, (0.0, 1.0)).all():
            raise DataError("The 'y_true' parameter must contain only the labels 0 and 1.")
        names = validation.learner_names(probabilities, len(probabilities))
        table = np.stack([validation.numbers(probabilities[name], name).ravel() for name in names])
        if table.shape[1] != y.size or not ((table >= 0) & (table <= 1)).all():
            raise DataError(
                f"The 'probabilities' parameter must contain {y.size} numbers between 0 and 1 for "
                f"each model, got shape {table.shape} with values from {table.min():.3g} to "
                f"{table.max():.3g}."
            )
        values, lower = _probability_scores(table, y, metric)
        about = {"lower_is_better": lower, **about}
        made = cls.from_arrays(dict(zip(names, values, strict=True)), metric=metric, **about)
        return replace(made, target=y, probabilities=table)

    @classmethod
    def from_frame(cls, frame: Any, **options: Any) -> Items:
        """Build from a data frame: columns item, model, score, and sample, cluster if there are,
        or one column for each model. For the options see `read`."""
        from ..readers.item_logs import from_frame

        return from_frame(frame, **options)

    @classmethod
    def read(cls, *paths: Any, **options: Any) -> Items:
        """Read logs of evaluations; see `outperform.readers.item_logs.read` for the options."""
        from ..readers.item_logs import read

        return read(*paths, **options)

    def settled(self, errors: str) -> Items:
        """Return items each of which every model has a score for, by the policy for errors."""
        validation.choice(errors, "errors", ERRORS)
        if not np.isfinite(self.values[~np.isnan(self.values)]).all():
            raise DataError("Scores must be finite numbers, got an infinity.")
        lacking = self.n_samples == 0
        if not lacking.any():
            return self
        k, n = int(lacking.sum()), int(lacking.any(axis=0).sum())
        model, item = (int(at[0]) for at in np.nonzero(lacking))
        if errors == "refuse":
            raise DataError(
                f"{k:,} scores of {n:,} items are missing, such as that of {self.names[model]!r} "
                f"on item {self.item_id(item)!r}. Count them as 0: {argument(errors='as_zero')}, "
                f"or leave these items out for all models: {argument(errors='drop_pairs')}"
            )
        if errors == "as_zero":
            if not self.greater_is_better:
                raise DataError(
                    f"{argument(errors='as_zero')} would count an error as the best {self.metric}, "
                    f"for less is better. Use {argument(errors='drop_pairs')}"
                )
            values = self.values.copy()
            values[..., 0][lacking] = 0.0
            said = f"{k:,} scores that are missing because of an error count as 0."
            return replace(self, values=values, notes=(*self.notes, Note("OP001", said)))
        kept = ~lacking.any(axis=0)
        if not kept.any():
            raise DataError("No item has a score of every model. Check the logs for errors")
        said = f"{n:,} of {lacking.shape[1]:,} items were left out: a model has no score there."
        return replace(self.at(kept), notes=(*self.notes, Note("OP001", said)))

    def at(self, chosen: npt.NDArray[Any]) -> Items:
        """Return some of the items: a mask, or their positions."""
        at = np.flatnonzero(chosen) if chosen.dtype == np.bool_ else chosen
        cut = {name: getattr(self, name) for name in ("weights", "order", "target")}
        coded_as = {name: getattr(self, name) for name in ("clusters", "strata", "datasets")}
        texts = {name: getattr(self, name) for name in ("ids", "hashes")}
        made: dict[str, Any] = {k: v[at] for k, v in cut.items() if v is not None}
        made |= {k: v.at(at) for k, v in coded_as.items() if v is not None}
        made |= {k: tuple(v[i] for i in at) for k, v in texts.items() if v is not None}
        if self.probabilities is not None:
            made["probabilities"] = self.probabilities[:, at]
        if self.preferences is not None:
            made["preferences"] = self.preferences.at(at)
        return replace(self, values=self.values[:, at], **made)

    def of(self, names: Sequence[str]) -> Items:
        """Return the scores of some models, in the order they are named."""
        rows = [self.names.index(name) for name in names]
        return replace(
            self,
            names=tuple(names),
            values=self.values[rows],
            probabilities=None if self.probabilities is None else self.probabilities[rows],
            preferences=None if self.preferences is None else self.preferences.of(rows),
        )

    @property
    def n(self) -> int:
        """How many items there are."""
        return int(self.values.shape[1])

    @cached_property
    def n_samples(self) -> npt.NDArray[np.int64]:
        """How many scores each model has on each item, (models, items)."""
        if self.values.shape[2] == 1:
            return (~np.isnan(self.values[:, :, 0])).astype(np.int64)
        found: npt.NDArray[np.int64] = (~np.isnan(self.values)).sum(axis=2)
        return found

    @property
    def is_sampled(self) -> bool:
        """Whether some item was answered more than once by some model."""
        return int(self.values.shape[2]) > 1

    @cached_property
    def means(self) -> Array:
        """The mean of each model's samples on each item, (models, items)."""
        if not self.is_sampled:
            return self.values[:, :, 0]
        total: Array = np.nansum(self.values, axis=2)
        return total / self.n_samples

    @cached_property
    def is_right_wrong(self) -> bool:
        """Whether every score is 0 or 1, one for each item, and greater is better."""
        if not self.greater_is_better or self.is_sampled or self.preferences is not None:
            return False
        first = self.values[:, :, 0]
        return bool(((first == 0) | (first == 1)).all())

    @property
    def kind(self) -> ItemsKind:
        """What the default method is looked up by: how items were measured, not their scores."""
        if self.preferences is not None:
            return "judged-items"
        if self.metric == "roc_auc" and self.probabilities is not None:
            return "ranked-items"
        if self.population == "these":
            return "fixed-items"
        if self.clusters is not None:
            return "clustered-items"
        return "sampled-items" if self.is_sampled else "items"

    def item_id(self, at: int) -> str:
        """Return what an item is called: its id, else its position."""
        return str(at) if self.ids is None else self.ids[at]

    def performance(self) -> dict[str, float]:
        """Return the mean score of each model over items."""
        return {n: float(exact_sums.mean(r)) for n, r in zip(self.names, self.means, strict=True)}

    def digest(self) -> str:
        """Return a sha256 (hex) of all that was measured, whatever the order of the models."""
        rows = sorted(range(len(self.names)), key=self.names.__getitem__)
        about = sorted(self.names), self.metric, self.greater_is_better, self.population
        mixer = sha256(repr((*about, self.n_population, self.values.shape)).encode())
        mixer.update(self.values[rows].tobytes())
        for part in (self.clusters, self.strata, self.datasets):
            mixer.update(
                b"-" if part is None else repr(part.labels).encode() + part.codes.tobytes()
            )
        for array in (self.weights, self.order, self.target):
            mixer.update(b"-" if array is None else array.tobytes())
        mixer.update(repr((self.ids, self.hashes)).encode())
        if self.preferences is not None:
            mixer.update(self.preferences.digest().encode())
        return mixer.hexdigest()

    def plot(self, kind: str = "clusters", **options: Any) -> Any:
        """Return a matplotlib figure of two models: their difference within each cluster."""
        from ..report import figures

        return figures.draw(self, kind, **options)

    def __repr__(self) -> str:
        k, n, samples = self.values.shape
        each = f" × {samples} samples" if samples > 1 else ""
        within = ""
        if self.clusters is not None:
            within = f" in {len(self.clusters.labels)} clusters"
        return f"<Items {k} models × {n} items{each}{within}, {self.metric}>"

    def _repr_html_(self) -> str:
        from ..report.html import notebook_objects

        return notebook_objects.items(self)


def _answers(values: Any, name: str) -> Array:
    """Return scores (items, samples), NaN for those without."""
    array = np.asarray(values)
    if array.dtype == object:
        array = np.array([[np.nan if v is None else v for v in np.ravel(row)] for row in array])
    missing = np.isnan(array) if array.dtype.kind == "f" else np.zeros(array.shape, dtype=bool)
    filled = np.where(missing, 0.0, array) if missing.any() else array
    numbers = validation.numbers(filled, name)
    if numbers.ndim not in (1, 2) or not numbers.size:
        raise DataError(
            f"Scores of {name!r} must have shape (items,) or (items, samples), got {numbers.shape}."
        )
    numbers = np.where(missing, np.nan, numbers) if missing.any() else numbers
    if numbers.ndim == 1:
        return numbers[:, None]
    return np.take_along_axis(numbers, np.argsort(np.isnan(numbers), axis=1, kind="stable"), axis=1)


def _weights(weights: Any, n: int) -> Array:
    array = of_length(validation.numbers(weights, "weights"), n, "weights")
    if not (array > 0).all():
        raise DataError("The 'weights' parameter must contain positive numbers.")
    return array


def _order(order: Any, n: int) -> npt.NDArray[np.int64]:
    array = of_length(validation.numbers(order, "order"), n, "order")
    return np.argsort(np.argsort(array, kind="stable"), kind="stable").astype(np.int64)


def _probability_scores(table: Array, y: Array, metric: str) -> tuple[Array, bool]:
    """Return what each probability scores, and whether less is better."""
    if metric == "roc_auc":
        return table, False
    if metric == "accuracy":
        return ((table >= 0.5) == (y == 1)).astype(np.float64), False
    if metric == "brier_score":
        return np.square(table - y), True
    tiny = float(np.finfo(np.float64).eps)  # as scikit-learn's log_loss does
    clipped = np.clip(table, tiny, 1 - tiny)
    return -np.where(y == 1, np.log(clipped), np.log1p(-clipped)), True
