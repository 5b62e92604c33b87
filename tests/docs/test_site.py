"""The site in a real browser: it builds without a warning, and every page is whole by itself."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from places import ROOT

import site_sources

pytestmark = pytest.mark.slow
QUIET = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")
QUIET += ("--disable-component-update", "--disable-dev-shm-usage", "--no-first-run")
WAIT = 300_000
"""Milliseconds that the browser may take for anything."""
LOOKS = [("light", 1400), ("dark", 1400), ("dark", 400), ("light", 400)]
SEEN = "[getComputedStyle(document.body).backgroundColor, document.documentElement.scrollWidth]"


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """Return where the sources of the site are, and the sessions that print something else now."""
    stale: list[str] = []
    folder = tmp_path_factory.mktemp("site") / "sources"
    site_sources.written(folder, stale=stale)
    return folder, stale


@pytest.fixture(scope="module")
def site(sources: tuple[Path, list[str]]) -> Path:
    folder = sources[0].parent
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-c", ROOT / "docs"]
    done = subprocess.run([*command, folder / "sources", folder / "site"], capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    return folder / "site"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=found, args=list(QUIET), timeout=WAIT)
        yield chromium
        chromium.close()


def opened(browser: Any, site: Path) -> tuple[Any, list[str]]:
    """Return a page, and what it fetches from elsewhere, logs or raises."""
    page, wrong = browser.new_page(viewport={"width": 1400, "height": 900}), []
    page.set_default_timeout(WAIT)
    page.on("request", lambda r: r.url.startswith((site.as_uri(), "data:")) or wrong.append(r.url))
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("requestfailed", lambda request: wrong.append(f"failed: {request.url}"))
    return page, wrong


def test_sessions_above_pictures_print_what_pages_say(sources: tuple[Path, list[str]]) -> None:
    assert sources[1] == [], "run: make docs"


@pytest.mark.needs("sphinx")
def test_every_internal_link_leads_somewhere(site: Path) -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in site.rglob("*.html")}
    assert len(texts) > 100
    ids = {path: set(re.findall(r'\bid="([^"]+)"', text)) for path, text in texts.items()}
    broken = []
    for path, text in texts.items():
        for link in set(re.findall(r'<a\b[^>]*\bhref="([^"]*)"', text)):
            if re.match(r"[a-z]+:", link):
                continue
            target, _, anchor = unquote(link).partition("#")
            found = (path.parent / target).resolve() if target else path
            there = found.exists() and (not anchor or anchor in ids.get(found, {anchor}))
            if not there:
                broken.append(f"{path.relative_to(site)}: {link}")
    assert broken == []


@pytest.mark.needs("sphinx", "chromium")
def test_pages_open_without_errors_and_fetch_nothing(browser: Any, site: Path) -> None:
    page, wrong = opened(browser, site)
    looks = list(LOOKS)  # each differs from the next in one thing: switching takes time
    pages = sorted(site.rglob("*.html"))
    built = [path for path in pages if path.parent.name in ("methods", "reference", "api")]
    for path in sorted({*pages} - {*built}) + built[::5]:  # what is built has one template
        name, found = str(path.relative_to(site)), {}
        for scheme, width in looks:
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": 900})
            if not found:
                page.goto(path.as_uri())
            found[scheme, width], wide = page.evaluate(SEEN)
            assert wide <= width, name
        for width in (400, 1400):
            assert found["light", width] != found["dark", width], name
        assert wrong == [], name
        looks.reverse()  # the next page begins as this one ended
    page.close()


@pytest.mark.needs("sphinx", "chromium")
@pytest.mark.parametrize(
    ("words", "title"), [("which test", "Which test"), ("calibrated", "The calibrated test")]
)
def test_search_finds(browser: Any, site: Path, words: str, title: str) -> None:
    page, wrong = opened(browser, site)
    page.goto(f"{(site / 'search.html').as_uri()}?q={words.replace(' ', '+')}")
    page.wait_for_selector("#search-results li a")
    page.wait_for_selector("#search-results .search-summary", state="visible")
    found = page.eval_on_selector_all("#search-results li a", "all => all.map(a => a.textContent)")
    assert any(title.lower() in one.lower() for one in found[:5]), found[:5]
    assert wrong == []
    page.close()


@pytest.mark.needs("sphinx", "chromium")
def test_code_is_copied_without_prompts_and_output(browser: Any, site: Path) -> None:
    page, wrong = opened(browser, site)
    page.goto((site / "recipes" / "equivalence.html").as_uri())
    page.wait_for_selector("button.copybtn", state="attached")
    assert page.locator("button.copybtn").count() == 1
    page.evaluate("document.oncopy = () => { window.copied = document.activeElement.value }")
    page.locator("button.copybtn").first.click(force=True)
    text = page.evaluate("window.copied")
    assert text.splitlines()[:2] == [
        "import outperform as op",
        'result = op.compare("scores.csv")["logistic", "forest"]',
    ]
    assert "no decision" not in text
    assert wrong == []
    page.close()
