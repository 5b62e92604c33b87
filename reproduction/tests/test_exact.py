"""Exact rejection rates in the designed population, against golden values and simulation."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import places
import pytest
from scipy import stats

from outperform import MethodError, study
from outperform.lab.populations import DesignedPopulation
from reproduction.exact import FIVE, proportions_rejects, rejection_rates

GOLDEN = json.loads((places.GOLDEN / "designed_population.json").read_text())
EPSILONS = ("0.10", "0.20", "0.30", "0.40")
BOUND = 4.9
"""Standard errors that a right answer exceeds with a chance of 1e-6."""


def agrees(rate: float, seen: dict[str, float]) -> bool:
    """Tell whether a simulated rate is within 4.9 standard errors of an exact one."""
    stderr = math.sqrt(rate * (1 - rate) / seen["trials"])
    return abs(seen["rate"] - rate) <= BOUND * stderr + 1 / seen["trials"]


@pytest.fixture(scope="module")
def exact() -> dict[str, dict[str, float]]:
    return {eps: rejection_rates(DesignedPopulation(float(eps))) for eps in EPSILONS}


@pytest.mark.slow
@pytest.mark.requirement("D-36", "D-19", "D-16")
@pytest.mark.parametrize("eps", EPSILONS)
def test_holdout_rates_are_the_enumerated_ones(eps: str, exact: dict[str, Any]) -> None:
    golden = GOLDEN["exact_holdout"][eps]
    assert exact[eps]["mcnemar"] == pytest.approx(golden["mcnemar_corrected"], abs=6e-7)
    assert exact[eps]["proportions"] == pytest.approx(
        golden["difference_of_proportions_z"], abs=6e-7
    )


@pytest.mark.slow
@pytest.mark.requirement("D-36", "D-37", "D-22", "D-23", "D-24")
@pytest.mark.parametrize("eps", EPSILONS)
def test_t_rates_are_within_monte_carlo_error_of_the_reference_simulation(
    eps: str, exact: dict[str, Any]
) -> None:
    golden = GOLDEN["type1"][eps]
    assert agrees(exact[eps]["resampled_t"], golden["resampled_t_30"])
    assert agrees(exact[eps]["kfold_t"], golden["cv10_t_beta_shared"])
    assert agrees(exact[eps]["five_by_two_t"], golden["5x2cv_t_beta_none"])


@pytest.mark.slow
@pytest.mark.requirement("D-36")
@pytest.mark.parametrize("eps", ["0.10", "0.40"])
def test_exact_rates_are_within_monte_carlo_error_of_our_own_trials(
    eps: str, exact: dict[str, Any], tmp_path: Path
) -> None:
    trials = 200_000
    population = DesignedPopulation(float(eps))
    found = study(FIVE, population, n_reps=trials, random_state=7, store=tmp_path / "s.db").rates()
    for name in FIVE:
        rejected = found[name].rate + found[name].undefined  # an infinite t rejects in finite sums
        assert agrees(exact[eps][name], {"rate": rejected, "trials": trials}), name


def test_the_gate_notices_a_wrong_rate(exact: dict[str, Any]) -> None:
    """A negative control: neither another ε nor another test passes."""
    assert not agrees(exact["0.20"]["resampled_t"], GOLDEN["type1"]["0.10"]["resampled_t_30"])
    assert not agrees(exact["0.10"]["kfold_t"], GOLDEN["type1"]["0.10"]["5x2cv_t_beta_none"])


@pytest.mark.slow
@pytest.mark.requirement("D-38")
@pytest.mark.parametrize(
    ("method", "form", "kept"),
    [("resampled_t", "{}xresampled@1/3", "resampled_t"), ("kfold_t", "{}cv", "kfold_cv_t")],
)
def test_figure_6_is_reproduced_at_every_number_of_splits(
    method: str, form: str, kept: str
) -> None:
    population = DesignedPopulation(0.10, beta=0.0)
    for number, seen in GOLDEN["figure6_eps0.10"][kept].items():
        if number in ("50", "200"):  # quick enough without them
            continue
        asked = {method: form.format(number)}
        rate = rejection_rates(population, asked, undefined="reject")[method]
        assert agrees(rate, seen), number


@pytest.mark.slow
@pytest.mark.requirement("D-26")
def test_the_number_of_replications_changes_the_size_as_simulated() -> None:
    for number, seen in GOLDEN["rx2cv_by_replications_eps0.10_df_r"].items():
        design = {"five_by_two_t": f"{number}x2cv"}
        rates = rejection_rates(DesignedPopulation(0.10), design, undefined="reject")
        assert agrees(rates["five_by_two_t"], seen)


@pytest.mark.requirement("D-37")
def test_beta_hardly_moves_the_rates_but_does_move_them() -> None:
    without = rejection_rates(DesignedPopulation(0.10, beta=0.0), ["kfold_t"])["kfold_t"]
    shared = rejection_rates(DesignedPopulation(0.10), ["kfold_t"])["kfold_t"]
    apart = rejection_rates(DesignedPopulation(0.10, beta_shared=False), ["kfold_t"])["kfold_t"]
    assert without != shared != apart
    assert without == pytest.approx(shared, abs=5e-4)
    for rate, name in ((without, "none"), (shared, "shared"), (apart, "independent")):
        assert agrees(rate, GOLDEN["type1"]["0.10"][f"cv10_t_beta_{name}"])


@pytest.mark.slow
@pytest.mark.requirement("N-18")
def test_the_corrected_test_almost_never_rejects_here() -> None:
    rate = rejection_rates(DesignedPopulation(0.40), ["corrected_t"])["corrected_t"]
    assert agrees(rate, GOLDEN["type1"]["0.40"]["corrected_resampled_t_30"])


def brute_force(population: DesignedPopulation, judge: Callable[..., bool], n_test: int) -> float:
    """Add the chances of every outcome of every point: its kind, and who errs on it."""
    total = 0.0
    for points in product(range(8), repeat=n_test):
        chance, wrong = 1.0, np.zeros((n_test, 2))
        for at, code in enumerate(points):
            a, b = population.kinds()[code // 4]
            x, y = code // 2 % 2, code % 2
            chance *= 0.5 * (a if x else 1 - a) * (b if y else 1 - b)
            wrong[at] = x, y
        if judge(wrong):
            total += chance
    return total


@pytest.mark.slow
def test_a_tiny_population_agrees_with_a_list_of_everything_that_can_happen() -> None:
    population = DesignedPopulation(0.4, n=6, beta=0.0)
    critical = stats.t(1).isf(0.2)

    def holdout(wrong: Any) -> bool:
        return bool(proportions_rejects(*wrong.sum(axis=0), 4, 1.0))

    def folds(wrong: Any, *, infinite: bool) -> bool:
        d = (wrong[:, 1] - wrong[:, 0]).reshape(2, 2).sum(axis=1)
        spread = d.std(ddof=1)
        if spread == 0:
            return bool(d[0] != 0) and infinite
        return bool(abs(d.mean()) / (spread / math.sqrt(2)) > critical)

    alpha = 2 * stats.norm.sf(1.0)
    found = rejection_rates(population, {"proportions": "holdout@4"}, alpha=alpha)
    assert found["proportions"] == pytest.approx(brute_force(population, holdout, 4), abs=1e-12)
    small = DesignedPopulation(0.4, n=4, beta=0.0)
    for infinite in ("reject", "accept"):
        asked = {"kfold_t": "2cv"}
        found = rejection_rates(small, asked, alpha=0.4, undefined=infinite)  # type: ignore[arg-type]
        expected = brute_force(small, partial(folds, infinite=infinite == "reject"), 4)
        assert found["kfold_t"] == pytest.approx(expected, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "design"),
    [("kfold_t", "2cv"), ("resampled_t", "2xresampled@1/3"), ("five_by_two_t", "1x2cv")],
)
def test_an_infinite_t_counts_one_way_in_sums_and_in_trials(method: str, design: str) -> None:
    population = DesignedPopulation(0.1)
    found = study([(method, design)], population, n_reps=4000, random_state=3)
    gaps = []
    for undefined in ("accept", "reject"):
        exact = rejection_rates(population, {method: design}, undefined=undefined)[method]  # type: ignore[arg-type]
        [row] = found.rates(undefined=undefined)  # type: ignore[arg-type]
        assert abs(row.rate - exact) < 4 * math.sqrt(exact * (1 - exact) / 4000), undefined
        gaps.append(exact)
    assert gaps[1] > gaps[0] + 0.01


def test_nothing_that_matters_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """With every frequency kept the answer moves by less than 1e-8 (by 1e-12, in fact)."""
    methods = {"resampled_t": "12xresampled@1/3"}
    population = DesignedPopulation(0.3, n=60)
    quick = rejection_rates(population, methods)["resampled_t"]

    def all_of_them(part: Any, n: int, depth: int) -> Any:
        return np.ones(depth // 2 + 1, dtype=bool)

    monkeypatch.setattr("reproduction.rate_sums._heard", all_of_them)
    monkeypatch.setattr("reproduction.exact.LEFT_OUT", 1e-16)
    assert rejection_rates(population, methods)["resampled_t"] == pytest.approx(quick, abs=1e-11)


@pytest.mark.slow
@pytest.mark.requirement("D-35")
def test_exchanging_the_kinds_changes_nothing_and_an_effect_raises_every_rate() -> None:
    null = rejection_rates(DesignedPopulation(0.2), ["mcnemar", "kfold_t", "five_by_two_t"])
    power = rejection_rates(
        DesignedPopulation(0.2), ["mcnemar", "kfold_t", "five_by_two_t"], effect=0.1
    )
    turned = rejection_rates(
        DesignedPopulation(0.2), ["mcnemar", "kfold_t", "five_by_two_t"], effect=-0.1
    )
    for name, rate in null.items():
        assert power[name] > rate + 0.05
        assert turned[name] == pytest.approx(power[name], abs=1e-10)


@pytest.mark.slow
@pytest.mark.requirement("D-56")
def test_power_has_the_order_of_the_paper() -> None:
    power = rejection_rates(DesignedPopulation(0.2), effect=0.08)
    assert power["kfold_t"] > power["five_by_two_t"] > power["mcnemar"]


@pytest.mark.parametrize(
    ("methods", "said"),
    [
        (["sign_test"], "each of several datasets"),
        ({"kfold_t": "7cv"}, "unequal folds"),
        ({"corrected_t": "10x10cv"}, "five_by_two_t on r×2-fold designs"),
        (["conservative_z"], "has no exact rates"),
    ],
)
def test_what_counts_do_not_settle_is_refused(methods: Any, said: str) -> None:
    with pytest.raises(MethodError, match=said):
        rejection_rates(DesignedPopulation(), methods)
