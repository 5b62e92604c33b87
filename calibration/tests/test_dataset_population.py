"""Tests over datasets on a population with a known truth: size, power, and their table."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from calibration.dataset_population import (
    DatasetPopulation,
    DatasetRates,
    dataset_rates,
    model_rates,
)

TOOLS = Path(__file__).resolve().parents[2] / "tools"
FEW = DatasetPopulation(n_datasets=12)


@pytest.fixture(scope="module")
def equal() -> dict[str, DatasetRates]:
    found = dataset_rates(FEW, (0.0, 0.0, 0.0), 1000, seed=1)
    return {one.procedure: one for one in found}


@pytest.mark.slow
def test_familywise_errors_stay_below_alpha(equal) -> None:
    """δ = 1e-6: a correct test at 0.05 exceeds 86 of 1000 less often than that."""
    for name in ("Wilcoxon, Holm", "Wilcoxon, Bergmann–Hommel", "Friedman, then Nemenyi"):
        assert equal[name].any_pair <= 86, name
        assert equal[name].any_pair >= 5, name


@pytest.mark.slow
def test_a_better_model_is_found_more_often(equal) -> None:
    found = dataset_rates(FEW, (0.03, 0.0, 0.0), 200, seed=2)
    for one in found:
        before = equal[one.procedure]
        assert one.first_pair / one.n > before.first_pair / before.n + 0.3, one.procedure


def test_unequal_noise_is_drawn_and_costs_power() -> None:
    rng = np.random.default_rng(0)
    noisy = DatasetPopulation(unequal=1.0, between=0.0).draw((0.0, 0.0), 50, rng)
    spread = noisy.std(axis=-1).mean(axis=1)
    assert spread.max() / spread.min() > 10
    alike = DatasetPopulation(between=0.0).draw((0.0, 0.0), 50, rng).std(axis=-1).mean(axis=1)
    assert alike.max() / alike.min() < 5


@pytest.mark.slow
def test_the_same_seed_gives_the_same_rates(equal) -> None:
    again = dataset_rates(FEW, (0.0, 0.0, 0.0), 1000, seed=1)
    assert {one.procedure: one for one in again} == equal


@pytest.mark.slow
def test_the_model_is_counted_too() -> None:
    seen: list[int] = []
    found = model_rates(FEW, (0.2, 0.0), 2, seed=1, progress=seen.append)
    assert (found.first_pair, found.n, seen) == (2, 2, [1, 2])


@pytest.mark.slow
def test_the_table_is_resumed_from_its_file(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path, str(TOOLS)])
    import calibration_datasets as page

    kept = tmp_path / "rows.jsonl"
    monkeypatch.setattr(page, "SETTINGS", {"equal noise": FEW})
    made = page.rows(20, 1, kept)
    assert len(kept.read_text().splitlines()) == 4
    monkeypatch.setattr(page, "dataset_rates", None)
    monkeypatch.setattr(page, "model_rates", None)
    assert page.rows(20, 1, kept) == made
    text = page.text(made, 20, 1)
    assert "| Wilcoxon, Holm |" in text
