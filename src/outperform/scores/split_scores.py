"""Scores: what was measured, learners × splits, with the address and sizes of every split."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import validation
from ..designs import Design, Resampled, parse
from ..errors import DataError, counted, did_you_mean
from ..notes import Note
from ..numerics import exact_sums
from ..numerics.exact_sums import Array
from .frame_kinds import frame_like, kind_of, score_columns
from .item_losses import (
    AnyItems,
    BitItems,
    ItemsToRead,
    Loss,
    SplitLosses,
    check_right_wrong,
    rises,
)
from .items import Items
from .other_scores import OtherScores
from .performance import performances, whole_data

__all__ = [
    "SPARED",
    "ItemsToRead",
    "Loss",
    "OtherScores",
    "Scores",
    "SplitLosses",
    "fewer",
    "filled_up",
]


Addresses = npt.NDArray[np.int64]
SPARED = ("resampled", "kfold", "repeated-kfold", "repeated-2fold")
"""Designs of which a method can judge what is left when some splits are not there."""


@dataclass(frozen=True, eq=False, slots=True)
class Scores:
    """Scores of learners on splits, with the address and sizes of every split.

    Columns are in the order of their addresses (partition, repeat, fold). With the design
    "20seeds/unpaired" a column has no seed in common: each row holds the scores of one learner,
    padded by NaN if it has fewer than others. Over several datasets a learner may have NaN on some;
    see `Benchmark`.

    Attributes
    ----------
    names : tuple of str
        The learners.
    values : ndarray
        Scores, shape (learners, splits).
    addresses : Addresses
        Partition, repeat and fold of each split, shape (splits, 3).
    n_train : ndarray or None
        Number of training items of each split, if known.
    n_test : ndarray or None
        Number of test items of each split, if known.
    metric : str
        Name of the metric.
    greater_is_better : bool
        Whether larger scores are better.
    design : Design or None
        The design that made the splits, if known.
    datasets : tuple of str or None
        The dataset of each split, where there are several.
    items : SplitLosses, BitItems or None
        Losses of single items, if they were kept.
    seed : int or None
        Seed of the run, if known.
    notes : tuple of Note
        Notes on assumptions and on what was done.
    full_grid : tuple[int, int, int] or None
        Of splits of unknown design of which some were left out: the grid of them all.
    frame_kind : str or None
        Kind of data frame the scores came in.
    n_groups : int or None
        How many groups of items there are, where whole groups were drawn.
    more : tuple of OtherScores
        Scores by further metrics of the same run.
    primary : str
        The primary metric of the run, where `metric` is another.
    target : ndarray or None
        The targets of all items, y, where they are known.
    probabilities : ndarray or None
        Of one test set of two classes: by what each learner ranks the items, greater for the
        second class, NaN for items that were not tested.
    store : str or None
        The store they were read from, which may allow for further metrics without a refit.
    measured : Items or None
        The items that these scores are the summary of, with their clusters and samples.
    families : tuple of str or None
        Family of the dataset of each split: datasets of one family are not independent evidence.
    cells : mapping
        The scores of single datasets, where these were joined: with items and designs of their own.
        Learners that were left out later may still be there.

    Examples
    --------
    >>> import outperform as op
    >>> scores = op.Scores.read("examples/scores.csv")
    >>> scores
    <Scores 2 learners × 100 splits, score, 10x10cv>
    >>> scores.index("forest"), scores.pair(), scores.grid()
    (1, ('logistic', 'forest'), (1, 10, 10))
    >>> {name: round(mean, 3) for name, mean in scores.mean().items()}
    {'logistic': 0.977, 'forest': 0.964}
    >>> scores.of(["forest"]).names, scores.own("forest").shape, len(scores.digest())
    (('forest',), (100,), 64)
    >>> scores.to_frame("pandas").columns.tolist()[:5]
    ['learner', 'partition', 'repeat', 'fold', 'score']
    """

    names: tuple[str, ...]
    values: Array
    addresses: Addresses
    n_train: Array | None = None
    n_test: Array | None = None
    metric: str = "score"
    greater_is_better: bool = True
    design: Design | None = None
    datasets: tuple[str, ...] | None = None
    items: AnyItems | None = None
    seed: int | None = None
    notes: tuple[Note, ...] = ()
    full_grid: tuple[int, int, int] | None = None
    frame_kind: str | None = None
    n_groups: int | None = None
    more: tuple[OtherScores, ...] = ()
    primary: str = ""
    target: npt.NDArray[Any] | None = None
    probabilities: Array | None = None
    store: str | None = None
    measured: Items | None = None
    families: tuple[str, ...] | None = None
    cells: Mapping[str, Scores] = field(default_factory=dict)

    @classmethod
    def from_arrays(
        cls,
        scores: Mapping[str, Any],
        *,
        design: Any = None,
        n_train: Any = None,
        n_test: Any = None,
        metric: str = "score",
        lower_is_better: bool | None = None,
        seed: int | None = None,
    ) -> Scores:
        """Build scores from arrays, one for each learner.

        Parameters
        ----------
        scores : mapping of str to array-like
            Scores of each learner, shape (splits,), (repeats, folds) or (partitions, repeats,
            folds).
        design : str, Design or splitter, optional
            The design that made the scores.
        n_train : int or array-like, optional
            Number of training items of the splits.
        n_test : int or array-like, optional
            Number of test items of the splits.
        metric : str, default='score'
            Name of the metric. A known name, such as "rmse" or "auc", says which way is better.
        lower_is_better : bool, optional
            Whether smaller scores are better, as with errors and losses. By default as the name of
            the metric says; if it is unknown, greater is assumed to be better, with a note.
        seed : int, optional
            Seed of the run, kept with the scores.

        Returns
        -------
        Scores
            The scores.

        Raises
        ------
        DataError
            If learners have different numbers of scores, or the design does not fit them.

        Examples
        --------
        >>> import outperform as op
        >>> scores = {"tree": [0.81, 0.79, 0.84], "bayes": [0.78, 0.75, 0.80]}
        >>> op.Scores.from_arrays(scores, design="3cv", metric="accuracy")
        <Scores 2 learners × 3 splits, accuracy, 3cv>
        """
        from ..readers.score_ranges import direction, refuse_negated

        if not isinstance(scores, Mapping) or not scores:
            raise DataError(
                f"scores must be a mapping of learner names to arrays, got "
                f"{type(scores).__name__}. Use for example "
                'Scores.from_arrays({"tree": a, "bayes": b}, design="10x10cv")'
            )
        plan = None if design is None else parse(design)
        names = validation.learner_names(scores, len(scores))
        own_seeds = plan is not None and plan.kind == "unpaired-seeds"
        given = list(scores.values())
        parts, moved = (given, False) if own_seeds else validation.aligned(given, names)
        arrays = [validation.numbers(part, name) for part, name in zip(parts, names, strict=True)]
        arrays = filled_up(arrays) if own_seeds else arrays
        for name, array in zip(names, arrays, strict=True):
            if array.shape != arrays[0].shape:
                raise DataError(
                    f"{name!r} has shape {array.shape} but {names[0]!r} has {arrays[0].shape}; "
                    "scores are compared split by split, so every learner needs one for each"
                )
        addresses = _planned(arrays[0].shape, plan)
        values = np.stack([array.ravel() for array in arrays])
        lower, judged = direction(metric, lower_is_better)
        if lower and lower_is_better is None:
            refuse_negated(metric, values)
        return cls(
            names,
            values,
            addresses,
            None if n_train is None else validation.sizes(n_train, "n_train", values.shape[1]),
            None if n_test is None else validation.sizes(n_test, "n_test", values.shape[1]),
            metric,
            not lower,
            plan,
            seed=seed,
            notes=(
                *((Note("OP002"),) if moved else ()),
                *((Note("OP001", judged),) if judged else ()),
            ),
        )

    @classmethod
    def from_predictions(
        cls, y_true: Any, predictions: Mapping[str, Any], *, design: Any = None
    ) -> Scores:
        """Build scores from labels and each model's predictions on one test set (0/1 loss).

        Parameters
        ----------
        y_true : array-like
            True labels.
        predictions : mapping of str to array-like
            Predicted labels of each model.
        design : str or Design, optional
            The design, by default a hold-out set.

        Returns
        -------
        Scores
            Accuracies, with the losses of single items.

        Examples
        --------
        >>> import outperform as op
        >>> predictions = {"tree": [0, 1, 0, 0], "knn": [0, 0, 0, 1]}
        >>> made = op.Scores.from_predictions([0, 1, 1, 0], predictions)
        >>> made.mean()
        {'tree': 0.75, 'knn': 0.25}
        """
        if not isinstance(predictions, Mapping) or not predictions:
            raise DataError(
                f"predictions must be a mapping of model names to predicted labels, got "
                f"{type(predictions).__name__}. Use for example "
                'Scores.from_predictions(y, {"tree": a, "bayes": b})'
            )
        names = validation.learner_names(predictions, len(predictions))
        correct, moved = validation.right(y_true, list(predictions.values()), ("y_true", *names))
        notes = (Note("OP002"),) if moved else ()
        return cls.from_correct(names, correct, design=design, notes=notes)

    @classmethod
    def from_correct(
        cls,
        names: Sequence[str],
        correct: npt.NDArray[np.bool_],
        *,
        design: Any = None,
        notes: tuple[Note, ...] = (),
    ) -> Scores:
        """Build scores from a table of right (1) and wrong (0) on one test set.

        Parameters
        ----------
        names : sequence of str
            Names of the models.
        correct : array-like of shape (models, items)
            Whether each model was right on each item.
        design : str or Design, optional
            The design, by default a hold-out set.
        notes : tuple of Note, default=()
            Notes to keep with the scores.

        Returns
        -------
        Scores
            Accuracies, with the losses of single items.

        Examples
        --------
        >>> import outperform as op
        >>> op.Scores.from_correct(["tree", "knn"], [[1, 1, 0, 1], [1, 0, 0, 0]]).mean()
        {'tree': 0.75, 'knn': 0.25}
        """
        table = np.asarray(correct)
        if table.ndim != 2 or not np.isin(table, (0, 1)).all():
            raise DataError(
                "The 'correct' parameter must be a table of right (1) and wrong (0), models × "
                f"items, got {table.dtype} of shape {table.shape}"
            )
        correct = np.array(table, dtype=np.bool_, order="C")
        n = correct.shape[1]
        right = np.count_nonzero(correct, axis=1)
        losses = np.logical_not(correct, out=correct).view(np.uint8)  # ten bytes an item, not 80
        one_split = np.broadcast_to(np.int64(0), (n,))
        items = SplitLosses("zero-one", losses, one_split, np.arange(n, dtype=np.int64))
        return cls._one_test_set(names, right, items, design, notes)

    @classmethod
    def _from_bits(cls, names: Sequence[str], items: BitItems, design: Any) -> Scores:
        """Build scores from packed bits of right and wrong on one test set."""
        right = np.bitwise_count(items.right).sum(axis=1, dtype=np.int64)
        return cls._one_test_set(names, right, items, design)

    @classmethod
    def _one_test_set(
        cls,
        names: Sequence[str],
        right: npt.NDArray[Any],
        items: SplitLosses | BitItems,
        design: Any,
        notes: tuple[Note, ...] = (),
    ) -> Scores:
        """Build from the number of items each model had right."""
        n = items.shape[1]
        return cls(
            validation.learner_names(names, right.size),
            right[:, None] / n,
            _addresses((1, 1, 1)),
            n_test=np.array([float(n)]),
            metric="accuracy",
            design=parse(f"holdout@{n}" if design is None else design),
            items=items,
            notes=notes,
        )

    @classmethod
    def from_frame(cls, frame: Any, **options: Any) -> Scores:
        """Build scores from a data frame, dicts of scikit-learn or a report of skore.

        The layout is recognized: a long frame has a row for each learner and split, a wide one a
        column for each learner; frames of predictions, of right and wrong, and of losses of items
        are known too. Inferences are in `notes`; ambiguous frames are rejected.

        Parameters
        ----------
        frame : data frame, mapping or report
            pandas, polars, pyarrow or any frame that narwhals knows; what `cross_validate`
            returned; or a report of skore.
        **options : object
            Columns to use (`learner`, `score`, `metric`, `dataset`, `family`, `partition`,
            `repeat`, `fold`, `y_true`), `layout`, `design`, `n_train`, `n_test`, `seed`,
            `lower_is_better`, `drop_incomplete` and `missing`.

        Returns
        -------
        Scores
            The scores.

        Examples
        --------
        >>> import outperform as op
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"tree": [0.81, 0.79, 0.84], "bayes": [0.78, 0.75, 0.80]})
        >>> op.Scores.from_frame(frame, design="3cv")
        <Scores 2 learners × 3 splits, score, 3cv>
        """
        from ..readers import check_options, from_frame

        check_options(options, "Scores.from_frame")
        return replace(from_frame(frame, **options), frame_kind=kind_of(frame))

    @classmethod
    def from_search(cls, search: Any, X: Any = None, y: Any = None, **options: Any) -> Scores:
        """Build scores from a fitted search of scikit-learn, whose candidates are the learners.

        The best candidate was chosen by these scores, which is noted.

        Parameters
        ----------
        search : estimator
            A fitted search, such as `GridSearchCV`.
        X : array-like, optional
            Features the search was fitted on; with them the sizes of the splits are known.
        y : array-like, optional
            Target the search was fitted on.
        **options : object
            Options of `from_frame`.

        Returns
        -------
        Scores
            Scores of all candidates on all splits.

        Examples
        --------
        >>> import outperform as op
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.model_selection import GridSearchCV
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_iris(return_X_y=True)
        >>> search = GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1]}, cv=5).fit(X, y)
        >>> len(op.Scores.from_search(search, X, y).names)
        2
        """
        from ..readers import check_options, from_search

        check_options(options, "Scores.from_search")
        return from_search(search, X, y, **options)

    @classmethod
    def read(cls, path: Any, **options: Any) -> Scores:
        """Read a file of scores or predictions, a report, or a store.

        CSV and TSV (also gzipped), Parquet, JSON, JSON Lines, Excel and ARFF files are recognized
        by their content.

        Parameters
        ----------
        path : path or "-"
            File to read; "-" is standard input.
        **options : object
            Options of `from_frame`; `separator` of a CSV file, `sheet` of a workbook, and `limits`.
            A report takes none, a store only `design`, to read a part of it.

        Returns
        -------
        Scores
            The scores.

        Raises
        ------
        DataError
            If the file cannot be read, or its layout is ambiguous.

        Examples
        --------
        >>> import outperform as op
        >>> op.Scores.read("examples/scores.csv").design
        RepeatedKFold(repeats=10, folds=10, stratified=False, grouped=False)
        """
        if validation.is_store(path):
            size = options.pop("design", None)
            if options:
                raise DataError(
                    f"{next(iter(options))} was passed, but a store already records how its scores "
                    f"were made. Remove the option: Scores.read({str(path)!r})"
                )
            from ..storage import Store

            with Store.open(path, mode="read") as kept:
                return kept.scores(design=size)
        from ..readers import check_options, read

        check_options(options, "Scores.read")
        return read(path, **options)

    def made_by(self, design: Any) -> Scores:
        """Return these scores, of unknown design, as made by a design.

        Scores in one row are arranged on the grid of the design, as `from_arrays` does.

        Parameters
        ----------
        design : str, Design or splitter
            The design that made the scores.

        Returns
        -------
        Scores
            The same values with a design.

        Raises
        ------
        DataError
            If the design makes another number of scores, or another one is known.

        Examples
        --------
        >>> import outperform as op
        >>> op.Scores.from_arrays({"tree": [0.81, 0.79, 0.84, 0.80]}).made_by("2x2cv").grid()
        (1, 2, 2)
        """
        plan = parse(design)
        if plan in (self.design, getattr(self.design, "of", None)):  # what was given is `of` a kind
            return self
        if self.design is not None:
            raise DataError(
                f"You said {str(design)!r}, but these scores were made by {str(self.design)!r}; "
                "leave design out"
            )
        if self.full_grid is not None:
            if plan.kind not in SPARED:
                raise DataError(
                    f"{self.n_missing} of {math.prod(self.full_grid)} splits were left out, and "
                    f"{plan} needs every split. Run the missing splits"
                )
            at = np.ravel_multi_index(tuple(self.addresses.T), self.full_grid)
            kept, addresses = fewer(plan, _laid_out(_addresses(self.full_grid), plan)[at])
            return replace(self, design=kept, addresses=addresses, full_grid=None)
        labels = np.array(self.datasets or ("",) * self.n_splits)
        addresses = np.empty_like(self.addresses)
        for label in dict.fromkeys(labels.tolist()):
            rows = labels == label
            addresses[rows] = _laid_out(self.addresses[rows], plan)
        return replace(self, design=plan, addresses=addresses)

    @property
    def n_splits(self) -> int:
        """Number of splits."""
        return int(self.values.shape[1])

    @property
    def n_missing(self) -> int:
        """Number of splits of the design that were left out, on one dataset."""
        if self.full_grid is not None:
            return math.prod(self.full_grid) - self.n_splits
        if self.design is None or self.design.shape is None or len(set(self.datasets or ())) > 1:
            return 0
        return self.design.n_splits() - self.n_splits

    @property
    def test_train_ratio(self) -> float | None:
        """Σ n_test / Σ n_train, from the recorded sizes or otherwise from the design."""
        if self.n_train is not None and self.n_test is not None:
            return float(self.n_test.sum() / self.n_train.sum())
        ratio = None if self.design is None else self.design.test_train_ratio
        return None if ratio is None else float(ratio)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics of the run, first the one of `values`."""
        return (self.metric, *(other.metric for other in self.more))

    def for_metric(self, name: str) -> Scores:
        """Return the scores by another metric of the run.

        Parameters
        ----------
        name : str
            One of `metrics`.

        Returns
        -------
        Scores
            The scores with that metric as `values`.

        Examples
        --------
        >>> import outperform as op
        >>> scores = op.Scores.read("examples/scores.csv")
        >>> scores.for_metric("score").metric
        'score'
        """
        if name == self.metric:
            return self
        if name not in self.metrics:
            raise DataError(
                f"The 'metric' parameter must be one of the metrics of these scores, got {name!r}; "
                f"{did_you_mean(str(name), self.metrics)}"
            )
        chosen = next(other for other in self.more if other.metric == name)
        own = OtherScores(self.metric, self.greater_is_better, self.values, self.items)
        others = [own, *(other for other in self.more if other is not chosen)]
        return replace(
            self,
            metric=chosen.metric,
            greater_is_better=chosen.greater_is_better,
            values=chosen.values,
            items=chosen.items,
            more=tuple(others),
            primary=self.primary or self.metric,
        )

    def of(self, names: Sequence[str]) -> Scores:
        """Return the scores of some learners, in the order they are named.

        Parameters
        ----------
        names : sequence of str
            Learners to keep.

        Returns
        -------
        Scores
            Their scores on the same splits.
        """
        rows = [self.index(name) for name in names]
        return replace(
            self,
            names=tuple(names),
            values=self.values[rows],
            items=None if self.items is None else self.items.of(rows),
            measured=None if self.measured is None else self.measured.of(names),
            more=tuple(other.of(rows) for other in self.more),
            probabilities=None if self.probabilities is None else self.probabilities[rows],
        )

    def index(self, name: str) -> int:
        """Return the position of a learner.

        Parameters
        ----------
        name : str
            Name of the learner.

        Returns
        -------
        int
            Its row in `values`.

        Raises
        ------
        DataError
            If the learner is unknown; the message suggests similar names.
        """
        if name not in self.names:
            raise DataError(
                f"{name!r} is not among the learners; {did_you_mean(str(name), self.names)}"
            )
        return self.names.index(name)

    def pair(self, first: str | None = None, second: str | None = None) -> tuple[str, str]:
        """Return the two names to compare: those given, or the only two there are.

        Parameters
        ----------
        first : str, optional
            Name of the first learner.
        second : str, optional
            Name of the second learner.

        Returns
        -------
        tuple of two str
            The names.
        """
        if first is None and second is None and len(self.names) == 2:
            return self.names[0], self.names[1]
        if first is not None and first == second:
            raise DataError(f"{first!r} was compared with itself; name two learners")
        if first is None or second is None:
            raise DataError(
                f"These scores have {len(self.names)} learners ({_listed(self.names)}); name the "
                'two to compare, as in corrected_t(scores, "a", "b")'
            )
        self.index(first), self.index(second)
        return first, second

    @property
    def paired(self) -> bool:
        """Whether a column holds the scores of all learners on one split with one seed."""
        return self.design is None or self.design.kind != "unpaired-seeds"

    def own(self, name: str) -> Array:
        """Return the scores of one learner, without NaN.

        Parameters
        ----------
        name : str
            Name of the learner.

        Returns
        -------
        ndarray
            Its scores; with unpaired seeds learners may have different numbers of them.
        """
        row: Array = self.values[self.index(name)]
        return row[~np.isnan(row)]

    def mean(self) -> dict[str, float]:
        """Return the mean score of each learner, over datasets if there are several.

        Returns
        -------
        dict
            Names and means.
        """
        found = {one.name: one.mean for one in performances(self)}
        return {name: found[name] for name in self.names}

    def to_frame(self, kind: str | None = None) -> Any:
        """Return a data frame that `from_frame` reads back.

        Parameters
        ----------
        kind : str, optional
            Kind of data frame: "pandas", "polars" or "pyarrow". By default the kind the scores came
            in, otherwise polars.

        Returns
        -------
        data frame
            One row for each learner and split.
        """
        return frame_like(score_columns(self), kind, self.frame_kind)

    def to_csv(self, path: Any, *, force: bool = False) -> Path:
        """Write the rows of `to_frame` to a CSV file, which `Scores.read` reads back.

        Parameters
        ----------
        path : path
            File to write.
        force : bool, default=False
            Whether to replace an existing file.

        Returns
        -------
        pathlib.Path
            The file.

        Examples
        --------
        >>> import outperform as op
        >>> from tempfile import TemporaryDirectory
        >>> scores = op.Scores.from_arrays({"tree": [0.81, 0.79], "knn": [0.78, 0.75]})
        >>> with TemporaryDirectory() as folder:
        ...     print(scores.to_csv(folder + "/scores.csv").read_text().splitlines()[0])
        learner,partition,repeat,fold,score,n_train,n_test,metric,seed,design,greater_is_better
        """
        target = Path(path)
        if target.exists() and not force:
            raise DataError(
                f"{str(target)!r} already exists. Choose another name, or overwrite it: "
                f"scores.to_csv({str(target)!r}, force=True)"
            )
        from ..readers.own_files import TEXTS, harmless

        columns = score_columns(self)
        for name in (*TEXTS, "dataset"):
            if name in columns:
                columns[name] = [harmless(str(text)) for text in columns[name]]
        frame_like(columns, "polars").write_csv(target)
        return target

    def dataset_means(self, learners: Sequence[int] | slice = slice(None)) -> Array:
        """Return the mean score on each dataset.

        Parameters
        ----------
        learners : sequence of int or slice, default=all
            Rows of `values`.

        Returns
        -------
        ndarray of shape (learners, datasets)
            The means.

        Examples
        --------
        >>> import outperform as op
        >>> op.Scores.read("examples/benchmark.csv").dataset_means([0, 1]).shape
        (2, 30)
        """
        if self.datasets is None or len(set(self.datasets)) < 2:
            raise DataError(
                "these scores come from one dataset; tests over datasets need a dataset column "
                "with at least 2"
            )
        if len(set(self.datasets)) == self.n_splits:
            return np.array(self.values[learners], dtype=np.float64)
        labels, whole = np.array(self.datasets), np.zeros(self.n_splits, dtype=np.bool_)
        whole[whole_data(self)] = True  # halves of the data judge the variance alone
        for name, own in self.cells.items():
            at = np.flatnonzero(labels == name)
            whole[at] = False
            whole[at[whole_data(own)]] = True
        places = [np.flatnonzero((labels == name) & whole) for name in dict.fromkeys(self.datasets)]
        means = [[exact_sums.mean(row[at]) for at in places] for row in self.values[learners]]
        return np.array(means, dtype=np.float64)

    def wrong(self, names: Sequence[str] | None = None) -> npt.NDArray[Any]:
        """Return 1 where a learner was wrong and 0 elsewhere.

        Parameters
        ----------
        names : sequence of str, optional
            Learners; by default all.

        Returns
        -------
        ndarray of shape (items, learners)
            Each item is tested once.

        Examples
        --------
        >>> import outperform as op
        >>> scores = op.Scores.from_correct(["tree", "knn"], [[1, 1, 0, 1], [1, 0, 0, 0]])
        >>> scores.wrong().sum(axis=0)
        array([1, 3], dtype=uint64)
        """
        items = self._items()
        check_right_wrong(items)
        self._tested_once(items)
        everyone = names is None or tuple(names) == self.names
        chosen = slice(None) if everyone else [self.index(name) for name in names or ()]
        table: npt.NDArray[Any] = items.values[chosen].T
        return table

    def digest(self) -> str:
        """Return a SHA-256 hash of the scores, independent of the order of the learners.

        Returns
        -------
        str
            64 hexadecimal digits.
        """
        order = sorted(range(len(self.names)), key=self.names.__getitem__)
        parts: list[Any] = [self.values[order], self.addresses, self.n_train, self.n_test]
        if self.items is not None:
            kept = self.items
            wide = kept.values[order].astype(np.float64, copy=False)
            parts += [kept.loss, wide, kept.split, kept.item]
        for other in sorted(self.more, key=lambda one: one.metric):
            parts += [other.metric, other.greater_is_better, other.values[order]]
            if other.items is not None:
                parts += [
                    other.items.loss,
                    other.items.values[order].astype(np.float64, copy=False),
                ]
        about = sorted(self.names), self.metric, self.greater_is_better, str(self.design)
        mixer = sha256(repr((*about, self.datasets)).encode())
        mixer.update(b"" if self.full_grid is None else repr(self.full_grid).encode())
        mixer.update(b"" if self.families is None else repr(self.families).encode())
        for part in parts:
            is_array = isinstance(part, np.ndarray)
            mixer.update(repr((part.dtype.str, part.shape) if is_array else part).encode())
            mixer.update(part.tobytes() if is_array else b"")
        return mixer.hexdigest()

    def __repr__(self) -> str:
        what = f"{counted(len(self.names), 'learner')} × {counted(self.n_splits, 'split')}"
        plan = "" if self.design is None else f", {self.design}"
        return f"<Scores {what}, {self.metric}{plan}>"

    def grid(self) -> tuple[int, int, int]:
        """Return the numbers of partitions, repeats and folds.

        Splits of a design of which some were left out are in one row.

        Returns
        -------
        tuple of three int
            The shape of the grid of addresses.

        Raises
        ------
        DataError
            If splits are missing, or there are several datasets.
        """
        if self.datasets is not None and len(set(self.datasets)) > 1:
            raise DataError(
                f"These scores come from {len(set(self.datasets))} datasets; this method compares "
                "on one. Use wilcoxon or sign_test over datasets, or select one dataset"
            )
        if self.n_missing > 0:
            return 1, 1, self.n_splits
        shape = tuple(int(n) for n in self.addresses.max(axis=0) + 1)
        if np.prod(shape) != self.n_splits:
            raise DataError(
                f"incomplete: only {self.n_splits} of {int(np.prod(shape))} splits have scores; a "
                "verdict needs all of them. Run the missing splits"
            )
        return shape[0], shape[1], shape[2]

    def _items(self) -> AnyItems:
        if self.items is None:
            splits = (
                "run a design with more splits, such as '10x10cv'. A report does not contain them: "
                "pass the files that it was made from"
            )
            if self.n_splits > 1:
                splits = "use a method on split scores such as corrected_t"
            raise DataError(
                "These scores contain no losses of single items, which this method needs. Provide "
                f"predictions or losses per item, or {splits}"
            )
        return self.items

    def _tested_once(self, items: AnyItems) -> None:
        if not rises(items.item) and np.unique(items.item).size != items.item.size:
            raise DataError(
                "Some items were tested more than once; this method needs each item once, as in a "
                "hold-out or leave-one-out. Use corrected_t on the split scores"
            )


def filled_up(arrays: Sequence[Array]) -> list[Array]:
    """Return scores of seeds that are not paired as rows of one length, with NaN for no score."""
    longest = max(array.size for array in arrays)
    return [
        np.concatenate([array.ravel(), np.full(longest - array.size, np.nan)]) for array in arrays
    ]


def _planned(shape: tuple[int, ...], plan: Design | None) -> Addresses:
    """Return the addresses of scores given as an array of 1 to 3 axes."""
    if len(shape) > 3:
        raise DataError(
            f"scores have shape {shape}; at most 3 axes are read: (partitions, repeats, folds)"
        )
    size, grid = math.prod(shape), (*(1,) * (3 - len(shape)), *shape)
    if plan is None or plan.shape is None:
        return _addresses((grid[0], grid[1], grid[2]))
    addresses = plan.addresses()
    same = [n for n in shape if n > 1] == [n for n in plan.shape if n > 1]
    if len(addresses) != size or not (same or len(shape) == 1):
        raise DataError(
            f"design {plan} makes {len(addresses)} scores for each learner on a grid of "
            f"{plan.shape}, but {size} of shape {shape} were given. Pass the design that made them"
        )
    return addresses


def has_holes(plan: Design) -> bool:
    """Tell whether the partitions of a design have unlike repeats or folds."""
    return plan.shape is not None and math.prod(plan.shape) != plan.n_splits()


def _laid_out(found: Addresses, plan: Design) -> Addresses:
    """Return the addresses that a design gives splits that have these."""
    grid = tuple(int(n) for n in found.max(axis=0) + 1)
    if has_holes(plan) and grid == plan.shape and len(found) == plan.n_splits():
        return found
    longer = [n for n in grid if n > 1]
    one_row = len(longer) < 2
    if math.prod(grid) != len(found) or not (one_row or plan.shape):
        raise DataError(
            f"{len(found)} scores on a grid of {grid} were given, which design {plan} does not "
            "make. Pass the design that made them, or leave design out"
        )
    return _planned((len(found),) if one_row else grid, plan)


def fewer(plan: Design, addresses: Addresses) -> tuple[Design, Addresses]:
    """Return the design of the splits that are left: random splits are as many fewer."""
    if not isinstance(plan, Resampled):
        return plan, addresses
    flat = np.zeros_like(addresses)
    flat[:, 1] = np.arange(len(addresses))
    return replace(plan, repeats=len(addresses)), flat


def _addresses(grid: tuple[int, int, int]) -> Addresses:
    return np.stack(np.unravel_index(np.arange(math.prod(grid)), grid), axis=1).astype(np.int64)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(name[:60] if name.isprintable() else repr(name)[:60] for name in names)
