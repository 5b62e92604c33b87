"""Sections that plug-ins add to the report of a comparison, in a table by title."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeAlias

from ...errors import DataError
from ...lazy import load_plug_ins
from ..formatting import sentence

if TYPE_CHECKING:
    from ...results.comparison import Comparison


Section: TypeAlias = Callable[["Comparison"], Iterable[str]]
"""From a comparison to paragraphs of plain text; without any the section is left out."""
SECTIONS: dict[str, Section] = {}


def register_section(title: str, write: Section) -> Section:
    """Add a section to every report of a comparison, before the methods paragraph.

    Parameters
    ----------
    title : str
        Heading of the section.
    write : callable
        Returns the paragraphs for a comparison; without any the section is left out.

    Returns
    -------
    callable
        The same function.

    Raises
    ------
    DataError
        If another plug-in has a section of that title.

    Examples
    --------
    >>> import outperform as op
    >>> section = op.extend.register_section("Sizes", lambda cmp: [f"{cmp.n} splits were used."])
    """
    taken = SECTIONS.get(title)
    if taken is not None and taken.__module__ != write.__module__:
        raise DataError(
            f"The title of a section must be new, got {title!r}, which {taken.__module__} "
            "registered; choose another."
        )
    SECTIONS[title] = write
    return write


def added(shown: Comparison) -> list[tuple[str, list[str]]]:
    """Return the title and the paragraphs of each section that has something to say."""
    load_plug_ins()
    made = ((title, list(map(sentence, write(shown)))) for title, write in SECTIONS.items())
    return [(sentence(title), said) for title, said in made if said]
