"""Writing a page: parts, what it may load, whether it may be written, how it takes its place."""

from __future__ import annotations

import os
import tempfile
from base64 import b64encode
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..errors import DataError
from ..results.result import versions

__all__ = ["checked_target", "filled", "replace_whole", "stamp"]


def filled(template: str, css: str, **parts: Any) -> str:
    """Return a page of this package's template, style and script; `css` is added to the style."""
    import jinja2
    from markupsafe import Markup

    loader = jinja2.PackageLoader("outperform.report")
    environment = jinja2.Environment(
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined
    )
    # Plain text of this package: a template would escape it.
    style, script = (loader.get_source(environment, f"report.{kind}")[0] for kind in ("css", "js"))
    style += f"{css}\n"
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


def checked_target(path: Any, *, force: bool, call: str) -> Path:
    """Return where a page goes; refuse a name of no page or taken, or a folder not there."""
    target = Path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        whose, stem = call.partition(".")[0], target.stem or "report"
        page, figure = (str(target.parent / f"{stem}{end}") for end in (".html", ".pdf"))
        raise DataError(
            f"The name of a report must end in .html or .htm, got {target.name!r}. Write the page: "
            f"{whose}.report({page!r}); or a figure of it: {whose}.plot().savefig({figure!r})"
        )
    if target.exists() and not force:
        raise DataError(
            f"{str(target)!r} is already there; a new name is needed. To overwrite it, pass "
            f"force=True: {call}"
        )
    if not target.parent.is_dir():
        raise DataError(
            f"{str(target.parent)!r} is not a directory; one that exists is needed. Make it: "
            f"mkdir -p {str(target.parent)!r}"
        )
    return target


def replace_whole(target: Path, data: bytes) -> None:
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
