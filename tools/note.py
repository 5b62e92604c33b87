"""Turn the note of docs/note/ into one HTML file and a PDF, with markdown-it and Chromium."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parent.parent
NOTE = ROOT / "docs" / "note" / "calibrated_test.md"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>{title}</title>
<style>
@page {{ size: A4; margin: 16mm 20mm; }}
body {{ font: 10pt/1.38 "Source Serif 4", "DejaVu Serif", Georgia, serif; }}
body {{ max-width: 44rem; margin: 0 auto; }}
h1 {{ font-size: 17pt; line-height: 1.2; margin: 0 0 .3em; }}
h2 {{ font-size: 12.5pt; margin: 1.3em 0 .4em; break-after: avoid; }}
blockquote {{ margin: .6em 1.6em; }}
table {{ border-collapse: collapse; font-size: 8.5pt; margin: 1em 0; width: 100%; }}
table {{ break-inside: avoid; }}
th {{ border-bottom: .6pt solid; border-top: .9pt solid; text-align: left; }}
td, th {{ padding: .18em .5em; vertical-align: top; }}
tr:last-child td {{ border-bottom: .9pt solid; }}
code {{ font: .88em "DejaVu Sans Mono", monospace; }}
ul {{ padding-left: 1.2em; }}
figure {{ margin: 1em 0; break-inside: avoid; }}
figure svg {{ width: 84%; height: auto; }}
li {{ margin: .15em 0; }}
a {{ color: inherit; }}
</style>
<body>
{body}
</body>
</html>
"""


def as_html(text: str) -> str:
    """Return the note as a page of its own, without links that lead out of it."""
    title = re.match(r"# (.+)\n", text)
    assert title is not None
    text = re.sub(r"<!--.*?-->\n", "", text)
    text = re.sub(r'<picture>.*?src="([^"]+)".*?</picture>', _drawing, text, flags=re.DOTALL)
    text = re.sub(r"\[([^\]]+)\]\((?!https?:)[^)]+\)", r"\1", text)
    body = MarkdownIt("commonmark").enable("table").render(text)
    return PAGE.format(title=title[1], body=body)


def _drawing(picture: re.Match[str]) -> str:
    """Return a picture as what it is, inside the page."""
    drawn = (NOTE.parent / picture[1]).read_text(encoding="utf-8")
    return f"<figure>{drawn[drawn.index('<svg') :]}</figure>".replace("\n", " ")


def written(folder: Path) -> list[Path]:
    """Write the note as HTML and, where Chromium is installed, as PDF."""
    folder.mkdir(parents=True, exist_ok=True)
    html = folder / "calibrated_test.html"
    html.write_text(as_html(NOTE.read_text(encoding="utf-8")), encoding="utf-8")
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.stderr.write("no PDF: Chromium was not found\n")
        return [html]
    pdf = html.with_suffix(".pdf")
    options = "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"
    home = f"--user-data-dir={folder / 'browser'}"
    command = [browser, *options, home, f"--print-to-pdf={pdf}", html.resolve().as_uri()]
    subprocess.run(command, check=True, capture_output=True)
    shutil.rmtree(folder / "browser", ignore_errors=True)
    return [html, pdf]


if __name__ == "__main__":
    for path in written(Path(sys.argv[1])):
        sys.stdout.write(f"{path}: written\n")
