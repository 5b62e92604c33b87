"""Splits that were given: of a kind that is known, or of none."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

from ..errors import DesignError
from . import splitting
from .base import Design, parse
from .splitting import Block, whole


@dataclass(frozen=True, slots=True, repr=False)
class Custom(Design):
    """Splits that are of no other kind: `7custom`."""

    splits: int
    kind: ClassVar[str] = "custom"
    form: ClassVar[str] = "{splits}custom"
    sentence: ClassVar[str] = "{splits:split}"
    drawn: ClassVar[bool] = False
    repeatable: ClassVar[bool] = False

    def __post_init__(self) -> None:
        self._settle(splits=whole(self.splits, "splits", 2))

    @property
    def shape(self) -> tuple[int, int, int]:
        return 1, self.splits, 1

    def block(self, n: int, partition: int) -> tuple[Block, splitting.Cut]:
        raise _cannot_draw(self)


@dataclass(frozen=True, slots=True, repr=False)
class Given(Design):
    """Splits that were given, by what they are: `10cv/given`. It cannot make them again."""

    of: Design
    by: str = field(default="", compare=False)
    """What gave them, to be shown."""
    form: ClassVar[str] = "{of}/given"
    sentence: ClassVar[str] = "{of}"
    drawn: ClassVar[bool] = False
    repeatable: ClassVar[bool] = False
    giveable: ClassVar[bool] = False

    def __post_init__(self) -> None:
        of = parse(self.of)
        if not of.giveable:
            raise DesignError(f"splits of {of} cannot be given; use for example '10cv/given'")
        self._settle(of=of)

    @property
    def kind(self) -> str:  # type: ignore[override]
        return self.of.kind

    @property
    def shape(self) -> tuple[int, int, int] | None:
        return self.of.shape

    @property
    def test_train_ratio(self) -> Fraction | None:
        return self.of.test_train_ratio

    @property
    def family(self) -> str:
        return str(self)

    def describe(self) -> str:
        """Say what the splits are; whether they are random only the giver knows."""
        said = self.of._said(self.of.sentence.replace("random ", ""))
        return said + (f" (splits given by {self.by})" if self.by else " (given splits)")

    def block(self, n: int, partition: int) -> tuple[Block, splitting.Cut]:
        raise _cannot_draw(self)


def _cannot_draw(design: Design) -> DesignError:
    return DesignError(
        f"{design} describes splits that were passed in, and cannot draw them again; pass the "
        "same splitter or list: design=splitter, or a list of (train, test) pairs"
    )
