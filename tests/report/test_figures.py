"""Figures: every kind draws, says what the numbers say, and never runs or parses a name."""

import re
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace
from xml.etree import ElementTree as ET

import matplotlib
import numpy as np
import pytest
from reports_for_tests import HOSTILE, over_datasets, scores

import outperform as op
from outperform import MethodError, OutperformError
from outperform.numerics.distributions import T
from outperform.report import figures
from outperform.report.figures.canvas import THEMES, Look, fewer, in_lines, short_name
from outperform.report.figures.curves import Curve, curves
from outperform.report.figures.score_figures import statistics
from outperform.report.figures.svg import Sheet, inline

KINDS = ("estimation", "sorted", "intervals", "matrix", "qq")
TWO, FOUR = op.compare(scores("ab")), op.compare(scores("abcd"))
THREE = op.compare(scores("abc"))


def texts(figure):
    from matplotlib.text import Text

    return [text.get_text() for text in figure.findobj(Text)]


def lines(axes, *, size):
    """Return the lines of an axes that have so many points."""
    return [line for line in axes.lines if len(line.get_xdata()) == size]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("comparison", [TWO, THREE], ids=["two", "three"])
def test_every_kind_is_drawn_in_light_and_dark(kind, comparison):
    drawn = [
        figures.png(figures.draw(comparison, kind, theme=theme), dpi=30)
        for theme in ("light", "dark")
    ]
    assert len(set(drawn)) == 2
    assert all(data.startswith(b"\x89PNG") for data in drawn)


@pytest.mark.slow
@pytest.mark.parametrize("lower", [False, True])
def test_the_difference_of_two_models_stands_on_an_axis_aligned_with_their_scores(lower):
    comparison = op.compare(scores("ab", lower=lower))
    (axes,) = figures.draw(comparison, "estimation").axes
    result = comparison["a", "b"]
    dot = lines(axes, size=1)[0].get_ydata()[0]
    means = comparison.scores.values.mean(axis=1)
    assert dot == pytest.approx(means[0])  # zero stands at the second's mean, so Δ at the first's
    (right,) = axes.child_axes
    up = right._functions[0]
    assert up(dot) == pytest.approx(result.estimate)
    bottom, top = axes.get_ylim()
    assert up(top) > up(bottom), "up is better, whatever the metric"
    reach = [line.get_ydata() for line in lines(axes, size=2) if set(line.get_xdata()) == {2.1}]
    assert [up(end) for end in reach[0]] == pytest.approx(list(result.interval(0.95)))


def test_many_models_are_shown_beside_the_best_or_the_control_with_simultaneous_intervals():
    _, right = figures.draw(FOUR, "estimation").axes
    assert "difference from a\n(best estimate" in right.get_xlabel()
    bars = sorted(
        tuple(line.get_xdata()) for line in lines(right, size=2) if np.ptp(line.get_xdata()) > 0
    )
    want = sorted(tuple(FOUR.interval(name, "a")) for name in "bcd")
    assert np.array(bars) == pytest.approx(np.array(want))
    beside = op.compare(scores("abcd"), control="c")
    assert "difference from c\n(control" in figures.draw(beside).axes[1].get_xlabel()


def test_the_intervals_figure_holds_every_pair_the_largest_difference_first():
    (axes,) = figures.draw(FOUR, "intervals").axes
    labels = [tick.get_text() for tick in axes.get_yticklabels()]
    rows = sorted(FOUR.rows(), key=lambda row: -abs(row["estimate"]))
    assert [set(label.split(" − ")) for label in labels] == [set(row["names"]) for row in rows]


def test_the_matrix_marks_exactly_the_pairs_that_were_decided():
    said = texts(figures.draw(FOUR, "matrix"))
    decided = sum(verdict != "no decision" for verdict in FOUR.outcomes(0.05))
    assert 0 < decided < 6
    assert sum(text.startswith("▲\n+") for text in said) == decided
    assert sum(text.startswith("▼\n−") for text in said) == decided


@pytest.mark.slow
def test_the_words_of_a_square_of_the_matrix_fit_into_it():
    names = [f"learner number {number}" for number in range(12)]
    figure = figures.draw(op.compare(scores(tuple(names))), "matrix")
    figure.canvas.draw()
    (axes,) = figure.axes
    side = axes.get_window_extent().width / len(names)
    drawn = [text.get_window_extent() for text in axes.texts if text.get_text()]
    assert len(drawn) >= 60
    assert max(box.width for box in drawn) <= side
    assert max(box.height for box in drawn) <= side


@pytest.mark.requirement("B-11")
def test_sorted_significance_has_a_dot_for_each_run_in_order_the_first_model_above():
    figure = figures.draw(TWO, "sorted")
    (axes,) = figure.axes
    dots = [line for line in axes.lines if line.get_marker() in "o^v" and len(line.get_xdata())]
    ranks = np.concatenate([line.get_xdata() for line in dots])
    heights = np.concatenate([line.get_ydata() for line in dots])
    assert sorted(ranks) == list(range(1, 11))
    assert (np.diff(heights[np.argsort(ranks)]) >= 0).all()
    (found,) = TWO.robustness()
    assert np.count_nonzero(heights > 0) == sum(p > 0 for p in found.signed_p)
    marks = dict(
        zip((t.get_text() for t in axes.get_yticklabels()), axes.get_yticks(), strict=True)
    )
    assert marks[".5"] == 0
    assert [axes.get_title(loc="left"), axes.get_xlabel()] == ["▲ a", "▼ b"]


@pytest.mark.requirement("B-11")
def test_a_p_too_small_for_the_axis_is_an_arrow_at_its_edge():
    found = SimpleNamespace(
        names=("a", "b"),
        signed=np.array([1e-9, 0.3, -0.0, -0.2]),
        n=4,
        alternative="two-sided",
        signed_sides=np.array([1, 0, -1, 0]),
    )
    from outperform.report.figures.score_figures import sorted_significance

    (axes,) = sorted_significance([found], Look(THEMES["light"])).axes
    arrows = {line.get_marker(): line.get_ydata() for line in axes.lines if len(line.get_xdata())}
    assert arrows["^"][0] == -arrows["v"][0] == pytest.approx(-np.log10(2 * 0.0005))


@pytest.mark.requirement("B-11")
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("adjust", ["none", "holm"])
def test_sorted_significance_colours_the_runs_as_they_were_counted(alternative, adjust):
    from matplotlib.colors import same_color
    from matplotlib.patches import Rectangle

    made = scores("abcd", seed=4)
    if alternative == "less":  # the worst first, or nothing could be decided
        made = replace(made, names=made.names[::-1], values=made.values[::-1])
    comparison = op.compare(made, alternative=alternative, adjust=adjust)
    look = Look(THEMES["light"])
    found = figures.least_settled(comparison.robustness())
    panels = figures.draw(comparison, "sorted").axes
    counted = np.zeros(3, dtype=int)
    for one, axes in zip(found, panels, strict=False):
        coloured = [
            sum(
                len(line.get_xdata())
                for line in axes.lines
                if line.get_marker() in ("o", "^", "v") and same_color(line.get_color(), look[name])
            )
            for name in ("second", "open", "first")
        ]
        assert coloured == list(one.conclusions)
        counted += coloured
        (band,) = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
        low, high = band.get_y(), band.get_y() + band.get_height()
        tail = 0.05 / comparison.family_size / (2 if alternative == "two-sided" else 1)
        limit = -np.log10(2 * tail)
        bottom, top = axes.get_ylim()
        assert low == pytest.approx(bottom if alternative == "greater" else -limit)
        assert high == pytest.approx(top if alternative == "less" else limit)
    assert counted[1] > 0
    assert counted[0] + counted[2] > 0


@pytest.mark.requirement("D-31")
def test_a_qq_plot_of_statistics_lies_on_the_line_where_they_follow_their_law():
    t = T(5)
    ranks = (np.arange(1000) + 0.5) / 1000
    follow = np.asarray(t.isf(1 - ranks))
    (axes,) = statistics(
        np.random.default_rng(0).permutation(follow), t, Look(THEMES["light"])
    ).axes
    x, y = max((line.get_data() for line in axes.lines), key=lambda data: len(data[0]))
    assert x == pytest.approx(y)
    assert figures.png(statistics(follow, t, Look(THEMES["light"])), dpi=30)


def test_a_result_alone_is_drawn_as_its_interval_at_every_level():
    result = op.methods.corrected_t(
        [0.8, 0.9, 0.7, 0.85], [0.7, 0.85, 0.65, 0.7], n_train=90, n_test=10
    )
    (axes,) = figures.draw(result).axes
    shown = [line for line in lines(axes, size=2) if set(line.get_ydata()) == {0.95}]
    assert sorted(shown[0].get_xdata()) == pytest.approx(list(result.interval(0.95)))
    with pytest.raises(MethodError, match="One result has no sorted figure"):
        figures.draw(result, "sorted")


@pytest.mark.parametrize("theme", THEMES)
def test_no_two_curves_look_alike(theme):
    series = {f"design {i}": Curve([1.0, 2.0], [float(i), i + 1.0]) for i in range(28)}
    (axes,) = curves(series, Look(THEMES[theme]), xlabel="n", ylabel="y").axes
    drawn = [(line.get_color(), line.get_marker(), line.get_linestyle()) for line in axes.lines]
    patterns = [line._dash_pattern for line in axes.lines]
    assert len({*zip(drawn, map(str, patterns), strict=True)}) == len(series)
    first_seven = drawn[:7]
    assert len({colour for colour, *_ in first_seven}) == 7
    assert len({marker for _, marker, _ in first_seven}) == 7
    assert {line for *_, line in first_seven} == {"-"}


def test_the_largest_design_of_a_plan_is_named_whole_in_the_legend():
    series = {"40x5cv+160halves": Curve([1.0, 2.0], [1.0, 2.0])}
    (axes,) = curves(series, Look(THEMES["light"]), xlabel="n", ylabel="y").axes
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [*series]


def test_a_learning_curve_is_drawn_from_its_points():
    means = {"$a$": [0.5, 0.6, 0.7], "b": [0.4, 0.6, 0.8]}
    curve = SimpleNamespace(
        names=tuple(means),
        n_train=(10, 30, 100),
        metric="accuracy",
        points=lambda name: [SimpleNamespace(estimate=y, stderr=0.1) for y in means[name]],
    )
    (axes,) = figures.draw(curve, "learning-curve").axes
    assert [list(line.get_ydata()) for line in axes.lines] == list(means.values())
    assert axes.get_xscale() == "log"
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["$a$", "b"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_hostile_names_are_text_in_every_figure_and_no_mathematics(kind):
    for names in (HOSTILE[:3], HOSTILE[3:]):
        comparison = op.compare(scores(names, metric="$x^2$ <b>"))
        figure = figures.draw(comparison, kind, theme="page")
        drawn = inline(figure, sheet=Sheet(), prefix="x-", alt=HOSTILE[0])
        root = ET.fromstring(drawn)  # names cannot open or close an element
        assert {element.tag for element in root.iter()} <= {
            "svg",
            "g",
            "path",
            "use",
            "defs",
            "clipPath",
            "rect",
            "text",
            "tspan",
        }
        assert "\u202e" not in drawn
        assert root.get("aria-label") == HOSTILE[0]


def test_a_dollar_sign_stays_a_dollar_sign():
    comparison = op.compare(scores(("$\\alpha$", "b", "c")))
    drawn = inline(figures.draw(comparison, "intervals"), sheet=Sheet(), prefix="", alt="")
    assert "$\\alpha$ − b" in drawn


def test_long_names_are_shortened_in_their_middle():
    name = "gradient boosting with a very long description, depth 3"
    assert short_name(name) == "gradient boosting … depth 3"
    assert short_name("m" * 20 + "0123456789abcdef") == "m" * 19 + "…6789abcdef"
    assert short_name("gradient boosting with early stopping", letters=16) == "gradient …"


def test_names_break_between_words_also_of_camel_case():
    name = "HistGradientBoostingClassifier"
    assert short_name(name, letters=20) == "Hist…Classifier"
    assert in_lines("RandomForestClassifier", letters=14) == "RandomForest\nClassifier"
    assert in_lines("random forest", letters=8) == "random\nforest"


def test_svg_for_the_page_has_no_style_of_its_own_and_no_colour_but_variables():
    sheet = Sheet()
    drawn = inline(figures.draw(FOUR, theme="page"), sheet=sheet, prefix="p-", alt="four")
    assert "style=" not in drawn
    assert "<style" not in drawn
    assert not re.search("#[0-9a-f]{6}", drawn + sheet.css)
    assert "var(--ink)" in sheet.css
    assert "<text" in drawn, "text stays text"
    ids = re.findall(r'\bid="([^"]+)"', drawn)
    assert all(name.startswith("p-") for name in ids)
    assert set(re.findall(r"#([\w-]+)", drawn)) <= set(ids)


@pytest.mark.slow
def test_the_same_figure_is_the_same_bytes():
    once, again = (
        inline(figures.draw(FOUR, theme="page"), sheet=Sheet(), prefix="", alt="") for _ in "ab"
    )
    assert once == again


def test_many_points_are_thinned_by_rank_and_both_ends_stay():
    values = np.random.default_rng(0).standard_normal(30_000)
    kept = values[fewer(values, 400)]
    assert kept.size == 400
    assert {kept.min(), kept.max()} == {values.min(), values.max()}
    assert np.median(kept) == pytest.approx(np.median(values), abs=0.02)


def test_a_figure_of_very_many_scores_stays_small():
    rng = np.random.default_rng(0)
    made = {name: rng.random(20_000) for name in "abc"}
    comparison = op.compare(op.Scores.from_arrays(made, design="20000xresampled@1/10"))
    figure = figures.draw(comparison, theme="page")
    assert len(inline(figure, sheet=Sheet(), prefix="", alt="")) < 80_000


@pytest.mark.slow
def test_drawing_leaves_the_settings_of_matplotlib_alone_and_needs_no_pyplot():
    before = dict(matplotlib.rcParams)
    figures.png(figures.draw(FOUR), dpi=30)
    assert dict(matplotlib.rcParams) == before
    program = (
        "import sys, outperform as op; s = op.Scores.from_arrays({'a': [.1, .2, .4], "
        "'b': [.2, .1, .1]}, design='3cv'); op.compare(s).plot(); print('matplotlib.pyplot' in "
        "sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "False", done.stderr


def test_a_notebook_can_show_a_figure_that_pyplot_does_not_know():
    assert figures.draw(TWO)._repr_png_().startswith(b"\x89PNG")


def test_a_method_without_intervals_is_drawn_without_them():
    comparison = op.compare(scores("abc", shape=(5, 2)), method="five_by_two_f")
    _, right = figures.draw(comparison).axes
    assert not [line for line in lines(right, size=2) if np.ptp(line.get_xdata()) > 0]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: figures.draw(FOUR, "estimatoin"), "did you mean 'estimation'"),
        (lambda: figures.draw(FOUR, theme="drak"), "did you mean 'dark'"),
        (lambda: figures.draw(FOUR, level=2), "level"),
        (lambda: figures.draw(op.compare(over_datasets()), "sorted"), "10x10cv"),
        (lambda: figures.draw(op.methods.simultaneous(np.eye(9)[:, :3]), "qq"), "needs the scores"),
        (lambda: figures.draw(TWO, "learning-curve"), "needs a learning curve, got a"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_words(call, words):
    with pytest.raises(OutperformError, match=words):
        call()


def test_scores_of_another_metric_are_not_drawn_beside_a_difference_of_squared_errors():
    from sklearn.linear_model import LinearRegression
    from sklearn.tree import DecisionTreeRegressor

    x = np.random.default_rng(1).normal(size=(60, 2))
    models = {"linear": LinearRegression(), "tree": DecisionTreeRegressor(random_state=0)}
    found = op.compare(models, x[:, :1], x[:, 1], design="3forward", random_state=0)
    assert found.metric == "neg_mean_squared_error"
    assert found.scores.metric == "r2"
    (axes,) = found.plot("estimation").axes
    assert "neg_mean_squared_error" in axes.get_xlabel()
