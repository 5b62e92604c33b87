"""Contests of two learners on a source (D-48, D-51)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from .. import validation
from ..designs import Design
from ..designs.splitting import whole
from ..engine.meaning import same_text
from ..errors import MethodError
from ..scores.split_scores import Scores, SplitLosses
from ..views import Differences, Halves, ItemDifferences, ItemLosses, stacked
from .scenarios import SAMPLE, Dataset, Reading, ScenarioView, Source, stream

if TYPE_CHECKING:
    from .direct_fits import AfterFit

Learner = Any
"""A scikit-learn estimator, or a function of (effect, n_train) that returns one."""


@dataclass(frozen=True, eq=False, slots=True)
class Contest:
    """Datasets of a source on which two learners are run and compared.

    Attributes
    ----------
    source : Source or callable
        Where items come from, or a function of the effect that returns a source.
    first : learner or callable
        The first learner, or a function of the effect and the training size that returns one.
    second : learner or callable
        The second learner, or such a function.
    n : int
        Number of items of a dataset.
    scoring : str, callable or None
        Metric as for `run`.
    block : int
        Number of experiments that are drawn with one seed.

    Examples
    --------
    >>> import numpy as np
    >>> import outperform as op
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> contest = op.lab.Contest(op.lab.SixClasses(), GaussianNB(), DummyClassifier(), 30)
    >>> read, seed = op.lab.reading("corrected_t", "3cv"), np.random.SeedSequence(0)
    >>> contest.draw([read], 2, seed)[read].values.shape
    (2, 1, 1, 3)
    >>> data = contest.dataset(np.random.default_rng(0))
    >>> contest.scores(data, op.parse("3cv"), 0).names
    ('first', 'second')
    """

    source: Source | Callable[[float], Source]
    first: Learner
    second: Learner
    n: int = 300
    scoring: Any = None
    block: ClassVar[int] = 4

    def __post_init__(self) -> None:
        whole(self.n, "n", 2)

    @property
    def null_at_zero(self) -> bool:
        """Whether an effect of 0 is a true null, by exchangeable features."""
        alike = same_text(self.first) == same_text(self.second)
        return alike and getattr(self.source, "delta", None) == 0

    @property
    def name(self) -> str:
        """A few words for tables and figures."""
        source = self.source
        return source.name if isinstance(source, Source) else "contest"

    def draw(
        self,
        readings: Sequence[Reading],
        n_reps: int,
        seed: np.random.SeedSequence,
        effect: float = 0.0,
    ) -> dict[Reading, ScenarioView]:
        """Draw datasets and run both learners on each, design by design.

        Parameters
        ----------
        readings : sequence of Reading
            What methods read, as `reading` returns it.
        n_reps : int
            Number of experiments.
        seed : numpy.random.SeedSequence
            Seed of the block.
        effect : float, default=0.0
            Passed to the source and learners that are functions of it; 0 is the null.

        Returns
        -------
        dict
            The view of each reading.
        """
        return self.drawn(readings, n_reps, seed, effect, show=view_of)

    def drawn(
        self,
        readings: Sequence[Reading],
        n_reps: int,
        seed: np.random.SeedSequence,
        effect: float,
        *,
        show: Callable[[Reading, Scores], ScenarioView],
    ) -> dict[Reading, ScenarioView]:
        """Draw datasets, and show a part of the scores of both learners.

        Parameters
        ----------
        readings : sequence of Reading
            What methods read, as `reading` returns it.
        n_reps : int
            Number of experiments.
        seed : numpy.random.SeedSequence
            Seed of the block.
        effect : float
            Passed to the source and learners that are functions of it; 0 is the null.
        show : callable
            Returns what a reading shows of scores.

        Returns
        -------
        dict
            What each reading shows.

        Examples
        --------
        >>> import numpy as np
        >>> import outperform as op
        >>> from sklearn.dummy import DummyClassifier
        >>> contest = op.lab.Contest(op.lab.SixClasses(), DummyClassifier(), DummyClassifier(), 30)
        >>> side, read = op.lab.OneSide(contest, "first"), op.lab.reading("corrected_t", "3cv")
        >>> side.draw([read], 2, np.random.SeedSequence(0))[read].values.shape
        (2, 1, 1, 3)
        """
        found: dict[Reading, list[ScenarioView]] = {asked: [] for asked in readings}
        for wanted, scores in self.runs(readings, n_reps, seed, effect):
            for asked in wanted:
                found[asked].append(show(asked, scores))
        return {asked: stacked(each) for asked, each in found.items()}

    def runs(
        self,
        readings: Sequence[Reading],
        n_reps: int,
        seed: np.random.SeedSequence,
        effect: float = 0.0,
        *,
        splits: np.random.SeedSequence | None = None,
        **options: Any,
    ) -> Iterator[tuple[list[Reading], Scores]]:
        """Draw datasets, and yield the scores of both learners, design by design.

        Parameters
        ----------
        readings : sequence of Reading
            What methods read, as `reading` returns it.
        n_reps : int
            Number of experiments.
        seed : numpy.random.SeedSequence
            Seed of the block.
        effect : float, default=0.0
            Passed to the source and learners that are functions of it; 0 is the null.
        splits : numpy.random.SeedSequence, optional
            Seed of the splits, by default that of the block: with another, the same datasets are
            split in another way.
        **options : object
            Passed to `scores`.

        Yields
        ------
        tuple
            The readings of a design, and scores under it.
        """
        wanted: dict[Design, list[Reading]] = {}
        for asked in readings:
            wanted.setdefault(asked.design, []).append(asked)
        for experiment in range(n_reps):
            data = self.dataset(stream(seed, SAMPLE, experiment), effect)
            for design, these in wanted.items():
                at = stream(splits or seed, these[0].key, experiment)
                own = int(at.integers(1 << 31))
                yield these, self.scores(data, design, own, effect, **options)

    def dataset(self, rng: np.random.Generator, effect: float = 0.0) -> Dataset:
        """Draw one dataset.

        Parameters
        ----------
        rng : numpy.random.Generator
            Source of random numbers.
        effect : float, default=0.0
            Passed to the source and learners that are functions of it; 0 is the null.

        Returns
        -------
        Dataset
            The items.
        """
        source = self.source if isinstance(self.source, Source) else self.source(effect)
        return source.draw(self.n, rng)

    def scores(
        self,
        data: Dataset,
        design: Design,
        random_state: int,
        effect: float = 0.0,
        *,
        names: tuple[str, str] = ("first", "second"),
        after_fit: AfterFit | None = None,
    ) -> Scores:
        """Run both learners on a dataset over the same splits.

        Parameters
        ----------
        data : Dataset
            The items.
        design : Design
            The design.
        random_state : int
            Seed of the splits.
        effect : float, default=0.0
            Passed to the source and learners that are functions of it; 0 is the null.
        names : tuple of str, default=("first", "second")
            What the learners are called.
        after_fit : callable, optional
            Called with the seconds that each fit took; it may raise to stop.

        Returns
        -------
        Scores
            Scores of both learners.
        """
        from .direct_fits import scores_of

        n_train = int(design.sizes(data.n).n_train[0])
        made = [_made(learner, effect, n_train) for learner in (self.first, self.second)]
        learners = dict(zip(names, made, strict=True))
        of = partial(
            scores_of,
            scoring=self.scoring,
            random_state=random_state,
            after_fit=after_fit,
        )
        if data.X_second is None:
            return of(learners, data.X, data.y, design)
        sides = zip(learners.items(), (data.X, data.X_second), strict=True)
        return _together(*(of(dict([side]), X, data.y, design) for side, X in sides))


def _made(learner: Learner, effect: float, n_train: int) -> Any:
    return learner if hasattr(learner, "fit") else learner(effect, n_train)


def _together(first: Scores, second: Scores) -> Scores:
    """Put the scores of two runs over the same splits side by side."""
    items, kept = None, first.items
    if kept is not None and second.items is not None:
        losses = np.concatenate([kept.values, second.items.values])
        items = SplitLosses(kept.loss, losses, kept.split, kept.item)
    return replace(
        first,
        names=(*first.names, *second.names),
        values=np.concatenate([first.values, second.values]),
        items=items,
    )


def view_of(asked: Reading, scores: Scores) -> ScenarioView:
    view: ScenarioView = asked.view.of(scores, *scores.names)
    return view


@dataclass(frozen=True, eq=False, slots=True)
class OneSide:
    """The experiments of a contest, of which tests read one learner's scores alone.

    Attributes
    ----------
    contest : Contest
        The contest.
    side : {"first", "second"}
        Whose scores are read.

    Examples
    --------
    >>> import numpy as np
    >>> import outperform as op
    >>> from sklearn.dummy import DummyClassifier
    >>> contest = op.lab.Contest(op.lab.SixClasses(), DummyClassifier(), DummyClassifier(), 30)
    >>> side, read = op.lab.OneSide(contest, "first"), op.lab.reading("corrected_t", "3cv")
    >>> side.draw([read], 2, np.random.SeedSequence(0))[read].values.shape
    (2, 1, 1, 3)
    """

    contest: Contest
    side: Literal["first", "second"] = "first"

    def __post_init__(self) -> None:
        validation.choice(self.side, "side", ("first", "second"))

    @property
    def name(self) -> str:
        """A few words for tables and figures."""
        return f"{self.contest.name}, the {self.side} learner"

    @property
    def block(self) -> int:
        """Number of experiments that are drawn with one seed."""
        return self.contest.block

    def draw(
        self,
        readings: Sequence[Reading],
        n_reps: int,
        seed: np.random.SeedSequence,
        effect: float = 0.0,
    ) -> dict[Reading, ScenarioView]:
        """Draw datasets, run both learners and show the scores of one.

        Parameters
        ----------
        readings : sequence of Reading
            What methods read, as `reading` returns it.
        n_reps : int
            Number of experiments.
        seed : numpy.random.SeedSequence
            Seed of the block.
        effect : float, default=0.0
            Passed to the source and learners that are functions of it; 0 is the null.

        Returns
        -------
        dict
            The view of each reading.
        """
        for asked in readings:
            if asked.view not in (Differences, ItemDifferences, Halves):
                raise MethodError(
                    f"{asked} compares two learners. For a single learner, use a method that "
                    "takes its scores, as in ['corrected_t', 'conservative_z']"
                )
        return self.contest.drawn(readings, n_reps, seed, effect, show=self._view)

    def _view(self, asked: Reading, scores: Scores) -> ScenarioView:
        if asked.view is ItemDifferences:
            items = ItemLosses.of(scores, (self.side,))
            right = items.right if items.binary else items.values
            return ItemDifferences.subtract(right[:, 0].reshape(1, 1, -1), None)
        view: ScenarioView = asked.view.of(scores, self.side)
        return view
