"""What every design is and does: a frozen value that splits, describes itself and prints short.

A new design is one file in this folder, or a class of a plug-in: a subclass of `Design` (or of
`Switched`, where classes may be kept even and groups together) with a `kind`, the `form` of its
string, a `sentence`, its `shape` and its `block`. `parse` reads its string from then on.

Implements D-58.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from functools import cache
from hashlib import sha256
from importlib import import_module
from itertools import chain, groupby
from numbers import Integral
from pkgutil import iter_modules
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ..errors import DesignError, argument, counted
from ..lazy import load_plug_ins
from . import splitting
from .notation import EXAMPLES, Amount, fill, read_splitter, read_text
from .splitting import Block, IntArray, Sides, Sizes, Split, Units, training_rows, whole

Labels = npt.ArrayLike | None
SWITCHES = {"stratified": "stratification", "grouped": "groups kept together"}


@dataclass(frozen=True, slots=True, repr=False)
class Design:
    """How data are split.

    A design is a frozen value: it splits, describes itself, and prints as a short string that
    `outperform.parse` reads. A new design is a subclass with a `kind`, the `form` of its string, a
    `sentence`, its `shape` and its `block`.

    Examples
    --------
    >>> import outperform as op
    >>> design = op.parse("5x2cv")
    >>> isinstance(design, op.extend.Design), str(design), design.shape
    (True, '5x2cv', (1, 5, 2))
    >>> design.describe(), design.n_splits(), design.n_fits(), design.extent(0)
    ('2-fold cross-validation repeated 5 times', 10, 10, (5, 2))
    >>> design.sizes(10).n_train[:2], design.addresses()[:2].tolist(), design.order_of(0, 1)
    (array([5, 5]), [[0, 0, 0], [0, 0, 1]], (0, 1))
    >>> block, cut = design.block(10, 0)
    >>> block, str(design.keeping_groups(4))
    ([(5, 5), (5, 5)], '5x2cv/grouped')
    >>> next(design.split(10, random_state=0)).test
    array([0, 5, 6, 7, 8])
    """

    kind: ClassVar[str]
    """What methods name when they say which designs they are valid for."""
    form: ClassVar[str]
    """Its string, with fields in {}; what is in [] is left out where a field is None."""
    sentence: ClassVar[str]
    """Says how data are split; "{test:item}" is "1 item", "20 items" or "1/3 of the items"."""
    example: ClassVar[str] = ""
    """A string to offer where none can be read."""
    refuses: ClassVar[tuple[str, ...]] = ()
    """Switches that it cannot have."""
    drawn: ClassVar[bool] = True
    """Whether its splits are drawn here, by a seed."""
    shuffled: ClassVar[bool] = True
    """Whether training rows come in an order drawn by the seed; else in that of the data."""
    repeatable: ClassVar[bool] = True
    """Whether it can be repeated with independent partitions."""
    giveable: ClassVar[bool] = True
    """Whether splits that were given can be of this kind."""
    grows: ClassVar[tuple[str, ...]] = ()
    """Fields that can be larger while all splits of the smaller design stay as they are."""

    @property
    def stratified(self) -> bool:
        """Whether each split keeps the shares of the classes."""
        return False

    @property
    def grouped(self) -> bool:
        """Whether the items of a group stay together."""
        return False

    @property
    def shape(self) -> tuple[int, int, int] | None:
        """The numbers of partitions, repeats and folds; None if they depend on the data."""
        raise NotImplementedError

    def extent(self, partition: int, n: int | None = None) -> tuple[int, int]:
        """Return the numbers of repeats and folds of a partition.

        Parameters
        ----------
        partition : int
            Number of the partition.
        n : int, optional
            Number of items, for designs whose folds depend on it.

        Returns
        -------
        tuple of two int
            Repeats and folds.
        """
        _, repeats, folds = self.shape or (1, 1, whole(n, f"n, the number of items for {self},", 2))
        return repeats, folds

    def addresses(self, n: int | None = None) -> IntArray:
        """Return partition, repeat and fold of each split in order.

        Parameters
        ----------
        n : int, optional
            Number of items, for designs whose folds depend on it.

        Returns
        -------
        ndarray of shape (splits, 3)
            The addresses.
        """
        parts = []
        for partition in range((self.shape or (1,))[0]):
            repeat, fold = np.indices(self.extent(partition, n), dtype=np.int64).reshape(2, -1)
            parts.append(np.stack([np.full_like(repeat, partition), repeat, fold], axis=1))
        return np.concatenate(parts)

    def order_of(self, partition: int, repeat: int) -> tuple[int, int]:
        """Return to which partition and repeat the order of training rows belongs.

        Parameters
        ----------
        partition : int
            Number of the partition.
        repeat : int
            Number of the repeat.

        Returns
        -------
        tuple of two int
            Partition and repeat.
        """
        return partition, repeat

    @property
    def test_train_ratio(self) -> Fraction | None:
        """n_test / n_train; None if it depends on the data."""
        return None

    def block(self, n: int, partition: int) -> tuple[Block, splitting.Cut]:
        """Return the sizes of each fold of a repeat, and the function that splits it.

        Parameters
        ----------
        n : int
            Number of items.
        partition : int
            Number of the partition.

        Returns
        -------
        tuple of list and callable
            (n_train, n_test) of each fold, and what splits the items.

        Raises
        ------
        DesignError
            If there are too few items.
        """
        raise NotImplementedError

    def split(
        self,
        n: int,
        y: Labels = None,
        groups: Labels = None,
        *,
        random_state: int = 0,
        at: tuple[int, int] | None = None,
    ) -> Iterator[Split]:
        """Return an iterator over the splits of n items by partition, repeat and fold.

        A split depends on `random_state` and its address alone, and is the same on every platform.
        Training items are shuffled, as `run` passes them to learners.

        Parameters
        ----------
        n : int
            Number of items.
        y : array-like, optional
            Classes, for a stratified design.
        groups : array-like, optional
            Groups, for a grouped design.
        random_state : int, default=0
            Seed.
        at : tuple of two int, optional
            One (partition, repeat) to make without those before it.

        Returns
        -------
        iterator of Split
            Addresses with training and test items.

        Raises
        ------
        DesignError
            If the data cannot be split in this way.
        """
        units = replace(self._units(n, y, groups, random_state), tests_alone=True)
        seed = units.random_state
        splits = (
            Split(*at, fold, self._trained(n, train, test, seed, at), test)
            for at in self._blocks(n, at)
            for fold, (train, test) in enumerate(self._sides(units, *at))
        )
        # The first is made at once: data that cannot be split are refused here, not in a later loop
        return chain([next(splits)], splits)

    def _trained(
        self, n: int, train: IntArray | None, test: IntArray, seed: int, at: tuple[int, int]
    ) -> IntArray:
        """Return the training rows, in an order drawn by the seed unless time orders them."""
        if train is not None and not self.shuffled:
            return train
        return training_rows(n, train, test, seed, *self.order_of(*at))

    def sizes(self, n: int) -> Sizes:
        """Return the numbers of training and test items of each split.

        Parameters
        ----------
        n : int
            Number of items.

        Returns
        -------
        Sizes
            `n_train` and `n_test`; if grouped, those aimed at.
        """
        blocks = [
            self.block(whole(n, "n", 2), p)[0] * self.extent(p, n)[0]
            for p in range((self.shape or (1,))[0])
        ]
        return Sizes(*np.array(list(chain(*blocks)), dtype=np.int64).T)

    def n_splits(self, n: int | None = None) -> int:
        """Return the number of splits.

        Parameters
        ----------
        n : int, optional
            Number of items, for designs whose folds depend on it.

        Returns
        -------
        int
            Number of splits.
        """
        if self.shape is None:
            return whole(n, f"n, the number of items for {self},", 2)
        return math.prod(self.shape)

    def n_fits(self, n: int | None = None) -> int:
        """Return the number of fits of each learner, which is the number of splits.

        Parameters
        ----------
        n : int, optional
            Number of items, for designs whose folds depend on it.

        Returns
        -------
        int
            Number of fits.
        """
        return self.n_splits(n)

    def describe(self) -> str:
        """Return a sentence that says how data are split.

        Returns
        -------
        str
            The sentence.
        """
        return self._said(self.sentence)

    @property
    def family(self) -> str:
        """What a design has in common with its larger and smaller versions, such as "Nx10cv".

        Splits depend on the seed and their address, so that a larger design contains the splits of
        a smaller one.
        """
        values = self._values() | dict.fromkeys(self.grows, "N")
        return fill(self.form, values) + "".join(f"/{s}" for s in SWITCHES if values.get(s))

    @property
    def fingerprint(self) -> str:
        """A hash of the design, 16 hexadecimal digits."""
        return sha256(str(self).encode()).hexdigest()[:16]

    def keeping_groups(self, n_groups: int) -> Design:
        """Return the nearest design that keeps groups together.

        Parameters
        ----------
        n_groups : int
            Number of groups.

        Returns
        -------
        Design
            A grouped design.
        """
        folds = min(getattr(self, "folds", 10), n_groups)  # with more, every repeat is the same
        return parse(f"{folds}cv" + "/stratified" * self.stratified + "/grouped")

    def __str__(self) -> str:
        values = self._values()
        return fill(self.form, values) + "".join(f"/{s}" for s in SWITCHES if values.get(s))

    def __repr__(self) -> str:
        own = sorted(self._values().items(), key=lambda pair: pair[0] in SWITCHES)
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in own)})"

    def _values(self) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def _said(self, sentence: str) -> str:
        values = self._values()
        manner = " and ".join(words for switch, words in SWITCHES.items() if values.get(switch))
        for name, value in values.items():
            if isinstance(value, int | Fraction):
                values[name] = Amount(value)
            elif isinstance(value, Design):
                values[name] = value.describe()
        return fill(sentence, values) + f" with {manner}" * bool(manner)

    def _settle(self, **checked: object) -> None:
        """Put checked values into a frozen design, and check its switches."""
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        for name in SWITCHES:
            switch = getattr(self, name)
            if not isinstance(switch, bool):
                raise DesignError(f"{name} must be True or False, got {switch!r}")
            if switch and name in self.refuses:
                limit = ", with at most as many folds as there are groups" * (name == "grouped")
                raise DesignError(
                    f"{type(self).__name__} cannot be {name}; use '5cv/{name}'{limit}"
                )

    def _blocks(self, n: int, at: tuple[int, int] | None) -> Iterable[tuple[int, int]]:
        """Return every (partition, repeat) in order, or the one that is asked for."""
        partitions = (self.shape or (1,))[0]
        if at is None:
            return ((p, r) for p in range(partitions) for r in range(self.extent(p, n)[0]))
        inside = 0 <= at[0] < partitions
        repeats = self.extent(at[0] if inside else 0, n)[0]
        if not (inside and 0 <= at[1] < repeats):
            raise DesignError(
                f"{self} has {counted(partitions, 'partition')} and {counted(repeats, 'repeat')}; "
                f"{at} does not exist."
            )
        return [at]

    def _sides(self, units: Units, partition: int, repeat: int) -> Iterator[Sides]:
        block, cut = self.block(units.n, partition)
        return cut(units, block, partition, repeat)

    def _units(self, n: int, y: Labels, groups: Labels, random_state: object) -> Units:
        """Check what is to be split."""
        if random_state is None:
            raise DesignError("random_state must be an integer, got None; draw one and record it")
        seed = whole(random_state, "random_state", 0)
        self.block(whole(n, "n", 2), 0)
        if self.stratified and y is None:
            raise DesignError(f"{self} needs the class of each item; pass y")
        if self.grouped and groups is None:
            raise DesignError(f"{self} needs the group of each item; pass groups")
        codes = None if groups is None else splitting.encode(groups, n, "groups")
        if codes is not None and not self.grouped:
            count = int(codes.max()) + 1
            instead = "all items are in one group, so pass no groups"
            if count > 1:
                instead = f"use '{self.keeping_groups(count)}', or pass no groups"
            raise DesignError(
                f"{self} would split groups between training and test sets; {instead}"
            )
        classes = splitting.class_codes(y, n) if self.stratified and y is not None else None
        return Units(n, seed, classes, codes)


@dataclass(frozen=True, slots=True, repr=False)
class Switched(Design):
    """A design that can be stratified or grouped.

    Parameters
    ----------
    stratified : bool, default=False
        Whether each split keeps the shares of the classes.
    grouped : bool, default=False
        Whether the items of a group stay together.

    Examples
    --------
    >>> import outperform as op
    >>> issubclass(op.KFold, op.extend.Switched), op.KFold(5, grouped=True)
    (True, KFold(folds=5, stratified=False, grouped=True))
    """

    stratified: bool = field(default=False, kw_only=True)
    grouped: bool = field(default=False, kw_only=True)


def held_out(
    design: Design,
    n: int,
    classes: Labels,
    groups: Labels,
    random_state: int,
    at: tuple[int, int] | None = None,
) -> Iterator[tuple[tuple[int, int], list[Sides]]]:
    """Yield the folds of each (partition, repeat), without training sets that are all the rest."""
    units = replace(design._units(n, classes, groups, random_state), tests_alone=True)
    blocks = list(design._blocks(n, at))
    for cut, these in groupby(blocks, key=lambda block: design.block(n, block[0])[1]):
        alike = list(these)
        if cut is splitting.cross and units.classes is units.groups is None:
            folds = len(design.block(n, alike[0][0])[0])
            yield from zip(alike, splitting.cross_many(units, folds, alike), strict=True)
        else:
            yield from ((block, list(design._sides(units, *block))) for block in alike)


def parse(design: object) -> Design:
    """Read a design from its string, a number of folds or a scikit-learn splitter.

    Parameters
    ----------
    design : str, int, Design or splitter
        Such as "10x10cv/stratified".

    Returns
    -------
    Design
        A frozen value that prints as a short string.

    Raises
    ------
    DesignError
        If the design cannot be read.

    Notes
    -----
    Of a splitter the numbers and sizes are kept: it describes scores that were measured before.
    `run`, `compare` and `estimate` use its own splits instead.

    Examples
    --------
    >>> import outperform as op
    >>> op.parse("10 x 10 CV / stratified")
    RepeatedKFold(repeats=10, folds=10, stratified=True, grouped=False)
    >>> str(op.parse("30xresampled@10%/train.5"))
    '30xresampled@1/10/train1/2'
    """
    if isinstance(design, Design):
        return design
    if isinstance(design, Integral) and not isinstance(design, bool):
        design = f"{int(design)}cv"
    text = design if isinstance(design, str) else read_splitter(design)
    try:
        return _read(text, len(all_designs()))
    except DesignError:
        known = len(all_designs())
        load_plug_ins()
        if len(all_designs()) == known:
            raise
    return _read(text, len(all_designs()))


def parse_drawn(design: object, what: str) -> Design:
    """Read a design whose splits are drawn here, by our seeds; refuse one that has its own."""
    found = parse(design)
    if not (found.drawn and isinstance(design, str | Integral | Design)):
        instead = str(found) if found.drawn else "10x10cv"
        raise DesignError(
            f"{what} draws its own splits, so those of {type(design).__name__} cannot be used; "
            f"pass {argument(design=instead)}"
        )
    return found


@cache
def _read(text: str, _: int) -> Design:
    in_order = sorted(all_designs(), key=lambda kind: "{of}" in kind.form)
    kinds = {f"{kind.__module__}.{kind.__qualname__}": kind for kind in in_order}
    more = tuple(kind.example for kind in kinds.values() if kind.example)
    name, values = read_text(
        text,
        {name: kind.form for name, kind in kinds.items()},
        tuple(dict.fromkeys(EXAMPLES + more)),
    )
    return kinds[name](**values)


def all_designs() -> list[type[Design]]:
    """Return every design there is: those of this folder, and those of plug-ins."""
    _load()
    return [kind for kind in _below(Design) if "form" in vars(kind)]


@cache
def _load() -> None:
    folder = __name__.rpartition(".")[0]
    for module in iter_modules(import_module(folder).__path__):
        import_module(f"{folder}.{module.name}")


def _below(kind: type[Design]) -> Iterator[type[Design]]:
    for one in kind.__subclasses__():
        yield one
        yield from _below(one)
