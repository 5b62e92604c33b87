"""The page of a study: rates first, loads nothing, hostile names shown as themselves."""

import json
from base64 import b64encode
from dataclasses import dataclass
from hashlib import sha256
from typing import ClassVar

import pytest
from reports_for_tests import HOSTILE
from test_page import Tree

import outperform as op
from outperform import DataError
from outperform.lab import CorrelatedNormal, DesignedPopulation
from outperform.report.html import study_page


@dataclass(frozen=True)
class Named:
    """A population under a name that anybody may have chosen."""

    name: str
    within: CorrelatedNormal
    block: ClassVar[int] = 100

    def draw(self, readings, n_reps, seed, effect=0.0):
        return self.within.draw(readings, n_reps, seed, effect)


@pytest.fixture(scope="module")
def found():
    return op.study(["mcnemar", "kfold_t"], DesignedPopulation(0.2), n_reps=400, random_state=3)


@pytest.fixture(scope="module")
def tree(found):
    return Tree(study_page.render(found))


def test_the_table_holds_every_rate_with_its_interval(found, tree):
    text = tree.text("table", id="rates-table")
    for row in found.rates():
        assert f"{row.rate:.4f}" in text
        assert f"[{row.low:.4f}, {row.high:.4f}]" in text
    assert "every rejection is an error" in tree.text("main")
    assert "epsilon" in tree.text("main")
    assert str(found.seed) in tree.text("main")


def test_the_rates_are_inside_as_json(found, tree):
    inside = json.loads(tree.text("script", id="outperform-study"))
    assert inside["schema"] == "outperform/study/1"
    assert inside["rates"][1]["hits"] == found.rates()["kfold_t"].hits
    assert inside["seed"] == found.seed


def test_the_policy_allows_the_style_and_script_of_the_page_and_nothing_else(tree):
    policy = tree.all("meta", **{"http-equiv": "Content-Security-Policy"})[0][1]["content"]
    style = tree.all("style")[0][2]
    script = next(one[2] for one in tree.all("script") if "type" not in one[1])
    for part in (style, script):
        assert b64encode(sha256(part.encode()).digest()).decode() in policy
    assert policy.startswith("default-src 'none';")
    assert not [one for one in tree.found if {"style", "src"} & one[1].keys()]


def test_figures_stand_inside_and_name_what_they_show(tree):
    drawn = tree.all("svg")
    assert len(drawn) == 2
    assert all(one[1]["aria-label"] for one in drawn)


@pytest.mark.slow
def test_several_effects_give_a_power_curve_and_another_hypothesis_its_own_words():
    population = CorrelatedNormal()
    found = op.study(
        [("kfold_t", "10cv")], population, effects=(0.0, 0.1), n_reps=200, random_state=1
    )
    assert "at each of 2 effects" in study_page.render(found)
    shifted = study_page.render(found, rates=found.rates(mu0=0.1), sentences=["Said <b>so</b>."])
    assert "1 test of true null hypotheses" in shifted
    assert "Said &lt;b&gt;so&lt;/b&gt;." in shifted
    hits = found.rates(mu0=0.1)[found.methods[0], 0.1].hits
    assert f'"hits":{hits}' in shifted


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_shown_not_obeyed(name):
    found = op.study(
        [("kfold_t", "10cv")], Named(name, CorrelatedNormal()), n_reps=50, random_state=1
    )
    page = Tree(study_page.render(found, sentences=[name]))
    assert len(page.all("script")) == 2
    assert len(page.all("svg")) == 2
    assert not page.all("img")
    assert json.loads(page.all("script", id="outperform-study")[0][2])["scenario"] == name


def test_a_page_is_not_overwritten_unless_asked(found, tmp_path):
    path = tmp_path / "study.html"
    path.write_text("mine")
    with pytest.raises(DataError, match="force=True"):
        found.report(path)
    assert path.read_text() == "mine"
    found.report(path, force=True, alpha=0.1)
    assert "α = 0.1" in path.read_text()
    assert path.stat().st_size < 300_000
    with pytest.raises(DataError, match="was not found"):
        found.report(tmp_path / "none" / "study.html")
