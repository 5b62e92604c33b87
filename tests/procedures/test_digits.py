"""Digits: an end of an interval that is not 0, nor a bound of the rope, is not printed as one."""

import re

import numpy as np
import pytest

import outperform as op
from outperform.report import figures, formatting
from outperform.report.html import page

GAPS = np.random.default_rng(0).normal(size=(10, 10))
GAPS = (GAPS - GAPS.mean()) / GAPS.std(ddof=1)


def pair(end, **asked):
    """Return scores whose 95 % interval of a − b begins at `end`, and reaches some 0.04 higher."""
    base = 0.8 + 0.05 * np.linspace(-1, 1, 100).reshape(10, 10)  # no deviation of 0 is printed
    made = base + 0.03 * GAPS
    low = op.methods.corrected_t(made, base, design="10x10cv").interval().low
    made = made + (end - low)
    far = base - 1.0 + 5 * GAPS  # its errors decide how many decimals a common table has
    return op.Scores.from_arrays(
        {"a": made, "b": base, **({"c": far} if asked else {})}, design="10x10cv", metric="accuracy"
    )


def numbers_in(text):
    """Return what a text shows as numbers, as they are printed."""
    return re.findall(r"[+−-]?\d+(?:\.\d+)?(?:e[+−-]?\d+)?", text)


def zeros(text):
    return [n for n in numbers_in(text) if float(n.replace("−", "-")) == 0 and "." in n]


def all_texts(scores, rope=None):
    """Return every text in which intervals stand, by name."""
    found = op.compare(scores)
    result = found["a", "b"]
    drawn = [text.get_text() for axes in found.plot("matrix").axes for text in axes.texts]
    return {
        "repr": repr(result),
        "block": str(result).split("scope")[0],
        "verdict": str(result.verdict(rope=rope)),
        "comparison": str(found).split("Speaks")[0],
        "summary": found.summary("a", "b", rope=rope).split("Speaks")[0],
        "latex": found.to_latex(rope=rope),
        "one latex": result.to_latex(rope=rope),
        "markdown": found.to_markdown(rope=rope),
        "notebook": re.sub(r"style=\"[^\"]*\"", "", found._repr_html_()),
        "one notebook": re.sub(r"style=\"[^\"]*\"", "", result._repr_html_()),
        "page": " ".join(
            re.findall(
                r"\[[^\]<]*\]|<dd>[^<]*</dd>|class=\"?lead\"?>[^<]*<", page.render(found, rope=rope)
            )
        ),
        "matrix": "\n".join(drawn),
    }


@pytest.mark.slow
@pytest.mark.parametrize("end", [4e-4, 3e-6, 2e-9, -2e-6])
def test_no_text_prints_an_end_as_zero(end):
    scores = pair(end)
    low, _ = op.methods.corrected_t(scores, "a", "b").interval()
    assert low == pytest.approx(end, rel=1e-3)
    for where, text in all_texts(scores).items():
        assert not zeros(text), (where, text)


@pytest.mark.slow
def test_in_a_table_of_larger_differences_a_small_end_is_no_zero_either():
    scores = pair(3e-6, far=True)
    for where, text in all_texts(scores).items():
        assert not zeros(text), (where, text)


@pytest.mark.slow
@pytest.mark.parametrize("inside", [-1e-7, 1e-7])
def test_an_end_that_is_not_the_bound_of_the_rope_does_not_look_like_it(inside):
    scores = pair(-0.02)
    high = op.methods.corrected_t(scores, "a", "b").interval().high
    rope = round(high, 3)
    scores = pair(-0.02 + rope - high + inside)
    for where, text in all_texts(scores, rope).items():
        if where in ("repr", "block", "comparison", "notebook", "one notebook", "matrix"):
            continue  # these are not asked about a rope
        shown = [float(n.replace("−", "-")) for n in numbers_in(text.partition("within")[0])]
        near = [n for n in shown if abs(n - rope) < 1e-6 and n != rope]
        assert near or "equivalent within" in text, (where, text)


@pytest.mark.parametrize(
    ("low", "high", "limits", "shown"),
    [
        (0.00001, 0.0321, (), ("+0.00001", "+0.03210")),
        (-0.0, 0.0321, (), ("0.0000", "+0.0321")),
        (-3e-12, 0.0321, (), ("−3e−12", "+0.0321")),
        (0.0051, 0.0321, (), ("+0.0051", "+0.0321")),
        (-0.0051, 0.00999996, (0.01,), ("−0.00510000", "+0.00999996")),
        (-0.0051, 0.01, (0.01,), ("−0.0051", "+0.0100")),
        (-0.0051, 0.01 - 1e-13, (0.01,), ("−0.0051", "+0.0099999999999")),
        (1e-5, float("inf"), (), ("+0.00001", "∞")),
    ],
)
def test_ends_have_as_many_digits_as_it_takes(low, high, limits, shown):
    assert formatting.ends(low, high, 4, *limits, sign=True) == shown


def test_the_figure_of_a_matrix_marks_no_zero_as_decided():
    found = op.compare(pair(3e-6, far=True))
    (axes,) = figures.draw(found, "matrix").axes
    assert not [text for text in axes.texts if re.search(r"[▲▼] 0\.0+$", text.get_text())]
