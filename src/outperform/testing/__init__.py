"""check_method: the laws that every method must keep, checked on inputs made for its view."""

from __future__ import annotations

import warnings
from typing import Any

from ..registry import Method, get, load_all
from .laws import HYGIENE, STATISTICS
from .subject import Law, Subject

__all__ = ["LAWS", "check_method"]

LAWS: dict[str, Law] = {law.__name__: law for law in (*HYGIENE, *STATISTICS)}


def check_method(method: Method | str, **options: Any) -> tuple[str, ...]:
    """Check every law on a method.

    One law that does not apply to the method's view is satisfied by default.

    Parameters
    ----------
    method : Method or str
        A method, or its name.
    **options : object
        Passed to every call, such as variant="exact".

    Returns
    -------
    tuple of str
        Names of the laws.

    Raises
    ------
    AssertionError
        With a sentence for each law that is broken.

    Examples
    --------
    >>> import outperform as op
    >>> "swap" in op.testing.check_method("conservative_z")
    True
    """
    load_all()
    chosen = get(method) if isinstance(method, str) else method
    subject = Subject(chosen, options, chosen.view.cases, chosen.first_counts)
    broken = [found for law in LAWS.values() if (found := _broken(law, subject)) is not None]
    if broken:
        raise AssertionError("\n".join(broken))
    return tuple(LAWS)


def _broken(law: Law, subject: Subject) -> str | None:
    """Return the first breach of a law as a sentence; a warning or an exception is one."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = next(law(subject), None)
    except Exception as error:
        found = f"but it raised {type(error).__name__}: {error}"
    if found is None:
        return None
    said = (law.__doc__ or "").strip().rstrip(".")
    return f"{subject.method.name} breaks the law {law.__name__!r}: {said}; {found}"
