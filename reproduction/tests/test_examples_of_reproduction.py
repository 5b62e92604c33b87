"""The examples in docstrings give what they show."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest

MODULES = (
    "anatomy",
    "bayesian_networks",
    "damage",
    "datasets",
    "exact",
    "learner_errors",
    "learners.c45",
    "learners.naive_bayes",
    "learners.nearest_neighbor",
    "partition_studies",
    "partitions",
    "repetitions",
    "score_records",
    "simulated_learners",
    "variance",
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_give_what_they_show(name, monkeypatch):
    monkeypatch.delenv("OUTPERFORM_DATA", raising=False)
    tested = doctest.testmod(import_module(f"reproduction.{name}"))
    assert tested.attempted > 0
    assert tested.failed == 0
