"""Robustness: single repeats and partitions are what their own test says of them."""

import json
import re
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

import outperform as op
from outperform.results.robustness import why_none

RNG = np.random.default_rng(20)


def scored(gaps, design="10x10cv", spread=0.02, seed=3):
    """Scores of learners a, b, …, the mean difference to a of each repeat given."""
    rng = np.random.default_rng(seed)
    shape = tuple(n for n in op.parse(design).shape if n > 1)
    base = 0.8 + spread * rng.normal(size=shape)
    made = {"a": base}
    for name, gap in zip("bcd", gaps, strict=False):
        away = np.reshape(gap, np.shape(gap) + (1,) * (base.ndim - np.ndim(gap)))
        made[name] = base - away + spread * rng.normal(size=shape)
    return op.Scores.from_arrays(made, design=design)


@pytest.mark.requirement("B-12", "B-13", "R-03")
@pytest.mark.parametrize("adjust", ["holm", "none"])
def test_every_repeat_is_judged_as_if_it_alone_had_been_run(adjust):
    scores = scored([0.02, 0.03, -0.01])
    comparison = op.compare(scores, adjust=adjust)
    found = comparison.robustness(alpha=0.05)
    pairs = list(combinations("abcd", 2))
    assert [one.names for one in found] == pairs
    runs = scores.values.reshape(4, 10, 10)
    verdicts = []
    for repeat in range(10):
        alone = op.Scores.from_arrays(
            dict(zip("abcd", runs[:, repeat], strict=True)), design="10cv"
        )
        single = op.compare(alone, adjust=adjust)
        verdicts.append([single.verdict(*pair).outcome for pair in pairs])
        for one, pair in zip(found, pairs, strict=True):
            assert one.t_values[repeat] == pytest.approx(single[pair].statistic, rel=1e-9)
    for row, one in enumerate(found):
        said = [verdict[row] for verdict in verdicts]
        assert one.conclusions.first_better == said.count("outperforms")
        assert one.conclusions.second_better == said.count("outperformed")
        assert one.n == 10
        whole = comparison.verdict(*one.names).outcome
        assert one.otherwise == sum(word != whole for word in said)
        agree = [(x == "no decision") == (y == "no decision") for x, y in combinations(said, 2)]
        assert one.replicability == pytest.approx(np.mean(agree))


@pytest.mark.parametrize(
    ("gaps", "group"),
    [
        pytest.param([0.2] * 10, "always"),
        pytest.param([0.2] * 5 + [-0.2] * 5, "1", marks=pytest.mark.requirement("B-12")),
        pytest.param([0.2] * 5 + [0.0] * 5, "2", marks=pytest.mark.requirement("B-13")),
        pytest.param([0.0] * 10, "3", marks=pytest.mark.requirement("B-14")),
    ],
)
def test_the_group_says_what_the_partition_does(gaps, group):
    comparison = op.compare(scored([gaps]))
    (found,) = comparison.robustness()
    assert found.group == group
    assert found.depends_on_partition == (group in ("1", "2"))
    assert found.flips == (group == "1")
    assert ("OP308" in {note.code for note in comparison.notes}) == (group in ("1", "2"))
    group_words = {
        "1": "the split of the data decides",
        "2": "depends on",
        "3": "never significant",
    }
    assert group_words.get(group, "same learner") in str(found)


@pytest.mark.requirement("B-14")
def test_repeats_that_say_the_same_are_group_4():
    folds = np.array([0.1, -0.1, 0.2, -0.2, 0.05, -0.05, 0.3, -0.3, 0.01, -0.01])
    a = 0.5 + np.tile(folds, (4, 1))
    scores = op.Scores.from_arrays({"a": a, "b": np.full((4, 10), 0.5)}, design="4x10cv")
    assert op.compare(scores).robustness()[0].group == "4"


@pytest.mark.requirement("B-17", "B-26")
def test_whether_more_repeats_are_needed_is_asked_at_the_level_of_the_family():
    comparison = op.compare(scored([0.02, 0.03]))
    for one in comparison.robustness(alpha=0.06):
        want = op.methods.sufficiency(one.t_values, df=9, alpha=0.02)
        assert one.sufficiency == want
        assert ("in all" in one.sentences()[3]) == (not want.sufficient)


@pytest.mark.requirement("B-15")
def test_partitions_are_judged_by_the_test_that_is_averaged():
    for design in ("6*10cv", "6*5x2cv", "6*3x10cv"):
        scores = scored([0.01], design)
        comparison = op.compare(scores)
        (found,) = comparison.robustness()
        assert found.unit == "partition"
        t_values = op.methods.averaged_t(scores).details["t_values"]
        assert found.t_values == pytest.approx(t_values, rel=1e-9)
        assert comparison["a", "b"].details["t_values"] == pytest.approx(t_values)


def test_the_plain_t_is_repeated_by_the_plain_t():
    scores = scored([0.02])
    (found,) = op.compare(scores, method="repeated_kfold_t").robustness()
    assert found.method == "kfold_t"
    first = op.methods.kfold_t(*scores.values.reshape(2, 10, 10)[:, 0])
    assert found.t_values[0] == pytest.approx(first.statistic)


@pytest.mark.parametrize(
    ("design", "words"),
    [
        ("10cv", "'10x10cv' would show"),
        ("5x2cv", "10\\*5x2cv"),
        ("15xresampled@1/3", "'10\\*15xresampled@1/3'"),
        ("3x4halves@1/10", "10x10cv"),
    ],
)
def test_one_run_has_nothing_to_repeat_and_says_so(design, words):
    size = op.parse(design).n_fits()
    made = {name: RNG.random(size) for name in "ab"}
    comparison = op.compare(op.Scores.from_arrays(made, design=design))
    assert comparison.robustness() == ()
    assert re.search(words, why_none(comparison))


def test_models_measured_on_items_are_not_to_be_run_again():
    comparison = op.compare(op.Items.from_arrays({n: RNG.integers(0, 2, 40) for n in "ab"}))
    assert comparison.robustness() == ()
    assert "nothing was split or trained" in why_none(comparison)


@pytest.mark.slow
def test_very_many_single_runs_are_judged_only_when_asked():
    made = {f"m{i}": RNG.random((10, 5)) for i in range(65)}
    comparison = op.compare(op.Scores.from_arrays(made, design="10x5cv"))
    assert comparison.n_pairs * 10 > 20_000
    assert comparison.to_dict()["robustness"] is None
    assert "ingle repeat" not in str(comparison)
    assert len(comparison.robustness()) == comparison.n_pairs


def test_a_comparison_without_its_scores_says_so():
    comparison = op.methods.all_pairs(RNG.integers(0, 2, (40, 3)))
    assert comparison.robustness() == ()
    assert "not available" in why_none(comparison)


def test_a_repeat_whose_differences_do_not_vary_decides_nothing():
    scores = scored([[0.2] * 10])
    values = scores.values.reshape(2, 10, 10).copy()
    values[1, 4] = values[0, 4] - 0.25
    made = op.Scores.from_arrays({"a": values[0], "b": values[1]}, design="10x10cv")
    comparison = op.compare(made)
    (found,) = comparison.robustness()
    assert found.t_values[4] is None
    assert found.signed_p[4] is None
    assert len(found.signed) == 9
    assert found.conclusions == (0, 1, 9)
    assert found.sufficiency is None
    json.dumps(comparison.to_dict(), allow_nan=False)


def test_single_repeats_face_the_side_that_was_asked():
    scores = scored([[0.2] * 5 + [-0.2] * 5])
    (greater,) = op.compare(scores, alternative="greater").robustness()
    assert greater.conclusions == (0, 5, 5)
    (less,) = op.compare(scores, alternative="less").robustness()
    assert less.conclusions == (5, 5, 0)


@pytest.mark.requirement("B-17")
def test_a_one_sided_comparison_asks_for_more_repeats_by_its_own_threshold():
    scores = scored([[0.02] * 5 + [0.01] * 5])
    for side, sign in (("greater", 1), ("less", -1)):
        (found,) = op.compare(scores, alternative=side).robustness()
        enough = found.sufficiency
        assert found.alternative == enough.alternative == side
        assert enough.threshold == pytest.approx(sign * stats.t.isf(0.05, 9), rel=1e-10)
        assert enough.pvalue == pytest.approx(stats.t.sf(sign * enough.mean_t, 9), rel=1e-10)
        assert found.to_dict()["alternative"] == side
        assert f"(threshold {'−' if sign < 0 else ''}1.833):" in found.sentences()[3]
        won = sign * enough.mean_t > stats.t.isf(0.05, 9)
        assert enough.conclusion == {1: "first better", -1: "second better"}[sign] or not won
    (both,) = op.compare(scores).robustness()
    assert both.sufficiency.threshold == pytest.approx(stats.t.isf(0.025, 9), rel=1e-10)
    assert "(threshold ±2.262):" in both.sentences()[3]


@pytest.mark.requirement("B-17")
def test_far_on_the_other_side_a_one_sided_conclusion_is_secure():
    t = np.array([-4.0, -4.5, -3.8, -4.2])
    greater, less = (
        op.methods.sufficiency(t, df=9, alternative=side) for side in ("greater", "less")
    )
    assert (greater.conclusion, greater.sufficient) == ("no decision", True)
    assert (less.conclusion, less.sufficient) == ("second better", True)
    turned = op.methods.sufficiency(-t, df=9, alternative="greater")
    assert turned.conclusion == "first better"
    assert turned.statistic == pytest.approx(less.statistic, rel=1e-12)
    assert (turned.threshold, turned.needed) == (-less.threshold, less.needed)


def test_losses_turn_the_sign_of_every_repeat():
    scores = scored([[0.2] * 5 + [0.0] * 5])
    errors = dict(zip("ab", (1 - scores.values).reshape(2, 10, 10), strict=True))
    turned = op.Scores.from_arrays(errors, design="10x10cv", lower_is_better=True)
    (one,), (other,) = op.compare(scores).robustness(), op.compare(turned).robustness()
    assert one.t_values == pytest.approx(other.t_values)
    assert one.conclusions == other.conclusions


def test_against_a_control_only_its_pairs_are_repeated():
    scores = scored([0.02, 0.03, -0.01])
    found = op.compare(scores, control="c").robustness()
    assert [one.names for one in found] == [("a", "c"), ("b", "c"), ("d", "c")]
    everything = {one.names: one for one in op.compare(scores).robustness()}
    assert found[0].t_values == pytest.approx(everything["a", "c"].t_values)
    assert found[2].t_values == pytest.approx([-t for t in everything["c", "d"].t_values])
