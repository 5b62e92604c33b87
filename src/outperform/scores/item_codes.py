"""Labels of items, such as their clusters, as small whole numbers and the words they stand for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from ..errors import DataError

T = TypeVar("T")


@dataclass(frozen=True, eq=False, slots=True)
class Codes:
    """A label for each item: `labels[codes[i]]`."""

    codes: npt.NDArray[np.int64]
    labels: tuple[str, ...]

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """How many items have each label."""
        return np.bincount(self.codes, minlength=len(self.labels))

    def at(self, chosen: npt.NDArray[Any]) -> Codes:
        """Return the labels of some items; those that none of them has are dropped."""
        kept, codes = np.unique(self.codes[chosen], return_inverse=True)
        return Codes(codes.astype(np.int64), tuple(self.labels[i] for i in kept))

    def of(self, at: int) -> str:
        """Return the label of one item."""
        return self.labels[int(self.codes[at])]


def coded(values: Any, n: int, name: str) -> Codes:
    """Return labels as codes, numbered as they first appear; none may be missing."""
    given = values.to_list() if hasattr(values, "to_list") else list(values)
    of_length(given, n, name)
    known: dict[str, int] = {}
    codes = np.empty(n, dtype=np.int64)
    for at, label in enumerate(given):
        if label is None or label != label:
            raise DataError(
                f"The {name!r} parameter must have a label for every item, but item {at} has none."
            )
        codes[at] = known.setdefault(str(label), len(known))
    return Codes(codes, tuple(known))


def of_length(values: T, n: int, name: str) -> T:
    """Return values if there is one for each of n items."""
    found = len(values)  # type: ignore[arg-type]
    if found != n:
        raise DataError(
            f"The {name!r} parameter must have an entry for each of {n} items, got {found}."
        )
    return values
