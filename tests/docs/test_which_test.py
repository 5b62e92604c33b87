"""The picture of questions is what `advise` asks and answers, with links that lead somewhere."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from places import ROOT

import outperform as op
import which_test

TOP = which_test.tree()


def test_the_tree_gives_the_advice_of_advise() -> None:
    one = {"domains": "one", "about": "algorithm", "aim": "compare", "sample": "small"}
    for fits in (5, 12, 17, 30, 100, 300):
        advice = op.advise(**one, fits=fits)
        words = ("one task", "algorithms", "compare", "disjoint training sets: no")
        found = [leaf for before, leaf in which_test.leaves(TOP) if before[:4] == words]
        assert advice.method in {leaf.method for leaf in found}
        assert advice.design.removesuffix("/stratified") in {
            d for leaf in found for d in leaf.designs
        }


@pytest.mark.parametrize("theme", which_test.THEMES)
def test_every_leaf_is_a_link_to_a_recipe(theme: str) -> None:
    drawn = which_test.drawn(TOP, theme)
    ElementTree.fromstring(drawn)
    links = re.findall(r'<a href="([^"]+)"', drawn)
    assert len(links) == sum(1 for _ in which_test.leaves(TOP))
    pages = [ROOT / "docs" / link.replace(".html", ".md") for link in links]
    assert {page.parent.name for page in pages} == {"recipes"}
    assert all(page.exists() for page in pages)
