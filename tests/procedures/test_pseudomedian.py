"""Tests over datasets: what their estimates and intervals are, and that they hold as they say."""

import json
from itertools import combinations_with_replacement, product
from math import ceil

import numpy as np
import places
import pytest
import reports_for_tests
from scipy import stats

import outperform as op
from outperform.numerics.ranks import LARGEST_LISTED, walsh_averages
from outperform.report import figures
from outperform.report.html import page

GOLDEN = json.loads((places.GOLDEN / "over_datasets.json").read_text(encoding="utf-8"))["tables"]
# Hollander and Wolfe (1973), p. 29: depression of nine patients before and after a tranquillizer.
BEFORE = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
AFTER = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
METHODS = [op.methods.wilcoxon, op.methods.sign_test]


def averages(values):
    return sorted((a + b) / 2 for a, b in combinations_with_replacement(values, 2))


def law_of_rank_sums(n):
    """Return P(T ≤ t) for t = 0, 1, …, by going through all signs."""
    sums = [
        sum(r for r, s in zip(range(1, n + 1), signs, strict=True) if s)
        for signs in product((False, True), repeat=n)
    ]
    return np.cumsum(np.bincount(sums)) / 2**n


def by_the_book(values, level):
    """Return the interval of Hollander and Wolfe: the k-th average from either end."""
    law = law_of_rank_sums(len(values))
    k = int(np.sum(law < (1 - level) / 2))
    return None if k == 0 else (averages(values)[k - 1], averages(values)[-k])


def test_the_example_of_hollander_and_wolfe():
    found = op.methods.wilcoxon(AFTER, BEFORE, unit="datasets")
    assert found.estimate == pytest.approx(-0.46)
    assert tuple(found.interval(0.95)) == pytest.approx((-0.786, -0.010))
    assert found.pvalue == pytest.approx(0.0390625)


@pytest.mark.parametrize("n", [6, 9, 12])
@pytest.mark.parametrize("level", [0.5, 0.8, 0.9, 0.95, 0.99])
def test_the_interval_is_that_of_the_book(n, level):
    values = np.random.default_rng(n).normal(0.3, 1.0, n)
    found = op.methods.wilcoxon(values, unit="datasets")
    assert found.estimate == pytest.approx(np.median(averages(values)), rel=1e-12)
    expected, interval = by_the_book(values, level), found.interval(level)
    if expected is None:
        assert interval is None
    else:
        assert tuple(interval) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_scipy_rejects_beyond_the_ends_and_not_before(level):
    values = np.random.default_rng(5).normal(0.1, 1.0, 20)
    low, high = op.methods.wilcoxon(values, unit="datasets").interval(level)
    for end, out in ((low, -1), (high, 1)):
        beyond, within = (
            stats.wilcoxon(values - (end + step), method="exact").pvalue
            for step in (out * 1e-9, -out * 1e-9)
        )
        assert beyond < 1 - level <= within


@pytest.mark.parametrize(
    "sizes",
    [
        [1, 2, 3, 4, 5, 6, 7, 8],
        [1, 1, 2, 2, 2, 3, 3, 4],
        [0, 0, 1, 2, 2, 5, 7, 7],
        [1] * 8,
        [0, 1, 1, 3, 3, 3, 9],
    ],
)
@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.98])
@pytest.mark.parametrize("method", METHODS)
def test_over_all_signs_the_interval_covers_as_often_as_it_says(method, sizes, level):
    every = [np.array(signs) * sizes for signs in product((-1.0, 1.0), repeat=len(sizes))]
    found = [method(values, unit="datasets").interval(level) for values in every]
    assert np.mean([0 in one for one in found]) >= level
    if method is op.methods.wilcoxon and len(set(sizes)) == len(sizes) == 8:
        law = law_of_rank_sums(8)
        assert np.mean([0 not in one for one in found]) == 2 * max(law[law < (1 - level) / 2])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(40))
def test_with_ties_and_zeros_the_interval_is_never_bolder_than_the_test(method, seed):
    rng = np.random.default_rng(seed)
    values = rng.integers(-2, 5, rng.integers(6, 25)).astype(float)
    found = method(values, unit="datasets")
    for level in (0.5, 0.8, 0.9, 0.95):
        interval = found.interval(level)
        if interval is not None and 0 not in interval:
            assert found.pvalue < 1 - level


GRID = np.array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, -11]) / 100


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", range(3, 13))
def test_the_interval_holds_the_null_wherever_the_test_does_not_reject_it(method, n):
    rng = np.random.default_rng(n)
    few = rng.integers(-3, 8, (60, n)).astype(float)
    spread = rng.permuted(np.tile(np.arange(n) * 1.0, (60, 1)), axis=1)
    spread *= rng.choice([1.0, 1.0, 1.0, -1.0], (60, n))
    shift = spread - spread[:, :1]
    every = np.concatenate([few, spread, shift, [np.resize(GRID, n)]])
    batch = method.batch(every)
    for side in ("two-sided", "greater", "less"):
        for level in (0.5, 0.75, 0.9, 0.9375, 0.94, 0.95, 0.99):
            low, high = batch.interval(level, side)
            p = batch.pvalue(side)
            held = np.isnan(low + high) | ((low <= 0) & (high >= 0))
            assert (held | (p < 1 - level)).all(), (side, level)
            for row in range(0, len(every), 20):
                one = method(every[row], unit="datasets", alternative=side)
                interval = one.interval(level)
                assert interval is None or 0 in interval or one.pvalue < 1 - level


def test_zeros_cannot_make_the_interval_leave_out_what_the_test_keeps():
    found = op.methods.wilcoxon(GRID, zeros="wilcox", unit="datasets")
    assert found.pvalue == pytest.approx(0.0537109375)
    assert tuple(found.interval(0.95)) == pytest.approx((0.0, 0.07))
    assert "though" not in str(found)
    turned = op.methods.wilcoxon(-GRID, zeros="wilcox", unit="datasets").interval(0.95)
    assert tuple(turned) == pytest.approx((-0.07, 0.0))
    moved = op.methods.wilcoxon(GRID + 0.2, mu0=0.2, zeros="wilcox", unit="datasets").interval(0.95)
    assert tuple(moved) == pytest.approx((0.2, 0.27))
    assert (
        op.methods.wilcoxon(GRID, alternative="greater", zeros="wilcox", unit="datasets")
        .interval(0.975)
        .low
        == 0
    )


def test_the_interval_of_the_sign_test_is_scipys_for_a_median():
    for n in (8, 15, 40, 200):
        values = np.random.default_rng(n).normal(0.2, 1.0, n)
        found = op.methods.sign_test(values, unit="datasets")
        assert found.estimate == np.median(values)
        for level in (0.8, 0.95):
            theirs = stats.quantile_test(values, q=0, p=0.5).confidence_interval(level)
            low, high = found.interval(level)
            # Theirs takes one more where a tail is met exactly or from above; ours never less.
            ranks = np.searchsorted(np.sort(values), [low, high])
            assert ranks[0] + ranks[1] == n - 1
            assert stats.binom.cdf(ranks[0], n, 0.5) < (1 - level) / 2
            assert stats.binom.cdf(ranks[0] + 1, n, 0.5) >= (1 - level) / 2
            assert theirs.low >= low
            assert theirs.high <= high


@pytest.mark.parametrize("n", [51, 120])
def test_many_datasets_take_the_normal_law_for_the_interval_too(n):
    values = np.random.default_rng(n).normal(0.2, 1.0, n)
    mean, sd = n * (n + 1) / 4, (n * (n + 1) * (2 * n + 1) / 24) ** 0.5
    k = ceil(mean - stats.norm.isf(0.025) * sd)
    found = averages(values)
    assert tuple(op.methods.wilcoxon(values, unit="datasets").interval(0.95)) == pytest.approx(
        (found[k - 1], found[-k])
    )


def test_averages_too_many_to_list_are_found_by_halving():
    values = np.random.default_rng(1).normal(size=LARGEST_LISTED + 1)
    i, j = np.triu_indices(values.size)
    listed = np.sort((values[i] + values[j]) / 2)
    places = (0, 1234, listed.size // 2, listed.size - 1)
    assert walsh_averages(values, places) == pytest.approx(listed[list(places)], abs=1e-14)


@pytest.mark.parametrize("method", METHODS)
def test_no_interval_is_made_up_where_too_few_datasets_allow_none(method):
    found = method([0.1, 0.2, 0.3, 0.4, 0.5], [0.0, 0.11, 0.2, 0.31, 0.4], unit="datasets")
    assert found.interval(0.95) is None
    assert found.interval(0.93) is not None
    assert "5 datasets allow only levels below 93.75 %" in str(found)
    assert found.to_dict()["low"] is None


@pytest.mark.parametrize("table", GOLDEN)
def test_p_values_over_published_datasets(table):
    given = GOLDEN[table]
    scores = np.array(given["scores"])
    for (i, j), p, smaller in zip(
        given["pairs"], given["pvalue"], given["smaller_sum"], strict=True
    ):
        found = op.methods.wilcoxon(scores[:, i], scores[:, j], zeros="wilcox", unit="datasets")
        assert found.pvalue == pytest.approx(p, rel=1e-12)
        assert found.statistic == smaller
        exact = np.median(averages(scores[:, i] - scores[:, j]))
        assert found.estimate == pytest.approx(exact, abs=1e-15)
        low, high = found.interval(0.95)
        assert low <= found.estimate <= high


@pytest.mark.parametrize("method", METHODS)
def test_rounding_does_not_move_an_end_off_zero(method):
    a = np.array([0.1, 0.2, 0.3, 0.7, 0.6, 0.8, 0.9, 0.4])
    noise = (a + 0.1) - 0.1
    assert (noise != a).any()
    found = method(np.concatenate([noise, noise + 0.5]), np.concatenate([a, a]), unit="datasets")
    assert found.interval(0.95).low == 0


# What is said of them.

LABEL = "pseudomedian (Hodges–Lehmann)"


def benchmark(n=30, k=3):
    rng = np.random.default_rng(4)
    base = rng.uniform(0.6, 0.9, n)
    values = np.round([base + rng.normal(0.02 * (k - i), 0.02, n) for i in range(k)], 4)
    where = np.zeros((n, 3), dtype=np.int64)
    names = tuple(f"learner {chr(97 + i)}" for i in range(k))
    return op.Scores(names, values, where, datasets=tuple(f"d{i}" for i in range(n)))


def in_one_line(latex):
    return latex.replace("--", "–").replace(r"– \\ ", "–").replace(r" \\ ", " ")


def texts(found):
    one = found[found.pair_names[0]]
    return {
        "comparison": str(found),
        "result": str(one),
        "repr": repr(one),
        "latex": in_one_line(found.to_latex()),
        "one latex": in_one_line(one.to_latex()),
        "markdown": found.to_markdown(),
        "one markdown": one.to_markdown(),
        "notebook": found._repr_html_(),
        "one notebook": one._repr_html_(),
        "methods": found.methods_text(),
        "summary": found.summary(*found.pair_names[0]),
        "page": page.render(found),
    }


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 3])
def test_every_text_names_the_estimate(k):
    for where, text in texts(op.compare(benchmark(k=k))).items():
        assert LABEL in text, where
    for where, text in texts(op.compare(benchmark(k=k), method="sign_test")).items():
        assert "median" in text, where
        matrix = "mean difference (row minus"  # which the figure of datasets draws
        assert "mean difference" not in text.replace(matrix, ""), where


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("kind", ["estimation", "intervals", "matrix"])
def test_every_figure_names_what_it_draws(k, kind):
    found = op.compare(benchmark(k=k))
    figure = figures.draw(found, kind)
    figure.canvas.draw()
    parts = figure.axes + [axis for axes in figure.axes for axis in axes.child_axes]
    labels = [axes.get_xlabel() + axes.get_ylabel() for axes in parts]
    labels.append(figure.get_supxlabel().replace("\n", " "))  # the caption of a matrix
    drawn = "mean difference (row minus column)" if kind == "matrix" else LABEL
    assert any(drawn in label for label in labels), labels
    if kind == "estimation":
        assert any("bar: mean" in label for label in labels), labels
    plain = figures.draw(op.compare(reports_for_tests.scores("abc"[:k])), kind)
    assert not any(LABEL in axes.get_xlabel() + axes.get_ylabel() for axes in plain.axes)


def test_of_two_models_no_line_joins_the_pseudomedian_to_a_mean():
    found = op.compare(benchmark(k=2))
    (axes,) = figures.draw(found).axes
    mean = found.scores.values[0].mean()
    base = found.scores.values[1].mean()
    assert found.rows()[0]["estimate"] != pytest.approx(mean - base, rel=1e-3)
    heights = [line.get_ydata()[0] for line in axes.lines if line.get_linestyle() == "--"]
    assert heights == [base]
    result = found[found.pair_names[0]]
    assert LABEL in result.plot().axes[0].get_xlabel()


@pytest.mark.slow
def test_intervals_that_do_not_exist_are_not_spoken_of():
    found = op.compare(benchmark(n=8, k=5), adjust="bonferroni")
    why = "8 datasets allow only levels below 99.2188 %, and each of 10 pairs needs 99.5 %"
    assert all(row["low"] is None for row in found.rows())
    for where, text in texts(found).items():
        if where not in ("latex", "markdown", "notebook"):  # whose column has a heading anyway
            ranks = "means, simultaneous 95"  # of rank sets, by intervals of their own
            assert "simultaneous 95" not in " ".join(text.split()).replace(ranks, ""), where
        if where in ("comparison", "page"):
            assert f"No interval at 95 %: {why}." in " ".join(text.split())
    label = figures.draw(found, "intervals").axes[0].get_xlabel()
    assert "no intervals" in label
    assert found.interval("learner a", "learner b") is None
    assert found["learner a", "learner b"].interval() is not None


@pytest.mark.slow
def test_where_ties_widen_the_interval_beside_a_decision_it_is_said():
    wins = np.r_[np.zeros(10), np.full(7, 0.01)]
    found = op.methods.wilcoxon(0.8 + wins, np.full(17, 0.8), unit="datasets")
    assert found.verdict() == "outperforms"
    assert found.interval().low == 0
    said = "contains 0 although p < 0.05, because ties and zeros widen it"
    assert said in " ".join(str(found).split())
    names = tuple(f"d{i}" for i in range(17))
    values = np.stack([0.8 + wins, np.full(17, 0.8)])
    pair = op.compare(op.Scores(("a", "b"), values, np.zeros((17, 3), int), datasets=names))
    assert said in " ".join(str(pair).split())
    assert "may contain 0 although p &lt; α: ties and zeros widen it" in page.render(pair)
    assert "widen" not in str(op.methods.wilcoxon(AFTER, BEFORE, unit="datasets"))


def test_a_result_of_few_datasets_is_drawn_at_the_levels_there_are():
    few = op.methods.wilcoxon(np.arange(1.0, 9.0), np.zeros(8), unit="datasets")
    drawn = few.plot().axes[0].lines[0]
    assert min(drawn.get_xdata()) >= 1
