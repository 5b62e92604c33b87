"""Estimators: our own copies of the caller's learners, and by what a store knows them again."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from copy import deepcopy
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import validation
from ..errors import DataError, alike, argument
from .meaning import class_name, described
from .origins import version_of

if TYPE_CHECKING:
    from ..storage import Learner, MetricKey, StoredExperiment
    from .fitting import Job
    from .learning_data import Data
    from .scoring import Metric


ALWAYS = ("numpy", "scipy", "sklearn")
"""Libraries that any learner may use without naming them."""


def identify(
    name: str, learner: Any, beside: Mapping[str, Any] | None = None
) -> tuple[Learner, dict[str, dict[str, Any]]]:
    """Return the identity of a learner; its parameters, versions and answers, to be shown.

    `beside` is what its fit is passed beside X and y: with other weights it is another learner.
    """
    from ..storage import Learner
    from .answers import methods_of
    from .scoring import kind_of

    try:
        own, used = described(learner, beside)
    except DataError as error:
        raise DataError(f"{name!r} contains {error}, or leave store out") from error
    versions = used | {library: version_of(library) for library in ALWAYS}
    params = {"class": class_name(type(learner))}
    if hasattr(learner, "get_params"):
        shown = learner.get_params(deep=True).items()
        params |= {key: _short(value) for key, value in shown if not hasattr(value, "get_params")}
    texts = own, repr(sorted(versions.items()))
    hashes = (sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in texts)
    answers = {"kind": kind_of(learner), "methods": methods_of(learner)}
    return Learner(name, *hashes), {"params": params, "versions": versions, "answers": answers}


def experiment_of(job: Job, data: Data) -> StoredExperiment:
    """Return what all results of a store have in common."""
    from ..designs import Given
    from ..storage import StoredExperiment
    from .environment import thread_libraries
    from .learning_data import fingerprint

    design = job.splits.design
    extra = {"_threads": f"1 each of {thread_libraries()}", "_numpy": np.__version__}
    if data.groups is not None:
        extra["_groups"] = str(int(data.groups.max()) + 1)
    if isinstance(design, Given):
        extra["fingerprint of splits"] = job.splits.fingerprint
        extra["_splits given by"] = design.by
    else:
        extra["order of training rows"] = "shuffled"
    asked = StoredExperiment(
        data=fingerprint(data),
        design=str(design),
        scoring="",
        seed=job.seed,
        n_items=data.table.n,
        extra=extra,
    )
    return asked.with_metrics([_key(job.metric), *(_key(metric) for metric, _ in job.others)])


def _key(metric: Metric) -> MetricKey:
    """Return by what a store knows a metric."""
    from ..storage import MetricKey

    scoring = metric.name if metric.title == metric.name else f"{metric.title}={metric.name}"
    if metric.is_own:
        try:
            text = repr(described(metric.scorer))
        except DataError as error:
            raise DataError(
                f"The scorer {metric.name!r} contains {error}, or leave store out"
            ) from error
        scoring += f" {sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
    return MetricKey(scoring, metric.title, True, metric.loss)


def packages(*parts: Any) -> set[str]:
    """Return the packages that learners and functions use, as far as their classes tell."""
    owners = [*(cls for part in parts for cls in _classes(part)), *filter(inspect.isroutine, parts)]
    return {*ALWAYS, *(str(owner.__module__).partition(".")[0] for owner in owners)}


def _classes(value: Any) -> Iterator[type]:
    yield type(value)
    if hasattr(value, "get_params"):
        for part in value.get_params(deep=True).values():
            if hasattr(part, "get_params"):
                yield type(part)


def _short(value: Any) -> str:
    """Return the repr of a value without addresses in memory, which change from run to run."""
    return re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))[:300]


class Estimator:
    """A learner of a run: an unfitted prototype that is cloned for each cell."""

    def __init__(self, name: str, prototype: Any) -> None:
        self.name, self.prototype = name, prototype
        self.takes: dict[str, str] = {}
        """Keywords of fit beside X and y, with the names of the metadata they hold."""
        self.routed = False
        """Fit with scikit-learn's metadata routing enabled."""

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
        model = _copied(self.prototype)
        if self.unseeded:
            model.set_params(**dict.fromkeys(self.unseeded, seed))
        return model

    def setting(self) -> AbstractContextManager[None]:
        """Return the setting of scikit-learn under which it is fitted, also in a worker."""
        if not self.routed:
            return nullcontext()
        from sklearn import config_context

        made: AbstractContextManager[None] = config_context(enable_metadata_routing=True)
        return made


def read_learners(learners: Any) -> list[Estimator]:
    """Name the learners and copy them, so that the caller's own are never touched."""
    found, fitted = [], []
    for name, learner in named_learners(learners).items():
        try:
            copied = _copied(learner)
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
            f"{argument(fitted=True)} to compare, run or estimate"
        )
    return found


def _copied(learner: Any) -> Any:
    """Return a clone, or a copy of an unfitted learner whose constructor changes a parameter.

    scikit-learn refuses to clone the latter: CatBoost copies its `cat_features`.
    """
    from sklearn.base import clone

    try:
        return clone(learner, safe=False)
    except RuntimeError:
        if _is_fitted(learner):
            raise
        return deepcopy(learner)


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
        raise DataError('No learners were passed; use for example {"tree": tree, "bayes": bayes}')
    if isinstance(learners, Mapping) or all(map(_has_name, listed)):
        named = {str(name): learner for name, learner in listed}
        if len(named) < len(listed):
            raise DataError(f"Learner names must be unique, got {[name for name, _ in listed]}")
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
