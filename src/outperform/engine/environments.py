"""Environments: what the workers of a cluster have installed, beside what is installed here."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from ..errors import OutperformError
from .estimators import Estimator
from .identity import packages

__all__ = ["check_environments", "check_failures"]

LACKING = re.compile(r"No module named '([\w.]+)'")
MOST = 10
"""Differences that are listed."""


def installed(names: Iterable[str]) -> dict[str, str | None]:
    """Return the versions of packages here, '' where one has none, None where it is lacking."""
    found: dict[str, str | None] = {"python": "{}.{}".format(*sys.version_info)}
    for name in names:
        try:
            found[name] = str(getattr(import_module(name), "__version__", ""))
        except ImportError:
            found[name] = None
    return found


def check_environments(client: Any, estimators: Iterable[Estimator], scorer: Any) -> None:
    """Refuse workers that lack a package of a learner or the scorer, or have another version."""
    names = sorted({"outperform", *packages(*(e.prototype for e in estimators), scorer)})
    here = installed(names)
    there = client.run(installed, names, on_error="return")
    differences = Counter(
        difference for found in there.values() for difference in _differences(here, found)
    )
    if differences:
        raise _refusal(f"{line} ({n} of {len(there)} workers)" for line, n in differences.items())


def _differences(here: Mapping[str, str | None], there: Any) -> Iterator[str]:
    if isinstance(there, BaseException):  # not even this module was found
        lacking = LACKING.search(str(there))
        there = {**here, (lacking[1] if lacking else str(there)): None}
    for name, version in there.items():
        if here.get(name, "") is not None and version != here.get(name, ""):
            shown = "cannot be imported there" if version is None else f"{version} there"
            yield f"{name}: {shown}" + (f", {here[name]} here" if here.get(name) else "")


def check_failures(errors: Iterable[str]) -> None:
    """Refuse workers that lack what a learner imports when it is fitted, if it is found here."""
    for text in errors:
        lacking = LACKING.search(text)
        if lacking and find_spec(lacking[1].partition(".")[0]) is not None:
            raise _refusal([f"{lacking[1]}: cannot be imported there"])


def _refusal(differences: Iterable[str]) -> OutperformError:
    lines = list(differences)
    more = [f"… and {len(lines) - MOST} more"] if len(lines) > MOST else []
    said = "The Dask workers do not have the same packages as this process:"
    advice = "Install the same versions there; put your own modules on the workers' PYTHONPATH."
    return OutperformError("\n  ".join([said, *lines[:MOST], *more]) + f"\n{advice}")
