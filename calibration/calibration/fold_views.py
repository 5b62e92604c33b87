"""What methods read of two learners over cross-validations: views of many experiments at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from outperform.designs import CalibratedKFold, Design, PairedHalves
from outperform.errors import DataError, MethodError
from outperform.lab.scenarios import Reading, ScenarioView, stream
from outperform.numerics.exact_sums import Array
from outperform.views import Calibration, Contingency, Crossed, Differences, Halves, ItemDifferences

from .fold_labels import FoldLabels

LEAST = 1e-15
"""Probabilities are kept from 0 by so much, as scikit-learn's log loss was."""
Losses: TypeAlias = npt.NDArray[Any]
"""Losses of items, shape (E, cross-validations, n), or of folds, (E, cross-validations, K)."""


@dataclass(frozen=True, eq=False)
class FoldOutcomes:
    """Cross-validations, and the losses of the first and of the second learner in them.

    Losses are of items, 0 where an item is not tested, or of whole folds where a metric has no
    loss of an item. Of 0/1 losses, True is wrong.
    """

    folds: FoldLabels
    first: Losses
    second: Losses
    of_items: bool = True

    def part(self, some: slice) -> FoldOutcomes:
        """Return some of the cross-validations."""
        return FoldOutcomes(
            self.folds.first(some), self.first[:, some], self.second[:, some], self.of_items
        )

    def scores(self) -> tuple[Array, Array]:
        """Return what each learner scored on each fold, greater being better: (E, B, K)."""
        first, second = (
            1 - (self.folds.fold_means(losses) if self.of_items else losses)
            for losses in (self.first, self.second)
        )
        return first, second

    def gaps(self) -> Losses:
        """Return how much better the first is on every item, or on every fold."""
        if self.first.dtype == np.bool_:
            return np.asarray(self.second.astype(np.int8) - self.first)
        return np.asarray(self.second - self.first)

    def fold_gaps(self) -> Array:
        """Return how much better the first is on each fold, (E, B, K)."""
        return self.folds.fold_means(self.gaps()) if self.of_items else np.asarray(self.gaps())

    def squares(self) -> Array:
        """Return the mean squared gap of items, averaged within and over folds: (E,)."""
        gaps = self.gaps()
        squared = np.abs(gaps) if gaps.dtype == np.int8 else gaps**2
        return np.asarray(self.folds.fold_means(squared).mean(axis=(1, 2)))


class FoldContest(Protocol):
    """Two learners on datasets of n items, run over any cross-validations."""

    @property
    def n(self) -> int: ...
    def outcomes(
        self, data: Any, folds: FoldLabels, seed: np.random.SeedSequence
    ) -> FoldOutcomes: ...


def views_of(
    contest: FoldContest,
    readings: Sequence[Reading],
    data: Any,
    seed: np.random.SeedSequence,
    effect: float = 0.0,
) -> dict[Reading, ScenarioView]:
    """Run both learners over every split that readings need, and show each reading its own."""
    if effect:
        raise MethodError("Contests in batches have no effects; leave effects out")
    return shown(readings, outcomes_of(contest, readings, data, seed))


def outcomes_of(
    contest: FoldContest, readings: Sequence[Reading], data: Any, seed: np.random.SeedSequence
) -> dict[str, tuple[Design, FoldOutcomes]]:
    """Run both learners over every split of the largest design of each family.

    The seed settles the splits, and what learners draw; the same data may be split again.
    """
    found = {}
    for family, design in largest_of(readings).items():
        folds = FoldLabels.of(design, contest.n, split_seed(seed, family))
        found[family] = design, contest.outcomes(data, folds, seed)
    return found


def largest_of(readings: Sequence[Reading]) -> dict[str, Design]:
    """Return the design of each family that holds the splits of all others."""
    largest: dict[str, Design] = {}
    for asked in readings:
        most = largest.setdefault(asked.design.family, asked.design)
        largest[asked.design.family] = union(most, asked.design)
    return largest


def shown(
    readings: Sequence[Reading], found: Mapping[str, tuple[Design, FoldOutcomes]]
) -> dict[Reading, ScenarioView]:
    """Show each reading what it reads of the outcomes over its family of designs."""
    return {asked: view_of(asked, *found[asked.design.family]) for asked in readings}


def refuse_one_class(positive: npt.NDArray[np.bool_]) -> None:
    """Refuse test sets, (E, n), of which one has items of one class only."""
    if not (positive.any(axis=1) & ~positive.all(axis=1)).all():
        raise DataError(
            "A test set has items of one class only, where AUC does not exist. Use larger datasets "
            "(a larger n), or a design with larger test sets, such as '30xresampled@1/3'"
        )


def area(ranked: Array, positive: npt.NDArray[np.bool_]) -> Array:
    """Return the area under ROC curves: the chance that a positive is ranked higher, (E,)."""
    pairs = positive[:, :, None] & ~positive[:, None, :]
    n_pairs = pairs.sum(axis=(1, 2))
    refuse_one_class(positive)
    high, low = ranked[:, :, None], ranked[:, None, :]
    won = np.count_nonzero(pairs & (high > low), axis=(1, 2))
    tied = np.count_nonzero(pairs & (high == low), axis=(1, 2))
    return np.asarray((won + tied / 2) / n_pairs)


def split_seed(seed: np.random.SeedSequence, family: str) -> int:
    """Return the seed of the splits of a family of designs in a block."""
    key = int.from_bytes(sha256(family.encode()).digest()[:4], "big")
    return int(stream(seed, key).integers(1 << 31))


def union(one: Design, other: Design) -> Design:
    """Return the smallest design of a family that holds two of it."""
    larger = one if one.grows else other
    grown: Any = {
        name: max(getattr(each, name, 1) for each in (one, other)) for name in larger.grows
    }
    return replace(larger, **grown) if grown else one


def view_of(asked: Reading, drawn: Design, found: FoldOutcomes) -> ScenarioView:
    """Show outcomes over the splits of a design as what a reading reads of them, or of a part."""
    design, n = asked.design, found.folds.labels.shape[-1]
    if isinstance(design, CalibratedKFold) and isinstance(drawn, CalibratedKFold):
        on_all = slice(0, design.repeats)
        halves = slice(drawn.repeats, drawn.repeats + 2 * design.halvings)
        return calibration(found.part(on_all), found.part(halves), str(design))
    if isinstance(design, PairedHalves):
        return _paired_halves(found, design)
    if asked.view in (Contingency, ItemDifferences):
        return _of_items(asked, found)
    if asked.view is Crossed:
        tested = found.folds.labels[0, 0] == 0  # the same items for every training set
        lost = [side[:, :, tested] * 1.0 for side in (found.first, found.second)]
        return Crossed.subtract(*lost, lower_is_better=True)
    here = found.part(slice(0, design.n_splits(n) // found.folds.n_folds))
    grid = (len(found.first), *(design.shape or ()))
    first, second = (each.reshape(grid) for each in here.scores())
    return Differences.subtract(first, second, ratio=float(design.test_train_ratio or 0))


def calibration(on_all: FoldOutcomes, in_halves: FoldOutcomes, design: str = "") -> Calibration:
    """Return what `calibrated_t` reads of many experiments.

    Both halves of a halving follow each other among the cross-validations of halves.
    """
    whole, halves = on_all.fold_gaps(), in_halves.fold_gaps()
    n_reps, crossed, n_folds = halves.shape
    squares = None
    scale = np.ones(n_reps)  # right and wrong are scores between 0 and 1
    if on_all.of_items:
        squares = np.stack([on_all.squares(), in_halves.squares()], axis=-1)
    if on_all.first.dtype != np.bool_:
        sides = [np.abs(each).reshape(n_reps, -1) for each in (on_all.first, on_all.second)]
        scale = np.concatenate(sides, axis=-1).max(axis=-1)
    return Calibration(
        whole,
        halves.reshape(n_reps, crossed // 2, 2, n_folds),
        float(on_all.folds.labels.shape[-1]),
        scale,
        squares,
        design=design,
    )


def _paired_halves(found: FoldOutcomes, design: PairedHalves) -> Halves:
    """Show the splits of all data, then both halves of every halving, repeat by repeat."""
    gaps = found.fold_gaps()[..., 0]
    each = gaps[:, design.repeats :].reshape(len(gaps), design.halvings, design.repeats, 2)
    scores = [np.abs(side).reshape(len(gaps), -1).max(axis=-1) for side in found.scores()]
    return Halves(gaps[:, : design.repeats], each.mean(axis=2), np.maximum(*scores))


def _of_items(asked: Reading, found: FoldOutcomes) -> ScenarioView:
    """Show the test items of one split."""
    tested = found.folds.labels[0, 0] == 0
    first, second = (1 - side[:, 0, tested] for side in (found.first * 1, found.second * 1))
    if asked.view is Contingency:
        return Contingency.count(first, second)
    grid = (len(first), 1, 1, -1)
    return ItemDifferences.subtract(first.reshape(grid), second.reshape(grid))
