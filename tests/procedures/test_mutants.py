"""Seeded bugs: the gate that every method passes fails for each, and no law is idle."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from test_conformance import gate, passes

import outperform as op
from outperform import Result, registry, validation
from outperform.methods import conservative_z, five_by_two_t
from outperform.numerics.distributions import Normal, T
from outperform.results import adjustments, evidence
from outperform.results.evidence import Draws, Pivot, Probabilities
from outperform.testing import LAWS
from outperform.views import Differences


@dataclass(frozen=True)
class Bug:
    """What is wrong where, the method judged by the gate, and what must catch it."""

    caught_by: tuple[str, ...]
    judged: str
    wrong: Any
    where: Any = None
    name: str = ""
    """Empty: `wrong` is the method's kernel, or the change of its metadata."""
    options: tuple[tuple[str, Any], ...] = ()

    def planted(self, monkeypatch: pytest.MonkeyPatch) -> registry.Method:
        method = registry.get(self.judged)
        if self.where is not None:
            monkeypatch.setattr(self.where, self.name, self.wrong)
            return method
        if isinstance(self.wrong, Callable):
            self.wrong.__doc__ = method.kernel.__doc__
            return replace(method, kernel=self.wrong)
        return replace(method, **self.wrong)


# Wrong formulas.


def too_many_degrees_of_freedom(d):
    return Pivot(d.mean, d.sd / math.sqrt(d.n_splits), T(d.n_splits))


def variance_divided_by_n(d):
    return Pivot(d.mean, d.sd / d.n_splits * math.sqrt(d.n_splits - 1), T(d.n_splits - 1))


def correction_left_out(d):
    return Pivot(d.mean, d.sd / math.sqrt(d.n_splits), T(d.n_splits - 1))


def correction_of_all_items(d):
    share = d.test_train_ratio / (1 + d.test_train_ratio)
    return Pivot(d.mean, d.sd * math.sqrt(1 / d.n_splits + share), T(d.n_splits - 1))


def one_mean_of_all_ten(d, *, variant="dietterich"):
    return five_by_two_t.kernel(d, variant="grand-mean")


def mean_on_top(d, *, variant="dietterich"):
    return replace(five_by_two_t.kernel(d), estimate=d.mean)


def sign_turned(h):
    return replace(conservative_z.kernel(h), estimate=-h.mean)


def sum_in_order(h):
    total = 0.0
    for value in np.moveaxis(h.whole, -1, 0):
        total = total + value
    return replace(conservative_z.kernel(h), estimate=total / h.whole.shape[-1])


def mean_over_the_first_axis(h):
    return replace(conservative_z.kernel(h), estimate=np.mean(h.whole, axis=0))


def unit_in_the_error(h):
    right = conservative_z.kernel(h)
    return replace(right, stderr=right.stderr + 1e-3 * (right.stderr > 0))


# Wrong parts that all methods share.

TAIL, DIFFERENCES, NUMBERS = Pivot._tail, Differences.subtract.__func__, validation.numbers
PROBABILITIES = evidence.probabilities


def not_worse_two_sided(found, rope, centre=0.0):
    return min(math.log(2) + found.shifted(centre - rope)[1], 0.0)


def tail_by_subtraction(self, x):
    return 1 - 0.5 * (1 + math.erf(x / math.sqrt(2)))


def only_one_tail(self, alternative):
    return 1, TAIL(self, alternative)[1]


def upper_tail_doubled(self, alternative):
    return (2, self.z) if alternative == "two-sided" else TAIL(self, alternative)


def correction_not_clipped(self):
    shift = np.asarray(self.estimate) - self.null
    side = np.where(shift < 0, -1.0, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = side * (np.abs(shift) - self.continuity) / self.stderr
    return evidence._plain(np.where(self.identical, 0.0, z))


def bounds_at(tail):
    def bounds(self, level):
        half = self.dist.isf(tail(level)) * np.asarray(self.stderr)
        half = np.where(np.asarray(self.stderr) == 0, np.nan, half)
        return evidence._plain(self.estimate - half), evidence._plain(self.estimate + half)

    return bounds


def log_of_the_p_value(self, alternative="two-sided"):
    with np.errstate(divide="ignore"):
        return evidence._plain(np.log(self.pvalue(alternative)))


def numbers_as_they_come(values, name):
    return np.asarray(list(values) if hasattr(values, "__next__") else values)


def numbers_sorted_in_place(values, name):
    if isinstance(values, np.ndarray) and values.ndim:
        values.sort(axis=0)
    return NUMBERS(values, name)


def null_left_out(cls, a, b, **options):
    return DIFFERENCES(cls, a, b, **{**options, "null": 0.0})


def orientation_left_out(cls, a, b, **options):
    return DIFFERENCES(cls, a, b, **{**options, "lower_is_better": False})


def differences_in_per_cent(cls, a, b, **options):
    per_cent = (a, None) if b is None else (100 * a / b, b / b)
    return DIFFERENCES(cls, *per_cent, **options)


def rounding_judged_by_zero(self, values):
    return np.max(np.abs(values), axis=-1) == 0


def p_value_that_may_be_nan(self):
    return float(self.evidence.pvalue(self.alternative))


def worse_counted_twice(found, rope):
    odds = PROBABILITIES(found, rope)
    return Probabilities(odds.better, odds.equivalent + odds.worse, odds.worse)


Z, CORRECTED = "conservative_z", (("variant", "continuity"),)


def regions_that_lose_mass(self, rope, centre=0.0):
    found = self.posterior(rope, centre)
    return found._replace(better=found.better / 2)


BUGS = {
    "probabilities that do not sum to 1": Bug(
        ("posterior",),
        "bayesian_sign",
        regions_that_lose_mass,
        Draws,
        "regions",
        (("n_draws", 2_000),),
    ),
    "df n instead of n − 1": Bug(("golden df",), "kfold_t", too_many_degrees_of_freedom),
    "variance divided by n": Bug(("golden stderr",), "kfold_t", variance_divided_by_n),
    "no correction for overlap": Bug(("golden stderr",), "corrected_t", correction_left_out),
    "correction n₂/n": Bug(("golden stderr",), "corrected_t", correction_of_all_items),
    "one mean of all ten": Bug(("golden stderr",), "five_by_two_t", one_mean_of_all_ten),
    "mean on top of 5x2cv": Bug(("golden estimate",), "five_by_two_t", mean_on_top),
    "sign turned": Bug(("golden estimate", "direction"), Z, sign_turned),
    "sum in order": Bug(("order",), Z, sum_in_order),
    "batch over the wrong axis": Bug(("batch",), Z, mean_over_the_first_axis),
    "a unit in the error": Bug(("scale",), Z, unit_in_the_error),
    "discouraged, no alternative": Bug(("metadata",), Z, {"standing": "discouraged"}),
    "1 − cdf for the tail": Bug(("tails",), Z, tail_by_subtraction, Normal, "sf"),
    "one-sided p as two-sided": Bug(("golden pvalue", "sides"), Z, only_one_tail, Pivot, "_tail"),
    "upper tail doubled": Bug(("swap",), Z, upper_tail_doubled, Pivot, "_tail"),
    "correction not clipped": Bug(
        ("identical",), "mcnemar", property(correction_not_clipped), Pivot, "z", CORRECTED
    ),
    "one-sided quantile": Bug(
        ("golden low", "inversion"), Z, bounds_at(lambda level: 1 - level), Pivot, "_bounds"
    ),
    "quantile of the level": Bug(
        ("nesting", "inversion"), Z, bounds_at(lambda level: level / 2), Pivot, "_bounds"
    ),
    "log of an underflown p": Bug(("tails",), Z, log_of_the_p_value, Pivot, "log_pvalue"),
    "uint8 left as it is": Bug(
        ("types", "refusal"), "sign_test", numbers_as_they_come, validation, "numbers"
    ),
    "sorting in place": Bug(("purity",), Z, numbers_sorted_in_place, validation, "numbers"),
    "mu0 ignored": Bug(("null",), "sign_test", classmethod(null_left_out), Differences, "subtract"),
    "orientation ignored": Bug(
        ("orientation",), "sign_test", classmethod(orientation_left_out), Differences, "subtract"
    ),
    "per cent of the second side": Bug(
        ("shift", "swap"),
        "sign_test",
        classmethod(differences_in_per_cent),
        Differences,
        "subtract",
    ),
    "variance judged by == 0": Bug(
        ("constant",), "single_fold_t", rounding_judged_by_zero, Differences, "is_rounding"
    ),
    "NaN let through": Bug(
        ("constant", "finite"), Z, property(p_value_that_may_be_nan), Result, "pvalue"
    ),
    "any level answered": Bug(("levels",), Z, lambda value, name: 0.5, validation, "fraction"),
    "JSON without its keys": Bug(("printing",), Z, lambda self: "{}", Result, "to_json"),
    "probabilities above 1": Bug(
        ("equivalence",), Z, worse_counted_twice, evidence, "probabilities"
    ),
    "not worse by the two-sided test": Bug(
        ("noninferiority",), Z, not_worse_two_sided, evidence, "noninferiority_log_pvalue"
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("bug", BUGS.values(), ids=BUGS)
def test_the_gate_passes_as_things_are_and_fails_for(bug, monkeypatch):
    assert passes(bug.judged, bug.options)
    planted = bug.planted(monkeypatch)
    with pytest.raises(AssertionError) as told:
        gate(planted, **dict(bug.options))
    for catcher in bug.caught_by:
        sign = catcher if catcher.startswith("golden") else f"breaks the law {catcher!r}"
        assert sign in str(told.value)


def test_no_law_is_idle():
    caught = {catcher for bug in BUGS.values() for catcher in bug.caught_by}
    assert set(LAWS) <= caught


def family_gate():
    """Raise AssertionError unless adjusted p-values are those of the definitions."""
    given = [0.01, 0.02, 0.04, 0.30]
    assert op.methods.bonferroni(given).tolist() == pytest.approx([0.04, 0.08, 0.16, 1.0])
    assert op.methods.holm(given).tolist() == pytest.approx([0.04, 0.06, 0.08, 0.30])
    assert op.methods.benjamini_hochberg(given).tolist() == pytest.approx(
        [0.04, 0.04, 0.16 / 3, 0.30]
    )


FAMILY_BUGS = {
    "size off by one": ("bonferroni", lambda i, m: np.full_like(i, m - 1)),
    "weaker as comparisons grow": ("bonferroni", lambda i, m: np.full_like(i, 1 / m)),
    "step off by one": ("holm", lambda i, m: m - i),
    "rank off by one": ("benjamini-hochberg", lambda i, m: m / (i + 1)),
}


@pytest.mark.requirement("F-05", "B-26")
@pytest.mark.parametrize("bug", FAMILY_BUGS)
def test_the_family_gate_passes_as_things_are_and_fails_for(bug, monkeypatch):
    family_gate()
    rule, factor = FAMILY_BUGS[bug]
    monkeypatch.setitem(adjustments._RULES, rule, replace(adjustments._RULES[rule], factor=factor))
    with pytest.raises(AssertionError):
        family_gate()
