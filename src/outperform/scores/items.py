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
from ..errors import DataError, argument, counted
from ..notes import Note
from ..numerics import exact_sums
from ..numerics.exact_sums import Array
from ..numerics.item_components import pass_at_k
from ..numerics.placements import placements
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
    """Scores of models on items, each answered once or several times (samples).

    `compare` chooses the method by how items were measured: with clusters, with samples, judged or
    plain.

    Attributes
    ----------
    names : tuple of str
        The models.
    values : ndarray
        Shape (models, items, samples); NaN behind the samples of an item that has fewer.
    metric : str
        Name of the metric.
    greater_is_better : bool
        Whether larger scores are better.
    ids : tuple of str or None
        Identifier of each item, if known.
    hashes : tuple of str or None
        Of what each item asks, where the source tells: the same in all logs.
    clusters : Codes or None
        Cluster of each item, such as the document it is about.
    cluster_name : str
        What the clusters are, such as "subject".
    strata : Codes or None
        Stratum of each item.
    datasets : Codes or None
        Dataset or task of each item.
    weights : ndarray or None
        Weight of each item.
    order : ndarray or None
        When each item was answered, where time matters; None where the order says nothing.
    population : Population
        Which items a verdict applies to: new items like these, or these and no others.
    n_population : int or None
        How many items there are in all, where these are a random part of them.
    target : ndarray or None
        True label of each item, if known.
    probabilities : ndarray or None
        Shape (models, items): of class 1, where `target` is known.
    preferences : Preferences or None
        The judgements, where `values` are the share of an item's judgements that each model won.
    headers : tuple of LogHeader
        What logs say about their runs.
    notes : tuple of Note
        Notes on assumptions and on what was done.
    frame_kind : str or None
        Kind of data frame the scores came in.

    Examples
    --------
    >>> import outperform as op
    >>> items = op.Items.from_arrays({"new": [1, 1, 0, 1], "old": [1, 0, 0, 1]})
    >>> items
    <Items 2 models × 4 items, score>
    >>> items.performance(), items.item_id(0), items.of(["old"]).names, len(items.digest())
    ({'new': 0.75, 'old': 0.5}, '0', ('old',), 64)
    """

    names: tuple[str, ...]
    values: Array
    metric: str = "score"
    greater_is_better: bool = True
    ids: tuple[str, ...] | None = None
    hashes: tuple[str, ...] | None = None
    clusters: Codes | None = None
    cluster_name: str = ""
    strata: Codes | None = None
    datasets: Codes | None = None
    weights: Array | None = None
    order: npt.NDArray[np.int64] | None = None
    population: Population = "new"
    n_population: int | None = None
    target: npt.NDArray[Any] | None = None
    probabilities: Array | None = None
    preferences: Preferences | None = None
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
        lower_is_better: bool | None = None,
        population: str = "new",
        n_population: int | None = None,
        errors: str = "refuse",
    ) -> Items:
        """Build items from arrays, one for each model.

        Parameters
        ----------
        scores : mapping of str to array-like
            Scores of each model, shape (items,) or (items, samples). NaN is an answer without a
            score.
        clusters : array-like, optional
            Cluster of each item.
        cluster_name : str, default='cluster'
            What the clusters are, such as "document".
        strata : array-like, optional
            Stratum of each item.
        datasets : array-like, optional
            Dataset or task of each item.
        weights : array-like, optional
            Weight of each item.
        order : array-like, optional
            When each item was answered, if time matters.
        ids : array-like, optional
            Identifier of each item.
        hashes : array-like, optional
            Hash of what each item asks.
        metric : str, default='score'
            Name of the metric. A known name, such as "rmse" or "auc", says which way is better.
        lower_is_better : bool, optional
            Whether smaller scores are better, as with errors and losses. By default as the name of
            the metric says; if it is unknown, greater is assumed to be better, with a note.
        population : {"new", "these"}, default='new'
            Whether verdicts apply to new items like these, or to these items only.
        n_population : int, optional
            Number of items there are, if these are a random part of them.
        errors : {"refuse", "as_zero", "drop_pairs"}, default='refuse'
            What to do with NaN: reject it, count it as 0, or leave the item out for all models.

        Returns
        -------
        Items
            The items.

        Examples
        --------
        >>> import outperform as op
        >>> scores = {"new": [1, 1, 0, 1], "old": [1, 0, 0, 1]}
        >>> op.Items.from_arrays(scores, clusters=[1, 1, 2, 2]).kind
        'clustered-items'
        """
        from ..readers.score_ranges import direction, refuse_negated

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
        lower, judged = direction(metric, lower_is_better)
        if lower and lower_is_better is None:
            refuse_negated(metric, values)
        made = cls(
            names,
            values,
            metric,
            not lower,
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
            notes=(
                *((Note("OP002"),) if moved else ()),
                *((Note("OP001", judged),) if judged else ()),
            ),
        )
        return made.settled(errors)

    @classmethod
    def from_predictions(cls, y_true: Any, predictions: Mapping[str, Any], **about: Any) -> Items:
        """Build items from true labels and each model's predicted labels.

        Parameters
        ----------
        y_true : array-like
            True labels.
        predictions : mapping of str to array-like
            Predicted labels of each model.
        **about : object
            Options of `from_arrays`.

        Returns
        -------
        Items
            Scores of 1 for right and 0 for wrong.

        Examples
        --------
        >>> import outperform as op
        >>> made = op.Items.from_predictions(["a", "b"], {"new": ["a", "b"], "old": ["a", "a"]})
        >>> made.performance()
        {'new': 1.0, 'old': 0.5}
        """
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
        """Build items from labels 0 and 1 and each model's probabilities of 1.

        Parameters
        ----------
        y_true : array-like
            Labels 0 and 1.
        probabilities : mapping of str to array-like
            Probability of 1 for each item, by model.
        metric : {"log_loss", "brier_score", "accuracy", "roc_auc"}, default='log_loss'
            Loss of an item; "accuracy" is at 1/2. With "roc_auc" the values are the probabilities,
            for a method that compares areas.
        **about : object
            Options of `from_arrays`.

        Returns
        -------
        Items
            The items, with `target` and `probabilities`.

        Examples
        --------
        >>> import outperform as op
        >>> made = op.Items.from_probabilities([0, 1], {"a": [0.2, 0.9]}, metric="brier_score")
        >>> made.values.ravel().round(2)
        array([0.04, 0.01])
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
        """Build items from a data frame.

        Parameters
        ----------
        frame : data frame
            Columns item, model and score, and sample and cluster if there are any; or one column
            for each model.
        **options : object
            Options of `read`.

        Returns
        -------
        Items
            The items.

        Examples
        --------
        >>> import outperform as op
        >>> import pandas as pd
        >>> columns = {"item": [1, 1, 2, 2], "model": ["a", "b"] * 2, "score": [1, 0, 1, 1]}
        >>> frame = pd.DataFrame(columns)
        >>> op.Items.from_frame(frame).performance()
        {'a': 1.0, 'b': 0.5}
        """
        from ..readers.item_logs import from_frame

        return from_frame(frame, **options)

    @classmethod
    def read(cls, *paths: Any, **options: Any) -> Items:
        r"""Read logs of one evaluation, one for each model or several models in each.

        Logs of lm-evaluation-harness, Inspect, HELM, promptfoo, OpenAI evals and others, and tables
        of items, are recognized by their content.

        Parameters
        ----------
        *paths : path
            Files to read.
        **options : object
            `metric`, one of several; `cluster`, the field that says which items belong together;
            `common_items=True` to use the items all logs have; `allow_other_prompts=True`;
            `partial=True` to accept unfinished runs; `errors` as for `from_arrays`; `population`,
            "new" or "these"; and `lower_is_better`.

        Returns
        -------
        Items
            The items.

        Raises
        ------
        DataError
            If logs are of different items, or the options do not fit.

        Examples
        --------
        >>> import outperform as op
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     with open(folder + "/log.csv", "w") as file:
        ...         text = file.write("item,model,score\n1,a,1\n1,b,0\n2,a,1\n2,b,1\n")
        ...     items = op.Items.read(folder + "/log.csv")
        >>> items.performance()
        {'a': 1.0, 'b': 0.5}
        """
        from ..readers.item_logs import read

        return read(*paths, **options)

    def settled(self, errors: str) -> Items:
        """Return items for which every model has a score, by a policy for errors.

        Parameters
        ----------
        errors : {"refuse", "as_zero", "drop_pairs"}
            What to do with items without a score: reject them, count them as 0, or leave them out
            for all models.

        Returns
        -------
        Items
            Items without NaN.

        Examples
        --------
        >>> import outperform as op
        >>> op.Items.from_arrays({"a": [1, 0], "b": [1, 1]}).settled("refuse").n
        2
        """
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
                f"{counted(k, 'score')} of {counted(n, 'item')} {'is' if k == 1 else 'are'} "
                f"missing, such as that of {self.names[model]!r} on item "
                f"{self.item_id(item)!r}. To count missing scores as 0: "
                f"{argument(errors='as_zero')}; to leave these items out for all models: "
                f"{argument(errors='drop_pairs')}"
            )
        if errors == "as_zero":
            if not self.greater_is_better:
                raise DataError(
                    f"{argument(errors='as_zero')} would count an error as the best {self.metric}, "
                    f"because lower is better. Use {argument(errors='drop_pairs')}"
                )
            values = self.values.copy()
            values[..., 0][lacking] = 0.0
            said = f"{counted(k, 'missing score counts', 'missing scores count')} as 0."
            return replace(self, values=values, notes=(*self.notes, Note("OP001", said)))
        kept = ~lacking.any(axis=0)
        if not kept.any():
            raise DataError("No item has a score of every model. Check the logs for errors")
        were = "was" if n == 1 else "were"
        said = (
            f"{n:,} of {lacking.shape[1]:,} items {were} left out because some model has no score "
            "there."
        )
        return replace(self.at(kept), notes=(*self.notes, Note("OP001", said)))

    def at(self, chosen: npt.NDArray[Any]) -> Items:
        """Return some of the items.

        Parameters
        ----------
        chosen : ndarray of bool or int
            A mask, or positions.

        Returns
        -------
        Items
            The chosen items.

        Examples
        --------
        >>> import numpy as np
        >>> import outperform as op
        >>> op.Items.from_arrays({"a": [1, 0, 1], "b": [1, 1, 0]}).at(np.array([0, 2])).n
        2
        """
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
        """Return the scores of some models, in the order they are named.

        Parameters
        ----------
        names : sequence of str
            Models to keep.

        Returns
        -------
        Items
            Their scores on the same items.
        """
        rows = [self.names.index(name) for name in names]
        return replace(
            self,
            names=tuple(names),
            values=self.values[rows],
            probabilities=None if self.probabilities is None else self.probabilities[rows],
            preferences=None if self.preferences is None else self.preferences.of(rows),
        )

    def pass_at(self, k: int) -> Items:
        """Return the items with pass@k as their score.

        It is the probability that at least one of k samples is right, by the unbiased estimate 1 −
        C(n − c, k)/C(n, k) for c of n samples right.

        Parameters
        ----------
        k : int
            Number of samples that may be tried.

        Returns
        -------
        Items
            One score for each item.

        Raises
        ------
        DataError
            If scores are not 0 or 1, or an item has fewer than k samples.

        Notes
        -----
        Chen et al. (2021) define pass@k.

        Examples
        --------
        >>> import outperform as op
        >>> items = op.Items.from_arrays({"a": [[1, 0, 0], [1, 1, 0]], "b": [[0, 0, 0], [1, 0, 0]]})
        >>> items.pass_at(2).means.round(3)
        array([[0.667, 1.   ],
               [0.   , 0.667]])
        """
        k = validation.whole(k, "k", least=1)
        present = self.values[~np.isnan(self.values)]
        if not (self.greater_is_better and np.isin(present, (0.0, 1.0)).all()):
            raise DataError(
                f"pass@{k} needs scores of 1 (right) and 0 (wrong), got other scores of "
                f"{self.metric}. Pass right and wrong answers, for example {self.metric} > 0.5"
            )
        right = np.nansum(self.values, axis=2)
        said = (
            f"pass@{k} of each item was estimated without bias from its "
            f"{int(self.n_samples.min()):,} samples or more."
        )
        return replace(
            self,
            values=pass_at_k(self.n_samples, right, k)[:, :, None],
            metric=f"pass@{k}",
            notes=(*self.notes, Note("OP001", said)),
        )

    @property
    def n(self) -> int:
        """Number of items."""
        return int(self.values.shape[1])

    @cached_property
    def n_samples(self) -> npt.NDArray[np.int64]:
        """Number of scores of each model on each item, shape (models, items)."""
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
    def placements(self) -> Array:
        """Twice how many items of the other class each is ranked beyond, (models, items)."""
        if self.target is None or self.probabilities is None:
            raise DataError("Ranks need true classes and probabilities, which these items lack.")
        return placements(self.target == 1, self.probabilities)

    @cached_property
    def is_right_wrong(self) -> bool:
        """Whether every score is 0 or 1, one for each item: right and wrong, or an error."""
        if self.is_sampled or self.preferences is not None:
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
        """Return the id of an item, otherwise its position.

        Parameters
        ----------
        at : int
            Position of the item.

        Returns
        -------
        str
            Its id.
        """
        return str(at) if self.ids is None else self.ids[at]

    def performance(self) -> dict[str, float]:
        """Return the mean score of each model over items.

        Returns
        -------
        dict
            Names and means.
        """
        return {n: float(exact_sums.mean(r)) for n, r in zip(self.names, self.means, strict=True)}

    def digest(self) -> str:
        """Return a SHA-256 hash of the items, independent of the order of the models.

        Returns
        -------
        str
            64 hexadecimal digits.
        """
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
        """Plot the difference of two models within each cluster.

        Parameters
        ----------
        kind : str, default='clusters'
            Kind of figure; "clusters" is the only one.
        **options : object
            `pair`, `theme` ("light" or "dark") and `level`.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.

        Examples
        --------
        >>> import outperform as op
        >>> scores = {"a": [1, 0, 1, 1], "b": [1, 1, 0, 0]}
        >>> items = op.Items.from_arrays(scores, clusters=[1, 1, 2, 2])
        >>> figure = items.plot()
        """
        from ..report import figures

        return figures.draw(self, kind, **options)

    def __repr__(self) -> str:
        k, n, samples = self.values.shape
        each = f" × {samples} samples" if samples > 1 else ""
        within = ""
        if self.clusters is not None:
            within = f" in {counted(len(self.clusters.labels), 'cluster')}"
        what = f"{counted(k, 'model')} × {counted(n, 'item')}"
        return f"<Items {what}{each}{within}, {self.metric}>"


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
