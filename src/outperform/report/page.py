"""The report: one HTML file that opens anywhere, loads nothing, and carries its own scores."""

from __future__ import annotations

import os
import tempfile
from base64 import b64encode
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import inputs
from ..errors import DataError
from ..readers.pages import payload
from ..result import versions
from . import sections
from .clean import terminal
from .figures.differences import ends_of
from .figures.svg import Sheet
from .headline import adjustment, headline

if TYPE_CHECKING:
    from ..families import Comparison

__all__ = ["render", "write"]

ITEM_VIEWS = ("Contingency", "ItemLosses", "Crossed")
"""What is made of item losses, which a page does not carry."""


def write(
    comparison: Comparison,
    path: Any,
    *,
    force: bool = False,
    alpha: float = 0.05,
    level: float | None = None,
    rope: float | None = None,
) -> Path:
    """Write the page and return its path; whatever goes wrong, an old one stays whole."""
    target = Path(path)
    if target.exists() and not force:
        raise DataError(
            f"{str(target)!r} is already there; a new name is needed. To overwrite it, pass "
            "force=True: comparison.report('report.html', force=True)"
        )
    if not target.parent.is_dir():
        raise DataError(
            f"{str(target.parent)!r} is not a directory; one that exists is needed. Make it: "
            f"mkdir -p {str(target.parent)!r}"
        )
    text = render(comparison, alpha=alpha, level=level, rope=rope)
    _replace(target, text.encode())
    return target


def render(
    comparison: Comparison,
    *,
    alpha: float = 0.05,
    level: float | None = None,
    rope: float | None = None,
) -> str:
    """Return the page as text."""
    import jinja2
    from markupsafe import Markup

    alpha = inputs.fraction(alpha, "alpha")
    level = 1 - alpha if level is None else inputs.fraction(level, "level")
    rope = None if rope is None else inputs.rope_width(rope)
    sheet = Sheet()
    rows = [
        {**row, **dict(zip(("low", "high"), ends_of(row["low"], row["high"]), strict=True))}
        for row in comparison.rows(level=level, alpha=alpha, rope=rope)
    ]
    asked = sections.Asked(alpha, level, rope)
    parts = sections.everything(comparison, rows, asked, sheet)
    loader = jinja2.PackageLoader("outperform.report")
    environment = jinja2.Environment(
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=False
    )

    def own(name: str) -> str:
        # Plain text of this package: a template would escape it.
        return loader.get_source(environment, name)[0]

    css = own("report.css") + sheet.css + "\n"
    script = own("report.js")
    policy = (
        f"default-src 'none'; style-src '{_digest(css)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    inside = None
    if comparison.scores is not None:
        inside = Markup(payload(comparison.scores, **_about(comparison, asked)))
    return environment.get_template("report.html").render(
        **parts,
        headline=headline(comparison, rows, alpha, level, rope),
        title=f"{_title(comparison)} · outperform",
        policy=policy,
        css=Markup(css),
        script=Markup(script),
        payload=inside,
        recipe=_recipe(comparison),
        reads_items=comparison.method.view in ITEM_VIEWS or comparison.method.layout == "items",
        provenance=_provenance(comparison),
        version=versions()["outperform"],
    )


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _title(comparison: Comparison) -> str:
    names = [terminal(name) for name in comparison.names]
    return " v ".join(names) if len(names) <= 3 else f"{len(names)} learners compared"


def _about(comparison: Comparison, asked: sections.Asked) -> dict[str, Any]:
    """Return what was asked of the scores, so that the same can be asked again."""
    return {
        "method": comparison.method.name,
        "adjust": comparison.adjust,
        "alternative": comparison.alternative,
        "control": comparison.control,
        "alpha": asked.alpha,
        "level": asked.level,
        "rope": asked.rope,
        "versions": versions(),
    }


def _recipe(comparison: Comparison) -> str:
    options = [f"method={comparison.method.name!r}"]
    if comparison.adjust != "holm":
        options.append(f"adjust={comparison.adjust!r}")
    if comparison.alternative != "two-sided":
        options.append(f"alternative={comparison.alternative!r}")
    if comparison.control is not None:
        options.append(f"control={terminal(comparison.control)!r}")
    return (
        "import outperform as op\n\n"
        'scores = op.Scores.read("report.html")\n'
        f"op.compare(scores, {', '.join(options)})"
    )


def _provenance(comparison: Comparison) -> list[tuple[str, str]]:
    scores = comparison.scores
    made = versions()
    design = comparison.design
    stamp = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.fromtimestamp(int(stamp), UTC) if stamp.isdecimal() else datetime.now(UTC)
    rows = [
        ("Design", "not known" if design is None else f"{design.describe()} ({design})"),
        ("Method", f"{comparison.method.title} ({comparison.method.name})"),
        ("Family", f"{comparison.n_pairs} pairs, {adjustment(comparison)}"),
        ("Values", f"{comparison.n:,} for each pair"),
        ("Seed", "not recorded" if comparison.seed is None else str(comparison.seed)),
        ("Design fingerprint", "" if design is None else design.fingerprint),
        ("Scores (sha256)", "" if scores is None else scores.digest()),
        ("Datasets", "" if scores is None else _datasets(scores.datasets)),
        ("Versions", ", ".join(f"{name} {number}" for name, number in made.items())),
        ("Written", now.strftime("%Y-%m-%d %H:%M UTC")),
    ]
    if comparison.n_pairs == 1:
        rows = [row for row in rows if row[0] != "Family"]
    return [(name, terminal(value)) for name, value in rows if value]


def _datasets(names: tuple[str, ...] | None) -> str:
    return "" if names is None else ", ".join(terminal(name) for name in dict.fromkeys(names))


def _replace(target: Path, data: bytes) -> None:
    """Write beside the target, then take its place at once: a full disk cannot harm the old one."""
    handle, beside = tempfile.mkstemp(dir=target.parent, prefix=".report-", suffix=".html")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(beside, 0o666 & ~_umask())
        os.replace(beside, target)
    except OSError as error:
        Path(beside).unlink(missing_ok=True)
        raise DataError(
            f"{str(target)!r} cannot be written ({error.strerror or error}); what was there is as "
            "it was. Free some space, or pass another path"
        ) from error
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def _umask() -> int:
    """Return the mask of new files, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
