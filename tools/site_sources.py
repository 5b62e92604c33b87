"""Write the sources of the site into a folder, from the pages of docs/ and the top folder.

The pages stay plain Markdown, so that a code host shows them as well. What follows from the code is
made here: a page for each method, the reference, and the tables and pictures that pages leave room
for. Then come a table of contents for every index page, from the links on it; figures that follow
the theme; the pictures that the code of a page draws; the notebooks of examples/ with their
outputs; and links that lead to where a page is on the site. The name of a method leads to its page;
a link to another file that is no page of the site keeps its words only.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import method_pages
import method_table
import notebooks
import outperform as op
import pictures
import reference_pages
import which_test

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
TOP = ("CONTRIBUTING.md", "CHANGELOG.md")
"""Pages outside docs/ that are part of the site."""
REFERENCE = "<!-- reference -->\n"
"""Where the first page lists the pages that are generated for the site."""
MADE = {
    "*`make site` writes the table of methods here; `outperform methods` prints them.*": (
        method_table.table
    ),
    "*`make site` draws the questions here; `outperform advise` asks them.*": which_test.picture,
    "*`make site` writes the table of all paths here.*": which_test.table,
}
"""What stands where pages leave room for what follows from the code."""
FENCE = re.compile(r"^(```+).*?^\1$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!https?://|#)([^)\s#]*)(#[^)\s]*)?\)")
PICTURE = re.compile(
    r'<picture>\s*<source [^>]*srcset="(?P<dark>[^"]+)">\s*'
    r'<img src="(?P<light>[^"]+)"[^>]*? alt="(?P<alt>[^"]*)">\s*</picture>'
)
ANCHOR = re.compile(r'^<a id="([\w-]+)"></a>$', re.MULTILINE)
ENTRY = re.compile(r"^(?:- |\| )\[[^\]]*\]\(([^)\s#]+\.md)\)", re.MULTILINE)


def written(folder: Path, *, draw: bool = True, stale: list[str] | None = None) -> list[Path]:
    """Write the sources of the site into this folder, and return the paths of its pages.

    Sessions that are run for the pictures and print something else than the page says go to
    `stale`.
    """
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(DOCS, folder, ignore=shutil.ignore_patterns("conf.py", "*.md", "theme"))
    for source in [*sorted(DOCS.rglob("*.md")), *(ROOT / name for name in TOP)]:
        target = folder / place(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = source.read_text(encoding="utf-8")
        for room, make in MADE.items():
            text = text.replace(room, make()) if room in text else text
        text = pictures.drawn(text, stale) if draw else text
        target.write_text(page(text, source), encoding="utf-8")
    for source in notebooks.NOTEBOOKS:
        target = folder / place(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = notebooks.as_markdown(source, target.parent)
        target.write_text(page(text, source), encoding="utf-8")
    methods, reference = method_pages.pages(), reference_pages.pages()
    made = {f"methods/{name}": page(methods[name], DOCS / "methods" / name) for name in methods}
    for name, text in (made | {f"reference/{name}": reference[name] for name in reference}).items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return sorted(folder.rglob("*.md"))


def place(source: Path) -> PurePosixPath:
    """Return where a page is on the site."""
    if source in notebooks.NOTEBOOKS:
        return PurePosixPath("notebooks", f"{source.stem}.md")
    inside = source.relative_to(DOCS) if source.is_relative_to(DOCS) else source.relative_to(ROOT)
    return PurePosixPath(inside.as_posix())


def page(text: str, source: Path) -> str:
    """Return a page as Sphinx reads it."""
    text = text.replace(REFERENCE, reference_pages.LISTED)
    text = _outside_code(text, lambda part: LINK.sub(lambda link: _link(link, source), part))
    text = ANCHOR.sub(r"(\1)=", PICTURE.sub(_figures, text))
    if source.name == "index.md":
        text = _top(text) if source.parent == DOCS else f"{text}\n{_toctree(text)}"
    return text


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    parts, at = [], 0
    for fence in FENCE.finditer(text):
        parts += [change(text[at : fence.start()]), fence[0]]
        at = fence.end()
    return "".join([*parts, change(text[at:])])


def _link(link: re.Match[str], source: Path) -> str:
    image, words, target, anchor = link.groups()
    found = (source.parent / target).resolve()
    if image and source in notebooks.NOTEBOOKS:
        return link[0]
    if found.suffix == ".py" and (method := words.strip("`")) in op.methods.table().names:
        found = DOCS / "methods" / f"{method}.md"
    known = [*(ROOT / name for name in TOP), *notebooks.NOTEBOOKS]
    if not (found.is_relative_to(DOCS) or found in known):
        return words
    here, there = place(source).parent, place(found)
    up = len(here.parts)
    return f"{image}[{words}]({'../' * up}{there}{anchor or ''})"


def _figures(picture: re.Match[str]) -> str:
    """Return a picture with a version for each theme as two, of which one is shown."""
    return "\n".join(
        f"````{{container}} wide\n```{{image}} {picture[theme]}\n:class: only-{theme}\n"
        f":alt: {picture['alt']}\n```\n````\n"
        for theme in ("light", "dark")
    )


def _top(text: str) -> str:
    """Return the first page with a table of contents for each section that lists pages."""
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    trees = [_toctree(body, title) for title, body in zip(parts[1::2], parts[2::2], strict=True)]
    return "\n".join([text, *filter(None, trees)])


def _toctree(text: str, caption: str = "") -> str:
    pages = list(dict.fromkeys(ENTRY.findall(text)))
    if not pages:
        return ""
    title = f":caption: {caption}\n" if caption else ""
    return f"```{{toctree}}\n:hidden:\n{title}\n" + "\n".join(pages) + "\n```\n"


if __name__ == "__main__":
    made = written(Path(sys.argv[1]))
    sys.stdout.write(f"{len(made)} pages written to {sys.argv[1]}\n")
