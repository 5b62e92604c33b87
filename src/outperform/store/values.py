"""Values: the experiment a store belongs to, its learners, addresses and outcomes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ..numerics.exact_sums import Array

__all__ = [
    "STATUSES",
    "Address",
    "Counts",
    "Experiment",
    "Learner",
    "Outcome",
    "Problem",
    "Splits",
    "Status",
]

IntArray = npt.NDArray[np.int64]
Status = Literal["ok", "failed", "timeout", "killed"]
STATUSES: tuple[Status, ...] = ("ok", "failed", "timeout", "killed")


@dataclass(frozen=True, slots=True)
class Experiment:
    """What a store belongs to. Everything here must be the same for a store to be used again.

    Of `extra`, keys that begin with an underscore are kept to be shown but are not compared.
    """

    data: str
    """Fingerprint (hex) of the data: items, targets, groups."""
    design: str
    """The design as the string that `parse` reads back."""
    scoring: str
    seed: int
    n_items: int
    metric: str = "score"
    greater_is_better: bool = True
    loss: str | None = None
    """The kind of per-item loss that is kept, or None."""
    extra: Mapping[str, str] = field(default_factory=dict, hash=False)

    def to_json(self) -> str:
        return json.dumps(asdict(self) | {"extra": dict(self.extra)}, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Experiment:
        return cls(**json.loads(text))

    def differences(self, other: Experiment) -> list[str]:
        """Say what differs in `other`, the experiment asked for."""
        if self.data != other.data:
            said = [f"the data differ (fingerprint {self.data[:8]}… there, {other.data[:8]}… now)"]
        else:
            said = []
        there, now = self._compared(), other._compared()
        names = [name for name in [*there, *now] if there.get(name) != now.get(name)]
        for name in dict.fromkeys(names):
            said.append(f"{name} is {there.get(name)!r} there, {now.get(name)!r} now")
        return said

    def _compared(self) -> dict[str, object]:
        plain = {f.name: getattr(self, f.name) for f in fields(self)[1:-1]}
        return plain | {key: text for key, text in self.extra.items() if not key.startswith("_")}


class Learner(NamedTuple):
    """The identity of a column of cells."""

    name: str
    params: str
    """Hash (hex) of its parameters."""
    versions: str
    """Hash (hex) of the versions of the libraries it uses."""


class Address(NamedTuple):
    """Where a split stands in its design."""

    partition: int
    repeat: int
    fold: int


class Outcome(NamedTuple):
    """What came of one cell. Only an ok cell keeps a score and losses; both must be finite."""

    score: float | None
    seconds: float
    losses: Array | None
    status: Status
    error: str | None = None
    notes: tuple[tuple[str, str], ...] = ()


class Splits(NamedTuple):
    """Every split in address order, and a look-up of its test items."""

    addresses: IntArray
    n_train: IntArray
    n_test: IntArray
    items: Callable[[Address], IntArray]


class Counts(NamedTuple):
    """How far a learner is."""

    planned: int
    ok: int
    failed: int
    missing: int


@dataclass(frozen=True, slots=True)
class Problem:
    """Cells of one learner that stand in the way of a comparison for the same reason."""

    learner: str
    status: Literal["missing", "failed", "timeout", "killed"]
    count: int
    line: str = ""
    """The last line of the traceback."""
    example: str = ""
    """One traceback in full."""
    address: Address | None = None
    """Where the example happened."""
