"""Cells: learner × dataset × address, each needed once; and the design their grid speaks for."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import islice, product

import numpy as np
import numpy.typing as npt

from ..designs import Design, parse
from ..errors import DataError, argument
from ..numerics.exact_sums import Array
from ..scores.split_scores import has_holes
from .column_names import listed, shown
from .score_table import Codes

AXES = ("learner", "dataset", "partition", "repeat", "fold")
OF_SEEDS = ("seeds", "splits-and-seeds")
"""Kinds of design that say what the seeds of a file are."""
Labels = tuple[list[str], ...]
MOST_COUNTED = 10
Grid = tuple[int, int, int]


def numbered(groups: Codes) -> Codes:
    """Number the rows of each group from 0 up, as they come."""
    order = np.argsort(groups, kind="stable")
    first = np.searchsorted(groups[order], groups[order])
    numbers = np.empty_like(groups)
    numbers[order] = np.arange(groups.size) - first
    return numbers


def in_order(
    codes: Codes, labels: Labels, place: Callable[[int], str], remedy: Callable[[], str]
) -> Codes:
    """Return the order that sorts the cells (axes × rows); refuse cells that come twice."""
    order = np.lexsort(codes[::-1])
    cells = codes[:, order]
    twice = (cells[:, 1:] == cells[:, :-1]).all(axis=0)
    if twice.any():
        at = int(twice.argmax())
        cell = tuple(int(code) for code in cells[:, at])
        where = " and ".join(place(int(row)) for row in sorted(order[at : at + 2]))
        many = f"{int(twice.sum())} duplicate rows: " if twice.sum() > 1 else ""
        raise DataError(
            f"{many}{where} are both {_learner(cell, labels)}{_address(cell, labels)}; each "
            f"learner needs one score per split. {remedy()}"
        )
    return order


def refuse_gaps(codes: Codes, labels: Labels, plan: Design | None) -> None:
    """Refuse cells (axes × rows) of which some never come.

    Where the design has a grid with holes, they are none of its splits.
    """
    grid = tuple(map(len, labels[2:]))
    planned = None
    if plan is not None and has_holes(plan) and plan.shape == grid:
        planned = {tuple(row) for row in plan.addresses().tolist()}
    n_splits = math.prod(grid) if planned is None else len(planned)
    expected = len(labels[0]) * len(labels[1]) * n_splits
    if codes.shape[1] == expected:
        return
    missing = islice(_missing(codes, labels, planned), 4)
    first = next(missing, None)
    if first is None:
        raise DataError(f"Some splits do not belong to {plan}; pass the design that made them")
    mine = [first, *(cell for cell in missing if cell[0] == first[0])]
    where = ",".join(_address(cell, labels) for cell in mine[:3])
    more = ", …" if expected - codes.shape[1] > len(mine[:3]) else ""
    raise DataError(
        f"incomplete: {codes.shape[1]:,} of {expected:,} scores; missing for "
        f"{_learner(first, labels)}:{where}{more}. Every learner needs every split: run the "
        f"missing fits, or drop those splits for every learner: {argument(drop_incomplete=True)}"
    )


def with_gaps(codes: Codes, labels: Labels, cells: Codes) -> Codes:
    """Return cells (learners × splits that some learner has), −1 where a learner lacks one.

    `codes` (axes × cells) say where each cell stands, at most one in each place.
    """
    splits, at = np.unique(split_of(codes, labels), return_inverse=True)
    found = np.full((len(labels[0]), splits.size), -1, dtype=np.int64)
    found[codes[0], at] = cells
    return found


def split_of(codes: Codes, labels: Labels) -> Codes:
    """Return the number of each cell's split on the grid of datasets and addresses."""
    grid = tuple(len(names) for names in labels[1:])
    numbers: Codes = np.ravel_multi_index(tuple(codes[1:]), grid).astype(np.int64)
    return numbers


def whole_splits(codes: Codes, labels: Labels) -> tuple[npt.NDArray[np.bool_], list[str]]:
    """Tell of every split of the grid whether all learners have it, and name those that lack one.

    Cells come at most once.
    """
    grid = tuple(len(names) for names in labels[1:])
    present = np.zeros((math.prod(grid), len(labels[0])), dtype=bool)
    present[split_of(codes, labels), codes[0]] = True
    whole = np.asarray(present.all(axis=1))
    lacking = []
    for split in np.flatnonzero(~whole):
        cell = (0, *map(int, np.unravel_index(split, grid)))
        who = [name for name, there in zip(labels[0], present[split], strict=True) if not there]
        lacking.append(f"{_address(cell, labels).strip()} ({listed(who, 3)})")
    return whole, lacking


def _missing(
    cells: Codes, labels: Labels, planned: set[tuple[int, ...]] | None
) -> Iterator[tuple[int, ...]]:
    present = set(zip(*cells.tolist(), strict=True))
    for cell in product(*(range(len(names)) for names in labels)):
        if cell not in present and (planned is None or cell[2:] in planned):
            yield cell


def _learner(cell: tuple[int, ...], labels: Labels) -> str:
    return shown(labels[0][cell[0]])


def _address(cell: tuple[int, ...], labels: Labels) -> str:
    """Say where a cell is, by the labels of the file; axes without a column have one label, ""."""
    words = [
        f" {axis} {names[code] if len(names[code]) <= 60 else shown(names[code])}"
        for axis, names, code in zip(AXES[1:], labels[1:], cell[1:], strict=True)
        if names[code]
    ]
    return "".join(words) or " (its only split)"


def planned_addresses(plan: Design, grid: Grid) -> Codes:
    """Return the addresses of a design's splits, in order, if the grid found can hold them."""
    shape = plan.shape or grid
    size = math.prod(grid)
    one_row = sum(n > 1 for n in grid) <= 1 and not has_holes(plan)
    if shape != grid and not (one_row and math.prod(shape) == size):
        likely = _crossed(grid)
        if plan.kind in OF_SEEDS and grid == (1, size, 1):
            likely = f"{size}seeds"
        elif plan.kind in OF_SEEDS and grid[0] > 1:
            likely = f"{grid[0]}seeds*{_crossed((1, *grid[1:]))}"
        raise DataError(
            f"design {plan} has {_shape(shape)}, but the scores have {_shape(grid)}. Pass the "
            f"design that made these scores, such as {argument(design=likely)}, or name the "
            f"columns: {argument(repeat=..., fold=...)}"
        )
    if plan.shape is not None:
        return plan.addresses()
    addresses = np.stack(np.unravel_index(np.arange(math.prod(shape)), shape), axis=1)
    return addresses.astype(np.int64)


def halved(codes: Codes, labels: Labels) -> Design | None:
    """Return the calibrated design whose cells these are: two sides of all partitions but 0."""
    _, _, partitions, repeats, folds = map(len, labels)
    if partitions < 3 or repeats < 3 or folds < 2 or labels[2][0] != "0":
        return None
    plan = parse(f"{repeats}x{folds}cv+{partitions - 1}halves")
    cells = np.unique(codes[2:], axis=1).T.tolist()
    return plan if cells == sorted(plan.addresses().tolist()) else None


def sized_as_halves(partition: Codes, n_train: Array | None, n_test: Array | None) -> bool:
    """Return whether partition 0 has all items and the others half of them, where that is known."""
    if n_train is None or n_test is None:
        return True
    items = n_train + n_test
    each = np.where(partition == 0, items, 2 * items)
    return bool(np.ptp(each) <= 1)


def inferred_design(
    grid: Grid, n_train: Array | None, n_test: Array | None, *, folds_named: bool, counted: bool
) -> tuple[str | None, str]:
    """Return the cross-validation a grid and its sizes speak for, if any, and what to say of it.

    A column "split" may number random splits as well as folds. `counted` folds are known by their
    numbers alone: up to MOST_COUNTED they are taken for folds, but more may as well be repeated
    cross-validation in one row, or random splits.
    """
    _, repeats, folds = grid
    text = _crossed(grid)
    other = argument(design=f"{max(repeats, 1) * folds}xresampled@1/3")
    hint = f"pass the one that made them, such as {other}"
    if math.prod(grid) == 1:
        return None, ""
    if folds > 1 and n_train is not None and n_test is not None:
        items = n_train + n_test
        if np.ptp(items) > 0 or (np.abs(n_test - items / folds) > 1).any():
            return None, (
                f"{_shape(grid)}, but n_train and n_test do not match {text}: no design was "
                f"inferred; {hint}."
            )
    elif repeats == 1 and not folds_named:
        if counted and folds <= MOST_COUNTED:
            return (
                text,
                f"Design read as {text} from {_shape(grid)}; for random splits, pass {other}.",
            )
        return None, f"No design was inferred from {_shape(grid)}: {hint}."
    if folds == 1:
        return None, f"No design was inferred from {_shape(grid)} of one split: {hint}."
    whole = next((k for k in (10, 5, 3) if folds % k == 0), None)
    if repeats == 1 and folds > MOST_COUNTED and whole is not None and n_train is None:
        repeated = argument(design=f"{folds // whole}x{whole}cv")
        return text, (
            f"Design read as {text} from {_shape(grid)}; if they are repeats of "
            f"cross-validation with fewer folds, pass the design, such as {repeated}."
        )
    return text, f"Design read as {text} from {_shape(grid)}."


def design_of_each(
    places: Codes, n_train: Array | None, n_test: Array | None
) -> tuple[str | None, str]:
    """Return the cross-validation that was made on every dataset, if any, and what to say of it.

    `places` are the codes (axes × splits) of the splits of all datasets.
    """
    codes, counts = np.unique(places[1], return_counts=True)
    each = f"{codes.size} datasets, each of which counts as one"
    if counts.max() == 1:
        return None, f"No design was read: {each}."
    if counts.min() < counts.max():
        return None, (
            f"No design was read: datasets have {counts.min()} to {counts.max()} splits, and the "
            "mean score on each counts."
        )
    found = set()
    for code in codes:
        at = places[1] == code
        sizes = (None if size is None else size[at] for size in (n_train, n_test))
        inside = places[2:, at]
        n = tuple(int(axis.max()) + 1 for axis in inside)
        grid = n[0], n[1], n[2]
        whole = math.prod(grid) == inside.shape[1]
        how = inferred_design(grid, *sizes, folds_named=True, counted=False)
        found.add(how[0] if whole else None)
    text = found.pop() if len(found) == 1 else None
    if text is None:
        return None, f"No design was read: {each}."
    return text, f"Design read as {text} on each of {codes.size} datasets, which count as one each."


def _crossed(grid: Grid) -> str:
    """Return the cross-validation of a grid, or random splits where it has one fold."""
    partitions, repeats, folds = grid
    if folds == 1:
        return f"{max(partitions * repeats, 1)}xresampled@1/3"
    text = f"{repeats}x{folds}cv" if repeats > 1 else f"{folds}cv"
    return f"{partitions}*{text}" if partitions > 1 else text


def _shape(grid: Grid) -> str:
    words = [
        f"{n:,} {word}s"
        for n, word in zip(grid, ("partition", "repeat", "fold"), strict=True)
        if n > 1
    ]
    return " × ".join(words) or "1 split"
