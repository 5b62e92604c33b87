"""Who is significantly better than whom, as a table of signs: readable with many learners."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..formatting import terminal
from ..group_sentences import letters_of

if TYPE_CHECKING:
    from ...results.comparison import Comparison


FEWEST = 13
"""Below, the matrix of estimates can be read."""
MOST = 80
"""Beyond, a page is too large to read."""
SIGNS = {"outperforms": "+", "outperformed": "−", "equivalent": "="}
UNDECIDED, ITSELF = "·", " "
WIDE = 3
"""Characters of a column: the signs of a row are one text, or a page would be too large."""
TURNED = {"outperforms": "outperformed", "outperformed": "outperforms"}


def sign_matrix(shown: Comparison, alpha: float, rope: float | None) -> list[dict[str, Any]]:
    """Return a row for each learner, best first, with a sign for each other; [] if not many."""
    if not FEWEST <= len(shown.names) <= MOST or shown.control is not None:
        return []
    found: dict[tuple[str, str], str] = {}
    for (first, second), outcome in zip(shown.pair_names, shown.outcomes(alpha, rope), strict=True):
        found[first, second] = outcome
        found[second, first] = TURNED.get(outcome, outcome)
    names = [shown.names[at] for at in shown.order()]
    letters = letters_of(shown.groups(alpha, rope))
    return [
        {
            "name": terminal(row),
            "letters": letters.get(row, ""),
            "signs": "".join(f"{sign:>{WIDE}}" for sign in _signs(row, names, found)),
        }
        for row in names
    ]


def numbers(rows: list[dict[str, Any]]) -> str:
    """Return the numbers of the columns, as wide as the signs below them."""
    return "".join(f"{number:>{WIDE}}" for number in range(1, len(rows) + 1))


def _signs(row: str, names: list[str], found: dict[tuple[str, str], str]) -> list[str]:
    return [
        ITSELF if row == column else SIGNS.get(found[row, column], UNDECIDED) for column in names
    ]
