"""Random Bayesian networks of binary variables, the class being one of them (R-23), and a contest.

On their data naive Bayes meets C4.5 in millions of fits: Bouckaert & Frank's simulation (R-24). The
answers are those of `NaiveBayes` and `C45`; kernels that count bits fit all splits of a dataset in
one call.

Implements R-03.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from outperform.designs import Design, KFold, RepeatedKFold, Resampled
from outperform.designs.splitting import whole
from outperform.errors import DataError, MethodError
from outperform.lab.scenarios import SAMPLE, Dataset, Reading, ScenarioView, stream
from outperform.numerics.exact_sums import Array
from outperform.views import Differences

LARGEST_TABLE = 20
"""Variables up to which all cases are listed."""
Masks = npt.NDArray[np.bool_]
Orders = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class BayesianNetwork:
    """Binary variables, each given its parents; variable 0 is the class.

    Attributes
    ----------
    parents : tuple[tuple of int, ...]
        Parents of each variable, which come before it.
    probabilities : tuple[tuple of float, ...]
        Probability of 1 for each combination of values of the parents.
    name : str
        A few words for tables.

    Examples
    --------
    >>> import numpy as np
    >>> from reproduction.bayesian_networks import BayesianNetwork
    >>> network = BayesianNetwork.independent(0, n_variables=4)
    >>> network.draw(10, np.random.default_rng(0)).X.shape, network.delta, network.bayes_accuracy
    ((10, 3), 0.0, 0.5)
    >>> larger = BayesianNetwork.ban(0, n_variables=5, arrows=2)
    >>> len(larger.cases()[0]), larger.bayes_accuracy > 0.5
    (16, True)
    """

    parents: tuple[tuple[int, ...], ...]
    probabilities: tuple[tuple[float, ...], ...]
    name: str = "Bayesian network"

    def __post_init__(self) -> None:
        if len(self.parents) != len(self.probabilities) or len(self.parents) < 2:
            raise DataError(
                "parents and probabilities must have the same length, for a class and at least "
                f"one variable, got {len(self.parents)} and {len(self.probabilities)}."
            )
        for v, (above, table) in enumerate(zip(self.parents, self.probabilities, strict=True)):
            if any(not 0 <= parent < v for parent in above) or len(set(above)) < len(above):
                raise DataError(f"variable {v} has parents {above}; parents must precede it.")
            if len(table) != 2 ** len(above) or not all(0 <= p <= 1 for p in table):
                raise DataError(
                    f"variable {v} must have {2 ** len(above)} probabilities between 0 and 1, got "
                    f"{table}."
                )

    @classmethod
    def independent(cls, random_state: int, *, n_variables: int = 10) -> BayesianNetwork:
        """Draw a network without arrows, so that every learner has an accuracy of ½.

        Parameters
        ----------
        random_state : int
            Seed.
        n_variables : int, default=10
            Number of variables, the class among them.

        Returns
        -------
        BayesianNetwork
            The network.
        """
        rng = np.random.default_rng(random_state)
        chances = rng.random(whole(n_variables, "n_variables", 2) - 1)
        tables = ((0.5,), *((float(p),) for p in chances))
        return cls(tuple(() for _ in tables), tables, "independent network")

    @classmethod
    def ban(
        cls, random_state: int, *, n_variables: int = 10, arrows: int = 8, most_parents: int = 3
    ) -> BayesianNetwork:
        """Draw a network that augments naive Bayes by arrows between attributes.

        Parameters
        ----------
        random_state : int
            Seed.
        n_variables : int, default=10
            Number of variables, the class among them.
        arrows : int, default=8
            Number of arrows between attributes.
        most_parents : int, default=3
            Largest number of parents of an attribute, not counting the class.

        Returns
        -------
        BayesianNetwork
            The network.
        """
        rng = np.random.default_rng(random_state)
        n = whole(n_variables, "n_variables", 2)
        order = rng.permutation(np.arange(1, n))
        possible = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
        # Attributes are renamed by their place in the order, so that parents stand before.
        place = {int(v): at + 1 for at, v in enumerate(order)}
        above: dict[int, list[int]] = {v: [0] for v in range(1, n)}
        added = 0
        for at in rng.permutation(len(possible)):
            tail, head = (place[int(v)] for v in possible[at])
            if added < arrows and len(above[head]) <= most_parents:
                above[head].append(tail)
                added += 1
        if added < arrows:
            raise DataError(
                f"{n - 1} attributes with at most {most_parents} parents besides the class allow "
                f"{added} arrows, got arrows={arrows}; use fewer, or raise most_parents"
            )
        parents = ((), *(tuple(sorted(above[v])) for v in range(1, n)))
        tables = tuple(tuple(float(p) for p in rng.random(2 ** len(of))) for of in parents[1:])
        return cls(parents, ((0.5,), *tables), "BAN network")

    @property
    def delta(self) -> float | None:
        """0 if nothing depends on the class and both classes are equally likely, otherwise None."""
        alone = not any(self.parents) and self.probabilities[0][0] == 0.5
        return 0.0 if alone else None

    def draw(self, n: int, rng: np.random.Generator) -> Dataset:
        """Sample forward: the class, then each variable given its parents.

        Parameters
        ----------
        n : int
            Number of items.
        rng : numpy.random.Generator
            Source of random numbers.

        Returns
        -------
        Dataset
            The items.
        """
        values = np.empty((n, len(self.parents)), dtype=np.uint8)
        for v, uniform in enumerate(rng.random((len(self.parents), n))):
            values[:, v] = uniform < self._chance(v, values)
        return Dataset(values[:, 1:].astype(np.int64), values[:, 0].astype(np.int64))

    def cases(self) -> tuple[npt.NDArray[np.int64], Array]:
        """Return every case of the attributes, and its joint probability with each class.

        Returns
        -------
        tuple of ndarray
            Cases, and probabilities with class 0 and 1.
        """
        n = len(self.parents)
        if n > LARGEST_TABLE:
            raise DataError(
                f"{n} variables have 2^{n} cases; at most {LARGEST_TABLE} can be enumerated."
            )
        every = (np.arange(2 ** (n - 1))[:, None] >> np.arange(n - 2, -1, -1)) & 1
        joint = np.empty((len(every), 2))
        for label in (0, 1):
            values = np.column_stack([np.full(len(every), label), every]).astype(np.uint8)
            chance = np.ones(len(every))
            for v in range(n):
                p = self._chance(v, values)
                chance *= np.where(values[:, v] == 1, p, 1 - p)
            joint[:, label] = chance
        return every.astype(np.int64), joint

    def accuracy(self, fitted: Any) -> float:
        """Return the exact accuracy of a fitted learner, a sum over all cases.

        Parameters
        ----------
        fitted : learner
            A fitted classifier.

        Returns
        -------
        float
            The accuracy.

        Examples
        --------
        >>> from sklearn.dummy import DummyClassifier
        >>> from reproduction.bayesian_networks import BayesianNetwork
        >>> network = BayesianNetwork.independent(0, n_variables=4)
        >>> fitted = DummyClassifier().fit([[0, 0, 0], [1, 1, 1]], [0, 1])
        >>> round(network.accuracy(fitted), 6)
        0.5
        """
        every, joint = self.cases()
        answers = np.asarray(fitted.predict(every)).astype(np.intp)
        return float(joint[np.arange(len(every)), answers].sum())

    @property
    def bayes_accuracy(self) -> float:
        """The accuracy that no learner can exceed."""
        return float(self.cases()[1].max(axis=1).sum())

    def _chance(self, v: int, values: npt.NDArray[np.uint8]) -> Array:
        case = np.zeros(len(values), dtype=np.intp)
        for parent in self.parents[v]:
            case = 2 * case + values[:, parent]
        return np.asarray(self.probabilities[v])[case]


@dataclass(frozen=True, slots=True)
class BinaryContest:
    """Datasets of a Bayesian network on which naive Bayes (first) is compared with C4.5.

    Attributes
    ----------
    network : BayesianNetwork
        Where items come from.
    n : int
        Number of items of a dataset.
    repeated : int
        Number of consecutive experiments on the same dataset, each with its own splits; must be a
        divisor of `block`.
    block : int
        Number of experiments that are drawn with one seed.

    Examples
    --------
    >>> import numpy as np
    >>> import outperform as op
    >>> from reproduction.bayesian_networks import BayesianNetwork, BinaryContest
    >>> network = BayesianNetwork.independent(0, n_variables=4)
    >>> contest, read = BinaryContest(network, 20), op.lab.reading("corrected_t", "5cv")
    >>> contest.draw([read], 2, np.random.SeedSequence(0))[read].values.shape
    (2, 1, 1, 5)
    """

    network: BayesianNetwork
    n: int = 300
    repeated: int = 1
    block: ClassVar[int] = 100

    def __post_init__(self) -> None:
        whole(self.n, "n", 10)
        if self.block % whole(self.repeated, "repeated", 1):
            raise DataError(
                f"repeated must be a divisor of {self.block}, such as 10, got {self.repeated}."
            )

    @property
    def null_at_zero(self) -> bool:
        """Whether an effect of 0 is a true null hypothesis."""
        return self.network.delta == 0

    @property
    def name(self) -> str:
        """A few words for tables and figures."""
        return f"naive Bayes vs. C4.5, {self.network.name}"

    def draw(
        self,
        readings: Sequence[Reading],
        n_reps: int,
        seed: np.random.SeedSequence,
        effect: float = 0.0,
    ) -> dict[Reading, ScenarioView]:
        """Draw datasets and fit both learners on every split of every design.

        Parameters
        ----------
        readings : sequence of Reading
            What methods read, as `reading` returns it.
        n_reps : int
            Number of experiments.
        seed : numpy.random.SeedSequence
            Seed of the block.
        effect : float, default=0.0
            Must be 0: the network determines the difference.

        Returns
        -------
        dict
            The view of each reading.
        """
        if effect:
            raise DataError("The network determines the difference, so effect must be 0.")
        parts: dict[Reading, list[tuple[Array, Array]]] = {asked: [] for asked in readings}
        for number in range(-(-n_reps // self.repeated)):
            data = self.network.draw(self.n, stream(seed, SAMPLE, number))
            X, y = np.asarray(data.X, dtype=bool), np.asarray(data.y, dtype=bool)
            for asked in readings:
                rng = stream(seed, asked.key, number)
                test, shape = _tests(asked, y, self.repeated, rng)
                scores = _scores(X, y, test)
                parts[asked].append((scores[0].reshape(shape), scores[1].reshape(shape)))
        return {asked: self._view(asked, found, n_reps) for asked, found in parts.items()}

    def _view(self, asked: Reading, found: list[tuple[Array, Array]], n_reps: int) -> Differences:
        first, second = (np.concatenate(side)[:n_reps] for side in zip(*found, strict=True))
        sizes = asked.design.sizes(self.n)
        ratio = float(sizes.n_test.sum() / sizes.n_train.sum())
        return Differences(
            first - second, first, second, test_train_ratio=ratio, n_test=float(sizes.n_test.min())
        )


def _scores(X: Masks, y: Masks, test: Masks) -> tuple[Array, Array]:
    """Return the accuracies of both learners on each split."""
    from .learners.c45_bits import binary_tree_errors, packed
    from .learners.naive_bayes import count_errors

    train = ~test
    bayes = count_errors(X[None], y[None], train, test)[0]
    trees = binary_tree_errors(
        packed(X.T)[None], packed(y)[None], packed(train)[None], packed(test)[None]
    )[0]
    n_test = np.count_nonzero(test, axis=1)
    return 1 - bayes / n_test, 1 - trees / n_test


def _tests(
    asked: Reading, y: Masks, repeated: int, rng: np.random.Generator
) -> tuple[Masks, tuple[int, ...]]:
    """Return the test items of every split, and the shape (repeated, 1, repeats, folds)."""
    design, n = asked.design, y.size
    if asked.view is not Differences:
        raise MethodError(
            f"{asked} is not available: this contest draws differences of splits; use for example "
            "('corrected_t', '10x10cv')"
        )
    if design.grouped or (isinstance(design, Resampled) and design.stratified):
        raise MethodError(
            f"{design} is not available: grouped and stratified resamples are not supported here."
        )
    if isinstance(design, Resampled) and design.train is None:
        order = _orders(y, repeated * design.repeats, rng, stratified=False)
        n_test = int(design.sizes(n).n_test[0])
        test = np.zeros(order.shape, dtype=bool)
        np.put_along_axis(test, order[:, :n_test], True, axis=1)
        return test, (repeated, 1, design.repeats, 1)
    repeats, folds = _cross_validated(design)
    order = _orders(y, repeated * repeats, rng, stratified=design.stratified)
    fold = np.empty(order.shape, dtype=np.int64)
    places = np.arange(n) % folds  # with stratification neighbours are of one class
    np.put_along_axis(fold, order, np.broadcast_to(places, order.shape), axis=1)
    test = fold[:, None, :] == np.arange(folds)[None, :, None]
    return test.reshape(-1, n), (repeated, 1, repeats, folds)


def _cross_validated(design: Design) -> tuple[int, int]:
    if isinstance(design, RepeatedKFold):
        return design.repeats, design.folds
    if isinstance(design, KFold):
        return 1, design.folds
    raise MethodError(
        f"{design} is not available for a binary contest; use cross-validation or "
        "'100xresampled@1/10'"
    )


def _orders(y: Masks, count: int, rng: np.random.Generator, *, stratified: bool) -> Orders:
    """Return so many random orders of the items; with stratification class after class."""
    keys = rng.random((count, y.size))
    if stratified:
        keys += y
    return np.argsort(keys, axis=1).astype(np.int64, copy=False)
