"""Every registered method on every scenario of the lab: it runs, or is refused saying why."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from models_for_tests import Centroids

import outperform as op
from outperform import OutperformError
from outperform.lab import (
    Contest,
    CorrelatedNormal,
    DesignedPopulation,
    Mirror,
    OneSide,
)
from reproduction.simulated_learners import SimulatedLearners

METHODS = sorted(method.name for method in op.methods.table())
SMALL = {
    "averaged_t": "3*4cv",
    "calibrated_t": "2x3cv+3halves",
    "half_sample_t": "2x3cv+3halves",
    "conservative_z": "2x3halves@1/10",
    "quasi_f": "3disjoint@12",
    "repeated_kfold_t": "2x4cv",
    "corrected_t": "4xresampled@1/4",
    "kfold_t": "4cv",
    "resampled_t": "4xresampled@1/4",
}
"""Designs that a few items allow; the published one elsewhere."""
NOT_OF_AN_EXPERIMENT = {
    "accuracy_interval",
    "accuracy_lost",
    "all_pairs",
    "bayesian_sign",
    "bayesian_signed_rank",
    "bonferroni_dunn",
    "bradley_terry",
    "cluster_sign_flip",
    "cluster_t",
    "cochran_q",
    "crossed_t",
    "dataset_t",
    "delong",
    "diebold_mariano",
    "fisher_combination",
    "friedman",
    "hierarchical",
    "iman_davenport",
    "max_t",
    "nemenyi",
    "paired_bootstrap",
    "pooled_intervals",
    "rank_z",
    "replicability",
    "sampled_items_t",
    "seed_averaged_t",
    "sign_test",
    "simultaneous",
    "sphericity",
    "sufficiency",
    "unpaired_interval",
    "welch_t",
    "wilcoxon",
    "wilcoxon_combination",
    "win_rate",
}
"""Methods of one classifier, independent samples, many learners, datasets or p-values; and those
of seeds, ranks, series, clusters, samples or judgements, which no scenario draws."""


@cache
def scenes() -> dict[str, Any]:
    model = Centroids()
    contest = Contest(Mirror(), model, model, n=60)
    rng = np.random.default_rng(0)
    return {
        "designed": DesignedPopulation(0.3, n=60, beta=0.0),
        "simulated": SimulatedLearners(*rng.uniform(0.1, 0.4, (2, 200)), n=60),
        "normal": CorrelatedNormal(),
        "contest": contest,
        "one side": OneSide(contest),
    }


def ask(method: str, scene: str) -> Any:
    return op.study([(method, SMALL.get(method))], scenes()[scene], n_reps=4, random_state=1)


@pytest.mark.requirement("D-48")
@pytest.mark.parametrize("scene", ["designed", "simulated", "normal", "contest", "one side"])
@pytest.mark.parametrize("method", METHODS)
def test_it_runs_or_is_refused_saying_why(method, scene):
    try:
        found = ask(method, scene)
    except OutperformError as error:
        said = str(error)
        assert method in said or "is not available" in said or "compares two learners" in said
        assert any(word in said for word in ("use ", "Use ")), said
        return
    p = found.column(found.methods[0])
    assert p.shape == (4,)
    known = p[~np.isnan(p)]
    assert ((known >= 0) & (known <= 1)).all()
    assert found.rates()[found.methods[0]].n == 4


@pytest.mark.parametrize("method", sorted(set(METHODS) - NOT_OF_AN_EXPERIMENT))
def test_a_contest_can_be_asked_every_method_of_two_models(method):
    assert ask(method, "contest").n_reps == 4


@pytest.mark.parametrize("method", sorted(NOT_OF_AN_EXPERIMENT & set(METHODS)))
def test_methods_of_something_else_are_refused(method):
    with pytest.raises(OutperformError):
        ask(method, "contest")
