"""Families: a verdict and the interval beside it come from the same quantile, or it is said."""

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import outperform as op
from outperform.methods import table as registered
from outperform.registry import Method
from outperform.results.adjustments import ADJUSTMENTS, FAMILY_ADJUSTMENTS
from outperform.scores.item_summary import scores_of
from outperform.scores.split_scores import SplitLosses

SMALLER = {
    "diebold_mariano": "holdout@1/3",
    "corrected_t": "3x5cv",
    "resampled_t": "12xresampled@1/3",
    "repeated_kfold_t": "3x5cv",
    "averaged_t": "4*5cv",
    "conservative_z": "3x4halves@1/10",
    "paired_t": "holdout@30",
}
"""Designs to ask a method on; another is asked on its published one."""
STEPWISE = sorted(set(ADJUSTMENTS) - {"bonferroni", "none"})
NAMES = ("a", "b", "c", "d")


OF_ITEMS = {"cluster_t": (40, 1), "sampled_items_t": (40, 3), "crossed_t": (40, 3)}
"""Items and samples of methods that read `Items`."""
OF_DATASETS = ("dataset_t", "rank_z")
ELSEWHERE = ("delong",)
"""Methods that read rankings; tests/procedures/test_delong.py compares their intervals."""


def t_type(method):
    """Tell whether a method's evidence is a pivot, by what its kernel is declared to return."""
    if not isinstance(method, Method) or method.view.pairs is None:
        return False
    return method.kernel.__annotations__["return"] == "Pivot" and method.interval_inverts


T_TYPE = [
    row.name
    for row in registered()
    if row.name not in ELSEWHERE and t_type(getattr(op, row.name, None))
]


def of_items(rng, shape, gap, still):
    """Scores of items in ten clusters, answered once or several times."""
    n, samples = shape
    values = rng.normal(size=(4, n, samples)) + 20 * gap * np.arange(4)[:, None, None]
    if still:
        values[1], values[3] = values[0] + 0.125, values[2]
    tables = dict(zip(NAMES, values, strict=True))
    clusters = np.arange(n) % 10 if samples == 1 else None
    return scores_of(op.Items.from_arrays(tables, clusters=clusters))


def of_datasets(rng, gap, still):
    """One score of each learner on each of 25 datasets."""
    values = 0.7 + 0.03 * rng.normal(size=(4, 25)) + gap * np.arange(4)[:, None]
    if still:
        values[1], values[3] = values[0] + 0.125, values[2]
    where = np.zeros((25, 3), dtype=np.int64)
    datasets = tuple(f"d{i}" for i in range(25))
    return op.Scores(NAMES, values, where, metric="points", datasets=datasets)


def scores_for(method, seed, gap, *, still=False):
    """Scores of four learners; `still`: two differ by a constant, two not at all."""
    rng = np.random.default_rng(seed)
    if method in OF_ITEMS:
        return of_items(rng, OF_ITEMS[method], gap, still)
    if method in OF_DATASETS:
        return of_datasets(rng, gap, still)
    design = op.parse(SMALLER.get(method, getattr(op, method).published_design))
    items = None
    if design.n_splits(300) == 1:
        losses = rng.gamma(2.0, size=(4, 30)) + gap * np.arange(4)[:, None]
        if still:
            losses[1], losses[3] = losses[0] + 0.5, losses[2]
        items = SplitLosses("squared", losses, np.zeros(30, dtype=np.int64), np.arange(30))
        values = -losses.mean(axis=1, keepdims=True)
    else:
        n = design.n_splits(300)
        values = 0.7 + 0.03 * rng.normal(size=(4, n)) + gap * np.arange(4)[:, None]
        if still:
            values[1], values[3] = values[0] + 0.125, values[2]
    sizes = design.sizes(300)
    return op.Scores(
        NAMES,
        values,
        design.addresses(300),
        design=design,
        n_train=np.asarray(sizes.n_train),
        n_test=np.asarray(sizes.n_test),
        items=items,
    )


def agrees(found, alpha=0.05, level=None):
    """Assert that rows decide exactly where their interval excludes 0, as numbers and as shown."""
    asked = {"alpha": alpha, "level": 1 - alpha}
    table = found.to_markdown(**asked).split("\n\n")[-2].splitlines()[2:]
    outcomes = found.outcomes(alpha)
    low, high = found.intervals(1 - alpha)
    for row, ends, outcome, line in zip(
        found.rows(**asked), zip(low, high, strict=True), outcomes, table, strict=True
    ):
        decided = outcome in ("outperforms", "outperformed")
        assert row["verdict"] == outcome
        assert decided == (ends[0] > 0 or ends[1] < 0), (row, ends)
        assert decided == shown_without_zero(line), line
        if row["pvalue"] is None:
            assert (outcome, row["low"], row["high"]) == ("no decision", None, None)
    return [outcome != "no decision" for outcome in outcomes]


def shown_without_zero(line):
    interval = re.search(r"\[([^,]+), ([^\]]+)\]", line)
    if interval is None:
        return False
    low, high = (float(end.replace("−", "-").replace("∞", "inf")) for end in interval.groups())
    return low > 0 or high < 0


def test_the_t_type_methods_are_found():
    assert set(SMALLER) < set(T_TYPE)
    assert not {"mcnemar", "proportions", "quasi_f", "wilcoxon", "five_by_two_f"} & set(T_TYPE)


@pytest.mark.requirement("N-18")
@pytest.mark.parametrize("method", T_TYPE)
@settings(max_examples=12, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 10**6),
    gap=st.sampled_from([0.0, 0.01, 0.02, 0.1]),
    control=st.sampled_from([None, "a", "c"]),
    alternative=st.sampled_from(["two-sided", "greater", "less"]),
    alpha=st.sampled_from([0.01, 0.05, 0.2]),
    still=st.booleans(),
)
def test_no_row_says_one_thing_and_shows_another(
    method, seed, gap, control, alternative, alpha, still
):
    scores = scores_for(method, seed, gap, still=still)
    found = op.compare(scores, method=method, control=control, alternative=alternative)
    assert (found.adjust, found.interval_kind) == ("single-step", "simultaneous")
    agrees(found, alpha)
    asked = op.compare(
        scores, method=method, control=control, alternative=alternative, adjust="bonferroni"
    )
    assert asked.outcomes(alpha) == found.outcomes(alpha)


@pytest.mark.parametrize("method", T_TYPE)
def test_some_rows_are_decided_and_some_are_not(method):
    """The property above is not empty: it meets decided and undecided rows."""
    met = [
        decided
        for gap in (0.0, 0.03, 0.1, 1.0)
        for seed in range(3)
        for decided in agrees(op.compare(scores_for(method, seed, gap), method=method))
    ]
    assert 0 < sum(met) < len(met)


@pytest.mark.slow
@pytest.mark.parametrize("spherical", [False, True])
@settings(max_examples=6, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6), gap=st.sampled_from([0.0, 0.2, 0.5]), still=st.booleans())
def test_a_known_joint_law_gives_p_value_and_interval(spherical, seed, gap, still):
    losses = np.random.default_rng(seed).normal(gap * np.arange(4), 1.0, size=(25, 4))
    if still:
        losses[:, 1] = losses[:, 0] + 0.5
    found = op.methods.simultaneous(losses, spherical=spherical, lower_is_better=True)
    assert found.interval_kind == "simultaneous"
    agrees(found)


@settings(max_examples=6, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6), worst=st.sampled_from([0.9, 0.7, 0.5]))
def test_pooled_intervals_agree_with_their_verdicts(seed, worst):
    right = np.random.default_rng(seed).random((120, 4)) < [0.9, 0.88, 0.8, worst]
    agrees(op.methods.pooled_intervals(right.astype(int)))


@pytest.mark.slow
@pytest.mark.parametrize("adjust", [*STEPWISE, "none"])
@pytest.mark.parametrize("control", [None, "b"])
def test_stepwise_adjustments_show_the_interval_of_the_pair_alone_and_say_so(
    adjust, control, tmp_path
):
    scores = scores_for("corrected_t", 8, 0.012)
    found = op.compare(scores, adjust=adjust, control=control)
    assert found.interval_kind == "this pair alone"
    for row, names in zip(found.rows(), found.pair_names, strict=True):
        own = found[names].interval()
        assert (row["low"], row["high"]) == (own.low, own.high)
        assert row["interval_kind"] == "this pair alone"
        if row["verdict"] != "no decision":
            assert row["low"] > 0 or row["high"] < 0
    made = json.loads(found.to_json())
    assert made["interval_kind"] == "this pair alone"
    assert {pair["interval_kind"] for pair in made["pairs"]} == {"this pair alone"}
    assert found.to_frame()["interval_kind"].unique().to_list() == ["this pair alone"]
    page = found.report(tmp_path / "report.html").read_text(encoding="utf-8")
    undecided = next(
        n for n, o in zip(found.pair_names, found.outcomes(), strict=True) if o[0] == "n"
    )
    for where, text in {
        "text": str(found),
        "notebook": found._repr_html_(),
        "latex": found.to_latex(),
        "markdown": found.to_markdown(),
        "methods": found.methods_text(),
        "page": page,
        "verdict": str(found.verdict(*undecided)),
        "summary": found.summary(*undecided),
        "figure": found.plot("intervals").axes[0].get_xlabel(),
    }.items():
        assert "this pair alone" in text, where
        assert "simultaneous" not in text, where


def test_an_interval_that_excludes_zero_beside_no_decision_is_explained():
    for seed in range(40):
        found = op.compare(scores_for("corrected_t", seed, 0.012), adjust="holm")
        low, high = found.intervals()
        odd = [
            names
            for names, a, b, outcome in zip(
                found.pair_names, low, high, found.outcomes(), strict=True
            )
            if (a > 0 or b < 0) and outcome == "no decision"
        ]
        said = "Each interval is for this pair alone: it may exclude 0 although the adjusted p ≥ α."
        assert (said in str(found)) == bool(odd)
        if odd:
            assert "excludes 0 although the adjusted p ≥ α" in str(found.verdict(*odd[0]))
            return
    pytest.fail("no such pair came in 40 families")


def test_the_interval_of_one_pair_is_its_own():
    scores = op.Scores.from_arrays(
        {"a": np.linspace(0.7, 0.8, 10), "b": np.linspace(0.69, 0.81, 10)}, design="10cv"
    )
    for adjust in ("auto", *FAMILY_ADJUSTMENTS):
        found = op.compare(scores, adjust=adjust)
        assert found.interval("a", "b") == found["a", "b"].interval()


@pytest.mark.parametrize("method", ["mcnemar", "proportions", "all_pairs"])
def test_methods_without_a_t_type_pivot_keep_holm(method):
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 200)
    models = {
        n: np.where(rng.random(200) < p, truth, 1 - truth)
        for n, p in {"a": 0.9, "b": 0.85, "c": 0.7}.items()
    }
    scores = op.Scores.from_predictions(truth, models)
    found = op.compare(scores, method=method)
    assert (found.adjust, found.interval_kind) == ("holm", "this pair alone")
    assert "Interval and p-value use different formulas and may disagree." in str(found)
    together = op.compare(scores, method=method, adjust="single-step")
    assert together.interval_kind == "simultaneous"
    assert together.adjusted() == pytest.approx(
        op.methods.bonferroni(np.exp(together.log_pvalues()))
    )


@pytest.mark.parametrize("method", ["wilcoxon", "sign_test"])
def test_tests_over_datasets_are_closed_and_show_each_pair_alone(method):
    values = np.random.default_rng(2).random((3, 9))
    where = np.zeros((9, 3), dtype=np.int64)
    names = tuple(f"d{i}" for i in range(9))
    found = op.compare(op.Scores(tuple("abc"), values, where, datasets=names), method=method)
    assert (found.adjust, found.interval_kind) == ("bergmann-hommel", "this pair alone")
    assert found.interval("a", "b") == found["a", "b"].interval()


@pytest.mark.parametrize("control", [None, "a"])
def test_equivalence_and_not_worse_are_single_step_too(control):
    for seed in range(6):
        found = op.compare(scores_for("corrected_t", seed, 0.005), control=control)
        for rope in (0.02, 0.05):
            for logs, side in (
                (found.log_equivalence(rope), "equivalence"),
                (found.log_noninferiority(rope), "noninferiority"),
            ):
                alone = [getattr(found[names], side)(rope) for names in found.pair_names]
                assert np.exp(logs) == pytest.approx(op.methods.bonferroni(alone), rel=1e-9)
            # Two one-sided tests at α/m are the interval at 1 − 2α/m within the rope.
            narrow = [found[n].interval(1 - 0.1 / found.n_pairs) for n in found.pair_names]
            inside = [-rope < one.low and one.high < rope for one in narrow]
            assert [word == "equivalent" for word in found.outcomes(rope=rope)] == inside
