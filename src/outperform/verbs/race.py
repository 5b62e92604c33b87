"""`race`: two models item by item in random order, with a verdict one may look at any time."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from .. import validation
from ..errors import DataError, argument
from ..numerics.cluster_variance import cluster_sums
from ..results.result import versions
from ..scores.item_codes import coded
from ..scores.items import Items
from .race_journal import RaceJournal
from .race_watch import BLOCK, RaceWatch

SCHEMA = "outperform/race/1"
METHODS = ("auto", "e-process", "betting", "asymptotic")


@dataclass(frozen=True, eq=False)
class Race:
    """How a race ended: the outcome, after how many items, and the sequence until then."""

    names: tuple[str, str]
    outcome: str
    """"better" or "worse" (the first than the second), "equivalent", "futile", "undecided"."""
    n: int
    """Items looked at."""
    n_items: int
    estimate: float
    low: float | None
    high: float | None
    pvalue: float | None
    """Of the e-process: it holds whenever one stops. None for other methods."""
    alpha: float
    rope: float | None
    method: str
    population: str
    seed: int
    """Of the order of the items."""
    wins: int
    losses: int
    metric: str = "score"
    path: tuple[tuple[int, float, float, float], ...] = field(default=(), repr=False)
    """(items, estimate, low, high), thinned."""

    def to_dict(self) -> dict[str, Any]:
        """Return the race in the vocabulary of `--json`."""
        made = {name: value for name, value in asdict(self).items() if name != "path"}
        return {"schema": SCHEMA, **made, "versions": versions()}

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def plot(self) -> Any:
        """Return a matplotlib figure of the sequence."""
        from ..report.figures import race_figure

        return race_figure.sequence(self)

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
    """Compare two models item by item in random order, and stop as soon as the answer is known.

    Parameters
    ----------
    first, second : arrays of scores, functions, or `Items` as the first
        The scores of two models on the same items; or two functions that score one item each,
        which are called in random order and not for more items than needed.
    items : sequence, optional
        What the functions are called with.
    alpha : float, default=0.05
        The probability of a wrong verdict, however often one looks.
    rope : float, optional
        Differences below it do not matter: a race can then end as "equivalent".
    method : {"auto", "e-process", "betting", "asymptotic"}, default="auto"
        "e-process" counts the items that only one model wins; "betting" takes scores within
        `bounds`; "asymptotic" any scores, from 30 items on. "auto" is the e-process for scores of 0
        and 1, "asymptotic" with clusters and "betting" otherwise.
    population : {"new", "these"}, default="new"
        Whether the verdict applies to new items like these, or to these and no others.
    clusters : array, optional
        The cluster of each item; whole clusters are drawn.
    bounds : tuple of two floats, default=(0, 1)
        The smallest and the largest possible score.
    random_state : int, default=0
        The seed of the order of the items, kept in the result.
    n_jobs : int, optional
        How many items are scored at a time by functions. It does not change the result.
    journal : path, optional
        A file of the scores so far, from which a race that was stopped goes on.

    Returns
    -------
    Race
        Prints as a paragraph; `to_dict`, `to_json`, `plot`.

    Notes
    -----
    The race ends as "better" or "worse" when a difference of 0 is ruled out, as "equivalent" when
    the sequence lies within the rope, and as "futile" when 0 could not be ruled out even if all
    remaining items favoured the leader. The e-process decides by a beta-binomial e-value of at
    least 1/α; the interval beside it is that of the betting method.
    """
    alpha = validation.fraction(alpha, "alpha")
    rope = None if rope is None else validation.rope_width(rope)
    validation.choice(method, "method", METHODS)
    validation.choice(population, "population", ("new", "these"))
    seed = validation.whole(random_state, "random_state")
    metric, right_wrong = "score", False
    if callable(first):
        drawn, n_items = _scored(first, second, items, clusters, seed, n_jobs, journal)
        label = names or (_name(first, "A"), _name(second, "B"))
    else:
        if items is not None or journal is not None or n_jobs is not None:
            raise DataError(
                "The 'items', 'journal' and 'n_jobs' parameters are for functions that score an "
                "item; scores that are there are only shuffled. Remove them."
            )
        a, b, label, clusters, lower_is_better, metric = _read(
            first, second, names, clusters, lower_is_better
        )
        n_items = a.size
        right_wrong = bool((np.isin(a, (0.0, 1.0)) & np.isin(b, (0.0, 1.0))).all())
        drawn = _shuffled(a, b, clusters, seed)
    how = _chosen(method, right_wrong, population, clusters is not None, callable(first))
    watch = RaceWatch(
        alpha,
        rope,
        how,
        _checked_bounds(bounds),
        n_items,
        population == "these",
        -1.0 if lower_is_better else 1.0,
    )
    for part in drawn:
        if watch.take(*part):
            break
    return Race(
        validation.learner_names(label, 2),  # type: ignore[arg-type]
        watch.outcome,
        watch.n,
        n_items,
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
        metric,
        tuple(watch.path),
    )


def _chosen(method: str, right_wrong: bool, population: str, clustered: bool, called: bool) -> str:
    if clustered:
        if method not in ("auto", "asymptotic"):
            raise DataError(
                f"The 'method' parameter must be 'asymptotic' with clusters, got {method!r}. Use "
                f"{argument(method='asymptotic')}"
            )
        return "asymptotic"
    if method == "auto":
        return "e-process" if right_wrong and population == "new" else "betting"
    if method == "e-process":
        if not right_wrong and not called:
            raise DataError(
                "The e-process counts items that are right or wrong, but some scores are neither "
                f"0 nor 1. Use {argument(method='betting')}"
            )
        if population == "these":
            raise DataError(
                "The e-process applies to new items, not to these alone. Use "
                f"{argument(method='betting')}"
            )
    return method


def _read(
    first: Any, second: Any, names: Any, clusters: Any, lower_is_better: bool
) -> tuple[Any, Any, Any, Any, bool, str]:
    """Return the scores of both models on each item, whatever holds them."""
    if isinstance(first, Items):
        chosen = tuple(names or first.names)
        if len(chosen) != 2:
            raise DataError(
                f"A race is between two models, and there are {len(first.names)}. Name them: "
                f"{argument(names=tuple(first.names[:2]))}"
            )
        pair = first.of(chosen)
        codes = clusters if pair.clusters is None else pair.clusters.codes
        a, b = pair.means
        return a, b, chosen, codes, not pair.greater_is_better, pair.metric
    a, b = (validation.numbers(side, name) for side, name in ((first, "first"), (second, "second")))
    if a.shape != b.shape or a.ndim != 1:
        raise DataError(
            "The 'first' and 'second' parameters must contain one score for each item, the same "
            f"for both, got shapes {a.shape} and {b.shape}."
        )
    return a, b, names or ("A", "B"), clusters, lower_is_better, "score"


def _shuffled(a: Any, b: Any, clusters: Any, seed: int) -> Iterator[tuple[Any, ...]]:
    """Yield the scores in random order; with clusters, sums over clusters in random order."""
    rng = np.random.default_rng(seed)
    if clusters is None:
        order = rng.permutation(a.size)
        for at in range(0, a.size, 64 * BLOCK):
            part = order[at : at + 64 * BLOCK]
            yield a[part], b[part]
        return
    codes = coded(clusters, a.size, "clusters").codes
    order = rng.permutation(int(codes.max()) + 1)
    sums = [cluster_sums(side, codes)[order] for side in (a, b)]
    yield sums[0], sums[1], np.bincount(codes)[order]


def _scored(
    first: Callable[[Any], float],
    second: Any,
    items: Any,
    clusters: Any,
    seed: int,
    n_jobs: int | None,
    journal: Any,
) -> tuple[Iterator[tuple[Any, ...]], int]:
    """Return the scores of functions in random order, as many as are asked for."""
    if not callable(second) or items is None or not len(items):
        raise DataError(
            "Two functions that score an item need the items they are called with: "
            "race(score_a, score_b, items)"
        )
    if clusters is not None:
        raise DataError(
            "The 'clusters' parameter is for scores that are there. Score whole clusters as one "
            "item each instead."
        )
    order = np.random.default_rng(seed).permutation(len(items)).tolist()
    book = RaceJournal(journal, seed, items)
    return _answers(first, second, items, order, n_jobs, book), len(items)


def _answers(
    first: Any, second: Any, items: Any, order: list[int], n_jobs: int | None, book: RaceJournal
) -> Iterator[tuple[Any, ...]]:
    from joblib import Parallel, delayed, effective_n_jobs

    jobs = 1 if n_jobs is None else effective_n_jobs(n_jobs)
    for at in range(0, len(order), jobs):
        batch = order[at : at + jobs]
        lacking = [item for item in batch if item not in book.known]
        if jobs == 1:
            found = [_both(first, second, items[item]) for item in lacking]
        else:
            asked = (delayed(_both)(first, second, items[item]) for item in lacking)
            found = Parallel(n_jobs=jobs)(asked) if lacking else []
        book.add([(item, *scores) for item, scores in zip(lacking, found, strict=True)])
        pairs = [book.known[item] for item in batch]
        yield [a for a, _ in pairs], [b for _, b in pairs]


def _both(first: Any, second: Any, item: Any) -> tuple[float, float]:
    """Score one item by both, and check what came."""
    scores = float(first(item)), float(second(item))
    if not all(map(math.isfinite, scores)):
        raise DataError(f"A score must be a finite number, got {scores} for an item.")
    return scores


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
