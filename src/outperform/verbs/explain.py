"""`explain`: what a method is and when to use it, or what an OP code means."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..errors import MethodError, counted, did_you_mean
from ..notes import NOTES
from ..notes import code as note_code
from ..numerics.measured_sizes import SIZES
from ..references import PAPERS
from ..registry import Method, Procedure, Registered, registered, table
from ..views.call_docs import explanation
from .advise import measured


@dataclass(frozen=True, slots=True)
class Explanation:
    """Text about one method or code; prints as itself."""

    name: str
    text: str

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text


def explain(name_or_code: object) -> Explanation:
    """Explain a method, or the code of a note.

    Parameters
    ----------
    name_or_code : str or method
        Name of a method such as "corrected_t", the method itself, or a code such as "OP201".

    Returns
    -------
    Explanation
        Text that prints as itself.

    Raises
    ------
    MethodError
        If there is neither a method nor a note of that name.

    Examples
    --------
    >>> import outperform as op
    >>> op.explain("OP101").text.splitlines()[0]
    'OP101 (caution): All differences equal the null value: p = 1.'
    """
    if isinstance(name_or_code, Method | Procedure):
        return Explanation(name_or_code.name, _method(name_or_code))
    word = str(getattr(name_or_code, "__name__", name_or_code)).strip()
    if word.upper() in NOTES or re.fullmatch(r"[oO][pP]\d+", word):
        entry = note_code(word)
        return Explanation(
            entry.code, f"{entry.code} ({entry.severity}): {entry.line}\n\n{entry.explanation}"
        )
    known = table().names
    if word not in known:
        hint = did_you_mean(word, known)
        raise MethodError(f"{word!r} is neither a method nor an OP code; {hint}")
    return Explanation(word, _method(registered(word)))


def _method(m: Registered) -> str:
    said = explanation(m.kernel.__doc__).split("\n\n")
    body = "\n\n".join(" ".join(part.split()) for part in said)
    cost = "" if m.fits is None else f"{counted(m.fits, 'fit')} per learner ({m.published_design})"
    designs = [label.partition(" ")[2] for label in SIZES if label.split()[0] == m.name]
    rows = [
        ("paper", PAPERS.get(m.paper, m.paper)),
        ("reads", m.reads if isinstance(m, Procedure) else ""),
        ("designs", ", ".join(m.designs)),
        ("default for", ", ".join(m.default_for)),
        ("accounts for", m.sources),
        ("cost", cost),
        ("standing", m.standing + (f"; use {m.instead} instead" if m.instead else "")),
        ("advice", m.advice),
        *(("size", f"{design}: {measured(m.name, design)}") for design in designs),
        ("call", f"{m.name}{m.__signature__}"),
    ]
    table = "\n".join(f"{name + ':':<14}{words}" for name, words in rows if words)
    return f"{m.title}\n\n{body}\n\n{table}"
