"""What notebooks show of results, comparisons and verdicts: names escaped."""

import re

import numpy as np
import pytest

import outperform as op

HOSTILE = "<script>alert(1)</script>"


def scores(names=(HOSTILE, "b\x1b[2J")):
    rng = np.random.default_rng(0)
    made = {name: 0.8 - 0.05 * i + 0.02 * rng.normal(size=10) for i, name in enumerate(names)}
    return op.Scores.from_arrays(made, design="10cv", metric="<b>accuracy</b>")


SHOWN = {
    "result": lambda: op.compare(scores())[HOSTILE, "b\x1b[2J"],
    "comparison": lambda: op.compare(scores()),
    "verdict": lambda: op.compare(scores())[HOSTILE, "b\x1b[2J"].verdict(),
    "verdict of several": lambda: op.compare(scores((HOSTILE, "b", "c"))).verdict(HOSTILE, "b"),
}


@pytest.mark.parametrize("name", SHOWN)
def test_everything_is_a_small_table_whose_names_are_escaped(name):
    html = SHOWN[name]()._repr_html_()
    assert "<table>" in html
    assert not {"\x1b", "\u202e"} & set(html)
    allowed = r"</?(table|caption|thead|tbody|tr|th|td|div|code)( [a-z]+=\"[^\"<>]*\")*>"
    assert "<" not in re.sub(allowed, "", html)
    assert "color" not in html  # light and dark: the notebook sets them
    assert "&lt;script&gt;" in html


def test_a_verdict_shows_whom_it_is_on_its_evidence_and_what_it_was_made_with():
    compared = op.compare(scores(("a", "b", "c")))
    verdict = compared.verdict("a", "b", alpha=0.01, rope=0.02)
    html = verdict._repr_html_()
    assert "a vs. b: &lt;b&gt;accuracy&lt;/b&gt;, 10-fold cross-validation" in html
    assert verdict.sentence in html
    assert re.findall("<td[^>]*>([^<]*)</td>", html)[1:] == ["assumed", "0.01", "±0.02"]
    assert "rope" not in compared.verdict("a", "b")._repr_html_()
    against = op.methods.paired_t(
        [3, 5, 4, 6], [1, 2, 2, 3], names=("new", "old"), unit="items"
    ).verdict()
    assert against.sentence in against._repr_html_()
