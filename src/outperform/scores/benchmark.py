"""Benchmark: learners × datasets, each cell one number or the scores of its splits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import validation
from ..errors import DataError, argument, counted, did_you_mean
from ..notes import Note
from ..numerics import exact_sums
from ..numerics.exact_sums import Array
from ..numerics.mean_ranks import row_ranks
from .frame_kinds import frame_like
from .split_scores import Scores

MISSING = ("pairwise", "complete")
TIED = 1e-12
"""Scores closer than this part of the largest are tied: means of splits carry rounding errors."""
PAIRWISE = "OP009"
"""The note of a table whose pairs are judged on the datasets that both have."""
NAMED = 6
"""Cells that are named where some are missing."""


@dataclass(frozen=True, eq=False, slots=True)
class Benchmark:
    """Scores of learners on several datasets.

    `benchmark["learner", "dataset"]` is the score of one learner on one dataset.

    Attributes
    ----------
    scores : Scores
        A column for each dataset and split, in the order of the datasets; NaN if a learner was not
        measured.

    Examples
    --------
    >>> import outperform as op
    >>> table = op.Benchmark.read("examples/benchmark.csv")
    >>> table
    <Benchmark 5 learners × 30 datasets, score>
    >>> table["RF", "ds00"], table.wins("RF", "NB")
    (0.6788, (30, 0, 0))
    >>> {name: round(rank, 1) for name, rank in table.mean_ranks().items()}
    {'RF': 2.0, 'XGB': 1.6, 'SVM': 2.8, 'kNN': 3.9, 'NB': 4.7}
    >>> round(table.mean()["RF"], 3), table.ranks().shape, len(table.tally())
    (0.814, (30, 5), 3)
    >>> table.without("ds00").to_frame("pandas").shape, table.on("ds00").names
    ((29, 6), ('RF', 'XGB', 'SVM', 'kNN', 'NB'))
    """

    scores: Scores

    @classmethod
    def of(cls, cells: Any) -> Benchmark:
        """Build a benchmark from scores over datasets, or from the cells of each dataset.

        Parameters
        ----------
        cells : Scores or mapping
            `Scores` with datasets; or datasets mapped to their `Scores` or to a mapping of learners
            to numbers.

        Returns
        -------
        Benchmark
            The benchmark; a learner may be missing on some datasets.

        Examples
        --------
        >>> import outperform as op
        >>> op.Benchmark.of({"iris": {"tree": 0.9, "knn": 0.8}, "wine": {"tree": 0.7, "knn": 0.9}})
        <Benchmark 2 learners × 2 datasets, score>
        """
        if isinstance(cells, Benchmark):
            return cells
        if isinstance(cells, Scores):
            _several(cells)
            return cls(_whole_cells(cells))
        if not isinstance(cells, Mapping) or len(cells) < 2:
            raise DataError(
                f"The 'cells' parameter must map two or more datasets to their scores, got "
                f"{type(cells).__name__}. For a table use Benchmark.from_frame(frame)"
            )
        found = {str(name): _cell(of, str(name)) for name, of in cells.items()}
        kept = {name: one for name, one in found.items() if one.n_splits > 1 or one.items}
        return cls(replace(_whole_cells(_joined(found)), cells=kept))

    @classmethod
    def from_frame(cls, frame: Any, **options: Any) -> Benchmark:
        """Build a benchmark from a wide or long data frame; cells may be missing.

        Parameters
        ----------
        frame : data frame
            A table with a column of datasets.
        **options : object
            Options of `Scores.from_frame`.

        Returns
        -------
        Benchmark
            The benchmark.

        Examples
        --------
        >>> import outperform as op
        >>> import pandas as pd
        >>> columns = {"dataset": ["iris", "wine"], "tree": [0.9, 0.7], "knn": [0.8, 0.9]}
        >>> frame = pd.DataFrame(columns)
        >>> op.Benchmark.from_frame(frame)
        <Benchmark 2 learners × 2 datasets, score>
        """
        return cls.of(Scores.from_frame(frame, **{"missing": "keep", **options}))

    @classmethod
    def read(cls, path: Any, **options: Any) -> Benchmark:
        """Read a file of results, or the folder of stores that `outperform.benchmark` wrote.

        Parameters
        ----------
        path : path
            File or folder.
        **options : object
            Options of `Scores.read`; a folder takes none.

        Returns
        -------
        Benchmark
            The benchmark.
        """
        if validation.is_benchmark(path):
            if options:
                raise DataError(
                    f"{next(iter(options))} was passed, but the stores of a benchmark already "
                    "record how their scores were made. Remove the option: "
                    f"Benchmark.read({str(path)!r})"
                )
            from ..storage.benchmark_folder import stored_cells

            return cls.of(stored_cells(path))
        return cls.of(Scores.read(path, **{"missing": "keep", **options}))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the learners."""
        return self.scores.names

    @property
    def datasets(self) -> tuple[str, ...]:
        """The names of the datasets, in the order of the source."""
        return tuple(dict.fromkeys(self.scores.datasets or ()))

    @property
    def metric(self) -> str:
        """The name of the metric."""
        return self.scores.metric

    @property
    def greater_is_better(self) -> bool:
        """Whether larger scores are better."""
        return self.scores.greater_is_better

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes on what was inferred or left out."""
        return self.scores.notes

    @property
    def families(self) -> tuple[str, ...] | None:
        """The family of each dataset, if known."""
        if self.scores.families is None:
            return None
        known = dict(zip(self.scores.datasets or (), self.scores.families, strict=True))
        return tuple(known[name] for name in self.datasets)

    @property
    def values(self) -> Array:
        """The score of each learner on each dataset, its mean over splits; NaN if missing."""
        return self.scores.dataset_means()

    @property
    def has_splits(self) -> bool:
        """Whether every dataset has more than one split, so that each can be judged alone."""
        labels = self.scores.datasets or ()
        return min(map(labels.count, self.datasets)) > 1

    @property
    def missing(self) -> tuple[tuple[str, str], ...]:
        """The (learner, dataset) cells that were not measured."""
        gaps = np.argwhere(np.isnan(self.values))
        return tuple((self.names[i], self.datasets[j]) for i, j in gaps.tolist())

    def __getitem__(self, cell: tuple[str, str]) -> float:
        """Return the score of a learner on a dataset; NaN where it is missing."""
        learner, dataset = cell
        return float(self.values[self.scores.index(learner), self._place(dataset)])

    def on(self, dataset: str) -> Scores:
        """Return the scores of one dataset, split by split.

        Parameters
        ----------
        dataset : str
            Name of the dataset.

        Returns
        -------
        Scores
            The scores of the learners measured there.
        """
        self._place(dataset)
        return on_dataset(self.scores, dataset)

    def without(self, dataset: str) -> Benchmark:
        """Return the benchmark without one dataset.

        Parameters
        ----------
        dataset : str
            Name of the dataset.

        Returns
        -------
        Benchmark
            The other datasets.
        """
        self._place(dataset)
        return Benchmark(columns_of(self.scores, np.array(self.scores.datasets) != dataset))

    def mean(self) -> dict[str, float]:
        """Return the mean score of each learner over the datasets it was measured on.

        Returns
        -------
        dict
            Names and means.
        """
        means = [float(exact_sums.mean(row[~np.isnan(row)])) for row in self.values]
        return dict(zip(self.names, means, strict=True))

    def mean_ranks(self) -> dict[str, float]:
        """Return the mean rank of each learner over complete datasets; 1 is best.

        Returns
        -------
        dict
            Names and mean ranks; tied learners share a rank.
        """
        means = self.ranks().mean(axis=0)
        return dict(zip(self.names, means.tolist(), strict=True))

    def ranks(self) -> Array:
        """Return the rank of each learner on each complete dataset.

        Returns
        -------
        ndarray of shape (datasets, learners)
            Ranks; 1 is best.
        """
        values = self.values
        whole = values[:, ~np.isnan(values).any(axis=0)].T
        if not len(whole):
            return np.empty((0, len(self.names)))
        return row_ranks(whole if self.greater_is_better else -whole)[0]

    def wins(self, first: str, second: str) -> tuple[int, int, int]:
        """Count the datasets that the first learner won, tied and lost.

        Parameters
        ----------
        first : str
            Name of the first learner.
        second : str
            Name of the second learner.

        Returns
        -------
        tuple of three int
            Numbers of wins, ties and losses.
        """
        return tuple(  # type: ignore[return-value]  # three of them
            int(table[self.scores.index(first), self.scores.index(second)])
            for table in self.tally()
        )

    def tally(self) -> tuple[npt.NDArray[np.int64], ...]:
        """Count how often each learner won, tied and lost against each other.

        Returns
        -------
        tuple of three ndarray
            Wins, ties and losses, shape (learners, learners).
        """
        values = self.values if self.greater_is_better else -self.values
        shift = values[:, None, :] - values[None, :, :]
        near = np.abs(shift) <= TIED * np.max(np.abs(values), initial=0.0, where=~np.isnan(values))
        known = ~np.isnan(shift)
        won = known & ~near & (np.nan_to_num(shift) > 0)
        tied = known & near
        lost = known & ~near & ~won
        return tuple(table.sum(axis=-1) for table in (won, tied, lost))

    def to_scores(self, missing: str | None = None) -> Scores:
        """Return the scores that procedures read.

        Parameters
        ----------
        missing : {"complete", "pairwise"}, optional
            What to do with missing scores: leave out datasets on which a learner is missing, or
            judge each pair on the datasets both have. By default what was named when the table was
            read; otherwise they are rejected.

        Returns
        -------
        Scores
            The scores.

        Examples
        --------
        >>> import outperform as op
        >>> op.Benchmark.read("examples/benchmark.csv").to_scores().n_splits
        30
        """
        gaps = self.missing
        if missing is not None:
            validation.choice(missing, "missing", MISSING)
        is_pairwise = any(note.code == PAIRWISE for note in self.notes)
        if not gaps or (is_pairwise and missing in (None, "pairwise")):
            return self.scores
        if missing is None:
            raise _incomplete(self, gaps)
        lacking = [name for name in self.datasets if name in {dataset for _, dataset in gaps}]
        n = len(self.datasets)
        if missing == "complete":
            whole = np.array([name not in lacking for name in self.scores.datasets or ()])
            if n - len(lacking) < 2:
                raise DataError(
                    f"{len(lacking)} of {n} datasets {'lacks' if len(lacking) == 1 else 'lack'} a "
                    f"score for some learner, which leaves {n - len(lacking)}; at least 2 are "
                    "required. Compare "
                    "fewer learners, or compare each pair on the datasets that both have: "
                    f"{argument(missing='pairwise')}"
                )
            said = (
                f"{len(lacking)} of {n} datasets {'was' if len(lacking) == 1 else 'were'} left "
                f"out because some learner has no score there: {some_of(lacking)}."
            )
            kept = tuple(note for note in self.notes if note.code != PAIRWISE)
            return _noted(replace(columns_of(self.scores, whole), notes=kept), "OP010", said)
        said = (
            f"{len(gaps)} of {n * len(self.names)} scores {'is' if len(gaps) == 1 else 'are'} "
            "missing; each pair is judged on the datasets that both have, so verdicts on different "
            "pairs are on different datasets."
        )
        return _noted(self.scores, PAIRWISE, said)

    def by_family(self) -> Scores:
        """Return one score for each family of datasets, the mean over its datasets.

        Returns
        -------
        Scores
            The scores, with families as datasets, each a family of its own.

        Raises
        ------
        DataError
            If families are unknown.

        Examples
        --------
        >>> import outperform as op
        >>> import pandas as pd
        >>> columns = {"dataset": list("abc"), "family": list("xxy"), "tree": [0.9, 0.7, 0.8]}
        >>> frame = pd.DataFrame({**columns, "knn": [0.8, 0.8, 0.7]})
        >>> op.Benchmark.from_frame(frame, family="family").by_family().values
        array([[0.8, 0.8],
               [0.8, 0.7]])
        """
        families = self.families
        if families is None:
            raise DataError(
                "These datasets have no families. Name the column that contains them: "
                f"{argument(family=...)}"
            )
        order = tuple(dict.fromkeys(families))
        places = [np.flatnonzero(np.array(families) == name) for name in order]
        means = [[exact_sums.mean(row[at]) for at in places] for row in self.values]
        n = len(order)
        said = (
            f"{len(self.datasets)} datasets belong to {n} families: each family counts as one, by "
            "the mean over its datasets."
        )
        if n < 2:
            raise DataError(
                f"All {len(self.datasets)} datasets belong to one family, {order[0]!r}; at least 2 "
                "are needed. Leave the column out of the table to count each dataset"
            )
        addresses = np.zeros((n, 3), dtype=np.int64)
        joined = replace(
            self.scores,
            values=np.array(means, dtype=np.float64),
            addresses=addresses,
            n_train=None,
            n_test=None,
            design=None,
            datasets=order,
            families=order,
            items=None,
            more=(),
            cells={},
        )
        return _noted(joined, "OP011", said)

    def to_frame(self, kind: str | None = None) -> Any:
        """Return a data frame, a row for each dataset and a column for each learner.

        Parameters
        ----------
        kind : str, optional
            Kind of data frame: "pandas", "polars" or "pyarrow". By default the kind the scores came
            in, otherwise polars.

        Returns
        -------
        data frame
            The table.
        """
        columns: dict[str, Any] = {"dataset": list(self.datasets)}
        if self.families is not None:
            columns["family"] = list(self.families)
        gaps = np.isnan(self.values)
        rows = zip(self.names, self.values.tolist(), gaps.tolist(), strict=True)
        for name, row, lacks in rows:
            columns[name] = [None if gap else value for value, gap in zip(row, lacks, strict=True)]
        return frame_like(columns, kind, self.scores.frame_kind)

    def __repr__(self) -> str:
        gaps = len(self.missing)
        lacks = f", {gaps} missing" if gaps else ""
        what = f"{counted(len(self.names), 'learner')} × {counted(len(self.datasets), 'dataset')}"
        return f"<Benchmark {what}, {self.metric}{lacks}>"

    def _place(self, dataset: str) -> int:
        if dataset not in self.datasets:
            raise DataError(
                f"{dataset!r} is not among the datasets; {did_you_mean(dataset, self.datasets)}"
            )
        return self.datasets.index(dataset)


def columns_of(scores: Scores, where: npt.NDArray[np.bool_]) -> Scores:
    """Return some splits of scores over datasets."""

    def some(labels: Sequence[str] | None) -> tuple[str, ...] | None:
        return None if labels is None else tuple(np.array(labels, dtype=object)[where].tolist())

    left = some(scores.datasets) or ()
    return replace(
        scores,
        values=scores.values[:, where],
        addresses=scores.addresses[where],
        n_train=None if scores.n_train is None else scores.n_train[where],
        n_test=None if scores.n_test is None else scores.n_test[where],
        datasets=some(scores.datasets),
        families=some(scores.families),
        more=(),
        cells={name: one for name, one in scores.cells.items() if name in left},
    )


def on_dataset(scores: Scores, dataset: str) -> Scores:
    """Return the splits of one dataset, for the learners that were measured there."""
    own = scores.cells.get(dataset)
    if own is not None:
        return own if own.names == scores.names else own.of(_both(scores.names, own.names))
    found = columns_of(scores, np.array(scores.datasets) == dataset)
    there = np.flatnonzero(~np.isnan(found.values).any(axis=1))
    names = tuple(scores.names[at] for at in there)
    return replace(
        found, names=names, values=found.values[there], datasets=None, families=None, notes=()
    )


def _both(names: Sequence[str], there: Sequence[str]) -> list[str]:
    return [name for name in names if name in there]


def _whole_cells(scores: Scores) -> Scores:
    """Return scores in which a learner that lacks a split of a dataset lacks the whole cell."""
    gaps = np.isnan(scores.values)
    if not gaps.any():
        return scores
    labels, values = np.array(scores.datasets), scores.values.copy()
    for name in dict.fromkeys(scores.datasets or ()):
        at = np.flatnonzero(labels == name)
        values[np.ix_(gaps[:, at].any(axis=1), at)] = np.nan
    return replace(scores, values=values)


def _several(scores: Scores) -> None:
    if len(set(scores.datasets or ())) < 2:
        raise DataError(
            "A benchmark has at least 2 datasets, and these scores come from one. Name the column "
            f"that tells them apart: {argument(dataset=...)}"
        )


def _cell(of: Any, name: str) -> Scores:
    """Return the cells of one dataset as scores."""
    if isinstance(of, Scores):
        return of
    if not isinstance(of, Mapping) or not of:
        raise DataError(
            f"The scores on dataset {name!r} must be Scores or a mapping of learners to numbers, "
            f"got {type(of).__name__}"
        )
    return Scores.from_arrays({who: np.atleast_1d(value) for who, value in of.items()})


def _joined(cells: Mapping[str, Scores]) -> Scores:
    """Return the scores of single datasets side by side; a learner may lack some of them."""
    parts = list(cells.values())
    names = tuple(dict.fromkeys(name for part in parts for name in part.names))
    first = parts[0]
    for dataset, part in cells.items():
        if (part.metric, part.greater_is_better) != (first.metric, first.greater_is_better):
            raise DataError(
                f"Dataset {dataset!r} is scored by {part.metric!r}, others by {first.metric!r}; "
                "all datasets must have the same metric"
            )
    values = np.full((len(names), sum(part.n_splits for part in parts)), np.nan)
    at = 0
    for part in parts:
        rows = [names.index(name) for name in part.names]
        values[rows, at : at + part.n_splits] = part.values
        at += part.n_splits
    designs = {str(part.design) for part in parts}
    seeds = {part.seed for part in parts}
    return Scores(
        names,
        values,
        np.concatenate([part.addresses for part in parts]),
        _sizes([part.n_train for part in parts]),
        _sizes([part.n_test for part in parts]),
        metric=first.metric,
        greater_is_better=first.greater_is_better,
        design=first.design if len(designs) == 1 else None,
        datasets=tuple(name for name, part in cells.items() for _ in range(part.n_splits)),
        seed=seeds.pop() if len(seeds) == 1 else None,
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
    )


def _sizes(parts: Sequence[Array | None]) -> Array | None:
    """Return the sizes of all splits, if all are known."""
    known = [part for part in parts if part is not None]
    return np.concatenate(known) if len(known) == len(parts) else None


def _noted(scores: Scores, code: str, said: str) -> Scores:
    return replace(scores, notes=(*scores.notes, Note(code, said)))


def _incomplete(shown: Benchmark, gaps: Sequence[tuple[str, str]]) -> DataError:
    """Return the refusal of missing cells, which it names."""
    where = [f"{learner} on {dataset}" for learner, dataset in gaps]
    total = len(shown.names) * len(shown.datasets)
    return DataError(
        f"incomplete: {len(gaps)} of {total} scores {'is' if len(gaps) == 1 else 'are'} missing: "
        f"{some_of(where)}. Run "
        f"them; or leave these datasets out for all ({argument(missing='complete')}), or judge "
        f"each pair on the datasets that both have ({argument(missing='pairwise')})"
    )


def some_of(words: Sequence[str]) -> str:
    """Return the first of many words, and how many more there are."""
    more = f" and {len(words) - NAMED} more" if len(words) > NAMED else ""
    return ", ".join(words[:NAMED]) + more
