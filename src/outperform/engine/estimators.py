"""Estimators: our own copies of the caller's learners, and by what a store knows them again."""

from __future__ import annotations

import functools
import inspect
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from copy import deepcopy
from functools import cached_property
from hashlib import sha256
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import validation
from ..errors import DataError, alike, argument

if TYPE_CHECKING:
    from ..storage import Learner, MetricKey, StoredExperiment
    from .fitting import Job
    from .learning_data import Data
    from .scoring import Metric


ALWAYS = ("numpy", "scipy", "sklearn")
"""Libraries that any learner may use without naming them."""
PLAIN = (type(None), bool, int, float, complex, str, bytes, tuple)
"""Attributes of a class typed at a prompt that belong to its text."""


def identify(
    name: str, learner: Any, beside: Mapping[str, Any] | None = None
) -> tuple[Learner, dict[str, dict[str, Any]]]:
    """Return the identity of a learner; its parameters, versions and answers, to be shown.

    `beside` is what its fit is passed beside X and y: with other weights it is another learner.
    """
    from ..storage import Learner
    from .answers import methods_of
    from .scoring import kind_of

    versions = {
        package: str(version)
        for package in sorted(packages(learner))
        if (version := getattr(sys.modules.get(package), "__version__", None)) is not None
    }
    params = {"class": _class_name(type(learner))}
    if hasattr(learner, "get_params"):
        shown = learner.get_params(deep=True).items()
        params |= {key: _short(value) for key, value in shown if not hasattr(value, "get_params")}
    own = same_text(learner) + (same_text(beside) if beside else "")
    texts = own, repr(sorted(versions.items()))
    hashes = (sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in texts)
    answers = {"kind": kind_of(learner), "methods": methods_of(learner)}
    return Learner(name, *hashes), {"params": params, "versions": versions, "answers": answers}


def experiment_of(job: Job, data: Data) -> StoredExperiment:
    """Return what all results of a store have in common."""
    from ..designs import Given
    from ..storage import StoredExperiment
    from ..storage.first_schema import ROW_ORDER
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
        extra[ROW_ORDER] = "shuffled"
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
        scoring += f" {sha256(same_text(metric.scorer).encode()).hexdigest()[:16]}"
    return MetricKey(scoring, metric.title, True, metric.loss)


def packages(*parts: Any) -> set[str]:
    """Return the packages that learners and functions use, as far as their classes tell."""
    owners = [*(cls for part in parts for cls in _classes(part)), *filter(inspect.isroutine, parts)]
    return {*ALWAYS, *(str(owner.__module__).partition(".")[0] for owner in owners)}


def same_text(value: Any) -> str:
    """Return a text that is the same, in every process, for objects that mean the same."""
    return "".join(_words(value, ()))


def _words(value: Any, above: tuple[int, ...]) -> Iterator[str]:
    if id(value) in above:
        yield "itself"
        return
    above = (*above, id(value))
    match value:
        case None | bool() | int() | float() | complex() | str() | bytes():
            yield f"{type(value).__name__}:{value!r};"
        case np.ndarray() if not value.dtype.hasobject:
            body = np.ascontiguousarray(value).tobytes()
            yield f"array:{value.dtype.str}{value.shape}{sha256(body).hexdigest()};"
        case np.ndarray():
            yield f"array:{value.shape}"
            yield from _words(value.ravel().tolist(), above)
        case np.generic():
            yield f"{value.dtype.str}:{value.item()!r};"
        case list() | tuple():
            yield f"{type(value).__name__}("
            for part in value:
                yield from _words(part, above)
            yield ")"
        case set() | frozenset():
            yield f"set({''.join(sorted(''.join(_words(part, above)) for part in value))})"
        case Mapping():
            pairs = (
                ("".join(_words(k, above)), "".join(_words(v, above))) for k, v in value.items()
            )
            yield f"map({''.join(k + v for k, v in sorted(pairs))})"
        case type():
            yield f"class:{_class_name(value)}{_code(value, above)};"
        case functools.partial():
            yield "partial("
            yield from _words((value.func, value.args, value.keywords), above)
            yield ")"
        case MethodType():
            yield f"method:{value.__name__}"
            yield from _words(value.__self__, above)
        case FunctionType():
            yield f"function:{value.__module__}.{value.__qualname__}"
            if not _has_version(value):
                closed = list(_closed_over(value))
                yield _compiled(value.__code__)
                yield from _words((value.__defaults__, value.__kwdefaults__, closed), above)
        case BuiltinFunctionType() | np.ufunc():
            yield f"function:{value.__module__ or 'numpy'}.{value.__name__};"
        case np.random.RandomState():
            yield from _words(value.get_state(legacy=False), above)
        case np.random.Generator():
            yield from _words(value.bit_generator.state, above)
        case _:
            yield from _object(value, above)


def _object(value: Any, above: tuple[int, ...]) -> Iterator[str]:
    yield f"{_class_name(type(value))}{_code(type(value), above)}("
    if hasattr(value, "get_params"):
        yield from _words(value.get_params(deep=False), above)
    elif hasattr(value, "dist") and hasattr(value, "kwds"):  # a distribution to search over
        yield from _words((value.dist.name, value.args, value.kwds), above)
    elif getattr(value, "__dict__", None):
        yield from _words(vars(value), above)
    else:
        yield _short(value)
    yield ")"


def _code(cls: type, above: tuple[int, ...]) -> str:
    """Return a digest of code that no version number stands for, which is the user's own."""
    own = [_source(each, above) for each in cls.__mro__ if not _has_version(each)]
    return (
        f"#{sha256(''.join(own).encode('utf-8', 'surrogatepass')).hexdigest()[:16]}" if own else ""
    )


def _source(cls: type, above: tuple[int, ...]) -> str:
    """Return the text of a class, or what was compiled of one typed at a prompt.

    With either comes what its functions have closed over: a function that makes classes writes the
    same text for all of them.
    """
    if id(cls) in above:
        return "itself"
    above = (*above, id(cls))
    parts = [getattr(part, "__func__", part) for part in vars(cls).values()]
    functions = [part for part in parts if isinstance(part, FunctionType)]
    closed = [value for function in functions for value in _closed_over(function)]
    said = "".join(_words(closed, above)) if closed else ""
    try:
        return _text(cls) + said
    except (OSError, TypeError):
        plain = {
            name: part
            for name, part in vars(cls).items()
            if not name.startswith("__") and isinstance(part, PLAIN)
        }
        given = [(function.__defaults__, function.__kwdefaults__) for function in functions]
        code = "".join(_compiled(function.__code__) for function in functions)
        return code + "".join(_words([plain, given], above)) + said


def _text(cls: type) -> str:
    """Return the text of a class from its file, unless another text is at its place there.

    Since Python 3.13 a class is looked up by its line alone, also one that was never in the file.
    """
    text = inspect.getsource(cls)
    if f"class {cls.__name__}" not in text:
        raise OSError(f"the file of {cls.__module__} does not contain {cls.__name__}")
    return text


def _closed_over(function: FunctionType) -> Iterator[Any]:
    """Yield what a function has from where it was made, but not the class it belongs to."""
    names = function.__code__.co_freevars
    for name, cell in zip(names, function.__closure__ or (), strict=True):
        if name != "__class__":
            with suppress(ValueError):  # a name that was never given a value
                yield cell.cell_contents


def _has_version(thing: Any) -> bool:
    """Tell whether a class or function belongs to Python or to a library with a version."""
    top = str(getattr(thing, "__module__", None) or "").partition(".")[0]
    if top in sys.stdlib_module_names and top != "__main__":
        return True
    return getattr(sys.modules.get(top), "__version__", None) is not None


def _compiled(code: CodeType) -> str:
    inner = map(_constant, code.co_consts)
    return f"{code.co_code.hex()}{code.co_names}{'|'.join(inner)}"


def _constant(value: Any) -> str:
    """Return a constant as text; the order of a set is another in every process."""
    match value:
        case CodeType():
            return _compiled(value)
        case tuple():
            return f"({','.join(map(_constant, value))})"
        case frozenset():
            return f"{{{','.join(sorted(map(_constant, value)))}}}"
    return repr(value)


def _classes(value: Any) -> Iterator[type]:
    yield type(value)
    if hasattr(value, "get_params"):
        for part in value.get_params(deep=True).values():
            if hasattr(part, "get_params"):
                yield type(part)


def _class_name(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


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
