"""Candidates: our own copies of the caller's learners, cloned and seeded for each cell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property
from inspect import signature
from typing import Any

import numpy as np

from .. import inputs
from ..characters import alike
from ..errors import DataError

__all__ = ["Candidate", "named_learners", "read_learners"]

PLAIN = frozenset((type(None), bool, int, float, str))
CLOSED = frozenset((
    "BernoulliNB", "CategoricalNB", "ComplementNB", "GaussianNB", "KNeighborsClassifier",
    "KNeighborsRegressor", "LinearDiscriminantAnalysis", "LinearRegression", "MinMaxScaler",
    "MultinomialNB", "NearestCentroid", "Pipeline", "QuadraticDiscriminantAnalysis",
    "StandardScaler",
))  # fmt: skip
"""Classes of scikit-learn that leave nothing to chance; others without a `random_state` may draw
from the global generator deep inside, as Isomap does."""


SETTLED = {"LogisticRegression": ("solver", ("lbfgs", "newton-cg", "newton-cholesky"))}
"""Classes of scikit-learn with settings that never use their `random_state`: a seed would change
nothing, but make them build a generator in every fit, which brief ones feel."""


ONCE = frozenset((
    "DecisionTreeClassifier", "DecisionTreeRegressor", "ExtraTreeClassifier", "ExtraTreeRegressor",
))  # fmt: skip
"""Classes of scikit-learn that make one generator of their `random_state` in a fit, no other."""


class Candidate:
    """A learner of a run: an unfitted prototype that is cloned for each cell."""

    def __init__(self, name: str, prototype: Any) -> None:
        self.name, self.prototype = name, prototype
        self._unseeded: list[tuple[Any, bool]] | None = None
        self.is_sklearn = True
        """Whether all of its code is scikit-learn's, as far as is known: `fresh` finds out."""
        self.together = 1
        """How many of its cells are run in a batch: more once they are known to be brief."""

    @property
    def unseeded(self) -> list[tuple[Any, bool]]:
        """The parts of the prototype whose `random_state` is not set; True if a plain attribute."""
        if self._unseeded is None:
            from sklearn.base import BaseEstimator

            params = _params(self.prototype)
            owners = [
                params.get(key.rpartition("__")[0], self.prototype)
                for key, value in params.items()
                if value is None and (key == "random_state" or key.endswith("__random_state"))
            ]
            plain = BaseEstimator.set_params
            self._unseeded = [
                (owner, getattr(type(owner), "set_params", 0) is plain)
                for owner in owners
                if not (self.is_closed and _is_settled(owner))  # a search may change a setting
            ]
        return self._unseeded

    @cached_property
    def is_closed(self) -> bool:
        """Whether nothing in it draws from the global generators, so that they need no seed."""
        return _is_closed(self.prototype)

    def fresh(self, seed: int) -> Any:
        """Return a clone with the seed of the address wherever none is set."""
        unseeded = self._unseeded
        for owner, plain in self.unseeded if unseeded is None else unseeded:
            if plain:  # what set_params does, without asking for all parameters first
                owner.random_state = seed
            else:
                owner.set_params(random_state=seed)
        if self.is_sklearn:
            try:
                return _copy(self.prototype)
            except TypeError:
                self.is_sklearn = False
        from sklearn.base import clone

        return clone(self.prototype, safe=False)

    @cached_property
    def stream(self) -> Any:
        """A generator to be seeded for each fit, in place of a seed; None where that differs.

        To make one takes much longer than to seed it.
        """
        learner, owners = self.prototype, [owner for owner, _ in self.unseeded]
        if owners != [learner] or type(learner).__name__ not in ONCE or not _is_flat(learner):
            return None
        return np.random.RandomState()

    def own(self) -> Candidate:
        """Return a copy that no other thread seeds."""
        from sklearn.base import clone

        self._unseed()
        return Candidate(self.name, clone(self.prototype, safe=False))

    def __getstate__(self) -> dict[str, Any]:
        self._unseed()
        return self.__dict__ | {"_unseeded": None}

    def _unseed(self) -> None:
        for owner, _ in self.unseeded:
            owner.set_params(random_state=None)


def _params(learner: Any) -> dict[str, Any]:
    """Return all parameters, also those of parts; what is plainly without parts is not asked."""
    params: dict[str, Any] = {}
    if _is_flat(learner):
        params = vars(learner)
    elif hasattr(learner, "get_params"):
        params = learner.get_params(deep=True)
    return params


def _copy(value: Any) -> Any:
    """Clone a learner of scikit-learn with plain parameters, quickly.

    Its constructors keep parameters and do nothing else, so that copying them is the same. What is
    not known to be as simple raises TypeError.
    """
    kind: Any = type(value)
    if kind in PLAIN:
        return value
    if kind in (list, tuple):
        return kind([_copy(part) for part in value])
    if not _is_simple(kind):
        raise TypeError
    copied = object.__new__(kind)
    state = copied.__dict__
    state.update(vars(value))
    for name, part in vars(value).items():
        if type(part) not in PLAIN:
            state[name] = _copy(part)
    return copied


def _unfitted(learner: Any) -> Any:
    """Clone a learner that may have been fitted.

    Cloning looks up signatures each time: what has parameters only is copied.
    """
    from sklearn.base import clone

    kind: Any = type(learner)
    if _is_flat(learner) and vars(learner).keys() == _parameters(kind):
        return _copy(learner)
    return clone(learner, safe=False)


def _is_flat(learner: Any) -> bool:
    """Tell whether a learner is scikit-learn's and has no parts, so that copying it is simple."""
    kind: Any = type(learner)
    return _is_simple(kind) and all(type(value) in PLAIN for value in vars(learner).values())


def _is_closed(value: Any) -> bool:
    kind: Any = type(value)
    if kind in PLAIN:
        return True
    if kind in (list, tuple):
        return all(map(_is_closed, value))
    return _is_simple(kind) and _is_seeded(kind) and all(map(_is_closed, vars(value).values()))


def _is_settled(learner: Any) -> bool:
    """Tell whether the settings of a learner leave nothing to its `random_state`."""
    kind: Any = type(learner)
    setting, values = SETTLED.get(kind.__name__, ("", ()))
    return _is_simple(kind) and getattr(learner, setting, None) in values


@cache
def _parameters(kind: Any) -> frozenset[str]:
    return frozenset(signature(kind).parameters)


def _is_seeded(kind: Any) -> bool:
    return kind.__name__ in CLOSED or "random_state" in _parameters(kind)


@cache
def _is_simple(kind: Any) -> bool:
    from sklearn.base import BaseEstimator

    return (
        kind.__module__.startswith("sklearn.")
        and issubclass(kind, BaseEstimator)
        and kind.__new__ is object.__new__
        and getattr(kind, "__sklearn_clone__", 0) is BaseEstimator.__sklearn_clone__
    )


def read_learners(learners: Any) -> list[Candidate]:
    """Name the learners and copy them, so that the caller's own are never touched."""
    found, fitted = [], []
    for name, learner in named_learners(learners).items():
        try:
            copied = _unfitted(learner)
        except Exception as error:
            raise DataError(f"{name!r} cannot be cloned: {error}") from error
        # What seems fitted though it is new has nothing to lose.
        if _is_fitted(learner) and not _is_fitted(copied):
            fitted.append(repr(name))
        found.append(Candidate(name, copied))
    if fitted:
        one = len(fitted) == 1
        raise DataError(
            f"{', '.join(fitted)} {'is' if one else 'are'} already fitted, and would be fitted "
            "again on every split. To train from scratch pass sklearn.base.clone(model). To judge "
            "fitted models as they are, give X and y that they were not trained on and pass "
            "fitted=True to compare, run or estimate"
        )
    return found


def _is_fitted(learner: Any) -> bool:
    """Tell whether a learner is fitted, by its own word or scikit-learn's convention."""
    kind: Any = type(learner)
    if _is_flat(learner) and vars(learner).keys() == _parameters(kind):
        return False
    from sklearn.utils.validation import check_is_fitted

    try:
        check_is_fitted(learner)
    except Exception:  # not fitted, or nothing that scikit-learn can tell of
        return False
    return True


def named_learners(learners: Any, needs: Sequence[str] = ("fit", "predict")) -> dict[str, Any]:
    """Return learners by name, each with the methods that are needed."""
    if isinstance(learners, Mapping):
        named = {str(name): learner for name, learner in learners.items()}
        if len(named) < len(learners):
            raise DataError(f"learners have the same name twice: {list(learners)}")
        twins = alike(inputs.learner_names(named, len(named)))
        if twins is not None:
            first, second = map(ascii, twins)
            raise DataError(
                f"Learner names must look different, got {first} and {second}. Rename one"
            )
    elif isinstance(learners, Iterable) and not hasattr(learners, needs[0]):
        named = _by_class(list(learners))
    else:
        named = _by_class([learners])
    if not named:
        raise DataError('there are no learners; pass for example {"tree": tree, "bayes": bayes}')
    for name, learner in named.items():
        if isinstance(learner, type):
            raise DataError(f"{name!r} is a class; pass an instance: {learner.__name__}()")
        lacking = [method for method in needs if not hasattr(learner, method)]
        if lacking:
            raise DataError(
                f"{name!r} is {type(learner).__name__}, which has no {' and no '.join(lacking)}; "
                f"a learner needs {' and '.join(needs)}"
            )
    return named


def _by_class(learners: list[Any]) -> dict[str, Any]:
    named: dict[str, Any] = {}
    for learner in learners:
        cls = learner if isinstance(learner, type) else type(learner)
        name, number = cls.__name__, 2
        while name in named:
            name, number = f"{cls.__name__}-{number}", number + 1
        named[name] = learner
    return named
