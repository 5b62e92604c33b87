"""The page of a study in a real browser: nothing is fetched, logged or run, names are text."""

import pytest
from reports_for_tests import HOSTILE
from test_browser import browser, visit
from test_study_page import Named

import outperform as op
from outperform.lab import CorrelatedNormal, DesignedPopulation
from outperform.report.html import study_page

__all__ = ["browser", "visit"]
pytestmark = pytest.mark.needs("chromium")


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """Three pages: one effect, several, and names that anybody may have chosen."""
    folder = tmp_path_factory.mktemp("studies")
    asked, population = ["mcnemar", "kfold_t"], DesignedPopulation(0.2)
    op.study(asked, population, n_reps=300, random_state=1).report(folder / "rates.html")
    op.study(asked, population, effects=(0.0, 0.05), n_reps=300, random_state=1).report(
        folder / "power.html"
    )
    hostile = Named(" ".join(HOSTILE), CorrelatedNormal())
    found = op.study([("kfold_t", "10cv")], hostile, n_reps=50, random_state=1)
    study_page.write(found, folder / "hostile.html", sentences=HOSTILE)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(400, "dark"), (1400, "light")])
@pytest.mark.parametrize("name", ["rates.html", "power.html", "hostile.html"])
def test_it_renders_without_a_request_an_error_or_a_wide_page(visit, name, width, scheme):
    page = visit(name, viewport={"width": width, "height": 900}, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    shown = page.locator("svg.figure:visible").all()
    assert len(shown) == page.locator("figure").count() > 0


@pytest.mark.slow
def test_hostile_names_are_shown_as_text_and_nothing_runs(visit):
    page = visit("hostile.html")
    assert page.evaluate("'pwned' in window") is False
    assert page.locator("img").count() == 0
    assert "<script>window.pwned = 1</script>" in page.locator("h1").inner_text()


@pytest.mark.slow
def test_the_table_is_sorted_from_the_keyboard(visit):
    page = visit("power.html")
    column = page.get_by_role("columnheader", name="Rate")
    values = """() => [...document.querySelectorAll('#rates-table tbody tr')].map(
        row => Number(row.cells[2].dataset.v))"""
    given = page.evaluate(values)
    column.get_by_role("button").press("Enter")
    column.get_by_role("button").press("Enter")
    assert page.evaluate(values) == sorted(given, reverse=True) != given


@pytest.mark.slow
def test_all_is_there_without_javascript(visit):
    page = visit("rates.html", java_script_enabled=False)
    assert page.locator("#rates-table tbody tr").count() == 2
    assert page.locator("button:visible").count() == 0
