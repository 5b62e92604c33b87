"""The matrix of signs: every pair of many learners, best first, as it was decided."""

import re

import numpy as np
import pytest

import outperform as op
from outperform.report.html import page
from outperform.report.html.sign_matrix import numbers, sign_matrix

NAMES = ["<b>first</b>", *(f"learner {i}" for i in range(1, 40))]


def compared(k):
    rng = np.random.default_rng(0)
    made = {n: 0.9 - 0.004 * i + 0.01 * rng.normal(size=100) for i, n in enumerate(NAMES[:k])}
    return op.compare(op.Scores.from_arrays(made, design="10x10cv", metric="accuracy"))


def test_signs_are_the_verdicts_of_all_pairs():
    found = compared(40)
    rows = sign_matrix(found, 0.05, None)
    names = [found.names[at] for at in found.order()]
    assert [row["name"] for row in rows] == names
    words = {"+": "outperforms", "−": "outperformed", "·": "no decision"}
    for i in range(0, 40, 7):
        for j in (j for j in range(40) if j != i):
            said = words[rows[i]["signs"][3 * j : 3 * j + 3].strip()]
            assert said == found.verdict(names[i], names[j]).outcome
        assert rows[i]["signs"][3 * i : 3 * i + 3].strip() == ""
    assert numbers(rows).split() == [str(number) for number in range(1, 41)]


@pytest.mark.slow
@pytest.mark.parametrize(("k", "there"), [(12, False), (13, True)])
def test_the_page_has_it_where_the_matrix_of_estimates_is_too_large(k, there):
    html = page.render(compared(k))
    assert bool(re.search(r"class=\"?signs\"?", html)) is there
    assert "All pairs as a matrix" in html
    assert "<b>first" not in html
