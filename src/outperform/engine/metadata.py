"""Metadata: what fit is passed beside X and y, cut by rows and routed as scikit-learn does."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..designs.splitting import IntArray
from ..errors import DataError
from ..notes import Note
from .estimators import Estimator
from .learning_data import check_pairing

ENABLE = "sklearn.set_config(enable_metadata_routing=True)"


@dataclass(frozen=True, eq=False, slots=True)
class Metadata:
    """Parameters by name; those with a value for each row are cut with the rows."""

    values: Mapping[str, Any]
    by_row: frozenset[str]

    def at(self, takes: Mapping[str, str], train: IntArray) -> dict[str, Any]:
        """Return the keywords of one fit."""
        return {
            keyword: np.asarray(self.values[name]).take(train, axis=0)
            if name in self.by_row
            else self.values[name]
            for keyword, name in takes.items()
        }

    def taken_by(self, estimator: Estimator) -> dict[str, Any]:
        """Return what a learner is passed on all rows, by which a store knows it again."""
        return {keyword: self.values[name] for keyword, name in estimator.takes.items()}


def read_metadata(params: Any, groups: Any, X: Any, n: int) -> Metadata | None:
    """Check parameters of fit, and put groups beside them; None where there is neither."""
    if params is not None and not isinstance(params, Mapping):
        raise DataError(
            "The 'params' parameter must be a mapping of names to values, got "
            f"{type(params).__name__}. Pass params={{'sample_weight': weights}}"
        )
    given = {str(name): value for name, value in (params or {}).items()}
    if "groups" in given:
        raise DataError(
            "The 'params' parameter must not contain 'groups'. Pass groups=… instead: the design "
            "and the learners that ask for them get the same"
        )
    check_pairing({"X": X, **given})
    values, by_row = {}, set()
    for name, value in {**given, **({} if groups is None else {"groups": groups})}.items():
        has_rows = _length(value) == n
        values[name] = np.asarray(value) if has_rows else value
        by_row |= {name} if has_rows else set()
        if name.endswith("sample_weight") and value is not None and not has_rows:
            raise DataError(
                f"The 'params' parameter must contain one {name} for each of the {n} rows of X, "
                f"got {_length(value) or type(value).__name__}"
            )
    return Metadata(values, frozenset(by_row)) if values else None


def _length(value: Any) -> int | None:
    """Return the number of rows of something like an array."""
    if isinstance(value, str | bytes | Mapping) or not hasattr(value, "__len__"):
        return None
    return len(value)


def assign(estimators: Iterable[Estimator], metadata: Metadata | None, scorer: Any) -> list[Note]:
    """Settle which learner takes what, before anything is fitted.

    With scikit-learn's metadata routing enabled each takes what it requests. Without it, parameters
    go to the fit of every learner, as in `cross_validate`, and groups to those that request them,
    such as a search with cv=GroupKFold().
    """
    from sklearn import get_config

    if metadata is None:
        return []
    names = list(metadata.values)
    others = [name for name in names if name != "groups"]
    routing = bool(get_config()["enable_metadata_routing"])
    if routing and _requested(scorer, "score", others):
        raise DataError(
            "The 'scoring' parameter must be a scorer without requested metadata: test rows count "
            "equally. Call set_score_request(sample_weight=False) on it"
        )
    notes = []
    for estimator in estimators:
        if routing:
            estimator.takes, estimator.routed = _requested(estimator, "fit", names), True
            left = [name for name in others if name not in estimator.takes.values()]
            if left:
                notes.append(
                    Note("OP511", f"{estimator.name!r} is fitted without {', '.join(left)}.")
                )
            continue
        estimator.takes = _requested(estimator, "fit", [name for name in names if name == "groups"])
        estimator.routed = bool(estimator.takes)
        if estimator.takes and others:
            raise DataError(
                f"{estimator.name!r} requests groups for its own cross-validation, and 'params' "
                f"must then be routed. Call {ENABLE} and say with set_fit_request which step takes "
                f"{others[0]}"
            )
        for name in others:
            _check_keyword(estimator, name)
            estimator.takes[name] = name
    unused = {*others} - {name for estimator in estimators for name in estimator.takes.values()}
    if unused:
        raise DataError(
            f"No learner requests {', '.join(sorted(unused))}. Call "
            f"set_fit_request({min(unused)}=True) on those that should take it, or leave it out"
        )
    return notes


def _requested(taker: Any, method: str, names: list[str]) -> dict[str, str]:
    """Return the keywords of a method, with the names of the metadata that they are to hold."""
    from sklearn import config_context, get_config
    from sklearn.exceptions import UnsetMetadataPassedError
    from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping

    part = getattr(taker, "prototype", taker)
    if not names or not hasattr(part, "get_metadata_routing"):
        return {}
    asked = bool(get_config()["enable_metadata_routing"])
    with config_context(enable_metadata_routing=True):
        try:
            mapping = MethodMapping().add(caller=method, callee=method)
            router = MetadataRouter(owner="run").add(part=part, method_mapping=mapping)
            found = router.route_params(caller=method, params={name: name for name in names})
        except UnsetMetadataPassedError as error:
            if not asked or method == "score":  # nobody was asked whether they are wanted
                return {}
            raise DataError(f"{getattr(taker, 'name', 'scoring')!r}: {error}") from None
        except NotImplementedError:  # a meta-estimator that does not route
            return {}
    return dict(found.part[method])


def _check_keyword(estimator: Estimator, name: str) -> None:
    """Refuse a parameter that the fit of a learner does not have."""
    try:
        known = inspect.signature(estimator.prototype.fit).parameters
    except (TypeError, ValueError):  # compiled code may not tell
        return
    if name not in known and all(p.kind is not p.VAR_KEYWORD for p in known.values()):
        raise DataError(
            f"{estimator.name!r} has no {name} in fit. Remove the learner or the parameter, or "
            f"call {ENABLE} to pass it only to learners that request it"
        )
