"""The report: one HTML file that opens anywhere, loads nothing, and carries its own scores."""

from __future__ import annotations

import os
import tempfile
from base64 import b64encode
from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ... import validation
from ...errors import DataError, counted
from ...readers.own_files import certified_names, payload
from ...results.comparison import usual_adjustment
from ...results.result import versions
from .. import learner_scores, scope
from ..figures.pair_figures import ends_of
from ..figures.svg import Sheet
from ..formatting import sentence, terminal
from ..line_breaks import breakable, kept
from . import PageOptions
from .calibration_section import calibration_section
from .dataset_section import dataset_section
from .group_section import group_section
from .headline import headline
from .item_section import item_section
from .metric_section import metric_section
from .note_section import note_section
from .pair_section import better_first, pair_section
from .run_section import run_section
from .score_section import score_section

if TYPE_CHECKING:
    from ...results.comparison import Comparison


LEADERS = 12
"""Learners whose scores stand at the head of the page; the table of groups has them all."""
MOST_SCORES = 1_000_000
"""Bytes of scores that a page carries; more are left out, and it says so."""


def write(
    comparison: Comparison,
    path: Any,
    *,
    force: bool = False,
    alpha: float = 0.05,
    level: float | None = None,
    rope: float | None = None,
    certificate: Any = None,
) -> Path:
    """Write the page and return its path; whatever goes wrong, an old one stays whole."""
    target = checked_target(path, force=force)
    linked = None
    if certificate is not None:
        _check_certificate(certificate, target, comparison.names)
        linked = os.path.relpath(certificate, target.parent)
    text = render(
        comparison, alpha=alpha, level=level, rope=rope, name=target.name, certificate=linked
    )
    replace_whole(target, text.encode())
    return target


def render(
    comparison: Comparison,
    *,
    alpha: float = 0.05,
    level: float | None = None,
    rope: float | None = None,
    name: str = "report.html",
    certificate: str | None = None,
) -> str:
    """Return the page as text; `name` is that of its file, which its own code reads.

    `certificate` is where the page lies that says how far the verdict can be trusted.
    """
    from urllib.parse import quote

    from markupsafe import Markup

    alpha = validation.fraction(alpha, "alpha")
    level = 1 - alpha if level is None else validation.fraction(level, "level")
    rope = None if rope is None else validation.rope_width(rope)
    sheet = Sheet()
    rows = [
        {**row, **dict(zip(("low", "high"), ends_of(row["low"], row["high"]), strict=True))}
        for row in comparison.rows(level=level, alpha=alpha, rope=rope)
    ]
    as_given = comparison.control is not None or len(rows) == 1
    better = rows if as_given else list(map(better_first, rows))
    asked = PageOptions(alpha, level, rope)
    inside = None
    if comparison.scores is not None:
        held = payload(comparison.scores, **_about(comparison, asked))
        inside = Markup(held) if len(held.encode()) <= MOST_SCORES else None
    return filled(
        "report.html",
        sheet,
        headline=headline(comparison, rows, asked),
        estimand=comparison.estimand(),
        certificate=None if certificate is None else quote(certificate),
        means=_means(comparison),
        metric=terminal(comparison.metric),
        estimation=score_section(comparison, better, asked, sheet),
        **pair_section(comparison, rows, better, asked, sheet),
        groups=group_section(comparison, alpha, rope),
        datasets=dataset_section(comparison, asked, sheet),
        metrics=metric_section(comparison),
        items=item_section(comparison, sheet),
        calibration=calibration_section(comparison, asked),
        robustness=run_section(comparison, asked, sheet),
        methods_text=comparison.methods_text(level=level, alpha=alpha),
        bibtex=comparison.bibtex(),
        **note_section(comparison, alpha, sheet),
        title=f"{_title(comparison)} · outperform",
        payload=inside,
        recipe=_recipe(comparison, asked, name, inside=inside is not None),
        too_large=comparison.scores is not None and inside is None,
        file_name=terminal(name),
        reads_items=comparison.method.view.of_items,
        provenance=_provenance(comparison),
    )


def _means(comparison: Comparison) -> dict[str, Any] | None:
    """Return how each learner scored, best first; of many those that lead."""
    found = comparison.performances()
    if not found:
        return None
    decimals = learner_scores.digits(found)
    return {
        "label": learner_scores.label(found),
        "left_out": max(len(found) - LEADERS, 0),
        "rows": [
            (terminal(one.name), learner_scores.mean_sd(one, decimals), counted(one.n, one.unit))
            for one in found[:LEADERS]
        ],
    }


def _title(comparison: Comparison) -> str:
    names = [terminal(name) for name in comparison.names]
    return " vs. ".join(names) if len(names) <= 3 else f"{len(names)} learners compared"


def _about(comparison: Comparison, asked: PageOptions) -> dict[str, Any]:
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


def _recipe(comparison: Comparison, asked: PageOptions, name: str, *, inside: bool) -> str:
    """Return code that makes the page again: of this file, or of a file of the same scores."""
    options = [f"method={comparison.method.name!r}"]
    if comparison.adjust != usual_adjustment(
        comparison.method, comparison.evidence, len(comparison.names), comparison.control
    ):
        options.append(f"adjust={comparison.adjust!r}")
    if comparison.alternative != "two-sided":
        options.append(f"alternative={comparison.alternative!r}")
    if comparison.control is not None:
        options.append(f"control={terminal(comparison.control)!r}")
    shown = [f"alpha={asked.alpha:g}"] if asked.alpha != 0.05 else []
    shown += [f"level={asked.level:g}"] if round(asked.level + asked.alpha, 12) != 1 else []
    shown += [] if asked.rope is None else [f"rope={asked.rope:g}"]
    source = repr(name) if inside else '"scores.csv"'
    read = [source] if inside else [source, f"metric={terminal(comparison.metric)!r}"]
    again = ", ".join(["'again.html'", *shown])
    return (
        "import outperform as op\n\n"
        f"scores = op.Scores.read({', '.join(read)})\n"
        f"comparison = op.compare(scores, {', '.join(options)})\n"
        f"comparison.report({again})  # {terminal(comparison.metric)}"
    )


def _provenance(comparison: Comparison) -> list[tuple[str, str]]:
    scores = comparison.scores
    made = versions()
    design = comparison.design
    rows = [
        (
            "Design",
            "unknown" if design is None else f"{scope.split_by(comparison)} ({design})",
        ),
        ("Method", f"{comparison.method.title} ({comparison.method.name})"),
        ("Family", f"{comparison.n_pairs} pairs, p-values {scope.adjustment(comparison)}"),
        ("Values", f"{comparison.n:,} for each pair"),
        ("Seed", "not recorded" if comparison.seed is None else str(comparison.seed)),
        ("Design fingerprint", "" if design is None else design.fingerprint),
        ("Scores (sha256)", "" if scores is None else scores.digest()),
        ("Datasets", "" if scores is None else _datasets(scores.datasets)),
        ("Versions", ", ".join(f"{name} {number}" for name, number in made.items())),
        ("Written", stamp()),
    ]
    if comparison.n_pairs == 1:
        rows = [row for row in rows if row[0] != "Family"]
    return [(name, sentence(value)) for name, value in rows if value]


def _datasets(names: tuple[str, ...] | None) -> str:
    return "" if names is None else ", ".join(terminal(name) for name in dict.fromkeys(names))


def filled(template: str, sheet: Sheet, **parts: Any) -> str:
    """Return a page of this package's template, style and script, with the rules of its figures."""
    import jinja2
    from markupsafe import Markup

    loader = jinja2.PackageLoader("outperform.report.html")
    environment = jinja2.Environment(
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined
    )
    environment.filters |= {"breakable": breakable, "kept": kept}
    # Plain text of this package: a template would escape it.
    style, script = (loader.get_source(environment, f"report.{kind}")[0] for kind in ("css", "js"))
    style += f"{sheet.css}\n"
    return environment.get_template(template).render(
        **parts,
        policy=_policy(style, script),
        css=Markup(style),
        script=Markup(script),
        version=versions()["outperform"],
    )


def _policy(css: str, script: str) -> str:
    """Return a content security policy that allows this style and script, and nothing else."""
    return (
        f"default-src 'none'; style-src '{_digest(css)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def stamp() -> str:
    """Return the time of writing, or that of SOURCE_DATE_EPOCH where it is set."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.fromtimestamp(int(given), UTC) if given.isdecimal() else datetime.now(UTC)
    return now.strftime("%Y-%m-%d %H:%M UTC")


def checked_target(path: Any, *, force: bool, whose: str = "comparison") -> Path:
    """Return where a page goes; refuse a name that is not a page or taken, or a missing folder."""
    target = Path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        stem = target.stem or "report"
        page, figure = (str(target.parent / f"{stem}{end}") for end in (".html", ".pdf"))
        raise DataError(
            f"The file name of a report must end in .html or .htm, got {target.name!r}. Write a "
            f"page: {whose}.report({page!r}); or a figure: {whose}.plot().savefig({figure!r})"
        )
    if target.exists() and not force:
        raise DataError(
            f"{str(target)!r} already exists. Choose another name, or overwrite it: "
            f"{whose}.report({str(target)!r}, force=True)"
        )
    if not target.parent.is_dir():
        raise DataError(
            f"The directory {str(target.parent)!r} was not found. Create it: "
            f"mkdir -p {str(target.parent)!r}"
        )
    return target


def _check_certificate(path: Any, target: Path, names: Sequence[str]) -> None:
    """Refuse a link to what is no certificate of learners of this report."""
    page, example = Path(path), "outperform certify experiment.py --report trust.html"
    try:
        about = certified_names(page.read_bytes())
    except OSError:
        about = []
    if not about:
        raise DataError(
            f"{str(path)!r} is not a page that certify wrote. Write one: {example}, and pass its "
            "path"
        )
    if target.exists() and page.samefile(target):
        raise DataError(
            f"{str(path)!r} would be overwritten by the report. Choose another name for the report"
        )
    if not {*about} <= {*names}:
        raise DataError(
            f"{str(path)!r} is about {' and '.join(map(repr, about))}, not about learners of this "
            "report. Leave it out, or certify these learners"
        )


def replace_whole(target: Path, data: bytes) -> None:
    """Write beside the target, then take its place at once: a full disk cannot harm the old one."""
    beside = ""
    try:
        handle, beside = tempfile.mkstemp(dir=target.parent, prefix=".report-", suffix=".html")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(beside, 0o666 & ~_umask())
        os.replace(beside, target)
    except OSError as error:
        _removed(beside)
        raise DataError(
            f"{str(target)!r} cannot be written ({error.strerror or error}); an existing file is "
            "unchanged. Free some space, or pass another path"
        ) from error
    except BaseException:
        _removed(beside)
        raise


def _removed(path: str) -> None:
    if path:
        Path(path).unlink(missing_ok=True)


def _umask() -> int:
    """Return the mask of new files, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
