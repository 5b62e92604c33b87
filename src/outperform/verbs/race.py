"""`race`: two models item by item in random order, with a verdict one may look at any time."""

from __future__ import annotations

import json
import math
import reprlib
import shlex
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from .. import validation
from ..errors import DataError, argument, either
from ..numerics.cluster_variance import cluster_sums
from ..results.result import versions
from ..scores.item_codes import coded
from ..scores.items import Items
from .race_journal import RaceJournal, binding_of
from .race_record import RacedScores, race_record
from .race_watch import BLOCK, RaceWatch, check_bounds, check_right_wrong

SCHEMA = "outperform/race/1"
METHODS = ("auto", "e-process", "betting", "asymptotic")


@dataclass(frozen=True, eq=False)
class Race:
    """How a race ended, as `race` returns it.

    Attributes
    ----------
    names : tuple[str, str]
        The two models.
    outcome : str
        "better" or "worse" (the first than the second), "equivalent", "futile", "undecided".
    n : int
        Items looked at.
    n_items : int
        Number of items there are.
    estimate : float
        Mean difference on the items looked at.
    low : float or None
        Lower end of the confidence sequence.
    high : float or None
        Upper end of the confidence sequence.
    pvalue : float or None
        Of the e-process: it holds whenever one stops. None for other methods.
    alpha : float
        Significance level.
    rope : float
        Region of practical equivalence: differences between -rope and rope do not matter.
    method : str
        "e-process", "betting" or "asymptotic".
    population : str
        "new" or "these".
    seed : int
        Of the order of the items.
    wins : int
        Items won by the first model.
    losses : int
        Items won by the second model.
    metric : str
        Name of the metric.
    bounds : tuple[float, float]
        The smallest and the largest possible score.
    path : tuple[tuple[int, float, float, float], ...]
        (items, estimate, low, high), thinned.
    measured : RacedScores or None
        The scores, which a record contains.

    Examples
    --------
    >>> import outperform as op
    >>> found = op.race([1] * 90 + [0] * 10, [0] * 60 + [1] * 40)
    >>> found
    <Race better after 38 of 100 items>
    >>> found.estimand()
    'Mean difference in score, A − B, on new items like these 100.'
    >>> found.to_dict()["grade"], len(found.to_json()) > 0
    ('exact', True)
    >>> figure = found.plot()
    """

    names: tuple[str, str]
    outcome: str
    n: int
    n_items: int
    estimate: float
    low: float | None
    high: float | None
    pvalue: float | None
    alpha: float
    rope: float | None
    method: str
    population: str
    seed: int
    wins: int
    losses: int
    metric: str = "score"
    bounds: tuple[float, float] = (0.0, 1.0)
    path: tuple[tuple[int, float, float, float], ...] = field(default=(), repr=False)
    measured: RacedScores | None = field(default=None, repr=False)

    @property
    def grade(self) -> str:
        """How far the error rate is known: "exact" at any number of items, or "assumed"."""
        return "assumed" if self.method == "asymptotic" else "exact"

    def estimand(self) -> str:
        """Return what the verdict is about.

        Returns
        -------
        str
            One sentence.
        """
        population = f"new items like these {self.n_items:,}"
        if self.population == "these":
            population = f"these {self.n_items:,} items alone"
        return f"Mean difference in {self.metric}, {' − '.join(self.names)}, on {population}."

    def to_dict(self) -> dict[str, Any]:
        """Return the race as data for JSON.

        Returns
        -------
        dict
            The attributes except `path` and `measured`, the grade, and versions.
        """
        left_out = ("path", "measured")
        made = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in left_out}
        made |= {"names": list(self.names), "grade": self.grade}
        return {"schema": SCHEMA, **made, "versions": versions()}

    def to_json(self) -> str:
        """Return `to_dict` as JSON.

        Returns
        -------
        str
            A JSON document.
        """
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def record(self, path: Any, *, force: bool = False) -> str:
        """Write a record that `outperform verify` recomputes.

        It contains the scores of all items that were raced, in the order in which they came, so
        that they are shuffled and raced again.

        Parameters
        ----------
        path : path
            File to write, named `*.outperform.json`.
        force : bool, default=False
            Whether to replace an existing file.

        Returns
        -------
        str
            The sha256 of the record.

        Examples
        --------
        >>> import outperform as op
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     sha256 = op.race([1] * 9, [0] * 9).record(folder + "/race.outperform.json")
        >>> len(sha256)
        64
        """
        from ..report import record_file

        return record_file.write(lambda: race_record(self), path, of="race", force=force)

    def plot(self, **options: Any) -> Any:
        """Plot the confidence sequence.

        Parameters
        ----------
        **options : object
            `theme` ("light" or "dark").

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        from ..report.figures import race_figure

        return race_figure.sequence(self, **options)

    def __repr__(self) -> str:
        return f"<Race {self.outcome} after {self.n} of {self.n_items} items>"

    def __str__(self) -> str:
        from ..report import race_text

        return race_text.text(self)


def race(
    first: Any,
    second: Any = None,
    items: Sequence[Any] | None = None,
    *,
    alpha: float = 0.05,
    rope: float | None = None,
    method: str = "auto",
    population: str = "new",
    clusters: Any = None,
    bounds: tuple[float, float] = (0.0, 1.0),
    lower_is_better: bool = False,
    names: tuple[str, str] | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    journal: Any = None,
) -> Race:
    """Compare two models item by item in random order, and stop once the answer is known.

    Parameters
    ----------
    first : array-like, callable or Items
        Scores of the first model on the items; a function that scores one item; or `Items` with
        both models.
    second : array-like or callable, optional
        Scores of the second model on the same items, or its function. Functions are called in
        random order, and not for more items than needed.
    items : sequence, optional
        What the functions are called with.
    alpha : float, default=0.05
        Probability of a wrong verdict, however often one looks.
    rope : float, optional
        Differences below it do not matter: a race can then end as "equivalent".
    method : {"auto", "e-process", "betting", "asymptotic"}, default='auto'
        "e-process" counts the items that only one model wins; "betting" takes scores within
        `bounds`; "asymptotic" any scores, from 30 items on. "auto" is the e-process for given
        scores of 0 and 1, "asymptotic" with clusters and "betting" otherwise and for functions.
    population : {"new", "these"}, default='new'
        Whether the verdict applies to new items like these, or to these items only.
    clusters : array-like, optional
        Cluster of each item; whole clusters are drawn.
    bounds : tuple of two float, default=(0.0, 1.0)
        The smallest and the largest possible score.
    lower_is_better : bool, default=False
        Whether smaller scores are better, as with errors and losses.
    names : tuple of two str, optional
        Names of the models.
    random_state : int, default=0
        Seed of the order of the items, kept in the result.
    n_jobs : int, optional
        How many items are scored at a time by functions. It does not change the result.
    journal : path, optional
        A file of the scores so far, from which a race that was stopped goes on with the same
        functions, names, items (which must be picklable) and options. One race at a time uses it.

    Returns
    -------
    Race
        Prints as a paragraph.

    Notes
    -----
    The race ends as "better" or "worse" when a difference of 0 is ruled out, as "equivalent" when
    the sequence lies within the rope, and as "futile" when 0 could not be ruled out even if all
    remaining items favoured the leader. With a rope no race is futile, since it may still end as
    equivalent; nor with `population="these"`, since the last item decides; nor where it is unknown
    how far an item could favour a model: with clusters, and with the asymptotic sequence of scores
    beyond `bounds` or of functions. Beyond 6,324 items, futility is checked after every
    n²/20,000,000 of n items unless the e-process is used. The e-process decides by a beta-binomial
    e-value of at least 1/α; the interval beside it is that of the betting method (Waudby-Smith and
    Ramdas, 2024).

    Examples
    --------
    >>> import outperform as op
    >>> found = op.race([1] * 90 + [0] * 10, [0] * 60 + [1] * 40, names=("new", "old"))
    >>> found.outcome, found.n
    ('better', 38)
    """
    alpha = validation.fraction(alpha, "alpha")
    rope = None if rope is None else validation.rope_width(rope)
    validation.choice(method, "method", METHODS)
    validation.choice(population, "population", ("new", "these"))
    seed = validation.whole(random_state, "random_state")
    ends = _checked_bounds(bounds)
    drawn: Generator[tuple[Any, ...]]
    if callable(first):
        _check_called(second, items, clusters)
        label = names or (_name(first, "A"), _name(second, "B"))
        sides = tuple(zip(validation.learner_names(label, 2), (first, second), strict=True))
        how = _chosen(method, False, population, False)
        options = {
            "alpha": alpha,
            "rope": rope,
            "method": how,
            "population": population,
            "bounds": ends,
            "lower_is_better": bool(lower_is_better),
            "random_state": seed,
        }
        assert items is not None
        book = RaceJournal(journal, {} if journal is None else binding_of(sides, items, options))
        raced = RacedScores(
            len(items), known=book.known, lower_is_better=lower_is_better, called=True
        )
        drawn = _answers(sides, items, seed, n_jobs, book)
    else:
        if items is not None or journal is not None or n_jobs is not None:
            raise DataError(
                "The 'items', 'journal' and 'n_jobs' parameters are for functions that score an "
                "item; given scores are only shuffled. Remove them."
            )
        raced, label = _read(first, second, names, clusters, lower_is_better)
        a, b = raced.sides
        right_wrong = bool((np.isin(a, (0.0, 1.0)) & np.isin(b, (0.0, 1.0))).all())
        how = _chosen(method, right_wrong, population, raced.clusters is not None)
        if how == "e-process":
            check_right_wrong(a, b)
        if how != "asymptotic":
            check_bounds(ends, a - b)
        drawn = shuffled(raced, seed)
    one, other = validation.learner_names(label, 2)
    with closing(drawn):
        return _run(raced, drawn, (one, other), alpha, rope, how, population, ends, seed)


def again(raced: RacedScores, names: tuple[str, str], asked: Mapping[str, Any]) -> Race:
    """Race recorded scores again, as was asked then."""
    seed = validation.whole(asked["seed"], "seed")
    return _run(
        raced,
        shuffled(raced, seed),
        names,
        validation.fraction(asked["alpha"], "alpha"),
        None if asked["rope"] is None else validation.rope_width(asked["rope"]),
        validation.choice(asked["method"], "method", METHODS[1:]),
        validation.choice(asked["population"], "population", ("new", "these")),
        _checked_bounds(asked["bounds"]),
        seed,
    )


def _run(
    raced: RacedScores,
    drawn: Iterator[tuple[Any, ...]],
    names: tuple[str, str],
    alpha: float,
    rope: float | None,
    how: str,
    population: str,
    bounds: tuple[float, float],
    seed: int,
) -> Race:
    """Look after each item that is drawn, until there is a decision."""
    turn = -1.0 if raced.lower_is_better else 1.0
    watch = RaceWatch(
        alpha,
        rope,
        how,
        bounds,
        raced.n,
        n_units=None if raced.clusters is None else len(raced.clusters.labels),
        fixed=population == "these",
        turn=turn,
        bounded=raced.within(bounds),
    )
    for part in drawn:
        if watch.take(*part):
            break
    return Race(
        names,
        watch.outcome,
        watch.n,
        raced.n,
        watch.mean,
        _finite(watch.low),
        _finite(watch.high),
        math.exp(-max(watch.best_log_e, 0.0)) if how == "e-process" else None,
        alpha,
        rope,
        how,
        population,
        seed,
        watch.wins,
        watch.losses,
        raced.metric,
        bounds,
        tuple(watch.path),
        raced,
    )


def _chosen(method: str, right_wrong: bool, population: str, clustered: bool) -> str:
    if clustered:
        if method not in ("auto", "asymptotic"):
            raise DataError(
                f"The 'method' parameter must be 'asymptotic' with clusters, got {method!r}. Use "
                f"{argument(method='asymptotic')}"
            )
        return "asymptotic"
    if method == "auto":
        return "e-process" if right_wrong and population == "new" else "betting"
    if method == "e-process" and population == "these":
        raise DataError(
            "The e-process applies to new items, not to these alone. Use "
            f"{argument(method='betting')}"
        )
    return method


def _read(
    first: Any, second: Any, names: Any, clusters: Any, lower_is_better: bool
) -> tuple[RacedScores, Any]:
    """Return the scores of both models on each item, whatever holds them, and their names."""
    if isinstance(first, Items):
        chosen = tuple(names or first.names)
        if len(first.names) < 2:
            raise DataError(
                f"A race is between two models, and there is only {first.names[0]!r}. Add the "
                "scores of another model"
            )
        if len(chosen) != 2:
            pair = first.names[:2]
            way = either(python=argument(names=tuple(pair)), typed=shlex.join(pair))
            raise DataError(
                f"A race is between two models, and there are {len(first.names)}. Name two: {way}"
            )
        both = first.of(chosen)
        if lower_is_better and both.greater_is_better:
            raise DataError(
                "The 'lower_is_better' parameter is for arrays and functions, and these Items say "
                f"that greater {both.metric} is better. Pass {argument(lower_is_better=True)} when "
                "the Items are made, not here"
            )
        if both.weights is not None:
            raise DataError(
                "These items have weights, which a race does not take into account. Pass items "
                "without them"
            )
        if clusters is not None:
            both = replace(both, clusters=coded(clusters, both.n, "clusters"))
        return RacedScores.of(both), chosen
    a, b = (validation.numbers(side, name) for side, name in ((first, "first"), (second, "second")))
    if a.shape != b.shape or a.ndim != 1:
        raise DataError(
            "The 'first' and 'second' parameters must contain one score for each item, the same "
            f"for both, got shapes {a.shape} and {b.shape}."
        )
    groups = None if clusters is None else coded(clusters, a.size, "clusters")
    raced = RacedScores(a.size, (a, b), clusters=groups, lower_is_better=lower_is_better)
    return raced, names or ("A", "B")


def shuffled(raced: RacedScores, seed: int) -> Generator[tuple[Any, ...]]:
    """Yield the scores in random order; with clusters, sums over clusters in random order."""
    rng = np.random.default_rng(seed)
    a, b = raced.sides
    if raced.clusters is None:
        order = rng.permutation(a.size)
        if np.isnan(a).any():  # functions scored what was drawn until they stopped
            order = order[: int(np.isnan(a[order]).argmax())]
        for at in range(0, a.size, 64 * BLOCK):
            part = order[at : at + 64 * BLOCK]
            yield a[part], b[part]
        return
    codes = raced.clusters.codes
    order = rng.permutation(int(codes.max()) + 1)
    sums = [cluster_sums(side, codes)[order] for side in (a, b)]
    yield sums[0], sums[1], np.bincount(codes)[order]


def _check_called(second: Any, items: Any, clusters: Any) -> None:
    if not callable(second) or items is None or not len(items):
        raise DataError(
            "Two functions that score an item need the items they are called with: "
            "race(score_a, score_b, items)"
        )
    if clusters is not None:
        raise DataError(
            "The 'clusters' parameter is for given scores. Score whole clusters as one "
            "item each instead."
        )


def _answers(
    sides: Any, items: Any, seed: int, n_jobs: int | None, book: RaceJournal
) -> Generator[tuple[Any, ...]]:
    """Yield the scores of functions in random order, as many as are asked for."""
    from joblib import Parallel, delayed, effective_n_jobs

    order = np.random.default_rng(seed).permutation(len(items)).tolist()
    jobs = 1 if n_jobs is None else effective_n_jobs(n_jobs)
    with book:
        for at in range(0, len(order), jobs):
            batch = order[at : at + jobs]
            lacking = [item for item in batch if item not in book.known]
            if jobs == 1:
                found = [_both(sides, item, items[item]) for item in lacking]
            else:
                asked = (delayed(_both)(sides, item, items[item]) for item in lacking)
                found = Parallel(n_jobs=jobs)(asked) if lacking else []
            book.add([(item, *scores) for item, scores in zip(lacking, found, strict=True)])
            pairs = [book.known[item] for item in batch]
            yield [a for a, _ in pairs], [b for _, b in pairs]


def _both(sides: Any, at: int, item: Any) -> tuple[float, float]:
    """Score one item by both, and check what came."""
    (first, score_first), (second, score_second) = sides
    one = _number(score_first(item), first, at, item)
    return one, _number(score_second(item), second, at, item)


def _number(given: Any, name: Any, at: int, item: Any) -> float:
    try:
        score = math.nan if isinstance(given, str | bytes) else float(given)
    except (TypeError, ValueError, OverflowError):
        score = math.nan
    if not math.isfinite(score):
        raise DataError(
            f"The function of {name!r} must return a finite number for each item, got "
            f"{reprlib.repr(given)} for items[{at}], {reprlib.repr(item)}."
        )
    return score


def _name(function: Any, usual: str) -> str:
    name = getattr(function, "__name__", usual)
    return usual if name == "<lambda>" else str(name)


def _checked_bounds(bounds: Any) -> tuple[float, float]:
    low, high = (validation.one_number(end, "bounds") for end in bounds)
    if not low < high:
        raise DataError(f"The 'bounds' parameter must rise, got {bounds!r}.")
    return low, high


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
