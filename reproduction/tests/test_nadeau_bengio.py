"""Nadeau & Bengio's exhibits run, judge by stated rules, and draw."""

from __future__ import annotations

import json
from dataclasses import asdict

import numpy as np
import pytest

import outperform as op
from reproduction.exhibits import Scale
from reproduction.nadeau_bengio import EXHIBITS, size_and_power
from reproduction.nadeau_bengio.propositions import lemma1
from reproduction.running import reproduce


@pytest.fixture(scope="module")
def few(tmp_path_factory) -> Scale:
    """The quick scale with 8 datasets, run once for all tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(size_and_power, "SETS", size_and_power.SETS._replace(quick=8))
        scale = Scale(quick=True, folder=tmp_path_factory.mktemp("letter"))
        size_and_power.records(scale)
    return scale


@pytest.mark.requirement("N-21", "N-24")
def test_the_t_test_on_counts_is_the_one_on_items() -> None:
    rng = np.random.default_rng(2)
    a, b = rng.random((2, 3, 40)) < 0.4  # errors of both learners on 40 items of 3 datasets
    difference = a.astype(float) - b
    means = size_and_power.Means(
        difference.mean(axis=1)[:, None], (difference**2).mean(axis=1)[:, None], 40, 40
    )
    tests = size_and_power.t_test(means)
    for row in range(3):
        single = op.methods.paired_t(difference[row], np.zeros(40), unit="items")
        assert tests.estimate[row] == pytest.approx(single.estimate)
        assert tests.stderr[row] == pytest.approx(single.stderr)
        ends = single.interval(0.9)
        inside = (ends.low + single.estimate) / 2
        assert tests.rejects(inside)[row] == 0
        assert tests.rejects(ends.low - 1e-6)[row] == 1


@pytest.mark.requirement("N-08")
def test_lemma_1_holds_in_simulation(tmp_path) -> None:
    assert lemma1(Scale(quick=True, folder=tmp_path)).agreement == "agrees"


@pytest.mark.slow
@pytest.mark.needs("datasets")
@pytest.mark.requirement("N-13", "N-14", "N-15", "N-20", "N-25", "N-26", "N-27", "N-28", "N-29")
@pytest.mark.requirement("N-30", "N-31", "N-32")
def test_every_exhibit_runs_and_draws(few) -> None:
    found = {one.name: finding for one, finding in reproduce(EXHIBITS, few)}
    differs = {
        (name, statement.text)
        for name, finding in found.items()
        for statement in finding.statements
        if statement.agreement == "differs"
    }
    assert differs == {("sensitivity", "conservative Z needs M = 10 times more computation")}
    for exhibit in EXHIBITS:
        json.dumps(asdict(found[exhibit.name]))
        if exhibit.draw is not None:
            for theme in ("light", "dark"):
                assert exhibit.draw(found[exhibit.name], theme).axes
    shown = next(iter(found["figure1"].curves.values()))
    assert len(shown["rates"]) == 8
    low, high = shown["interval"]
    assert low < shown["mu0"][12] < high
    liberal = [s for s in found["figure1"].statements if "resampled t is liberal" in s.text]
    assert len(liberal) == 2


@pytest.mark.slow
@pytest.mark.needs("datasets")
@pytest.mark.requirement("N-26")
def test_the_distorted_metric_pulls_1nn_down_to_the_tree(few) -> None:
    gap = size_and_power.truth(size_and_power.losses(few, "A−B").half)
    assert abs(gap.value) < 0.01 + 3.3 * gap.error
