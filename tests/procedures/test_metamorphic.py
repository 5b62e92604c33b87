"""What must hold between two answers, for any scores Hypothesis can think of."""

import math

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import outperform as op
from outperform.testing.subject import near, numbers

few = settings(max_examples=40)
values = st.one_of(
    st.builds(
        lambda part, power: part * 10.0**power,
        st.floats(-1, 1, allow_subnormal=False),
        st.integers(-12, 12),
    ),
    st.sampled_from([0.0, 0.25, 0.8, -0.8, 1.0, 1e12]),  # so that there are duplicates
)


@st.composite
def two_sides(draw, low=2, high=40, of=1):
    n = of * draw(st.integers(low, high // of))
    side = st.lists(values, min_size=n, max_size=n)
    return np.array(draw(side)), np.array(draw(side))


METHODS = [op.methods.paired_t, op.methods.resampled_t, op.methods.wilcoxon, op.methods.sign_test]
anything = pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)


def without_interval(result):
    names = ("estimate", "stderr", "statistic", "pvalue", "log_pvalue")
    return {name: getattr(result, name) for name in names}


def called(method, *sides, **more):
    """Call a method with what a value is of, where it must be said."""
    return method(*sides, **({"unit": method.unit} if method.unit else {}), **more)


@pytest.mark.slow
@anything
@few
@given(two_sides())
@example((np.array([0.81, 0.80, 0.79]), np.array([0.80, 0.79, 0.78])))
def test_exchanging_the_sides_turns_the_sign_and_keeps_p(method, sides):
    a, b = sides
    here, there = called(method, a, b), called(method, b, a)
    assert there.estimate == -here.estimate
    assert there.pvalue == here.pvalue
    for one, other in (("greater", "less"), ("less", "greater")):
        assert (
            called(method, a, b, alternative=one).pvalue
            == called(method, b, a, alternative=other).pvalue
        )


@pytest.mark.slow
@anything
@few
@given(two_sides(), st.integers(-60, 60))
def test_a_power_of_two_as_unit_changes_no_bit_of_p(method, sides, power):
    a, b = sides
    here = without_interval(called(method, a, b))
    there = without_interval(called(method, np.ldexp(a, power), np.ldexp(b, power)))
    for name in ("estimate", "stderr"):
        here[name] = None if here[name] is None else math.ldexp(here[name], power)
    assert there == here


@pytest.mark.slow
@anything
@few
@given(two_sides(), st.randoms(use_true_random=False))
def test_the_order_changes_no_bit(method, sides, random):
    a, b = sides
    order = list(range(a.size))
    random.shuffle(order)
    assert without_interval(called(method, a[order], b[order])) == without_interval(
        called(method, a, b)
    )


@pytest.mark.slow
@anything
@few
@given(two_sides())
def test_p_is_a_probability_and_twice_the_smaller_tail(method, sides):
    two, greater, less = (
        called(method, *sides, alternative=side).pvalue for side in ("two-sided", "greater", "less")
    )
    assume(two is not None)
    assert 0 <= two <= 1
    assert two == pytest.approx(min(1, 2 * min(greater, less)), rel=1e-12)
    assert greater + less >= 1 - 1e-12


@anything
@few
@given(st.lists(two_sides(low=7, high=7), min_size=1, max_size=5))
def test_a_batch_is_a_loop(method, experiments):
    a, b = (np.stack(side) for side in zip(*experiments, strict=True))
    many = method.batch(a, b).pvalue()
    for i, sides in enumerate(experiments):
        one = called(method, *sides).pvalue
        found = None if math.isnan(many[i]) else float(many[i])
        assert near(found, one, 1e-9), (found, one)


@anything
@few
@given(two_sides())
def test_the_same_scores_on_both_sides_never_differ(method, sides):
    result = called(method, sides[0], sides[0])
    assert (result.estimate, result.pvalue) == (0, 1)


@anything
@few
@given(two_sides())
def test_no_answer_holds_a_nan(method, sides):
    assert "nan" not in called(method, *sides).to_json().lower()


@pytest.mark.slow
@few
@given(two_sides(), st.sampled_from([0.8, 0.95, 0.999]))
def test_at_the_end_of_an_interval_p_is_alpha(sides, level):
    a, b = sides
    result = op.methods.paired_t(a, b, unit="items")
    interval = result.interval(level)
    assume(interval is not None)
    half = interval.high - result.estimate
    # The end is rounded: that must not move it noticeably on the scale of the standard error.
    assume(half > 1e-6 * max(np.abs(a).max(), np.abs(b).max(), abs(result.estimate)))
    for end in interval:
        assert op.methods.paired_t(a, b, mu0=end, unit="items").pvalue == pytest.approx(
            1 - level, rel=1e-8
        )


@few
@given(two_sides(), st.floats(0.01, 0.3), st.floats(0.1, 3))
def test_equivalence_is_the_interval_within_the_rope(sides, alpha, share):
    result = op.methods.paired_t(*sides, unit="items")
    interval = result.interval(1 - 2 * alpha)
    assume(interval is not None)
    reach = max(abs(end) for end in interval)
    rope = share * reach
    assume(abs(share - 1) > 1e-6)
    assert (result.equivalence(rope) < alpha) == (reach < rope)
    odds = result.probabilities(rope)
    assert sum(odds) == pytest.approx(1, abs=1e-12)


@few
@given(two_sides(), st.integers(1, 1000), st.integers(1, 1000))
@pytest.mark.requirement("N-18", "R-10")
def test_the_correction_only_ever_widens(sides, n_train, n_test):
    plain = op.methods.resampled_t(*sides)
    corrected = op.methods.corrected_t(*sides, n_train=n_train, n_test=n_test)
    assert corrected.estimate == plain.estimate
    assume(plain.pvalue is not None and plain.estimate != 0)
    assert corrected.pvalue >= plain.pvalue
    n = sides[0].size
    widened = math.sqrt(1 + n * n_test / n_train)
    assert corrected.stderr == pytest.approx(plain.stderr * widened, rel=1e-12)


@few
@given(two_sides(low=3, high=12), st.integers(1, 6))
@pytest.mark.requirement("B-15", "B-24")
def test_repeating_a_partition_does_not_change_the_averaged_t(sides, times):
    a, b = sides
    once, often = (
        op.methods.kfold_t(a, b),
        op.methods.averaged_t(np.tile(a, (times, 1)), np.tile(b, (times, 1))),
    )
    assert near(often.statistic, once.statistic, 1e-12)
    assert near(often.pvalue, once.pvalue, 1e-11)


@few
@given(two_sides(low=2, high=20, of=2))
@pytest.mark.requirement("D-24", "D-26")
def test_the_combined_f_does_not_depend_on_which_difference_comes_first(sides):
    a, b = (side.reshape(-1, 2) for side in sides)
    turned = op.methods.five_by_two_f(a[::-1, ::-1], b[::-1, ::-1])
    here = op.methods.five_by_two_f(a, b)
    assert (turned.statistic, turned.pvalue) == (here.statistic, here.pvalue)
    first = op.methods.five_by_two_t(a, b)
    rest_turned = op.methods.five_by_two_t(
        np.vstack([a[:1], a[:0:-1]]), np.vstack([b[:1], b[:0:-1]])
    )
    assert (rest_turned.statistic, rest_turned.pvalue) == (first.statistic, first.pvalue)


cells = st.integers(0, 10**6)


@pytest.mark.slow
@few
@given(cells, cells, cells, cells, cells, cells)
@pytest.mark.requirement("D-16")
def test_items_on_which_both_agree_do_not_move_mcnemar(n00, n01, n10, n11, other00, other11):
    assume(n00 + n01 + n10 + n11 > 0 and other00 + other11 + n01 + n10 > 0)
    for variant in ("continuity", "plain", "exact", "mid-p"):
        here = op.methods.mcnemar(table=[[n00, n01], [n10, n11]], variant=variant)
        there = op.methods.mcnemar(table=[[other00, n01], [n10, other11]], variant=variant)
        turned = op.methods.mcnemar(table=[[n00, n10], [n01, n11]], variant=variant)
        for side, other in (("two-sided", "two-sided"), ("greater", "less"), ("less", "greater")):
            p = here.evidence.pvalue(side), here.evidence.log_pvalue(side)
            assert (there.evidence.pvalue(side), there.evidence.log_pvalue(side)) == p
            assert (turned.evidence.pvalue(other), turned.evidence.log_pvalue(other)) == p


@pytest.mark.parametrize("variant", ["continuity", "plain", "exact", "mid-p", "auto"])
@pytest.mark.parametrize("both", [1, 7, 10**12])
def test_mcnemar_is_the_same_to_the_last_bit_whatever_both_had_right(variant, both):
    alone = op.methods.mcnemar(table=[[0, 40], [60, 0]], variant=variant)
    among = op.methods.mcnemar(table=[[both, 40], [60, both]], variant=variant)
    turned = op.methods.mcnemar(table=[[both, 60], [40, both]], variant=variant)
    assert (among.pvalue, among.statistic) == (alone.pvalue, alone.statistic)
    assert (turned.pvalue, turned.log_pvalue) == (alone.pvalue, alone.log_pvalue)


@pytest.mark.parametrize("count", [1, 3, 50, 1000, 10**6 + 1])
def test_mid_p_of_a_balanced_table_is_one(count):
    assert op.methods.mcnemar(table=[[5, count], [count, 5]], variant="mid-p").pvalue == 1


@few
@given(st.integers(0, 200), st.integers(0, 200), st.integers(1, 50))
def test_one_more_item_for_the_leader_never_raises_p(behind, lead, both):
    ahead = behind + lead
    for variant in ("continuity", "plain", "exact", "mid-p"):
        table = [[both, behind], [ahead, both]]
        more = [[both, behind], [ahead + 1, both]]
        p, fewer = (op.methods.mcnemar(table=t, variant=variant).pvalue for t in (table, more))
        assert fewer <= p * (1 + 1e-12)


@few
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=3, max_size=60))
@pytest.mark.requirement("N-21")
def test_the_paired_t_on_right_and_wrong_is_mcnemar_in_disguise(items):
    a, b = np.array(items, dtype=float).T
    n = a.size
    m = op.methods.mcnemar(np.ones(n), a, b, variant="plain").statistic
    t = op.methods.paired_t(a, b, unit="items")
    assume(t.pvalue is not None and m > 0)
    assert t.statistic**2 == pytest.approx((n - 1) * m / (n - m), rel=1e-10)


@few
@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=2, max_size=40))
@pytest.mark.requirement("D-11")
def test_the_sign_test_counts_only_signs(pairs):
    a, b = np.array(pairs).T
    for stretched in (np.sign(a - b), (a - b) ** 3):
        assert (
            op.methods.sign_test(stretched, unit="datasets").pvalue
            == op.methods.sign_test(a, b, unit="datasets").pvalue
        )


@few
@given(st.lists(st.floats(1e-12, 1.0), min_size=1, max_size=30))
@pytest.mark.requirement("B-21", "B-22")
def test_fishers_combination_knows_one_p_value_and_no_order(p_values):
    assert op.methods.fisher_combination(p_values[:1]).pvalue == pytest.approx(
        p_values[0], rel=1e-9
    )
    turned = op.methods.fisher_combination(p_values[::-1])
    assert turned.to_json() == op.methods.fisher_combination(p_values).to_json()


@few
@given(two_sides(low=3, high=30), st.sampled_from([1000.0, 1e-3, 3.0]))
def test_any_unit_keeps_the_statistics_to_rounding(sides, unit):
    a, b = sides
    plain = op.methods.paired_t(a, b, unit="items")
    assume(plain.stderr and plain.stderr > 1e-6 * max(np.abs(a).max(), np.abs(b).max()))
    scaled = numbers(op.methods.paired_t(a * unit, b * unit, unit="items"))
    size = abs(plain.estimate) + plain.stderr
    assert scaled["stderr"] == pytest.approx(plain.stderr * unit, rel=1e-9)
    assert scaled["estimate"] == pytest.approx(plain.estimate * unit, abs=1e-9 * size * unit)
    assert scaled["pvalue"] == pytest.approx(plain.pvalue, rel=1e-6)
