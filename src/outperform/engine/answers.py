"""Answers of fitted models: recorded while scorers ask for them, replayed from what was kept."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import validation
from ..errors import DataError, argument
from ..storage.responses import KINDS, Response, classes_of, encode_response

KEEPS = {"predictions": 0, "probabilities": 1, "decision values": 2}
"""What `keep` may name, by the kind of response."""
Encoded = tuple[tuple[int, bytes], ...]


class NotKept(Exception):
    """A scorer asks for a response that was not kept."""


@dataclass(frozen=True, eq=False)
class Keeping:
    """Which responses a run keeps: those that scorers call, and others that are asked for."""

    classes: npt.NDArray[Any] | None
    """The classes of y, of which labels are kept as codes."""
    always: tuple[int, ...] = (0,)
    called: bool = True
    """Whether responses are kept that scorers have called."""

    def encoded(self, model: Any, seen: Mapping[str, Any]) -> Encoded:
        """Return what is kept of the responses of a model."""
        found = []
        for kind, name in enumerate(KINDS):
            if name in seen and (self.called or kind in self.always):
                own = getattr(model, "classes_", None) if kind else None
                body = self.response(seen[name], own)
                if body is not None:
                    found.append((kind, body))
        return tuple(found)

    def response(self, values: Any, own: Any = None) -> bytes | None:
        if isinstance(values, list) and own is not None:
            return None  # a list of arrays, one for each of several targets
        with suppress(ValueError, TypeError):  # whatever a learner returns
            own = None if own is None else np.asarray(own)
            return encode_response(Response(np.asarray(values), own), self.classes)
        return None


def read_keep(keep: Any, y: npt.NDArray[Any], *, stored: bool) -> Keeping | None:
    """Return what is to be kept: by default predictions, and responses that scorers call."""
    if not stored:
        if keep is not None:
            raise DataError(
                "The 'keep' parameter applies only to runs with a store. Pass "
                f"{argument(store='results.db')} too, or leave {argument(keep=...)} out"
            )
        return None
    if keep is None:
        return Keeping(classes_of(y))
    names = [keep] if isinstance(keep, str) else list(keep)
    for name in names:
        validation.choice(name, "keep", (*KEEPS, "nothing"))
    if "nothing" in names:
        return None
    return Keeping(classes_of(y), tuple(KEEPS[name] for name in names), called=len(names) > 0)


class Recorder:
    """Remembers what a model answers to scorers, and answers the same question once."""

    def __init__(self, model: Any, X: Any) -> None:
        self.model, self.X = model, X
        self.seen: dict[str, Any] = {}
        self._inside = False
        for name in KINDS:
            if hasattr(type(model), name):
                with suppress(Exception):  # what cannot be listened to is simply not kept
                    setattr(model, name, self._listening(name, getattr(model, name)))

    def _listening(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def answer(X: Any, *more: Any, **options: Any) -> Any:
            if self._inside or more or options or X is not self.X:
                return method(X, *more, **options)
            if name not in self.seen:
                self._inside = True
                try:
                    self.seen[name] = method(X)
                finally:
                    self._inside = False
            return self.seen[name]

        answer.__name__ = name  # by which scikit-learn knows what it asks
        return answer

    def ask(self, kinds: Collection[int]) -> None:
        """Ask for responses that no scorer has called."""
        for kind in kinds:
            if KINDS[kind] not in self.seen:
                with suppress(Exception):  # it has none, or cannot: then there is none to keep
                    getattr(self.model, KINDS[kind])(self.X)


def methods_of(learner: Any) -> list[str]:
    """Return the responses that a learner has."""
    return [name for name in KINDS if hasattr(learner, name)]


def replayed(
    kind: str | None,
    methods: Collection[str],
    responses: Mapping[str, Response],
    classes: npt.NDArray[Any] | None,
) -> Any:
    """Return a model that answers what was kept, and refuses what was not."""
    model = _replays()[kind]()
    own = [response.classes for response in responses.values() if response.classes is not None]
    if kind == "classifier" and (own or classes is not None):
        model.classes_ = own[0] if own else classes
    for name in methods:
        kept = responses.get(name)
        setattr(model, name, _answering(name, None if kept is None else kept.values))
    return model


def _answering(name: str, values: npt.NDArray[Any] | None) -> Callable[[Any], Any]:
    def answer(X: Any) -> Any:
        if values is None:
            raise NotKept
        return values

    answer.__name__ = name
    return answer


@cache
def _replays() -> dict[str | None, type]:
    """Return a class for each kind of learner: scorers ask what a model is."""
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

    class ReplayedClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
        pass

    class ReplayedRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
        pass

    class ReplayedModel(BaseEstimator):  # type: ignore[misc]
        pass

    return {
        "classifier": ReplayedClassifier,
        "regressor": ReplayedRegressor,
        None: ReplayedModel,
    }
