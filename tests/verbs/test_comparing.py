"""compare: every pair is what its method says of it alone, and the family is adjusted."""

import json
import math
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

import outperform as op
from outperform import DataError, MethodError
from outperform.scores.split_scores import SplitLosses

RNG = np.random.default_rng(30)
DESIGNS = {
    "10x10cv": ("corrected_t", (10, 10)),
    "10cv": ("corrected_t", (10,)),
    "15xresampled@1/3": ("corrected_t", (15,)),
    "5x2cv": ("five_by_two_t", (5, 2)),
    "4*10cv": ("averaged_t", (4, 1, 10)),
    "3x4halves@1/10": ("conservative_z", (28,)),
}


@pytest.mark.parametrize("design", DESIGNS)
def test_every_pair_is_what_the_default_method_says_of_it(design):
    name, shape = DESIGNS[design]
    made = {model: RNG.random(shape) for model in "abcd"}
    scores = op.Scores.from_arrays(made, design=design)
    comparison = op.compare(scores)
    assert comparison.method.name == name
    for pair in combinations("abcd", 2):
        alone = getattr(op, name)(scores, *pair)
        for attribute in ("estimate", "stderr", "statistic", "pvalue"):
            want = getattr(alone, attribute)
            assert getattr(comparison[pair], attribute) == pytest.approx(want, rel=1e-11)
    assert comparison.adjusted() == pytest.approx(
        op.methods.bonferroni(np.exp(comparison.log_pvalues()))
    )
    stepwise = op.compare(scores, adjust="holm")
    assert stepwise.adjusted() == pytest.approx(op.methods.holm(np.exp(comparison.log_pvalues())))


def test_losses_of_one_test_set_are_judged_by_the_paired_t():
    losses = RNG.gamma(2.0, size=(3, 40))
    once = np.zeros(40, dtype=np.int64)
    scores = op.Scores(
        ("a", "b", "c"),
        -losses.mean(axis=1, keepdims=True),
        np.zeros((1, 3), dtype=np.int64),
        design=op.parse("holdout@40"),
        items=SplitLosses("squared", losses, once, np.arange(40)),
    )
    comparison = op.compare(scores)
    assert comparison.method.name == "paired_t"
    alone = op.methods.paired_t(losses[0], losses[2], lower_is_better=True, unit="items")
    assert comparison["a", "c"].statistic == pytest.approx(alone.statistic, rel=1e-11)


def test_several_datasets_are_judged_over_datasets():
    values = RNG.random((3, 16))
    where = np.stack([np.zeros(16), np.zeros(16), np.arange(16) % 2], 1).astype(np.int64)
    names = tuple(f"d{i // 2}" for i in range(16))
    scores = op.Scores(("a", "b", "c"), values, where, datasets=names)
    comparison = op.compare(scores)
    assert comparison.method.name == "wilcoxon"
    assert comparison["a", "b"].pvalue == pytest.approx(
        op.methods.wilcoxon(scores, "a", "b").pvalue
    )


def test_losses_turn_the_sign_of_every_pair():
    errors = {name: RNG.random(10) for name in "abc"}
    scores = op.Scores.from_arrays(errors, design="10cv", lower_is_better=True)
    want = op.methods.corrected_t(errors["a"], errors["b"], design="10cv", lower_is_better=True)
    assert op.compare(scores)["a", "b"].estimate == pytest.approx(want.estimate)


def measured(design="10x10cv", k=4, seed=1):
    """Scores of k learners that get worse by 0.01 each."""
    rng = np.random.default_rng(seed)
    shape = DESIGNS[design][1]
    base = 0.8 + 0.02 * rng.normal(size=shape)
    made = {n: base - 0.01 * i + 0.01 * rng.normal(size=shape) for i, n in enumerate("abcd"[:k])}
    return op.Scores.from_arrays(made, design=design)


@pytest.mark.requirement("B-08")
@pytest.mark.parametrize("design", DESIGNS)
def test_a_control_is_compared_with_every_other_and_they_not_with_each_other(design):
    scores = measured(design)
    everything, found = op.compare(scores), op.compare(scores, control="b")
    assert found.pair_names == [("a", "b"), ("c", "b"), ("d", "b")]
    assert found.n_pairs == found.family_size == 3
    for first, _ in found.pair_names:
        alone, pair = everything[first, "b"], found[first, "b"]
        assert (pair.estimate, pair.pvalue) == (alone.estimate, alone.pvalue)
        assert found["b", first].estimate == -pair.estimate
        row = found.rows()[["a", "c", "d"].index(first)]
        assert row["names"] == [first, "b"]
        assert row["estimate"] == pytest.approx(pair.estimate)
        assert row["adjusted"] >= row["pvalue"] * (1 - 1e-12)
    raw = [found[first, "b"].pvalue for first in "acd"]
    assert found.adjusted() == pytest.approx(op.methods.bonferroni(raw), rel=1e-9)
    low, high = found.interval("b", "d")
    assert found.interval("d", "b").low == -high
    assert low < high


@pytest.mark.requirement("B-08")
def test_a_smaller_family_asks_less():
    scores = measured()
    everything, found = op.compare(scores), op.compare(scores, control="a")
    wide, narrow = everything.interval("b", "a"), found.interval("b", "a")
    assert narrow.high - narrow.low < wide.high - wide.low
    assert (found.detectable() < everything.detectable()[:3]).all()


@pytest.mark.requirement("B-08")
def test_against_a_control_there_are_no_groups_but_who_is_told_apart_is_said():
    scores = op.Scores.from_arrays(
        {
            name: 0.5 + gap + 0.01 * RNG.normal(size=(10, 10))
            for name, gap in {"old": 0.0, "new": 0.2, "bad": -0.2, "same": 0.0}.items()
        },
        design="10x10cv",
    )
    found = op.compare(scores, control="old")
    assert found.groups() == []
    assert found.against_control() == {
        "better": ("new",),
        "worse": ("bad",),
        "undecided": ("same",),
    }
    said = "better than old: new; worse than old: bad; not significantly different from old: same"
    assert said in " ".join(str(found).split())
    assert found.to_dict()["control"] == "old"
    assert found.names[found.order()[0]] == "new"
    with pytest.raises(MethodError, match="were not compared"):
        found["new", "bad"]
    with pytest.raises(MethodError, match="without a control"):
        op.compare(scores).against_control()


@pytest.mark.requirement("B-08", "D-16")
def test_models_on_one_test_set_have_a_control_too():
    table = (RNG.random((300, 3)) < [0.6, 0.7, 0.9]).astype(int)
    found = op.methods.all_pairs(table, names=("a", "b", "c"), control="c")
    assert found.pair_names == [("a", "c"), ("b", "c")]
    assert found["b", "c"].estimate == pytest.approx((table[:, 1] - table[:, 2]).mean())


def test_verdicts_are_those_of_the_family():
    scores = measured(seed=1)
    comparison = op.compare(scores)
    for row, pair in zip(comparison.rows(), combinations("abcd", 2), strict=True):
        verdict = comparison.verdict(*pair)
        assert verdict.outcome == row["verdict"]
        assert (verdict != "no decision") == (row["adjusted"] < 0.05)
        turned = {"outperforms": "outperformed", "no decision": "no decision"}
        assert comparison.verdict(*reversed(pair)) == turned[verdict.outcome]
    alone = [comparison[pair].verdict().outcome for pair in combinations("abcd", 2)]
    family = [comparison.verdict(*pair).outcome for pair in combinations("abcd", 2)]
    assert alone != family
    assert "adjusted for 6 pairs" in str(comparison.verdict("a", "b"))


def test_equivalence_is_adjusted_for_the_family():
    comparison = op.compare(measured(seed=4), adjust="holm")
    for rope in (0.02, 0.05, 0.1):
        alone = [comparison[pair].equivalence(rope) for pair in combinations("abcd", 2)]
        family = np.exp(comparison.log_equivalence(rope))
        assert family == pytest.approx(op.methods.holm(alone), rel=1e-9)
        said = [row["verdict"] == "equivalent" for row in comparison.rows(rope=rope)]
        assert said == (family < 0.05).tolist()
    assert comparison.verdict("a", "b", rope=0.1) == "equivalent"


def test_a_one_sided_verdict_favours_the_side_that_was_asked():
    scores = measured(seed=4)
    less = op.compare(scores, alternative="less")
    assert less.verdict("a", "d") == "no decision"
    greater = op.compare(scores, alternative="greater")
    assert greater.verdict("a", "d") == "outperforms"
    assert greater.verdict("d", "a") == "outperformed"
    assert ", ∞]" in str(greater)
    assert "[−∞, " in str(less)
    assert greater.interval("d", "a").low == -math.inf
    json.dumps(greater.to_dict(), allow_nan=False)


def test_verdicts_of_ranks_follow_their_p_value_and_so_does_the_pseudomedian():
    opposed = np.r_[-np.arange(1, 27), np.arange(27, 51)] / 1000
    where = np.stack([np.zeros(50), np.zeros(50), np.zeros(50)], 1).astype(np.int64)
    names = tuple(f"d{i}" for i in range(50))
    scores = op.Scores(("a", "b"), np.stack([opposed, np.zeros(50)]), where, datasets=names)
    comparison = op.compare(scores)
    assert np.median(opposed) < 0 < comparison.rows()[0]["estimate"]
    assert comparison.rows()[0]["verdict"] == comparison["a", "b"].verdict() == "outperforms"
    assert np.isnan(comparison.detectable()).all()


@pytest.mark.parametrize("design", DESIGNS)
def test_a_pair_keeps_the_details_of_its_method(design):
    scores = measured(design)
    name = DESIGNS[design][0]
    pair, alone = op.compare(scores)["c", "a"], getattr(op, name)(scores, "c", "a")
    assert pair.details.keys() == alone.details.keys()
    for key, value in alone.details.items():
        assert pair.details[key] == pytest.approx(value)


@pytest.mark.requirement("D-16")
def test_a_pair_of_models_keeps_its_table():
    table = (RNG.random((150, 4)) < 0.7).astype(int)
    comparison = op.methods.all_pairs(table, names=tuple("abcd"), variant="exact")
    for i, j in ((0, 2), (3, 1)):
        first, second = table[:, i], table[:, j]
        counts = [[((first == x) & (second == y)).sum() for y in (0, 1)] for x in (0, 1)]
        pair = comparison["abcd"[i], "abcd"[j]]
        assert np.asarray(pair.details["table"]).tolist() == counts
        alone = op.methods.mcnemar(table=counts, variant="exact")
        assert pair.pvalue == pytest.approx(alone.pvalue, rel=1e-12)
        assert pair.options == {"variant": "exact"}


@pytest.mark.requirement("N-18", "F-11")
def test_the_detectable_difference_is_found_with_about_the_power_that_is_said():
    comparison = op.compare(measured())
    sizes = comparison.detectable(alpha=0.05, power=0.8)
    stderr, df = np.asarray(comparison.evidence.stderr), 99
    critical = stats.t.isf(0.05 / 12, df)
    assert sizes == pytest.approx((critical + stats.t.isf(0.2, df)) * stderr, rel=1e-9)
    power = stats.nct.sf(critical, df, sizes / stderr)
    assert power == pytest.approx(0.8, abs=0.01)
    one = op.methods.corrected_t(measured(), "a", "b")
    assert one.detectable() == pytest.approx(
        (stats.t.isf(0.025, df) + stats.t.isf(0.2, df)) * one.stderr
    )


@pytest.mark.requirement("F-11")
def test_the_detectable_difference_uses_the_law_of_the_family():
    losses = RNG.gamma(2.0, size=(60, 3))
    found = op.methods.simultaneous(losses, lower_is_better=True)
    reach = found.critical_value(0.95) + stats.t.isf(0.2, 59)
    assert found.detectable() == pytest.approx(reach * np.asarray(found.evidence.stderr), rel=1e-9)


def test_nothing_can_be_detected_without_a_standard_error():
    same = {"a": [0.5] * 10, "b": [0.5] * 10, "c": RNG.random(10)}
    comparison = op.compare(op.Scores.from_arrays(same, design="10cv"))
    assert np.isnan(comparison.detectable()).tolist() == [True, False, False]
    assert comparison.rows()[0]["detectable"] is None
    assert [note["code"] for note in comparison.rows()[0]["notes"]] == ["OP101"]
    assert op.methods.kfold_t(same["a"], same["b"]).detectable() is None


def test_every_pair_has_its_own_degrees_of_freedom():
    losses = RNG.random((3, 4, 30))
    items = SplitLosses(
        "squared", losses.reshape(3, -1), np.repeat(np.arange(4), 30), np.tile(np.arange(30), 4)
    )
    where = np.stack([np.zeros(4), np.arange(4), np.zeros(4)], 1).astype(np.int64)
    scores = op.Scores(
        ("a", "b", "c"), -losses.mean(axis=2), where, design=op.parse("4disjoint@10"), items=items
    )
    comparison = op.compare(scores)
    for row, pair in zip(comparison.rows(), combinations("abc", 2), strict=True):
        assert row["df"] == pytest.approx(op.methods.quasi_f(scores, *pair).df)


@pytest.mark.requirement("D-19")
def test_two_proportions_are_not_judged_by_mcnemar():
    table = (RNG.random((200, 3)) < [0.5, 0.6, 0.8]).astype(int)
    labels = np.ones(200, dtype=int)
    scores = op.Scores.from_predictions(labels, dict(zip("abc", table.T, strict=True)))
    found = op.compare(scores, method="proportions")
    assert found.method.name == "proportions"
    alone = op.methods.proportions(scores, "a", "c")
    assert found["a", "c"].pvalue == alone.pvalue
    assert found.rows()[1]["pvalue"] == pytest.approx(alone.pvalue)


def test_what_was_measured_is_read_from_whatever_holds_it(tmp_path):
    import polars as pl

    arrays = {name: RNG.random((10, 10)) for name in "ab"}
    want = op.compare(op.Scores.from_arrays(arrays, design="10x10cv")).adjusted()
    assert op.compare(arrays, design="10x10cv").adjusted() == pytest.approx(want)
    frame = pl.DataFrame(
        {"learner": name, "repeat": i // 10, "fold": i % 10, "score": score}
        for name in "ab"
        for i, score in enumerate(arrays[name].ravel().tolist())
    )
    assert op.compare(frame).adjusted() == pytest.approx(want)
    frame.write_csv(tmp_path / "scores.csv")
    assert op.compare(tmp_path / "scores.csv").adjusted() == pytest.approx(want)
    with pytest.raises(DataError, match="leave design out"):
        op.compare(op.Scores.from_arrays(arrays, design="10x10cv"), design="5x2cv")
    with pytest.raises(DataError, match="without X and y"):
        op.compare([1, 2, 3])


def test_a_store_is_compared_without_fitting_again(tmp_path):
    from sklearn.dummy import DummyClassifier
    from sklearn.naive_bayes import GaussianNB

    X, y = RNG.normal(size=(90, 2)), np.arange(90) % 2
    learners = {"bayes": GaussianNB(), "most": DummyClassifier()}
    path = tmp_path / "kept.db"
    first = op.compare(learners, X, y, design="3x3cv", random_state=1, store=path)
    again = op.compare(path)
    assert again.adjusted() == pytest.approx(first.adjusted(), rel=0)
    assert str(again.design) == "3x3cv"


def test_a_very_small_difference_has_no_side():
    made = {"a": 0.5 + np.array([1, -1] * 5) / 100 - 1e-9, "b": np.full(10, 0.5)}
    said = str(op.compare(op.Scores.from_arrays(made, design="10cv")))
    assert "a − b: score 0.0000 (" in said
    assert "−0.0000" not in said


@pytest.mark.requirement("D-57", "D-14")
@pytest.mark.parametrize(
    ("design", "words"),
    [
        ("10cv", "algorithms trained on about 90 % of the data"),
        ("5x2cv", "algorithms trained on about 50 % of the data"),
        ("15xresampled@1/3", "algorithms trained on about 67 % of the data"),
        ("4*10cv", "algorithms trained on about 90 % of the data"),
    ],
)
def test_what_it_applies_to_is_said_by_the_design(design, words):
    assert words in op.compare(measured(design)).estimand()


@pytest.mark.requirement("D-57")
def test_the_training_size_is_said_where_it_is_known():
    made = {name: RNG.random(10) for name in "ab"}
    scores = op.Scores.from_arrays(made, design="10cv", n_train=270, n_test=30)
    want = "Applies to these algorithms trained on about 270 examples (not all 300)."
    assert op.compare(scores).estimand() == want
    models = op.methods.all_pairs(RNG.integers(0, 2, (40, 2)))
    assert "two fitted models on one test set of 40 items" in models.estimand()


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda s: op.compare(s, method="kfold_t"), MethodError, "valid for: kfold"),
        (lambda s: op.compare(s, method="korrected_t"), MethodError, "corrected_t"),
        (lambda s: op.compare(s, adjust="holmm"), MethodError, "holm"),
        (lambda s: op.compare(s, alternative="more"), MethodError, "alternative"),
        (lambda s: op.compare(s, control="aa"), DataError, "control='aa' is not among"),
        (
            lambda s: op.compare(s, method="five_by_two_f", alternative="less"),
            MethodError,
            "no direction",
        ),
        (lambda s: op.compare(s, method="cochran_q"), MethodError, "design|items"),
        (lambda s: op.compare(op.Scores.from_arrays({"a": [1, 2, 3]})), DataError, "at least 2"),
        (
            lambda s: op.compare(op.Scores.from_arrays({"a": [1, 2], "b": [2, 1]})),
            MethodError,
            "design of these scores is unknown",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused(call, kind, words):
    scores = op.Scores.from_arrays({n: RNG.random((10, 10)) for n in "abc"}, design="10x10cv")
    with pytest.raises(kind, match=words):
        call(scores)


@pytest.mark.parametrize("method", ["corrected_t", "kfold_t", "five_by_two_t", "five_by_two_f"])
def test_pairs_judged_block_by_block_are_those_judged_at_once(
    monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    design = {"corrected_t": "3x4cv", "kfold_t": "10cv"}.get(method, "5x2cv")
    rng = np.random.default_rng(0)
    scores = op.Scores.from_arrays(
        {name: rng.random(op.parse(design).n_splits(100)) for name in "abcdef"}, design=design
    )
    at_once = op.compare(scores, method=method)
    monkeypatch.setattr("outperform.verbs.compare.BLOCK", 40)
    block_by_block = op.compare(scores, method=method)
    for one, other in zip(at_once.rows(), block_by_block.rows(), strict=True):
        for key in ("estimate", "stderr", "statistic", "pvalue", "low", "high"):
            same = other[key] if other[key] is None else pytest.approx(other[key], rel=1e-12)
            assert one[key] == same, key


def test_evidence_that_knows_only_its_own_block_is_not_joined() -> None:
    from outperform.results.evidence import Inverted, joined

    parts = [Inverted(lambda delta: (delta, delta), lambda level: (0, level)) for _ in range(2)]
    assert joined(parts) is None
    assert joined([{"a": np.zeros(2), "b": 1.0}, {"a": np.ones(1), "b": 2.0}]) is None
    assert joined([np.zeros(2), np.ones(1)]).tolist() == [0, 0, 1]
    assert joined([(np.zeros(2), 1.0), (np.ones(1), 2.0)]) is None


def test_evidence_in_whole_counts_is_joined() -> None:
    from outperform.numerics.distributions import Normal
    from outperform.results.evidence import Pivot, joined

    gains, root = np.array([3.0, -4.0, 8.0]), np.array([5.0, 6.0, 10.0])
    whole = Pivot(gains / 30, root / 30, Normal(), chi2=True, counts=(gains, root, 1.0))
    found = joined([whole.at(slice(2)), whole.at(slice(2, 3))])
    assert found.pvalue().tolist() == whole.pvalue().tolist()
    assert [np.shape(part) for part in found.counts] == [(3,), (3,), ()]


def test_scores_of_unknown_design_take_only_one_that_could_have_made_them():
    flat = op.Scores.from_arrays({name: RNG.random(30) for name in "ab"})
    for design in ("5x2cv", "10cv", "29xresampled@1/10", "3x4halves@1/10"):
        with pytest.raises(DataError, match=r"30 .*Pass the design that made them"):
            op.compare(flat, design=design)
    grid = op.Scores.from_arrays({name: RNG.random((3, 10)) for name in "ab"})
    for design in ("10x3cv", "30xresampled@1/10", "loo"):
        with pytest.raises(DataError, match=r"Pass the design that made them"):
            op.compare(grid, design=design)
    assert str(op.compare(grid, design="3x10cv").design) == "3x10cv"


@pytest.mark.parametrize("design", DESIGNS)
def test_a_row_of_scores_is_laid_out_as_the_design_asks(design):
    made = {name: RNG.random(math.prod(DESIGNS[design][1])) for name in "ab"}
    want = op.compare(op.Scores.from_arrays(made, design=design))
    found = op.compare(op.Scores.from_arrays(made), design=design)
    assert found.adjusted() == pytest.approx(want.adjusted(), rel=0)
    assert found.scores.digest() == want.scores.digest()
    assert op.compare(want.scores, design=design).adjusted() == found.adjusted()


@pytest.mark.parametrize("judge", [op.compare, op.estimate])
@pytest.mark.parametrize(
    "option",
    [
        {"scoring": "accuracy"},
        {"random_state": 0},
        {"n_jobs": 2},
        {"store": "kept.db"},
        {"groups": [1, 2]},
        {"time_limit": 1.0},
        {"X": [[1], [2]]},
        {"y": [1, 2]},
    ],
)
def test_what_cannot_apply_to_scores_is_refused_by_name(judge, option):
    with pytest.raises(DataError, match=f"passed together with {next(iter(option))}, but"):
        judge(measured("10cv"), **option)


def test_how_failures_are_treated_cannot_apply_to_scores():
    with pytest.raises(DataError, match="passed together with on_error"):
        op.compare({"a": [1, 2], "b": [2, 1]}, design="2cv", on_error="raise")


def test_an_estimate_takes_a_design_that_fits_its_scores_and_no_other():
    flat = op.Scores.from_arrays({"a": RNG.random(10)})
    assert str(op.estimate(flat, design="10cv").design) == "10cv"
    with pytest.raises(DataError, match="Pass the design that made them"):
        op.estimate(flat, design="10x10cv")


TABLE = "model,fold,auc,acc,seconds\n" + "".join(
    f"{who},{fold},0.{70 + 3 * fold + 5 * at},0.{60 + 2 * fold + at},1{fold}.5\n"
    for at, who in enumerate("ab")
    for fold in range(5)
)
GAP = TABLE.replace("b,2,0.81,0.65,", "b,2,0.81,,")


def test_files_take_the_options_of_their_readers_by_the_same_names(tmp_path):
    path = tmp_path / "s.csv"
    path.write_text(TABLE)
    with pytest.raises(DataError, match=r"metric='auc'"):
        op.compare(path)
    found = op.compare(path, metric="acc")
    assert (found.metric, found.scores.n_splits) == ("acc", 5)
    path.write_text(GAP)
    with pytest.raises(DataError, match=r"drop_incomplete=True"):
        op.compare(path, metric="acc")
    assert op.compare(path, metric="acc", drop_incomplete=True).scores.n_splits == 4
    assert op.compare(path, score="seconds", lower_is_better=True).scores.greater_is_better is False
    lists = {"tree": [0.8, 0.7, 0.9], "bayes": [0.7, 0.7, 0.8]}
    assert op.compare(lists, design="3cv", metric="recall").metric == "recall"


@pytest.mark.parametrize("given", ["scores", "learners", "arrays"])
def test_options_of_readers_are_refused_where_nothing_is_read(given):
    scores = op.Scores.from_arrays({"a": RNG.random(10), "b": RNG.random(10)}, design="10cv")
    call = {
        "scores": (scores,),
        "arrays": ({"a": [1, 2], "b": [2, 1]},),
        "learners": ({"a": object(), "b": object()}, [[1]], [1]),
    }
    with pytest.raises(DataError, match="'drop_incomplete' parameter is for files"):
        op.compare(*call[given], drop_incomplete=True)
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'desing'; did you mean"):
        op.compare(*call[given], desing="10cv")


def test_splits_of_unknown_design_may_be_repeated_folds():
    scores = {"a": RNG.random(20), "b": RNG.random(20)}
    with pytest.raises(MethodError, match=r"design='2x10cv' or design='4x5cv' for repeated"):
        op.compare(scores)
    assert op.compare(scores, design="4x5cv").method.name == "corrected_t"
