"""The design of a run that names none: the calibrated one where the data allow it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..designs import Given, parse
from ..designs.calibrated_kfold import GROUPS_PER_FOLD
from ..designs.splitting import IntArray, class_codes
from ..errors import DataError, DesignError, OutperformError
from ..notes import Note
from ..storage import Store
from .learning_data import Data
from .split_plan import SplitPlan, check_size, draw_plan
from .time_order import times_of

PLAIN = "10x10cv"
ECONOMY = "5x5cv+20halves"
FEWEST = 40
"""Items below which a half has folds of fewer than four."""
FEWEST_GROUPS = GROUPS_PER_FOLD * 5
FOLDS = 10
"""Groups that fill the folds of 10x10cv: dealt again, as many make the same folds."""


def default_plan(
    data: Data,
    X: Any,
    seed: int,
    *,
    usual: str | None,
    store: Any,
    size: tuple[int, bool],
    admissible: Callable[[SplitPlan], object],
) -> tuple[SplitPlan, list[Note]]:
    """Draw the first design that these data allow; say which where it is not simply the default.

    `usual` is what the method that was asked for was published with. `size` is how many learners
    there are, and whether a large run is confirmed. `admissible` refuses halves that lack a class.
    """
    refused = []
    for name, why in _candidates(data, X, usual, store):
        design = parse(name)
        check_size(design, data.table.n, *size)
        codes = class_codes(data.y, data.table.n) if design.stratified else None
        try:
            plan = draw_plan(design, data.table.n, seed, codes, data.groups)
            admissible(plan)
        except DesignError as error:
            refused.append(error)
            continue
        return plan, [Note("OP001", f"No design was given: {design}, {why}.")] if why else []
    raise refused[0]


def _candidates(data: Data, X: Any, usual: str | None, store: Any) -> Iterator[tuple[str, str]]:
    """Yield designs in the order in which they are tried, and why each would be taken."""
    n, groups = data.table.n, data.groups
    kept = _stored(store, n, grouped=groups is not None)
    if groups is not None:
        yield from _keeping_groups(groups, usual, kept)
        return
    if kept is not None:
        yield _larger(kept, usual or ECONOMY, n)
        return
    if usual is not None:
        yield usual, ""
        return
    times = times_of(X) if hasattr(X, "columns") else None
    if n < FEWEST:
        yield PLAIN, f"because {n} items are too few to be halved"
    elif times is not None:
        at = times[0][0].lower() + times[0][1:]
        yield PLAIN, f"because {at} contains times, and halves ignore their order"
    else:
        yield ECONOMY, ""
        rare = "because a class is too rare for "
        yield f"{ECONOMY}/stratified", f"{rare}folds that are not stratified"
        yield PLAIN, f"{rare}halves of the data"


def _keeping_groups(
    groups: IntArray, usual: str | None, kept: str | None
) -> Iterator[tuple[str, str]]:
    count = int(groups.max()) + 1
    if count == 1:
        raise DataError(
            f"All {groups.size} rows belong to one group, so none is left to test on: groups are "
            "never split. Pass groups with at least 2 different values, or leave groups out"
        )
    if kept is not None:
        yield _larger(kept, f"{usual or ECONOMY}/grouped", groups.size)
        return
    plain = f"{PLAIN}/grouped" if count > FOLDS else f"{count}cv/grouped"
    if usual in (None, ECONOMY):
        if count >= FEWEST_GROUPS:
            yield f"{ECONOMY}/grouped", f"for {count} groups"
            yield f"{ECONOMY}/stratified/grouped", f"for {count} groups, with a rare class"
        few = f", fewer than {FEWEST_GROUPS}" * (count < FEWEST_GROUPS)
        yield plain, f"for {count} groups{few}"
    elif usual == PLAIN:
        yield plain, f"for {count} groups"
    else:
        try:
            yield str(parse(f"{usual}/grouped")), f"for {count} groups"
        except DesignError:
            yield str(parse(usual).keeping_groups(count)), f"for {count} groups"


def _larger(kept: str, usual: str, n: int) -> tuple[str, str]:
    """Return what a store has, or what it grows to without a lost fit where it has less."""
    try:
        there, asked = parse(kept), parse(usual)
    except DesignError:  # a design that cannot keep groups together
        return kept, "as in the store"
    grows = there.family == asked.family and there.n_splits(n) <= asked.n_splits(n)
    return (usual, "") if grows else (kept, "as in the store")


def _stored(store: Any, n: int, *, grouped: bool) -> str | None:
    """Return the design of a store that is to be resumed, where it can be drawn again."""
    from pathlib import Path

    try:
        if store is None or not Path(store).stat().st_size:
            return None
        with Store.open(store, mode="read") as kept:
            name, items = kept.experiment.design, kept.experiment.n_items
        design = parse(name) if name and items == n else None
    except (OSError, TypeError, ValueError, OutperformError):  # the store says what is wrong
        return None
    if design is None or isinstance(design, Given) or design.grouped != grouped:
        return None
    return name
