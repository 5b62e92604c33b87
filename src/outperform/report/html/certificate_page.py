"""The page of a certificate: how far a verdict can be trusted for these learners and data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...readers.own_files import embedded
from ...results.result import versions
from .. import certificate_text as words
from ..figures.curves import draw_certificate
from ..figures.svg import Sheet, framed
from .page import checked_target, filled, replace_whole, stamp

if TYPE_CHECKING:
    from ...lab.certificates import Certificate


def write(found: Certificate, path: Any, *, force: bool = False) -> Path:
    """Write the page and return its path; whatever goes wrong, an old one stays whole."""
    target = checked_target(path, force=force, whose="certificate")
    replace_whole(target, render(found).encode())
    return target


def render(found: Certificate) -> str:
    """Return the page as text."""
    import sklearn
    from markupsafe import Markup

    used = {**versions(), "scikit-learn": sklearn.__version__}
    made = ", ".join(f"{name} {number}" for name, number in used.items())
    sheet = Sheet()
    sizes = "; ".join(" ".join(words.size_cells(row)[:3]) for row in found.tests)
    return filled(
        "certificate.html",
        sheet,
        answer=words.answer(found),
        figure=framed(
            draw_certificate(found, theme="page"),
            sheet,
            "sizes",
            f"Share of true null hypotheses rejected, in %: {sizes}.",
            "Share of true null hypotheses rejected, with 95 % intervals; the line is at 5 %.",
        ),
        title=f"{words.title(found)} · outperform certificate",
        question=words.QUESTION,
        about=words.title(found),
        tables=[
            ("sizes", words.size_line(found).rstrip(":") + ".", words.HEAD, words.size_cells),
            ("power", words.power_line(found).rstrip(":") + ".", words.POWER, words.power_cells),
        ],
        tests=found.tests,
        sentences=words.sentences(found),
        provenance=[("Seed", str(found.seed)), ("Versions", made), ("Written", stamp())],
        payload=Markup(embedded(found.to_dict())),
    )
