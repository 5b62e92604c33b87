"""Designs: how data are split, as values that print as a short string which `parse` reads back."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from fractions import Fraction
from functools import lru_cache
from hashlib import sha256
from itertools import chain, product
from numbers import Integral
from typing import Any, ClassVar, Generic, TypeVar, cast

import numpy as np
import numpy.typing as npt

from ..errors import DesignError
from . import splitting
from .notation import as_size, fill, read_splitter, read_text
from .splitting import Block, IntArray, Sides, Size, Sizes, Split, Units, address_seed, whole

__all__ = [
    "Custom",
    "Design",
    "DisjointTrainSets",
    "Given",
    "Holdout",
    "KFold",
    "LeaveOneOut",
    "PairedHalves",
    "Partitions",
    "RepeatedKFold",
    "Resampled",
    "Sizes",
    "Split",
    "address_seed",
    "held_out",
    "parse",
    "parse_drawn",
]


T = TypeVar("T")
Labels = npt.ArrayLike | None
SWITCHES = {"stratified": "stratification", "grouped": "groups kept together"}

# What every design offers, written once; the classes below add fields, checks and two forms.


class _Fact(Generic[T]):
    """A property whose type is known: `property(function)` is Any to a type checker."""

    def __init__(self, function: Callable[[Any], T]) -> None:
        self.function = function

    def __get__(self, design: object, owner: type) -> T:
        return self.function(design)


def _split(
    self: Design,
    n: int,
    y: Labels = None,
    groups: Labels = None,
    *,
    random_state: int = 0,
    at: tuple[int, int] | None = None,
) -> Iterator[Split]:
    """Yield the splits of `n` items by partition, repeat and fold.

    A split depends on `random_state` and its address alone, and is the same on every platform; `at`
    asks for one (partition, repeat) without making those before it. `y` holds the classes for a
    stratified design, `groups` the groups for a grouped one.
    """
    units = _units(self, n, y, groups, random_state)
    splits = (
        Split(*block, fold, *cast("tuple[IntArray, IntArray]", sides))
        for block in _blocks(self, n, at)
        for fold, sides in enumerate(_sides(self, units, *block))
    )
    # The first is made at once: data that cannot be split are refused here, not in a later loop.
    return chain([next(splits)], splits)


def held_out(
    design: Design,
    n: int,
    classes: Labels,
    groups: Labels,
    random_state: int,
    at: tuple[int, int] | None = None,
) -> Iterator[tuple[tuple[int, int], list[Sides]]]:
    """Yield the folds of each (partition, repeat), without training sets that are all the rest."""
    units = replace(_units(design, n, classes, groups, random_state), tests_alone=True)
    blocks = list(_blocks(design, n, at))
    folds, cut = _plan(design, n, 0)
    if cut is splitting.cross and units.classes is units.groups is None:
        return zip(blocks, splitting.cross_many(units, len(folds), blocks), strict=True)
    return ((block, list(_sides(design, units, *block))) for block in blocks)


def _blocks(design: Design, n: int, at: tuple[int, int] | None) -> Iterable[tuple[int, int]]:
    """Return every (partition, repeat) in order, or the one that is asked for."""
    partitions, repeats, _ = design.shape or (1, 1, n)
    if at is None:
        return product(range(partitions), range(repeats))
    if not (0 <= at[0] < partitions and 0 <= at[1] < repeats):
        raise DesignError(
            f"{design} has {partitions} partitions and {repeats} repeats, none at {at}"
        )
    return [at]


def _sizes(self: Design, n: int) -> Sizes:
    """Return the number of training and test items of each split (if grouped, those aimed at)."""
    partitions, repeats, _ = self.shape or (1, 1, n)
    blocks = [_plan(self, whole(n, "n", 2), p)[0] * repeats for p in range(partitions)]
    return Sizes(*np.array(list(chain(*blocks)), dtype=np.int64).T)


def _n_splits(self: Design, n: int | None = None) -> int:
    """Return the number of splits, which is the number of training runs of each learner (D-58)."""
    if self.shape is None:
        return whole(n, f"n, the number of items for {self},", 2)
    if isinstance(self, PairedHalves):
        return self.repeats + 2 * self.halvings * self.repeats  # E-N7
    return math.prod(self.shape)


def _text(self: Design) -> str:
    values = {field.name: getattr(self, field.name) for field in fields(self)}
    return fill(self.form, values) + "".join(f"/{s}" for s in SWITCHES if values.get(s))


def _describe(self: Design) -> str:
    """Say in one sentence how data are split."""
    design, sentence, source = self, self.sentence, ""
    if isinstance(self, Given):
        design = self.of
        sentence = design.sentence.replace("random ", "")  # which only the giver knows
        source = f" (splits given by {self.by})" if self.by else " (given splits)"
    values = {field.name: getattr(design, field.name) for field in fields(design)}
    for name, value in values.items():
        if isinstance(value, Fraction):
            values[name] = f"{value} of the"
        elif isinstance(value, Design):
            values[name] = value.describe()
    manner = " and ".join(words for switch, words in SWITCHES.items() if values.get(switch))
    said = fill(sentence, values) + f" with {manner}" * bool(manner)
    return re.sub(r"(?<![/\d])(1 (?:random |disjoint |training )*\w+)s\b", r"\1", said) + source


def _fingerprint(design: Design) -> str:
    return sha256(str(design).encode()).hexdigest()[:16]


def _shape(design: Design) -> tuple[int, int, int] | None:
    match design:
        case KFold() | RepeatedKFold():
            return 1, design.repeats, design.folds
        case Holdout() | Resampled():
            return 1, design.repeats, 1
        case PairedHalves():
            return 1 + design.halvings, design.repeats, 2
        case DisjointTrainSets():
            return 1, design.sets, 1
        case Partitions(of=of):
            return design.count, *(of.shape or (1, 1, 1))[1:]
        case Custom():
            return 1, design.splits, 1
        case Given(of=of):
            return of.shape
        case LeaveOneOut():
            return None


def _test_train_ratio(design: Design) -> Fraction | None:
    match design:
        case KFold() | RepeatedKFold():
            return Fraction(1, design.folds - 1)
        case Holdout(test=Fraction() as test) | Resampled(test=Fraction() as test, train=None):
            return test / (1 - test)
        case Resampled(test=Fraction() as test, train=Fraction() as train):
            return test / train
        case Resampled(test=int() as n_test, train=int() as n_train):
            return Fraction(n_test, n_train)
        case DisjointTrainSets(test=int() as n_test, size=n_train):
            return Fraction(n_test, n_train)
        case Partitions(of=of) | Given(of=of):
            return of.test_train_ratio
    return None


def _plan(design: Design, n: int, partition: int) -> tuple[Block, splitting.Cut]:
    """Return (n_train, n_test) of each fold of a repeat and what cuts it; refuse an n too small."""
    match design:
        case KFold() | RepeatedKFold():
            return splitting.fold_sizes(n, design.folds), splitting.cross
        case Holdout() | Resampled():
            return [splitting.side_sizes(n, design.test, design.train)], splitting.resample
        case PairedHalves():
            on_all, in_half = splitting.half_sizes(n, design.test)
            return ([in_half] * 2, splitting.halve) if partition else ([on_all], splitting.resample)
        case DisjointTrainSets():
            sizes = splitting.disjoint_sizes(n, design.sets, design.size, design.test)
            return [sizes], splitting.disjoin
        case Partitions(of=of):
            return _plan(of, n, partition)
        case LeaveOneOut():
            return [(n - 1, 1)] * n, splitting.leave_one_out
        case Custom() | Given():
            raise DesignError(
                f"{design} describes splits that were given, and cannot draw them again; pass what "
                "gave them: design=splitter, or a list of (train, test) pairs"
            )


def _sides(design: Design, units: Units, partition: int, repeat: int) -> Iterator[Sides]:
    block, cut = _plan(design, units.n, partition)
    return cut(units, block, partition, repeat)


def _units(design: Design, n: int, y: Labels, groups: Labels, random_state: object) -> Units:
    """Check what is to be split."""
    if random_state is None:
        raise DesignError("random_state must be an integer, got None; draw one and record it")
    seed = whole(random_state, "random_state", 0)
    _plan(design, whole(n, "n", 2), 0)
    if design.stratified and y is None:
        raise DesignError(f"{design} needs the class of each item; pass y")
    if design.grouped and groups is None:
        raise DesignError(f"{design} needs the group of each item; pass groups")
    if groups is not None and not design.grouped:
        codes = splitting.encode(groups, n, "groups")
        raise DesignError(
            f"{design} would tear groups apart; {_keeping_groups(design, int(codes.max()) + 1)}"
        )
    classes = splitting.class_codes(y, n) if design.stratified and y is not None else None
    return Units(
        n, seed, classes, None if groups is None else splitting.encode(groups, n, "groups")
    )


def _keeping_groups(design: Design, n_groups: int) -> str:
    """Say which design, as near as can be, keeps so many groups together."""
    if n_groups < 2:
        return "all items are in one group, so pass no groups"
    whole_groups: Design
    match design.of if isinstance(design, Partitions) else design:
        case Holdout() | Resampled() as drawn:
            whole_groups = replace(drawn, grouped=True)
        case KFold(folds=folds) | RepeatedKFold(folds=folds) as crossed if folds < n_groups:
            whole_groups = replace(crossed, grouped=True)
        case other:  # with as many folds as groups, every repeat would be the same
            folds = min(getattr(other, "folds", 10), n_groups)
            whole_groups = KFold(folds, stratified=other.stratified, grouped=True)
    if isinstance(design, Partitions):
        whole_groups = replace(design, of=whole_groups)
    return f"use '{whole_groups}', or pass no groups"


def _settle(design: Design, *refused: str, **checked: object) -> None:
    """Put checked values into a frozen design, and check its switches."""
    for name, value in checked.items():
        object.__setattr__(design, name, value)
    for name in SWITCHES:
        switch = getattr(design, name)
        if not isinstance(switch, bool):
            raise DesignError(f"{name} must be True or False, got {switch!r}")
        if switch and name in refused:
            limit = ", with at most as many folds as there are groups" * (name == "grouped")
            raise DesignError(f"{type(design).__name__} cannot be {name}; use '5cv/{name}'{limit}")


_FACTS = (_Fact(_shape), _Fact(_test_train_ratio), _Fact(_fingerprint))
_ALL = (_split, _sizes, _n_splits, _n_splits, _text, _describe, *_FACTS)


@dataclass(frozen=True, slots=True)
class Holdout:
    """One random split: `holdout@1/3`."""

    test: Size = Fraction(1, 3)
    _: KW_ONLY
    stratified: bool = False
    grouped: bool = False
    repeats: ClassVar[int] = 1
    train: ClassVar[None] = None
    kind: ClassVar[str] = "holdout"
    form: ClassVar[str] = "holdout[@{test}]"
    sentence: ClassVar[str] = "one random split with {test} items for testing"
    split, sizes, n_splits, n_fits, __str__, describe, shape, test_train_ratio, fingerprint = _ALL

    def __post_init__(self) -> None:
        _settle(self, test=as_size(self.test, "test"))


@dataclass(frozen=True, slots=True)
class KFold:
    """Cross-validation, each item tested once: `10cv` (D-07, D-23)."""

    folds: int = 10
    _: KW_ONLY
    stratified: bool = False
    grouped: bool = False
    repeats: ClassVar[int] = 1
    kind: ClassVar[str] = "kfold"
    form: ClassVar[str] = "{folds}cv"
    sentence: ClassVar[str] = "{folds}-fold cross-validation"
    split, sizes, n_splits, n_fits, __str__, describe, shape, test_train_ratio, fingerprint = _ALL

    def __post_init__(self) -> None:
        _settle(self, folds=whole(self.folds, "folds", 2))


@dataclass(frozen=True, slots=True)
class RepeatedKFold:
    """Cross-validation with a new shuffle for each repeat: `10x10cv`, `5x2cv` (D-24, R-14).

    One repeat is `KFold`; only `1x2cv` is kept apart, as r×2cv with r = 1 (D-26).
    """

    repeats: int = 10
    folds: int = 10
    _: KW_ONLY
    stratified: bool = False
    grouped: bool = False
    form: ClassVar[str] = "{repeats}x{folds}cv"
    sentence: ClassVar[str] = "{folds}-fold cross-validation repeated {repeats} times"
    split, sizes, n_splits, n_fits, __str__, describe, shape, test_train_ratio, fingerprint = _ALL

    def __post_init__(self) -> None:
        repeats, folds = whole(self.repeats, "repeats", 1), whole(self.folds, "folds", 2)
        if repeats == 1 and folds > 2:
            raise DesignError(f"repeats must be at least 2, got 1; one repeat is KFold({folds})")
        _settle(self, repeats=repeats, folds=folds)

    @property
    def kind(self) -> str:
        return "repeated-2fold" if self.folds == 2 else "repeated-kfold"


@dataclass(frozen=True, slots=True)
class Resampled:
    """Independent random splits: `30xresampled@1/3` (N-04, D-22).

    With `train`, as in `30xresampled@1/10/train1/2`, items on neither side are thrown out (N-28).
    """

    repeats: int
    test: Size
    train: Size | None = None
    _: KW_ONLY
    stratified: bool = False
    grouped: bool = False
    kind: ClassVar[str] = "resampled"
    form: ClassVar[str] = "{repeats}xresampled@{test}[/train{train}]"
    sentence: ClassVar[str] = (
        "{repeats} random splits with {test} items for testing[ and {train} items for training]"
    )
    split, sizes, n_splits, n_fits, __str__, describe, shape, test_train_ratio, fingerprint = _ALL

    def __post_init__(self) -> None:
        test = as_size(self.test, "test")
        train = None if self.train is None else as_size(self.train, "train")
        if isinstance(test, Fraction) and isinstance(train, Fraction):
            if test + train > 1:
                raise DesignError(f"test {test} and train {train} add up to more than all items")
            train = None if test + train == 1 else train
        _settle(self, repeats=whole(self.repeats, "repeats", 1), test=test, train=train)


@dataclass(frozen=True, slots=True)
class LeaveOneOut:
    """Each item tested alone: `loo`."""

    _: KW_ONLY
    stratified: bool = False
    grouped: bool = False
    kind: ClassVar[str] = "leave-one-out"
    form: ClassVar[str] = "loo"
    sentence: ClassVar[str] = "leave-one-out cross-validation"
    split, sizes, n_splits, n_fits, __str__, describe, shape, test_train_ratio, fingerprint = _ALL

    def __post_init__(self) -> None:
        _settle(self, "stratified", "grouped")


@dataclass(frozen=True, slots=True)
class PairedHalves:
    """Random splits of all data and of both halves of random halvings: `10x15halves@1/10` (N-19).

    Partition 0 holds the splits of all data, partition m the m-th halving, its halves as folds 0
    and 1. Test sets have one size throughout; of an odd number of items one is left out.
    """

    halvings: int
    repeats: int
    test: Size
    _: KW_ONLY
    stratified: bool = False
    grouped: bool = False
    kind: ClassVar[str] = "halves"
    form: ClassVar[str] = "{halvings}x{repeats}halves@{test}"
    sentence: ClassVar[str] = (
        "{repeats} random splits with {test} items for testing, "
        "and as many in both halves of {halvings} random halvings"
    )
    split, sizes, n_splits, n_fits, __str__, describe, shape, test_train_ratio, fingerprint = _ALL

    def __post_init__(self) -> None:
        test = as_size(self.test, "test")
        if isinstance(test, Fraction) and test >= Fraction(1, 2):
            raise DesignError(f"test must be less than half of the items, got {test}; try 1/10")
        halvings, repeats = whole(self.halvings, "halvings", 1), whole(self.repeats, "repeats", 1)
        _settle(self, "grouped", halvings=halvings, repeats=repeats, test=test)


@dataclass(frozen=True, slots=True)
class DisjointTrainSets:
    """Disjoint training sets of `size` items and one test set for all: `8disjoint@200` (D-06).

    The test set is what is left over, or as large as `test` says: `8disjoint@200/test500`.
    """

    sets: int
    size: int
    test: Size | None = None
    _: KW_ONLY
    stratified: bool = False
    grouped: bool = False
    kind: ClassVar[str] = "disjoint"
    form: ClassVar[str] = "{sets}disjoint@{size}[/test{test}]"
    sentence: ClassVar[str] = (
        "{sets} disjoint training sets of {size} items and one test set[ of {test} items]"
    )
    split, sizes, n_splits, n_fits, __str__, describe, shape, test_train_ratio, fingerprint = _ALL

    def __post_init__(self) -> None:
        test = None if self.test is None else as_size(self.test, "test")
        sets, size = whole(self.sets, "sets", 1), whole(self.size, "size", 1)
        _settle(self, "grouped", sets=sets, size=size, test=test)


@dataclass(frozen=True, slots=True)
class Partitions:
    """A design repeated with independent random partitions: `55*10cv` (B-07)."""

    count: int
    of: Design
    kind: ClassVar[str] = "partitions"
    form: ClassVar[str] = "{count}*{of}"
    sentence: ClassVar[str] = "{count} random partitions of {of}"
    split, sizes, n_splits, n_fits, __str__, describe, shape, test_train_ratio, fingerprint = _ALL

    def __post_init__(self) -> None:
        of = parse(self.of)
        if isinstance(of, PairedHalves | Partitions | LeaveOneOut | Custom | Given):
            raise DesignError(f"{of} has no independent partitions; use for example '55*10cv'")
        _settle(self, count=whole(self.count, "count", 1), of=of)

    @property
    def stratified(self) -> bool:
        return self.of.stratified

    @property
    def grouped(self) -> bool:
        return self.of.grouped


@dataclass(frozen=True, slots=True)
class Custom:
    """Splits that are of no other kind: `7custom`."""

    splits: int
    stratified: ClassVar[bool] = False
    grouped: ClassVar[bool] = False
    kind: ClassVar[str] = "custom"
    form: ClassVar[str] = "{splits}custom"
    sentence: ClassVar[str] = "{splits} splits"
    split, sizes, n_splits, n_fits, __str__, describe, shape, test_train_ratio, fingerprint = _ALL

    def __post_init__(self) -> None:
        _settle(self, splits=whole(self.splits, "splits", 2))


@dataclass(frozen=True, slots=True)
class Given:
    """Splits that were given, by what they are: `10cv/given`. It cannot make them again."""

    of: Design
    by: str = field(default="", compare=False)
    """What gave them, to be shown."""
    stratified: ClassVar[bool] = False
    grouped: ClassVar[bool] = False
    form: ClassVar[str] = "{of}/given"
    sentence: ClassVar[str] = "{of}"
    split, sizes, n_splits, n_fits, __str__, describe, shape, test_train_ratio, fingerprint = _ALL

    def __post_init__(self) -> None:
        of = parse(self.of)
        if isinstance(of, PairedHalves | DisjointTrainSets | Partitions | Given):
            raise DesignError(f"splits of {of} cannot be given; use for example '10cv/given'")
        _settle(self, of=of)

    @property
    def kind(self) -> str:
        return self.of.kind


_Once = Holdout | KFold | RepeatedKFold | Resampled | LeaveOneOut | DisjointTrainSets
Design = _Once | PairedHalves | Partitions | Custom | Given


def parse_drawn(design: object, what: str) -> Design:
    """Read a design whose splits are drawn here, by our seeds; refuse one that has its own."""
    found = parse(design)
    own = not isinstance(design, str | Integral | Design)
    if own or isinstance(found, Custom | Given):
        instead = "10x10cv" if isinstance(found, Custom | Given) else str(found)
        raise DesignError(
            f"{what} draws its own splits, so those of {type(design).__name__} cannot be used; "
            f"pass design={instead!r}"
        )
    return found


def parse(design: object) -> Design:
    """Read a design from its string, a number of folds or a scikit-learn splitter.

    >>> parse("10 x 10 CV / stratified")
    RepeatedKFold(repeats=10, folds=10, stratified=True, grouped=False)
    >>> str(parse("30xresampled@10%/train.5"))
    '30xresampled@1/10/train1/2'

    Of a splitter the numbers and sizes are kept: it describes scores that were measured already.
    `run`, `compare` and `estimate` use its very splits instead.
    """
    if isinstance(design, Design):
        return design
    if isinstance(design, Integral) and not isinstance(design, bool):
        return KFold(int(design))
    return _read(design if isinstance(design, str) else read_splitter(design))


@lru_cache(256)
def _read(text: str) -> Design:
    makers: dict[str, Callable[..., Design]] = {each.__name__: each for each in Design.__args__}
    name, values = read_text(text, {each.__name__: each.form for each in Design.__args__})
    return makers[name](**values)
