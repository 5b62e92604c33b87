"""The report in a real browser: nothing is fetched or run, keys reach all, it prints."""

import shutil
from itertools import pairwise

import pytest
from reports_for_tests import HOSTILE, scores

import outperform as op

pytestmark = pytest.mark.needs("chromium")
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--no-first-run",
)
WAIT = 300_000
"""Milliseconds that the browser may take for anything."""


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """Pages of two learners, of four of whom some are told apart, of forty, of hostile names."""
    folder = tmp_path_factory.mktemp("reports")
    four = op.compare(scores("abcd"))
    op.compare(scores("ab")).report(folder / "two.html")
    four.report(folder / "four.html", rope=0.001)
    names = [*HOSTILE, "A name of a learner that is far too long to stand anywhere " * 3]
    op.compare(scores(names, metric=HOSTILE[0])).report(folder / "hostile.html")
    return folder


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=found, args=list(QUIET), timeout=WAIT)
        yield chromium
        chromium.close()


@pytest.fixture
def visit(browser, reports):
    """Open a report; whatever it fetches, logs or runs is a failure at the end."""
    opened = []

    def go(name, **context):
        where = browser.new_context(**{"viewport": {"width": 1400, "height": 900}, **context})
        page, wrong = where.new_page(), []
        page.set_default_timeout(WAIT)
        address = (reports / name).as_uri()
        page.on("request", lambda r: r.url.split("#")[0] == address or wrong.append(r.url))
        page.on("console", lambda m: wrong.append(m.text))
        page.on("pageerror", lambda e: wrong.append(str(e)))
        page.on("dialog", lambda d: (wrong.append(d.message), d.dismiss()))
        page.goto(address)
        page.wrong = wrong
        opened.append((where, wrong))
        return page

    yield go
    for where, wrong in opened:
        where.close()
        assert wrong == []


@pytest.mark.slow
def test_on_a_phone_every_p_value_has_its_sign(visit):
    page = visit("four.html", viewport={"width": 420, "height": 900})
    cells = page.locator("#pairs-table td:last-child").evaluate_all(
        "all => all.map(one => [getComputedStyle(one, '::before').content, one.textContent])"
    )
    assert len(cells) == 6
    for before, p in cells:
        assert before == ('"p "' if p.startswith("<") else '"p = "')


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1400])
@pytest.mark.parametrize("name", ["two.html", "four.html", "hostile.html"])
def test_it_renders_without_a_request_an_error_or_a_page_wider_than_the_window(
    visit, name, width, scheme
):
    page = visit(name, viewport={"width": width, "height": 900}, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for box in page.locator("details").all():
        box.evaluate("box => { box.open = true }")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 24, 30)"}[scheme]
    shown = page.locator("svg.figure:visible").all()
    assert len(shown) == page.locator("figure").count()
    # Letters of a figure are at least 8 pixels high on a telephone.
    size = """one => Math.min(...[...one.querySelectorAll('text')].map(
        text => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a || 99))"""
    assert min(one.evaluate(size) for one in shown[:1]) >= 8


@pytest.mark.slow
def test_figures_take_their_colours_from_the_page(visit):
    page = visit("four.html", color_scheme="light")
    ink = "getComputedStyle(document.querySelector('svg.figure text')).fill"
    before = page.evaluate(ink)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.locator("#theme").inner_text() == "Light"
    assert page.evaluate(ink) != before
    assert page.evaluate("getComputedStyle(document.body).color") == page.evaluate(ink)
    font = "getComputedStyle(document.{}).fontFamily"
    theirs = page.evaluate(font.format("querySelector('svg.figure text')"))
    assert theirs == page.evaluate(font.format("body")), "and its letters"


@pytest.mark.slow
def test_the_table_is_sorted_from_the_keyboard_and_says_so(visit):
    page = visit("four.html")
    column = page.get_by_role("columnheader", name="Adjusted p")
    button = column.get_by_role("button")
    values = """() => [...document.querySelectorAll('#pairs-table tbody tr')].map(
        row => Number(row.cells[5].dataset.v))"""
    given = page.evaluate(values)
    button.focus()
    page.keyboard.press("Enter")
    assert column.get_attribute("aria-sort") == "ascending"
    assert page.evaluate(values) == sorted(given) != given
    page.keyboard.press("Space")
    assert column.get_attribute("aria-sort") == "descending"
    assert page.evaluate(values) == sorted(given, reverse=True)
    assert page.get_by_role("status").inner_text() == "Sorted by Adjusted p, descending."
    page.get_by_role("columnheader", name="Pair").get_by_role("button").press("Enter")
    assert column.get_attribute("aria-sort") is None
    first = page.evaluate("document.querySelector('#pairs-table tbody th').textContent")
    assert first == "a − b"


@pytest.mark.slow
def test_notes_open_and_close_from_the_keyboard(visit):
    page = visit("four.html")
    summary = page.locator("details.note summary").first
    words = page.locator("details.note p").first
    assert not words.is_visible()
    summary.press("Enter")
    assert words.is_visible()
    summary.press("Enter")
    assert not words.is_visible()


@pytest.mark.slow
def test_the_methods_paragraph_is_copied(visit):
    page = visit("two.html", permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy the methods paragraph").press("Enter")
    page.get_by_role("button", name="Copied the methods paragraph").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.locator("#methods-text").inner_text()


@pytest.mark.slow
@pytest.mark.parametrize("width", [400, 1400])
def test_hostile_names_are_shown_as_text_and_nothing_runs(visit, width):
    page = visit("hostile.html", viewport={"width": width, "height": 900})
    assert page.evaluate("'pwned' in window") is False
    assert page.locator("img").count() == 0
    heads = page.locator("table.letters tbody th").all_inner_texts()
    assert "<script>window.pwned = 1</script>" in heads
    assert any(head.startswith("</script><img src=x") for head in heads)
    assert any(head.startswith("\\input{x} $") for head in heads)
    assert "../../x<U+202E>evil<U+2066>" in heads, "the direction of text cannot be turned"


@pytest.mark.slow
def test_even_a_script_that_came_in_would_not_run(visit):
    page = visit("two.html")
    ran = page.evaluate(
        """() => { const made = document.createElement('script');
        made.textContent = 'window.pwned = 1'; document.body.append(made);
        return 'pwned' in window; }"""
    )
    assert ran is False
    page.evaluate("document.body.setAttribute('style', 'color: red')")
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(29, 35, 43)"
    assert len(page.wrong) == 2
    assert all("Content Security Policy" in said for said in page.wrong)
    page.wrong.clear()


@pytest.mark.slow
def test_all_is_there_without_javascript(visit):
    page = visit("four.html", java_script_enabled=False)
    assert page.locator("#pairs-table tbody tr").count() == 6
    assert page.locator("button:visible").count() == 0
    assert page.locator("h1").is_visible()


@pytest.mark.slow
def test_a_screen_reader_meets_landmarks_headings_and_named_figures(visit):
    page = visit("four.html")
    for role in ("banner", "main", "contentinfo"):
        assert page.get_by_role(role).count() == 1
    levels = page.evaluate(
        "[...document.querySelectorAll('h1,h2,h3')].map(h => Number(h.tagName[1]))"
    )
    assert levels[0] == 1
    assert all(b <= a + 1 for a, b in pairwise(levels))
    assert page.get_by_role("img", name="a − b").count() >= 1
    assert page.get_by_role("table", name="First minus second").count() == 1
    assert page.get_by_role("region", name="Table of pairs").get_attribute("tabindex") == "0"


@pytest.mark.slow
def test_it_prints_with_everything_open_and_nothing_to_press(visit):
    page = visit("four.html", color_scheme="dark")
    data = page.pdf(format="A4")
    assert data.startswith(b"%PDF")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
    assert page.locator("details.note p").first.is_visible()
    assert page.locator("button.copy:visible, #theme:visible").count() == 0
    assert page.get_by_role("columnheader", name="Difference").inner_text() == "Difference"
    assert page.get_by_role("button", name="Difference").is_visible(), "heads are printed"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details[open]").count() == 0
