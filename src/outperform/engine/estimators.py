"""Estimators: our own copies of the caller's learners, cloned and seeded for each cell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from .. import validation
from ..errors import DataError, alike


class Estimator:
    """A learner of a run: an unfitted prototype that is cloned for each cell."""

    def __init__(self, name: str, prototype: Any) -> None:
        self.name, self.prototype = name, prototype

    @cached_property
    def unseeded(self) -> list[str]:
        """The parameters named `random_state`, also of parts, that are not set."""
        if not hasattr(self.prototype, "get_params"):
            return []
        return [
            key
            for key, value in self.prototype.get_params(deep=True).items()
            if value is None and (key == "random_state" or key.endswith("__random_state"))
        ]

    def fresh(self, seed: int) -> Any:
        """Return a clone with the seed of the address wherever none is set."""
        from sklearn.base import clone

        model = clone(self.prototype, safe=False)
        if self.unseeded:
            model.set_params(**dict.fromkeys(self.unseeded, seed))
        return model


def read_learners(learners: Any) -> list[Estimator]:
    """Name the learners and copy them, so that the caller's own are never touched."""
    from sklearn.base import clone

    found, fitted = [], []
    for name, learner in named_learners(learners).items():
        try:
            copied = clone(learner, safe=False)
        except Exception as error:
            raise DataError(f"{name!r} cannot be cloned: {error}") from error
        # What seems fitted though it is new has nothing to lose.
        if _is_fitted(learner) and not _is_fitted(copied):
            fitted.append(repr(name))
        found.append(Estimator(name, copied))
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
    from sklearn.utils.validation import check_is_fitted

    try:
        check_is_fitted(learner)
    except Exception:  # not fitted, or nothing that scikit-learn can tell of
        return False
    return True


def named_learners(learners: Any, needs: Sequence[str] = ("fit", "predict")) -> dict[str, Any]:
    """Return learners by name, each with the methods that are needed.

    They come as a mapping, a list of learners or of (name, learner), as pipelines take it, or one.
    """
    if isinstance(learners, Mapping):
        listed = list(learners.items())
    elif isinstance(learners, Iterable) and not hasattr(learners, needs[0]):
        listed = list(learners)
    else:
        listed = [learners]
    if not listed:
        raise DataError('there are no learners; pass for example {"tree": tree, "bayes": bayes}')
    if isinstance(learners, Mapping) or all(map(_has_name, listed)):
        named = {str(name): learner for name, learner in listed}
        if len(named) < len(listed):
            raise DataError(f"learners have the same name twice: {[name for name, _ in listed]}")
        twins = alike(validation.learner_names(named, len(named)))
        if twins is not None:
            first, second = map(ascii, twins)
            raise DataError(
                f"Learner names must look different, got {first} and {second}. Rename one"
            )
    else:
        named = _by_class(listed)
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


def _has_name(one: Any) -> bool:
    return isinstance(one, tuple) and len(one) == 2 and isinstance(one[0], str)


def _by_class(learners: list[Any]) -> dict[str, Any]:
    named: dict[str, Any] = {}
    for learner in learners:
        cls = learner if isinstance(learner, type) else type(learner)
        name, number = cls.__name__, 2
        while name in named:
            name, number = f"{cls.__name__}-{number}", number + 1
        named[name] = learner
    return named
