"""The designed population drawn by counts: the right law, one experiment for all, the same bits."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import places
import pytest
from scipy import stats

from outperform import DataError, MethodError, parse
from outperform.lab import sampling
from outperform.lab.populations import CorrelatedNormal, DesignedPopulation
from outperform.lab.sampling import (
    binomial_law,
    deal,
    difference_law,
    heads,
    hypergeometric_law,
    nodes_of,
)
from outperform.lab.scenarios import (
    Reading,
    Scenario,
    SixClasses,
    block_seed,
    blocks,
    reading,
    stream,
)
from outperform.registry import get
from outperform.views import Crossed, ItemDifferences
from reproduction.simulated_learners import SimulatedLearners, error_profile

GOLDEN = json.loads((places.GOLDEN / "designed_population.json").read_text())
SEED = block_seed(11, 0, 0)
BOUND = 4.9
"""Standard errors that a right answer exceeds with a chance of 1e-6."""


def near(rate: float, expected: float, n: int) -> bool:
    return abs(rate - expected) <= BOUND * math.sqrt(expected * (1 - expected) / n) + 1 / n


def same_law(seen: Any, expected: Any) -> bool:
    """Compare counts with probabilities by χ², at δ = 1e-6, pooling what is rare."""
    n = seen.sum()
    common = expected * n >= 5
    observed = np.append(seen[common], seen[~common].sum())
    wanted = np.append(expected[common], expected[~common].sum()) * n
    kept = wanted > 0
    chi2 = ((observed - wanted)[kept] ** 2 / wanted[kept]).sum()
    return bool(observed[~kept].sum() == 0 and stats.chi2.sf(chi2, kept.sum() - 1) > 1e-6)


def test_laws_agree_with_scipy() -> None:
    np.testing.assert_allclose(
        hypergeometric_law(30, 10)[12],
        stats.hypergeom(30, 12, 10).pmf(range(11)),
        rtol=1e-10,
    )
    for p in (0.0, 0.3, 1.0):
        np.testing.assert_allclose(
            binomial_law(20, p)[7, :8],
            stats.binom(7, p).pmf(range(8)),
            rtol=1e-10,
        )


@pytest.mark.requirement("D-34")
def test_the_law_of_a_difference_is_that_of_two_binomials() -> None:
    kinds = ((0.1, 0.3), (0.4, 0.2))
    found = difference_law(3, kinds, ((0.0, 0.0, 1.0),))
    for h in range(4):
        sides = [
            np.convolve(
                stats.binom(h, kinds[0][side]).pmf(range(h + 1)),
                stats.binom(3 - h, kinds[1][side]).pmf(range(4 - h)),
            )
            for side in (0, 1)
        ]
        expected = np.convolve(sides[1], sides[0][::-1])
        np.testing.assert_allclose(found[h], expected, atol=1e-15)


@pytest.mark.requirement("D-37")
@pytest.mark.parametrize("shared", [True, False])
def test_beta_is_integrated_out(shared: bool) -> None:
    kinds = ((0.1, 0.3), (0.3, 0.1))
    found = difference_law(10, kinds, nodes_of(0.02, shared=shared))
    cells = 400 if shared else 20
    axis = (np.arange(cells) + 0.5) / cells * 0.04 - 0.02
    pairs = [(x, x) for x in axis] if shared else [(x, y) for x in axis for y in axis]
    expected = np.mean([difference_law(10, kinds, ((x, y, 1.0),)) for x, y in pairs], axis=0)
    np.testing.assert_allclose(found, expected, atol=2e-7 if shared else 2e-5)


def test_alias_tables_hold_their_laws_exactly() -> None:
    rng = np.random.default_rng(0)
    for size in (2, 5, 64, 100):
        mass = rng.random((7, size)) ** 6 * (rng.random((7, size)) < 0.8) + 1e-9
        mass[0] = 1.0
        law = mass / mass.sum(axis=1, keepdims=True)
        table = sampling.alias_table(law, -3)
        columns = 1 << table.bits
        share = table.threshold.reshape(7, columns) / 2.0 ** (32 - table.bits) / columns
        outcome = table.outcome.reshape(7, columns, 2).astype(int) + 3
        held = np.zeros((7, columns))
        for row in range(7):
            np.add.at(held[row], outcome[row, :, 0], share[row])
            np.add.at(held[row], outcome[row, :, 1], 1 / columns - share[row])
        np.testing.assert_allclose(held[:, :size], law, atol=2.0**-30)


def test_drawing_from_a_table_follows_its_law() -> None:
    law = np.array([[0.1, 0.2, 0.3, 0.4], [0.7, 0.1, 0.1, 0.1]])
    table = sampling.alias_table(law, 0)
    for row in (0, 1):
        drawn = table.draw(np.intp(row), sampling.words(np.random.default_rng(row), 50_000))  # type: ignore[arg-type]
        assert same_law(np.bincount(drawn.astype(int), minlength=4), law[row])
    assert not same_law(np.bincount(drawn.astype(int), minlength=4), law[0])


@pytest.mark.requirement("D-36")
def test_samples_are_fair_coins_dealt_without_replacement() -> None:
    counts = heads(np.random.default_rng(1), 50_000, [30, 30, 45])
    assert same_law(np.bincount(counts[:, 0], minlength=31), stats.binom(30, 0.5).pmf(range(31)))
    assert same_law(np.bincount(counts[:, 2], minlength=46), stats.binom(45, 0.5).pmf(range(46)))
    folds = deal(np.random.default_rng(2), np.full(50_000, 14), 30, [10, 10, 10])
    assert (folds.sum(axis=1) == 14).all()
    for fold in folds.T:
        expected = stats.hypergeom(30, 14, 10).pmf(range(11))
        assert same_law(np.bincount(fold, minlength=11), expected)


READINGS = {
    "mcnemar": reading("mcnemar"),
    "proportions": reading("proportions"),
    "resampled_t": reading("resampled_t"),
    "kfold_t": reading("kfold_t"),
    "five_by_two_t": reading("five_by_two_t"),
    "paired_t": reading("paired_t", "holdout@1/3"),
    "conservative_z": reading("conservative_z", "3x4halves@1/10"),
    "quasi_f": reading("quasi_f", "4disjoint@40"),
    "corrected_t": reading("corrected_t", "3x7cv"),
    "averaged_t": reading("averaged_t", "2*5x2cv"),
}


@pytest.mark.slow
@pytest.mark.requirement("D-35")
def test_every_view_of_the_population_has_the_moments_of_its_slow_twin() -> None:
    quick = DesignedPopulation(0.3)
    slow = SimulatedLearners(np.array([0.15, 0.45]), np.array([0.45, 0.15]), beta=0.02)
    skipped = "conservative_z"
    asked = [of for name, of in READINGS.items() if name != skipped]
    ours, theirs = quick.draw(asked, 4096, SEED, 0.06), slow.draw(asked, 1024, SEED, 0.06)
    for of in asked:
        for stat in (np.mean, np.var):
            a, b = (_per_experiment(view, stat) for view in (ours[of], theirs[of]))
            stderr = np.hypot(a.std() / math.sqrt(a.size), b.std() / math.sqrt(b.size))
            assert abs(a.mean() - b.mean()) <= BOUND * stderr, f"{of}: {stat.__name__}"


def _per_experiment(view: Any, stat: Any) -> Any:
    if hasattr(view, "n01"):
        return view.estimate if stat is np.mean else view.discordant / view.n
    return stat(view.values.reshape(len(view.values), -1), axis=1)


@pytest.mark.requirement("D-36")
def test_all_designs_of_an_experiment_split_the_same_sample() -> None:
    """Means of two designs on one sample agree more than on two: they share its imbalance."""
    population = DesignedPopulation(0.4)
    tenfold, resampled = reading("kfold_t"), reading("resampled_t")
    views = population.draw([tenfold, resampled], 4096, SEED)
    means = [views[of].values.reshape(4096, -1).mean(axis=1) for of in (tenfold, resampled)]  # type: ignore[union-attr]
    # Cov = (ε spread·2/n)² Var[m] by the sample's imbalance alone: ρ is known.
    shared = (0.4 / 300 * 2) ** 2 * 75
    rho = shared / math.sqrt(means[0].var() * means[1].var())
    assert np.corrcoef(*means)[0, 1] == pytest.approx(rho, abs=BOUND / math.sqrt(4096))


def test_asking_for_more_changes_nothing_and_the_same_seed_gives_the_same_bits() -> None:
    population = DesignedPopulation(0.2)
    alone = population.draw([READINGS["kfold_t"]], 100, SEED)[READINGS["kfold_t"]]
    among = population.draw(list(READINGS.values()), 100, SEED)[READINGS["kfold_t"]]
    np.testing.assert_array_equal(alone.values, among.values)  # type: ignore[union-attr]
    other = population.draw([READINGS["kfold_t"]], 100, block_seed(11, 0, 1))[READINGS["kfold_t"]]
    assert not np.array_equal(alone.values, other.values)  # type: ignore[union-attr]


def test_items_and_tables_of_one_holdout_are_the_same_outcomes() -> None:
    views = DesignedPopulation(0.2).draw(list(READINGS.values()), 50, SEED)
    table, items = views[READINGS["mcnemar"]], views[READINGS["paired_t"]]
    np.testing.assert_allclose(items.flat.sum(axis=1), table.n10 - table.n01)  # type: ignore[union-attr]
    np.testing.assert_allclose(np.abs(items.flat).sum(axis=1), table.discordant)  # type: ignore[union-attr]


def test_the_number_of_trials_is_kept_across_blocks() -> None:
    assert list(blocks(20, 8)) == [(0, 8), (1, 8), (2, 4)]


@pytest.mark.requirement("D-40")
def test_noise_is_folded_into_the_error_rates_and_impossible_rates_are_refused() -> None:
    (low, high), _ = DesignedPopulation(0.2, noise=0.1).kinds()
    assert (low, high) == pytest.approx((0.1 * 0.9 + 0.9 * 0.1, 0.3 * 0.9 + 0.7 * 0.1))
    with pytest.raises(DataError, match=r"error probabilities from .* to 1\.01"):
        DesignedPopulation(0.66)
    with pytest.raises(DataError, match=r"spread must be between 0 and 1, got 2"):
        DesignedPopulation(0.1, spread=2)
    with pytest.raises(DataError, match=r"effect=0\.3"):
        DesignedPopulation(0.1).draw([reading("kfold_t")], 1, SEED, effect=0.3)


@pytest.mark.requirement("D-37")
def test_beta_in_a_holdout_is_drawn_for_each_experiment() -> None:
    population = DesignedPopulation(0.3, beta=0.1, beta_in=("holdout",))
    view: Any = population.draw([reading("mcnemar")], 4096, SEED)[reading("mcnemar")]
    wrong = (view.n00 + view.n01) / view.n
    expected = 0.3 * 0.7 / 100 + (0.2**2 / 12) * 0.99  # binomial, and what β adds
    assert wrong.var() == pytest.approx(expected, rel=BOUND * math.sqrt(2 / 4096) * 1.1)


@pytest.mark.requirement("N-16", "N-17", "N-22")
def test_the_resampled_t_test_has_its_closed_form_size_on_correlated_normals() -> None:
    for kept in GOLDEN["closed_form_resampled_t_30"].values():
        scenario = CorrelatedNormal(rho=kept["rho"])
        of = reading("resampled_t")
        p = get("resampled_t").on(scenario.draw([of], 8192, SEED)[of]).pvalue()
        assert near(np.mean(p < 0.05), kept["size"], 8192)


@pytest.mark.requirement("N-08")
def test_lemma_1_holds_for_normal_differences() -> None:
    of = reading("corrected_t", "10xresampled@1/3")
    view: Any = CorrelatedNormal(rho=0.3, sigma=2.0).draw([of], 8192, SEED, 0.5)[of]
    variance = 1.2 + (4.0 - 1.2) / 10
    assert view.mean.mean() == pytest.approx(0.5, abs=BOUND * math.sqrt(variance / 8192))
    assert view.mean.var() == pytest.approx(variance, rel=BOUND * math.sqrt(2 / 8192))
    found = (view.sd**2).mean()
    assert found == pytest.approx(4.0 - 1.2, rel=BOUND * 0.5 / 90)


@pytest.mark.requirement("D-24")
def test_the_ideal_5x2cv_test_is_conservative() -> None:
    of = reading("five_by_two_t")
    p = get("five_by_two_t").on(CorrelatedNormal().draw([of], 8192, SEED)[of]).pvalue()
    for level, kept in GOLDEN["5x2cv_ideal_iid_normal"]["size"].items():
        assert near(np.mean(p < float(level)), kept["rate"], 8192)


def test_correlation_within_a_repeat_may_be_higher() -> None:
    of = reading("corrected_t", "2x3cv")
    scenario = CorrelatedNormal(rho=0.2, rho_within=0.7)
    view: Any = scenario.draw([of], 8192, SEED)[of]
    found = np.corrcoef(view.values.reshape(8192, 6).T)
    assert found[0, 1] == pytest.approx(0.7, abs=BOUND / 90)
    assert found[0, 3] == pytest.approx(0.2, abs=BOUND / 90)
    with pytest.raises(DataError, match="rho_within"):
        CorrelatedNormal(rho=0.5, rho_within=0.2)


@pytest.mark.requirement("D-32", "D-33")
def test_an_error_profile_counts_errors_on_points_not_trained_on() -> None:
    from sklearn.naive_bayes import GaussianNB

    data = SixClasses().draw(150, np.random.default_rng(0))
    profile = error_profile(GaussianNB(), data.X, data.y, n_train=60, n_sets=20, random_state=1)
    assert profile.shape == (150,)
    assert 0.05 < profile.mean() < 0.5
    borders = ((data.X[:, None] - np.array(SixClasses().sites)) ** 2).sum(axis=-1)
    margin = np.diff(np.sort(np.sqrt(borders), axis=1)[:, :2]).ravel()
    assert profile[margin < 1].mean() > profile[margin > 3].mean() + 0.1
    with pytest.raises(DataError, match="leaves none for testing"):
        error_profile(GaussianNB(), data.X, data.y, n_train=150, n_sets=1, random_state=1)
    drawn = SimulatedLearners(profile, profile)
    assert drawn.delta == 0


@pytest.mark.parametrize("scenario", [DesignedPopulation(), CorrelatedNormal()])
def test_scenarios_keep_the_protocol_and_refuse_what_they_do_not_draw(scenario: Any) -> None:
    assert isinstance(scenario, Scenario)
    with pytest.raises(MethodError, match="use for example"):
        scenario.draw([Reading(Crossed, parse("10cv"))], 5, SEED)


def test_a_reading_belongs_to_a_method_and_a_design() -> None:
    assert reading("mcnemar") == reading("proportions")
    assert reading("paired_t", "holdout@1/3").view is ItemDifferences
    assert str(reading("kfold_t")) == "differences of 10cv"
    with pytest.raises(MethodError, match="valid for"):
        reading("mcnemar", "10cv")
    with pytest.raises(MethodError, match="takes Counts"):
        reading("accuracy_interval", "holdout@1/3")
    first, again = (stream(SEED, 5).random() for _ in range(2))
    assert first == again != stream(SEED, 6).random()
